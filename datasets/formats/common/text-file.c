#include "text-file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

static cru_status read_file(const char *path, unpack_kinds kinds, char **text, size_t *size, cru_error *err)
{
    *text = NULL;
    *size = 0;
    FILE *file = fopen(path, "rbe");
    if (!file) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    size_t room = 1 << 16, used = 0, got;
    char *buffer = malloc(room + 1);
    while (buffer && (got = fread(buffer + used, 1, room - used, file)) > 0) {
        used += got;
        if (used < room) continue;
        char *larger = room < UNPACK_MOST ? realloc(buffer, 2 * room + 1) : NULL;
        if (!larger) free(buffer);
        buffer = larger;
        room *= 2;
    }
    cru_status status = CRU_OK;
    if (!buffer)
        status = cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the file", path);
    else if (ferror(file))
        status = cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    fclose(file);
    if (status == CRU_OK) {
        buffer[used] = 0;
        status = unpack(path, &buffer, &used, kinds, err);
    }
    if (status == CRU_OK) {
        *text = buffer;
        *size = used;
    } else {
        free(buffer);
    }
    return status;
}

cru_status text_file_read(const char *path, char **text, size_t *size, cru_error *err)
{
    return read_file(path, UNPACK_ALL, text, size, err);
}

cru_status text_file_read_zip(const char *path, char **text, size_t *size, cru_error *err)
{
    return read_file(path, UNPACK_STREAMS, text, size, err);
}
