// SPDX-License-Identifier: Apache-2.0
/* plugin.h: the boundary between the host and a plugin.
 *
 * A plugin is one shared object with one exported symbol, `crucible_plugin`, of type `const cru_plugin`. Drop the file
 * into a folder that `crucible list --paths` prints, and the host lists it, documents it, validates its settings and
 * runs it by name. Nothing in the host is rebuilt.
 *
 *     CRU_PLUGIN = {
 *         CRU_METRIC(.score = score),
 *         .name = "accuracy", .version = "1.0", .summary = "share of test items whose highest score is the true class",
 *     };
 *
 * The struct is constant data. The host reads it in a throw-away child process when it scans a folder, so a plugin that
 * aborts, hangs or crashes while loading is listed with that reason and skipped. A plugin must not start threads, open
 * files or print in its constructors.
 *
 * Processes. Nothing of a plugin ever runs inside the host process itself.
 *   scanner   loads a file to read `crucible_plugin`; calls no function of the vtable.
 *   judge     holds the truth. Runs datasets, splits, corruptors and metrics.
 *   worker    one per trial, forked for it and gone after it. Runs one algorithm (and one backend) on a task without
 *             truth, under a memory and a time limit and, by default, in a sandbox without network, exec or writes.
 * Every function is called on the process's main thread, never concurrently with another one of the same plugin.
 *
 * Compatibility. A plugin records the ABI it was built for. The host loads it when the major number is equal and the
 * minor number is not newer than its own. New members are only ever appended: `size` fields tell which are there. */
#ifndef CRUCIBLE_PLUGIN_H
#define CRUCIBLE_PLUGIN_H

#include <crucible/context.h>
#include <crucible/params.h>
#include <crucible/task.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CRU_ABI_MAJOR 2
#define CRU_ABI_MINOR 0

typedef enum cru_kind {
    CRU_KIND_DATASET = 1,
    CRU_KIND_CORRUPTOR,
    CRU_KIND_ALGORITHM,
    CRU_KIND_METRIC,
    CRU_KIND_BACKEND,
    CRU_KIND_SPLIT,
} cru_kind;

struct cru_method;

typedef struct cru_plugin {
    uint32_t abi_major, abi_minor;
    uint32_t size; /* sizeof(cru_plugin) */
    cru_kind kind;
    const char *name;     /* lower-case-with-dashes; unique within its kind */
    const char *version;  /* part of every trial's key: change it when results change */
    const char *summary;  /* one line */
    const char *authors;  /* who wrote the plugin; may be NULL */
    const char *citation; /* the paper, "Authors. Title. Venue Year."; may be NULL */
    const char *license;  /* SPDX identifier of the plugin's code; may be NULL */
    uint32_t problems; /* algorithm, corruptor, metric, split: the cru_problem bits it can handle; dataset: those it can
                           * generate, 0 for a format that only reads files; 0 for backend */
    uint32_t settings_size;
    const cru_param *params;         /* NULL when there are no settings */
    const void *vtable;              /* cru_dataset, cru_corruptor, cru_algorithm, cru_metric, cru_backend or
                              * cru_splitter, by kind */
    const char *homepage;            /* where to read more, a URL; may be NULL */
    const struct cru_method *method; /* of an algorithm made with train.h: its hooks; NULL for all others */
    const char *categories;          /* what it belongs to, "LLN, loss regulation": a comma list; may be NULL */
} cru_plugin;

#ifdef __cplusplus
#define CRU_PLUGIN                                                                                                     \
    extern "C" CRU_API const cru_plugin crucible_plugin;                                                               \
    const cru_plugin crucible_plugin
#else
#define CRU_PLUGIN                                                                                                     \
    CRU_API extern const cru_plugin crucible_plugin;                                                                   \
    const cru_plugin crucible_plugin
#endif
#define CRU_PLUGIN_HEADER(kind_)                                                                                       \
    .abi_major = CRU_ABI_MAJOR, .abi_minor = CRU_ABI_MINOR, .size = sizeof(cru_plugin), .kind = (kind_)

/* An entry of CRU_PLUGIN: the struct of its settings and their schema (params.h). */
#define CRU_SETTINGS(settings_, schema_) .settings_size = sizeof(settings_), .params = (schema_)

/* ---- dataset --------------------------------------------------------------------------------------------- */

/* The files of a dataset card, verified by checksum before the plugin sees them. A generator has none, unless it builds
 * on another dataset: the host opens the one that a string setting called `base` names and hands it over as a memory
 * image (cru_data_map) in the file of role "base". */
typedef struct cru_file {
    const char *role; /* the key in the card's [files] section: "edges", "features", "x", ...; may be "" */
    const char *path; /* absolute; readable */
} cru_file;

typedef struct cru_source {
    const char *name; /* of the dataset, for messages */
    const cru_file *files;
    int64_t count;
    uint64_t seed; /* for generators */
} cru_source;

/* What a dataset plugin is asked to do. All of it is the host's and valid during the call. */
typedef struct cru_loading {
    uint32_t size; /* sizeof(cru_loading) */
    const void *settings;
    const cru_source *source;
    cru_data *data; /* created empty; the host destroys it */
    cru_error *err;
} cru_loading;

typedef struct cru_dataset {
    uint32_t size; /* sizeof(cru_dataset) */

    /* Fills `l->data` from the files or from the settings alone.
     * Judge; once per dataset when it is first used, then the result comes from the cache; generators once per seed.
     * Files are hostile: check every size and index before use. On failure the message names the file and the offset or
     * line. CRU_BAD_INPUT: broken file; CRU_IO: cannot be read; CRU_NO_MEMORY. */
    cru_status (*load)(const cru_loading *l);
} cru_dataset;

/* The first entries of the CRU_PLUGIN of a dataset, in C: CRU_DATASET(.load = load). CRU_SETTINGS follows where it has
 * any. */
#define CRU_DATASET(...)                                                                                               \
    CRU_PLUGIN_HEADER(CRU_KIND_DATASET), .vtable = &(const cru_dataset)                                                \
    {                                                                                                                  \
        .size = sizeof(cru_dataset), __VA_ARGS__                                                                       \
    }

/* ---- split ----------------------------------------------------------------------------------------------- */

/* What a split is asked to do. All of it is the host's and valid during the call. */
typedef struct cru_dividing {
    uint32_t size; /* sizeof(cru_dividing) */
    const void *settings;
    cru_data *data; /* clean and preprocessed; data->seed is the trial's, data->official the splits that it brings */
    cru_rng *rng;   /* this trial's stream for splits */
    cru_error *err;
} cru_dividing;

typedef enum cru_split_flags {
    CRU_SPLIT_VAL_OF_TRAIN = 1, /* the setting `val` is a share of what `train` leaves, not of all items. Without it
                                 * the host refuses an experiment in which both together exceed 1 */
} cru_split_flags;

typedef struct cru_splitter {
    uint32_t size; /* sizeof(cru_splitter) */
    uint32_t flags;

    /* Fills `d->data->split` with ids in memory of the data (cru_data_alloc) and changes nothing else. No item is in
     * two parts, none without a true label in any; an item may be in no part. Judge: a split sees the truth. Once per
     * (dataset, seed), before any damage. All randomness must come from `d->rng`, or from the generator of a published
     * study (study-rng.h). CRU_UNSUPPORTED: the data cannot be split this way (a class is too small): say why.
     * CRU_BAD_INPUT: settings that contradict each other. */
    cru_status (*divide)(const cru_dividing *d);
} cru_splitter;

/* The first entries of the CRU_PLUGIN of a split: CRU_SPLIT(.divide = divide). */
#define CRU_SPLIT(...)                                                                                                 \
    CRU_PLUGIN_HEADER(CRU_KIND_SPLIT), .vtable = &(const cru_splitter)                                                 \
    {                                                                                                                  \
        .size = sizeof(cru_splitter), __VA_ARGS__                                                                      \
    }

/* ---- corruptor ------------------------------------------------------------------------------------------- */

/* Numbers that a corruptor, an algorithm or a metric reports by name; they are stored with the trial's results. A NULL
 * report drops them. */
typedef struct cru_report cru_report;
CRU_API void cru_report_number(cru_report *report, const char *name, double value);
CRU_API void cru_report_vector(cru_report *report, const char *name, const double *values, int64_t count);

/* rows x cols, row-major */
CRU_API void cru_report_matrix(cru_report *report, const char *name, const double *values, int64_t rows, int64_t cols);

/* What a method reports under this name is a vector of one number a training item, in the order of task->split.train:
 * how much it trusts the label that it was given, on any scale, more for more trust. Metrics see it
 * (cru_judging.label_weights); it is stored only with predictions that are kept. Methods made with train.h report it
 * already, for tasks with one label per item: minus the loss of the label, log softmax(scores)[label], unless they have
 * a `label_weights` of their own. */
#define CRU_LABEL_WEIGHT "label-weight"

/* For hosts and tests. A sink is called once per reported name; `values` holds `count` numbers (1 for a number). A sink
 * without put_matrix gets a matrix as a vector of rows * cols. */
typedef struct cru_report_sink {
    void (*put)(void *user, const char *name, const double *values, int64_t count);
    void *user;
    void (*put_matrix)(void *user, const char *name, const double *values, int64_t rows, int64_t cols);
} cru_report_sink;
struct cru_report {
    cru_report_sink sink;
};

/* What a corruptor is asked to do. All of it is the host's and valid during the call. */
typedef struct cru_damage {
    uint32_t size; /* sizeof(cru_damage) */
    const void *settings;
    cru_data *data;
    cru_rng *rng; /* this trial's stream for this position in the chain */
    cru_report *report;
    cru_error *err;
} cru_damage;

typedef struct cru_corruptor {
    uint32_t size; /* sizeof(cru_corruptor) */

    /* Damages `d->data` in place. Judge; once per (dataset, seed, position in the chain), before any method runs, so
     * that all methods of an experiment see the same damage. All randomness must come from `d->rng`. Reports what it
     * did (actual noise rate, edges changed, ...). CRU_UNSUPPORTED: this data cannot be damaged this way (say why). */
    cru_status (*apply)(const cru_damage *d);
} cru_corruptor;

/* The first entries of the CRU_PLUGIN of a corruptor: CRU_CORRUPTOR(.apply = apply). */
#define CRU_CORRUPTOR(...)                                                                                             \
    CRU_PLUGIN_HEADER(CRU_KIND_CORRUPTOR), .vtable = &(const cru_corruptor)                                            \
    {                                                                                                                  \
        .size = sizeof(cru_corruptor), __VA_ARGS__                                                                     \
    }

/* ---- algorithm ------------------------------------------------------------------------------------------- */

/* How training talks to the host's stopping and selection rule; see train.h. Most methods never touch it. */
typedef struct cru_monitor cru_monitor;

typedef enum cru_verdict {
    CRU_GO_ON = 0,
    CRU_KEEP = 1, /* bit: the best so far by the experiment's rule; remember these weights */
    CRU_STOP = 2, /* bit: end training now */
} cru_verdict;

/* A host may apply several rules to one training, when none of them could end it. A method with `select` is then told
 * with these bits which rules call the weights of this epoch their best; other methods never are. */
enum { CRU_MAX_RULES = 8 };
#define CRU_KEEP_FOR(rule_) (1u << (8 + (rule_)))

/* Reports an epoch (or a checkpoint every few steps) with the scores that the method would predict now, items x classes
 * (logits, as for predict). `train_loss` may be NAN when there is none. Returns verdict bits; a NULL monitor says
 * CRU_GO_ON. Worker, from inside fit. */
CRU_API uint32_t cru_monitor_epoch(cru_monitor *monitor, int64_t epoch, double train_loss, const float *scores);

/* The most epochs the experiment allows; a method takes the smaller of this and its own setting. INT64_MAX: no limit,
 * which is also what a NULL monitor and a limit that is not positive mean. */
CRU_API int64_t cru_monitor_limit(const cru_monitor *monitor);

/* Whether epoch e is reported before its step, with the weights that the step starts from, instead of after it: the
 * initial weights are then the first to be judged, and those after the last step are not. train.h obeys it. */
CRU_API bool cru_monitor_before_step(const cru_monitor *monitor);

/* Whether that holds only for a method whose passes are the same while it trains and while it predicts: one with
 * dropout in use, or with batch statistics, is then reported after the step.
 * False for a NULL monitor.
 * train.h obeys it. */
CRU_API bool cru_monitor_unless_dropout(const cru_monitor *monitor);

/* Whether only the scores of validation items are looked at; those of the others may then be any finite numbers. False
 * for a NULL monitor. */
CRU_API bool cru_monitor_validation_only(const cru_monitor *monitor);

/* The host's side of a monitor. */
struct cru_monitor {
    uint32_t (*epoch)(void *user, int64_t epoch, double train_loss, const float *scores);
    void *user;
    int64_t limit;
    bool before_step;
    bool validation_only;
    bool unless_dropout; /* changes before_step */
};

typedef enum cru_algorithm_flags {
    CRU_ALGORITHM_WRAPS = 1, /* takes another algorithm, which its string setting `of` names: see wrapper.h */
} cru_algorithm_flags;

typedef struct cru_algorithm {
    uint32_t size; /* sizeof(cru_algorithm) */

    /* Makes an instance for one task. Worker, first call. `plugin` is the struct that the file exports. All three stay
     * valid and unchanged until destroy; the plugin must not write to what `settings` and `task` point to (the pages
     * are read-only). Memory from cru_ctx_alloc is freed by
     * the host. On failure *self stays NULL and destroy is not called. CRU_UNSUPPORTED: a task that the plugin does not
     * claim in `problems`, or claims but cannot do (no features, too many nodes for an n x n method): say why. */
    cru_status (*create)(void **self, const cru_plugin *plugin, const void *settings, const cru_task *task,
                         cru_ctx *ctx);

    /* Trains. Worker, once, after create. Reports to the monitor and obeys CRU_STOP. After it returns CRU_OK the
     * instance predicts with the weights that the rule selected. CRU_DIVERGED: NaN beyond repair. */
    cru_status (*fit)(void *self, cru_monitor *monitor);

    /* Writes items x classes scores, row-major: logits, i.e. softmax of a row gives the class probabilities. A method
     * that has probabilities returns their logarithms; one with a single logit z returns (0, z). All finite, or
     * CRU_DIVERGED with all scores written all the same: an experiment may want to judge them. Worker, after fit; may
     * be called again and must then give the same bits. */
    cru_status (*predict)(void *self, float *scores);

    /* Frees what create acquired outside the context. Worker, last call. May be NULL. */
    void (*destroy)(void *self);

    /* Optional, may be NULL. The learned representation of every item, items x *cols, in memory of the context. */
    cru_status (*embed)(void *self, const float **rows, int64_t *cols);

    /* Optional, may be NULL, both or none. Write the trained state to, or read it from, an open file. The second is
     * called on an instance that was just made, for the same task with the same settings and seed, instead of fit; what
     * it predicts then has the same bits. CRU_BAD_INPUT: the file is not one of this method, or does not fit.
     * CRU_UNSUPPORTED: the method has state that it cannot name. Methods made with train.h have both. */
    cru_status (*save)(void *self, int fd);
    cru_status (*load)(void *self, int fd);

    /* Optional, may be NULL. Carries a trained instance over to `task`: the same problem with nodes that
     * were hidden while it learned, under other numbers, and no further training. What comes after, predict and embed,
     * is about this task, which stays valid until destroy. Worker, after fit, in experiments whose split says
     * `view = inductive`; a method without it cannot take part in those. CRU_UNSUPPORTED: the weights belong to the
     * nodes that were there. Methods made with train.h have it already. */
    cru_status (*widen)(void *self, const cru_task *task);

    /* Optional, may be NULL: without it every rule has a training of its own. After a fit under several rules
     * (CRU_KEEP_FOR): goes to the weights that this one chose, or, where it chose none, to those of the end of the
     * training. Worker; any order, any number of times, but before any widening. Methods made with train.h have it
     * already. */
    void (*select)(void *self, int32_t rule);

    /* Optional, may be NULL. Reports what was learned beside scores: a transition matrix, the share of a relation, how
     * many edges a learned graph has; and, under the name CRU_LABEL_WEIGHT, how much each training label is trusted.
     * Worker, after predict, for every rule that select was called for. Stored with the trial as method.NAME. At most
     * 100 names of 60 letters, digits and . _ - inside, 16000 numbers together; what goes beyond is left out
     * with a warning. */
    cru_status (*report)(void *self, cru_report *report);

    uint32_t flags; /* cru_algorithm_flags */
} cru_algorithm;

/* CRU_UNSUPPORTED with a sentence in the context when the task's kind is not among `problems`: the first line of
 * `create`. Methods made with train.h have it already. */
CRU_API cru_status cru_task_claim(const cru_task *task, uint32_t problems, cru_ctx *ctx);

/* ---- metric ---------------------------------------------------------------------------------------------- */

/* What a metric is asked to judge. Scores are NULL when a dataset is described rather than a prediction judged. */
typedef struct cru_judging {
    uint32_t size; /* sizeof(cru_judging) */
    const void *settings;
    const cru_data *data; /* truth, observed labels, candidates, graph, split */
    const float *scores;  /* items x classes, logits; finite (the host fails a trial with NaN scores before metrics) */
    cru_ids items;        /* the items to judge: the test part, unless the config asks for another */
    const float *embedding; /* items x embedding_cols or NULL */
    int64_t embedding_cols;
    double seconds_total, seconds_to_best;
    int64_t peak_bytes;
    cru_report *report;
    cru_error *err;
    const double *label_weights; /* one for each item of data->split.train, finite; NULL: the method has none, or no
                                  * metric of the experiment is CRU_METRIC_OF_LABEL_WEIGHTS */
} cru_judging;

typedef enum cru_metric_flags {
    CRU_METRIC_LOWER_IS_BETTER = 1,
    CRU_METRIC_OF_DATASET = 2,   /* describes data; ignores scores; shown by `crucible stats` */
    CRU_METRIC_PERCENT = 4,      /* reports print it times 100 */
    CRU_METRIC_OF_EMBEDDING = 8, /* looks at the embedding: methods are asked for theirs; NULL where they have none */
    CRU_METRIC_OF_LABEL_WEIGHTS = 128, /* looks at label_weights, likewise */

    /* Needs beyond truth, observed labels and the problem kinds that the plugin claims. An experiment that asks for the
     * metric on data without them is refused before any method runs. */
    CRU_METRIC_OF_CANDIDATES = 16,  /* candidate sets */
    CRU_METRIC_OF_FEATURES = 32,    /* features */
    CRU_METRIC_OF_TWO_CLASSES = 64, /* exactly two classes */

    /* With OF_DATASET: takes seconds on a few thousand items; `crucible stats` measures it only when asked. */
    CRU_METRIC_COSTLY = 256,
} cru_metric_flags;

typedef struct cru_metric {
    uint32_t size; /* sizeof(cru_metric) */
    uint32_t flags;

    /* The value. NAN where the metric is not defined (an empty set, one class only); that is a result, not a failure.
     * Further numbers (per class, say) go to `j->report`. Judge; once per trial or per checkpoint. */
    cru_status (*score)(const cru_judging *j, double *value);
} cru_metric;

/* The first entries of the CRU_PLUGIN of a metric: CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score). */
#define CRU_METRIC(...)                                                                                                \
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC), .vtable = &(const cru_metric)                                                  \
    {                                                                                                                  \
        .size = sizeof(cru_metric), __VA_ARGS__                                                                        \
    }

#ifdef __cplusplus
}
#endif
#endif
