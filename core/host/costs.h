// SPDX-License-Identifier: Apache-2.0
/* costs.h: what trials took so far, by method, its settings and dataset, as an estimate of what others will take. */
#ifndef CORE_RUNNER_COSTS_H
#define CORE_RUNNER_COSTS_H

#include "config/config.h"
#include "store/store.h"

typedef struct costs costs;

/* From the finished trials of a store, which is only read. A store that is not there knows nothing, which is no
 * failure. On failure *out is NULL. */
cru_status costs_open(const char *path, costs **out, cru_error *err);
void costs_close(costs *c); /* NULL is fine */

/* The mean seconds of a trial of this method with these settings on this dataset; else with any settings; else of the
 * method on all datasets; else of all trials; else 30. A search counts as often as it may try settings. */
double costs_seconds(const costs *c, const experiment *e, const trial *t);

/* The largest memory in bytes that a trial of this method on this dataset took, else of the method; 0: not known. */
int64_t costs_peak(const costs *c, const trial *t);

/* Whether anything is known of the method. */
bool costs_know(const costs *c, const trial *t);

#endif
