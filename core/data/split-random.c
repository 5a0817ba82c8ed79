// SPDX-License-Identifier: Apache-2.0
/* Plain random splits, with and without an eye on classes. */
#include <math.h>
#include <stdio.h>

#include "data/split-draw.h"

/* Shuffles the pool and moves its first `count` items to a part. */
static void draw_some(drawing *d, dice *rng, part *to, int64_t count)
{
    dice_shuffle(rng, d->pool.ids, d->pool.count);
    draw_take(d, to, 0, count);
}

/* NoisyGL: train_size of every class in turn; then val_size and test_size of the sorted rest, whatever their class. */
cru_status draw_per_class(drawing *d, cru_error *err)
{
    dice rng = dice_start(d->rng, d->seed, 0);
    for (int32_t c = 0; c < d->data->classes; c++) {
        draw_pool(d, c);
        if (d->pool.count < d->train_size) {
            return cru_fail(err, CRU_UNSUPPORTED, "split per-class: class %d has %lld items, train_size = %lld", c,
                            (long long)d->pool.count, (long long)d->train_size);
        }
        draw_some(d, &rng, &d->train_part, d->train_size);
    }
    draw_pool(d, -1);
    int64_t rest = d->val_size + d->test_size;
    if (d->pool.count < rest) return draw_too_few("per-class (val and test)", rest, d->pool.count, err);
    draw_some(d, &rng, &d->val_part, d->val_size);
    draw_pool(d, -1);
    if (d->test_size > 0)
        draw_some(d, &rng, &d->test_part, d->test_size);
    else
        draw_rest(d);
    return CRU_OK;
}

/* NoisyGL: floor(train N) of all, floor(val N) of the sorted rest, and the rest ascending. */
cru_status draw_percent(drawing *d, cru_error *err)
{
    (void)err;
    dice rng = dice_start(d->rng, d->seed, 0);
    draw_pool(d, -1);
    double n = (double)d->pool.count;
    draw_some(d, &rng, &d->train_part, (int64_t)floor(n * d->train));
    draw_pool(d, -1);
    draw_some(d, &rng, &d->val_part, (int64_t)floor(n * d->val));
    draw_rest(d);
    return CRU_OK;
}

/* One shuffle, cut twice. */
cru_status draw_uniform(drawing *d, cru_error *err)
{
    (void)err;
    dice rng = dice_start(d->rng, d->seed, 0);
    draw_pool(d, -1);
    int64_t n = d->pool.count, train = (int64_t)(d->train * (double)n), val = (int64_t)(d->val * (double)n);
    dice_shuffle(&rng, d->pool.ids, n);
    draw_take(d, &d->train_part, 0, train);
    draw_take(d, &d->val_part, train, val);
    draw_take(d, &d->test_part, train + val, n - train - val);
    return CRU_OK;
}

/* GPR-GNN: round(train N / C) of each class, or all of a smaller class; the rest of all classes is shuffled together
 * and cut at round(val N). round is half to even. */
cru_status draw_gpr(drawing *d, cru_error *err)
{
    dice rng = dice_start(d->rng, d->seed, 0);
    draw_pool(d, -1);
    double n = (double)d->pool.count;
    int64_t per_class = (int64_t)nearbyint(d->train * n / d->data->classes), val = (int64_t)nearbyint(d->val * n);
    part rest = {.ids = d->test_part.ids}; /* borrowed until the test part is cut off it */
    for (int32_t c = 0; c < d->data->classes; c++) {
        draw_pool(d, c);
        int64_t train = d->pool.count < per_class ? d->pool.count : per_class;
        dice_shuffle(&rng, d->pool.ids, d->pool.count);
        draw_take(d, &d->train_part, 0, train);
        for (int64_t k = train; k < d->pool.count; k++) rest.ids[rest.count++] = d->pool.ids[k];
    }
    if (rest.count < val) return draw_too_few("gpr (val)", val, rest.count, err);
    dice_shuffle(&rng, rest.ids, rest.count);
    for (int64_t k = 0; k < rest.count; k++) d->pool.ids[k] = rest.ids[k];
    draw_take(d, &d->val_part, 0, val);
    draw_take(d, &d->test_part, val, rest.count - val);
    return CRU_OK;
}
