// SPDX-License-Identifier: Apache-2.0
/* lte4g against the numbers of the imbalance study's code. */
#include <crucible/draft/tensor.h>

#include "experts.h"
#include "methods/method-bench.h"

static double numbers[BENCH_MOST];

START_TEST(lte4g_focuses)
{
    int32_t labels[8];
    float weights[3];
    cJSON *root = fixture_open("igl/lte4g.json");
    const cJSON *item = fixture_case(root, "focal_class_weight");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *z = bench_upload(t, fixture_input(item, "logits"));
    const int64_t count = fixture_numbers(fixture_input(item, "labels"), numbers);
    for (int64_t i = 0; i < count; i++) labels[i] = (int32_t)numbers[i];
    fixture_numbers(fixture_input(item, "class_weight"), numbers);
    for (int c = 0; c < 3; c++) weights[c] = (float)numbers[c];
    const cru_targets targets = {.labels = cru_index_step(t, labels, count), .class_weights = weights};
    b.loss = focal_mean_loss(t, z, &targets, fixture_input(item, "gamma")->valuedouble);
    bench_check_number(&b, (double)cru_tensor_item(t, b.loss), fixture_expected(item, "loss")->valuedouble);
    cru_backward(t, b.loss);
    bench_check(&b, cru_grad_of(t, z), fixture_expected(item, "dlogits"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(lte4g_distils)
{
    cJSON *root = fixture_open("igl/lte4g.json");
    const cJSON *item = fixture_case(root, "kd_mean_over_elements");
    bench b = bench_create();
    b.tolerance = 1e-6;
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *teacher = cru_detach(t, bench_upload(t, fixture_input(item, "teacher")));
    cru_tensor *student = bench_upload(t, fixture_input(item, "student"));
    b.loss = distillation_loss(t, teacher, student, fixture_input(item, "T")->valuedouble);
    bench_check_number(&b, (double)cru_tensor_item(t, b.loss), fixture_expected(item, "loss")->valuedouble);
    cru_backward(t, b.loss);
    bench_check(&b, cru_grad_of(t, student), fixture_expected(item, "dstudent"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(lte4g_divides_classes)
{
    static const char *const cases[] = {"pareto_73_K6", "pareto_73_K8", "pareto_73_K5"};
    int64_t counts[8];
    cJSON *root = fixture_open("igl/lte4g.json");
    const cJSON *item = fixture_case(root, cases[_i]);
    const int64_t classes = fixture_numbers(fixture_input(item, "counts_desc"), numbers);
    for (int64_t c = 0; c < classes; c++) counts[c] = (int64_t)numbers[c];
    ck_assert_int_eq(head_classes(counts, (int32_t)classes), cJSON_GetArraySize(fixture_expected(item, "head")));
    for (int64_t c = 0; c < classes; c++) counts[c] = 20; /* no tail: ceil(0.7 classes) */
    ck_assert_int_eq(head_classes(counts, (int32_t)classes), (int)ceil(0.7 * (double)classes));
    cJSON_Delete(root);
}
END_TEST

START_TEST(lte4g_moves_from_head_to_tail)
{
    double epochs[8], alpha[8];
    cJSON *root = fixture_open("igl/lte4g.json");
    const cJSON *item = fixture_case(root, "curriculum");
    const int64_t count = fixture_numbers(fixture_input(item, "epochs"), epochs);
    fixture_numbers(fixture_expected(item, "alpha"), alpha);
    for (int64_t i = 0; i < count; i++)
        ck_assert_double_eq_tol(curriculum((int64_t)epochs[i], fixture_input(item, "curriculum_ep")->valueint),
                                alpha[i], 1e-6);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance experts");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, lte4g_focuses);
    tcase_add_test(c, lte4g_distils);
    tcase_add_loop_test(c, lte4g_divides_classes, 0, 3);
    tcase_add_test(c, lte4g_moves_from_head_to_tail);
    suite_add_tcase(s, c);
    return s;
}
