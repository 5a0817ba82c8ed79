// SPDX-License-Identifier: Apache-2.0
#include "config/settings.h"

const cru_param experiment_params[] = {
    CRU_STRING(experiment_settings, name, "", "the experiment's name in the store; empty: that of the file"),
    CRU_STRING(experiment_settings, seeds, "0", "seeds, as a list with ranges: 0..9"),
    CRU_STRING(experiment_settings, datasets, "", "which datasets; empty: all [dataset ...] sections"),
    CRU_STRING(experiment_settings, corruptors, "",
               "chains, with bars between alternatives; empty: all [corruptor ...] sections in file order"),
    CRU_STRING(experiment_settings, algorithms, "", "which algorithms; empty: all [algorithm ...] sections"),
    CRU_STRING(experiment_settings, metrics, "", "which metrics; empty: all [metric ...] sections, or accuracy"),
    CRU_END,
};

static const char *const sandboxes[] = {"off", "on", "required", NULL};

static const char *const keeps[] = {"none", "scores", "all", NULL};

const cru_param run_params[] = {
    CRU_INT(run_settings, jobs, 0, 0, 4096, "trials at a time; 0: one per core"),
    CRU_INT(run_settings, threads, 1, 1, 4096, "threads per trial"),
    CRU_INT(run_settings, memory, 0, -1, 1 << 30,
            "limit per trial in MiB; 0: the machine's memory, or the control group's, divided by the jobs; -1: none"),
    CRU_FLOAT(run_settings, timeout, 86400, 0, 1e9, "limit per trial in seconds; 0: none"),
    CRU_FLOAT(run_settings, cpu, 0, 0, 1e9, "limit per trial in seconds of CPU time; 0: none"),
    CRU_INT(run_settings, thread_limit, 256, 0, 1 << 20, "threads that a trial may start; 0: no limit"),
    CRU_INT(run_settings, file_limit, 256, 0, 1 << 20, "files that a trial may have open; 0: no limit"),
    CRU_INT(run_settings, scratch, 1024, 0, 1 << 30,
            "MiB that a trial may write to its scratch folder (TMPDIR), 1/64 at least for each file; 0: it has none"),
    CRU_CHOICE(run_settings, sandbox, RUN_SANDBOX_ON, sandboxes,
               "keep plugins from network, files and other processes; required: run nothing where the kernel cannot"),
    CRU_STRING(run_settings, device, "cpu", "where tensors live: cpu, or a backend plugin, such as cuda or cuda:1"),
    CRU_STRING(run_settings, devices, "", "several cards of the device, to spread trials over: 0, 1"),
    CRU_INT(run_settings, device_memory, 0, 0, 1 << 30, "limit of the card's memory per trial in MiB; 0: none"),
    CRU_STRING(run_settings, db, "results.db", "the results store"),
    CRU_BOOL(run_settings, curves, false, "keep learning curves"),
    CRU_BOOL(run_settings, predictions, false, "keep the scores of every item exactly, to look at"),
    CRU_CHOICE(run_settings, keep, RUN_KEEP_SCORES, keeps,
               "what metrics that come later are judged from: scores in 16 bits a value, compressed; all: embeddings "
               "and label weights, too"),
    CRU_INT(run_settings, keep_limit, 1024, 0, 1 << 30, "MiB that the store may keep of that; 0: no limit"),
    CRU_END,
};

static const char *const rules[] = {"validation",   "last", "covering-rate", "approximated-accuracy", "oracle",
                                    "oracle-early", NULL};
static const char *const criteria[] = {"metric", "loss", "either", "both", NULL};
static const char *const metrics[] = {"auto", "accuracy", "auc", "auprc", NULL};
static const char *const ranks[] = {"criterion", "metric", NULL};
static const char *const nonfinite[] = {"fail", "keep", NULL};
static const char *const judgements[] = {"no", "yes", "auto", NULL};

const cru_param monitor_params[] = {
    CRU_CHOICE(monitor_settings, rule, MONITOR_VALIDATION, rules, "which checkpoint counts"),
    CRU_CHOICE(monitor_settings, criterion, MONITOR_METRIC, criteria, "what the rule validation calls better"),
    CRU_CHOICE(monitor_settings, metric, MONITOR_AUTO, metrics, "the validation metric, on observed labels"),
    CRU_CHOICE(monitor_settings, rank, MONITOR_RANK_CRITERION, ranks, "what a search compares settings by"),
    CRU_INT(monitor_settings, epochs, 0, 0, 1000000000, "most epochs; 0: as the method says"),
    CRU_INT(monitor_settings, min_epochs, 0, 0, 1000000000, "patience does not stop before"),
    CRU_INT(monitor_settings, patience, 0, 0, 1000000000,
            "reports without improvement before training stops; 0: never"),
    CRU_INT(monitor_settings, window, 0, 0, 1000000,
            "stop when the validation loss exceeds its mean over this many reports; 0: never"),
    CRU_INT(monitor_settings, skip, 0, 0, 1000000000, "first reports that cannot be selected"),
    CRU_INT(monitor_settings, every, 1, 1, 1000000000, "epochs between checkpoints"),
    CRU_CHOICE(monitor_settings, before_step, MONITOR_AFTER_STEP, judgements,
               "judge an epoch by the weights before its step; auto: unless the method uses dropout"),
    CRU_BOOL(monitor_settings, restore, true, "predict with the selected weights instead of the last ones"),
    CRU_BOOL(monitor_settings, paper, false, "approximated accuracy as printed: no credit for vanishing candidates"),
    CRU_CHOICE(monitor_settings, nonfinite, MONITOR_NONFINITE_FAIL, nonfinite,
               "scores that are not finite: fail the trial, or keep them, NaN above all numbers"),
    CRU_FLOAT(monitor_settings, heads, 0, 0, 0.99,
              "share of the graphs, the largest, that have no part in the validation loss"),
    CRU_END,
};

static const char *const views[] = {"transductive", "inductive", "inductive-parts", NULL};

const cru_param split_params[] = {
    CRU_STRING(
        split_settings, scheme, "auto",
        "how items become train, val and test: a split plugin, whose settings stand beside it; card: see protocol"),
    CRU_STRING(split_settings, protocol, "",
               "with scheme = card: the study whose split the dataset's card tells; keys beside it change that"),
    CRU_CHOICE(split_settings, view, VIEW_TRANSDUCTIVE, views,
               "inductive: test nodes and their edges are hidden until the method has learned; inductive-parts: all "
               "nodes but those of train and val are"),
    CRU_END,
};

static const char *const methods[] = {"none", "grid", "random", "tpe", NULL};
static const char *const nestings[] = {"seed", "first-seed", "all-seeds", NULL};
static const char *const ties[] = {"first", "last", NULL};
static const char *const search_rngs[] = {"philox", "study", NULL};

static const char *const selections[] = {"validation", "test", NULL};

const cru_param search_params[] = {
    CRU_CHOICE(search_settings, method, SEARCH_NONE, methods, "how settings are drawn"),
    CRU_INT(search_settings, trials, 0, 0, 10000000,
            "settings tried per search; 0: a whole grid, else 20 or what fits in minutes"),
    CRU_FLOAT(search_settings, minutes, 0, 0, 1e7, "time of trials per search; 0: no limit"),
    CRU_CHOICE(search_settings, per, SEARCH_PER_SEED, nestings, "what one search covers"),
    CRU_CHOICE(search_settings, ties, SEARCH_TIES_FIRST, ties, "which of equally good settings is chosen"),
    CRU_BOOL(search_settings, defaults_first, true, "try the defaults first, unless it is a grid"),
    CRU_INT(search_settings, points, 5, 2, 1000, "of a continuous distribution in a grid"),
    CRU_INT(search_settings, startup, 10, 1, 1000000, "random settings before tpe models anything"),
    CRU_INT(search_settings, ahead, 4, 1, 4096, "settings under way before tpe, or a limit in minutes, needs a result"),
    CRU_CHOICE(search_settings, rng, SEARCH_RNG_PHILOX, search_rngs,
               "philox: our own draws; study: a NumPy generator a value, seeded by a hash of setting, trial and key"),
    CRU_CHOICE(search_settings, select, SEARCH_SELECT_VALIDATION, selections,
               "by which score settings are chosen; test: by the first metric, as some studies do: flattering"),
    CRU_BOOL(search_settings, own_draws, false,
             "every setting trains with first weights and batches of its own, drawn by its number and the seed; split "
             "and damage stay"),
    CRU_END,
};

int64_t search_trials(const search_settings *s)
{
    enum { UNLESS_SAID = 20 };
    if (s->trials > 0) return s->trials;
    return s->minutes > 0 ? INT64_MAX : UNLESS_SAID;
}

static const char *const spreads[] = {"std", "std0", "sem", "sem0", NULL};

const cru_param report_params[] = {
    CRU_STRING(report_settings, rows, "", "settings that make the rows; empty: the algorithms"),
    CRU_STRING(report_settings, cols, "", "settings that make the columns; empty: what varies"),
    CRU_STRING(report_settings, where, "", "only these trials: key=value, key=value"),
    CRU_STRING(report_settings, metrics, "", "which to show; empty: all"),
    CRU_CHOICE(report_settings, spread, REPORT_STD, spreads,
               "behind the mean: deviation over n-1 or n, standard error over n-1 or n"),
    CRU_STRING(report_settings, reference, "", "CSV of values to compare with"),
    CRU_BOOL(report_settings, average, false, "a column with the mean over the columns"),
    CRU_STRING(report_settings, groups, "", "columns to rank by themselves, as name: value, value | name: value"),
    CRU_STRING(report_settings, baselines, "", "rows, with commas; worse cells of others are marked"),
    CRU_STRING(report_settings, minus, "", "a column or a row: the others as differences from it, run by run"),
    CRU_STRING(report_settings, against, "", "another experiment of the store to compare with"),
    CRU_END,
};

const cru_param paths_params[] = {
    CRU_STRING(paths_settings, plugins, "", "further plugin folders, : between them"),
    CRU_STRING(paths_settings, cards, "", "further folders of dataset cards, : between them"),
    CRU_STRING(paths_settings, mirror, "", "folder with <dataset>/<file>"),
    CRU_STRING(paths_settings, data, "", "where downloads go"),
    CRU_STRING(paths_settings, cache, "", "where parsed datasets are kept"),
    CRU_STRING(paths_settings, python, "", "interpreter of methods in Python: a path, or a name on PATH (python3)"),
    CRU_END,
};
