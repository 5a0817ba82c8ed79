// SPDX-License-Identifier: Apache-2.0
/* schedule.h: the insides of a runner, for the files that make it up.
 *
 * A trial is a *job* from the moment it is pulled from the source:
 *
 *     waiting    for its problem to be prepared and for a free slot
 *     following  until another job's worker is gone, which serves this one, too
 *     running    a worker has it
 *     scoring    the worker is gone, the judge looks at its scores
 *
 * and ends in results_finish or results_fail. One whose training is in the store goes from waiting to scoring (kept.c).
 * Jobs that share a training (sharing.h) are a list: its first, the
 * *leader*, has the worker and the others follow it; when the worker is gone each is a job of its own again. A
 * *problem* is shared by the jobs that need it. A *slot* is a place for one worker, with its scratch folder and
 * sandbox. */
#ifndef CORE_RUNNER_SCHEDULE_H
#define CORE_RUNNER_SCHEDULE_H

#include <limits.h>
#include <sys/resource.h>

#include "host/runner.h"
#include "protocol/judges.h"
#include "worker/device.h"
#include "worker/monitor.h"
#include "worker/sandbox.h"
#include "worker/scratch.h"
#include "worker/worker.h"

typedef enum problem_state { PROBLEM_PREPARING, PROBLEM_READY, PROBLEM_BROKEN } problem_state;

typedef struct problem {
    struct problem *next; /* the one used before this one */
    runner *runner;
    trial trial; /* stands for all that share the problem */
    problem_state state;
    int task; /* memory file; -1 unless ready */
    score_shape shape;
    records reports;   /* what corruptors said */
    char message[500]; /* why it is broken */
    cru_status status;
    int32_t users;
    judge_call call;
} problem;

typedef enum job_state { JOB_FREE, JOB_WAITING, JOB_FOLLOWING, JOB_RUNNING, JOB_SCORING } job_state;

typedef struct job {
    runner *runner;
    job_state state;
    uint64_t order; /* in which they were pulled */
    trial trial;
    char key[SHA256_HEX];
    problem *problem;
    monitor_settings rule; /* of the trial's monitor */
    bool inductive;        /* trial_inductive */
    struct job *next;      /* the next that shares the training */
    struct job *leader;    /* the first of these; NULL: this one */

    /* running */
    int32_t slot;
    pid_t pid; /* 0: gone */
    int socket, scores, log;
    int whole;  /* the whole task of an inductive trial whose predictions are kept; -1: none */
    int chosen; /* oracle-early: a file of scores with what the judge chose, which the worker never sees; -1: none */
    double started, deadline, ended_at;
    int64_t best_epoch;  /* of the last report that was better by the rule; -1: none yet */
    monitor_gain gain;   /* what it said */
    double better_at;    /* when it came */
    int64_t asked;       /* checkpoints that it has shown the judge */
    int64_t asked_epoch; /* of the one that the judge looks at */
    double asked_at;
    bool silent; /* it closed its socket */
    bool timed_out;
    bool cut_off;        /* killed because it lived on after that */
    bool judging;        /* a call to the judge is open */
    bool learned;        /* inductive: it has asked for the whole task */
    bool no_data;        /* the judge could not answer for want of data */
    bool heard;          /* `outcome` is set */
    char complaint[500]; /* why the host ended the worker; empty: it did not */
    double best;         /* oracle-early */
    worker_message outcome;
    int64_t *epochs; /* of the learning curve */
    double *losses, *values;
    int64_t points, point_space;

    /* afterwards */
    int ended; /* wait status */
    struct rusage usage;
    records report; /* what the method says it learned */
    judge_call call;

    store_source source; /* a trial of the same training whose kept scores are judged instead; no key: none */
} job;

/* A trial that another process had claimed when it was pulled. */
typedef struct held_trial {
    trial trial;
    char key[SHA256_HEX];
} held_trial;

/* The trial that has it gets a folder of its own inside the slot's. */
typedef struct slot {
    bool taken;
    int parent;              /* the slot's folder, whose path has a random name, too; -1: no scratch */
    char path[PATH_MAX];     /* of the trial's */
    char name[SCRATCH_NAME]; /* its last part; empty: none */
    int folder;              /* its descriptor; -1: none */
    int ruleset;             /* of the sandbox, for that folder and these plugins; -1: none */
    const registry_entry *ruled, *ruled_inner;
} slot;

typedef struct build build;
typedef struct permits permits;

struct runner {
    runner_options options;
    const run_settings *run;
    device_choice device;
    judges *judges;
    problem *problems; /* most recently used first */
    slot *slots;
    int32_t slot_count;
    job *jobs;
    int32_t job_count, training_most; /* places for jobs; trainings that are under way or wait, at most */
    uint64_t pulled;
    held_trial *held;
    int64_t held_count, held_space;
    double look_again; /* when to ask for them */
    bool waiting_told;
    nursery *nursery;     /* where workers come from */
    nursery *own_nursery; /* the same, when the runner made it; else NULL */
    nursery *python;      /* where workers in Python come from; NULL: no method is in Python */
    cru_arena *python_memory;
    scratch python_scratch; /* for what packages write while they are imported */
    const struct interpreter *interpreter;
    permits *permits; /* what workers may open, by plugin; see slots.c */
    worker_limits limits;
    scratch scratch;      /* folder of the slots' folders */
    int signals;          /* descriptor; -1: none */
    int64_t kernel_kills; /* out-of-memory kills on this machine that are accounted for */
    const runner_source *source;
    runner_summary *summary;
    bool source_ended, source_waits;
    build *builds;          /* of the plugins that were asked for, see builds.c */
    cru_error error;        /* of the machine or the store; ends the run */
    cru_error stop;         /* why nothing more is begun; ends the run when all workers are gone */
    const variant *checked; /* the dataset whose checksum was asked last, and its seed */
    uint64_t checked_seed;
    char checksum[SHA256_HEX];
    const variant *const *judging; /* the metrics that were told last, and in which words; see kept.c */
    char *judged_by;
    const variant *ruled, *viewed; /* the monitor and the split that were read last, and what they say */
    monitor_settings rule;
    bool inductive;
};

/* runner.c: data is missing, which is no fault of any method. What is under way may end, all other trials stay pending.
 * The first such reply counts. */
void runner_stop(runner *r, const judge_reply *reply);
void runner_short(runner *r, const char *what);

/* problems.c: the problem of a trial, being prepared if it is new. Every get needs a release. NULL: r->error says. */
problem *problems_get(runner *r, const trial *t);
void problems_release(runner *r, problem *p);
void problems_clear(runner *r);

/* scripts.c: starts the interpreter of all scripts of the experiment, for the first trial that needs it. */
cru_status scripts_open(runner *r, cru_error *err);
void scripts_close(runner *r);

/* slots.c: places for workers, and what workers may open. Whoever takes a slot finds a scratch folder that no
 * trial has touched; -1: none is free. slots_ruleset lends the sandbox's rules for a worker with that method in that
 * slot; -1 where there is no Landlock or no sandbox. */
cru_status slots_open(runner *r, cru_error *err);
void slots_close(runner *r);
int32_t slots_take(runner *r);
void slots_give(runner *r, int32_t index);
cru_status slots_ruleset(runner *r, int32_t index, const variant *method, int *ruleset, cru_error *err);

/* held.c: trials of other processes. held_look asks the store, at most a few times a second: finished ones go to the
 * source, those that are free again are claimed and handed to `start`, which returns false when there is no room. */
void held_add(runner *r, const trial *t, const char *key);
void held_look(runner *r, double now, bool (*start)(runner *r, const trial *t, const char *key));
void held_clear(runner *r);

/* jobs.c. All but jobs_abandon and jobs_clear are for leaders. */
void jobs_join(job *leader, job *j);                 /* both wait: the second follows from now on */
bool jobs_start(job *j);                             /* forks the worker of a waiting job; false: no room for it now */
void jobs_listen(job *j);                            /* takes the packets of a running job */
void jobs_reap(job *j, const nursery_end *end);      /* the worker is gone */
void jobs_watch(job *j);                             /* ends a worker that has too many threads or files */
void jobs_check_time(job *j, double now);            /* ends a worker that is over its time */
nursery *jobs_home(const job *j);                    /* where its worker comes from */
void jobs_end(job *j, const char *complaint);        /* kills the worker for a reason of the host's */
bool jobs_stopped(job *j, const judge_reply *reply); /* the judge's answer ends the run: done, and the job abandoned */
void jobs_abandon(job *j);                           /* kills, reaps, gives up the claim; for a run that ends early */

/* As the host's clock has it: until the outcome came, and until the best weights were announced. */
double job_seconds(const job *j);
double job_seconds_to_best(const job *j);

void jobs_clear(job *j); /* frees what it holds; the job is free afterwards */

/* results.c: the outcome of a job that was not scored, or the scores of one that was, to the store and the source. The
 * job is free afterwards. */
void results_fail(job *j, store_outcome outcome, const char *message);
void results_short(job *j, const char *what); /* of ours; the trial stays to be run, and the run ends */
void results_finish(job *j, const judge_reply *reply, const records *numbers);

/* results_finish for one that was judged from kept scores. */
void results_judged(job *j, const judge_reply *reply, const records *numbers);

/* kept.c: finds the source of a job that was just made; judges the kept scores of one that has a source, whose problem
 * is ready. kept_metrics tells by what a trial is judged, for its store_kept. kept_takes tells whether a number of the
 * source is one of the job, too: it is of a metric that both have, or of none. */
void kept_find(job *j);
void kept_judge(job *j);
const char *kept_metrics(runner *r, const trial *t);
bool kept_takes(job *j, const char *name);

/* builds.c: the files of the plugins that a trial is made with, for its result; NULL: no memory. The caller frees the
 * list, whose strings are the runner's. builds_changed tells whether one of them is no more what it was when the run
 * first looked; then nothing more is begun, and the run ends with a sentence on it. */
enum { BUILD_NAME = 200 };
cru_status builds_open(runner *r, cru_error *err);
void builds_close(runner *r);
store_build *builds_of(runner *r, const trial *t, int64_t *count);
bool builds_changed(runner *r, const trial *t);

/* outcome.c: what became of a worker, from its last words and its end. `message` has 500 bytes. The first function
 * tells, once, whether the kernel has killed for want of memory since it was last asked and this worker was killed. */
bool kernel_has_killed(job *j);
store_outcome outcome_of(const job *j, bool kernel_killed, char *message);
int64_t kernel_kill_count(void);

#endif
