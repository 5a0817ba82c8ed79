// SPDX-License-Identifier: Apache-2.0
#include <setjmp.h>
#include <string.h>

#include <crucible/draft/random.h>
#include <crucible/random.h>

#include "random/statistics.h"

/* The known answers that the authors of Philox publish with Random123, for philox4x32 with 10 rounds. */
static const struct {
    uint32_t counter[4], key[2], expected[4];
} answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

START_TEST(philox_gives_the_published_answers)
{
    uint32_t out[4];
    cru_philox(answers[_i].key, answers[_i].counter, out);
    ck_assert_mem_eq(out, answers[_i].expected, sizeof out);
}
END_TEST

START_TEST(a_stream_is_the_philox_blocks_of_its_key)
{
    cru_rng rng = cru_rng_stream(7, "split", 0), start = rng;
    for (uint32_t block = 0; block < 5; block++) {
        uint32_t counter[4] = {block, 0, start.stream, 0}, expected[4];
        cru_philox(start.key, counter, expected);
        for (int i = 0; i < 4; i++) ck_assert_uint_eq(cru_rng_u32(&rng), expected[i]);
    }
}
END_TEST

START_TEST(the_block_counter_carries_into_its_upper_half)
{
    cru_rng rng = cru_rng_stream(7, "split", 0);
    uint32_t counter[4] = {3, 1, rng.stream, 0}, expected[4];
    cru_philox(rng.key, counter, expected);
    rng.block = ((uint64_t)1 << 32) + 3;
    ck_assert_uint_eq(cru_rng_u32(&rng), expected[0]);
}
END_TEST

START_TEST(a_copy_continues_independently)
{
    cru_rng a = cru_rng_stream(7, "split", 0);
    cru_rng_u32(&a);
    cru_rng b = a;
    uint64_t first = cru_rng_u64(&a);
    cru_rng_u64(&a);
    ck_assert_uint_eq(cru_rng_u64(&b), first);
}
END_TEST

/* 300 streams that differ in one thing each; 64-bit collisions of good hashes have a chance of 10^-15. */
START_TEST(seed_purpose_and_index_all_matter)
{
    uint64_t first[300];
    cru_rng parent = cru_rng_stream(1, "parent", 0);
    for (uint64_t i = 0; i < 300; i += 6) {
        char purpose[3] = {(char)('a' + i / 6 % 25), (char)('a' + i / 150), 0};
        cru_rng streams[6] = {cru_rng_stream(i, "init", 0),  cru_rng_stream(0, "init", i + 1),
                              cru_rng_stream(0, purpose, 0), cru_rng_stream(0, purpose, 1),
                              cru_rng_split(&parent, i),     cru_rng_stream(i << 32 | 0x80000000u, "init", 0)};
        for (int k = 0; k < 6; k++) first[i + (uint64_t)k] = cru_rng_u64(&streams[k]);
    }
    for (int i = 0; i < 300; i++)
        for (int j = 0; j < i; j++) ck_assert_uint_ne(first[i], first[j]);
}
END_TEST

START_TEST(a_split_does_not_depend_on_the_parents_position_and_does_not_move_it)
{
    cru_rng parent = cru_rng_stream(1, "parent", 0), moved = parent;
    cru_rng_u64(&moved);
    cru_rng before = moved, a = cru_rng_split(&parent, 5), b = cru_rng_split(&moved, 5);
    ck_assert_mem_eq(&moved, &before, sizeof before);
    ck_assert_uint_eq(cru_rng_u64(&a), cru_rng_u64(&b));
    cru_rng child = cru_rng_split(&a, 5);
    ck_assert_uint_ne(cru_rng_u64(&child), cru_rng_u64(&a));
}
END_TEST

enum { DRAWS = 100000 };

static double identity(double x)
{
    return x;
}

START_TEST(uniform_numbers_are_uniform)
{
    static double values[DRAWS];
    cru_rng rng = cru_rng_stream(1, "uniform", 0);
    for (int i = 0; i < DRAWS; i++) values[i] = cru_rng_uniform(&rng);
    assert_distribution(values, DRAWS, identity); /* sorts them */
    ck_assert(values[0] >= 0 && values[DRAWS - 1] < 1);
    for (int i = 0; i < DRAWS; i++) values[i] = (double)cru_rng_uniformf(&rng);
    assert_distribution(values, DRAWS, identity);
    ck_assert(values[0] >= 0 && values[DRAWS - 1] < 1);
}
END_TEST

START_TEST(numbers_below_n_are_uniform)
{
    static const int64_t sizes[] = {1, 2, 3, 10, 255};
    cru_rng rng = cru_rng_stream(2, "below", 0);
    for (int s = 0; s < 5; s++) {
        int64_t counts[255] = {0};
        for (int i = 0; i < DRAWS; i++) {
            int64_t x = cru_rng_below(&rng, sizes[s]);
            if (x < 0 || x >= sizes[s]) ck_abort_msg("%lld", (long long)x);
            counts[x]++;
        }
        if (sizes[s] > 1) assert_uniform_counts(counts, sizes[s], DRAWS);
    }
}
END_TEST

/* Both ways of drawing, with bounds where taking a remainder would favour some numbers visibly. */
START_TEST(large_bounds_are_unbiased)
{
    const int64_t sizes[] = {(int64_t)3 << 60, (int64_t)3 << 30, INT64_MAX};
    cru_rng rng = cru_rng_stream(3, "below", 0);
    for (int s = 0; s < 3; s++) {
        int64_t counts[3] = {0};
        for (int i = 0; i < DRAWS; i++) {
            int64_t x = cru_rng_below(&rng, sizes[s]);
            if (x < 0 || x >= sizes[s]) ck_abort_msg("%lld", (long long)x);
            counts[x / (sizes[s] / 3 + (sizes[s] % 3 > 0))]++;
        }
        assert_uniform_counts(counts, 3, DRAWS);
    }
}
END_TEST

static void jump_back(void *user, cru_status status, const char *message)
{
    (void)status;
    (void)message;
    longjmp(*(jmp_buf *)user, 1);
}

START_TEST(there_is_no_number_below_zero)
{
    jmp_buf frame;
    cru_rng rng = cru_rng_stream(3, "below", 0);
    cru_panic_set_handler(jump_back, &frame);
    if (setjmp(frame) == 0) {
        cru_rng_below(&rng, 0);
        ck_abort_msg("a number below 0");
    }
    cru_panic_set_handler(NULL, NULL);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("stream");
    TCase *c = tcase_create("streams");
    tcase_add_loop_test(c, philox_gives_the_published_answers, 0, 3);
    tcase_add_test(c, a_stream_is_the_philox_blocks_of_its_key);
    tcase_add_test(c, the_block_counter_carries_into_its_upper_half);
    tcase_add_test(c, a_copy_continues_independently);
    tcase_add_test(c, seed_purpose_and_index_all_matter);
    tcase_add_test(c, a_split_does_not_depend_on_the_parents_position_and_does_not_move_it);
    tcase_add_test(c, uniform_numbers_are_uniform);
    tcase_add_test(c, numbers_below_n_are_uniform);
    tcase_add_test(c, large_bounds_are_unbiased);
    tcase_add_test(c, there_is_no_number_below_zero);
    suite_add_tcase(s, c);
    return s;
}
