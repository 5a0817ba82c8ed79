// SPDX-License-Identifier: Apache-2.0
/* Homophily against the numbers of the heterophily study's code, against definitions, and at its edges. */
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

/* All that look at labels and edges only. */
static const char *const structural[] = {"edge-homophily",     "node-homophily",        "class-homophily",
                                         "adjusted-homophily", "label-informativeness", "aggregation-homophily",
                                         "neighbor-homophily"};
enum { STRUCTURAL = sizeof structural / sizeof *structural };

/* A small graph of two classes, in the form that a test asks for. */
static judging two_classes(const double *pairs, int64_t count, bool directed)
{
    judging j = judging_create((const int32_t[]){0, 0, 1, 1, 0}, 5, 2, NULL);
    judging_join(&j, pairs, count, directed);
    return j;
}

START_TEST(self_loops_change_nothing)
{
    static const double plain[] = {0, 1, 1, 2, 2, 3, 0, 4}, loops[] = {0, 1, 1, 2, 2, 3, 0, 4, 0, 0, 3, 3};
    judging without = two_classes(plain, 4, false), with = two_classes(loops, 6, false);
    ck_assert_double_eq(judging_score(&with, structural[_i]), judging_score(&without, structural[_i]));
    judging_destroy(&without);
    judging_destroy(&with);
}
END_TEST

START_TEST(unlabelled_ends_change_nothing)
{
    static const double plain[] = {0, 1, 1, 2, 2, 3, 0, 4};
    static const double more[] = {0, 1, 1, 2, 2, 3, 0, 4, 0, 5, 5, 3};
    judging without = two_classes(plain, 4, false);
    judging with = judging_create((const int32_t[]){0, 0, 1, 1, 0, CRU_UNLABELLED}, 6, 2, NULL);
    judging_join(&with, more, 6, false);
    ck_assert_double_eq(judging_score(&with, structural[_i]), judging_score(&without, structural[_i]));
    judging_destroy(&without);
    judging_destroy(&with);
}
END_TEST

/* Both directions listed one by one are the same graph as edges without direction. */
START_TEST(two_arcs_are_one_undirected_edge)
{
    static const double edges[] = {0, 1, 1, 2, 2, 3}, arcs[] = {0, 1, 1, 0, 1, 2, 2, 1, 2, 3, 3, 2};
    judging undirected = two_classes(edges, 3, false), directed = two_classes(arcs, 6, true);
    ck_assert_double_eq(judging_score(&directed, structural[_i]), judging_score(&undirected, structural[_i]));
    judging_destroy(&undirected);
    judging_destroy(&directed);
}
END_TEST

/* Edges 0 -> 1 and 0 -> 2 of classes 0 0 1: what counts are the neighbours that a node points at. */
START_TEST(directed_edges_belong_to_their_source)
{
    judging j = judging_create((const int32_t[]){0, 0, 1}, 3, 2, NULL);
    judging_join(&j, (const double[]){0, 1, 0, 2}, 2, true);
    ck_assert_double_eq(judging_score(&j, "edge-homophily"), 0.5);
    ck_assert_double_eq(judging_score(&j, "node-homophily"), 0.5); /* node 0 alone has neighbours */
    /* Class 0: of the edges 0-0, 0-1 and the loop of node 1 two stay, 2/3 - 2/3. Class 1: a loop, 1 - 1/3. */
    ck_assert_double_eq_tol(judging_score(&j, "class-homophily"), 2. / 3, 1e-12);
    /* Without the loops: class 0 has 1/2 - 2/3 < 0, class 1 no edge. */
    ck_assert_double_eq(judging_with(&j, "class-homophily", "isolated_selfloop", "false"), 0);
    /* In-degrees: 1/2 each. (1/2 - 1/2) / (1 - 1/2). */
    ck_assert_double_eq(judging_score(&j, "adjusted-homophily"), 0);
    /* B = (2 1), (1 0), (0 1). Node 0: same (5 + 2) / 2, other 1: fits. Node 1: same 3/2, other 0. Node 2: same 1,
     * other (1 + 0) / 2. */
    ck_assert_double_eq(judging_score(&j, "aggregation-homophily"), 1);
    /* Rows of class 0: (1/2 1/2) and nothing, one singular value; class 1 has no neighbours. */
    ck_assert_double_eq(judging_score(&j, "neighbor-homophily"), 0);
    judging_destroy(&j);
}
END_TEST

/* A perfect matching of equal classes; and of different ones. */
START_TEST(pure_and_alternating_neighbourhoods)
{
    judging pure = judging_create((const int32_t[]){0, 0, 1, 1}, 4, 2, NULL);
    judging_join(&pure, (const double[]){0, 1, 2, 3}, 2, false);
    judging mixed = judging_create((const int32_t[]){0, 1, 0, 1}, 4, 2, NULL);
    judging_join(&mixed, (const double[]){0, 1, 2, 3}, 2, false);
    static const char *const rates[] = {"edge-homophily", "node-homophily", "adjusted-homophily"};
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq(judging_score(&pure, rates[i]), 1);
        ck_assert_double_eq(judging_score(&mixed, rates[i]), i < 2 ? 0 : -1);
    }
    ck_assert_double_eq(judging_score(&pure, "class-homophily"), 1);
    ck_assert_double_eq_tol(judging_score(&pure, "label-informativeness"), 1, 1e-5);
    ck_assert_double_eq_tol(judging_score(&mixed, "label-informativeness"), 1, 1e-5);
    ck_assert_double_eq(judging_score(&pure, "neighbor-homophily"), 0);
    ck_assert_double_eq(judging_score(&mixed, "neighbor-homophily"), 0);
    judging_destroy(&pure);
    judging_destroy(&mixed);
}
END_TEST

START_TEST(an_isolated_node_is_no_neighbour)
{
    static const double edges[] = {0, 1, 1, 2, 2, 3};
    judging j = two_classes(edges, 3, false); /* node 4 is alone */
    ck_assert_double_eq_tol(judging_score(&j, "edge-homophily"), 2. / 3, 1e-12);
    ck_assert_double_eq_tol(judging_score(&j, "node-homophily"), (1 + 0.5 + 0.5 + 1) / 4, 1e-12);
    ck_assert_double_eq_tol(judging_with(&j, "node-homophily", "isolated", "zero"), (1 + 0.5 + 0.5 + 1) / 5, 1e-12);
    /* Class 0: 2 of 3 edges and the loop of node 4, 3/4 - 3/5; class 1: 2 of 3, 2/3 - 2/5. */
    ck_assert_double_eq_tol(judging_score(&j, "class-homophily"), 3. / 4 - 3. / 5 + 2. / 3 - 2. / 5, 1e-12);
    judging_destroy(&j);
}
END_TEST

START_TEST(one_class_is_not_defined)
{
    static const char *const names[] = {"class-homophily", "label-informativeness", "aggregation-homophily",
                                        "neighbor-homophily"};
    judging j = judging_create((const int32_t[]){0, 0}, 2, 1, NULL);
    judging_join(&j, (const double[]){0, 1}, 1, false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(isnan(judging_score(&j, names[i])), "%s", names[i]);
    ck_assert_double_eq(judging_score(&j, "edge-homophily"), 1);
    judging_destroy(&j);
}
END_TEST

START_TEST(not_defined_without_edges)
{
    static const char *const names[] = {"edge-homophily", "node-homophily", "adjusted-homophily",
                                        "label-informativeness", "generalized-edge-homophily"};
    const float x[] = {1, 2};
    judging j = judging_create((const int32_t[]){0, 1}, 2, 2, NULL);
    j.data->x = (cru_features){.rows = 2, .cols = 1, .dense = x};
    judging_join(&j, NULL, 0, false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_msg(isnan(judging_score(&j, names[i])), "%s", names[i]);
    judging_destroy(&j);
}
END_TEST

/* Rows (1 0), (0 2), (3 3), (0 0): cosines 0, 1/sqrt 2 and 0 for the zero row; dense and sparse alike. */
START_TEST(features_are_compared_by_angle)
{
    static const float x[] = {1, 0, 0, 2, 3, 3, 0, 0};
    judging j = judging_create((const int32_t[]){0, 0, CRU_UNLABELLED, 0}, 4, 1, NULL);
    judging_join(&j, (const double[]){0, 1, 1, 2, 2, 3, 2, 2}, 4, false);
    j.data->x = (cru_features){.rows = 4, .cols = 2, .dense = x};
    ck_assert_double_eq_tol(judging_score(&j, "generalized-edge-homophily"), sqrt(0.5) / 3, 1e-7);
    j.data->x.sparse = cru_csr_from_dense(cru_data_pool(j.data), x, 4, 2);
    j.data->x.dense = NULL;
    ck_assert_double_eq_tol(judging_score(&j, "generalized-edge-homophily"), sqrt(0.5) / 3, 1e-7);
    judging_destroy(&j);
}
END_TEST

/* ---- against naive computation --------------------------------------------------------------------------- */

/* A directed random graph with unlabelled nodes, loops and all. */
static judging random_graph(uint64_t seed, uint8_t *adjacent, int32_t n)
{
    enum { CLASSES = 4, EDGES = 150 };
    cru_rng rng = cru_rng_stream(seed, "graph", 0);
    int32_t truth[50];
    double pairs[2 * EDGES];
    for (int32_t v = 0; v < n; v++) truth[v] = (int32_t)cru_rng_below(&rng, CLASSES + 1) - 1;
    memset(adjacent, 0, (size_t)n * (size_t)n);
    for (int e = 0; e < EDGES; e++) {
        const int64_t u = cru_rng_below(&rng, n), v = cru_rng_below(&rng, n);
        pairs[2 * e] = (double)u, pairs[2 * e + 1] = (double)v;
        if (u != v && truth[u] >= 0 && truth[v] >= 0) adjacent[u * n + v] = 1;
    }
    judging j = judging_create(truth, n, CLASSES, NULL);
    judging_join(&j, pairs, EDGES, true);
    return j;
}

/* The definition, with the n x n matrix of scalar products in integers. */
static double naive_aggregation(const judging *j, const uint8_t *adjacent, int32_t n)
{
    enum { CLASSES = 4 };
    const int32_t *truth = j->data->truth;
    int64_t b[50][CLASSES] = {{0}}, fit = 0, nodes = 0;
    for (int32_t v = 0; v < n; v++)
        for (int32_t u = 0; u < n; u++)
            if (truth[v] >= 0 && (u == v || adjacent[v * n + u])) b[v][truth[u]]++;
    for (int32_t v = 0; v < n; v++) {
        int64_t sum[2] = {0}, count[2] = {0};
        if (truth[v] < 0) continue;
        for (int32_t u = 0; u < n; u++) {
            if (truth[u] < 0) continue;
            const int own = truth[u] == truth[v];
            for (int c = 0; c < CLASSES; c++) sum[own] += b[v][c] * b[u][c];
            count[own]++;
        }
        fit += sum[1] * count[0] >= sum[0] * count[1];
        nodes++;
    }
    return fmax(2 * (double)fit / (double)nodes - 1, 0);
}

START_TEST(aggregation_agrees_with_all_pairs)
{
    enum { N = 50 };
    uint8_t adjacent[N * N];
    judging j = random_graph((uint64_t)_i, adjacent, N);
    ck_assert_double_eq_tol(judging_score(&j, "aggregation-homophily"), naive_aggregation(&j, adjacent, N), 1e-12);
    judging_destroy(&j);
}
END_TEST

START_TEST(edges_and_nodes_agree_with_the_matrix)
{
    enum { N = 50 };
    uint8_t adjacent[N * N];
    judging j = random_graph((uint64_t)_i, adjacent, N);
    double same = 0, edges = 0, sum = 0, nodes = 0;
    for (int v = 0; v < N; v++) {
        double own = 0, all = 0;
        for (int u = 0; u < N; u++) {
            all += adjacent[v * N + u];
            own += adjacent[v * N + u] && j.data->truth[u] == j.data->truth[v];
        }
        same += own, edges += all;
        if (all > 0) sum += own / all, nodes++;
    }
    ck_assert_double_eq_tol(judging_score(&j, "edge-homophily"), same / edges, 1e-12);
    ck_assert_double_eq_tol(judging_score(&j, "node-homophily"), sum / nodes, 1e-12);
    judging_destroy(&j);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("metrics of datasets");
    TCase *c = tcase_create("metrics");
    tcase_add_loop_test(c, numbers_of_the_heterophily_study, 0, 3);
    tcase_add_loop_test(c, self_loops_change_nothing, 0, STRUCTURAL);
    tcase_add_loop_test(c, unlabelled_ends_change_nothing, 0, STRUCTURAL);
    tcase_add_loop_test(c, two_arcs_are_one_undirected_edge, 0, STRUCTURAL);
    tcase_add_test(c, directed_edges_belong_to_their_source);
    tcase_add_test(c, pure_and_alternating_neighbourhoods);
    tcase_add_test(c, an_isolated_node_is_no_neighbour);
    tcase_add_test(c, one_class_is_not_defined);
    tcase_add_test(c, not_defined_without_edges);
    tcase_add_test(c, features_are_compared_by_angle);
    tcase_add_loop_test(c, aggregation_agrees_with_all_pairs, 0, 20);
    tcase_add_loop_test(c, edges_and_nodes_agree_with_the_matrix, 0, 20);
    suite_add_tcase(s, c);
    return s;
}
