/* Homophily against the numbers of the heterophily study's code. */
#include "json-fixture.h"
#include "metrics/judging.h"

static judging described(const cJSON *item)
{
    const cJSON *graph = fixture_input(item, "graph");
    const bool directed = cJSON_IsTrue(cJSON_GetObjectItem(graph, "directed"));
    double numbers[200];
    int32_t labels[100];
    const int64_t n = fixture_numbers(fixture_input(item, "labels"), numbers);
    for (int64_t i = 0; i < n; i++) labels[i] = (int32_t)numbers[i];
    judging j = judging_create(labels, n, fixture_input(item, "num_classes")->valueint, NULL);
    const int64_t count = fixture_numbers(fixture_input(item, "features"), numbers);
    float *x = cru_data_alloc(j.data, count, sizeof *x);
    for (int64_t i = 0; i < count; i++) x[i] = (float)numbers[i];
    j.data->x = (cru_features){.rows = n, .cols = count / n, .dense = x};
    judging_join(&j, numbers, fixture_numbers(cJSON_GetObjectItem(graph, "edges"), numbers) / 2, directed);
    return j;
}

START_TEST(numbers_of_the_heterophily_study)
{
    cJSON *root = fixture_open("heterophily/metrics.json");
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "cases"), _i);
    judging j = described(item);
    static const char *const names[][2] = {{"edge-homophily", "h_edge"},
                                           {"node-homophily", "h_node"},
                                           {"class-homophily", "h_class"},
                                           {"adjusted-homophily", "h_adj"},
                                           {"label-informativeness", "li"},
                                           {"generalized-edge-homophily", "h_ge"},
                                           {"aggregation-homophily", "h_agg_modified_none"},
                                           {"neighbor-homophily", "h_neighbor"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_double_eq_tol(judging_score(&j, names[i][0]), fixture_expected(item, names[i][1])->valuedouble, 1e-6);
    static const char *const settings[][4] = {
        {"node-homophily", "isolated", "zero", "h_node_isolated_zero"},
        {"aggregation-homophily", "modified", "false", "h_agg_unmodified_none"},
        {"aggregation-homophily", "aggregator", "sym", "h_agg_modified_sym"},
        {"aggregation-homophily", "aggregator", "rw", "h_agg_modified_rw"},
        {"neighbor-homophily", "complement", "true", "one_minus_h_neighbor"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        ck_assert_double_eq_tol(judging_with(&j, settings[i][0], settings[i][1], settings[i][2]),
                                fixture_expected(item, settings[i][3])->valuedouble, 1e-6);
    judging_destroy(&j);
    cJSON_Delete(root);
}
END_TEST

/* Edges 0-1 (same class) and 0-2 (2 has no label), a loop at 1. */
START_TEST(loops_and_unlabelled_ends_do_not_count)
{
    static const int32_t row[] = {0, 1, 0, 2, 1}, col[] = {1, 0, 2, 0, 1};
    judging j = judging_create((const int32_t[]){0, 0, CRU_UNLABELLED}, 3, 2, NULL);
    const cru_coo coo = {.rows = 3, .cols = 3, .count = 5, .row = row, .col = col};
    j.data->graph = cru_csr_from_coo(cru_data_pool(j.data), &coo, CRU_DUP_FIRST);
    ck_assert_double_eq(judging_score(&j, "edge-homophily"), 1);
    ck_assert_double_eq(judging_score(&j, "node-homophily"), 1);
    judging_destroy(&j);
}
END_TEST

START_TEST(not_defined_without_edges)
{
    judging j = judging_create((const int32_t[]){0, 1}, 2, 2, NULL);
    const cru_coo coo = {.rows = 2, .cols = 2};
    j.data->graph = cru_csr_from_coo(cru_data_pool(j.data), &coo, CRU_DUP_FIRST);
    ck_assert(isnan(judging_score(&j, "edge-homophily")));
    ck_assert(isnan(judging_score(&j, "node-homophily")));
    ck_assert(isnan(judging_score(&j, "adjusted-homophily")));
    ck_assert(isnan(judging_score(&j, "label-informativeness")));
    judging_destroy(&j);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("metrics of datasets");
    TCase *c = tcase_create("metrics");
    tcase_add_loop_test(c, numbers_of_the_heterophily_study, 0, 3);
    tcase_add_test(c, loops_and_unlabelled_ends_do_not_count);
    tcase_add_test(c, not_defined_without_edges);
    suite_add_tcase(s, c);
    return s;
}
