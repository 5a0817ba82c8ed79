// SPDX-License-Identifier: Apache-2.0
/* judged.h: the metrics of trials as the store knows them, and trials that lack some.
 *
 * A trial's key does not depend on its metrics. One that was run without a metric is judged from its kept scores, or, when
 * none were kept, run again. */
#ifndef CORE_HOST_JUDGED_H
#define CORE_HOST_JUDGED_H

#include "host/runner.h"

/* Neighbours mostly share their metrics, so that these are described once. Zeroed to begin with. */
typedef struct judged_cache {
    const variant *const *of;
    store_judged *items;
    int64_t count;
} judged_cache;

/* Valid until the next call. */
const store_judged *judged_of(judged_cache *c, const trial *t);
void judged_clear(judged_cache *c);

typedef enum judged_state {
    JUDGED_ALL,  /* the trial has no result, or numbers of all its metrics */
    JUDGED_KEPT, /* what it lacks can be judged from what was kept */
    JUDGED_LOST, /* it must be run again */
} judged_state;
cru_status judged_look(store *s, judged_cache *c, const trial *t, const char *key, judged_state *state, cru_error *err);

/* Whether the trial failed for a metric that is not among its metrics now. */
cru_status judged_blameless(store *s, const trial *t, const char *key, bool *blameless, cru_error *err);

/* Judges a trial that is JUDGED_KEPT by what it lacks and stores the numbers. Not while runner_run is running.
 * CRU_FAILED, CRU_UNSUPPORTED, CRU_BAD_INPUT: this trial cannot be judged; others can. */
cru_status runner_rejudge(runner *r, store *s, const trial *t, const char *key, cru_error *err);

#endif
