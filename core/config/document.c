// SPDX-License-Identifier: Apache-2.0
#include "config/document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const section_type_names[SECTION_TYPES] = {
    "experiment", "run",   "monitor", "split",   "preprocess", "search",    "report", "paths",
    "artefact",   "match", "quick",   "dataset", "corruptor",  "algorithm", "metric",
};

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* ---- titles ---------------------------------------------------------------------------------------------- */

static bool unknown_type(document *doc, const section *s, const char *word, const config_place *place)
{
    const char *near = cru_nearest(word, section_type_names, SECTION_TYPES);
    if (near)
        diagnostics_add(doc->diags, place, s->title, "unknown section; did you mean %s?", near);
    else
        diagnostics_add(doc->diags, place, s->title, "unknown section");
    return false;
}

/* Whether values for one dataset may stand in a section of their own. */
static bool may_differ(section_type type)
{
    return type == SECTION_ALGORITHM || type == SECTION_METRIC || type == SECTION_SPLIT || type == SECTION_PREPROCESS ||
           type == SECTION_MONITOR;
}

/* "on DATASET", of which `word` is the first, or nothing. */
static bool read_on(section *s, const char *word, char **cursor)
{
    if (word && strcmp(word, "on") == 0 && may_differ(s->type)) {
        s->on = strtok_r(NULL, " \t", cursor);
        if (!s->on) return false;
        word = strtok_r(NULL, " \t", cursor);
    }
    return !word;
}

/* "as LABEL" and "on DATASET", in this order, each at most once. */
static bool read_suffixes(section *s, char **cursor)
{
    char *word = strtok_r(NULL, " \t", cursor);
    if (word && strcmp(word, "as") == 0) {
        s->label = strtok_r(NULL, " \t", cursor);
        if (!s->label) return false;
        word = strtok_r(NULL, " \t", cursor);
    }
    return read_on(s, word, cursor);
}

/* "for METHOD" and "on DATASET" of a section without a name, in this order; `word` is the first of them. */
static bool read_host_suffixes(section *s, char *word, char **cursor)
{
    if (word && strcmp(word, "for") == 0 && (s->type == SECTION_MONITOR || s->type == SECTION_PREPROCESS)) {
        s->method = strtok_r(NULL, " \t", cursor);
        if (!s->method) return false;
        word = strtok_r(NULL, " \t", cursor);
    }
    return read_on(s, word, cursor);
}

static const char *host_suffixes(section_type type)
{
    return type == SECTION_SPLIT ? " on DATASET" : " for METHOD on DATASET";
}

bool document_title(document *doc, const char *title, const config_place *place, section *s)
{
    *s = (section){.title = string_copy(doc->arena, title), .place = *place};
    char *cursor = NULL, *word = strtok_r(string_copy(doc->arena, title), " \t", &cursor);
    int type = 0;
    while (word && type < SECTION_TYPES && strcmp(word, section_type_names[type]) != 0) type++;
    if (!word || type == SECTION_TYPES) return unknown_type(doc, s, word ? word : "", place);

    s->type = (section_type)type;
    char *next = strtok_r(NULL, " \t", &cursor);
    if (s->type >= SECTION_DATASET) s->name = s->label = next;
    if (s->type < SECTION_DATASET && next && !may_differ(s->type))
        diagnostics_add(doc->diags, place, title, "[%s] takes no name", word);
    else if (s->type < SECTION_DATASET && !read_host_suffixes(s, next, &cursor))
        diagnostics_add(doc->diags, place, title, "expected [%s] or [%s%s]", word, word, host_suffixes(s->type));
    else if (!s->name && s->type >= SECTION_DATASET)
        diagnostics_add(doc->diags, place, title, "needs a name: [%s NAME]", word);
    else if (s->name && !read_suffixes(s, &cursor))
        diagnostics_add(doc->diags, place, title, "expected [%s NAME%s]", word,
                        may_differ(s->type) ? " as LABEL on DATASET" : " as LABEL");
    else
        return true;
    return false;
}

/* ---- sections and entries -------------------------------------------------------------------------------- */

static section *find(const document *doc, const section *like)
{
    for (int64_t i = 0; i < doc->count; i++) {
        section *s = doc->sections[i];
        if (s->type == like->type && same(s->label, like->label) && same(s->on, like->on) &&
            same(s->method, like->method))
            return s;
    }
    return NULL;
}

section *document_find(const document *doc, section_type type, const char *label)
{
    return find(doc, &(section){.type = type, .label = label});
}

section *document_open(document *doc, const section *like)
{
    section *s = find(doc, like);
    if (s) return s;
    if (doc->count == doc->capacity) {
        doc->capacity = doc->capacity ? 2 * doc->capacity : 16;
        section **grown = cru_arena_alloc(doc->arena, doc->capacity, sizeof *grown);
        if (doc->count) memcpy(grown, doc->sections, (size_t)doc->count * sizeof *grown);
        doc->sections = grown;
    }
    s = cru_arena_alloc(doc->arena, 1, sizeof *s);
    *s = *like;
    return doc->sections[doc->count++] = s;
}

entry *section_find(const section *s, const char *key)
{
    for (int64_t i = 0; i < s->count; i++)
        if (strcmp(s->entries[i].key, key) == 0) return &s->entries[i];
    return NULL;
}

static void append(document *doc, section *s, const entry *e)
{
    if (s->count == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 8;
        entry *grown = cru_arena_alloc(doc->arena, s->capacity, sizeof *grown);
        if (s->count) memcpy(grown, s->entries, (size_t)s->count * sizeof *grown);
        s->entries = grown;
    }
    s->entries[s->count++] = *e;
}

void document_put(document *doc, section *s, const entry *e)
{
    entry *old = section_find(s, e->key);
    if (old && old->place.order == e->place.order && e->depth >= 0) {
        diagnostics_add(doc->diags, &e->place, e->key, "already set in line %d", old->place.line);
        return;
    }
    if (old) {
        if (e->depth <= old->depth) *old = *e;
        return;
    }
    append(doc, s, e);
}

void section_overlay(document *doc, section *s, const section *more)
{
    for (int64_t i = 0; i < more->count; i++) {
        entry copy = more->entries[i], *old = section_find(s, copy.key);
        copy.origin = copy.origin ? copy.origin : &more->entries[i];
        if (!old) {
            append(doc, s, &copy);
        } else if (copy.depth < 0 || old->depth >= 0) {
            *old = copy;
        }
    }
}

const char *document_text(const document *doc)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) cru_panic(CRU_NO_MEMORY, "no memory for the configuration's text");
    for (int64_t i = 0; i < doc->count; i++) {
        const section *s = doc->sections[i];
        fprintf(out, "%s[%s]\n", i ? "\n" : "", s->title);
        for (int64_t k = 0; k < s->count; k++) fprintf(out, "%s = %s\n", s->entries[k].key, s->entries[k].text);
    }
    if (fclose(out) != 0) cru_panic(CRU_NO_MEMORY, "no memory for the configuration's text");
    const char *copy = string_copy(doc->arena, text);
    free(text);
    return copy;
}

bool is_script_key(const section *s, const char *key)
{
    return s->type == SECTION_ALGORITHM && s->name && strcmp(s->name, SCRIPT_SECTION) == 0 &&
           strcmp(key, SCRIPT_KEY) == 0;
}
