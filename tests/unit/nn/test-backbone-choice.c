// SPDX-License-Identifier: Apache-2.0
/* Networks chosen by settings. */
#include <check.h>
#include <math.h>

#include <crucible/crucible.h>

#include "on-device.h"

enum { ROWS = 3, COLS = 4, SIDE = 8, PIXELS = 3 * SIDE * SIDE };

static const float table[ROWS * COLS] = {1, 0, -2, 0, 0, 3, 0, 0.5f, 0, 0, 0, 4};
static float pictures[ROWS * PIXELS];

static cru_task rows_task(void)
{
    return (cru_task){.problem = CRU_ROWS, .items = ROWS, .classes = 2, .x = {ROWS, COLS, .dense = table}};
}

static cru_task images_task(void)
{
    for (int i = 0; i < ROWS * PIXELS; i++) pictures[i] = (float)(i * 37 % 101) / 101;
    return (cru_task){.problem = CRU_ROWS,
                      .items = ROWS,
                      .classes = 2,
                      .x = {ROWS, PIXELS, .dense = pictures, .channels = 3, .height = SIDE, .width = SIDE}};
}

static cru_backbone_choice choice_of(cru_backbone_kind kind)
{
    return (cru_backbone_choice){
        .kind = kind, .hidden = 6, .layers = 2, .blocks = 5, .width = 16, .depth = 22, .growth = 12};
}

static const struct {
    cru_backbone_kind asked;
    bool images;
    cru_backbone_kind made;
    int64_t features;
} choices[] = {
    {CRU_BACKBONE_AUTO, false, CRU_BACKBONE_MLP, 6},          {CRU_BACKBONE_AUTO, true, CRU_BACKBONE_RESNET, 64},
    {CRU_BACKBONE_LINEAR, false, CRU_BACKBONE_LINEAR, COLS},  {CRU_BACKBONE_MLP, true, CRU_BACKBONE_MLP, 6},
    {CRU_BACKBONE_DENSENET, true, CRU_BACKBONE_DENSENET, 69},
};
enum { CHOICES = sizeof choices / sizeof *choices };

START_TEST(a_choice_makes_its_network)
{
    cru_ctx *ctx = test_ctx(NULL);
    cru_tape *tape = cru_tape_create(ctx);
    const cru_task task = choices[_i].images ? images_task() : rows_task();
    const cru_backbone_choice choice = choice_of(choices[_i].asked);
    cru_classifier c = cru_classifier_create(cru_net_create(ctx, "net"), &choice, &task);
    cru_input x = cru_input_create(ctx, &task.x);
    cru_tape_begin(tape, CRU_TRAIN);
    const cru_tensor *h = cru_backbone_apply(tape, &c.backbone, &x), *z = cru_classifier_apply(tape, &c, &x);
    ck_assert_int_eq(c.backbone.kind, choices[_i].made);
    ck_assert_int_eq(c.backbone.features, choices[_i].features);
    ck_assert_int_eq(cru_tensor_cols(h), choices[_i].features);
    ck_assert_int_eq(cru_tensor_rows(z), ROWS);
    ck_assert_int_eq(cru_tensor_cols(z), 2);
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(a_network_for_images_refuses_rows)
{
    cru_ctx *ctx = test_ctx(NULL);
    const cru_task task = rows_task();
    const cru_backbone_choice choice = choice_of(_i ? CRU_BACKBONE_DENSENET : CRU_BACKBONE_RESNET);
    cru_backbone_create(cru_net_create(ctx, "net"), &choice, &task);
    ck_assert_int_eq(cru_ctx_status(ctx), CRU_UNSUPPORTED);
    cru_ctx_destroy(ctx);
}
END_TEST

/* The same rows in CSR give the same scores. */
START_TEST(sparse_rows_score_as_dense_ones)
{
    static const int64_t offsets[] = {0, 2, 4, 5};
    static const int32_t ids[] = {0, 2, 1, 3, 3};
    static const float values[] = {1, -2, 3, 0.5f, 4};
    const cru_features sparse = {
        ROWS, COLS, .sparse = {.rows = ROWS, .cols = COLS, .offsets = offsets, .ids = ids, .values = values}};
    cru_ctx *ctx = test_ctx(NULL);
    cru_tape *tape = cru_tape_create(ctx);
    const cru_task task = rows_task();
    const cru_backbone_choice choice = choice_of(_i ? CRU_BACKBONE_LINEAR : CRU_BACKBONE_MLP);
    cru_classifier c = cru_classifier_create(cru_net_create(ctx, "net"), &choice, &task);
    cru_input dense = cru_input_create(ctx, &task.x), stored = cru_input_create(ctx, &sparse);
    cru_tape_begin(tape, CRU_EVAL);
    const cru_tensor *a = cru_classifier_apply(tape, &c, &dense), *b = cru_classifier_apply(tape, &c, &stored);
    for (int64_t i = 0; i < ROWS * 2; i++) ck_assert_float_eq_tol(test_value(a, i), test_value(b, i), 1e-5f);
    cru_ctx_destroy(ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("backbones by choice");
    TCase *c = tcase_create("choices");
    tcase_add_loop_test(c, a_choice_makes_its_network, 0, CHOICES);
    tcase_add_loop_test(c, a_network_for_images_refuses_rows, 0, 2);
    tcase_add_loop_test(c, sparse_rows_score_as_dense_ones, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
