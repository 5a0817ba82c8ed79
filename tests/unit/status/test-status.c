// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <crucible/plugin.h>

START_TEST(first_message_wins)
{
    cru_error err = {0};
    ck_assert_int_eq(cru_fail(&err, CRU_IO, "%s: cannot open", "a.npz"), CRU_IO);
    ck_assert_int_eq(cru_fail(&err, CRU_FAILED, "later"), CRU_IO);
    ck_assert_str_eq(err.text, "a.npz: cannot open");
}
END_TEST

START_TEST(a_long_message_is_cut_not_overrun)
{
    cru_error err = {0};
    char long_text[2000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    cru_fail(&err, CRU_FAILED, "%s", long_text);
    ck_assert_uint_eq(strlen(err.text), sizeof err.text - 1);
}
END_TEST

START_TEST(fail_without_error_passes_the_status_on)
{
    ck_assert_int_eq(cru_fail(NULL, CRU_DIVERGED, "lost"), CRU_DIVERGED);
}
END_TEST

static void jump_back(void *user, cru_status status, const char *message)
{
    (void)status;
    ck_assert_str_eq(message, "matmul: 3 columns against 4 rows");
    longjmp(*(jmp_buf *)user, 1);
}

START_TEST(a_failed_assertion_reaches_the_handler_with_its_message)
{
    jmp_buf frame;
    cru_panic_set_handler(jump_back, &frame);
    if (setjmp(frame) == 0) {
        cru_assert(3 == 4, "matmul: %d columns against %d rows", 3, 4);
        ck_abort_msg("the assertion returned");
    }
    cru_panic_set_handler(NULL, NULL);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("status");
    TCase *c = tcase_create("errors");
    tcase_add_test(c, first_message_wins);
    tcase_add_test(c, a_long_message_is_cut_not_overrun);
    tcase_add_test(c, fail_without_error_passes_the_status_on);
    tcase_add_test(c, a_failed_assertion_reaches_the_handler_with_its_message);
    suite_add_tcase(s, c);
    return s;
}
