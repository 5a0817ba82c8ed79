// SPDX-License-Identifier: Apache-2.0
/* Products, reductions, shapes and rows. */
#include <crucible/draft/ops-basic.h>
#include <crucible/draft/tensor.h>

#include "ops/gradients.h"

/* ---- products -------------------------------------------------------------------------------------------- */

static cru_tensor *matmul(void *user, cru_tape *t, cru_tensor *const *x)
{
    return cru_matmul_op(t, x[0], x[1], *(cru_transpose *)user);
}

static cru_tensor *bmm(void *user, cru_tape *t, cru_tensor *const *x)
{
    return cru_bmm(t, x[0], x[1], *(cru_transpose *)user);
}

START_TEST(products_in_every_transposition)
{
    op_bench b = op_bench_open();
    cru_transpose op = (cru_transpose)_i;
    int64_t m = 3, k = 5, n = 4;
    int64_t a[2] = {op & CRU_TN ? k : m, op & CRU_TN ? m : k}, c[2] = {op & CRU_NT ? n : k, op & CRU_NT ? k : n};
    cru_tensor *x[] = {op_matrix(&b, a[0], a[1], -1, 1), op_matrix(&b, c[0], c[1], -1, 1)};
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_matmul_op(b.tape, x[0], x[1], op);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t p = 0; p < k; p++)
                sum += (double)test_value(x[0], op & CRU_TN ? p * m + i : i * k + p) *
                       (double)test_value(x[1], op & CRU_NT ? j * k + p : p * n + j);
            ck_assert_double_eq_tol((double)test_value(y, i * n + j), sum, 1e-5);
        }
    op_check(&b, matmul, &op, x, 2);
    cru_tensor *batch[] = {op_values(&b, 3, (const int64_t[]){2, a[0], a[1]}, -1, 1),
                           op_values(&b, 3, (const int64_t[]){2, c[0], c[1]}, -1, 1)};
    op_check(&b, bmm, &op, batch, 2);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *linear(void *user, cru_tape *t, cru_tensor *const *x)
{
    return cru_linear_act(t, x[0], x[1], x[2], *(cru_unary *)user);
}

static cru_tensor *dot_rows(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_dot_rows(t, x[0], x[1]);
}

START_TEST(linear_layers_with_bias_and_activation)
{
    op_bench b = op_bench_open();
    static const cru_unary acts[] = {CRU_UNARY_COPY, CRU_UNARY_RELU, CRU_UNARY_TANH, CRU_UNARY_SIGMOID};
    cru_unary act = acts[_i];
    cru_tensor *x[] = {op_matrix(&b, 4, 3, -1, 1), op_matrix(&b, 3, 5, -1, 1),
                       op_values(&b, 1, (const int64_t[]){5}, -0.5, 0.5)};
    op_check(&b, linear, &act, x, 3);
    op_check(&b, dot_rows, NULL, (cru_tensor *[]){x[0], op_matrix(&b, 4, 3, 0, 2)}, 2);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *inverted(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_inverted(t, x[0]);
}

static cru_tensor *mix(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_mix(t, x, 3, x[3]);
}

START_TEST(inverse_and_mixture)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, 3, 3, -0.3, 0.3);
    for (int i = 0; i < 3; i++) test_add(x, 4 * i, 2);
    op_check(&b, inverted, NULL, &x, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *one = cru_matmul(b.tape, x, cru_inverted(b.tape, x));
    for (int i = 0; i < 9; i++) ck_assert_float_eq_tol(test_value(one, i), i % 4 == 0 ? 1 : 0, 1e-5f);
    cru_tensor *terms[] = {op_matrix(&b, 2, 3, -1, 1), op_matrix(&b, 2, 3, 0, 1), op_matrix(&b, 2, 3, 1, 2),
                           op_values(&b, 1, (const int64_t[]){3}, -1, 1)};
    op_check(&b, mix, NULL, terms, 4);
    op_bench_close(&b);
}
END_TEST

/* ---- reductions ------------------------------------------------------------------------------------------ */

typedef struct reduction {
    cru_tensor *(*op)(cru_tape *t, cru_tensor *x, int32_t axis);
    int32_t axis;
} reduction;

static cru_tensor *reduce(void *user, cru_tape *t, cru_tensor *const *x)
{
    const reduction *r = user;
    return r->op(t, x[0], r->axis);
}

static cru_tensor *var(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return cru_var(t, x, axis, 1);
}
static cru_tensor *std(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return cru_std(t, x, axis, 0, 1e-5f);
}
static cru_tensor *norm(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return cru_norm_l2(t, x, axis, 1e-12f);
}

START_TEST(reductions_along_every_axis)
{
    op_bench b = op_bench_open();
    static cru_tensor *(*const ops[])(cru_tape *, cru_tensor *, int32_t) = {
        cru_sum, cru_mean, cru_max, cru_min, cru_logsumexp, var, std, norm, cru_softmax, cru_log_softmax};
    static const int32_t axes[] = {0, 1, 2, -1, CRU_ALL};
    cru_tensor *x = op_values(&b, 3, (const int64_t[]){3, 4, 5}, -2, 2);
    for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
        reduction r = {.op = ops[k], .axis = axes[_i]};
        op_check(&b, reduce, &r, &x, 1);
    }
    op_bench_close(&b);
}
END_TEST

START_TEST(reductions_have_their_values)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *x = cru_tensor_from(b.ctx, cru_2d(2, 3), (const float[]){1, 5, 2, -4, 0, 4});
    ck_assert_float_eq(test_value(cru_sum(b.tape, x, 0), 1), 5);
    ck_assert_float_eq(test_value(cru_mean(b.tape, x, 1), 1), 0);
    ck_assert_float_eq(test_value(cru_max(b.tape, x, 1), 0), 5);
    ck_assert_float_eq(test_value(cru_min(b.tape, x, CRU_ALL), 0), -4);
    ck_assert_float_eq_tol(test_value(cru_var(b.tape, x, 1, 1), 1), 16, 1e-4f);
    ck_assert_float_eq_tol(test_value(cru_norm_l2(b.tape, x, 1, 0), 0), sqrtf(30), 1e-5f);
    ck_assert_int_eq(test_index(cru_argmax(b.tape, x))[0], 1);
    cru_tensor *huge = cru_tensor_from(b.ctx, cru_1d(2), (const float[]){1000, 1000});
    ck_assert_float_eq_tol(test_value(cru_logsumexp(b.tape, huge, 0), 0), 1000 + logf(2), 1e-3f);
    op_bench_close(&b);
}
END_TEST

START_TEST(the_mean_of_nothing_is_nan_and_moves_no_weight)
{
    op_bench b = op_bench_open();
    cru_tensor *w = cru_weight_create(b.ctx, cru_2d(3, 2));
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *none = cru_gather(b.tape, w, (cru_index){.ids = NULL, .count = 0});
    cru_tensor *loss = cru_mean(b.tape, none, CRU_ALL);
    ck_assert(isnan(cru_tensor_item(b.tape, loss)));
    cru_backward(b.tape, loss);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(test_grad(w)[i], 0);
    op_bench_close(&b);
}
END_TEST

/* ---- shapes ---------------------------------------------------------------------------------------------- */

static cru_tensor *reshape(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_mul(t, cru_as_matrix(t, x[0], 2, -1), cru_as_matrix(t, x[0], -1, 6));
}
static cru_tensor *transposed(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_transposed(t, x[0]);
}
static cru_tensor *permute(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_permute(t, x[0], (const int32_t[]){2, 0, 3, 1});
}
static cru_tensor *beside(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_concat_cols(t, x, 2);
}
static cru_tensor *below(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_concat_rows(t, x, 2);
}
static cru_tensor *slices(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_add(t, cru_slice_rows(t, cru_slice_cols(t, x[0], 1, 3), 1, 3),
                   cru_slice_cols(t, cru_slice_rows(t, x[0], 0, 2), 0, 2));
}
static cru_tensor *broadcast(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_broadcast(t, x[0], 3, 4);
}

START_TEST(shapes_carry_gradients)
{
    op_bench b = op_bench_open();
    cru_tensor *m = op_matrix(&b, 3, 4, -1, 1);
    op_check(&b, reshape, NULL, &m, 1);
    op_check(&b, transposed, NULL, &m, 1);
    op_check(&b, slices, NULL, &m, 1);
    cru_tensor *cube = op_values(&b, 4, (const int64_t[]){2, 3, 2, 2}, -1, 1);
    op_check(&b, permute, NULL, &cube, 1);
    op_check(&b, beside, NULL, (cru_tensor *[]){m, op_matrix(&b, 3, 2, -1, 1)}, 2);
    op_check(&b, below, NULL, (cru_tensor *[]){m, op_matrix(&b, 2, 4, -1, 1)}, 2);
    cru_tensor *row = op_matrix(&b, 1, 4, -1, 1), *column = op_matrix(&b, 3, 1, -1, 1);
    cru_tensor *scalar = op_values(&b, 0, NULL, -1, 1);
    op_check(&b, broadcast, NULL, &row, 1);
    op_check(&b, broadcast, NULL, &column, 1);
    op_check(&b, broadcast, NULL, &scalar, 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(permuted_axes_land_where_they_should)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *x = op_values(&b, 3, (const int64_t[]){2, 3, 4}, -1, 1);
    cru_tensor *y = cru_permute(b.tape, x, (const int32_t[]){2, 0, 1, 3});
    for (int64_t i = 0; i < 2; i++)
        for (int64_t j = 0; j < 3; j++)
            for (int64_t k = 0; k < 4; k++)
                ck_assert_float_eq(test_value(y, (k * 2 + i) * 3 + j), test_value(x, (i * 3 + j) * 4 + k));
    op_bench_close(&b);
}
END_TEST

static cru_tensor *reshaped(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_reshape(t, x[0], cru_3d(2, 2, 3));
}

START_TEST(a_reshaped_tensor_keeps_the_order_of_its_values)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *x = op_matrix(&b, 4, 3, -1, 1), *y = reshaped(NULL, b.tape, &x);
    ck_assert_int_eq(y->rank, 3);
    ck_assert_int_eq(y->dim[1], 2);
    for (int64_t i = 0; i < 12; i++) ck_assert_float_eq(test_value(y, i), test_value(x, i));
    op_check(&b, reshaped, NULL, &x, 1);
    op_bench_close(&b);
}
END_TEST

/* ---- rows ------------------------------------------------------------------------------------------------ */

static const int32_t ids[] = {2, 0, 2, 1, 2};

static cru_tensor *gather(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_gather(t, x[0], cru_index_step(t, ids, 5));
}
static cru_tensor *scatter(void *user, cru_tape *t, cru_tensor *const *x)
{
    return cru_scatter(t, x[0], cru_index_step(t, ids, 5), 4, *(cru_reduce *)user);
}
static cru_tensor *pick(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_pick(t, x[0], cru_index_step(t, ids, 5));
}
static cru_tensor *topk(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    cru_tensor *both[] = {cru_topk(t, x[0], 2).values, cru_bottomk(t, x[0], 1).values, cru_sort(t, x[0]).values};
    return cru_concat_cols(t, both, 3);
}

START_TEST(rows_by_index)
{
    op_bench b = op_bench_open();
    cru_tensor *three = op_matrix(&b, 3, 4, -1, 1), *five = op_matrix(&b, 5, 3, -1, 1);
    op_check(&b, gather, NULL, &three, 1);
    for (cru_reduce op = CRU_REDUCE_SUM; op < CRU_REDUCE_COUNT; op++) op_check(&b, scatter, &op, &five, 1);
    op_check(&b, pick, NULL, &five, 1);
    op_check(&b, topk, NULL, &five, 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(scatter_reduces_the_rows_that_share_an_id)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *x = cru_tensor_from(b.ctx, cru_2d(5, 1), (const float[]){1, 2, 3, 4, 8});
    static const float expected[][4] = {{2, 4, 12, 0}, {2, 4, 4, 0}, {2, 4, 8, 0}, {2, 4, 1, 0}};
    for (cru_reduce op = CRU_REDUCE_SUM; op < CRU_REDUCE_COUNT; op++) {
        cru_tensor *y = cru_scatter(b.tape, x, cru_index_step(b.tape, ids, 5), 4, op);
        for (int i = 0; i < 4; i++) ck_assert_float_eq(test_value(y, i), expected[op][i]);
    }
    op_bench_close(&b);
}
END_TEST

START_TEST(one_hot_and_mask)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    static const int32_t labels[] = {1, -1, 0};
    const float *hot = test_values(cru_one_hot(b.tape, cru_index_step(b.tape, labels, 3), 2));
    static const float expected[] = {0, 1, 0, 0, 1, 0};
    for (int i = 0; i < 6; i++) ck_assert_float_eq(hot[i], expected[i]);
    const float *mask = test_values(cru_mask(b.tape, cru_index_step(b.tape, ids, 5), 4));
    for (int i = 0; i < 4; i++) ck_assert_float_eq(mask[i], i < 3);
    op_bench_close(&b);
}
END_TEST

/* ---- similarity and dropout ------------------------------------------------------------------------------------- */

static cru_tensor *similarities(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    cru_tensor *all[] = {cru_cosine_matrix(t, x[0], x[1], 1e-8f), cru_distance_matrix(t, x[0], x[1]),
                         cru_normalize_l1(t, x[0], 1e-12f), cru_normalize_l2(t, x[0], 1e-12f),
                         cru_as_matrix(t, cru_cosine_rows(t, x[0], cru_slice_rows(t, x[1], 0, 3), 1e-8f), 3, 1)};
    return cru_concat_cols(t, all, 5);
}

START_TEST(similarities_and_distances)
{
    op_bench b = op_bench_open();
    op_check(&b, similarities, NULL, (cru_tensor *[]){op_matrix(&b, 3, 4, -1, 1), op_matrix(&b, 5, 4, -1.5, 2)}, 2);
    op_bench_close(&b);
}
END_TEST

START_TEST(a_zero_row_has_no_direction_and_a_finite_gradient)
{
    op_bench b = op_bench_open();
    cru_tensor *x = cru_tensor_create(b.ctx, cru_2d(2, 3));
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_tensor *y = cru_cosine_matrix(b.tape, x, x, 1e-8f);
    cru_backward(b.tape, cru_sum(b.tape, y, CRU_ALL));
    for (int i = 0; i < 4; i++) ck_assert_float_eq(test_value(y, i), 0);
    for (int i = 0; i < 6; i++) ck_assert(isfinite(test_value(cru_grad_of(b.tape, x), i)));
    op_bench_close(&b);
}
END_TEST

START_TEST(dropout_keeps_the_mean_and_repeats_its_mask_in_the_gradient)
{
    op_bench b = op_bench_open();
    static float ones[100 * 100];
    for (int i = 0; i < 10000; i++) ones[i] = 1;
    cru_tensor *x = cru_tensor_from(b.ctx, cru_2d(100, 100), ones);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_tensor *y = cru_dropout(b.tape, x, 0.3f), *z = cru_dropout(b.tape, x, 0.3f);
    cru_backward(b.tape, cru_sum(b.tape, y, CRU_ALL));
    const float *grad = test_values(cru_grad_of(b.tape, x)), *mask = test_values(y), *other = test_values(z);
    int kept = 0, same = 0;
    for (int i = 0; i < 10000; i++) {
        ck_assert(mask[i] == 0 || fabsf(mask[i] - 1 / 0.7f) < 1e-6f);
        ck_assert_float_eq(grad[i], mask[i]);
        kept += mask[i] != 0;
        same += (mask[i] != 0) == (other[i] != 0);
    }
    /* 7000 expected, standard deviation 46; two independent masks agree on 5800 */
    ck_assert_int_ge(kept, 6770);
    ck_assert_int_le(kept, 7230);
    ck_assert_int_lt(same, 6050);
    cru_tape_begin(b.tape, CRU_EVAL);
    ck_assert_ptr_eq(cru_dropout(b.tape, x, 0.3f), x);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("algebra");
    TCase *c = tcase_create("operators");
    tcase_add_loop_test(c, products_in_every_transposition, 0, 4);
    tcase_add_loop_test(c, linear_layers_with_bias_and_activation, 0, 4);
    tcase_add_test(c, inverse_and_mixture);
    tcase_add_loop_test(c, reductions_along_every_axis, 0, 5);
    tcase_add_test(c, reductions_have_their_values);
    tcase_add_test(c, the_mean_of_nothing_is_nan_and_moves_no_weight);
    tcase_add_test(c, shapes_carry_gradients);
    tcase_add_test(c, permuted_axes_land_where_they_should);
    tcase_add_test(c, a_reshaped_tensor_keeps_the_order_of_its_values);
    tcase_add_test(c, rows_by_index);
    tcase_add_test(c, scatter_reduces_the_rows_that_share_an_id);
    tcase_add_test(c, one_hot_and_mask);
    tcase_add_test(c, similarities_and_distances);
    tcase_add_test(c, a_zero_row_has_no_direction_and_a_finite_gradient);
    tcase_add_test(c, dropout_keeps_the_mean_and_repeats_its_mask_in_the_gradient);
    suite_add_tcase(s, c);
    return s;
}
