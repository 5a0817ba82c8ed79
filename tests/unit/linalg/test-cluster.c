// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/cluster.h>
#include <crucible/graph.h>

#include "json-fixture.h"

/* Whether two groupings are equal up to names. */
static bool same_groups(const int32_t *a, const int32_t *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if ((a[i] == a[j]) != (b[i] == b[j])) return false;
    return true;
}

/* Blobs of 30 points around k far corners; truth[i] = i % k. */
static float *blobs(int64_t n, int64_t cols, int32_t k, cru_rng *rng)
{
    float *x = calloc((size_t)(n * cols), sizeof *x);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < cols; j++) x[i * cols + j] = (float)(500 + (j == i % k ? 20 : 0) + cru_rng_normal(rng));
    return x;
}

START_TEST(separated_blobs_are_found)
{
    cru_rng rng = cru_rng_stream(1, "test", 0);
    enum { N = 120, COLS = 5, K = 4 };
    float *x = blobs(N, COLS, K, &rng), centres[K * COLS];
    int32_t group[N], truth[N];
    for (int i = 0; i < N; i++) truth[i] = i % K;
    double inertia = cru_kmeans(&(cru_dense){N, COLS, x}, &(cru_kmeans_options){.k = K}, &rng, group, centres);
    ck_assert(same_groups(group, truth, N));
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < COLS; j++) sum += pow((double)x[i * COLS + j] - (double)centres[group[i] * COLS + j], 2);
    ck_assert_double_eq_tol(inertia / sum, 1, 1e-3);
    free(x);
}
END_TEST

START_TEST(inertia_is_no_worse_than_the_reference)
{
    cJSON *root = fixture_open("noisygl/cp.json");
    const cJSON *item = fixture_case(root, "kmeans_fixed_init");
    double numbers[200];
    float x[200];
    int64_t n = cJSON_GetArraySize(fixture_input(item, "points")),
            count = fixture_numbers(fixture_input(item, "points"), numbers);
    for (int64_t i = 0; i < count; i++) x[i] = (float)numbers[i];
    int32_t group[100];
    cru_rng rng = cru_rng_stream(2, "test", 0);
    double inertia = cru_kmeans(&(cru_dense){n, count / n, x}, &(cru_kmeans_options){.k = 3}, &rng, group, NULL);
    ck_assert_double_le(inertia, fixture_expected(item, "inertia")->valuedouble * (1 + 1e-5));
    cJSON_Delete(root);
}
END_TEST

START_TEST(as_many_groups_as_points_and_only_one)
{
    float x[] = {0, 5, 9};
    int32_t group[3];
    float mean;
    cru_rng rng = cru_rng_stream(3, "test", 0);
    ck_assert_double_eq_tol(cru_kmeans(&(cru_dense){3, 1, x}, &(cru_kmeans_options){.k = 3}, &rng, group, NULL), 0,
                            1e-9);
    ck_assert(group[0] != group[1] && group[1] != group[2] && group[0] != group[2]);
    double inertia = cru_kmeans(&(cru_dense){3, 1, x}, &(cru_kmeans_options){.k = 1}, &rng, group, &mean);
    ck_assert_double_eq_tol(mean, 14 / 3., 1e-5);
    ck_assert_double_eq_tol(inertia, 106 - 196 / 3., 1e-4);
}
END_TEST

/* Equal points: fewer distinct places than groups. */
START_TEST(equal_points_do_not_break_it)
{
    float x[20] = {0};
    int32_t group[10];
    cru_rng rng = cru_rng_stream(4, "test", 0);
    double inertia = cru_kmeans(&(cru_dense){10, 2, x}, &(cru_kmeans_options){.k = 3}, &rng, group, NULL);
    ck_assert_double_eq(inertia, 0);
    for (int i = 0; i < 10; i++) ck_assert(group[i] >= 0 && group[i] < 3);
}
END_TEST

/* `count` cliques of 12 in a ring, neighbours joined by one edge. */
static cru_csr cliques(cru_pool pool, int32_t count)
{
    int32_t n = 12 * count, at = 0;
    int32_t *row = cru_pool_alloc(pool, n * 12, sizeof *row), *col = cru_pool_alloc(pool, n * 12, sizeof *col);
    for (int32_t v = 0; v < n; v++)
        for (int32_t u = v / 12 * 12; u < v; u++) row[at] = v, col[at++] = u;
    for (int32_t c = 0; c < count; c++) row[at] = 12 * c, col[at++] = (12 * c + 17) % n;
    cru_csr g = cru_csr_from_coo(pool, &(cru_coo){n, n, at, row, col, NULL}, CRU_DUP_FIRST);
    return cru_graph_symmetrise(pool, &g, CRU_SYM_OR);
}

START_TEST(cliques_are_found_by_spectrum_and_by_cutting)
{
    cru_arena *arena = cru_arena_create();
    cru_csr g = cliques(cru_arena_pool(arena), 5);
    int32_t group[60], truth[60];
    for (int i = 0; i < 60; i++) truth[i] = i / 12;
    cru_rng rng = cru_rng_stream(5, "test", 0);
    ck_assert_int_eq(cru_spectral_clusters(&g, 5, &rng, group, NULL), CRU_OK);
    ck_assert(same_groups(group, truth, 60));
    ck_assert_int_eq(cru_graph_partition(&g, 5, group, NULL), CRU_OK);
    ck_assert(same_groups(group, truth, 60));
    cru_arena_destroy(arena);
}
END_TEST

START_TEST(trivial_partitions)
{
    cru_arena *arena = cru_arena_create();
    cru_csr g = cliques(cru_arena_pool(arena), 3), nothing = {0};
    int32_t part[36];
    ck_assert_int_eq(cru_graph_partition(&g, 1, part, NULL), CRU_OK);
    for (int i = 0; i < 36; i++) ck_assert_int_eq(part[i], 0);
    ck_assert_int_eq(cru_graph_partition(&nothing, 4, part, NULL), CRU_OK);
    cru_arena_destroy(arena);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("cluster");
    TCase *c = tcase_create("cluster");
    tcase_set_timeout(c, 200);
    tcase_add_test(c, separated_blobs_are_found);
    tcase_add_test(c, inertia_is_no_worse_than_the_reference);
    tcase_add_test(c, as_many_groups_as_points_and_only_one);
    tcase_add_test(c, equal_points_do_not_break_it);
    tcase_add_test(c, cliques_are_found_by_spectrum_and_by_cutting);
    tcase_add_test(c, trivial_partitions);
    suite_add_tcase(s, c);
    return s;
}
