// SPDX-License-Identifier: Apache-2.0
/* Bias, activation and dropout in one go: on their own, after a product of matrices, after a sum over neighbours. */
#include <crucible/draft/random.h>

#include "kernels.h"

static const struct {
    cru_unary act;
    float a;
} acts[] = {{CRU_UNARY_COPY, 0}, {CRU_UNARY_RELU, 0}, {CRU_UNARY_LEAKY, 0.2f}, {CRU_UNARY_ELU, 0.7f},
            {CRU_UNARY_SELU, 0}, {CRU_UNARY_TANH, 0}, {CRU_UNARY_SIGMOID, 0}};

static double act_at(const cru_finish *f, double x)
{
    const double scale = 1.0507009873554805, alpha = 1.6732632423543772;
    switch (f->act) {
    case CRU_UNARY_RELU:
        return x > 0 ? x : 0;
    case CRU_UNARY_LEAKY:
        return x > 0 ? x : (double)f->a * x;
    case CRU_UNARY_ELU:
        return x > 0 ? x : (double)f->a * expm1(x);
    case CRU_UNARY_SELU:
        return scale * (x > 0 ? x : alpha * expm1(x));
    case CRU_UNARY_TANH:
        return tanh(x);
    case CRU_UNARY_SIGMOID:
        return 1 / (1 + exp(-x));
    default:
        return x;
    }
}

static double slope_at(const cru_finish *f, double x)
{
    const double step = 1e-6;
    return (act_at(f, x + step) - act_at(f, x - step)) / (2 * step);
}

/* 0, or 1 / (1 - p) when number i of the stream keeps element i. */
static double keep_at(const cru_finish *f, int64_t i)
{
    const uint64_t block = (uint64_t)i / 4;
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), f->stream, 0};
    uint32_t words[4];
    cru_philox(f->key, counter, words);
    return (double)(words[i % 4] >> 8) / (1 << 24) >= (double)f->p ? 1 / (1 - (double)f->p) : 0;
}

static double finished(const cru_finish *f, int64_t cols, int64_t i, double x)
{
    return keep_at(f, i) * act_at(f, x + (f->bias ? (double)f->bias[i % cols] : 0));
}

static cru_finish finish_of(int64_t which, const float *bias, float p)
{
    return (cru_finish){bias, acts[which].act, acts[which].a, p, {77, 0xfeedface}, 5};
}

static void call_finish(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_finish_args f = *(const cru_finish_args *)args;
    f.y = out;
    b->finish(device, &f);
}

static const struct {
    int64_t rows, cols;
} shapes[] = {{0, 5}, {1, 1}, {3, 7}, {33, 17}, {1, 9000}, {700, 40}, {6001, 64}};

static void check_finish(int64_t which, int64_t shape, float p)
{
    const int64_t rows = shapes[shape].rows, cols = shapes[shape].cols, n = rows * cols, first = rows / 3;
    float *start = random_floats(n, -2, 2), *bias = random_floats(cols, -1, 1);
    double *want = doubles(n);
    for (int with = 0; with < 2; with++) {
        const cru_finish f = finish_of(which, with ? bias : NULL, p);
        /* rows before `first` stay as they are */
        for (int64_t i = 0; i < n; i++)
            want[i] = i < first * cols ? (double)start[i] : finished(&f, cols, i, (double)start[i]);
        cru_finish_args args = {&f, first, rows - first, cols, NULL};
        check_kernel(&(kernel_check){"finish", call_finish, &args, n, start, want, 2e-6});
    }
    free(start), free(bias), free(want);
}

START_TEST(a_finish_is_bias_then_activation_then_dropout)
{
    for (int64_t shape = 0; shape < COUNT(shapes); shape++) {
        check_finish(_i, shape, 0);
        check_finish(_i, shape, 0.4f);
    }
}
END_TEST

/* The output: dy, then dbias. */
static void call_finish_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_finish_grad_args g = *(const cru_finish_grad_args *)args;
    g.dy = out;
    g.dbias = out + g.rows * g.cols;
    b->finish_grad(device, &g);
}

static void check_finish_grad(int64_t which, int64_t shape, float p)
{
    const int64_t rows = shapes[shape].rows, cols = shapes[shape].cols, n = rows * cols;
    const cru_finish f = finish_of(which, NULL, p);
    float *x = random_floats(n, -2, 2), *y = floats(n), *start = random_floats(n + cols, -1, 1);
    double *want = doubles(n + cols);
    for (int64_t i = 0; i < n; i++) {
        y[i] = (float)finished(&f, cols, i, (double)x[i]);
        want[i] = (double)start[i] * keep_at(&f, i) * slope_at(&f, (double)x[i]);
        want[n + i % cols] += want[i];
    }
    cru_finish_grad_args args = {.finish = &f, .rows = rows, .cols = cols, .y = y};
    check_kernel(&(kernel_check){"finish, gradient", call_finish_grad, &args, n + cols, start, want, 2e-5});
    args.accumulate = true;
    for (int64_t j = 0; j < cols; j++) want[n + j] += (double)start[n + j];
    check_kernel(&(kernel_check){"finish, gradient added", call_finish_grad, &args, n + cols, start, want, 2e-5});
    free(x), free(y), free(start), free(want);
}

START_TEST(its_gradient_follows_from_the_result)
{
    for (int64_t shape = 0; shape < COUNT(shapes); shape++) {
        check_finish_grad(_i, shape, 0);
        check_finish_grad(_i, shape, 0.4f);
    }
}
END_TEST

static void call_gemm(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_gemm_args g = *(const cru_gemm_args *)args;
    g.c = out;
    b->gemm(device, &g);
}

/* Shapes cut along rows, along columns, along the sum, and not at all. */
START_TEST(products_are_finished)
{
    static const int64_t sizes[][3] = {{5, 3, 4}, {7, 4, 0}, {1300, 9, 20}, {100, 700, 9}, {20, 8, 5000}};
    const int64_t m = sizes[_i][0], n = sizes[_i][1], k = sizes[_i][2];
    float *a = random_floats(m * k, -1, 1), *x = random_floats(k * n, -1, 1), *bias = random_floats(n, -1, 1);
    double *want = doubles(m * n);
    const cru_finish f = finish_of(1, bias, 0.3f);
    for (int64_t i = 0; i < m * n; i++) {
        double sum = 0;
        for (int64_t p = 0; p < k; p++) sum += (double)a[i / n * k + p] * (double)x[p * n + i % n];
        want[i] = finished(&f, n, i, sum);
    }
    cru_gemm_args g = {.m = m, .n = n, .k = k, .alpha = 1, .a = a, .b = x, .lda = k, .ldb = n, .ldc = n, .finish = &f};
    check_kernel(&(kernel_check){"gemm, finished", call_gemm, &g, m * n, NULL, want, 1e-4});
    free(a), free(x), free(bias), free(want);
}
END_TEST

typedef struct gemm_back_args {
    cru_gemm_args product;
    cru_finish_grad_args back;
} gemm_back_args;

/* The output: the product led back through a finish, then dbias. */
static void call_gemm_back(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    gemm_back_args g = *(const gemm_back_args *)args;
    g.product.c = g.back.dy = out;
    if (g.back.dbias) g.back.dbias = out + g.back.rows * g.back.cols;
    if (b->gemm_back) {
        b->gemm_back(device, &g.product, &g.back);
    } else { /* a device without it takes two steps */
        b->gemm(device, &g.product);
        b->finish_grad(device, &g.back);
    }
}

static void check_gemm_back(int64_t which, const int64_t *size, bool bias)
{
    const int64_t m = size[0], n = size[1], k = size[2];
    float *a = random_floats(m * k, -1, 1), *x = random_floats(k * n, -1, 1), *y = floats(m * n), here;
    float *before = random_floats(m * n, -2, 2);
    double *want = doubles((m + 1) * n);
    const cru_finish f = finish_of(which, NULL, 0.3f);
    for (int64_t i = 0; i < m * n; i++) {
        y[i] = (float)finished(&f, n, i, (double)before[i]);
        for (int64_t p = 0; p < k; p++) want[i] += (double)a[i / n * k + p] * (double)x[p * n + i % n];
        want[i] *= keep_at(&f, i) * slope_at(&f, (double)before[i]);
        want[m * n + i % n] += want[i];
    }
    const gemm_back_args g = {
        .product = {.m = m, .n = n, .k = k, .alpha = 1, .a = a, .b = x, .lda = k, .ldb = n, .ldc = n},
        .back = {.finish = &f, .rows = m, .cols = n, .y = y, .dbias = bias ? &here : NULL}};
    check_kernel(&(kernel_check){"gemm, led back", call_gemm_back, &g, (bias ? m + 1 : m) * n, NULL, want, 2e-4});
    free(a), free(x), free(y), free(before), free(want);
}

START_TEST(products_are_led_back_through_a_finish)
{
    static const int64_t sizes[][3] = {{5, 3, 4},     {7, 4, 0},     {1300, 40, 20},
                                       {1301, 9, 20}, {100, 700, 9}, {2, 8, 5000}};
    enum { NO_ACTIVATION, BY_SIGN, BY_VALUE = 3 };
    check_gemm_back(NO_ACTIVATION, sizes[_i], true);
    check_gemm_back(BY_SIGN, sizes[_i], false);
    check_gemm_back(BY_SIGN, sizes[_i], true);
    check_gemm_back(BY_VALUE, sizes[_i], true);
}
END_TEST

static void call_spmm(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_spmm_args s = *(const cru_spmm_args *)args;
    s.y = out;
    b->spmm(device, &s);
}

START_TEST(sums_over_neighbours_are_finished)
{
    static const int64_t widths[] = {1, 7, 16, 40, 64, 130};
    const int64_t nodes = 3000, cols = widths[_i];
    cru_csr a = random_csr(nodes, nodes, 600);
    float *x = random_floats(nodes * cols, -1, 1), *bias = random_floats(cols, -1, 1);
    double *want = doubles(nodes * cols);
    const cru_finish f = finish_of(3, bias, 0.5f);
    for (int64_t v = 0; v < nodes; v++)
        for (int64_t j = 0; j < cols; j++) {
            double sum = 0;
            for (int64_t e = a.offsets[v]; e < a.offsets[v + 1]; e++)
                sum += (double)a.values[e] * (double)x[a.ids[e] * cols + j];
            want[v * cols + j] = finished(&f, cols, v * cols + j, sum);
        }
    cru_spmm_args s = {.a = a, .op = CRU_REDUCE_SUM, .heads = 1, .cols = cols, .x = x, .finish = &f};
    check_kernel(&(kernel_check){"spmm, finished", call_spmm, &s, nodes * cols, NULL, want, 2e-5});
    free(x), free(bias), free(want);
    free_csr(&a);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("kernels-finish");
    TCase *c = tcase_create("finish");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, a_finish_is_bias_then_activation_then_dropout, 0, (int)COUNT(acts));
    tcase_add_loop_test(c, its_gradient_follows_from_the_result, 0, (int)COUNT(acts));
    tcase_add_loop_test(c, products_are_finished, 0, 5);
    tcase_add_loop_test(c, products_are_led_back_through_a_finish, 0, 6);
    tcase_add_loop_test(c, sums_over_neighbours_are_finished, 0, 6);
    suite_add_tcase(s, c);
    return s;
}
