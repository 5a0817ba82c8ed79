// SPDX-License-Identifier: Apache-2.0
#include "check/inner.h"

#include <math.h>
#include <string.h>

typedef struct counter {
    const cru_task *task;
    cru_ctx *ctx;
    float *scores;
} counter;

static cru_status create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                         cru_ctx *ctx)
{
    (void)plugin, (void)settings;
    counter *c = cru_ctx_alloc(ctx, 1, sizeof *c);
    *c = (counter){.task = task, .ctx = ctx};
    c->scores = cru_ctx_alloc(ctx, task->items * task->classes, sizeof *c->scores);
    *self = c;
    return CRU_OK;
}

static void draw(const counter *c, cru_rng *rng)
{
    const cru_task *task = c->task;
    double *count = cru_ctx_alloc(c->ctx, task->classes, sizeof *count), total = task->classes;
    for (int64_t i = 0; task->labels && i < task->split.train.count; i++) {
        const int32_t label = task->labels[task->split.train.ids[i]];
        if (label == CRU_UNLABELLED) continue;
        count[label]++;
        total++;
    }
    for (int64_t i = 0; i < task->items * task->classes; i++)
        c->scores[i] = (float)(log((count[i % task->classes] + 1) / total) + 0.1 * cru_rng_normal(rng));
}

/* Three epochs, of which the last counts. */
static cru_status fit(void *self, cru_monitor *monitor)
{
    const counter *c = self;
    cru_rng rng = cru_ctx_stream(c->ctx, "init");
    int64_t most = cru_monitor_limit(monitor) < 3 ? cru_monitor_limit(monitor) : 3;
    draw(c, &rng);
    for (int64_t epoch = 0; epoch < most; epoch++)
        if (cru_monitor_epoch(monitor, epoch, NAN, c->scores) & CRU_STOP) break;
    return CRU_OK;
}

static cru_status predict(void *self, float *scores)
{
    const counter *c = self;
    memcpy(scores, c->scores, (size_t)(c->task->items * c->task->classes) * sizeof *scores);
    return CRU_OK;
}

static const cru_algorithm vtable = {.size = sizeof(cru_algorithm), .create = create, .fit = fit, .predict = predict};

static const cru_plugin counting = {CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
                                    .name = "counter",
                                    .version = "1.0",
                                    .summary = "for checks",
                                    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
                                    .vtable = &vtable};

const cru_inner *check_inner(const cru_plugin *plugin)
{
    static const cru_inner inner = {.plugin = &counting};
    const cru_algorithm *method = plugin->vtable;
    return method->size >= sizeof *method && method->flags & CRU_ALGORITHM_WRAPS ? &inner : NULL;
}
