// SPDX-License-Identifier: Apache-2.0
#include "judge/judge.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <crucible/scoring.h>

#include "judge/judge-files.h"
#include "judge/judge-maker.h"
#include "judge/metric-needs.h"
#include "loader/loader.h"
#include "process/child.h"
#include "protocol/method-report.h"
#include "protocol/validation.h"
#include "worker/monitor.h"

/* A damaged problem, with truth. */
typedef struct problem {
    struct problem *next; /* the one used before this one */
    int64_t trial;
    cru_data *data;
    cru_task task; /* what methods see of it */
    int64_t bytes;
} problem;

/* Problems that are kept at most. Each costs mappings, of which a process has only so many (vm.max_map_count). */
enum { PROBLEMS_MOST = 512 };

typedef struct judge {
    maker maker;
    problem *recent; /* most recently used first */
} judge;

typedef struct answer {
    judge_reply reply;
    records payload;
    int fd; /* -1: none */
} answer;

score_shape scores_wanted(const experiment *e, int64_t items, int32_t classes)
{
    uint32_t flags = 0;
    for (int64_t i = 0; i < e->metric_count; i++) flags |= e->metrics[i]->plugin->flags;
    const bool all = e->run.keep == RUN_KEEP_ALL;
    const bool embedding = flags & CRU_METRIC_OF_EMBEDDING, weights = flags & CRU_METRIC_OF_LABEL_WEIGHTS;
    return (score_shape){.items = items,
                         .classes = classes,
                         .embedding = embedding || all ? EMBEDDING_MOST : 0,
                         .weights = weights || all,
                         .spare = (embedding ? 0 : SPARE_EMBEDDING) | (weights ? 0 : SPARE_WEIGHTS)};
}

static score_shape shape_of(const judge *j, const cru_data *data)
{
    return scores_wanted(j->maker.setup->experiment, data->items, data->classes);
}

/* ---- keeping problems ------------------------------------------------------------------------------------ */

static problem *find(judge *j, int64_t trial_index)
{
    for (problem **at = &j->recent; *at; at = &(*at)->next) {
        problem *p = *at;
        if (p->trial != trial_index) continue;
        *at = p->next;
        p->next = j->recent;
        return j->recent = p;
    }
    return NULL;
}

/* Drops from the old end what the budget does not hold; the newest stays in any case. */
static void trim(judge *j, int64_t most)
{
    int64_t total = 0, count = 0;
    problem **at = &j->recent;
    while (*at) {
        total += (*at)->bytes;
        if ((total > most && *at != j->recent) || ++count > PROBLEMS_MOST) break;
        at = &(*at)->next;
    }
    while (*at) {
        problem *p = *at;
        *at = p->next;
        cru_data_destroy(p->data);
        free(p);
    }
}

/* The problem of that trial, from memory or made anew; `reports` receives what corruptors say only when it is made. */
static cru_status get_problem(judge *j, int64_t trial_index, problem **out, records *reports, cru_error *err)
{
    *out = find(j, trial_index);
    if (*out) return CRU_OK;
    trial t;
    experiment_trial(j->maker.setup->experiment, trial_index, &t);
    cru_data *data;
    cru_status status = maker_make(&j->maker, &t, &data, reports, err);
    if (status) return status;
    problem *p = calloc(1, sizeof *p);
    if (!p) {
        cru_data_destroy(data);
        return cru_fail(err, CRU_NO_MEMORY, "no memory to keep a problem");
    }
    *p = (problem){.next = j->recent, .trial = trial_index, .data = data};
    status = cru_data_task(data, t.seed, &p->task, err);
    if (status) {
        cru_data_destroy(data);
        free(p);
        return status;
    }
    *out = j->recent = p;
    trim(j, INT64_MAX); /* a problem that is made again to score it does not cost another: that is asked for next */
    return CRU_OK;
}

/* ---- requests -------------------------------------------------------------------------------------------- */

static cru_status checksum(judge *j, const judge_request *request, answer *a, cru_error *err)
{
    trial t;
    experiment_trial(j->maker.setup->experiment, request->trial, &t);
    data_request about = maker_request(&j->maker, &t);
    maker_step(&j->maker, "dataset", t.dataset->name);
    char hex[SHA256_HEX];
    cru_status status = data_checksum(&about, hex, err);
    if (!status) snprintf(a->reply.text, sizeof a->reply.text, "%s", hex);
    return status;
}

/* The task in a memory file that nobody can change any more. */
static cru_status seal_task(const cru_task *task, int64_t *bytes, int *fd, cru_error *err)
{
    struct stat info;
    *fd = memfd_create("task", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (*fd < 0) return cru_fail(err, CRU_NO_MEMORY, "cannot create a memory file: %s", strerror(errno));
    cru_status status = cru_task_write(task, *fd, err);
    if (!status && (fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0 ||
                    fstat(*fd, &info) != 0))
        status = cru_fail(err, CRU_FAILED, "cannot seal a memory file: %s", strerror(errno));
    if (!status) {
        *bytes = info.st_size;
        return CRU_OK;
    }
    close(*fd);
    *fd = -1;
    return status;
}

/* The part of the problem that a method may see while it learns. */
static cru_status seal_seen(const cru_task *whole, split_hide hide, int64_t *bytes, int *fd, cru_error *err)
{
    cru_task seen;
    cru_arena *arena = cru_arena_create();
    cru_status status = data_seen(whole, hide, cru_arena_pool(arena), &seen, err);
    if (!status) status = seal_task(&seen, bytes, fd, err);
    cru_arena_destroy(arena);
    return status;
}

static cru_status check_metrics(const trial *t, const cru_data *data, cru_error *err)
{
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < t->metric_count; i++) status = metric_needs_check(t->metrics[i], data, err);
    return status;
}

/* The task of a trial: all that a method may know, or, where nodes stay hidden until it has learned, what it may know
 * before that. */
static cru_status prepare(judge *j, const judge_request *request, answer *a, cru_error *err)
{
    problem *p;
    trial t;
    experiment_trial(j->maker.setup->experiment, request->trial, &t);
    cru_status status = get_problem(j, request->trial, &p, &a->payload, err);
    if (!status) status = check_metrics(&t, p->data, err);
    if (status) return status;
    split_hide hide;
    bool part = trial_inductive(&t, &hide) && request->op == JUDGE_PREPARE;
    status = part ? seal_seen(&p->task, hide, &p->bytes, &a->fd, err) : seal_task(&p->task, &p->bytes, &a->fd, err);
    if (status) return status;
    a->reply.items = p->data->items;
    a->reply.classes = p->data->classes;
    trim(j, j->maker.setup->cache_bytes);
    return CRU_OK;
}

static double true_validation(const cru_data *data, const float *scores)
{
    validation v = {
        .scores = scores, .classes = data->classes, .ids = data->split.val, .labels = data->truth, .candidates = NULL};
    return validation_accuracy(&v);
}

static cru_status apply_metric(judge *j, const variant *v, cru_judging judging, records *into, cru_error *err)
{
    const cru_plugin *plugin;
    maker_step(&j->maker, "metric", v->name);
    cru_status status = judge_plugin(&j->maker.plugins, v->plugin, &plugin, err);
    if (status) return status;
    double value = NAN;
    labelled_records sink = {into, v->label};
    cru_report report = labelled_report(&sink);
    cru_error why = {0};
    cru_settings *settings = variant_settings(v);
    const cru_metric *metric = plugin->vtable;
    judging.settings = cru_settings_struct(settings);
    judging.report = &report;
    judging.err = &why;
    status = metric->score(&judging, &value);
    cru_settings_destroy(settings);
    if (status) return cru_fail(err, status, "metric %s: %s", v->name, why.text);
    records_put(into, v->label, &value, 1);
    return CRU_OK;
}

/* Rows of scores that are not all finite become rows of numbers with the same guess: what metrics rely on. NULL: no
 * memory. The caller frees it. */
static float *finite_copy(const float *scores, const score_shape *shape)
{
    float *copy = malloc((size_t)scores_count(shape) * sizeof *copy);
    if (!copy) return NULL;
    for (int64_t i = 0; i < shape->items; i++) {
        const float *from = scores + i * shape->classes;
        float *to = copy + i * shape->classes;
        memcpy(to, from, (size_t)shape->classes * sizeof *to);
        if (validation_finite(from, shape->classes)) continue;
        const int32_t guess = cru_best_class(from, shape->classes);
        for (int32_t k = 0; k < shape->classes; k++) to[k] = k == guess;
    }
    return copy;
}

static bool is_known(const judge_request *request, int64_t metric)
{
    return metric < 64 && request->known >> metric & 1;
}

static cru_status apply_metrics(judge *j, const judge_request *request, const cru_judging *judging, answer *a,
                                cru_error *err)
{
    trial t;
    cru_status status = CRU_OK;
    experiment_trial(j->maker.setup->experiment, request->trial, &t);
    a->reply.value = true_validation(judging->data, judging->scores);
    for (int64_t i = 0; !status && i < t.metric_count; i++)
        if (!is_known(request, i)) status = apply_metric(j, t.metrics[i], *judging, &a->payload, err);
    return status;
}

static bool keeps_nonfinite(const judge_request *request)
{
    return request->rule.nonfinite == MONITOR_NONFINITE_KEEP;
}

/* get_problem of one that was prepared, whose reports are known. */
static cru_status find_problem(judge *j, int64_t trial_index, problem **out, cru_error *err)
{
    records ignored = {0};
    cru_status status = get_problem(j, trial_index, out, &ignored, err);
    records_free(&ignored);
    return status;
}

/* How much the method trusts each training label, where a metric asks and the method says; else NULL. */
static cru_status find_weights(const judge_request *request, float *scores, const score_shape *shape,
                               const cru_data *data, const double **weights, cru_error *err)
{
    record found;
    *weights = NULL;
    if (!shape->weights || shape->spare & SPARE_WEIGHTS) return CRU_OK;
    if (request->report_bytes > scores_report_room(shape))
        return cru_fail(err, CRU_FAILED, "its report is larger than its place");
    if (!report_find_weights(scores_report(scores, shape), request->report_bytes, &found)) return CRU_OK;
    if (found.count != data->split.train.count)
        return cru_fail(err, CRU_FAILED, "it gives %lld label weights for %lld training items", (long long)found.count,
                        (long long)data->split.train.count);
    for (int64_t i = 0; i < found.count; i++)
        if (!isfinite(found.values[i])) return cru_fail(err, CRU_FAILED, "the label weights are not all finite");
    *weights = found.values;
    return CRU_OK;
}

static cru_status score(judge *j, const judge_request *request, int fd, answer *a, cru_error *err)
{
    problem *p;
    cru_status status = find_problem(j, request->trial, &p, err);
    if (status) return status;
    score_shape shape = shape_of(j, p->data);
    float *scores = scores_map(fd, &shape, false), *repaired = NULL;
    if (!scores) return cru_fail(err, CRU_FAILED, "the scores cannot be mapped");
    const int64_t cols = shape.spare & SPARE_EMBEDDING ? 0 : request->embedding_cols;
    const double *weights = NULL;
    const bool finite = validation_finite(scores, scores_count(&shape));
    if (!finite && keeps_nonfinite(request)) repaired = finite_copy(scores, &shape);
    if (!finite && !repaired) {
        status = keeps_nonfinite(request) ? cru_fail(err, CRU_NO_MEMORY, "no memory for scores")
                                          : cru_fail(err, CRU_FAILED, "the scores are not all finite");
    } else if (cols < 0 || cols > shape.embedding ||
               !validation_finite(scores_embedding(scores, &shape), shape.items * cols)) {
        status = cru_fail(err, CRU_FAILED, "the embedding is too wide or not finite");
    } else if ((status = find_weights(request, scores, &shape, p->data, &weights, err)) == CRU_OK) {
        const cru_judging judging = {.size = sizeof judging,
                                     .data = p->data,
                                     .scores = repaired ? repaired : scores,
                                     .items = p->data->split.test,
                                     .embedding = cols ? scores_embedding(scores, &shape) : NULL,
                                     .embedding_cols = cols,
                                     .seconds_total = request->seconds_total,
                                     .seconds_to_best = request->seconds_to_best,
                                     .peak_bytes = request->peak_bytes,
                                     .label_weights = weights};
        /* what the worker's own monitor sees, measured again where no method can meddle */
        a->reply.observed = monitor_final(&request->rule, &p->task, scores);
        a->reply.ruled = monitor_value(&request->rule, &p->task, scores);
        status = apply_metrics(j, request, &judging, a, err);
    }
    free(repaired);
    scores_unmap(scores, &shape);
    return status;
}

/* What is chosen stays out of the worker's sight, or it would learn of the truth whether it is good. */
static cru_status checkpoint(judge *j, const judge_request *request, int fd, answer *a, cru_error *err)
{
    problem *p;
    cru_status status = find_problem(j, request->trial, &p, err);
    if (status) return status;
    score_shape shape = shape_of(j, p->data);
    int64_t count = scores_count(&shape);
    float *both = scores_map(fd, &shape, true);
    maker_step(&j->maker, "rule", "oracle-early");
    if (!both) return cru_fail(err, CRU_NO_MEMORY, "no memory to look at a checkpoint");
    if (keeps_nonfinite(request) || validation_finite(both + count, count))
        a->reply.value = true_validation(p->data, both + count);
    if (a->reply.value > request->best) memcpy(both, both + count, (size_t)count * sizeof *both);
    scores_unmap(both, &shape);
    return CRU_OK;
}

static cru_status serve(judge *j, const judge_request *request, int fd, answer *a, cru_error *err)
{
    switch (request->op) {
    case JUDGE_CHECKSUM:
        return checksum(j, request, a, err);
    case JUDGE_PREPARE:
    case JUDGE_WHOLE:
        return prepare(j, request, a, err);
    case JUDGE_SCORE:
        return score(j, request, fd, a, err);
    case JUDGE_CHECKPOINT:
        return checkpoint(j, request, fd, a, err);
    }
    return cru_fail(err, CRU_FAILED, "the judge was asked for something unknown");
}

static bool serve_one(judge *j, int socket)
{
    judge_request request;
    cru_error err = {0};
    int fd;
    if (!request_receive(socket, &request, &fd)) return false;
    answer a = {.reply = {.ticket = request.ticket, .value = NAN, .observed = NAN, .ruled = NAN}, .fd = -1};
    j->maker.no_data = false;
    a.reply.status = serve(j, &request, fd, &a, &err);
    a.reply.no_data = j->maker.no_data;
    if (!a.reply.status && a.payload.failed)
        a.reply.status = cru_fail(&err, CRU_NO_MEMORY, "no memory for the numbers of a trial");
    a.reply.ours = a.reply.status == CRU_NO_MEMORY;
    if (a.reply.status) snprintf(a.reply.text, sizeof a.reply.text, "%s", err.text);
    j->maker.board->step[0] = 0;
    bool sent = reply_send(socket, &a.reply, !a.reply.status ? &a.payload : NULL, a.fd);
    records_free(&a.payload);
    if (a.fd >= 0) close(a.fd);
    if (fd >= 0) close(fd);
    return sent;
}

/* Threads of a parallel loop look out for the next one for a while, which takes a processor from the trials. */
static void dismiss_threads(void)
{
    omp_pause_resource_all(omp_pause_soft);
}

static void on_panic(void *user, cru_status status, const char *message)
{
    judge_board *board = user;
    (void)status;
    snprintf(board->message, sizeof board->message, "%s", message);
    _exit(1);
}

void *judge_prepare(void)
{
    plugin_open_prepare();
    return sandbox_prepare(SANDBOX_JUDGE);
}

const char *const judge_variables[] = {"HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "CRUCIBLE_MIRROR", NULL};

/* From here on, that is before any plugin is loaded. */
static cru_status lock_in(const judge_seat *seat, const data_places *places, cru_error *err)
{
    int ruleset = -1;
    if (!seat->box || !seat->setup->experiment->run.sandbox) return CRU_OK;
    cru_status status = judge_files(seat->setup, places, &ruleset, err);
    return status ? status : sandbox_enter(seat->box, ruleset, err);
}

void judge_main(const judge_seat *seat)
{
    judge j = {.maker = {.setup = seat->setup,
                         .places = config_places(&seat->setup->experiment->paths),
                         .board = seat->board}};
    cru_error err = {0};
    const int kept[] = {seat->socket, seat->log};
    child_begin(seat->parent, &(child_keep){.name = "crucible-judge", .fds = kept, .count = 2});
    prctl(PR_SET_DUMPABLE, 0);
    child_silence();
    if (seat->log >= 0) {
        dup2(seat->log, STDOUT_FILENO);
        dup2(seat->log, STDERR_FILENO);
        close(seat->log);
    }
    cru_panic_set_handler(on_panic, seat->board);
    if (lock_in(seat, &j.maker.places, &err) != CRU_OK) cru_panic(err.status, "%s", err.text);
    while (serve_one(&j, seat->socket)) dismiss_threads();
    _exit(0);
}
