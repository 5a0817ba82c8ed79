// SPDX-License-Identifier: Apache-2.0
#include <crucible/draft/graph.h>

#include "graph/cases.h"

/* Sizes with no node, one node, isolated nodes and dense parts. */
static const int64_t sizes[][2] = {{0, 0}, {1, 2}, {6, 0}, {7, 9}, {20, 120}, {61, 100}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static cru_csr directed(int i, bool weighted)
{
    return random_graph(sizes[i][0], sizes[i][1], weighted, 100 + (uint64_t)i);
}

START_TEST(the_upper_part_has_every_edge_once)
{
    cru_coo c = {3, 3, 5, (int32_t[]){0, 1, 1, 2, 2}, (int32_t[]){1, 0, 1, 0, 2}, (float[]){2, 3, 4, 5, 6}};
    cru_csr g = cru_csr_from_coo(pool, &c, CRU_DUP_FIRST), upper = cru_graph_upper(pool, &g);
    ck_assert_int_eq(cru_csr_nnz(&upper), 1);
    ck_assert_int_eq(cru_csr_find(&upper, 0, 1), 0);
    ck_assert_float_eq(upper.values[0], 2);
}
END_TEST

START_TEST(symmetrise_joins_both_directions)
{
    cru_csr g = directed(_i, true);
    cru_csr or = cru_graph_symmetrise(pool, &g, CRU_SYM_OR);
    cru_csr max = cru_graph_symmetrise(pool, &g, CRU_SYM_MAX);
    cru_csr sum = cru_graph_symmetrise(pool, &g, CRU_SYM_SUM);
    ck_assert_ptr_null(or.values);
    ck_assert(cru_graph_is_symmetric(& or) && cru_graph_is_symmetric(&max) && cru_graph_is_symmetric(&sum));
    for (int64_t i = 0; i < g.rows; i++) {
        for (int64_t j = 0; j < g.rows; j++) {
            double a = at(&g, i, j), b = at(&g, j, i);
            ck_assert_double_eq(at(& or, i, j), a > 0 || b > 0);
            ck_assert_double_eq(at(&max, i, j), fmax(a, b));
            ck_assert_double_eq(at(&sum, i, j), i == j ? a : a + b);
        }
    }
}
END_TEST

/* Against the definition, place by place: a graph that is symmetric already takes a way of its own. */
START_TEST(symmetrise_keeps_what_is_symmetric)
{
    cru_csr g = directed(_i, true), s = cru_graph_symmetrise(pool, &g, CRU_SYM_MAX);
    cru_csr or = cru_graph_symmetrise(pool, &s, CRU_SYM_OR), max = cru_graph_symmetrise(pool, &s, CRU_SYM_MAX);
    ck_assert_ptr_null(or.values);
    ck_assert(!max.values || max.values != s.values);
    check_form(& or);
    check_form(&max);
    for (int64_t i = 0; i < g.rows; i++) {
        for (int64_t j = 0; j < g.rows; j++) {
            ck_assert_double_eq(at(& or, i, j), stored(&s, i, j));
            ck_assert_double_eq(at(&max, i, j), at(&s, i, j));
        }
    }
}
END_TEST

/* One entry of a symmetric graph changes, in every place: it must be seen. */
START_TEST(one_changed_weight_breaks_the_symmetry)
{
    cru_csr g = directed(_i, true), s = cru_graph_symmetrise(pool, &g, CRU_SYM_MAX);
    ck_assert(cru_graph_is_symmetric(&s));
    for (int64_t i = 0; i < s.rows; i++) {
        for (int64_t e = s.offsets[i]; e < s.offsets[i + 1]; e++) {
            float *value = (float *)&s.values[e];
            *value += 1;
            ck_assert_int_eq(cru_graph_is_symmetric(&s), s.ids[e] == i);
            *value -= 1;
        }
    }
}
END_TEST

START_TEST(asymmetry_in_pattern_or_weight_is_seen)
{
    cru_coo one_way = {2, 2, 1, (int32_t[]){0}, (int32_t[]){1}, NULL};
    cru_coo uneven = {2, 2, 2, (int32_t[]){0, 1}, (int32_t[]){1, 0}, (float[]){1, 2}};
    cru_csr a = cru_csr_from_coo(pool, &one_way, CRU_DUP_SUM), b = cru_csr_from_coo(pool, &uneven, CRU_DUP_SUM);
    ck_assert(!cru_graph_is_symmetric(&a));
    ck_assert(!cru_graph_is_symmetric(&b));
}
END_TEST

START_TEST(loops_follow_the_rule)
{
    for (int weighted = 0; weighted < 2; weighted++) {
        cru_csr g = directed(_i, weighted);
        for (cru_loops rule = CRU_LOOPS_KEEP; rule <= CRU_LOOPS_REMOVE; rule++) {
            cru_csr r = cru_graph_loops(pool, &g, rule);
            check_form(&r);
            for (int64_t i = 0; i < g.rows; i++) {
                double own = at(&g, i, i);
                double expected[] = {own, own + 1, stored(&g, i, i) ? own : 1, 1, 0};
                ck_assert_double_eq(at(&r, i, i), expected[rule]);
                for (int64_t j = 0; j < g.rows; j++)
                    if (i != j) ck_assert_double_eq(at(&r, i, j), at(&g, i, j));
            }
        }
    }
}
END_TEST

START_TEST(degrees_count_parallel_edges)
{
    cru_coo c = {3, 3, 4, (int32_t[]){0, 0, 2, 2}, (int32_t[]){1, 1, 2, 0}, NULL};
    cru_csr g = cru_csr_from_coo(pool, &c, CRU_DUP_KEEP);
    int64_t in[3], out[3];
    cru_graph_in_degrees(&g, in);
    cru_graph_out_degrees(&g, out);
    ck_assert_mem_eq(in, ((int64_t[]){2, 0, 2}), sizeof in);
    ck_assert_mem_eq(out, ((int64_t[]){1, 2, 1}), sizeof out);
}
END_TEST

static double row_sum(const cru_csr *g, int64_t i)
{
    double sum = 0;
    for (int64_t j = 0; j < g->cols; j++) sum += at(g, i, j);
    return sum;
}

static double col_sum(const cru_csr *g, int64_t j)
{
    double sum = 0;
    for (int64_t i = 0; i < g->rows; i++) sum += at(g, i, j);
    return sum;
}

static double over(double x, double y)
{
    return y > 0 ? x / y : 0;
}

START_TEST(normalisations_divide_by_their_sums)
{
    cru_csr g = directed(_i, true);
    cru_csr r[4];
    for (cru_norm norm = CRU_NORM_SYM; norm <= CRU_NORM_COL; norm++) r[norm] = cru_graph_normalise(pool, &g, norm);
    for (int64_t i = 0; i < g.rows; i++) {
        for (int64_t j = 0; j < g.rows; j++) {
            double a = at(&g, i, j), di = row_sum(&g, i), dj = row_sum(&g, j), cj = col_sum(&g, j);
            ck_assert_double_eq_tol(at(&r[CRU_NORM_SYM], i, j), over(a, sqrt(di * dj)), 1e-6);
            ck_assert_double_eq_tol(at(&r[CRU_NORM_IN_OUT], i, j), over(a, sqrt(di * cj)), 1e-6);
            ck_assert_double_eq_tol(at(&r[CRU_NORM_ROW], i, j), over(a, di), 1e-6);
            ck_assert_double_eq_tol(at(&r[CRU_NORM_COL], i, j), over(a, cj), 1e-6);
        }
    }
}
END_TEST

/* Weighted, asymmetric, with duplicates and a loop: sum, add I, divide by the roots of row sums. */
START_TEST(gcn_sums_duplicates_and_adds_to_existing_loops)
{
    cru_coo c = {3, 3, 5, (int32_t[]){0, 0, 1, 1, 2}, (int32_t[]){1, 1, 1, 2, 0}, (float[]){1, 2, 4, 3, 5}};
    cru_csr g = cru_csr_from_coo(pool, &c, CRU_DUP_KEEP);
    cru_csr add = cru_graph_gcn(pool, &g, CRU_LOOPS_ADD), fill = cru_graph_gcn(pool, &g, CRU_LOOPS_FILL);
    /* A + I: rows (1 3 0) (0 5 3) (5 0 1), sums 4, 8, 6; filled: (1 3 0) (0 4 3) (5 0 1), sums 4, 7, 6 */
    ck_assert_double_eq_tol(at(&add, 0, 1), 3 / sqrt(4 * 8), 1e-6);
    ck_assert_double_eq_tol(at(&add, 1, 1), 5 / 8., 1e-6);
    ck_assert_double_eq_tol(at(&add, 2, 0), 5 / sqrt(6 * 4), 1e-6);
    ck_assert_double_eq_tol(at(&fill, 1, 1), 4 / 7., 1e-6);
    ck_assert_double_eq_tol(at(&fill, 0, 1), 3 / sqrt(4 * 7), 1e-6);
}
END_TEST

START_TEST(laplacians_match_their_formulas)
{
    cru_csr g = directed(_i, true);
    cru_csr plain = cru_graph_laplacian(pool, &g, CRU_LAPLACIAN_PLAIN);
    cru_csr sym = cru_graph_laplacian(pool, &g, CRU_LAPLACIAN_SYM);
    cru_csr walk = cru_graph_laplacian(pool, &g, CRU_LAPLACIAN_WALK);
    cru_csr scaled = cru_graph_laplacian_scaled(pool, &sym, 1.5);
    for (int64_t i = 0; i < g.rows; i++) {
        ck_assert(stored(&plain, i, i));
        for (int64_t j = 0; j < g.rows; j++) {
            double a = at(&g, i, j), di = row_sum(&g, i), dj = row_sum(&g, j), eye = i == j;
            ck_assert_double_eq_tol(at(&plain, i, j), eye * di - a, 1e-5);
            ck_assert_double_eq_tol(at(&sym, i, j), eye - over(a, sqrt(di * dj)), 1e-6);
            ck_assert_double_eq_tol(at(&walk, i, j), eye - over(a, di), 1e-6);
            ck_assert_double_eq_tol(at(&scaled, i, j), 2 * (eye - over(a, sqrt(di * dj))) / 1.5 - eye, 1e-6);
        }
    }
}
END_TEST

START_TEST(doubly_stochastic_rows_and_columns_sum_to_one)
{
    cru_csr g = toy_graph();
    g = cru_graph_gcn(pool, &g, CRU_LOOPS_ADD);
    cru_csr s = cru_graph_doubly_stochastic(pool, &g, 1e-6, 1000);
    for (int64_t i = 0; i < s.rows; i++) {
        ck_assert_double_eq_tol(row_sum(&s, i), 1, 2e-6);
        ck_assert_double_eq_tol(col_sum(&s, i), 1, 2e-6);
    }
}
END_TEST

/* Hop distances by repeated relaxation. */
static int *all_distances(const cru_csr *g)
{
    int64_t n = g->rows;
    int *d = cru_pool_alloc(pool, n * n, sizeof *d);
    for (int64_t i = 0; i < n * n; i++) d[i] = 1000;
    for (int64_t i = 0; i < n; i++) d[i * n + i] = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            if (i != j && stored(g, i, j)) d[i * n + j] = 1;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                if (d[i * n + k] + d[k * n + j] < d[i * n + j]) d[i * n + j] = d[i * n + k] + d[k * n + j];
    return d;
}

START_TEST(hops_agree_with_all_pairs_distances)
{
    cru_csr g = directed(_i, false);
    const int *d = all_distances(&g);
    for (int32_t k = 1; k <= 4; k++) {
        cru_csr within = cru_graph_within(pool, &g, k), exact = cru_graph_exact_hop(pool, &g, k);
        check_form(&within);
        check_form(&exact);
        for (int64_t i = 0; i < g.rows; i++) {
            for (int64_t j = 0; j < g.rows; j++) {
                ck_assert_int_eq(stored(&within, i, j), i != j && d[i * g.rows + j] <= k);
                ck_assert_int_eq(stored(&exact, i, j), d[i * g.rows + j] == k);
            }
        }
    }
}
END_TEST

START_TEST(two_hop_is_the_square_minus_the_edges)
{
    cru_csr g = directed(_i, false);
    cru_csr with = cru_graph_two_hop(pool, &g, true), without = cru_graph_two_hop(pool, &g, false);
    for (int64_t i = 0; i < g.rows; i++) {
        for (int64_t j = 0; j < g.rows; j++) {
            bool path = false;
            for (int64_t k = 0; k < g.rows; k++) path |= k != i && k != j && stored(&g, i, k) && stored(&g, k, j);
            bool edge = i != j && stored(&g, i, j);
            ck_assert_int_eq(stored(&with, i, j), path && !edge);
            ck_assert_int_eq(stored(&without, i, j), path && !edge && i != j);
        }
    }
}
END_TEST

START_TEST(induced_subgraph_keeps_order_and_weights)
{
    cru_csr g = directed(4, true);
    int32_t ids[] = {17, 3, 0, 9, 12};
    cru_subgraph part = cru_graph_induced(pool, &g, (cru_ids){ids, 5});
    check_form(&part.graph);
    ck_assert_mem_eq(part.nodes.ids, ids, sizeof ids);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 5; j++) ck_assert_double_eq(at(&part.graph, i, j), at(&g, ids[i], ids[j]));
    cru_subgraph none = cru_graph_induced(pool, &g, (cru_ids){NULL, 0});
    ck_assert_int_eq(none.graph.rows, 0);
}
END_TEST

START_TEST(ego_network_lists_nodes_by_distance)
{
    cru_csr g = toy_graph();
    cru_subgraph part = cru_graph_ego(pool, &g, (cru_ids){(int32_t[]){8, 3}, 2}, 1);
    ck_assert_int_eq(part.nodes.count, 6);
    ck_assert_mem_eq(part.nodes.ids, ((int32_t[]){8, 3, 2, 4, 7, 9}), 6 * sizeof(int32_t));
    ck_assert_int_eq(cru_csr_nnz(&part.graph), 10); /* 8-3 8-7 8-9 3-2 3-4, both ways */
    ck_assert(stored(&part.graph, 0, 1) && stored(&part.graph, 1, 3) && !stored(&part.graph, 2, 3));
}
END_TEST

START_TEST(appended_edges_bring_nodes)
{
    cru_csr g = toy_graph();
    cru_coo more = {12, 12, 3, (int32_t[]){10, 11, 0}, (int32_t[]){0, 10, 1}, NULL};
    cru_csr r = cru_graph_append(pool, &g, &more, CRU_DUP_SUM);
    check_form(&r);
    ck_assert_int_eq(r.rows, 12);
    ck_assert_double_eq(at(&r, 10, 0), 1);
    ck_assert_double_eq(at(&r, 11, 10), 1);
    ck_assert_double_eq(at(&r, 0, 1), 2);
    ck_assert_double_eq(at(&r, 2, 1), 1);
}
END_TEST

START_TEST(batches_are_block_diagonal)
{
    cru_csr graphs[3] = {directed(3, true), directed(0, false), directed(4, false)};
    int64_t offsets[4], chosen[4];
    cru_csr all = cru_graph_batch(pool, graphs, 3, offsets);
    check_form(&all);
    ck_assert_mem_eq(offsets, ((int64_t[]){0, 7, 7, 27}), sizeof offsets);
    for (int64_t i = 0; i < 27; i++) {
        for (int64_t j = 0; j < 27; j++) {
            double expected = i < 7 && j < 7     ? at(&graphs[0], i, j)
                              : i >= 7 && j >= 7 ? at(&graphs[2], i - 7, j - 7)
                                                 : 0;
            ck_assert_double_eq(at(&all, i, j), expected);
        }
    }
    cru_csr some =
        cru_graph_batch_select(pool, (cru_blocks){&all, offsets}, (cru_ids){(int32_t[]){2, 1, 0}, 3}, chosen);
    check_form(&some);
    ck_assert_mem_eq(chosen, ((int64_t[]){0, 20, 20, 27}), sizeof chosen);
    for (int64_t i = 0; i < 27; i++) {
        for (int64_t j = 0; j < 27; j++) {
            double expected = i < 20 && j < 20     ? at(&graphs[2], i, j)
                              : i >= 20 && j >= 20 ? at(&graphs[0], i - 20, j - 20)
                                                   : 0;
            ck_assert_double_eq(at(&some, i, j), expected);
        }
    }
}
END_TEST

START_TEST(merged_relations_are_their_union)
{
    cru_relation r[2] = {{"a", directed(4, false)}, {"b", random_graph(20, 50, false, 5)}};
    cru_csr once = cru_graph_merge(pool, r, 2, CRU_DUP_FIRST), sum = cru_graph_merge(pool, r, 2, CRU_DUP_SUM);
    for (int64_t i = 0; i < 20; i++) {
        for (int64_t j = 0; j < 20; j++) {
            ck_assert_int_eq(stored(&once, i, j), stored(&r[0].graph, i, j) || stored(&r[1].graph, i, j));
            ck_assert_double_eq(at(&sum, i, j), at(&r[0].graph, i, j) + at(&r[1].graph, i, j));
        }
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("graph");
    TCase *c = tcase_create("graph");
    tcase_set_timeout(c, 200);
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_add_test(c, the_upper_part_has_every_edge_once);
    tcase_add_loop_test(c, symmetrise_joins_both_directions, 0, SIZES);
    tcase_add_loop_test(c, symmetrise_keeps_what_is_symmetric, 0, SIZES);
    tcase_add_loop_test(c, one_changed_weight_breaks_the_symmetry, 0, SIZES);
    tcase_add_test(c, asymmetry_in_pattern_or_weight_is_seen);
    tcase_add_loop_test(c, loops_follow_the_rule, 0, SIZES);
    tcase_add_test(c, degrees_count_parallel_edges);
    tcase_add_loop_test(c, normalisations_divide_by_their_sums, 0, SIZES);
    tcase_add_test(c, gcn_sums_duplicates_and_adds_to_existing_loops);
    tcase_add_loop_test(c, laplacians_match_their_formulas, 0, SIZES);
    tcase_add_test(c, doubly_stochastic_rows_and_columns_sum_to_one);
    tcase_add_loop_test(c, hops_agree_with_all_pairs_distances, 0, SIZES);
    tcase_add_loop_test(c, two_hop_is_the_square_minus_the_edges, 0, SIZES);
    tcase_add_test(c, induced_subgraph_keeps_order_and_weights);
    tcase_add_test(c, ego_network_lists_nodes_by_distance);
    tcase_add_test(c, appended_edges_bring_nodes);
    tcase_add_test(c, batches_are_block_diagonal);
    tcase_add_test(c, merged_relations_are_their_union);
    suite_add_tcase(s, c);
    return s;
}
