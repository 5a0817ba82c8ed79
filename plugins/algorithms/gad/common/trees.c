// SPDX-License-Identifier: Apache-2.0
#include "trees.h"

#include <math.h>
#include <string.h>

#include <crucible/draft/forest.h>

const char *const trees_aggregate_names[] = {"mean", "sum", "max", NULL};
static const cru_reduce reduces[] = {CRU_REDUCE_MEAN, CRU_REDUCE_SUM, CRU_REDUCE_MAX};

static const trees_settings *table_of(const trees *t)
{
    return (const trees_settings *)((const char *)t->settings + t->learner->table);
}

static void describe(trees *t, const cru_task *task)
{
    const trees_settings *s = table_of(t);
    const int64_t cols = task->x.cols * (s->layers + 1);
    cru_tape *tape = cru_tape_create(t->ctx);
    cru_tape_begin(tape, CRU_EVAL);
    cru_input x = cru_input_create(t->ctx, &task->x);
    cru_tensor *f = cru_hop_features(tape, cru_sparse_create(t->ctx, &task->graph), cru_input_dense(tape, &x),
                                     s->layers, reduces[s->aggregate]);
    float *all = cru_ctx_alloc(t->ctx, task->items * cols, sizeof *all);
    cru_tensor_download(tape, f, all);
    t->task = task;
    t->all = (cru_dense){task->items, cols, all};
    t->scores = cru_ctx_alloc(t->ctx, task->items * task->classes, sizeof *t->scores);
}

static cru_samples training_samples(const trees *t)
{
    const cru_ids train = t->task->split.train;
    const int64_t cols = t->all.cols;
    float *x = cru_ctx_alloc(t->ctx, train.count * cols, sizeof *x), *weights = NULL;
    int32_t *labels = cru_ctx_alloc(t->ctx, train.count, sizeof *labels);
    const float *of_class = cru_class_weights_create(t->ctx, t->task, (cru_class_weights)table_of(t)->class_weights);
    if (of_class) weights = cru_ctx_alloc(t->ctx, train.count, sizeof *weights);
    for (int64_t i = 0; i < train.count; i++) {
        memcpy(x + i * cols, t->all.values + train.ids[i] * cols, (size_t)cols * sizeof *x);
        labels[i] = t->task->labels[train.ids[i]];
        if (weights) weights[i] = of_class[labels[i]];
    }
    return (cru_samples){
        .x = {train.count, cols, x}, .labels = labels, .weights = weights, .classes = t->task->classes};
}

cru_status trees_create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task, cru_ctx *ctx)
{
    const trees_learner *learner = plugin->vtable;
    cru_status status = cru_task_claim(task, plugin->problems, ctx);
    if (status) return status;
    if (task->x.cols == 0) return cru_ctx_fail(ctx, CRU_UNSUPPORTED, "trees learn from features, and there are none");
    if (task->candidates) return cru_ctx_fail(ctx, CRU_UNSUPPORTED, "trees need one label an item, not candidates");
    trees *t = cru_ctx_alloc(ctx, 1, (int64_t)learner->model_size);
    *t = (trees){.learner = learner, .settings = settings, .ctx = ctx};
    describe(t, task);
    t->samples = training_samples(t);
    *self = t;
    return cru_ctx_status(ctx);
}

cru_status trees_fit(void *self, cru_monitor *monitor)
{
    trees *t = self;
    t->learner->grow(t);
    if (cru_ctx_status(t->ctx) == CRU_OK) t->learner->score(t);
    if (cru_ctx_status(t->ctx) == CRU_OK) cru_monitor_epoch(monitor, 0, NAN, t->scores);
    return cru_ctx_status(t->ctx);
}

cru_status trees_widen(void *self, const cru_task *task)
{
    trees *t = self;
    describe(t, task);
    t->learner->score(t);
    return cru_ctx_status(t->ctx);
}

cru_status trees_predict(void *self, float *scores)
{
    const trees *t = self;
    memcpy(scores, t->scores, (size_t)(t->task->items * t->task->classes) * sizeof *scores);
    return CRU_OK;
}

void trees_destroy(void *self)
{
    const trees *t = self;
    if (t->learner->release) t->learner->release(self);
}
