// SPDX-License-Identifier: Apache-2.0
/* blob.h: named bytes in memory: a file, a member of an archive, or a part of one. */
#ifndef FORMATS_BLOB_H
#define FORMATS_BLOB_H

#include <crucible/arena.h>
#include <crucible/status.h>

typedef struct blob {
    const char *name; /* "path" or "path: member"; begins every message */
    const uint8_t *bytes;
    int64_t size; /* a NUL that does not count follows */
} blob;

/* Reads and unpacks a file into the arena. Fails as text_file_read. `path` is borrowed. */
cru_status blob_read(cru_arena *arena, const char *path, blob *out, cru_error *err);

/* Several files, read and unpacked by several threads. Those with nothing left to unpack ask the system for the pages
 * of `next`, memory that will be written when the files are there; its bytes stay as they are. Fails as the first file
 * that does. */
enum { BLOB_MOST = 128 };
typedef struct file_list {
    const char *const *paths;
    int count; /* at most BLOB_MOST */
} file_list;
typedef struct byte_room {
    void *bytes; /* NULL: none */
    size_t size;
} byte_room;
cru_status blob_read_all(cru_arena *arena, file_list files, byte_room next, blob *out, cru_error *err);

/* How many bytes a plain or gzip file says it holds when it is unpacked; -1: it does not say, or so many that it would
 * be rash to believe it. What comes may differ. */
int64_t blob_claim(const char *path);

/* "path: member" in the arena; "?" when there is no memory. */
const char *blob_name(cru_arena *arena, const char *path, const char *member);

#endif
