// SPDX-License-Identifier: Apache-2.0
/* plan.h: inside of an experiment. For the files of this folder only. */
#ifndef CORE_CONFIG_PLAN_H
#define CORE_CONFIG_PLAN_H

#include "config/config.h"
#include "config/document.h"

typedef struct variant_list {
    variant *items;
    int64_t count;
} variant_list;

/* Algorithms with the same rules: the product of both lists. */
typedef struct plan_tail {
    const section *own[2]; /* [monitor for M] and [monitor for M on D] that hold for them, or NULL */
    variant_list monitors, algorithms;
    int64_t size;
} plan_tail;

/* Algorithms with the same preprocessing. Its trials are the product of preprocessing, splits, chains, seeds and the
 * sum of its tails. */
typedef struct plan_block {
    const section *own[2]; /* [preprocess for M] and [preprocess for M on D] that hold for them, or NULL */
    variant_list preprocess;
    plan_tail *tails;
    int64_t tail_count, tail_total; /* total: the sum of their sizes */
    int64_t trials;
} plan_block;

/* All that depends on one [dataset ...] section: sections may have values for this dataset only. For every variant of
 * the dataset the trials of all blocks. */
typedef struct plan_group {
    variant_list datasets, splits, algorithms;
    const variant *const *metrics; /* as many as the experiment has, with their values for this dataset */
    plan_block *blocks;
    int64_t block_count;
    int64_t trials;
} plan_group;

/* One way of damaging the data: the product of its links' variants. */
typedef struct plan_chain {
    const char *label;
    const variant_list *links[CONFIG_MAX_CHAIN];
    int32_t count;
    int64_t size;
} plan_chain;

struct experiment_plan {
    cru_arena *arena; /* holds the experiment and everything in it */
    plan_group *groups;
    int64_t group_count;
    plan_chain *chains;
    int64_t chain_count, chain_total; /* total: the sum of their sizes */
    int64_t trials;
    cru_settings *run, *search, *report, *paths; /* own the texts in the experiment's structs */
};

/* ---- loading: the steps of config_load, each in a file of its own ---------------------------------------- */

typedef struct config_loader {
    const config_request *request;
    document doc;
    experiment *e;
    experiment_plan *plan;
    data_places places;
    experiment_settings lists; /* [experiment] */
    cru_settings *lists_owner;
    bool unread; /* a file, a line or a --set could not be made sense of */
} config_loader;

/* Of the folders that [paths] plugins names one must exist, or a plugin that is missed later would not tell why. Not
 * all of them: a list such as ".:build" says where a plugin may be. */
void paths_check(document *doc);

/* The path of a script as a scan calls it. */
const char *script_path(cru_arena *arena, const char *text);

/* Checks [experiment], [run], [search], [report] and [paths] and fills the structs. */
void loader_read_host(config_loader *l);

/* Adds sections for names that are only listed, looks up the plugins and cards of all named sections and checks their
 * settings, and those of [split], [preprocess] and [monitor]. */
void loader_resolve(config_loader *l);

/* Whether the section is of a wrapper whose method is not known; the diagnostics say why. */
bool wrapper_is_lost(const section *s);

/* Checks that every metric can judge every dataset, as far as that is known without the data. */
void loader_suit(config_loader *l);

/* Refuses what each by itself is valid and together does nothing or cannot be: a [search] without a method, a label
 * that is another plugin's name. */
void loader_check_sense(config_loader *l);

/* Makes the plan's variants and chains and counts the trials. */
void loader_expand(config_loader *l);

/* The sections of a type that take part: those listed under the key, or all that hold for every dataset. *count of
 * them, in the arena. A corruptor list is split at bars and commas alike, `none` left out. */
section **loader_selected(config_loader *l, section_type type, int64_t *count);

/* The product of two sizes, or -1 when it exceeds `limit` or one of them is -1. */
int64_t plan_multiply(int64_t a, int64_t b, int64_t limit);

/* ---- checking a section against its table ---------------------------------------------------------------- */

/* What a section is checked against. */
typedef struct section_rules {
    const cru_param *params; /* NULL: no settings */
    size_t settings_size;
    const char *owner; /* "algorithm gcn", for messages */
    bool grid;         /* values may be lists */
    bool search;       /* values may be distributions */
} section_rules;

/* Fills param, values and search of every entry; faults go to the diagnostics. */
void section_check(document *doc, section *s, const section_rules *rules);

/* ---- from a checked section to its variants -------------------------------------------------------------- */

typedef struct variant_source {
    const section *base, *more;   /* `more` replaces entries of `base`; each may be NULL */
    const card_settings *presets; /* between the defaults and the sections; may be NULL */
    const char *presets_file;
    bool searched; /* collect axes */
    variant like;  /* label, name, plugin, params, settings_size */
} variant_source;

/* The product of all values. Too many, or a preset that does not suit, is a fault and gives an empty list. */
variant_list variants_build(document *doc, const variant_source *source);

variant_list variants_append(cru_arena *arena, variant_list a, variant_list b);

/* ---- [split] --------------------------------------------------------------------------------------------- */

/* The sections that hold for one dataset, each over those before it; some may be NULL. */
typedef struct split_sources {
    const section *sections[4];
    int64_t count;
    const section *dataset; /* whose card scheme = card looks into; may be NULL */
} split_sources;

/* Checks the keys that are the host's own: scheme, protocol and view. Before all others here. */
void split_check_host_keys(config_loader *l, section *s);

/* Every scheme with every combination of its settings. Faults of values, and of shares above 1, go to the
 * diagnostics. */
variant_list split_variants(config_loader *l, const split_sources *from);

/* Refuses entries of `s` that no scheme has looked at. `from` holds for it; after all split_variants. */
void split_check_used(config_loader *l, const section *s, const split_sources *from);

/* The text of `settings` with its lines in order, in the arena. */
const char *settings_sorted_text(cru_arena *arena, const cru_settings *settings);

/* The value of a key in such a text, in the arena; NULL when it is not there. */
const char *settings_text_value(cru_arena *arena, const char *text, const char *key);

/* The parameter with that key, in groups too; NULL when there is none. */
const cru_param *params_find(const cru_param *params, const char *key);

#endif
