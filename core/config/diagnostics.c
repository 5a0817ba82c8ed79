// SPDX-License-Identifier: Apache-2.0
#include "config/diagnostics.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static diagnostic *append(diagnostics *d)
{
    if (d->count == d->capacity) {
        int64_t capacity = d->capacity ? 2 * d->capacity : 16;
        diagnostic *items = realloc(d->items, (size_t)capacity * sizeof *items);
        if (!items) cru_panic(CRU_NO_MEMORY, "no memory for a message");
        d->items = items;
        d->capacity = capacity;
    }
    diagnostic *item = &d->items[d->count];
    *item = (diagnostic){.serial = d->count++};
    return item;
}

void diagnostics_add(diagnostics *d, const config_place *place, const char *subject, const char *format, ...)
{
    diagnostic *item = append(d);
    item->order = place->order;
    item->line = place->line;

    size_t size = 0;
    FILE *out = open_memstream(&item->text, &size);
    if (!out) cru_panic(CRU_NO_MEMORY, "no memory for a message");
    fputs(place->file, out);
    if (place->line > 0) fprintf(out, ":%d", place->line);
    fputs(": ", out);
    if (subject) fprintf(out, "%s: ", subject);
    va_list args;
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    if (fclose(out) != 0) cru_panic(CRU_NO_MEMORY, "no memory for a message");

    /* a hostile file must not steer the terminal */
    for (char *c = item->text; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = '?';
}

static int by_place(const void *left, const void *right)
{
    const diagnostic *a = left, *b = right;
    if (a->order != b->order) return a->order < b->order ? -1 : 1;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return a->serial < b->serial ? -1 : 1;
}

/* Whether one of the items just before `count`, of the same line, says the same. */
static bool is_repeat(const diagnostics *d, int64_t count, const diagnostic *item)
{
    for (int64_t i = count; i-- > 0 && d->items[i].order == item->order && d->items[i].line == item->line;)
        if (strcmp(d->items[i].text, item->text) == 0) return true;
    return false;
}

/* What holds for several datasets is looked at for each of them, and still one fault. */
static void drop_repeats(diagnostics *d)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < d->count; i++) {
        if (is_repeat(d, kept, &d->items[i]))
            free(d->items[i].text);
        else
            d->items[kept++] = d->items[i];
    }
    d->count = kept;
}

void diagnostics_sort(diagnostics *d)
{
    if (d->count > 1) qsort(d->items, (size_t)d->count, sizeof *d->items, by_place);
    drop_repeats(d);
}

void diagnostics_print(const diagnostics *d, FILE *out)
{
    for (int64_t i = 0; i < d->count; i++) fprintf(out, "%s\n", d->items[i].text);
}

void diagnostics_clear(diagnostics *d)
{
    for (int64_t i = 0; i < d->count; i++) free(d->items[i].text);
    free(d->items);
    *d = (diagnostics){0};
}
