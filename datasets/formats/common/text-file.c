#include "text-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that do not tell their size, such as pipes, are no datasets: what grows while it is read is cut. */
static cru_status read_bytes(int fd, size_t size, char *bytes, size_t *used)
{
    *used = 0;
    while (*used < size) {
        ssize_t got = read(fd, bytes + *used, size - *used);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return CRU_IO;
        if (got == 0) break;
        *used += (size_t)got;
    }
    bytes[*used] = 0;
    return CRU_OK;
}

static cru_status read_open(int fd, const char *path, cru_arena *arena, byte_string *out, cru_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(EISDIR));
    size_t size = (size_t)info.st_size;
    char *bytes = size <= UNPACK_MOST ? cru_arena_try(arena, (int64_t)size + 1, 1) : NULL;
    if (!bytes) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the file", path);
    out->bytes = bytes;
    if (read_bytes(fd, size, bytes, &out->size) == CRU_OK) return CRU_OK;
    return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
}

cru_status text_file_read(cru_arena *arena, const char *path, unpack_kinds kinds, byte_string *out, cru_error *err)
{
    *out = (byte_string){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    cru_status status = read_open(fd, path, arena, out, err);
    close(fd);
    return status == CRU_OK ? unpack(path, arena, out, kinds, err) : status;
}
