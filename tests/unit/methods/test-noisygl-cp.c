// SPDX-License-Identifier: Apache-2.0
/* cp: against the numbers of the study's code. Its k-means and lazy Adam are those of the SDK, tested there. */
#include "methods/method-bench.h"
#include "node2vec.h"

static void integers(const cJSON *lists, int64_t each, int32_t *out)
{
    int64_t next = 0;
    for (int i = 0; i < cJSON_GetArraySize(lists); i++)
        for (int64_t k = 0; k < each; k++)
            out[next++] = cJSON_GetArrayItem(cJSON_GetArrayItem(lists, i), (int)k)->valueint;
}

static void check_values(const bench *b, const float *values, const cJSON *expected)
{
    static double numbers[BENCH_MOST];
    const int64_t count = fixture_numbers(expected, numbers);
    for (int64_t i = 0; i < count; i++) bench_check_number(b, (double)values[i], numbers[i]);
}

/* The second step uses the first window of both walks: walks of three nodes. */
START_TEST(embeddings_learn_from_windows)
{
    static const char *const gradients[] = {"grad_step1", "grad_step2"}, *const after[] = {"after_step1",
                                                                                           "after_step2"};
    static const int64_t lengths[] = {5, 3};
    static double numbers[BENCH_MOST];
    int32_t walked[10], random[10];
    cJSON *root = fixture_open("noisygl/cp.json");
    const cJSON *item = fixture_case(root, "node2vec_loss_and_lazy_adam"), *rows = fixture_input(item, "embedding");
    bench b = bench_create();
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    cru_tensor *table = cru_weight_create(b.ctx, cru_2d(n, count / n));
    for (int64_t i = 0; i < count; i++) table->data[i] = (float)numbers[i];
    cru_tape *t = cru_tape_create(b.ctx);
    cru_optim *optim = cru_optim_create(b.ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = 0.01});
    cru_optim_add_weight(optim, table, NULL);
    for (int step = 0; step < 2; step++) {
        integers(fixture_input(item, "walks"), lengths[step], walked);
        integers(fixture_input(item, "negative_walks"), lengths[step], random);
        const walk_batch w = {walked, random, 2, lengths[step], 3};
        cru_tape_begin(t, CRU_TRAIN);
        cru_tensor *loss = node2vec_loss(t, table, &w);
        cru_backward(t, loss);
        bench_check_number(&b, (double)cru_tensor_item(t, loss),
                           cJSON_GetArrayItem(fixture_expected(item, "losses"), step)->valuedouble);
        check_values(&b, cru_weight_grad(table), fixture_expected(item, gradients[step]));
        int32_t ids[8];
        int64_t present = 0;
        for (int32_t v = 0; v < n; v++)
            for (int64_t i = 0; i < 2 * lengths[step]; i++)
                if (walked[i] == v || random[i] == v) {
                    ids[present++] = v;
                    break;
                }
        cru_optim_step_rows(optim, table, (cru_ids){ids, present});
        check_values(&b, table->data, fixture_expected(item, after[step]));
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Without embeddings the communities are k-means of the first draw; the loss is the sum of two cross-entropies. */
START_TEST(cp_trains)
{
    cJSON *root = fixture_open("noisygl/d-gnn.json");
    const cJSON *item = fixture_case(root, "loss_and_grads");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train"));
    bench_open(&b, "cp", (const char *[]){"epochs", "2", "emb_epochs", "2", "clusters", "3", NULL});
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("noisy label communities");
    TCase *c = tcase_create("communities");
    tcase_add_test(c, embeddings_learn_from_windows);
    tcase_add_test(c, cp_trains);
    suite_add_tcase(s, c);
    return s;
}
