// SPDX-License-Identifier: Apache-2.0
/* store.h: the results of all trials, in one SQLite file.
 *
 * A trial is known by its key, a hash of everything that decides its result; the same trial may belong to several
 * experiments and is stored once. It is pending until a process that claimed it stores its outcome. Several
 * processes may share a file: the claim is atomic, and the claim of a process that died (or whose lease ran out) is
 * taken over.
 *
 *     store_open("results.db", &(store_options){.batch_trials = 64, .batch_ms = 50}, &s, err);
 *     store_gather(s, err);
 *     store_add_experiment(s, &experiment, &id, err);
 *     for each trial:  store_add_trial(s, id, &trial, err);
 *     store_flush(s, err);
 *     for each trial:  store_claim(s, key, &won, err);  if (won) { run it;  store_finish(s, key, &result, err); }
 *     store_close(s, err);
 *
 * Writing. Every write is a transaction of its own unless batching is on; then writes gather in one transaction that
 * is committed after `batch_trials` writes or when `batch_ms` have passed at the next call. While a batch is open other
 * processes wait, so call store_flush before going to sleep. Whatever was committed survives `kill -9`; a batch that
 * was not is as if it never happened. When a write fails (disk full, I/O error) the open batch is rolled back, the
 * function returns CRU_IO with the file's name and the cause, and the store stays usable.
 *
 * On a network disk (NFS, Lustre, GPFS, CIFS ...) SQLite's log for several processes does not work. There the file has
 * a rollback journal, and whoever writes to it has it alone until it is closed; others wait and then fail. Many
 * machines write to stores of their own (host/shard.h).
 *
 * Not thread-safe; a child made by fork must not use it, nor open a store while its parent has one open. All strings
 * passed in are copied or written before the call returns; strings handed to a visitor live only during its call. */
#ifndef CORE_STORE_H
#define CORE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include <crucible/status.h>

typedef struct store store;

/* ---- opening --------------------------------------------------------------------------------------------- */

/* Who holds a claim. The start time tells a process from a later one with the same number. */
typedef struct store_owner {
    char host[160]; /* host name and process-id namespace */
    char boot[40];  /* changes with every boot of the machine */
    int64_t pid, start;
} store_owner;

/* This process. */
void store_owner_self(store_owner *owner);

typedef struct store_options {
    bool read_only;           /* the file must exist; all writes fail. In a folder that cannot be written, too */
    bool still;               /* with read_only: nobody writes to the file meanwhile, so that no other file is made
                                 beside it; not heeded where a log lies there */
    int32_t busy_ms;          /* how long to wait for another process; 0: 30 seconds */
    int32_t batch_trials;     /* writes per transaction; 0 or 1: no batching */
    int32_t batch_ms;         /* oldest age of an open batch; 0: 50 */
    int32_t lease_seconds;    /* life of a claim that is not renewed; 0: 600; negative: expires at once (tests) */
    const store_owner *owner; /* NULL: this process; tests pose as others */
    bool alone;               /* this process alone uses the file, as always on a network disk: a rollback journal */
    bool unreferenced;  /* what rows refer to is not looked up when they are added: for one who copies rows of which
                                 that was checked */
    int64_t keep_bytes; /* how much of kept scores the file may hold, with what was there when this process first
                                 looked; 0: no limit */
} store_options;

/* Opens or creates a file. `options` may be NULL. On failure *s is NULL. CRU_BAD_INPUT: the file is not a result store,
 * or was written by a newer version of the program; CRU_IO: cannot be opened, created or read. */
cru_status store_open(const char *path, const store_options *options, store **s, cru_error *err);

/* Commits what is open and closes. `s` is gone afterwards in any case and may be NULL. */
cru_status store_close(store *s, cru_error *err);

/* Commits the open batch, if there is one. */
cru_status store_flush(store *s, cru_error *err);

/* All writes from here to the next store_flush are one transaction, however many and however long: other processes see
 * all of them or none, and wait meanwhile. A write that fails undoes them all and ends the gathering. */
cru_status store_gather(store *s, cru_error *err);

/* Undoes all writes since the last commit, as if they had never been made. */
void store_discard(store *s);

const char *store_path(const store *s);

/* ---- what is to be run ----------------------------------------------------------------------------------- */

typedef struct store_metric {
    const char *name;
    uint32_t flags; /* cru_metric_flags */
} store_metric;

typedef struct store_experiment {
    const char *name;
    const char *config;          /* the text of the INI file after includes and --set; may be NULL */
    const char *environment;     /* see environment.h; kept with every trial finished from now on; may be NULL */
    const store_metric *metrics; /* in the order in which reports show them */
    int64_t metric_count;
    bool same_list; /* its list of trials is in the file already, to the last one, and stays */
} store_experiment;

/* Records the experiment, or updates the one of the same name, whose trials go to its former ones (store_former): the
 * caller adds the present list again, between store_gather and store_flush when other processes share the file. The id
 * is valid in this file for good. */
cru_status store_add_experiment(store *s, const store_experiment *experiment, int64_t *id, cru_error *err);

/* Under this id the functions that ask for an experiment's trials see those that earlier lists of it had and the
 * present one has not: of another file of that name, or of other --set options. */
static inline int64_t store_former(int64_t id)
{
    return -id;
}

typedef struct store_setting {
    const char *name, *value;
} store_setting;

/* Settings are what reports pivot on. Names that reports know by themselves: "algorithm", "dataset", "corruptor" (the
 * chain as text, "uniform+drop-edges"), "seed"; settings of a plugin are "<kind>.<key>", as in
 * "corruptor.rate"; a key that two corruptors of a chain share is "<corruptor name>.<key>". */
typedef struct store_trial {
    const char *key;               /* unique; at most 128 bytes */
    const char *alias;             /* the algorithm's name in this experiment's tables; NULL: the setting "algorithm" */
    const char *canonical;         /* all settings as text, as they were hashed */
    const store_setting *settings; /* names unique */
    int64_t setting_count;
    int64_t place; /* lists are in the order of places, which are above 0 and differ; 0: at the end */
    int64_t tried; /* by a search: how many settings, when this trial has the one it chose; STORE_CANDIDATE: it has one
                      that was tried; 0: not part of a search */
} store_trial;

#define STORE_CANDIDATE (-1)

/* Adds the trial unless its key is known, and links it to the experiment. Of a trial that is linked already under the
 * same alias only `tried` changes, and only from STORE_CANDIDATE; under another alias it is listed once more. */
cru_status store_add_trial(store *s, int64_t experiment, const store_trial *trial, cru_error *err);

/* ---- running --------------------------------------------------------------------------------------------- */

typedef enum store_outcome {
    STORE_PENDING = 0,
    STORE_OK,
    STORE_OOM,
    STORE_TIMEOUT,
    STORE_CRASHED,
    STORE_FAILED,
    STORE_OUTCOMES
} store_outcome;

/* "pending", "ok", "oom", "timeout", "crashed", "failed". */
const char *store_outcome_name(store_outcome outcome);

/* Takes the trial if it is pending and nobody alive holds it (holding it already counts as taking it). *won tells.
 * CRU_BAD_INPUT: no such key. */
cru_status store_claim(store *s, const char *key, bool *won, cru_error *err);

/* Gives up a claim without a result: the trial is pending for anyone. */
cru_status store_release(store *s, const char *key, cru_error *err);

/* Extends all claims of this process by the lease. Call it a few times per lease. */
cru_status store_renew(store *s, cru_error *err);

typedef struct store_number {
    const char *name;
    double value; /* NAN: not defined */
} store_number;

typedef struct store_vector {
    const char *name;
    const double *values;
    int64_t count;
} store_vector;

typedef struct store_curve {
    const char *name; /* "loss", "val-accuracy", ... */
    const int64_t *epochs;
    const double *values;
    int64_t count;
} store_curve;

/* The file of a plugin that took part in a trial. */
typedef struct store_build {
    const char *plugin;   /* kind, name and version: "algorithm gcn 1.0" */
    const char *checksum; /* of the file */
} store_build;

/* The name of the vector that holds in which parts of the split every item is: 1 train, 2 val, 4 test, added up. */
#define STORE_SPLIT "split"

/* Scores that stay for metrics which come later, in 16 bits a value (half.h). */
typedef struct store_kept {
    const float *values; /* rows x cols */
    int64_t rows, cols;
    const char *metrics;            /* what the trial was judged by, in the caller's words; may be NULL */
    const struct store_part *parts; /* what else is kept of it */
    int64_t part_count;
} store_kept;

/* The names of two parts. One without columns says that the method has no such thing. */
#define STORE_EMBEDDING "embedding"
#define STORE_WEIGHTS   "weights"
typedef struct store_part {
    const char *name;
    const float *values; /* rows x cols */
    int64_t rows, cols;
} store_part;

typedef struct store_result {
    store_outcome outcome; /* not STORE_PENDING */
    const char *message;   /* why it is not ok, or what a reader of an ok one should know; may be NULL */
    double seconds_total, seconds_to_best;
    int64_t peak_bytes;
    int64_t best_epoch;          /* -1: none */
    const store_number *numbers; /* metrics by name, and what metrics, corruptors and methods reported; unique */
    int64_t number_count;
    const store_vector *vectors; /* per-class results and other lists */
    int64_t vector_count;
    const store_curve *curves;
    int64_t curve_count;
    const float *scores; /* predictions, rows x cols; NULL: not kept */
    int64_t score_rows, score_cols;
    const store_build *builds;
    int64_t build_count;
    double seconds_construct, seconds_train; /* parts of seconds_total: making, fitting; NAN: not known */
    const char *log;                         /* what it printed and logged, cut by the caller; NULL or empty: nothing */
    const store_kept *kept;                  /* NULL: nothing is kept */
    const char *source; /* the key of the trial whose kept scores were judged instead of training: its curves, log,
                           predictions, environment and files of plugins become this one's, too; NULL: it was run */
} store_result;

/* Stores all of the result or nothing. Only the holder of the claim may: when another process took the trial over in
 * the meantime, the result is dropped without an error, since the same key gives the same result. */
cru_status store_finish(store *s, const char *key, const store_result *result, cru_error *err);

/* How many results of this process were stored without the scores that were to be kept, for want of room. */
int64_t store_unkept(const store *s);

/* Makes finished trials of the experiment pending again and deletes their results and kept scores, and when good
 * results are among them the kept scores that they were judged from: these would be judged again. `outcomes` has a bit
 * (1u << STORE_FAILED) for each outcome concerned. *count (may be NULL): how many. */
cru_status store_reset(store *s, int64_t experiment, uint32_t outcomes, int64_t *count, cru_error *err);

/* Deletes the experiment and the trials that no other experiment lists. */
cru_status store_delete_experiment(store *s, int64_t experiment, cru_error *err);

/* ---- asking ---------------------------------------------------------------------------------------------- */

/* *outcome of a trial; *held tells whether another process is running it (may be NULL). CRU_BAD_INPUT: no such key. */
cru_status store_status(store *s, const char *key, store_outcome *outcome, bool *held, cru_error *err);

/* How long a finished trial took; NAN when it is not finished or never began. */
cru_status store_get_seconds(store *s, const char *key, double *seconds, cru_error *err);

/* A number of a finished trial; NAN when the trial is not finished or has no such number. */
cru_status store_get_number(store *s, const char *key, const char *name, double *value, cru_error *err);

/* How many trials of the experiment have each outcome. */
cru_status store_count(store *s, int64_t experiment, int64_t counts[STORE_OUTCOMES], cru_error *err);

/* How long the experiment's list is, in which a trial with several names stands several times. */
cru_status store_length(store *s, int64_t experiment, int64_t *length, cru_error *err);

/* The id of the experiment of that name; of the latest one when `name` is NULL. 0: there is none. */
cru_status store_find_experiment(store *s, const char *name, int64_t *id, cru_error *err);

/* "are the experiments a, b, c" or "is none yet": the names of the experiments, for messages; cut to fit. */
cru_status store_names(store *s, char *text, size_t size, cru_error *err);

/* Visitors return false to stop early, which is not an error. All visits of an experiment's trials go in list order and
 * number the trials from 0. A visitor must not write to the store. */
typedef struct store_experiment_view {
    int64_t id;
    const char *name, *config;
} store_experiment_view;
typedef bool store_experiment_visitor(void *user, const store_experiment_view *view);
cru_status store_each_experiment(store *s, store_experiment_visitor *visit, void *user, cru_error *err);

typedef bool store_metric_visitor(void *user, const store_metric *metric);
cru_status store_each_metric(store *s, int64_t experiment, store_metric_visitor *visit, void *user, cru_error *err);

typedef struct store_trial_view {
    int64_t index;
    const char *key, *alias;
    store_outcome outcome;
    const char *message, *environment;     /* may be NULL */
    double seconds_total, seconds_to_best; /* NAN: not finished */
    int64_t peak_bytes, best_epoch;
    int64_t tried;                           /* see store_trial */
    double seconds_construct, seconds_train; /* NAN: not finished, or by a program that did not measure them */
    int64_t finished_ms;                     /* since 1970; 0: not finished */
    store *store;
    void *row; /* of the store, for store_view_text */
} store_trial_view;
typedef bool store_trial_visitor(void *user, const store_trial_view *view);
cru_status store_each_trial(store *s, int64_t experiment, store_trial_visitor *visit, void *user, cru_error *err);

/* All settings as text, as they were hashed: two kilobytes that few readers want. Of a trial that is being visited. */
const char *store_view_text(const store_trial_view *view);

/* The little that a run must know of every trial before it goes on: each trial once, under its first name. */
typedef struct store_entry {
    const char *key, *alias; /* alias: as it was given, may be NULL */
    int64_t tried;
    store_outcome outcome;
} store_entry;
typedef bool store_entry_visitor(void *user, const store_entry *entry);
cru_status store_each_entry(store *s, int64_t experiment, store_entry_visitor *visit, void *user, cru_error *err);

/* Trials of the experiment that ended last, the latest first, at most `most`; of failed ones only when `failed`. Index,
 * settings and environment of the views are not set. */
typedef struct store_latest {
    int64_t experiment, most;
    bool failed;
} store_latest;
cru_status store_each_latest(store *s, const store_latest *which, store_trial_visitor *visit, void *user,
                             cru_error *err);

typedef bool store_setting_visitor(void *user, int64_t index, const store_setting *setting);
cru_status store_each_setting(store *s, int64_t experiment, store_setting_visitor *visit, void *user, cru_error *err);

typedef bool store_number_visitor(void *user, int64_t index, const store_number *number);
cru_status store_each_number(store *s, int64_t experiment, store_number_visitor *visit, void *user, cru_error *err);

/* The files that the finished trials of an experiment were made with, each once, by plugin; results that were stored by
 * a version of the program before this was noted have none. Not of a store that was opened for reading only. */
typedef bool store_build_visitor(void *user, const store_build *build);
cru_status store_each_build(store *s, int64_t experiment, store_build_visitor *visit, void *user, cru_error *err);

/* The vectors, the curves and the scores of one trial. */
typedef bool store_vector_visitor(void *user, const store_vector *vector);
cru_status store_each_vector(store *s, const char *key, store_vector_visitor *visit, void *user, cru_error *err);
typedef bool store_curve_visitor(void *user, const store_curve *curve);
cru_status store_each_curve(store *s, const char *key, store_curve_visitor *visit, void *user, cru_error *err);

/* What the trial printed and logged; *log is NULL when there was nothing, and the caller frees it. */
cru_status store_get_log(store *s, const char *key, char **log, cru_error *err);

/* A trial with a result and kept scores whose training is the same as that of `key`: their canonical texts differ in
 * the lines of metrics only, which begin with "metric=" and "metric." and come last. Of several the latest, which was
 * trained since what the others kept did not suffice. `key` is empty when there is none. */
enum { STORE_KEY = 129 };
typedef struct store_source {
    char key[STORE_KEY];
    char *metrics; /* of its store_kept */
    char *message; /* may be NULL */
    double seconds_total, seconds_to_best, seconds_construct, seconds_train;
    int64_t peak_bytes, best_epoch;
} store_source;
cru_status store_find_source(store *s, const char *key, store_source *out, cru_error *err);
void store_source_clear(store_source *source);

/* The scores of such a trial, exactly where its predictions were kept; *values is NULL when there are none, and the
 * caller frees it. */
typedef struct store_matrix {
    float *values;
    int64_t rows, cols;
} store_matrix;
cru_status store_get_kept(store *s, const char *key, store_matrix *out, cru_error *err);

/* Likewise a part that was kept beside them; *values is NULL when it was not, and something else when it has no columns. */
cru_status store_get_part(store *s, const char *key, const char *name, store_matrix *out, cru_error *err);

/* The key of the trial whose kept scores this one was judged from; empty: it was run itself. */
cru_status store_get_source(store *s, const char *key, char source[STORE_KEY], cru_error *err);

/* All numbers of one trial, by name; the visitor's index is 0. */
cru_status store_each_number_of(store *s, const char *key, store_number_visitor *visit, void *user, cru_error *err);

/* *scores is NULL when none were kept; the caller frees it. */
cru_status store_get_scores(store *s, const char *key, float **scores, int64_t *rows, int64_t *cols, cru_error *err);

#endif
