// SPDX-License-Identifier: Apache-2.0
/* The statistics that compare methods, against scipy and baycomp (tests/fixtures/report/stats-compare.py) and by
 * hand. */
#include <check.h>
#include <math.h>
#include <stdio.h>

#include "json-fixture.h"
#include "report/table/stats-compare.h"

static cJSON *fixture;

static void read_fixture(void)
{
    fixture = fixture_open("report/stats-compare.json");
}

static void free_fixture(void)
{
    cJSON_Delete(fixture);
}

static int64_t numbers(const cJSON *of, const char *key, double *out)
{
    const cJSON *list = cJSON_GetObjectItem(of, key);
    int64_t count = cJSON_GetArraySize(list);
    for (int i = 0; i < count; i++) out[i] = cJSON_GetArrayItem(list, i)->valuedouble;
    return count;
}

static const cJSON *item(const char *name)
{
    return cJSON_GetObjectItem(fixture, name);
}

static double number(const cJSON *of, const char *key)
{
    return cJSON_GetObjectItem(of, key)->valuedouble;
}

START_TEST(few_pairs_have_a_least_p)
{
    ck_assert_double_eq(stats_wilcoxon_least(3), 0.25);
    ck_assert_double_eq(stats_wilcoxon_least(0), 1);
    for (int64_t n = 1; n <= 20; n++) { /* what the test itself gives when all pairs agree */
        double d[20];
        for (int64_t i = 0; i < n; i++) d[i] = (double)(i + 1);
        ck_assert_double_eq_tol(stats_wilcoxon_least(n), stats_wilcoxon(d, n), 1e-15);
    }
    ck_assert_int_eq(stats_wilcoxon_needed(0.05, 1), 6); /* 2/64 = 0.031 */
    ck_assert_int_eq(stats_wilcoxon_needed(0.05, 3), 7); /* 3 * 2/128 = 0.047 */
}
END_TEST

START_TEST(friedman_agrees_with_scipy)
{
    double ranks[64];
    const cJSON *of = item("friedman");
    numbers(of, "ranks", ranks);
    friedman f = stats_friedman(ranks, (int64_t)number(of, "n"), (int64_t)number(of, "k"));
    ck_assert_double_eq_tol(f.chi2, number(of, "chi2"), 1e-10);
    ck_assert_double_eq_tol(f.p, number(of, "p"), 1e-12);
    ck_assert_double_eq_tol(f.f, number(of, "f"), 1e-9);
    ck_assert_double_eq_tol(f.f_of_p, number(of, "f_of_p"), 1e-12);
}
END_TEST

START_TEST(friedman_where_nothing_differs_or_all_agree)
{
    const double equal[] = {1.5, 1.5, 1.5, 1.5}, same[] = {1, 2, 3, 1, 2, 3};
    ck_assert(isnan(stats_friedman(equal, 2, 2).p));
    ck_assert(isnan(stats_friedman(same, 1, 3).p));
    friedman all = stats_friedman(same, 2, 3);
    ck_assert_double_eq_tol(all.chi2, 4, 1e-12); /* n (k - 1) */
    ck_assert_double_eq_tol(all.p, exp(-2), 1e-12);
    ck_assert_double_eq(all.f_of_p, 0);
}
END_TEST

START_TEST(the_corrected_t_widens_the_plain_one)
{
    double d[16];
    const cJSON *of = item("corrected");
    int64_t n = numbers(of, "differences", d);
    ck_assert_double_eq_tol(stats_corrected_t(d, n, number(of, "ratio")), number(of, "p"), 1e-12);
    ck_assert_double_eq_tol(stats_corrected_t(d, n, 0), number(of, "plain"), 1e-12);
    ck_assert(isnan(stats_corrected_t(d, 1, 0.25)));
    ck_assert(isnan(stats_corrected_t((double[]){0, 0}, 2, 0.25)));
    ck_assert_double_eq(stats_corrected_t((double[]){1, 1}, 2, 0.25), 0);
}
END_TEST

START_TEST(the_share_of_improvement_is_mann_whitneys)
{
    double a[16], b[16];
    const cJSON *of = item("improvement");
    stats_sample x = {a, numbers(of, "a", a)}, y = {b, numbers(of, "b", b)};
    ck_assert_double_eq_tol(stats_improvement(x, y), number(of, "share"), 1e-12);
    ck_assert_double_eq_tol(stats_improvement(y, x), 1 - number(of, "share"), 1e-12);
    ck_assert(isnan(stats_improvement(x, (stats_sample){0})));
}
END_TEST

START_TEST(the_interquartile_mean_trims_a_quarter_at_either_end)
{
    double d[16];
    const cJSON *of = item("trimmed");
    int64_t n = numbers(of, "values", d);
    ck_assert_double_eq_tol(stats_interquartile_mean(d, n), number(of, "mean"), 1e-12);
    ck_assert_double_eq(stats_interquartile_mean((double[]){100, 1, 2, -7}, 4), 1.5);
    ck_assert_double_eq(stats_interquartile_mean((double[]){3, 1, 2}, 3), 2);
    ck_assert(isnan(stats_interquartile_mean(d, 0)));
}
END_TEST

static double plain_mean(double *values, int64_t n)
{
    return stats_mean(values, n);
}

/* 20,000 draws: the ends are within a few hundredths of those of ten times as many. */
START_TEST(bootstrap_intervals_agree_with_scipy)
{
    static const struct {
        const char *key;
        stats_function *function;
    } cases[] = {{"mean", plain_mean}, {"trimmed", stats_interquartile_mean}};
    double values[64], ends[2];
    const cJSON *of = item("bootstrap");
    stats_sample all = {values, numbers(of, "values", values)};
    numbers(of, cases[_i].key, ends);
    cru_rng rng = cru_rng_stream(1, "bootstrap", 0);
    bootstrap b = {.samples = &all, .count = 1, .function = cases[_i].function, .level = 0.95, .draws = 20000};
    stats_interval got = stats_bootstrap(&b, &rng);
    ck_assert_double_eq_tol(got.low, ends[0], 0.03);
    ck_assert_double_eq_tol(got.high, ends[1], 0.03);
}
END_TEST

START_TEST(bootstrap_draws_within_each_sample)
{
    const double one[] = {1}, two[] = {5, 5, 5};
    const stats_sample samples[] = {{one, 1}, {two, 3}};
    cru_rng rng = cru_rng_stream(1, "bootstrap", 0);
    bootstrap b = {.samples = samples, .count = 2, .function = plain_mean, .level = 0.95, .draws = 100};
    stats_interval got = stats_bootstrap(&b, &rng);
    ck_assert_double_eq(got.low, 4); /* (1 + 15) / 4, whatever is drawn */
    ck_assert_double_eq(got.high, 4);
    b.count = 0;
    ck_assert(isnan(stats_bootstrap(&b, &rng).low));
}
END_TEST

START_TEST(the_bayesian_test_agrees_with_baycomp)
{
    double d[16], probs[3];
    const cJSON *of = cJSON_GetArrayItem(item("bayes"), _i);
    stats_sample differences = {d, numbers(of, "differences", d)};
    numbers(of, "probs", probs);
    cru_rng rng = cru_rng_stream(1, "bayes", 0);
    signed_rank got = stats_bayes_signed_rank(differences, number(of, "rope"), 50000, &rng);
    ck_assert_double_eq_tol(got.below, probs[0], 0.01);
    ck_assert_double_eq_tol(got.within, probs[1], 0.01);
    ck_assert_double_eq_tol(got.above, probs[2], 0.01);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("stats-compare");
    TCase *tc = tcase_create("stats-compare");
    tcase_add_unchecked_fixture(tc, read_fixture, free_fixture);
    tcase_add_test(tc, few_pairs_have_a_least_p);
    tcase_add_test(tc, friedman_agrees_with_scipy);
    tcase_add_test(tc, friedman_where_nothing_differs_or_all_agree);
    tcase_add_test(tc, the_corrected_t_widens_the_plain_one);
    tcase_add_test(tc, the_share_of_improvement_is_mann_whitneys);
    tcase_add_test(tc, the_interquartile_mean_trims_a_quarter_at_either_end);
    tcase_add_loop_test(tc, bootstrap_intervals_agree_with_scipy, 0, 2);
    tcase_add_test(tc, bootstrap_draws_within_each_sample);
    tcase_add_loop_test(tc, the_bayesian_test_agrees_with_baycomp, 0, 4);
    suite_add_tcase(suite, tc);
    return suite;
}
