// SPDX-License-Identifier: Apache-2.0
#include <crucible/draft/graph-kernels.h>
#include <crucible/draft/graph.h>
#include <crucible/linalg.h>

#include "graph/cases.h"

/* The five small graphs of the shortest-path kernel's reference values, as one block-diagonal graph. */
static cru_csr five_graphs(int64_t offsets[6])
{
    cru_csr g[5] = {undirected(4, (const int32_t[][2]){{0, 1}, {1, 2}, {2, 3}}, 3),
                    undirected(4, (const int32_t[][2]){{0, 1}, {1, 2}, {2, 0}, {2, 3}}, 4),
                    undirected(5, (const int32_t[][2]){{0, 1}, {1, 2}, {2, 3}, {3, 4}}, 4),
                    undirected(3, (const int32_t[][2]){{0, 1}, {1, 2}}, 2),
                    undirected(5, (const int32_t[][2]){{0, 1}, {0, 2}, {0, 3}, {0, 4}}, 4)};
    return cru_graph_batch(pool, g, 5, offsets);
}

START_TEST(shortest_path_kernel_without_labels)
{
    static const float expected[25] = {56, 64,  80, 32, 96, 64, 80, 88, 40,  112, 80, 88, 120,
                                       44, 136, 32, 40, 44, 20, 56, 96, 112, 136, 56, 208};
    int64_t offsets[6];
    cru_csr g = five_graphs(offsets);
    cru_csr h = cru_path_histograms(pool, (cru_blocks){&g, offsets}, 5, NULL);
    check_form(&h);
    float kernel[25], normalised[25];
    cru_histogram_kernel(&h, false, kernel);
    cru_histogram_kernel(&h, true, normalised);
    ck_assert_mem_eq(kernel, expected, sizeof kernel);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            ck_assert_double_eq_tol(normalised[5 * i + j],
                                    expected[5 * i + j] / sqrt(expected[6 * i] * expected[6 * j]), 1e-6);
}
END_TEST

START_TEST(shortest_path_kernel_with_labels)
{
    static const float expected[25] = {28, 12, 40, 16, 30, 12, 24, 16, 8,  28, 40, 16, 64,
                                       20, 48, 16, 8,  20, 12, 12, 30, 28, 48, 12, 76};
    static const int32_t labels[] = {0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 0, 0, 1};
    int64_t offsets[6];
    cru_csr g = five_graphs(offsets);
    cru_csr h = cru_path_histograms(pool, (cru_blocks){&g, offsets}, 5, labels);
    float kernel[25];
    cru_histogram_kernel(&h, false, kernel);
    ck_assert_mem_eq(kernel, expected, sizeof kernel);
}
END_TEST

START_TEST(graphs_without_paths_have_empty_histograms)
{
    cru_csr g = undirected(2, NULL, 0);
    int64_t offsets[] = {0, 1, 1, 2};
    cru_csr h = cru_path_histograms(pool, (cru_blocks){&g, offsets}, 3, NULL);
    float kernel[9];
    cru_histogram_kernel(&h, true, kernel);
    ck_assert_int_eq(cru_csr_nnz(&h), 0);
    ck_assert_float_eq(kernel[0], 0);
}
END_TEST

/* Counts of 0, 1 or 2 in three columns, so that many graphs are alike: the naive order by products in double. */
START_TEST(nearest_graphs_are_those_of_the_largest_products)
{
    enum { GRAPHS = 60, COLUMNS = 3 };
    static float counts[GRAPHS * COLUMNS];
    static int32_t nearest[GRAPHS * GRAPHS];
    static const int64_t some[] = {1, 3, GRAPHS};
    const int64_t k = some[_i];
    cru_rng rng = cru_rng_stream(5, "test", 0);
    for (int i = 0; i < GRAPHS * COLUMNS; i++) counts[i] = (float)cru_rng_below(&rng, 3);
    const cru_csr h = cru_csr_from_dense(pool, counts, GRAPHS, COLUMNS);
    cru_histogram_nearest(&h, k, nearest);
    for (int i = 0; i < GRAPHS; i++) {
        bool taken[GRAPHS] = {0};
        for (int64_t rank = 0; rank < k; rank++) {
            int best = -1;
            float most = 0;
            for (int j = 0; j < GRAPHS; j++) {
                double sum = 0, own = 0, other = 0;
                for (int c = 0; c < COLUMNS; c++) {
                    const double a = (double)counts[i * COLUMNS + c], b = (double)counts[j * COLUMNS + c];
                    sum += a * b, own += a * a, other += b * b;
                }
                const float value = own * other > 0 ? (float)(sum / (sqrt(own) * sqrt(other))) : 0;
                if (!taken[j] && (best < 0 || value > most)) best = j, most = value;
            }
            taken[best] = true;
            ck_assert_int_eq(nearest[i * k + rank], best);
        }
    }
}
END_TEST

/* Same colour after a round exactly when the colour and the sorted neighbour colours were the same. */
static bool same_surroundings(const cru_csr *g, const int32_t *colour, int64_t a, int64_t b)
{
    if (colour[a] != colour[b]) return false;
    int64_t counts[200] = {0};
    for (int64_t e = g->offsets[a]; e < g->offsets[a + 1]; e++) counts[colour[g->ids[e]]]++;
    for (int64_t e = g->offsets[b]; e < g->offsets[b + 1]; e++) counts[colour[g->ids[e]]]--;
    for (int i = 0; i < 200; i++)
        if (counts[i]) return false;
    return true;
}

START_TEST(refinement_separates_what_differs)
{
    cru_csr g = random_undirected(60, 70, 14);
    int32_t old[60], fresh[60], first[60];
    for (int v = 0; v < 60; v++) first[v] = -7 + v % 2;
    for (int32_t rounds = 0; rounds < 4; rounds++) {
        memcpy(old, first, sizeof old);
        memcpy(fresh, first, sizeof fresh);
        cru_wl_refine(&g, rounds, old);
        int32_t count = cru_wl_refine(&g, rounds + 1, fresh), seen = 0;
        for (int64_t a = 0; a < 60; a++) {
            ck_assert_int_le(fresh[a], seen);
            seen += fresh[a] == seen;
            for (int64_t b = 0; b < a; b++) ck_assert_int_eq(fresh[a] == fresh[b], same_surroundings(&g, old, a, b));
        }
        ck_assert_int_eq(count, seen);
    }
}
END_TEST

START_TEST(colour_histograms_count_per_graph)
{
    int32_t colour[] = {0, 2, 2, 1, 0};
    int64_t offsets[] = {0, 3, 3, 5};
    cru_csr h = cru_colour_histograms(pool, colour, 3, offsets, 3);
    float dense[9];
    cru_csr_to_dense(&h, dense);
    ck_assert_mem_eq(dense, ((float[]){1, 0, 2, 0, 0, 0, 1, 1, 0}), sizeof dense);
}
END_TEST

/* One-hot, a tie, nothing, negative, the larger of two. */
START_TEST(labels_are_where_features_are_largest)
{
    static const float x[] = {0, 1, 0, 1, 0, 1, 0, 0, 0, -1, -2, -1, 0, 0.5f, 2};
    static const int32_t expected[] = {1, 0, 0, 0, 2};
    const cru_csr sparse = cru_csr_from_dense(pool, x, 5, 3), pattern = cru_csr_pattern(&sparse);
    const int32_t *dense = cru_one_hot_labels(pool, &(cru_features){.rows = 5, .cols = 3, .dense = x});
    ck_assert_mem_eq(dense, expected, sizeof expected);
    const int32_t *stored_values = cru_one_hot_labels(pool, &(cru_features){.rows = 5, .cols = 3, .sparse = sparse});
    ck_assert_mem_eq(stored_values, expected, sizeof expected);
    /* without values all that is stored is 1: the first entry */
    const int32_t *ones = cru_one_hot_labels(pool, &(cru_features){.rows = 5, .cols = 3, .sparse = pattern});
    ck_assert_mem_eq(ones, ((int32_t[]){1, 0, 0, 0, 1}), sizeof expected);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("graph-kernels");
    TCase *c = tcase_create("graph-kernels");
    tcase_set_timeout(c, 200);
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_add_test(c, shortest_path_kernel_without_labels);
    tcase_add_test(c, shortest_path_kernel_with_labels);
    tcase_add_test(c, graphs_without_paths_have_empty_histograms);
    tcase_add_loop_test(c, nearest_graphs_are_those_of_the_largest_products, 0, 3);
    tcase_add_test(c, refinement_separates_what_differs);
    tcase_add_test(c, colour_histograms_count_per_graph);
    tcase_add_test(c, labels_are_where_features_are_largest);
    suite_add_tcase(s, c);
    return s;
}
