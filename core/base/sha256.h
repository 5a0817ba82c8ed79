// SPDX-License-Identifier: Apache-2.0
/* sha256.h: checksums of bytes and files, as 64 lower-case hex digits. */
#ifndef CORE_HASH_SHA256_H
#define CORE_HASH_SHA256_H

#include <crucible/status.h>

#define SHA256_HEX 65 /* with the final NUL */

enum { SHA256_LANES = 8 };

/* Of at most SHA256_LANES texts at once, in a quarter of the time of one after the other. */
void sha256_texts(const char *const *texts, int count, char (*const *hex)[SHA256_HEX]);

void sha256_bytes(const void *bytes, size_t size, char hex[SHA256_HEX]);

/* CRU_IO: the file cannot be opened or read; the message names it. `hex` is then the empty string. */
cru_status sha256_file(const char *path, char hex[SHA256_HEX], cru_error *err);

#endif
