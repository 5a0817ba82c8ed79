// SPDX-License-Identifier: Apache-2.0
#include "blob.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text-file.h"
#include "unpack.h"

cru_status blob_read(cru_arena *arena, const char *path, blob *out, cru_error *err)
{
    byte_string file;
    cru_status status = text_file_read(arena, path, UNPACK_ALL, &file, err);
    *out = (blob){path, (const uint8_t *)file.bytes, (int64_t)file.size};
    return status;
}

enum { PAGE = 4096, PIECE = 8 << 20 };

/* The whole pages of piece i. A system that cannot do it does it later, when they are written. */
static void make_ready(byte_room room, int64_t i)
{
    const uintptr_t start = (uintptr_t)room.bytes, end = start + room.size;
    const uintptr_t from = (start + PAGE - 1) / PAGE * PAGE + (uintptr_t)i * PIECE;
    const uintptr_t most = end / PAGE * PAGE, to = from + PIECE < most ? from + PIECE : most;
    if (from < to) madvise((void *)from, to - from, MADV_POPULATE_WRITE);
}

cru_status blob_read_all(cru_arena *arena, file_list files, byte_room next, blob *out, cru_error *err)
{
    cru_error why[BLOB_MOST] = {0};
    cru_assert(files.count >= 0 && files.count <= BLOB_MOST, "blob_read_all: %d files", files.count);
    const int64_t pieces = next.bytes ? (int64_t)((next.size + PIECE - 1) / PIECE) : 0;
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t i = 0; i < files.count + pieces; i++) {
        if (i < files.count)
            blob_read(arena, files.paths[i], &out[i], &why[i]);
        else
            make_ready(next, i - files.count);
    }
    for (int i = 0; i < files.count; i++)
        if (why[i].status) return cru_fail(err, why[i].status, "%s", why[i].text);
    return CRU_OK;
}

/* A gzip file ends in the size of its last member, for most files the only one, as it is before packing. */
static int64_t claim_of(int fd, const struct stat *info)
{
    enum { BELIEVABLE = 16, LEAST = 18 }; /* images become a third to nine tenths as large */
    uint8_t start[8] = {0}, tail[4];
    const int64_t size = info->st_size;
    if (!S_ISREG(info->st_mode) || pread(fd, start, sizeof start, 0) != sizeof start) return -1;
    if (!unpack_recognises((const char *)start, sizeof start)) return size;
    const bool gzip = start[0] == 0x1f && start[1] == 0x8b;
    if (!gzip || size < LEAST || pread(fd, tail, sizeof tail, size - (int64_t)sizeof tail) != sizeof tail) return -1;
    const int64_t claim = (int64_t)tail[3] << 24 | tail[2] << 16 | tail[1] << 8 | tail[0];
    return claim <= BELIEVABLE * size ? claim : -1;
}

int64_t blob_claim(const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    const int64_t claim = fstat(fd, &info) == 0 ? claim_of(fd, &info) : -1;
    close(fd);
    return claim;
}

const char *blob_name(cru_arena *arena, const char *path, const char *member)
{
    size_t size = strlen(path) + strlen(member) + 3;
    char *name = cru_arena_try(arena, (int64_t)size, 1);
    if (!name) return "?";
    snprintf(name, size, "%s: %s", path, member);
    return name;
}
