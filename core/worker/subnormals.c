// SPDX-License-Identifier: Apache-2.0
#include "worker/subnormals.h"

#if defined __SSE2__

#include <immintrin.h>

enum { RESULTS_TO_ZERO = 0x8000, OPERANDS_TO_ZERO = 0x0040 };

uint64_t subnormals_flush(void)
{
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | RESULTS_TO_ZERO | OPERANDS_TO_ZERO);
    return before;
}

void subnormals_restore(uint64_t before)
{
    _mm_setcsr((unsigned)before);
}

#elif defined __aarch64__

enum { TO_ZERO = 1 << 24 };

uint64_t subnormals_flush(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    subnormals_restore(before | TO_ZERO);
    return before;
}

void subnormals_restore(uint64_t before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else /* processors that have no such switch compute on */

uint64_t subnormals_flush(void)
{
    return 0;
}

void subnormals_restore(uint64_t before)
{
    (void)before;
}

#endif
