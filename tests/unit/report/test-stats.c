// SPDX-License-Identifier: Apache-2.0
/* The statistics against scipy (tests/fixtures/report/stats.py), against counting all cases, and by hand. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json-fixture.h"
#include "report/table/stats.h"

static cJSON *fixture;

static void read_fixture(void)
{
    fixture = fixture_open("report/stats.json");
}

static void free_fixture(void)
{
    cJSON_Delete(fixture);
}

static int64_t numbers(const char *name, const char *key, double *out)
{
    const cJSON *list = cJSON_GetObjectItem(cJSON_GetObjectItem(fixture, name), key);
    int64_t count = cJSON_GetArraySize(list);
    for (int i = 0; i < count; i++) out[i] = cJSON_GetArrayItem(list, i)->valuedouble;
    return count;
}

static double expected(const char *name)
{
    return cJSON_GetObjectItem(cJSON_GetObjectItem(fixture, name), "p")->valuedouble;
}

START_TEST(wilcoxon_agrees_with_scipy)
{
    static const char *const names[] = {"small", "long"};
    double d[64];
    int64_t n = numbers(names[_i], "differences", d);
    ck_assert_double_eq_tol(stats_wilcoxon(d, n), expected(names[_i]), 1e-12);
}
END_TEST

/* Twice the share of sign patterns whose sum of positive ranks is at most the smaller of both sums. */
static double count_patterns(const double *ranks, int64_t n, double smaller)
{
    int64_t below = 0;
    for (int64_t pattern = 0; pattern < 1 << n; pattern++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += pattern >> i & 1 ? ranks[i] : 0;
        below += sum <= smaller + 1e-9;
    }
    return fmin(1, 2 * (double)below / (double)(1 << n));
}

START_TEST(wilcoxon_with_ties_and_zeros_counts_all_sign_patterns)
{
    const double d[] = {1, -1, 2, 2, 0, -2, 3, 0, 4}; /* |d| without zeros: 1 1 2 2 2 3 4 */
    const double ranks[] = {1.5, 1.5, 4, 4, 4, 6, 7}; /* negative: 1.5 + 4 */
    ck_assert_double_eq_tol(stats_wilcoxon(d, 9), count_patterns(ranks, 7, 5.5), 1e-12);
}
END_TEST

START_TEST(wilcoxon_of_few_pairs_cannot_be_small)
{
    ck_assert_double_eq(stats_wilcoxon((double[]){1, 2, 3}, 3), 0.25);
    ck_assert_double_eq(stats_wilcoxon((double[]){1}, 1), 1);
    ck_assert(isnan(stats_wilcoxon((double[]){0, 0}, 2)));
    ck_assert(isnan(stats_wilcoxon(NULL, 0)));
}
END_TEST

START_TEST(holm_multiplies_by_the_number_left_and_never_decreases)
{
    double p[] = {0.04, NAN, 0.01, 0.03, 0.9};
    stats_holm(p, 5);
    ck_assert_double_eq_tol(p[2], 0.04, 1e-15); /* 4 * 0.01 */
    ck_assert_double_eq_tol(p[3], 0.09, 1e-15); /* 3 * 0.03 */
    ck_assert_double_eq_tol(p[0], 0.09, 1e-15); /* 2 * 0.04 is less than the one before */
    ck_assert_double_eq_tol(p[4], 0.9, 1e-15);
    ck_assert(isnan(p[1]));
}
END_TEST

START_TEST(ranks_share_ties_and_skip_what_is_missing)
{
    double values[8], want[8], ranks[8];
    int64_t n = numbers("ranks", "values", values);
    numbers("ranks", "ranks", want);
    stats_ranks(values, n, true, ranks);
    for (int64_t i = 0; i < n; i++) ck_assert_double_eq(ranks[i], want[i]);
    stats_ranks((double[]){0.5, NAN, 0.7, 0.5}, 4, false, ranks);
    ck_assert_double_eq(ranks[0], 2.5);
    ck_assert(isnan(ranks[1]));
    ck_assert_double_eq(ranks[2], 1);
    ck_assert_double_eq(ranks[3], 2.5);
}
END_TEST

START_TEST(spread_is_what_its_name_says)
{
    double d[16];
    int64_t n = numbers("small", "differences", d);
    double sem = cJSON_GetObjectItem(fixture, "sem")->valuedouble,
           std = cJSON_GetObjectItem(fixture, "tstd")->valuedouble;
    ck_assert_double_eq_tol(stats_spread(d, n, REPORT_STD), std, 1e-12);
    ck_assert_double_eq_tol(stats_spread(d, n, REPORT_SEM), sem, 1e-12);
    const double two[] = {1, 3};
    ck_assert_double_eq(stats_spread(two, 2, REPORT_STD0), 1);
    ck_assert_double_eq_tol(stats_spread(two, 2, REPORT_SEM0), sqrt(0.5), 1e-15);
    ck_assert(isnan(stats_spread(two, 1, REPORT_STD)));
    ck_assert_double_eq(stats_spread(two, 1, REPORT_STD0), 0);
    ck_assert(isnan(stats_spread(two, 0, REPORT_STD0)));
    ck_assert(isnan(stats_mean(NULL, 0)));
}
END_TEST

START_TEST(runs_are_summed_up_as_the_label_noise_study_does)
{
    cJSON *root = fixture_open("noisygl/metrics.json");
    const cJSON *item = fixture_case(root, "mean_std");
    double runs[16];
    const int64_t n = fixture_numbers(fixture_input(item, "values"), runs);
    ck_assert_double_eq_tol(stats_mean(runs, n), fixture_expected(item, "mean")->valuedouble, 1e-6);
    ck_assert_double_eq_tol(stats_spread(runs, n, REPORT_STD), fixture_expected(item, "std")->valuedouble, 1e-6);
    cJSON_Delete(root);
}
END_TEST

START_TEST(quantiles_are_linear_between_neighbours)
{
    const double v[] = {1, 2, 4, 8};
    ck_assert_double_eq(stats_quantile(v, 4, 0), 1);
    ck_assert_double_eq(stats_quantile(v, 4, 0.5), 3);
    ck_assert_double_eq(stats_quantile(v, 4, 0.25), 1.75);
    ck_assert_double_eq(stats_quantile(v, 4, 1), 8);
    ck_assert_double_eq(stats_quantile(v, 1, 0.75), 1);
}
END_TEST

START_TEST(the_critical_difference_follows_the_studentized_range)
{
    const cJSON *entry;
    cJSON_ArrayForEach(entry, cJSON_GetObjectItem(fixture, "range"))
    {
        double k = cJSON_GetObjectItem(entry, "k")->valuedouble, q = cJSON_GetObjectItem(entry, "q")->valuedouble;
        double want = q / sqrt(2) * sqrt(k * (k + 1) / (6 * 14));
        ck_assert_double_eq_tol(stats_critical_difference((int64_t)k, 14, 0.05), want, 1e-5);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("stats");
    TCase *tc = tcase_create("stats");
    tcase_add_checked_fixture(tc, read_fixture, free_fixture);
    tcase_add_loop_test(tc, wilcoxon_agrees_with_scipy, 0, 2);
    tcase_add_test(tc, wilcoxon_with_ties_and_zeros_counts_all_sign_patterns);
    tcase_add_test(tc, wilcoxon_of_few_pairs_cannot_be_small);
    tcase_add_test(tc, holm_multiplies_by_the_number_left_and_never_decreases);
    tcase_add_test(tc, ranks_share_ties_and_skip_what_is_missing);
    tcase_add_test(tc, spread_is_what_its_name_says);
    tcase_add_test(tc, runs_are_summed_up_as_the_label_noise_study_does);
    tcase_add_test(tc, quantiles_are_linear_between_neighbours);
    tcase_add_test(tc, the_critical_difference_follows_the_studentized_range);
    suite_add_tcase(suite, tc);
    return suite;
}
