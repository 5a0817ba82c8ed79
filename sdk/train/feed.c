// SPDX-License-Identifier: Apache-2.0
/* Minibatches of rows and images: which items, their candidate sets, their views. */
#include "train/feed.h"

#include <crucible/draft/augment.h>
#include <crucible/draft/minibatch.h>

/* ---- candidate sets ------------------------------------------------------------------------------------------ */

void feed_candidates(const cru_task *task, cru_ids items, float *sets)
{
    const int64_t classes = task->classes;
    for (int64_t i = 0; i < items.count; i++) {
        const int64_t item = items.ids[i];
        for (int64_t k = 0; k < classes; k++)
            sets[i * classes + k] =
                task->candidates ? (float)task->candidates[item * classes + k] : (float)(task->labels[item] == k);
    }
}

static cru_tensor *candidate_table(cru_ctx *ctx, const cru_task *task)
{
    const cru_ids train = task->split.train;
    float *sets = cru_ctx_alloc(ctx, train.count * task->classes, sizeof *sets);
    feed_candidates(task, train, sets);
    return cru_tensor_from(ctx, cru_2d(train.count, task->classes), sets);
}

cru_tensor *cru_learner_candidates(cru_learner *learner)
{
    return learner->feed->candidates;
}

cru_tensor *cru_learner_candidate_shares(cru_learner *learner)
{
    const cru_tensor *sets = learner->feed->candidates;
    const int64_t rows = cru_tensor_rows(sets), classes = cru_tensor_cols(sets);
    float *shares = cru_ctx_alloc(learner->ctx, rows * classes, sizeof *shares);
    cru_tape_begin(learner->tape, CRU_EVAL);
    cru_tensor_download(learner->tape, cru_normalize_l1(learner->tape, learner->feed->candidates, 1), shares);
    return cru_tensor_from(learner->ctx, cru_2d(rows, classes), shares);
}

/* ---- the feed ------------------------------------------------------------------------------------------------ */

static cru_ids not_validated(cru_ctx *ctx, const cru_task *task)
{
    const cru_ids val = task->split.val;
    uint8_t *validated = cru_ctx_alloc(ctx, task->items, sizeof *validated);
    int32_t *others = cru_ctx_alloc(ctx, task->items, sizeof *others);
    int64_t count = 0;
    for (int64_t i = 0; i < val.count; i++) validated[val.ids[i]] = 1;
    for (int32_t i = 0; i < task->items; i++)
        if (!validated[i]) others[count++] = i;
    return (cru_ids){others, count};
}

cru_feed *feed_create(cru_learner *l)
{
    const cru_task *task = l->task;
    const cru_steps *steps = &l->train->steps;
    cru_feed *feed = cru_ctx_alloc(l->ctx, 1, sizeof *feed);
    int32_t *positions = cru_ctx_alloc(l->ctx, task->split.train.count, sizeof *positions);
    for (int64_t i = 0; i < task->split.train.count; i++) positions[i] = (int32_t)i;
    feed->batches = cru_batches_create(l->ctx, (cru_ids){positions, task->split.train.count}, steps->batch_size, true);
    feed->candidates = candidate_table(l->ctx, task);
    feed->others = not_validated(l->ctx, task);
    feed->views = cru_ctx_stream(l->ctx, "views");
    if (task->x.channels) feed->pixels = cru_pixels_of(l->ctx, task, steps->pixel_mean, steps->pixel_std);
    return feed;
}

typedef void view_maker(const cru_pixels *pixels, cru_rng *rng, const float *image, float *out);

/* A view of every item, drawn in their order. */
static cru_input view_of(cru_learner *l, cru_ids items, view_maker *make)
{
    cru_feed *feed = l->feed;
    const int64_t cols = l->task->x.cols;
    float *out = cru_tape_alloc(l->tape, items.count * cols, sizeof *out);
    for (int64_t i = 0; i < items.count; i++)
        make(&feed->pixels, &feed->views, l->task->x.dense + items.ids[i] * cols, out + i * cols);
    return cru_input_of(cru_tensor_upload(l->tape, cru_2d(items.count, cols), out));
}

static void add_views(cru_learner *l, cru_batch *batch)
{
    const uint32_t wanted = l->method->views;
    if (l->feed->pixels.channels) {
        batch->x = view_of(l, batch->items, cru_view_weak);
        if (wanted & CRU_VIEW_STRONG) batch->strong = view_of(l, batch->items, cru_view_strong);
        if (wanted & CRU_VIEW_DISTILL) batch->distill = view_of(l, batch->items, cru_view_distill);
        return;
    }
    batch->x = cru_input_rows(l->tape, &l->x, cru_index_step(l->tape, batch->items.ids, batch->count));
    if (wanted & CRU_VIEW_STRONG) batch->strong = batch->x;
    if (wanted & CRU_VIEW_DISTILL) batch->distill = batch->x;
}

cru_batch cru_learner_batch(cru_learner *learner, cru_ids rows)
{
    cru_tape *t = learner->tape;
    int32_t *items = cru_tape_alloc(t, rows.count, sizeof *items);
    for (int64_t i = 0; i < rows.count; i++) items[i] = learner->task->split.train.ids[rows.ids[i]];
    cru_batch batch = {
        .count = rows.count, .items = {items, rows.count}, .rows = cru_index_step(t, rows.ids, rows.count)};
    batch.candidates = cru_gather(t, learner->feed->candidates, batch.rows);
    add_views(learner, &batch);
    return batch;
}

cru_input feed_items(cru_learner *l, cru_ids items)
{
    if (l->feed->pixels.channels) return view_of(l, items, cru_view_plain);
    return cru_input_rows(l->tape, &l->x, cru_index_step(l->tape, items.ids, items.count));
}
