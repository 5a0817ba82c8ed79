#include "registry/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *older;
    size_t used, capacity;
    alignas(max_align_t) unsigned char bytes[];
};

enum { BLOCK_BYTES = 16384 };

static struct arena_block *add_block(arena *a, size_t bytes)
{
    size_t capacity = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    if (capacity > SIZE_MAX - sizeof(struct arena_block)) return NULL;
    struct arena_block *block = calloc(1, sizeof *block + capacity);
    if (!block) return NULL;
    block->capacity = capacity;
    block->older = a->newest;
    a->newest = block;
    return block;
}

void *arena_alloc(arena *a, size_t count, size_t size)
{
    size_t bytes;
    const size_t mask = alignof(max_align_t) - 1;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - mask) return NULL;
    bytes = (bytes + mask) & ~mask;
    struct arena_block *block = a->newest;
    if (!block || block->capacity - block->used < bytes) block = add_block(a, bytes);
    if (!block) return NULL;
    void *memory = block->bytes + block->used;
    block->used += bytes;
    return memory;
}

const char *arena_text(arena *a, const char *text, int *failed)
{
    if (!text) return NULL;
    size_t bytes = strlen(text) + 1;
    char *copy = arena_alloc(a, bytes, 1);
    if (!copy) {
        *failed = 1;
        return NULL;
    }
    return memcpy(copy, text, bytes);
}

void arena_free(arena *a)
{
    while (a->newest) {
        struct arena_block *older = a->newest->older;
        free(a->newest);
        a->newest = older;
    }
}
