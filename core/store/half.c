// SPDX-License-Identifier: Apache-2.0
#include "store/half.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include <crucible/scoring.h>

enum { SIGN = 0x8000, INFINITE = 0x7c00, NOT_A_NUMBER = 0x7e00, TOP = 15 /* the largest value is below 2^TOP */ };

/* The power of two below which all finite values are; 0 when there is none but 0. */
static int32_t find_exponent(const float *values, int64_t count)
{
    float most = 0;
    int exponent = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(values[i]) && fabsf(values[i]) > most) most = fabsf(values[i]);
    if (most > 0) (void)frexpf(most, &exponent);
    return exponent;
}

/* The half nearest to a value between -2^TOP and 2^TOP: ulp is the distance of halves there, 2^-24 at least. */
static uint16_t nearest(double value)
{
    int exponent;
    double size = fabs(value);
    if (size == 0) return signbit(value) ? SIGN : 0;
    (void)frexp(size, &exponent); /* size = m 2^exponent, m in [1/2, 1) */
    if (exponent < -13) exponent = -13;
    double steps = nearbyint(ldexp(size, 11 - exponent)); /* ulp = 2^(exponent - 11); steps in [0, 2^11] */
    /* a carry to 2^11 steps is the next power of two, which the sum below gives by itself */
    uint16_t code = (uint16_t)((exponent + 13) * 1024 + (int)steps);
    return (uint16_t)(code | (signbit(value) ? SIGN : 0));
}

/* `scale` is a power of two, so that the product is exact. */
static uint16_t encode(float value, double scale)
{
    if (isnan(value)) return NOT_A_NUMBER;
    if (isinf(value)) return value > 0 ? INFINITE : INFINITE | SIGN;
    return nearest((double)value * scale);
}

static float decode(uint16_t code, int32_t exponent)
{
    int raw = (code & ~SIGN) >> 10, steps = code & 1023;
    double sign = code & SIGN ? -1 : 1;
    if (raw == 31) return steps ? NAN : (float)(sign * INFINITY);
    double size = raw ? ldexp(1024 + steps, raw - 25) : ldexp(steps, -24);
    size = ldexp(size, exponent - TOP);
    return (float)(sign * (size > FLT_MAX ? FLT_MAX : size));
}

/* The next half below a finite one. */
static uint16_t below(uint16_t code)
{
    if ((code & ~SIGN) == 0) return SIGN | 1;
    return (uint16_t)(code & SIGN ? code + 1 : code - 1);
}

/* Rounding keeps order, so what rose to the best value is equal to it now. */
static void keep_best(const float *row, int32_t cols, uint16_t *codes)
{
    int32_t best = cru_best_class(row, cols);
    for (int32_t k = 0; k < cols; k++) {
        bool zeros = (codes[k] & ~SIGN) == 0 && (codes[best] & ~SIGN) == 0;
        if (row[k] < row[best] && (codes[k] == codes[best] || zeros)) codes[k] = below(codes[k]);
    }
}

int32_t half_encode(const float *values, int64_t rows, int32_t cols, uint16_t *codes)
{
    int32_t exponent = find_exponent(values, rows * cols);
    const double scale = ldexp(1, TOP - exponent);
    for (int64_t i = 0; i < rows; i++) {
        for (int32_t k = 0; k < cols; k++) codes[i * cols + k] = encode(values[i * cols + k], scale);
        if (cols > 1) keep_best(values + i * cols, cols, codes + i * cols);
    }
    return exponent;
}

void half_decode(const uint16_t *codes, int64_t count, int32_t exponent, float *values)
{
    for (int64_t i = 0; i < count; i++) values[i] = decode(codes[i], exponent);
}
