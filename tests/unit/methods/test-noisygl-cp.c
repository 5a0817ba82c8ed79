// SPDX-License-Identifier: Apache-2.0
/* cp: against the numbers of the study's code. Its k-means is that of the SDK, tested there. */
#include <crucible/draft/walk-table.h>

#include "methods/method-bench.h"

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
    double loss = 0;
    cJSON *root = fixture_open("noisygl/cp.json");
    const cJSON *item = fixture_case(root, "node2vec_loss_and_lazy_adam"), *rows = fixture_input(item, "embedding");
    bench b = bench_create();
    cru_rng rng = cru_rng_stream(0, "walks", 0);
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    cru_walk_table table = cru_walk_table_create(cru_ctx_pool(b.ctx), n, count / n, &rng);
    for (int64_t i = 0; i < count; i++) table.rows[i] = (float)numbers[i];
    for (int step = 0; step < 2; step++) {
        integers(fixture_input(item, "walks"), lengths[step], walked);
        integers(fixture_input(item, "negative_walks"), lengths[step], random);
        const cru_walk_batch w = {walked, random, 2, lengths[step], 3};
        cru_walk_table_learn(&table, &w, &loss);
        bench_check_number(&b, loss, cJSON_GetArrayItem(fixture_expected(item, "losses"), step)->valuedouble);
        check_values(&b, table.gradient, fixture_expected(item, gradients[step]));
        cru_walk_table_step(&table, &w, 0.01);
        check_values(&b, table.rows, fixture_expected(item, after[step]));
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The heads are free: with one convolution over A = I and X = I, and unit matrices behind it, h is what the fixture
 * calls logits, side by side. */
START_TEST(cp_learns_communities_beside_classes)
{
    static double numbers[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/cp.json");
    const cJSON *item = fixture_case(root, "two_head_loss");
    const cJSON *class_rows = fixture_input(item, "class_logits"),
                *group_rows = fixture_input(item, "community_logits");
    bench b = bench_create();
    const int n = cJSON_GetArraySize(class_rows);
    bench_free_logits(&b, n);
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train"));
    bench_open(&b, "cp", (const char *[]){BENCH_FREE_LOGITS, "hidden", "7", "clusters", "4", "lam", "0.2", NULL});
    cru_tensor *h = bench_weight(&b, "conv0.weight"),
               *heads[] = {bench_weight(&b, "classes.weight"), bench_weight(&b, "communities.weight")};
    for (int i = 0; i < n; i++) {
        fixture_numbers(cJSON_GetArrayItem(class_rows, i), numbers);
        fixture_numbers(cJSON_GetArrayItem(group_rows, i), numbers + 3);
        for (int k = 0; k < 7; k++) h->data[i * 7 + k] = (float)numbers[k];
    }
    for (int k = 0; k < 21; k++) heads[0]->data[k] = k / 3 == k % 3;
    for (int k = 0; k < 28; k++) heads[1]->data[k] = k / 4 == k % 4 + 3;
    for (int k = 0; k < 3; k++) bench_weight(&b, "classes.bias")->data[k] = 0;
    for (int k = 0; k < 4; k++) bench_weight(&b, "communities.bias")->data[k] = 0;
    cru_tensor *found = bench_weight(&b, "community"); /* of training items */
    fixture_numbers(fixture_input(item, "communities"), numbers);
    for (int64_t i = 0; i < b.task.split.train.count; i++) found->data[i] = (float)numbers[b.task.split.train.ids[i]];
    bench_run(&b);
    bench_check_loss(&b, fixture_expected(item, "loss"));
    const float *gradient = cru_weight_grad(h);
    for (int i = 0; i < n; i++) {
        fixture_numbers(cJSON_GetArrayItem(fixture_expected(item, "grad_class"), i), numbers);
        fixture_numbers(cJSON_GetArrayItem(fixture_expected(item, "grad_community"), i), numbers + 3);
        for (int k = 0; k < 7; k++) bench_check_number(&b, (double)gradient[i * 7 + k], numbers[k]);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

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
    tcase_add_test(c, cp_learns_communities_beside_classes);
    tcase_add_test(c, cp_trains);
    suite_add_tcase(s, c);
    return s;
}
