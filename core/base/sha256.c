// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

static void finish(struct sha256_ctx *ctx, char hex[SHA256_HEX])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(ctx, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[2 * sizeof digest] = '\0';
}

void sha256_bytes(const void *bytes, size_t size, char hex[SHA256_HEX])
{
    struct sha256_ctx ctx;
    sha256_init(&ctx);
    if (size > 0) sha256_update(&ctx, size, bytes);
    finish(&ctx, hex);
}

cru_status sha256_file(const char *path, char hex[SHA256_HEX], cru_error *err)
{
    hex[0] = '\0';
    FILE *file = fopen(path, "rb");
    if (!file) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));

    struct sha256_ctx ctx;
    sha256_init(&ctx);
    uint8_t buffer[1 << 16];
    size_t got;
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0) sha256_update(&ctx, got, buffer);

    /* a folder opens but does not read */
    cru_status status = ferror(file) ? cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno)) : CRU_OK;
    fclose(file);
    if (!status) finish(&ctx, hex);
    return status;
}
