// SPDX-License-Identifier: Apache-2.0
/* What a search tries, in which order, and what it chooses. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "json-fixture.h"
#include "report/table/stats.h"
#include "search/search.h"
#include "worker/monitor.h"

static const char *const words[] = {"a", "b", "c", NULL};

/* The optimum of the toy function: lr = 0.01, x = 0.3, width = 64, word = "c". */
static const cru_param params[] = {
    {.key = "lr", .type = CRU_PARAM_FLOAT, .min = 0, .max = CRU_NO_MAX},
    {.key = "x", .type = CRU_PARAM_FLOAT, .min = 0, .max = 1},
    {.key = "width", .type = CRU_PARAM_INT, .min = 1, .max = 65536},
    {.key = "word", .type = CRU_PARAM_CHOICE, .choices = words},
};
static const search_axis axes[] = {
    {&params[0], CRU_LOG_UNIFORM(1e-5, 1), NULL},
    {&params[1], CRU_UNIFORM(0, 1), NULL},
    {&params[2], CRU_POWER_OF_2(3, 11), NULL},
    {&params[3], CRU_ANY_CHOICE, NULL},
};
enum { AXES = 4 };
static const double defaults[AXES] = {-3, 0.5, 5, 0};

static search_settings settings(search_method method)
{
    return (search_settings){.method = method, .points = 3, .startup = 10, .ahead = 4, .defaults_first = true};
}

static search *start(const search_settings *s, uint64_t seed)
{
    return search_create(&(search_problem){s, axes, AXES, defaults, seed});
}

static double toy(const double *at)
{
    double lr = at[0] + 2, x = at[1] - 0.3, width = floor(at[2]) - 6;
    return -(lr * lr + 4 * x * x + 0.2 * width * width + (at[3] == 2 ? 0 : 1));
}

static const double *point_of(const search *s, int64_t number)
{
    const double *point = search_point(s, number);
    return point ? point : defaults;
}

/* Tries everything at once; the best value found. */
static double run(search *s)
{
    double best = -INFINITY;
    for (int64_t number; search_ask(s, &number) == SEARCH_TRY;) {
        double value = toy(point_of(s, number));
        best = fmax(best, value);
        search_tell(s, number, &(search_result){.ok = true, .score = value, .seconds = 1});
    }
    return best;
}

/* ---- what is tried --------------------------------------------------------------------------------------- */

START_TEST(a_grid_has_all_combinations_with_the_last_axis_fastest)
{
    search_settings set = settings(SEARCH_GRID);
    search *s = start(&set, 0);
    ck_assert_int_eq(search_limit(s), 3 * 3 * 8 * 3);
    run(s);
    ck_assert_int_eq(search_count(s), 3 * 3 * 8 * 3);
    static const double lr[] = {-5, -2.5, 0}, x[] = {0, 0.5, 1};
    for (int64_t i = 0; i < search_count(s); i++) {
        const double *at = search_point(s, i);
        ck_assert_double_eq_tol(at[0], lr[i / 72], 1e-12);
        ck_assert_double_eq_tol(at[1], x[i / 24 % 3], 1e-12);
        ck_assert(at[2] == (double)(3 + i / 3 % 8) && at[3] == (double)(i % 3));
    }
    search_destroy(s);
}
END_TEST

START_TEST(a_search_ends_with_its_budget)
{
    search_settings set = settings(SEARCH_RANDOM);
    search *s = start(&set, 0);
    run(s);
    ck_assert_int_eq(search_count(s), 20); /* unless said otherwise */
    search_destroy(s);
    set.trials = 7;
    s = start(&set, 0);
    run(s);
    ck_assert_int_eq(search_count(s), 7);
    search_destroy(s);
    /* Half a minute of one second each, and those that were under way when it was over. */
    set.trials = 0;
    set.minutes = 0.5;
    s = start(&set, 0);
    run(s);
    ck_assert_int_eq(search_count(s), 30 + set.ahead - 1);
    search_destroy(s);
}
END_TEST

START_TEST(without_axes_only_the_defaults_are_tried)
{
    search_settings set = settings(SEARCH_TPE);
    search *s = search_create(&(search_problem){.settings = &set});
    int64_t number;
    ck_assert_int_eq(search_ask(s, &number), SEARCH_TRY);
    ck_assert_ptr_null(search_point(s, number));
    ck_assert_int_eq(search_ask(s, &number), SEARCH_LATER);
    search_tell(s, 0, &(search_result){.ok = false});
    ck_assert_int_eq(search_ask(s, &number), SEARCH_OVER);
    ck_assert_int_eq(search_choice(s), 0);
    search_destroy(s);
}
END_TEST

START_TEST(random_settings_fill_the_distributions)
{
    search_settings set = settings(SEARCH_RANDOM);
    set.trials = 8000;
    search *s = start(&set, 3);
    run(s);
    ck_assert_ptr_null(search_point(s, 0));
    double lr = 0, x = 0;
    int widths[12] = {0}, seen[3] = {0};
    for (int64_t i = 1; i < set.trials; i++) {
        const double *at = search_point(s, i);
        ck_assert(at[0] >= -5 && at[0] < 0 && at[1] >= 0 && at[1] < 1 && at[2] >= 3 && at[2] < 11);
        lr += at[0];
        x += at[1];
        widths[(int)at[2]]++;
        seen[(int)at[3]]++;
    }
    /* Means of flat distributions, within 5 standard errors; counts likewise. */
    ck_assert_double_eq_tol(lr / 8000, -2.5, 5 * 5 / sqrt(12 * 8000));
    ck_assert_double_eq_tol(x / 8000, 0.5, 5 / sqrt(12 * 8000));
    for (int k = 3; k < 11; k++) ck_assert_int_le(abs(widths[k] - 1000), 5 * 30);
    for (int k = 0; k < 3; k++) ck_assert_int_le(abs(seen[k] - 2667), 5 * 42);
    search_destroy(s);
}
END_TEST

/* A setting of one name is drawn alike for all methods, whatever else they search. */
START_TEST(axes_do_not_disturb_each_other)
{
    search_settings set = settings(SEARCH_RANDOM);
    search *all = start(&set, 5), *one = search_create(&(search_problem){&set, axes + 1, 1, defaults + 1, 5});
    run(all);
    for (int64_t number; search_ask(one, &number) == SEARCH_TRY;)
        search_tell(one, number, &(search_result){.ok = true});
    for (int64_t i = 1; i < 20; i++) ck_assert(search_point(all, i)[1] == search_point(one, i)[0]);
    search_destroy(all);
    search_destroy(one);
}
END_TEST

/* The draws of the partial-label benchmark, from its own code. */
START_TEST(the_draws_of_the_study_are_repeated)
{
    static const cru_param own[] = {
        {.key = "lr", .type = CRU_PARAM_FLOAT, .min = 0, .max = CRU_NO_MAX},
        {.key = "weight_decay", .type = CRU_PARAM_FLOAT, .min = 0, .max = CRU_NO_MAX},
        {.key = "batch_size", .type = CRU_PARAM_INT, .min = 1, .max = 65536},
    };
    static const char *const names[] = {"lr", "weight_decay", "batch_size_tabular", "batch_size_image"};
    enum { DRAWN = sizeof names / sizeof *names };
    const search_axis space[] = {{&own[0], CRU_LOG_UNIFORM(pow(10, -4.5), pow(10, -2.5)), NULL},
                                 {&own[1], CRU_LOG_UNIFORM(1e-6, 1e-3), NULL},
                                 {&own[2], CRU_POWER_OF_2(5, 8), NULL},
                                 {&own[2], CRU_POWER_OF_2(6, 9), NULL}};
    const double initial[DRAWN] = {0};
    search_settings set = settings(SEARCH_RANDOM);
    set.rng = SEARCH_RNG_STUDY;
    cJSON *root = fixture_open("pll/protocol.json");
    const cJSON *expected = cJSON_GetObjectItem(fixture_case(root, "common_hyperparameters"), "expected"), *item;
    int compared = 0;
    cJSON_ArrayForEach(item, expected)
    {
        int seed, number;
        if (sscanf(item->string, "t%d_c%d", &seed, &number) != 2 || number == 0) continue;
        search *s = search_create(&(search_problem){&set, space, DRAWN, initial, (uint64_t)seed});
        int64_t at = 0;
        while (at < number) ck_assert_int_eq(search_ask(s, &at), SEARCH_TRY);
        for (int k = 0; k < DRAWN; k++) {
            char text[AXIS_TEXT_SIZE];
            axis_text(&space[k], search_point(s, number)[k], text);
            double wanted = cJSON_GetObjectItem(item, names[k])->valuedouble;
            ck_assert_double_eq_tol(strtod(text, NULL) / wanted, 1, 1e-8);
        }
        compared++;
        search_destroy(s);
    }
    ck_assert_int_ge(compared, 5);
    cJSON_Delete(root);
}
END_TEST

/* ---- tpe ------------------------------------------------------------------------------------------------- */

/* On the mean of 20 seeds, after 60 settings it has lost less than 0.7 of what random draws lose. */
START_TEST(tpe_comes_closer_to_the_optimum_than_random_draws)
{
    double lost[2] = {0};
    enum { SEEDS = 20 };
    for (int k = 0; k < 2; k++) {
        search_settings set = settings(k ? SEARCH_TPE : SEARCH_RANDOM);
        set.trials = 60;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            search *s = start(&set, seed);
            lost[k] -= run(s) / SEEDS;
            search_destroy(s);
        }
    }
    ck_assert_msg(lost[1] < 0.7 * lost[0], "loss of tpe %g, of random draws %g", lost[1], lost[0]);
}
END_TEST

/* Results that come late, or in another order, change nothing. */
START_TEST(tpe_does_not_depend_on_when_results_come)
{
    search_settings set = settings(SEARCH_TPE);
    set.trials = 40;
    search *prompt = start(&set, 1), *late = start(&set, 1);
    run(prompt);
    int64_t open[64], count = 0, number;
    for (;;) {
        search_step step = search_ask(late, &number);
        if (step == SEARCH_OVER) break;
        if (step == SEARCH_TRY) open[count++] = number;
        if (step == SEARCH_TRY && (set.startup > number || count < set.ahead)) continue;
        number = open[--count]; /* the newest first */
        search_tell(late, number, &(search_result){.ok = true, .score = toy(point_of(late, number))});
    }
    ck_assert_int_eq(search_count(late), 40);
    for (int64_t i = 1; i < 40; i++)
        ck_assert_mem_eq(search_point(late, i), search_point(prompt, i), AXES * sizeof(double));
    ck_assert_int_eq(search_choice(late), search_choice(prompt));
    search_destroy(prompt);
    search_destroy(late);
}
END_TEST

START_TEST(tpe_waits_for_no_more_results_than_it_must)
{
    search_settings set = settings(SEARCH_TPE);
    search *s = start(&set, 0);
    int64_t number;
    for (int i = 0; i < 10; i++) ck_assert_int_eq(search_ask(s, &number), SEARCH_TRY);
    ck_assert_int_eq(search_ask(s, &number), SEARCH_LATER);
    for (int i = 0; i < 7; i++) search_tell(s, i, &(search_result){.ok = true, .score = i});
    ck_assert_int_eq(search_ask(s, &number), SEARCH_TRY); /* 7, 8, 9 and this one are under way */
    ck_assert_int_eq(search_ask(s, &number), SEARCH_LATER);
    search_destroy(s);
}
END_TEST

/* ---- the choice ------------------------------------------------------------------------------------------ */

static int64_t choice_of(search_ties ties, const search_result *results, int64_t count)
{
    search_settings set = settings(SEARCH_RANDOM);
    set.trials = count;
    set.ties = ties;
    search *s = start(&set, 0);
    for (int64_t number; search_ask(s, &number) == SEARCH_TRY;) search_tell(s, number, &results[number]);
    int64_t choice = search_choice(s);
    search_destroy(s);
    return choice;
}

START_TEST(the_best_score_is_chosen)
{
    const search_result equal[] = {{true, 0.5, 1}, {true, 0.7, 1}, {false, 0.9, 1}, {true, 0.7, 1}};
    ck_assert_int_eq(choice_of(SEARCH_TIES_FIRST, equal, 4), 1);
    ck_assert_int_eq(choice_of(SEARCH_TIES_LAST, equal, 4), 3);
    const search_result nan[] = {{true, NAN, 1}, {true, -1e9, 1}, {true, NAN, 1}};
    ck_assert_int_eq(choice_of(SEARCH_TIES_FIRST, nan, 3), 1);
    ck_assert_int_eq(choice_of(SEARCH_TIES_LAST, nan, 3), 1);
    const search_result failed[] = {{false, NAN, 1}, {true, NAN, 1}, {false, NAN, NAN}};
    ck_assert_int_eq(choice_of(SEARCH_TIES_FIRST, failed, 3), 1);
    ck_assert_int_eq(choice_of(SEARCH_TIES_LAST, failed, 3), 1);
    ck_assert_int_eq(choice_of(SEARCH_TIES_FIRST, failed, 1), 0);
}
END_TEST

/* ---- the partial-label study: within a training by the rule, then among the settings, then over the trials
 * --------- */

typedef struct chosen {
    double value, test; /* of the checkpoint, by its rule and on the test set */
    bool any;
} chosen;

static double field(const cJSON *record, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(record, key);
    return cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

/* The first record of a training is never chosen. */
static chosen checkpoint_of(const cJSON *records, int number, int config, const char *key, bool last)
{
    const monitor_settings rule = {.rule = MONITOR_COVERING_RATE, .nonfinite = MONITOR_NONFINITE_KEEP};
    chosen best = {.any = false};
    const cJSON *record;
    cJSON_ArrayForEach(record, records)
    {
        if (field(record, "trial") != number || field(record, "config") != config || field(record, "step") == 0)
            continue;
        const monitor_gain gain = {.value = field(record, key), .loss = NAN}, past = {.value = best.value, .loss = NAN};
        if (last || monitor_improves(&rule, best.any ? &past : NULL, &gain))
            best = (chosen){gain.value, field(record, "test"), true};
    }
    return best;
}

START_TEST(the_partial_label_study_chooses_and_averages_so)
{
    enum { TRIALS = 3, CONFIGS = 4 };
    static const struct {
        const char *expected, *key;
        bool last;
    } rules[] = {{"CR", "CR", false}, {"AA", "AA", false}, {"OA", "OA", true}, {"OA_ES", "OA", false}};
    cJSON *root = fixture_open("pll/protocol.json");
    const cJSON *item = fixture_case(root, "selection_and_aggregation");
    const cJSON *records = fixture_input(item, "records"), *expected = fixture_expected(item, rules[_i].expected);
    double test[TRIALS];
    for (int i = 0; i < TRIALS; i++) {
        chosen of[CONFIGS];
        search_result results[CONFIGS];
        for (int c = 0; c < CONFIGS; c++) {
            of[c] = checkpoint_of(records, i, c, rules[_i].key, rules[_i].last);
            results[c] = (search_result){true, of[c].value, 1};
        }
        test[i] = of[choice_of(SEARCH_TIES_LAST, results, CONFIGS)].test;
        ck_assert_double_eq(test[i],
                            cJSON_GetArrayItem(cJSON_GetObjectItem(expected, "per_trial_test"), i)->valuedouble);
    }
    const double mean = (test[0] + test[1] + test[2]) / TRIALS, spread = stats_spread(test, TRIALS, REPORT_SEM0);
    ck_assert_double_eq_tol(100 * mean, field(expected, "mean_percent"), 1e-6);
    ck_assert_double_eq_tol(100 * spread, field(expected, "err_percent"), 1e-6);
    cJSON_Delete(root);
}
END_TEST

/* ---- values ---------------------------------------------------------------------------------------------- */

static void expect_text(const search_axis *axis, double coordinate, const char *text)
{
    char found[AXIS_TEXT_SIZE];
    axis_text(axis, coordinate, found);
    ck_assert_str_eq(found, text);
}

START_TEST(coordinates_become_values_and_back)
{
    static const cru_param flag = {.key = "flag", .type = CRU_PARAM_BOOL, .min = 0, .max = 1};
    static const cru_param whole = {.key = "whole", .type = CRU_PARAM_INT, .min = 0, .max = 9};
    const search_axis either = {&flag, CRU_ONE_OF(0, 1), NULL}, range = {&whole, CRU_UNIFORM(2, 4), NULL},
                      list = {&whole, CRU_ONE_OF(3, 7), NULL};
    expect_text(&axes[0], -2, "0.01");
    expect_text(&axes[0], 0.0001, "1"); /* rounding does not leave the interval */
    expect_text(&axes[2], 6.99, "64");
    expect_text(&axes[3], 1, "b");
    expect_text(&either, 1, "1");
    expect_text(&list, 1, "7");
    expect_text(&range, axis_at_share(&range, 0), "2");
    expect_text(&range, axis_at_share(&range, 0.34), "3");
    expect_text(&range, axis_at_share(&range, 0.999), "4");
    ck_assert_int_eq(axis_grid_size(&range, 5), 3);
    ck_assert_double_eq_tol(axis_coordinate(&axes[0], "0.01"), -2, 1e-12);
    ck_assert_double_eq(axis_coordinate(&axes[0], "17"), 0);
    ck_assert_double_eq(axis_coordinate(&axes[2], "64"), 6);
    ck_assert_double_eq(axis_coordinate(&axes[3], "c"), 2);
    ck_assert_double_eq(axis_coordinate(&either, "true"), 1);
    ck_assert_double_eq(axis_coordinate(&list, "7"), 1);
    ck_assert(isnan(axis_coordinate(&list, "5")));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("search");
    TCase *t = tcase_create("search");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, a_grid_has_all_combinations_with_the_last_axis_fastest);
    tcase_add_test(t, a_search_ends_with_its_budget);
    tcase_add_test(t, without_axes_only_the_defaults_are_tried);
    tcase_add_test(t, random_settings_fill_the_distributions);
    tcase_add_test(t, axes_do_not_disturb_each_other);
    tcase_add_test(t, the_draws_of_the_study_are_repeated);
    tcase_add_test(t, tpe_comes_closer_to_the_optimum_than_random_draws);
    tcase_add_test(t, tpe_does_not_depend_on_when_results_come);
    tcase_add_test(t, tpe_waits_for_no_more_results_than_it_must);
    tcase_add_test(t, the_best_score_is_chosen);
    tcase_add_loop_test(t, the_partial_label_study_chooses_and_averages_so, 0, 4);
    tcase_add_test(t, coordinates_become_values_and_back);
    suite_add_tcase(s, t);
    return s;
}
