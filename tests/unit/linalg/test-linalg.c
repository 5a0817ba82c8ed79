// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/graph.h>
#include <crucible/draft/linalg.h>
#include <crucible/graph.h>
#include <crucible/linalg.h>
#include <crucible/pool.h>

static cru_arena *arena;

static void open_pool(void)
{
    arena = cru_arena_create();
}

static void close_pool(void)
{
    cru_arena_destroy(arena);
}

static double *zeros(int64_t count)
{
    return cru_arena_alloc_zeroed(arena, count, sizeof(double));
}

static double *random_matrix(int64_t rows, int64_t cols, uint64_t seed)
{
    double *a = zeros(rows * cols);
    cru_rng rng = cru_rng_stream(seed, "test", 0);
    for (int64_t i = 0; i < rows * cols; i++) a[i] = cru_rng_normal(&rng);
    return a;
}

/* a b for m x k and k x n. */
static double *product(const double *a, const double *b, int64_t m, int64_t k, int64_t n)
{
    double *c = zeros(m * n);
    for (int64_t i = 0; i < m; i++)
        for (int64_t l = 0; l < k; l++)
            for (int64_t j = 0; j < n; j++) c[i * n + j] += a[i * k + l] * b[l * n + j];
    return c;
}

static double *transposed(const double *a, int64_t rows, int64_t cols)
{
    double *t = zeros(rows * cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) t[j * rows + i] = a[i * cols + j];
    return t;
}

static void check_close(const double *a, const double *b, int64_t count, double tolerance)
{
    for (int64_t i = 0; i < count; i++) ck_assert_double_eq_tol(a[i], b[i], tolerance);
}

static double *identity(int64_t n)
{
    double *a = zeros(n * n);
    for (int64_t i = 0; i < n; i++) a[i * n + i] = 1;
    return a;
}

static const int64_t sizes[] = {0, 1, 2, 15, 16, 17, 96, 97, 150};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(inverse_times_matrix_is_identity)
{
    int64_t n = sizes[_i];
    double *a = random_matrix(n, n, 3), *inverse = random_matrix(n, n, 3);
    ck_assert_int_eq(cru_inverse(inverse, n, NULL), CRU_OK);
    check_close(product(a, inverse, n, n, n), identity(n), n * n, 1e-8);
}
END_TEST

START_TEST(lu_and_cholesky_solve_systems)
{
    int64_t n = sizes[_i];
    double *a = random_matrix(n, n, 4), *x = random_matrix(n, 3, 5), *lu = random_matrix(n, n, 4);
    int32_t pivot[150];
    double *b = product(a, x, n, n, 3);
    ck_assert_int_eq(cru_lu_factor(lu, pivot, n, NULL), CRU_OK);
    cru_lu_solve(lu, pivot, n, b, 3);
    check_close(b, x, 3 * n, 1e-8);

    double *spd = product(a, transposed(a, n, n), n, n, n), *l = zeros(n * n);
    for (int64_t i = 0; i < n; i++) spd[i * n + i] += 1;
    memcpy(l, spd, (size_t)(n * n) * sizeof *l);
    b = product(spd, x, n, n, 3);
    ck_assert_int_eq(cru_cholesky(l, n, NULL), CRU_OK);
    check_close(product(l, transposed(l, n, n), n, n, n), spd, n * n, 1e-9);
    cru_cholesky_solve(l, n, b, 3);
    check_close(b, x, 3 * n, 1e-8);
}
END_TEST

START_TEST(singular_and_indefinite_matrices_are_refused)
{
    double zero[4] = {1, 2, 2, 4}, indefinite[4] = {1, 2, 2, 1}, big[1] = {NAN};
    int32_t pivot[2];
    cru_error err = {0};
    ck_assert_int_eq(cru_lu_factor(zero, pivot, 2, &err), CRU_FAILED);
    ck_assert_ptr_nonnull(strstr(err.text, "singular"));
    ck_assert_int_eq(cru_cholesky(indefinite, 2, NULL), CRU_FAILED);
    ck_assert_int_eq(cru_inverse(big, 1, NULL), CRU_FAILED);
    ck_assert_int_eq(cru_eigen_symmetric(big, 1, zero, NULL), CRU_FAILED);
    ck_assert_int_eq(cru_matrix_exp(big, 1, zero, NULL), CRU_FAILED);
    double *rank_one = zeros(120 * 120);
    ck_assert_int_eq(cru_inverse(rank_one, 120, NULL), CRU_FAILED);
}
END_TEST

START_TEST(eigenpairs_rebuild_the_matrix)
{
    int64_t n = sizes[_i];
    double *r = random_matrix(n, n, 6), *a = zeros(n * n), *v = zeros(n * n), *w = zeros(n + 1);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) v[i * n + j] = a[i * n + j] = r[i * n + j] + r[j * n + i];
    ck_assert_int_eq(cru_eigen_symmetric(v, n, w, NULL), CRU_OK);
    double *vt = transposed(v, n, n), *scaled = zeros(n * n);
    check_close(product(v, vt, n, n, n), identity(n), n * n, 1e-9);
    for (int64_t i = 0; i < n; i++) {
        if (i) ck_assert_double_le(w[i - 1], w[i]);
        for (int64_t j = 0; j < n; j++) scaled[i * n + j] = w[i] * v[i * n + j];
    }
    check_close(product(vt, scaled, n, n, n), a, n * n, 1e-8);
}
END_TEST

START_TEST(svd_rebuilds_the_matrix)
{
    static const int64_t shapes[][2] = {{0, 3}, {1, 1}, {5, 3}, {3, 5}, {17, 16}, {40, 70}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        int64_t m = shapes[k][0], n = shapes[k][1], r = m < n ? m : n;
        double *a = random_matrix(m, n, 7);
        cru_svd f = {zeros(m * r), zeros(r + 1), zeros(r * n)};
        ck_assert_int_eq(cru_svd_dense(a, m, n, &f, NULL), CRU_OK);
        double *sv = zeros(r * n);
        for (int64_t i = 0; i < r; i++) {
            ck_assert_double_ge(f.s[i], f.s[i + 1] * (i + 1 < r));
            for (int64_t j = 0; j < n; j++) sv[i * n + j] = f.s[i] * f.vt[i * n + j];
        }
        check_close(product(f.u, sv, m, r, n), a, m * n, 1e-9);
        check_close(product(f.vt, transposed(f.vt, r, n), r, n, r), identity(r), r * r, 1e-9);
    }
}
END_TEST

/* Penrose's conditions on a matrix of rank 2. */
START_TEST(pseudo_inverse_satisfies_penrose)
{
    double *a = product(random_matrix(6, 2, 8), random_matrix(2, 4, 9), 6, 2, 4), *p = zeros(24);
    ck_assert_int_eq(cru_pseudo_inverse(a, (cru_shape){6, 4}, 1e-10, p, NULL), CRU_OK);
    double *ap = product(a, p, 6, 4, 6), *pa = product(p, a, 4, 6, 4);
    check_close(product(ap, a, 6, 6, 4), a, 24, 1e-9);
    check_close(product(pa, p, 4, 4, 6), p, 24, 1e-9);
    check_close(ap, transposed(ap, 6, 6), 36, 1e-9);
    check_close(pa, transposed(pa, 4, 4), 16, 1e-9);
}
END_TEST

START_TEST(pseudo_inverse_cuts_small_values_off)
{
    double a[4] = {2, 0, 0, 1e-3}, p[4];
    ck_assert_int_eq(cru_pseudo_inverse(a, (cru_shape){2, 2}, 1e-2, p, NULL), CRU_OK);
    check_close(p, (double[]){0.5, 0, 0, 0}, 4, 1e-12);
    ck_assert_int_eq(cru_pseudo_inverse(a, (cru_shape){2, 2}, 1e-6, p, NULL), CRU_OK);
    check_close(p, (double[]){0.5, 0, 0, 1000}, 4, 1e-8);
}
END_TEST

/* Rotations, a nilpotent matrix, and e^A e^-A = I at a norm that needs squaring. */
START_TEST(matrix_exponential)
{
    double t = 20, turn[4] = {0, -t, t, 0}, out[4];
    ck_assert_int_eq(cru_matrix_exp(turn, 2, out, NULL), CRU_OK);
    check_close(out, (double[]){cos(t), -sin(t), sin(t), cos(t)}, 4, 1e-12);
    double nilpotent[9] = {0, 2, 3, 0, 0, 4, 0, 0, 0}, series[9];
    ck_assert_int_eq(cru_matrix_exp(nilpotent, 3, series, NULL), CRU_OK);
    check_close(series, (double[]){1, 2, 7, 0, 1, 4, 0, 0, 1}, 9, 1e-13);
    double *a = random_matrix(20, 20, 10), *minus = zeros(400), *up = zeros(400), *down = zeros(400);
    for (int i = 0; i < 400; i++) minus[i] = -a[i];
    ck_assert_int_eq(cru_matrix_exp(a, 20, up, NULL), CRU_OK);
    ck_assert_int_eq(cru_matrix_exp(minus, 20, down, NULL), CRU_OK);
    check_close(product(up, down, 20, 20, 20), identity(20), 400, 1e-9);
}
END_TEST

/* Rows x cols of rank 4 plus small noise, dense and sparse. */
START_TEST(truncated_svd_finds_the_leading_factors)
{
    int64_t m = 150, n = 60, k = 3;
    double *left = random_matrix(m, 4, 11), *right = random_matrix(4, n, 12), *exact = zeros(n);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < 4; j++) left[i * 4 + j] *= (double)(10 - 2 * j);
    double *a = product(left, right, m, 4, n);
    float *values = cru_arena_alloc(arena, m * n, sizeof *values);
    for (int64_t i = 0; i < m * n; i++) values[i] = (float)a[i];
    cru_svd f = {.s = exact};
    ck_assert_int_eq(cru_svd_dense(a, m, n, &f, NULL), CRU_OK);
    cru_features forms[2] = {{.rows = m, .cols = n, .dense = values},
                             {.rows = m, .cols = n, .sparse = cru_csr_from_dense(cru_arena_pool(arena), values, m, n)}};
    for (int form = 0; form < 2; form++) {
        float u[150 * 3], s[3], v[60 * 3];
        cru_rng rng = cru_rng_stream(1, "test", 0);
        cru_factors out = {u, s, v};
        ck_assert_int_eq(cru_svd_truncated(&forms[form], &(cru_svd_options){.k = k}, &rng, &out, NULL), CRU_OK);
        for (int64_t c = 0; c < k; c++) {
            ck_assert_double_eq_tol(s[c] / exact[c], 1, 1e-5);
            for (int64_t i = 0; i < m; i++) { /* A v = s u */
                double sum = 0;
                for (int64_t j = 0; j < n; j++) sum += a[i * n + j] * v[j * k + c];
                ck_assert_double_eq_tol(sum / exact[0], s[c] / exact[0] * u[i * k + c], 1e-5);
            }
        }
    }
}
END_TEST

/* A path of n nodes has the eigenvalues 2 cos(pi j / (n + 1)). */
START_TEST(sparse_eigenpairs_of_a_path)
{
    static const int64_t lengths[] = {5, 500};
    for (int c = 0; c < 2; c++) {
        int64_t n = lengths[c];
        int32_t *row = cru_arena_alloc(arena, n, sizeof *row), *col = cru_arena_alloc(arena, n, sizeof *col);
        for (int32_t v = 0; v + 1 < n; v++) row[v] = v, col[v] = v + 1;
        cru_csr g = cru_csr_from_coo(cru_arena_pool(arena), &(cru_coo){n, n, n - 1, row, col, NULL}, CRU_DUP_SUM);
        g = cru_graph_symmetrise(cru_arena_pool(arena), &g, CRU_SYM_OR);
        double values[3], *vectors = zeros(3 * n);
        cru_rng rng = cru_rng_stream(2, "test", 0);
        for (int end = 0; end < 2; end++) {
            cru_eigen_options o = {.k = 3, .end = end ? CRU_SMALLEST : CRU_LARGEST, .tolerance = 1e-7};
            ck_assert_int_eq(cru_eigen_sparse(&g, &o, &rng, &(cru_eigenpairs){values, vectors}, NULL), CRU_OK);
            for (int64_t j = 0; j < 3; j++) {
                double expected = 2 * cos(M_PI * (double)(j + 1) / (double)(n + 1));
                ck_assert_double_eq_tol(values[j], end ? -expected : expected, 1e-8);
                for (int64_t v = 1; v + 1 < n; v++)
                    ck_assert_double_eq_tol(vectors[(v - 1) * 3 + j] + vectors[(v + 1) * 3 + j],
                                            values[j] * vectors[v * 3 + j], 1e-5);
            }
        }
    }
}
END_TEST

/* Five equal rings: the Laplacian has the eigenvalue 0 five times. */
START_TEST(multiple_eigenvalues_are_all_found)
{
    enum { RING = 100, N = 5 * RING };
    int32_t row[N], col[N];
    for (int32_t v = 0; v < N; v++) row[v] = v, col[v] = v / RING * RING + (v + 1) % RING;
    cru_csr g = cru_csr_from_coo(cru_arena_pool(arena), &(cru_coo){N, N, N, row, col, NULL}, CRU_DUP_SUM);
    g = cru_graph_symmetrise(cru_arena_pool(arena), &g, CRU_SYM_OR);
    cru_csr laplacian = cru_graph_laplacian(cru_arena_pool(arena), &g, CRU_LAPLACIAN_PLAIN);
    double values[6];
    cru_rng rng = cru_rng_stream(3, "test", 0);
    cru_eigen_options o = {.k = 6, .end = CRU_SMALLEST};
    ck_assert_int_eq(cru_eigen_sparse(&laplacian, &o, &rng, &(cru_eigenpairs){.values = values}, NULL), CRU_OK);
    for (int j = 0; j < 5; j++) ck_assert_double_eq_tol(values[j], 0, 1e-7);
    ck_assert_double_eq_tol(values[5], 2 - 2 * cos(2 * M_PI / RING), 1e-7);
}
END_TEST

/* Rows (1 0 2 0), (0 3 4 5), (0 0 0 0). */
START_TEST(rows_of_features_multiply_dense_and_sparse)
{
    static const float rows[] = {1, 0, 2, 0, 0, 3, 4, 5, 0, 0, 0, 0};
    static const double expected[3][3] = {{5, 8, 0}, {8, 50, 0}, {0, 0, 0}};
    cru_data *data = cru_data_create();
    const cru_features dense = {.rows = 3, .cols = 4, .dense = rows};
    cru_features sparse = {.rows = 3, .cols = 4, .sparse = cru_csr_from_dense(cru_data_pool(data), rows, 3, 4)};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            ck_assert_double_eq(cru_features_dot(&dense, i, j), expected[i][j]);
            ck_assert_double_eq(cru_features_dot(&sparse, i, j), expected[i][j]);
        }
    sparse.sparse.values = NULL; /* every stored entry is 1 */
    ck_assert_double_eq(cru_features_dot(&sparse, 0, 1), 1);
    cru_data_destroy(data);
}
END_TEST

START_TEST(rows_of_features_become_dense)
{
    static const float rows[] = {1, 0, 2, 0, 0, 3, 4, 5, 0, 0, 0, 0};
    static const int32_t ids[] = {2, 1, 1};
    const cru_ids items = {ids, 3};
    const cru_features dense = {.rows = 3, .cols = 4, .dense = rows};
    const cru_pool pool = cru_arena_pool(arena);
    cru_features sparse = {.rows = 3, .cols = 4, .sparse = cru_csr_from_dense(pool, rows, 3, 4)};
    ck_assert_ptr_eq(cru_features_rows(pool, &dense, NULL).values, rows);
    const cru_dense all = cru_features_rows(pool, &sparse, NULL);
    for (int i = 0; i < 12; i++) ck_assert_float_eq(all.values[i], rows[i]);
    const cru_dense a = cru_features_rows(pool, &dense, &items), b = cru_features_rows(pool, &sparse, &items);
    ck_assert_int_eq(a.rows, 3);
    for (int i = 0; i < 12; i++) {
        ck_assert_float_eq(a.values[i], rows[4 * ids[i / 4] + i % 4]);
        ck_assert_float_eq(b.values[i], a.values[i]);
    }
    sparse.sparse.values = NULL; /* every stored entry is 1 */
    const cru_dense marks = cru_features_rows(pool, &sparse, &items);
    for (int i = 0; i < 12; i++) ck_assert_float_eq(marks.values[i], a.values[i] != 0);
}
END_TEST

START_TEST(rest_of_a_part_ascends)
{
    static const int32_t part[] = {4, 0, 2};
    const cru_ids rest = cru_ids_rest(cru_arena_pool(arena), (cru_ids){part, 3}, 6);
    static const int32_t expected[] = {1, 3, 5};
    ck_assert_int_eq(rest.count, 3);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(rest.ids[i], expected[i]);
    ck_assert_int_eq(cru_ids_rest(cru_arena_pool(arena), (cru_ids){0}, 6).count, 6);
    ck_assert_int_eq(cru_ids_rest(cru_arena_pool(arena), (cru_ids){0}, 0).count, 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("linalg");
    TCase *c = tcase_create("linalg");
    tcase_add_test(c, rows_of_features_multiply_dense_and_sparse);
    tcase_add_test(c, rows_of_features_become_dense);
    tcase_add_test(c, rest_of_a_part_ascends);
    tcase_add_checked_fixture(c, open_pool, close_pool);
    tcase_set_timeout(c, 200);
    tcase_add_loop_test(c, inverse_times_matrix_is_identity, 0, SIZES);
    tcase_add_loop_test(c, lu_and_cholesky_solve_systems, 0, SIZES);
    tcase_add_test(c, singular_and_indefinite_matrices_are_refused);
    tcase_add_loop_test(c, eigenpairs_rebuild_the_matrix, 0, SIZES);
    tcase_add_test(c, svd_rebuilds_the_matrix);
    tcase_add_test(c, pseudo_inverse_satisfies_penrose);
    tcase_add_test(c, pseudo_inverse_cuts_small_values_off);
    tcase_add_test(c, matrix_exponential);
    tcase_add_test(c, truncated_svd_finds_the_leading_factors);
    tcase_add_test(c, sparse_eigenpairs_of_a_path);
    tcase_add_test(c, multiple_eigenvalues_are_all_found);
    suite_add_tcase(s, c);
    return s;
}
