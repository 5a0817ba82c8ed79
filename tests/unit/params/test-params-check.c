// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <string.h>

#include <crucible/params.h>

typedef struct settings {
    int64_t a;
    double b;
    bool c;
    int64_t d;
    const char *e;
    cru_list f;
} settings;

static const char *const words[] = {"x", "y", NULL};
static const char *const twice[] = {"x", "x", NULL};
static const char *const none[] = {NULL};

static const cru_param good[] = {
    CRU_INT(settings, a, 4, 1, 64, "a", .search = CRU_POWER_OF_2(0, 7)),
    CRU_FLOAT(settings, b, 0.5, 0, 1, "b", .search = CRU_LOG_UNIFORM(1e-5, 1)),
    CRU_BOOL(settings, c, true, "c", .search = CRU_ANY_CHOICE),
    CRU_CHOICE(settings, d, 1, words, "d", .search = CRU_ONE_OF(0, 1)),
    CRU_STRING(settings, e, NULL, "e"),
    CRU_LIST(settings, f, "1, 2", 0, 9, "f"),
    CRU_END,
};

START_TEST(a_sound_table_passes)
{
    cru_error err = {0};
    ck_assert_msg(cru_params_check(good, sizeof(settings), &err) == CRU_OK, "%s", err.text);
    ck_assert_int_eq(cru_params_check(NULL, 0, &err), CRU_OK);
}
END_TEST

#define SEARCH(...) CRU_FLOAT(settings, b, 0.5, 0, 1, "b", .search = __VA_ARGS__)

static const struct {
    cru_param params[2];
    const char *message;
} broken[] = {
    {{{.type = CRU_PARAM_INT, .help = "h"}}, "(no key): a key is a lower-case word of letters, digits, - and _"},
    {{{.key = "Bad", .type = CRU_PARAM_INT, .help = "h"}},
     "Bad: a key is a lower-case word of letters, digits, - and _"},
    {{{.key = "a", .type = (cru_param_type)99, .help = "h"}}, "a: unknown type 99"},
    {{{.key = "a", .type = CRU_PARAM_GROUP}}, "a: a group without a table, or nested too deeply"},
    {{CRU_INT(settings, a, 4, 1, 64, "")}, "a: no help"},
    {{CRU_INT(settings, a, 4, 64, 1, "a")}, "a: the range is empty"},
    {{CRU_INT(settings, a, 4, 1, NAN, "a")}, "a: the range is empty"},
    {{CRU_INT(settings, a, 0, 1, 64, "a")}, "a: the default 0 is not a valid value"},
    {{CRU_INT(settings, a, 1.5, 1, 64, "a")}, "a: the default 1.5 is not a valid value"},
    {{CRU_FLOAT(settings, b, NAN, 0, 1, "b")}, "b: the default nan is not a valid value"},
    {{CRU_BOOL(settings, c, 2, "c")}, "c: the default 2 is not a valid value"},
    {{CRU_CHOICE(settings, d, 2, words, "d")}, "d: the default 2 is not a valid value"},
    {{CRU_CHOICE(settings, d, 0, none, "d")}, "d: a choice without choices"},
    {{CRU_CHOICE(settings, d, 0, NULL, "d")}, "d: a choice without choices"},
    {{CRU_CHOICE(settings, d, 0, twice, "d")}, "d: the choice x appears twice"},
    {{CRU_STRING(settings, e, "a\nb", "e")}, "the default e = ...: must be one line of plain text"},
    {{CRU_LIST(settings, f, "1, 99", 0, 9, "f")}, "the default f = 1, 99: every number must be between 0 and 9"},
    {{SEARCH(CRU_UNIFORM(0.5, 0.5))}, "b: the search span is empty or not finite"},
    {{SEARCH(CRU_UNIFORM(0, INFINITY))}, "b: the search span is empty or not finite"},
    {{SEARCH(CRU_UNIFORM(0, 2))}, "b: the search leaves the range of valid values"},
    {{SEARCH(CRU_LOG_UNIFORM(0, 1))}, "b: a logarithmic search must start above 0"},
    {{SEARCH(CRU_ONE_OF(0.5, 3))}, "b: the search value 3 is not a valid value"},
    {{SEARCH(CRU_ANY_CHOICE)}, "b: a search over no values"},
    {{SEARCH({.kind = CRU_SEARCH_ONE_OF, .count = 2})}, "b: a search with a broken list of values"},
    {{SEARCH({.kind = (cru_search_kind)77})}, "b: unknown kind of search 77"},
    {{CRU_INT(settings, a, 4, 1, 64, "a", .search = CRU_POWER_OF_2(0, 8))},
     "a: the search leaves the range of valid values"},
    {{CRU_INT(settings, a, 4, 1, 64, "a", .search = CRU_ONE_OF(2.5))}, "a: the search value 2.5 is not a valid value"},
    {{CRU_CHOICE(settings, d, 0, words, "d", .search = CRU_UNIFORM(0, 1))},
     "d: a search over a span needs an int or a float"},
    {{CRU_STRING(settings, e, "", "e", .search = CRU_ANY_CHOICE)}, "e: strings and lists cannot be searched"},
    {{{.key = "a", .type = CRU_PARAM_INT, .offset = sizeof(settings) - 4, .help = "h"}},
     "a: its field lies outside the settings struct"},
    {{{.key = "a", .type = CRU_PARAM_INT, .offset = SIZE_MAX - 2, .help = "h"}},
     "a: its field lies outside the settings struct"},
    {{{.key = "a", .type = CRU_PARAM_INT, .offset = 4, .help = "h"}}, "a: its field is not aligned"},
};

START_TEST(each_rule_has_its_message)
{
    cru_error err = {0};
    ck_assert_int_eq(cru_params_check(broken[_i].params, sizeof(settings), &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, broken[_i].message);
}
END_TEST

START_TEST(keys_are_unique_across_groups)
{
    const cru_param inner[] = {CRU_INT(settings, a, 4, 1, 64, "a"), CRU_END};
    const cru_param outer[] = {
        CRU_INT(settings, a, 4, 1, 64, "a"),
        {.key = "inner", .type = CRU_PARAM_GROUP, .offset = sizeof(settings), .group = inner},
        CRU_END,
    };
    cru_error err = {0};
    ck_assert_int_eq(cru_params_check(outer, 2 * sizeof(settings), &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "a: the key appears twice");
}
END_TEST

START_TEST(fields_must_not_overlap)
{
    const cru_param table[] = {
        CRU_LIST(settings, f, "", 0, 9, "f"),
        {.key = "g", .type = CRU_PARAM_BOOL, .offset = offsetof(settings, f) + 15, .help = "g", .max = 1},
        CRU_END,
    };
    cru_error err = {0};
    ck_assert_int_eq(cru_params_check(table, sizeof(settings), &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "g: its field overlaps that of f");
}
END_TEST

START_TEST(a_group_that_contains_itself_is_refused)
{
    cru_param loop[] = {{.key = "loop", .type = CRU_PARAM_GROUP}, CRU_END};
    loop[0].group = loop;
    cru_error err = {0};
    ck_assert_int_eq(cru_params_check(loop, sizeof(settings), &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "loop: a group without a table, or nested too deeply");
}
END_TEST

static bool take_two(void *user, const cru_param *param, size_t base)
{
    (void)base;
    strcat(user, param->key);
    return strlen(user) < 2;
}

START_TEST(a_visit_stops_when_told)
{
    char seen[10] = "";
    cru_params_visit(good, take_two, seen);
    ck_assert_str_eq(seen, "ab");
}
END_TEST

START_TEST(nearest_finds_slips_and_nothing_else)
{
    const char *const names[] = {"gcn", "appnp", "nrgnn", "weight_decay"};
    ck_assert_str_eq(cru_nearest("gnc", names, 4), "gcn");
    ck_assert_str_eq(cru_nearest("GCN", names, 4), "gcn");
    ck_assert_str_eq(cru_nearest("apnp", names, 4), "appnp");
    ck_assert_str_eq(cru_nearest("wieght-decay", names, 4), "weight_decay");
    ck_assert_str_eq(cru_nearest("nrgn", names, 4), "nrgnn");
    ck_assert_ptr_null(cru_nearest("xgboost", names, 4));
    ck_assert_ptr_null(cru_nearest("", names, 4));
    ck_assert_ptr_null(cru_nearest("gcn", names, 0));
    char long_word[200];
    memset(long_word, 'g', sizeof long_word - 1);
    long_word[sizeof long_word - 1] = 0;
    ck_assert_ptr_null(cru_nearest(long_word, names, 4));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("params-check");
    TCase *c = tcase_create("tables");
    tcase_add_test(c, a_sound_table_passes);
    tcase_add_loop_test(c, each_rule_has_its_message, 0, sizeof broken / sizeof *broken);
    tcase_add_test(c, keys_are_unique_across_groups);
    tcase_add_test(c, fields_must_not_overlap);
    tcase_add_test(c, a_group_that_contains_itself_is_refused);
    tcase_add_test(c, a_visit_stops_when_told);
    tcase_add_test(c, nearest_finds_slips_and_nothing_else);
    suite_add_tcase(s, c);
    return s;
}
