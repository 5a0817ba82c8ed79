// SPDX-License-Identifier: Apache-2.0
#include "kernels.h"

static void call_gemm(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_gemm_args g = *(const cru_gemm_args *)args;
    g.c = out;
    b->gemm(device, &g);
}

static double entry(const float *x, bool transposed, int64_t ld, int64_t row, int64_t col)
{
    return (double)(transposed ? x[col * ld + row] : x[row * ld + col]);
}

static void gemm_oracle(const cru_gemm_args *g, const float *before, double *want)
{
    for (int64_t batch = 0; batch < (g->batch ? g->batch : 1); batch++)
        for (int64_t i = 0; i < g->m; i++)
            for (int64_t j = 0; j < g->n; j++) {
                const int64_t to = batch * g->stride_c + i * g->ldc + j;
                double sum = 0;
                for (int64_t k = 0; k < g->k; k++)
                    sum += entry(g->a + batch * g->stride_a, g->ta, g->lda, i, k) *
                           entry(g->b + batch * g->stride_b, g->tb, g->ldb, k, j);
                want[to] = (double)g->alpha * sum + (g->beta != 0 ? (double)g->beta * (double)before[to] : 0);
            }
}

typedef struct shape {
    int64_t m, n, k, batch;
} shape;

/* `extra` columns between the rows of each matrix, which must be left alone. */
static void check_gemm(shape s, int transposes, float beta, int64_t extra)
{
    const bool ta = transposes & 1, tb = transposes & 2;
    const int64_t batches = s.batch ? s.batch : 1;
    cru_gemm_args g = {.ta = ta, .tb = tb, .m = s.m, .n = s.n, .k = s.k, .alpha = 0.5f, .beta = beta, .batch = s.batch};
    g.lda = (ta ? s.m : s.k) + extra;
    g.ldb = (tb ? s.k : s.n) + extra;
    g.ldc = s.n + extra;
    g.stride_a = g.lda * (ta ? s.k : s.m);
    g.stride_b = extra ? 0 : g.ldb * (tb ? s.n : s.k); /* with a gap also repeat b */
    g.stride_c = g.ldc * s.m;
    float *a = random_floats(batches * g.stride_a, -1, 1),
          *b = random_floats(batches * g.ldb * (tb ? s.n : s.k), -1, 1);
    float *before = random_floats(batches * g.stride_c, -1, 1);
    double *want = doubles(batches * g.stride_c);
    for (int64_t i = 0; i < batches * g.stride_c; i++) want[i] = (double)before[i];
    g.a = a;
    g.b = b;
    gemm_oracle(&g, before, want);
    const double tolerance = 2e-6 * (4 + sqrt((double)s.k));
    check_kernel(&(kernel_check){"gemm", call_gemm, &g, batches * g.stride_c, before, want, tolerance});
    free(a), free(b), free(before), free(want);
}

START_TEST(products_match_the_naive_sum)
{
    static const int64_t sides[] = {0, 1, 7, 16, 17, 33, 100};
    for (int64_t i = 0; i < COUNT(sides); i++)
        for (int64_t j = 0; j < COUNT(sides); j++)
            for (int64_t k = 0; k < COUNT(sides); k++) {
                const shape s = {sides[i], sides[j], sides[k], 0};
                check_gemm(s, _i, 0, 0);
                check_gemm(s, _i, 1.5f, 3);
            }
}
END_TEST

START_TEST(large_and_skinny_products_match_the_naive_sum)
{
    static const shape shapes[] = {{2708, 16, 7, 0},  {2708, 7, 16, 0},  {16, 7, 2708, 0}, {128, 64, 9001, 0},
                                   {5, 700, 40, 0},   {1100, 33, 65, 0}, {1, 1, 20000, 0}, {16, 1, 5000, 0},
                                   {3, 5, 7, 4},      {40, 20, 5000, 2}, {64, 64, 64, 9},  {300, 200, 61, 0},
                                   {91, 150, 700, 0}, {23, 65, 257, 0}};
    for (int64_t i = 0; i < COUNT(shapes); i++) {
        check_gemm(shapes[i], _i, 0, 0);
        check_gemm(shapes[i], _i, 1, 1);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("gemm kernel");
    TCase *c = tcase_create("gemm");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, products_match_the_naive_sum, 0, 4);
    tcase_add_loop_test(c, large_and_skinny_products_match_the_naive_sum, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
