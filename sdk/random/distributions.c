// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include <crucible/draft/random.h>
#include <crucible/random.h>

/* Box-Muller: one radius and angle give two values; the second waits for the next call. */
double cru_rng_normal(cru_rng *rng)
{
    if (rng->has_normal) {
        rng->has_normal = false;
        return rng->normal;
    }
    double radius = sqrt(-2 * log1p(-cru_rng_uniform(rng))), angle = 2 * M_PI * cru_rng_uniform(rng);
    rng->normal = radius * sin(angle);
    rng->has_normal = true;
    return radius * cos(angle);
}

/* Marsaglia, Tsang. A simple method for generating gamma variables. TOMS 2000. For shape >= 1. */
static double gamma_large(cru_rng *rng, double shape)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = cru_rng_normal(rng), root = 1 + c * x;
        if (root <= 0) continue;
        double v = root * root * root, u = 1 - cru_rng_uniform(rng);
        if (log(u) < 0.5 * x * x + d - d * v + d * log(v)) return d * v;
    }
}

/* The logarithm of a gamma variable. Below shape 1, gamma(shape) = gamma(shape + 1) u^(1 / shape): with a shape of 0.01
 * the power is below the smallest double more often than not, but its logarithm is harmless. */
static double log_gamma(cru_rng *rng, double shape)
{
    if (shape >= 1) return log(gamma_large(rng, shape));
    double boosted = log(gamma_large(rng, shape + 1));
    return boosted + log1p(-cru_rng_uniform(rng)) / shape;
}

double cru_rng_gamma(cru_rng *rng, double shape)
{
    cru_assert(shape > 0 && isfinite(shape), "cru_rng_gamma: shape %g", shape);
    return shape >= 1 ? gamma_large(rng, shape) : exp(log_gamma(rng, shape));
}

/* x / (x + y) = 1 / (1 + y / x) for gamma variables x and y. */
double cru_rng_beta(cru_rng *rng, double a, double b)
{
    cru_assert(a > 0 && b > 0, "cru_rng_beta: shapes %g and %g", a, b);
    double x = log_gamma(rng, a), y = log_gamma(rng, b);
    return 1 / (1 + exp(y - x));
}

/* Gamma variables over their sum, as a softmax of logarithms. */
void cru_rng_dirichlet(cru_rng *rng, const double *alpha, int64_t n, double *out)
{
    double largest = -INFINITY, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        cru_assert(alpha[i] > 0, "cru_rng_dirichlet: alpha %g", alpha[i]);
        out[i] = log_gamma(rng, alpha[i]);
        if (out[i] > largest) largest = out[i];
    }
    for (int64_t i = 0; i < n; i++) sum += out[i] = exp(out[i] - largest);
    for (int64_t i = 0; i < n; i++) out[i] /= sum;
}

/* Inversion: adds up the probabilities of 0, 1, ... until they exceed u. For n p < 10, where few terms suffice; the
 * bound of 110 stands for the vanishing rest of the distribution. */
static int64_t binomial_small(cru_rng *rng, int64_t n, double p)
{
    double odds = p / (1 - p), none = exp((double)n * log1p(-p));
    int64_t bound = n < 110 ? n : 110;
    for (;;) {
        double u = cru_rng_uniform(rng), probability = none;
        for (int64_t k = 0; k <= bound; k++) {
            if (u < probability) return k;
            u -= probability;
            probability *= odds * (double)(n - k) / (double)(k + 1);
        }
    }
}

/* ln k! minus Stirling's (k + 1/2) ln(k + 1) - (k + 1) + ln sqrt(2 pi) */
static double stirling_rest(double k)
{
    double m = k + 1, square = m * m;
    if (k < 10) return lgamma(m) - ((k + 0.5) * log(m) - m + 0.5 * log(2 * M_PI));
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / m;
}

/* BTRS: transformed rejection with squeeze. Hörmann. The generation of binomial random variates. JSCS 1993. For
 * n p >= 10 and p <= 1/2. */
static int64_t binomial_large(cru_rng *rng, double n, double p)
{
    double q = 1 - p, odds = p / q, deviation = sqrt(n * p * q);
    double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5;
    double squeeze = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * deviation, mode = floor((n + 1) * p);
    double at_mode =
        (mode + 0.5) * log((mode + 1) / (odds * (n - mode + 1))) + stirling_rest(mode) + stirling_rest(n - mode);
    for (;;) {
        double u = cru_rng_uniform(rng) - 0.5, v = 1 - cru_rng_uniform(rng), us = 0.5 - fabs(u);
        double k = floor((2 * a / us + b) * u + c);
        if (us >= 0.07 && v <= squeeze) return (int64_t)k;
        if (!(k >= 0 && k <= n)) continue;
        double bound = at_mode + (n + 1) * log((n - mode + 1) / (n - k + 1)) +
                       (k + 0.5) * log((n - k + 1) * odds / (k + 1)) - stirling_rest(k) - stirling_rest(n - k);
        if (log(v * alpha / (a / (us * us) + b)) <= bound) return (int64_t)k;
    }
}

int64_t cru_rng_binomial(cru_rng *rng, int64_t n, double p)
{
    cru_assert(n >= 0 && p >= 0 && p <= 1, "cru_rng_binomial: n %lld, p %g", (long long)n, p);
    if (p > 0.5) return n - cru_rng_binomial(rng, n, 1 - p);
    if (n == 0 || p == 0) return 0;
    return (double)n * p < 10 ? binomial_small(rng, n, p) : binomial_large(rng, (double)n, p);
}
