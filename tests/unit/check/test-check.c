// SPDX-License-Identifier: Apache-2.0
/* The conformance suite finds each fault in a method that has only that one. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"

/* AddressSanitizer replaces the heap whose growth is watched. */
#if defined(__SANITIZE_ADDRESS__)
#define OWN_HEAP
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN_HEAP
#endif
#endif

static check_report run(const char *plugin, double seconds)
{
    char path[4096];
    check_report report;
    cru_error err = {0};
    const check_options options = {.seconds = seconds, .edge_seconds = seconds};
    snprintf(path, sizeof path, "%s/%s.so", TEST_PLUGINS, plugin);
    ck_assert_msg(check_file(path, &options, &report, &err) == CRU_OK, "%s", err.text);
    return report;
}

static const check_row *find_row(const check_report *report, const char *name)
{
    for (int64_t i = 0; i < report->count; i++)
        if (strcmp(report->rows[i].name, name) == 0) return &report->rows[i];
    return NULL;
}

static const check_row *first_failure(const check_report *report)
{
    for (int64_t i = 0; i < report->count; i++)
        if (report->rows[i].state == CHECK_FAILED) return &report->rows[i];
    return NULL;
}

static void assert_no_failure(const char *plugin)
{
    check_report report = run(plugin, 60);
    const check_row *failure = first_failure(&report);
    ck_assert_msg(!failure, "%s: %s: %s", plugin, failure ? failure->name : "", failure ? failure->detail : "");
    check_report_free(&report);
}

START_TEST(good_plugins_of_every_kind_pass)
{
    assert_no_failure("good-algorithm");
    assert_no_failure("good-dataset");
    assert_no_failure("good-corruptor");
    assert_no_failure("good-metric");
    assert_no_failure("create-choosy");
}
END_TEST

START_TEST(every_claimed_problem_is_tried_in_all_its_forms)
{
    static const char *const expected[] = {
        "nodes",
        "nodes, sparse features",
        "nodes, one feature",
        "nodes, class missing from training",
        "nodes, isolated node",
        "nodes, no edges",
        "graphs",
        "anomaly, none in training",
        "rows, candidate labels",
        "rows, same seed, same bits",
        "rows, any number of threads, same bits",
        "rows, another seed, other scores",
        "rows, no leaks",
        "settings, hidden",
        "settings, mode",
        "settings, epochs",
    };
    check_report report = run("good-algorithm", 60);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const check_row *row = find_row(&report, expected[i]);
        ck_assert_msg(row && row->state == CHECK_PASSED, "%s: %s", expected[i], row ? row->detail : "not tried");
    }
    check_report_free(&report);
}
END_TEST

static const struct {
    const char *plugin, *row, *detail;
} faults[] = {
    {"load-abort", "loads", "aborts while loading"},
    {"fit-crash", "nodes", "crashes (SIGSEGV)"},
    {"fit-fail", "nodes", "fit: failed: the method gave up on purpose"},
    {"predict-nan", "nodes", "score 29, 2 is not finite"},
    {"predict-short", "nodes", "score 29, 2 is not written"},
    {"predict-overrun", "nodes", "writes outside the 30 x 3 scores"},
    {"predict-drift", "nodes", "a second predict gives other scores"},
    {"fit-scribble", "nodes", "writes to its inputs"},
    {"fit-stale", "nodes", "relu: is given a tensor of a step that has ended"},
    {"fit-write", "nodes", "creates the file 'trespass'"},
    {"fit-restless", "nodes, same seed, same bits", "different scores"},
    {"fit-threads", "nodes, any number of threads, same bits", "different scores"},
    {"create-greedy", "graphs, not claimed: refused", "takes a problem that it does not claim"},
    {"create-silent", "graphs, not claimed: refused", "without a message"},
    {"settings-crash", "settings, width", "width = 100: crashes (SIGABRT)"},
    {"metric-infinite", "nodes", "the value is infinite"},
    {"corruptor-spoils", "nodes", "label"},
    {"corruptor-restless", "nodes", "one seed gives two different results"},
    {"corruptor-brittle", "settings, rate", "rate = 1: crashes (SIGABRT)"},
    {"split-brittle", "settings, rate", "rate = 1: crashes (SIGABRT)"},
    {"metric-brittle", "settings, rate", "rate = 1: crashes (SIGABRT)"},
};

START_TEST(a_fault_is_one_failed_row_that_names_it)
{
    check_report report = run(faults[_i].plugin, 60);
    const check_row *row = find_row(&report, faults[_i].row);
    ck_assert_msg(row, "%s: no row '%s'", faults[_i].plugin, faults[_i].row);
    ck_assert_msg(row->state == CHECK_FAILED && strstr(row->detail, faults[_i].detail), "%s: %s", faults[_i].plugin,
                  row->detail);
    check_report_free(&report);
}
END_TEST

START_TEST(the_other_rows_of_a_method_with_one_fault_pass)
{
    check_report report = run("settings-crash", 60);
    ck_assert_int_eq(report.failed, 1);
    check_report_free(&report);
}
END_TEST

START_TEST(a_method_that_never_ends_is_given_up)
{
    check_report report = run("fit-sleep", 0.05);
    const check_row *row = find_row(&report, "nodes");
    ck_assert_int_eq(row->state, CHECK_FAILED);
    ck_assert_str_eq(row->detail, "not finished after 0.05 s");
    check_report_free(&report);
}
END_TEST

START_TEST(a_method_without_randomness_is_noted_not_failed)
{
    check_report report = run("fit-deterministic", 60);
    ck_assert_int_eq(report.failed, 0);
    ck_assert_int_eq(find_row(&report, "nodes, another seed, other scores")->state, CHECK_NOTED);
    check_report_free(&report);
}
END_TEST

#ifndef OWN_HEAP
START_TEST(memory_that_is_kept_by_every_instance_is_a_leak)
{
    check_report report = run("create-leak", 60);
    const check_row *row = find_row(&report, "nodes, no leaks");
    ck_assert_int_eq(row->state, CHECK_FAILED);
    ck_assert_int_eq(report.failed, 4); /* one for each kind of problem */
    check_report_free(&report);
}
END_TEST

START_TEST(what_malloc_keeps_for_itself_is_no_leak)
{
    check_report report = run("create-fickle", 60);
    ck_assert_int_eq(find_row(&report, "nodes, no leaks")->state, CHECK_PASSED);
    check_report_free(&report);
}
END_TEST
#endif

START_TEST(a_reader_that_believes_its_files_is_found_out)
{
    char path[] = "/tmp/crucible-check-rows-XXXXXX", plugin[4096];
    check_report report;
    cru_error err = {0};
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(dprintf(fd, "4\n0 1 0 1\n"), 10);
    close(fd);
    const check_input input = {"rows", path};
    const check_options options = {.seconds = 60, .edge_seconds = 60, .files = &input, .file_count = 1};
    snprintf(plugin, sizeof plugin, "%s/reader-trusting.so", TEST_PLUGINS);
    ck_assert_msg(check_file(plugin, &options, &report, &err) == CRU_OK, "%s", err.text);
    unlink(path);
    ck_assert_int_eq(find_row(&report, "files, read twice")->state, CHECK_PASSED);
    ck_assert_int_eq(find_row(&report, "files, one left out")->state, CHECK_PASSED);
    const check_row *spoilt = find_row(&report, "files, cut and changed");
    ck_assert_int_eq(spoilt->state, CHECK_FAILED);
    ck_assert_msg(strstr(spoilt->detail, "rows cut to 2 of 10 bytes: crashes (SIGABRT)"), "%s", spoilt->detail);
    check_report_free(&report);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_an_error)
{
    check_report report;
    cru_error err = {0};
    ck_assert_int_eq(check_file("/nonexistent.so", NULL, &report, &err), CRU_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent.so"));
    check_report_free(&report);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("check");
    TCase *c = tcase_create("conformance");
    tcase_set_timeout(c, 240);
    tcase_add_test(c, good_plugins_of_every_kind_pass);
    tcase_add_test(c, every_claimed_problem_is_tried_in_all_its_forms);
    tcase_add_loop_test(c, a_fault_is_one_failed_row_that_names_it, 0, sizeof faults / sizeof *faults);
    tcase_add_test(c, the_other_rows_of_a_method_with_one_fault_pass);
    tcase_add_test(c, a_method_that_never_ends_is_given_up);
    tcase_add_test(c, a_method_without_randomness_is_noted_not_failed);
#ifndef OWN_HEAP
    tcase_add_test(c, memory_that_is_kept_by_every_instance_is_a_leak);
    tcase_add_test(c, what_malloc_keeps_for_itself_is_no_leak);
#endif
    tcase_add_test(c, a_reader_that_believes_its_files_is_found_out);
    tcase_add_test(c, a_file_that_is_not_there_is_an_error);
    suite_add_tcase(s, c);
    return s;
}
