// SPDX-License-Identifier: Apache-2.0
#include "report/plot/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool names_things(const char *key)
{
    static const char *const names[] = {"dataset", "corruptor", "algorithm", "alias", ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(key, names[i]) == 0) return true;
    return false;
}

/* "rate=0.3" of the key "corruptor.rate" is the level 0.3. */
static const char *level_name(const char *part)
{
    const char *sign = strchr(part, '=');
    return sign ? sign + 1 : part;
}

static double number_of(const char *part)
{
    char *end;
    const char *text = level_name(part);
    double number = strtod(text, &end);
    return end != text && !*end ? number : NAN;
}

/* The key whose level a column is: the last, or, of a column that knows no such setting, the last that it knows if that is
 * a number. */
static int64_t level_key(const table *t, int64_t col)
{
    const int64_t last = t->col_key_count - 1;
    const char **parts = t->cols[col].parts;
    int64_t k = last;
    while (k > 0 && !*parts[k]) k--;
    return k == last || names_things(t->col_keys[k]) || isnan(number_of(parts[k])) ? last : k;
}

static double level_of(const table *t, int64_t col)
{
    const int64_t k = level_key(t, col);
    return k == t->col_key_count - 1 ? t->cols[col].number : number_of(t->cols[col].parts[k]);
}

static bool same_panel(const table *t, int64_t a, int64_t b)
{
    const int64_t level = level_key(t, a);
    if (level_key(t, b) != level) return false;
    for (int64_t k = 0; k < t->col_key_count; k++)
        if (k != level && strcmp(t->cols[a].parts[k], t->cols[b].parts[k]) != 0) return false;
    return true;
}

static const char *short_key(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? dot + 1 : key;
}

static void take_sweep(const table *t, int64_t first, bool numeric, sweep *w)
{
    *w = (sweep){.cols = malloc((size_t)t->col_count * sizeof *w->cols)};
    if (!w->cols) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld columns", (long long)t->col_count);
    for (int64_t c = first; c < t->col_count; c++) {
        if (!same_panel(t, first, c)) continue;
        int64_t at = w->count++;
        for (; numeric && at > 0 && level_of(t, w->cols[at - 1]) > level_of(t, c); at--) w->cols[at] = w->cols[at - 1];
        w->cols[at] = c;
    }
    const int64_t level = level_key(t, first);
    w->key = short_key(t->col_keys[level]);
    for (int64_t k = 0; k < t->col_key_count; k++) {
        size_t used = strlen(w->title);
        if (k != level && *t->cols[first].parts[k])
            snprintf(w->title + used, sizeof w->title - used, "%s%s", used ? " " : "", t->cols[first].parts[k]);
    }
}

static bool leads(const table *t, int64_t col)
{
    for (int64_t c = 0; c < col; c++)
        if (same_panel(t, c, col)) return false;
    return true;
}

static void name_levels(const table *t, sweep_list *list)
{
    const sweep *longest = &list->items[0];
    for (int64_t i = 1; i < list->count; i++)
        if (list->items[i].count > longest->count) longest = &list->items[i];
    list->name_count = longest->count;
    list->names = malloc((size_t)longest->count * sizeof *list->names);
    if (!list->names) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld names", (long long)longest->count);
    for (int64_t i = 0; i < longest->count; i++)
        list->names[i] = level_name(t->cols[longest->cols[i]].parts[level_key(t, longest->cols[i])]);
}

cru_status sweeps_find(const table *t, bool ordinal, sweep_list *out, cru_error *err)
{
    const char *key = t->col_keys[t->col_key_count - 1];
    *out = (sweep_list){.items = malloc(((size_t)t->col_count + 1) * sizeof *out->items), .numeric = !ordinal};
    if (!out->items) return cru_fail(err, CRU_NO_MEMORY, "plot: no memory for the levels");
    for (int64_t c = 0; c < t->col_count; c++) out->numeric &= !isnan(level_of(t, c));
    bool scale = out->numeric || ordinal || !names_things(key);
    for (int64_t c = 0; scale && c < t->col_count; c++) {
        if (!leads(t, c)) continue;
        take_sweep(t, c, out->numeric, &out->items[out->count]);
        if (out->items[out->count].count > 1)
            out->count++;
        else
            free(out->items[out->count].cols);
    }
    out->key = short_key(key);
    for (int64_t i = 0; i < out->count; i++) out->mixed |= out->items[i].key != out->items[0].key;
    if (out->count > 0) {
        name_levels(t, out);
        return CRU_OK;
    }
    sweeps_clear(out);
    return cru_fail(err, CRU_UNSUPPORTED,
                    "this picture needs a number or a scale with at least two levels as the last key of the columns, "
                    "not '%s'; --cols chooses the keys, --ordinal takes the last one for a scale",
                    key);
}

void sweeps_clear(sweep_list *list)
{
    for (int64_t i = 0; i < list->count; i++) free(list->items[i].cols);
    free(list->items);
    free(list->names);
    *list = (sweep_list){0};
}

double sweep_place(const sweep_list *list, const table *t, const sweep *w, int64_t i)
{
    if (list->numeric) return level_of(t, w->cols[i]);
    const char *name = level_name(t->cols[w->cols[i]].parts[level_key(t, w->cols[i])]);
    for (int64_t k = 0; k < list->name_count; k++)
        if (strcmp(list->names[k], name) == 0) return (double)k;
    return (double)i;
}
