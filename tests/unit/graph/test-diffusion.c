// SPDX-License-Identifier: Apache-2.0
#include <crucible/draft/diffusion.h>
#include <crucible/draft/linalg.h>
#include <crucible/linalg.h>

#include "graph/cases.h"

static const int64_t sizes[][2] = {{0, 0}, {1, 1}, {6, 0}, {9, 14}, {40, 120}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* restart (I - (1 - restart) S)^-1 by a dense inverse. */
static double *dense_ppr(const cru_csr *s, double restart)
{
    int64_t n = s->rows;
    double *p = cru_pool_alloc(pool, n * n, sizeof *p);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) p[i * n + j] = (i == j) - (1 - restart) * at(s, i, j);
    ck_assert_int_eq(cru_inverse(p, n, NULL), CRU_OK);
    for (int64_t i = 0; i < n * n; i++) p[i] *= restart;
    return p;
}

static cru_ids all_nodes(int64_t n)
{
    int32_t *ids = cru_pool_alloc(pool, n, sizeof *ids);
    for (int32_t v = 0; v < n; v++) ids[v] = v;
    return (cru_ids){ids, n};
}

static void check_ppr(const cru_csr *s, double restart)
{
    int64_t n = s->rows;
    double *expected = dense_ppr(s, restart), *x = cru_pool_alloc(pool, n * 3, sizeof *x);
    float *rows = cru_pool_alloc(pool, n * n, sizeof *rows), *cols = cru_pool_alloc(pool, n * n, sizeof *cols);
    cru_ppr_options o = {.restart = restart};
    cru_ppr_rows(s, all_nodes(n), &o, rows);
    cru_ppr_columns(s, all_nodes(n), &o, cols);
    for (int64_t i = 0; i < n * 3; i++) x[i] = (double)(i % 5);
    cru_ppr_apply(s, &o, x, 3);
    for (int64_t i = 0; i < n; i++) {
        double sums[3] = {0};
        for (int64_t j = 0; j < n; j++) {
            ck_assert_double_eq_tol(rows[i * n + j], expected[i * n + j], 1e-6);
            ck_assert_double_eq_tol(cols[j * n + i], expected[i * n + j], 1e-6);
            for (int64_t c = 0; c < 3; c++) sums[c] += expected[i * n + j] * (double)((j * 3 + c) % 5);
        }
        for (int64_t c = 0; c < 3; c++) ck_assert_double_eq_tol(x[i * 3 + c], sums[c], 1e-6);
    }
}

START_TEST(pagerank_on_symmetric_and_directed_graphs_is_the_inverse)
{
    cru_csr g = random_undirected(sizes[_i][0], sizes[_i][1], 31),
            d = random_graph(sizes[_i][0], sizes[_i][1], true, 32);
    cru_csr s = cru_graph_gcn(pool, &g, CRU_LOOPS_ADD), walk = cru_graph_normalise(pool, &d, CRU_NORM_ROW);
    ck_assert(cru_graph_is_symmetric(&s));
    check_ppr(&s, 0.05);
    check_ppr(&s, 0.5);
    check_ppr(&walk, 0.15);
    check_ppr(&walk, 1);
}
END_TEST

START_TEST(push_comes_close_to_the_rows)
{
    cru_csr g = random_graph(sizes[_i][0], sizes[_i][1], false, 33), s = cru_graph_normalise(pool, &g, CRU_NORM_ROW);
    int64_t n = g.rows;
    double *expected = dense_ppr(&s, 0.2);
    cru_csr p = cru_ppr_push(pool, &g, all_nodes(n), 0.2, 1e-9);
    check_form(&p);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            ck_assert_double_eq_tol(at(&p, i, j), expected[i * n + j], 1e-5);
            if (stored(&p, i, j)) ck_assert_double_gt(at(&p, i, j), 0);
        }
    }
    cru_csr coarse = cru_ppr_push(pool, &g, all_nodes(n), 0.2, 1e-1);
    ck_assert_int_le(cru_csr_nnz(&coarse), cru_csr_nnz(&p));
}
END_TEST

/* Fixed point of the definition, with dangling nodes restarting. */
START_TEST(pagerank_is_stationary_and_sums_to_one)
{
    cru_csr g = random_graph(sizes[_i][0], sizes[_i][1], false, 34);
    int64_t n = g.rows;
    double *rank = cru_pool_alloc(pool, n, sizeof *rank), sum = 0, lost = 0;
    cru_pagerank(&g, 0.85, rank);
    for (int64_t v = 0; v < n; v++) {
        sum += rank[v];
        if (g.offsets[v] == g.offsets[v + 1]) lost += rank[v];
    }
    if (n) ck_assert_double_eq_tol(sum, 1, 1e-9);
    for (int64_t u = 0; u < n; u++) {
        double in = lost / (double)n;
        for (int64_t v = 0; v < n; v++)
            if (stored(&g, v, u)) in += rank[v] / (double)(g.offsets[v + 1] - g.offsets[v]);
        ck_assert_double_eq_tol(rank[u], 0.85 * in + 0.15 / (double)n, 1e-9);
    }
}
END_TEST

START_TEST(heat_is_the_matrix_exponential)
{
    cru_csr g = random_graph(sizes[_i][0], sizes[_i][1], true, 35), s = cru_graph_normalise(pool, &g, CRU_NORM_ROW);
    int64_t n = g.rows;
    double *a = cru_pool_alloc(pool, n * n, sizeof *a), *expected = cru_pool_alloc(pool, n * n, sizeof *expected);
    double *x = cru_pool_alloc(pool, n * n, sizeof *x);
    for (int64_t i = 0; i < n; i++) {
        x[i * n + i] = 1;
        for (int64_t j = 0; j < n; j++) a[i * n + j] = 3 * (at(&s, i, j) - (i == j));
    }
    ck_assert_int_eq(cru_matrix_exp(a, n, expected, NULL), CRU_OK);
    cru_heat_apply(&s, 3, x, n);
    for (int64_t i = 0; i < n * n; i++) ck_assert_double_eq_tol(x[i], expected[i], 1e-9);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("diffusion");
    TCase *c = tcase_create("diffusion");
    tcase_set_timeout(c, 200);
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_add_loop_test(c, pagerank_on_symmetric_and_directed_graphs_is_the_inverse, 0, SIZES);
    tcase_add_loop_test(c, push_comes_close_to_the_rows, 0, SIZES);
    tcase_add_loop_test(c, pagerank_is_stationary_and_sums_to_one, 0, SIZES);
    tcase_add_loop_test(c, heat_is_the_matrix_exponential, 0, SIZES);
    suite_add_tcase(s, c);
    return s;
}
