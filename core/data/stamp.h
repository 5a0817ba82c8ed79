// SPDX-License-Identifier: Apache-2.0
/* stamp.h: remembers that a file was verified, so that it need not be read again.
 *
 * The stamp of <file> is <file>.stamp; it names the file's device, inode, size and times as they were when its content
 * was verified, or written from verified memory. Whoever writes to the file, cuts it or puts another in its place
 * changes one of them, the time of the last change (ctime) in any case: no program can set it back. */
#ifndef CORE_DATA_STAMP_H
#define CORE_DATA_STAMP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct stamp {
    int64_t device, inode, size;
    int64_t modified[2], changed[2]; /* seconds, nanoseconds */
    bool settled;                    /* a change from now on cannot leave the times as they are */
} stamp;

/* As the open file is now, before its content is looked at; false when that cannot be told. */
bool stamp_take(int fd, stamp *out);

/* Whether the stamp beside `path` says the same. */
bool stamp_matches(const char *path, const stamp *s);

/* Replaces the stamp beside `path`. Nothing is written for a file that is not settled: one that changed within the
 * last tick of the clock that file systems use. A stamp that cannot be written only costs time later. */
void stamp_store(const char *path, const stamp *s);

/* Removes it, if there is one. */
void stamp_remove(const char *path);

#endif
