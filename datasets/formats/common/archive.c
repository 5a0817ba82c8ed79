#include "archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "text-file.h"
#include "unpack.h"
#include "zip-bytes.h"

struct archive {
    const char *path;
    zip_t *zip;
    char *bytes; /* behind `zip`; NULL: the file itself */
};

/* The only member, when it is a zip file itself; else NULL. */
static const char *inner_zip(const archive *a)
{
    char start[4] = "";
    zip_file_t *file = zip_get_num_entries(a->zip, 0) == 1 ? zip_fopen_index(a->zip, 0, 0) : NULL;
    if (!file) return NULL;
    bool inner = zip_fread(file, start, sizeof start) == sizeof start && zip_bytes_begin(start, sizeof start);
    zip_fclose(file);
    return inner ? zip_get_name(a->zip, 0, 0) : NULL;
}

static cru_status open_bytes(archive *a, char *bytes, size_t size, cru_error *err)
{
    if (a->zip) zip_discard(a->zip);
    a->bytes = bytes;
    a->zip = zip_bytes_open(bytes, size);
    return a->zip ? CRU_OK : cru_fail(err, CRU_BAD_INPUT, "%s: not a sound zip file", a->path);
}

/* A zip file with nothing but a zip file in it stands for that one. */
static cru_status open_inner(archive *a, cru_error *err)
{
    const char *member = inner_zip(a);
    blob inner;
    if (!member) return CRU_OK;
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", a->path);
    cru_status status = archive_read(a, arena, member, &inner, err);
    char *bytes = status == CRU_OK ? malloc((size_t)inner.size) : NULL;
    if (bytes) {
        memcpy(bytes, inner.bytes, (size_t)inner.size);
        status = open_bytes(a, bytes, (size_t)inner.size, err);
    } else if (status == CRU_OK) {
        status = cru_fail(err, CRU_NO_MEMORY, "%s: no memory", a->path);
    }
    cru_arena_destroy(arena);
    return status;
}

/* gzip or xz around the zip file, or something else. */
static cru_status open_packed(archive *a, cru_error *err)
{
    char *bytes;
    size_t size;
    cru_status status = text_file_read_zip(a->path, &bytes, &size, err);
    if (status != CRU_OK) return status;
    return open_bytes(a, bytes, size, err);
}

cru_status archive_open(const char *path, archive **out, cru_error *err)
{
    int code = 0;
    archive *a = *out = malloc(sizeof *a);
    if (!a) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", path);
    *a = (archive){path, zip_open(path, ZIP_RDONLY, &code), NULL};
    cru_status status = CRU_OK;
    if (!a->zip && (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ))
        status = cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    else if (!a->zip)
        status = open_packed(a, err);
    if (status == CRU_OK) status = open_inner(a, err);
    if (status == CRU_OK) return CRU_OK;
    archive_close(a);
    *out = NULL;
    return status;
}

void archive_close(archive *a)
{
    if (!a) return;
    if (a->zip) zip_discard(a->zip);
    free(a->bytes);
    free(a);
}

bool archive_has(const archive *a, const char *member)
{
    return zip_name_locate(a->zip, member, 0) >= 0;
}

const char *archive_ending(const archive *a, const char *ending)
{
    zip_int64_t count = zip_get_num_entries(a->zip, 0);
    for (zip_int64_t i = 0; i < count; i++) {
        const char *name = zip_get_name(a->zip, (zip_uint64_t)i, 0);
        size_t size = name ? strlen(name) : 0;
        if (size >= strlen(ending) && strcmp(name + size - strlen(ending), ending) == 0) return name;
    }
    return NULL;
}

static cru_status member_size(const archive *a, const char *member, uint64_t *size, cru_error *err)
{
    zip_stat_t stat;
    if (zip_stat(a->zip, member, 0, &stat) != 0)
        return cru_fail(err, CRU_BAD_INPUT, "%s: has no member '%s'", a->path, member);
    const zip_uint64_t need = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if ((stat.valid & need) != need) return cru_fail(err, CRU_BAD_INPUT, "%s: %s: unknown size", a->path, member);
    if (stat.size > unpack_limit(stat.comp_size))
        return cru_fail(err, CRU_BAD_INPUT, "%s: %s: claims to unpack %llu bytes to %llu", a->path, member,
                        (unsigned long long)stat.comp_size, (unsigned long long)stat.size);
    *size = stat.size;
    return CRU_OK;
}

cru_status archive_read(const archive *a, cru_arena *arena, const char *member, blob *out, cru_error *err)
{
    uint64_t size = 0;
    cru_status status = member_size(a, member, &size, err);
    if (status != CRU_OK) return status;
    uint8_t *bytes = cru_arena_try(arena, (int64_t)size + 1, 1);
    if (!bytes) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for %s", a->path, member);
    zip_file_t *file = zip_fopen(a->zip, member, 0);
    if (!file) return cru_fail(err, CRU_BAD_INPUT, "%s: %s: %s", a->path, member, zip_strerror(a->zip));
    zip_int64_t got = 1;
    uint64_t used = 0;
    while (used < size && (got = zip_fread(file, bytes + used, size - used)) > 0) used += (uint64_t)got;
    uint8_t more;
    if (got > 0) got = zip_fread(file, &more, 1); /* at the end the checksum is compared */
    if (got != 0 || used != size)
        status =
            cru_fail(err, CRU_BAD_INPUT, "%s: %s: damaged at byte %llu", a->path, member, (unsigned long long)used);
    zip_fclose(file);
    bytes[used] = 0;
    *out = (blob){blob_name(arena, a->path, member), bytes, (int64_t)size};
    return status;
}
