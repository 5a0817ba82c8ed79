// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/embed.h>
#include <crucible/embed.h>

#include "linalg/quadtree.h"

static float *random_points(int64_t n, int64_t cols, uint64_t seed)
{
    float *x = calloc((size_t)(n * cols), sizeof *x);
    cru_rng rng = cru_rng_stream(seed, "test", 0);
    for (int64_t i = 0; i < n * cols; i++) x[i] = (float)cru_rng_normal(&rng);
    return x;
}

/* Scores against the eigenpairs of the covariance matrix. */
START_TEST(pca_scores_have_the_leading_variances)
{
    enum { N = 80, D = 6, K = 3 };
    float *x = random_points(N, D, 1), scores[N * K];
    for (int i = 0; i < N * D; i++) x[i] = x[i] * (float)(1 + i % D * 2) + 100;
    double mean[D] = {0}, covariance[D * D] = {0}, values[D];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++) mean[j] += (double)x[i * D + j] / N;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < D; j++)
            for (int k = 0; k < D; k++)
                covariance[j * D + k] += ((double)x[i * D + j] - mean[j]) * ((double)x[i * D + k] - mean[k]);
    ck_assert_int_eq(cru_eigen_symmetric(covariance, D, values, NULL), CRU_OK);
    cru_rng rng = cru_rng_stream(2, "test", 0);
    ck_assert_int_eq(cru_pca(&(cru_dense){N, D, x}, K, &rng, scores, NULL), CRU_OK);
    for (int c = 0; c < K; c++) {
        const double *axis = covariance + (D - 1 - c) * D;
        for (int i = 0; i < N; i++) {
            double expected = 0;
            for (int j = 0; j < D; j++) expected += ((double)x[i * D + j] - mean[j]) * axis[j];
            ck_assert_double_eq_tol(scores[i * K + c], expected, 2e-3);
        }
    }
    free(x);
}
END_TEST

START_TEST(axes_beyond_the_rank_are_zero)
{
    float x[] = {1, 2, 3, 4}, scores[12] = {7};
    cru_rng rng = cru_rng_stream(3, "test", 0);
    ck_assert_int_eq(cru_pca(&(cru_dense){4, 1, x}, 3, &rng, scores, NULL), CRU_OK);
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(scores[3 * i], x[i] - 2.5, 1e-5);
        ck_assert_float_eq(scores[3 * i + 1], 0);
    }
    ck_assert_int_eq(cru_pca(&(cru_dense){0, 5, x}, 2, &rng, scores, NULL), CRU_OK);
}
END_TEST

static void check_repulsion(const double *y, int64_t n, double theta, double tolerance)
{
    quadtree *tree = cru_quadtree_create();
    cru_quadtree_build(tree, y, n);
    for (int64_t i = 0; i < n; i++) {
        double force[2] = {0}, expected[2] = {0}, sum = 0;
        double found = cru_quadtree_repulsion(tree, i, theta, force);
        for (int64_t j = 0; j < n; j++) {
            double dx = y[2 * i] - y[2 * j], dy = y[2 * i + 1] - y[2 * j + 1], q = 1 / (1 + dx * dx + dy * dy);
            if (j != i) sum += q, expected[0] += q * q * dx, expected[1] += q * q * dy;
        }
        ck_assert_double_le(fabs(found - sum), tolerance * (1 + sum));
        for (int c = 0; c < 2; c++) ck_assert_double_le(fabs(force[c] - expected[c]), tolerance * (1 + sum));
    }
    cru_quadtree_destroy(tree);
}

/* theta = 0 opens every cell; .5 is close. Repeated points and a line included. */
START_TEST(tree_sums_agree_with_all_pairs)
{
    enum { N = 300 };
    double y[2 * N];
    cru_rng rng = cru_rng_stream(4, "test", 0);
    for (int i = 0; i < 2 * N; i++) y[i] = 5 * cru_rng_normal(&rng);
    for (int i = 0; i < 40; i++) y[2 * i] = 1, y[2 * i + 1] = 2;
    for (int i = 40; i < 60; i++) y[2 * i] = 3, y[2 * i + 1] = i * 1e-9;
    check_repulsion(y, N, 0, 1e-6);
    check_repulsion(y, N, 0.5, 0.02);
    check_repulsion(y, 1, 0.5, 1e-12);
    check_repulsion(y, 0, 0.5, 1e-12);
}
END_TEST

/* Three far blobs stay apart: every point is nearer to its own blob's middle than to the others'. */
static void check_map(const cru_tsne_options *options)
{
    enum { N = 150, D = 8 };
    float *x = random_points(N, D, 5), map[2 * N], again[2 * N];
    for (int i = 0; i < N; i++) x[i * D + i % 3] += 20;
    cru_rng rng = cru_rng_stream(6, "test", 0), same = rng;
    ck_assert_int_eq(cru_tsne(&(cru_dense){N, D, x}, options, &rng, map, NULL), CRU_OK);
    double middle[3][2] = {{0}};
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 2; c++) middle[i % 3][c] += (double)map[2 * i + c] / (N / 3);
    for (int i = 0; i < N; i++) {
        double d[3];
        for (int b = 0; b < 3; b++) d[b] = hypot(map[2 * i] - middle[b][0], map[2 * i + 1] - middle[b][1]);
        for (int b = 0; b < 3; b++) ck_assert(b == i % 3 || d[i % 3] < d[b]);
    }
    ck_assert_int_eq(cru_tsne(&(cru_dense){N, D, x}, options, &same, again, NULL), CRU_OK);
    ck_assert_mem_eq(map, again, sizeof map);
    free(x);
}

START_TEST(maps_keep_blobs_apart)
{
    check_map(&(cru_tsne_options){.perplexity = 20, .iterations = 350, .exaggerated = 150, .exact = true});
    check_map(&(cru_tsne_options){.perplexity = 20, .iterations = 350, .exaggerated = 150});
}
END_TEST

START_TEST(a_map_of_few_points)
{
    float x[] = {0, 1, 5}, map[6] = {9};
    cru_rng rng = cru_rng_stream(7, "test", 0);
    ck_assert_int_eq(cru_tsne(&(cru_dense){1, 1, x}, NULL, &rng, map, NULL), CRU_OK);
    ck_assert_float_eq(map[0], 0);
    ck_assert_int_eq(cru_tsne(&(cru_dense){3, 1, x}, &(cru_tsne_options){.iterations = 50}, &rng, map, NULL), CRU_OK);
    for (int i = 0; i < 6; i++) ck_assert(isfinite(map[i]));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("embed");
    TCase *c = tcase_create("embed");
    tcase_set_timeout(c, 200);
    tcase_add_test(c, pca_scores_have_the_leading_variances);
    tcase_add_test(c, axes_beyond_the_rank_are_zero);
    tcase_add_test(c, tree_sums_agree_with_all_pairs);
    tcase_add_test(c, maps_keep_blobs_apart);
    tcase_add_test(c, a_map_of_few_points);
    suite_add_tcase(s, c);
    return s;
}
