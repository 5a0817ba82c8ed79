// SPDX-License-Identifier: Apache-2.0
/* Writing large results past the caches: a line that is stored as a whole need not be read first, which it would be
 * when it passes through a cache. For results that nobody reads before they would have left the caches anyway, or that
 * are then read in order. */
#ifndef CRUCIBLE_CPU_SIMD_STREAM_H
#define CRUCIBLE_CPU_SIMD_STREAM_H

#include <string.h>

#include "vector.h"

/* Floats of a result from which on streaming pays; twice what a core's own caches hold, and more. */
enum { STREAM_FROM = 4 << 20 };

#if LANES == 4
INLINE void stream(float *y, const float *x, int64_t n)
{
    memcpy(y, x, sizeof *y * (size_t)n);
}
INLINE void stream_end(void)
{
}
#else
/* Copies x to y. Call stream_end before another thread may read y. */
INLINE void stream(float *y, const float *x, int64_t n)
{
    int64_t before = (int64_t)((0 - (uintptr_t)y) / sizeof *y % LANES), i;
    if (before > n) before = n;
    for (i = 0; i < before; i++) y[i] = x[i];
    for (; i + LANES <= n; i += LANES) {
#if LANES == 16
        _mm512_stream_ps(y + i, (__m512)load(x + i));
#else
        _mm256_stream_ps(y + i, (__m256)load(x + i));
#endif
    }
    for (; i < n; i++) y[i] = x[i];
}
INLINE void stream_end(void)
{
    _mm_sfence();
}
#endif

#endif
