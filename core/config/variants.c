// SPDX-License-Identifier: Apache-2.0
/* The grid of a section: every combination of its values as a variant. */
#include <stdlib.h>
#include <string.h>

#include "config/plan.h"

int64_t plan_multiply(int64_t a, int64_t b, int64_t limit)
{
    int64_t product;
    if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) || product > limit) return -1;
    return product;
}

/* ---- texts ----------------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *sort_lines(cru_arena *arena, char *text)
{
    size_t count = 0, size = strlen(text);
    for (const char *c = text; *c; c++) count += *c == '\n';
    char **lines = malloc((count + 1) * sizeof *lines), *cursor = NULL;
    if (!lines) cru_panic(CRU_NO_MEMORY, "no memory for %zu settings", count);
    count = 0;
    for (char *line = strtok_r(text, "\n", &cursor); line; line = strtok_r(NULL, "\n", &cursor)) lines[count++] = line;
    qsort(lines, count, sizeof *lines, by_text);
    char *out = cru_arena_alloc(arena, (int64_t)size + 1, 1), *end = out;
    for (size_t i = 0; i < count; i++) {
        end = stpcpy(end, lines[i]);
        end = stpcpy(end, "\n");
    }
    *end = '\0';
    free(lines);
    return out;
}

const char *settings_sorted_text(cru_arena *arena, const cru_settings *settings)
{
    char *text = cru_settings_text(settings);
    if (!text) cru_panic(CRU_NO_MEMORY, "no memory for settings");
    const char *sorted = sort_lines(arena, text);
    free(text);
    return sorted;
}

const char *settings_text_value(cru_arena *arena, const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = text; *line;) {
        size_t size = strcspn(line, "\n");
        if (size > length && line[length] == '=' && memcmp(line, key, length) == 0)
            return string_copy_bytes(arena, line + length + 1, size - length - 1);
        line += size + (line[size] == '\n');
    }
    return NULL;
}

cru_settings *variant_settings(const variant *v)
{
    static const cru_param none[] = {CRU_END};
    cru_settings *settings = cru_settings_create(v->params ? v->params : none, v->settings_size);
    if (!settings) cru_panic(CRU_NO_MEMORY, "no memory for the settings of %s", v->label);
    char *copy = strdup(v->text), *cursor = NULL;
    if (!copy) cru_panic(CRU_NO_MEMORY, "no memory for the settings of %s", v->label);
    for (char *line = strtok_r(copy, "\n", &cursor); line; line = strtok_r(NULL, "\n", &cursor)) {
        char *value = strchr(line, '=');
        *value++ = '\0';
        cru_status status = cru_settings_set(settings, line, value, NULL);
        cru_assert(!status, "%s: the canonical text %s=%s does not read back", v->label, line, value);
    }
    free(copy);
    return settings;
}

/* ---- the grid -------------------------------------------------------------------------------------------- */

typedef struct grid {
    const entry **entries; /* without faults; those with one are reported and left out */
    int64_t count;
    int64_t size; /* combinations; -1: too many */
} grid;

/* Values for one dataset replace those for all, but --set stands above all files. */
static bool replaces(const entry *more, const entry *base)
{
    return more && base && (more->depth < 0 || base->depth >= 0);
}

static bool base_holds(const variant_source *source, const entry *base)
{
    return base->param && !(source->more && replaces(section_find(source->more, base->key), base));
}

static bool more_holds(const variant_source *source, const entry *more)
{
    const entry *base = source->base ? section_find(source->base, more->key) : NULL;
    return more->param && (!base || replaces(more, base));
}

static grid collect(document *doc, const variant_source *source)
{
    int64_t most = (source->base ? source->base->count : 0) + (source->more ? source->more->count : 0);
    grid g = {.entries = cru_arena_alloc(doc->arena, most, sizeof *g.entries), .size = 1};
    for (int64_t i = 0; source->base && i < source->base->count; i++)
        if (base_holds(source, &source->base->entries[i])) g.entries[g.count++] = &source->base->entries[i];
    for (int64_t i = 0; source->more && i < source->more->count; i++)
        if (more_holds(source, &source->more->entries[i])) g.entries[g.count++] = &source->more->entries[i];
    for (int64_t i = 0; i < g.count; i++)
        if (g.entries[i]->values.count > 0)
            g.size = plan_multiply(g.size, g.entries[i]->values.count, CONFIG_MAX_VARIANTS);
    return g;
}

typedef struct axis_list {
    const grid *grid;
    search_axis *items;
    int64_t count;
} axis_list;

/* A setting is searched when the config gives it a distribution, or nothing and the schema does. */
static bool add_axis(void *user, const cru_param *param, size_t base)
{
    (void)base;
    axis_list *axes = user;
    value_search search = {.distribution = param->search};
    for (int64_t i = 0; i < axes->grid->count; i++)
        if (axes->grid->entries[i]->param == param) search = axes->grid->entries[i]->search;
    if (search.distribution.kind != CRU_SEARCH_NONE) {
        if (axes->items) axes->items[axes->count] = (search_axis){param, search.distribution, search.name};
        axes->count++;
    }
    return true;
}

static void collect_axes(document *doc, const grid *g, variant *v)
{
    axis_list axes = {.grid = g};
    cru_params_visit(v->params, add_axis, &axes);
    axes.items = cru_arena_alloc(doc->arena, axes.count, sizeof *axes.items);
    axes.count = 0;
    cru_params_visit(v->params, add_axis, &axes);
    v->axes = axes.items;
    v->axis_count = axes.count;
}

static void set_checked(const variant *v, cru_settings *scratch, data_setting one)
{
    cru_status status = cru_settings_set(scratch, one.key, one.text, NULL);
    cru_assert(!status, "%s: the canonical text %s=%s does not read back", v->label, one.key, one.text);
}

/* Combination number `index`, the last entry changing fastest, stored into `scratch` and `v`. */
static void fill(document *doc, const grid *g, int64_t index, cru_settings *scratch, variant *v)
{
    data_setting *given = cru_arena_alloc(doc->arena, g->count, sizeof *given);
    data_setting *swept = cru_arena_alloc(doc->arena, g->count, sizeof *swept);
    int64_t left = g->size;
    for (int64_t i = 0; i < g->count; i++) {
        const value_list *values = &g->entries[i]->values;
        const char *initial = g->entries[i]->search.initial;
        if (initial) set_checked(v, scratch, (data_setting){g->entries[i]->key, initial});
        if (values->count == 0) continue;
        left /= values->count;
        data_setting one = {g->entries[i]->key, values->items[index / left % values->count]};
        set_checked(v, scratch, one);
        given[v->given_count++] = one;
        if (values->count > 1) swept[v->swept_count++] = one;
    }
    v->given = given;
    v->swept = swept;
    v->text = settings_sorted_text(doc->arena, scratch);
}

static bool apply_presets(document *doc, const variant_source *source, cru_settings *scratch)
{
    bool fine = true;
    for (int64_t i = 0; source->presets && i < source->presets->count; i++) {
        const card_setting *preset = &source->presets->items[i];
        cru_error err = {0};
        if (cru_settings_set(scratch, preset->key, preset->value, &err) == CRU_OK) continue;
        config_place place = {.file = source->presets_file, .line = preset->line};
        diagnostics_add(doc->diags, &place, NULL, "%s", err.text);
        fine = false;
    }
    return fine;
}

variant_list variants_build(document *doc, const variant_source *source)
{
    static const cru_param none[] = {CRU_END};
    const section *where = source->more ? source->more : source->base;
    grid g = collect(doc, source);
    if (g.size < 0) {
        diagnostics_add(doc->diags, &where->place, where->title, "more than %d combinations of values",
                        CONFIG_MAX_VARIANTS);
        return (variant_list){0};
    }
    const variant *like = &source->like;
    cru_settings *scratch = cru_settings_create(like->params ? like->params : none, like->settings_size);
    if (!scratch) cru_panic(CRU_NO_MEMORY, "no memory for the settings of %s", like->label);
    variant_list list = {0};
    if (apply_presets(doc, source, scratch)) {
        list.count = g.size;
        list.items = cru_arena_alloc(doc->arena, g.size, sizeof *list.items);
    }
    for (int64_t i = 0; i < list.count; i++) {
        list.items[i] = *like;
        fill(doc, &g, i, scratch, &list.items[i]);
        if (source->searched && like->params) collect_axes(doc, &g, &list.items[i]);
    }
    cru_settings_destroy(scratch);
    return list;
}

variant_list variants_append(cru_arena *arena, variant_list a, variant_list b)
{
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    variant_list both = {cru_arena_alloc(arena, a.count + b.count, sizeof *both.items), a.count + b.count};
    memcpy(both.items, a.items, (size_t)a.count * sizeof *a.items);
    memcpy(both.items + a.count, b.items, (size_t)b.count * sizeof *b.items);
    return both;
}
