// SPDX-License-Identifier: Apache-2.0
/* Inductive trials: the test part reaches a worker only after its method has learned. */
#include "fixture.h"

#define PLUGINS "runner-halves runner-accuracy runner-blind good-algorithm"

static ended run(const char *algorithm, const char *sections, const runner_options *options)
{
    fixture f;
    char ini[1024];
    snprintf(ini, sizeof ini, "[experiment]\ndatasets = runner-halves\nmetrics = runner-accuracy\nalgorithms = %s\n%s",
             algorithm, sections);
    fixture_open(&f, PLUGINS, ini);
    fixture_run(&f, options);
    ck_assert_int_eq(f.count, 1);
    ended e = f.ended[0];
    fixture_close(&f);
    return e;
}

START_TEST(test_nodes_are_nowhere_until_the_method_has_learned)
{
    static const char *const sections[] = {"[split]\nview = inductive\n[run]\nsandbox = off\n",
                                           "[split]\nview = inductive\n[run]\nsandbox = on\n"};
    for (int i = 0; i < 2; i++) {
        ended e = run("runner-blind", sections[i], &(runner_options){0});
        ck_assert_msg(e.outcome == STORE_OK, "%s", e.message);
        ck_assert_double_eq(ended_number(&e, "runner-accuracy"), 1);
    }
}
END_TEST

/* The search would find them. */
START_TEST(test_nodes_are_there_in_a_transductive_trial)
{
    ended e = run("runner-blind", "", &(runner_options){0});
    expect_outcome(&e, STORE_FAILED, "found 500 test items");
}
END_TEST

START_TEST(a_method_without_widen_is_refused)
{
    ended e = run("good-algorithm", "[split]\nview = inductive\n", &(runner_options){0});
    expect_outcome(&e, STORE_FAILED, "cannot learn inductively");
}
END_TEST

START_TEST(rules_that_score_test_items_on_the_way_are_refused)
{
    ended e = run("runner-blind", "[split]\nview = inductive\n[monitor]\nrule = oracle-early\n", &(runner_options){0});
    expect_outcome(&e, STORE_FAILED, "view = inductive hides");
}
END_TEST

START_TEST(in_process_nothing_can_be_hidden_and_nothing_is_run)
{
    static const struct {
        const char *sections, *message;
    } cases[] = {{"[split]\nview = transductive, inductive\n", "view = inductive cannot be applied in process"},
                 {"[monitor]\nrule = last, oracle-early\n", "rule = oracle-early cannot be applied in process"}};
    for (int i = 0; i < 2; i++) {
        fixture f;
        char ini[512];
        runner *r;
        cru_error err = {0};
        snprintf(ini, sizeof ini,
                 "[experiment]\ndatasets = runner-halves\nmetrics = runner-accuracy\nalgorithms = runner-blind\n%s",
                 cases[i].sections);
        fixture_open(&f, PLUGINS, ini);
        runner_options options = {.experiment = f.experiment, .plugins = f.plugins, .in_process = true};
        ck_assert_int_eq(runner_open(&options, &r, &err), CRU_UNSUPPORTED);
        ck_assert_msg(strstr(err.text, cases[i].message), "%s", err.text);
        fixture_close(&f);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("runner-views");
    TCase *c = tcase_create("views");
    tcase_set_timeout(c, 240); /* it searches all memory, which is much with sanitizers */
    tcase_add_test(c, test_nodes_are_nowhere_until_the_method_has_learned);
    tcase_add_test(c, test_nodes_are_there_in_a_transductive_trial);
    tcase_add_test(c, a_method_without_widen_is_refused);
    tcase_add_test(c, rules_that_score_test_items_on_the_way_are_refused);
    tcase_add_test(c, in_process_nothing_can_be_hidden_and_nothing_is_run);
    suite_add_tcase(s, c);
    return s;
}
