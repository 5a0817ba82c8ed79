// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/knn.h>
#include <crucible/draft/linalg.h>
#include <crucible/knn.h>

static cru_arena *arena;
static cru_pool pool;

static void open_pool(void)
{
    arena = cru_arena_create();
    pool = cru_arena_pool(arena);
}

static void close_pool(void)
{
    cru_arena_destroy(arena);
}

/* Rows far from the origin, with some repeated. */
static cru_dense cloud(int64_t rows, int64_t cols, double offset, uint64_t seed)
{
    float *x = cru_pool_alloc(pool, rows * cols, sizeof *x);
    cru_rng rng = cru_rng_stream(seed, "test", 0);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            x[i * cols + j] = i % 7 == 6 ? x[(i - 3) * cols + j] : (float)(offset + cru_rng_normal(&rng));
    return (cru_dense){rows, cols, x};
}

/* Entries 0 .. 2, so that many cosines are equal between rows of different lengths, and every fifth row 0. */
static cru_dense lattice(int64_t rows, int64_t cols, uint64_t seed)
{
    float *x = cru_pool_alloc(pool, rows * cols, sizeof *x);
    cru_rng rng = cru_rng_stream(seed, "test", 0);
    for (int64_t i = 0; i < rows * cols; i++)
        x[i] = i / cols % 5 == 2 ? 0 : (float)floor(3 * (double)cru_rng_uniform(&rng));
    return (cru_dense){rows, cols, x};
}

/* In float, as the search compares them. */
static float cosine(const float *x, const float *y, int64_t cols)
{
    double xx = 0, yy = 0, xy = 0;
    for (int64_t k = 0; k < cols; k++) xx += (double)x[k] * x[k], yy += (double)y[k] * y[k], xy += (double)x[k] * y[k];
    return xx * yy > 0 ? (float)(xy / sqrt(xx * yy)) : 0;
}

/* Squared, unless it is that of cosines. */
static double distance(const cru_dense *a, int64_t i, const cru_dense *b, int64_t j, cru_distance kind)
{
    double na = 0, nb = 0, sum = 0;
    const float *x = a->values + i * a->cols, *y = b->values + j * b->cols;
    if (kind == CRU_ONE_LESS_COSINE) return 1 - (double)cosine(x, y, a->cols);
    for (int64_t k = 0; k < a->cols; k++) na += (double)x[k] * x[k], nb += (double)y[k] * y[k];
    double sx = kind == CRU_COSINE ? 1 / (sqrt(na) + 1e-5) : 1, sy = kind == CRU_COSINE ? 1 / (sqrt(nb) + 1e-5) : 1;
    for (int64_t k = 0; k < a->cols; k++) sum += (sx * x[k] - sy * y[k]) * (sx * x[k] - sy * y[k]);
    return sum;
}

/* How many points come before point j for query i, by distance and then id. */
static int64_t rank_of(const cru_dense *q, int64_t i, const cru_dense *p, int64_t j, const cru_knn_options *o)
{
    int64_t rank = 0;
    double own = distance(q, i, p, j, o->distance);
    for (int64_t k = 0; k < p->rows; k++) {
        if (k == j || (o->skip_self && k == i)) continue;
        double d = distance(q, i, p, k, o->distance);
        rank += d < own || (d == own && k < j);
    }
    return rank;
}

static void check_search(const cru_dense *q, const cru_dense *p, const cru_knn_options *o)
{
    cru_neighbours found = cru_knn(pool, q, p, o);
    ck_assert_int_eq(found.rows, q->rows);
    for (int64_t i = 0; i < q->rows; i++) {
        for (int64_t k = 0; k < o->k; k++) {
            int32_t j = found.ids[i * o->k + k];
            ck_assert(!o->skip_self || j != i);
            ck_assert_int_eq(rank_of(q, i, p, j, o), k);
            double d = distance(q, i, p, j, o->distance);
            ck_assert_double_eq_tol(found.distances[i * o->k + k], o->distance == CRU_ONE_LESS_COSINE ? d : sqrt(d),
                                    1e-5);
        }
    }
}

START_TEST(search_agrees_with_a_scan)
{
    static const struct {
        int64_t queries, points, cols, k;
        double offset;
    } cases[] = {{0, 5, 3, 2, 0},     {1, 1, 1, 1, 0},     {17, 40, 1, 3, 0},
                 {60, 33, 15, 33, 0}, {90, 300, 17, 5, 0}, {40, 120, 8, 4, 1000}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        cru_dense q = cloud(cases[c].queries, cases[c].cols, cases[c].offset, 1);
        cru_dense p = cloud(cases[c].points, cases[c].cols, cases[c].offset, 2);
        for (int kind = CRU_EUCLIDEAN; kind <= CRU_ONE_LESS_COSINE; kind++)
            check_search(&q, &p, &(cru_knn_options){.k = cases[c].k, .distance = (cru_distance)kind});
    }
}
END_TEST

START_TEST(equal_cosines_go_by_id_whatever_the_lengths)
{
    static const int64_t cols[] = {1, 2, 3, 15, 16, 17};
    cru_dense q = lattice(60, cols[_i], 5), p = lattice(45, cols[_i], 6);
    for (int64_t k = 1; k <= 45; k += 11)
        check_search(&q, &p, &(cru_knn_options){.k = k, .distance = CRU_ONE_LESS_COSINE});
    check_search(&q, &q, &(cru_knn_options){.k = 7, .distance = CRU_ONE_LESS_COSINE, .skip_self = true});
}
END_TEST

/* Points 1, 2 and 3 lie in one direction; a query of zeros is equally far from all points. */
START_TEST(cosines_ignore_lengths)
{
    float x[] = {0, 1, 9, 9, 1, 1, 4, 4}, y[] = {2, 2, 0, 0};
    cru_dense p = {4, 2, x}, q = {2, 2, y};
    cru_neighbours found = cru_knn(pool, &q, &p, &(cru_knn_options){.k = 3, .distance = CRU_ONE_LESS_COSINE});
    static const int32_t expected[] = {1, 2, 3, 0, 1, 2};
    for (int i = 0; i < 6; i++) ck_assert_int_eq(found.ids[i], expected[i]);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(found.distances[i], i < 3 ? 0 : 1);
}
END_TEST

START_TEST(points_can_be_kept_from_finding_themselves)
{
    cru_dense p = cloud(70, 6, 0, 3);
    check_search(&p, &p, &(cru_knn_options){.k = 6, .skip_self = true});
    check_search(&p, &p, &(cru_knn_options){.k = 6});
}
END_TEST

START_TEST(zero_rows_have_cosine_distance_about_one)
{
    float x[] = {0, 0, 3, 4, 0, 0};
    cru_dense p = {3, 2, x};
    cru_neighbours found = cru_knn(pool, &p, &p, &(cru_knn_options){.k = 2, .distance = CRU_COSINE, .skip_self = true});
    ck_assert_int_eq(found.ids[0], 2);
    ck_assert_double_eq_tol(found.distances[0], 0, 1e-9);
    ck_assert_double_eq_tol(found.distances[1], 5 / (5 + 1e-5), 1e-6);
}
END_TEST

START_TEST(graph_rows_hold_the_neighbours)
{
    cru_dense p = cloud(50, 4, 0, 4);
    cru_knn_options o = {.k = 3, .skip_self = true};
    cru_csr g = cru_knn_graph(pool, &p, &o);
    cru_error err = {0};
    ck_assert_int_eq(cru_csr_check(&g, "knn", &err), CRU_OK);
    cru_neighbours found = cru_knn(pool, &p, &p, &o);
    for (int64_t i = 0; i < 50; i++) {
        ck_assert_int_eq(g.offsets[i + 1] - g.offsets[i], 3);
        for (int64_t k = 0; k < 3; k++) {
            int64_t e = cru_csr_find(&g, i, found.ids[i * 3 + k]);
            ck_assert_int_ge(e, 0);
            ck_assert_float_eq(g.values[e], found.distances[i * 3 + k]);
        }
    }
}
END_TEST

/* Against the search itself, with features dense or sparse; more neighbours than there are is all of them. */
START_TEST(rows_find_neighbours_among_some)
{
    static const int32_t ids[] = {9, 3, 30, 17, 4};
    const cru_ids among = {ids, 5};
    const cru_dense all = lattice(40, 6, 8);
    cru_features x = {.rows = 40, .cols = 6, .dense = all.values};
    if (_i) x.sparse = cru_csr_from_dense(pool, all.values, 40, 6), x.dense = NULL;
    const cru_dense some = cru_features_rows(pool, &x, &among);
    for (int64_t k = 1; k <= 6; k++) {
        const int64_t found = k < 5 ? k : 5;
        const cru_neighbours near =
            cru_knn(pool, &all, &some, &(cru_knn_options){.k = found, .distance = CRU_ONE_LESS_COSINE});
        const cru_csr g = cru_knn_among(pool, &x, among, &(cru_knn_options){.k = k, .distance = CRU_ONE_LESS_COSINE});
        for (int64_t i = 0; i < 40; i++) {
            ck_assert_int_eq(g.offsets[i + 1] - g.offsets[i], found);
            for (int64_t j = i * found; j < (i + 1) * found; j++) {
                const int64_t e = cru_csr_find(&g, i, ids[near.ids[j]]);
                ck_assert_int_ge(e, 0);
                ck_assert_float_eq(g.values[e], near.distances[j]);
            }
        }
    }
}
END_TEST

/* On a line at 0, 1, 3, NaN, 6 and infinity; and nothing but NaN. Ids must be those of points in any case. */
START_TEST(points_without_a_distance_are_the_farthest)
{
    static const float line[] = {0, 1, 3, NAN, 6, INFINITY}, none[] = {NAN, NAN, NAN, NAN};
    static const cru_distance kinds[] = {CRU_EUCLIDEAN, CRU_COSINE, CRU_ONE_LESS_COSINE};
    const cru_dense some = {6, 1, line}, nothing = {4, 1, none};
    const cru_neighbours three = cru_knn(pool, &some, &some, &(cru_knn_options){.k = 3, .skip_self = true});
    ck_assert_int_eq(three.ids[0], 1);
    ck_assert_int_eq(three.ids[1], 2);
    ck_assert_int_eq(three.ids[2], 4);
    for (int kind = 0; kind < 3; kind++)
        for (int ties = 0; ties < 2; ties++) {
            const cru_knn_options o = {
                .k = 3, .distance = kinds[kind], .ties = ties ? CRU_TIES_HEAP : CRU_TIES_LOW_ID, .skip_self = true};
            const cru_neighbours n = cru_knn(pool, &nothing, &nothing, &o);
            for (int64_t i = 0; i < n.rows; i++)
                for (int64_t k = 0, seen = 1 << i; k < n.k; k++) {
                    const int32_t id = n.ids[i * n.k + k];
                    ck_assert(id >= 0 && id < 4 && !(seen & (1 << id)));
                    seen |= 1 << id;
                }
        }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("knn");
    TCase *c = tcase_create("knn");
    tcase_set_timeout(c, 200);
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_add_test(c, search_agrees_with_a_scan);
    tcase_add_test(c, points_without_a_distance_are_the_farthest);
    tcase_add_loop_test(c, equal_cosines_go_by_id_whatever_the_lengths, 0, 6);
    tcase_add_test(c, cosines_ignore_lengths);
    tcase_add_test(c, points_can_be_kept_from_finding_themselves);
    tcase_add_test(c, zero_rows_have_cosine_distance_about_one);
    tcase_add_loop_test(c, rows_find_neighbours_among_some, 0, 2);
    tcase_add_test(c, graph_rows_hold_the_neighbours);
    suite_add_tcase(s, c);
    return s;
}
