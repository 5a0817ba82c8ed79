// SPDX-License-Identifier: Apache-2.0
#include "host/judged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/schedule.h"

/* ---- what a trial is judged by --------------------------------------------------------------------------- */

void judged_clear(judged_cache *c)
{
    for (int64_t i = 0; i < c->count; i++) free((char *)c->items[i].text);
    free(c->items);
    *c = (judged_cache){0};
}

const store_judged *judged_of(judged_cache *c, const trial *t)
{
    if (c->of == t->metrics && c->count == t->metric_count) return c->items;
    judged_clear(c);
    c->items = calloc((size_t)t->metric_count + 1, sizeof *c->items);
    if (!c->items) cru_panic(CRU_NO_MEMORY, "no memory for the metrics of a trial");
    for (; c->count < t->metric_count; c->count++)
        c->items[c->count] = (store_judged){t->metrics[c->count]->label, metric_text(t->metrics[c->count])};
    c->of = t->metrics;
    return c->items;
}

/* ---- trials that lack some ------------------------------------------------------------------------------- */

/* The kept matrix of the scores: in full where the run kept predictions. */
static cru_status get_scores(store *s, const char *key, store_matrix *out, cru_error *err)
{
    cru_status status = store_get_scores(s, key, &out->values, &out->rows, &out->cols, err);
    return status || out->values ? status : store_get_kept(s, key, STORE_SCORES, out, err);
}

static bool wants_embedding(const trial *t)
{
    for (int64_t i = 0; i < t->metric_count; i++)
        if (t->metrics[i]->plugin->flags & CRU_METRIC_OF_EMBEDDING) return true;
    return false;
}

cru_status judged_look(store *s, judged_cache *c, const trial *t, const char *key, judged_state *state, cru_error *err)
{
    bool lacks, there = false;
    *state = JUDGED_ALL;
    cru_status status = store_lacks(s, key, judged_of(c, t), t->metric_count, &lacks, err);
    if (status || !lacks) return status;
    status = store_has_kept(s, key, STORE_SCORES, &there, err);
    if (!status && there && wants_embedding(t)) status = store_has_kept(s, key, STORE_EMBEDDING, &there, err);
    *state = there ? JUDGED_KEPT : JUDGED_LOST;
    return status;
}

cru_status judged_blameless(store *s, const trial *t, const char *key, bool *blameless, cru_error *err)
{
    char blamed[200];
    *blameless = false;
    cru_status status = store_get_blamed(s, key, blamed, sizeof blamed, err);
    if (status || !*blamed) return status;
    *blameless = true;
    for (int64_t i = 0; i < t->metric_count; i++)
        if (strcmp(t->metrics[i]->label, blamed) == 0 || strcmp(t->metrics[i]->name, blamed) == 0) *blameless = false;
    return CRU_OK;
}

/* ---- judging --------------------------------------------------------------------------------------------- */

/* A memory file as a worker would have left it. */
static int refill(const store_matrix *scores, const store_matrix *embedding, const score_shape *shape)
{
    int fd = scores_create(shape);
    float *file = fd < 0 ? NULL : scores_map(fd, shape, true);
    if (!file) {
        if (fd >= 0) close(fd);
        return -1;
    }
    memcpy(file, scores->values, (size_t)(scores->rows * scores->cols) * sizeof *file);
    if (embedding->values)
        memcpy(scores_embedding(file, shape), embedding->values,
               (size_t)(embedding->rows * embedding->cols) * sizeof *file);
    scores_unmap(file, shape);
    return fd;
}

static cru_status ask_judge(runner *r, const trial *t, const char *key, store *s, runner_answer *answer, cru_error *err)
{
    store_matrix scores = {0}, embedding = {0};
    store_costs costs;
    cru_status status = get_scores(s, key, &scores, err);
    if (!status && wants_embedding(t)) status = store_get_kept(s, key, STORE_EMBEDDING, &embedding, err);
    if (!status) status = store_get_costs(s, key, &costs, err);
    const score_shape shape = {scores.rows, (int32_t)scores.cols, embedding_wanted(r->options.experiment)};
    bool fits = embedding.rows == (embedding.values ? scores.rows : 0) && embedding.cols <= shape.embedding;
    if (!status && !fits) status = cru_fail(err, CRU_BAD_INPUT, "%s: the kept embedding has another size", key);
    int fd = status ? -1 : refill(&scores, &embedding, &shape);
    free(scores.values);
    free(embedding.values);
    if (!status && fd < 0) status = cru_fail(err, CRU_NO_MEMORY, "no memory for kept scores");
    if (status) return status;
    judge_request request = {.op = JUDGE_SCORE,
                             .trial = t->index,
                             .seconds_total = costs.seconds_total,
                             .seconds_to_best = costs.seconds_to_best,
                             .peak_bytes = costs.peak_bytes,
                             .embedding_cols = embedding.cols};
    cru_settings *settings = variant_settings(t->monitor);
    request.rule = *(const monitor_settings *)cru_settings_struct(settings);
    cru_settings_destroy(settings);
    status = runner_ask(r, &request, fd, answer, err);
    close(fd);
    return status;
}

/* Whether a record belongs to a metric: "auroc" or "auroc.more". */
static bool is_of(const char *name, const char *label)
{
    size_t length = strlen(label);
    return strncmp(name, label, length) == 0 && (!name[length] || name[length] == '.');
}

/* What was measured when the trial was run stays: it is from the scores themselves. */
static cru_status keep_lacking(store *s, const char *key, store_verdict *verdict, store_judged *lacking, cru_error *err)
{
    cru_status status = CRU_OK;
    int64_t count = 0;
    for (int64_t i = 0; !status && i < verdict->judged_count; i++) {
        bool lacks;
        status = store_lacks(s, key, &verdict->judged[i], 1, &lacks, err);
        if (!status && lacks) lacking[count++] = verdict->judged[i];
    }
    verdict->judged = lacking;
    verdict->judged_count = count;
    return status;
}

static cru_status store_answer(store *s, const char *key, store_verdict *verdict, const records *answer, cru_error *err)
{
    int64_t space = 1;
    size_t position = 0;
    for (record item; records_next(answer, &position, &item);) space++;
    store_number *numbers = calloc((size_t)space, sizeof *numbers);
    store_vector *vectors = calloc((size_t)space, sizeof *vectors);
    store_judged *lacking = calloc((size_t)verdict->judged_count + 1, sizeof *lacking);
    cru_status status = numbers && vectors && lacking ? keep_lacking(s, key, verdict, lacking, err)
                                                      : cru_fail(err, CRU_NO_MEMORY, "no memory for numbers");
    position = 0;
    for (record item; !status && records_next(answer, &position, &item);) {
        bool wanted = false;
        for (int64_t i = 0; i < verdict->judged_count; i++) wanted |= is_of(item.name, lacking[i].label);
        if (wanted && item.count == 1)
            numbers[verdict->number_count++] = (store_number){item.name, item.values[0]};
        else if (wanted)
            vectors[verdict->vector_count++] = (store_vector){item.name, item.values, item.count};
    }
    verdict->numbers = numbers;
    verdict->vectors = vectors;
    if (!status) status = store_add_verdict(s, key, verdict, err);
    free(numbers);
    free(vectors);
    free(lacking);
    return status;
}

cru_status runner_rejudge(runner *r, store *s, const trial *t, const char *key, cru_error *err)
{
    runner_answer answer = {0};
    judged_cache metrics = {0};
    store_verdict verdict = {.judged = judged_of(&metrics, t), .judged_count = t->metric_count};
    cru_status status = ask_judge(r, t, key, s, &answer, err);
    if (!status && answer.reply.status) status = cru_fail(err, answer.reply.status, "%s", answer.reply.text);
    if (!status) status = store_answer(s, key, &verdict, &answer.payload, err);
    records_free(&answer.payload);
    judged_clear(&metrics);
    return status;
}
