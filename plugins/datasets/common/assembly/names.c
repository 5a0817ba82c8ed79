// SPDX-License-Identifier: Apache-2.0
#include "names.h"

#include <stdlib.h>
#include <string.h>

static bool is_whole(const char *text)
{
    text += *text == '-';
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 18 && !text[digits];
}

static int by_text(const void *a, const void *b)
{
    const name_ref *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

/* Numbers by value, everything else after them by text: one order for both kinds, so that a search needs no flag. */
static int by_value(const void *a, const void *b)
{
    const name_ref *x = a, *y = b;
    bool whole = is_whole(x->text), other = is_whole(y->text);
    if (whole != other) return whole ? -1 : 1;
    if (!whole) return by_text(a, b);
    long long i = atoll(x->text), j = atoll(y->text);
    return i != j ? (i > j) - (i < j) : by_text(a, b);
}

names names_make(name_ref *items, int64_t count)
{
    if (count > 0) qsort(items, (size_t)count, sizeof *items, by_value);
    names n = {items, 0};
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || strcmp(items[i].text, items[n.count - 1].text) != 0) items[n.count++] = items[i];
    return n;
}

int64_t names_find(const names *n, const char *text)
{
    int64_t low = 0, high = n->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        name_ref wanted = {text, n->items[middle].place};
        int order = by_value(&n->items[middle], &wanted);
        if (order == 0) return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

void names_free(names *n)
{
    free(n->items);
    *n = (names){0};
}
