// SPDX-License-Identifier: Apache-2.0
/* runner.h: carries out trials.
 *
 *     runner_open(&options, &r, err);                      starts the judge; no plugin code runs in this process, ever
 *     for each trial:  runner_key(r, &trial, key, err);    what the store knows it by
 *     runner_run(r, &source, &summary, err);               pulls trials from the source, pushes results to it
 *     runner_close(r);
 *
 * Processes. The caller's process is the *host*: one thread, one poll loop, the store. It never maps truth and never
 * loads a plugin. A *judge* (judge/judge.h) makes the damaged problem of a trial, hands the part that a method may see
 * to the host as a sealed memory file, and scores predictions. A *worker* (worker/worker.h) is there for one training
 * and gone after it, under limits and, by default, in a sandbox (worker/sandbox.h). The host forks neither: both come
 * from clean parents (process/nursery.h) that never see data or results; that of the workers does not even know the
 * configuration.
 *
 * Whatever a worker does costs its own trial. A judge that crashes takes down the one request it was busy with, and is
 * replaced; one that is killed from outside costs nothing. When the host dies, all of its children are killed by the
 * kernel. */
#ifndef CORE_RUNNER_H
#define CORE_RUNNER_H

#include <stdbool.h>

#include <crucible/trace.h>

#include "base/sha256.h"
#include "config/config.h"
#include "process/nursery.h"
#include "store/store.h"

typedef struct runner runner;

typedef struct runner_options {
    const experiment *experiment; /* outlives the runner */
    const registry *plugins;      /* outlives the runner */
    store *store;                 /* NULL: results go to the source only; see runner_use_store */
    int32_t jobs;                 /* trials at a time; 0: one per core */
    bool in_process;              /* run methods in this very process, one after the other, with no limit, sandbox or
                                     protection: for debuggers only */
    bool afresh;                  /* train also where kept scores could be judged */
    bool elsewhere;               /* other machines run the trials: that this one has no GPU is no fault */
    cru_trace_sink *trace;        /* with in_process: told of every operator; NULL: nobody is */
    void *trace_user;
    double judge_seconds; /* longest time for one request to the judge; 0: an hour */
    int64_t judge_bytes;  /* problems that a judge keeps ready; 0: 1 GiB; at least one is kept */
    nursery *nursery;     /* from runner_nursery, outlives the runner; NULL: the runner makes one, which then has what
                             this process has in memory now */
    int landlock_most;    /* as in sandbox_files; for tests */
} runner_options;

/* MiB that a trial may have where [run] memory says nothing, with so many jobs (0: as [run] jobs says). */
int64_t runner_memory_share(const run_settings *run, int64_t jobs);

/* The clean parent of scanners and workers, to be made before anything else is read; close it with nursery_close. */
cru_status runner_nursery(nursery **out, cru_error *err);

cru_status runner_open(const runner_options *options, runner **out, cru_error *err);

/* From now on results are kept in `s`, as if it had been in the options: for a caller that wants to know that trials
 * can be run before it makes a file for them. Before the first key is asked for. */
void runner_use_store(runner *r, store *s);

/* Kills and reaps all children. NULL is fine. */
void runner_close(runner *r);

/* The experiment it was opened with. */
const experiment *runner_experiment(const runner *r);

/* The trial's key, SHA-256 over its canonical text, which holds the dataset's checksum; the judge computes that, since
 * it may have to read the files. `text` (may be NULL) receives the canonical text; the caller frees it. Fails as
 * data_checksum does. Not while runner_run is running. */
cru_status runner_key(runner *r, const trial *t, char key[SHA256_HEX], char **text, cru_error *err);

/* runner_key in two steps: what must be asked before the run, and what can be computed during it. */
cru_status runner_checksum(runner *r, const trial *t, char checksum[SHA256_HEX], cru_error *err);
void trial_key(const experiment *e, const trial *t, const char *checksum, char key[SHA256_HEX], char **text);

/* Whether the store keeps scores of the same training that all metrics of the trial can be judged from: then runner_run
 * does so instead of training. A store that fails ends a run that is under way. */
bool runner_has_kept(runner *r, const trial *t, const char *key);

/* Plugins of an experiment whose file is another one than that which made some of its results, on the same version. */
typedef struct runner_rebuilds {
    int64_t count;
    char names[400]; /* "gcn 1.0, mlp 1.0", cut to fit */
} runner_rebuilds;

/* With a store; `id` is that of the experiment there. After runner_run. */
cru_status runner_rebuilt(runner *r, int64_t id, runner_rebuilds *out, cru_error *err);

/* What came out of a trial. Pointers live during the call in which it is handed over. */
typedef struct runner_result {
    const trial *trial;
    const char *key;
    store_result result; /* as stored: outcome, message, numbers, ... */
    double validation;   /* the value by which settings are compared, the larger the better; NAN: none */
} runner_result;

typedef enum runner_next { RUNNER_TRIAL, RUNNER_WAIT, RUNNER_END } runner_next;

/* Where trials come from and results go to. All are called from inside runner_run. A trial that another process holds
 * is waited for: it ends in `known`, or comes to this process when the other one gives it up or dies. */
typedef struct runner_source {
    /* Fills *t and `key` (from runner_key) with the next trial. RUNNER_WAIT: not before the next result; RUNNER_END:
     * there are no more. With a store the trial must have been added to it. Neighbours that share dataset, split,
     * corruption and seed are cheapest. */
    runner_next (*next)(void *user, trial *t, char key[SHA256_HEX]);

    /* Fills *other and `key` with a trial that shares its training with *t (sharing.h) and that `next` has not given;
     * `next` then will not. False: there is none. May be NULL, which is slower where there are several rules. */
    bool (*partner)(void *user, const trial *t, trial *other, char key[SHA256_HEX]);

    /* The trial has ended and is stored. */
    void (*done)(void *user, const runner_result *result);

    /* Another process has stored the trial's result; may be NULL. */
    void (*known)(void *user, const char *key);

    /* There is nothing left to do but to wait for `count` trials of other processes; called once. May be NULL. */
    void (*waiting)(void *user, int64_t count);

    /* Called at least a few times a second with the trials that are under way; may be NULL. */
    void (*tick)(void *user, const trial *const *running, int32_t count);
    void *user;
} runner_source;

typedef struct runner_summary {
    int64_t ended[STORE_OUTCOMES]; /* trials that ended, by outcome */
    int64_t elsewhere;             /* trials that another process ran meanwhile */
    int64_t trainings;             /* workers that were started; one may serve several trials */
    int64_t judged;                /* trials with a result for which kept scores were judged, without training */
    bool interrupted;              /* SIGINT or SIGTERM came: trials in flight were given up, and are pending again */
} runner_summary;

/* Runs until the source ends or a signal comes. Fails only when the machine or the store does, or when a dataset's
 * files are missing or damaged: trials under way then end first and the others stay pending. Results so far are stored.
 * After a failure or an interruption the runner can only be closed. */
cru_status runner_run(runner *r, const runner_source *source, runner_summary *summary, cru_error *err);

#endif
