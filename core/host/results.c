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
#include "protocol/method-report.h"

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

/* In which parts of the split every item is, as STORE_SPLIT says. The caller frees it; NULL: the task cannot be
 * read. */
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

/* What was trained before was made with the files of then, which the store knows. Returns how many are left. */
static int64_t only_metrics(store_build *builds, int64_t count)
{
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++)
        if (strncmp(builds[i].plugin, "metric ", 7) == 0) builds[left++] = builds[i];
    return left;
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
    if (*j->source.key) result->build_count = only_metrics(builds, builds ? result->build_count : 0);
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
    /* which may be why: a library that is rewritten takes its process along */
    if (builds_changed(j->runner, &j->trial)) {
        jobs_abandon(j);
        return;
    }
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

void results_short(job *j, const char *what)
{
    runner_short(j->runner, what);
    jobs_abandon(j);
}

static bool is_oracle(const job *j)
{
    return j->rule.rule == MONITOR_ORACLE || j->rule.rule == MONITOR_ORACLE_EARLY;
}

/* Scores that are worse than what was said of the best epoch are not of that epoch. Nodes that were hidden while a
 * method learned change what it predicts, so there nothing follows. */
static int64_t best_epoch(const job *j, const judge_reply *reply)
{
    const bool refuted = j->rule.rule != MONITOR_ORACLE_EARLY && !j->inductive && !j->runner->options.in_process &&
                         j->best_epoch >= 0 && monitor_refutes(&j->rule, &j->gain, reply->ruled);
    return refuted ? -1 : j->best_epoch;
}

/* What is kept beside the scores. */
typedef struct kept_parts {
    store_part items[2];
    int64_t count;
    float *weights; /* of the second; to be freed */
} kept_parts;

static bool all_finite(const float *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

/* How much the method trusts each label, as floats; none where it does not say, or not in numbers. */
static store_part find_weights(const job *j, float *scores, float **weights)
{
    store_part part = {.name = STORE_WEIGHTS};
    record found;
    const unsigned char *report = scores_report(scores, &j->problem->shape);
    if (!report_find_weights(report, j->outcome.report_bytes, &found)) return part;
    *weights = malloc((size_t)found.count * sizeof **weights + 1);
    for (int64_t i = 0; *weights && i < found.count; i++) (*weights)[i] = (float)found.values[i];
    if (!*weights || !all_finite(*weights, found.count)) return part;
    part.values = *weights;
    part.rows = found.count;
    part.cols = 1;
    return part;
}

static void find_parts(const job *j, float *scores, kept_parts *out)
{
    const score_shape *shape = &j->problem->shape;
    const float *embedding = scores_embedding(scores, shape);
    const int64_t cols = j->outcome.embedding_cols;
    const bool good = all_finite(embedding, shape->items * cols);
    out->items[0] = (store_part){STORE_EMBEDDING, embedding, shape->items, good ? cols : 0};
    out->items[1] = find_weights(j, scores, &out->weights);
    out->count = 2;
}

void results_finish(job *j, const judge_reply *reply, const records *numbers)
{
    if (reply->status) {
        results_fail(j, STORE_FAILED, reply->text);
        return;
    }
    figures f;
    double validation = is_oracle(j) ? reply->value : reply->observed;
    if (!figures_make(&f, numbers, j)) {
        figures_free(&f);
        results_short(j, "no memory for the numbers of a trial");
        return;
    }
    if (!known(&f, &(record){.name = "validation"}))
        f.numbers[f.number_count++] = (store_number){"validation", validation};
    const score_shape *shape = &j->problem->shape;
    double *parts;
    add_split(&f, j, &parts);
    const run_settings *run = j->runner->run;
    const bool keeps = run->keep != RUN_KEEP_NONE && j->runner->options.store;
    float *scores = run->predictions || keeps ? scores_map(j->scores, shape, false) : NULL;
    const bool predictions = run->predictions && scores;
    kept_parts parts_kept = {0};
    if (keeps && scores && run->keep == RUN_KEEP_ALL) find_parts(j, scores, &parts_kept);
    const store_kept kept = {.values = scores,
                             .rows = shape->items,
                             .cols = shape->classes,
                             .metrics = keeps ? kept_metrics(j->runner, &j->trial) : NULL,
                             .parts = parts_kept.items,
                             .part_count = parts_kept.count};
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
                           .scores = predictions ? scores : NULL,
                           .score_rows = predictions ? shape->items : 0,
                           .score_cols = predictions ? shape->classes : 0,
                           .kept = keeps && scores ? &kept : NULL};
    score_shape mapped = *shape;
    hand_over(j, &result, validation);
    scores_unmap(scores, &mapped);
    free(parts_kept.weights);
    free(parts);
    figures_free(&f);
}

/* ---- judged from kept scores ----------------------------------------------------------------------------- */

typedef struct former {
    job *job;
    records figures;   /* what the earlier trial reported that is true of this one, too */
    double validation; /* its own */
} former;

static bool take_number(void *user, int64_t index, const store_number *number)
{
    former *f = user;
    (void)index;
    if (strcmp(number->name, "validation") == 0) f->validation = number->value;
    if (kept_takes(f->job, number->name)) records_put(&f->figures, number->name, &number->value, 1);
    return true;
}

static bool take_vector(void *user, const store_vector *v)
{
    former *f = user;
    if (kept_takes(f->job, v->name)) records_put(&f->figures, v->name, v->values, v->count);
    return true;
}

/* Metrics first, in the order of the file, as after a training. */
static void put_in_order(figures *f, const trial *t)
{
    for (int64_t i = t->metric_count - 1; i >= 0; i--)
        for (int64_t k = 0; k < f->number_count; k++) {
            if (strcmp(f->numbers[k].name, t->metrics[i]->label) != 0) continue;
            const store_number found = f->numbers[k];
            memmove(f->numbers + 1, f->numbers, (size_t)k * sizeof *f->numbers);
            f->numbers[0] = found;
            break;
        }
}

/* Of the metrics that were judged now and of the earlier trial. */
static bool figures_join(figures *f, const records *metrics, former *from)
{
    job *j = from->job;
    store *s = j->runner->options.store;
    if (store_each_number_of(s, j->source.key, take_number, from, &j->runner->error) != CRU_OK ||
        store_each_vector(s, j->source.key, take_vector, from, &j->runner->error) != CRU_OK || from->figures.failed)
        return false;
    int64_t space = count_records(metrics) + count_records(&from->figures) + 1;
    f->numbers = calloc((size_t)space, sizeof *f->numbers);
    f->vectors = calloc((size_t)space, sizeof *f->vectors);
    if (!f->numbers || !f->vectors) return false;
    add_records(f, metrics);
    add_records(f, &from->figures);
    put_in_order(f, &j->trial);
    return true;
}

void results_judged(job *j, const judge_reply *reply, const records *numbers)
{
    if (reply->status) {
        results_fail(j, STORE_FAILED, reply->text);
        return;
    }
    figures f = {0};
    former from = {.job = j, .validation = NAN};
    const store_source *source = &j->source;
    if (!figures_join(&f, numbers, &from)) {
        if (j->runner->error.status) /* the store fails, which ends the run */
            jobs_abandon(j);
        else
            results_short(j, "no memory for the numbers of a trial");
    } else {
        store_result result = {.outcome = STORE_OK,
                               .message = source->message,
                               .seconds_total = source->seconds_total,
                               .seconds_to_best = source->seconds_to_best,
                               .seconds_construct = source->seconds_construct,
                               .seconds_train = source->seconds_train,
                               .peak_bytes = source->peak_bytes,
                               .best_epoch = source->best_epoch,
                               .numbers = f.numbers,
                               .number_count = f.number_count,
                               .vectors = f.vectors,
                               .vector_count = f.vector_count,
                               .source = source->key};
        j->runner->summary->judged++;
        hand_over(j, &result, from.validation);
    }
    records_free(&from.figures);
    figures_free(&f);
}
