// SPDX-License-Identifier: Apache-2.0
/* Pivots: which keys, what a cell holds, marks, ranks, tests, filters, references. */
#include <math.h>
#include <string.h>

#include <crucible/random.h>

#include "report/demo.h"
#include "report/table/frame.h"

static const char *two_methods[] = {"gcn", "mlp", NULL}, *three_methods[] = {"gcn", "mlp", "big", NULL};
static const char *two_sets[] = {"cora", "citeseer", NULL}, *one_set[] = {"cora", NULL};
static const char *two_rates[] = {"0.1", "0.3", NULL}, *one_rate[] = {"0.1", NULL};

/* gcn is better by 0.1 everywhere; seeds shift both. */
static double plain(demo_trial t, store_outcome *outcome_of)
{
    (void)outcome_of;
    return 0.9 - 0.1 * t.method - 0.01 * t.dataset - 0.02 * t.rate + 0.001 * t.seed;
}

START_TEST(rows_are_methods_and_columns_what_varies)
{
    store *s = demo_make(&(demo){two_methods, two_sets, two_rates, 3, NULL, plain});
    report *r = demo_report(s, (report_request){0});
    const table *t = r->tables[0];
    ck_assert_int_eq(r->count, 2);
    ck_assert_int_eq(t->row_count, 2);
    ck_assert_str_eq(t->rows[0].label, "gcn");
    ck_assert_int_eq(t->col_count, 4);
    /* dataset.format follows from the dataset, algorithm.width from the method: neither is a key. */
    ck_assert_int_eq(t->col_key_count, 2);
    ck_assert_int_eq(t->row_key_count, 1);
    ck_assert_str_eq(t->cols[0].label, "cora rate=0.1");
    ck_assert_str_eq(t->cols[3].label, "citeseer rate=0.3");
    const table_cell *cell = table_at(t, 1, 2);
    ck_assert_int_eq(cell->run_count, 3);
    ck_assert_double_eq_tol(cell->mean, 0.9 - 0.1 - 0.01 + 0.001, 1e-12);
    ck_assert_double_eq_tol(cell->spread, 0.001, 1e-12);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(chosen_keys_pool_the_rest)
{
    store *s = demo_make(&(demo){two_methods, two_sets, two_rates, 3, NULL, plain});
    report *r = demo_report(s, (report_request){.rows = "dataset", .cols = "rate", .metrics = "loss"});
    const table *t = r->tables[0];
    ck_assert_int_eq(r->count, 1);
    ck_assert_str_eq(t->metric, "loss");
    ck_assert(t->lower_is_better);
    ck_assert_str_eq(t->rows[1].label, "citeseer");
    ck_assert_str_eq(t->cols[1].label, "rate=0.3");
    ck_assert_int_eq(table_at(t, 0, 0)->run_count, 6);
    ck_assert_double_eq_tol(table_at(t, 0, 0)->mean, 1 - (0.85 + 0.001), 1e-12);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

/* Two trials per seed: one method under two names, one of them with a swept setting. */
static void add_variant(store *s, int64_t id, const char *alias, const char *alpha, int seed)
{
    char key[64], text[16];
    snprintf(key, sizeof key, "%s-%s-%d", alias, alpha, seed);
    snprintf(text, sizeof text, "%d", seed);
    const store_setting settings[] = {
        {"algorithm", "gcn"}, {"algorithm.alpha", alpha}, {"algorithm.lr", seed ? "0.1" : "0.2"}, {"seed", text}};
    ok(store_add_trial(
        s, id, &(store_trial){.key = key, .alias = alias, .canonical = "", .settings = settings, .setting_count = 4},
        &err));
}

START_TEST(a_swept_setting_of_a_method_makes_rows_and_a_searched_one_does_not)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    for (int seed = 0; seed < 2; seed++) {
        add_variant(s, id, "gcn", "0.1", seed);
        add_variant(s, id, "gcn", "0.5", seed);
        add_variant(s, id, "gcn-again", "0.9", seed);
    }
    report *r = demo_report(s, (report_request){0});
    ck_assert_int_eq(r->tables[0]->row_count, 3);
    ck_assert_str_eq(r->tables[0]->rows[1].label, "gcn alpha=0.5");
    ck_assert_int_eq(r->tables[0]->col_count, 1); /* lr follows from the seed: a search found it */
    report_destroy(r);
    r = demo_report(s, (report_request){.rows = "algorithm"});
    ck_assert_int_eq(r->tables[0]->row_count, 2);
    ck_assert_str_eq(r->tables[0]->rows[1].label, "gcn-again");
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(a_table_without_columns_is_named_after_its_metric)
{
    store *s = demo_make(&(demo){two_methods, one_set, one_rate, 3, NULL, plain});
    report *r = demo_report(s, (report_request){0});
    ck_assert_int_eq(r->tables[0]->col_count, 1);
    ck_assert_str_eq(r->tables[0]->cols[0].label, "accuracy");
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

static double with_failures(demo_trial t, store_outcome *outcome_of)
{
    if (t.method == 1) return t.rate == 1 && t.seed > 0 ? NAN : 0.5;
    if (t.method == 0) return 0.8 + 0.01 * t.seed;
    *outcome_of = t.rate == 0 ? STORE_OOM : t.seed ? STORE_TIMEOUT : STORE_CRASHED;
    return NAN;
}

START_TEST(marks_say_why_there_is_no_mean)
{
    store *s = demo_make(&(demo){three_methods, one_set, two_rates, 3, NULL, with_failures});
    report *r = demo_report(s, (report_request){0});
    const table *t = r->tables[0];
    ck_assert_int_eq(table_at(t, 2, 0)->mark, TABLE_OOM);
    ck_assert_int_eq(table_at(t, 2, 1)->mark, TABLE_OOT); /* of several reasons the first in the order of the enum */
    ck_assert_int_eq(table_at(t, 1, 1)->mark, TABLE_VALUE);
    ck_assert_int_eq(table_at(t, 1, 1)->run_count, 1);
    ck_assert_int_eq(table_at(t, 1, 1)->trials, 3);
    ck_assert_int_eq(t->full_runs, 3);
    char *text = demo_write(r, REPORT_TEXT);
    ck_assert_ptr_nonnull(strstr(text, "OOM"));
    ck_assert_ptr_nonnull(strstr(text, "50.00"));
    ck_assert_ptr_nonnull(strstr(text, "(1)"));
    free(text);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

static double pending(demo_trial t, store_outcome *outcome_of)
{
    (void)outcome_of;
    return t.method == 1 && t.rate == 0 ? NAN : 0.5 + 0.1 * t.method;
}

START_TEST(ranks_skip_missing_cells_and_share_ties)
{
    store *s = demo_make(&(demo){three_methods, one_set, two_rates, 2, NULL, pending});
    report *r = demo_report(s, (report_request){0});
    const table *t = r->tables[0];
    ck_assert_int_eq(table_at(t, 1, 0)->mark, TABLE_MISSING);
    ck_assert(isnan(table_at(t, 1, 0)->rank));
    ck_assert_double_eq(t->average_ranks[0], (2 + 3) / 2.0); /* 0.5 is last of two, then of three */
    ck_assert_double_eq(t->average_ranks[1], 2);
    ck_assert_double_eq(t->average_ranks[2], 1);
    ck_assert_int_eq(table_at(t, 2, 0)->place, 1);
    ck_assert_int_eq(table_at(t, 0, 0)->place, 2);
    ck_assert_int_eq(table_at(t, 0, 1)->place, 0);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(tests_pair_runs_of_the_same_seed)
{
    store *s = demo_make(&(demo){two_methods, one_set, one_rate, 10, NULL, plain});
    report *r = demo_report(s, (report_request){0});
    const table_cell *worse = table_at(r->tables[0], 1, 0);
    ck_assert_double_eq_tol(worse->p, 2.0 / 1024, 1e-12); /* all ten differences have one sign */
    ck_assert(isnan(table_at(r->tables[0], 0, 0)->p));
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

/* gcn has the even seeds, mlp the odd ones. t = 0.1 / sqrt(2 v / 3) with v = 4e-6 the variance of three seeds 2 apart,
 * 61.2 at 4 degrees of freedom: p = 4.3e-7 (scipy.stats.ttest_ind, equal_var=False). */
static double interleaved(demo_trial t, store_outcome *outcome_of)
{
    return t.seed % 2 == t.method ? 0.9 - 0.1 * t.method + 0.001 * (t.seed - t.method) : plain(t, outcome_of) * NAN;
}

START_TEST(runs_without_a_partner_are_tested_by_welch)
{
    store *s = demo_make(&(demo){two_methods, one_set, one_rate, 6, NULL, interleaved});
    report *r = demo_report(s, (report_request){.metrics = "accuracy"});
    const table_cell *mlp = table_at(r->tables[0], 1, 0);
    ck_assert(r->tables[0]->unpaired);
    ck_assert_double_eq_tol(mlp->p, 4.2590920871647e-7, 1e-15);
    char *text = demo_write(r, REPORT_TEXT);
    ck_assert_ptr_nonnull(strstr(text, "or Welch without pairs"));
    free(text);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

static double big_fails(demo_trial t, store_outcome *outcome_of)
{
    if (t.method == 2 && t.dataset == 1) *outcome_of = STORE_OOM;
    return plain(t, outcome_of);
}

/* An average over fewer datasets would not be comparable, so there is none. */
START_TEST(averages_are_over_all_columns_or_none)
{
    static const char *const heads[] = {"Ave.", "Ave. |", "& Ave.", NULL, "\"average\":", "Ave."};
    store *s = demo_make(&(demo){three_methods, two_sets, one_rate, 3, NULL, big_fails});
    report *r = demo_report(s, (report_request){.metrics = "accuracy", .average = true});
    const table *t = r->tables[0];
    const double *averages = t->summaries[0].values;
    ck_assert_int_eq(t->summaries[0].kind, SUMMARY_MEAN);
    ck_assert_double_eq_tol(averages[0], 0.9 - 0.005 + 0.001, 1e-12);
    ck_assert_double_eq_tol(averages[1], 0.8 - 0.005 + 0.001, 1e-12);
    ck_assert(isnan(averages[2]));
    for (int format = 0; format < REPORT_FORMATS; format++) {
        char *text = demo_write(r, (report_format)format);
        ck_assert(!heads[format] || strstr(text, heads[format]));
        ck_assert(!heads[format] || strstr(text, "89.6"));
        free(text);
    }
    report_destroy(r);
    r = demo_report(s, (report_request){.metrics = "accuracy"});
    ck_assert_int_eq(r->tables[0]->summary_count, 1);
    ck_assert_int_eq(r->tables[0]->summaries[0].kind, SUMMARY_RANK);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

/* A pll metric on data without candidate sets, say: the trials ended well and have no such number. */
START_TEST(a_metric_without_a_value_is_told_from_a_trial_that_was_not_run)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    static const char *const keys[] = {"ended", "waits"};
    for (int i = 0; i < 2; i++) {
        const store_setting settings[] = {{"algorithm", "gcn"}, {"dataset", keys[i]}};
        store_trial trial = {.key = keys[i], .canonical = "", .settings = settings, .setting_count = 2};
        ok(store_add_trial(s, id, &trial, &err));
    }
    ck_assert(claim(s, "ended"));
    finish(s, "ended", NAN);
    report *r = demo_report(s, (report_request){.metrics = "accuracy", .rows = "dataset"});
    const table *t = r->tables[0];
    ck_assert_int_eq(table_at(t, 0, 0)->mark, TABLE_UNDEFINED);
    ck_assert_int_eq(table_at(t, 1, 0)->mark, TABLE_MISSING);
    char *text = demo_write(r, REPORT_TEXT), *csv = demo_write(r, REPORT_CSV);
    ck_assert_ptr_nonnull(strstr(text, "n/a the metric is not defined here; — not run"));
    ck_assert_ptr_nonnull(strstr(csv, "undefined"));
    free(text);
    free(csv);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(damage_that_replaces_the_split_is_named_below_the_table)
{
    store *s = open_store(NULL);
    int64_t id = add_experiment(s, "e");
    static const char *const keys[] = {"none", "imbalance"};
    for (int i = 0; i < 2; i++) {
        const store_setting settings[] = {{"algorithm", "gcn"}, {"corruptor", keys[i]}};
        const store_number numbers[] = {{"accuracy", 0.5}, {"imbalance.new_split", 1}};
        store_trial trial = {.key = keys[i], .canonical = "", .settings = settings, .setting_count = 2};
        ok(store_add_trial(s, id, &trial, &err));
        ck_assert(claim(s, keys[i]));
        ok(store_finish(s, keys[i], &(store_result){.outcome = STORE_OK, .numbers = numbers, .number_count = i ? 2 : 1},
                        &err));
    }
    report *r = demo_report(s, (report_request){.metrics = "accuracy"});
    for (int format = 0; format < REPORT_FORMATS; format++) {
        char *text = demo_write(r, (report_format)format);
        ck_assert(format == REPORT_CSV || format == REPORT_JSON || strstr(text, "imbalance with a split of its own"));
        free(text);
    }
    report_destroy(r);
    r = demo_report(s, (report_request){.metrics = "accuracy", .where = "corruptor=none"});
    char *text = demo_write(r, REPORT_TEXT);
    ck_assert_ptr_null(strstr(text, "split of its own"));
    free(text);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

/* ---- groups, baselines, another experiment --------------------------------------------------------------- */

static const char *four_sets[] = {"cora", "citeseer", "texas", "film", NULL};

/* Column by column, in percent: gcn 90 60 50 70, mlp 80 70 40 75, big 70 50 60 —. */
static double crossed(demo_trial t, store_outcome *outcome)
{
    static const double means[3][4] = {{0.9, 0.6, 0.5, 0.7}, {0.8, 0.7, 0.4, 0.75}, {0.7, 0.5, 0.6, 0}};
    if (t.method == 2 && t.dataset == 3) *outcome = STORE_OOM;
    return means[t.method][t.dataset] + 0.001 * (t.seed - 1);
}

static const table_summary *summary_of(const table *t, const char *label)
{
    for (int64_t i = 0; i < t->summary_count; i++)
        if (strcmp(t->summaries[i].label, label) == 0) return &t->summaries[i];
    ck_abort_msg("no column %s", label);
}

START_TEST(groups_of_columns_are_ranked_by_themselves)
{
    store *s = demo_make(&(demo){three_methods, four_sets, one_rate, 3, NULL, crossed});
    report *r = demo_report(
        s, (report_request){.metrics = "accuracy", .average = true, .groups = "good: cora, film|bad: texas ,citeseer"});
    const table *t = r->tables[0];
    ck_assert_int_eq(t->summary_count, 6);
    const double *all = summary_of(t, "rank")->values, *good = summary_of(t, "rank good")->values,
                 *bad = summary_of(t, "rank bad")->values, *mean = summary_of(t, "Ave. bad")->values;
    for (int64_t row = 0; row < 3; row++) ck_assert_double_eq(all[row], t->average_ranks[row]);
    ck_assert_double_eq(good[0], 1.5); /* 1 and 2 */
    ck_assert_double_eq(good[1], 1.5);
    ck_assert_double_eq(good[2], 3); /* on cora only */
    ck_assert_double_eq(bad[0], 2);
    ck_assert_double_eq(bad[1], 2); /* 3 and 1 */
    ck_assert_double_eq(bad[2], 2);
    ck_assert_double_eq_tol(mean[0], 0.55, 1e-12);
    ck_assert(isnan(summary_of(t, "Ave. good")->values[2]));
    for (int format = 0; format < REPORT_FORMATS; format++) {
        char *text = demo_write(r, (report_format)format);
        ck_assert(format == REPORT_CSV || strstr(text, format == REPORT_JSON ? "\"good\":" : "rank good"));
        free(text);
    }
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(groups_may_come_from_a_long_line_of_the_config)
{
    char config[1000] = "[report]\naverage = yes\ngroups = many: ";
    for (int i = 0; i < 60; i++) snprintf(config + strlen(config), 20, "dataset-%02d, ", i);
    strcat(config, "cora | film: film | later: dataset-61\n[run]\n");
    store *s = demo_make(&(demo){three_methods, four_sets, one_rate, 1, config, crossed});
    report *r = demo_report(s, (report_request){.metrics = "accuracy"});
    ck_assert_int_eq(r->tables[0]->summary_count, 6); /* a group without columns has none */
    ck_assert_double_eq(summary_of(r->tables[0], "rank many")->values[1], 2);
    ck_assert_double_eq(summary_of(r->tables[0], "rank film")->values[1], 1);
    ck_assert_double_eq(summary_of(r->tables[0], "Ave. film")->values[1], 0.749);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(cells_worse_than_baselines_are_marked)
{
    static const char *const signs[] = {"‡", "‡", "$^{\\ddag}$", ",all", "\"all\"", "<sup>‡</sup>"};
    store *s = demo_make(&(demo){three_methods, four_sets, one_rate, 3, NULL, crossed});
    report *r = demo_report(s, (report_request){.metrics = "accuracy", .baselines = "mlp, big"});
    const table *t = r->tables[0];
    static const table_below_mark expected[] = {TABLE_NOT_BELOW, TABLE_BELOW_BEST, TABLE_BELOW_BEST, TABLE_BELOW_ALL};
    for (int64_t c = 0; c < 4; c++) {
        ck_assert_int_eq(table_at(t, 0, c)->below, expected[c]); /* film: big has no value, and mlp is better */
        ck_assert_int_eq(table_at(t, 1, c)->below, TABLE_NOT_BELOW);
        ck_assert_int_eq(table_at(t, 2, c)->below, TABLE_NOT_BELOW);
    }
    for (int format = 0; format < REPORT_FORMATS; format++) {
        char *text = demo_write(r, (report_format)format);
        ck_assert_msg(strstr(text, signs[format]), "%s", text);
        free(text);
    }
    report_destroy(r);
    /* The loss is 1 - accuracy and lower is better: the same marks. */
    r = demo_report(s, (report_request){.metrics = "loss", .baselines = "mlp,big"});
    for (int64_t c = 0; c < 4; c++) ck_assert_int_eq(table_at(r->tables[0], 0, c)->below, expected[c]);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

/* The best of mlp and big: 80 70 60 75. Against it gcn has 90 60 50 70: one win, three losses, and gains 10/80, -10/70,
 * -10/60, -5/75; mlp ties wherever it is the best. */
START_TEST(the_best_baseline_is_a_row_that_counts_in_nothing)
{
    static const double best[] = {0.8, 0.7, 0.6, 0.75};
    store *s = demo_make(&(demo){three_methods, four_sets, one_rate, 3, NULL, crossed});
    report *r = demo_report(s, (report_request){.metrics = "accuracy", .baselines = "mlp, big", .average = true});
    const table *t = r->tables[0];
    ck_assert_int_eq(t->row_count, 3);
    ck_assert_int_eq(table_lines(t), 4);
    ck_assert_str_eq(t->rows[3].label, "best baseline");
    for (int64_t c = 0; c < 4; c++) {
        ck_assert_double_eq_tol(table_at(t, 3, c)->mean, best[c], 1e-12);
        ck_assert_int_eq(table_at(t, 3, c)->place, 0);
    }
    const table_summary *relative = summary_of(t, "rel. %"), *tally = summary_of(t, "W/T/L");
    ck_assert_double_eq_tol(relative->values[0], 25 * (10. / 80 - 10. / 70 - 10. / 60 - 5. / 75), 1e-9);
    ck_assert_double_eq_tol(summary_of(t, "Ave.")->values[3], 0.7125, 1e-12);
    ck_assert(isnan(summary_of(t, "rank")->values[3]));
    static const int64_t expected[3][3] = {{1, 0, 3}, {0, 3, 1}, {0, 1, 2}}; /* big has no value on film */
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) ck_assert_int_eq(tally->tally[row][k], expected[row][k]);
    for (int format = 0; format < REPORT_FORMATS; format++) {
        char *text = demo_write(r, (report_format)format);
        ck_assert_msg(strstr(text, "best baseline"), "%s", text);
        free(text);
    }
    report_destroy(r);
    r = demo_report(s,
                    (report_request){.metrics = "loss", .baselines = "mlp, big"}); /* 1 - accuracy, lower is better */
    for (int k = 0; k < 3; k++) ck_assert_int_eq(summary_of(r->tables[0], "W/T/L")->tally[0][k], expected[0][k]);
    ck_assert_double_eq_tol(table_at(r->tables[0], 3, 0)->mean, 0.2, 1e-12);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

/* A second experiment in the same store: gcn gains 5 points on cora and loses 1 on texas; mlp was not run. */
static void add_older(store *s)
{
    const store_metric metrics[] = {{"accuracy", CRU_METRIC_PERCENT}, {"loss", CRU_METRIC_LOWER_IS_BETTER}};
    int64_t id;
    ok(store_add_experiment(s, &(store_experiment){.name = "older", .metrics = metrics, .metric_count = 2}, &id, &err));
    for (int i = 0; i < 6; i++) {
        char key[32], seed[8];
        snprintf(key, sizeof key, "older-%d", i);
        snprintf(seed, sizeof seed, "%d", i % 3);
        const store_setting settings[] = {
            {"algorithm", "gcn"}, {"dataset", i < 3 ? "cora" : "texas"}, {"seed", seed}, {"corruptor.rate", "0.1"}};
        double accuracy = (i < 3 ? 0.85 : 0.51) + 0.002 * (i % 3 - 1);
        ok(store_add_trial(s, id, &(store_trial){.key = key, .canonical = "", .settings = settings, .setting_count = 4},
                           &err));
        ck_assert(claim(s, key));
        const store_number numbers[] = {{"accuracy", accuracy}, {"loss", 1 - accuracy}};
        ok(store_finish(s, key,
                        &(store_result){.outcome = STORE_OK, .seconds_total = 1, .numbers = numbers, .number_count = 2},
                        &err));
    }
}

START_TEST(cells_are_compared_with_another_experiment)
{
    store *s = demo_make(&(demo){two_methods, four_sets, one_rate, 3, NULL, crossed});
    add_older(s);
    report *r = demo_report(
        s, (report_request){
               .experiment = "demo", .where = "dataset=cora,texas", .against = "older", .groups = "one: cora"});
    for (int64_t k = 0; k < 2; k++) { /* accuracy, loss */
        const table *t = r->tables[k];
        ck_assert_str_eq(t->against, "older");
        ck_assert_double_eq_tol(summary_of(t, "Imp.")->values[0], 0.02, 1e-12); /* (5 - 1) / 2 points */
        ck_assert_double_eq_tol(summary_of(t, "Imp. one")->values[0], 0.05, 1e-12);
        ck_assert(isnan(summary_of(t, "Imp.")->values[1]));
        ck_assert_double_lt(table_at(t, 0, 0)->against_p, 0.001);
        ck_assert(isnan(table_at(t, 1, 0)->against_p));
    }
    char *text = demo_write(r, REPORT_TEXT);
    ck_assert_ptr_nonnull(strstr(text, "+2.00"));
    ck_assert_ptr_nonnull(strstr(text, "⁺ better than in 'older'"));
    int signs = 0;
    for (const char *at = text; (at = strstr(at, "⁺")); at++) signs++;
    ck_assert_int_eq(signs, 4); /* in both tables cora is marked, texas is not, and the legend explains it */
    free(text);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

/* The second rate costs gcn 0.05 and mlp 0.1, less 0.002 a seed and 0.0003 on citeseer; all else shifts both rates alike. */
static double costly(demo_trial t, store_outcome *outcome_of)
{
    (void)outcome_of;
    const double cost = 0.05 * (1 + t.method) - 0.002 * t.seed - 0.0003 * t.dataset;
    return 0.9 - 0.2 * t.method - 0.01 * t.dataset + 0.03 * t.seed - (t.rate ? cost : 0);
}

START_TEST(cells_may_be_what_a_column_or_a_row_does_not_have)
{
    store *s = demo_make(&(demo){two_methods, two_sets, two_rates, 3, NULL, costly});
    report *r = demo_report(s, (report_request){.minus = "rate=0.1"});
    const table *t = r->tables[0];
    ck_assert_int_eq(t->col_count, 2); /* what was taken off is not there */
    ck_assert_str_eq(t->cols[1].label, "citeseer rate=0.3");
    ck_assert_int_eq(table_at(t, 1, 1)->run_count, 3);
    ck_assert_double_eq_tol(table_at(t, 1, 1)->mean, -0.1 + 0.002 + 0.0003, 1e-12);
    ck_assert_double_eq_tol(table_at(t, 1, 1)->spread, 0.002, 1e-12); /* of the differences: the 0.03 a seed is gone */
    ck_assert_int_eq(table_at(t, 0, 1)->place, 1);                    /* the smaller loss */
    report_destroy(r);
    /* Over both datasets six differences of one sign: p = 2 / 2^6, twice that for two rows. */
    r = demo_report(s, (report_request){.rows = "algorithm", .cols = "rate", .minus = "rate=0.1"});
    ck_assert_int_eq(table_at(r->tables[0], 0, 0)->run_count, 6);
    ck_assert_double_eq_tol(table_at(r->tables[0], 0, 0)->p, 2 * 2.0 / 64, 1e-12);
    report_destroy(r);
    r = demo_report(s, (report_request){.minus = "gcn"});
    t = r->tables[0];
    ck_assert_int_eq(t->row_count, 1);
    ck_assert_str_eq(t->rows[0].label, "mlp");
    ck_assert_double_eq_tol(table_at(t, 0, 0)->mean, -0.2, 1e-12);
    ck_assert_double_eq_tol(table_at(t, 0, 1)->mean, -0.25, 1e-12);
    char *text = demo_write(r, REPORT_TEXT);
    ck_assert_ptr_nonnull(strstr(text, "less that of gcn, run by run"));
    free(text);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

static double never_on_citeseer(demo_trial t, store_outcome *outcome_of)
{
    if (t.dataset == 1 && t.rate == 0) *outcome_of = STORE_OOM;
    return t.dataset == 1 && t.rate == 0 ? NAN : 0.5;
}

START_TEST(what_has_nothing_to_be_taken_from_it_says_why)
{
    store *s = demo_make(&(demo){two_methods, two_sets, two_rates, 3, NULL, never_on_citeseer});
    report *r = demo_report(s, (report_request){.minus = "rate=0.1"});
    ck_assert_int_eq(table_at(r->tables[0], 0, 0)->mark, TABLE_VALUE);
    ck_assert_int_eq(table_at(r->tables[0], 0, 1)->mark, TABLE_OOM);
    report_destroy(r);
    ck_assert_int_eq(report_make(s, &(report_request){.minus = "gnc", .digits = -1}, &r, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "neither a column nor a row 'gnc'"));
    err = (cru_error){0};
    const report_request alone = {.where = "algorithm=gcn", .minus = "gcn", .digits = -1};
    ck_assert_int_eq(report_make(s, &alone, &r, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "nothing but 'gcn'"));
    ok(store_close(s, &err));
}
END_TEST

START_TEST(conditions_select_trials)
{
    static const struct {
        const char *where;
        int64_t runs;
    } cases[] = {{"seed=0..4", 5}, {"seed=1", 1}, {"seed=1,3, dataset=cora", 2}, {"seed!=0", 9}, {"seed!=0..8", 1}};
    store *s = demo_make(&(demo){two_methods, one_set, one_rate, 10, NULL, plain});
    report *r = demo_report(s, (report_request){.where = cases[_i].where});
    ck_assert_int_eq(table_at(r->tables[0], 0, 0)->run_count, cases[_i].runs);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(mistakes_are_named)
{
    static const struct {
        report_request request;
        const char *says;
    } cases[] = {{{.where = "sede=1"}, "sede"},
                 {{.where = "cora"}, "not a condition"},
                 {{.rows = "flavour"}, "flavour"},
                 {{.metrics = "acuracy"}, "acuracy"},
                 {{.experiment = "nothing"}, "nothing"},
                 {{.spread = "variance"}, "variance"},
                 {{.where = "seed=99"}, "no trials"},
                 {{.reference = "/nonexistent.csv"}, "/nonexistent.csv"},
                 {{.groups = "cora, texas"}, "name: value"},
                 {{.groups = "small: texsa"}, "no column of 'demo' is called 'texsa'"},
                 {{.tried = true}, "was searched"},
                 {{.baselines = "gcn, gpn"}, "'gpn'"},
                 {{.against = "earlier"}, "'earlier'"}};
    store *s = demo_make(&(demo){two_methods, one_set, one_rate, 1, NULL, plain});
    report *r;
    ck_assert_int_ne(report_make(s, &cases[_i].request, &r, &err), CRU_OK);
    ck_assert_ptr_null(r);
    ck_assert_msg(strstr(err.text, cases[_i].says) != NULL, "%s", err.text);
    ok(store_close(s, &(cru_error){0}));
}
END_TEST

START_TEST(the_config_sets_defaults_and_the_request_overrides)
{
    const char *config = "[experiment]\nname = demo\n[report]\nrows = dataset\nmetrics = loss\nspread = sem0\n";
    store *s = demo_make(&(demo){two_methods, two_sets, one_rate, 2, config, plain});
    report *r = demo_report(s, (report_request){.metrics = "accuracy"});
    ck_assert_str_eq(r->tables[0]->metric, "accuracy");
    ck_assert_str_eq(r->tables[0]->rows[0].label, "cora");
    ck_assert_int_eq(r->tables[0]->spread, REPORT_SEM0);
    report_destroy(r);
    ok(store_close(s, &err));
}
END_TEST

static void write_reference(char *file, size_t size, const char *text)
{
    snprintf(file, size, "%s/reference.csv", folder);
    FILE *out = fopen(file, "w");
    fputs(text, out);
    fclose(out);
}

START_TEST(references_are_compared_in_the_printed_unit)
{
    char file[128];
    write_reference(
        file, sizeof file,
        "row,col,mean,std\ngcn,\"rate=0.1\",89.0,1.0\nmlp,rate=0.1,79.0,\nmlp,rate=0.3,70,1\nother,x,1,1\n");
    store *s = demo_make(&(demo){two_methods, one_set, two_rates, 1, NULL, plain});
    report *r = demo_report(s, (report_request){.reference = file});
    const table *t = r->tables[0];
    ck_assert(table_at(t, 0, 0)->has_reference);
    ck_assert_double_eq(table_at(t, 0, 0)->reference_mean, 89);
    ck_assert(table_at(t, 0, 0)->inside);  /* 90 against 89 ± 1 */
    ck_assert(!table_at(t, 1, 0)->inside); /* no std of either: nothing to be within */
    ck_assert(!table_at(t, 1, 1)->inside);
    ck_assert(!table_at(t, 0, 1)->has_reference);
    report_destroy(r);
    r = demo_report(s, (report_request){.reference = file, .reference_k = 10});
    ck_assert(table_at(r->tables[0], 1, 1)->inside); /* 78 against 70 ± 10 */
    report_destroy(r);
    unlink(file);
    ok(store_close(s, &err));
}
END_TEST

START_TEST(a_broken_reference_names_the_line)
{
    static const char *const texts[] = {"name,value\n", "row,col,mean\ngcn,cora,x\n", "row,col,mean\ngcn\n"};
    static const char *const says[] = {":1:", ":2:", ":2:"};
    char file[128];
    write_reference(file, sizeof file, texts[_i]);
    store *s = demo_make(&(demo){two_methods, one_set, one_rate, 1, NULL, plain});
    report *r;
    ck_assert_int_eq(report_make(s, &(report_request){.reference = file}, &r, &err), CRU_BAD_INPUT);
    ck_assert_msg(strstr(err.text, says[_i]) != NULL, "%s", err.text);
    unlink(file);
    ok(store_close(s, &(cru_error){0}));
}
END_TEST

/* The group of a trial is the number of different (group, level) below its own. */
START_TEST(groups_are_numbered_by_group_then_level)
{
    enum { TRIALS = 200, LEVELS = 7, GROUPS = 5 };
    static const char *names[LEVELS];
    int32_t level[2][TRIALS], group[TRIALS];
    frame f = {.arena = cru_arena_create(), .count = TRIALS};
    cru_rng rng = cru_rng_stream(5, "groups", 0);
    for (int i = 0; i < TRIALS; i++) {
        level[0][i] = (int32_t)cru_rng_below(&rng, GROUPS + 1) - 1; /* -1: the trial has no such setting */
        level[1][i] = (int32_t)cru_rng_below(&rng, LEVELS + 1) - 1;
    }
    grouping g = grouping_start(&f);
    grouping_split(&g, &f, &(frame_column){.ids = level[0], .levels = names, .level_count = GROUPS});
    memcpy(group, g.ids, sizeof group);
    grouping_split(&g, &f, &(frame_column){.ids = level[1], .levels = names, .level_count = LEVELS});
    for (int i = 0; i < TRIALS; i++) {
        bool below[GROUPS + 1][LEVELS + 1] = {{false}};
        int32_t count = 0;
        for (int k = 0; k < TRIALS; k++)
            if (group[k] < group[i] || (group[k] == group[i] && level[1][k] < level[1][i]))
                below[group[k]][level[1][k] + 1] = true;
        for (int a = 0; a <= GROUPS; a++)
            for (int b = 0; b <= LEVELS; b++) count += below[a][b];
        ck_assert_int_eq(g.ids[i], count);
        ck_assert_int_lt(count, g.count);
        ck_assert_int_le(g.first[count], i); /* the first of the group */
        ck_assert_int_eq(g.ids[g.first[count]], count);
    }
    cru_arena_destroy(f.arena);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("table");
    TCase *tc = tcase_create("table");
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, rows_are_methods_and_columns_what_varies);
    tcase_add_test(tc, chosen_keys_pool_the_rest);
    tcase_add_test(tc, groups_are_numbered_by_group_then_level);
    tcase_add_test(tc, a_swept_setting_of_a_method_makes_rows_and_a_searched_one_does_not);
    tcase_add_test(tc, a_table_without_columns_is_named_after_its_metric);
    tcase_add_test(tc, marks_say_why_there_is_no_mean);
    tcase_add_test(tc, ranks_skip_missing_cells_and_share_ties);
    tcase_add_test(tc, tests_pair_runs_of_the_same_seed);
    tcase_add_test(tc, runs_without_a_partner_are_tested_by_welch);
    tcase_add_test(tc, averages_are_over_all_columns_or_none);
    tcase_add_test(tc, a_metric_without_a_value_is_told_from_a_trial_that_was_not_run);
    tcase_add_test(tc, damage_that_replaces_the_split_is_named_below_the_table);
    tcase_add_test(tc, groups_of_columns_are_ranked_by_themselves);
    tcase_add_test(tc, groups_may_come_from_a_long_line_of_the_config);
    tcase_add_test(tc, cells_worse_than_baselines_are_marked);
    tcase_add_test(tc, the_best_baseline_is_a_row_that_counts_in_nothing);
    tcase_add_test(tc, cells_are_compared_with_another_experiment);
    tcase_add_test(tc, cells_may_be_what_a_column_or_a_row_does_not_have);
    tcase_add_test(tc, what_has_nothing_to_be_taken_from_it_says_why);
    tcase_add_loop_test(tc, conditions_select_trials, 0, 5);
    tcase_add_loop_test(tc, mistakes_are_named, 0, 13);
    tcase_add_test(tc, the_config_sets_defaults_and_the_request_overrides);
    tcase_add_test(tc, references_are_compared_in_the_printed_unit);
    tcase_add_loop_test(tc, a_broken_reference_names_the_line, 0, 3);
    suite_add_tcase(suite, tc);
    return suite;
}
