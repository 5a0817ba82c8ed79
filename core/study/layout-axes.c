// SPDX-License-Identifier: Apache-2.0
/* The rows and columns of a printed table: which there are, their order, heads and groups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/strings.h"
#include "study/layout-making.h"

enum { COMBINATIONS_MOST = 10000000 };

/* ---- keys ------------------------------------------------------------------------------------------------ */

int32_t axis_find(const layout_key *key, const char *value)
{
    for (int64_t i = 0; i < key->value_count; i++)
        if (layout_same(key->values[i], value)) return (int32_t)i;
    return -1;
}

/* The distinct values of a column: first those of `order`, then as the lines show them. */
static void collect_values(making *m, axis_key *k)
{
    const published *p = m->print;
    value_list order = {0};
    if (*m->a->settings.order) values_split(m->arena, m->a->settings.order, ',', &order, NULL);
    const char **values = cru_arena_alloc(m->arena, p->count + order.count, sizeof *values);
    k->key.values = values;
    for (int64_t i = 0; i < order.count; i++)
        for (int64_t n = 0; n < p->count && axis_find(&k->key, order.items[i]) < 0; n++)
            if (layout_same(p->lines[n].fields[k->column], order.items[i]))
                values[k->key.value_count++] = order.items[i];
    for (int64_t n = 0; n < p->count; n++) {
        const char *value = p->lines[n].fields[k->column];
        if (axis_find(&k->key, value) < 0) values[k->key.value_count++] = value;
    }
}

static cru_status read_axis(making *m, const char *name, const char *text, axis *x, cru_error *err)
{
    value_list list;
    cru_error why = {0};
    if (values_split(m->arena, text, ',', &list, &why) != CRU_OK) return making_fault(m->a, name, err, "%s", why.text);
    if (list.count > KEYS_MOST) return making_fault(m->a, name, err, "more than %d keys", KEYS_MOST);
    x->combinations = 1;
    for (int64_t i = 0; i < list.count; i++) {
        axis_key *k = &x->keys[x->count++];
        *k = (axis_key){.key.name = list.items[i],
                        .column = published_column(m->print, list.items[i]),
                        .match = layout_match(m->a, list.items[i])};
        if (k->column < 0) {
            const char *near = cru_nearest(list.items[i], m->print->columns, (size_t)m->print->column_count);
            return making_fault(m->a, name, err, "%s has no column '%s'%s%s%s", m->print->path, list.items[i],
                                near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        }
        collect_values(m, k);
        x->combinations *= k->key.value_count;
        if (x->combinations > COMBINATIONS_MOST) return making_fault(m->a, name, err, "too many combinations");
    }
    return CRU_OK;
}

static bool on_axis(const axis *x, int64_t column)
{
    for (int64_t i = 0; i < x->count; i++)
        if (x->keys[i].column == column) return true;
    return false;
}

bool axis_is_metric(const axis_key *k)
{
    return k->match && strcmp(k->match->key, "metric") == 0;
}

/* What is neither row nor column must be the same in all lines, but for the metric, which may differ by dataset. */
static cru_status read_fixed(making *m, cru_error *err)
{
    static const char *const values[] = {"table", "mean", "value", "std", "mark"};
    for (int64_t c = 0; c < m->print->column_count; c++) {
        const char *name = m->print->columns[c];
        bool value = on_axis(&m->rows, c) || on_axis(&m->cols, c);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) value |= strcmp(name, values[i]) == 0;
        if (value || m->fixed_count == KEYS_MOST) continue;
        axis_key *k = &m->fixed[m->fixed_count++];
        *k = (axis_key){.key.name = name, .column = c, .match = layout_match(m->a, name)};
        collect_values(m, k);
        if (axis_is_metric(k)) continue;
        if (k->key.value_count > 1)
            return making_fault(m->a, "where", err,
                                "'%s' takes several values (%s, %s); name it in rows or cols, or choose one", name,
                                k->key.values[0], k->key.values[1]);
    }
    return CRU_OK;
}

/* ---- heads ----------------------------------------------------------------------------------------------- */

/* The number of a line's combination. */
int64_t axis_combination(const axis *x, const published_line *line, int32_t *values)
{
    int64_t number = 0;
    for (int64_t i = 0; i < x->count; i++) {
        values[i] = axis_find(&x->keys[i].key, line->fields[x->keys[i].column]);
        number = number * x->keys[i].key.value_count + values[i];
    }
    return number;
}

static int by_combination(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Rows are ordered by their keys' values, the first key slowest. */
static void number_axis(making *m, axis *x)
{
    int64_t *found = cru_arena_alloc(m->arena, m->print->count, sizeof *found), count = 0;
    x->index = cru_arena_alloc(m->arena, x->combinations, sizeof *x->index);
    for (int64_t i = 0; i < x->combinations; i++) x->index[i] = -1;
    for (int64_t n = 0; n < m->print->count; n++) {
        int32_t values[KEYS_MOST];
        int64_t number = axis_combination(x, &m->print->lines[n], values);
        if (x->index[number] >= 0) continue;
        x->index[number] = 0;
        found[count++] = number;
    }
    if (count > 1) qsort(found, (size_t)count, sizeof *found, by_combination);
    x->size = count;
    x->values = cru_arena_alloc(m->arena, count, sizeof *x->values);
    for (int64_t i = 0; i < count; i++) {
        int32_t *values = cru_arena_alloc(m->arena, x->count, sizeof *values);
        x->index[found[i]] = (int32_t)i;
        for (int64_t k = x->count - 1, rest = found[i]; k >= 0; k--) {
            values[k] = (int32_t)(rest % x->keys[k].key.value_count);
            rest /= x->keys[k].key.value_count;
        }
        x->values[i] = values;
    }
}

/* "value: text | value: text": the text for a value, or NULL. */
static const char *look_up(making *m, const char *table_text, const char *value, bool members)
{
    for (const char *at = table_text; *at;) {
        size_t length = strcspn(at, "|");
        char *piece = string_copy_bytes(m->arena, at, length), *colon = strchr(piece, ':'), *cursor = NULL;
        at += length + (at[length] == '|');
        if (!colon) continue;
        *colon = '\0';
        char *left = piece + strspn(piece, " \t"), *right = colon + 1 + strspn(colon + 1, " \t");
        for (size_t n = strlen(left); n > 0 && strchr(" \t", left[n - 1]); n--) left[n - 1] = '\0';
        for (size_t n = strlen(right); n > 0 && strchr(" \t", right[n - 1]); n--) right[n - 1] = '\0';
        if (!members && strcmp(left, value) == 0) return right;
        for (char *word = members ? strtok_r(right, ", \t", &cursor) : NULL; word;
             word = strtok_r(NULL, ", \t", &cursor))
            if (strcmp(word, value) == 0) return left;
    }
    return NULL;
}

static const char *shown(making *m, const char *value)
{
    const char *label = look_up(m, m->a->settings.labels, value, false);
    return label ? label : value;
}

static table_head make_head(making *m, const axis *x, const int32_t *values)
{
    const char **parts = cru_arena_alloc(m->arena, x->count + 1, sizeof *parts);
    const char *label = "", *group = NULL;
    for (int64_t k = 0; k < x->count; k++) {
        const char *value = x->keys[k].key.values[values[k]];
        parts[k] = shown(m, value);
        if (*parts[k]) label = string_format(m->arena, "%s%s%s", label, *label ? " " : "", parts[k]);
        const char *named = look_up(m, m->a->settings.groups, value, true);
        if (named) group = named;
    }
    double number;
    const char *last = x->keys[x->count - 1].key.values[values[x->count - 1]];
    return (table_head){
        .label = label, .parts = parts, .number = values_number(last, &number) ? number : NAN, .group = group};
}

/* Headings are compared by their address. */
static void share_groups(table_head *heads, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; heads[i].group && k < i; k++)
            if (heads[k].group && strcmp(heads[k].group, heads[i].group) == 0) heads[i].group = heads[k].group;
}

/* Below a heading stands what belongs to it. */
static void name_the_rest(table_head *heads, int64_t count)
{
    static const char other[] = "Other";
    for (int64_t i = 1; i < count; i++)
        if (!heads[i].group && heads[i - 1].group) heads[i].group = other;
}

void axes_make_heads(making *m)
{
    table *t = m->out->t;
    const axis *both[] = {&m->rows, &m->cols};
    table_head **heads[] = {&t->rows, &t->cols};
    const char ***names[] = {&t->row_keys, &t->col_keys};
    for (int k = 0; k < 2; k++) {
        *heads[k] = cru_arena_alloc(m->arena, both[k]->size, sizeof **heads[k]);
        for (int64_t i = 0; i < both[k]->size; i++) (*heads[k])[i] = make_head(m, both[k], both[k]->values[i]);
        share_groups(*heads[k], both[k]->size);
        if (k == 0) name_the_rest(*heads[k], both[k]->size);
        *names[k] = cru_arena_alloc(m->arena, both[k]->count, sizeof **names[k]);
        for (int64_t i = 0; i < both[k]->count; i++) (*names[k])[i] = both[k]->keys[i].key.name;
    }
}

/* A heading above columns is a line of its own in their heads. */
void axes_lift_groups(making *m)
{
    table *t = m->out->t;
    bool any = false;
    for (int64_t c = 0; c < t->col_count; c++) any |= t->cols[c].group != NULL;
    if (!any) return;
    for (int64_t c = 0; c < t->col_count; c++) {
        const char **parts = cru_arena_alloc(m->arena, t->col_key_count + 1, sizeof *parts);
        parts[0] = t->cols[c].group ? t->cols[c].group : "";
        memcpy(parts + 1, t->cols[c].parts, (size_t)t->col_key_count * sizeof *parts);
        t->cols[c].parts = parts;
    }
    const char **names = cru_arena_alloc(m->arena, t->col_key_count + 1, sizeof *names);
    names[0] = "group";
    memcpy(names + 1, t->col_keys, (size_t)t->col_key_count * sizeof *names);
    t->col_keys = names;
    t->col_key_count++;
}

/* ---- both ------------------------------------------------------------------------------------------------ */

cru_status axes_read(making *m, cru_error *err)
{
    const artefact_settings *s = &m->a->settings;
    cru_status status = read_axis(m, "rows", s->rows, &m->rows, err);
    if (!status) status = read_axis(m, "cols", s->cols, &m->cols, err);
    if (!status) status = read_fixed(m, err);
    if (status) return status;
    number_axis(m, &m->rows);
    number_axis(m, &m->cols);
    return CRU_OK;
}
