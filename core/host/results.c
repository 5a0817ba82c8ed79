// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/printable.h"
#include "host/schedule.h"

enum { LOG_TAIL = 4000 };

/* The numbers and lists of a trial in the store's form. Names and values are borrowed from the records. */
typedef struct figures {
    store_number *numbers;
    store_vector *vectors;
    int64_t number_count, vector_count, space;
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

static bool figures_make(figures *f, const records *metrics, const records *reports)
{
    int64_t space = count_records(metrics) + count_records(reports) + 1;
    *f = (figures){.numbers = calloc((size_t)space, sizeof *f->numbers),
                   .vectors = calloc((size_t)space, sizeof *f->vectors),
                   .space = space};
    if (!f->numbers || !f->vectors) return false;
    add_records(f, metrics);
    add_records(f, reports);
    return true;
}

static void figures_free(figures *f)
{
    free(f->numbers);
    free(f->vectors);
}

/* ---- handing over ---------------------------------------------------------------------------------------- */

static void hand_over(job *j, store_result *result, double validation)
{
    runner *r = j->runner;
    store_curve curves[] = {{"loss", j->epochs, j->losses, j->points}, {"validation", j->epochs, j->values, j->points}};
    if (j->points) {
        result->curves = curves;
        result->curve_count = 2;
    }
    store_build *builds = r->options.store ? builds_of(r, &j->trial, &result->build_count) : NULL;
    result->builds = builds;
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
    if (figures_make(&f, &none, &j->problem->reports)) {
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

void results_finish(job *j, const judge_reply *reply, const records *numbers)
{
    if (reply->status != CRU_OK) {
        results_fail(j, STORE_FAILED, reply->text);
        return;
    }
    figures f;
    double validation = is_oracle(j) ? reply->value : reply->observed;
    if (!figures_make(&f, numbers, &j->problem->reports)) {
        figures_free(&f);
        results_fail(j, STORE_FAILED, "no memory for the numbers of the trial");
        return;
    }
    if (!known(&f, &(record){.name = "validation"}))
        f.numbers[f.number_count++] = (store_number){"validation", validation};
    const score_shape *shape = &j->problem->shape;
    float *scores = j->runner->run->predictions ? scores_map(j->scores, shape, false) : NULL;
    store_result result = {.outcome = STORE_OK,
                           .seconds_total = job_seconds(j),
                           .seconds_to_best = job_seconds_to_best(j),
                           .seconds_construct = j->outcome.seconds_construct,
                           .seconds_train = j->outcome.seconds_train,
                           .peak_bytes = j->usage.ru_maxrss * 1024,
                           .best_epoch = j->best_epoch,
                           .numbers = f.numbers,
                           .number_count = f.number_count,
                           .vectors = f.vectors,
                           .vector_count = f.vector_count,
                           .scores = scores,
                           .score_rows = scores ? shape->items : 0,
                           .score_cols = scores ? shape->classes : 0};
    score_shape mapped = *shape;
    hand_over(j, &result, validation);
    scores_unmap(scores, &mapped);
    figures_free(&f);
}
