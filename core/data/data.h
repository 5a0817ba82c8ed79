// SPDX-License-Identifier: Apache-2.0
/* data.h: from a dataset's name to a clean problem.
 *
 *     data_request request = {.name = "cora", .places = &places};
 *     cru_data *data;
 *     data_open(&request, &data, err);               card -> files -> checksums -> format plugin -> checks -> cache
 *     data_preprocess(&preprocess, data, err);       row-normalise, symmetrise, ...
 *
 * and a split plugin then fills data->split (judge/judge-maker.h).
 *
 * All of it runs in the judge process: format plugins read files that nobody vouches for.
 *
 * A name is that of a card, the path of a card (anything that holds a '/' or ends in ".ini"), or a generator, i.e. a
 * dataset plugin that claims problem kinds of its own. Cards are looked for in [paths] cards, beside the executable
 * (../share/crucible/datasets/cards), in the installed share folder and, for an executable in its build tree, in the
 * source tree; the first match wins.
 *
 * A card's file is looked for beside the card (a user's own data), in <mirror>/<dataset>/<file> with the mirror from
 * CRUCIBLE_MIRROR or [paths] mirror, and in the download folder ($XDG_DATA_HOME/crucible/datasets/<dataset>/<file>).
 *
 * What a plugin made of a card is kept as a memory image in $XDG_CACHE_HOME/crucible/data; the next open maps it and
 * reads nothing else. The image's name holds a checksum over the files' checksums, the plugin's version and the
 * settings, so a change of any of them makes another image; a truncated, damaged or foreign file is built anew. The
 * image's own checksum is verified when it is new and again whenever the file has changed since (stamp.h). Generated
 * data is not cached: it is a function of settings and seed. */
#ifndef CORE_DATA_DATA_H
#define CORE_DATA_DATA_H

#include <crucible/pool.h>

#include "data/card.h"
#include "registry/registry.h"

/* Where things are. Zeroed means the defaults above. Nothing is owned. */
typedef struct data_places {
    const char *cards;  /* further card folders, ':' between them; searched first */
    const char *mirror; /* CRUCIBLE_MIRROR wins over it */
    const char *files;  /* download folder */
    const char *cache;  /* "" : no cache */
} data_places;

/* key = text, as a config gives them for [dataset NAME]; they override the card's [settings]. */
typedef struct data_setting {
    const char *key, *text;
} data_setting;

typedef struct data_request {
    const char *name;
    const registry *plugins; /* knows the file of the format plugin or generator */
    const data_setting *settings;
    int64_t setting_count;
    uint64_t seed;             /* for generators; formats ignore it */
    const data_places *places; /* NULL: defaults */
} data_request;

/* What a name stands for. */
typedef struct data_found {
    card *card;
    const char *format; /* the card's: the name of a dataset plugin */
} data_found;

/* Finds a card without touching data files. On CRU_OK the caller calls data_found_clear. CRU_UNSUPPORTED: there is no
 * card of that name (it may be that of a generator; the plugin registry knows); CRU_BAD_INPUT: the card is broken. */
cru_status data_find(const char *name, const data_places *places, data_found *found, cru_error *err);
void data_found_clear(data_found *found);

/* Opens a dataset; the caller destroys it with cru_data_destroy. The split is empty. CRU_BAD_INPUT: unknown name or
 * setting, broken file, counts that differ from the card; CRU_IO: a file is missing (the message says where it was
 * looked for and how to get it), unreadable, or not the one whose checksum the card gives: another file in its place
 * mends it. */
cru_status data_open(const data_request *request, cru_data **data, cru_error *err);

/* Fails with CRU_BAD_INPUT for a name that no card has and, when the request has plugins, no generator: with the name
 * that was probably meant. */
cru_status data_fail_unknown(const data_request *request, cru_error *err);

/* 64 hex digits that change whenever data_open would give other data: part of every trial's key. For a generator it
 * covers plugin version, settings and seed. Does not need the data files when the card has their checksums. */
cru_status data_checksum(const data_request *request, char hex[65], cru_error *err);

/* ---- all that is known, for `crucible list datasets` ------------------------------------------------------------- */

typedef enum data_state {
    DATA_PRESENT,     /* all files are here */
    DATA_FETCHABLE,   /* `crucible fetch NAME` gets it */
    DATA_NEEDS_TERMS, /* the user must do something with the publisher first, as the card says */
    DATA_MISSING,     /* no known address: the user must put the files in place, as the card says */
    DATA_GENERATED,   /* needs no files: a generator with settings */
    DATA_BROKEN,      /* the card has an error */
} data_state;

/* A lower-case word: "present", "fetchable", "needs terms", ... */
const char *data_state_name(data_state state);

/* Calls `visit` for every card, by name; of several cards with one name only the first found. A broken card has
 * c = NULL and the reason in `why` (else NULL). Generators are listed by the plugin registry. */
typedef void data_visitor(void *user, const card *c, data_state state, const char *why);
cru_status data_visit(const data_places *places, data_visitor *visit, void *user, cru_error *err);

/* Where a card's file is: the path (the caller frees it), or NULL when it is nowhere. `form`, which may be NULL, is set
 * to the form in which it is there: the first one that is found anywhere. */
char *data_locate(const card *c, const card_file *file, const data_places *places, const card_form **form);

/* ---- views ----------------------------------------------------------------------------------------------- */

/* Which nodes an inductive view hides. */
typedef enum split_hide {
    HIDE_TEST,    /* view = inductive: those to test on; nodes in no part of the split are seen, without labels */
    HIDE_OUTSIDE, /* view = inductive-parts: those in no part, too: only nodes to train and to validate on are seen */
} split_hide;

/* The inductive view of a task whose items are nodes: what a method gets to learn from before it must score the task
 * itself. Two graphs side by side, new numbers ascending as the old:
 *
 *     the training nodes and the edges among them, then
 *     the training and the validation nodes and the edges among them (the training nodes a second time, unlabelled)
 *
 * With HIDE_TEST, nodes that the split has in no part are in both graphs, unlabelled.
 *
 * Training items are those of the first graph, validation items those of the second, test items there are none: so a
 * loss is computed on the training graph and validation scores on the graph that has the validation nodes, as
 * inductive protocols ask, and no method needs to know. New arrays come from `pool`; nothing of `whole` is changed.
 * CRU_UNSUPPORTED: a task without a graph of items. */
cru_status data_seen(const cru_task *whole, split_hide hide, cru_pool pool, cru_task *seen, cru_error *err);

/* ---- preprocessing --------------------------------------------------------------------------------------- */

/* The [preprocess] section; steps run in the order of the fields. */
typedef struct preprocess_settings {
    int64_t relations;  /* keep, or merge: forget the relations, use their union */
    int64_t direction;  /* as-is, symmetrise, or reverse */
    int64_t self_loops; /* as-is, remove, add */
    bool largest_component;
    bool remove_isolated;
    int64_t degree_features; /* none, exact, doubled: replace the features by a one-hot code of the degree */
    int64_t features;        /* none, row-sum, l1, standardise, min-max, binary */
    double epsilon;          /* added to the divisor of row-sum, l1 and standardise */
    int64_t ddof;            /* standardise: divide by n - ddof */
} preprocess_settings;

extern const cru_param preprocess_params[];

/* Changes graph and features in place. Nodes that go take their labels and their places in official splits with them.
 * Before the split. CRU_UNSUPPORTED: a step that this problem kind does not have. */
cru_status data_preprocess(const preprocess_settings *settings, cru_data *data, cru_error *err);

#endif
