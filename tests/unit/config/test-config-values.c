// SPDX-License-Identifier: Apache-2.0
/* Lists, ranges and search distributions. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "config/values.h"

static cru_arena *arena;

static void set_up(void)
{
    arena = cru_arena_create();
}

static void tear_down(void)
{
    cru_arena_destroy(arena);
}

/* The items joined by "/"; a failure as "!message". */
static const char *expanded(const char *text, cru_param_type type)
{
    static char out[2000];
    value_list list;
    cru_error err = {0};
    if (values_expand(arena, text, type, &list, &err) != CRU_OK) {
        snprintf(out, sizeof out, "!%s", err.text);
        return out;
    }
    size_t used = 0;
    out[0] = '\0';
    for (int64_t i = 0; i < list.count; i++)
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%s", i ? "/" : "", list.items[i]);
    return out;
}

START_TEST(commas_separate_scalars)
{
    ck_assert_str_eq(expanded("0.1, 0.3 ,0.5", CRU_PARAM_FLOAT), "0.1/0.3/0.5");
    ck_assert_str_eq(expanded("sym,rw", CRU_PARAM_CHOICE), "sym/rw");
    ck_assert_str_eq(expanded("7", CRU_PARAM_INT), "7");
}
END_TEST

START_TEST(bars_separate_lists)
{
    ck_assert_str_eq(expanded("64, 32 | 128", CRU_PARAM_LIST), "64, 32/128");
    ck_assert_str_eq(expanded("64, 32", CRU_PARAM_LIST), "64, 32");
}
END_TEST

START_TEST(ranges_count_with_both_ends)
{
    ck_assert_str_eq(expanded("0..3", CRU_PARAM_INT), "0/1/2/3");
    ck_assert_str_eq(expanded("-1..1", CRU_PARAM_INT), "-1/0/1");
    ck_assert_str_eq(expanded("5..5", CRU_PARAM_INT), "5");
    ck_assert_str_eq(expanded("0..10 step 5, 99", CRU_PARAM_INT), "0/5/10/99");
    ck_assert_str_eq(expanded("0..9 step 5", CRU_PARAM_INT), "0/5");
    ck_assert_str_eq(expanded("0.1..0.5 step 0.1", CRU_PARAM_FLOAT), "0.1/0.2/0.3/0.4/0.5");
    ck_assert_str_eq(expanded("0 .. 1 step 0.5", CRU_PARAM_FLOAT), "0/0.5/1");
}
END_TEST

START_TEST(texts_are_not_ranges)
{
    ck_assert_str_eq(expanded("0..3", CRU_PARAM_STRING), "0..3");
    ck_assert_str_eq(expanded("../up", CRU_PARAM_STRING), "../up");
}
END_TEST

START_TEST(a_broken_range_is_left_for_the_type_to_refuse)
{
    ck_assert_str_eq(expanded("0..x", CRU_PARAM_INT), "0..x");
    ck_assert_str_eq(expanded("1 2..3", CRU_PARAM_INT), "1 2..3");
    ck_assert_str_eq(expanded("0..3 by 2", CRU_PARAM_INT), "0..3 by 2");
    ck_assert_str_eq(expanded("0..3 step 1 2", CRU_PARAM_INT), "0..3 step 1 2");
}
END_TEST

START_TEST(empty_ranges_and_lists_are_refused)
{
    ck_assert_str_eq(expanded("3..1", CRU_PARAM_INT), "!'3..1' is empty: it counts up");
    ck_assert_str_eq(expanded("1..0.5 step 0.1", CRU_PARAM_FLOAT), "!'1..0.5 step 0.1' is empty: it counts up");
    ck_assert_str_eq(expanded("0..3 step 0", CRU_PARAM_INT), "!'0..3 step 0' needs a step above 0");
    ck_assert_str_eq(expanded("0..1 step -0.5", CRU_PARAM_FLOAT), "!'0..1 step -0.5' needs a step above 0");
    ck_assert_str_eq(expanded("", CRU_PARAM_INT), "!the list is empty");
    ck_assert_str_eq(expanded("1,,2", CRU_PARAM_INT), "!'1,,2' has an empty item");
    ck_assert_str_eq(expanded("1,", CRU_PARAM_INT), "!'1,' has an empty item");
    ck_assert_str_eq(expanded("64 |", CRU_PARAM_LIST), "!'64 |' has an empty item");
}
END_TEST

START_TEST(endless_ranges_are_refused)
{
    ck_assert_str_eq(expanded("0..100000", CRU_PARAM_INT), "!'0..100000' has more than 100000 values");
    ck_assert_str_eq(expanded("-9223372036854775808..9223372036854775807", CRU_PARAM_INT),
                     "!'-9223372036854775808..9223372036854775807' has more than 100000 values");
    ck_assert_str_eq(expanded("0..1 step 1e-300", CRU_PARAM_FLOAT), "!'0..1 step 1e-300' has more than 100000 values");
    ck_assert_str_eq(expanded("0..50000,50001..100001", CRU_PARAM_INT), "!more than 100000 values in one list");
}
END_TEST

START_TEST(a_range_of_the_largest_allowed_size_is_taken)
{
    value_list list;
    ck_assert_int_eq(values_expand(arena, "1..100000", CRU_PARAM_INT, &list, NULL), CRU_OK);
    ck_assert_int_eq(list.count, 100000);
    ck_assert_str_eq(list.items[99999], "100000");
}
END_TEST

START_TEST(quotes_protect_separators)
{
    ck_assert_str_eq(expanded("\"a, b\", c", CRU_PARAM_STRING), "a, b/c");
    ck_assert_str_eq(expanded("\"\"", CRU_PARAM_STRING), "");
    ck_assert_str_eq(expanded("x\"a,b\"", CRU_PARAM_STRING), "x\"a,b\"");
    ck_assert_str_eq(expanded("\"a, b", CRU_PARAM_STRING), "!'\"a, b' has an open quote");
}
END_TEST

static const char *const words[] = {"sym", "rw", NULL};
static const cru_param whole = {.key = "k", .type = CRU_PARAM_INT, .min = 1, .max = 1024};
static const cru_param real = {.key = "k", .type = CRU_PARAM_FLOAT, .min = 0, .max = 1};
static const cru_param choice = {.key = "k", .type = CRU_PARAM_CHOICE, .choices = words};

START_TEST(distributions_are_read)
{
    value_search read;
    const cru_search *s = &read.distribution;
    ck_assert_int_eq(values_search(arena, "search(log 1e-4 1e-1)", &real, &read, NULL), CRU_OK);
    ck_assert_int_eq(s->kind, CRU_SEARCH_LOG_UNIFORM);
    ck_assert(s->lo == 1e-4 && s->hi == 1e-1);
    ck_assert_int_eq(values_search(arena, "search(uniform 0 0.9)", &real, &read, NULL), CRU_OK);
    ck_assert_int_eq(s->kind, CRU_SEARCH_UNIFORM);
    ck_assert_int_eq(values_search(arena, "search(power-of-2 4 8)", &whole, &read, NULL), CRU_OK);
    ck_assert_int_eq(s->kind, CRU_SEARCH_POWER_OF_2);
    ck_assert_int_eq(values_search(arena, "search(one-of 16, 32 64)", &whole, &read, NULL), CRU_OK);
    ck_assert_int_eq(s->count, 3);
    ck_assert(s->values[0] == 16 && s->values[1] == 32 && s->values[2] == 64);
    ck_assert_int_eq(values_search(arena, "search(one-of rw)", &choice, &read, NULL), CRU_OK);
    ck_assert(s->count == 1 && s->values[0] == 1);
    ck_assert_int_eq(values_search(arena, "search(any)", &choice, &read, NULL), CRU_OK);
    ck_assert(s->kind == CRU_SEARCH_ONE_OF && s->count == 0);
}
END_TEST

START_TEST(a_distribution_may_name_its_default)
{
    static const struct {
        const char *text;
        const cru_param *param;
        const char *initial;
    } cases[] = {
        {"search(power-of-2 4 8 default 512)", &whole, "512"},
        {"search(log, 1e-4, 1e-1,\tdefault 0.5)", &real, "0.5"},
        {"search(one-of 16 32 default 16)", &whole, "16"},
        {"search(any default rw)", &choice, "rw"},
        {"search(uniform 0 1)", &real, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        value_search s;
        ck_assert_int_eq(values_search(arena, cases[i].text, cases[i].param, &s, NULL), CRU_OK);
        ck_assert_pstr_eq(s.initial, cases[i].initial);
    }
}
END_TEST

START_TEST(a_distribution_may_name_its_draws)
{
    value_search s;
    ck_assert_int_eq(values_search(arena, "search(one-of 16 32 default 16 as rollWindow)", &whole, &s, NULL), CRU_OK);
    ck_assert_int_eq(s.distribution.count, 2);
    ck_assert_str_eq(s.initial, "16");
    ck_assert_str_eq(s.name, "rollWindow");
    ck_assert_int_eq(values_search(arena, "search(one-of 16 32)", &whole, &s, NULL), CRU_OK);
    ck_assert_ptr_null(s.name);
}
END_TEST

static void check_refused(const char *text, const cru_param *param, const char *message)
{
    value_search s;
    cru_error err = {0};
    ck_assert_int_eq(values_search(arena, text, param, &s, &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, message);
}

START_TEST(bad_distributions_are_refused)
{
    check_refused("search(lgo 1 2)", &real, "'search(lgo 1 2)' names no distribution; did you mean log?");
    check_refused("search()", &real, "'search()' names no distribution");
    check_refused("search(log 0 1", &real, "'search(log 0 1' needs a closing )");
    check_refused("search(log 0 1)", &real, "search(log ...) needs numbers above 0");
    check_refused("search(uniform 1)", &real, "search(uniform ...) needs two numbers");
    check_refused("search(uniform 1 0)", &real, "search(uniform 1 0) needs two numbers, the smaller first");
    check_refused("search(uniform 0 2)", &real, "search(uniform 0 2) leaves the range 0..1");
    check_refused("search(power-of-2 4 11)", &whole, "search(power-of-2 4 11) leaves the range 1..1024");
    check_refused("search(one-of)", &whole, "search(one-of ...) needs at least one value");
    check_refused("search(one-of 0)", &whole, "0 is outside 1..1024");
    check_refused("search(one-of 1.5)", &whole, "'1.5' is not a whole number");
    check_refused("search(one-of wr)", &choice, "'wr' is not one of its choices");
    check_refused("search(uniform 0 1)", &choice, "search(uniform ...) is for numbers; use one-of or any");
    check_refused("search(any)", &real, "search(any) is for choices");
    check_refused("search(log 0.1 1 default)", &real, "search(... default) needs one value after it, and nothing else");
    check_refused("search(default 1 log 0.1 1)", &real,
                  "search(... default) needs one value after it, and nothing else");
    check_refused("search(log 0.1 1 defaults 1)", &real, "search(log ...) needs two numbers");
    check_refused("search(default 1)", &real, "'search(default 1)' names no distribution");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("config values");
    TCase *t = tcase_create("values");
    tcase_add_checked_fixture(t, set_up, tear_down);
    tcase_add_test(t, commas_separate_scalars);
    tcase_add_test(t, bars_separate_lists);
    tcase_add_test(t, ranges_count_with_both_ends);
    tcase_add_test(t, texts_are_not_ranges);
    tcase_add_test(t, a_broken_range_is_left_for_the_type_to_refuse);
    tcase_add_test(t, empty_ranges_and_lists_are_refused);
    tcase_add_test(t, endless_ranges_are_refused);
    tcase_add_test(t, a_range_of_the_largest_allowed_size_is_taken);
    tcase_add_test(t, quotes_protect_separators);
    tcase_add_test(t, distributions_are_read);
    tcase_add_test(t, a_distribution_may_name_its_default);
    tcase_add_test(t, a_distribution_may_name_its_draws);
    tcase_add_test(t, bad_distributions_are_refused);
    suite_add_tcase(s, t);
    return s;
}
