// SPDX-License-Identifier: Apache-2.0
/* bgnn: the steps on its input against the study's code, and its trees against their formula. */
#include <crucible/draft/train.h>

#include "methods/gad-cases.h"
#include "oblivious.h"

static const rename_rule names[] = {{"mlp.layers.0", "out"}, {"layers.", "conv"}, {0}};
static const model_case bgnn = {"bgnn", "inner_loop", names, "layers.", {"hidden", "4"}, 0};

START_TEST(input_and_weights_learn_together)
{
    static double x[BENCH_MOST], g[BENCH_MOST];
    cJSON *root = fixture_open("gad/bgnn.json");
    const cJSON *item = fixture_case(root, bgnn.name), *values, *losses = fixture_expected(item, "losses");
    bench b = with_anomaly_task(item);
    bench_open(&b, bgnn.method, bgnn.settings);
    cJSON_ArrayForEach(values, fixture_input(item, "params"))
    {
        char ours[200];
        renamed(values->string, names, ours);
        bench_set(&b, ours, values, layout_of(&bgnn, values->string));
    }
    cru_tensor *z = bench_weight(&b, "input");
    fixture_numbers(fixture_input(item, "x"), x);
    fixture_numbers(fixture_input(item, "g"), g);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 7; j++) z->data[i * 7 + j] = (float)(j < 5 ? x[i * 5 + j] : g[i * 2 + j - 5]);
    cru_learner *l = b.learner;
    for (int i = 0; i < cJSON_GetArraySize(losses); i++) {
        cru_tape_begin(l->tape, CRU_TRAIN);
        cru_tensor *loss = cru_learner_loss(l, l->tape, cru_learner_logits(l, l->tape));
        bench_check_number(&b, cru_learner_step(l, l->optim, loss), cJSON_GetArrayItem(losses, i)->valuedouble);
    }
    bench_check(&b, z, fixture_expected(item, "Z_after"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Rows 0, 1 | 2, 3 with targets 1, 1 | 5, 5 and -1, -1 | 1, 1: the mean, and half of sum / (count + 3) beside it. */
START_TEST(one_tree_of_squared_errors)
{
    static const float x[] = {7, 0, 7, 1, 7, 2, 7, 3, 7, 9};
    static const int32_t train[] = {0, 1, 2, 3};
    static const double targets[] = {1, -1, 1, -1, 5, 1, 5, 1};
    static const double expected[] = {2.6, -0.2, 2.6, -0.2, 3.4, 0.2, 3.4, 0.2, 3.4, 0.2};
    cru_ctx *ctx = cru_ctx_create(NULL);
    const oblivious_rows rows = oblivious_cut(ctx, &(cru_dense){5, 2, x}, (cru_ids){train, 4});
    ck_assert_int_eq(rows.borders[0], 0);
    ck_assert_int_eq(rows.borders[1], 3);
    double out[10];
    oblivious *o = oblivious_create(ctx, &rows, &(oblivious_shape){1, 1, 2, 0.5, 3});
    oblivious_fit(o, false, targets, out);
    for (int i = 0; i < 10; i++) ck_assert_double_eq_tol(out[i], expected[i], 1e-12);
    cru_ctx_destroy(ctx);
}
END_TEST

/* p = 1/2 at first: leaves of one row each in the second level, g = +-1/2, so F = +-0.5 * 0.5 / (1 + 3). */
START_TEST(one_tree_of_classes)
{
    static const float x[] = {0, 1, 2};
    static const int32_t train[] = {0, 1, 2};
    static const double targets[] = {1, 0, 0, 1, 1, 0};
    cru_ctx *ctx = cru_ctx_create(NULL);
    const oblivious_rows rows = oblivious_cut(ctx, &(cru_dense){3, 1, x}, (cru_ids){train, 3});
    double out[6];
    oblivious *o = oblivious_create(ctx, &rows, &(oblivious_shape){1, 2, 2, 0.5, 3});
    oblivious_fit(o, true, targets, out);
    const double p = 1 / (1 + exp(-2 * 0.5 * 0.5 / 4));
    for (int i = 0; i < 6; i++) ck_assert_double_eq_tol(out[i], targets[i] > 0 ? p : 1 - p, 1e-12);
    cru_ctx_destroy(ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("bgnn");
    TCase *c = tcase_create("steps and trees");
    tcase_add_test(c, input_and_weights_learn_together);
    tcase_add_test(c, one_tree_of_squared_errors);
    tcase_add_test(c, one_tree_of_classes);
    suite_add_tcase(s, c);
    return s;
}
