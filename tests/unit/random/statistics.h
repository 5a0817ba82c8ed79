// SPDX-License-Identifier: Apache-2.0
/* Tests of fit for seeded draws. All use a significance of 0.001: with the fixed seeds of the tests a correct generator
 * passes once and for all, a wrong one fails by orders of magnitude. */
#ifndef TEST_RANDOM_STATISTICS_H
#define TEST_RANDOM_STATISTICS_H

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Pearson's statistic against its critical value, by Wilson and Hilferty's approximation of the chi-square quantile. */
static inline void assert_counts_fit(const int64_t *counts, const double *probability, int64_t cells, int64_t draws)
{
    double statistic = 0;
    for (int64_t i = 0; i < cells; i++) {
        double expected = probability[i] * (double)draws;
        ck_assert_msg(expected >= 5, "too few draws for cell %lld", (long long)i);
        statistic += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    }
    double df = (double)(cells - 1), z = 3.0902;
    double critical = df * pow(1 - 2 / (9 * df) + z * sqrt(2 / (9 * df)), 3);
    ck_assert_msg(statistic < critical, "chi-square %g, critical value %g", statistic, critical);
}

static inline void assert_uniform_counts(const int64_t *counts, int64_t cells, int64_t draws)
{
    double *probability = malloc((size_t)cells * sizeof *probability);
    for (int64_t i = 0; i < cells; i++) probability[i] = 1 / (double)cells;
    assert_counts_fit(counts, probability, cells, draws);
    free(probability);
}

static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov: the largest gap between the empirical and the true distribution function. Sorts the values. */
static inline void assert_distribution(double *values, int64_t n, double (*cdf)(double))
{
    double gap = 0;
    qsort(values, (size_t)n, sizeof *values, ascending);
    for (int64_t i = 0; i < n; i++) {
        double p = cdf(values[i]);
        gap = fmax(gap, fmax(p - (double)i / (double)n, (double)(i + 1) / (double)n - p));
    }
    double critical = 1.9495 / sqrt((double)n);
    ck_assert_msg(gap < critical, "gap %g, critical value %g", gap, critical);
}

/* The mean of n values with the given expectation and standard deviation, by the normal approximation. */
static inline void assert_mean(const double *values, int64_t n, double expected, double deviation)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += values[i];
    double z = (sum / (double)n - expected) / (deviation / sqrt((double)n));
    ck_assert_msg(fabs(z) < 3.2905, "mean %g, expected %g (z = %g)", sum / (double)n, expected, z);
}

#endif
