// SPDX-License-Identifier: Apache-2.0
/* Members of zip files, by libzip. */
#include <stdlib.h>
#include <zip.h>

#include "base/library.h"
#include "fetch/pack.h"

typedef struct zip_library {
    zip_t *(*open)(const char *path, int flags, int *error);
    void (*discard)(zip_t *zip);
    zip_int64_t (*count)(zip_t *zip, zip_flags_t flags);
    const char *(*name)(zip_t *zip, zip_uint64_t index, zip_flags_t flags);
    int (*stat)(zip_t *zip, zip_uint64_t index, zip_flags_t flags, zip_stat_t *stat);
    zip_file_t *(*fopen)(zip_t *zip, zip_uint64_t index, zip_flags_t flags);
    zip_int64_t (*fread)(zip_file_t *file, void *bytes, zip_uint64_t count);
    int (*fclose)(zip_file_t *file);
} zip_library;

static const library_symbol symbols[] = {
    {"zip_open", offsetof(zip_library, open)},
    {"zip_discard", offsetof(zip_library, discard)},
    {"zip_get_num_entries", offsetof(zip_library, count)},
    {"zip_get_name", offsetof(zip_library, name)},
    {"zip_stat_index", offsetof(zip_library, stat)},
    {"zip_fopen_index", offsetof(zip_library, fopen)},
    {"zip_fread", offsetof(zip_library, fread)},
    {"zip_fclose", offsetof(zip_library, fclose)},
    {NULL, 0},
};

static const library_wish wish = {
    .file = "libzip.so.4", .package = "libzip4", .purpose = "zipped downloads", .symbols = symbols};

typedef struct zip_pack {
    pack base; /* first: a pack is one of these */
    zip_library z;
    zip_t *archive;
    zip_file_t *file;
} zip_pack;

/* At the end of a member libzip compares its checksum. */
static int64_t read_zip(pack *p, void *bytes, size_t count)
{
    zip_pack *zip = (zip_pack *)p;
    return zip->z.fread(zip->file, bytes, count);
}

static void close_zip(pack *p)
{
    zip_pack *zip = (zip_pack *)p;
    if (zip->file) zip->z.fclose(zip->file);
    if (zip->archive) zip->z.discard(zip->archive);
    free(zip);
}

/* -1: there is none. */
static int64_t locate(const zip_pack *zip, const char *member)
{
    const zip_int64_t count = zip->z.count(zip->archive, 0);
    for (zip_int64_t i = 0; i < count; i++) {
        const char *name = zip->z.name(zip->archive, (zip_uint64_t)i, 0);
        if (name && pack_is_member(name, member)) return i;
    }
    return -1;
}

static cru_status find_member(zip_pack *zip, const pack_order *order, cru_error *err)
{
    zip_stat_t stat;
    zip->archive = zip->z.open(order->path, ZIP_RDONLY, NULL);
    if (!zip->archive) return cru_fail(err, CRU_BAD_INPUT, "%s is no zip file", order->url);
    const int64_t index = locate(zip, order->member);
    if (index >= 0 && zip->z.stat(zip->archive, (zip_uint64_t)index, 0, &stat) == 0)
        zip->file = zip->z.fopen(zip->archive, (zip_uint64_t)index, 0);
    if (!zip->file) return cru_fail(err, CRU_BAD_INPUT, "%s is not in the zip file", order->url);
    zip->base.size = stat.valid & ZIP_STAT_SIZE ? (int64_t)stat.size : -1;
    return CRU_OK;
}

cru_status pack_open_zip(const pack_order *order, pack **out, cru_error *err)
{
    *out = NULL;
    zip_pack *zip = calloc(1, sizeof *zip);
    if (!zip) return cru_fail(err, CRU_NO_MEMORY, "no memory to unpack %s", order->url);
    zip->base = (pack){-1, read_zip, close_zip};
    cru_status status = library_load(&wish, &zip->z, err);
    if (!status) status = find_member(zip, order, err);
    if (!status)
        *out = &zip->base;
    else
        close_zip(&zip->base);
    return status;
}
