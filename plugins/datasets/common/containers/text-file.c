// SPDX-License-Identifier: Apache-2.0
#include "text-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared-arena.h"

typedef struct text_file {
    cru_arena *arena;
    const char *path;
    unpack_kinds kinds;
} text_file;

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
    char *bytes = size <= UNPACK_MOST ? shared_arena_try(arena, (int64_t)size + 1, 1) : NULL;
    if (!bytes) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the file", path);
    out->bytes = bytes;
    if (read_bytes(fd, size, bytes, &out->size) == CRU_OK) return CRU_OK;
    return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
}

/* A packed file need not be copied into memory to be unpacked: it is mapped. False: it is not packed, or not so. */
static bool unpack_mapped(int fd, const text_file *file, byte_string *out, cru_status *status, cru_error *err)
{
    char start[8] = "";
    struct stat info;
    if (pread(fd, start, sizeof start, 0) != sizeof start || !unpack_recognises(start, sizeof start)) return false;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || (uint64_t)info.st_size > UNPACK_MOST) return false;
    const size_t size = (size_t)info.st_size;
    char *mapped = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    if (mapped == MAP_FAILED) return false;
    *out = (byte_string){mapped, size};
    *status = unpack(file->path, file->arena, out, file->kinds, err);
    const bool unpacked = *status || out->bytes != mapped;
    munmap(mapped, size);
    return unpacked;
}

cru_status text_file_read(cru_arena *arena, const char *path, unpack_kinds kinds, byte_string *out, cru_error *err)
{
    *out = (byte_string){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return cru_fail(err, CRU_IO, "%s: %s", path, strerror(errno));
    cru_status status = CRU_OK;
    if (!unpack_mapped(fd, &(text_file){arena, path, kinds}, out, &status, err)) {
        status = read_open(fd, path, arena, out, err);
        if (!status) status = unpack(path, arena, out, kinds, err);
    }
    close(fd);
    if (status) *out = (byte_string){0};
    return status;
}
