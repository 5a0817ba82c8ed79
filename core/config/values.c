// SPDX-License-Identifier: Apache-2.0
#include "config/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/strings.h"

/* A list under construction; arena memory that it outgrows is not reused. */
typedef struct builder {
    cru_arena *arena;
    const char **items;
    int64_t count, capacity;
} builder;

static cru_status push(builder *b, const char *item, cru_error *err)
{
    if (b->count == VALUES_MAX) return cru_fail(err, CRU_BAD_INPUT, "more than %d values in one list", VALUES_MAX);
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 8;
        const char **items = cru_arena_alloc(b->arena, b->capacity, sizeof *items);
        if (b->count) memcpy(items, b->items, (size_t)b->count * sizeof *items);
        b->items = items;
    }
    b->items[b->count++] = item;
    return CRU_OK;
}

/* The item between two separators, trimmed and unquoted; NULL when nothing is left. */
static const char *trim(cru_arena *arena, const char *start, const char *stop)
{
    while (start < stop && isspace((unsigned char)*start)) start++;
    while (stop > start && isspace((unsigned char)stop[-1])) stop--;
    if (start == stop) return NULL;
    bool quoted = stop - start >= 2 && *start == '"' && memchr(start + 1, '"', (size_t)(stop - start - 1)) == stop - 1;
    return quoted ? string_copy_bytes(arena, start + 1, (size_t)(stop - start - 2))
                  : string_copy_bytes(arena, start, (size_t)(stop - start));
}

cru_status values_split(cru_arena *arena, const char *text, char separator, value_list *out, cru_error *err)
{
    builder b = {.arena = arena};
    if (!text[strspn(text, " \t")]) return cru_fail(err, CRU_BAD_INPUT, "the list is empty");
    bool quoted = false;
    for (const char *start = text, *c = text;; c++) {
        if (*c == '"') quoted = !quoted;
        if (!*c && quoted) return cru_fail(err, CRU_BAD_INPUT, "'%s' has an open quote", text);
        if (*c && (*c != separator || quoted)) continue;
        const char *item = trim(arena, start, c);
        if (!item) return cru_fail(err, CRU_BAD_INPUT, "'%s' has an empty item", text);
        cru_status status = push(&b, item, err);
        if (status) return status;
        if (!*c) break;
        start = c + 1;
    }
    *out = (value_list){b.items, b.count};
    return CRU_OK;
}

bool values_integer(const char *text, int64_t *out)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || errno) return false;
    *out = value;
    return true;
}

bool values_number(const char *text, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) return false;
    *out = value;
    return true;
}

/* ---- ranges ---------------------------------------------------------------------------------------------- */

/* A range in its three words: "lo..hi step by". False: not a range at all. */
static bool range_words(const char *item, char lo[64], char hi[64], char by[64])
{
    const char *dots = strstr(item, "..");
    if (!dots || dots - item >= 64) return false;
    memcpy(lo, item, (size_t)(dots - item));
    lo[dots - item] = '\0';
    for (char *end = lo + strlen(lo); end > lo && isspace((unsigned char)end[-1]);) *--end = '\0';
    char more[2];
    int words = sscanf(dots + 2, " %63s step %63s %1s", hi, by, more);
    if (words == 1) {
        char rest[2];
        strcpy(by, "1");
        return sscanf(dots + 2, " %*s %1s", rest) != 1;
    }
    return words == 2;
}

static cru_status push_integers(builder *b, const char *item, const int64_t range[3], cru_error *err)
{
    int64_t lo = range[0], hi = range[1], by = range[2];
    if (by <= 0) return cru_fail(err, CRU_BAD_INPUT, "'%s' needs a step above 0", item);
    if (lo > hi) return cru_fail(err, CRU_BAD_INPUT, "'%s' is empty: it counts up", item);
    uint64_t last = ((uint64_t)hi - (uint64_t)lo) / (uint64_t)by;
    if (last >= VALUES_MAX) return cru_fail(err, CRU_BAD_INPUT, "'%s' has more than %d values", item, VALUES_MAX);
    cru_status status = CRU_OK;
    for (uint64_t i = 0; i <= last && !status; i++)
        status = push(b, string_format(b->arena, "%lld", (long long)(lo + (int64_t)i * by)), err);
    return status;
}

/* Twelve digits hide the rounding of lo + i by: the third value of 0.1..0.5 step 0.1 is 0.3, not
 * 0.30000000000000004. */
static cru_status push_numbers(builder *b, const char *item, const double range[3], cru_error *err)
{
    double lo = range[0], hi = range[1], by = range[2];
    if (!(by > 0)) return cru_fail(err, CRU_BAD_INPUT, "'%s' needs a step above 0", item);
    if (lo > hi) return cru_fail(err, CRU_BAD_INPUT, "'%s' is empty: it counts up", item);
    double steps = floor((hi - lo) / by + 1e-9);
    if (!(steps < VALUES_MAX)) return cru_fail(err, CRU_BAD_INPUT, "'%s' has more than %d values", item, VALUES_MAX);
    cru_status status = CRU_OK;
    for (int64_t i = 0; i <= (int64_t)steps && !status; i++)
        status = push(b, string_format(b->arena, "%.12g", lo + (double)i * by), err);
    return status;
}

static cru_status push_item(builder *b, const char *item, cru_error *err)
{
    char lo[64], hi[64], by[64];
    if (!range_words(item, lo, hi, by)) return push(b, item, err);
    int64_t whole[3];
    if (values_integer(lo, &whole[0]) && values_integer(hi, &whole[1]) && values_integer(by, &whole[2]))
        return push_integers(b, item, whole, err);
    double real[3];
    if (values_number(lo, &real[0]) && values_number(hi, &real[1]) && values_number(by, &real[2]))
        return push_numbers(b, item, real, err);
    return push(b, item, err);
}

cru_status values_expand(cru_arena *arena, const char *text, cru_param_type type, value_list *out, cru_error *err)
{
    if (type == CRU_PARAM_LIST) return values_split(arena, text, '|', out, err);
    value_list raw;
    cru_status status = values_split(arena, text, ',', &raw, err);
    if (status || (type != CRU_PARAM_INT && type != CRU_PARAM_FLOAT)) {
        if (!status) *out = raw;
        return status;
    }
    builder b = {.arena = arena};
    for (int64_t i = 0; i < raw.count && !status; i++) status = push_item(&b, raw.items[i], err);
    if (!status) *out = (value_list){b.items, b.count};
    return status;
}
