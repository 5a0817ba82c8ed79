// SPDX-License-Identifier: Apache-2.0
#include "tensor/pool.h"

#include <math.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };
static const size_t smallest_chunk = (size_t)1 << 20;

static size_t block_bytes(int64_t floats)
{
    cru_assert(floats >= 0 && (uint64_t)floats < SIZE_MAX / sizeof(float) - ALIGNMENT, "tensor of %lld values",
               (long long)floats);
    size_t bytes = (size_t)floats * sizeof(float);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static pool_chunk *chunk_create(pool *p, size_t size)
{
    pool_chunk *chunk = malloc(sizeof *chunk);
    char *memory = chunk ? p->device->backend->alloc(p->device, size) : NULL;
    if (!memory) {
        free(chunk);
        cru_panic(CRU_NO_MEMORY, "out of memory: %zu bytes for tensors", size);
    }
    *chunk = (pool_chunk){.memory = memory, .size = size, .next = p->chunks};
    p->chunks = chunk;
    p->total += size;
    return chunk;
}

static void chunks_release(pool *p)
{
    while (p->chunks) {
        pool_chunk *chunk = p->chunks;
        p->chunks = chunk->next;
        p->device->backend->release(p->device, chunk->memory);
        free(chunk);
    }
    p->total = 0;
}

static float *take_returned(pool *p, size_t bytes)
{
    for (int32_t i = p->returned_count - 1; i >= 0; i--) {
        if (p->returned[i].bytes != bytes) continue;
        float *memory = p->returned[i].memory;
        p->returned[i] = p->returned[--p->returned_count];
        return memory;
    }
    return NULL;
}

float *pool_take(pool *p, int64_t floats)
{
    size_t bytes = block_bytes(floats);
    float *again = take_returned(p, bytes);
    if (again) return again;
    pool_chunk *chunk = p->chunks;
    if (!chunk || chunk->size - chunk->used < bytes) {
        size_t grow = p->total / 4 > smallest_chunk ? p->total / 4 : smallest_chunk;
        chunk = chunk_create(p, bytes > grow ? bytes : grow);
    }
    float *memory = (float *)(void *)(chunk->memory + chunk->used);
    chunk->used += bytes;
    return memory;
}

void pool_return(pool *p, float *memory, int64_t floats)
{
    if (p->returned_count == POOL_FREE_SLOTS) return; /* stays taken until the reset */
    p->returned[p->returned_count++] = (pool_free){.memory = memory, .bytes = block_bytes(floats)};
}

void pool_reset(pool *p)
{
    p->returned_count = 0;
    if (p->chunks && p->chunks->next) {
        size_t total = p->total;
        chunks_release(p);
        chunk_create(p, total);
    }
    if (p->chunks) p->chunks->used = 0;
}

void pool_poison(pool *p)
{
    for (const pool_chunk *c = p->chunks; c; c = c->next)
        p->device->backend->fill(p->device, (float *)(void *)c->memory, (int64_t)(c->used / sizeof(float)), NAN);
}

void pool_destroy(pool *p)
{
    chunks_release(p);
}
