// SPDX-License-Identifier: Apache-2.0
/* Training in steps on minibatches. */
#include <math.h>
#include <string.h>

#include <crucible/draft/minibatch.h>
#include <crucible/draft/train.h>

#include "train/feed.h"
#include "train/learner.h"

static cru_tensor *loss_of(cru_learner *l, const cru_batch *batch)
{
    if (l->method->batch_loss) return l->method->batch_loss(l, l->model, l->tape, batch);
    cru_tensor *z = cru_learner_classify(l, l->tape, &batch->x);
    return z ? cru_learner_batch_loss(l, l->tape, z, batch->items) : NULL;
}

double batch_step(cru_learner *l, const cru_batch *batch, cru_tensor *loss)
{
    if (cru_ctx_status(l->ctx)) return NAN;
    const double value = loss ? cru_learner_step(l, l->optim, loss) : 0;
    if (l->method->after_step) {
        cru_tape_record(l->tape, false);
        l->method->after_step(l, l->model, l->tape, batch);
    }
    return value;
}

double cru_learner_train_batch(cru_learner *learner, cru_ids rows)
{
    cru_tape_begin(learner->tape, CRU_TRAIN);
    const cru_batch batch = cru_learner_batch(learner, rows);
    return batch_step(learner, &batch, loss_of(learner, &batch));
}

cru_status steps_fit(cru_learner *l, cru_monitor *monitor)
{
    const cru_steps *settings = &l->train->steps;
    const int64_t limit = cru_monitor_limit(monitor), steps = settings->steps < limit ? settings->steps : limit;
    double sum = 0;
    int64_t since = 0; /* the last checkpoint */
    for (l->epoch = 0; l->epoch < steps; l->epoch++) {
        sum += cru_learner_train_batch(l, cru_batches_next(&l->feed->batches));
        since++;
        if (cru_ctx_status(l->ctx)) return cru_ctx_status(l->ctx);
        if (l->epoch % settings->every != 0 && l->epoch != steps - 1) continue;
        if (!cru_learner_report(l, monitor, sum / (double)since)) break;
        sum = 0;
        since = 0;
    }
    return cru_ctx_status(l->ctx);
}

/* Scores of items that are computed together. */
static cru_status score_items(cru_learner *l, cru_ids items)
{
    const int64_t classes = l->task->classes;
    cru_tape_begin(l->tape, CRU_EVAL);
    const cru_input x = feed_items(l, items);
    const cru_tensor *z = cru_learner_classify(l, l->tape, &x);
    if (cru_ctx_status(l->ctx)) return cru_ctx_status(l->ctx);
    cru_assert(cru_tensor_rows(z) == items.count && cru_tensor_cols(z) == classes,
               "classify: %lld x %lld for %lld rows of %lld classes", (long long)cru_tensor_rows(z),
               (long long)cru_tensor_cols(z), (long long)items.count, (long long)classes);
    float *scores = cru_tape_alloc(l->tape, items.count * classes, sizeof *scores);
    cru_tensor_download(l->tape, z, scores);
    for (int64_t i = 0; i < items.count; i++)
        memcpy(l->scores + items.ids[i] * classes, scores + i * classes, (size_t)classes * sizeof *scores);
    learner_gather(l, items.ids, items.count);
    return CRU_OK;
}

/* Scores of `items`, some at a time: the maps of a convolution are large. */
static cru_status score_in_turn(cru_learner *l, cru_ids items)
{
    enum { IMAGES = 128, ROWS = 4096 };
    const int64_t most = l->feed->pixels.channels ? IMAGES : ROWS;
    cru_status status = CRU_OK;
    for (int64_t first = 0; first < items.count && !status; first += most) {
        const int64_t left = items.count - first;
        status = score_items(l, (cru_ids){items.ids + first, left < most ? left : most});
    }
    return status;
}

cru_status steps_evaluate(cru_learner *l)
{
    const cru_status status = score_in_turn(l, l->task->split.val);
    return status || l->validation_only ? status : score_in_turn(l, l->feed->others);
}
