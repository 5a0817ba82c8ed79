#include "blob.h"

#include <stdio.h>
#include <string.h>

#include "text-file.h"

cru_status blob_read(cru_arena *arena, const char *path, blob *out, cru_error *err)
{
    byte_string file;
    cru_status status = text_file_read(arena, path, UNPACK_ALL, &file, err);
    *out = (blob){path, (const uint8_t *)file.bytes, (int64_t)file.size};
    return status;
}

cru_status blob_read_all(cru_arena *arena, file_list files, blob *out, cru_error *err)
{
    cru_error why[BLOB_MOST] = {0};
    cru_assert(files.count >= 0 && files.count <= BLOB_MOST, "blob_read_all: %d files", files.count);
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < files.count; i++) blob_read(arena, files.paths[i], &out[i], &why[i]);
    for (int i = 0; i < files.count; i++)
        if (why[i].status != CRU_OK) return cru_fail(err, why[i].status, "%s", why[i].text);
    return CRU_OK;
}

const char *blob_name(cru_arena *arena, const char *path, const char *member)
{
    size_t size = strlen(path) + strlen(member) + 3;
    char *name = cru_arena_try(arena, (int64_t)size, 1);
    if (!name) return "?";
    snprintf(name, size, "%s: %s", path, member);
    return name;
}
