// SPDX-License-Identifier: Apache-2.0
/* Dropout: element i is kept when word i % 4 of Philox block i / 4 says so. */
#ifndef CRUCIBLE_CPU_SIMD_DROPOUT_H
#define CRUCIBLE_CPU_SIMD_DROPOUT_H

#include "../cpu.h"
#include "stream.h"
#include "vector.h"

/* Blocks are made PHILOX_SETS vectors at a time: one alone would wait for its own multiplications. */
enum { PHILOX_LANES = LANES / 2, PHILOX_SETS = LANES == 16 ? 4 : 2, PHILOX_WORDS = 4 * PHILOX_LANES * PHILOX_SETS };
enum { PHILOX_ROUNDS = 10, DROPOUT_BATCH = 256 };

/* What every round adds to its words; the same for all blocks of a stream. */
typedef struct philox_stream {
    vec64 key[PHILOX_ROUNDS][2], stream;
} philox_stream;

INLINE philox_stream philox_start(const cru_dropout_args *args)
{
    philox_stream s = {.stream = (vec64){0} + args->stream};
    uint32_t k0 = args->key[0], k1 = args->key[1];
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        s.key[round][0] = (vec64){0} + k0;
        s.key[round][1] = (vec64){0} + k1;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return s;
}

/* PHILOX_WORDS words from a block on, one block a lane; what random.h calls Philox4x32-10, with every 32-bit word in
 * the lower half of a 64-bit lane because that is what the vector unit multiplies. The first half of a vector's blocks
 * is in the even lanes: that is the order in which `interleave` wants them. */
INLINE void philox_words(const philox_stream *s, uint64_t block, uint32_t *words)
{
    const vec64 zero = {0};
    vec64 index, c0[PHILOX_SETS], c1[PHILOX_SETS], c2[PHILOX_SETS], c3[PHILOX_SETS];
    for (int i = 0; i < PHILOX_LANES; i++) index[i] = (uint64_t)(i / 2 + i % 2 * (PHILOX_LANES / 2));
    for (int k = 0; k < PHILOX_SETS; k++) {
        c0[k] = index + (block + (uint64_t)(k * PHILOX_LANES));
        c1[k] = c0[k] >> 32;
        c2[k] = s->stream;
        c3[k] = zero;
    }
    for (int round = 0; round < PHILOX_ROUNDS; round++)
        for (int k = 0; k < PHILOX_SETS; k++) {
            const vec64 a = multiply_low(c0[k], zero + 0xD2511F53u), b = multiply_low(c2[k], zero + 0xCD9E8D57u);
            c0[k] = xor3(upper_half(b), c1[k], s->key[round][0]);
            c2[k] = xor3(upper_half(a), c3[k], s->key[round][1]);
            c1[k] = b;
            c3[k] = a;
        }
    for (int k = 0; k < PHILOX_SETS; k++)
        interleave(join_halves(c0[k], c1[k]), join_halves(c2[k], c3[k]), words + 4 * PHILOX_LANES * k);
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
    const philox_stream stream = philox_start(args);
    uint32_t words[DROPOUT_BATCH + 2 * PHILOX_WORDS];
    const uint32_t *word = words + unused;
    for (int64_t i = 0; i < span->count; i += DROPOUT_BATCH) {
        const int64_t n = span->count - i < DROPOUT_BATCH ? span->count - i : DROPOUT_BATCH;
        const float *x = span->x + i;
        float *y = span->y + i;
        for (int64_t j = 0; j < n + unused; j += PHILOX_WORDS)
            philox_words(&stream, (uint64_t)((span->first + i + j) / 4), words + j);
        /* A choice, not a product: what is dropped is 0 even when x is not finite. */
        if (args->accumulate) {
#pragma omp simd
            for (int64_t j = 0; j < n; j++) {
                const float kept = fused(x[j], scale, y[j]);
                y[j] = (int32_t)(word[j] >> 8) >= least ? kept : y[j];
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
