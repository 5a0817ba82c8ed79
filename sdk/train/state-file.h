// SPDX-License-Identifier: Apache-2.0
/* state-file.h: the bytes of a saved model.
 *
 *     "CRUSTATE", u32 version, u32 parts; then each part:
 *     u32 bytes of the name with its NUL, u32 rank, i64 dim[4], u64 bytes of the values; name; values; zeros up to a
 *     multiple of 8
 *
 * Little-endian, as all machines that we build for are. What counts is the order of the parts; names guard it. */
#ifndef SDK_TRAIN_STATE_FILE_H
#define SDK_TRAIN_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <crucible/tensor.h>

enum { STATE_VERSION = 1, STATE_NAME_MOST = 200 };

typedef struct state_part {
    const char *name;
    cru_dims shape;
    const void *values; /* at a place for doubles when the file is */
    uint64_t bytes;
} state_part;

/* ---- writing: bytes that grow ---------------------------------------------------------------------------- */

typedef struct state_bytes {
    unsigned char *bytes;
    size_t size, space;
    uint32_t parts;
} state_bytes;

bool state_begin(state_bytes *b);                       /* false: no memory, here and below */
bool state_put(state_bytes *b, const state_part *part); /* the name fits */
void state_end(state_bytes *b);                         /* fills the head in */

/* ---- reading hostile bytes ------------------------------------------------------------------------------- */

typedef struct state_reader {
    const unsigned char *bytes;
    size_t size, at;
    uint32_t parts, seen;
} state_reader;

/* NULL, or what is wrong, a part of a sentence. */
const char *state_open(state_reader *r, const void *bytes, size_t size);

/* The next part; false at the end, or where no whole part follows. */
bool state_next(state_reader *r, state_part *out);

/* Whether all parts were read and nothing follows. */
bool state_is_whole(const state_reader *r);

#endif
