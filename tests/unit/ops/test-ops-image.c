/* Convolution, pooling, normalisation and recurrent cells, against loops in double. */
#include "ops/gradients.h"

typedef cru_tensor *const *operands;

static double at(const cru_tensor *x, int64_t i, int64_t k)
{
    return (double)x->data[i * cru_tensor_cols(x) + k];
}

/* b, c, h, w; 0 outside the image */
static double pixel(const cru_tensor *x, const int64_t where[4])
{
    int64_t at_pixel = 0;
    for (int i = 0; i < 4; i++) {
        if (where[i] < 0 || where[i] >= x->dim[i]) return 0;
        at_pixel = at_pixel * x->dim[i] + where[i];
    }
    return (double)x->data[at_pixel];
}

static cru_tensor *images(op_bench *b, const int64_t dim[4])
{
    return op_values(b, 4, dim, -1, 1);
}

/* ---- convolution ----------------------------------------------------------------------------------------------------
 */

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
    double sum = c->bias ? (double)x[2]->data[out[1]] : 0;
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
        ck_assert_double_eq_tol((double)y->data[i], ref_conv(&c, x, place_of(y, i).at), 1e-5);
    op_check(&b, conv, &c, x, c.bias ? 3 : 2);
    op_bench_close(&b);
}
END_TEST

/* ---- pooling --------------------------------------------------------------------------------------------------------
 */

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
        ck_assert_double_eq_tol((double)largest->data[i], expected.largest, 1e-6);
        ck_assert_double_eq_tol((double)mean->data[i], expected.mean, 1e-6);
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
        for (int64_t i = 0; i < 15; i++) sum += (double)x->data[15 * plane + i];
        ck_assert_double_eq_tol(at(y, plane / 3, plane % 3), sum / 15, 1e-6);
    }
    op_check(&b, global_pool, NULL, &x, 1);
    op_bench_close(&b);
}
END_TEST

/* ---- batch norm -----------------------------------------------------------------------------------------------------
 */

static const float eps = 1e-5f;

static cru_norm_state fresh_state(op_bench *b, int64_t channels)
{
    cru_norm_state s = {.mean = op_values(b, 1, &channels, -0.5, 0.5),
                        .var = op_values(b, 1, &channels, 0.5, 2),
                        .momentum = 0.1f,
                        .eps = eps};
    return s;
}

typedef struct moments {
    double mean, var;
} moments;

static moments channel_moments(const cru_tensor *x, int64_t channel)
{
    int64_t inner = x->dim[2] * x->dim[3], n = x->dim[0] * inner;
    moments m = {0};
    for (int64_t i = 0; i < n; i++)
        m.mean += (double)x->data[(i / inner * x->dim[1] + channel) * inner + i % inner] / (double)n;
    for (int64_t i = 0; i < n; i++)
        m.var += pow((double)x->data[(i / inner * x->dim[1] + channel) * inner + i % inner] - m.mean, 2) / (double)n;
    return m;
}

static cru_tensor *batch_norm(void *user, cru_tape *t, operands x)
{
    return cru_batch_norm(t, x[0], x[1], x[2], user);
}

static cru_tensor *batch_norm_eval(void *user, cru_tape *t, operands x)
{
    cru_mode mode = cru_tape_set_mode(t, CRU_EVAL);
    cru_tensor *y = cru_batch_norm(t, x[0], x[1], x[2], user);
    cru_tape_set_mode(t, mode);
    return y;
}

static const struct {
    int32_t rank;
    int64_t dim[4];
} norm_shapes[] = {{2, {6, 3, 1, 1}}, {4, {2, 3, 3, 2}}, {2, {2, 3, 1, 1}}};

static void check_normed(const cru_tensor *y, operands x, const moments *m)
{
    int64_t channels = x[0]->dim[1], inner = x[0]->dim[2] * x[0]->dim[3];
    for (int64_t i = 0; i < cru_tensor_count(y); i++) {
        int64_t c = i / inner % channels;
        double z = ((double)x[0]->data[i] - m[c].mean) / sqrt(m[c].var + (double)eps);
        ck_assert_double_eq_tol((double)y->data[i], z * (double)x[1]->data[c] + (double)x[2]->data[c], 2e-5);
    }
}

START_TEST(batch_norm_by_the_batch_moves_the_running_statistics)
{
    op_bench b = op_bench_open();
    const int64_t channels = 3;
    cru_tensor *x[] = {op_values(&b, norm_shapes[_i].rank, norm_shapes[_i].dim, -1, 2),
                       op_values(&b, 1, &channels, 0.5, 2), op_values(&b, 1, &channels, -1, 1)};
    cru_norm_state s = fresh_state(&b, channels);
    double n = (double)cru_tensor_count(x[0]) / 3;
    moments batch[3], running[3];
    for (int64_t c = 0; c < channels; c++) {
        batch[c] = channel_moments(x[0], c);
        running[c] = (moments){0.9 * (double)s.mean->data[c] + 0.1 * batch[c].mean,
                               0.9 * (double)s.var->data[c] + 0.1 * batch[c].var * n / (n - 1)};
    }
    cru_tape_begin(b.tape, CRU_TRAIN);
    check_normed(batch_norm(&s, b.tape, x), x, batch);
    for (int64_t c = 0; c < channels; c++) {
        ck_assert_double_eq_tol((double)s.mean->data[c], running[c].mean, 1e-6);
        ck_assert_double_eq_tol((double)s.var->data[c], running[c].var, 1e-6);
    }
    if (n > 2) op_check(&b, batch_norm, &s, x, 3); /* of two values only the sign is left: no slope to measure */
    op_bench_close(&b);
}
END_TEST

START_TEST(batch_norm_in_eval_mode_uses_and_keeps_the_running_statistics)
{
    op_bench b = op_bench_open();
    const int64_t channels = 3;
    cru_tensor *x[] = {op_values(&b, norm_shapes[_i].rank, norm_shapes[_i].dim, -1, 2),
                       op_values(&b, 1, &channels, 0.5, 2), op_values(&b, 1, &channels, -1, 1)};
    cru_norm_state s = fresh_state(&b, channels);
    moments running[3];
    for (int64_t c = 0; c < channels; c++) running[c] = (moments){(double)s.mean->data[c], (double)s.var->data[c]};
    cru_tape_begin(b.tape, CRU_EVAL);
    check_normed(batch_norm(&s, b.tape, x), x, running);
    op_check(&b, batch_norm_eval, &s, x, 3);
    for (int64_t c = 0; c < channels; c++) ck_assert_double_eq((double)s.mean->data[c], running[c].mean);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *bare_batch_norm(void *user, cru_tape *t, operands x)
{
    return cru_batch_norm(t, x[0], NULL, NULL, user);
}

START_TEST(batch_norm_without_gain_and_shift)
{
    op_bench b = op_bench_open();
    cru_norm_state s = fresh_state(&b, 3);
    cru_tensor *x = op_matrix(&b, 5, 3, -1, 1);
    op_check(&b, bare_batch_norm, &s, &x, 1);
    op_bench_close(&b);
}
END_TEST

/* ---- layer, graph and pair norm -------------------------------------------------------------------------------------
 */

static cru_tensor *layer_norm(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_layer_norm(t, x[0], x[1], x[2], eps);
}

START_TEST(layer_norm_of_every_row)
{
    op_bench b = op_bench_open();
    const int64_t cols = 5;
    cru_tensor *x[] = {op_matrix(&b, 4, cols, -1, 2), op_values(&b, 1, &cols, 0.5, 2), op_values(&b, 1, &cols, -1, 1)};
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = layer_norm(NULL, b.tape, x);
    for (int64_t i = 0; i < 4; i++) {
        double mean = 0, var = 0;
        for (int64_t k = 0; k < cols; k++) mean += at(x[0], i, k) / 5;
        for (int64_t k = 0; k < cols; k++) var += pow(at(x[0], i, k) - mean, 2) / 5;
        for (int64_t k = 0; k < cols; k++) {
            double z = (at(x[0], i, k) - mean) / sqrt(var + (double)eps);
            ck_assert_double_eq_tol(at(y, i, k), z * (double)x[1]->data[k] + (double)x[2]->data[k], 1e-5);
        }
    }
    op_check(&b, layer_norm, NULL, x, 3);
    op_bench_close(&b);
}
END_TEST

static const int64_t runs[] = {0, 3, 3, 7};

static cru_tensor *graph_norm(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_graph_norm(t, x[0], runs, 3, &(cru_graph_norm_weights){x[1], x[2], x[3]}, eps);
}

START_TEST(graph_norm_of_every_graph)
{
    op_bench b = op_bench_open();
    const int64_t cols = 2;
    cru_tensor *x[] = {op_matrix(&b, 7, cols, -1, 2), op_values(&b, 1, &cols, 0.3, 0.9),
                       op_values(&b, 1, &cols, 0.5, 2), op_values(&b, 1, &cols, -1, 1)};
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = graph_norm(NULL, b.tape, x);
    for (int64_t g = 0; g < 3; g++)
        for (int64_t k = 0; k < cols; k++) {
            double n = (double)(runs[g + 1] - runs[g]), mean = 0, var = 0, alpha = (double)x[1]->data[k];
            for (int64_t i = runs[g]; i < runs[g + 1]; i++) mean += at(x[0], i, k) / n;
            for (int64_t i = runs[g]; i < runs[g + 1]; i++) var += pow(at(x[0], i, k) - alpha * mean, 2) / n;
            for (int64_t i = runs[g]; i < runs[g + 1]; i++) {
                double z = (at(x[0], i, k) - alpha * mean) / sqrt(var + (double)eps);
                ck_assert_double_eq_tol(at(y, i, k), z * (double)x[2]->data[k] + (double)x[3]->data[k], 1e-5);
            }
        }
    op_check(&b, graph_norm, NULL, x, 4);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *pair_norm(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_pair_norm(t, x[0], 1.5f, eps);
}

START_TEST(pair_norm_keeps_the_total_distance)
{
    op_bench b = op_bench_open();
    const int64_t n = 5, cols = 3;
    cru_tensor *x = op_matrix(&b, n, cols, -1, 2);
    double mean[3] = {0}, square = 0;
    for (int64_t i = 0; i < n * cols; i++) mean[i % cols] += (double)x->data[i] / (double)n;
    for (int64_t i = 0; i < n * cols; i++) square += pow((double)x->data[i] - mean[i % cols], 2) / (double)n;
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = pair_norm(NULL, b.tape, &x);
    for (int64_t i = 0; i < n * cols; i++)
        ck_assert_double_eq_tol((double)y->data[i],
                                1.5 * ((double)x->data[i] - mean[i % cols]) / sqrt(square + (double)eps), 1e-5);
    op_check(&b, pair_norm, NULL, &x, 1);
    op_bench_close(&b);
}
END_TEST

/* ---- recurrent cells ------------------------------------------------------------------------------------------------
 */

enum { BATCH = 2, IN = 3, HIDDEN = 2 };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* operands: input and hidden weights, both biases, x, h, c */
static void cell_operands(op_bench *b, int64_t gates, cru_tensor **x)
{
    int64_t wide = gates * HIDDEN;
    x[0] = op_matrix(b, IN, wide, -1, 1);
    x[1] = op_matrix(b, HIDDEN, wide, -1, 1);
    x[2] = op_values(b, 1, &wide, -0.5, 0.5);
    x[3] = op_values(b, 1, &wide, -0.3, 0.6);
    x[4] = op_matrix(b, BATCH, IN, -1, 1);
    x[5] = op_matrix(b, BATCH, HIDDEN, -1, 1);
    x[6] = op_matrix(b, BATCH, HIDDEN, -0.5, 1);
}

static double from_input(operands x, int64_t i, int64_t k)
{
    double sum = (double)x[2]->data[k];
    for (int64_t j = 0; j < IN; j++) sum += at(x[4], i, j) * at(x[0], j, k);
    return sum;
}
static double from_hidden(operands x, int64_t i, int64_t k)
{
    double sum = (double)x[3]->data[k];
    for (int64_t j = 0; j < HIDDEN; j++) sum += at(x[5], i, j) * at(x[1], j, k);
    return sum;
}
static double gate(operands x, int64_t i, int64_t k)
{
    return from_input(x, i, k) + from_hidden(x, i, k);
}

static cru_cell cell_of(operands x)
{
    return (cru_cell){.input = x[0], .hidden = x[1], .input_bias = x[2], .hidden_bias = x[3]};
}

static cru_tensor *lstm(void *user, cru_tape *t, operands x)
{
    (void)user;
    cru_cell cell = cell_of(x);
    cru_lstm_state s = cru_lstm_cell(t, &cell, x[4], (cru_lstm_state){.h = x[5], .c = x[6]});
    return cru_concat_cols(t, (cru_tensor *[]){s.h, s.c}, 2);
}

START_TEST(lstm_cell_with_gates_in_the_order_of_pytorch)
{
    op_bench b = op_bench_open();
    cru_tensor *x[7];
    cell_operands(&b, 4, x);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = lstm(NULL, b.tape, x);
    for (int64_t i = 0; i < BATCH; i++)
        for (int64_t k = 0; k < HIDDEN; k++) {
            double in = sigmoid(gate(x, i, k)), forget = sigmoid(gate(x, i, HIDDEN + k));
            double cell = tanh(gate(x, i, 2 * HIDDEN + k)), out = sigmoid(gate(x, i, 3 * HIDDEN + k));
            double c = forget * at(x[6], i, k) + in * cell;
            ck_assert_double_eq_tol(at(y, i, HIDDEN + k), c, 1e-5);
            ck_assert_double_eq_tol(at(y, i, k), out * tanh(c), 1e-5);
        }
    op_check(&b, lstm, NULL, x, 7);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *gru(void *user, cru_tape *t, operands x)
{
    (void)user;
    cru_cell cell = cell_of(x);
    return cru_gru_cell(t, &cell, x[4], x[5]);
}

START_TEST(gru_cell_with_gates_in_the_order_of_pytorch)
{
    op_bench b = op_bench_open();
    cru_tensor *x[7];
    cell_operands(&b, 3, x);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = gru(NULL, b.tape, x);
    for (int64_t i = 0; i < BATCH; i++)
        for (int64_t k = 0; k < HIDDEN; k++) {
            double reset = sigmoid(gate(x, i, k)), update = sigmoid(gate(x, i, HIDDEN + k));
            double fresh = tanh(from_input(x, i, 2 * HIDDEN + k) + reset * from_hidden(x, i, 2 * HIDDEN + k));
            ck_assert_double_eq_tol(at(y, i, k), (1 - update) * fresh + update * at(x[5], i, k), 1e-5);
        }
    op_check(&b, gru, NULL, x, 6);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *embedding(void *user, cru_tape *t, operands x)
{
    return cru_embedding(t, x[0], *(cru_index *)user);
}

START_TEST(embedding_rows_collect_the_gradients_of_all_their_uses)
{
    op_bench b = op_bench_open();
    const int32_t words[] = {2, 0, 2, 2};
    cru_index ids = {words, 4};
    cru_tensor *table = op_matrix(&b, 4, 3, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = embedding(&ids, b.tape, &table);
    for (int64_t i = 0; i < 4; i++) ck_assert_double_eq(at(y, i, 1), at(table, words[i], 1));
    op_check(&b, embedding, &ids, &table, 1);
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
    tcase_add_loop_test(c, batch_norm_by_the_batch_moves_the_running_statistics, 0, 3);
    tcase_add_loop_test(c, batch_norm_in_eval_mode_uses_and_keeps_the_running_statistics, 0, 3);
    tcase_add_test(c, batch_norm_without_gain_and_shift);
    tcase_add_test(c, layer_norm_of_every_row);
    tcase_add_test(c, graph_norm_of_every_graph);
    tcase_add_test(c, pair_norm_keeps_the_total_distance);
    tcase_add_test(c, lstm_cell_with_gates_in_the_order_of_pytorch);
    tcase_add_test(c, gru_cell_with_gates_in_the_order_of_pytorch);
    tcase_add_test(c, embedding_rows_collect_the_gradients_of_all_their_uses);
    suite_add_tcase(s, c);
    return s;
}
