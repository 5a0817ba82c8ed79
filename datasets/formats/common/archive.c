#include "archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "unpack.h"

struct archive {
    const char *path;
    zip_t *zip;
};

cru_status archive_open(const char *path, archive **out, cru_error *err)
{
    int code = 0;
    archive *a = *out = malloc(sizeof *a);
    if (!a) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory", path);
    *a = (archive){path, zip_open(path, ZIP_RDONLY, &code)};
    if (a->zip) return CRU_OK;
    free(a);
    *out = NULL;
    bool io = code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ;
    return cru_fail(err, io ? CRU_IO : CRU_BAD_INPUT, "%s: %s", path, io ? strerror(errno) : "not a sound zip file");
}

void archive_close(archive *a)
{
    if (!a) return;
    zip_discard(a->zip);
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
