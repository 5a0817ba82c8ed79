// SPDX-License-Identifier: Apache-2.0
/* What is written is read back, a trial is stored once, experiments come and go. */
#include <math.h>
#include <string.h>

#include "store/environment.h"
#include "store/fixture.h"

START_TEST(a_trial_is_pending_until_it_is_finished)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    add_trial(s, id, "k");
    ck_assert_int_eq(outcome(s, "k"), STORE_PENDING);
    ck_assert(isnan(number(s, "k", "accuracy")));
    ck_assert(claim(s, "k"));
    finish(s, "k", 0.75);
    ck_assert_int_eq(outcome(s, "k"), STORE_OK);
    ck_assert_double_eq(number(s, "k", "accuracy"), 0.75);
    ck_assert(isnan(number(s, "k", "no such")));
    ck_assert(!claim(s, "k"));
    ok(store_close(s, &err));
}
END_TEST

START_TEST(results_survive_closing_and_opening)
{
    store *s = open_store(&(store_options){.batch_trials = 100, .batch_ms = 100000});
    int64_t id = add_experiment(s, "e");
    add_trial(s, id, "k");
    ck_assert(claim(s, "k"));
    finish(s, "k", 0.5);
    ok(store_close(s, &err));
    s = open_store(&(store_options){.read_only = true});
    ck_assert_double_eq(number(s, "k", "accuracy"), 0.5);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(a_trial_of_two_experiments_is_stored_once_and_deleted_with_the_last)
{
    store *s = open_store(NULL);
    int64_t first = add_experiment(s, "first"), second = add_experiment(s, "second"), counts[STORE_OUTCOMES];
    add_trial(s, first, "k");
    add_trial(s, second, "k");
    add_trial(s, second, "k");
    claim(s, "k");
    finish(s, "k", 1);
    ok(store_count(s, second, counts, &err));
    ck_assert_int_eq(counts[STORE_OK], 1);
    ok(store_delete_experiment(s, first, &err));
    ck_assert_int_eq(outcome(s, "k"), STORE_OK);
    ok(store_delete_experiment(s, second, &err));
    store_outcome gone;
    ck_assert_int_eq(store_status(s, "k", &gone, NULL, NULL), CRU_BAD_INPUT);
    ok(store_close(s, &err));
}
END_TEST

static bool note_name(void *user, const store_trial_view *view)
{
    char *names = user;
    sprintf(names + strlen(names), "%d %s %s;", (int)view->index, view->alias, view->key);
    return true;
}

static bool note_number(void *user, int64_t index, const store_number *one)
{
    char *numbers = user;
    sprintf(numbers + strlen(numbers), "%d %g;", (int)index, one->value);
    return true;
}

START_TEST(a_trial_with_two_names_in_an_experiment_is_listed_under_both_and_counted_once)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e"), counts[STORE_OUTCOMES];
    const char *const added[][2] = {{"k", "plain"}, {"l", "plain"}, {"k", "wide"}, {"k", "wide"}, {"m", "wide"}};
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        store_trial trial = {.key = added[i][0], .alias = added[i][1], .canonical = "all settings"};
        ok(store_add_trial(s, id, &trial, &err));
    }
    claim(s, "k");
    finish(s, "k", 0.5);
    char names[100] = "", numbers[100] = "";
    ok(store_each_trial(s, id, note_name, names, &err));
    ok(store_each_number(s, id, note_number, numbers, &err));
    ok(store_count(s, id, counts, &err));
    ck_assert_str_eq(names, "0 plain k;1 plain l;2 wide k;3 wide m;");
    ck_assert_str_eq(numbers, "0 0.5;2 0.5;");
    ck_assert_int_eq(counts[STORE_OK] + counts[STORE_PENDING], 3);
    ck_assert_int_eq(add_experiment(s, "e"), id); /* again, with another list */
    *names = 0;
    add_trial(s, id, "k");
    ok(store_each_trial(s, id, note_name, names, &err));
    ck_assert_str_eq(names, "0 (null) k;");
    ok(store_close(s, &err));
}
END_TEST

START_TEST(recording_an_experiment_again_keeps_results_and_replaces_its_list)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e"), counts[STORE_OUTCOMES];
    add_trial(s, id, "a");
    add_trial(s, id, "b");
    claim(s, "a");
    finish(s, "a", 1);
    ck_assert_int_eq(add_experiment(s, "e"), id);
    add_trial(s, id, "a");
    ok(store_count(s, id, counts, &err));
    ck_assert_int_eq(counts[STORE_OK], 1);
    ck_assert_int_eq(counts[STORE_PENDING], 0);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(the_latest_experiment_is_the_one_recorded_last)
{
    store *s = open_store(NULL);
    int64_t found = -1;
    ok(store_find_experiment(s, NULL, &found, &err));
    ck_assert_int_eq(found, 0);
    int64_t a = add_experiment(s, "a"), b = add_experiment(s, "b");
    ok(store_find_experiment(s, NULL, &found, &err));
    ck_assert_int_eq(found, b);
    add_experiment(s, "a");
    ok(store_find_experiment(s, NULL, &found, &err));
    ck_assert_int_eq(found, a);
    ok(store_find_experiment(s, "b", &found, &err));
    ck_assert_int_eq(found, b);
    ok(store_find_experiment(s, "c", &found, &err));
    ck_assert_int_eq(found, 0);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(reset_touches_only_the_outcomes_it_names)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e"), count;
    add_trial(s, id, "good");
    add_trial(s, id, "bad");
    claim(s, "good");
    claim(s, "bad");
    finish(s, "good", 1);
    ok(store_finish(s, "bad", &(store_result){.outcome = STORE_CRASHED, .message = "signal 11"}, &err));
    ok(store_reset(s, id, 1u << STORE_CRASHED | 1u << STORE_FAILED, &count, &err));
    ck_assert_int_eq(count, 1);
    ck_assert_int_eq(outcome(s, "bad"), STORE_PENDING);
    ck_assert_int_eq(outcome(s, "good"), STORE_OK);
    ck_assert(claim(s, "bad"));
    ok(store_reset(s, id, ~0u, &count, &err));
    ck_assert_int_eq(count, 1);
    ck_assert(isnan(number(s, "good", "accuracy")));
    ok(store_close(s, &err));
}
END_TEST

static bool join_build(void *user, const store_build *b)
{
    char *text = user;
    sprintf(text + strlen(text), "%s=%s;", b->plugin, b->checksum);
    return true;
}

static void check_builds(store *s, int64_t id, const char *expected)
{
    char text[200] = "";
    ok(store_each_build(s, id, join_build, text, &err));
    ck_assert_str_eq(text, expected);
}

START_TEST(the_files_that_made_a_result_go_with_it)
{
    const store_build first[] = {{"metric loss 1", "ab"}, {"algorithm gcn 2", "cd"}, {"algorithm gcn 2", "cd"}};
    const store_build second[] = {{"metric loss 1", "ab"}, {"algorithm gcn 2", "ef"}};
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e"), other = add_experiment(s, "other");
    add_trial(s, id, "one");
    add_trial(s, id, "two");
    add_trial(s, other, "three");
    claim(s, "one");
    claim(s, "two");
    check_builds(s, id, "");
    ok(store_finish(s, "one", &(store_result){.outcome = STORE_OK, .builds = first, .build_count = 3}, &err));
    check_builds(s, id, "algorithm gcn 2=cd;metric loss 1=ab;");
    ok(store_finish(s, "two", &(store_result){.outcome = STORE_CRASHED, .builds = second, .build_count = 2}, &err));
    check_builds(s, id, "algorithm gcn 2=cd;algorithm gcn 2=ef;metric loss 1=ab;");
    check_builds(s, other, "");
    ok(store_reset(s, id, 1u << STORE_OK, NULL, &err));
    check_builds(s, id, "algorithm gcn 2=ef;metric loss 1=ab;");
    ok(store_delete_experiment(s, id, &err));
    ok(store_close(s, &err));
}
END_TEST

static bool check_vector(void *user, const store_vector *v)
{
    ck_assert_str_eq(v->name, "recall");
    ck_assert_int_eq(v->count, 3);
    ck_assert_double_eq(v->values[1], 0.25);
    ++*(int *)user;
    return true;
}

static bool check_curve(void *user, const store_curve *c)
{
    ck_assert_str_eq(c->name, "loss");
    ck_assert_int_eq(c->count, 2);
    ck_assert_int_eq(c->epochs[1], 10);
    ck_assert_double_eq(c->values[1], 0.5);
    ++*(int *)user;
    return true;
}

START_TEST(vectors_curves_and_scores_come_back)
{
    store *s = open_store(NULL);
    add_trial(s, add_experiment(s, "e"), "k");
    claim(s, "k");
    const store_vector vectors[] = {{"recall", (double[]){1, 0.25, NAN}, 3}};
    const store_curve curves[] = {{"loss", (int64_t[]){0, 10}, (double[]){1, 0.5}, 2}};
    const float kept[] = {1, 2, 3, 4, 5, 6};
    ok(store_finish(s, "k",
                    &(store_result){.outcome = STORE_OK,
                                    .vectors = vectors,
                                    .vector_count = 1,
                                    .curves = curves,
                                    .curve_count = 1,
                                    .scores = kept,
                                    .score_rows = 3,
                                    .score_cols = 2},
                    &err));
    int seen = 0;
    ok(store_each_vector(s, "k", check_vector, &seen, &err));
    ok(store_each_curve(s, "k", check_curve, &seen, &err));
    ck_assert_int_eq(seen, 2);
    float *scores;
    int64_t rows, cols;
    ok(store_get_scores(s, "k", &scores, &rows, &cols, &err));
    ck_assert_int_eq(rows, 3);
    ck_assert_int_eq(cols, 2);
    ck_assert_mem_eq(scores, kept, sizeof kept);
    free(scores);
    ok(store_close(s, &err));
}
END_TEST

typedef struct seen {
    int64_t trials, settings, numbers, metrics;
} seen;

static bool see_trial(void *user, const store_trial_view *view)
{
    seen *n = user;
    ck_assert_int_eq(view->index, n->trials);
    ck_assert_str_eq(view->key, n->trials == 0 ? "b" : "a");
    ck_assert_str_eq(view->alias, "gcn");
    if (n->trials == 0) {
        ck_assert_str_eq(view->environment, "cpu = test\n");
        ck_assert_double_eq(view->seconds_total, 2);
        ck_assert_double_eq(view->seconds_construct, 0.25);
        ck_assert_double_eq(view->seconds_train, 1.5);
        ck_assert_int_eq(view->best_epoch, 7);
    } else {
        ck_assert(isnan(view->seconds_total));
        ck_assert(isnan(view->seconds_construct));
    }
    n->trials++;
    return true;
}

static bool see_setting(void *user, int64_t index, const store_setting *setting)
{
    seen *n = user;
    ck_assert_int_eq(index, n->settings / 3);
    if (strcmp(setting->name, "seed") == 0) ck_assert_str_eq(setting->value, index == 0 ? "b" : "a");
    n->settings++;
    return true;
}

static bool see_number(void *user, int64_t index, const store_number *value)
{
    ck_assert_int_eq(index, 0);
    ck_assert_str_eq(value->name, "accuracy");
    ((seen *)user)->numbers++;
    return true;
}

static bool see_metric(void *user, const store_metric *metric)
{
    seen *n = user;
    ck_assert_str_eq(metric->name, n->metrics == 0 ? "accuracy" : "loss");
    ck_assert_uint_eq(metric->flags, n->metrics == 0 ? CRU_METRIC_PERCENT : CRU_METRIC_LOWER_IS_BETTER);
    n->metrics++;
    return true;
}

START_TEST(visits_go_in_the_order_of_the_list)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    add_trial(s, id, "b");
    add_trial(s, id, "a");
    claim(s, "b");
    finish(s, "b", 1);
    seen n = {0};
    ok(store_each_trial(s, id, see_trial, &n, &err));
    ok(store_each_setting(s, id, see_setting, &n, &err));
    ok(store_each_number(s, id, see_number, &n, &err));
    ok(store_each_metric(s, id, see_metric, &n, &err));
    ck_assert_int_eq(n.trials, 2);
    ck_assert_int_eq(n.settings, 6);
    ck_assert_int_eq(n.numbers, 1);
    ck_assert_int_eq(n.metrics, 2);
    ok(store_close(s, &err));
}
END_TEST

static bool note_seed(void *user, int64_t index, const store_setting *one)
{
    char *seeds = user;
    if (strcmp(one->name, "seed") == 0) sprintf(seeds + strlen(seeds), "%d %s;", (int)index, one->value);
    return true;
}

/* Ascending and close together, ascending with many of another experiment between, and backwards. */
START_TEST(visits_go_in_the_order_of_any_list)
{
    static const char *const lists[][3] = {{"t10", "t11", "t12"}, {"t00", "t20", "t39"}, {"t30", "t00", "t15"}};
    store *s = open_store(NULL);
    int64_t all = add_experiment(s, "all");
    for (int i = 0; i < 40; i++) {
        char key[8];
        snprintf(key, sizeof key, "t%02d", i);
        add_trial(s, all, key);
        claim(s, key);
        finish(s, key, i);
    }
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        char name[2] = {(char)('a' + k), 0}, names[100] = "", seeds[100] = "", numbers[100] = "";
        char wanted[3][100] = {"", "", ""};
        int64_t id = add_experiment(s, name);
        for (int i = 0; i < 3; i++) {
            add_trial(s, id, lists[k][i]);
            sprintf(wanted[0] + strlen(wanted[0]), "%d gcn %s;", i, lists[k][i]);
            sprintf(wanted[1] + strlen(wanted[1]), "%d %s;", i, lists[k][i]);
            sprintf(wanted[2] + strlen(wanted[2]), "%d %d;", i, atoi(lists[k][i] + 1));
        }
        ok(store_each_trial(s, id, note_name, names, &err));
        ok(store_each_setting(s, id, note_seed, seeds, &err));
        ok(store_each_number(s, id, note_number, numbers, &err));
        ck_assert_str_eq(names, wanted[0]);
        ck_assert_str_eq(seeds, wanted[1]);
        ck_assert_str_eq(numbers, wanted[2]);
    }
    ok(store_close(s, &err));
}
END_TEST

static bool note_entry(void *user, const store_entry *entry)
{
    char *entries = user;
    sprintf(entries + strlen(entries), "%s %s;", entry->key, store_outcome_name(entry->outcome));
    return true;
}

START_TEST(a_list_that_is_the_same_stays)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e"), again, former;
    add_trial(s, id, "b");
    add_trial(s, id, "a");
    claim(s, "a");
    finish(s, "a", 0.5);
    ok(store_add_experiment(s, &(store_experiment){.name = "e", .same_list = true}, &again, &err));
    ck_assert_int_eq(again, id);
    char entries[100] = "";
    ok(store_each_entry(s, id, note_entry, entries, &err));
    ck_assert_str_eq(entries, "b pending;a ok;");
    ok(store_length(s, store_former(id), &former, &err));
    ck_assert_int_eq(former, 0);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(hostile_text_is_only_text)
{
    static const char evil[] = "'); DROP TABLE trial; -- \"%s\" \xc3\xa9";
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, evil), found;
    add_trial(s, id, evil);
    ck_assert(claim(s, evil));
    finish(s, evil, 1);
    ck_assert_double_eq(number(s, evil, "accuracy"), 1);
    ok(store_find_experiment(s, evil, &found, &err));
    ck_assert_int_eq(found, id);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(the_environment_names_the_machine_and_the_version)
{
    char *text = environment_describe("abc123");
    ck_assert_ptr_nonnull(strstr(text, "cpu = "));
    ck_assert_ptr_nonnull(strstr(text, "\ncrucible = "));
    ck_assert_ptr_nonnull(strstr(text, "\nrevision = abc123\n"));
    free(text);
    text = environment_describe(NULL);
    ck_assert_ptr_null(strstr(text, "revision"));
    free(text);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("store");
    TCase *tc = tcase_create("store");
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, a_trial_is_pending_until_it_is_finished);
    tcase_add_test(tc, results_survive_closing_and_opening);
    tcase_add_test(tc, a_trial_of_two_experiments_is_stored_once_and_deleted_with_the_last);
    tcase_add_test(tc, a_trial_with_two_names_in_an_experiment_is_listed_under_both_and_counted_once);
    tcase_add_test(tc, recording_an_experiment_again_keeps_results_and_replaces_its_list);
    tcase_add_test(tc, the_latest_experiment_is_the_one_recorded_last);
    tcase_add_test(tc, reset_touches_only_the_outcomes_it_names);
    tcase_add_test(tc, the_files_that_made_a_result_go_with_it);
    tcase_add_test(tc, vectors_curves_and_scores_come_back);
    tcase_add_test(tc, visits_go_in_the_order_of_the_list);
    tcase_add_test(tc, visits_go_in_the_order_of_any_list);
    tcase_add_test(tc, a_list_that_is_the_same_stays);
    tcase_add_test(tc, hostile_text_is_only_text);
    tcase_add_test(tc, the_environment_names_the_machine_and_the_version);
    suite_add_tcase(suite, tc);
    return suite;
}
