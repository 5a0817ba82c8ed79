// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include <crucible/arena.h>
#include <crucible/draft/arena.h>

static cru_arena *arena;

static void open_arena(void)
{
    arena = cru_arena_create();
}

static void close_arena(void)
{
    cru_arena_destroy(arena);
}

static bool all_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i]) return false;
    return true;
}

START_TEST(pieces_are_aligned_and_do_not_overlap)
{
    unsigned char *last_end = NULL;
    for (int64_t count = 0; count < 200; count++) {
        unsigned char *piece = cru_arena_alloc(arena, count, 1);
        ck_assert_uint_eq((uintptr_t)piece % 64, 0);
        memset(piece, 0xff, (size_t)count);
        ck_assert(!last_end || piece >= last_end);
        last_end = piece + count;
    }
}
END_TEST

START_TEST(zeroed_memory_is_zero_also_when_it_was_used_before)
{
    cru_mark start = cru_arena_mark(arena);
    memset(cru_arena_alloc(arena, 1000, 1), 0xff, 1000);
    cru_arena_reset(arena, start);
    /* longer than the used part, so that both stale and fresh bytes are covered */
    ck_assert(all_zero(cru_arena_alloc_zeroed(arena, 3000, 1), 3000));
}
END_TEST

START_TEST(a_reset_gives_the_same_places_again)
{
    cru_arena_alloc(arena, 10, 1);
    cru_mark mark = cru_arena_mark(arena);
    void *first = cru_arena_alloc(arena, 100, 8);
    cru_arena_reset(arena, mark);
    ck_assert_ptr_eq(cru_arena_alloc(arena, 100, 8), first);
}
END_TEST

static void step(void)
{
    for (int i = 0; i < 50; i++) cru_arena_alloc(arena, 1 + i * 1009 % 40, 4096);
    cru_arena_alloc(arena, 3 << 20, 1);
    cru_arena_alloc(arena, 7, 4);
}

START_TEST(a_repeated_step_asks_for_memory_only_once)
{
    cru_mark start = cru_arena_mark(arena);
    step();
    int64_t bytes = cru_arena_bytes(arena);
    for (int i = 0; i < 10; i++) {
        cru_arena_reset(arena, start);
        step();
    }
    ck_assert_int_eq(cru_arena_bytes(arena), bytes);
}
END_TEST

START_TEST(what_was_made_before_a_mark_survives_the_reset)
{
    unsigned char *kept = cru_arena_alloc(arena, 100, 1);
    memset(kept, 7, 100);
    cru_mark mark = cru_arena_mark(arena);
    memset(cru_arena_alloc(arena, 1 << 20, 1), 0xff, 1 << 20);
    cru_arena_reset(arena, mark);
    memset(cru_arena_alloc(arena, 1000, 1), 0xff, 1000);
    for (int i = 0; i < 100; i++) ck_assert_uint_eq(kept[i], 7);
}
END_TEST

START_TEST(impossible_sizes_give_null)
{
    ck_assert_ptr_null(cru_arena_try(arena, -1, 4));
    ck_assert_ptr_null(cru_arena_try(arena, INT64_MAX, 1));
    ck_assert_ptr_null(cru_arena_try(arena, INT64_MAX, 8));
    ck_assert_ptr_null(cru_arena_try(arena, (int64_t)1 << 33, (size_t)1 << 31));
    ck_assert_ptr_null(cru_arena_try_zeroed(arena, (int64_t)1 << 62, 1));
    ck_assert_ptr_nonnull(cru_arena_try(arena, 1, 1));
}
END_TEST

static void jump_back(void *user, cru_status status, const char *message)
{
    ck_assert_int_eq(status, CRU_NO_MEMORY);
    ck_assert_str_eq(message, "out of memory: 4611686018427387904 elements of 4 bytes");
    longjmp(*(jmp_buf *)user, 1);
}

START_TEST(running_out_of_memory_is_a_panic)
{
    jmp_buf frame;
    cru_panic_set_handler(jump_back, &frame);
    if (setjmp(frame) == 0) {
        cru_arena_alloc(arena, (int64_t)1 << 62, 4);
        ck_abort_msg("the allocation returned");
    }
    cru_panic_set_handler(NULL, NULL);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("arena");
    TCase *c = tcase_create("arena");
    tcase_add_checked_fixture(c, open_arena, close_arena);
    tcase_add_test(c, pieces_are_aligned_and_do_not_overlap);
    tcase_add_test(c, zeroed_memory_is_zero_also_when_it_was_used_before);
    tcase_add_test(c, a_reset_gives_the_same_places_again);
    tcase_add_test(c, a_repeated_step_asks_for_memory_only_once);
    tcase_add_test(c, what_was_made_before_a_mark_survives_the_reset);
    tcase_add_test(c, impossible_sizes_give_null);
    tcase_add_test(c, running_out_of_memory_is_a_panic);
    suite_add_tcase(s, c);
    return s;
}
