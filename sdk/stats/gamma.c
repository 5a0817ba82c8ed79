// SPDX-License-Identifier: Apache-2.0
#include "stats/gamma.h"

#include <math.h>

/* psi(x) = psi(x + 1) - 1/x until x >= 10, then the asymptotic series
 * psi(x) ~ ln x - 1/(2x) - 1/(12x^2) + 1/(120x^4) - 1/(252x^6) + 1/(240x^8).
 * Below 0: psi(x) = psi(1 - x) - pi / tan(pi x). */
double gamma_digamma(double x)
{
    double shift = 0;
    if (x == 0) return copysign(INFINITY, -x);
    if (x < 0) {
        if (x == floor(x)) return NAN;
        shift = -M_PI / tan(M_PI * (x - floor(x)));
        x = 1 - x;
    }
    for (; x < 10; x += 1) shift -= 1 / x;
    double r = 1 / (x * x);
    return shift + log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240)));
}

/* With density p, d ln g / da = -(dP / da) / (g p(g)). From P = g^a e^-g sum_n g^n / Gamma(a + n + 1) and
 * g p(g) = g^a e^-g / Gamma(a):
 *
 *     d ln g / da = sum_n t_n (psi(a + n + 1) - ln g)      t_0 = 1/a      t_n = t_n-1 g / (a + n)
 *
 * Terms change their sign where n passes g, and far above the mean they cancel. There the first terms of the series of
 * 1 - P in 1/g, g p(g) (1/g + (a - 1)/g^2), do for samples less likely than one in 10^9:
 *
 *     d ln g / da ~ (1/g + (a - 1)/g^2) (ln g - psi(a)) + 1/g^2 */
double gamma_slope(double shape, double log_value)
{
    const double g = exp(log_value);
    if (g > 16 + shape + 8 * sqrt(shape))
        return (1 / g + (shape - 1) / (g * g)) * (log_value - gamma_digamma(shape)) + 1 / (g * g);
    double term = 1 / shape, psi = gamma_digamma(shape + 1), sum = term * (psi - log_value);
    for (double n = 1; n < 2 * g || term > 1e-17 * fabs(sum); n++) {
        term *= g / (shape + n);
        psi += 1 / (shape + n);
        sum += term * (psi - log_value);
    }
    return sum;
}
