// SPDX-License-Identifier: Apache-2.0
#include "worker/training.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <crucible/plugin.h>

#include "host/clock.h"
#include "protocol/method-report.h"
#include "protocol/validation.h"
#include "worker/device.h"
#include "worker/subnormals.h"

void training_tell(const training *t, const worker_message *message)
{
    ssize_t n;
    do n = write(t->job->socket, message, sizeof *message);
    while (n < 0 && errno == EINTR);
}

/* ---- the monitor's hooks --------------------------------------------------------------------------------- */

static void send_point(void *user, const monitor_point *point)
{
    const share *s = user;
    training_tell(s->training, &(worker_message){.type = WORKER_POINT,
                                                 .share = s->number,
                                                 .epoch = point->epoch,
                                                 .loss = point->loss,
                                                 .value = point->value});
}

/* Hands the scores to the judge and waits until it has looked at them. What it found stays with it. */
static void send_checkpoint(void *user, const monitor_point *point, const float *scores)
{
    share *s = user;
    const worker_job *job = s->training->job;
    int64_t count = scores_count(&job->shape);
    char answer;
    ssize_t n;
    memcpy(s->scores + count, scores, (size_t)count * sizeof *scores);
    training_tell(s->training, &(worker_message){.type = WORKER_CHECKPOINT, .share = s->number, .epoch = point->epoch});
    do n = read(job->socket, &answer, 1);
    while (n < 0 && errno == EINTR);
}

/* The host looks at its own clock. */
static void send_better(void *user, const monitor_gain *gain)
{
    const share *s = user;
    training_tell(
        s->training,
        &(worker_message){
            .type = WORKER_BETTER, .share = s->number, .epoch = gain->epoch, .value = gain->value, .loss = gain->loss});
}

static void write_log(void *user, const char *line)
{
    training *t = user;
    static const char mark[] = "warning: ";
    if (!*t->warning && strncmp(line, mark, strlen(mark)) == 0)
        snprintf(t->warning, sizeof t->warning, "%s", line + strlen(mark));
    dprintf(STDERR_FILENO, "%s\n", line);
}

/* The monitor of several rules, none of which can end the training. */
static uint32_t ask_all(void *user, int64_t epoch, double train_loss, const float *scores)
{
    training *t = user;
    uint32_t verdict = CRU_GO_ON;
    for (int32_t i = 0; i < t->share_count; i++) {
        cru_monitor *rule = &t->shares[i].watch.face;
        if (t->shares[i].status) continue;
        if (rule->epoch(rule->user, epoch, train_loss, scores) & CRU_KEEP) verdict |= CRU_KEEP_FOR(i);
    }
    return verdict;
}

/* Whether all rules, or none, are content with the scores of validation items. */
static bool rules_look_alike(const training *t)
{
    int32_t early = 0;
    for (int32_t i = 0; i < t->share_count; i++) early += t->job->shares[i].rule.rule == MONITOR_ORACLE_EARLY;
    return early == 0 || early == t->share_count;
}

/* Where the items are graphs, those that are scored together may depend on which are wanted, and with them the last
 * bits of a score: rules that want different ones cannot share a training that is to give what each would give
 * alone. */
static bool can_share(const training *t, const cru_algorithm *method)
{
    return method->select && (t->task.problem != CRU_GRAPHS || rules_look_alike(t));
}

/* ---- rules ----------------------------------------------------------------------------------------------- */

/* What goes with what: a checkpoint has a row for every item, and what was learned without the test nodes must be
 * carried over to them. What cannot be done in the host's own process was refused by runner_open. */
static cru_status check_views(const share *s, const cru_algorithm *method, cru_error *err)
{
    const training *t = s->training;
    bool early = s->watch.settings.rule == MONITOR_ORACLE_EARLY;
    if (!t->job->inductive) return CRU_OK;
    if (early)
        return cru_fail(err, CRU_UNSUPPORTED, "rule = oracle-early scores test items, which view = inductive hides");
    if (!method->widen) return cru_fail(err, CRU_UNSUPPORTED, "cannot learn inductively: it has no `widen`");
    return CRU_OK;
}

/* True when at least one rule suits the task; the others have failed. */
static bool open_rules(training *t, const cru_algorithm *method)
{
    bool any = false;
    for (int32_t i = 0; i < t->share_count; i++) {
        share *s = &t->shares[i];
        s->status = monitor_open(&s->watch, &t->job->shares[i].rule, &t->task, &s->err);
        if (!s->status) s->status = check_views(s, method, &s->err);
        s->watch.hooks = (monitor_hooks){.record = t->job->curves && !t->here ? send_point : NULL,
                                         .checkpoint = send_checkpoint,
                                         .better = t->here ? NULL : send_better,
                                         .user = s};
        any |= !s->status;
    }
    return any;
}

/* ---- the method ------------------------------------------------------------------------------------------ */

/* An instance of the method while it lives. */
typedef struct instance {
    const cru_plugin *plugin;
    const cru_algorithm *method;
    void *self;
    cru_ctx *ctx;
} instance;

/* Puts the learned representation where a metric can see it. */
static cru_status hand_embedding(share *s, const instance *p)
{
    const score_shape *shape = &s->training->job->shape;
    const float *rows = NULL;
    int64_t cols = 0;
    if (!shape->embedding || !p->method->embed) return CRU_OK;
    cru_status status = p->method->embed(p->self, &rows, &cols);
    if (status) return status;
    if (cols > shape->embedding && shape->spare & SPARE_EMBEDDING) return CRU_OK;
    if (!rows || cols < 1 || cols > shape->embedding)
        return cru_ctx_fail(p->ctx, CRU_UNSUPPORTED, "an embedding of %ld columns; 1 to %d can be judged", (long)cols,
                            (int)shape->embedding);
    memcpy(scores_embedding(s->scores, shape), rows, (size_t)(shape->items * cols) * sizeof *rows);
    s->embedding_cols = cols;
    return CRU_OK;
}

/* Puts what was learned beside scores where the host can read it. What does not fit is a warning. */
static cru_status hand_report(share *s, const instance *p)
{
    training *t = s->training;
    const score_shape *shape = &t->job->shape;
    if (!p->method->report) return CRU_OK;
    report_writer w = {.weights = shape->weights, .room = scores_report_room(shape)};
    cru_report report = report_open(&w);
    cru_status status = p->method->report(p->self, &report);
    s->report_bytes = report_close(&w, scores_report(s->scores, shape));
    if (*w.fault && !*t->warning)
        snprintf(t->warning, sizeof t->warning, "a part of its report is left out: %s", w.fault);
    return status;
}

/* The test nodes come only now. From here on the task is the whole one. */
static cru_status widen(training *t, const instance *p)
{
    int fd = -1;
    training_tell(t, &(worker_message){.type = WORKER_LEARNED});
    if (!descriptor_receive(t->job->socket, &fd))
        return cru_ctx_fail(p->ctx, CRU_FAILED, "the host did not send the whole task");
    cru_status status = cru_task_map(fd, &t->whole, &t->whole_mapping, cru_ctx_error(p->ctx));
    close(fd);
    t->whole.seed = t->job->seed;
    if (!status) status = p->method->widen(p->self, &t->whole);
    return status;
}

/* A method may fail without saying why, or say why and not fail. */
static cru_status settle(cru_status status, const instance *p, cru_error *err)
{
    if (!status) status = cru_ctx_status(p->ctx);
    if (!status) return CRU_OK;
    const char *text = cru_ctx_error(p->ctx)->text;
    return cru_fail(err, status, "%s", *text ? text : cru_status_name(status));
}

static cru_status learn(training *t, instance *p)
{
    const share *only = &t->shares[0];
    cru_monitor all = {.epoch = ask_all,
                       .user = t,
                       .limit = only->watch.face.limit,
                       .before_step = only->watch.face.before_step,
                       .validation_only = rules_look_alike(t) && only->watch.face.validation_only,
                       .unless_dropout = only->watch.face.unless_dropout};
    const void *settings = cru_settings_struct(t->settings);
    cru_status status = p->method->create(&p->self, p->plugin, settings, &t->task, p->ctx);
    t->seconds_construct = clock_now() - t->begun;
    if (!status) status = p->method->fit(p->self, t->share_count > 1 ? &all : &t->shares[0].watch.face);
    t->seconds_train = clock_now() - t->begun - t->seconds_construct;
    if (!status && t->job->inductive) status = widen(t, p);
    return status;
}

/* Scores that are not finite, which the experiment wants to see judged. */
static bool diverged_but_kept(const share *s, cru_status status)
{
    return status == CRU_DIVERGED && s->watch.settings.nonfinite == MONITOR_NONFINITE_KEEP &&
           !validation_finite(s->scores, scores_count(&s->training->job->shape));
}

/* Under the rule oracle-early the host replaces what is predicted here by what the judge chose. A failure here is of
 * this rule alone. */
static void predict(share *s, const instance *p)
{
    const training *t = s->training;
    if (t->share_count > 1) p->method->select(p->self, s->number);
    cru_status status = p->method->predict(p->self, s->scores);
    if (diverged_but_kept(s, status)) {
        *cru_ctx_error(p->ctx) = (cru_error){0};
        status = CRU_OK;
    }
    if (!status) status = hand_embedding(s, p);
    if (!status) status = hand_report(s, p);
    s->status = settle(status, p, &s->err);
    *cru_ctx_error(p->ctx) = (cru_error){0};
}

void training_run(training *t, const cru_plugin *plugin, const cru_backend *backend)
{
    const worker_job *job = t->job;
    const cru_algorithm *method = plugin->vtable;
    const uint64_t arithmetic = subnormals_flush();
    t->begun = clock_now();
    if (t->share_count > 1 && !can_share(t, method)) {
        training_tell(t, &(worker_message){.type = WORKER_ALONE});
        t->share_count = 1;
    }
    if (open_rules(t, method)) {
        cru_error err = {0};
        instance p = {.plugin = plugin,
                      .method = method,
                      .ctx = cru_ctx_create(&(cru_ctx_options){.seed = job->seed,
                                                               .backend = backend,
                                                               .device = job->card,
                                                               .threads = (int32_t)job->limits.threads,
                                                               .log = write_log,
                                                               .log_user = t,
                                                               .inner = t->inner.plugin ? &t->inner : NULL})};
        cru_ctx_trace(p.ctx, job->trace, job->trace_user);
        cru_status status = device_limit(job->limits.device, backend, p.ctx, &err);
        if (!status) status = settle(learn(t, &p), &p, &err);
        training_fail(t, status, &err);
        for (int32_t i = 0; i < t->share_count; i++)
            if (!t->shares[i].status) predict(&t->shares[i], &p);
        if (p.self && method->destroy) method->destroy(p.self);
        cru_ctx_destroy(p.ctx);
    }
    for (int32_t i = 0; i < t->share_count; i++) monitor_close(&t->shares[i].watch);
    subnormals_restore(arithmetic);
}

/* ---- before and after ------------------------------------------------------------------------------------ */

cru_status training_open(training *t, const worker_job *job, bool here, cru_error *err)
{
    *t = (training){
        .job = job, .here = here, .share_count = job->share_count, .seconds_construct = NAN, .seconds_train = NAN};
    for (int32_t i = 0; i < t->share_count; i++) t->shares[i] = (share){.training = t, .number = i};
    cru_status status = cru_task_map(job->task, &t->task, &t->mapping, err);
    t->task.seed = job->seed; /* other methods' draws of the same problem may come from other seeds */
    for (int32_t i = 0; !status && i < t->share_count; i++) {
        t->shares[i].scores = scores_map(job->shares[i].scores, &job->shape, true);
        if (!t->shares[i].scores) status = cru_fail(err, CRU_NO_MEMORY, "cannot map the scores: %s", strerror(errno));
    }
    return status;
}

void training_fail(training *t, cru_status status, const cru_error *err)
{
    for (int32_t i = 0; status && i < t->share_count; i++) {
        share *s = &t->shares[i];
        if (!s->status) s->status = cru_fail(&s->err, status, "%s", err->text);
    }
}

static void report(const share *s)
{
    const training *t = s->training;
    worker_message m = {.type = WORKER_OUTCOME,
                        .share = s->number,
                        .outcome = STORE_FAILED,
                        .seconds_construct = t->seconds_construct,
                        .seconds_train = t->seconds_train};
    if (!s->status) {
        m.outcome = STORE_OK;
        snprintf(m.text, sizeof m.text, "%s", t->warning);
        m.epoch = s->watch.best_epoch;
        m.embedding_cols = s->embedding_cols;
        m.report_bytes = s->report_bytes;
    } else {
        if (s->status == CRU_NO_MEMORY) m.outcome = STORE_OOM;
        m.diverged = s->status == CRU_DIVERGED;
        snprintf(m.text, sizeof m.text, "%s", s->err.text);
    }
    training_tell(t, &m);
}

void training_report(training *t)
{
    for (int32_t i = 0; i < t->share_count; i++) report(&t->shares[i]);
}
