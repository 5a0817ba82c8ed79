// SPDX-License-Identifier: Apache-2.0
/* Loading a plugin into the calling process. Every test runs in a process of its own. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "loader/loader.h"

static cru_status open_test_plugin(const char *file, cru_kind kind, const char *name, const cru_plugin **plugin,
                                   cru_error *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.so", TEST_PLUGINS, file);
    return plugin_open(path, kind, name, plugin, err);
}

START_TEST(the_expected_plugin_is_loaded)
{
    const cru_plugin *plugin;
    cru_error err = {0};
    ck_assert_int_eq(open_test_plugin("good-metric", CRU_KIND_METRIC, "good-metric", &plugin, &err), CRU_OK);
    ck_assert_str_eq(plugin->name, "good-metric");
    const cru_metric *metric = plugin->vtable;
    const cru_judging judging = {.size = sizeof judging, .items = {.count = 7}, .err = &err};
    double value;
    ck_assert_int_eq(metric->score(&judging, &value), CRU_OK);
    ck_assert_double_eq(value, 7);
}
END_TEST

START_TEST(any_plugin_will_do_when_nothing_is_expected)
{
    const cru_plugin *plugin;
    ck_assert_int_eq(open_test_plugin("good-dataset", 0, NULL, &plugin, NULL), CRU_OK);
    ck_assert_int_eq(plugin->kind, CRU_KIND_DATASET);
}
END_TEST

START_TEST(plugins_of_one_process_do_not_share_symbols)
{
    const cru_plugin *metric, *algorithm;
    ck_assert_int_eq(open_test_plugin("good-metric", 0, NULL, &metric, NULL), CRU_OK);
    ck_assert_int_eq(open_test_plugin("good-algorithm", 0, NULL, &algorithm, NULL), CRU_OK);
    ck_assert_str_eq(metric->name, "good-metric");
    ck_assert_str_eq(algorithm->name, "good-algorithm");
}
END_TEST

START_TEST(a_plugin_that_changed_since_the_scan_is_refused)
{
    const cru_plugin *plugin;
    cru_error err = {0};
    ck_assert_int_eq(open_test_plugin("good-metric", CRU_KIND_METRIC, "accuracy", &plugin, &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "it is now the metric 'good-metric', not the metric 'accuracy'");
    ck_assert_ptr_null(plugin);
    ck_assert_int_eq(open_test_plugin("good-metric", CRU_KIND_DATASET, "good-metric", &plugin, NULL), CRU_BAD_INPUT);
}
END_TEST

START_TEST(broken_and_missing_files_are_refused_with_the_reason)
{
    const cru_plugin *plugin;
    cru_error err = {0};
    ck_assert_int_eq(open_test_plugin("vtable-null", 0, NULL, &plugin, &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, "its vtable is NULL");
    err = (cru_error){0};
    ck_assert_int_eq(open_test_plugin("not-there", 0, NULL, &plugin, &err), CRU_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "No such file"));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("open");
    TCase *c = tcase_create("open");
    tcase_add_test(c, the_expected_plugin_is_loaded);
    tcase_add_test(c, any_plugin_will_do_when_nothing_is_expected);
    tcase_add_test(c, plugins_of_one_process_do_not_share_symbols);
    tcase_add_test(c, a_plugin_that_changed_since_the_scan_is_refused);
    tcase_add_test(c, broken_and_missing_files_are_refused_with_the_reason);
    suite_add_tcase(s, c);
    return s;
}
