// SPDX-License-Identifier: Apache-2.0
/* Convolution and pooling, against loops in double. */
#include <crucible/draft/ops-image.h>

#include "ops/gradients.h"

typedef cru_tensor *const *operands;

/* b, c, h, w; 0 outside the image */
static double pixel(const cru_tensor *x, const int64_t where[4])
{
    int64_t at_pixel = 0;
    for (int i = 0; i < 4; i++) {
        if (where[i] < 0 || where[i] >= x->dim[i]) return 0;
        at_pixel = at_pixel * x->dim[i] + where[i];
    }
    return (double)test_value(x, at_pixel);
}

static cru_tensor *images(op_bench *b, const int64_t dim[4])
{
    return op_values(b, 4, dim, -1, 1);
}

/* ---- convolution ----------------------------------------------------------------------------------------- */

typedef struct conv_case {
    int64_t image[4], weight[4];
    cru_conv_shape shape;
    bool bias;
} conv_case;

static const conv_case conv_cases[] = {
    {{2, 3, 5, 4}, {4, 3, 3, 3}, {.stride = 1, .pad = 1}, true},
    {{1, 2, 5, 5}, {3, 2, 3, 3}, {.stride = 2, .pad = 1}, false},
    {{2, 2, 6, 6}, {2, 2, 1, 1}, {.stride = 2}, false},
    {{1, 4, 4, 5}, {6, 2, 3, 3}, {.stride = 1, .pad = 1, .groups = 2}, true},
    {{1, 3, 4, 4}, {3, 1, 2, 2}, {.groups = 3}, true},
    {{1, 1, 4, 6}, {2, 1, 2, 3}, {.stride = 2, .pad = 1}, true},
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {0}, false},
};

static double ref_conv(const conv_case *c, operands x, const int64_t out[4])
{
    int64_t stride = c->shape.stride ? c->shape.stride : 1, groups = c->shape.groups ? c->shape.groups : 1;
    int64_t group = out[1] / (c->weight[0] / groups);
    double sum = c->bias ? (double)test_value(x[2], out[1]) : 0;
    for (int64_t i = 0; i < c->weight[1]; i++)
        for (int64_t r = 0; r < c->weight[2]; r++)
            for (int64_t s = 0; s < c->weight[3]; s++) {
                int64_t from[4] = {out[0], group * c->weight[1] + i, out[2] * stride - c->shape.pad + r,
                                   out[3] * stride - c->shape.pad + s};
                sum += pixel(x[0], from) * pixel(x[1], (const int64_t[]){out[1], i, r, s});
            }
    return sum;
}

static cru_tensor *conv(void *user, cru_tape *t, operands x)
{
    const conv_case *c = user;
    return cru_conv2d(t, x[0], x[1], c->bias ? x[2] : NULL, c->shape);
}

typedef struct place {
    int64_t at[4];
} place;

/* Where element i of an image tensor stands. */
static place place_of(const cru_tensor *y, int64_t i)
{
    place p;
    for (int k = 3; k >= 0; k--) {
        p.at[k] = i % y->dim[k];
        i /= y->dim[k];
    }
    return p;
}

START_TEST(convolution_with_strides_padding_and_groups)
{
    op_bench b = op_bench_open();
    conv_case c = conv_cases[_i];
    cru_tensor *x[] = {images(&b, c.image), images(&b, c.weight), op_values(&b, 1, &c.weight[0], -1, 1)};
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = conv(&c, b.tape, x);
    ck_assert_int_eq(y->dim[1], c.weight[0]);
    for (int64_t i = 0; i < cru_tensor_count(y); i++)
        ck_assert_double_eq_tol((double)test_value(y, i), ref_conv(&c, x, place_of(y, i).at), 1e-5);
    op_check(&b, conv, &c, x, c.bias ? 3 : 2);
    op_bench_close(&b);
}
END_TEST

/* ---- pooling --------------------------------------------------------------------------------------------- */

static const cru_pool_shape pool_cases[] = {
    {.kernel = 2}, {.kernel = 3, .stride = 2}, {.kernel = 3, .stride = 1, .pad = 1}, {.kernel = 1, .stride = 2}};

static cru_tensor *max_pool(void *user, cru_tape *t, operands x)
{
    return cru_max_pool2d(t, x[0], *(cru_pool_shape *)user);
}
static cru_tensor *avg_pool(void *user, cru_tape *t, operands x)
{
    return cru_avg_pool2d(t, x[0], *(cru_pool_shape *)user);
}

typedef struct window {
    double largest, mean; /* padding counts as 0 in the mean, as PyTorch's default, and never in the largest */
} window;

static window ref_window(const cru_tensor *x, cru_pool_shape s, const int64_t out[4])
{
    window w = {.largest = -INFINITY};
    int64_t stride = s.stride ? s.stride : s.kernel;
    for (int64_t r = 0; r < s.kernel; r++)
        for (int64_t c = 0; c < s.kernel; c++) {
            int64_t from[4] = {out[0], out[1], out[2] * stride - s.pad + r, out[3] * stride - s.pad + c};
            bool inside = from[2] >= 0 && from[2] < x->dim[2] && from[3] >= 0 && from[3] < x->dim[3];
            if (inside) w.largest = fmax(w.largest, pixel(x, from));
            w.mean += pixel(x, from) / (double)(s.kernel * s.kernel);
        }
    return w;
}

START_TEST(pooling_windows)
{
    op_bench b = op_bench_open();
    cru_pool_shape s = pool_cases[_i];
    cru_tensor *x = images(&b, (const int64_t[]){2, 2, 5, 6});
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *largest = max_pool(&s, b.tape, &x), *mean = avg_pool(&s, b.tape, &x);
    for (int64_t i = 0; i < cru_tensor_count(mean); i++) {
        window expected = ref_window(x, s, place_of(mean, i).at);
        ck_assert_double_eq_tol((double)test_value(largest, i), expected.largest, 1e-6);
        ck_assert_double_eq_tol((double)test_value(mean, i), expected.mean, 1e-6);
    }
    op_check(&b, max_pool, &s, &x, 1);
    op_check(&b, avg_pool, &s, &x, 1);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *global_pool(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_global_avg_pool(t, x[0]);
}

START_TEST(global_pooling_is_the_mean_of_each_plane)
{
    op_bench b = op_bench_open();
    cru_tensor *x = images(&b, (const int64_t[]){2, 3, 3, 5});
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = global_pool(NULL, b.tape, &x);
    for (int64_t plane = 0; plane < 6; plane++) {
        double sum = 0;
        for (int64_t i = 0; i < 15; i++) sum += (double)test_value(x, 15 * plane + i);
        ck_assert_double_eq_tol(op_at(y, plane / 3, plane % 3), sum / 15, 1e-6);
    }
    op_check(&b, global_pool, NULL, &x, 1);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("image operators");
    TCase *c = tcase_create("operators");
    tcase_add_loop_test(c, convolution_with_strides_padding_and_groups, 0,
                        (int)(sizeof conv_cases / sizeof *conv_cases));
    tcase_add_loop_test(c, pooling_windows, 0, (int)(sizeof pool_cases / sizeof *pool_cases));
    tcase_add_test(c, global_pooling_is_the_mean_of_each_plane);
    suite_add_tcase(s, c);
    return s;
}
