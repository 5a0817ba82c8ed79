#include "trees.h"

#include <string.h>

const char *const trees_aggregate_names[] = {"mean", "sum", "max", NULL};
static const cru_reduce reduces[] = {CRU_REDUCE_MEAN, CRU_REDUCE_SUM, CRU_REDUCE_MAX};

void trees_widen(trees *t, const cru_task *task)
{
    const int64_t cols = task->x.cols * (t->settings->layers + 1);
    cru_tape *tape = cru_tape_create(t->ctx);
    cru_tape_begin(tape, CRU_EVAL);
    cru_input x = cru_input_create(t->ctx, &task->x);
    cru_tensor *f = cru_hop_features(tape, cru_sparse_create(t->ctx, &task->graph), cru_input_dense(tape, &x),
                                     t->settings->layers, reduces[t->settings->aggregate]);
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
    const float *of_class = cru_class_weights_create(t->ctx, t->task, (cru_class_weights)t->settings->class_weights);
    if (of_class) weights = cru_ctx_alloc(t->ctx, train.count, sizeof *weights);
    for (int64_t i = 0; i < train.count; i++) {
        memcpy(x + i * cols, t->all.values + train.ids[i] * cols, (size_t)cols * sizeof *x);
        labels[i] = t->task->labels[train.ids[i]];
        if (weights) weights[i] = of_class[labels[i]];
    }
    return (cru_samples){
        .x = {train.count, cols, x}, .labels = labels, .weights = weights, .classes = t->task->classes};
}

cru_status trees_open(trees *t, const trees_settings *settings, const cru_task *task, cru_ctx *ctx)
{
    cru_status status = cru_task_claim(task, TREES_PROBLEMS, ctx);
    if (status) return status;
    if (task->x.cols == 0) return cru_ctx_fail(ctx, CRU_UNSUPPORTED, "trees learn from features, and there are none");
    if (task->candidates) return cru_ctx_fail(ctx, CRU_UNSUPPORTED, "trees need one label an item, not candidates");
    *t = (trees){.ctx = ctx, .settings = settings};
    trees_widen(t, task);
    t->samples = training_samples(t);
    return cru_ctx_status(ctx);
}

void trees_give(const trees *t, float *scores)
{
    memcpy(scores, t->scores, (size_t)(t->task->items * t->task->classes) * sizeof *scores);
}
