// SPDX-License-Identifier: Apache-2.0
/* What a scan says of files that work and of files that do not. */
#include "loader/sandbox.h"

static const struct {
    const char *plugin, *reason;
} faults[] = {
    {"load-abort", "aborts while loading (SIGABRT)"},
    {"load-segv", "segfaults while loading (SIGSEGV)"},
    {"load-exit", "ends the process while loading (exit code 3)"},
    {"load-daemon", "aborts while loading (SIGABRT)"},
    {"load-garbage", "writes to the scanner's pipe while loading"},
    {"load-unresolved", "cannot be loaded: undefined symbol: nobody_defines_this"},
    {"call-unresolved", "cannot be loaded: undefined symbol: nobody_defines_this_function"},
    {"no-symbol", "it has no symbol 'crucible_plugin'"},
    {"abi-major", "built for plugin ABI 3.0, this crucible serves 2.0; upgrade crucible"},
    {"abi-old", "built for plugin ABI 1.1, this crucible serves 2.0; rebuild the plugin with its SDK"},
    {"abi-minor", "built for plugin ABI 2.1, this crucible serves only up to 2.0; upgrade crucible"},
    {"struct-small", "its plugin struct says it has 16 bytes"},
    {"kind-unknown", "its kind 99 is unknown"},
    {"name-missing", "it has no name"},
    {"name-invalid", "its name 'Not A Name' is not lower-case-with-dashes"},
    {"version-missing", "it has no version"},
    {"summary-missing", "it has no summary"},
    {"text-wild", "segfaults while its plugin struct is read (SIGSEGV); does its table of settings end with CRU_END?"},
    {"vtable-null", "its vtable is NULL"},
    {"vtable-small", "its metric vtable says it has 4 bytes"},
    {"entry-null", "its algorithm vtable has no 'predict'"},
    {"backend-hollow", "its backend vtable has no function number 1"},
    {"schema-bad", "bad parameter table: width"},
    {"schema-endless", "bad parameter table: what follows the setting width is none"},
};

START_TEST(a_broken_file_is_listed_with_its_reason)
{
    sandbox s = sandbox_create();
    sandbox_add(&s, faults[_i].plugin);
    registry *found = sandbox_scan(&s, NULL);
    ck_assert_uint_eq(registry_count(found), 1);
    const registry_entry *entry = registry_at(found, 0);
    ck_assert_msg(entry->broken && strstr(entry->broken, faults[_i].reason), "%s: %s", faults[_i].plugin,
                  entry->broken ? entry->broken : "taken for good");
    ck_assert_ptr_nonnull(strstr(entry->path, faults[_i].plugin));
    ck_assert_ptr_nonnull(entry->name);
    registry_destroy(found);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(a_file_that_hangs_is_given_up_after_the_limit)
{
    sandbox s = sandbox_create();
    s.hang_seconds = 0.2;
    sandbox_add(&s, "load-hang");
    registry *found = sandbox_scan(&s, NULL);
    ck_assert_str_eq(registry_at(found, 0)->broken, "hangs while loading (0.2 s)");
    registry_destroy(found);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(a_broken_file_keeps_the_name_that_it_has)
{
    sandbox s = sandbox_create();
    sandbox_add(&s, "schema-bad");
    sandbox_add(&s, "load-segv");
    registry *found = sandbox_scan(&s, NULL);
    const registry_entry *nameless = registry_at(found, 0), *named = registry_at(found, 1);
    ck_assert_str_eq(nameless->name, "load-segv.so");
    ck_assert_int_eq(nameless->kind, 0);
    ck_assert_str_eq(named->name, "schema-bad");
    ck_assert_int_eq(named->kind, CRU_KIND_METRIC);
    ck_assert_ptr_null(registry_find(found, CRU_KIND_METRIC, "schema-bad"));
    registry_destroy(found);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(broken_files_do_not_hide_the_good_ones_between_them)
{
    sandbox s = sandbox_create();
    sandbox_add_as(&s, "load-abort", "a.so");
    sandbox_add_as(&s, "good-metric", "b.so");
    sandbox_add_as(&s, "load-segv", "c.so");
    sandbox_add_as(&s, "load-exit", "d.so");
    sandbox_add_as(&s, "good-algorithm", "e.so");
    sandbox_add_as(&s, "abi-major", "f.so");
    registry *found = sandbox_scan(&s, NULL);
    ck_assert_uint_eq(registry_count(found), 6);
    ck_assert_uint_eq(registry_broken_count(found), 4);
    ck_assert_ptr_nonnull(registry_find(found, CRU_KIND_METRIC, "good-metric"));
    ck_assert_ptr_nonnull(registry_find(found, CRU_KIND_ALGORITHM, "good-algorithm"));
    registry_destroy(found);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(plugins_of_every_kind_are_found_in_subfolders)
{
    sandbox s = sandbox_create();
    char folder[128];
    snprintf(folder, sizeof folder, "%s/deep", s.plugins);
    ck_assert_int_eq(mkdir(folder, 0755), 0);
    sandbox_add_as(&s, "good-dataset", "deep/good-dataset.so");
    sandbox_add_as(&s, "good-corruptor", "deep/good-corruptor.so");
    sandbox_add(&s, "good-algorithm");
    sandbox_add(&s, "good-metric");
    sandbox_add_as(&s, "good-metric", "not-a-plugin.txt");
    registry *found = sandbox_scan(&s, NULL);
    ck_assert_uint_eq(registry_count(found), 4);
    ck_assert_uint_eq(registry_broken_count(found), 0);
    const registry_entry *metric = registry_find(found, CRU_KIND_METRIC, "good-metric");
    ck_assert_uint_eq(metric->flags, CRU_METRIC_LOWER_IS_BETTER);
    ck_assert_ptr_nonnull(registry_find(found, CRU_KIND_DATASET, "good-dataset"));
    ck_assert_ptr_nonnull(registry_find(found, CRU_KIND_CORRUPTOR, "good-corruptor"));
    registry_destroy(found);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(the_schema_is_rebuilt_so_that_settings_can_be_filled)
{
    sandbox s = sandbox_create();
    sandbox_add(&s, "good-algorithm");
    registry *found = sandbox_scan(&s, NULL);
    const registry_entry *entry = registry_find(found, CRU_KIND_ALGORITHM, "good-algorithm");
    ck_assert_ptr_nonnull(entry);
    ck_assert_str_eq(entry->version, "1.2");
    ck_assert_str_eq(entry->license, "MIT");
    ck_assert_int_eq(cru_params_check(entry->params, entry->settings_size, NULL), CRU_OK);
    cru_settings *settings = cru_settings_create(entry->params, entry->settings_size);
    char *text = cru_settings_text(settings);
    ck_assert_str_eq(text, "hidden=64\nrate=0.5\nnorm=true\nmode=rw\nlabel=none\nwidths=64, 32\nepochs=10\n");
    ck_assert_int_eq(cru_settings_set(settings, "epochs", "2000", NULL), CRU_BAD_INPUT);
    ck_assert_int_eq(cru_settings_set(settings, "mode", "sym", NULL), CRU_OK);
    free(text);
    cru_settings_destroy(settings);
    registry_destroy(found);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(the_first_of_two_plugins_with_one_name_wins)
{
    sandbox s = sandbox_create();
    sandbox_add_as(&s, "good-metric", "a.so");
    sandbox_add_as(&s, "name-twin", "b.so");
    registry *found = sandbox_scan(&s, NULL);
    const registry_entry *winner = registry_find(found, CRU_KIND_METRIC, "good-metric");
    const registry_entry *loser = registry_at(found, 1);
    ck_assert_str_eq(winner->summary, "number of judged items");
    ck_assert_ptr_nonnull(strstr(loser->broken, winner->path));
    ck_assert_ptr_nonnull(strstr(loser->path, "/b.so"));
    registry_destroy(found);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(links_in_a_circle_are_followed_once)
{
    sandbox s = sandbox_create();
    char link[128];
    sandbox_add(&s, "good-metric");
    snprintf(link, sizeof link, "%s/self", s.plugins);
    ck_assert_int_eq(symlink(s.plugins, link), 0);
    snprintf(link, sizeof link, "%s/same-file.so", s.plugins);
    ck_assert_int_eq(symlink("good-metric.so", link), 0);
    registry *found = sandbox_scan(&s, NULL);
    ck_assert_uint_eq(registry_count(found), 1);
    registry_destroy(found);
    sandbox_destroy(&s);
}
END_TEST

START_TEST(a_missing_folder_holds_no_plugins)
{
    const char *const folders[] = {"/nonexistent/folder", NULL};
    const loader_options options = {.folders = folders, .no_default_folders = true, .no_cache = true};
    registry *found;
    ck_assert_int_eq(loader_scan(&options, &found, NULL, NULL), CRU_OK);
    ck_assert_uint_eq(registry_count(found), 0);
    registry_destroy(found);
}
END_TEST

START_TEST(folders_are_searched_in_the_documented_order)
{
    const char *const extra[] = {"/from-config", NULL};
    const loader_options options = {.folders = extra};
    setenv("CRUCIBLE_PLUGIN_PATH", "/from-environment:/second::/from-environment", 1);
    char **folders = loader_folders(&options);
    int count = 0;
    while (folders[count]) count++;
    ck_assert_int_ge(count, 4);
    ck_assert_ptr_nonnull(strstr(folders[0], "/crucible/plugins"));
    ck_assert_str_eq(folders[count - 3], "/from-environment");
    ck_assert_str_eq(folders[count - 2], "/second");
    ck_assert_str_eq(folders[count - 1], "/from-config");
    folders_free(folders);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("scan");
    TCase *c = tcase_create("broken");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, a_broken_file_is_listed_with_its_reason, 0, sizeof faults / sizeof *faults);
    tcase_add_test(c, a_file_that_hangs_is_given_up_after_the_limit);
    tcase_add_test(c, a_broken_file_keeps_the_name_that_it_has);
    tcase_add_test(c, broken_files_do_not_hide_the_good_ones_between_them);
    tcase_add_test(c, the_first_of_two_plugins_with_one_name_wins);
    suite_add_tcase(s, c);
    c = tcase_create("good");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, plugins_of_every_kind_are_found_in_subfolders);
    tcase_add_test(c, the_schema_is_rebuilt_so_that_settings_can_be_filled);
    tcase_add_test(c, links_in_a_circle_are_followed_once);
    tcase_add_test(c, a_missing_folder_holds_no_plugins);
    tcase_add_test(c, folders_are_searched_in_the_documented_order);
    suite_add_tcase(s, c);
    return s;
}
