// SPDX-License-Identifier: Apache-2.0
/* stats-compare.h: statistics that compare methods over several datasets, beside those of stats.h. All take plain
 * arrays and own nothing; what is drawn is drawn from a stream of the caller's, so that reports repeat. */
#ifndef CORE_REPORT_STATS_COMPARE_H
#define CORE_REPORT_STATS_COMPARE_H

#include <crucible/random.h>

#include "report/table/stats.h"

/* The smallest p that Wilcoxon's two-sided signed-rank test of n pairs can give, 2^(1-n); 1 for n < 1. */
double stats_wilcoxon_least(int64_t n);

/* How many pairs it takes for a p below alpha when Holm's correction multiplies it by `comparisons`. */
int64_t stats_wilcoxon_needed(double alpha, int64_t comparisons);

/* Two-sided p of the t test for runs whose splits overlap: variance times 1/n + ratio, ratio = test items per training
 * item (Nadeau and Bengio. Inference for the Generalization Error. Machine Learning 2003). NAN for n < 2 or when no
 * difference is other than 0. */
double stats_corrected_t(const double *differences, int64_t n, double ratio);

/* Friedman's test with correction for ties, and Iman and Davenport's F of it. */
typedef struct friedman {
    double chi2, p;   /* k - 1 degrees of freedom; NAN: k < 2, n < 2 or all ranks equal */
    double f, f_of_p; /* p of F with k - 1 and (k - 1)(n - 1) degrees of freedom; f is INFINITY when all n agree */
} friedman;
/* ranks: n x k, every row the ranks of k methods on one dataset. */
friedman stats_friedman(const double *ranks, int64_t n, int64_t k);

/* Mean of the middle half: a quarter of the values, rounded down, is left out at either end. Sorts them. NAN: n = 0. */
double stats_interquartile_mean(double *values, int64_t n);

/* The share of pairs in which a value of `a` is above one of `b`, ties counting half. NAN when either is empty. */
typedef struct stats_sample {
    const double *values;
    int64_t n;
} stats_sample;
double stats_improvement(stats_sample a, stats_sample b);

typedef struct stats_interval {
    double low, high;
} stats_interval;

/* A number of a sample; it may reorder the values. */
typedef double stats_function(double *values, int64_t n);

/* Percentile interval of `level` (0.95) of a function of all samples together: every draw takes from each sample as
 * many values as it has, with replacement (Efron; stratified as in Agarwal et al., NeurIPS 2021). NAN: no values. */
typedef struct bootstrap {
    const stats_sample *samples;
    int64_t count;
    stats_function *function;
    double level;
    int64_t draws;
} bootstrap;
stats_interval stats_bootstrap(const bootstrap *b, cru_rng *rng);

/* Bayesian signed-rank test (Benavoli, Corani, Demšar, Zaffalon. Time for a Change. JMLR 2017): how probable it is
 * that the differences of two methods are below -rope, within, or above rope in most cases. A Dirichlet process with a
 * prior pseudo-difference of 0 and strength 1/2, by `draws` samples. All NAN for n = 0. With rope = 0 `within` is 0. */
typedef struct signed_rank {
    double below, within, above;
} signed_rank;
signed_rank stats_bayes_signed_rank(stats_sample differences, double rope, int64_t draws, cru_rng *rng);

#endif
