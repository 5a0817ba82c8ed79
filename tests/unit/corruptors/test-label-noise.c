// SPDX-License-Identifier: Apache-2.0
/* Label noise: the stated law, the published draws, and whom it reaches. */
#include <math.h>

#include "corruptors/damage.h"
#include "json-fixture.h"
#include "random/statistics.h"

enum { CLASSES = 4, DRAWS = 100000 };

/* P_ij of the three laws. */
static double law(const char *name, int i, int j, double rate)
{
    if (i == j) return 1 - rate;
    if (strcmp(name, "pair") == 0) return j == (i + CLASSES - 1) % CLASSES ? rate : 0;
    return rate / (CLASSES - 1);
}

/* Chi-square of the labels of each class, over the cells that the law allows; the others must be empty. */
static void check_rows(const cru_data *data, const double *p)
{
    for (int i = 0; i < CLASSES; i++) {
        int64_t count[CLASSES] = {0}, cells[CLASSES], draws = 0;
        double probability[CLASSES];
        int used = 0;
        for (int64_t n = 0; n < data->items; n++)
            if (data->truth[n] == i) count[data->labels[n]]++, draws++;
        for (int j = 0; j < CLASSES; j++) {
            if (p[i * CLASSES + j] == 0) {
                ck_assert_int_eq(count[j], 0);
                continue;
            }
            cells[used] = count[j];
            probability[used++] = p[i * CLASSES + j];
        }
        assert_counts_fit(cells, probability, used, draws);
    }
}

START_TEST(labels_follow_the_matrix)
{
    static const char *const names[] = {"uniform", "pair"};
    cru_data *data = damage_data(DRAWS, CLASSES);
    damage_report report;
    double p[CLASSES * CLASSES];
    damage_apply(&(damage){.name = names[_i], .settings = {"rate", "0.4", "where", "all"}, .seed = 1}, data, &report);
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++) p[i * CLASSES + j] = law(names[_i], i, j, 0.4);
    check_rows(data, p);
    cru_data_destroy(data);
}
END_TEST

START_TEST(a_given_matrix_is_followed)
{
    static const double p[] = {0.7, 0.1, 0.1, 0.1, 0, 1, 0, 0, 0.25, 0.25, 0.25, 0.25, 0, 0.5, 0, 0.5};
    cru_data *data = damage_data(DRAWS, CLASSES);
    damage_report report;
    const damage d = {
        .name = "transition-matrix",
        .settings = {"matrix", "0.7,0.1,0.1,0.1, 0,1,0,0, 0.25,0.25,0.25,0.25, 0,0.5,0,0.5", "where", "all"},
        .seed = 2};
    damage_apply(&d, data, &report);
    for (int64_t n = 1; n < data->items; n += CLASSES) ck_assert_int_eq(data->labels[n], 1);
    for (int i = 0; i < CLASSES; i++) /* class 1 has one cell only, which chi-square cannot judge */
        if (i != 1) {
            int64_t count[CLASSES] = {0};
            for (int64_t n = i; n < data->items; n += CLASSES) count[data->labels[n]]++;
            for (int j = 0; j < CLASSES; j++)
                ck_assert_double_eq_tol((double)count[j] / (DRAWS / CLASSES), p[i * CLASSES + j], 0.015);
        }
    cru_data_destroy(data);
}
END_TEST

/* 1 - rate on the diagonal; elsewhere any distribution, but not the same for every class. */
START_TEST(asymmetric_noise_has_the_rate)
{
    cru_data *data = damage_data(DRAWS, CLASSES);
    damage_report report;
    damage_apply(&(damage){.name = "asymmetric", .settings = {"rate", "0.4", "where", "all"}, .seed = 3}, data,
                 &report);
    int64_t kept[2] = {0};
    for (int64_t n = 0; n < data->items; n++) kept[data->labels[n] != data->truth[n]]++;
    assert_counts_fit(kept, (const double[]){0.6, 0.4}, 2, DRAWS);
    ck_assert_double_eq(*damage_reported(&report, "noise_rate"), (double)kept[1] / DRAWS);
    cru_data_destroy(data);
}
END_TEST

START_TEST(only_the_chosen_parts_change)
{
    static const char *const where[] = {"train", "train+val", "all"};
    cru_data *data = damage_data(400, CLASSES);
    damage_report report;
    damage_apply(&(damage){.name = "pair", .settings = {"rate", "1", "where", where[_i]}}, data, &report);
    const int64_t changed = _i == 0 ? 200 : _i == 1 ? 300 : 400;
    for (int64_t n = 0; n < 400; n++) ck_assert_int_eq(data->labels[n] != data->truth[n], n < changed);
    ck_assert_double_eq(*damage_reported(&report, "noise_rate"), 1);
    const double *confusion = damage_reported(&report, "confusion");
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++)
            ck_assert_double_eq(confusion[i * CLASSES + j],
                                j == (i + CLASSES - 1) % CLASSES ? (double)changed / CLASSES : 0);
    cru_data_destroy(data);
}
END_TEST

START_TEST(an_item_is_hit_alike_whoever_else_trains)
{
    cru_data *train = damage_data(400, CLASSES), *all = damage_data(400, CLASSES);
    damage_report report;
    damage_apply(&(damage){.name = "uniform", .settings = {"where", "train"}, .seed = 5}, train, &report);
    damage_apply(&(damage){.name = "uniform", .settings = {"where", "all"}, .seed = 5}, all, &report);
    ck_assert_mem_eq(train->labels, all->labels, 200 * sizeof *all->labels);
    cru_data_destroy(train);
    cru_data_destroy(all);
}
END_TEST

START_TEST(noise_is_added_to_earlier_noise)
{
    cru_data *data = damage_data(400, CLASSES);
    damage_report report;
    for (int turn = 0; turn < 2; turn++)
        damage_apply(&(damage){.name = "pair", .settings = {"rate", "1", "where", "all"}}, data, &report);
    for (int64_t n = 0; n < 400; n++) ck_assert_int_eq(data->labels[n], (data->truth[n] + 2) % CLASSES);
    cru_data_destroy(data);
}
END_TEST

/* The noisy labels of the published study, drawn with NumPy: every one of them. */
START_TEST(numpy_repeats_the_study)
{
    cJSON *root = fixture_open("noisygl/label-noise.json");
    const cJSON *item;
    int cases = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        if (strncmp(cJSON_GetObjectItem(item, "name")->valuestring, "draw_", 5) != 0) continue;
        double labels[200], noisy[200];
        char rate[32], base[32];
        const int64_t n = fixture_numbers(fixture_input(item, "labels"), labels);
        const char *type = fixture_input(item, "type")->valuestring;
        cru_data *data = damage_data(n, fixture_input(item, "n_classes")->valueint);
        damage_report report;
        for (int64_t i = 0; i < n; i++) data->truth[i] = data->labels[i] = (int32_t)labels[i];
        snprintf(rate, sizeof rate, "%.17g", fixture_input(item, "rate")->valuedouble);
        snprintf(base, sizeof base, "%d", fixture_input(item, "seed")->valueint - 7);
        const damage d = {.name = strcmp(type, "random") == 0 ? "asymmetric" : type,
                          .settings = {"rate", rate, "where", "all", "rng", "numpy", "base", base},
                          .seed = 7};
        damage_apply(&d, data, &report);
        ck_assert_int_eq(fixture_numbers(fixture_expected(item, "noisy"), noisy), n);
        for (int64_t i = 0; i < n; i++) ck_assert_int_eq(data->labels[i], (int32_t)noisy[i]);
        cru_data_destroy(data);
        cases++;
    }
    ck_assert_int_ge(cases, 20);
    cJSON_Delete(root);
}
END_TEST

/* Their matrices, too. */
START_TEST(matrices_agree_with_the_study)
{
    cJSON *root = fixture_open("noisygl/label-noise.json");
    const cJSON *item;
    int cases = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        if (!strstr(cJSON_GetObjectItem(item, "name")->valuestring, "_matrix_")) continue;
        const cJSON *seed = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "inputs"), "seed");
        const char *type = fixture_input(item, "type")->valuestring;
        char rate[32], base[32];
        double expected[64];
        cru_data *data = damage_data(40, fixture_input(item, "n_classes")->valueint);
        damage_report report;
        snprintf(rate, sizeof rate, "%.17g", fixture_input(item, "rate")->valuedouble);
        snprintf(base, sizeof base, "%d", seed ? seed->valueint : 0);
        const damage d = {.name = strcmp(type, "random") == 0 ? "asymmetric" : type,
                          .settings = {"rate", rate, "rng", "numpy", "base", base}};
        damage_apply(&d, data, &report);
        const int64_t count = fixture_numbers(fixture_expected(item, "P"), expected);
        const double *p = damage_reported(&report, "transition");
        for (int64_t i = 0; i < count; i++) ck_assert_double_eq_tol(p[i], expected[i], 1e-9);
        cru_data_destroy(data);
        cases++;
    }
    ck_assert_int_eq(cases, 7);
    cJSON_Delete(root);
}
END_TEST

/* Every row of the matrix that is reported is the law of its class, whichever corruptor drew it. */
START_TEST(labels_follow_the_reported_matrix)
{
    static const damage cases[] = {
        {.name = "asymmetric", .settings = {"rate", "0.4", "where", "all"}, .seed = 8},
        {.name = "transition-matrix",
         .settings = {"matrix", "0.7,0.1,0.1,0.1, 0,0.9,0,0.1, 0.25,0.25,0.25,0.25, 0,0.5,0,0.5", "where", "all"}},
    };
    cru_data *data = damage_data(DRAWS, CLASSES);
    damage_report report;
    damage_apply(&cases[_i], data, &report);
    check_rows(data, damage_reported(&report, "transition"));
    cru_data_destroy(data);
}
END_TEST

START_TEST(what_cannot_be_damaged_is_refused)
{
    static const struct {
        damage d;
        int32_t classes;
        bool candidates;
        cru_status status;
    } cases[] = {
        {{.name = "uniform"}, 1, false, CRU_UNSUPPORTED},
        {{.name = "uniform"}, 3, true, CRU_UNSUPPORTED},
        {{.name = "transition-matrix", .settings = {"matrix", "1, 0, 0"}}, 2, false, CRU_BAD_INPUT},
        {{.name = "transition-matrix", .settings = {"matrix", "1, 0, 0.5, 0.4"}}, 2, false, CRU_BAD_INPUT},
        {{.name = "uniform", .settings = {"rng", "numpy"}, .seed = UINT32_MAX}, 3, false, CRU_BAD_INPUT},
    };
    cru_data *data = damage_data(12, cases[_i].classes);
    damage_report report = {0};
    cru_error err = {0};
    if (cases[_i].candidates) data->candidates = cru_data_alloc(data, 12 * 3, 1);
    ck_assert_int_eq(damage_try(&cases[_i].d, data, &report, &err), cases[_i].status);
    ck_assert_str_ne(err.text, "");
    cru_data_destroy(data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("label noise");
    TCase *c = tcase_create("noise");
    tcase_add_loop_test(c, labels_follow_the_matrix, 0, 2);
    tcase_add_test(c, a_given_matrix_is_followed);
    tcase_add_test(c, asymmetric_noise_has_the_rate);
    tcase_add_loop_test(c, only_the_chosen_parts_change, 0, 3);
    tcase_add_test(c, an_item_is_hit_alike_whoever_else_trains);
    tcase_add_test(c, noise_is_added_to_earlier_noise);
    tcase_add_test(c, numpy_repeats_the_study);
    tcase_add_test(c, matrices_agree_with_the_study);
    tcase_add_loop_test(c, labels_follow_the_reported_matrix, 0, 2);
    tcase_add_loop_test(c, what_cannot_be_damaged_is_refused, 0, 5);
    suite_add_tcase(s, c);
    return s;
}
