// SPDX-License-Identifier: Apache-2.0
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
    return status ? status : open_bytes(a, inner.bytes, (size_t)inner.size, err);
}

/* gzip or xz around the zip file, or something else. */
static cru_status open_packed(archive *a, cru_error *err)
{
    byte_string file;
    cru_status status = text_file_read(a->memory, a->path, UNPACK_STREAMS, &file, err);
    return status ? status : open_bytes(a, file.bytes, file.size, err);
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
    if (!status && !a->zip) status = open_packed(a, err);
    if (!status) status = open_inner(a, err);
    if (!status) return CRU_OK;
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

/* A member on its way into memory. */
typedef struct unpacking {
    zip_stat_t stat;
    const char *name;
    uint8_t *packed, *bytes; /* packed: NULL unless it is deflated and could be read */
    bool done;
} unpacking;

static cru_status begin(const archive *a, cru_arena *arena, unpacking *u, cru_error *err)
{
    cru_status status = find_member(a, u->name, &u->stat, err);
    if (status) return status;
    u->bytes = cru_arena_try(arena, (int64_t)u->stat.size + 1, 1);
    if (!u->bytes) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for %s", a->path, u->name);
    const zip_uint64_t told = ZIP_STAT_COMP_METHOD | ZIP_STAT_CRC;
    if ((u->stat.valid & told) != told || u->stat.comp_method != ZIP_CM_DEFLATE) return CRU_OK;
    u->packed = malloc(u->stat.comp_size + 1);
    if (u->packed && read_stream(a, u->name, ZIP_FL_COMPRESSED, u->packed, u->stat.comp_size) < 0) return CRU_OK;
    free(u->packed);
    u->packed = NULL;
    return CRU_OK;
}

/* By libdeflate, which is twice as fast as zlib. */
static void inflate_member(unpacking *u)
{
    struct libdeflate_decompressor *inflater = u->packed ? libdeflate_alloc_decompressor() : NULL;
    if (!inflater) return;
    u->done = libdeflate_deflate_decompress(inflater, u->packed, u->stat.comp_size, u->bytes, u->stat.size, NULL) ==
                  LIBDEFLATE_SUCCESS &&
              libdeflate_crc32(0, u->bytes, u->stat.size) == u->stat.crc;
    libdeflate_free_decompressor(inflater);
}

/* Members that are not deflated, or damaged: libzip tells where the damage is. */
static cru_status finish(const archive *a, cru_arena *arena, unpacking *u, blob *out, cru_error *err)
{
    int64_t damaged = u->done ? -1 : read_stream(a, u->name, 0, u->bytes, u->stat.size);
    if (damaged >= 0)
        return cru_fail(err, CRU_BAD_INPUT, "%s: %s: damaged at byte %lld", a->path, u->name, (long long)damaged);
    u->bytes[u->stat.size] = 0;
    *out = (blob){blob_name(arena, a->path, u->name), u->bytes, (int64_t)u->stat.size};
    return CRU_OK;
}

cru_status archive_read_all(const archive *a, cru_arena *arena, member_list members, blob *out, cru_error *err)
{
    const int count = members.count;
    unpacking all[ARCHIVE_MOST] = {0};
    cru_assert(count >= 0 && count <= ARCHIVE_MOST, "archive_read_all: %d members", count);
    cru_status status = CRU_OK;
    for (int i = 0; i < count && !status; i++) {
        all[i].name = members.names[i];
        status = begin(a, arena, &all[i], err);
    }
    if (!status) {
#pragma omp parallel for schedule(dynamic, 1)
        for (int i = 0; i < count; i++) inflate_member(&all[i]);
    }
    for (int i = 0; i < count; i++) free(all[i].packed);
    for (int i = 0; i < count && !status; i++) status = finish(a, arena, &all[i], &out[i], err);
    return status;
}

cru_status archive_read(const archive *a, cru_arena *arena, const char *member, blob *out, cru_error *err)
{
    return archive_read_all(a, arena, (member_list){&member, 1}, out, err);
}
