#include "runner/monitor.h"

#include <stdlib.h>

#include "runner/validation.h"

static const char *const rules[] = {"last",         "accuracy", "loss",     "either",      "both",       "auc",
                                    "auprc",        "covering", "approximated", "oracle", "oracle-stop", NULL};

const cru_param monitor_params[] = {
    CRU_CHOICE(monitor_settings, rule, MONITOR_ACCURACY, rules, "which weights are tested and when training ends"),
    CRU_INT(monitor_settings, patience, 0, 0, 1e9, "epochs in a row without gain before training ends; 0: never"),
    CRU_INT(monitor_settings, min_epochs, 0, 0, 1e9, "training ends early only after an epoch numbered above this"),
    CRU_INT(monitor_settings, max_epochs, 0, 0, 1e9, "most epochs of any method; 0: the method's own setting"),
    CRU_INT(monitor_settings, window, 0, 0, 1e6,
            "end when the validation loss exceeds its mean over this many epochs before; 0: never"),
    CRU_INT(monitor_settings, skip, 0, 0, 1e9, "first reports that cannot be selected"),
    CRU_BOOL(monitor_settings, restore, true, "predict with the selected weights rather than with the last ones"),
    CRU_BOOL(monitor_settings, paper, false, "approximated accuracy gives no credit to vanishing candidates"),
    CRU_END,
};

static validation observed(const cru_task *task, const float *scores)
{
    return (validation){.scores = scores,
                        .classes = task->classes,
                        .ids = task->split.val,
                        .labels = task->labels,
                        .candidates = task->candidates};
}

/* The measure of a rule; for rules that measure nothing themselves, the one that fits the task. */
static monitor_rule measure_of(const monitor_settings *settings, const cru_task *task)
{
    switch ((monitor_rule)settings->rule) {
    case MONITOR_LAST:
    case MONITOR_ORACLE:
    case MONITOR_ORACLE_STOP:
        if (task->problem == CRU_ANOMALY) return MONITOR_AUPRC;
        return task->candidates ? MONITOR_COVERING : MONITOR_ACCURACY;
    case MONITOR_EITHER:
    case MONITOR_BOTH:
        return MONITOR_ACCURACY;
    default:
        return (monitor_rule)settings->rule;
    }
}

double monitor_value(const monitor_settings *settings, const cru_task *task, const float *scores)
{
    validation v = observed(task, scores);
    switch (measure_of(settings, task)) {
    case MONITOR_LOSS:
        return -validation_loss(&v);
    case MONITOR_AUC:
        return validation_auc(&v);
    case MONITOR_AUPRC:
        return validation_auprc(&v);
    case MONITOR_COVERING:
        return validation_covering(&v);
    case MONITOR_APPROXIMATED:
        return validation_approximated(&v, settings->paper);
    default:
        return validation_accuracy(&v);
    }
}

/* Strictly better, so that ties keep the earliest epoch; a NaN is never better. */
static bool improved(monitor *m, double value, double loss)
{
    bool metric = value > m->best, lower = loss < m->best_loss;
    switch ((monitor_rule)m->settings.rule) {
    case MONITOR_LAST:
    case MONITOR_ORACLE:
    case MONITOR_ORACLE_STOP:
        return false;
    case MONITOR_EITHER:
        return metric || lower;
    case MONITOR_BOTH:
        return metric && lower;
    default:
        return metric;
    }
}

static bool above_window(monitor *m, int64_t epoch, double loss)
{
    int64_t window = m->settings.window;
    if (!window) return false;
    bool above = m->epochs > window && epoch > window && loss > m->loss_sum / (double)window;
    double *slot = &m->losses[(m->epochs - 1) % window];
    m->loss_sum += loss - *slot;
    *slot = loss;
    return above;
}

static bool needs_loss(const monitor_settings *s)
{
    return s->window || s->rule == MONITOR_EITHER || s->rule == MONITOR_BOTH;
}

static uint32_t report(void *user, int64_t epoch, double train_loss, const float *scores)
{
    monitor *m = user;
    const monitor_settings *s = &m->settings;
    bool oracle = s->rule == MONITOR_ORACLE || s->rule == MONITOR_ORACLE_STOP;
    bool blind = oracle || (s->rule == MONITOR_LAST && !m->hooks.record);
    monitor_point point = {epoch, train_loss, blind ? NAN : monitor_value(s, m->task, scores)};
    validation v = observed(m->task, scores);
    double loss = needs_loss(s) ? validation_loss(&v) : NAN;

    m->epochs++;
    if (m->hooks.record) m->hooks.record(m->hooks.user, &point);
    uint32_t verdict = above_window(m, epoch, loss) ? CRU_STOP : CRU_GO_ON;
    if (m->epochs <= s->skip) return verdict;
    if (s->rule == MONITOR_ORACLE_STOP) m->hooks.checkpoint(m->hooks.user, &point, scores);
    if (improved(m, point.value, loss)) {
        m->best = point.value;
        m->best_loss = loss;
        m->best_epoch = epoch;
        m->seconds_to_best = m->hooks.now ? m->hooks.now(m->hooks.user) : 0;
        m->wait = 0;
        if (s->restore) verdict |= CRU_KEEP;
    } else if (++m->wait >= s->patience && s->patience && epoch > s->min_epochs) {
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

static cru_status check_rule(const monitor_settings *s, const cru_task *task, cru_error *err)
{
    const char *rule = rules[s->rule];
    if (s->rule == MONITOR_LAST || s->rule == MONITOR_ORACLE) return CRU_OK;
    if (!task->split.val.count)
        return cru_fail(err, CRU_BAD_INPUT, "monitor rule %s needs validation items and the split has none; use last",
                        rule);
    if (s->rule == MONITOR_ORACLE_STOP) return CRU_OK;
    if (s->rule == MONITOR_COVERING || s->rule == MONITOR_APPROXIMATED) {
        if (task->candidates) return CRU_OK;
        return cru_fail(err, CRU_BAD_INPUT, "monitor rule %s needs candidate sets and the labels are not partial", rule);
    }
    if ((s->rule == MONITOR_AUC || s->rule == MONITOR_AUPRC) && task->classes < 2)
        return cru_fail(err, CRU_BAD_INPUT, "monitor rule %s needs two classes", rule);
    if (any_label(task)) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT,
                    "monitor rule %s needs observed validation labels and there are none; use covering", rule);
}

cru_status monitor_open(monitor *m, const monitor_settings *settings, const cru_task *task, cru_error *err)
{
    int64_t limit = settings->max_epochs ? settings->max_epochs : INT64_MAX;
    *m = (monitor){.face = {.epoch = report, .user = m, .limit = limit},
                   .settings = *settings,
                   .task = task,
                   .best = -INFINITY,
                   .best_loss = INFINITY,
                   .best_epoch = -1};
    cru_status status = check_rule(settings, task, err);
    if (status != CRU_OK) return status;
    if (settings->window) {
        m->losses = calloc((size_t)settings->window, sizeof *m->losses);
        if (!m->losses) return cru_fail(err, CRU_NO_MEMORY, "monitor: no memory for %ld losses", (long)settings->window);
    }
    return CRU_OK;
}

void monitor_close(monitor *m)
{
    free(m->losses);
    m->losses = NULL;
}
