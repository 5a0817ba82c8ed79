// SPDX-License-Identifier: Apache-2.0
/* How gradients flow: several losses, cut and changed branches, gradients of gradients. */
#include <string.h>

#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-sparse.h>
#include <crucible/draft/tensor.h>

#include "ops/gradients.h"

static cru_tensor *weight(op_bench *b, int64_t rows, int64_t cols, double lo, double hi)
{
    const int64_t dim[2] = {rows, cols};
    cru_tensor *w = cru_weight_create(b->ctx, cru_nd(2, dim)), *values = op_values(b, 2, dim, lo, hi);
    test_write(w, test_values(values));
    return w;
}

static cru_tensor *sum_of_squares(cru_tape *t, cru_tensor *x)
{
    return cru_sum(t, cru_square(t, x), CRU_ALL);
}

static void check_grad(const float *grad, const cru_tensor *x, float factor)
{
    ck_assert_ptr_nonnull(grad);
    for (int64_t i = 0; i < cru_tensor_count(x); i++) ck_assert_float_eq_tol(grad[i], factor * test_value(x, i), 1e-5f);
}

/* ---- collecting --------------------------------------------------------------------------------------- */

START_TEST(gradients_of_several_losses_and_steps_add_up_until_cleared)
{
    op_bench b = op_bench_open();
    cru_tensor *w = weight(&b, 2, 3, -1, 1);
    ck_assert_ptr_null(cru_weight_grad(w));
    for (int step = 0; step < 2; step++) {
        cru_tape_begin(b.tape, CRU_TRAIN);
        cru_tensor *square = sum_of_squares(b.tape, w);
        cru_backward(b.tape, square);
        cru_backward(b.tape, cru_scale(b.tape, square, 3));
    }
    check_grad(test_grad(w), w, 2 * (2 + 6));
    cru_weight_clear(w);
    ck_assert_ptr_null(cru_weight_grad(w));
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_backward(b.tape, sum_of_squares(b.tape, w));
    check_grad(test_grad(w), w, 2);
    op_bench_close(&b);
}
END_TEST

/* ---- judging and learning in one step -------------------------------------------------------------------------- */

typedef struct two_passes {
    cru_sparse *a;
    cru_input x;
    cru_tensor *w, *b;
} two_passes;

static cru_tensor *first_layer(cru_tape *t, const two_passes *m, float dropout)
{
    const cru_then then = {.bias = m->b, .act = CRU_UNARY_RELU, .dropout = dropout};
    return cru_spmm_then(t, m->a, cru_input_linear(t, &m->x, m->w, NULL), &then);
}

/* Of one layer on a graph: without dropout the pass that learns takes the result itself, with it the same numbers as
 * without judging; other memory of the pass that judged is used again. Loss and gradients are those of one pass. */
START_TEST(what_comes_before_dropout_is_computed_once)
{
    static const int64_t offsets[] = {0, 2, 3, 5};
    static const int32_t ids[] = {0, 1, 2, 0, 2};
    static const float values[] = {1, 0.5f, 2, -1, 3};
    const cru_csr csr = {.rows = 3, .cols = 3, .offsets = offsets, .ids = ids, .values = values};
    const float dropout = _i ? 0.5f : 0;
    float expected[12], slope[12];
    for (int judged = 0; judged < 2; judged++) {
        op_bench b = op_bench_open();
        two_passes m = {
            .a = cru_sparse_create(b.ctx, &csr), .w = weight(&b, 3, 4, -1, 1), .b = weight(&b, 1, 4, -1, 1)};
        m.x = (cru_input){.rows = 3, .cols = 3, .sparse = cru_sparse_create(b.ctx, &csr)};
        const float *seen = NULL, *squares = NULL;
        cru_tape_begin(b.tape, CRU_TRAIN);
        if (judged) {
            cru_tape_judge(b.tape, true);
            const cru_tensor *y = first_layer(b.tape, &m, dropout);
            seen = y->data;
            squares = cru_square(b.tape, (cru_tensor *)y)->data;
            cru_tape_judge(b.tape, false);
        }
        cru_tensor *y = first_layer(b.tape, &m, dropout);
        ck_assert(!judged || (y->data == seen) == (dropout == 0));
        cru_tensor *square = cru_square(b.tape, y);
        ck_assert(!judged || dropout > 0 || square->data == squares);
        cru_backward(b.tape, cru_sum(b.tape, square, CRU_ALL));
        if (judged) {
            ck_assert_mem_eq(test_values(y), expected, sizeof expected);
            ck_assert_mem_eq(test_grad(m.w), slope, sizeof slope);
        }
        memcpy(expected, test_values(y), sizeof expected);
        memcpy(slope, test_grad(m.w), sizeof slope);
        op_bench_close(&b);
    }
}
END_TEST

START_TEST(a_kept_tensor_outlives_its_step)
{
    op_bench b = op_bench_open();
    const int64_t dim[2] = {2, 3};
    cru_tensor *w = weight(&b, 2, 3, -1, 1), *kept = cru_tensor_create(b.ctx, cru_nd(2, dim));
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_keep(b.tape, kept, cru_scale(b.tape, w, 2));
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_filled(b.tape, cru_nd(2, dim), 7); /* in the memory of the first step */
    for (int i = 0; i < 6; i++) ck_assert_float_eq(test_value(kept, i), 2 * test_value(w, i));
    op_bench_close(&b);
}
END_TEST

START_TEST(a_watched_input_collects_over_the_losses_of_one_step_only)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, 2, 3, -1, 1);
    for (int step = 0; step < 2; step++) {
        cru_tape_begin(b.tape, CRU_TRAIN);
        cru_tensor_watch(x);
        cru_backward(b.tape, sum_of_squares(b.tape, x));
        cru_backward(b.tape, cru_scale(b.tape, sum_of_squares(b.tape, x), 2));
        check_grad(test_values(cru_grad_of(b.tape, x)), x, 6);
    }
    op_bench_close(&b);
}
END_TEST

START_TEST(a_watched_intermediate_collects_and_passes_on)
{
    op_bench b = op_bench_open();
    cru_tensor *w = weight(&b, 2, 3, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *h = cru_scale(b.tape, w, 3);
    cru_tensor_watch(h);
    cru_backward(b.tape, sum_of_squares(b.tape, h));
    check_grad(test_values(cru_grad_of(b.tape, h)), h, 2);
    check_grad(test_grad(w), w, 18);
    cru_backward(b.tape, sum_of_squares(b.tape, h));
    check_grad(test_values(cru_grad_of(b.tape, h)), h, 4);
    check_grad(test_grad(w), w, 36);
    op_bench_close(&b);
}
END_TEST

START_TEST(nothing_flows_to_a_tensor_that_the_loss_does_not_use)
{
    op_bench b = op_bench_open();
    cru_tensor *w = weight(&b, 1, 2, -1, 1), *other = weight(&b, 1, 2, -1, 1), *x = op_matrix(&b, 1, 2, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_mul(b.tape, other, x);
    cru_backward(b.tape, sum_of_squares(b.tape, w));
    ck_assert_ptr_null(cru_weight_grad(other));
    check_grad(test_values(cru_grad_of(b.tape, x)), x, 0);
    op_bench_close(&b);
}
END_TEST

/* ---- cutting and changing -------------------------------------------------------------------------------- */

START_TEST(a_detached_branch_is_a_constant)
{
    op_bench b = op_bench_open();
    cru_tensor *w = weight(&b, 2, 2, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_backward(b.tape, cru_sum(b.tape, cru_mul(b.tape, w, cru_detach(b.tape, w)), CRU_ALL));
    check_grad(test_grad(w), w, 1);
    op_bench_close(&b);
}
END_TEST

START_TEST(nothing_is_recorded_while_recording_is_off)
{
    op_bench b = op_bench_open();
    cru_tensor *w = weight(&b, 2, 2, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    bool was = cru_tape_record(b.tape, false);
    ck_assert(was);
    cru_tensor *target = cru_scale(b.tape, w, 2);
    ck_assert(!target->needs_grad);
    ck_assert(!cru_tape_record(b.tape, was));
    cru_backward(b.tape, cru_sum(b.tape, cru_mul(b.tape, w, target), CRU_ALL));
    check_grad(test_grad(w), w, 2);
    op_bench_close(&b);
}
END_TEST

START_TEST(an_eval_step_records_when_asked_for_saliency)
{
    op_bench b = op_bench_open();
    cru_tensor *x = op_matrix(&b, 3, 2, -1, 1);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor_watch(x);
    ck_assert(!cru_scale(b.tape, x, 2)->needs_grad);
    ck_assert(!cru_tape_record(b.tape, true));
    cru_backward(b.tape, sum_of_squares(b.tape, cru_dropout(b.tape, x, 0.5f)));
    check_grad(test_values(cru_grad_of(b.tape, x)), x, 2);
    op_bench_close(&b);
}
END_TEST

static void reverse(void *user, cru_tape *t, float *grad, int64_t n)
{
    cru_device *device = cru_ctx_device(cru_tape_ctx(t));
    device->backend->unary(device, CRU_UNARY_SCALE, &(cru_unary_args){n, grad, grad, *(const float *)user, 0});
}

START_TEST(a_gradient_is_changed_on_its_way_through)
{
    op_bench b = op_bench_open();
    cru_tensor *w = weight(&b, 2, 2, -1, 1);
    float factor = -0.5f;
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *through = cru_grad_through(b.tape, w, reverse, &factor);
    for (int i = 0; i < 4; i++) ck_assert_float_eq(test_value(through, i), test_value(w, i));
    cru_backward(b.tape, cru_add(b.tape, sum_of_squares(b.tape, through), sum_of_squares(b.tape, w)));
    check_grad(test_grad(w), w, 2 * -0.5f + 2);
    op_bench_close(&b);
}
END_TEST

/* ---- cru_grad -------------------------------------------------------------------------------------------- */

START_TEST(asking_for_gradients_leaves_those_of_weights_and_inputs_alone)
{
    op_bench b = op_bench_open();
    cru_tensor *w = weight(&b, 2, 2, -1, 1), *v = weight(&b, 2, 2, 0, 1), *x = op_matrix(&b, 2, 2, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_backward(b.tape, cru_add(b.tape, sum_of_squares(b.tape, w), sum_of_squares(b.tape, x)));
    cru_tensor *h = cru_add(b.tape, cru_add(b.tape, w, v), x), *asked[] = {w, h}, *grad[2];
    cru_grad(b.tape, sum_of_squares(b.tape, h), asked, 2, grad, 0);
    check_grad(test_values(grad[0]), h, 2);
    check_grad(test_values(grad[1]), h, 2);
    check_grad(test_grad(w), w, 2);
    ck_assert_ptr_null(cru_weight_grad(v));
    check_grad(test_values(cru_grad_of(b.tape, x)), x, 2);
    cru_backward(b.tape, sum_of_squares(b.tape, w));
    check_grad(test_grad(w), w, 4);
    op_bench_close(&b);
}
END_TEST

START_TEST(recorded_and_plain_gradients_agree)
{
    op_bench b = op_bench_open();
    cru_tensor *w[] = {weight(&b, 3, 4, -1, 1), weight(&b, 4, 2, -1, 1)}, *x = op_matrix(&b, 5, 3, -1, 1);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *h = cru_tanh(b.tape, cru_matmul(b.tape, x, w[0]));
    cru_tensor *loss = sum_of_squares(b.tape, cru_matmul(b.tape, h, w[1])), *plain[2], *recorded[2];
    cru_grad(b.tape, loss, w, 2, plain, 0);
    cru_grad(b.tape, loss, w, 2, recorded, CRU_GRAD_GRAPH);
    for (int k = 0; k < 2; k++) {
        ck_assert(recorded[k]->needs_grad);
        for (int64_t i = 0; i < cru_tensor_count(w[k]); i++)
            ck_assert_float_eq_tol(test_value(recorded[k], i), test_value(plain[k], i), 1e-5f);
    }
    op_bench_close(&b);
}
END_TEST

/* ---- gradients of gradients ------------------------------------------------------------------------------ */

typedef struct model {
    cru_tensor *x;
    cru_sparse *adj; /* NULL: an mlp */
    cru_targets targets;
    bool smooth; /* tanh in place of relu */
} model;

static cru_tensor *spread(cru_tape *t, const model *m, cru_tensor *x)
{
    return m->adj ? cru_spmm(t, m->adj, x) : x;
}

/* w: first matrix, first bias, second matrix, second bias */
static cru_tensor *model_loss(cru_tape *t, const model *m, cru_tensor *const *w)
{
    cru_tensor *h = cru_linear(t, spread(t, m, m->x), w[0], w[1]);
    h = m->smooth ? cru_tanh(t, h) : cru_relu(t, h);
    return cru_cross_entropy(t, cru_linear(t, spread(t, m, h), w[2], w[3]), step_targets(t, &m->targets));
}

/* The gradient itself is the function under test: differences of it give the second derivatives. */
static cru_tensor *gradient_of_loss(void *user, cru_tape *t, cru_tensor *const *w)
{
    cru_tensor *grad[4], *flat[4];
    cru_grad(t, model_loss(t, user, w), w, 4, grad, CRU_GRAD_GRAPH);
    for (int i = 0; i < 4; i++) flat[i] = cru_as_matrix(t, grad[i], -1, 1);
    return cru_concat_rows(t, flat, 4);
}

/* The loss after one step of gradient descent, as a function of the weights before it. */
static cru_tensor *loss_after_step(void *user, cru_tape *t, cru_tensor *const *w)
{
    cru_tensor *grad[4], *fast[4];
    cru_grad(t, model_loss(t, user, w), w, 4, grad, CRU_GRAD_GRAPH);
    for (int i = 0; i < 4; i++) fast[i] = cru_sub(t, w[i], cru_scale(t, grad[i], 0.7f));
    return model_loss(t, user, fast);
}

static const int64_t ring_offsets[] = {0, 2, 4, 6, 8, 9};
static const int32_t ring_ids[] = {0, 1, 1, 2, 2, 3, 0, 3, 4};
static const float ring_values[] = {0.5f, 0.7f, 0.4f, 0.6f, 0.5f, 0.3f, 0.8f, 0.5f, 1};
static const cru_csr ring = {5, 5, ring_offsets, ring_ids, ring_values};
static const int32_t rows[] = {3, 0, 4}, labels[] = {1, 0, 2};
static const float class_weights[] = {1, 2, 0.5f};
static const cru_index chosen = {rows, 3};

static model second_order_model(op_bench *b, int variant)
{
    model m = {.x = op_matrix(b, 5, 4, -1, 1), .smooth = variant & 1};
    m.targets = (cru_targets){.rows = &chosen, .labels = {labels, 3}};
    if (variant & 2) m.targets.class_weights = class_weights;
    if (variant & 4) m.adj = cru_sparse_create(b->ctx, &ring);
    return m;
}

static void second_order_weights(op_bench *b, cru_tensor **w)
{
    const int64_t hidden = 3, classes = 3;
    w[0] = op_matrix(b, 4, hidden, -1, 1);
    w[1] = op_values(b, 1, &hidden, 0.1, 0.4);
    w[2] = op_matrix(b, hidden, classes, -1.5, 1);
    w[3] = op_values(b, 1, &classes, -0.5, 0.5);
}

START_TEST(second_derivatives_of_two_layers)
{
    op_bench b = op_bench_open();
    model m = second_order_model(&b, _i);
    cru_tensor *w[4];
    second_order_weights(&b, w);
    op_check(&b, gradient_of_loss, &m, w, 4);
    op_bench_close(&b);
}
END_TEST

START_TEST(a_loss_after_an_inner_step_is_differentiable)
{
    op_bench b = op_bench_open();
    model m = second_order_model(&b, _i);
    cru_tensor *w[4];
    second_order_weights(&b, w);
    op_check(&b, loss_after_step, &m, w, 4);
    op_bench_close(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("autograd");
    TCase *c = tcase_create("flow");
    tcase_add_test(c, gradients_of_several_losses_and_steps_add_up_until_cleared);
    tcase_add_loop_test(c, what_comes_before_dropout_is_computed_once, 0, 2);
    tcase_add_test(c, a_kept_tensor_outlives_its_step);
    tcase_add_test(c, a_watched_input_collects_over_the_losses_of_one_step_only);
    tcase_add_test(c, a_watched_intermediate_collects_and_passes_on);
    tcase_add_test(c, nothing_flows_to_a_tensor_that_the_loss_does_not_use);
    tcase_add_test(c, a_detached_branch_is_a_constant);
    tcase_add_test(c, nothing_is_recorded_while_recording_is_off);
    tcase_add_test(c, an_eval_step_records_when_asked_for_saliency);
    tcase_add_test(c, a_gradient_is_changed_on_its_way_through);
    tcase_add_test(c, asking_for_gradients_leaves_those_of_weights_and_inputs_alone);
    tcase_add_test(c, recorded_and_plain_gradients_agree);
    tcase_add_loop_test(c, second_derivatives_of_two_layers, 0, 8);
    tcase_add_loop_test(c, a_loss_after_an_inner_step_is_differentiable, 0, 8);
    suite_add_tcase(s, c);
    return s;
}
