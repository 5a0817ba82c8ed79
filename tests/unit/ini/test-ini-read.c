#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ini/ini-read.h"

typedef struct notes {
    char text[500];
    int stop_at; /* fail on this line */
} notes;

static cru_status note(void *user, const ini_entry *e, cru_error *err)
{
    notes *l = user;
    if (e->line == l->stop_at) return cru_fail(err, CRU_UNSUPPORTED, "stopped");
    size_t used = strlen(l->text);
    snprintf(l->text + used, sizeof l->text - used, "%d %s.%s=%s%s\n", e->line, e->section, e->key, e->value,
             e->continued ? " +" : "");
    return CRU_OK;
}

START_TEST(entries_come_with_their_lines)
{
    notes l = {0};
    ck_assert_int_eq(ini_read("top = 1\n\n; comment\n[a]\nx = 2 ; why\ny: 3", "f", note, &l, NULL), CRU_OK);
    ck_assert_str_eq(l.text, "1 .top=1\n5 a.x=2\n6 a.y=3\n");
}
END_TEST

START_TEST(an_indented_line_continues_the_value)
{
    notes l = {0};
    ck_assert_int_eq(ini_read("[a]\nx = one\n  two\n", "f", note, &l, NULL), CRU_OK);
    ck_assert_str_eq(l.text, "2 a.x=one\n3 a.x=two +\n");
}
END_TEST

START_TEST(an_empty_text_has_no_entries)
{
    notes l = {0};
    ck_assert_int_eq(ini_read("", "f", note, &l, NULL), CRU_OK);
    ck_assert_str_eq(l.text, "");
}
END_TEST

START_TEST(a_line_without_a_key_is_named)
{
    notes l = {0};
    cru_error err = {0};
    ck_assert_int_eq(ini_read("[a]\nx = 1\nnonsense\n", "cards/f.ini", note, &l, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "cards/f.ini:3:"));
}
END_TEST

START_TEST(an_overlong_line_is_an_error_and_not_cut)
{
    char text[400] = "[a]\nx = ";
    memset(text + 8, 'v', 300);
    notes l = {0};
    cru_error err = {0};
    ck_assert_int_eq(ini_read(text, "f", note, &l, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "f:2:"));
    ck_assert_str_eq(l.text, "");
}
END_TEST

START_TEST(an_overlong_name_is_an_error_and_not_cut)
{
    char text[100];
    memset(text, 'k', 60);
    strcpy(text + 60, " = 1\n");
    notes l = {0};
    cru_error err = {0};
    ck_assert_int_eq(ini_read(text, "f", note, &l, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "f:1:"));
}
END_TEST

START_TEST(a_visitor_that_fails_ends_the_reading)
{
    notes l = {.stop_at = 2};
    cru_error err = {0};
    ck_assert_int_eq(ini_read("a = 1\nb = 2\nc = 3\n", "f", note, &l, &err), CRU_UNSUPPORTED);
    ck_assert_str_eq(err.text, "stopped");
    ck_assert_str_eq(l.text, "1 .a=1\n");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("ini-read");
    TCase *c = tcase_create("lines");
    tcase_add_test(c, entries_come_with_their_lines);
    tcase_add_test(c, an_indented_line_continues_the_value);
    tcase_add_test(c, an_empty_text_has_no_entries);
    tcase_add_test(c, a_line_without_a_key_is_named);
    tcase_add_test(c, an_overlong_line_is_an_error_and_not_cut);
    tcase_add_test(c, an_overlong_name_is_an_error_and_not_cut);
    tcase_add_test(c, a_visitor_that_fails_ends_the_reading);
    suite_add_tcase(s, c);
    return s;
}
