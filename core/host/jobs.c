// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"
#include "host/clock.h"
#include "host/schedule.h"
#include "protocol/method-report.h"
#include "python/interpreter.h"
#include "worker/worker.h"

enum {
    PACKETS_AT_ONCE = 64, /* of one worker, so that a chatty one does not keep the others waiting */
    POINTS_MOST = 1000000,
    GRACE_SECONDS = 1, /* between the last word of a worker and its end */
    LOG_MIB = 256,     /* that a method may print: it is kept in memory until its end */
};

/* ---- sharing a training ---------------------------------------------------------------------------------- */

static job *leader_of(job *j)
{
    return j->leader ? j->leader : j;
}

void jobs_join(job *leader, job *j)
{
    job **end = &leader->next;
    while (*end) end = &(*end)->next;
    *end = j;
    j->leader = leader;
    j->state = JOB_FOLLOWING;
}

static job *member(job *leader, int32_t number)
{
    job *j = number < 0 ? NULL : leader;
    while (j && number-- > 0) j = j->next;
    return j;
}

nursery *jobs_home(const job *j)
{
    return is_python(j->trial.algorithm->plugin->path) ? j->runner->python : j->runner->nursery;
}

/* ---- starting -------------------------------------------------------------------------------------------- */

static void close_files(job *j)
{
    if (j->socket >= 0) close(j->socket);
    if (j->scores >= 0) close(j->scores);
    if (j->log >= 0) close(j->log);
    if (j->chosen >= 0) close(j->chosen);
    if (j->whole >= 0) close(j->whole);
    j->socket = j->scores = j->log = j->chosen = j->whole = -1;
}

/* The followers wait for workers of their own. */
static void dismiss(job *leader)
{
    for (job *j = leader->next, *next; j; j = next) {
        next = j->next;
        close_files(j);
        j->state = JOB_WAITING;
        j->leader = j->next = NULL;
    }
    leader->next = NULL;
}

/* The worker's end of the packet socket, or -1. */
static int open_files(job *leader)
{
    int pair[2];
    for (job *j = leader; j; j = j->next) {
        j->scores = scores_create(&j->problem->shape);
        j->best = -INFINITY;
        j->best_epoch = -1;
        if (j->scores < 0) return -1;
    }
    job *j = leader;
    j->log = memfd_create("log", MFD_CLOEXEC);
    if (j->log < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    j->socket = pair[0];
    fcntl(j->socket, F_SETFL, O_NONBLOCK);
    return pair[1];
}

static worker_job order_for(const job *j, int socket)
{
    const runner *r = j->runner;
    const slot *s = &r->slots[j->slot];
    const variant *method = j->trial.algorithm;
    worker_job work = {.plugin = method->plugin->path,
                       .name = method->name,
                       .inner = method->inner ? method->inner->path : NULL,
                       .inner_name = method->inner ? method->inner->name : NULL,
                       .settings = method->text,
                       .seed = trial_method_seed(&j->trial),
                       .inductive = j->inductive,
                       .curves = r->run->curves,
                       .sandbox = r->run->sandbox,
                       .limits = r->limits,
                       .scratch = s->folder >= 0 ? s->path : NULL,
                       .backend = r->device.backend ? r->device.backend->path : NULL,
                       .backend_name = r->device.backend ? r->device.backend->name : NULL,
                       .card = r->device.cards[j->slot % r->device.card_count],
                       .shape = j->problem->shape,
                       .trace = r->options.in_process ? r->options.trace : NULL,
                       .trace_user = r->options.trace_user,
                       .socket = socket,
                       .task = j->problem->task,
                       .log = j->log,
                       .ruleset = -1};
    for (const job *m = j; m; m = m->next) work.shares[work.share_count++] = (worker_share){m->rule, m->scores};
    return work;
}

static cru_status start_worker(job *j, int socket, cru_error *err)
{
    runner *r = j->runner;
    worker_job work = order_for(j, socket);
    cru_status status = CRU_OK;
    j->started = clock_now();
    if (r->options.in_process) {
        worker_run_here(&work);
    } else {
        if (is_python(work.plugin) && !r->python) status = scripts_open(r, err);
        j->started = clock_now(); /* what the interpreter imports for all is no trial's time */
        if (!status) status = slots_ruleset(r, j->slot, j->trial.algorithm, &work.ruleset, err);
        if (!status) status = worker_start(jobs_home(j), &work, &j->pid, err);
    }
    j->deadline = r->run->timeout > 0 ? j->started + r->run->timeout : INFINITY;
    r->summary->trainings += !status;
    return status;
}

static void worker_gone(job *j);

static bool others_run(const job *j)
{
    const runner *r = j->runner;
    for (int32_t i = 0; i < r->job_count; i++)
        if (r->jobs[i].pid) return true;
    return false;
}

/* Descriptors, processes or memory are short, which is no fault of the method: the job waits for another one to end, or
 * the run ends and the trial stays pending. */
static void not_started(job *j, const cru_error *why)
{
    runner *r = j->runner;
    j->pid = 0;
    j->state = JOB_WAITING;
    slots_give(r, j->slot);
    for (job *m = j; m; m = m->next) close_files(m);
    if (!others_run(j) || !jobs_home(j) || nursery_gone(jobs_home(j)))
        cru_fail(&r->error, CRU_FAILED, "cannot start a worker: %s", why->text);
}

bool jobs_start(job *j)
{
    runner *r = j->runner;
    if (builds_changed(r, &j->trial)) return false;
    if (j->problem->state == PROBLEM_BROKEN) {
        dismiss(j);
        results_fail(j, STORE_FAILED, j->problem->message);
        return true;
    }
    if (*j->source.key) {
        kept_judge(j);
        return true;
    }
    j->slot = slots_take(r);
    if (j->slot < 0) return false;
    cru_error why = {0};
    int socket = open_files(j);
    if (socket >= 0) {
        j->state = JOB_RUNNING;
        start_worker(j, socket, &why);
        close(socket);
    } else {
        cru_fail(&why, CRU_FAILED, "%s", strerror(errno));
    }
    if (socket >= 0 && r->options.in_process) {
        jobs_listen(j);
        j->ended_at = clock_now();
        worker_gone(j);
    } else if (j->pid <= 0) {
        not_started(j, &why);
        return false;
    }
    return true;
}

/* ---- listening ------------------------------------------------------------------------------------------- */

static bool grow_curve(job *j)
{
    if (j->points < j->point_space) return true;
    if (j->points >= POINTS_MOST) return false;
    int64_t space = j->point_space ? 2 * j->point_space : 256;
    int64_t *epochs = realloc(j->epochs, (size_t)space * sizeof *epochs);
    if (epochs) j->epochs = epochs;
    double *losses = realloc(j->losses, (size_t)space * sizeof *losses);
    if (losses) j->losses = losses;
    double *values = realloc(j->values, (size_t)space * sizeof *values);
    if (values) j->values = values;
    if (!epochs || !losses || !values) return false;
    j->point_space = space;
    return true;
}

static void add_point(job *j, const worker_message *m)
{
    if (!grow_curve(j)) return;
    j->epochs[j->points] = m->epoch;
    j->losses[j->points] = m->loss;
    j->values[j->points++] = m->value;
}

/* The judge has no answer for a running worker. */
static void end_for(job *j, const judge_reply *reply)
{
    j->no_data = reply->no_data || reply->ours;
    if (j->no_data) runner_stop(j->runner, reply);
    jobs_end(j, reply->text);
}

static void checkpoint_judged(judge_call *call, const judge_reply *reply, const records *payload, int fd)
{
    job *j = call->owner, *leader = leader_of(j);
    (void)payload;
    (void)fd;
    j->judging = false;
    if (reply->status) {
        end_for(leader, reply);
    } else if (reply->value > j->best) {
        j->best = reply->value;
        j->best_epoch = j->asked_epoch;
        j->better_at = j->asked_at;
    }
    if (leader->pid)
        send(leader->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    else
        worker_gone(leader);
}

/* Puts the checkpoint where only host and judge can see it; false: there is no memory. */
static bool take_checkpoint(job *j)
{
    const score_shape *shape = &j->problem->shape;
    if (j->chosen < 0) j->chosen = scores_create(shape);
    return j->chosen >= 0 && scores_copy_checkpoint(j->scores, j->chosen, shape);
}

static void judge_checkpoint(job *j, const worker_message *m)
{
    runner *r = j->runner;
    if (j->judging) return; /* an honest worker waits for the answer */
    if (j->rule.rule != MONITOR_ORACLE_EARLY) {
        jobs_end(leader_of(j), "asked for an opinion on a checkpoint that its rule does not provide");
        return;
    }
    /* one more than epochs: some show the untrained model, too */
    if (j->rule.epochs && j->asked++ > j->rule.epochs) {
        jobs_end(leader_of(j), "asked for opinions on more checkpoints than it has epochs");
        return;
    }
    if (!take_checkpoint(j)) {
        leader_of(j)->no_data = true;
        runner_short(r, "no memory for a checkpoint");
        jobs_end(leader_of(j), "no memory for a checkpoint");
        return;
    }
    j->judging = true;
    j->asked_epoch = m->epoch;
    j->asked_at = clock_now();
    j->call = (judge_call){
        .request = {.op = JUDGE_CHECKPOINT, .trial = j->problem->trial.index, .best = j->best, .rule = j->rule},
        .fd = j->chosen,
        .lane = j->problem->call.lane,
        .answered = checkpoint_judged,
        .owner = j};
    judges_ask(r->judges, &j->call, &r->error);
}

/* Only now may the test nodes enter the worker. */
static void whole_sealed(judge_call *call, const judge_reply *reply, const records *payload, int fd)
{
    job *j = call->owner;
    (void)payload;
    j->judging = false;
    if (reply->status)
        end_for(j, reply);
    else if (j->pid)
        descriptor_send(j->socket, fd);
    if (fd >= 0 && j->runner->run->predictions && j->whole < 0)
        j->whole = fd;
    else if (fd >= 0)
        close(fd);
    if (!j->pid) worker_gone(j);
}

static void ask_for_whole(job *j)
{
    runner *r = j->runner;
    if (!j->inductive) return;
    if (j->learned) { /* the judge makes one every time */
        jobs_end(j, "asked for the whole task a second time");
        return;
    }
    j->learned = j->judging = true;
    j->call = (judge_call){.request = {.op = JUDGE_WHOLE, .trial = j->problem->trial.index},
                           .fd = -1,
                           .lane = j->problem->call.lane,
                           .answered = whole_sealed,
                           .owner = j};
    judges_ask(r->judges, &j->call, &r->error);
}

/* A report counts when it is of a later epoch than the last, within the experiment's limit, and better by the rule; the
 * judge may refute it in the end. When it came is by our clock. Under oracle-early the judge alone says what is
 * better. */
static void take_better(job *j, const worker_message *m)
{
    const monitor_gain gain = {m->epoch, m->value, m->loss};
    if (j->heard || j->rule.rule == MONITOR_ORACLE_EARLY || m->epoch <= j->best_epoch) return;
    if (j->rule.epochs && m->epoch > j->rule.epochs) return;
    if (!monitor_improves(&j->rule, j->best_epoch >= 0 ? &j->gain : NULL, &gain)) return;
    j->best_epoch = m->epoch;
    j->gain = gain;
    j->better_at = clock_now();
}

/* Parts of a time are within it. */
static double within(double seconds, double most)
{
    return isfinite(seconds) ? fmin(fmax(seconds, 0), fmax(most, 0)) : NAN;
}

static void take_outcome(job *j, const worker_message *m)
{
    if (j->heard) return;
    j->heard = true;
    j->outcome = *m;
    j->outcome.text[sizeof j->outcome.text - 1] = 0;
    printable(j->outcome.text, true);
    double total = clock_now() - leader_of(j)->started;
    j->outcome.seconds_construct = within(m->seconds_construct, total);
    j->outcome.seconds_train = within(m->seconds_train, total - fmax(j->outcome.seconds_construct, 0));
    if (j->runner->options.in_process) j->best_epoch = m->epoch; /* nobody could listen meanwhile */
    if (m->outcome <= STORE_PENDING || m->outcome >= STORE_OUTCOMES) j->outcome.outcome = STORE_FAILED;
}

/* A worker that serves one rule only. It says so first, if it is honest; afterwards it is too late. */
static void leave_alone(job *leader)
{
    bool silent = true;
    for (const job *j = leader->next; j; j = j->next) silent &= !j->heard && !j->judging && !j->points;
    if (silent) dismiss(leader);
}

static void take_message(job *leader, const worker_message *m)
{
    job *j = member(leader, m->share);
    if (m->type == WORKER_POINT && j && j->runner->run->curves) add_point(j, m);
    if (m->type == WORKER_BETTER && j) take_better(j, m);
    if (m->type == WORKER_CHECKPOINT && j) judge_checkpoint(j, m);
    if (m->type == WORKER_LEARNED) ask_for_whole(leader);
    if (m->type == WORKER_ALONE) leave_alone(leader);
    if (m->type == WORKER_OUTCOME && j) take_outcome(j, m);
    if (m->type == WORKER_OUTCOME && m->share == SHARE_ALL)
        for (j = leader; j; j = j->next) take_outcome(j, m);
}

/* The end of packets is near the end of the process, which shows a little later; one that lives on is cut off. */
static void hang_up(job *j)
{
    j->silent = true;
    j->deadline = fmin(j->deadline, clock_now() + GRACE_SECONDS);
}

/* False: there is nothing more for now. */
static bool listen_on(job *j)
{
    worker_message m;
    for (int i = 0; i < PACKETS_AT_ONCE; i++) {
        ssize_t n = recv(j->socket, &m, sizeof m, MSG_DONTWAIT);
        if (n == 0) hang_up(j);
        if (n != (ssize_t)sizeof m) return false;
        take_message(j, &m);
    }
    return true;
}

void jobs_listen(job *j)
{
    listen_on(j);
}

/* ---- ending ---------------------------------------------------------------------------------------------- */

bool jobs_stopped(job *j, const judge_reply *reply)
{
    if (!reply->no_data && !reply->ours) return false;
    runner_stop(j->runner, reply);
    jobs_abandon(j);
    return true;
}

static void scored(judge_call *call, const judge_reply *reply, const records *payload, int fd)
{
    job *j = call->owner;
    (void)fd;
    if (!jobs_stopped(j, reply)) results_finish(j, reply, payload);
}

/* Until its end, not its word: what it does after that still changes its scores. */
double job_seconds(const job *j)
{
    return j->ended_at - j->started;
}

double job_seconds_to_best(const job *j)
{
    return j->best_epoch >= 0 ? j->better_at - j->started : job_seconds(j);
}

static void ask_for_score(job *j)
{
    runner *r = j->runner;
    j->state = JOB_SCORING;
    j->call = (judge_call){.request = {.op = JUDGE_SCORE,
                                       .trial = j->problem->trial.index,
                                       .seconds_total = job_seconds(j),
                                       .seconds_to_best = job_seconds_to_best(j),
                                       .peak_bytes = j->usage.ru_maxrss * 1024,
                                       .embedding_cols = j->outcome.embedding_cols,
                                       .report_bytes = j->outcome.report_bytes,
                                       .rule = j->rule},
                           .fd = j->scores,
                           .lane = j->problem->call.lane,
                           .answered = scored,
                           .owner = j};
    judges_ask(r->judges, &j->call, &r->error);
}

/* What the end of the worker says of a trial is the same for all that shared it. */
static void inherit(job *j, const job *leader)
{
    j->log = dup(leader->log); /* without one the message has no log */
    j->whole = leader->whole < 0 ? -1 : dup(leader->whole);
    j->started = leader->started;
    j->ended_at = leader->ended_at;
    j->timed_out = leader->timed_out;
    j->cut_off = leader->cut_off;
    j->no_data = leader->no_data;
    j->ended = leader->ended;
    j->usage = leader->usage;
    memcpy(j->complaint, leader->complaint, sizeof j->complaint);
}

/* What the method reports: the worker is gone, so the bytes stay as they are. A report that breaks the rules is left out,
 * and the result says so. */
static void take_report(job *j)
{
    const score_shape *shape = &j->problem->shape;
    const uint64_t size = j->outcome.report_bytes;
    char fault[REPORT_FAULT] = "it is larger than its place";
    float *scores = size ? scores_map(j->scores, shape, false) : NULL;
    if (!size) return;
    if (scores && size <= scores_report_room(shape) &&
        report_take(scores_report(scores, shape), size, j->runner->run->predictions, &j->report, fault))
        *fault = 0;
    scores_unmap(scores, shape);
    if (!*fault) return;
    j->outcome.report_bytes = 0;
    snprintf(j->outcome.text, sizeof j->outcome.text, "its report is left out: %s", fault);
}

/* Under oracle-early what the judge chose takes the place of the last prediction; the embedding and the report stay the
 * last ones. False: there is no memory. */
static bool take_choice(job *j)
{
    const score_shape *shape = &j->problem->shape;
    if (!(j->best > -INFINITY)) return true;
    if (!scores_copy_embedding(j->scores, j->chosen, shape, j->outcome.embedding_cols) ||
        !scores_copy_report(j->scores, j->chosen, shape, j->outcome.report_bytes))
        return false;
    close(j->scores);
    j->scores = j->chosen;
    j->chosen = -1;
    return true;
}

static void conclude(job *j, bool kernel_killed)
{
    char message[500];
    if (j->no_data) {
        jobs_abandon(j);
        return;
    }
    store_outcome outcome = outcome_of(j, kernel_killed, message);
    if (outcome == STORE_OK) take_report(j);
    if (outcome != STORE_OK)
        results_fail(j, outcome, message);
    else if (j->outcome.embedding_cols < 0 || j->outcome.embedding_cols > j->problem->shape.embedding)
        results_fail(j, STORE_FAILED, "the embedding is too wide");
    else if (!take_choice(j))
        results_short(j, "no memory for an embedding");
    else
        ask_for_score(j);
}

/* The process is reaped and its packets are read; when the judge still looks at a checkpoint, its answer comes here
 * again. Every job goes its own way now. */
static void worker_gone(job *leader)
{
    for (const job *j = leader; j; j = j->next)
        if (j->judging) return;
    slots_give(leader->runner, leader->slot);
    bool kernel_killed = kernel_has_killed(leader);
    for (job *j = leader->next; j; j = j->next) inherit(j, leader);
    for (job *j = leader, *next; j; j = next) {
        next = j->next;
        j->next = j->leader = NULL;
        conclude(j, kernel_killed);
    }
}

void jobs_reap(job *j, const nursery_end *end)
{
    j->ended = end->status;
    j->usage = end->usage;
    j->pid = 0;
    j->ended_at = clock_now();
    while (listen_on(j)) continue; /* the last of what it has sent says how it went */
    worker_gone(j);
}

void jobs_end(job *j, const char *complaint)
{
    snprintf(j->complaint, sizeof j->complaint, "%s", complaint);
    if (j->pid) nursery_kill(jobs_home(j), j->pid);
}

void jobs_check_time(job *j, double now)
{
    if (!j->pid || now < j->deadline || j->timed_out || j->cut_off || j->complaint[0]) return;
    double limit = j->runner->run->timeout;
    if (limit > 0 && now >= j->started + limit)
        j->timed_out = true;
    else
        j->cut_off = true;
    nursery_kill(jobs_home(j), j->pid);
}

/* Threads of a process; 0: unknown. */
static int64_t count_threads(pid_t pid)
{
    char path[64], line[256];
    long long threads = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Threads: %lld", &threads) == 1) break;
    if (file) fclose(file);
    return threads;
}

static bool fills_scratch(const job *j, int64_t most)
{
    const int folder = j->runner->slots[j->slot].folder;
    const int64_t hidden = scratch_hidden_bytes(folder, j->pid);
    return hidden >= most || scratch_bytes(folder, most - hidden) >= most - hidden;
}

static bool fills_log(const job *j)
{
    struct stat info;
    return fstat(j->log, &info) == 0 && 512 * (int64_t)info.st_blocks > (int64_t)LOG_MIB << 20;
}

/* What no limit of a single process covers is looked at a few times a second. */
void jobs_watch(job *j)
{
    const run_settings *run = j->runner->run;
    const slot *s = &j->runner->slots[j->slot];
    char complaint[200];
    if (!j->pid || j->complaint[0]) return;
    if (fills_log(j)) {
        snprintf(complaint, sizeof complaint, "printed more than %d MiB", LOG_MIB);
        jobs_end(j, complaint);
    } else if (run->thread_limit > 0 && count_threads(j->pid) > run->thread_limit + run->threads) {
        snprintf(complaint, sizeof complaint, "started more than %ld threads ([run] thread_limit)",
                 (long)run->thread_limit);
        jobs_end(j, complaint);
    } else if (s->folder >= 0 && fills_scratch(j, run->scratch << 20)) {
        snprintf(complaint, sizeof complaint,
                 "wrote more than %ld MiB, very many files or deep folders to its scratch folder ([run] scratch)",
                 (long)run->scratch);
        jobs_end(j, complaint);
    }
}

void jobs_abandon(job *j)
{
    runner *r = j->runner;
    nursery_end end;
    if (j->state == JOB_FREE) return;
    if (j->pid) {
        nursery_kill(jobs_home(j), j->pid);
        nursery_await(jobs_home(j), j->pid, -1, &end);
        j->pid = 0;
        slots_give(r, j->slot);
    }
    if (r->options.store) store_release(r->options.store, j->key, NULL);
    jobs_clear(j);
}

void jobs_clear(job *j)
{
    close_files(j);
    free(j->epochs);
    free(j->losses);
    free(j->values);
    records_free(&j->report);
    store_source_clear(&j->source);
    *j = (job){.runner = j->runner, .socket = -1, .scores = -1, .log = -1, .chosen = -1, .whole = -1};
}
