// SPDX-License-Identifier: Apache-2.0
#include <crucible/draft/random.h>
#include <crucible/random.h>

#include "random/statistics.h"

enum { DRAWS = 50000 };

static double values[DRAWS];

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

START_TEST(normal_values_follow_the_normal_distribution)
{
    cru_rng rng = cru_rng_stream(1, "normal", 0);
    for (int i = 0; i < DRAWS; i++) values[i] = cru_rng_normal(&rng);
    assert_mean(values, DRAWS, 0, 1);
    assert_distribution(values, DRAWS, normal_cdf);
}
END_TEST

/* Closed forms: shape 1 is exponential, 1/2 is a halved chi-square, 3 is an Erlang distribution. */
static double gamma_half(double x)
{
    return erf(sqrt(x));
}
static double gamma_1(double x)
{
    return -expm1(-x);
}
static double gamma_3(double x)
{
    return 1 - exp(-x) * (1 + x + x * x / 2);
}

START_TEST(gamma_values_follow_the_gamma_distribution)
{
    static const struct {
        double shape, (*cdf)(double);
    } cases[] = {{0.5, gamma_half}, {1, gamma_1}, {3, gamma_3}};
    cru_rng rng = cru_rng_stream(2, "gamma", 0);
    for (int i = 0; i < DRAWS; i++) values[i] = cru_rng_gamma(&rng, cases[_i].shape);
    assert_mean(values, DRAWS, cases[_i].shape, sqrt(cases[_i].shape));
    assert_distribution(values, DRAWS, cases[_i].cdf);
}
END_TEST

START_TEST(tiny_gamma_shapes_give_tiny_numbers_not_nan)
{
    cru_rng rng = cru_rng_stream(3, "gamma", 0);
    for (int i = 0; i < DRAWS; i++) {
        values[i] = cru_rng_gamma(&rng, 0.01);
        if (!(values[i] >= 0 && isfinite(values[i]))) ck_abort_msg("%g", values[i]);
    }
    assert_mean(values, DRAWS, 0.01, 0.1);
}
END_TEST

static double arcsine_cdf(double x)
{
    return 2 / M_PI * asin(sqrt(x));
}
static double beta_2_1(double x)
{
    return x * x;
}

START_TEST(beta_values_follow_the_beta_distribution)
{
    cru_rng rng = cru_rng_stream(4, "beta", 0);
    for (int i = 0; i < DRAWS; i++) values[i] = cru_rng_beta(&rng, 0.5, 0.5);
    assert_distribution(values, DRAWS, arcsine_cdf);
    for (int i = 0; i < DRAWS; i++) values[i] = cru_rng_beta(&rng, 2, 1);
    assert_distribution(values, DRAWS, beta_2_1);
    for (int i = 0; i < DRAWS; i++) {
        values[i] = cru_rng_beta(&rng, 0.001, 0.002);
        if (!(values[i] >= 0 && values[i] <= 1)) ck_abort_msg("%g", values[i]);
    }
    assert_mean(values, DRAWS, 1.0 / 3, sqrt(2.0 / 9 / 1.003));
}
END_TEST

START_TEST(dirichlet_vectors_sum_to_one_with_the_right_means)
{
    const double alpha[3] = {0.01, 0.02, 0.03};
    cru_rng rng = cru_rng_stream(5, "dirichlet", 0);
    double first[3];
    for (int i = 0; i < DRAWS; i++) {
        cru_rng_dirichlet(&rng, alpha, 3, first);
        if (!(fabs(first[0] + first[1] + first[2] - 1) < 1e-12)) ck_abort_msg("draw %d does not sum to 1", i);
        values[i] = first[2];
    }
    double mean = 0.5;
    assert_mean(values, DRAWS, mean, sqrt(mean * (1 - mean) / (1 + 0.06)));
}
END_TEST

START_TEST(a_flat_dirichlet_pair_is_uniform)
{
    cru_rng rng = cru_rng_stream(6, "dirichlet", 0);
    double pair[2];
    int64_t counts[20] = {0};
    for (int i = 0; i < DRAWS; i++) {
        cru_rng_dirichlet(&rng, (double[]){1, 1}, 2, pair);
        counts[(int)(pair[0] * 20)]++;
    }
    assert_uniform_counts(counts, 20, DRAWS);
}
END_TEST

static double binomial_probability(int64_t n, double p, int64_t k)
{
    double log_choose = lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
    return exp(log_choose + (double)k * log(p) + (double)(n - k) * log1p(-p));
}

/* Cells of one value each where 5 draws or more are expected; both tails are gathered in one cell. */
START_TEST(binomial_counts_follow_the_binomial_distribution)
{
    static const struct {
        int64_t n;
        double p;
    } cases[] = {{1, 0.3}, {10, 0.3}, {10, 0.8}, {100, 0.4}, {1000, 0.97}, {25, 0.5}, {1000000, 5e-6}};
    int64_t n = cases[_i].n, *count = calloc((size_t)n + 1, sizeof *count);
    double p = cases[_i].p, *expected = calloc((size_t)n + 2, sizeof *expected);
    int64_t *observed = calloc((size_t)n + 2, sizeof *observed);
    cru_rng rng = cru_rng_stream(7, "binomial", (uint64_t)_i);
    for (int i = 0; i < DRAWS; i++) {
        int64_t k = cru_rng_binomial(&rng, n, p);
        if (k < 0 || k > n) ck_abort_msg("%lld of %lld", (long long)k, (long long)n);
        count[k]++;
    }
    int64_t cells = 0, in_cells = 0;
    double covered = 0;
    for (int64_t k = 0; k <= n; k++) {
        double probability = binomial_probability(n, p, k);
        if (probability * DRAWS < 5) continue;
        expected[cells] = probability;
        observed[cells++] = count[k];
        covered += probability;
        in_cells += count[k];
    }
    if ((1 - covered) * DRAWS >= 5) {
        expected[cells] = 1 - covered;
        observed[cells++] = DRAWS - in_cells;
    }
    assert_counts_fit(observed, expected, cells, DRAWS);
    free(count);
    free(expected);
    free(observed);
}
END_TEST

START_TEST(a_huge_binomial_has_the_right_mean)
{
    cru_rng rng = cru_rng_stream(8, "binomial", 0);
    double n = 1e15, p = 0.3;
    for (int i = 0; i < DRAWS; i++) values[i] = (double)cru_rng_binomial(&rng, (int64_t)n, p);
    assert_mean(values, DRAWS, n * p, sqrt(n * p * (1 - p)));
}
END_TEST

START_TEST(certain_binomials_are_certain)
{
    cru_rng rng = cru_rng_stream(9, "binomial", 0);
    ck_assert_int_eq(cru_rng_binomial(&rng, 0, 0.5), 0);
    ck_assert_int_eq(cru_rng_binomial(&rng, 100, 0), 0);
    ck_assert_int_eq(cru_rng_binomial(&rng, 100, 1), 100);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("distributions");
    TCase *c = tcase_create("distributions");
    tcase_add_test(c, normal_values_follow_the_normal_distribution);
    tcase_add_loop_test(c, gamma_values_follow_the_gamma_distribution, 0, 3);
    tcase_add_test(c, tiny_gamma_shapes_give_tiny_numbers_not_nan);
    tcase_add_test(c, beta_values_follow_the_beta_distribution);
    tcase_add_test(c, dirichlet_vectors_sum_to_one_with_the_right_means);
    tcase_add_test(c, a_flat_dirichlet_pair_is_uniform);
    tcase_add_loop_test(c, binomial_counts_follow_the_binomial_distribution, 0, 7);
    tcase_add_test(c, a_huge_binomial_has_the_right_mean);
    tcase_add_test(c, certain_binomials_are_certain);
    suite_add_tcase(s, c);
    return s;
}
