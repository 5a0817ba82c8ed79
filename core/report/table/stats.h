// SPDX-License-Identifier: Apache-2.0
/* stats.h: the statistics behind the tables. All take plain arrays and own nothing. */
#ifndef CORE_REPORT_STATS_H
#define CORE_REPORT_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/settings.h"

/* NAN when n is 0. */
double stats_mean(const double *values, int64_t n);

/* What stands behind "±": the standard deviation with divisor n-1 (REPORT_STD) or n (REPORT_STD0), or that divided by
 * sqrt(n) (REPORT_SEM, REPORT_SEM0). NAN when its divisor is 0. */
double stats_spread(const double *values, int64_t n, report_spread kind);

/* ranks[i]: 1 is best; equal values share the mean of their ranks; a NAN value has rank NAN and is not counted. */
void stats_ranks(const double *values, int64_t n, bool lower_is_better, double *ranks);

/* The q-th quantile of ascending values, linear between neighbours. n > 0, 0 <= q <= 1. */
double stats_quantile(const double *sorted, int64_t n, double q);

/* Two-sided p of Wilcoxon's signed-rank test on paired differences. Zeros are dropped; up to 25 remaining pairs the
 * distribution over all signs is exact, also with ties; beyond, the normal approximation with tie correction and
 * without continuity correction. NAN when no difference remains. */
double stats_wilcoxon(const double *differences, int64_t n);

/* Holm's adjustment of m p-values in place; NAN entries are left alone and not counted. */
void stats_holm(double *p, int64_t m);

/* Nemenyi's critical difference of average ranks of k methods over n data sets at level alpha:
 * q sqrt(k (k+1) / (6 n)), q the upper alpha quantile of the studentized range with infinite degrees of freedom over
 * sqrt(2). k >= 2, n >= 1. */
double stats_critical_difference(int64_t k, int64_t n, double alpha);

#endif
