// SPDX-License-Identifier: Apache-2.0
/* The elementwise functions, f_name, and their derivatives, g_name, at one point. */
#ifndef CRUCIBLE_CPU_SIMD_UNARY_FUNCTIONS_H
#define CRUCIBLE_CPU_SIMD_UNARY_FUNCTIONS_H

#include "../special.h"
#include "elementary.h"

/* x, y = f(x) (derivatives may use whichever is cheaper) and the parameters of the function. */
typedef struct point {
    float x, y, a, b;
} point;
typedef float point_fn(point p);

static const float selu_scale = 1.05070098735548049342f, selu_alpha = 1.67326324235437728481f;

INLINE float normal_cdf(float x)
{
    return 0.5f * (1.0f + fast_erf(x * (float)M_SQRT1_2));
}

INLINE float normal_density(float x)
{
    return (float)(M_2_SQRTPI * M_SQRT1_2 / 2) * fast_exp(-0.5f * x * x);
}

INLINE float f_copy(point p)
{
    return p.x;
}
INLINE float g_copy(point p)
{
    (void)p;
    return 1.0f;
}

INLINE float f_scale(point p)
{
    return p.a * p.x + p.b;
}
INLINE float g_scale(point p)
{
    return p.a;
}

/* Written so that NaN passes. */
INLINE float f_relu(point p)
{
    return p.x < 0 ? 0 : p.x;
}
INLINE float g_relu(point p)
{
    return p.y > 0 ? 1.0f : 0.0f;
}

INLINE float f_leaky(point p)
{
    return p.x > 0 ? p.x : p.a * p.x;
}
INLINE float g_leaky(point p)
{
    return p.x > 0 ? 1.0f : p.a;
}

INLINE float f_elu(point p)
{
    return p.x > 0 ? p.x : p.a * fast_expm1(p.x);
}
INLINE float g_elu(point p)
{
    return p.x > 0 ? 1.0f : p.y + p.a;
}

INLINE float f_selu(point p)
{
    return selu_scale * (p.x > 0 ? p.x : selu_alpha * fast_expm1(p.x));
}
INLINE float g_selu(point p)
{
    return p.x > 0 ? selu_scale : p.y + selu_scale * selu_alpha;
}

INLINE float f_gelu(point p)
{
    return p.x * normal_cdf(p.x);
}
INLINE float g_gelu(point p)
{
    return normal_cdf(p.x) + p.x * normal_density(p.x);
}

INLINE float f_tanh(point p)
{
    return fast_tanh(p.x);
}
INLINE float g_tanh(point p)
{
    return 1.0f - p.y * p.y;
}

INLINE float f_sigmoid(point p)
{
    return fast_sigmoid(p.x);
}
INLINE float g_sigmoid(point p)
{
    return p.y * (1.0f - p.y);
}

INLINE float f_softplus(point p)
{
    return fast_softplus(p.x);
}
INLINE float g_softplus(point p)
{
    return fast_sigmoid(p.x);
}

INLINE float f_logsigmoid(point p)
{
    return -fast_softplus(-p.x);
}
INLINE float g_logsigmoid(point p)
{
    return fast_sigmoid(-p.x);
}

INLINE float f_exp(point p)
{
    return fast_exp(p.x);
}
INLINE float g_exp(point p)
{
    return p.y;
}

INLINE float f_log(point p)
{
    return fast_log(p.x);
}
INLINE float g_log(point p)
{
    return 1.0f / p.x;
}

INLINE float f_sign(point p)
{
    return p.x > 0 ? 1.0f : p.x < 0 ? -1.0f : 0.0f;
}
INLINE float g_sign(point p)
{
    (void)p;
    return 0.0f;
}

INLINE float f_abs(point p)
{
    return fabsf(p.x);
}
INLINE float g_abs(point p)
{
    return f_sign(p);
}

INLINE float f_square(point p)
{
    return p.x * p.x;
}
INLINE float g_square(point p)
{
    return 2.0f * p.x;
}

INLINE float f_pow(point p)
{
    return powf(p.x, p.a);
}
INLINE float g_pow(point p)
{
    return p.a == 0 ? 0.0f : p.a * powf(p.x, p.a - 1.0f);
}

INLINE float f_sqrt(point p)
{
    return sqrtf(p.x);
}
INLINE float g_sqrt(point p)
{
    return 0.5f / p.y;
}

INLINE float f_clamp(point p)
{
    return p.x < p.a ? p.a : p.x > p.b ? p.b : p.x;
}
INLINE float g_clamp(point p)
{
    return p.x >= p.a && p.x <= p.b ? 1.0f : 0.0f;
}

INLINE float f_reciprocal(point p)
{
    return 1.0f / p.x;
}
INLINE float g_reciprocal(point p)
{
    return -p.y * p.y;
}

INLINE float f_lgamma(point p)
{
    return cpu_lgamma(p.x);
}
INLINE float g_lgamma(point p)
{
    return cpu_digamma(p.x);
}

INLINE float f_digamma(point p)
{
    return cpu_digamma(p.x);
}
INLINE float g_digamma(point p)
{
    return cpu_trigamma(p.x);
}

INLINE float f_sin(point p)
{
    return sinf(p.x);
}
INLINE float g_sin(point p)
{
    return cosf(p.x);
}

INLINE float f_cos(point p)
{
    return cosf(p.x);
}
INLINE float g_cos(point p)
{
    return -sinf(p.x);
}

INLINE float f_log1p(point p)
{
    return log1pf(p.x);
}
INLINE float g_log1p(point p)
{
    return 1.0f / (1.0f + p.x);
}

#endif
