// SPDX-License-Identifier: Apache-2.0
/* tpe.h: the tree-structured Parzen estimator.
 *
 *     Bergstra, Bardenet, Bengio, Kégl. Algorithms for hyper-parameter optimization. NeurIPS 2011, section 4.
 *
 * The better 15 % of the settings tried make a density l(x), the others g(x), each a mixture of one bump per setting
 * and one for the prior. Of some draws from l the one with the largest l(x) / g(x) has the greatest expected
 * improvement. Axes are taken one by one, as in the paper's tree without branches. */
#ifndef CORE_SEARCH_TPE_H
#define CORE_SEARCH_TPE_H

#include <crucible/random.h>

#include "search/space.h"

/* Settings tried so far: rows of coordinates, NAN where the axis has no such value. A setting that is still running has
 * the score -INFINITY, which keeps its neighbourhood from being proposed again. */
typedef struct tpe_history {
    const double *const *points;
    const double *scores; /* the larger the better, never NAN */
    int64_t count;
    int64_t finished; /* how many of them count for the better share; the first ones */
} tpe_history;

/* Fills `point` with a coordinate for every axis. Of equal scores the earlier one is the better. `rng` is not moved:
 * every axis draws from a stream of its own, by its key. */
void tpe_propose(const search_axis *axes, int64_t axis_count, const tpe_history *history, const cru_rng *rng,
                 double *point);

/* The stream of one axis: the same for all methods that have a setting of that name. */
cru_rng axis_stream(const cru_rng *rng, const char *key);

#endif
