// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <math.h>
#include <string.h>

#include "json-fixture.h"
#include "worker/monitor.h"

/* Ten validation items with label 1. `right` of them are answered rightly, with a margin that sets the loss. */
enum { ITEMS = 10 };
static const int32_t ids[ITEMS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const int32_t ones[ITEMS] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static cru_task task_with_labels(void)
{
    return (cru_task){.size = sizeof(cru_task),
                      .problem = CRU_ROWS,
                      .items = ITEMS,
                      .nodes = ITEMS,
                      .classes = 2,
                      .labels = ones,
                      .split = {.val = {ids, ITEMS}}};
}

static const monitor_settings plain = {.rule = MONITOR_VALIDATION, .every = 1, .restore = true};

/* Reports accuracy right/10; `margin` > 0 is the lead of the chosen class. */
static uint32_t say(monitor *m, int64_t epoch, int right, float margin)
{
    float scores[2 * ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        scores[2 * i] = i < right ? 0 : margin;
        scores[2 * i + 1] = i < right ? margin : 0;
    }
    return cru_monitor_epoch(&m->face, epoch, 1, scores);
}

static void open_monitor(monitor *m, monitor_settings settings, const cru_task *task)
{
    cru_error err = {0};
    ck_assert_msg(monitor_open(m, &settings, task, &err) == CRU_OK, "%s", err.text);
}

START_TEST(keeps_only_strictly_better_epochs)
{
    cru_task task = task_with_labels();
    monitor m;
    open_monitor(&m, plain, &task);
    ck_assert_uint_eq(say(&m, 0, 3, 1), CRU_KEEP);
    ck_assert_uint_eq(say(&m, 1, 3, 2), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 2, 5, 1), CRU_KEEP);
    ck_assert_uint_eq(say(&m, 3, 4, 1), CRU_GO_ON);
    ck_assert_int_eq(m.best_epoch, 2);
    ck_assert_double_eq(m.best, 0.5);
    monitor_close(&m);
}
END_TEST

START_TEST(patience_counts_reports_in_a_row_without_gain)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.patience = 2;
    open_monitor(&m, s, &task);
    say(&m, 0, 3, 1);
    ck_assert_uint_eq(say(&m, 1, 3, 1), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 2, 4, 1), CRU_KEEP);
    ck_assert_uint_eq(say(&m, 3, 4, 1), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 4, 4, 1), CRU_STOP);
    monitor_close(&m);
}
END_TEST

START_TEST(patience_waits_for_min_epochs)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.patience = 1;
    s.min_epochs = 3;
    open_monitor(&m, s, &task);
    say(&m, 0, 3, 1);
    for (int e = 1; e <= 3; e++) ck_assert_uint_eq(say(&m, e, 3, 1), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 4, 3, 1), CRU_STOP);
    monitor_close(&m);
}
END_TEST

START_TEST(first_reports_can_be_left_out)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.skip = 1;
    open_monitor(&m, s, &task);
    ck_assert_uint_eq(say(&m, 0, 9, 1), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 1, 2, 1), CRU_KEEP);
    monitor_close(&m);
}
END_TEST

START_TEST(looks_at_every_nth_report)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.every = 3;
    open_monitor(&m, s, &task);
    ck_assert_uint_eq(say(&m, 0, 1, 1), CRU_KEEP);
    ck_assert_uint_eq(say(&m, 1, 9, 1), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 2, 9, 1), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 3, 2, 1), CRU_KEEP);
    monitor_close(&m);
}
END_TEST

START_TEST(loss_criterion_prefers_the_lower_loss)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.criterion = MONITOR_LOSS;
    open_monitor(&m, s, &task);
    ck_assert_uint_eq(say(&m, 0, 10, 1), CRU_KEEP);
    ck_assert_uint_eq(say(&m, 1, 10, 0.5f), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 2, 10, 2), CRU_KEEP);
    ck_assert_double_eq_tol(m.best, -log1p(exp(-2)), 1e-12);
    monitor_close(&m);
}
END_TEST

/* Second report: accuracy equal, loss lower. Third: accuracy higher, loss higher (one bold mistake). */
static void second_and_third(monitor_criterion criterion, uint32_t *second, uint32_t *third)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.criterion = criterion;
    open_monitor(&m, s, &task);
    ck_assert_uint_eq(say(&m, 0, 8, 1), CRU_KEEP);
    *second = say(&m, 1, 8, 1.2f);
    *third = say(&m, 2, 9, 50);
    monitor_close(&m);
}

/* Of ten graphs 0 is the largest; 5 and 9 are equal, so that 5 is the second. */
START_TEST(heads_have_no_part_in_the_loss)
{
    static const int64_t offsets[ITEMS + 1] = {0, 9, 10, 11, 12, 13, 18, 19, 20, 21, 26};
    cru_task task = task_with_labels();
    monitor m;
    float scores[2 * ITEMS] = {0};
    task.problem = CRU_GRAPHS;
    task.graph_offsets = offsets;
    open_monitor(&m, (monitor_settings){.every = 1, .restore = true, .criterion = MONITOR_BOTH, .heads = 0.29}, &task);
    ck_assert_int_eq(m.loss_ids.count, ITEMS - 2);
    for (int64_t i = 0; i < m.loss_ids.count; i++) ck_assert(m.loss_ids.ids[i] != 0 && m.loss_ids.ids[i] != 5);
    ck_assert_uint_eq(cru_monitor_epoch(&m.face, 0, 1, scores), CRU_KEEP);
    scores[1] = 4;                                                          /* item 0 turns right: accuracy alone */
    ck_assert_uint_eq(cru_monitor_epoch(&m.face, 1, 1, scores), CRU_GO_ON); /* the loss of the others is the same */
    scores[3] = 4;
    ck_assert_uint_eq(cru_monitor_epoch(&m.face, 2, 1, scores), CRU_KEEP);
    monitor_close(&m);
}
END_TEST

START_TEST(heads_need_graphs_and_a_loss)
{
    cru_task task = task_with_labels();
    monitor m;
    cru_error err = {0};
    monitor_settings s = {.every = 1, .criterion = MONITOR_BOTH, .heads = 0.2};
    ck_assert_int_eq(monitor_open(&m, &s, &task, &err), CRU_BAD_INPUT);
    task.problem = CRU_GRAPHS;
    s.criterion = MONITOR_METRIC;
    ck_assert_int_eq(monitor_open(&m, &s, &task, &err), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "heads of [monitor]"));
}
END_TEST

START_TEST(either_and_both_combine_accuracy_and_loss)
{
    uint32_t second, third;
    second_and_third(MONITOR_EITHER, &second, &third);
    ck_assert_uint_eq(second, CRU_KEEP);
    ck_assert_uint_eq(third, CRU_KEEP);
    second_and_third(MONITOR_BOTH, &second, &third);
    ck_assert_uint_eq(second, CRU_GO_ON);
    ck_assert_uint_eq(third, CRU_GO_ON);
}
END_TEST

START_TEST(window_stops_when_the_loss_rises_above_its_recent_mean)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.criterion = MONITOR_LOSS;
    s.window = 2;
    open_monitor(&m, s, &task);
    ck_assert_uint_eq(say(&m, 0, 10, 1) & CRU_STOP, 0);
    ck_assert_uint_eq(say(&m, 1, 10, 0.1f) & CRU_STOP, 0);  /* higher, but there is no window yet */
    ck_assert_uint_eq(say(&m, 2, 10, 0.01f) & CRU_STOP, 0); /* epoch 2 is not above the window */
    ck_assert_uint_eq(say(&m, 3, 10, 3) & CRU_STOP, 0);
    ck_assert_uint_eq(say(&m, 4, 10, 0.5f) & CRU_STOP, CRU_STOP);
    monitor_close(&m);
}
END_TEST

/* All items right by the same margin m have the loss log(1 + exp(-m)). */
START_TEST(window_stops_and_selects_where_the_heterophily_study_does)
{
    cJSON *root = fixture_open("heterophily/protocol.json");
    const cJSON *item = fixture_case(root, "window_early_stop");
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.criterion = MONITOR_LOSS;
    s.window = fixture_input(item, "window")->valueint;
    open_monitor(&m, s, &task);
    double loss[100];
    const int64_t count = fixture_numbers(fixture_input(item, "val_loss"), loss);
    int64_t epoch = 0, kept = -1;
    for (; epoch < count; epoch++) {
        const uint32_t answer = say(&m, epoch, ITEMS, (float)-log(expm1(loss[epoch])));
        if (answer & CRU_KEEP) kept = epoch;
        if (answer & CRU_STOP) break;
    }
    ck_assert_int_eq(epoch, fixture_expected(item, "stop_epoch")->valueint);
    ck_assert_int_eq(kept, fixture_expected(item, "selected_epoch")->valueint);
    monitor_close(&m);
    cJSON_Delete(root);
}
END_TEST

START_TEST(without_restore_nothing_is_kept_but_training_stops)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.restore = false;
    s.patience = 1;
    open_monitor(&m, s, &task);
    ck_assert_uint_eq(say(&m, 0, 5, 1), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 1, 5, 1), CRU_STOP);
    ck_assert_int_eq(m.best_epoch, 0);
    monitor_close(&m);
}
END_TEST

START_TEST(last_never_keeps_or_stops)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.rule = MONITOR_LAST;
    s.patience = 1;
    open_monitor(&m, s, &task);
    for (int e = 0; e < 5; e++) ck_assert_uint_eq(say(&m, e, 5 - e, 1), CRU_GO_ON);
    ck_assert_int_eq(m.best_epoch, -1);
    monitor_close(&m);
}
END_TEST

START_TEST(limit_is_the_experiments_or_none)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    open_monitor(&m, s, &task);
    ck_assert_int_eq(cru_monitor_limit(&m.face), INT64_MAX);
    s.epochs = 7;
    open_monitor(&m, s, &task);
    ck_assert_int_eq(cru_monitor_limit(&m.face), 7);
    monitor_close(&m);
}
END_TEST

START_TEST(nan_scores_are_never_better)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.criterion = MONITOR_LOSS;
    open_monitor(&m, s, &task);
    ck_assert_uint_eq(say(&m, 0, 5, NAN), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 1, 5, 1), CRU_KEEP);
    monitor_close(&m);
}
END_TEST

START_TEST(scores_that_are_not_finite_are_not_selected)
{
    cru_task task = task_with_labels();
    monitor m;
    open_monitor(&m, plain, &task);
    ck_assert_uint_eq(say(&m, 0, 5, 1), CRU_KEEP);
    ck_assert_uint_eq(say(&m, 1, 9, NAN), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 2, 9, INFINITY), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 3, 6, 1), CRU_KEEP);
    ck_assert_double_eq(m.best, 0.6);
    monitor_close(&m);
}
END_TEST

/* A NaN is the highest score of its row, so that 9 rows are right. */
START_TEST(kept_scores_are_selected_whether_finite_or_not)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.nonfinite = MONITOR_NONFINITE_KEEP;
    open_monitor(&m, s, &task);
    ck_assert_uint_eq(say(&m, 0, 5, 1), CRU_KEEP);
    ck_assert_uint_eq(say(&m, 1, 9, NAN), CRU_KEEP);
    ck_assert_double_eq(m.best, 0.9);
    monitor_close(&m);
}
END_TEST

/* As an arg-max by comparisons: nothing is larger than a NaN, and a NaN is not larger than anything. */
START_TEST(a_rule_that_begins_with_nan_stays_there)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.nonfinite = MONITOR_NONFINITE_KEEP;
    s.criterion = MONITOR_LOSS;
    open_monitor(&m, s, &task);
    ck_assert_uint_eq(say(&m, 0, 5, NAN), CRU_KEEP);
    ck_assert_uint_eq(say(&m, 1, 9, 1), CRU_GO_ON);
    ck_assert_int_eq(m.best_epoch, 0);
    float scores[2 * ITEMS]; /* what these weights predict */
    for (int i = 0; i < 2 * ITEMS; i++) scores[i] = NAN;
    ck_assert_double_nan(monitor_final(&s, &task, scores));
    monitor_close(&m);
    s.skip = 1;
    open_monitor(&m, s, &task);
    ck_assert_uint_eq(say(&m, 0, 5, NAN), CRU_GO_ON);
    ck_assert_uint_eq(say(&m, 1, 9, 1), CRU_KEEP);
    ck_assert_uint_eq(say(&m, 2, 9, NAN), CRU_GO_ON);
    ck_assert_int_eq(m.best_epoch, 1);
    monitor_close(&m);
}
END_TEST

static int checkpoints, records_seen;
static void count_checkpoint(void *user, const monitor_point *point, const float *scores)
{
    (void)user;
    (void)scores;
    ck_assert_double_nan(point->value);
    checkpoints++;
}
static void count_record(void *user, const monitor_point *point)
{
    (void)user;
    (void)point;
    records_seen++;
}

START_TEST(oracle_hands_checkpoints_out_and_tells_the_method_nothing)
{
    cru_task task = task_with_labels();
    monitor m;
    monitor_settings s = plain;
    s.rule = MONITOR_ORACLE_EARLY;
    s.skip = 1;
    s.patience = 1;
    open_monitor(&m, s, &task);
    m.hooks = (monitor_hooks){.checkpoint = count_checkpoint, .record = count_record};
    for (int e = 0; e < 4; e++) ck_assert_uint_eq(say(&m, e, e, 1), CRU_GO_ON);
    ck_assert_int_eq(checkpoints, 3);
    ck_assert_int_eq(records_seen, 4);
    monitor_close(&m);
}
END_TEST

static void expect_refusal(monitor_settings s, const cru_task *task, const char *part)
{
    monitor m;
    cru_error err = {0};
    ck_assert_int_eq(monitor_open(&m, &s, task, &err), CRU_BAD_INPUT);
    ck_assert_msg(strstr(err.text, part) != NULL, "%s", err.text);
    monitor_close(&m);
}

START_TEST(rules_refuse_tasks_that_lack_what_they_need)
{
    static const int32_t none[ITEMS] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    static const uint8_t sets[2 * ITEMS];
    monitor_settings s = plain;
    cru_task task = task_with_labels();
    task.labels = none;
    expect_refusal(s, &task, "observed validation labels");
    task.candidates = sets;
    expect_refusal(s, &task, "covering-rate");
    task = task_with_labels();
    s.rule = MONITOR_COVERING_RATE;
    expect_refusal(s, &task, "candidate sets");
    task.split.val.count = 0;
    s.rule = MONITOR_VALIDATION;
    expect_refusal(s, &task, "validation items");
    s.rule = MONITOR_LAST;
    monitor m;
    open_monitor(&m, s, &task);
    monitor_close(&m);
}
END_TEST

START_TEST(auto_metric_is_auprc_for_anomalies)
{
    /* Ranked anomaly, normal, anomaly: average precision (1 + 2/3) / 2; accuracy of the choices 1, 1, 0 is 1/3. */
    static const int32_t labels[] = {1, 0, 1};
    static const float scores[] = {0, 3, 0, 2, 0, -1};
    cru_task task = {.problem = CRU_ANOMALY, .items = 3, .classes = 2, .labels = labels, .split = {.val = {ids, 3}}};
    ck_assert_double_eq_tol(monitor_value(&plain, &task, scores), (1 + 2.0 / 3) / 2, 1e-12);
    monitor_settings s = plain;
    s.metric = MONITOR_ACCURACY;
    ck_assert_double_eq_tol(monitor_value(&s, &task, scores), 1.0 / 3, 1e-12);
}
END_TEST

/* The loss chooses the epoch (margin 1 beats margin 9 with more wrong answers), the metric of that epoch may rank. */
START_TEST(settings_are_compared_by_the_criterion_or_by_the_metric)
{
    cru_task task = task_with_labels();
    float scores[2 * ITEMS] = {0};
    for (int i = 0; i < 7; i++) scores[2 * i + 1] = 1;
    for (int i = 7; i < ITEMS; i++) scores[2 * i] = 1;
    const double loss = 0.7 * log(1 + exp(-1)) + 0.3 * log(1 + exp(1));
    for (int rank = 0; rank < 2; rank++) {
        monitor_settings s = plain;
        s.criterion = MONITOR_LOSS;
        s.rank = rank;
        monitor m;
        open_monitor(&m, s, &task);
        ck_assert_uint_eq(say(&m, 0, 7, 1), CRU_KEEP);
        ck_assert_uint_eq(say(&m, 1, 8, 9), CRU_GO_ON);
        ck_assert_double_eq_tol(monitor_final(&s, &task, scores), rank ? 0.7 : -loss, 1e-6);
        monitor_close(&m);
    }
}
END_TEST

START_TEST(a_best_epoch_is_refuted_by_worse_scores)
{
    monitor_settings s = plain;
    const monitor_gain said = {7, 0.80, NAN}, nothing = {7, NAN, NAN};
    ck_assert(!monitor_refutes(&s, &said, 0.80));
    ck_assert(!monitor_refutes(&s, &said, 0.79)); /* other batches, other last bits */
    ck_assert(!monitor_refutes(&s, &said, 0.95));
    ck_assert(monitor_refutes(&s, &said, 0.70));
    ck_assert(!monitor_refutes(&s, &said, NAN));
    ck_assert(!monitor_refutes(&s, &nothing, 0.70));
    ck_assert(monitor_refutes(&s, &(monitor_gain){7, INFINITY, NAN}, 1));
    s.criterion = MONITOR_LOSS; /* the value is minus the loss, whose scale is its own */
    ck_assert(!monitor_refutes(&s, &(monitor_gain){7, -100, NAN}, -101));
    ck_assert(monitor_refutes(&s, &(monitor_gain){7, -100, NAN}, -103));
    s.restore = false; /* the scores are of the last epoch */
    ck_assert(!monitor_refutes(&s, &said, 0.10));
}
END_TEST

/* A hundred items, of which the share `accuracy` is answered rightly with a lead of 1; the lead of the wrong answers
 * makes the mean cross-entropy `loss`. */
static uint32_t say_both(monitor *m, int64_t epoch, double accuracy, double loss)
{
    enum { MANY = 100 };
    float scores[2 * MANY];
    const int right = (int)lround(accuracy * MANY);
    const double wrong_loss = (loss - accuracy * log1p(exp(-1))) / (1 - accuracy);
    for (int i = 0; i < MANY; i++) {
        scores[2 * i] = 0;
        scores[2 * i + 1] = i < right ? 1 : (float)-log(expm1(wrong_loss));
    }
    return cru_monitor_epoch(&m->face, epoch, 1, scores);
}

/* The study goes on asking where its code has said to stop. */
START_TEST(improves_and_stops_as_the_label_noise_study)
{
    static const struct {
        const char *name;
        monitor_criterion criterion;
    } cases[] = {{"recorder_metric", MONITOR_METRIC}, {"recorder_loss", MONITOR_LOSS}, {"recorder_both", MONITOR_BOTH}};
    static double losses[16], metrics[16];
    static int32_t many[100], label[100];
    for (int32_t i = 0; i < 100; i++) many[i] = i, label[i] = 1;
    cru_task task = task_with_labels();
    task.items = task.nodes = 100, task.labels = label, task.split.val = (cru_ids){many, 100};
    cJSON *root = fixture_open("noisygl/metrics.json");
    const cJSON *item = fixture_case(root, cases[_i].name);
    monitor_settings s = plain;
    s.criterion = cases[_i].criterion, s.patience = fixture_input(item, "patience")->valueint;
    monitor m;
    open_monitor(&m, s, &task);
    const int64_t epochs = fixture_numbers(fixture_input(item, "val_loss"), losses);
    fixture_numbers(fixture_input(item, "val_metric"), metrics);
    for (int64_t e = 0; e < epochs; e++) {
        const uint32_t said = say_both(&m, e, metrics[e], losses[e]);
        const bool better = cJSON_IsTrue(cJSON_GetArrayItem(fixture_expected(item, "improve"), (int)e));
        const bool stop = cJSON_IsTrue(cJSON_GetArrayItem(fixture_expected(item, "early_stop"), (int)e));
        ck_assert_int_eq(said == CRU_KEEP, better);
        ck_assert_int_eq(said == CRU_STOP, stop);
    }
    monitor_close(&m);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("monitor");
    TCase *t = tcase_create("rules");
    tcase_add_test(t, settings_are_compared_by_the_criterion_or_by_the_metric);
    tcase_add_test(t, keeps_only_strictly_better_epochs);
    tcase_add_test(t, patience_counts_reports_in_a_row_without_gain);
    tcase_add_test(t, patience_waits_for_min_epochs);
    tcase_add_test(t, first_reports_can_be_left_out);
    tcase_add_test(t, looks_at_every_nth_report);
    tcase_add_test(t, loss_criterion_prefers_the_lower_loss);
    tcase_add_test(t, either_and_both_combine_accuracy_and_loss);
    tcase_add_test(t, heads_have_no_part_in_the_loss);
    tcase_add_test(t, heads_need_graphs_and_a_loss);
    tcase_add_test(t, window_stops_when_the_loss_rises_above_its_recent_mean);
    tcase_add_test(t, window_stops_and_selects_where_the_heterophily_study_does);
    tcase_add_test(t, without_restore_nothing_is_kept_but_training_stops);
    tcase_add_test(t, last_never_keeps_or_stops);
    tcase_add_test(t, limit_is_the_experiments_or_none);
    tcase_add_test(t, nan_scores_are_never_better);
    tcase_add_test(t, scores_that_are_not_finite_are_not_selected);
    tcase_add_test(t, kept_scores_are_selected_whether_finite_or_not);
    tcase_add_test(t, a_rule_that_begins_with_nan_stays_there);
    tcase_add_test(t, oracle_hands_checkpoints_out_and_tells_the_method_nothing);
    tcase_add_test(t, rules_refuse_tasks_that_lack_what_they_need);
    tcase_add_test(t, auto_metric_is_auprc_for_anomalies);
    tcase_add_test(t, a_best_epoch_is_refuted_by_worse_scores);
    tcase_add_loop_test(t, improves_and_stops_as_the_label_noise_study, 0, 3);
    suite_add_tcase(s, t);
    return s;
}
