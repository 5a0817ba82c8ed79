// SPDX-License-Identifier: Apache-2.0
/* The algorithm vtable of wrappers. */
#include <string.h>

#include "wrapper/member.h"

static const cru_wrapper *hooks_of(const cru_wrapping *w)
{
    return w->plugin->vtable;
}

static int64_t score_count(const cru_wrapping *w)
{
    return w->task->items * w->task->classes;
}

/* What depends on the task. */
static cru_status open_task(cru_wrapping *w, const cru_task *task)
{
    const cru_wrapper *hooks = hooks_of(w);
    w->task = task;
    w->state = hooks->state_size ? cru_ctx_alloc(w->ctx, 1, hooks->state_size) : NULL;
    w->scores = cru_ctx_alloc(w->ctx, score_count(w), sizeof *w->scores);
    w->p = cru_ctx_alloc(w->ctx, score_count(w), sizeof *w->p);
    if (hooks->open) hooks->open(w);
    return cru_ctx_status(w->ctx);
}

cru_status cru_wrapper_create(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                              cru_ctx *ctx)
{
    cru_status status = cru_task_claim(task, plugin->problems, ctx);
    if (status) return status;
    cru_wrapping *w = cru_ctx_alloc(ctx, 1, sizeof *w);
    *w = (cru_wrapping){.plugin = plugin, .settings = settings, .ctx = ctx};
    if (hooks_of(w)->change) w->member = cru_member_create(ctx, task, cru_ctx_seed(ctx));
    status = cru_ctx_status(ctx);
    if (!status) status = open_task(w, task);
    if (status)
        cru_member_destroy(w->member);
    else
        *self = w;
    return status;
}

/* From scores of the method to those of the wrapper; `to` may be `from`. */
static void change(cru_wrapping *w, const float *from, float *to)
{
    cru_probabilities_of(from, w->task->items, w->task->classes, w->p);
    hooks_of(w)->change(w, w->p);
    cru_scores_from(w->p, score_count(w), to);
}

typedef struct watcher {
    cru_wrapping *w;
    cru_monitor *outer;
} watcher;

static uint32_t watch(void *user, int64_t epoch, double train_loss, const float *scores)
{
    const watcher *see = user;
    change(see->w, scores, see->w->scores);
    return cru_monitor_epoch(see->outer, epoch, train_loss, see->w->scores);
}

cru_status cru_wrapper_fit(void *self, cru_monitor *monitor)
{
    cru_wrapping *w = self;
    if (hooks_of(w)->train) {
        hooks_of(w)->train(w, monitor);
        return cru_ctx_status(w->ctx);
    }
    watcher see = {w, monitor};
    cru_monitor between = {.epoch = watch,
                           .user = &see,
                           .limit = cru_monitor_limit(monitor),
                           .before_step = cru_monitor_before_step(monitor),
                           .unless_dropout = cru_monitor_unless_dropout(monitor)};
    cru_member_fit(w->member, &between);
    return cru_ctx_status(w->ctx);
}

cru_status cru_wrapper_predict(void *self, float *scores)
{
    cru_wrapping *w = self;
    if (!w->member)
        memcpy(scores, w->scores, (size_t)score_count(w) * sizeof *scores);
    else if (cru_member_predict(w->member, scores))
        change(w, scores, scores);
    return cru_ctx_status(w->ctx);
}

cru_status cru_wrapper_embed(void *self, const float **rows, int64_t *cols)
{
    cru_wrapping *w = self;
    if (w->member && member_works(w->member) && w->member->method->embed) {
        member_embed(w->member, rows, cols);
        return cru_ctx_status(w->ctx);
    }
    *rows = w->scores;
    *cols = w->task->classes;
    return w->member ? cru_wrapper_predict(w, w->scores) : CRU_OK;
}

cru_status cru_wrapper_widen(void *self, const cru_task *task)
{
    cru_wrapping *w = self;
    if (!w->member) return cru_ctx_fail(w->ctx, CRU_UNSUPPORTED, "%s cannot learn inductively", w->plugin->name);
    return member_widen(w->member, task) ? open_task(w, task) : cru_ctx_status(w->ctx);
}

cru_status cru_wrapper_report(void *self, cru_report *report)
{
    cru_wrapping *w = self;
    if (w->member) member_report(w->member, report);
    return cru_ctx_status(w->ctx);
}

void cru_wrapper_destroy(void *self)
{
    cru_member_destroy(((cru_wrapping *)self)->member);
}
