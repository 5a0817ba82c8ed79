/* Dropout: element i is kept when word i % 4 of Philox block i / 4 says so. */
#ifndef CRUCIBLE_CPU_SIMD_DROPOUT_H
#define CRUCIBLE_CPU_SIMD_DROPOUT_H

#include "../cpu.h"
#include "elementary.h"
#include "random/philox.h"

enum { DROPOUT_BLOCKS = 32, DROPOUT_BATCH = 4 * DROPOUT_BLOCKS };

/* Factors of the elements of DROPOUT_BLOCKS blocks: 0 or 1 / (1 - p). */
INLINE void dropout_factors(const cru_dropout_args *args, int64_t block, float *factor)
{
    const float p = args->p, scale = 1.0f / (1.0f - p);
    const uint32_t k0 = args->key[0], k1 = args->key[1], stream = args->stream;
    uint32_t words[4][DROPOUT_BLOCKS];
#pragma omp simd
    for (int j = 0; j < DROPOUT_BLOCKS; j++) {
        const uint64_t index = (uint64_t)(block + j);
        philox_block b = philox(k0, k1, (philox_block){{(uint32_t)index, (uint32_t)(index >> 32), stream, 0}});
        words[0][j] = b.word[0];
        words[1][j] = b.word[1];
        words[2][j] = b.word[2];
        words[3][j] = b.word[3];
    }
    for (int j = 0; j < DROPOUT_BLOCKS; j++)
        for (int w = 0; w < 4; w++)
            factor[4 * j + w] = (float)(int32_t)(words[w][j] >> 8) * 0x1p-24f >= p ? scale : 0.0f;
}

static void dropout_range(const void *task, int64_t begin, int64_t end)
{
    const cru_dropout_args *args = task;
    float factor[DROPOUT_BATCH];
    for (int64_t i = begin; i < end; i += DROPOUT_BATCH) {
        const int64_t n = end - i < DROPOUT_BATCH ? end - i : DROPOUT_BATCH;
        const float *x = args->x + i;
        float *y = args->y + i;
        dropout_factors(args, i / 4, factor);
        /* A choice, not a product: what is dropped is 0 even when x is not finite. */
        if (args->accumulate) {
#pragma omp simd
            for (int64_t j = 0; j < n; j++) y[j] += factor[j] != 0.0f ? x[j] * factor[j] : 0.0f;
        } else {
#pragma omp simd
            for (int64_t j = 0; j < n; j++) y[j] = factor[j] != 0.0f ? x[j] * factor[j] : 0.0f;
        }
    }
}

static void dropout(cru_device *device, const cru_dropout_args *args)
{
    cpu_for(device, &(cpu_loop){args->n, CPU_GRAIN_MATH, dropout_range, args});
}

#endif
