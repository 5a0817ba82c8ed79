// SPDX-License-Identifier: Apache-2.0
/* Layers of one operator and their weights, each against its formula; and the adjacency matrices that layers take. */
#include <crucible/draft/nn.h>

#include "ops/gradients.h"

static op_bench open_train(cru_net **net)
{
    op_bench b = op_bench_open();
    *net = cru_net_create(b.ctx, "layers");
    cru_tape_begin(b.tape, CRU_TRAIN);
    return b;
}

static void assert_all(const cru_tensor *x, float value)
{
    for (int64_t i = 0; i < cru_tensor_count(x); i++) ck_assert_float_eq(test_value(x, i), value);
}

/* Gain and shift that a default would not show. */
static void make_uneven(cru_tensor *gain, cru_tensor *shift)
{
    for (int64_t k = 0; k < cru_tensor_count(gain); k++) {
        test_put(gain, k, 0.5f + (float)k);
        test_put(shift, k, 0.25f * (float)k - 1);
    }
}

typedef struct moments {
    double mean, var; /* biased */
} moments;

/* Of `count` values, `step` apart. */
static moments moments_of(const float *x, int64_t count, int64_t step)
{
    moments m = {0};
    for (int64_t i = 0; i < count; i++) m.mean += (double)x[i * step] / (double)count;
    for (int64_t i = 0; i < count; i++) m.var += pow((double)x[i * step] - m.mean, 2) / (double)count;
    return m;
}

START_TEST(a_batch_norm_layer_starts_neutral_and_normalises_columns)
{
    enum { ROWS = 6, COLS = 3 };
    cru_net *net;
    op_bench b = open_train(&net);
    cru_batch_norm_layer layer = cru_batch_norm_create(net, "bn", COLS);
    assert_all(layer.gain, 1);
    assert_all(layer.shift, 0);
    assert_all(layer.state.mean, 0);
    assert_all(layer.state.var, 1);
    make_uneven(layer.gain, layer.shift);
    cru_tensor *x = op_matrix(&b, ROWS, COLS, -2, 3), *y = cru_batch_norm_apply(b.tape, &layer, x);
    moments m[COLS];
    for (int64_t k = 0; k < COLS; k++) {
        m[k] = moments_of(test_values(x) + k, ROWS, COLS);
        const double gain = (double)test_value(layer.gain, k), shift = (double)test_value(layer.shift, k);
        for (int64_t i = 0; i < ROWS; i++)
            ck_assert_double_eq_tol(op_at(y, i, k), gain * (op_at(x, i, k) - m[k].mean) / sqrt(m[k].var + 1e-5) + shift,
                                    1e-5);
        /* torch: running = 0.9 running + 0.1 batch, the variance over n - 1 */
        ck_assert_double_eq_tol((double)test_value(layer.state.mean, k), 0.1 * m[k].mean, 1e-6);
        ck_assert_double_eq_tol((double)test_value(layer.state.var, k), 0.9 + 0.1 * m[k].var * ROWS / (ROWS - 1), 1e-6);
    }
    cru_tape_begin(b.tape, CRU_EVAL);
    y = cru_batch_norm_apply(b.tape, &layer, x);
    for (int64_t k = 0; k < COLS; k++) {
        const double mean = (double)test_value(layer.state.mean, k), var = (double)test_value(layer.state.var, k);
        for (int64_t i = 0; i < ROWS; i++)
            ck_assert_double_eq_tol(op_at(y, i, k),
                                    (double)test_value(layer.gain, k) * (op_at(x, i, k) - mean) / sqrt(var + 1e-5) +
                                        (double)test_value(layer.shift, k),
                                    1e-5);
    }
    op_bench_close(&b);
}
END_TEST

static cru_tensor *apply_batch_norm(void *user, cru_tape *t, cru_tensor *const *x)
{
    cru_batch_norm_layer layer = *(const cru_batch_norm_layer *)user;
    layer.gain = x[1];
    layer.shift = x[2];
    return cru_batch_norm_apply(t, &layer, x[0]);
}

static cru_tensor *apply_layer_norm(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    const cru_layer_norm_layer layer = {x[1], x[2]};
    return cru_layer_norm_apply(t, &layer, x[0]);
}

static cru_tensor *apply_conv(void *user, cru_tape *t, cru_tensor *const *x)
{
    cru_conv_layer layer = *(const cru_conv_layer *)user;
    layer.w = x[1];
    return cru_conv_apply(t, &layer, x[0]);
}

START_TEST(norm_layers_have_the_gradients_of_their_formulas)
{
    cru_net *net;
    op_bench b = open_train(&net);
    cru_batch_norm_layer layer = cru_batch_norm_create(net, "bn", 4);
    const int64_t cols = 4;
    cru_tensor *in[] = {op_matrix(&b, 5, 4, -1, 1), op_values(&b, 1, &cols, 0.5, 1.5), op_values(&b, 1, &cols, -1, 1)};
    op_check(&b, apply_batch_norm, &layer, in, 3);
    op_check(&b, apply_layer_norm, NULL, in, 3);
    op_bench_close(&b);
}
END_TEST

START_TEST(a_layer_norm_layer_starts_neutral_and_normalises_rows)
{
    enum { ROWS = 4, COLS = 7 };
    cru_net *net;
    op_bench b = open_train(&net);
    cru_layer_norm_layer layer = cru_layer_norm_create(net, "ln", COLS);
    assert_all(layer.gain, 1);
    assert_all(layer.shift, 0);
    make_uneven(layer.gain, layer.shift);
    cru_tensor *x = op_matrix(&b, ROWS, COLS, -2, 3), *y = cru_layer_norm_apply(b.tape, &layer, x);
    for (int64_t i = 0; i < ROWS; i++) {
        const moments m = moments_of(test_values(x) + i * COLS, COLS, 1);
        for (int64_t k = 0; k < COLS; k++)
            ck_assert_double_eq_tol(op_at(y, i, k),
                                    (double)test_value(layer.gain, k) * (op_at(x, i, k) - m.mean) / sqrt(m.var + 1e-5) +
                                        (double)test_value(layer.shift, k),
                                    2e-5);
    }
    op_bench_close(&b);
}
END_TEST

/* ---- convolution ------------------------------------------------------------------------------------------- */

/* One output of a convolution padded by kernel / 2. */
static double conv_at(const cru_tensor *x, const cru_tensor *w, const int64_t at[4], int64_t stride)
{
    double sum = 0;
    const int64_t pad = w->dim[2] / 2, height = x->dim[2], width = x->dim[3];
    for (int64_t c = 0; c < x->dim[1]; c++)
        for (int64_t p = 0; p < w->dim[2]; p++)
            for (int64_t q = 0; q < w->dim[3]; q++) {
                const int64_t i = at[2] * stride + p - pad, j = at[3] * stride + q - pad;
                if (i < 0 || j < 0 || i >= height || j >= width) continue;
                sum += (double)test_value(x, ((at[0] * x->dim[1] + c) * height + i) * width + j) *
                       (double)test_value(w, ((at[1] * x->dim[1] + c) * w->dim[2] + p) * w->dim[3] + q);
            }
    return sum;
}

START_TEST(a_conv_layer_pads_by_half_its_kernel)
{
    static const cru_conv_size sizes[] = {{.in = 2, .out = 3, .kernel = 3},
                                          {.in = 2, .out = 3, .kernel = 3, .stride = 2},
                                          {.in = 3, .out = 2, .kernel = 1}};
    const cru_conv_size size = sizes[_i];
    const int64_t stride = size.stride ? size.stride : 1;
    cru_net *net;
    op_bench b = open_train(&net);
    cru_conv_layer layer = cru_conv_create(net, "conv", size);
    cru_tensor *x = op_values(&b, 4, (const int64_t[]){2, size.in, 5, 6}, -1, 1);
    cru_tensor *y = cru_conv_apply(b.tape, &layer, x);
    ck_assert_int_eq(y->dim[1], size.out);
    ck_assert_int_eq(y->dim[2], (5 + stride - 1) / stride);
    ck_assert_int_eq(y->dim[3], (6 + stride - 1) / stride);
    for (int64_t e = 0; e < cru_tensor_count(y); e++) {
        const int64_t plane = y->dim[2] * y->dim[3];
        const int64_t at[4] = {e / plane / size.out, e / plane % size.out, e % plane / y->dim[3], e % y->dim[3]};
        ck_assert_double_eq_tol((double)test_value(y, e), conv_at(x, layer.w, at, stride), 1e-5);
    }
    cru_tensor *in[] = {x, op_values(&b, 4, layer.w->dim, -0.5, 0.5)};
    op_check(&b, apply_conv, &layer, in, 2);
    op_bench_close(&b);
}
END_TEST

/* N(0, 2 / (kernel^2 out)) */
START_TEST(the_weights_of_a_conv_layer_have_the_variance_of_their_fan_out)
{
    cru_net *net;
    op_bench b = open_train(&net);
    cru_conv_layer layer = cru_conv_create(net, "conv", (cru_conv_size){.in = 50, .out = 40, .kernel = 3});
    const moments m = moments_of(test_values(layer.w), cru_tensor_count(layer.w), 1);
    const double var = 2.0 / (9 * 40);
    ck_assert_double_eq_tol(m.mean, 0, 5 * sqrt(var / 18000));
    ck_assert_double_eq_tol(m.var / var, 1, 5 * sqrt(2.0 / 18000));
    op_bench_close(&b);
}
END_TEST

/* ---- adjacency --------------------------------------------------------------------------------------------- */

/* 0 - 1 - 2 and a loop of weight 3 at 0. */
static const int64_t path_offsets[] = {0, 2, 4, 5};
static const int32_t path_ids[] = {0, 1, 0, 2, 1};
static const float path_values[] = {3, 1, 1, 1, 1};
static const cru_csr path = {3, 3, path_offsets, path_ids, path_values};

/* What the loops make of the path, as a dense matrix. */
static void looped(cru_loops rule, double a[3][3])
{
    const double edges[3][3] = {{0, 1, 0}, {1, 0, 1}, {0, 1, 0}};
    const double loop[5][3] = {{3, 0, 0}, {4, 1, 1}, {3, 1, 1}, {1, 1, 1}, {0, 0, 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[i][j] = i == j ? loop[rule][i] : edges[i][j];
}

START_TEST(an_adjacency_has_its_loops_and_its_norm)
{
    const int loops = _i, none = CRU_NORM_NONE;
    op_bench b = op_bench_open();
    double a[3][3], row[3] = {0}, col[3] = {0};
    looped((cru_loops)loops, a);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) row[i] += a[i][j], col[j] += a[i][j];
    for (int norm = 0; norm <= none; norm++) {
        const cru_adjacency settings = {.loops = loops, .norm = norm};
        cru_csr g = cru_adjacency_graph(b.ctx, &path, &settings);
        float dense[9];
        cru_csr_to_dense(&g, dense);
        cru_tape_begin(b.tape, CRU_EVAL);
        cru_tensor *x = cru_tensor_upload(b.tape, cru_2d(3, 1), (const float[]){1, -2, 0.5f});
        cru_tensor *y = cru_spmm(b.tape, cru_adjacency_create(b.ctx, &path, &settings), x);
        for (int i = 0; i < 3; i++) {
            double sum = 0;
            for (int j = 0; j < 3; j++) {
                /* in-out: 1 / sqrt(degree of the row, degree of the column), which agree: the path is symmetric */
                double scale = norm == CRU_NORM_ROW ? 1 / row[i] : norm == CRU_NORM_COL ? 1 / col[j] : 1;
                if (norm == CRU_NORM_SYM || norm == CRU_NORM_IN_OUT) scale = 1 / sqrt(row[i] * col[j]);
                ck_assert_double_eq_tol((double)dense[3 * i + j], scale * a[i][j], 1e-6);
                sum += scale * a[i][j] * (double)test_value(x, j);
            }
            ck_assert_double_eq_tol((double)test_value(y, i), sum, 1e-6);
        }
    }
    op_bench_close(&b);
}
END_TEST

static float farthest(const cru_tensor *x)
{
    float most = 0;
    for (int64_t i = 0; i < cru_tensor_count(x); i++) most = fmaxf(most, fabsf(test_value(x, i)));
    return most;
}

/* Uniform within the bound: of so many draws one comes close to it. */
START_TEST(linear_layers_are_drawn_in_three_ways)
{
    enum { IN = 40, OUT = 90 };
    const double bounds[] = {1 / sqrt(IN), 1 / sqrt(OUT), sqrt(6.0 / (IN + OUT))};
    op_bench b = op_bench_open();
    cru_net *net = cru_net_create(b.ctx, "net");
    const cru_fc layer = cru_fc_create_drawn(net, "fc", IN, OUT, (cru_draw)_i, true);
    ck_assert_double_le((double)farthest(layer.w), bounds[_i]);
    ck_assert_double_gt((double)farthest(layer.w), 0.98 * bounds[_i]);
    ck_assert_double_le((double)farthest(layer.b), bounds[_i]);
    if (_i == CRU_DRAW_GLOROT)
        ck_assert_float_eq(farthest(layer.b), 0);
    else
        ck_assert_double_gt((double)farthest(layer.b), 0.9 * bounds[_i]);
    ck_assert_ptr_null(cru_fc_create_drawn(net, "bare", IN, OUT, (cru_draw)_i, false).b);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("small layers");
    TCase *c = tcase_create("layers");
    tcase_add_test(c, a_batch_norm_layer_starts_neutral_and_normalises_columns);
    tcase_add_test(c, a_layer_norm_layer_starts_neutral_and_normalises_rows);
    tcase_add_test(c, norm_layers_have_the_gradients_of_their_formulas);
    tcase_add_loop_test(c, a_conv_layer_pads_by_half_its_kernel, 0, 3);
    tcase_add_test(c, the_weights_of_a_conv_layer_have_the_variance_of_their_fan_out);
    tcase_add_loop_test(c, an_adjacency_has_its_loops_and_its_norm, 0, 5);
    tcase_add_loop_test(c, linear_layers_are_drawn_in_three_ways, 0, CRU_DRAW_GLOROT + 1);
    suite_add_tcase(s, c);
    return s;
}
