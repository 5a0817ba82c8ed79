// SPDX-License-Identifier: Apache-2.0
/* Softplus of all inner products: against a double loop, and gradients against differences. */
#include <math.h>

#include <crucible/draft/softplus-products.h>

#include "ops/gradients.h"

static double product_of(const float *rows, int64_t i, int64_t j, int64_t cols)
{
    double sum = 0;
    for (int64_t k = 0; k < cols; k++) sum += (double)rows[i * cols + k] * (double)rows[j * cols + k];
    return sum;
}

static cru_tensor *softplus_products(void *user, cru_tape *t, cru_tensor *const *x)
{
    return cru_scale(t, cru_softplus_products(t, x[0], user), 0.3);
}

/* The second size needs several blocks of rows, the last one smaller. */
START_TEST(softplus_of_all_products)
{
    static const int64_t sizes[] = {7, 601, 1};
    const int64_t n = sizes[_i % 3];
    const bool weighed = _i >= 3;
    op_bench b = op_bench_open();
    cru_tensor *x[] = {op_matrix(&b, n, 3, -2, 2)}, *v = op_matrix(&b, n, 2, -1, 1);
    const float *rows = test_values(x[0]), *doubts = test_values(v);
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            sum += log1p(exp(product_of(rows, i, j, 3))) * (weighed ? 1 / (1 + exp(product_of(doubts, i, j, 2))) : 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    const double found = (double)cru_tensor_item(b.tape, softplus_products(weighed ? v : NULL, b.tape, x));
    ck_assert_double_eq_tol(found, 0.3 * sum, 1e-5 * sum);
    if (n < 10) op_check(&b, softplus_products, weighed ? v : NULL, x, 1);
    op_bench_close(&b);
}
END_TEST

/* Two tiles a side: the one right of the diagonal serves rows of both. */
START_TEST(gradients_of_several_tiles)
{
    enum { N = 601 };
    const bool weighed = _i == 1;
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, N, 3, -2, 2), *v = op_matrix(&b, N, 2, -1, 1);
    const float *rows = test_values(x), *doubts = test_values(v);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_backward(b.tape, softplus_products(weighed ? v : NULL, b.tape, &x));
    const float *found = test_values(cru_grad_of(b.tape, x));
    for (int64_t i = 0; i < N; i++) {
        double dx[3] = {0};
        for (int64_t j = 0; j < N; j++) {
            const double w = weighed ? 1 / (1 + exp(product_of(doubts, i, j, 2))) : 1;
            const double slope = 2 * 0.3 * w / (1 + exp(-product_of(rows, i, j, 3)));
            for (int k = 0; k < 3; k++) dx[k] += slope * (double)rows[j * 3 + k];
        }
        for (int k = 0; k < 3; k++) ck_assert_double_eq_tol((double)found[i * 3 + k], dx[k], 1e-3);
    }
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("softplus products");
    TCase *c = tcase_create("products");
    tcase_add_loop_test(c, softplus_of_all_products, 0, 6);
    tcase_add_loop_test(c, gradients_of_several_tiles, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
