// SPDX-License-Identifier: Apache-2.0
/* pll-networks.h: steps of methods with several networks or views on the numbers of a fixture. A program that includes
 * it has these random numbers instead of the SDK's. */
#ifndef METHODS_PLL_NETWORKS_H
#define METHODS_PLL_NETWORKS_H

#include <crucible/draft/minibatch.h>
#include <crucible/draft/tensor.h>

#include "methods/pll-bench.h"

enum { MOST_SETTINGS = 32 };

/* ---- the SDK's random numbers are replaced by those of the fixtures ------------------------------------------- */

/* fredis: the last k of the list, backwards. */
void cru_rng_choose(cru_rng *rng, int64_t n, int64_t k, int32_t *out)
{
    (void)rng;
    for (int64_t i = 0; i < k; i++) out[i] = (int32_t)(n - 1 - i);
}

/* alim and pico-plus: Beta draws, permutations and second batches in the order of the fixture's lists; without a
 * fixture 0.5, the identity and the first rows. */
static struct {
    const cJSON *item;
    int betas, permutations, batches;
} frozen;

static inline const cJSON *next_frozen(const char *list, int *at)
{
    const cJSON *value = cJSON_GetArrayItem(fixture_input(frozen.item, list), (*at)++);
    ck_assert_msg(value != NULL, "the fixture has no more %s", list);
    return value;
}

double cru_rng_beta(cru_rng *rng, double a, double b)
{
    (void)rng;
    ck_assert_double_eq(a, 4);
    ck_assert_double_eq(b, 4);
    if (!frozen.item) return 0.5;
    return next_frozen("beta_draws", &frozen.betas)->valuedouble;
}

void cru_rng_permutation(cru_rng *rng, int32_t *out, int64_t n)
{
    (void)rng;
    const cJSON *order = frozen.item ? next_frozen("permutations", &frozen.permutations) : NULL;
    for (int i = 0; i < n; i++) out[i] = order ? cJSON_GetArrayItem(order, i)->valueint : i;
}

cru_ids cru_batches_next(cru_batches *batches)
{
    const cJSON *rows = frozen.item ? next_frozen("second_batch_rows", &frozen.batches) : NULL;
    for (int i = 0; rows && i < batches->size; i++) batches->order[i] = cJSON_GetArrayItem(rows, i)->valueint;
    return (cru_ids){batches->order, batches->size};
}

/* ---- one step with the fixture's views ------------------------------------------------------------------------ */

static inline cru_input view_of(cru_learner *l, const int32_t *ids, int64_t count, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    const int64_t cols = l->x.cols;
    float *view = cru_tape_alloc(l->tape, count * cols, sizeof *view);
    fixture_numbers(rows, numbers);
    for (int64_t i = 0; i < count * cols; i++) view[i] = (float)numbers[ids[i / cols] * cols + i % cols];
    return cru_input_of(cru_tensor_upload(l->tape, cru_2d(count, cols), view));
}

static inline double step_with_views(bench *b, const cJSON *item, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    static int32_t ids[BENCH_MOST];
    cru_learner *l = b->learner;
    const int64_t count = fixture_numbers(rows, numbers);
    for (int64_t i = 0; i < count; i++) ids[i] = (int32_t)numbers[i];
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_batch batch = cru_learner_batch(l, (cru_ids){ids, count});
    batch.strong = view_of(l, ids, count, fixture_input(item, "X_strong"));
    batch.distill = view_of(l, ids, count, fixture_input(item, "X_distill"));
    const double loss = cru_learner_step(l, l->optim, l->method->batch_loss(l, l->model, l->tape, &batch));
    cru_tape_record(l->tape, false);
    if (l->method->after_step) l->method->after_step(l, l->model, l->tape, &batch);
    l->epoch++;
    return loss;
}

static inline void set_zero(const bench *b, const char *name)
{
    cru_tensor *w = bench_weight(b, name);
    memset(w->data, 0, (size_t)cru_tensor_count(w) * sizeof(float));
}

#endif
