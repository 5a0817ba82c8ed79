// SPDX-License-Identifier: Apache-2.0
/* How out of balance a training part is, in classes, sizes and places. */
#include "json-fixture.h"
#include "metrics/judging.h"

static void add_graph(cru_data *data, const int32_t (*edges)[2], int64_t count, bool both)
{
    int32_t *row = cru_data_alloc(data, 2 * count + 1, sizeof *row);
    int32_t *col = cru_data_alloc(data, 2 * count + 1, sizeof *col);
    int64_t entries = 0;
    for (int64_t e = 0; e < count; e++) {
        col[entries] = edges[e][0];
        row[entries++] = edges[e][1];
        if (!both) continue;
        col[entries] = edges[e][1];
        row[entries++] = edges[e][0];
    }
    const cru_coo coo = {.rows = data->nodes, .cols = data->nodes, .count = entries, .row = row, .col = col};
    data->graph = cru_csr_from_coo(cru_data_pool(data), &coo, CRU_DUP_FIRST);
}

static void set_train(cru_data *data, const int32_t *ids, int64_t count)
{
    int32_t *copy = cru_data_alloc(data, count, sizeof *copy);
    for (int64_t i = 0; i < count; i++) copy[i] = ids[i];
    data->split.train = (cru_ids){copy, count};
}

static judging fixture_graph(const cJSON *item, bool both)
{
    double numbers[64];
    int32_t labels[32], train[32], edges[32][2];
    const cJSON *graph = fixture_input(item, "graph");
    const int64_t n = fixture_numbers(fixture_input(item, "labels"), numbers);
    for (int64_t i = 0; i < n; i++) labels[i] = (int32_t)numbers[i];
    judging j = judging_create(labels, n, 3, NULL);
    const int64_t count = fixture_numbers(cJSON_GetObjectItem(graph, "edges"), numbers) / 2;
    for (int64_t e = 0; e < 2 * count; e++) edges[e / 2][e % 2] = (int32_t)numbers[e];
    add_graph(j.data, (const int32_t(*)[2])edges, count, both);
    const int64_t trained = fixture_numbers(fixture_input(item, "train"), numbers);
    for (int64_t i = 0; i < trained; i++) train[i] = (int32_t)numbers[i];
    set_train(j.data, train, trained);
    return j;
}

/* A graph that stores each edge in one direction only is taken as undirected, too. */
START_TEST(coefficients_agree_with_the_fixture)
{
    cJSON *root = fixture_open("igl/global_topology.json");
    const cJSON *item = fixture_case(root, "rc_sc_connected");
    judging j = fixture_graph(item, _i);
    ck_assert_double_eq_tol(judging_score(&j, "reaching-coefficient"), fixture_expected(item, "RC")->valuedouble, 1e-6);
    ck_assert_double_eq_tol(judging_score(&j, "squashing-coefficient"), fixture_expected(item, "SC")->valuedouble,
                            1e-6);
    judging_destroy(&j);
    item = fixture_case(root, "rc_sc_disconnected");
    j = fixture_graph(item, _i);
    ck_assert_double_eq_tol(judging_score(&j, "reaching-coefficient"), fixture_expected(item, "RC_near")->valuedouble,
                            1e-6);
    ck_assert_double_eq_tol(judging_with(&j, "reaching-coefficient", "unreachable", "far"),
                            fixture_expected(item, "RC_far")->valuedouble, 1e-6);
    ck_assert_double_eq_tol(judging_score(&j, "squashing-coefficient"), fixture_expected(item, "SC")->valuedouble,
                            1e-6);
    judging_destroy(&j);
    cJSON_Delete(root);
}
END_TEST

START_TEST(without_a_split_there_is_no_place)
{
    judging j = judging_create((const int32_t[]){0, 1, 0}, 3, 2, NULL);
    add_graph(j.data, (const int32_t[][2]){{0, 1}}, 1, true);
    ck_assert(isnan(judging_score(&j, "reaching-coefficient")));
    ck_assert(isnan(judging_score(&j, "squashing-coefficient")));
    judging_destroy(&j);
}
END_TEST

START_TEST(class_ratio_of_training_or_of_all)
{
    judging j = judging_create((const int32_t[]){0, 0, 0, 0, 1, 1, 3, -1}, 8, 4, NULL);
    ck_assert_double_eq(judging_score(&j, "imbalance-ratio"), 4);
    set_train(j.data, (const int32_t[]){0, 1, 2, 4, 5}, 5);
    ck_assert_double_eq(judging_score(&j, "imbalance-ratio"), 1.5);
    judging_destroy(&j);
    j = judging_create((const int32_t[]){-1, -1}, 2, 2, NULL);
    ck_assert(isnan(judging_score(&j, "imbalance-ratio")));
    judging_destroy(&j);
}
END_TEST

/* A star with 4 leaves, one pair: out-degrees 4 1 1 1 1 1 1. The 0.8 quantile is 1, so that all are heads; with one
 * more edge they are 4 2 2 1 1 1 1, the quantile at 4.8 of 1 1 1 1 2 2 4 is 2, and heads are 4 2 2. */
START_TEST(degree_ratio)
{
    judging j = judging_create((const int32_t[]){0, 0, 0, 0, 0, 0, 0}, 7, 2, NULL);
    add_graph(j.data, (const int32_t[][2]){{0, 1}, {0, 2}, {0, 3}, {0, 4}, {5, 6}}, 5, true);
    ck_assert(isnan(judging_score(&j, "size-imbalance-ratio")));
    add_graph(j.data, (const int32_t[][2]){{0, 1}, {0, 2}, {0, 3}, {0, 4}, {5, 6}, {1, 2}}, 6, true);
    ck_assert_double_eq_tol(judging_score(&j, "size-imbalance-ratio"), 8 / 3., 1e-12);
    set_train(j.data, (const int32_t[]){0, 3, 5}, 3);
    ck_assert_double_eq(judging_score(&j, "size-imbalance-ratio"), 4);
    judging_destroy(&j);
}
END_TEST

/* Ten graphs of 1 .. 10 nodes: rank 2 from the top is 8, heads have 9 and 10 nodes. */
START_TEST(graph_size_ratio)
{
    judging j = judging_create((const int32_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 10, 2, NULL);
    int64_t *offsets = cru_data_alloc(j.data, 11, sizeof *offsets);
    for (int64_t g = 0; g < 10; g++) offsets[g + 1] = offsets[g] + g + 1;
    j.data->problem = CRU_GRAPHS;
    j.data->graph_offsets = offsets;
    ck_assert_double_eq_tol(judging_score(&j, "size-imbalance-ratio"), 9.5 / 4.5, 1e-12);
    set_train(j.data, (const int32_t[]){9, 1}, 2);
    ck_assert_double_eq(judging_score(&j, "size-imbalance-ratio"), 5);
    judging_destroy(&j);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance metrics");
    TCase *c = tcase_create("imbalance");
    tcase_add_loop_test(c, coefficients_agree_with_the_fixture, 0, 2);
    tcase_add_test(c, without_a_split_there_is_no_place);
    tcase_add_test(c, class_ratio_of_training_or_of_all);
    tcase_add_test(c, degree_ratio);
    tcase_add_test(c, graph_size_ratio);
    suite_add_tcase(s, c);
    return s;
}
