// SPDX-License-Identifier: Apache-2.0
/* ResNet and DenseNet: their blocks against the reference numbers, their sizes against the papers' tables. */
#include <crucible/draft/nn.h>
#include <crucible/draft/tensor.h>

#include "tensor-fixture.h"

typedef struct bench {
    cru_ctx *ctx;
    cru_tape *tape;
    cru_net *net;
} bench;

static bench bench_open(void)
{
    bench b = {.ctx = test_ctx(&(cru_ctx_options){.seed = 3})};
    b.tape = cru_tape_create(b.ctx);
    b.net = cru_net_create(b.ctx, "net");
    return b;
}

static int64_t parameters(const cru_net *net)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < cru_net_weight_count(net); i++) sum += cru_tensor_count(cru_net_weight_at(net, i));
    return sum;
}

/* ---- blocks ---------------------------------------------------------------------------------------------- */

typedef struct block {
    cru_res_block res;
    cru_dense_block dense;
    cru_dense_transition transition;
} block;

static void make_res(block *b, cru_net *net)
{
    b->res = cru_res_block_create(net, "b", 2, 3, 2);
}
static cru_tensor *apply_res(cru_tape *t, const block *b, cru_tensor *x)
{
    return cru_res_block_apply(t, &b->res, x);
}
static void make_dense(block *b, cru_net *net)
{
    b->dense = cru_dense_block_create(net, "b", &(cru_dense_block_shape){.in = 2, .growth = 2, .bottleneck = 4});
}
static cru_tensor *apply_dense(cru_tape *t, const block *b, cru_tensor *x)
{
    return cru_dense_block_apply(t, &b->dense, x);
}
static void make_transition(block *b, cru_net *net)
{
    b->transition = cru_dense_transition_create(net, "b", 4, 2);
}
static cru_tensor *apply_transition(cru_tape *t, const block *b, cru_tensor *x)
{
    return cru_dense_transition_apply(t, &b->transition, x);
}

static const struct {
    const char *name;
    void (*make)(block *b, cru_net *net);
    cru_tensor *(*apply)(cru_tape *t, const block *b, cru_tensor *x);
} block_cases[] = {{"resnet_basic_block_stride2", make_res, apply_res},
                   {"densenet_bottleneck", make_dense, apply_dense},
                   {"densenet_transition", make_transition, apply_transition}};

START_TEST(a_block_has_the_reference_output_gradients_and_statistics)
{
    bench b = bench_open();
    cJSON *root = fixture_open("pll/backbones.json");
    const cJSON *c = fixture_case(root, block_cases[_i].name);
    block layer;
    block_cases[_i].make(&layer, b.net);
    fixture_fill_net(b.net, "b", fixture_input(c, "params"));
    cru_tensor *x = fixture_tensor(b.ctx, fixture_input(c, "x"));
    cru_tensor *cotangent = fixture_tensor(b.ctx, fixture_input(c, "cotangent"));

    cru_tape_begin(b.tape, CRU_TRAIN);
    cru_tensor_watch(x);
    cru_tensor *y = block_cases[_i].apply(b.tape, &layer, x);
    fixture_check(b.ctx, "out", test_values(y), fixture_expected(c, "out_train"), 1e-5);
    cru_backward(b.tape, cru_sum(b.tape, cru_mul(b.tape, y, cotangent), CRU_ALL));
    fixture_check(b.ctx, "grad x", test_values(cru_grad_of(b.tape, x)), fixture_expected(c, "grad_x"), 1e-4);
    fixture_check_net(b.net, "b", fixture_expected(c, "grad_params"), true, 1e-4);
    fixture_check_net(b.net, "b", fixture_expected(c, "running_stats_after_one_pass"), false, 1e-5);

    cru_tape_begin(b.tape, CRU_EVAL);
    fixture_check(b.ctx, "eval", test_values(block_cases[_i].apply(b.tape, &layer, x)),
                  fixture_expected(c, "out_eval_after"), 1e-5);
    cJSON_Delete(root);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(a_block_of_equal_width_has_no_shortcut_layer)
{
    bench b = bench_open();
    cru_res_block same = cru_res_block_create(b.net, "same", 2, 2, 1);
    ck_assert(!same.projected);
    ck_assert_int_eq(parameters(b.net), 2 * (2 * 2 * 9 + 4));
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(a_dense_block_without_bottleneck_grows_from_its_input)
{
    bench b = bench_open();
    cru_dense_block plain = cru_dense_block_create(b.net, "b", &(cru_dense_block_shape){.in = 2, .growth = 3});
    ck_assert_int_eq(parameters(b.net), 2 * 3 * 9 + 4);
    const int64_t dim[4] = {1, 2, 4, 4};
    cru_tensor *x = cru_tensor_create(b.ctx, cru_nd(4, dim));
    test_put(x, 5, 7);
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_dense_block_apply(b.tape, &plain, x);
    ck_assert_int_eq(y->dim[1], 5);
    ck_assert_float_eq(test_value(y, 5), 7); /* the old channels come first */
    cru_ctx_destroy(b.ctx);
}
END_TEST

/* ---- whole networks -------------------------------------------------------------------------------------- */

START_TEST(resnet_32_has_466256_parameters_and_64_features)
{
    bench b = bench_open();
    cru_resnet *resnet =
        cru_resnet_create(b.net, "resnet", &(cru_resnet_shape){.channels = 3, .blocks = 5, .width = 16});
    ck_assert_int_eq(parameters(b.net), 466256);
    ck_assert_int_eq(cru_resnet_features(resnet), 64);
    cru_tensor *images = cru_tensor_create(b.ctx, cru_4d(1, 3, 32, 32));
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_resnet_apply(b.tape, resnet, images);
    ck_assert_int_eq(cru_tensor_rows(y), 1);
    ck_assert_int_eq(cru_tensor_cols(y), 64);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(densenet_22_has_70986_parameters_and_69_features)
{
    bench b = bench_open();
    cru_densenet_shape shape = {.channels = 3, .growth = 12, .depth = 22, .compression = 2, .bottleneck = true};
    cru_densenet *densenet = cru_densenet_create(b.net, "densenet", &shape);
    ck_assert_int_eq(parameters(b.net), 70986);
    ck_assert_int_eq(cru_densenet_features(densenet), 69);
    cru_tensor *images = cru_tensor_create(b.ctx, cru_4d(2, 3, 8, 8));
    cru_tape_begin(b.tape, CRU_EVAL);
    cru_tensor *y = cru_densenet_apply(b.tape, densenet, images);
    ck_assert_int_eq(cru_tensor_rows(y), 2);
    ck_assert_int_eq(cru_tensor_cols(y), 69);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(convolutions_are_drawn_by_their_fan_out)
{
    bench b = bench_open();
    cru_conv_layer layer = cru_conv_create(b.net, "conv", (cru_conv_size){.in = 32, .out = 64, .kernel = 3});
    int64_t n = cru_tensor_count(layer.w);
    const float *drawn = test_values(layer.w);
    double square = 0;
    for (int64_t i = 0; i < n; i++) square += pow((double)drawn[i], 2) / (double)n;
    ck_assert_double_eq_tol(square / (2.0 / (9 * 64)), 1, 0.05); /* 18432 draws: 1 % standard deviation */
    cru_ctx_destroy(b.ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("backbones");
    TCase *c = tcase_create("backbones");
    tcase_add_loop_test(c, a_block_has_the_reference_output_gradients_and_statistics, 0, 3);
    tcase_add_test(c, a_block_of_equal_width_has_no_shortcut_layer);
    tcase_add_test(c, a_dense_block_without_bottleneck_grows_from_its_input);
    tcase_add_test(c, resnet_32_has_466256_parameters_and_64_features);
    tcase_add_test(c, densenet_22_has_70986_parameters_and_69_features);
    tcase_add_test(c, convolutions_are_drawn_by_their_fan_out);
    suite_add_tcase(s, c);
    return s;
}
