// SPDX-License-Identifier: Apache-2.0
/* kept.c: a trial whose training is in the store already, under other metrics and with its scores, is not trained: the
 * judge looks at the kept scores.
 *
 * What an earlier trial was judged by is told in lines "HASH LABEL" (kept_metrics), the hash over all that a metric is
 * but its label. A metric with the same line is *known*: its numbers come from the earlier trial and from the scores
 * themselves; only the others are judged from what was kept in 16 bits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/schedule.h"
#include "protocol/method-report.h"

enum { METRICS_MOST = 64 }; /* bits of judge_request.known */

/* ---- what a trial is judged by --------------------------------------------------------------------------- */

static void put_line(FILE *out, const variant *metric)
{
    char hash[SHA256_HEX];
    char *text = metric_text(metric);
    sha256_bytes(text, strlen(text), hash);
    fprintf(out, "%s %s\n", hash, metric->label);
    free(text);
}

const char *kept_metrics(runner *r, const trial *t)
{
    if (r->judged_by && r->judging == t->metrics) return r->judged_by;
    size_t size;
    free(r->judged_by);
    r->judged_by = NULL;
    FILE *out = open_memstream(&r->judged_by, &size);
    for (int64_t i = 0; out && i < t->metric_count; i++) put_line(out, t->metrics[i]);
    if (!out || fclose(out) != 0) cru_panic(CRU_NO_MEMORY, "no memory for the metrics of a trial");
    r->judging = t->metrics;
    return r->judged_by;
}

/* Line `index` of such a text, without its end; NULL: it has fewer. */
static const char *line_at(const char *lines, int64_t index, size_t *length)
{
    while (*lines && index-- > 0) lines += strcspn(lines, "\n") + 1;
    *length = strcspn(lines, "\n");
    return *lines ? lines : NULL;
}

static bool has_line(const char *lines, const char *line, size_t length)
{
    size_t size;
    for (const char *at; (at = line_at(lines, 0, &size)); lines = at + size + (at[size] == '\n'))
        if (size == length && memcmp(at, line, length) == 0) return true;
    return false;
}

/* Bit i: metric i of the trial is known. */
static uint64_t find_known(runner *r, const trial *t, const char *former)
{
    uint64_t known = 0;
    size_t length;
    const char *mine = kept_metrics(r, t);
    for (int64_t i = 0; i < t->metric_count && i < METRICS_MOST; i++) {
        const char *line = line_at(mine, i, &length);
        if (line && has_line(former, line, length)) known |= UINT64_C(1) << i;
    }
    return known;
}

/* Whether "auroc" or "auroc.more" is of the metric of that line. */
static bool is_of(const char *name, const char *line, size_t length)
{
    if (length < SHA256_HEX) return false;
    const char *label = line + SHA256_HEX; /* the hash is one shorter, then comes a space */
    length -= SHA256_HEX;
    return strncmp(name, label, length) == 0 && (!name[length] || name[length] == '.');
}

/* Whether one of the metrics of `lines` that `among` has too, if that is given, has that number. */
static bool are_of(const char *name, const char *lines, const char *among)
{
    size_t length;
    for (const char *at; (at = line_at(lines, 0, &length)); lines = at + length + (at[length] == '\n'))
        if (is_of(name, at, length) && (!among || has_line(among, at, length))) return true;
    return false;
}

bool kept_takes(job *j, const char *name)
{
    const char *mine = kept_metrics(j->runner, &j->trial);
    return !are_of(name, j->source.metrics, NULL) || are_of(name, j->source.metrics, mine);
}

/* ---- judging --------------------------------------------------------------------------------------------- */

static bool has_part(runner *r, const char *key, const char *name)
{
    store_matrix part;
    if (store_get_part(r->options.store, key, name, &part, &r->error) != CRU_OK) return false;
    free(part.values);
    return part.values != NULL;
}

/* Whether a metric that is not known looks at what was not kept: embeddings and label weights only are when [run] says so. */
static bool wants_more(runner *r, const trial *t, const store_source *source)
{
    const uint64_t known = find_known(r, t, source->metrics);
    uint32_t flags = 0;
    for (int64_t i = 0; i < t->metric_count; i++)
        if (!(i < METRICS_MOST && known >> i & 1)) flags |= t->metrics[i]->plugin->flags;
    return (flags & CRU_METRIC_OF_EMBEDDING && !has_part(r, source->key, STORE_EMBEDDING)) ||
           (flags & CRU_METRIC_OF_LABEL_WEIGHTS && !has_part(r, source->key, STORE_WEIGHTS));
}

static void find_source(runner *r, const trial *t, const char *key, store_source *source)
{
    *source = (store_source){0};
    if (!r->options.store || r->options.afresh || r->error.status) return;
    if (store_find_source(r->options.store, key, source, &r->error) != CRU_OK) return;
    if (*source->key && wants_more(r, t, source)) store_source_clear(source);
}

void kept_find(job *j)
{
    find_source(j->runner, &j->trial, j->key, &j->source);
}

bool runner_has_kept(runner *r, const trial *t, const char *key)
{
    store_source source;
    find_source(r, t, key, &source);
    const bool has = *source.key != 0;
    store_source_clear(&source);
    return has;
}

/* A memory file as a worker would have left it. */
static cru_status refill(job *j, const store_matrix *kept, cru_error *err)
{
    const score_shape *shape = &j->problem->shape;
    if (!kept->values || kept->rows != shape->items || kept->cols != shape->classes)
        return cru_fail(err, CRU_BAD_INPUT, "the kept scores of %s have the wrong size; --force trains again",
                        j->source.key);
    j->scores = scores_create(shape);
    float *file = j->scores < 0 ? NULL : scores_map(j->scores, shape, true);
    if (!file) return cru_fail(err, CRU_NO_MEMORY, "no memory for kept scores");
    memcpy(file, kept->values, (size_t)scores_count(shape) * sizeof *file);
    scores_unmap(file, shape);
    return CRU_OK;
}

/* The embedding to its place in the file; *cols: of it. */
static cru_status refill_embedding(job *j, float *file, int64_t *cols, cru_error *err)
{
    const score_shape *shape = &j->problem->shape;
    store_matrix part = {0};
    *cols = 0;
    cru_status status = shape->embedding
                            ? store_get_part(j->runner->options.store, j->source.key, STORE_EMBEDDING, &part, err)
                            : CRU_OK;
    if (status || !part.values) return status;
    if (part.rows != shape->items || part.cols > shape->embedding)
        status = cru_fail(err, CRU_BAD_INPUT, "the kept embedding of %s has the wrong size; --force trains again",
                          j->source.key);
    else
        memcpy(scores_embedding(file, shape), part.values, (size_t)(part.rows * part.cols) * sizeof *part.values);
    *cols = status ? 0 : part.cols;
    free(part.values);
    return status;
}

/* The label weights as the report that the method would have given; *bytes: of it. */
static cru_status refill_weights(job *j, float *file, uint64_t *bytes, cru_error *err)
{
    const score_shape *shape = &j->problem->shape;
    store_matrix part = {0};
    *bytes = 0;
    cru_status status =
        shape->weights ? store_get_part(j->runner->options.store, j->source.key, STORE_WEIGHTS, &part, err) : CRU_OK;
    if (status || !part.values || part.cols != 1) {
        free(part.values);
        return status;
    }
    double *weights = malloc((size_t)part.rows * sizeof *weights + 1);
    report_writer w = {.weights = true, .room = scores_report_room(shape)};
    cru_report report = report_open(&w);
    for (int64_t i = 0; weights && i < part.rows; i++) weights[i] = part.values[i];
    if (weights)
        report.sink.put(report.sink.user, CRU_LABEL_WEIGHT, weights, part.rows);
    else
        status = cru_fail(err, CRU_NO_MEMORY, "no memory for kept label weights");
    *bytes = report_close(&w, scores_report(file, shape));
    free(weights);
    free(part.values);
    return status;
}

static cru_status refill_parts(job *j, int64_t *cols, uint64_t *bytes, cru_error *err)
{
    const score_shape *shape = &j->problem->shape;
    float *file = scores_map(j->scores, shape, true);
    if (!file) return cru_fail(err, CRU_NO_MEMORY, "no memory for kept scores");
    cru_status status = refill_embedding(j, file, cols, err);
    if (!status) status = refill_weights(j, file, bytes, err);
    scores_unmap(file, shape);
    return status;
}

static void judged(judge_call *call, const judge_reply *reply, const records *payload, int fd)
{
    job *j = call->owner;
    (void)fd;
    if (!jobs_stopped(j, reply)) results_judged(j, reply, payload);
}

void kept_judge(job *j)
{
    runner *r = j->runner;
    const store_source *source = &j->source;
    store_matrix kept = {0};
    cru_status status = store_get_kept(r->options.store, source->key, &kept, &r->error);
    int64_t cols = 0;
    uint64_t bytes = 0;
    if (!status) status = refill(j, &kept, &r->error);
    if (!status) status = refill_parts(j, &cols, &bytes, &r->error);
    free(kept.values);
    if (status) return;
    j->state = JOB_SCORING;
    j->call = (judge_call){.request = {.op = JUDGE_SCORE,
                                       .trial = j->problem->trial.index,
                                       .seconds_total = source->seconds_total,
                                       .seconds_to_best = source->seconds_to_best,
                                       .peak_bytes = source->peak_bytes,
                                       .embedding_cols = cols,
                                       .report_bytes = bytes,
                                       .known = find_known(r, &j->trial, source->metrics),
                                       .rule = j->rule},
                           .fd = j->scores,
                           .lane = j->problem->call.lane,
                           .answered = judged,
                           .owner = j};
    judges_ask(r->judges, &j->call, &r->error);
}
