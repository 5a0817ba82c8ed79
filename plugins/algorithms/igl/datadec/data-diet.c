// SPDX-License-Identifier: Apache-2.0
#include "data-diet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double prune_share(int64_t epoch, int64_t epochs, double low, double high)
{
    return low + (1 - 0.5 * (1 + cos(M_PI * (double)epoch / (double)epochs))) * (high - low);
}

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

double prune_threshold(const float *weights, int64_t n, double share, float *sorted)
{
    for (int64_t i = 0; i < n; i++) sorted[i] = fabsf(weights[i]);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    const int64_t place = (int64_t)ceil(share * (double)n);
    return (double)sorted[place < n ? place : n - 1];
}

cru_tensor *contrast_loss(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature)
{
    cru_tensor *there = cru_info_nce(t, a, b, temperature), *back = cru_info_nce(t, b, a, temperature);
    return cru_lerp(t, there, back, 0.5);
}

const float *error_scores(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    a = cru_detach(t, a), b = cru_detach(t, b);
    cru_tensor *of_a = cru_sum(t, cru_abs(t, cru_sub(t, cru_softmax(t, a, 1), b)), 1);
    cru_tensor *of_b = cru_sum(t, cru_abs(t, cru_sub(t, cru_softmax(t, b, 1), a)), 1);
    return cru_tensor_host(t, cru_add(t, of_a, of_b));
}

typedef struct scored {
    float score;
    int32_t graph;
} scored;

diet diet_create(cru_pool pool, cru_ids graphs, double rate, double explore_rate)
{
    diet d = {.kept = cru_pool_alloc(pool, graphs.count, sizeof *d.kept), .kept_count = graphs.count};
    d.aside = cru_pool_alloc(pool, graphs.count, sizeof *d.aside);
    d.order = cru_pool_alloc(pool, graphs.count, sizeof(scored));
    if (graphs.count) memcpy(d.kept, graphs.ids, (size_t)graphs.count * sizeof *d.kept);
    d.explore = (int64_t)floor(explore_rate * (double)graphs.count);
    d.keep = (int64_t)floor(rate * (double)graphs.count) - d.explore;
    if (d.keep < 0) d.keep = 0;
    return d;
}

static int hardest_first(const void *a, const void *b)
{
    const scored *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return (x->graph > y->graph) - (x->graph < y->graph);
}

void diet_choose(diet *d, const float *score, cru_rng *rng)
{
    scored *order = d->order;
    for (int64_t i = 0; i < d->kept_count; i++) order[i] = (scored){score[d->kept[i]], d->kept[i]};
    qsort(order, (size_t)d->kept_count, sizeof *order, hardest_first);
    int64_t kept = 0;
    for (int64_t i = 0; i < d->kept_count; i++)
        if (i < d->keep)
            d->kept[kept++] = order[i].graph;
        else
            d->aside[d->aside_count++] = order[i].graph;
    cru_rng_shuffle(rng, d->aside, d->aside_count);
    for (int64_t k = 0; k < d->explore && d->aside_count; k++) d->kept[kept++] = d->aside[--d->aside_count];
    d->kept_count = kept;
}
