// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/clock.h"
#include "host/schedule.h"
#include "worker/worker.h"

enum {
    PACKETS_AT_ONCE = 64, /* of one worker, so that a chatty one does not keep the others waiting */
    POINTS_MOST = 1000000,
    GRACE_SECONDS = 1, /* between the last word of a worker and its end */
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

/* ---- starting -------------------------------------------------------------------------------------------- */

static void close_files(job *j)
{
    if (j->socket >= 0) close(j->socket);
    if (j->scores >= 0) close(j->scores);
    if (j->log >= 0) close(j->log);
    if (j->chosen >= 0) close(j->chosen);
    j->socket = j->scores = j->log = j->chosen = -1;
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
        if (j->scores < 0) return -1;
    }
    job *j = leader;
    j->log = memfd_create("log", MFD_CLOEXEC);
    if (j->log < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    j->socket = pair[0];
    fcntl(j->socket, F_SETFL, O_NONBLOCK);
    return pair[1];
}

static void start_worker(job *j, int socket)
{
    runner *r = j->runner;
    const slot *s = &r->slots[j->slot];
    cru_settings *settings = variant_settings(j->trial.algorithm);
    worker_share shares[CRU_MAX_RULES];
    int32_t share_count = 0;
    for (const job *m = j; m; m = m->next) shares[share_count++] = (worker_share){&m->rule, m->scores};
    worker_job work = {.trial = &j->trial,
                       .shares = shares,
                       .share_count = share_count,
                       .inductive = j->inductive,
                       .settings = settings,
                       .run = r->run,
                       .box = s->box,
                       .scratch = s->scratch,
                       .backend = r->device.backend,
                       .card = r->device.cards[j->slot % r->device.card_count],
                       .shape = j->problem->shape,
                       .trace = r->options.in_process ? r->options.trace : NULL,
                       .trace_user = r->options.trace_user,
                       .socket = socket,
                       .task = j->problem->task,
                       .log = j->log};
    pid_t parent = getpid();
    r->summary->trainings++;
    j->started = clock_now();
    j->deadline = r->run->timeout > 0 ? j->started + r->run->timeout : INFINITY;
    if (r->options.in_process) {
        worker_run_here(&work);
    } else {
        j->pid = fork();
        if (j->pid == 0) worker_main(&work, (int)parent);
        if (j->pid > 0) setpgid(j->pid, j->pid);
    }
    cru_settings_destroy(settings);
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
static void not_started(job *j, int cause)
{
    runner *r = j->runner;
    j->pid = 0;
    j->state = JOB_WAITING;
    slots_give(r, j->slot);
    for (job *m = j; m; m = m->next) close_files(m);
    if (!others_run(j)) cru_fail(&r->error, CRU_FAILED, "cannot start a worker: %s", strerror(cause));
}

bool jobs_start(job *j)
{
    runner *r = j->runner;
    if (j->problem->state == PROBLEM_BROKEN) {
        dismiss(j);
        results_fail(j, j->problem->status == CRU_NO_MEMORY ? STORE_OOM : STORE_FAILED, j->problem->message);
        return true;
    }
    j->slot = slots_take(r);
    if (j->slot < 0) return false;
    int socket = open_files(j);
    if (socket >= 0) {
        j->state = JOB_RUNNING;
        start_worker(j, socket);
    }
    int cause = errno;
    if (socket >= 0) close(socket);
    if (socket >= 0 && r->options.in_process) {
        jobs_listen(j);
        worker_gone(j);
    } else if (j->pid <= 0) {
        not_started(j, cause);
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
    j->no_data = reply->no_data;
    if (j->no_data) runner_stop(j->runner, reply);
    jobs_end(j, reply->text);
}

static void checkpoint_judged(judge_call *call, const judge_reply *reply, const records *payload, int fd)
{
    job *j = call->owner, *leader = leader_of(j);
    (void)payload;
    (void)fd;
    j->judging = false;
    if (reply->status != CRU_OK) {
        end_for(leader, reply);
    } else if (reply->value > j->best) {
        j->best = reply->value;
        j->outcome.best_epoch = j->outcome.epoch;
        j->outcome.seconds_to_best = j->outcome.seconds;
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

static bool judged_anyway(const job *j)
{
    return j->rule.nonfinite == MONITOR_NONFINITE_KEEP;
}

static void judge_checkpoint(job *j, const worker_message *m)
{
    runner *r = j->runner;
    if (j->judging) return; /* an honest worker waits for the answer */
    if (j->rule.rule != MONITOR_ORACLE_EARLY) {
        jobs_end(leader_of(j), "asked for an opinion on a checkpoint that its rule does not provide");
        return;
    }
    if (!take_checkpoint(j)) {
        jobs_end(leader_of(j), "no memory for a checkpoint");
        return;
    }
    j->judging = true;
    j->outcome.epoch = m->epoch;
    j->outcome.seconds = m->seconds;
    j->call = (judge_call){.request = {.op = JUDGE_CHECKPOINT,
                                       .trial = j->problem->trial.index,
                                       .best = j->best,
                                       .nonfinite = judged_anyway(j)},
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
    if (reply->status != CRU_OK)
        end_for(j, reply);
    else if (j->pid)
        descriptor_send(j->socket, fd);
    if (fd >= 0) close(fd);
    if (!j->pid) worker_gone(j);
}

static void ask_for_whole(job *j)
{
    runner *r = j->runner;
    if (j->judging || !j->inductive) return;
    j->judging = true;
    j->call = (judge_call){.request = {.op = JUDGE_WHOLE, .trial = j->problem->trial.index},
                           .fd = -1,
                           .lane = j->problem->call.lane,
                           .answered = whole_sealed,
                           .owner = j};
    judges_ask(r->judges, &j->call, &r->error);
}

/* The oracle's choice is the host's to remember, not the worker's to claim. */
static void take_outcome(job *j, const worker_message *m)
{
    if (j->heard) return;
    int64_t best_epoch = j->outcome.best_epoch;
    double to_best = j->outcome.seconds_to_best;
    j->heard = true;
    j->outcome = *m;
    j->outcome.text[sizeof j->outcome.text - 1] = 0;
    if (m->outcome <= STORE_PENDING || m->outcome >= STORE_OUTCOMES) j->outcome.outcome = STORE_FAILED;
    if (j->best > -INFINITY) {
        j->outcome.best_epoch = best_epoch;
        j->outcome.seconds_to_best = to_best;
    }
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
    if (m->type == WORKER_POINT && j) add_point(j, m);
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

void jobs_listen(job *j)
{
    worker_message m;
    for (int i = 0; i < PACKETS_AT_ONCE; i++) {
        ssize_t n = recv(j->socket, &m, sizeof m, MSG_DONTWAIT);
        if (n == 0) hang_up(j);
        if (n != (ssize_t)sizeof m) return;
        take_message(j, &m);
    }
}

/* ---- ending ---------------------------------------------------------------------------------------------- */

static void scored(judge_call *call, const judge_reply *reply, const records *payload, int fd)
{
    job *j = call->owner;
    (void)fd;
    if (reply->no_data) {
        runner_stop(j->runner, reply);
        jobs_abandon(j);
    } else {
        results_finish(j, reply, payload);
    }
}

static void ask_for_score(job *j)
{
    runner *r = j->runner;
    j->state = JOB_SCORING;
    j->call = (judge_call){.request = {.op = JUDGE_SCORE,
                                       .trial = j->problem->trial.index,
                                       .seconds_total = j->outcome.seconds_total,
                                       .seconds_to_best = j->outcome.seconds_to_best,
                                       .peak_bytes = j->usage.ru_maxrss * 1024,
                                       .embedding_cols = j->outcome.embedding_cols,
                                       .nonfinite = judged_anyway(j)},
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
    j->started = leader->started;
    j->ended_at = leader->ended_at;
    j->timed_out = leader->timed_out;
    j->cut_off = leader->cut_off;
    j->no_data = leader->no_data;
    j->ended = leader->ended;
    j->usage = leader->usage;
    memcpy(j->complaint, leader->complaint, sizeof j->complaint);
}

/* Under oracle-early what the judge chose takes the place of the last prediction; the embedding stays the last one. */
static bool take_choice(job *j)
{
    if (!(j->best > -INFINITY)) return true;
    if (!scores_copy_embedding(j->scores, j->chosen, &j->problem->shape, j->outcome.embedding_cols)) return false;
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
    if (outcome != STORE_OK)
        results_fail(j, outcome, message);
    else if (!take_choice(j))
        results_fail(j, STORE_FAILED, "the embedding is too wide, or there is no memory for it");
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

static int64_t packets(const job *leader)
{
    int64_t count = 0;
    for (const job *j = leader; j; j = j->next) count += j->points + j->heard;
    return count;
}

static void drain(job *j)
{
    for (int64_t before = -1; before != packets(j);) {
        before = packets(j);
        jobs_listen(j);
    }
}

void jobs_reap(job *j)
{
    if (!j->pid || wait4(j->pid, &j->ended, WNOHANG, &j->usage) != j->pid) return;
    kill(-j->pid, SIGKILL); /* what it may have started, where there is no sandbox */
    j->pid = 0;
    j->ended_at = clock_now();
    drain(j);
    worker_gone(j);
}

void jobs_end(job *j, const char *complaint)
{
    snprintf(j->complaint, sizeof j->complaint, "%s", complaint);
    if (j->pid) kill(-j->pid, SIGKILL);
}

void jobs_check_time(job *j, double now)
{
    if (!j->pid || now < j->deadline || j->timed_out || j->cut_off || j->complaint[0]) return;
    double limit = j->runner->run->timeout;
    if (limit > 0 && now >= j->started + limit)
        j->timed_out = true;
    else
        j->cut_off = true;
    kill(-j->pid, SIGKILL);
    kill(j->pid, SIGKILL); /* in case it left its group */
}

void jobs_abandon(job *j)
{
    runner *r = j->runner;
    if (j->state == JOB_FREE) return;
    if (j->pid) {
        kill(-j->pid, SIGKILL);
        kill(j->pid, SIGKILL);
        while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR) continue;
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
    *j = (job){.runner = j->runner, .socket = -1, .scores = -1, .log = -1, .chosen = -1};
}
