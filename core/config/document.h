/* document.h: all files of a configuration as one list of sections, after includes and --set, before any plugin is
 * looked up. Says what is wrong with lines, section headers, includes and --set texts; what keys and values mean is
 * decided later. */
#ifndef CORE_CONFIG_DOCUMENT_H
#define CORE_CONFIG_DOCUMENT_H

#include "config/diagnostics.h"
#include "config/strings.h"
#include "config/values.h"

typedef enum section_type {
    SECTION_EXPERIMENT,
    SECTION_RUN,
    SECTION_MONITOR,
    SECTION_SPLIT,
    SECTION_PREPROCESS,
    SECTION_SEARCH,
    SECTION_REPORT,
    SECTION_PATHS,
    SECTION_DATASET, /* from here on sections have names */
    SECTION_CORRUPTOR,
    SECTION_ALGORITHM,
    SECTION_METRIC,
    SECTION_TYPES,
} section_type;

/* "experiment", "run", ... */
const char *section_type_name(section_type type);

typedef struct entry {
    const char *key, *text;
    config_place place;
    int32_t depth; /* of the file: 0 on the command line, 1 included by it ...; -1 for --set. The smaller one wins */

    /* Filled when the section is checked; `param` stays NULL where the entry has a fault. */
    const cru_param *param;
    value_list values; /* valid ones in canonical text; empty when `search` is set */
    cru_search search; /* the distribution of a value "search(...)" */
} entry;

typedef struct section {
    section_type type;
    const char *name;  /* of the plugin; NULL for a section without one */
    const char *label; /* the alias, else the name */
    const char *on;    /* the dataset for which its values hold; NULL: all */
    const char *title; /* "algorithm gcn as wide", for messages */
    config_place place;
    entry *entries;
    int64_t count, capacity;
} section;

typedef struct document {
    cru_arena *arena;
    diagnostics *diags;
    section **sections; /* in the order in which they are first named */
    int64_t count, capacity;
    int32_t files; /* read so far */
    struct document_file *seen;
} document;

/* Reads the files in order, then the --set texts. Faults go to doc->diags. `doc` starts zeroed but for arena and diags,
 * and owns nothing besides what is in the arena. */
void document_read(document *doc, const char *const *files, int64_t count);
void document_set(document *doc, const char *const *sets, int64_t count);

/* The section of that type and label, `on` NULL; NULL when there is none. */
section *document_find(const document *doc, section_type type, const char *label);

/* A new section at the end. */
section *document_add(document *doc, const section *template);

/* The entry with that key, or NULL. */
entry *section_find(const section *s, const char *key);

/* Grows by one, zeroed. */
entry *section_append(document *doc, section *s);

/* The document as INI text, in the arena. */
const char *document_text(const document *doc);

#endif
