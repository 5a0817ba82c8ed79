// SPDX-License-Identifier: Apache-2.0
/* A plugin's description as bytes: what the scanner sends to the host, and what the cache keeps. */
#ifndef CORE_REGISTRY_CODEC_H
#define CORE_REGISTRY_CODEC_H

#include <crucible/arena.h>

#include "registry/registry.h"

/* A growing buffer. `failed` is set when memory ran out; check it once at the end. The owner frees `data`. */
typedef struct bytes {
    unsigned char *data;
    size_t size, capacity;
    bool failed;
} bytes;
void bytes_put(bytes *b, const void *data, size_t size);
void bytes_put_text(bytes *b, const char *text); /* NULL stays NULL */

/* Reads from a buffer that nobody vouches for. After the first lie of the input `bad` is set and every further read
 * gives zeros. */
typedef struct reader {
    const unsigned char *at;
    size_t left;
    bool bad;
} reader;
void reader_take(reader *r, void *to, size_t size);
uint32_t reader_u32(reader *r);
uint64_t reader_u64(reader *r);
const char *reader_text(reader *r); /* borrowed from the buffer */

/* Appends `entry`. Its table may contain groups; what is decoded is flat. */
void entry_encode(bytes *b, const registry_entry *entry);

/* Reads one entry into memory of `a`. An entry that claims to work has passed the checks on names and schema again, so
 * that the host may trust it. CRU_BAD_INPUT when the bytes are no entry. */
cru_status entry_decode(reader *r, cru_arena *a, registry_entry *entry);

#endif
