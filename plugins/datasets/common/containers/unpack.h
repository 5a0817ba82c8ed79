// SPDX-License-Identifier: Apache-2.0
/* unpack.h: gzip, xz and zip files with a single member, recognised by their first bytes; also one in another. */
#ifndef FORMATS_UNPACK_H
#define FORMATS_UNPACK_H

#include <stdbool.h>

#include <crucible/arena.h>

/* Nothing that is read into memory may be larger: 8 GiB. */
#define UNPACK_MOST ((size_t)8 << 30)

/* The most bytes that `size` packed bytes may become. gzip reaches 1032 to 1; real data stays far below, what claims
 * more is a bomb. */
size_t unpack_limit(size_t size);

/* A file may be packed so many times: csv.gz in a zip. */
enum { UNPACK_LAYERS = 2 };

typedef enum unpack_kinds {
    UNPACK_ALL,
    UNPACK_STREAMS, /* gzip and xz: a zip file stays one */
} unpack_kinds;

/* Bytes in an arena; a NUL that does not count follows them. */
typedef struct byte_string {
    char *bytes;
    size_t size;
} byte_string;

/* When the bytes are packed, replaces them by the unpacked ones, in the arena. CRU_BAD_INPUT: damaged, or larger than
 * unpack_limit; the message begins with `path`. */
cru_status unpack(const char *path, cru_arena *arena, byte_string *string, unpack_kinds kinds, cru_error *err);

/* Whether a file that begins so is packed. */
bool unpack_recognises(const char *bytes, size_t size);

#endif
