// SPDX-License-Identifier: Apache-2.0
/* frame-filter.c: conditions on settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/table/frame.h"
#include "report/table/keys.h"

/* One condition: a key, whether it is negated, and one alternative for its value. */
typedef struct condition {
    char key[400], value[400];
    bool negated;
} condition;

static void trim(char *text)
{
    size_t skip = strspn(text, " \t"), length = strlen(text + skip);
    memmove(text, text + skip, length + 1);
    while (length > 0 && strchr(" \t", text[length - 1])) text[--length] = '\0';
}

static bool read_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0';
}

/* "0..4" holds numbers between the two, ends included. */
static bool in_range(const char *range, const char *level)
{
    const char *dots = strstr(range, "..");
    char first[64];
    double low, high, value;
    if (!dots || (size_t)(dots - range) >= sizeof first) return false;
    memcpy(first, range, (size_t)(dots - range));
    first[dots - range] = '\0';
    if (!read_number(first, &low) || !read_number(dots + 2, &high) || !read_number(level, &value)) return false;
    return value >= low && value <= high;
}

/* Numbers are equal when their values are, so that rate=0.10 finds 0.1. */
static bool equal(const char *wanted, const char *level)
{
    if (strcmp(wanted, level) == 0) return true;
    double a, b;
    return read_number(wanted, &a) && read_number(level, &b) && a == b;
}

/* Reads the next comma-separated piece of *where into `c`, whose key stays when the piece has none. */
static cru_status next_condition(const char **where, condition *c, cru_error *err)
{
    char piece[400];
    size_t length = strcspn(*where, ",");
    if (length >= sizeof piece) return cru_fail(err, CRU_BAD_INPUT, "condition too long: '%.60s...'", *where);
    memcpy(piece, *where, length);
    piece[length] = '\0';
    *where += length + ((*where)[length] == ',');
    trim(piece);
    char *sign = strchr(piece, '='), *value = piece;
    if (sign) {
        c->negated = sign > piece && sign[-1] == '!';
        *sign = '\0';
        if (c->negated) sign[-1] = '\0';
        trim(piece);
        value = sign + 1;
        trim(value);
        snprintf(c->key, sizeof c->key, "%s", piece);
    }
    snprintf(c->value, sizeof c->value, "%s", value);
    if (c->key[0]) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "'%s' is not a condition; write key=value, key=a,b or key=0..4", piece);
}

static cru_status find_column(const frame *f, const char *key, const frame_column **column, cru_error *err)
{
    *column = pivot_key_find(f, key);
    if (*column) return CRU_OK;
    char known[300] = "";
    for (int64_t i = 0; i < f->column_count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", f->columns[i].name);
    }
    return cru_fail(err, CRU_BAD_INPUT, "no trial has a setting '%s'; there are: %s", key, known);
}

void frame_keep(frame *f, const bool *keep)
{
    int64_t count = 0;
    for (int64_t i = 0; i < f->count; i++) {
        if (!keep[i]) continue;
        f->places[count] = f->places[i];
        f->outcomes[count] = f->outcomes[i];
        f->tried[count] = f->tried[i];
        f->former[count] = f->former[i];
        f->keys[count] = f->keys[i];
        for (int64_t c = 0; c < f->column_count; c++) f->columns[c].ids[count] = f->columns[c].ids[i];
        for (int64_t m = 0; m < f->measure_count; m++) f->measures[m].values[count] = f->measures[m].values[i];
        count++;
    }
    f->count = count;
}

void frame_forget_choices(frame *f)
{
    for (int64_t i = 0; i < f->count; i++) f->tried[i] = 0;
}

void frame_keep_choices(frame *f)
{
    bool *keep = cru_arena_alloc(f->arena, f->count, sizeof *keep);
    for (int64_t i = 0; i < f->count; i++) keep[i] = f->tried[i] != STORE_CANDIDATE;
    frame_keep(f, keep);
}

/* What a search chooses settings for: everything but them, the seed and what the protocol sets. */
static bool is_searched_for(const char *name)
{
    static const char *const names[] = {"alias", FRAME_EXPERIMENT, "algorithm", "dataset", "corruptor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return strncmp(name, "dataset.", 8) == 0 || strncmp(name, "corruptor.", 10) == 0;
}

static bool same_method(const frame *f, int64_t a, int64_t b)
{
    for (int64_t c = 0; c < f->column_count; c++)
        if (strncmp(f->columns[c].name, "algorithm.", 10) == 0 && f->columns[c].ids[a] != f->columns[c].ids[b])
            return false;
    return true;
}

void frame_keep_former_choices(frame *f)
{
    grouping g = grouping_start(f);
    for (int64_t i = 0; i < f->column_count; i++)
        if (is_searched_for(f->columns[i].name)) grouping_split(&g, f, &f->columns[i]);
    bool *present = cru_arena_alloc_zeroed(f->arena, g.count + 1, sizeof *present);
    bool *keep = cru_arena_alloc(f->arena, f->count + 1, sizeof *keep);
    for (int64_t i = 0; i < f->count; i++)
        if (!f->former[i]) present[g.ids[i]] = true;
    int64_t *last = cru_arena_alloc_zeroed(f->arena, g.count + 1, sizeof *last);
    for (int64_t i = 0; i < f->count; i++)
        if (f->former[i] && f->tried[i] > 0) last[g.ids[i]] = i;
    for (int64_t i = 0; i < f->count; i++)
        keep[i] = !f->former[i] || (f->tried[i] > 0 && !present[g.ids[i]] && same_method(f, i, last[g.ids[i]]));
    frame_keep(f, keep);
}

/* Marks what the condition and the alternatives after it allow; they run up to the next piece with a '='. */
static cru_status allow(const frame *f, const char **where, condition *c, bool *keep, cru_error *err)
{
    const frame_column *column;
    cru_status found = find_column(f, c->key, &column, err);
    if (found) return found;
    for (;;) {
        for (int64_t i = 0; i < f->count; i++) {
            const char *level = column->ids[i] < 0 ? "" : column->levels[column->ids[i]];
            keep[i] |= equal(c->value, level) || in_range(c->value, level);
        }
        if (!**where || memchr(*where, '=', strcspn(*where, ","))) break;
        cru_status status = next_condition(where, c, err);
        if (status) return status;
    }
    for (int64_t i = 0; i < f->count && c->negated; i++) keep[i] = !keep[i];
    return CRU_OK;
}

cru_status frame_filter(frame *f, const char *where, cru_error *err)
{
    condition c = {0};
    while (*where) {
        bool *keep = cru_arena_alloc_zeroed(f->arena, f->count, sizeof *keep);
        cru_status status = next_condition(&where, &c, err);
        if (!status) status = allow(f, &where, &c, keep, err);
        if (status) return status;
        frame_keep(f, keep);
    }
    return CRU_OK;
}
