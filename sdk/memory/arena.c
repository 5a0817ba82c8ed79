// SPDX-License-Identifier: Apache-2.0
#include <sanitizer/asan_interface.h> /* macros that vanish without AddressSanitizer */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <crucible/arena.h>
#include <crucible/draft/arena.h>

enum { ALIGNMENT = 64, SMALLEST_CHUNK = 64 << 10, LARGEST_GROWTH = 64 << 20, WORTH_HUGE_PAGES = 4 << 20 };

/* One mapping: this header, padded to ALIGNMENT, then the bytes given out. Chunks after the current one are empty. */
typedef struct chunk {
    struct chunk *next;
    size_t size;  /* of the bytes that can be given out */
    size_t used;  /* given out now */
    size_t dirty; /* were given out at some time; from here on the bytes are zero */
} chunk;

enum { HEADER = (sizeof(chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT };

struct cru_arena {
    chunk *first, *current;
    size_t total; /* bytes mapped */
};

static unsigned char *chunk_bytes(chunk *c)
{
    return (unsigned char *)c + HEADER;
}

cru_arena *cru_arena_create(void)
{
    return calloc(1, sizeof(cru_arena));
}

void cru_arena_destroy(cru_arena *arena)
{
    if (!arena) return;
    for (chunk *c = arena->first; c;) {
        chunk *next = c->next;
        ASAN_UNPOISON_MEMORY_REGION(chunk_bytes(c), c->size);
        munmap(c, HEADER + c->size);
        c = next;
    }
    free(arena);
}

/* Bytes rounded up to whole alignment units, at least one; SIZE_MAX when that cannot be expressed. */
static size_t piece_size(int64_t count, size_t size)
{
    size_t bytes;
    if (count < 0 || __builtin_mul_overflow((uint64_t)count, size, &bytes)) return SIZE_MAX;
    if (bytes > PTRDIFF_MAX - (HEADER + ALIGNMENT)) return SIZE_MAX;
    return bytes ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

/* Grows with the arena, so that the number of chunks stays logarithmic, up to a point where slack would hurt. */
static chunk *chunk_create(cru_arena *arena, size_t need)
{
    size_t bytes = arena->total;
    if (bytes < SMALLEST_CHUNK) bytes = SMALLEST_CHUNK;
    if (bytes > LARGEST_GROWTH) bytes = LARGEST_GROWTH;
    if (bytes < need + HEADER) bytes = need + HEADER;
    chunk *c = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c == MAP_FAILED) return NULL;
    if (bytes >= WORTH_HUGE_PAGES) madvise(c, bytes, MADV_HUGEPAGE); /* a wish: 512 times fewer faults on first use */
    c->size = bytes - HEADER;
    ASAN_POISON_MEMORY_REGION(chunk_bytes(c), c->size);
    arena->total += bytes;
    return c;
}

/* The first chunk from the current one on that has room. Chunks that are skipped stay empty until the next reset; a
 * loop that repeats its requests therefore finds the same places again. */
static chunk *chunk_with_room(cru_arena *arena, size_t need)
{
    chunk *last = NULL;
    for (chunk *c = arena->current; c; last = c, c = c->next)
        if (c->size - c->used >= need) return c;
    chunk *fresh = chunk_create(arena, need);
    if (!fresh) return NULL;
    if (last)
        last->next = fresh;
    else
        arena->first = fresh;
    return fresh;
}

static void *give(cru_arena *arena, size_t bytes, size_t need, bool zeroed)
{
    chunk *c = chunk_with_room(arena, need);
    if (!c) return NULL;
    unsigned char *piece = chunk_bytes(c) + c->used;
    size_t stale = c->dirty > c->used ? c->dirty - c->used : 0;
    ASAN_UNPOISON_MEMORY_REGION(piece, bytes);
    if (zeroed) memset(piece, 0, stale < bytes ? stale : bytes);
    c->used += need;
    if (c->dirty < c->used) c->dirty = c->used;
    arena->current = c;
    return piece;
}

static void *try_give(cru_arena *arena, int64_t count, size_t size, bool zeroed)
{
    size_t need = piece_size(count, size);
    return need == SIZE_MAX ? NULL : give(arena, (size_t)count * size, need, zeroed);
}

void *cru_arena_try(cru_arena *arena, int64_t count, size_t size)
{
    return try_give(arena, count, size, false);
}

void *cru_arena_try_zeroed(cru_arena *arena, int64_t count, size_t size)
{
    return try_give(arena, count, size, true);
}

static CRU_NORETURN void exhausted(int64_t count, size_t size)
{
    cru_panic(CRU_NO_MEMORY, "out of memory: %lld elements of %zu bytes", (long long)count, size);
}

void *cru_arena_alloc(cru_arena *arena, int64_t count, size_t size)
{
    void *piece = try_give(arena, count, size, false);
    if (!piece) exhausted(count, size);
    return piece;
}

void *cru_arena_alloc_zeroed(cru_arena *arena, int64_t count, size_t size)
{
    void *piece = try_give(arena, count, size, true);
    if (!piece) exhausted(count, size);
    return piece;
}

cru_mark cru_arena_mark(const cru_arena *arena)
{
    return (cru_mark){.chunk = arena->current, .used = arena->current ? arena->current->used : 0};
}

/* A mark without a chunk was taken before the first piece. */
void cru_arena_reset(cru_arena *arena, cru_mark mark)
{
    chunk *keep = mark.chunk ? mark.chunk : arena->first;
    if (!keep) return;
    size_t used = mark.chunk ? mark.used : 0;
    for (chunk *c = keep; c; c = c->next) {
        c->used = c == keep ? used : 0;
        ASAN_POISON_MEMORY_REGION(chunk_bytes(c) + c->used, c->size - c->used);
    }
    arena->current = keep;
}

int64_t cru_arena_bytes(const cru_arena *arena)
{
    return (int64_t)arena->total;
}
