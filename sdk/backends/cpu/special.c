#include <math.h>

#include "special.h"

float cpu_lgamma(float x)
{
    int sign;
    return lgammaf_r(x, &sign);
}

/* psi(x) = psi(x + 1) - 1/x until x >= 10, then the asymptotic series
 * psi(x) ~ ln x - 1/(2x) - 1/(12x^2) + 1/(120x^4) - 1/(252x^6) + 1/(240x^8).
 * Below 0: psi(x) = psi(1 - x) - pi / tan(pi x). */
float cpu_digamma(float value)
{
    double x = value, shift = 0;
    if (x == 0) return copysignf(INFINITY, -value);
    if (x < 0) {
        if (x == floor(x)) return NAN;
        shift = -M_PI / tan(M_PI * (x - floor(x)));
        x = 1 - x;
    }
    for (; x < 10; x += 1) shift -= 1 / x;
    double r = 1 / (x * x);
    return (float)(shift + log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240))));
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
