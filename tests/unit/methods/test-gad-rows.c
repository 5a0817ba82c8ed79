// SPDX-License-Identifier: Apache-2.0
/* knn and svm, which learn from rows alone, and the two phases of dci, against numbers of the reference. */
#include "infomax.h"
#include "methods/gad-cases.h"

/* Nodes without edges: first the training rows, then those to score. */
static bench with_rows(const cJSON *item)
{
    const cJSON *train = fixture_input(item, "x_train"), *test = fixture_input(item, "x_test"), *row;
    cJSON *all = cJSON_Duplicate(train, true), *labels = cJSON_Duplicate(fixture_input(item, "y_train"), true);
    cJSON *ids = cJSON_CreateArray();
    for (int i = 0; i < cJSON_GetArraySize(train); i++) cJSON_AddItemToArray(ids, cJSON_CreateNumber(i));
    cJSON_ArrayForEach(row, test)
    {
        cJSON_AddItemToArray(all, cJSON_Duplicate(row, true));
        cJSON_AddItemToArray(labels, cJSON_CreateNumber(0));
    }
    bench b = bench_create();
    b.data->problem = CRU_ANOMALY;
    bench_free_logits(&b, cJSON_GetArraySize(all));
    bench_features(&b, all);
    bench_labels(&b, labels, ids);
    cJSON_Delete(all), cJSON_Delete(labels), cJSON_Delete(ids);
    return b;
}

/* Score of class 1 less that of class 0 for the rows to score, which follow `first` training rows. */
static int64_t fitted_scores(bench *b, const char *method, const char *const *settings, float *scores)
{
    bench_open(b, method, settings);
    ck_assert_int_eq(b->algorithm->fit(b->learner, NULL), CRU_OK);
    ck_assert_int_eq(b->algorithm->predict(b->learner, scores), CRU_OK);
    return b->data->split.train.count;
}

START_TEST(knn_counts_its_neighbours)
{
    static const char *const names[] = {"{'n_neighbors': 5}", "{'n_neighbors': 3, 'weights': 'distance'}",
                                        "{'n_neighbors': 4, 'p': 1}"};
    static const char *const settings[][5] = {
        {"k", "5", NULL}, {"k", "3", "weights", "distance", NULL}, {"k", "4", "p", "1", NULL}};
    cJSON *root = fixture_open("gad/knn.json");
    const cJSON *item = fixture_case(root, names[_i]), *expected = fixture_expected(item, "score");
    bench b = with_rows(item);
    float *scores = cru_data_alloc(b.data, 2 * b.data->items, sizeof *scores);
    const int64_t first = fitted_scores(&b, "knn", settings[_i], scores);
    for (int i = 0; i < cJSON_GetArraySize(expected); i++)
        bench_check_number(&b, exp((double)scores[2 * (first + i) + 1]), cJSON_GetArrayItem(expected, i)->valuedouble);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(svm_converges)
{
    cJSON *root = fixture_open("gad/svm.json");
    const cJSON *item = fixture_case(root, "converged"), *expected = fixture_expected(item, "decision");
    bench b = with_rows(item);
    b.tolerance = 1e-4;
    float *scores = cru_data_alloc(b.data, 2 * b.data->items, sizeof *scores);
    const int64_t first = fitted_scores(&b, "svm", (const char *[]){"tolerance", _i ? "1e-9" : "1e-4", NULL}, scores);
    for (int i = 0; i < cJSON_GetArraySize(expected); i++) {
        ck_assert(scores[2 * (first + i)] == 0);
        bench_check_number(&b, (double)scores[2 * (first + i) + 1], cJSON_GetArrayItem(expected, i)->valuedouble);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static const rename_rule dci_names[] = {{"encoder.conv.layers.", "conv"},
                                        {".f.", "."},
                                        {"encoder.mlp.layers.0", "head"},
                                        {"discriminator.weight", "discriminator"},
                                        {0}};
static const model_case dci_case = {"dci", "", dci_names, "discriminator", {"hidden", "4"}, 0};

/* The fixture's gradients of this phase are those of pre-training, so that logits and loss are compared. */
START_TEST(dci_fine_tunes)
{
    cJSON *root = fixture_open("gad/dci.json");
    const cJSON *item = fixture_case(root, "finetune");
    bench b = with_anomaly_task(item);
    bench_open(&b, "dci", dci_case.settings);
    set_weights(&b, &dci_case, fixture_input(item, "params"));
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(dci_pre_trains)
{
    static double numbers[BENCH_MOST];
    int32_t permutation[8], group[8] = {0};
    cJSON *root = fixture_open("gad/dci.json");
    const cJSON *item = fixture_case(root, "pretrain_global_summary");
    const cJSON *second = cJSON_GetArrayItem(fixture_input(item, "clusters"), 1), *values;
    bench b = with_anomaly_task(item);
    bench_open(&b, "dci", (const char *[]){"hidden", "4", "variant", _i ? "paper" : "bench", NULL});
    set_weights(&b, &dci_case, fixture_input(item, "params"));
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "perm"), numbers), 8);
    for (int i = 0; i < 8; i++) permutation[i] = (int32_t)numbers[i];
    const int64_t members = fixture_numbers(second, numbers);
    for (int64_t i = 0; i < members; i++) group[(int)numbers[i]] = 1;
    cru_learner *l = b.learner;
    cru_tape_begin(l->tape, CRU_TRAIN);
    b.loss = infomax_loss(l->tape, l->model, &l->x, permutation, group);
    bench_check_loss(&b, fixture_expected(item, _i ? "loss_cluster_summary_variant" : "loss"));
    cru_backward(l->tape, b.loss);
    cJSON_ArrayForEach(values, fixture_expected(item, "grads"))
    {
        char ours[200];
        renamed(values->string, dci_names, ours);
        if (_i || strncmp(ours, "head", 4) == 0) continue; /* of the head nothing is learned */
        bench_check_gradient(&b, ours, values, layout_of(&dci_case, values->string));
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("anomaly methods on rows");
    TCase *c = tcase_create("fixtures");
    tcase_add_loop_test(c, knn_counts_its_neighbours, 0, 3);
    tcase_add_loop_test(c, svm_converges, 0, 2);
    tcase_add_test(c, dci_fine_tunes);
    tcase_add_loop_test(c, dci_pre_trains, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
