// SPDX-License-Identifier: Apache-2.0
#include "report/table/stats.h"

#include <math.h>
#include <stdlib.h>

double stats_mean(const double *values, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += values[i];
    return n > 0 ? sum / (double)n : NAN;
}

double stats_spread(const double *values, int64_t n, report_spread kind)
{
    bool sample = kind == REPORT_STD || kind == REPORT_SEM;
    int64_t divisor = sample ? n - 1 : n;
    if (divisor <= 0) return NAN;
    double mean = stats_mean(values, n), sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (values[i] - mean) * (values[i] - mean);
    double deviation = sqrt(sum / (double)divisor);
    return kind == REPORT_SEM || kind == REPORT_SEM0 ? deviation / sqrt((double)n) : deviation;
}

/* ---- ranks ----------------------------------------------------------------------------------------------- */

typedef struct item {
    double value;
    int64_t index;
} item;

static int by_value(const void *a, const void *b)
{
    double x = ((const item *)a)->value, y = ((const item *)b)->value;
    return (x > y) - (x < y);
}

static item *alloc_items(int64_t n)
{
    item *items = malloc(((size_t)n + 1) * sizeof *items);
    if (!items) cru_panic(CRU_NO_MEMORY, "report: no memory to rank %lld values", (long long)n);
    return items;
}

/* The end of the run of equal values that starts at `start`. */
static int64_t tie_end(const item *items, int64_t n, int64_t start)
{
    int64_t end = start + 1;
    while (end < n && items[end].value == items[start].value) end++;
    return end;
}

void stats_ranks(const double *values, int64_t n, bool lower_is_better, double *ranks)
{
    item *items = alloc_items(n);
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        ranks[i] = NAN;
        if (!isnan(values[i])) items[count++] = (item){lower_is_better ? values[i] : -values[i], i};
    }
    qsort(items, (size_t)count, sizeof *items, by_value);
    for (int64_t start = 0, end; start < count; start = end) {
        end = tie_end(items, count, start);
        for (int64_t i = start; i < end; i++) ranks[items[i].index] = (double)(start + 1 + end) / 2;
    }
    free(items);
}

double stats_quantile(const double *sorted, int64_t n, double q)
{
    double at = q * (double)(n - 1);
    int64_t low = (int64_t)floor(at);
    if (low + 1 >= n) return sorted[n - 1];
    return sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

/* ---- Wilcoxon -------------------------------------------------------------------------------------------- */

enum { EXACT_PAIRS = 25, EXACT_SUMS = EXACT_PAIRS * (EXACT_PAIRS + 1) + 1 };

typedef struct signed_ranks {
    int64_t n;
    double positive; /* sum of the ranks of the positive differences */
    double ties;     /* sum over groups of equal size of t^3 - t */
} signed_ranks;

/* Twice the tail of the sum of positive ranks when every sign is equally likely. Ranks are halves at most, so twice a
 * rank is whole and the number of sign patterns of every sum is counted exactly. */
static double exact_p(const item *items, const signed_ranks *r)
{
    static const double pattern = 0.5;
    double share[EXACT_SUMS] = {1};
    int64_t top = 0;
    for (int64_t start = 0, end; start < r->n; start = end) {
        end = tie_end(items, r->n, start);
        int64_t twice_rank = start + 1 + end;
        for (int64_t i = start; i < end; i++) {
            for (int64_t sum = top; sum >= 0; sum--) {
                share[sum] *= pattern;
                share[sum + twice_rank] += share[sum];
            }
            top += twice_rank;
        }
    }
    double total = (double)(r->n * (r->n + 1)) / 2;
    int64_t smaller = llround(2 * fmin(r->positive, total - r->positive));
    double tail = 0;
    for (int64_t sum = 0; sum <= smaller; sum++) tail += share[sum];
    return fmin(1, 2 * tail);
}

/* W has mean n(n+1)/4 and variance n(n+1)(2n+1)/24 - sum(t^3 - t)/48. */
static double normal_p(const signed_ranks *r)
{
    double n = (double)r->n;
    double variance = n * (n + 1) * (2 * n + 1) / 24 - r->ties / 48;
    double z = (r->positive - n * (n + 1) / 4) / sqrt(variance);
    return erfc(fabs(z) / sqrt(2));
}

double stats_wilcoxon(const double *differences, int64_t n)
{
    item *items = alloc_items(n);
    signed_ranks r = {0};
    for (int64_t i = 0; i < n; i++) {
        if (differences[i] != 0) items[r.n++] = (item){fabs(differences[i]), i};
    }
    qsort(items, (size_t)r.n, sizeof *items, by_value);
    for (int64_t start = 0, end; start < r.n; start = end) {
        end = tie_end(items, r.n, start);
        double size = (double)(end - start);
        r.ties += size * size * size - size;
        for (int64_t i = start; i < end; i++) {
            if (differences[items[i].index] > 0) r.positive += (double)(start + 1 + end) / 2;
        }
    }
    double p = r.n == 0 ? NAN : r.n <= EXACT_PAIRS ? exact_p(items, &r) : normal_p(&r);
    free(items);
    return p;
}

void stats_holm(double *p, int64_t m)
{
    item *items = alloc_items(m);
    int64_t count = 0;
    for (int64_t i = 0; i < m; i++) {
        if (!isnan(p[i])) items[count++] = (item){p[i], i};
    }
    qsort(items, (size_t)count, sizeof *items, by_value);
    double largest = 0;
    for (int64_t i = 0; i < count; i++) {
        largest = fmax(largest, fmin(1, (double)(count - i) * items[i].value));
        p[items[i].index] = largest;
    }
    free(items);
}

/* ---- Nemenyi --------------------------------------------------------------------------------------------- */

static double normal_cdf(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

/* P(range of k standard normals <= q) = k * integral of phi(x) (Phi(x) - Phi(x - q))^(k-1) dx, by Simpson's rule. */
static double range_cdf(double q, int64_t k)
{
    enum { STEPS = 2000 };
    static const double low = -8.5, high = 8.5, two_pi = 6.283185307179586;
    double width = (high - low) / STEPS, sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        double x = low + i * width;
        double value = exp(-x * x / 2) / sqrt(two_pi) * pow(normal_cdf(x) - normal_cdf(x - q), (double)(k - 1));
        sum += value * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
    }
    return (double)k * sum * width / 3;
}

double stats_critical_difference(int64_t k, int64_t n, double alpha)
{
    double low = 0, high = 50;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (range_cdf(middle, k) < 1 - alpha) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low / sqrt(2) * sqrt((double)k * (double)(k + 1) / (6 * (double)n));
}
