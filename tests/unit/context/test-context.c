// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <setjmp.h>
#include <string.h>

#include <crucible/context.h>

START_TEST(a_context_without_options_has_one_thread_and_no_error)
{
    cru_ctx *ctx = cru_ctx_create(NULL);
    ck_assert_int_eq(cru_ctx_threads(ctx), 1);
    ck_assert_uint_eq(cru_ctx_seed(ctx), 0);
    ck_assert_int_eq(cru_ctx_status(ctx), CRU_OK);
    cru_ctx_log(ctx, "goes nowhere");
    cru_ctx_destroy(ctx);
    cru_ctx_destroy(NULL);
}
END_TEST

START_TEST(memory_is_zeroed_and_aligned)
{
    cru_ctx *ctx = cru_ctx_create(&(cru_ctx_options){.threads = 2});
    ck_assert_int_eq(cru_ctx_threads(ctx), 2);
    for (int64_t n = 0; n < 100; n++) {
        const unsigned char *bytes = cru_ctx_alloc(ctx, n, 3);
        ck_assert_uint_eq((uintptr_t)bytes % 64, 0);
        for (int64_t i = 0; i < 3 * n; i++) ck_assert_uint_eq(bytes[i], 0);
    }
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(the_first_failure_stays)
{
    cru_ctx *ctx = cru_ctx_create(NULL);
    ck_assert_int_eq(cru_ctx_fail(ctx, CRU_UNSUPPORTED, "%d nodes", 3), CRU_UNSUPPORTED);
    ck_assert_int_eq(cru_ctx_fail(ctx, CRU_IO, "later"), CRU_UNSUPPORTED);
    ck_assert_int_eq(cru_ctx_status(ctx), CRU_UNSUPPORTED);
    ck_assert_str_eq(cru_ctx_error(ctx)->text, "3 nodes");
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(a_stream_starts_at_its_beginning_each_time)
{
    cru_ctx *ctx = cru_ctx_create(&(cru_ctx_options){.seed = 42});
    cru_rng expected = cru_rng_stream(42, "init", 0);
    uint64_t first = cru_rng_u64(&expected);
    for (int i = 0; i < 3; i++) {
        cru_rng rng = cru_ctx_stream(ctx, "init");
        ck_assert_uint_eq(cru_rng_u64(&rng), first);
    }
    cru_ctx_destroy(ctx);
}
END_TEST

static void keep_line(void *user, const char *line)
{
    strcpy(user, line);
}

START_TEST(a_log_line_is_formatted_and_long_ones_are_cut)
{
    char line[2000] = "", long_text[1500];
    cru_ctx *ctx = cru_ctx_create(&(cru_ctx_options){.log = keep_line, .log_user = line});
    cru_ctx_log(ctx, "epoch %d", 7);
    ck_assert_str_eq(line, "epoch 7");
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    cru_ctx_log(ctx, "%s", long_text);
    ck_assert_uint_eq(strlen(line), 999);
    cru_ctx_destroy(ctx);
}
END_TEST

static void jump_back(void *user, cru_status status, const char *message)
{
    (void)message;
    ck_assert_int_eq(status, CRU_NO_MEMORY);
    longjmp(*(jmp_buf *)user, 1);
}

START_TEST(running_out_of_memory_ends_the_trial_as_no_memory)
{
    cru_ctx *ctx = cru_ctx_create(NULL);
    jmp_buf frame;
    cru_panic_set_handler(jump_back, &frame);
    if (setjmp(frame) == 0) {
        cru_ctx_alloc(ctx, INT64_MAX, 16);
        ck_abort_msg("the allocation returned");
    }
    cru_panic_set_handler(NULL, NULL);
    cru_ctx_destroy(ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("context");
    TCase *c = tcase_create("context");
    tcase_add_test(c, a_context_without_options_has_one_thread_and_no_error);
    tcase_add_test(c, memory_is_zeroed_and_aligned);
    tcase_add_test(c, the_first_failure_stays);
    tcase_add_test(c, a_stream_starts_at_its_beginning_each_time);
    tcase_add_test(c, a_log_line_is_formatted_and_long_ones_are_cut);
    tcase_add_test(c, running_out_of_memory_ends_the_trial_as_no_memory);
    suite_add_tcase(s, c);
    return s;
}
