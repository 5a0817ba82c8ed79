// SPDX-License-Identifier: Apache-2.0
/* tuning.h: all the searches of an experiment, as a source of trials.
 *
 * Every algorithm with open axes is searched once for each combination of dataset, split, damage and monitor, and, as
 * [search] per says, for each seed, on the first seed, or over all seeds; an algorithm without open axes has one
 * setting. The trials that were tried are entered into the store as candidates; when a search is over, the trials of
 * the setting that it chose are marked with the number of settings tried.
 *
 * A search reads nothing but the validation score that the runner hands over or the store kept (with [search] select =
 * test, the first metric), so one that was interrupted repeats nothing and ends like one that was not. */
#ifndef CORE_SEARCH_TUNING_H
#define CORE_SEARCH_TUNING_H

#include "host/agenda.h"

typedef struct tuning tuning;

typedef struct tuning_options {
    runner *runner;
    store *store;              /* must be there */
    experiment *experiment;    /* the runner's; receives the drawn settings */
    agenda_again again;        /* which results of earlier runs are forgotten */
    agenda_filter *takes_part; /* searches whose first trial takes no part are as if they were over; NULL: all do */
    void *takes_part_user;
    bool leave_ended; /* see agenda_part */
} tuning_options;

/* Enters the experiment. All that the options name outlives the tuning. On failure *out is NULL. */
cru_status tuning_open(const tuning_options *options, tuning **out, cru_error *err);
void tuning_close(tuning *t); /* NULL is fine */

/* For a runner_source; `user` is the tuning. */
runner_next tuning_next(void *user, trial *t, char key[SHA256_HEX]);
bool tuning_partner(void *user, const trial *t, trial *other, char key[SHA256_HEX]);
void tuning_done(void *user, const runner_result *result);
void tuning_known(void *user, const char *key);

/* After the run: judges trials whose results were known and that lacked a metric, from their kept scores; as
 * agenda_rejudge. */
cru_status tuning_rejudge(tuning *t, int64_t *judged, cru_error *why, cru_error *err);

/* What went wrong inside these, after the run; the source ends when something does. */
cru_status tuning_status(const tuning *t, cru_error *err);

typedef struct tuning_figures {
    int64_t experiment;     /* its id in the store */
    int64_t searches, over; /* how many, and how many have come to their end */
    int64_t settings;       /* tried by all of them, each counted once per search */
    int64_t trials;         /* that will have been needed, as far as can be told */
    int64_t known;          /* of these, trials whose result was in the store already */
    int64_t lacking, lost;  /* of these, trials that lack a metric and whose scores were kept, or not */
} tuning_figures;
const tuning_figures *tuning_count(const tuning *t);

#endif
