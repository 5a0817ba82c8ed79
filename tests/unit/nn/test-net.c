// SPDX-License-Identifier: Apache-2.0
/* Nets: how weights are drawn, named, saved, copied and averaged. */
#include <check.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include <crucible/crucible.h>

#include "on-device.h"

static const int64_t matrix[2] = {200, 300};

static bool same(const cru_tensor *a, const cru_tensor *b)
{
    return cru_tensor_count(a) == cru_tensor_count(b) &&
           memcmp(test_values(a), test_values(b), (size_t)cru_tensor_count(a) * sizeof(float)) == 0;
}

static cru_tensor *draw(cru_ctx *ctx, const char *net, cru_init init)
{
    return cru_net_weight(cru_net_create(ctx, net), "w", cru_nd(2, matrix), init);
}

START_TEST(a_net_is_drawn_by_seed_and_name)
{
    cru_ctx *one = test_ctx(&(cru_ctx_options){.seed = 1}), *again = test_ctx(&(cru_ctx_options){.seed = 1});
    cru_ctx *two = test_ctx(&(cru_ctx_options){.seed = 2});
    cru_init init = {.kind = CRU_INIT_GLOROT_UNIFORM};
    cru_tensor *w = draw(one, "encoder", init);
    ck_assert(same(w, draw(again, "encoder", init)));
    ck_assert(!same(w, draw(again, "decoder", init)));
    ck_assert(!same(w, draw(two, "encoder", init)));
    cru_ctx_destroy(one);
    cru_ctx_destroy(again);
    cru_ctx_destroy(two);
}
END_TEST

START_TEST(a_buffer_is_filled_named_and_has_no_gradient)
{
    cru_ctx *ctx = test_ctx(&(cru_ctx_options){.seed = 1});
    cru_net *net = cru_net_create(ctx, "net");
    cru_tensor *buffer = cru_net_buffer(net, "running", cru_2d(2, 3), 0.75f);
    ck_assert_ptr_eq(cru_net_find(net, "running"), buffer);
    ck_assert(!buffer->needs_grad);
    ck_assert_int_eq(buffer->rank, 2);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(test_value(buffer, i), 0.75f);
    cru_ctx_destroy(ctx);
}
END_TEST

/* Names and values may differ; a missing, a longer or a differently placed member may not. */
START_TEST(nets_are_alike_when_their_members_have_the_same_sizes)
{
    cru_ctx *ctx = test_ctx(&(cru_ctx_options){.seed = 1});
    cru_net *net[5];
    static const char *const names[5] = {"a", "b", "short", "wide", "unbuffered"};
    static const int64_t widths[5] = {3, 3, 3, 4, 3};
    for (int i = 0; i < 5; i++) {
        net[i] = cru_net_create(ctx, names[i]);
        cru_net_weight(net[i], names[i], cru_1d(widths[i]), (cru_init){.kind = CRU_INIT_NORMAL, .b = 1});
        if (i != 2) cru_net_weight(net[i], "second", cru_nd(1, widths), (cru_init){.kind = CRU_INIT_ZEROS});
        if (i != 4) cru_net_buffer(net[i], "running", cru_nd(1, widths), (float)i);
    }
    ck_assert(cru_net_alike(net[0], net[0]));
    ck_assert(cru_net_alike(net[0], net[1]));
    for (int i = 2; i < 5; i++) {
        ck_assert(!cru_net_alike(net[0], net[i]));
        ck_assert(!cru_net_alike(net[i], net[0]));
    }
    cru_ctx_destroy(ctx);
}
END_TEST

/* ---- distributions --------------------------------------------------------------------------------------- */

/* Fans of the 200 x 300 matrix are 200 and 300. A uniform distribution on +-s has variance s^2 / 3. */
static const struct {
    const char *name;
    cru_init init;
    double mean, var, bound; /* bound 0: normal */
} init_cases[] = {
    {"uniform", {.kind = CRU_INIT_UNIFORM, .a = 1, .b = 3}, 2, 1.0 / 3, 1},
    {"normal", {.kind = CRU_INIT_NORMAL, .a = 1, .b = 0.5f}, 1, 0.25, 0},
    {"fan in", {.kind = CRU_INIT_FAN_IN}, 0, 1.0 / 600, 0.0707107},
    {"fan in of another", {.kind = CRU_INIT_FAN_IN, .fan_in = 50}, 0, 1.0 / 150, 0.1414214},
    {"fan out", {.kind = CRU_INIT_FAN_OUT}, 0, 1.0 / 900, 0.0577351},
    {"glorot uniform", {.kind = CRU_INIT_GLOROT_UNIFORM}, 0, 2.0 / 500, 0.1095446},
    {"glorot uniform with gain", {.kind = CRU_INIT_GLOROT_UNIFORM, .a = 2}, 0, 8.0 / 500, 0.2190891},
    {"glorot normal", {.kind = CRU_INIT_GLOROT_NORMAL}, 0, 2.0 / 500, 0},
    {"kaiming uniform", {.kind = CRU_INIT_KAIMING_UNIFORM}, 0, 2.0 / 200, 0.1732051},
    {"kaiming uniform with gain", {.kind = CRU_INIT_KAIMING_UNIFORM, .a = 1}, 0, 1.0 / 200, 0.1224745},
    {"kaiming normal", {.kind = CRU_INIT_KAIMING_NORMAL}, 0, 2.0 / 200, 0},
    {"kaiming fan out", {.kind = CRU_INIT_KAIMING_FAN_OUT}, 0, 2.0 / 300, 0},
};

START_TEST(weights_have_the_moments_of_their_initialisation)
{
    cru_ctx *ctx = test_ctx(&(cru_ctx_options){.seed = 5});
    const cru_tensor *w = draw(ctx, "net", init_cases[_i].init);
    const float *drawn = test_values(w);
    double n = (double)cru_tensor_count(w), mean = 0, var = 0, far = 0;
    for (int64_t i = 0; i < cru_tensor_count(w); i++) mean += (double)drawn[i] / n;
    for (int64_t i = 0; i < cru_tensor_count(w); i++) {
        double off = (double)drawn[i] - init_cases[_i].mean;
        var += off * off / n;
        far = fmax(far, fabs(off));
    }
    double deviation = sqrt(init_cases[_i].var);
    ck_assert_msg(fabs(mean - init_cases[_i].mean) < 4 * deviation / sqrt(n), "%s: mean %g", init_cases[_i].name, mean);
    ck_assert_msg(fabs(var / init_cases[_i].var - 1) < 0.025, "%s: variance %g", init_cases[_i].name, var);
    if (init_cases[_i].bound > 0) { /* 60000 draws reach the last thousandth of the range */
        ck_assert_double_le(far, init_cases[_i].bound * 1.00001);
        ck_assert_double_ge(far, init_cases[_i].bound * 0.999);
    } else {
        ck_assert_double_ge(far, 3.5 * deviation);
    }
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(fixed_initialisations_and_the_fans_of_a_convolution)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_net *net = cru_net_create(ctx, "net");
    const int64_t conv[4] = {8, 4, 3, 3}, n = 3;
    ck_assert_float_eq(test_value(cru_net_weight(net, "zeros", cru_1d(n), (cru_init){0}), 2), 0);
    cru_init seven = {.kind = CRU_INIT_CONSTANT, .a = 7};
    ck_assert_float_eq(test_value(cru_net_weight(net, "sevens", cru_1d(n), seven), 2), 7);
    const cru_tensor *w = cru_net_weight(net, "conv", cru_nd(4, conv), (cru_init){.kind = CRU_INIT_FAN_IN});
    const float *drawn = test_values(w);
    float far = 0;
    for (int64_t i = 0; i < cru_tensor_count(w); i++) far = fmaxf(far, fabsf(drawn[i]));
    ck_assert_float_le(far, 1 / sqrtf(4 * 9));
    ck_assert_float_ge(far, 0.95f / sqrtf(4 * 9));
    cru_ctx_destroy(ctx);
}
END_TEST

/* ---- members --------------------------------------------------------------------------------------------- */

/* Weights and buffers. */
static cru_net *mlp_net(cru_ctx *ctx, const char *name)
{
    cru_net *net = cru_net_create(ctx, name);
    cru_mlp_create(net, "mlp", &(cru_mlp_shape){.in = 3, .hidden = 4, .out = 2, .layers = 2, .batch_norm = true});
    return net;
}

START_TEST(members_are_found_by_name)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_net *net = mlp_net(ctx, "net");
    static const char *const weights[] = {"mlp.linear0.weight", "mlp.linear0.bias",   "mlp.norm0.weight",
                                          "mlp.norm0.bias",     "mlp.linear1.weight", "mlp.linear1.bias"};
    ck_assert_int_eq(cru_net_weight_count(net), 6);
    for (int64_t i = 0; i < 6; i++) {
        ck_assert_str_eq(cru_net_weight_name(net, i), weights[i]);
        ck_assert_ptr_eq(cru_net_find(net, weights[i]), cru_net_weight_at(net, i));
    }
    ck_assert(!cru_net_find(net, "mlp.norm0.running_var")->needs_grad);
    ck_assert_ptr_null(cru_net_find(net, "mlp.linear2.weight"));
    cru_ctx_destroy(ctx);
}
END_TEST

/* Changes weights and buffers alike. */
static void disturb(cru_net *net, float by)
{
    for (int64_t i = 0; i < cru_net_weight_count(net); i++) test_add(cru_net_weight_at(net, i), 0, by);
    test_add(cru_net_find(net, "mlp.norm0.running_mean"), 1, by);
}

START_TEST(a_snapshot_brings_back_weights_and_buffers)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_net *net = mlp_net(ctx, "net");
    cru_tensor *w = cru_net_find(net, "mlp.linear1.weight"), *mean = cru_net_find(net, "mlp.norm0.running_mean");
    float first = test_value(w, 0);
    cru_snapshot *snapshot = cru_snapshot_create(net);
    disturb(net, 1);
    cru_snapshot_restore(snapshot);
    ck_assert_float_eq(test_value(w, 0), first);
    ck_assert_float_eq(test_value(mean, 1), 0);
    disturb(net, 2);
    cru_snapshot_take(snapshot);
    disturb(net, 5);
    cru_snapshot_restore(snapshot);
    ck_assert_float_eq(test_value(w, 0), first + 2);
    ck_assert_float_eq(test_value(mean, 1), 2);
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(a_copy_equals_its_source_and_lives_on_its_own)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_net *from = mlp_net(ctx, "from"), *to = mlp_net(ctx, "to");
    disturb(from, 1);
    cru_net_copy(to, from);
    for (int64_t i = 0; i < 6; i++) ck_assert(same(cru_net_weight_at(to, i), cru_net_weight_at(from, i)));
    ck_assert_float_eq(test_value(cru_net_find(to, "mlp.norm0.running_mean"), 1), 1);
    disturb(from, 1);
    ck_assert(!same(cru_net_weight_at(to, 0), cru_net_weight_at(from, 0)));
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(an_average_moves_weights_slowly_and_buffers_at_once)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_net *teacher = mlp_net(ctx, "teacher"), *student = mlp_net(ctx, "student");
    cru_tensor *slow = cru_net_find(teacher, "mlp.linear0.weight"), *fast = cru_net_find(student, "mlp.linear0.weight");
    double expected[12];
    for (int i = 0; i < 12; i++) expected[i] = 0.9 * (double)test_value(slow, i) + 0.1 * (double)test_value(fast, i);
    test_put(cru_net_find(student, "mlp.norm0.running_mean"), 1, 3);
    cru_net_ema(teacher, student, 0.9f);
    for (int i = 0; i < 12; i++) ck_assert_double_eq_tol((double)test_value(slow, i), expected[i], 1e-6);
    ck_assert_float_eq(test_value(cru_net_find(teacher, "mlp.norm0.running_mean"), 1), 3);
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(nets_of_other_shapes_cannot_be_copied)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_net *other = cru_net_create(ctx, "other");
    cru_fc_create(other, "fc", 2, 2);
    cru_net_copy(mlp_net(ctx, "net"), other);
}
END_TEST

START_TEST(a_reset_draws_anew_and_forgets_gradients_and_statistics)
{
    cru_ctx *ctx = test_ctx(NULL), *again = test_ctx(NULL);
    cru_net *net = mlp_net(ctx, "net"), *twin = mlp_net(again, "net");
    cru_tape *tape = cru_tape_create(ctx);
    cru_tensor *w = cru_net_find(net, "mlp.linear0.weight");
    cru_tape_begin(tape, CRU_TRAIN);
    cru_backward(tape, cru_sum(tape, w, CRU_ALL));
    disturb(net, 1);
    cru_net_reset(net);
    ck_assert(!same(w, cru_net_find(twin, "mlp.linear0.weight")));
    ck_assert_ptr_null(cru_weight_grad(w));
    ck_assert_float_eq(test_value(cru_net_find(net, "mlp.norm0.running_mean"), 1), 0);
    ck_assert_float_eq(test_value(cru_net_find(net, "mlp.norm0.running_var"), 1), 1);
    ck_assert_float_eq(test_value(cru_net_find(net, "mlp.norm0.weight"), 0), 1);
    cru_net_reset(twin);
    ck_assert(same(w, cru_net_find(twin, "mlp.linear0.weight")));
    cru_ctx_destroy(ctx);
    cru_ctx_destroy(again);
}
END_TEST

START_TEST(clearing_a_net_forgets_every_gradient)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_net *net = cru_net_create(ctx, "net");
    cru_fc fc = cru_fc_create(net, "fc", 2, 3);
    cru_tape *tape = cru_tape_create(ctx);
    cru_tape_begin(tape, CRU_TRAIN);
    cru_backward(tape, cru_sum(tape, cru_add(tape, fc.w, fc.b), CRU_ALL));
    ck_assert_ptr_nonnull(cru_weight_grad(fc.b));
    cru_net_clear(net);
    ck_assert_ptr_null(cru_weight_grad(fc.w));
    ck_assert_ptr_null(cru_weight_grad(fc.b));
    cru_ctx_destroy(ctx);
}
END_TEST

/* One weight more, and another order: every weight still starts as it did. */
START_TEST(a_weight_starts_by_its_name)
{
    const cru_init uniform = {.kind = CRU_INIT_UNIFORM, .a = -1, .b = 1};
    cru_ctx *ctx = test_ctx(&(cru_ctx_options){.seed = 5}), *again = test_ctx(&(cru_ctx_options){.seed = 5});
    cru_net *net = cru_net_create(ctx, "net"), *other = cru_net_create(again, "net");
    cru_tensor *first = cru_net_weight(net, "first", cru_2d(3, 2), uniform);
    cru_tensor *second = cru_net_weight(net, "second", cru_2d(3, 2), uniform);
    cru_net_weight(other, "one more", cru_2d(3, 2), uniform);
    cru_tensor *late = cru_net_weight(other, "second", cru_2d(3, 2), uniform);
    cru_tensor *later = cru_net_weight(other, "first", cru_2d(3, 2), uniform);
    float values[6];
    memcpy(values, test_values(first), sizeof values);
    ck_assert_mem_eq(values, test_values(later), sizeof values);
    ck_assert(memcmp(values, test_values(second), sizeof values) != 0);
    memcpy(values, test_values(second), sizeof values);
    ck_assert_mem_eq(values, test_values(late), sizeof values);
    cru_ctx_destroy(ctx);
    cru_ctx_destroy(again);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("nets");
    TCase *c = tcase_create("nets");
    tcase_add_test(c, a_weight_starts_by_its_name);
    tcase_add_test(c, a_net_is_drawn_by_seed_and_name);
    tcase_add_test(c, a_buffer_is_filled_named_and_has_no_gradient);
    tcase_add_test(c, nets_are_alike_when_their_members_have_the_same_sizes);
    tcase_add_loop_test(c, weights_have_the_moments_of_their_initialisation, 0,
                        (int)(sizeof init_cases / sizeof *init_cases));
    tcase_add_test(c, fixed_initialisations_and_the_fans_of_a_convolution);
    tcase_add_test(c, members_are_found_by_name);
    tcase_add_test(c, a_snapshot_brings_back_weights_and_buffers);
    tcase_add_test(c, a_copy_equals_its_source_and_lives_on_its_own);
    tcase_add_test(c, an_average_moves_weights_slowly_and_buffers_at_once);
    tcase_add_test_raise_signal(c, nets_of_other_shapes_cannot_be_copied, SIGABRT);
    tcase_add_test(c, a_reset_draws_anew_and_forgets_gradients_and_statistics);
    tcase_add_test(c, clearing_a_net_forgets_every_gradient);
    suite_add_tcase(s, c);
    return s;
}
