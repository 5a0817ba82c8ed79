/* Dropout: element i is kept when word i % 4 of Philox block i / 4 says so. */
#ifndef CRUCIBLE_CPU_SIMD_DROPOUT_H
#define CRUCIBLE_CPU_SIMD_DROPOUT_H

#include "../cpu.h"
#include "stream.h"
#include "vector.h"

enum { PHILOX_LANES = LANES / 2, DROPOUT_BATCH = 256 };

/* The words of PHILOX_LANES consecutive blocks, one block a lane; what random.h calls Philox4x32-10, with every 32-bit
 * word in the lower half of a 64-bit lane because that is what the vector unit multiplies. The first half of the blocks
 * is in the even lanes: that is the order in which `interleave` wants them. */
INLINE void philox_words(const cru_dropout_args *args, uint64_t block, uint32_t *words)
{
    vec64 index, zero = {0};
    for (int i = 0; i < PHILOX_LANES; i++) index[i] = (uint64_t)(i / 2 + i % 2 * (PHILOX_LANES / 2));
    index += block;
    vec64 c0 = index, c1 = index >> 32, c2 = zero + args->stream, c3 = zero;
    uint32_t k0 = args->key[0], k1 = args->key[1];
    for (int round = 0; round < 10; round++) {
        const vec64 a = multiply_low(c0, zero + 0xD2511F53u), b = multiply_low(c2, zero + 0xCD9E8D57u);
        c0 = (b >> 32) ^ c1 ^ k0;
        c2 = (a >> 32) ^ c3 ^ k1;
        c1 = b;
        c3 = a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    const vec64 first = (c0 & 0xffffffff) | c1 << 32, second = (c2 & 0xffffffff) | c3 << 32;
    interleave(first, second, words);
}

/* Some elements in a row: `first` is the place of the first, which is at x and goes to y. Any place: the words of its
 * block before it are drawn and left unused. */
typedef struct drop_span {
    const float *x;
    float *y;
    int64_t first, count;
} drop_span;

static void drop(const cru_dropout_args *args, const drop_span *span)
{
    const float scale = 1.0f / (1.0f - args->p);
    /* The upper 24 bits of a word, over 2^24, are at least p. */
    const int32_t least = (int32_t)ceil((double)args->p * 0x1p24);
    const int64_t unused = span->first % 4;
    uint32_t words[DROPOUT_BATCH + 8 * PHILOX_LANES];
    const uint32_t *word = words + unused;
    for (int64_t i = 0; i < span->count; i += DROPOUT_BATCH) {
        const int64_t n = span->count - i < DROPOUT_BATCH ? span->count - i : DROPOUT_BATCH;
        const float *x = span->x + i;
        float *y = span->y + i;
        for (int64_t j = 0; j < n + unused; j += 4 * PHILOX_LANES)
            philox_words(args, (uint64_t)((span->first + i + j) / 4), words + j);
        /* A choice, not a product: what is dropped is 0 even when x is not finite. */
        if (args->accumulate) {
#pragma omp simd
            for (int64_t j = 0; j < n; j++) {
                const float kept = x[j] * scale;
                y[j] += (int32_t)(word[j] >> 8) >= least ? kept : 0.0f;
            }
        } else {
#pragma omp simd
            for (int64_t j = 0; j < n; j++) {
                const float kept = x[j] * scale;
                y[j] = (int32_t)(word[j] >> 8) >= least ? kept : 0.0f;
            }
        }
    }
}

static void dropout_range(const void *task, int64_t begin, int64_t end)
{
    const cru_dropout_args *args = task;
    drop(args, &(drop_span){args->x + begin, args->y + begin, begin, end - begin});
}

static void dropout_streamed(const void *task, int64_t begin, int64_t end)
{
    enum { SPAN = 4 * DROPOUT_BATCH };
    const cru_dropout_args *args = task;
    float some[SPAN];
    for (int64_t i = begin, n; i < end; i += n) {
        n = end - i < SPAN ? end - i : SPAN;
        drop(args, &(drop_span){args->x + i, some, i, n});
        stream(args->y + i, some, n);
    }
    stream_end();
}

static void dropout(cru_device *device, const cru_dropout_args *args)
{
    const bool streams = args->n >= STREAM_FROM && !args->accumulate;
    cpu_for(device, &(cpu_loop){args->n, CPU_GRAIN_MATH, streams ? dropout_streamed : dropout_range, args});
}

#endif
