// SPDX-License-Identifier: Apache-2.0
/* archive.h: members of a zip file, stored or deflated. */
#ifndef FORMATS_ARCHIVE_H
#define FORMATS_ARCHIVE_H

#include <stdbool.h>

#include "blob.h"

typedef struct archive archive;

/* `path` is borrowed. On failure *out is NULL. CRU_IO: there is no such file; CRU_BAD_INPUT: not a zip file. */
cru_status archive_open(const char *path, archive **out, cru_error *err);
void archive_close(archive *a); /* NULL is fine */

bool archive_has(const archive *a, const char *member);

/* The first member whose name ends so; NULL when there is none. Lives as long as the archive. */
const char *archive_ending(const archive *a, const char *ending);

/* Unpacks a member into the arena. CRU_BAD_INPUT: not there, damaged (the checksum is verified), or a bomb. */
cru_status archive_read(const archive *a, cru_arena *arena, const char *member, blob *out, cru_error *err);

/* Several members, unpacked by several threads. Fails as the first of them that does. */
enum { ARCHIVE_MOST = 16 };
typedef struct member_list {
    const char *const *names;
    int count; /* at most ARCHIVE_MOST */
} member_list;
cru_status archive_read_all(const archive *a, cru_arena *arena, member_list members, blob *out, cru_error *err);

#endif
