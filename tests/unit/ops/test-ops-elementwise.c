// SPDX-License-Identifier: Apache-2.0
#include <crucible/draft/ops-basic.h>
#include <crucible/draft/tensor.h>

#include "ops/gradients.h"

typedef cru_tensor *one_operand(cru_tape *t, cru_tensor *x);

static cru_tensor *apply_one(void *user, cru_tape *t, cru_tensor *const *x)
{
    return (*(one_operand **)user)(t, x[0]);
}

static cru_tensor *affine(cru_tape *t, cru_tensor *x)
{
    return cru_affine(t, x, -1.5f, 2);
}
static cru_tensor *leaky(cru_tape *t, cru_tensor *x)
{
    return cru_leaky_relu(t, x, 0.2f);
}
static cru_tensor *elu(cru_tape *t, cru_tensor *x)
{
    return cru_elu(t, x, 1.3f);
}
static cru_tensor *power(cru_tape *t, cru_tensor *x)
{
    return cru_pow(t, x, 1.7f);
}
static cru_tensor *clamp(cru_tape *t, cru_tensor *x)
{
    return cru_clamp(t, x, -0.4f, 0.6f);
}

/* Expected values by the C library, in double. */
static double ref_affine(double x)
{
    return -1.5 * x + 2;
}
static double ref_relu(double x)
{
    return fmax(x, 0);
}
static double ref_leaky(double x)
{
    return x > 0 ? x : 0.2 * x;
}
static double ref_elu(double x)
{
    return x > 0 ? x : 1.3 * expm1(x);
}
static double ref_selu(double x)
{
    return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * expm1(x));
}
static double ref_gelu(double x)
{
    return 0.5 * x * (1 + erf(x / sqrt(2)));
}
static double ref_sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}
static double ref_softplus(double x)
{
    return log1p(exp(x));
}
static double ref_log_sigmoid(double x)
{
    return -log1p(exp(-x));
}
static double ref_square(double x)
{
    return x * x;
}
static double ref_power(double x)
{
    return pow(x, 1.7);
}
static double ref_reciprocal(double x)
{
    return 1 / x;
}
static double ref_clamp(double x)
{
    return fmin(fmax(x, (double)-0.4f), (double)0.6f);
}

static const struct {
    const char *name;
    one_operand *op;
    double (*expected)(double);
    double lo, hi;
} unary_cases[] = {
    {"affine", affine, ref_affine, -2, 2},
    {"relu", cru_relu, ref_relu, -2, 2},
    {"leaky", leaky, ref_leaky, -2, 2},
    {"elu", elu, ref_elu, -2, 2},
    {"selu", cru_selu, ref_selu, -2, 2},
    {"gelu", cru_gelu, ref_gelu, -3, 3},
    {"tanh", cru_tanh, tanh, -2, 2},
    {"sigmoid", cru_sigmoid, ref_sigmoid, -4, 4},
    {"softplus", cru_softplus, ref_softplus, -4, 4},
    {"log_sigmoid", cru_log_sigmoid, ref_log_sigmoid, -4, 4},
    {"exp", cru_exp, exp, -2, 2},
    {"log", cru_log, log, 0.3, 3},
    {"log1p", cru_log1p, log1p, -0.5, 3},
    {"abs", cru_abs, fabs, -2, 2},
    {"pow", power, ref_power, 0.3, 3},
    {"square", cru_square, ref_square, -2, 2},
    {"sqrt", cru_sqrt, sqrt, 0.3, 3},
    {"reciprocal", cru_reciprocal, ref_reciprocal, 0.4, 3},
    {"clamp", clamp, ref_clamp, -1, 1},
    {"sin", cru_sin, sin, -3, 3},
    {"cos", cru_cos, cos, -3, 3},
    {"lgamma", cru_lgamma, lgamma, 0.4, 5},
};

START_TEST(a_function_has_its_value_and_its_derivative)
{
    op_bench b = op_bench_open();
    one_operand *op = unary_cases[_i].op;
    cru_tensor *x = op_matrix(&b, 3, 7, unary_cases[_i].lo, unary_cases[_i].hi);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = op(b.tape, x);
    for (int64_t i = 0; i < 21; i++) {
        double expected = unary_cases[_i].expected((double)test_value(x, i));
        ck_assert_msg(fabs((double)test_value(y, i) - expected) <= 2e-6 * fmax(1, fabs(expected)),
                      "%s(%g) = %g, not %g", unary_cases[_i].name, (double)test_value(x, i), (double)test_value(y, i),
                      expected);
    }
    op_check(&b, apply_one, &op, &x, 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(stable_functions_survive_large_arguments)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *x = cru_tensor_from(b.ctx, cru_1d(2), (const float[]){-200, 200});
    ck_assert_float_eq(test_value(cru_softplus(b.tape, x), 1), 200);
    ck_assert_float_eq_tol(test_value(cru_softplus(b.tape, x), 0), 0, 1e-30f);
    ck_assert_float_eq(test_value(cru_log_sigmoid(b.tape, x), 0), -200);
    ck_assert_float_eq(test_value(cru_sigmoid(b.tape, x), 1), 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(the_sign_has_no_gradient)
{
    op_bench b = op_bench_open();
    const float expected[] = {-1, 0, 1};
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *x = cru_tensor_from(b.ctx, cru_1d(3), (const float[]){-0.5f, 0, 7});
    cru_tensor_watch(x);
    cru_tensor *y = cru_sign(b.tape, x);
    cru_backward(b.tape, cru_sum(b.tape, cru_add(b.tape, y, x), CRU_ALL));
    for (int i = 0; i < 3; i++) {
        ck_assert_float_eq(test_value(y, i), expected[i]);
        ck_assert_float_eq(test_value(cru_grad_of(b.tape, x), i), 1); /* of x itself */
    }
    op_bench_close(&b);
}
END_TEST

typedef cru_tensor *two_operands(cru_tape *t, cru_tensor *a, cru_tensor *b);

static cru_tensor *apply_two(void *user, cru_tape *t, cru_tensor *const *x)
{
    return (*(two_operands **)user)(t, x[0], x[1]);
}

static two_operands *const binary_cases[] = {cru_add, cru_sub, cru_mul, cru_div, cru_maximum, cru_minimum};

static const struct {
    int32_t rank_a, rank_b;
    int64_t a[4], b[4];
} shape_cases[] = {
    {2, 2, {3, 5}, {3, 5}}, {2, 0, {3, 5}, {0}},          {0, 2, {0}, {3, 5}},    {2, 1, {3, 5}, {5}},
    {2, 2, {3, 5}, {1, 5}}, {2, 2, {1, 5}, {3, 5}},       {2, 2, {3, 5}, {3, 1}}, {2, 2, {3, 1}, {3, 5}},
    {1, 1, {17}, {17}},     {3, 3, {2, 3, 4}, {2, 3, 1}}, {2, 2, {1, 1}, {1, 1}},
};

START_TEST(two_operands_broadcast_and_sum_their_gradients_back)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_values(&b, shape_cases[_i].rank_a, shape_cases[_i].a, 0.5, 2);
    cru_tensor *y = op_values(&b, shape_cases[_i].rank_b, shape_cases[_i].b, 0.6, 2.1);
    for (size_t k = 0; k < sizeof binary_cases / sizeof *binary_cases; k++) {
        two_operands *op = binary_cases[k];
        op_check(&b, apply_two, &op, (cru_tensor *[]){x, y}, 2);
    }
    op_bench_close(&b);
}
END_TEST

START_TEST(a_row_and_a_column_are_added_to_every_row)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *m = cru_tensor_from(b.ctx, cru_2d(2, 2), (const float[]){1, 2, 3, 4});
    cru_tensor *row = cru_tensor_from(b.ctx, cru_1d(2), (const float[]){10, 20});
    cru_tensor *column = cru_tensor_from(b.ctx, cru_2d(2, 1), (const float[]){100, 200});
    const float *y = test_values(cru_add(b.tape, cru_add(b.tape, m, row), column));
    const float expected[] = {111, 122, 213, 224};
    for (int i = 0; i < 4; i++) ck_assert_float_eq(y[i], expected[i]);
    op_bench_close(&b);
}
END_TEST

/* Such a matrix is what is left of a batch from which nothing was chosen. */
START_TEST(a_matrix_without_rows_meets_numbers_and_rows)
{
    op_bench b = op_bench_open();
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *none = op_matrix(&b, 0, 3, -1, 1), *row = op_values(&b, 1, (const int64_t[]){3}, -1, 1);
    cru_tensor *one = op_values(&b, 1, (const int64_t[]){1}, -1, 1);
    cru_tensor_watch(row);
    cru_tensor_watch(one);
    cru_tensor *y = cru_add(b.tape, cru_mul(b.tape, row, cru_mul(b.tape, none, row)), one);
    ck_assert_int_eq(cru_tensor_rows(y), 0);
    ck_assert_int_eq(cru_tensor_cols(y), 3);
    cru_backward(b.tape, cru_sum(b.tape, y, CRU_ALL));
    for (int i = 0; i < 3; i++) ck_assert_float_eq(test_value(cru_grad_of(b.tape, row), i), 0);
    ck_assert_float_eq(test_value(cru_grad_of(b.tape, one), 0), 0);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *lerp(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_lerp(t, x[0], x[1], 0.3f);
}

static cru_tensor *plus(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_plus(t, cru_plus(t, NULL, -2, x[0]), 0.5, x[1]);
}

static cru_tensor *where(void *user, cru_tape *t, cru_tensor *const *x)
{
    return cru_where(t, user, x[0], x[1]);
}

static cru_tensor *prelu(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_prelu(t, x[0], x[1]);
}

START_TEST(blends_and_selections)
{
    op_bench b = op_bench_open();
    cru_tensor *x[] = {op_matrix(&b, 3, 4, -1, 1), op_matrix(&b, 3, 4, -2, 2)};
    op_check(&b, lerp, NULL, x, 2);
    op_check(&b, plus, NULL, x, 2);
    cru_tensor *mask = cru_tensor_create(b.ctx, cru_2d(3, 4));
    for (int i = 0; i < 12; i += 2) test_put(mask, i, 1);
    op_check(&b, where, mask, x, 2);
    op_check(&b, prelu, NULL, (cru_tensor *[]){x[0], op_values(&b, 1, (const int64_t[]){4}, 0.1, 0.4)}, 2);
    op_bench_close(&b);
}
END_TEST

START_TEST(terms_add_up_by_their_weights)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, 3, 4, -1, 1), *y = op_matrix(&b, 3, 4, -2, 2);
    cru_tape_begin(b.tape, CRU_EVAL);
    const cru_tensor *sum = cru_plus(b.tape, cru_plus(b.tape, NULL, -2, x), 0.5, y);
    for (int i = 0; i < 12; i++)
        ck_assert_float_eq_tol(test_value(sum, i), -2 * test_value(x, i) + 0.5f * test_value(y, i), 1e-6f);
    op_bench_close(&b);
}
END_TEST

START_TEST(a_tensor_used_twice_gets_both_gradients)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, 1, 1, 0.5, 1.5);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_backward(b.tape, cru_add(b.tape, cru_mul(b.tape, x, x), cru_scale(b.tape, x, 3))); /* x^2 + 3x */
    ck_assert_float_eq_tol(test_value(cru_grad_of(b.tape, x), 0), 2 * test_value(x, 0) + 3, 1e-5f);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *sign_beside(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    return cru_add(t, cru_sign(t, x[0]), cru_mul(t, x[0], cru_sign(t, x[0])));
}

START_TEST(the_sign_is_flat)
{
    op_bench b = op_bench_open();
    const float values[] = {-3, -0.5f, 0, 1e-30f, 7}, expected[] = {-1, -1, 0, 1, 1};
    const int64_t n = 5;
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_sign(b.tape, cru_tensor_from(b.ctx, cru_1d(n), values));
    for (int i = 0; i < 5; i++) ck_assert_float_eq(test_value(y, i), expected[i]);
    cru_tensor *x = op_matrix(&b, 3, 4, 0.1, 1);
    for (int i = 0; i < 12; i += 2) test_put(x, i, -test_value(x, i));
    op_check(&b, sign_beside, NULL, &x, 1);
    op_bench_close(&b);
}
END_TEST

static cru_tensor *reshaped(void *user, cru_tape *t, cru_tensor *const *x)
{
    (void)user;
    cru_tensor *cube = cru_reshape(t, x[0], cru_3d(2, 2, 3));
    return cru_mul(t, cube, cru_reshape(t, cru_exp(t, x[0]), cru_3d(2, 2, 3)));
}

START_TEST(a_reshape_is_a_view_with_the_same_values)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, 4, 3, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *y = cru_reshape(b.tape, x, cru_4d(1, 6, 1, 2));
    ck_assert_ptr_eq(y->data, x->data);
    ck_assert_int_eq(y->rank, 4);
    ck_assert_int_eq(y->dim[1], 6);
    ck_assert_int_eq(y->dim[3], 2);
    op_check(&b, reshaped, NULL, &x, 1);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("elementwise");
    TCase *c = tcase_create("operators");
    tcase_add_loop_test(c, a_function_has_its_value_and_its_derivative, 0,
                        (int)(sizeof unary_cases / sizeof *unary_cases));
    tcase_add_test(c, stable_functions_survive_large_arguments);
    tcase_add_test(c, the_sign_has_no_gradient);
    tcase_add_loop_test(c, two_operands_broadcast_and_sum_their_gradients_back, 0,
                        (int)(sizeof shape_cases / sizeof *shape_cases));
    tcase_add_test(c, a_row_and_a_column_are_added_to_every_row);
    tcase_add_test(c, a_matrix_without_rows_meets_numbers_and_rows);
    tcase_add_test(c, blends_and_selections);
    tcase_add_test(c, terms_add_up_by_their_weights);
    tcase_add_test(c, a_tensor_used_twice_gets_both_gradients);
    tcase_add_test(c, the_sign_is_flat);
    tcase_add_test(c, a_reshape_is_a_view_with_the_same_values);
    suite_add_tcase(s, c);
    return s;
}
