// SPDX-License-Identifier: Apache-2.0
/* part.h: a file that is being downloaded.
 *
 * The bytes gather in <file>.part; the file's own name appears only when all of them are there, have the right size and
 * checksum and can be what the name says (content.h), in one rename. What fails that is set aside as <file>.bad. What
 * is left of an interrupted download stays, and the next one goes on from it when that is safe: when the checksum of
 * the whole is known, or when <file>.part.from says that the bytes came from the same address and the server can be
 * asked (If-Range) whether its file is still the same. */
#ifndef CORE_FETCH_PART_H
#define CORE_FETCH_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sha256.h"

/* What is to be made. Nothing is owned; it outlives the part. */
typedef struct part_goal {
    const char *path;   /* the file's own name */
    const char *url;    /* where the bytes come from */
    const char *sha256; /* NULL: not known */
    int64_t bytes;      /* of the whole file; 0: not known */
    int64_t most;       /* it may not become larger; 0: however large */
} part_goal;

#define PART_MARK_SIZE 256

typedef struct part {
    const part_goal *goal;
    char *path, *from; /* <file>.part and <file>.part.from */
    int fd;
    int64_t size;              /* bytes that are there */
    char mark[PART_MARK_SIZE]; /* what the server called its version of the file: ETag or date; "" : unknown */
} part;

/* Opens what is left of an earlier download, or starts a new one, and locks it. CRU_IO: the folder cannot be written;
 * CRU_FAILED: another process is downloading the same file. The caller closes the part on CRU_OK only. */
cru_status part_open(const part_goal *goal, part *p, cru_error *err);

/* Forgets all bytes. */
cru_status part_restart(part *p, cru_error *err);

/* Remembers, also for the next process, what the server calls its version; NULL or a weak ETag: nothing. */
void part_mark(part *p, const char *mark);

/* CRU_BAD_INPUT: that would be more than the goal allows. */
cru_status part_append(part *p, const void *bytes, size_t count, cru_error *err);

/* All bytes are there: checks them and gives the file its name. `hex` is the checksum found. CRU_BAD_INPUT: they are
 * not what is expected; the part is empty again. */
cru_status part_finish(part *p, char hex[SHA256_HEX], cru_error *err);

/* Bytes that were not finished stay for the next time. */
void part_close(part *p);

#endif
