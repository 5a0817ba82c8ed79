// SPDX-License-Identifier: Apache-2.0
#include "report/table/stats-compare.h"

#include <math.h>
#include <stdlib.h>

#include <crucible/stats.h>

static double *alloc_numbers(int64_t n)
{
    double *numbers = malloc(((size_t)n + 1) * sizeof *numbers);
    if (!numbers) cru_panic(CRU_NO_MEMORY, "report: no memory for %lld numbers", (long long)n);
    return numbers;
}

/* ---- what few runs cannot show ------------------------------------------------------------------------------- */

double stats_wilcoxon_least(int64_t n)
{
    return n < 1 ? 1 : pow(2, 1 - (double)n);
}

int64_t stats_wilcoxon_needed(double alpha, int64_t comparisons)
{
    int64_t n = 1;
    while (n < 64 && stats_wilcoxon_least(n) * (double)comparisons >= alpha) n++;
    return n;
}

/* ---- distributions ------------------------------------------------------------------------------------------- */

/* P(|T| > |t|) of Student's t. */
static double student_p(double t, double degrees)
{
    return isinf(t) ? 0 : cru_incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5);
}

/* P(F > f) of Fisher's F. */
static double fisher_p(double f, double above, double below)
{
    return isinf(f) ? 0 : cru_incomplete_beta(below / (below + above * f), below / 2, above / 2);
}

/* The regularised lower incomplete gamma function by its power series, for x < a + 1. */
static double gamma_series(double a, double x)
{
    double term = 1 / a, sum = term;
    for (int i = 1; i < 1000 && term > sum * 1e-17; i++) sum += term *= x / (a + i);
    return sum * exp(a * log(x) - x - lgamma(a));
}

/* The upper one by Lentz's continued fraction, for x >= a + 1. */
static double gamma_fraction(double a, double x)
{
    const double tiny = 1e-300;
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
    for (int i = 1; i < 1000; i++) {
        double an = -(double)i * ((double)i - a);
        b += 2;
        d = 1 / (fabs(an * d + b) < tiny ? tiny : an * d + b);
        c = fabs(b + an / c) < tiny ? tiny : b + an / c;
        h *= d * c;
        if (fabs(d * c - 1) < 1e-16) break;
    }
    return h * exp(a * log(x) - x - lgamma(a));
}

/* P(X > x) of chi-squared. */
static double chi2_p(double x, double degrees)
{
    double a = degrees / 2, half = x / 2;
    if (half <= 0) return 1;
    return half < a + 1 ? 1 - gamma_series(a, half) : gamma_fraction(a, half);
}

/* ---- tests --------------------------------------------------------------------------------------------------- */

double stats_corrected_t(const double *differences, int64_t n, double ratio)
{
    if (n < 2) return NAN;
    double mean = stats_mean(differences, n), spread = stats_spread(differences, n, REPORT_STD);
    if (mean == 0 && spread == 0) return NAN;
    return student_p(mean / (spread * sqrt(1 / (double)n + ratio)), (double)(n - 1));
}

/* chi2 = (k - 1) sum_j (R_j - n(k+1)/2)^2 / (sum of squared ranks - n k (k+1)^2 / 4), which without ties is the usual
 * 12 / (n k (k+1)) sum_j R_j^2 - 3 n (k+1). */
friedman stats_friedman(const double *ranks, int64_t n, int64_t k)
{
    friedman out = {NAN, NAN, NAN, NAN};
    if (n < 2 || k < 2) return out;
    double between = 0, squares = 0, nn = (double)n, kk = (double)k;
    for (int64_t j = 0; j < k; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += ranks[i * k + j];
            squares += ranks[i * k + j] * ranks[i * k + j];
        }
        between += pow(sum - nn * (kk + 1) / 2, 2);
    }
    double within = squares - nn * kk * (kk + 1) * (kk + 1) / 4;
    if (within <= 0) return out;
    out.chi2 = (kk - 1) * between / within;
    out.p = chi2_p(out.chi2, kk - 1);
    double rest = nn * (kk - 1) - out.chi2;
    out.f = rest > 1e-12 ? (nn - 1) * out.chi2 / rest : INFINITY;
    out.f_of_p = fisher_p(out.f, kk - 1, (kk - 1) * (nn - 1));
    return out;
}

/* ---- samples ------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double stats_interquartile_mean(double *values, int64_t n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    int64_t cut = n / 4;
    return stats_mean(values + cut, n - 2 * cut);
}

double stats_improvement(stats_sample a, stats_sample b)
{
    double won = 0;
    for (int64_t i = 0; i < a.n; i++)
        for (int64_t j = 0; j < b.n; j++) won += a.values[i] > b.values[j] ? 1 : a.values[i] == b.values[j] ? 0.5 : 0;
    return a.n && b.n ? won / ((double)a.n * (double)b.n) : NAN;
}

stats_interval stats_bootstrap(const bootstrap *b, cru_rng *rng)
{
    int64_t total = 0;
    for (int64_t s = 0; s < b->count; s++) total += b->samples[s].n;
    if (total == 0) return (stats_interval){NAN, NAN};
    double *drawn = alloc_numbers(total), *results = alloc_numbers(b->draws);
    for (int64_t d = 0; d < b->draws; d++) {
        int64_t at = 0;
        for (int64_t s = 0; s < b->count; s++)
            for (int64_t i = 0; i < b->samples[s].n; i++)
                drawn[at++] = b->samples[s].values[cru_rng_below(rng, b->samples[s].n)];
        results[d] = b->function(drawn, total);
    }
    qsort(results, (size_t)b->draws, sizeof *results, by_value);
    double tail = (1 - b->level) / 2;
    stats_interval out = {stats_quantile(results, b->draws, tail), stats_quantile(results, b->draws, 1 - tail)};
    free(drawn);
    free(results);
    return out;
}

/* 1 above the threshold, a half on it. */
static double step(double value, double threshold)
{
    return value > threshold ? 1 : value == threshold ? 0.5 : 0;
}

/* Adds to `out` where most of the weight of the pairs' mean differences lies, under one draw of weights. */
static void judge_weights(const double *z, const double *w, int64_t n, double rope, signed_rank *out)
{
    double below = 0, above = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            below += w[i] * w[j] * step(-z[i] - z[j], 2 * rope);
            above += w[i] * w[j] * step(z[i] + z[j], 2 * rope);
        }
    }
    double within = rope > 0 ? 1 - below - above : -1;
    if (below >= within && below >= above)
        out->below++;
    else if (within >= above)
        out->within++;
    else
        out->above++;
}

signed_rank stats_bayes_signed_rank(stats_sample differences, double rope, int64_t draws, cru_rng *rng)
{
    int64_t n = differences.n + 1;
    if (differences.n == 0) return (signed_rank){NAN, NAN, NAN};
    double *z = alloc_numbers(n), *alpha = alloc_numbers(n), *w = alloc_numbers(n);
    z[0] = 0;
    alpha[0] = 0.5;
    for (int64_t i = 1; i < n; i++) {
        z[i] = differences.values[i - 1];
        alpha[i] = 1;
    }
    signed_rank out = {0};
    for (int64_t d = 0; d < draws; d++) {
        cru_rng_dirichlet(rng, alpha, n, w);
        judge_weights(z, w, n, rope, &out);
    }
    free(z);
    free(alpha);
    free(w);
    return (signed_rank){out.below / (double)draws, out.within / (double)draws, out.above / (double)draws};
}
