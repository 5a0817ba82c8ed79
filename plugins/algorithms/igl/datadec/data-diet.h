// SPDX-License-Identifier: Apache-2.0
/* data-diet.h: which graphs and which weights datadec keeps. */
#ifndef DATADEC_DATA_DIET_H
#define DATADEC_DATA_DIET_H

#include <crucible/crucible.h>

/* low + (1 - (1 + cos(pi epoch / epochs)) / 2) (high - low): the share of weights to prune */
double prune_share(int64_t epoch, int64_t epochs, double low, double high);

/* The magnitude at place ceil(share n) of n weights, ascending; weights below it are pruned. `sorted` is scratch. */
double prune_threshold(const float *weights, int64_t n, double share, float *sorted);

/* The mean of both directions of InfoNCE. */
cru_tensor *contrast_loss(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature);

/* |softmax(a_i) - b_i|_1 + |softmax(b_i) - a_i|_1 on the host: how hard graph i is */
const float *error_scores(cru_tape *t, cru_tensor *a, cru_tensor *b);

/* The graphs to learn from, and those put aside. */
typedef struct diet {
    int32_t *kept, *aside;
    int64_t kept_count, aside_count;
    void *order;           /* scratch */
    int64_t keep, explore; /* the hardest that stay, and how many of the others join them */
} diet;
diet diet_create(cru_pool pool, cru_ids graphs, double rate, double explore_rate);
/* score: of every graph of the task; those of the graphs aside are not looked at. */
void diet_choose(diet *d, const float *score, cru_rng *rng);

#endif
