// SPDX-License-Identifier: Apache-2.0
/* Features and labels that are taken away. */
#include <math.h>

#include "corruptors/damage.h"
#include "random/statistics.h"

enum { VALUES = 100000 };

START_TEST(features_are_masked)
{
    cru_data *data = damage_data(VALUES, 2);
    const float *before = data->x.dense;
    damage_report report;
    int64_t lost = 0;
    damage_apply(&(damage){.name = "feature-noise", .settings = {"rate", "0.3"}, .seed = 1}, data, &report);
    for (int64_t i = 1; i < VALUES; i++) {
        ck_assert(data->x.dense[i] == 0 || data->x.dense[i] == before[i]);
        lost += data->x.dense[i] == 0;
    }
    assert_counts_fit((const int64_t[]){lost, VALUES - 1 - lost}, (const double[]){0.3, 0.7}, 2, VALUES - 1);
    cru_data_destroy(data);
}
END_TEST

START_TEST(masked_sparse_features_are_not_stored)
{
    cru_data *data = damage_data(VALUES, 2);
    damage_report report;
    const cru_csr stored = cru_csr_from_dense(cru_data_pool(data), data->x.dense, VALUES, 1);
    data->x = (cru_features){.rows = VALUES, .cols = 1, .sparse = stored};
    damage_apply(&(damage){.name = "feature-noise", .settings = {"rate", "0.3"}, .seed = 1}, data, &report);
    const int64_t left = cru_csr_nnz(&data->x.sparse);
    assert_counts_fit((const int64_t[]){VALUES - 1 - left, left}, (const double[]){0.3, 0.7}, 2, VALUES - 1);
    for (int64_t i = 0; i < left; i++) ck_assert(data->x.sparse.values[i] != 0);
    cru_data_destroy(data);
}
END_TEST

static double normal_cdf(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

/* x = 0, 1, ... n-1 has the deviation sqrt((n^2 - 1) / 12). */
START_TEST(gaussian_noise_is_in_units_of_the_deviation)
{
    cru_data *data = damage_data(VALUES, 2);
    damage_report report;
    double *z = malloc(VALUES * sizeof *z);
    const double scale = 0.5 * sqrt(((double)VALUES * VALUES - 1) / 12);
    damage_apply(&(damage){.name = "feature-noise", .settings = {"rate", "0.5", "kind", "gaussian"}}, data, &report);
    for (int64_t i = 0; i < VALUES; i++) z[i] = ((double)data->x.dense[i] - (double)i) / scale;
    assert_distribution(z, VALUES, normal_cdf);
    free(z);
    cru_data_destroy(data);
}
END_TEST

/* 200 training items: 50 of each of 4 classes. */
START_TEST(labels_become_scarce_class_by_class)
{
    static const struct {
        const char *settings[7];
        int64_t left; /* of each class */
    } cases[] = {{{"keep", "0.1"}, 5},
                 {{"keep", "0"}, 1},
                 {{"keep", "0", "at_least", "7"}, 7},
                 {{"per_class", "3"}, 3},
                 {{"per_class", "60"}, 50}};
    cru_data *data = damage_data(400, 4);
    damage_report report;
    damage d = {.name = "label-scarcity"};
    for (int i = 0; cases[_i].settings[i]; i++) d.settings[i] = cases[_i].settings[i];
    damage_apply(&d, data, &report);
    int64_t count[4] = {0};
    for (int64_t i = 0; i < data->split.train.count; i++) {
        ck_assert(i == 0 || data->split.train.ids[i] > data->split.train.ids[i - 1]); /* the order is kept */
        count[data->labels[data->split.train.ids[i]]]++;
    }
    for (int c = 0; c < 4; c++) ck_assert_int_eq(count[c], cases[_i].left);
    ck_assert_double_eq(*damage_reported(&report, "train_after"), 4.0 * (double)cases[_i].left);
    ck_assert_int_eq(data->split.val.count, 100);
    cru_data_destroy(data);
}
END_TEST

START_TEST(no_label_left_is_an_error)
{
    cru_data *data = damage_data(400, 4);
    damage_report report = {0};
    cru_error err = {0};
    const damage d = {.name = "label-scarcity", .settings = {"keep", "0", "at_least", "0"}};
    ck_assert_int_eq(damage_try(&d, data, &report, &err), CRU_BAD_INPUT);
    cru_data_destroy(data);
}
END_TEST

/* 400 x 50 ones, dense or sparse: what is lost is lost along a row or a column. */
START_TEST(whole_rows_or_columns_are_masked)
{
    enum { ROWS = 400, COLS = 50 };
    for (int turn = 0; turn < 4; turn++) {
        const bool by_row = turn % 2, sparse = turn / 2;
        cru_data *data = damage_data(ROWS, 2);
        cru_pool pool = cru_data_pool(data);
        float *ones = cru_data_alloc(data, ROWS * COLS, sizeof *ones),
              *x = cru_data_alloc(data, ROWS * COLS, sizeof *x);
        damage_report report;
        int64_t lost = 0;
        for (int i = 0; i < ROWS * COLS; i++) ones[i] = 1;
        data->x = (cru_features){.rows = ROWS, .cols = COLS, .dense = ones};
        if (sparse) data->x = (cru_features){ROWS, COLS, .sparse = cru_csr_from_dense(pool, ones, ROWS, COLS)};
        damage_apply(&(damage){.name = "feature-noise", .settings = {"unit", by_row ? "row" : "column"}, .seed = 3},
                     data, &report);
        if (sparse)
            cru_csr_to_dense(&data->x.sparse, x);
        else
            memcpy(x, data->x.dense, ROWS * COLS * sizeof *x);
        for (int i = 0; i < ROWS * COLS; i++) {
            ck_assert(x[i] == x[by_row ? i / COLS * COLS : i % COLS]);
            lost += x[i] == 0;
        }
        ck_assert_int_gt(lost, 0);
        ck_assert_double_eq(*damage_reported(&report, "features_lost"), (double)lost / (ROWS * COLS));
        cru_data_destroy(data);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("features, scarcity");
    TCase *c = tcase_create("damage");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, features_are_masked);
    tcase_add_test(c, masked_sparse_features_are_not_stored);
    tcase_add_test(c, gaussian_noise_is_in_units_of_the_deviation);
    tcase_add_loop_test(c, labels_become_scarce_class_by_class, 0, 5);
    tcase_add_test(c, no_label_left_is_an_error);
    tcase_add_test(c, whole_rows_or_columns_are_masked);
    suite_add_tcase(s, c);
    return s;
}
