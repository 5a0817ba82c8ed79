// SPDX-License-Identifier: Apache-2.0
#include "special.h"

#include <math.h>

#include "stats/gamma.h"

float cpu_lgamma(float x)
{
    int sign;
    return lgammaf_r(x, &sign);
}

float cpu_digamma(float x)
{
    return (float)gamma_digamma((double)x);
}

/* psi'(x) = psi'(x + 1) + 1/x^2, then psi'(x) ~ 1/x + 1/(2x^2) + 1/(6x^3) - 1/(30x^5) + 1/(42x^7) - 1/(30x^9).
 * Below 0: psi'(x) = pi^2 / sin(pi x)^2 - psi'(1 - x). */
float cpu_trigamma(float value)
{
    double x = value, shift = 0, sign = 1;
    if (x <= 0) {
        double s = sin(M_PI * (x - floor(x)));
        shift = M_PI * M_PI / (s * s);
        sign = -1;
        x = 1 - x;
    }
    for (; x < 10; x += 1) shift += sign / (x * x);
    double r = 1 / (x * x);
    return (float)(shift + sign * (1 / x + 0.5 * r + (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r / 30))) * r / x));
}
