/* Memory that is given out piece by piece and freed all at once: for descriptions made of many small strings. */
#ifndef CORE_ARENA_H
#define CORE_ARENA_H

#include <stddef.h>

typedef struct arena {
    struct arena_block *newest;
} arena; /* zeroed: empty */

/* `count` objects of `size` bytes, zeroed, aligned for any type. NULL when memory runs out or the product overflows. */
void *arena_alloc(arena *a, size_t count, size_t size);

/* A copy of `text`; of NULL it is NULL. *failed is set when memory ran out and otherwise left alone, so that a caller
 * can copy many and check once. */
const char *arena_text(arena *a, const char *text, int *failed);

void arena_free(arena *a);

#endif
