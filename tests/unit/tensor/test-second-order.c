// SPDX-License-Identifier: Apache-2.0
/* Every operator that the headers mark with (2): its gradient, recorded, is differentiated again and compared with
 * differences of the gradient. */
#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-sparse.h>
#include <crucible/draft/tensor.h>

#include "ops/gradients.h"

typedef cru_tensor *const *operands;

/* ---- operators, by what they take ------------------------------------------------------------------------ */

static cru_tensor *add(cru_tape *t, operands x)
{
    return cru_add(t, x[0], x[1]);
}
static cru_tensor *sub(cru_tape *t, operands x)
{
    return cru_sub(t, x[0], x[1]);
}
static cru_tensor *mul(cru_tape *t, operands x)
{
    return cru_mul(t, x[0], x[1]);
}
static cru_tensor *divide(cru_tape *t, operands x)
{
    return cru_div(t, x[0], x[1]);
}
static cru_tensor *lerp(cru_tape *t, operands x)
{
    return cru_lerp(t, x[0], x[1], 0.3f);
}
static cru_tensor *affine(cru_tape *t, operands x)
{
    return cru_affine(t, x[0], 1.5f, -0.5f);
}
static cru_tensor *neg(cru_tape *t, operands x)
{
    return cru_neg(t, cru_scale(t, x[0], 0.7f));
}
static cru_tensor *relu(cru_tape *t, operands x)
{
    return cru_relu(t, cru_affine(t, x[0], 1, -1.1f));
}
static cru_tensor *leaky(cru_tape *t, operands x)
{
    return cru_leaky_relu(t, cru_affine(t, x[0], 1, -1.1f), 0.2f);
}
static cru_tensor *tanh_of(cru_tape *t, operands x)
{
    return cru_tanh(t, x[0]);
}
static cru_tensor *sigmoid(cru_tape *t, operands x)
{
    return cru_sigmoid(t, x[0]);
}
static cru_tensor *exp_of(cru_tape *t, operands x)
{
    return cru_exp(t, x[0]);
}
static cru_tensor *log_of(cru_tape *t, operands x)
{
    return cru_log(t, x[0]);
}
static cru_tensor *power(cru_tape *t, operands x)
{
    return cru_pow(t, x[0], 1.7f);
}
static cru_tensor *square(cru_tape *t, operands x)
{
    return cru_square(t, x[0]);
}
static cru_tensor *root(cru_tape *t, operands x)
{
    return cru_sqrt(t, x[0]);
}
static cru_tensor *reciprocal(cru_tape *t, operands x)
{
    return cru_reciprocal(t, x[0]);
}
static cru_tensor *matmul(cru_tape *t, operands x)
{
    return cru_matmul(t, x[0], x[1]);
}
static cru_tensor *matmul_tn(cru_tape *t, operands x)
{
    return cru_matmul_op(t, x[0], x[1], CRU_TN);
}
static cru_tensor *matmul_nt(cru_tape *t, operands x)
{
    return cru_matmul_op(t, x[0], x[1], CRU_NT);
}
static cru_tensor *matmul_tt(cru_tape *t, operands x)
{
    return cru_matmul_op(t, x[0], x[1], CRU_TT);
}
static cru_tensor *linear(cru_tape *t, operands x)
{
    return cru_linear(t, x[0], x[1], x[2]);
}
static cru_tensor *sum_rows(cru_tape *t, operands x)
{
    return cru_sum(t, x[0], 0);
}
static cru_tensor *sum_cols(cru_tape *t, operands x)
{
    return cru_sum(t, x[0], 1);
}
static cru_tensor *mean_rows(cru_tape *t, operands x)
{
    return cru_mean(t, x[0], 0);
}
static cru_tensor *mean_all(cru_tape *t, operands x)
{
    return cru_mean(t, x[0], CRU_ALL);
}
static cru_tensor *softmax(cru_tape *t, operands x)
{
    return cru_softmax(t, x[0], -1);
}
static cru_tensor *log_softmax(cru_tape *t, operands x)
{
    return cru_log_softmax(t, x[0], 1);
}
static cru_tensor *reshape(cru_tape *t, operands x)
{
    return cru_square(t, cru_as_matrix(t, x[0], 4, 3));
}
static cru_tensor *transposed(cru_tape *t, operands x)
{
    return cru_transposed(t, x[0]);
}
static cru_tensor *beside(cru_tape *t, operands x)
{
    return cru_concat_cols(t, x, 2);
}
static cru_tensor *below(cru_tape *t, operands x)
{
    return cru_concat_rows(t, x, 2);
}
static cru_tensor *columns(cru_tape *t, operands x)
{
    return cru_slice_cols(t, x[0], 1, 3);
}
static cru_tensor *rows(cru_tape *t, operands x)
{
    return cru_slice_rows(t, x[0], 1, 3);
}
static cru_tensor *broadcast_row(cru_tape *t, operands x)
{
    return cru_broadcast(t, x[0], 5, 4);
}
static cru_tensor *broadcast_column(cru_tape *t, operands x)
{
    return cru_broadcast(t, x[0], 3, 5);
}

static const int32_t picks[] = {2, 0, 2, 1};

static cru_tensor *gather(cru_tape *t, operands x)
{
    return cru_gather(t, x[0], cru_index_step(t, picks, 4));
}
static cru_tensor *scatter(cru_tape *t, operands x)
{
    return cru_scatter(t, x[0], cru_index_step(t, picks, 3), 4, CRU_REDUCE_SUM);
}

static const int64_t offsets[] = {0, 2, 3, 4};
static const int32_t ids[] = {0, 2, 1, 0};
static const float values[] = {0.5f, -1, 2, 1.5f};

static cru_sparse *matrix(cru_tape *t)
{
    return cru_sparse_step(t, &(cru_csr){.rows = 3, .cols = 3, .offsets = offsets, .ids = ids, .values = values});
}
static cru_tensor *spmm(cru_tape *t, operands x)
{
    return cru_spmm(t, matrix(t), x[0]);
}
static cru_tensor *spmm_transposed(cru_tape *t, operands x)
{
    return cru_spmm_transposed(t, matrix(t), x[0]);
}

static cru_tensor *linear_then(cru_tape *t, operands x)
{
    return cru_linear_then(t, x[0], x[1], &(cru_then){.bias = x[2], .act = CRU_UNARY_RELU});
}

static cru_tensor *spmm_then(cru_tape *t, operands x)
{
    return cru_spmm_then(t, matrix(t), x[0], &(cru_then){.bias = x[1], .act = CRU_UNARY_LEAKY, .a = 0.1f});
}
static cru_tensor *input_linear(cru_tape *t, operands x)
{
    cru_input in = cru_input_of(x[0]);
    return cru_input_linear(t, &in, x[1], x[2]);
}
static cru_tensor *input_linear_then(cru_tape *t, operands x)
{
    cru_input in = cru_input_of(x[0]);
    return cru_input_linear_then(t, &in, x[1], &(cru_then){.bias = x[2], .act = CRU_UNARY_LEAKY, .a = 0.1f});
}
static cru_tensor *cross_entropy(cru_tape *t, operands x)
{
    static const int32_t chosen_rows[] = {2, 0}, labels[] = {1, 3};
    static const cru_index chosen = {chosen_rows, 2};
    static const float weights[] = {0.5f, 2};
    const cru_targets y = {.rows = &chosen, .labels = {labels, 2}, .weights = weights};
    return cru_cross_entropy(t, x[0], step_targets(t, &y));
}
static cru_tensor *soft_cross_entropy(cru_tape *t, operands x)
{
    return cru_soft_cross_entropy(t, x[0], x[1]);
}
static cru_tensor *mse(cru_tape *t, operands x)
{
    return cru_mse(t, x[0], x[1]);
}

typedef struct twice_case {
    const char *name;
    cru_tensor *(*op)(cru_tape *t, operands x);
    int64_t count, shape[3][2]; /* 0 columns: a vector; 0 rows: a scalar */
} twice_case;

static const twice_case cases[] = {
    {"add", add, 2, {{3, 4}, {3, 4}}},
    {"add a row", add, 2, {{3, 4}, {4}}},
    {"sub a column", sub, 2, {{3, 4}, {3, 1}}},
    {"sub from a scalar", sub, 2, {{0}, {3, 4}}},
    {"mul", mul, 2, {{3, 4}, {3, 4}}},
    {"mul by a row", mul, 2, {{3, 4}, {1, 4}}},
    {"mul by a column", mul, 2, {{3, 1}, {3, 4}}},
    {"mul by a scalar", mul, 2, {{3, 4}, {0}}},
    {"div", divide, 2, {{3, 4}, {3, 4}}},
    {"div by a scalar", divide, 2, {{3, 4}, {0}}},
    {"div by a column", divide, 2, {{3, 4}, {3, 1}}},
    {"lerp", lerp, 2, {{3, 4}, {3, 4}}},
    {"affine", affine, 1, {{3, 4}}},
    {"neg, scale", neg, 1, {{3, 4}}},
    {"relu", relu, 1, {{3, 4}}},
    {"leaky", leaky, 1, {{3, 4}}},
    {"tanh", tanh_of, 1, {{3, 4}}},
    {"sigmoid", sigmoid, 1, {{3, 4}}},
    {"exp", exp_of, 1, {{3, 4}}},
    {"log", log_of, 1, {{3, 4}}},
    {"pow", power, 1, {{3, 4}}},
    {"square", square, 1, {{3, 4}}},
    {"sqrt", root, 1, {{3, 4}}},
    {"reciprocal", reciprocal, 1, {{3, 4}}},
    {"matmul", matmul, 2, {{3, 4}, {4, 2}}},
    {"matmul tn", matmul_tn, 2, {{4, 3}, {4, 2}}},
    {"matmul nt", matmul_nt, 2, {{3, 4}, {2, 4}}},
    {"matmul tt", matmul_tt, 2, {{4, 3}, {2, 4}}},
    {"linear", linear, 3, {{3, 4}, {4, 2}, {2}}},
    {"linear_then", linear_then, 3, {{3, 4}, {4, 2}, {2}}},
    {"spmm_then", spmm_then, 2, {{3, 4}, {4}}},
    {"sum of rows", sum_rows, 1, {{3, 4}}},
    {"sum of columns", sum_cols, 1, {{3, 4}}},
    {"mean of rows", mean_rows, 1, {{3, 4}}},
    {"mean of all", mean_all, 1, {{3, 4}}},
    {"softmax", softmax, 1, {{3, 4}}},
    {"log_softmax", log_softmax, 1, {{3, 4}}},
    {"reshape", reshape, 1, {{3, 4}}},
    {"transposed", transposed, 1, {{3, 4}}},
    {"concat_cols", beside, 2, {{3, 4}, {3, 2}}},
    {"concat_rows", below, 2, {{3, 4}, {2, 4}}},
    {"slice_cols", columns, 1, {{3, 4}}},
    {"slice_rows", rows, 1, {{3, 4}}},
    {"broadcast a row", broadcast_row, 1, {{1, 4}}},
    {"broadcast a column", broadcast_column, 1, {{3, 1}}},
    {"gather", gather, 1, {{3, 4}}},
    {"scatter", scatter, 1, {{3, 4}}},
    {"spmm", spmm, 1, {{3, 4}}},
    {"spmm_transposed", spmm_transposed, 1, {{3, 4}}},
    {"input_linear", input_linear, 3, {{3, 4}, {4, 2}, {2}}},
    {"input_linear_then", input_linear_then, 3, {{3, 4}, {4, 2}, {2}}},
    {"cross_entropy", cross_entropy, 1, {{3, 4}}},
    {"soft_cross_entropy", soft_cross_entropy, 2, {{3, 4}, {3, 4}}},
    {"mse", mse, 2, {{3, 4}, {3, 4}}},
};

/* The gradient of sum(y^2), so that operators which are linear themselves have something to differentiate. */
static cru_tensor *gradient(void *user, cru_tape *t, operands x)
{
    const twice_case *c = user;
    cru_tensor *grad[3], *flat[3];
    cru_tensor *loss = cru_sum(t, cru_square(t, c->op(t, x)), CRU_ALL);
    cru_grad(t, loss, x, c->count, grad, CRU_GRAD_GRAPH);
    for (int64_t i = 0; i < c->count; i++) flat[i] = cru_as_matrix(t, grad[i], -1, 1);
    return cru_concat_rows(t, flat, c->count);
}

static cru_tensor *operand(op_bench *b, const int64_t shape[2], double shift)
{
    int32_t rank = shape[0] ? (shape[1] ? 2 : 1) : 0;
    return op_values(b, rank, shape, 0.6 + shift, 1.6 + shift);
}

START_TEST(a_recorded_gradient_has_its_own_gradient)
{
    op_bench b = op_bench_open();
    twice_case c = cases[_i];
    cru_tensor *x[3];
    for (int64_t i = 0; i < c.count; i++) x[i] = operand(&b, c.shape[i], 0.1 * (double)i);
    op_probe probe = {.f = gradient, .user = &c};
    double worst = cru_gradcheck(b.tape, op_weigh, &probe, x, c.count);
    ck_assert_msg(worst < 4e-3, "%s: second derivative off by %g", c.name, worst);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("second order");
    TCase *c = tcase_create("operators");
    tcase_add_loop_test(c, a_recorded_gradient_has_its_own_gradient, 0, (int)(sizeof cases / sizeof *cases));
    suite_add_tcase(s, c);
    return s;
}
