// SPDX-License-Identifier: Apache-2.0
/* Segments and sparse inputs, against loops over a dense matrix. */
#include <crucible/draft/ops-sparse.h>
#include <crucible/draft/tensor.h>

#include "ops/small-graph.h"

/* ---- segments -------------------------------------------------------------------------------------------- */

enum { SEGMENTS = 5, MEMBERS = 7 };
static const int64_t runs[SEGMENTS + 1] = {0, 2, 2, 6, 7, 7}; /* the second and the last are empty */

static cru_tensor *segment(void *user, cru_tape *t, operands x)
{
    return cru_segment(t, x[0], runs, SEGMENTS, *(cru_reduce *)user);
}

static double ref_segment(const cru_tensor *x, int64_t g, int64_t k, cru_reduce op)
{
    int64_t from = runs[g], to = runs[g + 1];
    if (from == to) return 0;
    double y = op == CRU_REDUCE_MAX ? -INFINITY : op == CRU_REDUCE_MIN ? INFINITY : 0;
    for (int64_t i = from; i < to; i++) {
        if (op == CRU_REDUCE_MAX)
            y = fmax(y, op_at(x, i, k));
        else if (op == CRU_REDUCE_MIN)
            y = fmin(y, op_at(x, i, k));
        else
            y += op_at(x, i, k) / (op == CRU_REDUCE_MEAN ? (double)(to - from) : 1);
    }
    return y;
}

START_TEST(a_segment_is_reduced_and_an_empty_one_is_zero)
{
    op_bench b = op_bench_open();
    cru_reduce op = (cru_reduce)_i;
    cru_tensor *x = op_matrix(&b, MEMBERS, 3, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = segment(&op, b.tape, &x);
    ck_assert_int_eq(cru_tensor_rows(y), SEGMENTS);
    for (int64_t g = 0; g < SEGMENTS; g++)
        for (int64_t k = 0; k < 3; k++) ck_assert_double_eq_tol(op_at(y, g, k), ref_segment(x, g, k, op), 1e-6);
    op_check(&b, segment, &op, &x, 1);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *segment_softmax(void *user, cru_tape *t, operands x)
{
    (void)user;
    return cru_segment_softmax(t, x[0], runs, SEGMENTS);
}

START_TEST(softmax_stays_within_its_segment)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, MEMBERS, 2, -2, 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = segment_softmax(NULL, b.tape, &x);
    for (int64_t g = 0; g < SEGMENTS; g++)
        for (int64_t i = runs[g]; i < runs[g + 1]; i++) {
            double sum = 0;
            for (int64_t j = runs[g]; j < runs[g + 1]; j++) sum += exp(op_at(x, j, 1));
            ck_assert_double_eq_tol(op_at(y, i, 1), exp(op_at(x, i, 1)) / sum, 1e-6);
        }
    op_check(&b, segment_softmax, NULL, &x, 1);
    op_bench_close(&b);
}
END_TEST

/* ---- sparse inputs --------------------------------------------------------------------------------------- */

static cru_input sparse_input(op_bench *b, const cru_csr *csr)
{
    return cru_input_create(b->ctx, &(cru_features){.rows = csr->rows, .cols = csr->cols, .sparse = *csr});
}

static cru_tensor *input_linear(void *user, cru_tape *t, operands x)
{
    return cru_input_linear(t, user, x[0], x[1]);
}
static cru_tensor *input_linear_no_bias(void *user, cru_tape *t, operands x)
{
    return cru_input_linear(t, user, x[0], NULL);
}

START_TEST(a_sparse_input_multiplies_like_a_dense_one)
{
    op_bench b = op_bench_open();
    const cru_csr *csr = _i ? &weighted : &plain;
    cru_input in = sparse_input(&b, csr);
    const int64_t width = 4;
    cru_tensor *x[] = {op_matrix(&b, N, width, -1, 1), op_values(&b, 1, &width, -1, 1)};
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_input_linear(b.tape, &in, x[0], x[1]), *dense = cru_input_dense(b.tape, &in);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t k = 0; k < width; k++)
            ck_assert_double_eq_tol(op_at(y, i, k), ref_spmm(csr, x, i, k) + (double)test_value(x[1], k), 1e-5);
        for (int64_t u = 0; u < N; u++) ck_assert_double_eq(op_at(dense, i, u), value_of(csr, i, u));
    }
    op_check(&b, input_linear, &in, x, 2);
    op_check(&b, input_linear_no_bias, &in, x, 1);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *linear_in_values(void *user, cru_tape *t, operands x)
{
    cru_input in = *(const cru_input *)user;
    in.values = x[2];
    return cru_input_linear(t, &in, x[0], x[1]);
}

START_TEST(values_of_a_sparse_input_can_be_learned)
{
    op_bench b = op_bench_open();
    cru_input in = sparse_input(&b, &weighted);
    const int64_t width = 4, entries = E;
    cru_tensor *x[] = {op_matrix(&b, N, width, -1, 1), op_values(&b, 1, &width, -1, 1),
                       op_values(&b, 1, &entries, -1, 1)};
    op_check(&b, linear_in_values, &in, x, 3);
    op_bench_close(&b);
}
END_TEST

START_TEST(dropout_of_a_sparse_input_touches_stored_values_only)
{
    op_bench b = op_bench_open();
    cru_input in = sparse_input(&b, &weighted);
    int64_t kept = 0, steps = 200;
    for (int64_t s = 0; s < steps; s++) {
        cru_tape_begin(b.tape, CRU_TRAIN);
        cru_input dropped = cru_input_dropout(b.tape, &in, 0.25f);
        cru_tensor *dense = cru_input_dense(b.tape, &dropped);
        for (int64_t i = 0; i < N; i++)
            for (int64_t u = 0; u < N; u++) {
                double whole = value_of(&weighted, i, u);
                if (op_at(dense, i, u) == 0) continue;
                ck_assert_double_eq_tol(op_at(dense, i, u), whole / 0.75, 1e-5);
                kept++;
            }
    }
    /* 2200 draws at 3/4: 1650 with a standard deviation of 20 */
    ck_assert_int_ge(kept, 1550);
    ck_assert_int_le(kept, 1750);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_input same = cru_input_dropout(b.tape, &in, 0.25f);
    ck_assert_ptr_null(same.values);
    op_bench_close(&b);
}
END_TEST

START_TEST(a_dropped_sparse_input_teaches_the_weights_through_what_is_left)
{
    op_bench b = op_bench_open();
    cru_input in = sparse_input(&b, &weighted);
    cru_tensor *w = op_matrix(&b, N, 2, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(w);
    cru_input dropped = cru_input_dropout(b.tape, &in, 0.5f);
    cru_tensor *dense = cru_input_dense(b.tape, &dropped);
    cru_backward(b.tape, cru_sum(b.tape, cru_input_linear(b.tape, &dropped, w, NULL), CRU_ALL));
    for (int64_t u = 0; u < N; u++) {
        double column = 0;
        for (int64_t i = 0; i < N; i++) column += op_at(dense, i, u);
        ck_assert_double_eq_tol(op_at(cru_grad_of(b.tape, w), u, 0), column, 1e-5);
    }
    op_bench_close(&b);
}
END_TEST

static cru_tensor *linear_of_rows(void *user, cru_tape *t, operands x)
{
    static const int32_t rows[] = {5, 3, 0, 5};
    cru_input batch = cru_input_rows(t, user, cru_index_step(t, rows, 4));
    return cru_input_linear(t, &batch, x[0], NULL);
}

START_TEST(rows_of_an_input_make_a_batch)
{
    op_bench b = op_bench_open();
    static const int32_t rows[] = {5, 3, 0, 5};
    cru_tensor *w = op_matrix(&b, N, 3, -1, 1);
    cru_input inputs[] = {sparse_input(&b, &weighted), sparse_input(&b, &plain), {0}};
    cru_tape_begin(b.tape, CRU_EVAL);
    inputs[2] = cru_input_of(op_matrix(&b, N, N, -1, 1));
    cru_input *in = &inputs[_i];
    cru_tensor *whole = cru_input_linear(b.tape, in, w, NULL), *y = linear_of_rows(in, b.tape, &w);
    ck_assert_int_eq(cru_tensor_rows(y), 4);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t k = 0; k < 3; k++) ck_assert_double_eq_tol(op_at(y, i, k), op_at(whole, rows[i], k), 1e-6);
    op_check(&b, linear_of_rows, in, &w, 1);
    op_bench_close(&b);
}
END_TEST

static const int32_t hidden_rows[] = {4, 0};

static cru_tensor *blanked(void *user, cru_tape *t, operands x)
{
    (void)user;
    const cru_input in = cru_input_of(x[0]);
    return cru_input_blank(t, &in, cru_index_step(t, hidden_rows, 2)).dense;
}

START_TEST(blank_rows_of_an_input_are_zero)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, N, 3, -1, 1);
    const cru_input in = sparse_input(&b, &weighted);
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_tensor *y = blanked(NULL, b.tape, &x);
    const cru_input z = cru_input_blank(b.tape, &in, cru_index_step(b.tape, hidden_rows, 2));
    for (int64_t i = 0; i < N; i++) {
        const bool hidden = i == 4 || i == 0;
        for (int64_t k = 0; k < 3; k++) ck_assert_double_eq(op_at(y, i, k), hidden ? 0 : op_at(x, i, k));
        for (int64_t u = 0; u < N; u++)
            ck_assert_double_eq(op_at(z.dense, i, u), hidden ? 0 : value_of(&weighted, i, u));
    }
    op_check(&b, blanked, NULL, &x, 1);
    op_bench_close(&b);
}
END_TEST

/* Row v takes from itself and from the next. */
static cru_csr ring(void)
{
    static const int64_t ring_offsets[] = {0, 2, 4, 6};
    static const int32_t ring_ids[] = {0, 1, 1, 2, 0, 2};
    static const float ring_values[] = {1, 2, 3, 4, 5, 6};
    return (cru_csr){3, 3, ring_offsets, ring_ids, ring_values};
}

START_TEST(constant_features_are_spread_once)
{
    op_bench b = op_bench_open();
    static const float x[] = {1, -1, 2, 0.5f, 3, 7};
    static const float want[] = {5, 0, 18, 29.5f, 23, 37};
    cru_input in = cru_input_create(b.ctx, &(cru_features){.rows = 3, .cols = 2, .dense = x});
    cru_csr a = ring();
    cru_sparse *adj = cru_sparse_create(b.ctx, &a), *other = cru_sparse_create(b.ctx, &a);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *ax = cru_input_spread(b.tape, &in, adj);
    ck_assert_ptr_nonnull(ax);
    for (int64_t i = 0; i < 6; i++) ck_assert_float_eq(test_value(ax, i), want[i]);
    cru_input dropped = cru_input_dropout(b.tape, &in, 0.5f);
    ck_assert_ptr_null(cru_input_spread(b.tape, &dropped, adj));
    ck_assert_ptr_null(cru_input_spread(b.tape, &in, other));
    ck_assert_ptr_null(cru_input_spread(b.tape, &in, cru_sparse_step(b.tape, &a)));
    cru_tape_begin(b.tape, CRU_EVAL);
    dropped = cru_input_dropout(b.tape, &in, 0.5f); /* nothing is dropped now */
    ck_assert_ptr_eq(cru_input_spread(b.tape, &dropped, adj), ax);
    cru_input replaced = in;
    replaced.dense = op_matrix(&b, 3, 2, 0, 1);
    ck_assert_ptr_null(cru_input_spread(b.tape, &replaced, adj));
    cru_tensor_watch(in.dense);
    ck_assert_ptr_null(cru_input_spread(b.tape, &in, adj));
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("segments and sparse inputs");
    TCase *c = tcase_create("operators");
    tcase_add_loop_test(c, a_segment_is_reduced_and_an_empty_one_is_zero, CRU_REDUCE_SUM, CRU_REDUCE_MIN + 1);
    tcase_add_test(c, softmax_stays_within_its_segment);
    tcase_add_loop_test(c, a_sparse_input_multiplies_like_a_dense_one, 0, 2);
    tcase_add_test(c, values_of_a_sparse_input_can_be_learned);
    tcase_add_test(c, dropout_of_a_sparse_input_touches_stored_values_only);
    tcase_add_test(c, a_dropped_sparse_input_teaches_the_weights_through_what_is_left);
    tcase_add_test(c, constant_features_are_spread_once);
    tcase_add_loop_test(c, rows_of_an_input_make_a_batch, 0, 3);
    tcase_add_test(c, blank_rows_of_an_input_are_zero);
    suite_add_tcase(s, c);
    return s;
}
