// SPDX-License-Identifier: Apache-2.0
#include "host/runner.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/clock.h"
#include "host/cores.h"
#include "host/schedule.h"
#include "host/signals.h"
#include "loader/scanner.h"
#include "python/interpreter.h"
#include "worker/device.h"

enum {
    JUDGE_SECONDS = 3600,
    JUDGE_MIB = 1024,
    JOBS_PER_JUDGE = 4, /* preparing and scoring is cheap beside training */
    JUDGES_MOST = 16,
    TICK_MS = 200,
    FILE_MIB = 256, /* largest log, at least */
    FLUSH_MS = 20,  /* how long results may wait for company in one transaction */
    RENEW_SECONDS = 60,
};

/* ---- opening and closing --------------------------------------------------------------------------------- */

/* `jobs`: what the command line says; 0: nothing. */
static int32_t slots_of(const run_settings *run, int64_t jobs)
{
    if (jobs > 0) return (int32_t)jobs;
    return run->jobs > 0 ? (int32_t)run->jobs : cores_usable();
}

static int32_t slots_wanted(const runner_options *options)
{
    return options->in_process ? 1 : slots_of(&options->experiment->run, options->jobs);
}

int64_t runner_memory_share(const run_settings *run, int64_t jobs)
{
    return (memory_usable() >> 20) / slots_of(run, jobs);
}

static cru_status open_judges(runner *r, cru_error *err)
{
    const runner_options *o = &r->options;
    int32_t count = (r->slot_count + JOBS_PER_JUDGE - 1) / JOBS_PER_JUDGE;
    judges_options wanted = {
        .setup = {.experiment = o->experiment,
                  .plugins = o->plugins,
                  .cache_bytes = o->judge_bytes > 0 ? o->judge_bytes : (int64_t)JUDGE_MIB << 20,
                  .landlock_most = o->landlock_most},
        .count = count < JUDGES_MOST ? count : JUDGES_MOST,
        .seconds = o->judge_seconds > 0 ? o->judge_seconds : JUDGE_SECONDS,
    };
    return judges_open(&wanted, &r->judges, err);
}

static cru_status open_jobs(runner *r, cru_error *err)
{
    int64_t rules = r->options.in_process ? 1 : experiment_monitor_most(r->options.experiment);
    r->training_most = 2 * r->slot_count + 4; /* some wait and some are scored while others run */
    r->job_count = r->training_most * (int32_t)(rules < CRU_MAX_RULES ? rules : CRU_MAX_RULES);
    r->jobs = calloc((size_t)r->job_count, sizeof *r->jobs);
    if (!r->jobs) return cru_fail(err, CRU_NO_MEMORY, "no memory for %d trials at a time", (int)r->slot_count);
    for (int32_t i = 0; i < r->job_count; i++)
        r->jobs[i] = (job){.runner = r, .socket = -1, .scores = -1, .log = -1, .chosen = -1, .whole = -1};
    return CRU_OK;
}

cru_status runner_nursery(nursery **out, cru_error *err)
{
    const nursery_trade trades[] = {[SCAN_TRADE] = scan_trade, [WORKER_TRADE] = worker_trade};
    return nursery_open(&(nursery_options){.trades = trades, .count = 2}, out, err);
}

static cru_status find_nursery(runner *r, cru_error *err)
{
    r->nursery = r->options.nursery;
    if (r->nursery || r->options.in_process) return CRU_OK;
    cru_status status = runner_nursery(&r->own_nursery, err);
    r->nursery = r->own_nursery;
    return status;
}

/* Where the user insists on a sandbox, half of one is none. */
static cru_status check_sandbox(const runner_options *options, cru_error *err)
{
    const char *missing = sandbox_probe(options->landlock_most).missing;
    if (options->experiment->run.sandbox != RUN_SANDBOX_REQUIRED || (!missing && !options->in_process)) return CRU_OK;
    return cru_fail(err, CRU_UNSUPPORTED, "[run] sandbox = required: %s",
                    missing ? missing : "methods in this process are not in a sandbox");
}

/* Memory is an even share of what there is unless the user says how much. */
static worker_limits limits_of(const run_settings *run, int32_t slots)
{
    return (worker_limits){.threads = run->threads,
                           .memory = run->memory ? run->memory : runner_memory_share(run, slots),
                           .cpu = run->cpu,
                           .descriptors = run->file_limit,
                           .file = run->scratch > FILE_MIB ? run->scratch : FILE_MIB,
                           .device = run->device_memory};
}

static int64_t rule_of(const trial *t)
{
    cru_settings *settings = variant_settings(t->monitor);
    const int64_t rule = ((const monitor_settings *)cru_settings_struct(settings))->rule;
    cru_settings_destroy(settings);
    return rule;
}

/* What needs a worker apart from the host is refused before anything is stored: the trial could be run well enough. */
static cru_status check_in_process(const runner_options *options, cru_error *err)
{
    const experiment *e = options->experiment;
    const variant *split = NULL, *rule = NULL;
    for (int64_t i = 0; options->in_process && i < experiment_trial_count(e); i++) {
        trial t;
        experiment_trial(e, i, &t);
        if (t.split != split && trial_inductive(&t, NULL))
            return cru_fail(err, CRU_UNSUPPORTED,
                            "view = inductive cannot be applied in process: nothing can be hidden");
        if (t.monitor != rule && rule_of(&t) == MONITOR_ORACLE_EARLY)
            return cru_fail(err, CRU_UNSUPPORTED, "rule = oracle-early cannot be applied in process");
        if (is_python(t.algorithm->plugin->path))
            return cru_fail(err, CRU_UNSUPPORTED, "%s: a method in Python cannot be run in process",
                            t.algorithm->plugin->path);
        split = t.split;
        rule = t.monitor;
    }
    return CRU_OK;
}

cru_status runner_open(const runner_options *options, runner **out, cru_error *err)
{
    *out = NULL;
    const run_settings *run = &options->experiment->run;
    device_choice device;
    cru_status status = check_in_process(options, err);
    if (!status) status = device_choose(run, options->plugins, &device, err);
    if (status) return status;
    /* A driver opens device files and starts threads, which the sandbox forbids. */
    if (device.backend && strcmp(device.backend->name, "cuda") == 0 && run->sandbox && !options->in_process)
        return cru_fail(err, CRU_UNSUPPORTED,
                        "methods on a GPU cannot be sandboxed: set [run] sandbox = off if you trust them");
    status = check_sandbox(options, err);
    if (!status && !options->elsewhere) status = device_probe(&device, run->sandbox && !options->in_process, err);
    if (status) return status;
    runner *r = calloc(1, sizeof *r);
    if (!r) return cru_fail(err, CRU_NO_MEMORY, "no memory for the runner");
    r->options = *options;
    r->run = run;
    r->device = device;
    r->signals = -1;
    r->slot_count = slots_wanted(options);
    r->limits = limits_of(run, r->slot_count);
    status = find_nursery(r, err);
    if (!status) status = open_jobs(r, err);
    if (!status) status = builds_open(r, err);
    if (!status) status = open_judges(r, err);
    if (!status) status = slots_open(r, err);
    if (!status)
        *out = r;
    else
        runner_close(r);
    return status;
}

void runner_close(runner *r)
{
    if (!r) return;
    for (int32_t i = 0; r->jobs && i < r->job_count; i++) jobs_abandon(&r->jobs[i]);
    judges_close(r->judges);
    problems_clear(r);
    scripts_close(r);
    slots_close(r);
    held_clear(r);
    builds_close(r);
    nursery_close(r->own_nursery);
    free(r->judged_by);
    free(r->jobs);
    free(r);
}

void runner_use_store(runner *r, store *s)
{
    r->options.store = s;
}

const experiment *runner_experiment(const runner *r)
{
    return r->options.experiment;
}

/* ---- keys ------------------------------------------------------------------------------------------------ */

typedef struct checksum_wait {
    bool done;
    judge_reply reply;
} checksum_wait;

static void checksum_came(judge_call *call, const judge_reply *reply, const records *payload, int fd)
{
    checksum_wait *wait = call->owner;
    (void)payload;
    (void)fd;
    wait->done = true;
    wait->reply = *reply;
}

static int poll_timeout(double deadline, int most)
{
    double left = ceil((deadline - clock_now()) * 1000);
    if (left < 0) return 0;
    return left < most ? (int)left : most;
}

static cru_status ask_checksum(runner *r, const trial *t, cru_error *err)
{
    checksum_wait wait = {0};
    judge_call call = {.request = {.op = JUDGE_CHECKSUM, .trial = t->index},
                       .fd = -1,
                       .lane = 0,
                       .answered = checksum_came,
                       .owner = &wait};
    struct pollfd fds[JUDGES_MOST];
    cru_status status = judges_ask(r->judges, &call, err);
    while (!status && !wait.done) {
        judges_fill(r->judges, fds);
        poll(fds, (nfds_t)judges_count(r->judges), poll_timeout(judges_deadline(r->judges), 1000));
        status = judges_take(r->judges, fds, clock_now(), err);
    }
    if (status) return status;
    if (wait.reply.status) return cru_fail(err, wait.reply.status, "%s", wait.reply.text);
    snprintf(r->checksum, sizeof r->checksum, "%.*s", SHA256_HEX - 1, wait.reply.text);
    return CRU_OK;
}

/* A generator's data depends on the seed, that of files does not. */
static uint64_t seed_of_data(const trial *t)
{
    return t->dataset->plugin && t->dataset->plugin->problems ? t->seed : 0;
}

cru_status runner_checksum(runner *r, const trial *t, char checksum[SHA256_HEX], cru_error *err)
{
    if (r->checked != t->dataset || r->checked_seed != seed_of_data(t)) {
        cru_status status = ask_checksum(r, t, err);
        if (status) return status;
        r->checked = t->dataset;
        r->checked_seed = seed_of_data(t);
    }
    memcpy(checksum, r->checksum, SHA256_HEX);
    return CRU_OK;
}

void trial_key(const experiment *e, const trial *t, const char *checksum, char key[SHA256_HEX], char **text)
{
    char *canonical = trial_text(e, t, checksum);
    sha256_bytes(canonical, strlen(canonical), key);
    if (text)
        *text = canonical;
    else
        free(canonical);
}

cru_status runner_key(runner *r, const trial *t, char key[SHA256_HEX], char **text, cru_error *err)
{
    char checksum[SHA256_HEX];
    cru_status status = runner_checksum(r, t, checksum, err);
    if (!status) trial_key(r->options.experiment, t, checksum, key, text);
    return status;
}

/* ---- the loop -------------------------------------------------------------------------------------------- */

static job *free_job(runner *r)
{
    for (int32_t i = 0; i < r->job_count; i++)
        if (r->jobs[i].state == JOB_FREE) return &r->jobs[i];
    return NULL;
}

/* A place for a job that does not follow another. */
static job *free_leader(runner *r)
{
    int32_t trainings = 0;
    for (int32_t i = 0; i < r->job_count; i++) trainings += r->jobs[i].state != JOB_FREE && !r->jobs[i].leader;
    return trainings < r->training_most ? free_job(r) : NULL;
}

/* Neighbours mostly share monitor and split, so these are not read again for every trial. */
static void read_rule(runner *r, job *j)
{
    const trial *t = &j->trial;
    if (r->ruled != t->monitor) {
        cru_settings *settings = variant_settings(t->monitor);
        r->rule = *(const monitor_settings *)cru_settings_struct(settings);
        cru_settings_destroy(settings);
        r->ruled = t->monitor;
    }
    if (r->viewed != t->split) r->inductive = trial_inductive(t, NULL);
    r->viewed = t->split;
    j->rule = r->rule;
    j->inductive = r->inductive;
}

/* Makes the trial a job of this process; false when another process has it or has finished it. */
static bool claim(runner *r, job *j, const trial *t, const char *key)
{
    bool won = true;
    if ((r->options.store && store_claim(r->options.store, key, &won, &r->error) != CRU_OK) || !won) return false;
    j->trial = *t;
    memcpy(j->key, key, sizeof j->key);
    read_rule(r, j);
    j->problem = problems_get(r, t);
    j->order = ++r->pulled;
    j->state = j->problem ? JOB_WAITING : JOB_FREE;
    if (j->problem) kept_find(j);
    return true;
}

/* Other rules that can look on at the training of a job which was just made. */
static void gather(runner *r, job *leader)
{
    trial t;
    char key[SHA256_HEX];
    if (!r->source->partner || r->options.in_process || leader->state != JOB_WAITING || *leader->source.key) return;
    for (int count = 1; count < CRU_MAX_RULES && !r->error.status; count++) {
        job *j = free_job(r);
        if (!j || !r->source->partner(r->source->user, &leader->trial, &t, key)) return;
        if (!claim(r, j, &t, key))
            held_add(r, &t, key);
        else if (j->state == JOB_WAITING && !*j->source.key)
            jobs_join(leader, j);
    }
}

void runner_stop(runner *r, const judge_reply *reply)
{
    if (!r->stop.status) cru_fail(&r->stop, reply->status, "%s", reply->text);
}

void runner_short(runner *r, const char *what)
{
    if (!r->stop.status)
        cru_fail(&r->stop, CRU_NO_MEMORY, "%s; no trial fails for it: run the same command again", what);
}

static bool start(runner *r, const trial *t, const char *key)
{
    job *j = free_leader(r);
    if (!j || !claim(r, j, t, key)) return false;
    gather(r, j);
    return true;
}

static void pull(runner *r)
{
    trial t;
    char key[SHA256_HEX];
    if (r->stop.status) return;
    held_look(r, clock_now(), start);
    while (!r->source_ended && !r->source_waits && !r->error.status && free_leader(r)) {
        switch (r->source->next(r->source->user, &t, key)) {
        case RUNNER_END:
            r->source_ended = true;
            return;
        case RUNNER_WAIT:
            r->source_waits = true;
            return;
        case RUNNER_TRIAL:
            break;
        }
        if (!start(r, &t, key)) held_add(r, &t, key);
    }
}

/* The job that was pulled first among those that could begin. */
static job *next_waiting(runner *r)
{
    job *first = NULL;
    for (int32_t i = 0; i < r->job_count; i++) {
        job *j = &r->jobs[i];
        if (j->state != JOB_WAITING || j->problem->state == PROBLEM_PREPARING) continue;
        if (!first || j->order < first->order) first = j;
    }
    return first;
}

static void dispatch(runner *r)
{
    for (job *j; !r->error.status && !r->stop.status && (j = next_waiting(r));)
        if (!jobs_start(j)) return;
}

static bool busy(const runner *r)
{
    for (int32_t i = 0; i < r->job_count; i++)
        if (r->jobs[i].state != JOB_FREE) return true;
    return false;
}

/* Whether nothing more is to be begun, and nothing is under way. */
static bool stopped(const runner *r)
{
    if (!r->stop.status) return false;
    for (int32_t i = 0; i < r->job_count; i++)
        if (r->jobs[i].state == JOB_RUNNING || r->jobs[i].state == JOB_SCORING) return false;
    return true;
}

static void tell_waiting(runner *r)
{
    if (r->waiting_told || r->held_count == 0 || busy(r) || !(r->source_ended || r->source_waits)) return;
    r->waiting_told = true;
    if (r->source->waiting) r->source->waiting(r->source->user, r->held_count);
}

static double next_deadline(const runner *r)
{
    double deadline = judges_deadline(r->judges);
    for (int32_t i = 0; i < r->job_count; i++)
        if (r->jobs[i].pid && !r->jobs[i].timed_out && !r->jobs[i].cut_off && !r->jobs[i].complaint[0])
            deadline = fmin(deadline, r->jobs[i].deadline);
    return deadline;
}

static void tick(runner *r, const trial **running)
{
    int32_t count = 0;
    if (!r->source->tick) return;
    for (int32_t i = 0; i < r->job_count; i++)
        if (r->jobs[i].pid) running[count++] = &r->jobs[i].trial;
    r->source->tick(r->source->user, running, count);
}

/* The memory of a run: what poll looks at, and who is running. */
typedef struct loop {
    struct pollfd *fds; /* signals, the nursery, that of Python, judges, then the running jobs in order */
    const trial **running;
    double ticked, flushed, renewed;
} loop;

static int fill(runner *r, loop *l)
{
    int used = 0;
    l->fds[used++] = (struct pollfd){.fd = r->signals, .events = POLLIN};
    l->fds[used++] = (struct pollfd){.fd = r->nursery ? nursery_fd(r->nursery) : -1, .events = POLLIN};
    l->fds[used++] = (struct pollfd){.fd = r->python ? nursery_fd(r->python) : -1, .events = POLLIN};
    judges_fill(r->judges, l->fds + used);
    used += judges_count(r->judges);
    for (int32_t i = 0; i < r->job_count; i++) {
        const job *j = &r->jobs[i];
        l->fds[used++] = (struct pollfd){.fd = j->pid && !j->silent ? j->socket : -1, .events = POLLIN};
    }
    return used;
}

/* While a transaction is open other processes wait, so it must end also when workers never stop talking. */
static void look_after_store(runner *r, loop *l, bool idle, double now)
{
    store *s = r->options.store;
    if (!s) return;
    if (idle || now > l->flushed + 0.001 * FLUSH_MS) {
        store_flush(s, &r->error);
        l->flushed = now;
    }
    if (now > l->renewed + RENEW_SECONDS) {
        store_renew(s, &r->error);
        l->renewed = now;
    }
}

/* Workers that have ended. */
static void reap(runner *r, nursery *from)
{
    nursery_end end;
    while (from && nursery_take(from, &end))
        for (int32_t i = 0; i < r->job_count; i++)
            if (r->jobs[i].pid == end.pid) jobs_reap(&r->jobs[i], &end);
    if (from && nursery_gone(from) && !r->error.status)
        cru_fail(&r->error, CRU_FAILED, "the process that starts workers was killed; trials under way stay to be run");
}

/* One round: waits for something to happen and deals with it. True: the program is asked to stop. */
static bool turn(runner *r, loop *l)
{
    bool stop = false;
    int used = fill(r, l), judge_count = judges_count(r->judges);
    bool waiting = (r->nursery && nursery_has_ended(r->nursery)) || (r->python && nursery_has_ended(r->python));
    int most = waiting ? 0 : r->options.store ? FLUSH_MS : TICK_MS;
    int ready = poll(l->fds, (nfds_t)used, poll_timeout(next_deadline(r), most));
    if (ready <= 0)
        for (int i = 0; i < used; i++) l->fds[i].revents = 0;
    if (l->fds[0].revents) stop = signals_take(r->signals);
    bool ended = l->fds[1].revents || l->fds[2].revents || most == 0;
    judges_take(r->judges, l->fds + 3, clock_now(), &r->error);
    double now = clock_now();
    for (int32_t i = 0; i < r->job_count; i++) {
        job *j = &r->jobs[i];
        if (j->pid && l->fds[3 + judge_count + i].revents) jobs_listen(j);
        jobs_check_time(j, now);
    }
    if (ended) {
        reap(r, r->nursery);
        reap(r, r->python);
    }
    look_after_store(r, l, ready == 0, now);
    if (now > l->ticked + 0.001 * TICK_MS) {
        tick(r, l->running);
        for (int32_t i = 0; i < r->job_count; i++) jobs_watch(&r->jobs[i]);
        l->ticked = now;
    }
    return stop;
}

static cru_status loop_open(const runner *r, loop *l, cru_error *err)
{
    *l = (loop){.fds = calloc((size_t)(3 + judges_count(r->judges) + r->job_count), sizeof *l->fds),
                .running = calloc((size_t)r->job_count, sizeof *l->running),
                .renewed = clock_now()};
    return l->fds && l->running ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "no memory for the runner");
}

static void loop_close(loop *l)
{
    free(l->fds);
    free(l->running);
}

cru_status runner_run(runner *r, const runner_source *source, runner_summary *summary, cru_error *err)
{
    loop l;
    *summary = (runner_summary){0};
    r->source = source;
    r->summary = summary;
    r->source_ended = r->source_waits = r->waiting_told = false;
    r->look_again = 0;
    r->error = r->stop = (cru_error){0};
    r->kernel_kills = kernel_kill_count();
    r->signals = signals_open();
    if (r->signals < 0) return cru_fail(err, CRU_FAILED, "cannot wait for signals: %s", strerror(errno));
    loop_open(r, &l, &r->error);
    while (!r->error.status && !summary->interrupted) {
        if (!busy(r)) r->source_waits = false;
        pull(r);
        dispatch(r);
        if (stopped(r) || (r->source_ended && !busy(r) && r->held_count == 0)) break;
        tell_waiting(r);
        if (!r->error.status) summary->interrupted = turn(r, &l);
    }
    for (int32_t i = 0; i < r->job_count; i++) jobs_abandon(&r->jobs[i]);
    if (r->options.store) store_flush(r->options.store, &r->error);
    loop_close(&l);
    signals_close(r->signals);
    r->signals = -1;
    if (r->error.status) return cru_fail(err, r->error.status, "%s", r->error.text);
    return !r->stop.status || summary->interrupted ? CRU_OK : cru_fail(err, r->stop.status, "%s", r->stop.text);
}
