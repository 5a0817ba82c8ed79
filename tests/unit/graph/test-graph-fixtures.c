// SPDX-License-Identifier: Apache-2.0
/* Numbers of the reference implementations: propagation matrices, diffusion, neighbours. */
#include <crucible/draft/diffusion.h>
#include <crucible/draft/graph.h>
#include <crucible/knn.h>

#include "graph/cases.h"
#include "json-fixture.h"

/* inputs.graph: undirected pairs, or directed ones that are listed both ways. */
static cru_csr fixture_graph(const cJSON *item)
{
    const cJSON *graph = fixture_input(item, "graph");
    double pairs[400];
    int64_t count = fixture_numbers(cJSON_GetObjectItem(graph, "edges"), pairs) / 2;
    int32_t edges[200][2];
    for (int64_t e = 0; e < count; e++) edges[e][0] = (int32_t)pairs[2 * e], edges[e][1] = (int32_t)pairs[2 * e + 1];
    return undirected(cJSON_GetObjectItem(graph, "n")->valueint, (const int32_t(*)[2])edges, count);
}

static void check_matrix(const cru_csr *a, const cJSON *expected, double tolerance)
{
    double numbers[400];
    ck_assert_int_eq(fixture_numbers(expected, numbers), a->rows * a->cols);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t j = 0; j < a->cols; j++) ck_assert_double_eq_tol(at(a, i, j), numbers[i * a->cols + j], tolerance);
}

static void check_rows(const float *rows, int64_t count, const cJSON *expected, double tolerance)
{
    double numbers[400];
    ck_assert_int_eq(fixture_numbers(expected, numbers), count);
    for (int64_t i = 0; i < count; i++) ck_assert_double_eq_tol(rows[i], numbers[i], tolerance);
}

static const cru_ids all_ten = {(const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10};

START_TEST(rawlsgcn_doubly_stochastic)
{
    cJSON *root = fixture_open("igl/rawlsgcn.json");
    const cJSON *item;
    int cases = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        const cJSON *eps = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "inputs"), "eps");
        const cJSON *expected = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "expected"), "ds");
        if (!eps || !expected) continue;
        cru_csr g = fixture_graph(item), sym = cru_graph_gcn(pool, &g, CRU_LOOPS_ADD);
        check_matrix(&sym, fixture_expected(item, "sym"), 1e-6);
        cru_csr ds = cru_graph_doubly_stochastic(pool, &sym, eps->valuedouble, 1000);
        check_matrix(&ds, expected, 1e-5);
        cases++;
    }
    ck_assert_int_gt(cases, 0);
    cJSON_Delete(root);
}
END_TEST

START_TEST(graphsha_diffusion)
{
    cJSON *root = fixture_open("igl/graphsha.json");
    const cJSON *item = fixture_case(root, "ppr_topk");
    cru_csr g = fixture_graph(item), s = cru_graph_gcn(pool, &g, CRU_LOOPS_ADD);
    float rows[100];
    cru_ppr_rows(&s, all_ten, &(cru_ppr_options){.restart = 0.05}, rows);
    check_rows(rows, 100, fixture_expected(item, "ppr"), 1e-6);
    cru_csr top = cru_graph_diffuse(pool, &s, &(cru_diffusion){.restart = 0.05, .top_k = 4});
    check_matrix(&top, fixture_expected(item, "topk_column_normalised"), 1e-5);

    item = fixture_case(root, "heat");
    double x[100] = {0};
    for (int i = 0; i < 10; i++) x[11 * i] = 1;
    cru_heat_apply(&s, 5, x, 10);
    for (int i = 0; i < 100; i++) rows[i] = (float)x[i];
    check_rows(rows, 100, fixture_expected(item, "heat"), 1e-6);
    cru_csr heat = cru_graph_diffuse(pool, &s, &(cru_diffusion){.heat = true, .time = 5, .threshold = 1e-4});
    check_matrix(&heat, fixture_expected(item, "clipped"), 1e-5);
    cJSON_Delete(root);
}
END_TEST

START_TEST(renode_and_tss_pagerank)
{
    cJSON *renode = fixture_open("igl/renode.json"), *tss = fixture_open("noisygl/tss.json");
    const cJSON *item = fixture_case(renode, "toy");
    cru_csr g = fixture_graph(item), s = cru_graph_gcn(pool, &g, CRU_LOOPS_ADD);
    float rows[100];
    cru_ppr_columns(&s, all_ten, &(cru_ppr_options){.restart = 0.15}, rows);
    check_rows(rows, 100, fixture_expected(item, "ppr"), 1e-5);
    item = fixture_case(tss, "cbc");
    g = fixture_graph(item);
    s = cru_graph_gcn(pool, &g, CRU_LOOPS_ADD);
    cru_ppr_rows(&s, (cru_ids){all_ten.ids, 8}, &(cru_ppr_options){.restart = 0.15}, rows);
    check_rows(rows, 64, fixture_expected(item, "Pi"), 1e-5);
    cJSON_Delete(tss);
    cJSON_Delete(renode);
}
END_TEST

START_TEST(h2gcn_two_hop_neighbourhoods)
{
    static const char *const names[] = {"graph1", "isolated_node4"};
    cJSON *root = fixture_open("heterophily/h2gcn.json");
    for (int i = 0; i < 2; i++) {
        const cJSON *item = fixture_case(root, names[i]);
        cru_csr g = fixture_graph(item);
        cru_csr loose = cru_graph_two_hop(pool, &g, true), strict = cru_graph_two_hop(pool, &g, false);
        check_matrix(&loose, fixture_expected(item, "N2_reference_with_diagonal"), 1e-9);
        check_matrix(&strict, fixture_expected(item, "N2_strict"), 1e-9);
        cru_csr p1 = cru_graph_normalise(pool, &g, CRU_NORM_SYM), p2 = cru_graph_normalise(pool, &loose, CRU_NORM_SYM);
        check_matrix(&p1, fixture_expected(item, "P1"), 1e-6);
        check_matrix(&p2, fixture_expected(item, "P2"), 1e-6);
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(na_neighbours_with_the_heap_rule)
{
    static const char *const names[] = {"cosine_k3", "euclidean_k3", "ties_cosine_k4"};
    cJSON *root = fixture_open("gad/na.json");
    for (int i = 0; i < 3; i++) {
        const cJSON *item = fixture_case(root, names[i]), *lists = fixture_expected(item, "neighbours");
        double numbers[100], expected[100];
        float x[100];
        int64_t rows = cJSON_GetArraySize(lists), count = fixture_numbers(fixture_input(item, "x"), numbers);
        for (int64_t j = 0; j < count; j++) x[j] = (float)numbers[j];
        cru_knn_options o = {.k = fixture_input(item, "k")->valueint, .ties = CRU_TIES_HEAP};
        o.distance = i == 1 ? CRU_EUCLIDEAN : CRU_COSINE;
        cru_dense points = {rows, count / rows, x};
        cru_neighbours found = cru_knn(pool, &points, &points, &o);
        fixture_numbers(lists, expected);
        for (int64_t v = 0; v < rows; v++) {
            for (int64_t a = 0; a < o.k; a++) {
                bool there = false;
                for (int64_t b = 0; b < o.k; b++) there |= found.ids[v * o.k + a] == (int32_t)expected[v * o.k + b];
                ck_assert_msg(there, "%s: node %d has %d", names[i], (int)v, found.ids[v * o.k + a]);
            }
        }
    }
    cJSON_Delete(root);
}
END_TEST

/* The matrix of a graph convolution from a list of entries (row, col, weight). */
static cru_csr convolution(const cJSON *item, const char *row_key, const char *col_key, cru_loops loops)
{
    double rows[400], cols[400], weights[400];
    int32_t row[400], col[400];
    float value[400];
    const cJSON *given = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "inputs"), "weights");
    const int64_t n = fixture_input(item, "n")->valueint;
    cru_coo list = {.rows = n, .cols = n, .row = row, .col = col};
    list.count = fixture_numbers(fixture_input(item, row_key), rows);
    fixture_numbers(fixture_input(item, col_key), cols);
    if (given) fixture_numbers(given, weights), list.values = value;
    for (int64_t e = 0; e < list.count; e++) row[e] = (int32_t)rows[e], col[e] = (int32_t)cols[e];
    for (int64_t e = 0; given && e < list.count; e++) value[e] = (float)weights[e];
    const cru_csr g = cru_csr_from_coo(pool, &list, CRU_DUP_SUM);
    return cru_graph_gcn(pool, &g, loops);
}

/* Duplicates add up and loops are added to; of an edge list the targets aggregate, and a loop stays as it is. */
START_TEST(convolutions_of_the_label_noise_study)
{
    cJSON *root = fixture_open("noisygl/gcn.json");
    const cJSON *item = fixture_case(root, "norm_plain");
    const cru_csr g = fixture_graph(item), plain = cru_graph_gcn(pool, &g, CRU_LOOPS_ADD);
    check_matrix(&plain, fixture_expected(item, "A_norm"), 1e-5);
    item = fixture_case(root, "norm_weighted_asymmetric_duplicates_selfloops");
    const cru_csr weighted = convolution(item, "rows", "cols", CRU_LOOPS_ADD);
    check_matrix(&weighted, fixture_expected(item, "A_norm"), 1e-5);
    item = fixture_case(root, "norm_edge_list_form");
    const cru_csr listed = convolution(item, "dst", "src", CRU_LOOPS_FILL);
    check_matrix(&listed, fixture_expected(item, "A_norm_target_row"), 1e-5);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("graph-fixtures");
    TCase *c = tcase_create("graph-fixtures");
    tcase_set_timeout(c, 200);
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_add_test(c, rawlsgcn_doubly_stochastic);
    tcase_add_test(c, graphsha_diffusion);
    tcase_add_test(c, renode_and_tss_pagerank);
    tcase_add_test(c, h2gcn_two_hop_neighbourhoods);
    tcase_add_test(c, na_neighbours_with_the_heap_rule);
    tcase_add_test(c, convolutions_of_the_label_noise_study);
    suite_add_tcase(s, c);
    return s;
}
