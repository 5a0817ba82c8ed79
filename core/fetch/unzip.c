// SPDX-License-Identifier: Apache-2.0
#include "fetch/unzip.h"

#include <zip.h>

#include "base/library.h"

/* Larger than every file of a known dataset, smaller than what a bomb would like to be. */
static const int64_t most_bytes = (int64_t)64 << 30;

typedef struct zip_library {
    zip_t *(*open)(const char *path, int flags, int *error);
    void (*discard)(zip_t *zip);
    zip_file_t *(*fopen)(zip_t *zip, const char *member, zip_flags_t flags);
    zip_int64_t (*fread)(zip_file_t *file, void *bytes, zip_uint64_t count);
    int (*fclose)(zip_file_t *file);
} zip_library;

static const library_symbol symbols[] = {
    {"zip_open", offsetof(zip_library, open)},     {"zip_discard", offsetof(zip_library, discard)},
    {"zip_fopen", offsetof(zip_library, fopen)},   {"zip_fread", offsetof(zip_library, fread)},
    {"zip_fclose", offsetof(zip_library, fclose)}, {NULL, 0},
};

static const library_wish wish = {
    .file = "libzip.so.4", .package = "libzip4", .purpose = "zipped downloads", .symbols = symbols};

/* At the end of a member libzip compares its checksum. */
static cru_status copy(const zip_library *z, zip_file_t *from, part *to, cru_error *err)
{
    char bytes[1 << 16];
    zip_int64_t got;
    while ((got = z->fread(from, bytes, sizeof bytes)) > 0) {
        if (to->size > most_bytes - got) return cru_fail(err, CRU_BAD_INPUT, "%s is too large", to->goal->url);
        cru_status status = part_append(to, bytes, (size_t)got, err);
        if (status != CRU_OK) return status;
    }
    return got == 0 ? CRU_OK : cru_fail(err, CRU_BAD_INPUT, "%s is damaged", to->goal->url);
}

static cru_status extract(const zip_library *z, zip_file_t *from, const part_goal *goal, char hex[SHA256_HEX],
                          cru_error *err)
{
    part p;
    cru_status status = part_open(goal, &p, err);
    if (status != CRU_OK) return status;
    status = part_restart(&p, err);
    if (status == CRU_OK) status = copy(z, from, &p, err);
    if (status == CRU_OK) status = part_finish(&p, hex, err);
    if (status != CRU_OK) part_restart(&p, NULL);
    part_close(&p);
    return status;
}

cru_status unzip_member(const char *zip, const char *member, const part_goal *goal, char hex[SHA256_HEX],
                        cru_error *err)
{
    zip_library z;
    cru_status status = library_load(&wish, &z, err);
    if (status != CRU_OK) return status;
    zip_t *archive = z.open(zip, ZIP_RDONLY, NULL);
    if (!archive) return cru_fail(err, CRU_BAD_INPUT, "%s is no zip file", goal->url);
    zip_file_t *from = z.fopen(archive, member, 0);
    if (from) {
        status = extract(&z, from, goal, hex, err);
        z.fclose(from);
    } else {
        status = cru_fail(err, CRU_BAD_INPUT, "%s is not in the zip file", goal->url);
    }
    z.discard(archive);
    return status;
}
