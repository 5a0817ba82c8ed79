// SPDX-License-Identifier: Apache-2.0
/* Linear maps with what follows them in one go: the same bits as one operator after the other, and right gradients. */
#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-sparse.h>
#include <crucible/draft/tensor.h>

#include "ops/gradients.h"

enum { NODES = 5, IN = 3, OUT = 4 };

static const cru_then kinds[] = {
    {0},
    {.act = CRU_UNARY_RELU},
    {.act = CRU_UNARY_LEAKY, .a = 0.3f},
    {.act = CRU_UNARY_ELU, .a = 0.8f},
    {.act = CRU_UNARY_SELU},
    {.act = CRU_UNARY_TANH},
    {.act = CRU_UNARY_SIGMOID},
};

/* Row v takes from v and v + 1. */
static cru_sparse *ring(op_bench *b)
{
    static const int64_t offsets[NODES + 1] = {0, 2, 4, 6, 8, 10};
    static const int32_t ids[] = {0, 1, 1, 2, 2, 3, 3, 4, 0, 4};
    static const float values[] = {0.5f, 1, 0.25f, 2, 1, -1, 0.5f, 0.5f, 3, 0.1f};
    return cru_sparse_create(b->ctx, &(cru_csr){NODES, NODES, offsets, ids, values});
}

typedef struct setting {
    cru_then then;
    cru_sparse *adj;
} setting;

/* x: features, weights, bias */
static cru_tensor *linear_then(void *user, cru_tape *t, cru_tensor *const *x)
{
    cru_then then = ((const setting *)user)->then;
    then.bias = x[2];
    return cru_linear_then(t, x[0], x[1], &then);
}

static cru_tensor *spmm_then(void *user, cru_tape *t, cru_tensor *const *x)
{
    const setting *s = user;
    cru_then then = s->then;
    then.bias = x[2];
    return cru_spmm_then(t, s->adj, cru_matmul(t, x[0], x[1]), &then);
}

static cru_tensor *input_then(void *user, cru_tape *t, cru_tensor *const *x)
{
    const setting *s = user;
    cru_then then = s->then;
    then.bias = x[2];
    cru_input in = {.rows = NODES, .cols = NODES, .sparse = s->adj};
    return cru_input_linear_then(t, &in, cru_matmul(t, x[0], x[1]), &then);
}

static cru_tensor *step_by_step(cru_tape *t, const cru_then *then, cru_tensor *y, cru_tensor *bias)
{
    y = cru_add(t, y, bias);
    if (then->act == CRU_UNARY_LEAKY)
        y = cru_leaky_relu(t, y, then->a);
    else if (then->act == CRU_UNARY_ELU)
        y = cru_elu(t, y, then->a);
    else if (then->act != CRU_UNARY_COPY)
        y = cru_activate(t, then->act, y);
    return cru_dropout(t, y, then->dropout);
}

static cru_tensor *linear_steps(void *user, cru_tape *t, cru_tensor *const *x)
{
    return step_by_step(t, &((const setting *)user)->then, cru_matmul(t, x[0], x[1]), x[2]);
}

static cru_tensor *spmm_steps(void *user, cru_tape *t, cru_tensor *const *x)
{
    const setting *s = user;
    return step_by_step(t, &s->then, cru_spmm(t, s->adj, cru_matmul(t, x[0], x[1])), x[2]);
}

typedef struct outcome {
    float y[NODES * OUT], grad[3][NODES * OUT];
} outcome;

/* Values and gradients of one training step in a fresh context, so that the dropout's numbers are the first ones. */
static outcome run(op_case *f, cru_then then)
{
    op_bench b = op_bench_open();
    setting s = {.then = then, .adj = ring(&b)};
    cru_tensor *x[] = {op_matrix(&b, NODES, IN, -1, 1), op_matrix(&b, IN, OUT, -1, 1),
                       op_values(&b, 1, (const int64_t[]){OUT}, -0.5, 0.5)};
    outcome out = {{0}, {{0}}};
    cru_tape_begin(b.tape, CRU_TRAIN);
    for (int64_t i = 0; i < 3; i++) cru_tensor_watch(x[i]);
    cru_tensor *y = f(&s, b.tape, x);
    cru_backward(b.tape, cru_sum(b.tape, cru_mul(b.tape, y, y), CRU_ALL));
    cru_tensor_download(b.tape, y, out.y);
    for (int64_t i = 0; i < 3; i++) cru_tensor_download(b.tape, cru_grad_of(b.tape, x[i]), out.grad[i]);
    op_bench_close(&b);
    return out;
}

static void check_same(op_case *fused, op_case *steps, cru_then then)
{
    const outcome a = run(fused, then), b = run(steps, then);
    for (int64_t i = 0; i < NODES * OUT; i++) {
        ck_assert_float_eq(a.y[i], b.y[i]);
        for (int64_t k = 0; k < 3; k++) ck_assert_float_eq_tol(a.grad[k][i], b.grad[k][i], 1e-5f);
    }
}

START_TEST(one_go_gives_what_the_steps_give)
{
    cru_then then = kinds[_i];
    for (int dropped = 0; dropped < 2; dropped++) {
        then.dropout = dropped ? 0.4f : 0;
        check_same(linear_then, linear_steps, then);
        check_same(spmm_then, spmm_steps, then);
        check_same(input_then, spmm_steps, then);
    }
}
END_TEST

/* A second map over the first. Its kernel may lead the gradient back through the finish of the first, but not when
 * somebody else adds to that gradient, or looks at it, or comes again. */
enum { ONCE, USED_TWICE, WATCHED, TWO_LOSSES, HOWS };

static outcome run_chain(op_case *f, cru_then then, int how)
{
    op_bench b = op_bench_open();
    cru_tape *t = b.tape;
    setting s = {.then = then, .adj = ring(&b)};
    cru_tensor *x[] = {op_matrix(&b, NODES, IN, -1, 1), op_matrix(&b, IN, OUT, -1, 1),
                       op_values(&b, 1, (const int64_t[]){OUT}, -0.5, 0.5)};
    cru_tensor *w = op_matrix(&b, OUT, OUT, -1, 1);
    outcome out = {{0}, {{0}}};
    cru_tape_begin(t, CRU_TRAIN);
    for (int64_t i = 0; i < 3; i++) cru_tensor_watch(x[i]);
    cru_tensor *h = f(&s, t, x);
    if (how == WATCHED) cru_tensor_watch(h);
    cru_tensor *y = cru_linear(t, h, w, NULL), *loss = cru_sum(t, cru_square(t, y), CRU_ALL);
    if (how == USED_TWICE) loss = cru_add(t, loss, cru_sum(t, cru_square(t, h), CRU_ALL));
    cru_tensor *second = cru_sum(t, cru_tanh(t, y), CRU_ALL);
    cru_backward(t, loss);
    if (how == TWO_LOSSES) cru_backward(t, second);
    cru_tensor_download(t, how == WATCHED ? cru_grad_of(t, h) : y, out.y);
    for (int64_t i = 0; i < 3; i++) cru_tensor_download(t, cru_grad_of(t, x[i]), out.grad[i]);
    op_bench_close(&b);
    return out;
}

START_TEST(gradients_through_two_maps_are_those_of_the_steps)
{
    op_case *const pairs[][2] = {{linear_then, linear_steps}, {spmm_then, spmm_steps}, {input_then, spmm_steps}};
    cru_then then = kinds[_i / HOWS];
    for (int64_t k = 0; k < 6; k++) {
        then.dropout = k % 2 ? 0.4f : 0;
        const outcome a = run_chain(pairs[k / 2][0], then, _i % HOWS), b = run_chain(pairs[k / 2][1], then, _i % HOWS);
        for (int64_t i = 0; i < NODES * OUT; i++) {
            ck_assert_float_eq_tol(a.y[i], b.y[i], 1e-5f);
            for (int64_t g = 0; g < 3; g++) ck_assert_float_eq_tol(a.grad[g][i], b.grad[g][i], 1e-4f);
        }
    }
}
END_TEST

START_TEST(gradients_match_differences)
{
    op_bench b = op_bench_open();
    setting s = {.then = kinds[_i], .adj = ring(&b)};
    cru_tensor *x[] = {op_matrix(&b, NODES, IN, -1, 1), op_matrix(&b, IN, OUT, -1, 1),
                       op_values(&b, 1, (const int64_t[]){OUT}, -0.5, 0.5)};
    op_check(&b, linear_then, &s, x, 3);
    op_check(&b, spmm_then, &s, x, 3);
    op_check(&b, input_then, &s, x, 3);
    op_bench_close(&b);
}
END_TEST

START_TEST(dropout_is_off_in_eval_mode)
{
    op_bench b = op_bench_open();
    setting s = {.then = {.act = CRU_UNARY_RELU, .dropout = 0.9f}, .adj = ring(&b)};
    cru_tensor *x[] = {op_matrix(&b, NODES, IN, 1, 2), op_matrix(&b, IN, OUT, 1, 2),
                       op_values(&b, 1, (const int64_t[]){OUT}, 0, 1)};
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = linear_then(&s, b.tape, x);
    for (int64_t i = 0; i < NODES * OUT; i++) ck_assert_float_gt(test_value(y, i), 1);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("ops-then");
    TCase *c = tcase_create("then");
    const int count = (int)(sizeof kinds / sizeof *kinds);
    tcase_add_loop_test(c, one_go_gives_what_the_steps_give, 0, count);
    tcase_add_loop_test(c, gradients_through_two_maps_are_those_of_the_steps, 0, count * HOWS);
    tcase_add_loop_test(c, gradients_match_differences, 0, count);
    tcase_add_test(c, dropout_is_off_in_eval_mode);
    suite_add_tcase(s, c);
    return s;
}
