// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include <crucible/stats.h>

/* The continued fraction of I_x(a, b) by Lentz's method; converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    enum { STEPS = 1000 };
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double value = d;
    for (int m = 1; m <= STEPS; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double change = 1;
        for (int half = 0; half < 2; half++) {
            const double step = half ? odd : even;
            d = 1 + step * d;
            c = 1 + step / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            change = d * c;
            value *= change;
        }
        if (fabs(change - 1) < 1e-15) break;
    }
    return value;
}

double cru_incomplete_beta(double x, double a, double b)
{
    if (isnan(x) || x <= 0) return isnan(x) ? NAN : 0;
    if (x >= 1) return 1;
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

typedef struct moments {
    double mean, spread; /* spread: variance of the mean */
} moments;

static moments moments_of(cru_sample s)
{
    const double n = (double)s.count;
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < s.count; i++) sum += s.values[i];
    const double mean = sum / n;
    for (int64_t i = 0; i < s.count; i++) squares += (s.values[i] - mean) * (s.values[i] - mean);
    return (moments){mean, squares / (n - 1) / n};
}

/*     t = (x - y) / sqrt(u + v)      df = (u + v)^2 / (u^2 / (n - 1) + v^2 / (m - 1))      p = I_{df/(df+t^2)}(df/2,
 * 1/2)
 *
 * x, y: means; u, v: their variances. */
cru_t_test cru_welch(cru_sample a, cru_sample b)
{
    const moments x = moments_of(a), y = moments_of(b);
    const double both = x.spread + y.spread;
    if (!(both > 0)) return (cru_t_test){NAN, NAN};
    const double t = (x.mean - y.mean) / sqrt(both);
    const double freedom =
        both * both / (x.spread * x.spread / (double)(a.count - 1) + y.spread * y.spread / (double)(b.count - 1));
    return (cru_t_test){t, cru_incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)};
}
