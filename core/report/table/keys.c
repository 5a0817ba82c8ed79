// SPDX-License-Identifier: Apache-2.0
#include "report/table/keys.h"

#include <string.h>

static key_list empty_list(const frame *f)
{
    return (key_list){.columns = cru_arena_alloc(f->arena, f->column_count, sizeof(frame_column *))};
}

static bool has(const key_list *list, const frame_column *column)
{
    for (int64_t i = 0; i < list->count; i++) {
        if (list->columns[i] == column) return true;
    }
    return false;
}

static void add(key_list *list, const frame_column *column)
{
    if (!has(list, column)) list->columns[list->count++] = column;
}

const frame_column *pivot_key_find(const frame *f, const char *name)
{
    const frame_column *exact = frame_find_column(f, strcmp(name, "algorithm") == 0 ? "alias" : name);
    for (int64_t i = 0; !exact && i < f->column_count; i++) {
        const char *dot = strrchr(f->columns[i].name, '.');
        if (dot && strcmp(dot + 1, name) == 0) return &f->columns[i];
    }
    return exact;
}

static cru_status parse(const frame *f, const char *text, bool must_exist, key_list *list, cru_error *err)
{
    while (*text) {
        char name[256];
        text += strspn(text, ", \t");
        size_t length = strcspn(text, ",");
        size_t trimmed = length;
        while (trimmed > 0 && strchr(" \t", text[trimmed - 1])) trimmed--;
        if (trimmed >= sizeof name) return cru_fail(err, CRU_BAD_INPUT, "no setting is called '%.60s...'", text);
        memcpy(name, text, trimmed);
        name[trimmed] = '\0';
        text += length;
        const frame_column *column = pivot_key_find(f, name);
        if (column) add(list, column);
        if (trimmed && !column && must_exist) {
            return cru_fail(err, CRU_BAD_INPUT, "no trial has a setting '%s' to pivot on", name);
        }
    }
    return CRU_OK;
}

static bool of_method(const frame_column *column)
{
    return strcmp(column->name, "alias") == 0 || strcmp(column->name, "algorithm") == 0 ||
           strcmp(column->name, "search.number") == 0 || strncmp(column->name, "algorithm.", 10) == 0;
}

/* Where a trial is noted is no setting of it. */
static bool of_store(const frame_column *column)
{
    return strcmp(column->name, FRAME_EXPERIMENT) == 0;
}

/* Adds the settings of methods (or all others) that `fixed` does not determine, splitting it on the way. */
static void add_varying(const frame *f, bool methods, grouping *fixed, const pivot_keys *taken, key_list *list)
{
    for (int64_t i = 0; i < f->column_count; i++) {
        const frame_column *column = &f->columns[i];
        if (of_method(column) != methods || of_store(column) || has(&taken->rows, column) ||
            has(&taken->cols, column) || has(&taken->over, column) || grouping_determines(fixed, f, column)) {
            continue;
        }
        add(list, column);
        grouping_split(fixed, f, column);
    }
}

static void split_all(grouping *g, const frame *f, const key_list *list)
{
    for (int64_t i = 0; i < list->count; i++) grouping_split(g, f, list->columns[i]);
}

/* Adds all settings of methods that vary beyond what `given` determines, each by itself: of a search every axis, though
 * the value of one that is drawn from a continuum tells the others. */
static void add_searched(const frame *f, const grouping *given, key_list *rows)
{
    for (int64_t i = 0; i < f->column_count; i++)
        if (of_method(&f->columns[i]) && !grouping_determines(given, f, &f->columns[i])) add(rows, &f->columns[i]);
}

static void choose_columns(const frame *f, grouping *fixed, pivot_keys *keys)
{
    static const char *const first[] = {"dataset", "corruptor"};
    for (int i = 0; i < 2; i++) {
        const frame_column *column = frame_find_column(f, first[i]);
        if (!column || has(&keys->rows, column) || grouping_determines(fixed, f, column)) continue;
        add(&keys->cols, column);
        grouping_split(fixed, f, column);
    }
    add_varying(f, false, fixed, keys, &keys->cols);
}

cru_status pivot_keys_choose(const frame *f, const table_request *request, pivot_keys *keys, cru_error *err)
{
    *keys = (pivot_keys){empty_list(f), empty_list(f), empty_list(f)};
    cru_status status =
        parse(f, request->over ? request->over : "seed,split.index", request->over != NULL, &keys->over, err);
    if (!status) status = parse(f, request->rows ? request->rows : "alias", true, &keys->rows, err);
    if (!status && request->cols) status = parse(f, request->cols, true, &keys->cols, err);
    if (status) return status;
    grouping fixed = grouping_start(f);
    split_all(&fixed, f, &keys->rows);
    split_all(&fixed, f, &keys->over);
    split_all(&fixed, f, &keys->cols);
    if (!request->cols) choose_columns(f, &fixed, keys);
    if (!request->rows && request->tried) {
        grouping given = grouping_start(f);
        split_all(&given, f, &keys->rows);
        split_all(&given, f, &keys->cols);
        add_searched(f, &given, &keys->rows);
    } else if (!request->rows) {
        add_varying(f, true, &fixed, keys, &keys->rows);
    }
    return CRU_OK;
}

/* `apart`: settings that these determine are passed over, too. */
static grouping find_pairs(const frame *f, const pivot_keys *keys, const grouping *apart)
{
    grouping pairs = grouping_start(f);
    for (int64_t i = 0; i < f->column_count; i++) {
        const frame_column *column = &f->columns[i];
        if (of_method(column) || of_store(column) || has(&keys->rows, column) || grouping_determines(&pairs, f, column))
            continue;
        if (apart && (has(&keys->cols, column) || grouping_determines(apart, f, column))) continue;
        grouping_split(&pairs, f, column);
    }
    return pairs;
}

grouping pivot_pairs(const frame *f, const pivot_keys *keys)
{
    return find_pairs(f, keys, NULL);
}

grouping pivot_pairs_across(const frame *f, const pivot_keys *keys)
{
    grouping columns = grouping_start(f);
    split_all(&columns, f, &keys->cols);
    return find_pairs(f, keys, &columns);
}
