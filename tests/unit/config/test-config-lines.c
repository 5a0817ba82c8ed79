// SPDX-License-Identifier: Apache-2.0
/* What counts as a section, a key, a value, a comment and a fault. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/lines.h"

/* Every event as a line of text: "1 [title]", "2 key=value", "3 !subject: message". */
typedef struct record {
    FILE *out;
} record;

static void on_section(void *user, const char *title, int32_t line)
{
    fprintf(((record *)user)->out, "%d [%s]\n", line, title ? title : "?");
}

static void on_pair(void *user, const char *key, const char *value, int32_t line)
{
    fprintf(((record *)user)->out, "%d %s=%s\n", line, key, value);
}

static void on_fault(void *user, const char *subject, const char *message, int32_t line)
{
    fprintf(((record *)user)->out, "%d !%s%s%s\n", line, subject ? subject : "", subject ? ": " : "", message);
}

static void check_bytes(const char *text, size_t size, const char *expected)
{
    char *seen = NULL;
    size_t length;
    record r = {open_memstream(&seen, &length)};
    lines_read(text, size, &(line_visitor){&r, on_section, on_pair, on_fault});
    fclose(r.out);
    ck_assert_str_eq(seen, expected);
    free(seen);
}

static void check_text(const char *text, const char *expected)
{
    check_bytes(text, strlen(text), expected);
}

START_TEST(sections_without_keys_are_seen)
{
    check_text("[dataset cora]\n[dataset citeseer]\n\n[ run ]\njobs = 2\n",
               "1 [dataset cora]\n2 [dataset citeseer]\n4 [run]\n5 jobs=2\n");
}
END_TEST

START_TEST(an_empty_text_has_no_lines)
{
    check_text("", "");
    check_text("\n\n  \n", "");
    check_text("\xEF\xBB\xBF", "");
}
END_TEST

START_TEST(a_byte_order_mark_and_crlf_are_accepted)
{
    check_text("\xEF\xBB\xBF[run]\r\njobs = 2\r\n\r\nthreads=1", "1 [run]\n2 jobs=2\n4 threads=1\n");
}
END_TEST

START_TEST(comments_start_a_line_or_follow_a_space)
{
    check_text("# one\n; two\n[run] ; three\na = 1 ; four\nb = 2 # five\nc = x;y#z\nd = #nothing\n",
               "3 [run]\n4 a=1\n5 b=2\n6 c=x;y#z\n7 d=\n");
}
END_TEST

START_TEST(indentation_means_nothing_by_itself)
{
    check_text("[run]\n  jobs = 2\n  threads = 1\n  [report]\n\trows = a\n",
               "1 [run]\n2 jobs=2\n3 threads=1\n4 [report]\n5 rows=a\n");
}
END_TEST

START_TEST(a_trailing_comma_or_bar_continues_in_an_indented_line)
{
    check_text("[run]\na = 1, ; one\n\n  # between\n  2,\n  3\n  b = 4\n", "1 [run]\n2 a=1, 2, 3\n7 b=4\n");
    check_text("a = 64, 32 |\n    128\n", "1 a=64, 32 | 128\n");
}
END_TEST

START_TEST(a_trailing_comma_does_not_swallow_an_unindented_line)
{
    check_text("a = 1,\nb = 2\n", "1 a=1,\n2 b=2\n");
    check_text("a = 1,\n[run]\n", "1 a=1,\n2 [run]\n");
}
END_TEST

START_TEST(every_line_that_is_nothing_is_a_fault)
{
    check_text("[run]\nnonsense\njobs = 2\nmore nonsense\n= 3\n",
               "1 [run]\n2 !expected [section] or key = value\n3 jobs=2\n"
               "4 !expected [section] or key = value\n5 !3: a value without a key\n");
}
END_TEST

START_TEST(a_broken_header_opens_no_section)
{
    check_text("[run\njobs = 2\n", "1 ![run: a section needs a closing ]\n1 [?]\n2 jobs=2\n");
    check_text("[run] jobs = 2\n", "1 ![run] jobs = 2: nothing may follow a section's ] but a comment\n1 [?]\n");
    check_text("[a ; b]\n", "1 ![a ; b]: a section's name cannot hold a comment\n1 [?]\n");
}
END_TEST

/* Names of `name` bytes and values of `value` bytes, one of them in two lines. */
static void check_lengths(size_t name, size_t value)
{
    char *text = NULL, *expected = NULL, *title = malloc(name + 1), *word = malloc(value + 1);
    memset(title, 'n', name);
    memset(word, 'x', value);
    title[name] = word[value] = '\0';
    ck_assert_int_gt(asprintf(&text, "[%s]\nk = %s ; no\nl = %s,\n  %s\nz = 1\n", title, word, word, word), 0);
    ck_assert_int_gt(asprintf(&expected, "1 [%s]\n2 k=%s\n3 l=%s, %s\n5 z=1\n", title, word, word, word), 0);
    check_text(text, expected);
    free(text);
    free(expected);
    free(title);
    free(word);
}

START_TEST(lines_and_names_are_of_any_length)
{
    check_lengths(49, 193); /* the most that Debian's inih takes */
    check_lengths(50, 194);
    check_lengths(300, 100000);
}
END_TEST

/* Wherever a line is cut in pieces, spaces and signs of comments there stay what they are. */
START_TEST(long_values_keep_their_spaces_and_signs)
{
    static const char *const patterns[] = {";", "x#y ", "a  b", "=:;", "é"};
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        for (int shift = 0; shift <= 4; shift++) {
            char value[1200] = "s", text[1400], expected[1400];
            strcat(value, &"ssss"[4 - shift]);
            while (strlen(value) < 1000) strcat(value, patterns[p]);
            strcat(value, "end");
            snprintf(text, sizeof text, "k = %s\nz = 1\n", value);
            snprintf(expected, sizeof expected, "1 k=%s\n2 z=1\n", value);
            check_text(text, expected);
        }
    }
}
END_TEST

START_TEST(a_colon_divides_like_an_equals_sign_and_the_first_of_both_counts)
{
    check_text("a: 1\nb = x:y\nc : d = e\n", "1 a=1\n2 b=x:y\n3 c=d = e\n");
}
END_TEST

START_TEST(a_comment_before_the_sign_leaves_no_pair)
{
    check_text("a ; = 1\nb # = 2\nc =;3\n",
               "1 !expected [section] or key = value\n2 !expected [section] or key = value\n3 c=\n");
}
END_TEST

START_TEST(long_comments_are_fine)
{
    char text[600];
    memset(text, 'x', sizeof text);
    text[0] = '#';
    strcpy(text + 500, "\na = 1\n");
    check_text(text, "2 a=1\n");
}
END_TEST

START_TEST(a_nul_byte_is_a_fault)
{
    static const char text[] = "a = 1\nb = 2\0 3\nc = 4\n";
    check_bytes(text, sizeof text - 1, "2 !the line holds a NUL byte\n1 a=1\n3 c=4\n");
}
END_TEST

/* The first bad byte sequences of each kind and, after them, the last good ones (RFC 3629, section 4). */
START_TEST(what_is_not_utf8_is_a_fault)
{
    static const char *const bad[] = {"\x80",
                                      "\xc3",
                                      "\xc0\xaf",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xe2\x82",
                                      "\xe2\x28\xa1"};
    static const char *const good[] = {"\xc2\xa1",     "\xdf\xbf",         "\xe0\xa0\x80",    "\xed\x9f\xbf",
                                       "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    char text[64], expected[64];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "a = 1\nb = x%s\nc = 4\n", bad[i]);
        check_text(text, "2 !the line is not UTF-8 text; save the file as UTF-8\n1 a=1\n3 c=4\n");
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(text, sizeof text, "b = x%sx\n", good[i]);
        snprintf(expected, sizeof expected, "1 b=x%sx\n", good[i]);
        check_text(text, expected);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("config lines");
    TCase *t = tcase_create("lines");
    tcase_add_test(t, sections_without_keys_are_seen);
    tcase_add_test(t, an_empty_text_has_no_lines);
    tcase_add_test(t, a_byte_order_mark_and_crlf_are_accepted);
    tcase_add_test(t, comments_start_a_line_or_follow_a_space);
    tcase_add_test(t, indentation_means_nothing_by_itself);
    tcase_add_test(t, a_trailing_comma_or_bar_continues_in_an_indented_line);
    tcase_add_test(t, a_trailing_comma_does_not_swallow_an_unindented_line);
    tcase_add_test(t, every_line_that_is_nothing_is_a_fault);
    tcase_add_test(t, a_broken_header_opens_no_section);
    tcase_add_test(t, lines_and_names_are_of_any_length);
    tcase_add_test(t, long_values_keep_their_spaces_and_signs);
    tcase_add_test(t, a_colon_divides_like_an_equals_sign_and_the_first_of_both_counts);
    tcase_add_test(t, a_comment_before_the_sign_leaves_no_pair);
    tcase_add_test(t, long_comments_are_fine);
    tcase_add_test(t, a_nul_byte_is_a_fault);
    tcase_add_test(t, what_is_not_utf8_is_a_fault);
    suite_add_tcase(s, t);
    return s;
}
