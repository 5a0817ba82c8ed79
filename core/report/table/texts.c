// SPDX-License-Identifier: Apache-2.0
#include "report/table/texts.h"

#include <string.h>

static uint64_t hash(const char *text)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (; *text; text++) h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

static int32_t *find_slot(const texts *t, const char *text)
{
    uint64_t mask = (uint64_t)t->size - 1, at = hash(text) & mask;
    while (t->slots[at] && strcmp(t->text[t->slots[at] - 1], text) != 0) at = (at + 1) & mask;
    return &t->slots[at];
}

static void grow(texts *t)
{
    const char **old = t->text;
    t->size = t->size ? t->size * 2 : 1024;
    t->slots = cru_arena_alloc_zeroed(t->arena, t->size, sizeof *t->slots);
    t->text = cru_arena_alloc(t->arena, t->size, sizeof *t->text);
    for (int32_t i = 0; i < t->count; i++) {
        t->text[i] = old[i];
        *find_slot(t, old[i]) = i + 1;
    }
}

int32_t texts_add(texts *t, const char *text)
{
    if ((int64_t)t->count * 2 >= t->size) grow(t);
    int32_t *slot = find_slot(t, text);
    if (*slot == 0) {
        size_t bytes = strlen(text) + 1;
        t->text[t->count] = memcpy(cru_arena_alloc(t->arena, (int64_t)bytes, 1), text, bytes);
        *slot = ++t->count;
    }
    return *slot - 1;
}

const char *texts_copy(texts *t, const char *text)
{
    int32_t number = texts_add(t, text); /* may move t->text */
    return t->text[number];
}
