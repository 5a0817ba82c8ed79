// SPDX-License-Identifier: Apache-2.0
#include "random/fill.h"

#include <math.h>
#include <string.h>

#include <crucible/random.h>

enum { PARALLEL_FROM = 1 << 16 };

typedef struct span {
    float *out;
    int64_t count;
} span;

/* Batches are independent, so any thread may do any of them. The last one may be partial. */
static void fill(cru_rng *rng, fill_args args, fill_batch *batch, span to)
{
    int64_t batches = to.count / FILL_BATCH, rest = to.count % FILL_BATCH;
    uint64_t start = rng->block;
    memcpy(args.key, rng->key, sizeof args.key);
    args.stream = rng->stream;
#pragma omp parallel for schedule(static) if (to.count >= PARALLEL_FROM)
    for (int64_t b = 0; b < batches; b++) batch(&args, start + (uint64_t)b * FILL_BLOCKS, to.out + b * FILL_BATCH);
    if (rest) {
        float last[FILL_BATCH];
        batch(&args, start + (uint64_t)batches * FILL_BLOCKS, last);
        memcpy(to.out + batches * FILL_BATCH, last, (size_t)rest * sizeof *last);
    }
    rng->block = start + (uint64_t)(batches + (rest > 0)) * FILL_BLOCKS;
    rng->used = 4;
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
}

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

void cru_rng_fill_uniform(cru_rng *rng, float *out, int64_t n, float lo, float hi)
{
    fill_batch *batch = has_avx512() ? fill_uniform_avx512 : has_avx2() ? fill_uniform_avx2 : fill_uniform_portable;
    fill(rng, (fill_args){.shift = lo, .scale = hi - lo, .limit = nextafterf(hi, lo)}, batch, (span){out, n});
}

void cru_rng_fill_normal(cru_rng *rng, float *out, int64_t n, float mean, float std)
{
    fill_batch *batch = has_avx512() ? fill_normal_avx512 : has_avx2() ? fill_normal_avx2 : fill_normal_portable;
    fill(rng, (fill_args){.shift = mean, .scale = std}, batch, (span){out, n});
}
