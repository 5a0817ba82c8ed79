// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include <crucible/curvature.h>
#include <crucible/draft/curvature.h>
#include <crucible/draft/paths.h>
#include <crucible/draft/transport.h>
#include <crucible/paths.h>

#include "graph/cases.h"

/* Curvature by a general solver on the dense distance matrix: mass of u on its predecessors, of v on its successors. */
static double oracle(const cru_csr *in, const int32_t *hops, int64_t u, int64_t v, double alpha)
{
    int64_t n = in->rows, du = 0, dv = 0;
    double *a = cru_pool_alloc(pool, n, sizeof *a), *b = cru_pool_alloc(pool, n, sizeof *b);
    double *cost = cru_pool_alloc(pool, n * n, sizeof *cost), w;
    for (int64_t i = 0; i < n; i++) {
        du += i != u && stored(in, u, i);
        dv += i != v && stored(in, i, v);
    }
    for (int64_t i = 0; i < n; i++) {
        if (i != u && stored(in, u, i)) a[i] = (1 - alpha) / (double)du;
        if (i != v && stored(in, i, v)) b[i] = (1 - alpha) / (double)dv;
    }
    a[u] = du ? alpha : 1;
    b[v] = dv ? alpha : 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) cost[i * n + j] = hops[i * n + j] < 0 ? 50 : hops[i * n + j];
    cru_error err = {0};
    ck_assert_int_eq(cru_transport_exact(&(cru_transport){n, n, a, b, cost}, &w, NULL, &err), CRU_OK);
    return 1 - w;
}

/* hops[i * n + j]: distance from i to j along the edges. */
static int32_t *forward_distances(const cru_csr *in)
{
    int64_t n = in->rows;
    int32_t *ids = cru_pool_alloc(pool, n, sizeof *ids), *hops = cru_pool_alloc(pool, n * n, sizeof *hops);
    for (int32_t v = 0; v < n; v++) ids[v] = v;
    cru_csr out = cru_csr_transpose(pool, in, NULL);
    cru_graph_distances(&out, (cru_ids){ids, n}, hops);
    return hops;
}

static void check_curvature(const cru_csr *g, double alpha)
{
    float *curvature = cru_pool_alloc(pool, cru_csr_nnz(g), sizeof *curvature);
    const int32_t *hops = forward_distances(g);
    cru_graph_ricci(g, alpha, curvature);
    for (int64_t v = 0; v < g->rows; v++) {
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            double expected = g->ids[e] == v ? 0 : oracle(g, hops, g->ids[e], v, alpha);
            ck_assert_double_eq_tol(curvature[e], expected, 1e-5);
        }
    }
}

static const int64_t sizes[][2] = {{0, 0}, {2, 1}, {6, 5}, {12, 20}, {25, 60}, {30, 200}, {40, 90}};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(undirected_curvature_agrees_with_the_general_solver)
{
    cru_csr g = random_undirected(sizes[_i][0], sizes[_i][1], 21);
    check_curvature(&g, 0.5);
    check_curvature(&g, 0);
    check_curvature(&g, 0.25);
}
END_TEST

START_TEST(directed_curvature_agrees_with_the_general_solver)
{
    cru_csr g = random_graph(sizes[_i][0], sizes[_i][1], false, 22);
    check_curvature(&g, 0.5);
}
END_TEST

/* A hub with more than 64 neighbours: rows of several words. */
START_TEST(wide_neighbourhoods_are_solved_too)
{
    cru_csr g = random_undirected(90, 60, 4);
    int32_t row[80], col[80];
    for (int32_t i = 0; i < 80; i++) row[i] = i % 2, col[i] = i + 3;
    g = cru_graph_append(pool, &g, &(cru_coo){90, 90, 80, row, col, NULL}, CRU_DUP_FIRST);
    g = cru_graph_loops(pool, &g, CRU_LOOPS_REMOVE);
    g = cru_graph_symmetrise(pool, &g, CRU_SYM_OR);
    check_curvature(&g, 0.5);
}
END_TEST

static double curvature_of(const cru_csr *g, int32_t a, int32_t b)
{
    float *curvature = cru_pool_alloc(pool, cru_csr_nnz(g), sizeof *curvature);
    cru_graph_ricci(g, 0.5, curvature);
    return curvature[cru_csr_find(g, a, b)];
}

/* Published reference values. */
START_TEST(known_curvatures)
{
    static const struct {
        int32_t a, b;
        double value;
    } toy[] = {{0, 1, 0.75},
               {0, 2, 0.416666667},
               {1, 2, 0.416666667},
               {2, 3, -0.333333333},
               {3, 4, -0.166666667},
               {3, 8, -0.166666667},
               {4, 5, 0.416666667},
               {4, 6, 0.333333333},
               {5, 6, 0.416666667},
               {6, 7, 0},
               {7, 8, 0},
               {8, 9, 0.333333333}};
    cru_csr g = toy_graph();
    for (size_t i = 0; i < sizeof toy / sizeof *toy; i++)
        ck_assert_double_eq_tol(curvature_of(&g, toy[i].a, toy[i].b), toy[i].value, 1e-6);
    cru_csr star = undirected(5, (const int32_t[][2]){{0, 1}, {0, 2}, {0, 3}, {0, 4}}, 4);
    cru_csr k4 = undirected(4, (const int32_t[][2]){{1, 0}, {2, 0}, {2, 1}, {3, 0}, {3, 1}, {3, 2}}, 6);
    cru_csr path = undirected(4, (const int32_t[][2]){{0, 1}, {1, 2}, {2, 3}}, 3);
    ck_assert_double_eq_tol(curvature_of(&star, 0, 3), 0.25, 1e-6);
    ck_assert_double_eq_tol(curvature_of(&k4, 1, 3), 2 / 3., 1e-6);
    ck_assert_double_eq_tol(curvature_of(&path, 0, 1), 0.5, 1e-6);
    ck_assert_double_eq_tol(curvature_of(&path, 1, 2), 0, 1e-6);
}
END_TEST

START_TEST(coefficients_of_a_connected_graph)
{
    cru_csr g = toy_graph();
    float *curvature = cru_pool_alloc(pool, cru_csr_nnz(&g), sizeof *curvature);
    cru_graph_ricci(&g, 0.5, curvature);
    int32_t classes[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0}, train[] = {0, 4, 7};
    ck_assert_int_eq(cru_graph_diameter(&g), 4);
    cru_placement p = {&g, classes, {train, 3}};
    ck_assert_double_eq_tol(cru_reaching_coefficient(&p, 1), 0.857142857, 1e-6);
    ck_assert_double_eq_tol(cru_squashing_coefficient(&p, curvature), 0.211309524, 1e-6);
}
END_TEST

START_TEST(unreachable_pairs_count_as_told)
{
    int32_t edges[13][2];
    memcpy(edges, toy_edges, sizeof toy_edges);
    edges[12][0] = 10, edges[12][1] = 11;
    cru_csr g = undirected(12, (const int32_t(*)[2])edges, 13);
    float *curvature = cru_pool_alloc(pool, cru_csr_nnz(&g), sizeof *curvature);
    cru_graph_ricci(&g, 0.5, curvature);
    int32_t classes[] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 0, 1}, train[] = {0, 4, 7};
    cru_placement p = {&g, classes, {train, 3}};
    ck_assert_double_eq_tol(cru_reaching_coefficient(&p, 1), 0.888888889, 1e-6);
    ck_assert_double_eq_tol(cru_reaching_coefficient(&p, 0), 0.666666667, 1e-6);
    ck_assert_double_eq_tol(cru_squashing_coefficient(&p, curvature), 0.164351852, 1e-6);
}
END_TEST

/* Overlapping sets of labelled nodes, a class without any, unlabelled and isolated nodes. */
START_TEST(many_placements_are_measured_like_one)
{
    enum { N = 60, SETS = 7, CLASSES = 4 };
    cru_csr g = random_undirected(N, 70, 5);
    float *curvature = cru_pool_alloc(pool, cru_csr_nnz(&g), sizeof *curvature);
    int32_t classes[N], ids[SETS][N];
    cru_ids labelled[SETS];
    cru_reach all[SETS];
    cru_rng rng = cru_rng_stream(3, "sets", 0);
    cru_graph_ricci(&g, 0.5, curvature);
    for (int v = 0; v < N; v++) classes[v] = v % 9 == 0 ? CRU_UNLABELLED : v % CLASSES;
    for (int k = 0; k < SETS; k++) {
        labelled[k] = (cru_ids){ids[k], k ? 3 * k : 0};
        cru_rng_choose(&rng, N, labelled[k].count, ids[k]);
    }
    cru_placements_measure(&(cru_placements){&g, classes, labelled, SETS}, curvature, 0.5, all);
    for (int k = 0; k < SETS; k++) {
        const cru_placement one = {&g, classes, labelled[k]};
        const double reaching = cru_reaching_coefficient(&one, 0.5);
        ck_assert(k == 0 ? isnan(reaching) && isnan(all[k].reaching) : all[k].reaching == reaching);
        ck_assert_double_eq(all[k].squashing, cru_squashing_coefficient(&one, curvature));
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("curvature");
    TCase *c = tcase_create("curvature");
    tcase_set_timeout(c, 200);
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_add_loop_test(c, undirected_curvature_agrees_with_the_general_solver, 0, SIZES);
    tcase_add_loop_test(c, directed_curvature_agrees_with_the_general_solver, 0, SIZES);
    tcase_add_test(c, wide_neighbourhoods_are_solved_too);
    tcase_add_test(c, known_curvatures);
    tcase_add_test(c, coefficients_of_a_connected_graph);
    tcase_add_test(c, unreachable_pairs_count_as_told);
    tcase_add_test(c, many_placements_are_measured_like_one);
    suite_add_tcase(s, c);
    return s;
}
