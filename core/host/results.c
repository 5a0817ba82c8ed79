// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/printable.h"
#include "host/schedule.h"

enum {
    LOG_TAIL = 4000,   /* of a message */
    KEPT_HEAD = 4096,  /* of a log that is kept: its beginning */
    KEPT_TAIL = 12288, /* and its end */
};

/* The numbers and lists of a trial in the store's form. Names and values are borrowed from the records. */
typedef struct figures {
    store_number *numbers;
    store_vector *vectors;
    int64_t number_count, vector_count;
} figures;

static int64_t count_records(const records *list)
{
    int64_t count = 0;
    size_t position = 0;
    for (record item; records_next(list, &position, &item);) count++;
    return count;
}

static bool known(const figures *f, const record *item)
{
    for (int64_t i = 0; i < f->number_count; i++)
        if (strcmp(f->numbers[i].name, item->name) == 0) return true;
    for (int64_t i = 0; i < f->vector_count; i++)
        if (strcmp(f->vectors[i].name, item->name) == 0) return true;
    return false;
}

/* The first of several records with one name counts. */
static void add_records(figures *f, const records *list)
{
    size_t position = 0;
    for (record item; records_next(list, &position, &item);) {
        if (known(f, &item)) continue;
        if (item.count == 1)
            f->numbers[f->number_count++] = (store_number){item.name, item.values[0]};
        else
            f->vectors[f->vector_count++] = (store_vector){item.name, item.values, item.count};
    }
}

/* Of metrics, of the problem's corruptors and of the method. */
static bool figures_make(figures *f, const records *metrics, const job *j)
{
    const records *reports = &j->problem->reports;
    int64_t space = count_records(metrics) + count_records(reports) + count_records(&j->report) + 2;
    *f = (figures){.numbers = calloc((size_t)space, sizeof *f->numbers),
                   .vectors = calloc((size_t)space, sizeof *f->vectors)};
    if (!f->numbers || !f->vectors) return false;
    add_records(f, metrics);
    add_records(f, reports);
    add_records(f, &j->report);
    return true;
}

/* In which parts of the split every item is, as STORE_SPLIT says. The caller frees it; NULL: the task cannot be read. */
static double *parts_of_items(const job *j)
{
    cru_task task;
    void *mapping = NULL;
    if (cru_task_map(j->whole >= 0 ? j->whole : j->problem->task, &task, &mapping, NULL) != CRU_OK) return NULL;
    const cru_ids parts[] = {task.split.train, task.split.val, task.split.test};
    double *out = task.items == j->problem->shape.items ? calloc((size_t)task.items + 1, sizeof *out) : NULL;
    for (int p = 0; out && p < 3; p++)
        for (int64_t i = 0; i < parts[p].count; i++) out[parts[p].ids[i]] += 1 << p;
    cru_task_unmap(mapping);
    return out;
}

/* Kept with the predictions, which say little without it. `parts` lives as long as the figures. */
static void add_split(figures *f, const job *j, double **parts)
{
    *parts = j->runner->run->predictions ? parts_of_items(j) : NULL;
    if (*parts && !known(f, &(record){.name = STORE_SPLIT}))
        f->vectors[f->vector_count++] = (store_vector){STORE_SPLIT, *parts, j->problem->shape.items};
}

static void figures_free(figures *f)
{
    free(f->numbers);
    free(f->vectors);
}

/* ---- handing over ---------------------------------------------------------------------------------------- */

/* Text from a foreign process must not steer a terminal. */
static size_t read_clean(int file, char *text, size_t room, off_t from)
{
    ssize_t n = pread(file, text, room, from);
    for (ssize_t i = 0; i < n; i++)
        if (iscntrl((unsigned char)text[i]) && text[i] != '\n' && text[i] != '\t') text[i] = '?';
    return n > 0 ? (size_t)n : 0;
}

/* What the method printed and logged, of a long one the beginning and the end. The caller frees it; NULL: nothing. */
static char *kept_log(const job *j)
{
    const off_t size = j->log < 0 ? 0 : lseek(j->log, 0, SEEK_END);
    const bool cut = size > KEPT_HEAD + KEPT_TAIL;
    char *text = size > 0 ? malloc(KEPT_HEAD + KEPT_TAIL + 100) : NULL;
    if (!text) return NULL;
    size_t used = read_clean(j->log, text, cut ? KEPT_HEAD : KEPT_HEAD + KEPT_TAIL, 0);
    if (cut) {
        used +=
            (size_t)sprintf(text + used, "\n... %lld bytes left out ...\n", (long long)size - KEPT_HEAD - KEPT_TAIL);
        used += read_clean(j->log, text + used, KEPT_TAIL, size - KEPT_TAIL);
    }
    while (used > 0 && text[used - 1] == '\n') used--;
    text[used] = 0;
    return text;
}

static void hand_over(job *j, store_result *result, double validation)
{
    runner *r = j->runner;
    store_curve curves[] = {{"loss", j->epochs, j->losses, j->points}, {"validation", j->epochs, j->values, j->points}};
    if (j->points) {
        result->curves = curves;
        result->curve_count = 2;
    }
    store_build *builds = r->options.store ? builds_of(r, &j->trial, &result->build_count) : NULL;
    char *log = kept_log(j);
    result->builds = builds;
    result->log = log;
    if (r->options.store) store_finish(r->options.store, j->key, result, &r->error);
    free(builds);
    result->builds = NULL;
    result->build_count = 0;
    r->summary->ended[result->outcome]++;
    r->source_waits = false;
    if (r->source->done)
        r->source->done(
            r->source->user,
            &(runner_result){.trial = &j->trial, .key = j->key, .result = *result, .validation = validation});
    free(log);
    result->log = NULL;
    problems_release(r, j->problem);
    jobs_clear(j);
}

/* The end of what the method printed, which for a crash holds the backtrace. */
static void append_log(const job *j, char *text, size_t space)
{
    size_t used = strlen(text);
    if (j->log < 0 || space - used < 3) return;
    off_t size = lseek(j->log, 0, SEEK_END), room = (off_t)(space - used - 2);
    if (size <= 0) return;
    text[used++] = '\n';
    ssize_t n = pread(j->log, text + used, (size_t)room, size > room ? size - room : 0);
    if (n < 0) n = 0;
    for (ssize_t i = 0; i < n; i++)
        if (!text[used + (size_t)i]) text[used + (size_t)i] = '?';
    while (n > 0 && text[used + (size_t)n - 1] == '\n') n--;
    text[used + (size_t)n] = 0;
    printable(text, true);
}

void results_fail(job *j, store_outcome outcome, const char *message)
{
    char text[LOG_TAIL];
    snprintf(text, sizeof text, "%s", message && *message ? message : store_outcome_name(outcome));
    append_log(j, text, sizeof text);
    figures f = {0};
    records none = {0};
    store_result result = {.outcome = outcome,
                           .message = text,
                           .seconds_total = j->started > 0 ? j->ended_at - j->started : NAN,
                           .seconds_to_best = NAN,
                           .seconds_construct = NAN,
                           .seconds_train = NAN,
                           .peak_bytes = j->usage.ru_maxrss * 1024,
                           .best_epoch = -1};
    if (figures_make(&f, &none, j)) {
        result.numbers = f.numbers;
        result.number_count = f.number_count;
        result.vectors = f.vectors;
        result.vector_count = f.vector_count;
    }
    hand_over(j, &result, NAN);
    figures_free(&f);
}

static bool is_oracle(const job *j)
{
    return j->rule.rule == MONITOR_ORACLE || j->rule.rule == MONITOR_ORACLE_EARLY;
}

/* Scores that are worse than what was said of the best epoch are not of that epoch. Nodes that were hidden while a method
 * learned change what it predicts, so there nothing follows. */
static int64_t best_epoch(const job *j, const judge_reply *reply)
{
    const bool refuted = j->rule.rule != MONITOR_ORACLE_EARLY && !j->inductive && !j->runner->options.in_process &&
                         j->best_epoch >= 0 && monitor_refutes(&j->rule, &j->gain, reply->ruled);
    return refuted ? -1 : j->best_epoch;
}

/* What later metrics will want. Scores that are in the store in full are not kept again. */
static int64_t list_kept(const job *j, float *mapped, store_kept kept[2])
{
    const run_settings *run = j->runner->run;
    const score_shape *shape = &j->problem->shape;
    const int64_t cols = j->outcome.embedding_cols;
    int64_t count = 0;
    if (run->keep != RUN_KEEP_NONE && !run->predictions)
        kept[count++] = (store_kept){STORE_SCORES, mapped, shape->items, shape->classes};
    if (run->keep == RUN_KEEP_EMBEDDINGS && cols > 0 && cols <= shape->embedding)
        kept[count++] = (store_kept){STORE_EMBEDDING, scores_embedding(mapped, shape), shape->items, cols};
    return count;
}

void results_finish(job *j, const judge_reply *reply, const records *numbers)
{
    if (reply->status != CRU_OK) {
        results_fail(j, STORE_FAILED, reply->text);
        return;
    }
    figures f;
    double validation = is_oracle(j) ? reply->value : reply->observed;
    if (!figures_make(&f, numbers, j)) {
        figures_free(&f);
        results_fail(j, STORE_FAILED, "no memory for the numbers of the trial");
        return;
    }
    if (!known(&f, &(record){.name = "validation"}))
        f.numbers[f.number_count++] = (store_number){"validation", validation};
    const score_shape *shape = &j->problem->shape;
    double *parts;
    add_split(&f, j, &parts);
    const run_settings *run = j->runner->run;
    float *mapped = run->predictions || run->keep != RUN_KEEP_NONE ? scores_map(j->scores, shape, false) : NULL;
    float *scores = run->predictions ? mapped : NULL;
    store_kept kept[2];
    store_result result = {.outcome = STORE_OK,
                           .message = j->outcome.outcome == STORE_OK && *j->outcome.text ? j->outcome.text : NULL,
                           .seconds_total = job_seconds(j),
                           .seconds_to_best = job_seconds_to_best(j),
                           .seconds_construct = j->outcome.seconds_construct,
                           .seconds_train = j->outcome.seconds_train,
                           .peak_bytes = j->usage.ru_maxrss * 1024,
                           .best_epoch = best_epoch(j, reply),
                           .numbers = f.numbers,
                           .number_count = f.number_count,
                           .vectors = f.vectors,
                           .vector_count = f.vector_count,
                           .scores = scores,
                           .score_rows = scores ? shape->items : 0,
                           .score_cols = scores ? shape->classes : 0,
                           .judged = judged_of(&j->runner->judged, &j->trial),
                           .judged_count = j->trial.metric_count,
                           .kept = kept,
                           .kept_count = mapped ? list_kept(j, mapped, kept) : 0};
    score_shape mapping = *shape;
    hand_over(j, &result, validation);
    scores_unmap(mapped, &mapping);
    free(parts);
    figures_free(&f);
}
