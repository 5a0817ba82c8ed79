// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include <crucible/context.h>
#include <crucible/draft/random.h>

#include "random/fill.h"
#include "random/statistics.h"

static const int64_t sizes[] = {0, 1, 3, 63, 64, 65, 255, 256, 257, 1000};

/* Element e of batch k is word e / 64 of block 64 k + e % 64. */
static uint32_t word_at(const cru_rng *start, int64_t i)
{
    uint64_t block = start->block + (uint64_t)(i / 256 * 64 + i % 64);
    uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), start->stream, 0}, out[4];
    cru_philox(start->key, counter, out);
    return out[i % 256 / 64];
}

START_TEST(uniform_fills_are_the_words_of_the_stream)
{
    float out[1001];
    cru_rng rng = cru_rng_stream(1, "fill", 0);
    rng.block = (uint64_t)UINT32_MAX - 100; /* the counter carries in the middle */
    cru_rng start = rng;
    out[sizes[_i]] = 42;
    cru_rng_fill_uniform(&rng, out, sizes[_i], 0, 1);
    for (int64_t i = 0; i < sizes[_i]; i++) ck_assert_float_eq(out[i], (float)(word_at(&start, i) >> 8) * 0x1p-24f);
    ck_assert_float_eq(out[sizes[_i]], 42);
    ck_assert_uint_eq(rng.block, start.block + (uint64_t)((sizes[_i] + 255) / 256 * 64));
}
END_TEST

/* Box-Muller in double precision. Elements 0 .. 63 and 64 .. 127 of a batch are pairs, and so are the next 128. */
START_TEST(normal_fills_are_box_muller_pairs)
{
    float out[1001];
    cru_rng rng = cru_rng_stream(2, "fill", 0), start = rng;
    cru_rng_fill_normal(&rng, out, sizes[_i], 3, 2);
    for (int64_t i = 0; i < sizes[_i]; i++) {
        bool second = i % 128 >= 64;
        int64_t first = second ? i - 64 : i;
        double u = ((word_at(&start, first) >> 1) + 0.5) * 0x1p-31, v = (word_at(&start, first + 64) >> 8) * 0x1p-24;
        double radius = sqrt(-2 * log(u)), angle = 2 * M_PI * v;
        ck_assert_double_eq_tol((double)out[i], 3 + 2 * radius * (second ? sin(angle) : cos(angle)), 1e-5);
    }
}
END_TEST

/* ---- variants ------------------------------------------------------------------------------------------------ */

typedef struct variant {
    const char *name;
    fill_batch *uniform, *normal;
} variant;

/* Those that this processor can run; the portable one is the first. */
static int variants(variant *out)
{
    int count = 0;
    out[count++] = (variant){"portable", fill_uniform_portable, fill_normal_portable};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
        out[count++] = (variant){"avx2", fill_uniform_avx2, fill_normal_avx2};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        out[count++] = (variant){"avx512", fill_uniform_avx512, fill_normal_avx512};
    return count;
}

enum { MOST_VARIANTS = 3 };

START_TEST(every_variant_draws_the_words_of_the_stream)
{
    variant found[MOST_VARIANTS];
    const int count = variants(found);
    const cru_rng rng = cru_rng_stream(8, "fill", 0);
    const fill_args args = {.key = {rng.key[0], rng.key[1]}, .stream = rng.stream, .scale = 1, .limit = 1};
    static const uint64_t blocks[] = {0, 64, (uint64_t)UINT32_MAX - 30, UINT64_MAX - 63}; /* with a carry, at the end */
    for (int v = 0; v < count; v++)
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
            float out[FILL_BATCH];
            cru_rng start = rng;
            start.block = blocks[k];
            found[v].uniform(&args, blocks[k], out);
            for (int64_t i = 0; i < FILL_BATCH; i++)
                ck_assert_msg(out[i] == (float)(word_at(&start, i) >> 8) * 0x1p-24f, "%s: element %lld from block %llu",
                              found[v].name, (long long)i, (unsigned long long)blocks[k]);
        }
}
END_TEST

START_TEST(every_variant_gives_the_bits_of_the_portable_code)
{
    enum { BATCHES = 200 };
    variant found[MOST_VARIANTS];
    const int count = variants(found);
    const cru_rng rng = cru_rng_stream(6, "fill", 0);
    fill_args args = {.key = {rng.key[0], rng.key[1]}, .stream = rng.stream, .shift = 0.25f, .scale = 0.5f};
    args.limit = nextafterf(0.75f, 0);
    for (int v = 1; v < count; v++)
        for (uint64_t b = 0; b < BATCHES; b++) {
            float expected[FILL_BATCH], out[FILL_BATCH];
            (_i ? found[0].normal : found[0].uniform)(&args, b * FILL_BLOCKS, expected);
            (_i ? found[v].normal : found[v].uniform)(&args, b * FILL_BLOCKS, out);
            ck_assert_msg(memcmp(out, expected, sizeof out) == 0, "%s: other bits in batch %llu", found[v].name,
                          (unsigned long long)b);
        }
}
END_TEST

START_TEST(the_library_gives_the_bits_of_the_portable_code)
{
    enum { BATCHES = 200 };
    static float expected[FILL_BATCH], out[BATCHES * FILL_BATCH];
    cru_rng rng = cru_rng_stream(6, "fill", 0), start = rng;
    fill_args args = {.key = {start.key[0], start.key[1]}, .stream = start.stream, .shift = 0.25f, .scale = 0.5f};
    args.limit = nextafterf(0.75f, 0);
    if (_i)
        cru_rng_fill_normal(&rng, out, BATCHES * FILL_BATCH, 0.25f, 0.5f);
    else
        cru_rng_fill_uniform(&rng, out, BATCHES * FILL_BATCH, 0.25f, 0.75f);
    for (int b = 0; b < BATCHES; b++) {
        (_i ? fill_normal_portable : fill_uniform_portable)(&args, (uint64_t)b * FILL_BLOCKS, expected);
        ck_assert_mem_eq(out + b * FILL_BATCH, expected, sizeof expected);
    }
}
END_TEST

enum { MANY = 300001 };

static float one[MANY], four[MANY];

static void fill_both(float *out, int32_t threads, bool normal)
{
    cru_ctx *ctx = cru_ctx_create(&(cru_ctx_options){.seed = 5, .threads = threads});
    cru_rng rng = cru_ctx_stream(ctx, "init");
    if (normal)
        cru_rng_fill_normal(&rng, out, MANY, 0, 1);
    else
        cru_rng_fill_uniform(&rng, out, MANY, -1, 1);
    cru_ctx_destroy(ctx);
}

START_TEST(fills_do_not_depend_on_the_number_of_threads)
{
    fill_both(one, 1, _i);
    fill_both(four, 4, _i);
    ck_assert_mem_eq(one, four, sizeof one);
}
END_TEST

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

START_TEST(normal_fills_follow_the_normal_distribution)
{
    static double values[MANY];
    cru_rng rng = cru_rng_stream(3, "fill", 0);
    cru_rng_fill_normal(&rng, one, MANY, 0, 1);
    for (int i = 0; i < MANY; i++) values[i] = (double)one[i] * (double)one[i];
    assert_mean(values, MANY, 1, sqrt(2));
    for (int i = 0; i < MANY; i++) values[i] = (double)one[i];
    assert_mean(values, MANY, 0, 1);
    assert_distribution(values, MANY, normal_cdf);
}
END_TEST

/* Around 1000 a float has steps of 2^-14, so a third of the numbers below would round up to 1000.0001. */
START_TEST(the_upper_end_of_a_uniform_fill_is_never_reached)
{
    float lo = 1000, hi = nextafterf(lo, 2000);
    cru_rng rng = cru_rng_stream(4, "fill", 0);
    cru_rng_fill_uniform(&rng, one, 10000, lo, hi);
    for (int i = 0; i < 10000; i++) ck_assert_float_eq(one[i], lo);
    cru_rng_fill_uniform(&rng, one, 300, 5, 5);
    for (int i = 0; i < 300; i++) ck_assert_float_eq(one[i], 5);
}
END_TEST

START_TEST(a_fill_begins_at_a_fresh_block_and_single_draws_go_on_behind_it)
{
    cru_rng a = cru_rng_stream(5, "fill", 0), b = a;
    float x[10];
    cru_rng_u32(&a);
    cru_rng_fill_uniform(&a, x, 10, 0, 1);
    b.block = 1;
    ck_assert_float_eq(x[0], (float)(word_at(&b, 0) >> 8) * 0x1p-24f);
    b.block = 65;
    ck_assert_uint_eq(cru_rng_u32(&a), cru_rng_u32(&b));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("fill");
    TCase *c = tcase_create("fills");
    tcase_add_loop_test(c, uniform_fills_are_the_words_of_the_stream, 0, 10);
    tcase_add_loop_test(c, normal_fills_are_box_muller_pairs, 0, 10);
    tcase_add_test(c, every_variant_draws_the_words_of_the_stream);
    tcase_add_loop_test(c, every_variant_gives_the_bits_of_the_portable_code, 0, 2);
    tcase_add_loop_test(c, the_library_gives_the_bits_of_the_portable_code, 0, 2);
    tcase_add_loop_test(c, fills_do_not_depend_on_the_number_of_threads, 0, 2);
    tcase_add_test(c, normal_fills_follow_the_normal_distribution);
    tcase_add_test(c, the_upper_end_of_a_uniform_fill_is_never_reached);
    tcase_add_test(c, a_fill_begins_at_a_fresh_block_and_single_draws_go_on_behind_it);
    suite_add_tcase(s, c);
    return s;
}
