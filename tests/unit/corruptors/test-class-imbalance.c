// SPDX-License-Identifier: Apache-2.0
/* Classes out of balance: the counts of the study, and what becomes of the split. */
#include <math.h>

#include "corruptors/populations.h"
#include "json-fixture.h"

static void check_counts(const cJSON *expected, const cru_data *data, cru_ids part)
{
    double wanted[POPULATION_CLASSES];
    int64_t counts[POPULATION_CLASSES];
    ck_assert_int_eq(fixture_numbers(expected, wanted), data->classes);
    population_count(data, part, counts);
    for (int32_t c = 0; c < data->classes; c++) ck_assert_int_eq(counts[c], (int64_t)wanted[c]);
}

static cru_data *fixture_population(const cJSON *item)
{
    double numbers[POPULATION_CLASSES];
    int64_t population[POPULATION_CLASSES];
    const int32_t classes = (int32_t)fixture_numbers(fixture_input(item, "population"), numbers);
    for (int32_t c = 0; c < classes; c++) population[c] = (int64_t)numbers[c];
    return population_data(population, classes);
}

START_TEST(node_counts_follow_the_formula)
{
    cJSON *root = fixture_open("igl/class_counts.json");
    const cJSON *item;
    int cases = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        if (strncmp(cJSON_GetObjectItem(item, "name")->valuestring, "formula_", 8) != 0) continue;
        cru_data *data = fixture_population(item);
        damage_report report;
        char rho[32], train[32];
        snprintf(rho, sizeof rho, "%g", fixture_input(item, "rho")->valuedouble);
        snprintf(train, sizeof train, "%.17g",
                 (fixture_input(item, "n_train")->valuedouble + 0.5) / (double)data->items);
        const damage d = {.name = "class-imbalance", .settings = {"rho", rho, "schedule", "formula", "train", train}};
        damage_apply(&d, data, &report);
        check_counts(fixture_expected(item, "counts"), data, data->split.train);
        cru_data_destroy(data);
        cases++;
    }
    ck_assert_int_eq(cases, 10);
    cJSON_Delete(root);
}
END_TEST

START_TEST(graph_counts_follow_the_study)
{
    cJSON *root = fixture_open("igl/class_counts.json");
    const cJSON *item;
    int cases = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        if (strncmp(cJSON_GetObjectItem(item, "name")->valuestring, "graph_", 6) != 0) continue;
        const double ratio = fixture_input(item, "ratio")->valuedouble;
        cru_data *data = fixture_population(item);
        damage_report report;
        population_as_graphs(data, NULL);
        const damage d = {.name = "graph-class-imbalance",
                          .settings = {"level", ratio < 0.6   ? "balanced"
                                                : ratio < 0.8 ? "low"
                                                              : "high"}};
        damage_apply(&d, data, &report);
        check_counts(fixture_expected(item, "train"), data, data->split.train);
        check_counts(fixture_expected(item, "val"), data, data->split.val);
        cru_data_destroy(data);
        cases++;
    }
    ck_assert_int_eq(cases, 12);
    cJSON_Delete(root);
}
END_TEST

static const int64_t cora[] = {351, 217, 418, 818, 426, 298, 180};

/* Table B.2 of the study, dealt out by falling population. */
START_TEST(published_counts_are_the_default_for_their_dataset)
{
    static const struct {
        const char *rho;
        double counts[7], ratio;
    } cases[] = {{"20", {24, 9, 40, 100, 80, 15, 5}, 20}, {"100", {14, 3, 17, 200, 31, 6, 2}, 100}};
    cru_data *data = population_data(cora, 7);
    damage_report report;
    damage_apply(&(damage){.name = "class-imbalance", .settings = {"rho", cases[_i].rho}}, data, &report);
    const double *counts = damage_reported(&report, "train_counts");
    for (int c = 0; c < 7; c++) ck_assert_double_eq(counts[c], cases[_i].counts[c]);
    ck_assert_double_eq(*damage_reported(&report, "imbalance_ratio"), cases[_i].ratio);
    ck_assert_double_eq(*damage_reported(&report, "val"), 270);
    ck_assert_double_eq_tol(*damage_reported(&report, "val_per_class"), 270 / 7., 1e-12);
    ck_assert_double_eq(*damage_reported(&report, "test"), 2708 - 270 - *damage_reported(&report, "train"));
    cru_data_destroy(data);
}
END_TEST

START_TEST(counts_are_also_told_from_the_rarest_on)
{
    const double ascending[] = {5, 9, 15, 24, 40, 80, 100};
    cru_data *data = population_data(cora, 7);
    damage_report report;
    damage_apply(&(damage){.name = "class-imbalance", .settings = {"rho", "20"}}, data, &report);
    ck_assert_mem_eq(damage_reported(&report, "train_ascending"), ascending, sizeof ascending);
    ck_assert_double_eq(*damage_reported(&report, "train_least"), 5);
    ck_assert_double_eq(*damage_reported(&report, "train_most"), 100);
    ck_assert_double_eq_tol(*damage_reported(&report, "train_per_class"), 273 / 7., 1e-12);
    cru_data_destroy(data);
}
END_TEST

/* 39 numbers for 40 classes: the two rarest both get the smallest, and no class more than it has. */
START_TEST(the_rarest_class_of_arxiv_takes_the_smallest_count_again)
{
    int64_t population[40], rest = 169343;
    cru_data *data;
    damage_report report;
    for (int c = 0; c < 40; c++) {
        population[c] = c == 39 ? 29 : c == 38 ? 60 : c ? 1500 + c : 0;
        rest -= population[c];
    }
    population[0] = rest;
    data = population_data(population, 40);
    damage_apply(&(damage){.name = "class-imbalance", .settings = {"rho", "20"}}, data, &report);
    const double *counts = damage_reported(&report, "train_counts");
    ck_assert_double_eq(counts[0], 940);
    ck_assert_double_eq(counts[37], 919);
    ck_assert_double_eq(counts[1], 51);
    ck_assert_double_eq(counts[38], 47);
    ck_assert_double_eq(counts[39], 29);
    cru_data_destroy(data);
}
END_TEST

START_TEST(counts_may_be_given)
{
    cru_data *data = population_data((const int64_t[]){10, 20, 30}, 3);
    damage_report report;
    const damage d = {.name = "class-imbalance", .settings = {"schedule", "counts", "counts", "10, 0, 3"}};
    damage_apply(&d, data, &report);
    const double *counts = damage_reported(&report, "train_counts");
    ck_assert_double_eq(counts[0], 10);
    ck_assert_double_eq(counts[1], 0);
    ck_assert_double_eq(counts[2], 3);
    ck_assert_double_eq_tol(*damage_reported(&report, "imbalance_ratio"), 10 / 3., 1e-12);
    cru_data_destroy(data);
}
END_TEST

/* 200 training items of 4 classes: 50 stay of the first, 50 / 2, 50 / 4, 50 / 8 of the others. */
START_TEST(the_training_part_alone_can_be_thinned)
{
    cru_data *data = damage_data(400, 4);
    const cru_split before = data->split;
    damage_report report;
    damage_apply(&(damage){.name = "class-imbalance", .settings = {"rho", "8", "parts", "keep"}}, data, &report);
    static const double expected[] = {50, 25, 12, 6}; /* 12.5 and 6.25, half to even */
    const double *counts = damage_reported(&report, "train_counts");
    for (int c = 0; c < 4; c++) ck_assert_double_eq(counts[c], expected[c]);
    ck_assert_int_eq(data->split.test.count, before.test.count);
    ck_assert_mem_eq(data->split.test.ids, before.test.ids, (size_t)before.test.count * sizeof *before.test.ids);
    ck_assert_mem_eq(data->split.val.ids, before.val.ids, (size_t)before.val.count * sizeof *before.val.ids);
    for (int64_t i = 1; i < data->split.train.count; i++)
        ck_assert_int_lt(data->split.train.ids[i - 1], data->split.train.ids[i]);
    cru_data_destroy(data);
}
END_TEST

START_TEST(one_seed_one_split)
{
    cru_data *a = population_data(cora, 7), *b = population_data(cora, 7), *c = population_data(cora, 7);
    damage_report report;
    damage_apply(&(damage){.name = "class-imbalance", .seed = 4}, a, &report);
    damage_apply(&(damage){.name = "class-imbalance", .seed = 4}, b, &report);
    damage_apply(&(damage){.name = "class-imbalance", .seed = 5}, c, &report);
    const size_t bytes = (size_t)a->split.train.count * sizeof(int32_t);
    ck_assert_mem_eq(a->split.train.ids, b->split.train.ids, bytes);
    ck_assert_mem_ne(a->split.train.ids, c->split.train.ids, bytes);
    cru_data_destroy(a);
    cru_data_destroy(b);
    cru_data_destroy(c);
}
END_TEST

/* Noise after imbalance: the counts stay those of the truth, the labels of training items are noisy. */
START_TEST(noise_follows_imbalance)
{
    cru_data *data = population_data(cora, 7);
    damage_report report;
    damage_apply(&(damage){.name = "class-imbalance", .settings = {"rho", "20"}}, data, &report);
    damage_apply(&(damage){.name = "pair", .settings = {"rate", "1", "where", "train"}}, data, &report);
    const double *confusion = damage_reported(&report, "confusion");
    static const double counts[] = {24, 9, 40, 100, 80, 15, 5};
    for (int c = 0; c < 7; c++) ck_assert_double_eq(confusion[c * 7 + (c + 6) % 7], counts[c]);
    for (int64_t i = 0; i < data->split.test.count; i++)
        ck_assert_int_eq(data->labels[data->split.test.ids[i]], data->truth[data->split.test.ids[i]]);
    cru_data_destroy(data);
}
END_TEST

START_TEST(an_empty_class_and_unlabelled_items_stay_out)
{
    cru_data *data = population_data((const int64_t[]){40, 0, 30, 30}, 4);
    damage_report report;
    for (int64_t i = 0; i < 10; i++) data->truth[i] = data->labels[i] = CRU_UNLABELLED;
    damage_apply(&(damage){.name = "class-imbalance", .settings = {"rho", "4", "train", "0.4"}}, data, &report);
    ck_assert_double_eq(damage_reported(&report, "train_counts")[1], 0);
    ck_assert_int_eq(data->split.train.count + data->split.val.count + data->split.test.count, 90);
    cru_data_destroy(data);
}
END_TEST

START_TEST(what_cannot_be_out_of_balance_is_refused)
{
    static const struct {
        damage d;
        int32_t classes;
        cru_status status;
    } cases[] = {
        {{.name = "class-imbalance"}, 1, CRU_UNSUPPORTED},
        {{.name = "class-imbalance", .settings = {"schedule", "table"}}, 3, CRU_UNSUPPORTED},
        {{.name = "class-imbalance", .settings = {"schedule", "counts", "counts", "1, 2"}}, 3, CRU_BAD_INPUT},
        {{.name = "class-imbalance", .settings = {"schedule", "counts", "counts", "1, 2, 500"}}, 3, CRU_BAD_INPUT},
        {{.name = "class-imbalance", .settings = {"schedule", "counts", "counts", "0, 0, 0"}}, 3, CRU_UNSUPPORTED},
    };
    cru_data *data = damage_data(30, cases[_i].classes);
    damage_report report = {0};
    cru_error err = {0};
    ck_assert_int_eq(damage_try(&cases[_i].d, data, &report, &err), cases[_i].status);
    ck_assert_str_ne(err.text, "");
    cru_data_destroy(data);
}
END_TEST

START_TEST(the_majority_of_two_classes_can_be_chosen)
{
    static const struct {
        const char *majority;
        double first;
    } cases[] = {{"study", 3}, {"larger", 7}, {"class-0", 7}, {"class-1", 3}};
    cru_data *data = population_data((const int64_t[]){60, 40}, 2);
    damage_report report;
    population_as_graphs(data, NULL);
    damage_apply(&(damage){.name = "graph-class-imbalance", .settings = {"majority", cases[_i].majority}}, data,
                 &report);
    ck_assert_double_eq(damage_reported(&report, "train_counts")[0], cases[_i].first);
    cru_data_destroy(data);
}
END_TEST

START_TEST(held_out_graphs_leave_the_ratio_to_the_data)
{
    cru_data *data = population_data((const int64_t[]){60, 40}, 2);
    damage_report report;
    population_as_graphs(data, NULL);
    damage_apply(&(damage){.name = "graph-class-imbalance", .settings = {"held_out", "15"}}, data, &report);
    ck_assert_double_eq(damage_reported(&report, "train_counts")[0], 30);
    ck_assert_double_eq(damage_reported(&report, "train_counts")[1], 10);
    ck_assert_int_eq(data->split.val.count, 30);
    ck_assert_int_eq(data->split.test.count, 30);
    cru_data_destroy(data);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("class imbalance");
    TCase *c = tcase_create("imbalance");
    tcase_add_test(c, node_counts_follow_the_formula);
    tcase_add_test(c, graph_counts_follow_the_study);
    tcase_add_loop_test(c, published_counts_are_the_default_for_their_dataset, 0, 2);
    tcase_add_test(c, counts_are_also_told_from_the_rarest_on);
    tcase_add_test(c, the_rarest_class_of_arxiv_takes_the_smallest_count_again);
    tcase_add_test(c, counts_may_be_given);
    tcase_add_test(c, the_training_part_alone_can_be_thinned);
    tcase_add_test(c, one_seed_one_split);
    tcase_add_test(c, noise_follows_imbalance);
    tcase_add_test(c, an_empty_class_and_unlabelled_items_stay_out);
    tcase_add_loop_test(c, what_cannot_be_out_of_balance_is_refused, 0, 5);
    tcase_add_loop_test(c, the_majority_of_two_classes_can_be_chosen, 0, 4);
    tcase_add_test(c, held_out_graphs_leave_the_ratio_to_the_data);
    suite_add_tcase(s, c);
    return s;
}
