// SPDX-License-Identifier: Apache-2.0
/* bandit.h: how CARE-GNN adapts the share of neighbours that a relation keeps. */
#ifndef GAD_BANDIT_H
#define GAD_BANDIT_H

#include <stdbool.h>
#include <stdint.h>

enum { BANDIT_MEMORY = 10 };

typedef struct bandit {
    double share;    /* p; begins where the caller sets it */
    double distance; /* at the last step, 0 before the first */
    int64_t steps;
    int32_t rewards[BANDIT_MEMORY]; /* the last ones, in a ring */
    bool converged;
} bandit;

/* One epoch: a mean distance above the last one is punished and p falls by `step`, any other is rewarded and p rises; p
 * stays above 0 and at most 1. When the last ten rewards nearly cancel (sum within +-2) p is left alone for good. */
void bandit_step(bandit *b, double distance, double step);

#endif
