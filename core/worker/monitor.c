// SPDX-License-Identifier: Apache-2.0
#include "worker/monitor.h"

#include <math.h>
#include <stdlib.h>

#include <crucible/imbalance.h>

#include "protocol/validation.h"

static validation observed(const cru_task *task, const float *scores)
{
    return (validation){.scores = scores,
                        .classes = task->classes,
                        .ids = task->split.val,
                        .labels = task->labels,
                        .candidates = task->candidates};
}

static double measure(monitor_metric metric, const validation *v)
{
    switch (metric) {
    case MONITOR_AUC:
        return validation_auc(v);
    case MONITOR_AUPRC:
        return validation_auprc(v);
    default:
        return validation_accuracy(v);
    }
}

static monitor_metric metric_of(const monitor_settings *s, const cru_task *task)
{
    if (s->metric != MONITOR_AUTO) return (monitor_metric)s->metric;
    return task->problem == CRU_ANOMALY ? MONITOR_AUPRC : MONITOR_ACCURACY;
}

double monitor_value(const monitor_settings *settings, const cru_task *task, const float *scores)
{
    validation v = observed(task, scores);
    switch ((monitor_rule)settings->rule) {
    case MONITOR_COVERING_RATE:
        return validation_covering(&v);
    case MONITOR_APPROXIMATED_ACCURACY:
        return validation_approximated(&v, settings->paper);
    case MONITOR_VALIDATION:
        if (settings->criterion == MONITOR_LOSS) return -validation_loss(&v);
        return measure(metric_of(settings, task), &v);
    default:
        if (task->candidates) return validation_covering(&v);
        return measure(metric_of(settings, task), &v);
    }
}

double monitor_final(const monitor_settings *s, const cru_task *task, const float *scores)
{
    if (s->rule == MONITOR_VALIDATION && s->rank == MONITOR_RANK_METRIC) {
        validation v = observed(task, scores);
        return measure(metric_of(s, task), &v);
    }
    return monitor_value(s, task, scores);
}

/* Whether the rule has a best epoch at all; without one patience has no meaning. */
static bool selects(const monitor_settings *s)
{
    return s->rule == MONITOR_VALIDATION || s->rule == MONITOR_COVERING_RATE ||
           s->rule == MONITOR_APPROXIMATED_ACCURACY;
}

bool monitor_improves(const monitor_settings *s, const monitor_gain *past, const monitor_gain *gain)
{
    const bool better = gain->value > (past ? past->value : -INFINITY);
    const bool lower = gain->loss < (past ? past->loss : INFINITY);
    if (!selects(s)) return false;
    if (s->nonfinite == MONITOR_NONFINITE_KEEP && !past) return true;
    if (s->rule == MONITOR_VALIDATION && s->criterion == MONITOR_EITHER) return better || lower;
    if (s->rule == MONITOR_VALIDATION && s->criterion == MONITOR_BOTH) return better && lower;
    return better;
}

bool monitor_refutes(const monitor_settings *s, const monitor_gain *said, double found)
{
    const double margin = 0.02;
    if (!selects(s) || !s->restore || isnan(found)) return false;
    return said->value > found + margin * fmax(1, fabs(found));
}

/* The loss against its mean over the `window` checkpoints before this one. */
static bool above_window(monitor *m, int64_t epoch, double loss)
{
    int64_t window = m->settings.window;
    if (!window) return false;
    double sum = 0;
    for (int64_t i = 0; i < window; i++) sum += m->losses[i];
    m->losses[(m->checkpoints - 1) % window] = loss;
    return m->checkpoints > window && epoch > window && loss > sum / (double)window;
}

static bool looks_at_loss(const monitor_settings *s)
{
    return s->window || s->criterion == MONITOR_EITHER || s->criterion == MONITOR_BOTH;
}

static double loss_for(const monitor *m, const float *scores)
{
    validation v = observed(m->task, scores);
    v.ids = m->loss_ids;
    return looks_at_loss(&m->settings) ? validation_loss(&v) : NAN;
}

/* The rule's value where it is of use: oracle rules see none, `last` only for a curve. */
static double value_for(const monitor *m, const float *scores)
{
    int64_t rule = m->settings.rule;
    if (rule == MONITOR_ORACLE || rule == MONITOR_ORACLE_EARLY) return NAN;
    if (rule == MONITOR_LAST && !m->hooks.record) return NAN;
    return monitor_value(&m->settings, m->task, scores);
}

static bool judges(const monitor *m, const float *scores)
{
    const validation v = observed(m->task, scores);
    return m->settings.nonfinite == MONITOR_NONFINITE_KEEP || validation_all_finite(&v);
}

static uint32_t report(void *user, int64_t epoch, double train_loss, const float *scores)
{
    monitor *m = user;
    const monitor_settings *s = &m->settings;
    if (m->reports++ % s->every != 0) return CRU_GO_ON;
    m->checkpoints++;
    const bool judged = judges(m, scores);
    monitor_point point = {epoch, train_loss, judged ? value_for(m, scores) : NAN};
    double loss = judged ? loss_for(m, scores) : NAN;

    if (m->hooks.record) m->hooks.record(m->hooks.user, &point);
    uint32_t verdict = above_window(m, epoch, loss) ? CRU_STOP : CRU_GO_ON;
    if (m->checkpoints <= s->skip) return verdict;
    if (s->rule == MONITOR_ORACLE_EARLY && m->hooks.checkpoint) m->hooks.checkpoint(m->hooks.user, &point, scores);
    const monitor_gain past = {m->best_epoch, m->best, m->best_loss}, gain = {epoch, point.value, loss};
    if (monitor_improves(s, m->gains ? &past : NULL, &gain)) {
        m->gains++;
        m->best = point.value;
        m->best_loss = loss;
        m->best_epoch = epoch;
        if (m->hooks.better) m->hooks.better(m->hooks.user, &gain);
        m->wait = 0;
        if (s->restore) verdict |= CRU_KEEP;
    } else if (++m->wait >= s->patience && s->patience && epoch > s->min_epochs && selects(s)) {
        verdict |= CRU_STOP;
    }
    return verdict;
}

static bool any_label(const cru_task *task)
{
    for (int64_t i = 0; i < task->split.val.count; i++)
        if (task->labels && task->labels[task->split.val.ids[i]] >= 0) return true;
    return false;
}

/* The validation graphs without the largest of all. */
static cru_status leave_heads_out(monitor *m, cru_error *err)
{
    const cru_task *task = m->task;
    const int64_t count = task->items, heads = (int64_t)(m->settings.heads * (double)count);
    if (!heads) return CRU_OK;
    int32_t *order = calloc((size_t)count, sizeof *order);
    int64_t *size = calloc((size_t)count, sizeof *size);
    m->tails = calloc((size_t)task->split.val.count + 1, sizeof *m->tails);
    if (order && size && m->tails) {
        for (int32_t g = 0; g < count; g++) {
            order[g] = g;
            size[g] = task->graph_offsets[g + 1] - task->graph_offsets[g];
        }
        cru_largest_first(order, count, size);
        for (int64_t i = 0; i < heads; i++) size[order[i]] = -1;
        m->loss_ids = (cru_ids){m->tails, 0};
        for (int64_t i = 0; i < task->split.val.count; i++)
            if (size[task->split.val.ids[i]] >= 0) m->tails[m->loss_ids.count++] = task->split.val.ids[i];
    }
    const bool made = order && size && m->tails;
    free(order);
    free(size);
    return made ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "monitor: no memory for %ld graphs", (long)count);
}

static cru_status check_rule(const monitor_settings *s, const cru_task *task, cru_error *err)
{
    if (s->heads > 0 && (task->problem != CRU_GRAPHS || !looks_at_loss(s)))
        return cru_fail(err, CRU_BAD_INPUT,
                        "heads of [monitor] is for whole graphs and rules that look at the loss: criterion = either or "
                        "both, or a window");
    if (s->rule == MONITOR_LAST || s->rule == MONITOR_ORACLE) return CRU_OK;
    if (!task->split.val.count)
        return cru_fail(err, CRU_BAD_INPUT,
                        "the monitor's rule needs validation items and the split has none; use rule = last");
    if (s->rule == MONITOR_ORACLE_EARLY) return CRU_OK;
    if (s->rule == MONITOR_COVERING_RATE || s->rule == MONITOR_APPROXIMATED_ACCURACY) {
        if (task->candidates) return CRU_OK;
        return cru_fail(
            err, CRU_BAD_INPUT,
            "the monitor's rule needs candidate sets and the labels are not partial; use rule = validation");
    }
    if (any_label(task)) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "rule = validation needs observed validation labels and there are none; %s",
                    task->candidates ? "use rule = covering-rate" : "use rule = last");
}

cru_status monitor_open(monitor *m, const monitor_settings *settings, const cru_task *task, cru_error *err)
{
    int64_t limit = settings->epochs ? settings->epochs : INT64_MAX;
    *m = (monitor){.face = {.epoch = report,
                            .user = m,
                            .limit = limit,
                            .before_step = settings->before_step != MONITOR_AFTER_STEP,
                            .validation_only = settings->rule != MONITOR_ORACLE_EARLY,
                            .unless_dropout = settings->before_step == MONITOR_BEFORE_AUTO},
                   .settings = *settings,
                   .task = task,
                   .loss_ids = task->split.val,
                   .best = -INFINITY,
                   .best_loss = INFINITY,
                   .best_epoch = -1};
    cru_status status = check_rule(settings, task, err);
    if (!status) status = leave_heads_out(m, err);
    if (status) return status;
    if (settings->window) {
        m->losses = calloc((size_t)settings->window, sizeof *m->losses);
        if (!m->losses)
            return cru_fail(err, CRU_NO_MEMORY, "monitor: no memory for %ld losses", (long)settings->window);
    }
    return CRU_OK;
}

void monitor_close(monitor *m)
{
    free(m->losses);
    free(m->tails);
    m->losses = NULL;
    m->tails = NULL;
}
