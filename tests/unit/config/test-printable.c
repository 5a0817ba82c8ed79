// SPDX-License-Identifier: Apache-2.0
/* Whether a text has characters that would steer a terminal. */
#include <check.h>
#include <string.h>

#include <crucible/random.h>

#include "base/printable.h"

START_TEST(what_is_printable_is_what_stays_as_it_is)
{
    static const char *const parts[] = {"a",    "Z~",       " ",        "\n",           "\t",   "\x1b",
                                        "\x7f", "\xc3\xa9", "\xc2\x85", "\xe2\x80\xae", "\xff", "\xf0\x9f\x98\x80"};
    cru_rng rng = cru_rng_stream(1, "texts", 0);
    for (int i = 0; i < 20000; i++) {
        char text[80] = "", mended[80];
        const int64_t rare = cru_rng_below(&rng, 12), length = cru_rng_below(&rng, 18);
        for (int64_t k = 0; k < length; k++)
            strcat(text, parts[cru_rng_below(&rng, 4) ? cru_rng_below(&rng, 3) : rare]);
        for (int lines = 0; lines < 2; lines++) {
            strcpy(mended, text);
            ck_assert_int_eq(printable_is(text, strlen(text), lines), !strcmp(printable(mended, lines), text));
        }
    }
}
END_TEST

START_TEST(a_control_character_is_found_wherever_it_stands)
{
    char text[41];
    for (size_t size = 1; size <= 40; size++)
        for (size_t at = 0; at < size; at++) {
            memset(text, 'x', size);
            ck_assert(printable_is(text, size, false));
            text[at] = '\x1f';
            ck_assert(!printable_is(text, size, true));
            text[at] = '\n';
            ck_assert(printable_is(text, size, true) && !printable_is(text, size, false));
        }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("printable");
    TCase *c = tcase_create("printable");
    tcase_add_test(c, what_is_printable_is_what_stays_as_it_is);
    tcase_add_test(c, a_control_character_is_found_wherever_it_stands);
    suite_add_tcase(s, c);
    return s;
}
