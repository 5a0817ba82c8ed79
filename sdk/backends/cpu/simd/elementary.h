// SPDX-License-Identifier: Apache-2.0
/* Elementary functions that a compiler can vectorise: no calls, no branches, no tables. Within 2 units in the last
 * place of the true value over the whole range (but see fast_erf); infinities, NaN and subnormal results as in libm. */
#ifndef CRUCIBLE_CPU_SIMD_ELEMENTARY_H
#define CRUCIBLE_CPU_SIMD_ELEMENTARY_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* a b + c with one rounding where the instruction set can. Compilers contract products and sums by themselves
 * (-ffp-contract=fast), and where two products meet, or one is used twice, each chooses its own way. There the source
 * must choose, so that gcc and clang give the same bits; tests/integration/same-bits.sh tells when it has not. */
INLINE float fused(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return a * b + c;
#endif
}

/* cpu_store of a b. */
INLINE void store_product(float *y, float a, float b, bool accumulate)
{
    *y = fused(a, b, accumulate ? *y : -0.0f);
}

INLINE float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

INLINE uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

INLINE float power_of_two(int32_t n)
{
    return float_of_bits((uint32_t)(n + 127) << 23);
}

/* e^x = 2^n (1 + p) with x = n ln 2 + r, |r| <= ln(2) / 2 and p = e^r - 1. 2^n is kept as two factors so that results
 * near the ends of the range neither overflow early nor lose their subnormals. */
typedef struct exp_parts {
    float p, scale1, scale2;
} exp_parts;

INLINE exp_parts exp_split(float x)
{
    /* Outside these e^x is 0 or infinity. The comparisons let NaN pass. */
    x = x < -104.0f ? -104.0f : x;
    x = x > 89.0f ? 89.0f : x;
    const float to_integer = 12582912.0f; /* 1.5 * 2^23: adding it leaves the nearest integer in the lowest bits */
    const float rounded = x * 1.44269504f + to_integer, n = rounded - to_integer;
    float r = x - n * 0.693145752f; /* ln 2 in two parts, the first with few bits so that the product is exact */
    r = r - n * 1.42860677e-6f;
    /* Taylor: the first term left out is r^8 / 8! < 6e-9. */
    float q = 1.0f / 5040;
    q = q * r + 1.0f / 720;
    q = q * r + 1.0f / 120;
    q = q * r + 1.0f / 24;
    q = q * r + 1.0f / 6;
    q = q * r + 0.5f;
    const int32_t k = (int32_t)(bits_of_float(rounded) - 0x4b400000), half = k >> 1; /* 0x4b400000: to_integer */
    return (exp_parts){r + r * r * q, power_of_two(half), power_of_two(k - half)};
}

INLINE float fast_exp(float x)
{
    exp_parts e = exp_split(x);
    return (e.p + 1.0f) * e.scale1 * e.scale2;
}

/* e^x - 1 without cancellation near 0; saturates to -1. */
INLINE float fast_expm1(float x)
{
    exp_parts e = exp_split(x);
    /* One scale is enough below; above 2^64 the 1 is lost anyway. */
    float scale = e.scale1 * e.scale2;
    float small = e.p * scale + (scale - 1.0f);
    float large = (e.p + 1.0f) * e.scale1 * e.scale2;
    return x > 44.0f ? large : small;
}

/* ln x = e ln 2 + ln(1 + f) with 1 + f in [sqrt(1/2), sqrt(2)). With s = f / (2 + f):
 * ln(1 + f) = f - f^2/2 + s (f^2/2 + R), R = 2 s^2 (1/3 + s^2/5 + s^4/7 + ...). */
INLINE float log_finite(float x)
{
    float lift = x < FLT_MIN ? 8388608.0f : 1.0f; /* subnormals times 2^23 */
    float shift = x < FLT_MIN ? -23.0f : 0.0f;
    const uint32_t bits = bits_of_float(x * lift);
    const int32_t e = (int32_t)(bits - 0x3f3504f3) >> 23; /* 0x3f3504f3: sqrt(1/2) */
    float f = float_of_bits(bits - ((uint32_t)e << 23)) - 1.0f;
    float n = (float)e + shift;
    float s = f / (2.0f + f), s2 = s * s;
    float r = 2.0f / 9;
    r = r * s2 + 2.0f / 7;
    r = r * s2 + 2.0f / 5;
    r = (r * s2 + 2.0f / 3) * s2;
    const float first = 0.5f * f; /* f^2/2 = first * f */
    const float tail = fused(s, fused(first, f, r), n * 1.42860677e-6f);
    return fused(n, 0.693145752f, f - fused(first, f, -tail));
}

INLINE float fast_log(float x)
{
    float y = log_finite(x);
    y = x < INFINITY ? y : x; /* infinity and NaN are their own logarithm */
    y = x == 0.0f ? -INFINITY : y;
    return x < 0.0f ? NAN : y;
}

INLINE float fast_sigmoid(float x)
{
    return 1.0f / (1.0f + fast_exp(-x));
}

/* tanh |x| = -t / (2 + t) with t = e^(-2|x|) - 1 */
INLINE float fast_tanh(float x)
{
    float t = fast_expm1(-2.0f * fabsf(x));
    return copysignf(t / (2.0f + t), x);
}

/* max(x, 0) + ln(1 + e), e = exp(-|x|). The quotient restores what u = 1 + e rounded away; where that was all of e, the
 * logarithm is e. */
INLINE float fast_softplus(float x)
{
    const float e = fast_exp(-fabsf(x)), u = 1.0f + e, d = u - 1.0f;
    const float log = d == 0.0f ? e : log_finite(u), quotient = (d == 0.0f ? 1.0f : e) / (d == 0.0f ? 1.0f : d);
    return fused(log, quotient, x > 0.0f ? x : 0.0f);
}

/* x P(x^2) / Q(x^2), fitted to a relative error of 1.4e-8 on [0, 3.84]; beyond, erf is 1 in single precision. Rounding
 * makes it 4e-7 at most, and never more than 1. */
INLINE float fast_erf(float x)
{
    const float s = x * x, a = fabsf(x);
    float p = 2.11675979e-06f;
    p = p * s + 2.85826158e-04f;
    p = p * s + 3.66176921e-03f;
    p = p * s + 5.24445325e-02f;
    p = p * s + 1.8755953e-01f;
    p = p * s + 1.12837911f;
    float q = 3.88268272e-05f;
    q = q * s + 1.14331802e-03f;
    q = q * s + 1.47605361e-02f;
    q = q * s + 1.12997808e-01f;
    q = q * s + 4.99553204e-01f;
    q = q * s + 1.0f;
    const float y = a * (p / q), at_most_one = y > 1.0f ? 1.0f : y;
    return copysignf(a > 3.84f ? 1.0f : at_most_one, x);
}

#endif
