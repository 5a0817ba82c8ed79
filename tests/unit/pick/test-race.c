// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <math.h>

#include "pick/race.h"
#include "report/table/stats-compare.h"

enum { RUNS = 5, ENTRIES = 7 };

static const double scores[ENTRIES][RUNS] = {{.5, .5, .5, .5, .5},     {.9, .8, .9, .8, .85}, {.9, .9, NAN, .9, .9},
                                             {.89, .81, .9, .8, .84},  {.7, .6, .7, .6, .6},  {.5, .5, .5, .5, .5},
                                             {.88, .78, .88, .78, .83}};
static const char *const names[ENTRIES] = {"a", "b", "c", "d", "e", "f", "g"};
static race_entry entries[ENTRIES];

static void fill(void)
{
    for (int i = 0; i < ENTRIES; i++) entries[i] = (race_entry){.name = names[i], .scores = scores[i]};
    race_order(entries, ENTRIES, RUNS);
}

START_TEST(the_best_mean_comes_first_equal_ones_in_their_order_and_failures_last)
{
    static const char wanted[] = "bdgeafc";
    for (int i = 0; i < ENTRIES; i++) ck_assert_int_eq(entries[i].name[0], wanted[i]);
    ck_assert(isnan(entries[ENTRIES - 1].mean));
    ck_assert_int_eq(race_finished(entries, ENTRIES), ENTRIES - 1);
}
END_TEST

START_TEST(a_third_goes_on_but_at_least_four_and_never_one_without_a_mean)
{
    race_entry many[30];
    for (int i = 0; i < 30; i++) many[i] = (race_entry){.mean = 30 - i};
    ck_assert_int_eq(race_survivors(many, 30), 10);
    ck_assert_int_eq(race_survivors(many, 7), 4);
    ck_assert_int_eq(race_survivors(many, 3), 3);
    for (int i = 5; i < 30; i++) many[i].mean = NAN;
    ck_assert_int_eq(race_survivors(many, 30), 5);
}
END_TEST

START_TEST(who_is_equal_to_the_last_that_goes_on_goes_on)
{
    race_entry many[30];
    for (int i = 0; i < 30; i++) many[i] = (race_entry){.mean = i < 8 ? 2 : i < 14 ? 1 : 0};
    ck_assert_int_eq(race_survivors(many, 30), 14);
}
END_TEST

/* The p values by the tested function of the statistics; Holm multiplies the smallest of four by four and so on. */
START_TEST(worse_is_what_the_corrected_test_shows)
{
    double d[RUNS], p[ENTRIES] = {NAN};
    race_judge(entries, ENTRIES, RUNS, 1.0 / 3);
    for (int i = 1; i < ENTRIES; i++) {
        for (int k = 0; k < RUNS; k++) d[k] = entries[0].scores[k] - entries[i].scores[k];
        p[i] = isnan(entries[i].mean) ? NAN : stats_corrected_t(d, RUNS, 1.0 / 3);
    }
    stats_holm(p, ENTRIES);
    for (int i = 1; i < ENTRIES - 1; i++) ck_assert_double_eq_tol(entries[i].p, p[i], 1e-15);
    ck_assert(isnan(entries[0].p) && entries[0].as_good);
    ck_assert(entries[1].as_good);  /* d: a hundredth this way and that */
    ck_assert(!entries[3].as_good); /* e: a fifth below in every run */
    ck_assert(!entries[ENTRIES - 1].as_good);
}
END_TEST

START_TEST(few_labels_get_more_seeds)
{
    ck_assert_int_eq(race_repeats(22), 4);
    ck_assert_int_eq(race_repeats(999), 2);
    ck_assert_int_eq(race_repeats(1000), 1);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("race");
    TCase *tc = tcase_create("race");
    tcase_add_checked_fixture(tc, fill, NULL);
    tcase_add_test(tc, the_best_mean_comes_first_equal_ones_in_their_order_and_failures_last);
    tcase_add_test(tc, a_third_goes_on_but_at_least_four_and_never_one_without_a_mean);
    tcase_add_test(tc, who_is_equal_to_the_last_that_goes_on_goes_on);
    tcase_add_test(tc, worse_is_what_the_corrected_test_shows);
    tcase_add_test(tc, few_labels_get_more_seeds);
    suite_add_tcase(suite, tc);
    return suite;
}
