// SPDX-License-Identifier: Apache-2.0
/* show.h: what a store holds besides tables: its experiments, the trials of one, all of one trial.
 *
 *     show_load(s, "label-noise", &e, err);       or "label-noise:3", or the beginning of a trial's key
 *     show_trials(e, stdout);                     or show_trial(s, e, e->chosen, stdout, err) where one was named
 *     show_free(e); */
#ifndef CORE_SHOW_H
#define CORE_SHOW_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include <crucible/arena.h>

#include "store/store.h"

typedef struct shown_pair {
    const char *name, *text; /* a setting, or */
    double value;            /* a number, when text is NULL */
} shown_pair;

typedef struct shown_trial {
    const char *key, *alias, *message; /* message may be NULL */
    store_outcome outcome;
    double seconds_total, seconds_construct, seconds_train;
    int64_t peak_bytes, best_epoch, tried;
    shown_pair *settings, *numbers;
    int64_t setting_count, number_count;
} shown_trial;

/* An experiment with its trials in the order of its list. */
typedef struct shown {
    cru_arena *arena; /* behind all of it */
    int64_t id;
    const char *name;
    const char *first_metric; /* NULL: it has none */
    shown_trial *trials;
    int64_t count;
    int64_t chosen; /* the trial that was named; -1: the experiment was */
} shown;

/* `name` is an experiment, or a trial: EXPERIMENT:NUMBER as show_trials numbers them, or at least four characters of
 * its key. CRU_BAD_INPUT names what the store holds where it holds no such thing, or several. */
cru_status show_load(store *s, const char *name, shown **out, cru_error *err);
void show_free(shown *e);

/* Which experiments there are, with what became of their trials. */
cru_status show_experiments(store *s, FILE *out, cru_error *err);
cJSON *show_experiments_json(store *s, cru_error *err); /* NULL after a failure */

/* One line a trial: number, key, outcome, what it differs in from the others, validation and first metric. */
void show_trials(const shown *e, FILE *out);
cJSON *show_trials_json(const shown *e);

/* All that is known of a trial. */
cru_status show_trial(store *s, const shown *e, int64_t index, FILE *out, cru_error *err);
cJSON *show_trial_json(store *s, const shown *e, int64_t index, cru_error *err); /* NULL after a failure */

/* "gcn dataset=cora corruptor.rate=0.3 seed=2": the alias, and the settings that vary in the experiment. */
const char *show_title(const shown *e, int64_t index);

/* ---- files ----------------------------------------------------------------------------------------------- */

/* The learning curves of the trial that was named, or of all trials: as CSV (trial, title, epoch, loss, validation), or
 * as a picture. CRU_UNSUPPORTED: none were kept. */
cru_status show_curves_csv(store *s, const shown *e, FILE *out, cru_error *err);
cru_status show_curves_svg(store *s, const shown *e, FILE *out, cru_error *err);

/* Of the trial that was named: item, predicted class and the scores of all classes; item and the part of the split that
 * it is in. CRU_UNSUPPORTED: they were not kept. */
cru_status show_predictions_csv(store *s, const shown *e, FILE *out, cru_error *err);
cru_status show_split_csv(store *s, const shown *e, FILE *out, cru_error *err);

#endif
