// SPDX-License-Identifier: Apache-2.0
/* A method that works, small enough to be spoilt in one place by each of the plugins that include it.
 *
 *     score(i, c) = log((labelled items of class c + 1) / (labelled items + classes)) + 0.01 N(0, 1) */
#ifndef TESTS_ALGORITHM_STUB_H
#define TESTS_ALGORITHM_STUB_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/plugin.h>

#define STUB_PROBLEMS (CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS)

typedef struct stub {
    const cru_task *task;
    const void *settings;
    cru_ctx *ctx;
    float *scores;
} stub;

static inline cru_status stub_create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                                     cru_ctx *ctx)
{
    (void)plugin;
    stub *s = cru_ctx_alloc(ctx, 1, sizeof *s);
    *s = (stub){.task = task, .settings = settings, .ctx = ctx};
    s->scores = cru_ctx_alloc(ctx, task->items * task->classes, sizeof *s->scores);
    *self = s;
    return CRU_OK;
}

/* For plugins that do not claim everything. */
static inline cru_status stub_refuse(uint32_t claimed, const cru_task *task, cru_ctx *ctx)
{
    if (claimed & task->problem) return CRU_OK;
    return cru_ctx_fail(ctx, CRU_UNSUPPORTED, "this method does not do problems of kind %d", (int)task->problem);
}

static inline cru_status stub_fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    const cru_task *task = s->task;
    const int32_t classes = task->classes;
    cru_rng rng = cru_ctx_stream(s->ctx, "init");
    double *count = cru_ctx_alloc(s->ctx, classes, sizeof *count);
    double total = classes;
    for (int32_t c = 0; c < classes; c++) count[c] = 1;
    for (int64_t i = 0; i < task->split.train.count; i++) {
        int32_t label = task->labels[task->split.train.ids[i]];
        if (label == CRU_UNLABELLED) continue;
        count[label]++;
        total++;
    }
    for (int64_t i = 0; i < task->items * classes; i++)
        s->scores[i] = (float)(log(count[i % classes] / total) + 0.01 * cru_rng_normal(&rng));
    if (cru_monitor_limit(monitor) > 0) cru_monitor_epoch(monitor, 0, NAN, s->scores);
    return CRU_OK;
}

static inline cru_status stub_predict(void *self, float *scores)
{
    const stub *s = self;
    memcpy(scores, s->scores, (size_t)(s->task->items * s->task->classes) * sizeof *scores);
    return CRU_OK;
}

/* One line for the usual plugin: a name and a vtable, problems as claimed. */
#define STUB_ALGORITHM(name_, claimed_, ...)                                                                           \
    static const cru_algorithm vtable = {.size = sizeof(cru_algorithm), __VA_ARGS__};                                  \
    CRU_PLUGIN = {                                                                                                     \
        CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),                                                                         \
        .name = (name_),                                                                                               \
        .version = "1.0",                                                                                              \
        .summary = "for tests",                                                                                        \
        .problems = (claimed_),                                                                                        \
        .vtable = &vtable,                                                                                             \
    }

#endif
