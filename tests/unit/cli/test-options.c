// SPDX-License-Identifier: Apache-2.0
/* What verbs get from their command lines. Messages go to stderr, which the tests leave alone. */
#include <check.h>
#include <string.h>

#include "cli/cli.h"

typedef struct parsed {
    bool json;
    const char *db;
    int64_t jobs;
    cli_words set, operands;
    int code;
} parsed;

/* Parses the words after the verb, NULL at the end. */
static parsed parse(int least, int most, const char *const *words)
{
    parsed p = {.db = "results.db", .jobs = 1};
    char *argv[16] = {"run"};
    int argc = 1;
    for (; words[argc - 1]; argc++) argv[argc] = (char *)(uintptr_t)words[argc - 1];
    const cli_option options[] = {
        {.name = "json", .flag = &p.json, .help = "JSON"},
        {.name = "db", .letter = 'd', .argument = "FILE", .text = &p.db, .help = "store"},
        {.name = "jobs", .letter = 'j', .argument = "N", .number = &p.jobs, .help = "processes"},
        {.name = "set", .argument = "KEY=VALUE", .words = &p.set, .help = "override"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "run", .operands = "FILE...", .least = least, .most = most, .options = options, .about = "Runs."};
    p.code = cli_parse(&syntax, argc, argv, &p.operands);
    return p;
}

#define PARSE(least, most, ...) parse(least, most, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(options_and_operands_may_be_mixed)
{
    parsed p = PARSE(1, 9, "a.ini", "--json", "-j4", "b.ini", "--db=x.db");
    ck_assert_int_eq(p.code, CLI_GO_ON);
    ck_assert(p.json);
    ck_assert_int_eq(p.jobs, 4);
    ck_assert_str_eq(p.db, "x.db");
    ck_assert_int_eq(p.operands.count, 2);
    ck_assert_str_eq(p.operands.word[0], "a.ini");
    ck_assert_str_eq(p.operands.word[1], "b.ini");
}
END_TEST

START_TEST(absent_options_keep_their_values)
{
    parsed p = PARSE(0, 9, "a.ini");
    ck_assert(!p.json);
    ck_assert_str_eq(p.db, "results.db");
    ck_assert_int_eq(p.jobs, 1);
}
END_TEST

START_TEST(a_repeated_option_collects_its_words_in_order)
{
    parsed p = PARSE(0, 9, "--set", "a.b=1", "--set", "c.d=2");
    ck_assert_int_eq(p.set.count, 2);
    ck_assert_str_eq(p.set.word[0], "a.b=1");
    ck_assert_str_eq(p.set.word[1], "c.d=2");
}
END_TEST

START_TEST(two_dashes_end_the_options)
{
    parsed p = PARSE(0, 9, "--", "--json");
    ck_assert_int_eq(p.code, CLI_GO_ON);
    ck_assert(!p.json);
    ck_assert_str_eq(p.operands.word[0], "--json");
}
END_TEST

START_TEST(mistakes_are_wrong_usage)
{
    ck_assert_int_eq(PARSE(0, 9, "--nonsense").code, CLI_USAGE);
    ck_assert_int_eq(PARSE(0, 9, "-x").code, CLI_USAGE);
    ck_assert_int_eq(PARSE(0, 9, "--db").code, CLI_USAGE);
    ck_assert_int_eq(PARSE(0, 9, "-d").code, CLI_USAGE);
    ck_assert_int_eq(PARSE(0, 9, "--json=1").code, CLI_USAGE);
    ck_assert_int_eq(PARSE(0, 9, "--jobs", "four").code, CLI_USAGE);
    ck_assert_int_eq(PARSE(0, 9, "--jobs", "-1").code, CLI_USAGE);
    ck_assert_int_eq(PARSE(0, 9, "--jobs", "99999999999999999999").code, CLI_USAGE);
    ck_assert_int_eq(PARSE(2, 9, "one").code, CLI_USAGE);
    ck_assert_int_eq(PARSE(0, 1, "one", "two").code, CLI_USAGE);
}
END_TEST

START_TEST(help_ends_well_whatever_else_is_there)
{
    ck_assert_int_eq(PARSE(2, 9, "--help").code, CLI_OK);
    ck_assert_int_eq(PARSE(0, 9, "-h", "--nonsense").code, CLI_OK);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("options");
    TCase *c = tcase_create("options");
    tcase_add_test(c, options_and_operands_may_be_mixed);
    tcase_add_test(c, absent_options_keep_their_values);
    tcase_add_test(c, a_repeated_option_collects_its_words_in_order);
    tcase_add_test(c, two_dashes_end_the_options);
    tcase_add_test(c, mistakes_are_wrong_usage);
    tcase_add_test(c, help_ends_well_whatever_else_is_there);
    suite_add_tcase(s, c);
    return s;
}
