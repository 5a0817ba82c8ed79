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

const char *blob_name(cru_arena *arena, const char *path, const char *member)
{
    size_t size = strlen(path) + strlen(member) + 3;
    char *name = cru_arena_try(arena, (int64_t)size, 1);
    if (!name) return "?";
    snprintf(name, size, "%s: %s", path, member);
    return name;
}
