// SPDX-License-Identifier: Apache-2.0

#include <crucible/draft/sampling.h>
#include <crucible/sampling.h>

#include "graph/cases.h"

static cru_rng stream(uint64_t seed)
{
    return cru_rng_stream(seed, "test", 0);
}

/* |observed - expected| within five standard deviations of a binomial count. */
static void check_share(int64_t hits, int64_t draws, double p)
{
    double expected = p * (double)draws;
    ck_assert_double_le(fabs((double)hits - expected), 5 * sqrt(expected * (1 - p)) + 1);
}

START_TEST(uniform_walks_step_to_each_neighbour_alike)
{
    cru_csr g = toy_graph();
    enum { WALKS = 8000, LENGTH = 3 };
    int32_t *starts = cru_pool_alloc(pool, WALKS, sizeof *starts);
    int32_t *out = cru_pool_alloc(pool, WALKS * (LENGTH + 1), sizeof *out);
    for (int i = 0; i < WALKS; i++) starts[i] = 3;
    cru_rng rng = stream(1);
    cru_walk_uniform(&g, (cru_ids){starts, WALKS}, LENGTH, &rng, out);
    int64_t first[10] = {0};
    for (int i = 0; i < WALKS; i++) {
        ck_assert_int_eq(out[i * 4], 3);
        first[out[i * 4 + 1]]++;
        for (int k = 0; k < LENGTH; k++) ck_assert(stored(&g, out[i * 4 + k], out[i * 4 + k + 1]));
    }
    check_share(first[2], WALKS, 1 / 3.);
    check_share(first[4], WALKS, 1 / 3.);
    check_share(first[8], WALKS, 1 / 3.);
}
END_TEST

START_TEST(a_walk_stays_where_no_edge_leads_on)
{
    cru_csr g = undirected(3, (const int32_t[][2]){{0, 1}}, 1);
    int32_t out[6];
    cru_rng rng = stream(2);
    cru_walk_uniform(&g, (cru_ids){(int32_t[]){2}, 1}, 2, &rng, out);
    ck_assert_mem_eq(out, ((int32_t[]){2, 2, 2}), 3 * sizeof(int32_t));
    cru_walk_node2vec(&g, (cru_ids){(int32_t[]){2, 0}, 2}, &(cru_node2vec){2, 1, 1}, &rng, out);
    ck_assert_mem_eq(out, ((int32_t[]){2, 2, 2, 0, 1, 0}), 6 * sizeof(int32_t));
}
END_TEST

/* From 2, coming from 0: back to 0 has weight 1/p, 1 is a neighbour of 0: 1, 3 is not: 1/q. */
START_TEST(node2vec_weighs_return_and_distance)
{
    cru_csr g = toy_graph();
    enum { WALKS = 30000 };
    int32_t *starts = cru_pool_alloc(pool, WALKS, sizeof *starts), *out = cru_pool_alloc(pool, WALKS * 3, sizeof *out);
    cru_rng rng = stream(3);
    cru_walk_node2vec(&g, (cru_ids){starts, WALKS}, &(cru_node2vec){2, 4, 0.5}, &rng, out);
    int64_t at_two = 0, next[10] = {0};
    for (int i = 0; i < WALKS; i++) {
        if (out[3 * i + 1] != 2) continue;
        at_two++;
        next[out[3 * i + 2]]++;
    }
    double total = 0.25 + 1 + 2;
    check_share(next[0], at_two, 0.25 / total);
    check_share(next[1], at_two, 1 / total);
    check_share(next[3], at_two, 2 / total);
}
END_TEST

START_TEST(non_edges_are_uniform_over_what_is_missing)
{
    /* 12 pairs, 5 of them edges; or only the last two, so that most places are free */
    cru_coo c = {4, 4, 7, (int32_t[]){0, 0, 0, 1, 2, 2, 3}, (int32_t[]){0, 1, 2, 3, 0, 2, 1}, NULL};
    if (_i) c.row += 5, c.col += 5, c.count = 2;
    const double share = _i ? 1 / 11. : 1 / 7.;
    cru_csr g = cru_csr_from_coo(pool, &c, CRU_DUP_FIRST);
    enum { DRAWS = 7000 };
    int32_t *row = cru_pool_alloc(pool, DRAWS, sizeof *row), *col = cru_pool_alloc(pool, DRAWS, sizeof *col);
    cru_rng rng = stream(4);
    ck_assert_int_eq(cru_sample_non_edges(&g, &rng, &(cru_pairs){DRAWS, row, col}, NULL), CRU_OK);
    int64_t hits[4][4] = {{0}};
    for (int i = 0; i < DRAWS; i++) hits[row[i]][col[i]]++;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) check_share(hits[i][j], DRAWS, i == j || stored(&g, i, j) ? 0 : share);
}
END_TEST

/* 0-1 and 2-3 are edges, 0-3 from 3 to 0 only: of the pairs v < u three are absent, and enough draws find them all. */
START_TEST(absent_edges_are_pairs_without_an_edge)
{
    cru_coo c = {4, 4, 6, (int32_t[]){0, 1, 2, 3, 0, 1}, (int32_t[]){1, 0, 3, 2, 3, 1}, NULL};
    cru_csr g = cru_csr_from_coo(pool, &c, CRU_DUP_FIRST);
    cru_rng rng = stream(4);
    const cru_csr many = cru_sample_absent_edges(pool, &g, 1000, &rng, NULL);
    ck_assert_int_eq(cru_csr_nnz(&many), 3);
    ck_assert(stored(&many, 0, 2) && stored(&many, 1, 2) && stored(&many, 1, 3));
    ck_assert_int_eq(cru_csr_check(&many, "absent", NULL), CRU_OK);
    const cru_csr few = cru_sample_absent_edges(pool, &g, 2, &rng, NULL);
    ck_assert_int_le(cru_csr_nnz(&few), 2);
    cru_csr full = undirected(3, (const int32_t[][2]){{0, 1}, {1, 2}, {0, 2}}, 3);
    cru_error err = {0};
    const cru_csr none = cru_sample_absent_edges(pool, &full, 10, &rng, &err);
    ck_assert_int_eq(cru_csr_nnz(&none), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "all"));
}
END_TEST

START_TEST(a_complete_graph_has_no_non_edges)
{
    cru_csr g = undirected(3, (const int32_t[][2]){{0, 1}, {1, 2}, {0, 2}}, 3);
    int32_t row[1], col[1], out[4];
    cru_rng rng = stream(5);
    cru_error err = {0};
    ck_assert_int_eq(cru_sample_non_edges(&g, &rng, &(cru_pairs){1, row, col}, &err), CRU_FAILED);
    ck_assert_ptr_nonnull(strstr(err.text, "all"));
    cru_sample_non_neighbours(&g, (cru_ids){(int32_t[]){1, 2}, 2}, 2, &rng, out);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(out[i], -1);
}
END_TEST

START_TEST(non_neighbours_are_never_neighbours)
{
    cru_csr g = random_graph(30, 300, false, 8);
    int32_t rows[30], out[30 * 50];
    for (int32_t v = 0; v < 30; v++) rows[v] = v;
    cru_rng rng = stream(6);
    cru_sample_non_neighbours(&g, (cru_ids){rows, 30}, 50, &rng, out);
    for (int v = 0; v < 30; v++) {
        for (int k = 0; k < 50; k++) {
            int32_t u = out[v * 50 + k];
            ck_assert(u >= 0 && u < 30 && u != v && !stored(&g, v, u));
        }
    }
}
END_TEST

START_TEST(neighbour_samples_are_subsets_of_the_right_size)
{
    cru_csr g = random_graph(40, 400, true, 9);
    int32_t rows[] = {7, 0, 39, 7};
    cru_rng rng = stream(7);
    cru_csr s = cru_sample_neighbours(pool, &g, (cru_ids){rows, 4}, 5, &rng);
    check_form(&s);
    for (int64_t i = 0; i < 4; i++) {
        int64_t degree = g.offsets[rows[i] + 1] - g.offsets[rows[i]];
        ck_assert_int_eq(s.offsets[i + 1] - s.offsets[i], degree < 5 ? degree : 5);
        for (int64_t e = s.offsets[i]; e < s.offsets[i + 1]; e++)
            ck_assert_double_eq(s.values[e], at(&g, rows[i], s.ids[e]));
    }
}
END_TEST

START_TEST(dropped_edges_are_dropped_in_pairs_if_asked)
{
    cru_csr g = random_undirected(60, 900, 10);
    cru_rng rng = stream(8);
    cru_csr paired = cru_sample_edges(pool, &g, 0.7, true, &rng), single = cru_sample_edges(pool, &g, 0.7, false, &rng);
    ck_assert(cru_graph_is_symmetric(&paired));
    ck_assert(!cru_graph_is_symmetric(&single));
    check_share(cru_csr_nnz(&paired) / 2, cru_csr_nnz(&g) / 2, 0.7);
    check_share(cru_csr_nnz(&single), cru_csr_nnz(&g), 0.7);
    cru_csr all = cru_sample_edges(pool, &g, 1, false, &rng), none = cru_sample_edges(pool, &g, 0, true, &rng);
    ck_assert_int_eq(cru_csr_nnz(&all), cru_csr_nnz(&g));
    ck_assert_int_eq(cru_csr_nnz(&none), 0);
}
END_TEST

START_TEST(draws_do_not_depend_on_threads_and_differ_from_call_to_call)
{
    cru_csr g = random_undirected(60, 300, 11);
    int32_t starts[60], a[60 * 9], b[60 * 9], c[60 * 9];
    for (int32_t v = 0; v < 60; v++) starts[v] = v;
    cru_rng one = stream(9), two = stream(9);
    cru_ctx_destroy(cru_ctx_create(&(cru_ctx_options){.threads = 1}));
    cru_walk_uniform(&g, (cru_ids){starts, 60}, 8, &one, a);
    cru_ctx_destroy(cru_ctx_create(&(cru_ctx_options){.threads = 3}));
    cru_walk_uniform(&g, (cru_ids){starts, 60}, 8, &two, b);
    cru_walk_uniform(&g, (cru_ids){starts, 60}, 8, &two, c);
    ck_assert_mem_eq(a, b, sizeof a);
    ck_assert_mem_ne(b, c, sizeof b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("graph-sampling");
    TCase *c = tcase_create("graph-sampling");
    tcase_set_timeout(c, 200);
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_add_test(c, uniform_walks_step_to_each_neighbour_alike);
    tcase_add_test(c, a_walk_stays_where_no_edge_leads_on);
    tcase_add_test(c, node2vec_weighs_return_and_distance);
    tcase_add_loop_test(c, non_edges_are_uniform_over_what_is_missing, 0, 2);
    tcase_add_test(c, absent_edges_are_pairs_without_an_edge);
    tcase_add_test(c, a_complete_graph_has_no_non_edges);
    tcase_add_test(c, non_neighbours_are_never_neighbours);
    tcase_add_test(c, neighbour_samples_are_subsets_of_the_right_size);
    tcase_add_test(c, dropped_edges_are_dropped_in_pairs_if_asked);
    tcase_add_test(c, draws_do_not_depend_on_threads_and_differ_from_call_to_call);
    suite_add_tcase(s, c);
    return s;
}
