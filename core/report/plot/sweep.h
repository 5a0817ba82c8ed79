// SPDX-License-Identifier: Apache-2.0
/* sweep.h: columns that differ only in their last key: the levels of a damage, in one panel of a picture. Where experiments
 * with sweeps of their own are joined (a homophily here, a mu there), the last number of a column is its level. */
#ifndef CORE_REPORT_SWEEP_H
#define CORE_REPORT_SWEEP_H

#include "report/plot/panel.h"

typedef struct sweep {
    int64_t *cols; /* by number, or in the order of the config when not all levels are numbers */
    int64_t count;
    char title[160]; /* the other keys: "cora" */
    const char *key; /* of its levels: "rate" */
} sweep;

typedef struct sweep_list {
    sweep *items; /* of at least two levels each */
    int64_t count;
    bool numeric;       /* all levels are numbers; else a level's place counts */
    const char **names; /* of the levels, by place; those of the longest sweep */
    int64_t name_count;
    const char *key; /* the last key */
    bool mixed;      /* the sweeps are not all over one key */
} sweep_list;

/* Levels that are not numbers are a scale only when their key is not one that names things (dataset, corruptor,
 * algorithm), or when `ordinal`. The caller clears it. CRU_UNSUPPORTED: there is no sweep. */
cru_status sweeps_find(const table *t, bool ordinal, sweep_list *out, cru_error *err);
void sweeps_clear(sweep_list *list);

/* Where the i-th level of a sweep lies on the x axis. */
double sweep_place(const sweep_list *list, const table *t, const sweep *w, int64_t i);

#endif
