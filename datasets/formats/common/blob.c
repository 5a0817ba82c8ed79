#include "blob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text-file.h"

cru_status blob_read(cru_arena *arena, const char *path, blob *out, cru_error *err)
{
    char *text;
    size_t size;
    cru_status status = text_file_read(path, &text, &size, err);
    if (status != CRU_OK) return status;
    uint8_t *bytes = cru_arena_try(arena, (int64_t)size + 1, 1);
    if (bytes) memcpy(bytes, text, size + 1);
    free(text);
    if (!bytes) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the file", path);
    *out = (blob){path, bytes, (int64_t)size};
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
