// SPDX-License-Identifier: Apache-2.0
#include <crucible/draft/paths.h>
#include <crucible/paths.h>

#include "graph/cases.h"

static const int64_t sizes[][2] = {{1, 0}, {6, 0}, {7, 6}, {20, 40}, {61, 70}, {61, 300}};
enum { SIZES = sizeof sizes / sizeof *sizes };

enum { FAR = 1000 };

static int *all_distances(const cru_csr *g)
{
    int64_t n = g->rows;
    int *d = cru_pool_alloc(pool, n * n, sizeof *d);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) d[i * n + j] = i == j ? 0 : stored(g, i, j) ? 1 : FAR;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                if (d[i * n + k] + d[k * n + j] < d[i * n + j]) d[i * n + j] = d[i * n + k] + d[k * n + j];
    return d;
}

START_TEST(distances_agree_with_floyd_warshall)
{
    cru_csr g = random_graph(sizes[_i][0], sizes[_i][1], false, 3);
    int64_t n = g.rows;
    const int *d = all_distances(&g);
    int32_t *ids = cru_pool_alloc(pool, n, sizeof *ids), *hops = cru_pool_alloc(pool, n * n, sizeof *hops);
    for (int32_t v = 0; v < n; v++) ids[v] = v;
    cru_graph_distances(&g, (cru_ids){ids, n}, hops);
    for (int64_t i = 0; i < n * n; i++) ck_assert_int_eq(hops[i], d[i] >= FAR ? -1 : d[i]);
}
END_TEST

START_TEST(several_sources_give_the_nearest)
{
    cru_csr g = random_graph(61, 90, false, 5);
    const int *d = all_distances(&g);
    int32_t sources[] = {4, 17, 4}, hops[61], parent[61];
    cru_graph_hops(&g, (cru_ids){sources, 3}, hops, parent);
    for (int64_t v = 0; v < 61; v++) {
        int nearest = d[4 * 61 + v] < d[17 * 61 + v] ? d[4 * 61 + v] : d[17 * 61 + v];
        ck_assert_int_eq(hops[v], nearest >= FAR ? -1 : nearest);
        int32_t smallest = -1;
        for (int32_t u = 60; u >= 0; u--)
            if (hops[v] > 0 && hops[u] == hops[v] - 1 && stored(&g, u, v)) smallest = u;
        ck_assert_int_eq(parent[v], smallest);
    }
}
END_TEST

START_TEST(components_join_nodes_in_either_direction)
{
    cru_coo c = {7, 7, 4, (int32_t[]){5, 2, 6, 3}, (int32_t[]){1, 5, 6, 0}, NULL};
    cru_csr g = cru_csr_from_coo(pool, &c, CRU_DUP_FIRST);
    int32_t component[7];
    ck_assert_int_eq(cru_graph_components(&g, component), 4);
    ck_assert_mem_eq(component, ((int32_t[]){0, 1, 1, 0, 2, 1, 3}), sizeof component);
    cru_ids largest = cru_graph_largest_component(pool, &g);
    ck_assert_int_eq(largest.count, 3);
    ck_assert_mem_eq(largest.ids, ((int32_t[]){1, 2, 5}), 3 * sizeof(int32_t));
}
END_TEST

START_TEST(diameter_is_that_of_the_largest_component)
{
    cru_csr g = random_undirected(sizes[_i][0], sizes[_i][1], 9);
    const int *d = all_distances(&g);
    cru_ids largest = cru_graph_largest_component(pool, &g);
    int longest = 0;
    for (int64_t i = 0; i < largest.count; i++)
        for (int64_t j = 0; j < largest.count; j++)
            if (d[largest.ids[i] * g.rows + largest.ids[j]] > longest)
                longest = d[largest.ids[i] * g.rows + largest.ids[j]];
    ck_assert_int_eq(cru_graph_diameter(&g), longest);
}
END_TEST

START_TEST(diameter_of_a_path_and_of_nothing)
{
    int32_t pairs[99][2];
    for (int32_t v = 0; v < 99; v++) pairs[v][0] = v, pairs[v][1] = v + 1;
    cru_csr path = undirected(100, (const int32_t(*)[2])pairs, 99), nothing = undirected(0, NULL, 0);
    ck_assert_int_eq(cru_graph_diameter(&path), 99);
    ck_assert_int_eq(cru_graph_diameter(&nothing), 0);
}
END_TEST

/* The recursive search: `left` nodes may still be entered. */
static void enter_from(const cru_csr *g, int32_t v, int64_t *left, uint8_t *taken)
{
    if (taken[v] || *left <= 0) return;
    taken[v] = 1;
    --*left;
    for (int64_t e = g->offsets[v + 1] - 1; e >= g->offsets[v]; e--) enter_from(g, g->ids[e], left, taken);
}

START_TEST(depth_first_search_agrees_with_a_recursive_one)
{
    const cru_csr g = random_graph(sizes[_i][0], sizes[_i][1], false, 9);
    uint8_t taken[61], expected[61];
    for (int64_t most = -1; most <= g.rows + 1; most++)
        for (int32_t start = 0; start < g.rows; start++) {
            int64_t left = most;
            for (int v = 0; v < 61; v++) taken[v] = expected[v] = v % 5 == 4; /* those are closed */
            enter_from(&g, start, &left, expected);
            cru_graph_depth_first(&g, start, most, taken);
            ck_assert_mem_eq(taken, expected, sizeof taken);
        }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("paths");
    TCase *c = tcase_create("paths");
    tcase_set_timeout(c, 200);
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_add_loop_test(c, distances_agree_with_floyd_warshall, 0, SIZES);
    tcase_add_test(c, several_sources_give_the_nearest);
    tcase_add_test(c, components_join_nodes_in_either_direction);
    tcase_add_loop_test(c, diameter_is_that_of_the_largest_component, 0, SIZES);
    tcase_add_test(c, diameter_of_a_path_and_of_nothing);
    tcase_add_loop_test(c, depth_first_search_agrees_with_a_recursive_one, 0, SIZES);
    suite_add_tcase(s, c);
    return s;
}
