// SPDX-License-Identifier: Apache-2.0
/* pll-bench.h: partial-label methods against the trajectories and losses of the study's code. */
#ifndef TESTS_PLL_BENCH_H
#define TESTS_PLL_BENCH_H

#include <crucible/draft/minibatch.h>

#include "methods/method-bench.h"

/* A weight's names in the fixture and in the method's nets. */
typedef struct pair {
    const char *theirs, *ours;
} pair;

static const pair perceptron[] = {
    {"featurizer.fc1.weight", "backbone.fc1.weight"},
    {"featurizer.fc1.bias", "backbone.fc1.bias"},
    {"classifier.weight", "classifier.weight"},
    {"classifier.bias", "classifier.bias"},
    {NULL, NULL},
};

/* Two encoders, of which the second follows the first. */
static const pair query_and_key[] = {
    {"network.encoder_q.featurizer.fc1.weight", "0:backbone.fc1.weight"},
    {"network.encoder_q.featurizer.fc1.bias", "0:backbone.fc1.bias"},
    {"network.encoder_q.classifier.weight", "0:classifier.weight"},
    {"network.encoder_q.classifier.bias", "0:classifier.bias"},
    {"network.encoder_q.head.0.weight", "0:head.0.weight"},
    {"network.encoder_q.head.0.bias", "0:head.0.bias"},
    {"network.encoder_q.head.2.weight", "0:head.2.weight"},
    {"network.encoder_q.head.2.bias", "0:head.2.bias"},
    {"network.encoder_k.featurizer.fc1.weight", "1:backbone.fc1.weight"},
    {"network.encoder_k.featurizer.fc1.bias", "1:backbone.fc1.bias"},
    {"network.encoder_k.classifier.weight", "1:classifier.weight"},
    {"network.encoder_k.classifier.bias", "1:classifier.bias"},
    {"network.encoder_k.head.0.weight", "1:head.0.weight"},
    {"network.encoder_k.head.0.bias", "1:head.0.bias"},
    {"network.encoder_k.head.2.weight", "1:head.2.weight"},
    {"network.encoder_k.head.2.bias", "1:head.2.bias"},
    {NULL, NULL},
};

static inline void set_weights(const bench *b, const cJSON *values, const pair *names)
{
    for (; names->theirs; names++) bench_set(b, names->ours, cJSON_GetObjectItem(values, names->theirs), TRANSPOSED);
}

static inline void check_weights(const bench *b, const cJSON *values, const pair *names)
{
    for (; names->theirs; names++)
        bench_check_weight(b, names->ours, cJSON_GetObjectItem(values, names->theirs), TRANSPOSED);
}

/* Scores of all rows, in evaluation mode. */
static inline void check_scores(bench *b, const cJSON *expected)
{
    static double numbers[BENCH_MOST];
    static float scores[BENCH_MOST];
    const int64_t count = fixture_numbers(expected, numbers);
    ck_assert_int_eq(b->algorithm->predict(b->learner, scores), CRU_OK);
    for (int64_t i = 0; i < count; i++) bench_check_number(b, (double)scores[i], numbers[i]);
}

/* `more`: settings besides those that all trajectories share. */
static inline void open_trajectory(bench *b, const cJSON *item, const char *method, const char *const *more)
{
    enum { SHARED = 8, MOST = 40 };
    const char *settings[MOST] = {"hidden", "6", "lr", "0.01", "weight_decay", "0.001", "batch_size", "4"};
    for (int i = 0; more && more[i]; i++) settings[SHARED + i] = more[i];
    b->tolerance = cJSON_GetObjectItem(item, "tolerance")->valuedouble;
    bench_candidates(b, fixture_input(item, "X_weak"), fixture_input(item, "S"));
    bench_open(b, method, settings);
}

static inline void run_steps(bench *b, const cJSON *item)
{
    const cJSON *step;
    cJSON_ArrayForEach(step, fixture_expected(item, "steps")) bench_check_number(
        b, bench_step(b, cJSON_GetObjectItem(step, "batch_rows")), cJSON_GetObjectItem(step, "loss")->valuedouble);
}

/* The case `name` of the method's file, with further settings (NULL: none). */
static inline void check_case(const char *method, const char *name, const char *const *more)
{
    char file[100];
    snprintf(file, sizeof file, "pll/%s.json", method);
    cJSON *root = fixture_open(file);
    const cJSON *item = fixture_case(root, name);
    bench b = bench_create();
    open_trajectory(&b, item, method, more);
    set_weights(&b, fixture_input(item, "initial_params"), perceptron);
    run_steps(&b, item);
    check_weights(&b, fixture_expected(item, "final_params"), perceptron);
    check_scores(&b, fixture_expected(item, "final_logits_eval"));
    bench_destroy(&b);
    cJSON_Delete(root);
}

/* ---- losses of given logits ---------------------------------------------------------------------------- */

/* A method on rows with candidate sets `sets` whose logits are `logits` for the rows `rows` and 0 for the others: X and
 * the hidden layer are the identity, so that the classifier's matrix holds the logits and its gradient theirs. */
static inline void open_given_logits(bench *b, const char *method, const cJSON *sets, const char *const *more)
{
    enum { MOST = 40 };
    char hidden[20];
    const int n = cJSON_GetArraySize(sets);
    snprintf(hidden, sizeof hidden, "%d", n);
    const char *settings[MOST] = {"hidden", hidden};
    for (int i = 0; more && more[i]; i++) settings[2 + i] = more[i];
    cJSON *unit = cJSON_CreateArray();
    for (int i = 0; i < n; i++) {
        cJSON *row = cJSON_CreateArray();
        for (int j = 0; j < n; j++) cJSON_AddItemToArray(row, cJSON_CreateNumber(i == j));
        cJSON_AddItemToArray(unit, row);
    }
    bench_candidates(b, unit, sets);
    bench_open(b, method, settings);
    bench_set(b, "backbone.fc1.weight", unit, AS_STORED);
    memset(bench_weight(b, "backbone.fc1.bias")->data, 0, (size_t)n * sizeof(float));
    memset(bench_weight(b, "classifier.bias")->data, 0, (size_t)b->task.classes * sizeof(float));
    cJSON_Delete(unit);
}

static inline void set_logits(const bench *b, const int32_t *rows, const cJSON *logits)
{
    static double numbers[BENCH_MOST];
    const int64_t count = fixture_numbers(logits, numbers), cols = b->task.classes;
    cru_tensor *w = bench_weight(b, "classifier.weight");
    memset(w->data, 0, (size_t)cru_tensor_count(w) * sizeof(float));
    for (int64_t i = 0; i < count; i++) w->data[rows[i / cols] * cols + i % cols] = (float)numbers[i];
}

/* The loss of these rows, and its gradient in the weights. */
static inline double loss_of_rows(bench *b, const int32_t *rows, int64_t count)
{
    cru_learner *l = b->learner;
    for (int64_t i = 0; i < l->net_count; i++) cru_net_clear(l->nets[i]);
    cru_tape_begin(l->tape, CRU_TRAIN);
    const cru_batch batch = cru_learner_batch(l, (cru_ids){(int32_t *)rows, count});
    cru_tensor *loss = l->method->batch_loss(l, l->model, l->tape, &batch);
    cru_backward(l->tape, loss);
    return (double)cru_tensor_item(l->tape, loss);
}

#endif
