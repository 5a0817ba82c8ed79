// SPDX-License-Identifier: Apache-2.0
/* functions.h: the elementwise functions and their derivatives at one point, as backend.h defines them. */
#ifndef CRUCIBLE_CUDA_FUNCTIONS_H
#define CRUCIBLE_CUDA_FUNCTIONS_H

#include <cmath>
#include <cstdint>

#include "cuda.h"

/* psi(x) = psi(x + 1) - 1/x until x >= 10, then the asymptotic series; below 0 psi(x) = psi(1 - x) - pi / tan(pi x). */
__device__ inline float digamma(float value)
{
    const double pi = 3.14159265358979323846;
    double x = value, shift = 0;
    if (x == 0) return copysignf(INFINITY, -value);
    if (x < 0) {
        if (x == floor(x)) return NAN;
        shift = -pi / tan(pi * (x - floor(x)));
        x = 1 - x;
    }
    for (; x < 10; x += 1) shift -= 1 / x;
    const double r = 1 / (x * x);
    return static_cast<float>(shift + log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r * (1.0 / 252 - r / 240))));
}

/* psi'(x) = psi'(x + 1) + 1/x^2, then the series; below 0 psi'(x) = pi^2 / sin(pi x)^2 - psi'(1 - x). */
__device__ inline float trigamma(float value)
{
    const double pi = 3.14159265358979323846;
    double x = value, shift = 0, sign = 1;
    if (x <= 0) {
        const double s = sin(pi * (x - floor(x)));
        shift = pi * pi / (s * s);
        sign = -1;
        x = 1 - x;
    }
    for (; x < 10; x += 1) shift += sign / (x * x);
    const double r = 1 / (x * x);
    return static_cast<float>(shift +
                              sign * (1 / x + 0.5 * r + (1.0 / 6 - r * (1.0 / 30 - r * (1.0 / 42 - r / 30))) * r / x));
}

__device__ inline float sigmoid(float x)
{
    const float e = expf(-fabsf(x));
    return x >= 0 ? 1.0f / (1.0f + e) : e / (1.0f + e);
}

__device__ inline float softplus(float x)
{
    return fmaxf(x, 0.0f) + log1pf(expf(-fabsf(x)));
}

__device__ inline float normal_cdf(float x)
{
    return 0.5f * erfcf(-x * 0.70710678118654752440f);
}

__device__ inline float sign_of(float x)
{
    return x > 0 ? 1.0f : x < 0 ? -1.0f : 0.0f;
}

#define CUDA_SELU_SCALE 1.05070098735548049342f
#define CUDA_SELU_ALPHA 1.67326324235437728481f

/* f(x; a, b) */
__device__ inline float unary_value(cru_unary op, float x, float a, float b)
{
    switch (op) {
    case CRU_UNARY_COPY:
        return x;
    case CRU_UNARY_SCALE:
        return a * x + b;
    case CRU_UNARY_RELU:
        return x < 0 ? 0.0f : x; /* NaN passes */
    case CRU_UNARY_LEAKY:
        return x > 0 ? x : a * x;
    case CRU_UNARY_ELU:
        return x > 0 ? x : a * expm1f(x);
    case CRU_UNARY_SELU:
        return CUDA_SELU_SCALE * (x > 0 ? x : CUDA_SELU_ALPHA * expm1f(x));
    case CRU_UNARY_GELU:
        return x * normal_cdf(x);
    case CRU_UNARY_TANH:
        return tanhf(x);
    case CRU_UNARY_SIGMOID:
        return sigmoid(x);
    case CRU_UNARY_SOFTPLUS:
        return softplus(x);
    case CRU_UNARY_LOGSIGMOID:
        return -softplus(-x);
    case CRU_UNARY_EXP:
        return expf(x);
    case CRU_UNARY_LOG:
        return logf(x);
    case CRU_UNARY_ABS:
        return fabsf(x);
    case CRU_UNARY_POW:
        return a == 2.0f ? x * x : powf(x, a);
    case CRU_UNARY_SQRT:
        return sqrtf(x);
    case CRU_UNARY_CLAMP:
        return x < a ? a : x > b ? b : x;
    case CRU_UNARY_RECIPROCAL:
        return 1.0f / x;
    case CRU_UNARY_SIGN:
        return sign_of(x);
    case CRU_UNARY_LGAMMA:
        return lgammaf(x);
    case CRU_UNARY_DIGAMMA:
        return digamma(x);
    case CRU_UNARY_SIN:
        return sinf(x);
    case CRU_UNARY_COS:
        return cosf(x);
    case CRU_UNARY_LOG1P:
        return log1pf(x);
    case CRU_UNARY_COUNT:
        break;
    }
    return NAN;
}

/* f'(x; a, b), where y = f(x) is known. */
__device__ inline float unary_slope(cru_unary op, float x, float y, float a, float b)
{
    switch (op) {
    case CRU_UNARY_COPY:
        return 1.0f;
    case CRU_UNARY_SCALE:
        return a;
    case CRU_UNARY_RELU:
        return y > 0 ? 1.0f : 0.0f;
    case CRU_UNARY_LEAKY:
        return x > 0 ? 1.0f : a;
    case CRU_UNARY_ELU:
        return x > 0 ? 1.0f : y + a;
    case CRU_UNARY_SELU:
        return x > 0 ? CUDA_SELU_SCALE : y + CUDA_SELU_SCALE * CUDA_SELU_ALPHA;
    case CRU_UNARY_GELU:
        return normal_cdf(x) + x * 0.39894228040143267794f * expf(-0.5f * x * x);
    case CRU_UNARY_TANH:
        return 1.0f - y * y;
    case CRU_UNARY_SIGMOID:
        return y * (1.0f - y);
    case CRU_UNARY_SOFTPLUS:
        return sigmoid(x);
    case CRU_UNARY_LOGSIGMOID:
        return sigmoid(-x);
    case CRU_UNARY_EXP:
        return y;
    case CRU_UNARY_LOG:
        return 1.0f / x;
    case CRU_UNARY_ABS:
        return sign_of(x);
    case CRU_UNARY_POW:
        return a == 0 ? 0.0f : a == 2.0f ? 2.0f * x : a * powf(x, a - 1.0f);
    case CRU_UNARY_SQRT:
        return 0.5f / y;
    case CRU_UNARY_CLAMP:
        return x >= a && x <= b ? 1.0f : 0.0f;
    case CRU_UNARY_RECIPROCAL:
        return -y * y;
    case CRU_UNARY_SIGN:
        return 0.0f;
    case CRU_UNARY_LGAMMA:
        return digamma(x);
    case CRU_UNARY_DIGAMMA:
        return trigamma(x);
    case CRU_UNARY_SIN:
        return cosf(x);
    case CRU_UNARY_COS:
        return -sinf(x);
    case CRU_UNARY_LOG1P:
        return 1.0f / (1.0f + x);
    case CRU_UNARY_COUNT:
        break;
    }
    return NAN;
}

__device__ inline float binary_value(cru_binary op, float a, float b)
{
    switch (op) {
    case CRU_BINARY_ADD:
        return a + b;
    case CRU_BINARY_SUB:
        return a - b;
    case CRU_BINARY_MUL:
        return a * b;
    case CRU_BINARY_DIV:
        return a / b;
    case CRU_BINARY_MAX:
        return a >= b ? a : b;
    case CRU_BINARY_MIN:
        return a <= b ? a : b;
    case CRU_BINARY_COUNT:
        break;
    }
    return NAN;
}

/* dy times the derivative to one side. */
__device__ inline float binary_slope(cru_binary op, float a, float b, float dy, bool to_b)
{
    switch (op) {
    case CRU_BINARY_ADD:
        return dy;
    case CRU_BINARY_SUB:
        return to_b ? -dy : dy;
    case CRU_BINARY_MUL:
        return dy * (to_b ? a : b);
    case CRU_BINARY_DIV:
        return to_b ? -dy * a / (b * b) : dy / b;
    case CRU_BINARY_MAX:
        return (a >= b) != to_b ? dy : 0.0f;
    case CRU_BINARY_MIN:
        return (a <= b) != to_b ? dy : 0.0f;
    case CRU_BINARY_COUNT:
        break;
    }
    return NAN;
}

/* ---- dropout ------------------------------------------------------------------------------------------------- */

struct dropout_draw {
    uint32_t key[2], stream;
    float p, scale;
    uint32_t least; /* of the upper 24 bits of a word that keeps its element */
};

inline dropout_draw dropout_prepare(float p, const uint32_t key[2], uint32_t stream)
{
    return {{key[0], key[1]}, stream, p, 1.0f / (1.0f - p), static_cast<uint32_t>(std::ceil(double(p) * 16777216.0))};
}

/* Whether element i is kept: word i % 4 of block i / 4 of Philox4x32-10, the CPU's stream bit for bit. */
__device__ inline bool dropout_keeps(const dropout_draw &d, int64_t i)
{
    const uint64_t block = static_cast<uint64_t>(i) / 4;
    uint32_t c[4] = {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), d.stream, 0};
    uint32_t k0 = d.key[0], k1 = d.key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t a = static_cast<uint64_t>(0xD2511F53u) * c[0], b = static_cast<uint64_t>(0xCD9E8D57u) * c[2];
        const uint32_t c1 = c[1], c3 = c[3];
        c[0] = static_cast<uint32_t>(b >> 32) ^ c1 ^ k0;
        c[1] = static_cast<uint32_t>(b);
        c[2] = static_cast<uint32_t>(a >> 32) ^ c3 ^ k1;
        c[3] = static_cast<uint32_t>(a);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return (c[i % 4] >> 8) >= d.least;
}

#endif
