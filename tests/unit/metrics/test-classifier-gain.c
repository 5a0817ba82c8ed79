// SPDX-License-Identifier: Apache-2.0
/* Classifier-based metrics against the numbers of the heterophily study's code. */
#include <crucible/stats.h>

#include "gain-classifiers.h"
#include "json-fixture.h"
#include "kernel-regression.h"
#include "metrics/judging.h"

enum { MOST = 1000 };

static judging open_graph(const cJSON *item)
{
    double numbers[MOST];
    int32_t labels[MOST];
    const int64_t n = fixture_numbers(fixture_input(item, "labels"), numbers);
    for (int64_t i = 0; i < n; i++) labels[i] = (int32_t)numbers[i];
    judging j = judging_create(labels, n, fixture_input(item, "num_classes")->valueint, NULL);
    const int64_t count = fixture_numbers(fixture_input(item, "features"), numbers);
    float *x = cru_data_alloc(j.data, count, sizeof *x);
    for (int64_t i = 0; i < count; i++) x[i] = (float)numbers[i];
    j.data->x = (cru_features){.rows = n, .cols = count / n, .dense = x};
    const cJSON *edges = cJSON_GetObjectItem(fixture_input(item, "graph"), "edges");
    judging_join(&j, numbers, fixture_numbers(edges, numbers) / 2, false);
    return j;
}

/* The same features in rows of stored entries. */
static void make_sparse(cru_data *data)
{
    data->x.sparse = cru_csr_from_dense(cru_data_pool(data), data->x.dense, data->x.rows, data->x.cols);
    data->x.dense = NULL;
}

static gain_draw frozen_draw(const cJSON *repeat, cru_arena *arena)
{
    double numbers[MOST];
    gain_draw d = {.train = fixture_numbers(cJSON_GetObjectItem(repeat, "train"), numbers)};
    d.count = d.train + fixture_numbers(cJSON_GetObjectItem(repeat, "test"), numbers + d.train);
    d.ids = cru_arena_alloc(arena, d.count, sizeof *d.ids);
    for (int64_t i = 0; i < d.count; i++) d.ids[i] = (int32_t)numbers[i];
    return d;
}

static gain_classifier *classifier_of(const cJSON *item)
{
    const char *name = fixture_input(item, "classifier")->valuestring;
    return strcmp(name, "gnb") == 0    ? gain_naive_bayes
           : strcmp(name, "kr-l") == 0 ? gain_kernel_linear
                                       : gain_kernel_relu;
}

/* All repeats on one side; `accuracy` receives their accuracies. */
static void check_side(const cJSON *item, gain_view *view, double *accuracy)
{
    const char *const keys[] = {view->aggregated ? "pred_H" : "pred_X", view->aggregated ? "acc_H" : "acc_X"};
    const cJSON *repeat;
    int r = 0;
    cJSON_ArrayForEach(repeat, fixture_input(item, "repeats"))
    {
        const gain_draw draw = frozen_draw(repeat, view->arena);
        double expected[MOST];
        gain_result result;
        ck_assert_int_eq(gain_accuracy(view, &draw, &result, NULL), CRU_OK);
        fixture_numbers(cJSON_GetArrayItem(fixture_expected(item, keys[0]), r), expected);
        for (int64_t i = 0; i < draw.count - draw.train; i++) ck_assert_int_eq(result.guess[i], (int32_t)expected[i]);
        accuracy[r] = result.accuracy;
        ck_assert_double_eq_tol(accuracy[r], cJSON_GetArrayItem(fixture_expected(item, keys[1]), r)->valuedouble, 1e-9);
        r++;
    }
}

static const char *const contests[] = {"gnb_sym", "kr-l_sym", "kr-nl_sym", "kr-l_none", "kr-nl_none"};

/* Every contest with dense and with sparse features. */
START_TEST(numbers_of_the_heterophily_study)
{
    cJSON *root = fixture_open("heterophily/cpm.json");
    const cJSON *item = fixture_case(root, contests[_i / 2]);
    cru_arena *arena = cru_arena_create();
    judging j = open_graph(item);
    if (_i % 2) make_sparse(j.data);
    const bool sym = strcmp(fixture_input(item, "aggregator")->valuestring, "sym") == 0;
    const gain_kernel_settings kernel = {fixture_input(item, "pinv_rcond")->valuedouble};
    const gain_method method = {classifier_of(item), &kernel};
    const feature_source source = feature_source_create(j.data, sym ? AGGREGATE_SYM : AGGREGATE_NONE, NORM_RAW, arena);
    const gain_population population = gain_population_create(j.data, arena);
    gain_view view = {.method = &method, .source = &source, .population = &population, .arena = arena};
    double accuracy[2][MOST];
    for (int side = 0; side < 2; side++) {
        view.aggregated = side == 1;
        check_side(item, &view, accuracy[side]);
    }
    const gain_verdict v = gain_judge(accuracy[0], accuracy[1], cJSON_GetArraySize(fixture_input(item, "repeats")));
    ck_assert_double_eq_tol(v.wins, fixture_expected(item, "win_share")->valuedouble, 1e-6);
    ck_assert_double_eq_tol(v.p, fixture_expected(item, "welch_p_two_sided")->valuedouble, 1e-6);
    ck_assert_double_eq_tol(v.value, fixture_expected(item, "value")->valuedouble, 1e-6);
    judging_destroy(&j);
    cru_arena_destroy(arena);
    cJSON_Delete(root);
}
END_TEST

START_TEST(kernels_of_the_heterophily_study)
{
    cJSON *root = fixture_open("heterophily/cpm.json");
    const cJSON *item = fixture_case(root, "kernels_first5_nodes");
    cru_arena *arena = cru_arena_create();
    double x[MOST], expected[MOST], products[25];
    const feature_rows rows = {
        .count = 5, .cols = fixture_numbers(fixture_input(item, "features"), x) / 5, .values = x};
    feature_rows_products(&rows, arena, products);
    fixture_numbers(fixture_expected(item, "K_linear"), expected);
    for (int i = 0; i < 25; i++) ck_assert_double_eq_tol(products[i] / 2, expected[i], 1e-5);
    relu_kernel(products, 5);
    fixture_numbers(fixture_expected(item, "K_arccos"), expected);
    for (int i = 0; i < 25; i++) ck_assert_double_eq_tol(products[i], expected[i], 1e-5);
    cru_arena_destroy(arena);
    cJSON_Delete(root);
}
END_TEST

START_TEST(welch_tests_of_the_heterophily_study)
{
    static const char *const names[] = {"welch_0", "welch_2"};
    cJSON *root = fixture_open("heterophily/cpm.json");
    const cJSON *item = fixture_case(root, names[_i]);
    double plain[MOST], aggregated[MOST];
    const int64_t n = fixture_numbers(fixture_input(item, "acc_X"), plain);
    fixture_numbers(fixture_input(item, "acc_H"), aggregated);
    const cru_t_test w = cru_welch((cru_sample){plain, n}, (cru_sample){aggregated, n});
    ck_assert_double_eq_tol(w.t, fixture_expected(item, "welch_t")->valuedouble, 1e-6);
    ck_assert_double_eq_tol(w.p, fixture_expected(item, "welch_p_two_sided")->valuedouble, 1e-8);
    const gain_verdict v = gain_judge(plain, aggregated, n);
    ck_assert_double_eq_tol(v.wins, fixture_expected(item, "win_share")->valuedouble, 1e-9);
    ck_assert_double_eq_tol(v.value, fixture_expected(item, "value")->valuedouble, 1e-8);
    cJSON_Delete(root);
}
END_TEST

/* I_x(1, b) = 1 - (1 - x)^b, I_1/2(a, a) = 1/2, I_x(a, b) = 1 - I_1-x(b, a). */
START_TEST(incomplete_beta_follows_its_identities)
{
    for (double x = 0; x <= 1; x += 0.0625) {
        ck_assert_double_eq_tol(cru_incomplete_beta(x, 1, 7.5), 1 - pow(1 - x, 7.5), 1e-13);
        ck_assert_double_eq_tol(cru_incomplete_beta(x, 98, 0.5), 1 - cru_incomplete_beta(1 - x, 0.5, 98), 1e-12);
    }
    for (double a = 0.5; a < 200; a *= 1.7) ck_assert_double_eq_tol(cru_incomplete_beta(0.5, a, a), 0.5, 1e-12);
}
END_TEST

START_TEST(without_variance_there_is_no_test)
{
    const double same[] = {0.5, 0.5, 0.5};
    ck_assert(isnan(gain_judge(same, same, 3).value));
}
END_TEST

/* Sizes from the heterophily study's protocol: classes of 40, 300 and 900 nodes, at most 500 in a sample. */
START_TEST(samples_are_balanced_as_far_as_classes_allow)
{
    cJSON *root = fixture_open("heterophily/protocol.json");
    const cJSON *item = fixture_case(root, "cpm_sample_sizes");
    cru_arena *arena = cru_arena_create();
    cru_rng rng = cru_rng_stream(1, "draw", 0);
    int32_t truth[1250], seen[1250] = {0};
    for (int i = 0; i < 1250; i++) truth[i] = i < 40 ? 0 : i < 340 ? 1 : i < 1240 ? 2 : CRU_UNLABELLED;
    judging j = judging_create(truth, 1250, 3, NULL);
    gain_population p = gain_population_create(j.data, arena);
    const gain_draw d = gain_sample(&p, 500, &rng, arena);
    int64_t train[3] = {0}, all[3] = {0};
    for (int64_t i = 0; i < d.count; i++) {
        ck_assert_int_eq(seen[d.ids[i]]++, 0);
        all[truth[d.ids[i]]]++;
        train[truth[d.ids[i]]] += i < d.train;
    }
    ck_assert_int_eq(d.count, fixture_expected(item, "n_sample")->valueint);
    ck_assert_int_eq(all[2], fixture_expected(item, "per_class_sample")->valueint);
    ck_assert_int_eq(train[2], fixture_expected(item, "per_class_train")->valueint);
    ck_assert_int_eq(train[1], fixture_expected(item, "per_class_train")->valueint);
    ck_assert_int_eq(train[0], 40);
    judging_destroy(&j);
    cru_arena_destroy(arena);
    cJSON_Delete(root);
}
END_TEST

/* A = diag(4, 1, 0): the last direction is cut off, and the second with a cutoff of 1/4. */
START_TEST(the_pseudo_inverse_cuts_small_eigenvalues)
{
    cru_arena *arena = cru_arena_create();
    for (int cut = 0; cut < 2; cut++) {
        double a[] = {4, 0, 0, 0, 1, 0, 0, 0, 0}, b[] = {1, 1, 1};
        const pinv_problem p = {.a = a, .n = 3, .b = b, .cols = 1, .cutoff = cut ? 0.25 : 1e-6};
        ck_assert_int_eq(pinv_apply(&p, arena, NULL), CRU_OK);
        ck_assert_double_eq_tol(b[0], 0.25, 1e-12);
        ck_assert_double_eq_tol(b[1], cut ? 0 : 1, 1e-12);
        ck_assert_double_eq_tol(b[2], 0, 1e-12);
    }
    cru_arena_destroy(arena);
}
END_TEST

/* Features are noise; the neighbours of a node are all of its class, or of no class in particular. The accuracy on
 * aggregated features is higher in the first case, so the value is near 1, and not in the second. */
static judging noise_graph(bool helpful)
{
    enum { N = 120, CLASSES = 3, COLS = 8, EDGES = 400 };
    cru_rng rng = cru_rng_stream(4, "graph", 0);
    int32_t truth[N];
    double pairs[2 * EDGES];
    for (int i = 0; i < N; i++) truth[i] = i % CLASSES;
    judging j = judging_create(truth, N, CLASSES, NULL);
    float *x = cru_data_alloc(j.data, N * COLS, sizeof *x);
    for (int i = 0; i < N * COLS; i++) x[i] = (float)cru_rng_normal(&rng) + (i % COLS == truth[i / COLS] ? 0.7f : 0);
    for (int e = 0; e < EDGES; e++) {
        const int64_t u = cru_rng_below(&rng, N);
        const int64_t v =
            helpful ? (u + CLASSES * (1 + cru_rng_below(&rng, N / CLASSES - 1))) % N : cru_rng_below(&rng, N);
        pairs[2 * e] = (double)u, pairs[2 * e + 1] = (double)v;
    }
    judging_join(&j, pairs, EDGES, false);
    j.data->x = (cru_features){.rows = N, .cols = COLS, .dense = x};
    return j;
}

START_TEST(a_graph_that_helps_is_told_from_one_that_does_not)
{
    static const char *const names[] = {"gnb-gain", "kernel-linear-gain", "kernel-relu-gain"};
    judging good = noise_graph(true), bad = noise_graph(false);
    ck_assert_double_gt(judging_with(&good, names[_i], "feature_norm", "raw"), 0.99);
    ck_assert_double_lt(judging_with(&bad, names[_i], "feature_norm", "raw"), 0.01);
    ck_assert_double_eq(judging_with(&good, names[_i], "feature_norm", "raw"),
                        judging_with(&good, names[_i], "feature_norm", "raw"));
    judging_destroy(&good);
    judging_destroy(&bad);
}
END_TEST

START_TEST(one_class_or_no_features)
{
    static const char *const names[] = {"gnb-gain", "kernel-linear-gain", "kernel-relu-gain"};
    judging j = noise_graph(true);
    for (int i = 0; i < j.data->nodes; i++) j.data->truth[i] = 0; /* every accuracy is 1 */
    j.data->classes = 1;
    ck_assert(isnan(judging_score(&j, names[_i])));
    ck_assert_double_eq(judging_with(&j, names[_i], "undefined", "half"), 0.5);
    for (int i = 0; i < j.data->nodes; i++) j.data->truth[i] = CRU_UNLABELLED;
    ck_assert(isnan(judging_score(&j, names[_i])));
    double value;
    cru_error err = {0};
    j.data->x = (cru_features){.rows = j.data->nodes};
    ck_assert_int_eq(judging_try(&j, names[_i], NULL, &value, &err), CRU_UNSUPPORTED);
    judging_destroy(&j);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("classifier gain");
    TCase *c = tcase_create("metrics");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, numbers_of_the_heterophily_study, 0, 10);
    tcase_add_test(c, kernels_of_the_heterophily_study);
    tcase_add_loop_test(c, welch_tests_of_the_heterophily_study, 0, 2);
    tcase_add_test(c, incomplete_beta_follows_its_identities);
    tcase_add_test(c, without_variance_there_is_no_test);
    tcase_add_test(c, samples_are_balanced_as_far_as_classes_allow);
    tcase_add_test(c, the_pseudo_inverse_cuts_small_eigenvalues);
    tcase_add_loop_test(c, a_graph_that_helps_is_told_from_one_that_does_not, 0, 3);
    tcase_add_loop_test(c, one_class_or_no_features, 0, 3);
    suite_add_tcase(s, c);
    return s;
}
