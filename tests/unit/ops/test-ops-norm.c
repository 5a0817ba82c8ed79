// SPDX-License-Identifier: Apache-2.0
/* Batch, layer, graph and pair normalisation, against their formulas in double. */
#include <crucible/draft/ops-image.h>
#include <crucible/draft/tensor.h>

#include "ops/gradients.h"

typedef cru_tensor *const *operands;

/* ---- batch norm ------------------------------------------------------------------------------------------ */

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
        m.mean += (double)test_value(x, (i / inner * x->dim[1] + channel) * inner + i % inner) / (double)n;
    for (int64_t i = 0; i < n; i++)
        m.var +=
            pow((double)test_value(x, (i / inner * x->dim[1] + channel) * inner + i % inner) - m.mean, 2) / (double)n;
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
        double z = ((double)test_value(x[0], i) - m[c].mean) / sqrt(m[c].var + (double)eps);
        ck_assert_double_eq_tol((double)test_value(y, i), z * (double)test_value(x[1], c) + (double)test_value(x[2], c),
                                2e-5);
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
        running[c] = (moments){0.9 * (double)test_value(s.mean, c) + 0.1 * batch[c].mean,
                               0.9 * (double)test_value(s.var, c) + 0.1 * batch[c].var * n / (n - 1)};
    }
    cru_tape_begin(b.tape, CRU_TRAIN);
    check_normed(batch_norm(&s, b.tape, x), x, batch);
    for (int64_t c = 0; c < channels; c++) {
        ck_assert_double_eq_tol((double)test_value(s.mean, c), running[c].mean, 1e-6);
        ck_assert_double_eq_tol((double)test_value(s.var, c), running[c].var, 1e-6);
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
    for (int64_t c = 0; c < channels; c++)
        running[c] = (moments){(double)test_value(s.mean, c), (double)test_value(s.var, c)};
    cru_tape_begin(b.tape, CRU_EVAL);
    check_normed(batch_norm(&s, b.tape, x), x, running);
    op_check(&b, batch_norm_eval, &s, x, 3);
    for (int64_t c = 0; c < channels; c++) ck_assert_double_eq((double)test_value(s.mean, c), running[c].mean);
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

/* ---- layer, graph and pair norm -------------------------------------------------------------------------- */

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
        for (int64_t k = 0; k < cols; k++) mean += op_at(x[0], i, k) / 5;
        for (int64_t k = 0; k < cols; k++) var += pow(op_at(x[0], i, k) - mean, 2) / 5;
        for (int64_t k = 0; k < cols; k++) {
            double z = (op_at(x[0], i, k) - mean) / sqrt(var + (double)eps);
            ck_assert_double_eq_tol(op_at(y, i, k), z * (double)test_value(x[1], k) + (double)test_value(x[2], k),
                                    1e-5);
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
            double n = (double)(runs[g + 1] - runs[g]), mean = 0, var = 0, alpha = (double)test_value(x[1], k);
            for (int64_t i = runs[g]; i < runs[g + 1]; i++) mean += op_at(x[0], i, k) / n;
            for (int64_t i = runs[g]; i < runs[g + 1]; i++) var += pow(op_at(x[0], i, k) - alpha * mean, 2) / n;
            for (int64_t i = runs[g]; i < runs[g + 1]; i++) {
                double z = (op_at(x[0], i, k) - alpha * mean) / sqrt(var + (double)eps);
                ck_assert_double_eq_tol(op_at(y, i, k), z * (double)test_value(x[2], k) + (double)test_value(x[3], k),
                                        1e-5);
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
    for (int64_t i = 0; i < n * cols; i++) mean[i % cols] += (double)test_value(x, i) / (double)n;
    for (int64_t i = 0; i < n * cols; i++) square += pow((double)test_value(x, i) - mean[i % cols], 2) / (double)n;
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = pair_norm(NULL, b.tape, &x);
    for (int64_t i = 0; i < n * cols; i++)
        ck_assert_double_eq_tol((double)test_value(y, i),
                                1.5 * ((double)test_value(x, i) - mean[i % cols]) / sqrt(square + (double)eps), 1e-5);
    op_check(&b, pair_norm, NULL, &x, 1);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("normalisation");
    TCase *c = tcase_create("operators");
    tcase_add_loop_test(c, batch_norm_by_the_batch_moves_the_running_statistics, 0, 3);
    tcase_add_loop_test(c, batch_norm_in_eval_mode_uses_and_keeps_the_running_statistics, 0, 3);
    tcase_add_test(c, batch_norm_without_gain_and_shift);
    tcase_add_test(c, layer_norm_of_every_row);
    tcase_add_test(c, graph_norm_of_every_graph);
    tcase_add_test(c, pair_norm_keeps_the_total_distance);
    suite_add_tcase(s, c);
    return s;
}
