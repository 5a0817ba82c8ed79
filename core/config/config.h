// SPDX-License-Identifier: Apache-2.0
/* config.h: from INI files to the list of trials.
 *
 *     config_request request = {.files = files, .file_count = 1, .registry = plugins, .find_dataset = find};
 *     diagnostics diags = {0};
 *     experiment *e;
 *     if (config_load(&request, &e, &diags) != CRU_OK) diagnostics_print(&diags, stderr);
 *     for (int64_t i = 0; i < experiment_trial_count(e); i++) { trial t; experiment_trial(e, i, &t); ... }
 *     experiment_destroy(e);
 *
 * The grammar
 * -----------
 *     include = defaults.ini        ; before the first section or in [experiment]; relative to this file
 *     [experiment]                  name, seeds, datasets, corruptors, algorithms, metrics
 *     [run] [search] [report] [paths]                     one value per key
 *     [split] [preprocess] [monitor]                      lists make a grid
 *     [dataset X] [corruptor X] [algorithm X] [metric X]  X is a plugin (or a dataset card); lists make a grid
 *     [algorithm X as Y]            the same plugin again under another name
 *     [algorithm X on D]            values for one dataset; they replace those of [algorithm X]. So do [metric X on D],
 *                                   [split on D], [preprocess on D] and [monitor on D]
 *     [monitor for M on D]          values for one method, on D alone or (without `on`) on all datasets; [preprocess for
 *                                   M on D] likewise. What is said for a method stands above what is said for a dataset
 *
 * Lists. `rate = 0.1, 0.3` tries both; `0..9` and `0.1..0.5 step 0.1` count, both ends included. The values of several
 * keys multiply. A setting that is itself a list (layers = 64, 32) is one value; alternatives stand between bars:
 * `layers = 64, 32 | 128`. Double quotes protect commas and bars. To keep the undamaged case in a sweep, give the
 * corruptor's neutral value (rate = 0, 0.3) or list `none` in `corruptors`.
 *
 * What is run. All [dataset ...], [algorithm ...] and [metric ...] sections in file order, or, when the keys
 * `datasets`, `algorithms`, `metrics` of [experiment] are given, exactly the names listed there; a listed name needs no
 * section of its own. Without any metric, `accuracy`. Corruptor sections form one chain in file order; `corruptors =
 * none | uniform | uniform, drop-edges` names alternative chains instead, each in its own order.
 *
 * Searching. With [search] method = random (grid, tpe), every setting of an algorithm that has a search distribution
 * and that no section sets is drawn. A section may give a distribution of its own: lr = search(log 1e-4 1e-1),
 * search(uniform 0 0.9), search(power-of-2 4 8), search(one-of 16 32 64), search(any) for all of a choice. Where the
 * search begins with the defaults, `default` names another one: search(power-of-2 6 9 default 256).
 *
 * Precedence. --set over the files; a later file over an earlier one; a file over what it includes, whatever the order
 * of its lines. Within one file a key or a section may appear only once. A file that is included again is not read
 * again.
 *
 * Lines. Files are UTF-8; a mark of it at the start and CRLF ends are accepted. `;` or `#` starts a comment at the
 * start of a line or after a space. A value that ends in ',' or '|' goes on in the next line if that line is indented;
 * otherwise indentation means nothing. Lines have any length; NUL bytes and what is not UTF-8 are errors.
 * Relative folders in [paths] count from the file that names them.
 *
 * Every fault is one line in the diagnostics, with file and line (or --set), the offending text and, where one is
 * near, the name that was probably meant. */
#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H

#include "config/diagnostics.h"
#include "config/settings.h"
#include "data/data.h"
#include "registry/registry.h"

/* ---- the outcome ----------------------------------------------------------------------------------------- */

/* A setting that a search may draw. */
typedef struct search_axis {
    const cru_param *param;
    cru_search search; /* the section's own distribution, or the schema's */
    const char *name;  /* that seeds its draws, as a study may call the setting; NULL: the parameter's key */
} search_axis;

/* One plugin (or host section) with one set of values: an entry of a grid. All pointers belong to the experiment,
 * except `plugin`, which belongs to the registry. */
typedef struct variant {
    const char *label; /* how tables call it: the alias, or the name */
    const char *name;  /* the plugin's; for a dataset that of its card or generator; "preprocess", "monitor" */
    const registry_entry *plugin; /* a dataset's format plugin or generator; NULL for preprocess, monitor */
    const registry_entry *inner;  /* of a wrapper: the method inside; of one with an `encoder`: that plugin; or NULL */
    const cru_param *params;      /* the table; NULL when there are no settings */
    size_t settings_size;         /* of the struct that it describes */
    const char *text;             /* all settings as "key=value\n", by key; equal texts mean equal settings */
    const data_setting *given;    /* what the config sets in this variant; for data_open */
    int64_t given_count;
    const data_setting *swept; /* those of `given` that take several values in the section: what tells variants apart */
    int64_t swept_count;
    const search_axis *axes; /* algorithms of an experiment with a search: what is to be drawn; else none */
    int64_t axis_count;
    bool inductive;  /* a split: nodes are hidden from a method while it learns */
    split_hide hide; /* and which */
} variant;

/* The settings struct, filled; the caller destroys it. Never NULL: memory running out is a panic. A variant without
 * settings gives an object whose struct must not be looked at. */
cru_settings *variant_settings(const variant *v);

#define CONFIG_MAX_CHAIN 16

/* One trial: a value whose pointers live as long as the experiment. */
typedef struct trial {
    int64_t index;
    const variant *dataset, *preprocess, *split;
    const variant *chain[CONFIG_MAX_CHAIN]; /* corruptors in the order in which they apply */
    int32_t chain_count;
    const char *chain_label; /* "uniform+drop-edges"; "none" */
    const variant *monitor, *algorithm;
    const variant *const *metrics; /* those of the experiment, with their values for this dataset */
    int64_t metric_count;
    uint64_t seed;
    int64_t drawn; /* number of its setting in a search whose settings have draws of their own; else, and of the first
                      setting, 0 */
} trial;

/* The seed of the method's own draws: the trial's, mixed with `drawn` unless that is 0. Split, damage and generated data
 * come from the trial's seed alone. */
uint64_t trial_method_seed(const trial *t);

typedef struct experiment_plan experiment_plan;

typedef struct experiment {
    const char *name;
    const uint64_t *seeds;
    int64_t seed_count;
    const variant *const *metrics; /* in the order in which reports show them */
    int64_t metric_count;
    run_settings run;
    search_settings search;
    report_settings report;
    paths_settings paths;
    const char *text; /* the configuration after includes and --set, as INI */
    experiment_plan *plan;
} experiment;

/* ---- loading --------------------------------------------------------------------------------------------- */

/* Resolves a dataset name, as data_find does; its signature plus a user pointer. The loader calls data_found_clear. A
 * failure is not yet an error: the name may be that of a generator in the registry. */
typedef cru_status config_dataset_finder(void *user, const char *name, const data_places *places, data_found *found,
                                         cru_error *err);

typedef struct config_request {
    const char *const *files;
    int64_t file_count;
    const char *const *sets; /* "section.key=value", "algorithm.gcn.hidden=32" */
    int64_t set_count;
    bool quick; /* the values of [quick] hold, below those of `sets` */
    const registry *registry;
    config_dataset_finder *find_dataset; /* NULL: data_find */
    void *user;
    diagnostics *warnings; /* what is valid and probably not meant; NULL: nobody wants to know */
} config_request;

/* Reads and checks everything; runs nothing. On CRU_OK the caller destroys *out. Otherwise *out is NULL, the status is
 * CRU_BAD_INPUT and `diags` holds a line for every fault. Warnings, sorted, come in both cases. */
cru_status config_load(const config_request *request, experiment **out, diagnostics *diags);

/* The [paths] of the same files and --set options, before there is a registry: [paths] plugins decides what the
 * registry holds. Faults of lines and of this section are added to `faults`; NULL leaves them to config_load. The
 * caller destroys the result. */
typedef struct config_paths config_paths;
config_paths *config_paths_read(const config_request *request, diagnostics *faults);
const paths_settings *config_paths_get(const config_paths *paths);
/* The scripts that [algorithm python ...] sections name, without links where they are there; NULL-terminated. */
const char *const *config_paths_scripts(const config_paths *paths);
void config_paths_destroy(config_paths *paths);

/* Where [paths] says data is; borrows from it. */
data_places config_places(const paths_settings *paths);

void experiment_destroy(experiment *e); /* NULL is fine */

/* ---- trials ---------------------------------------------------------------------------------------------- */

#define CONFIG_MAX_TRIALS   10000000
#define CONFIG_MAX_VARIANTS 100000 /* of one section */

int64_t experiment_trial_count(const experiment *e);

/* Trial number `index`. The dataset changes slowest, then preprocessing, split, chain, seed, monitor; the algorithm
 * changes fastest, so that neighbours share a damaged task. In constant time. */
void experiment_trial(const experiment *e, int64_t index, trial *t);

/* Calls `visit` for every variant of every dataset. */
void experiment_each_dataset(const experiment *e, void (*visit)(void *user, const variant *dataset), void *user);

/* Whether nodes are hidden from the method while it learns; *hide (may be NULL): which. */
bool trial_inductive(const trial *t, split_hide *hide);

/* The number of the trial that differs from `index` only in its seed, which is e->seeds[position]. */
int64_t experiment_with_seed(const experiment *e, int64_t index, int64_t position);

/* How many variants of [monitor] a trial's algorithm has, the most that any has, and the number of the trial that differs
 * from `index` only in it. */
int64_t experiment_monitor_count(const experiment *e, int64_t index);
int64_t experiment_monitor_most(const experiment *e);
int64_t experiment_with_monitor(const experiment *e, int64_t index, int64_t position);

/* Settings drawn by a search. */
typedef struct config_draw {
    const data_setting *values;
    int64_t count;
} config_draw;

/* A copy of an algorithm's variant with the drawn values for some of its axes, none of which stays open; those that are
 * not drawn keep their defaults. Belongs to the experiment. CRU_BAD_INPUT: a key that is not an axis, or a value out of
 * range. */
cru_status experiment_draw(experiment *e, const variant *base, config_draw draw, const variant **out, cru_error *err);

/* The canonical text of a trial: SDK version, seed, device, metrics, and for every plugin of the trial its name,
 * version and all its settings, defaults included. Labels are not part of it. Equal texts mean equal results; the
 * runner hashes it into the trial's key. `checksum` is the dataset's (data_checksum). An algorithm with open axes
 * stands for a whole search, and the text then holds the [search] section and the axes too. Metrics come last, in lines
 * that begin with "metric=" and "metric.": what stands before them decides the training. The caller frees it. */
char *trial_text(const experiment *e, const trial *t, const char *checksum);

/* Whether two trials of one experiment have the same variants, so that their texts differ in seed and checksum alone; and the
 * text of such a one, made from the other's. The caller frees it. */
bool trial_same_variants(const trial *a, const trial *b);
char *trial_text_again(const char *text, uint64_t seed, const char *checksum);

/* The lines of one metric in it. The caller frees it. */
char *metric_text(const variant *metric);

#endif
