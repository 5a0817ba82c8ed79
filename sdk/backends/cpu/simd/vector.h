// SPDX-License-Identifier: Apache-2.0
/* A vector of LANES floats and the few operations on it that the compiler's vector types lack. LANES is set by the
 * including variant. */
#ifndef CRUCIBLE_CPU_SIMD_VECTOR_H
#define CRUCIBLE_CPU_SIMD_VECTOR_H

#include <stdbool.h>
#include <stdint.h>
#if LANES > 4
#include <immintrin.h>
#endif

#include "elementary.h"

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef float vec_unaligned __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

INLINE vec load(const float *x)
{
    return *(const vec_unaligned *)x;
}

INLINE void store(float *x, vec v)
{
    *(vec_unaligned *)x = v;
}

INLINE vec splat(float x)
{
    return x - (vec){0}; /* -0 stays what it is */
}

/* As `fused`, lane by lane. Said rather than left to the compiler: clang contracts within a basic block alone. */
INLINE vec vec_fused(vec a, vec b, vec c)
{
#if LANES == 16
    return (vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif LANES == 8
    return (vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

/* The larger one; b when they are equal or one is not a number. */
INLINE vec vec_max(vec a, vec b)
{
#if LANES == 16
    return (vec)_mm512_max_ps((__m512)a, (__m512)b);
#elif LANES == 8
    return (vec)_mm256_max_ps((__m256)a, (__m256)b);
#else
    for (int i = 0; i < LANES; i++) a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
#endif
}

/* Comparisons of vectors give such integers, all ones where they hold. */
typedef int32_t vec_int __attribute__((vector_size(4 * LANES)));

INLINE vec choose(vec_int where, vec a, vec b)
{
    return (vec)((where & (vec_int)a) | (~where & (vec_int)b));
}

INLINE vec_int choose_int(vec_int where, vec_int a, vec_int b)
{
    return (where & a) | (~where & b);
}

/* Whether a lane is not zero; NaN is not. */
INLINE bool any_nonzero(vec v)
{
#if LANES == 16
    return _mm512_cmp_ps_mask((__m512)v, _mm512_setzero_ps(), _CMP_NEQ_UQ) != 0;
#elif LANES == 8
    return _mm256_movemask_ps(_mm256_cmp_ps((__m256)v, _mm256_setzero_ps(), _CMP_NEQ_UQ)) != 0;
#else
    return v[0] != 0 || v[1] != 0 || v[2] != 0 || v[3] != 0;
#endif
}

/* The largest lane of numbers. */
INLINE float lane_max(vec v)
{
#if LANES == 16
    return _mm512_reduce_max_ps((__m512)v);
#elif LANES == 8
    __m128 m = _mm_max_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
#else
    const float a = v[0] > v[2] ? v[0] : v[2], b = v[1] > v[3] ? v[1] : v[3];
    return a > b ? a : b;
#endif
}

/* (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2, as in exp_split. */
INLINE vec exp_series(vec r)
{
    vec q = (vec){0} + 1.0f / 5040;
    q = q * r + 1.0f / 720;
    q = q * r + 1.0f / 120;
    q = q * r + 1.0f / 24;
    q = q * r + 1.0f / 6;
    return q * r + 0.5f;
}

/* e^x for x <= 0, as exp_split does it, with one scale: results below the smallest normal number are 0. */
INLINE vec exp_negative(vec x)
{
    const vec zero = {0}, least = zero - 87.0f;
#if LANES == 16
    const __mmask16 large_enough = _mm512_cmp_ps_mask((__m512)x, (__m512)least, _CMP_NLT_UQ);
    const vec at = vec_max(least, x); /* of the two, NaN is the second */
    const vec n = (vec)_mm512_roundscale_ps((__m512)(at * 1.44269504f), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const vec r = at - n * 0.693145752f - n * 1.42860677e-6f, p = r + r * r * exp_series(r) + 1.0f;
    return (vec)_mm512_maskz_scalef_ps(large_enough, (__m512)p, (__m512)n);
#else
    const vec_int too_small = x < least;
    const vec to_integer = zero + 12582912.0f, at = choose(too_small, zero, x);
    const vec rounded = at * 1.44269504f + to_integer, n = rounded - to_integer;
    const vec r = at - n * 0.693145752f - n * 1.42860677e-6f, p = r + r * r * exp_series(r) + 1.0f;
    const vec y = (vec)((vec_int)p + (((vec_int)rounded - 0x4b400000) << 23));
    return choose(too_small, zero, y);
#endif
}

/* Half as many 64-bit integers; products of their lower halves. */
typedef uint64_t vec64 __attribute__((vector_size(4 * LANES)));

INLINE vec64 multiply_low(vec64 a, vec64 b)
{
#if LANES == 16
    return (vec64)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif LANES == 8
    return (vec64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#else
    return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

/* The upper half of every integer in the place of its lower half; what is left above it does not matter. */
INLINE vec64 upper_half(vec64 a)
{
#if LANES == 16
    return (vec64)_mm512_shuffle_epi32((__m512i)a, _MM_PERM_DDBB); /* on another port than multiplications */
#else
    return a >> 32;
#endif
}

INLINE vec64 xor3(vec64 a, vec64 b, vec64 c)
{
#if LANES == 16
    return (vec64)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
#else
    return a ^ b ^ c;
#endif
}

/* Integers made of the lower halves of two. */
INLINE vec64 join_halves(vec64 lower, vec64 upper)
{
#if LANES == 16
    return (vec64)_mm512_mask_shuffle_epi32((__m512i)lower, 0xaaaa, (__m512i)upper, _MM_PERM_CCAA);
#else
    return (lower & 0xffffffff) | upper << 32;
#endif
}

/* a[0] b[0] a[2] b[2] ..., then a[1] b[1] a[3] b[3] ... */
INLINE void interleave(vec64 a, vec64 b, void *to)
{
#if LANES == 16
    _mm512_storeu_si512(to, _mm512_unpacklo_epi64((__m512i)a, (__m512i)b));
    _mm512_storeu_si512((char *)to + 64, _mm512_unpackhi_epi64((__m512i)a, (__m512i)b));
#elif LANES == 8
    _mm256_storeu_si256(to, _mm256_unpacklo_epi64((__m256i)a, (__m256i)b));
    _mm256_storeu_si256((__m256i *)to + 1, _mm256_unpackhi_epi64((__m256i)a, (__m256i)b));
#else
    const vec64 both[2] = {{a[0], b[0]}, {a[1], b[1]}};
    memcpy(to, both, sizeof both);
#endif
}

INLINE float lane_sum(vec v)
{
#if LANES == 16
    return _mm512_reduce_add_ps((__m512)v);
#elif LANES == 8
    __m128 s = _mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
#else
    return (v[0] + v[2]) + (v[1] + v[3]);
#endif
}

/* The first `count` < LANES floats; the others are 0 and their memory is not read or written. */
#if LANES == 16
typedef __mmask16 first_lanes;
INLINE first_lanes first_mask(int64_t count)
{
    return (first_lanes)((1u << count) - 1);
}
INLINE vec load_first(const float *x, first_lanes mask)
{
    return (vec)_mm512_maskz_loadu_ps(mask, x);
}
INLINE void store_first(float *x, vec v, first_lanes mask)
{
    _mm512_mask_storeu_ps(x, mask, (__m512)v);
}
#elif LANES == 8
typedef struct first_lanes {
    __m256i mask;
    int64_t count;
} first_lanes;
INLINE first_lanes first_mask(int64_t count)
{
    return (first_lanes){_mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
                         count};
}
INLINE vec load_first(const float *x, first_lanes lanes)
{
    return (vec)_mm256_maskload_ps(x, lanes.mask);
}
/* In halves: a masked store takes tens of cycles on some processors. */
INLINE void store_first(float *x, vec v, first_lanes lanes)
{
    __m128 part = _mm256_castps256_ps128((__m256)v);
    if (lanes.count & 4) {
        _mm_storeu_ps(x, part);
        part = _mm256_extractf128_ps((__m256)v, 1);
        x += 4;
    }
    if (lanes.count & 2) {
        _mm_storel_pi((__m64 *)x, part);
        part = _mm_movehl_ps(part, part);
        x += 2;
    }
    if (lanes.count & 1) _mm_store_ss(x, part);
}
#else
typedef int64_t first_lanes;
INLINE first_lanes first_mask(int64_t count)
{
    return count;
}
INLINE vec load_first(const float *x, first_lanes count)
{
    vec v = {0};
    for (int64_t i = 0; i < count; i++) v[i] = x[i];
    return v;
}
INLINE void store_first(float *x, vec v, first_lanes count)
{
    for (int64_t i = 0; i < count; i++) x[i] = v[i];
}
#endif

/* A table of at most LANES floats, and the vector of those at the given places. */
#if LANES == 4
typedef const float *table;
INLINE table load_table(const float *x, int64_t count)
{
    (void)count;
    return x;
}
INLINE vec look_up(table x, const int32_t *at)
{
    return (vec){x[at[0]], x[at[1]], x[at[2]], x[at[3]]};
}
#else
typedef vec table;
INLINE table load_table(const float *x, int64_t count)
{
    return count == LANES ? load(x) : load_first(x, first_mask(count));
}
INLINE vec look_up(table x, const int32_t *at)
{
#if LANES == 16
    return (vec)_mm512_permutexvar_ps(_mm512_loadu_si512(at), (__m512)x);
#else
    return (vec)_mm256_permutevar8x32_ps((__m256)x, _mm256_loadu_si256((const __m256i *)at));
#endif
}
#endif

/* A short row of floats is walked in strips of LANES, of which the last may be shorter. */
typedef struct strip {
    int64_t first;
    bool whole;
    first_lanes mask;
} strip;

INLINE strip strip_at(int64_t first, int64_t count)
{
    const int64_t left = count - first;
    return (strip){first, left >= LANES, first_mask(left >= LANES ? 0 : left)};
}

INLINE vec load_strip(const float *x, strip at)
{
    return at.whole ? load(x) : load_first(x, at.mask);
}

INLINE void store_strip(float *x, vec v, strip at)
{
    if (at.whole)
        store(x, v);
    else
        store_first(x, v, at.mask);
}

#endif
