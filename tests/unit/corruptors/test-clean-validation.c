// SPDX-License-Identifier: Apache-2.0
/* Validation items that join the training part. */
#include "corruptors/damage.h"

enum { N = 40, CLASSES = 4, TRAIN = N / 2, VAL = N / 4 };

static cru_data *with_sets(void)
{
    cru_data *data = damage_data(N, CLASSES);
    damage_report report;
    damage_apply(&(damage){.name = "fps", .settings = {"rate", "1"}}, data, &report); /* all labels are candidates */
    return data;
}

START_TEST(they_train_with_their_true_label_alone)
{
    cru_data *data = with_sets();
    damage_report report;
    damage_apply(&(damage){.name = "clean-validation"}, data, &report);
    ck_assert_int_eq(data->split.train.count, TRAIN + VAL);
    ck_assert_int_eq(data->split.val.count, 0);
    for (int32_t i = 0; i < TRAIN + VAL; i++) {
        ck_assert_int_eq(data->split.train.ids[i], i);
        for (int32_t c = 0; c < CLASSES; c++)
            ck_assert_int_eq(data->candidates[i * CLASSES + c], i < TRAIN || c == i % CLASSES);
    }
    ck_assert_double_eq(*damage_reported(&report, "train_after"), TRAIN + VAL);
    cru_data_destroy(data);
}
END_TEST

START_TEST(a_wrong_label_is_put_right)
{
    cru_data *data = damage_data(N, CLASSES);
    damage_report report;
    data->labels[TRAIN] = (data->truth[TRAIN] + 1) % CLASSES;
    data->labels[0] = (data->truth[0] + 1) % CLASSES;
    damage_apply(&(damage){.name = "clean-validation"}, data, &report);
    ck_assert_int_eq(data->labels[TRAIN], data->truth[TRAIN]);
    ck_assert_int_ne(data->labels[0], data->truth[0]); /* was a training item before */
    cru_data_destroy(data);
}
END_TEST

START_TEST(without_validation_items_it_says_so)
{
    cru_data *data = damage_data(N, CLASSES);
    damage_report report = {0};
    cru_error err = {0};
    data->split.val.count = 0;
    ck_assert_int_eq(damage_try(&(damage){.name = "clean-validation"}, data, &report, &err), CRU_UNSUPPORTED);
    ck_assert_str_eq(err.text, "there are no validation items");
    cru_data_destroy(data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("clean-validation");
    TCase *c = tcase_create("clean-validation");
    tcase_add_test(c, they_train_with_their_true_label_alone);
    tcase_add_test(c, a_wrong_label_is_put_right);
    tcase_add_test(c, without_validation_items_it_says_so);
    suite_add_tcase(s, c);
    return s;
}
