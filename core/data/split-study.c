// SPDX-License-Identifier: Apache-2.0
/* Splits that belong to one study each: anomaly detection (GADBench) and partial labels (PLENCH). */
#include <math.h>
#include <string.h>

#include "data/split-draw.h"

/* `size` of the shuffled pool to train, the next `size` to val. */
static void deal(drawing *d, dice *rng, int64_t size)
{
    dice_shuffle(rng, d->pool.ids, d->pool.count);
    draw_take(d, &d->train_part, 0, size);
    draw_take(d, &d->val_part, size, size);
}

/* GADBench, semi-supervised: k anomalies and 4 k normal nodes to train on, as many again to validate. */
cru_status draw_gad_semi(drawing *d, cru_error *err)
{
    enum { ANOMALY = 1, NORMALS = 4 };
    dice rng = dice_start(d->rng, d->seed, 0);
    int64_t draws = d->one_generator ? d->number + 1 : 1;
    for (int64_t k = 0; k < draws; k++) {
        memset(d->used, 0, (size_t)d->data->items);
        d->train_part.count = d->val_part.count = 0;
        draw_pool(d, ANOMALY);
        if (d->pool.count < 2 * d->train_size)
            return draw_too_few("gad-semi (anomalies)", 2 * d->train_size, d->pool.count, err);
        deal(d, &rng, d->train_size);
        draw_pool(d, 0);
        if (d->pool.count < 2 * NORMALS * d->train_size)
            return draw_too_few("gad-semi (normal nodes)", 2 * NORMALS * d->train_size, d->pool.count, err);
        deal(d, &rng, NORMALS * d->train_size);
    }
    draw_rest(d);
    return CRU_OK;
}

/* CARE-GNN's split of the fraud graphs: the head of one shuffle trains, its tail validates, the middle is tested. */
cru_status draw_gad_official(drawing *d, cru_error *err)
{
    (void)err;
    dice rng = dice_start(d->rng, d->seed, 0);
    draw_pool(d, -1);
    int64_t n = d->pool.count, train = (int64_t)floor(d->train * (double)n), val = (int64_t)floor(d->val * (double)n);
    dice_shuffle(&rng, d->pool.ids, n);
    draw_take(d, &d->train_part, 0, train);
    draw_take(d, &d->val_part, n - val, val);
    draw_take(d, &d->test_part, train, n - train - val);
    return CRU_OK;
}

/* The development part of data that comes with a test set: everything else, ascending. */
static int64_t set_test_aside(drawing *d)
{
    const cru_ids *test = &d->data->official[0].test;
    memcpy(d->pool.ids, test->ids, (size_t)test->count * sizeof *test->ids);
    draw_take(d, &d->test_part, 0, test->count);
    draw_pool(d, -1);
    return d->pool.count;
}

/* PLENCH: int(N train) of a shuffle are the development part and the rest is the test set, unless the data brings one.
 * A second shuffle of the development part's positions puts int(n val) first, which validate. */
cru_status draw_pll(drawing *d, cru_error *err)
{
    (void)err;
    int64_t n;
    if (d->data->official_count > 0 && d->data->official[0].test.count > 0) {
        n = set_test_aside(d);
    } else {
        draw_pool(d, -1);
        dice rng = dice_start(d->rng, d->seed, 0);
        dice_shuffle(&rng, d->pool.ids, d->pool.count);
        n = (int64_t)((double)d->pool.count * d->train);
        draw_take(d, &d->test_part, n, d->pool.count - n);
    }
    int64_t val = (int64_t)((double)n * d->val);
    dice rng = dice_start(d->rng, d->seed, 1);
    dice_shuffle(&rng, d->pool.ids, n);
    draw_take(d, &d->val_part, 0, val);
    draw_take(d, &d->train_part, val, n - val);
    return CRU_OK;
}
