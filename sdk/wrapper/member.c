// SPDX-License-Identifier: Apache-2.0
/* Instances of the method inside a wrapper. */
#include "wrapper/member.h"

#include <math.h>
#include <string.h>

#include <crucible/scoring.h>

/* A failure of the method is one of the wrapper, which says whose it is. */
static bool settle(cru_member *m, cru_status status)
{
    if (!status) status = cru_ctx_status(m->ctx);
    if (!status) return true;
    const char *text = cru_ctx_error(m->ctx)->text;
    cru_ctx_fail(m->outer, status, "%s inside: %s", m->inner->plugin->name, *text ? text : cru_status_name(status));
    return false;
}

cru_member *cru_member_create(cru_ctx *ctx, const cru_task *task, uint64_t seed)
{
    cru_member *m = cru_ctx_alloc(ctx, 1, sizeof *m);
    *m = (cru_member){.outer = ctx, .inner = cru_ctx_inner(ctx), .task = task};
    if (!m->inner) {
        cru_ctx_fail(ctx, CRU_FAILED, "the host gave no method to wrap");
        return m;
    }
    m->method = m->inner->plugin->vtable;
    m->ctx = cru_ctx_child(ctx, seed);
    if (cru_task_claim(task, m->inner->plugin->problems, m->ctx) == CRU_OK)
        settle(m, m->method->create(&m->self, m->inner->plugin, m->inner->settings, task, m->ctx));
    else
        settle(m, CRU_OK);
    return m;
}

void cru_member_destroy(cru_member *m)
{
    if (!m) return;
    if (m->self && m->method->destroy) m->method->destroy(m->self);
    m->self = NULL;
    cru_ctx_destroy(m->ctx);
    m->ctx = NULL;
}

bool member_works(const cru_member *m)
{
    return m->self && cru_ctx_status(m->outer) == CRU_OK;
}

bool cru_member_fit(cru_member *m, cru_monitor *monitor)
{
    return member_works(m) && settle(m, m->method->fit(m->self, monitor));
}

bool cru_member_predict(cru_member *m, float *scores)
{
    return member_works(m) && settle(m, m->method->predict(m->self, scores));
}

bool member_embed(cru_member *m, const float **rows, int64_t *cols)
{
    return member_works(m) && settle(m, m->method->embed(m->self, rows, cols));
}

bool member_report(cru_member *m, cru_report *report)
{
    return member_works(m) && (!m->method->report || settle(m, m->method->report(m->self, report)));
}

bool member_widen(cru_member *m, const cru_task *task)
{
    if (!member_works(m)) return false;
    m->task = task;
    if (m->method->widen) return settle(m, m->method->widen(m->self, task));
    return settle(m, cru_ctx_fail(m->ctx, CRU_UNSUPPORTED, "cannot learn inductively: it has no `widen`"));
}

/* ---- alone ------------------------------------------------------------------------------------------------- */

typedef struct chooser {
    const cru_task *task;
    double best;
} chooser;

/* NAN without validation labels. */
static double observed_accuracy(const cru_task *task, const float *scores)
{
    int64_t right = 0, count = 0;
    for (int64_t i = 0; task->labels && i < task->split.val.count; i++) {
        const int32_t item = task->split.val.ids[i], label = task->labels[item];
        if (label == CRU_UNLABELLED) continue;
        right += cru_best_class(scores + (int64_t)item * task->classes, task->classes) == label;
        count++;
    }
    return count ? (double)right / (double)count : NAN;
}

static uint32_t choose(void *user, int64_t epoch, double train_loss, const float *scores)
{
    chooser *c = user;
    (void)epoch;
    (void)train_loss;
    const double value = observed_accuracy(c->task, scores);
    if (isnan(value)) return CRU_KEEP;
    if (!(value > c->best)) return CRU_GO_ON;
    c->best = value;
    return CRU_KEEP;
}

bool cru_member_fit_alone(cru_member *m, int64_t limit)
{
    chooser c = {m->task, -1};
    cru_monitor monitor = {.epoch = choose, .user = &c, .limit = limit, .validation_only = true};
    return cru_member_fit(m, &monitor);
}

/* ---- probabilities ----------------------------------------------------------------------------------------- */

void cru_probabilities_of(const float *scores, int64_t rows, int32_t classes, double *p)
{
    for (int64_t i = 0; i < rows; i++) {
        const float *row = scores + i * classes;
        const double all = cru_log_sum_exp(row, classes);
        for (int32_t c = 0; c < classes; c++) p[i * classes + c] = exp((double)row[c] - all);
    }
}

void cru_scores_from(const double *p, int64_t count, float *scores)
{
    for (int64_t i = 0; i < count; i++) scores[i] = (float)log(fmax(p[i], 1e-300));
}

bool cru_member_probabilities(cru_member *m, double *p)
{
    const int64_t count = m->task->items * m->task->classes;
    float *scores = cru_ctx_alloc(m->outer, count, sizeof *scores);
    if (!cru_member_predict(m, scores)) return false;
    cru_probabilities_of(scores, m->task->items, m->task->classes, p);
    return true;
}
