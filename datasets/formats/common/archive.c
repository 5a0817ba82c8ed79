#include "archive.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zip.h>

#include "text-file.h"
#include "unpack.h"
#include "zip-bytes.h"

struct archive {
    const char *path;
    zip_t *zip;
    uint64_t size;     /* of the zip file: no member can be larger while it is packed */
    cru_arena *memory; /* of the bytes behind `zip`, where they are not the file itself */
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

static cru_status open_bytes(archive *a, const void *bytes, size_t size, cru_error *err)
{
    if (a->zip) zip_discard(a->zip);
    a->zip = zip_bytes_open(bytes, size);
    a->size = size;
    return a->zip ? CRU_OK : cru_fail(err, CRU_BAD_INPUT, "%s: not a sound zip file", a->path);
}

/* A zip file with nothing but a zip file in it stands for that one. */
static cru_status open_inner(archive *a, cru_error *err)
{
    const char *member = inner_zip(a);
    blob inner;
    if (!member) return CRU_OK;
    cru_status status = archive_read(a, a->memory, member, &inner, err);
    return status == CRU_OK ? open_bytes(a, inner.bytes, (size_t)inner.size, err) : status;
}

/* gzip or xz around the zip file, or something else. */
static cru_status open_packed(archive *a, cru_error *err)
{
    byte_string file;
    cru_status status = text_file_read(a->memory, a->path, UNPACK_STREAMS, &file, err);
    return status == CRU_OK ? open_bytes(a, file.bytes, file.size, err) : status;
}

cru_status archive_open(const char *path, archive **out, cru_error *err)
{
    int code = 0;
    archive *a = *out = malloc(sizeof *a);
    if (!a) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", path);
    struct stat info = {0};
    *a = (archive){path, zip_open(path, ZIP_RDONLY, &code), 0, cru_arena_create()};
    if (stat(path, &info) == 0) a->size = (uint64_t)info.st_size;
    cru_status status = a->memory ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "%s: no memory", path);
    if (!a->zip && (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ))
        status = cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    if (status == CRU_OK && !a->zip) status = open_packed(a, err);
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
    cru_arena_destroy(a->memory);
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

static cru_status find_member(const archive *a, const char *member, zip_stat_t *stat, cru_error *err)
{
    if (zip_stat(a->zip, member, 0, stat) != 0)
        return cru_fail(err, CRU_BAD_INPUT, "%s: has no member '%s'", a->path, member);
    const zip_uint64_t need = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if ((stat->valid & need) != need) return cru_fail(err, CRU_BAD_INPUT, "%s: %s: unknown size", a->path, member);
    if (stat->comp_size > a->size || stat->size > unpack_limit(stat->comp_size))
        return cru_fail(err, CRU_BAD_INPUT, "%s: %s: claims to unpack %llu bytes to %llu", a->path, member,
                        (unsigned long long)stat->comp_size, (unsigned long long)stat->size);
    return CRU_OK;
}

/* So many bytes of a member and its end; how many came when it is damaged, else -1. */
static int64_t read_stream(const archive *a, const char *member, zip_flags_t flags, uint8_t *bytes, uint64_t size)
{
    zip_file_t *file = zip_fopen(a->zip, member, flags);
    if (!file) return 0;
    zip_int64_t got = 1;
    uint64_t used = 0;
    while (used < size && (got = zip_fread(file, bytes + used, size - used)) > 0) used += (uint64_t)got;
    uint8_t more;
    if (got > 0) got = zip_fread(file, &more, 1); /* at the end the checksum is compared */
    zip_fclose(file);
    return got == 0 && used == size ? -1 : (int64_t)used;
}

/* Deflated members by libdeflate, which is twice as fast as zlib; false when something is wrong. */
static bool inflate_member(const archive *a, const char *member, const zip_stat_t *stat, uint8_t *bytes)
{
    uint8_t *packed = malloc(stat->comp_size + 1);
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    bool sound = packed && inflater && read_stream(a, member, ZIP_FL_COMPRESSED, packed, stat->comp_size) < 0;
    sound = sound && libdeflate_deflate_decompress(inflater, packed, stat->comp_size, bytes, stat->size, NULL) ==
                         LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(inflater);
    free(packed);
    return sound && libdeflate_crc32(0, bytes, stat->size) == stat->crc;
}

cru_status archive_read(const archive *a, cru_arena *arena, const char *member, blob *out, cru_error *err)
{
    zip_stat_t stat;
    cru_status status = find_member(a, member, &stat, err);
    if (status != CRU_OK) return status;
    uint8_t *bytes = cru_arena_try(arena, (int64_t)stat.size + 1, 1);
    if (!bytes) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for %s", a->path, member);
    const zip_uint64_t told = ZIP_STAT_COMP_METHOD | ZIP_STAT_CRC;
    bool deflated = (stat.valid & told) == told && stat.comp_method == ZIP_CM_DEFLATE;
    if (!deflated || !inflate_member(a, member, &stat, bytes)) {
        int64_t damaged = read_stream(a, member, 0, bytes, stat.size); /* libzip tells where the damage is */
        if (damaged >= 0)
            return cru_fail(err, CRU_BAD_INPUT, "%s: %s: damaged at byte %lld", a->path, member, (long long)damaged);
    }
    bytes[stat.size] = 0;
    *out = (blob){blob_name(arena, a->path, member), bytes, (int64_t)stat.size};
    return CRU_OK;
}
