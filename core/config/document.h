// SPDX-License-Identifier: Apache-2.0
/* document.h: all files of a configuration as one list of sections, after includes and --set, before any plugin is
 * looked up. Says what is wrong with lines, section headers, includes and --set texts; what keys and values mean is
 * decided later. */
#ifndef CORE_CONFIG_DOCUMENT_H
#define CORE_CONFIG_DOCUMENT_H

#include "config/diagnostics.h"
#include "config/strings.h"
#include "config/values.h"
#include "data/data.h"
#include "registry/registry.h"
#include "registry/wrapped.h"

typedef enum section_type {
    SECTION_EXPERIMENT,
    SECTION_RUN,
    SECTION_MONITOR,
    SECTION_SPLIT,
    SECTION_PREPROCESS,
    SECTION_SEARCH,
    SECTION_REPORT,
    SECTION_PATHS,
    SECTION_ARTEFACT, /* these three are of studies, see artefact.h */
    SECTION_MATCH,
    SECTION_QUICK,
    SECTION_DATASET, /* from here on sections have names */
    SECTION_CORRUPTOR,
    SECTION_ALGORITHM,
    SECTION_METRIC,
    SECTION_TYPES,
} section_type;

extern const char *const section_type_names[SECTION_TYPES];

typedef struct entry {
    const char *key, *text;
    config_place place;
    int32_t depth; /* of the file: 0 on the command line, 1 included by it ...; -1 for --set. The smaller one wins */
    struct entry *origin; /* of a copy: the entry in the document; NULL in the document itself */
    bool used;            /* [split]: a scheme has looked at it */

    /* Filled when the section is checked; `param` stays NULL where the entry has a fault. */
    const cru_param *param;
    value_list values;   /* valid and in canonical text; empty when `search` is set */
    value_search search; /* of a value "search(...)"; its default in canonical text */
} entry;

typedef struct section {
    section_type type;
    const char *name;   /* of the plugin; NULL for a section without one */
    const char *label;  /* the alias, else the name */
    const char *on;     /* the dataset for which its values hold; NULL: all */
    const char *method; /* of [monitor for M] and [preprocess for M]: the algorithm; NULL: all */
    const char *title;  /* "algorithm gcn as wide", for messages */
    config_place place; /* where it was last opened; its order tells a second header in one file from one in another */
    entry *entries;
    int64_t count, capacity;

    /* Filled when the names are resolved; `plugin` stays NULL where that fails. */
    const registry_entry *plugin;
    const registry_entry *inner; /* of a wrapper: the method inside; else NULL */
    param_table table;           /* the settings of the plugin; of a wrapper, with those of the method inside */
    data_found dataset;
    struct variant_list *variants; /* made once, when first asked for */
} section;

typedef struct document {
    cru_arena *arena;
    diagnostics *diags;
    diagnostics *warnings; /* what is valid and probably not meant */
    section **sections;    /* in the order in which they are first named */
    int64_t count, capacity;
    struct source *sources; /* the files read so far */
    int32_t source_count;   /* and of --set texts; numbers the places */
} document;

/* Reads a file from the command line, with all that it includes. Faults go to doc->diags. `doc` starts zeroed but for
 * arena and diags, and owns nothing besides what is in the arena. */
void document_read(document *doc, const char *path);

/* Applies "section.key=value" or "type.label.key=value". After all files. */
void document_set(document *doc, const char *text);

/* Keys of [quick] that choose cells of an artefact: "only.dataset = cora" is --only dataset=cora. */
#define QUICK_ONLY "only."

/* Applies the other entries of [quick], whose keys are targets as --set has them: "experiment.seeds = 0, 1". After all
 * files, before --set. A section that is not there is a fault, but for an artefact of several parts
 * (artefact_check_quick). */
void document_set_quick(document *doc);

/* Whether there is, or may be, the section of a target of [quick]; without it a fault at `place`. */
bool document_has_target(document *doc, const char *target, const config_place *place);

/* Takes a title apart; false, and a line in the diagnostics, when it is no section. `s` gets type, names and title. */
bool document_title(document *doc, const char *title, const config_place *place, section *s);

/* The section of that type and label (NULL for one without) that holds for all datasets; NULL when there is none. */
section *document_find(const document *doc, section_type type, const char *label);

/* The section equal to `like` in type, label and dataset; made when there is none. */
section *document_open(document *doc, const section *like);

/* Adds an entry by the rules of precedence. */
void document_put(document *doc, section *s, const entry *e);

/* Adds copies of the entries of `more`, which replace those of `s`; but what --set says stands above all files. */
void section_overlay(document *doc, section *s, const section *more);

/* The entry with that key, or NULL. */
entry *section_find(const section *s, const char *key);

/* Whether the key is that of "[algorithm python as my-gnn] file = my_gnn.py": the script, whose plugin the section is
 * of. */
#define SCRIPT_SECTION "python"
#define SCRIPT_KEY     "file"
bool is_script_key(const section *s, const char *key);

/* The document as INI text, in the arena. */
const char *document_text(const document *doc);

#endif
