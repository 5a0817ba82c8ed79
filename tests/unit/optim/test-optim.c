// SPDX-License-Identifier: Apache-2.0
/* Groups, clipping, missing gradients and schedules. The optimisers' formulas are compared with PyTorch in nn/. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <crucible/crucible.h>

#include "on-device.h"

typedef struct bench {
    cru_ctx *ctx;
    cru_tape *tape;
    cru_net *net;
    cru_fc fc;
} bench;

static bench bench_open(void)
{
    bench b = {.ctx = test_ctx(NULL)};
    b.tape = cru_tape_create(b.ctx);
    b.net = cru_net_create(b.ctx, "net");
    cru_init one = {.kind = CRU_INIT_CONSTANT, .a = 1};
    b.fc = cru_fc_create_with(b.net, "fc", 2, 2, one, &one);
    return b;
}

/* Adds `value` to the gradient of every element of w. */
static void give_gradient(bench *b, cru_tensor *w, float value)
{
    cru_tape_begin(b->tape, CRU_TRAIN);
    cru_backward(b->tape, cru_scale(b->tape, cru_sum(b->tape, w, CRU_ALL), value));
}

static bool is_bias(void *user, const char *name)
{
    (void)user;
    return strstr(name, "bias") != NULL;
}

START_TEST(groups_have_their_own_rate_and_decay_and_the_first_one_wins)
{
    bench b = bench_open();
    cru_optim *optim = cru_optim_create(b.ctx, &(cru_optim_spec){.kind = CRU_SGD, .lr = 0.1, .decay = 0.5});
    cru_optim_add(optim, b.net, &(cru_optim_group){.lr_factor = 10, .own_decay = true, .only = is_bias});
    cru_optim_add(optim, b.net, NULL);
    give_gradient(&b, b.fc.w, 2);
    give_gradient(&b, b.fc.b, 2);
    cru_optim_step(optim);
    ck_assert_float_eq_tol(test_value(b.fc.b, 0), 1 - 1.0f * 2, 1e-6f);          /* no decay, ten times the rate */
    ck_assert_float_eq_tol(test_value(b.fc.w, 0), 1 - 0.1f * (2 + 0.5f), 1e-6f); /* g + decay w */
    cru_ctx_destroy(b.ctx);
}
END_TEST

/* The first step of Adam is lr in the direction of the gradient, after w (1 - lr decay). */
START_TEST(adamw_of_matrices_spares_biases)
{
    bench b = bench_open();
    cru_optim *optim = cru_optim_create(b.ctx, &(cru_optim_spec){.kind = CRU_ADAMW_MATRICES, .lr = 0.1, .decay = 0.5});
    cru_optim_add(optim, b.net, NULL);
    give_gradient(&b, b.fc.w, 2);
    give_gradient(&b, b.fc.b, 2);
    cru_optim_step(optim);
    ck_assert_float_eq_tol(test_value(b.fc.w, 0), 1 - 0.1f * 0.5f - 0.1f, 1e-6f);
    ck_assert_float_eq_tol(test_value(b.fc.b, 0), 1 - 0.1f, 1e-6f);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(a_weight_without_gradient_is_left_alone)
{
    bench b = bench_open();
    cru_optim *optim = cru_optim_create(b.ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = 0.1, .decay = 0.5});
    cru_optim_add(optim, b.net, NULL);
    for (int step = 0; step < 3; step++) {
        give_gradient(&b, b.fc.w, 2);
        cru_optim_step(optim);
    }
    ck_assert_float_eq(test_value(b.fc.b, 0), 1);
    give_gradient(&b, b.fc.b, 2);
    cru_optim_step(optim);
    ck_assert_float_eq_tol(test_value(b.fc.b, 0), 0.9f, 1e-5f); /* Adam's first step has the length of the rate */
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(a_step_uses_up_the_gradients)
{
    bench b = bench_open();
    cru_optim *optim = cru_optim_create(b.ctx, &(cru_optim_spec){.kind = CRU_SGD, .lr = 0.1});
    cru_optim_add(optim, b.net, NULL);
    give_gradient(&b, b.fc.w, 1);
    give_gradient(&b, b.fc.w, 1);
    cru_optim_step(optim);
    ck_assert_float_eq_tol(test_value(b.fc.w, 0), 0.8f, 1e-6f);
    ck_assert_ptr_null(cru_weight_grad(b.fc.w));
    give_gradient(&b, b.fc.w, 1);
    cru_optim_clear(optim);
    cru_optim_step(optim);
    ck_assert_float_eq_tol(test_value(b.fc.w, 0), 0.8f, 1e-6f);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(the_rate_can_change_between_steps)
{
    bench b = bench_open();
    cru_optim *optim = cru_optim_create(b.ctx, &(cru_optim_spec){.kind = CRU_SGD, .lr = 0.1});
    cru_optim_add_weight(optim, b.fc.w, NULL);
    cru_optim_set_lr(optim, 0.5);
    ck_assert_double_eq(cru_optim_lr(optim), 0.5);
    give_gradient(&b, b.fc.w, 1);
    cru_optim_step(optim);
    ck_assert_float_eq_tol(test_value(b.fc.w, 3), 0.5f, 1e-6f);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(a_reset_forgets_moments_and_steps)
{
    bench b = bench_open();
    cru_optim *optim = cru_optim_create(b.ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = 0.1, .amsgrad = true});
    cru_optim_add(optim, b.net, NULL);
    for (int step = 0; step < 4; step++) {
        give_gradient(&b, b.fc.w, 5);
        cru_optim_step(optim);
    }
    give_gradient(&b, b.fc.w, 5);
    cru_optim_reset(optim);
    ck_assert_ptr_null(cru_weight_grad(b.fc.w));
    float before = test_value(b.fc.w, 0);
    give_gradient(&b, b.fc.w, -0.01f);
    cru_optim_step(optim);
    ck_assert_float_eq_tol(test_value(b.fc.w, 0), before + 0.1f, 1e-5f);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(clipping_shortens_the_joint_gradient_of_all_weights)
{
    bench b = bench_open();
    cru_optim *optim = cru_optim_create(b.ctx, &(cru_optim_spec){.kind = CRU_SGD, .lr = 1});
    cru_optim_add(optim, b.net, NULL);
    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor *sums = cru_add(b.tape, cru_scale(b.tape, cru_sum(b.tape, b.fc.w, CRU_ALL), 2),
                               cru_scale(b.tape, cru_sum(b.tape, b.fc.b, CRU_ALL), 3));
    cru_backward(b.tape, sums);
    double norm = sqrt(4 * 4 + 2 * 9);
    ck_assert_double_eq_tol(cru_optim_clip(optim, 100), norm, 1e-5);
    ck_assert_float_eq(test_grad(b.fc.w)[0], 2);
    ck_assert_double_eq_tol(cru_optim_clip(optim, 0.5), norm, 1e-5);
    ck_assert_double_eq_tol((double)test_grad(b.fc.w)[0], 2 * 0.5 / norm, 1e-6);
    ck_assert_double_eq_tol((double)test_grad(b.fc.b)[1], 3 * 0.5 / norm, 1e-6);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(clipping_without_gradients_does_nothing)
{
    bench b = bench_open();
    cru_optim *optim = cru_optim_create(b.ctx, &(cru_optim_spec){.kind = CRU_SGD, .lr = 1});
    cru_optim_add(optim, b.net, NULL);
    ck_assert_double_eq(cru_optim_clip(optim, 1), 0);
    ck_assert_ptr_null(cru_weight_grad(b.fc.w));
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(a_warm_up_rises_to_the_rate_and_stays)
{
    const double expected[] = {0.2, 0.4, 0.6, 0.8, 0.8, 0.8};
    for (int64_t i = 0; i < 6; i++) ck_assert_double_eq_tol(cru_lr_warmup(0.8, i, 4), expected[i], 1e-12);
    ck_assert_double_eq(cru_lr_warmup(0.8, 0, 0), 0.8);
}
END_TEST

START_TEST(a_plateau_counts_nan_as_no_progress)
{
    cru_plateau plateau = {.factor = 0.5, .patience = 1};
    double lr = cru_plateau_step(&plateau, 1, (double)NAN);
    lr = cru_plateau_step(&plateau, lr, (double)NAN);
    ck_assert_double_eq(lr, 0.5);
    ck_assert_double_eq(cru_plateau_step(&plateau, lr, 3), 0.5);
    ck_assert_double_eq(plateau.best, 3);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("optimisers");
    TCase *c = tcase_create("optimisers");
    tcase_add_test(c, groups_have_their_own_rate_and_decay_and_the_first_one_wins);
    tcase_add_test(c, adamw_of_matrices_spares_biases);
    tcase_add_test(c, a_weight_without_gradient_is_left_alone);
    tcase_add_test(c, a_step_uses_up_the_gradients);
    tcase_add_test(c, the_rate_can_change_between_steps);
    tcase_add_test(c, a_reset_forgets_moments_and_steps);
    tcase_add_test(c, clipping_shortens_the_joint_gradient_of_all_weights);
    tcase_add_test(c, clipping_without_gradients_does_nothing);
    tcase_add_test(c, a_warm_up_rises_to_the_rate_and_stays);
    tcase_add_test(c, a_plateau_counts_nan_as_no_progress);
    suite_add_tcase(s, c);
    return s;
}
