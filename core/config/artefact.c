// SPDX-License-Identifier: Apache-2.0
#include "config/artefact.h"

#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/plan.h"

static const char *const kinds[] = {"table", "figure", "settings", NULL};
static const char *const marks[] = {"auto", "rows", "cols", "none", NULL};

const cru_param artefact_params[] = {
    CRU_STRING(artefact_settings, title, "", "what the caption says"),
    CRU_STRING(artefact_settings, study, "", "the study; empty: the name of the folder"),
    CRU_CHOICE(artefact_settings, kind, ARTEFACT_TABLE, kinds,
               "table or figure; settings: a table of settings, printed beside those of its parts"),
    CRU_STRING(artefact_settings, published, "", "CSV of the printed values, relative to this file"),
    CRU_STRING(artefact_settings, where, "", "which lines of it: column=value, column=a,b"),
    CRU_STRING(artefact_settings, also, "", "cells whose values are not in it, as dataset: flickr | method: x"),
    CRU_STRING(artefact_settings, rows, "method", "columns of the CSV that make the rows"),
    CRU_STRING(artefact_settings, cols, "dataset", "columns of the CSV that make the columns"),
    CRU_STRING(artefact_settings, metric, "", "the metric, where no column of the CSV says it"),
    CRU_STRING(artefact_settings, lists, "",
               "lists that trials reported, whose numbers are metrics: NAME.1, NAME.2 ..."),
    CRU_STRING(artefact_settings, groups, "", "headings above rows, as name: value, value | name: value"),
    CRU_STRING(artefact_settings, order, "", "values in the order of the print; empty: that of the CSV"),
    CRU_STRING(artefact_settings, labels, "", "how values are printed, as value: text | value: text"),
    CRU_CHOICE(artefact_settings, marks, ARTEFACT_MARKS_AUTO, marks,
               "best and second best are marked within rows or columns; auto: across the methods"),
    CRU_BOOL(artefact_settings, lower, false, "smaller values are better"),
    CRU_FLOAT(artefact_settings, points, 2, 0, 1e6, "a value is inside within this many points of the print, or"),
    CRU_FLOAT(artefact_settings, stds, 2, 0, 1e6, "within this many published standard deviations"),
    CRU_STRING(artefact_settings, unjudged, "", "metrics that are not judged, such as seconds of another machine"),
    CRU_BOOL(artefact_settings, average, false, "a column Ave. with the mean over the columns"),
    CRU_STRING(artefact_settings, baselines, "",
               "rows with commas: below, the best of them in every column; rel. % and W/T/L of the rows against it"),
    CRU_STRING(artefact_settings, ranks, "",
               "average ranks of the rows over all columns and over these: name: value, value | name: value"),
    CRU_STRING(artefact_settings, curves, "", "compare the curves of metrics with that of this one instead"),
    CRU_STRING(artefact_settings, curve_over, "", "what their levels are, as dataset.mu, dataset.beta * 0.1"),
    CRU_STRING(artefact_settings, curve_scale, "values", "values to 0..1 (values), levels too (both), or none"),
    CRU_STRING(artefact_settings, curve_flip, "", "metrics whose curves enter as 1 - value"),
    CRU_STRING(artefact_settings, plot, "", "of a figure: the kind of picture, as crucible plot has it"),
    CRU_STRING(artefact_settings, parts, "", "files of the experiments that fill it; empty: this file"),
    CRU_STRING(artefact_settings, note, "", "a sentence below it"),
    CRU_END,
};

/* ---- [artefact] ------------------------------------------------------------------------------------------ */

static void read_settings(artefact_file *a, document *doc)
{
    section *s = document_find(doc, SECTION_ARTEFACT, NULL);
    a->owner = cru_settings_create(artefact_params, sizeof(artefact_settings));
    if (!a->owner) cru_panic(CRU_NO_MEMORY, "no memory for [artefact]");
    if (s)
        section_check(doc, s,
                      &(section_rules){.params = artefact_params,
                                       .settings_size = sizeof(artefact_settings),
                                       .owner = "[artefact]"});
    for (int64_t i = 0; s && i < s->count; i++)
        if (s->entries[i].param) cru_settings_set(a->owner, s->entries[i].key, s->entries[i].text, NULL);
    a->settings = *(const artefact_settings *)cru_settings_struct(a->owner);
    a->is_artefact = s != NULL;
    cru_error err = {0};
    if (*a->settings.parts && values_split(doc->arena, a->settings.parts, ',', &a->parts, &err) != CRU_OK)
        diagnostics_add(doc->diags, &section_find(s, "parts")->place, "parts", "%s", err.text);
}

/* ---- [match] --------------------------------------------------------------------------------------------- */

/* "none clean | asymmetric random" */
static cru_status read_pairs(document *doc, const char *text, artefact_match *m, cru_error *err)
{
    value_list list;
    cru_status status = values_split(doc->arena, text, '|', &list, err);
    if (status) return status;
    const char **pairs = cru_arena_alloc(doc->arena, 2 * list.count, sizeof *pairs);
    for (int64_t i = 0; i < list.count; i++) {
        char *cursor = NULL, *words = string_copy(doc->arena, list.items[i]);
        pairs[2 * i] = strtok_r(words, " \t", &cursor);
        pairs[2 * i + 1] = strtok_r(NULL, " \t", &cursor);
        if (!pairs[2 * i + 1] || strtok_r(NULL, " \t", &cursor))
            return cru_fail(err, CRU_BAD_INPUT, "'%s' is not our value and the published one with a space between",
                            list.items[i]);
    }
    m->pairs = pairs;
    m->pair_count = list.count;
    return CRU_OK;
}

static void read_match(document *doc, const entry *e, artefact_match *m)
{
    const char *colon = strchr(e->text, ':');
    size_t length = colon ? (size_t)(colon - e->text) : strlen(e->text);
    while (length > 0 && strchr(" \t", e->text[length - 1])) length--;
    *m = (artefact_match){.column = e->key, .key = string_copy_bytes(doc->arena, e->text, length), .place = e->place};
    cru_error err = {0};
    if (!*m->key)
        diagnostics_add(doc->diags, &e->place, e->key, "expected one of our settings, as in corruptor.rate");
    else if (colon && read_pairs(doc, colon + 1, m, &err) != CRU_OK)
        diagnostics_add(doc->diags, &e->place, e->key, "%s", err.text);
}

static const artefact_match usual[] = {
    {.column = "method", .key = "alias"},
    {.column = "dataset", .key = "dataset"},
    {.column = "metric", .key = "metric"},
    {.column = "damage", .key = "corruptor", .pairs = (const char *const[]){"none", "clean"}, .pair_count = 1},
    {.column = "rate", .key = "corruptor.rate"},
};
enum { USUAL = sizeof usual / sizeof *usual };

static void read_matches(artefact_file *a, document *doc)
{
    const section *s = document_find(doc, SECTION_MATCH, NULL);
    a->matches = cru_arena_alloc(doc->arena, (s ? s->count : 0) + USUAL, sizeof *a->matches);
    for (int64_t i = 0; s && i < s->count; i++) read_match(doc, &s->entries[i], &a->matches[a->match_count++]);
    for (int i = 0; i < USUAL; i++)
        if (!s || !section_find(s, usual[i].column)) a->matches[a->match_count++] = usual[i];
}

/* The folder's name and the file's, without its ending. */
static const char *name_of(cru_arena *arena, const char *path)
{
    char *real = realpath(path, NULL), *text = string_copy(arena, real ? real : path);
    free(real);
    char *last = strrchr(text, '/'), *dot = strrchr(last ? last : text, '.'), *start = last;
    if (dot && dot > last + 1) *dot = '\0';
    while (start && start > text && start[-1] != '/') start--;
    return start ? start : text;
}

cru_status artefact_read(const char *path, artefact_file **out, diagnostics *diags)
{
    cru_arena *arena = cru_arena_create();
    if (!arena) cru_panic(CRU_NO_MEMORY, "no memory for an artefact");
    int64_t before = diags->count;
    document *doc = cru_arena_alloc_zeroed(arena, 1, sizeof *doc);
    *doc = (document){.arena = arena, .diags = diags};
    artefact_file *a = *out = cru_arena_alloc_zeroed(arena, 1, sizeof *a);
    a->arena = arena;
    a->doc = doc;
    a->path = string_copy(arena, path);
    a->name = name_of(arena, path);
    document_read(doc, path);
    read_settings(a, doc);
    read_matches(a, doc);
    if (diags->count == before) return CRU_OK;
    diagnostics_sort(diags);
    return CRU_BAD_INPUT;
}

void artefact_destroy(artefact_file *a)
{
    if (!a) return;
    cru_settings_destroy(a->owner);
    cru_arena_destroy(a->arena);
}

config_place artefact_place(const artefact_file *a, const char *key)
{
    const section *s = document_find(a->doc, SECTION_ARTEFACT, NULL);
    const entry *e = s ? section_find(s, key) : NULL;
    return e ? e->place : s ? s->place : (config_place){.file = a->path, .order = 1};
}

value_list artefact_quick_only(const artefact_file *a)
{
    const section *s = document_find(a->doc, SECTION_QUICK, NULL);
    const char **items = cru_arena_alloc(a->arena, s ? s->count : 0, sizeof *items);
    value_list list = {.items = items};
    for (int64_t i = 0; s && i < s->count; i++)
        if (strncmp(s->entries[i].key, QUICK_ONLY, strlen(QUICK_ONLY)) == 0)
            items[list.count++] =
                string_format(a->arena, "%s=%s", s->entries[i].key + strlen(QUICK_ONLY), s->entries[i].text);
    return list;
}

/* The files of a part with those of the artefact, as they are read to run it. */
static document *read_part(const artefact_file *a, int64_t part, diagnostics *ignored)
{
    document *doc = cru_arena_alloc_zeroed(a->arena, 1, sizeof *doc);
    *doc = (document){.arena = a->arena, .diags = ignored};
    document_read(doc, a->parts.items[part]);
    document_read(doc, a->path);
    return doc;
}

void artefact_check_quick(const artefact_file *a, diagnostics *diags)
{
    const section *s = document_find(a->doc, SECTION_QUICK, NULL);
    diagnostics ignored = {0};
    document **docs = cru_arena_alloc(a->arena, a->parts.count, sizeof *docs);
    for (int64_t k = 0; s && k < a->parts.count; k++) docs[k] = read_part(a, k, &ignored);
    for (int64_t i = 0; s && a->parts.count > 1 && i < s->count; i++) {
        const entry *e = &s->entries[i];
        bool known = strncmp(e->key, QUICK_ONLY, strlen(QUICK_ONLY)) == 0;
        for (int64_t k = 0; !known && k < a->parts.count; k++) known = document_has_target(docs[k], e->key, &e->place);
        if (known) continue;
        docs[0]->diags = diags;
        document_has_target(docs[0], e->key, &e->place);
        docs[0]->diags = &ignored;
    }
    diagnostics_clear(&ignored);
}

/* ---- who takes part -------------------------------------------------------------------------------------- */

static artefact_name *read_names(cru_arena *arena, const document *doc, section_type type, int64_t *count)
{
    const section *x = document_find(doc, SECTION_EXPERIMENT, NULL);
    const entry *list = x ? section_find(x, type == SECTION_DATASET ? "datasets" : "algorithms") : NULL;
    int64_t most = doc->count + (list ? (int64_t)strlen(list->text) : 0);
    artefact_name *names = cru_arena_alloc(arena, most, sizeof *names);
    *count = 0;
    for (int64_t i = 0; !list && i < doc->count; i++) {
        const section *s = doc->sections[i];
        if (s->type == type && !s->on) names[(*count)++] = (artefact_name){s->label, s->name};
    }
    char *cursor = NULL, *words = list ? string_copy(arena, list->text) : NULL;
    for (char *word = words ? strtok_r(words, " \t,", &cursor) : NULL; word; word = strtok_r(NULL, " \t,", &cursor)) {
        const section *s = document_find(doc, type, word);
        names[(*count)++] = (artefact_name){word, s ? s->name : word};
    }
    return names;
}

void experiment_names_read(cru_arena *arena, const config_request *request, experiment_names *out)
{
    diagnostics ignored = {0}; /* config_load tells of them */
    document doc = {.arena = arena, .diags = &ignored};
    for (int64_t i = 0; i < request->file_count; i++) document_read(&doc, request->files[i]);
    if (request->quick) document_set_quick(&doc);
    for (int64_t i = 0; i < request->set_count; i++) document_set(&doc, request->sets[i]);
    out->datasets = read_names(arena, &doc, SECTION_DATASET, &out->dataset_count);
    out->algorithms = read_names(arena, &doc, SECTION_ALGORITHM, &out->algorithm_count);
    diagnostics_clear(&ignored);
}
