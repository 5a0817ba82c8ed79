// SPDX-License-Identifier: Apache-2.0
/* IGL-Bench's 1:1:8 splits before any imbalance. */
#include <math.h>

#include "data/split-draw.h"

typedef struct quota {
    int64_t train, val;
} quota;

/* How many of class c train and validate, out of n and v over all classes. */
static quota class_quota(const drawing *d, int32_t c, int64_t n, int64_t v)
{
    int64_t classes = d->data->classes;
    if (d->data->problem != CRU_GRAPHS)
        return (quota){(int64_t)nearbyint((double)n / (double)classes), v / classes + (c < v % classes)};
    int64_t train = classes == 2 ? (c == 1 ? n / 2 : n - n / 2) : (int64_t)nearbyint((double)n / (double)classes);
    return (quota){train, v / classes};
}

static int64_t at_most(int64_t wanted, int64_t there)
{
    return wanted < there ? wanted : there;
}

/* Nodes are shuffled once and each class keeps that order; graphs are shuffled class by class. */
cru_status draw_igl(drawing *d, cru_error *err)
{
    (void)err;
    dice rng = dice_start(d->rng, d->seed, 0);
    draw_pool(d, -1);
    double items = (double)d->pool.count;
    int64_t n = (int64_t)floor(d->train * items), v = (int64_t)floor(d->val * items), all = d->pool.count;
    int32_t *order = d->test_part.ids; /* borrowed: no test item is stored before the order is done with */
    bool graphs = d->data->problem == CRU_GRAPHS;
    if (!graphs) dice_shuffle(&rng, d->pool.ids, all);
    for (int64_t k = 0; k < all; k++) order[k] = d->pool.ids[k];
    for (int32_t c = 0; c < d->data->classes; c++) {
        quota q = class_quota(d, c, n, v);
        d->pool.count = 0;
        for (int64_t k = 0; k < all; k++)
            if (d->data->truth[order[k]] == c) d->pool.ids[d->pool.count++] = order[k];
        if (graphs) dice_shuffle(&rng, d->pool.ids, d->pool.count);
        int64_t train = at_most(q.train, d->pool.count), val = at_most(q.val, d->pool.count - train);
        draw_take(d, &d->train_part, 0, train);
        draw_take(d, &d->val_part, train, val);
    }
    draw_rest(d);
    return CRU_OK;
}

/* Gives a part the first `most` items of each class in the order of the pool. */
static void scan(drawing *d, part *to, int64_t most, int64_t *given)
{
    for (int32_t c = 0; c < d->data->classes; c++) given[c] = 0;
    for (int64_t k = 0; k < d->pool.count; k++)
        if (given[d->data->truth[d->pool.ids[k]]]++ < most) draw_take(d, to, k, 1);
}

cru_status draw_igl_quota(drawing *d, cru_error *err)
{
    int64_t *given = cru_data_alloc((cru_data *)d->data, d->data->classes, sizeof *given);
    if (!given) return cru_fail(err, CRU_NO_MEMORY, "no memory for a split");
    dice rng = dice_start(d->rng, d->seed, 0);
    draw_pool(d, -1);
    int64_t most = (int64_t)floor(d->train * (double)d->pool.count / d->data->classes);
    int64_t most_val = (int64_t)floor(d->val * (double)d->pool.count / d->data->classes);
    dice_shuffle(&rng, d->pool.ids, d->pool.count);
    scan(d, &d->train_part, most, given);
    draw_pool(d, -1);
    dice_shuffle(&rng, d->pool.ids, d->pool.count);
    scan(d, &d->val_part, most_val, given);
    draw_rest(d);
    return CRU_OK;
}
