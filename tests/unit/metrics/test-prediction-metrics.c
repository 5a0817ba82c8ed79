// SPDX-License-Identifier: Apache-2.0
/* Metrics of predictions against the numbers of the studies' code, and where they are not defined. */
#include <crucible/plugin.h>
#include <crucible/scoring.h>

#include "json-fixture.h"
#include "metrics/judging.h"

enum { MOST = 1000 };

/* A fixture's null stands for a value that is not defined. */
static void check_value(double value, const cJSON *expected)
{
    if (cJSON_IsNull(expected))
        ck_assert(isnan(value));
    else
        ck_assert_double_eq_tol(value, expected->valuedouble, 1e-6);
}

static void check_case(const judging *j, const cJSON *item)
{
    check_value(judging_score(j, "accuracy"), fixture_expected(item, "accuracy"));
    check_value(judging_score(j, "micro-f1"), fixture_expected(item, "accuracy"));
    check_value(judging_score(j, "balanced-accuracy"), fixture_expected(item, "balanced_accuracy"));
    check_value(judging_score(j, "macro-f1"), fixture_expected(item, "macro_f1"));
}

/* The scores are the logarithms of the fixture's probabilities. Ties between rows do not survive that, so areas are
 * checked on cases without; those with ties are below. */
START_TEST(numbers_of_the_imbalance_study)
{
    static const char *const names[] = {"three_classes", "ties", "class_absent_in_truth", "binary",
                                        "single_class_truth"};
    cJSON *root = fixture_open("igl/metrics.json");
    const cJSON *item = fixture_case(root, names[_i]);
    double truth[MOST], p[MOST];
    int32_t labels[MOST];
    float scores[MOST];
    const int64_t n = fixture_numbers(fixture_input(item, "y_true"), truth);
    const int64_t count = fixture_numbers(fixture_input(item, "probabilities"), p);
    for (int64_t i = 0; i < n; i++) labels[i] = (int32_t)truth[i];
    for (int64_t i = 0; i < count; i++) scores[i] = (float)log(p[i]);
    judging j = judging_create(labels, n, (int32_t)(count / n), scores);
    check_case(&j, item);
    if (_i != 1) check_value(judging_score(&j, "auc-ovr"), fixture_expected(item, "auc_ovr"));
    if (_i != 1) check_value(judging_with(&j, "auc-ovr", "average", "micro"), fixture_expected(item, "auc_micro"));
    if (_i == 0 || _i >= 3)
        check_value(judging_with(&j, "auc-ovr", "missing", "skip"), fixture_expected(item, "auc_skip"));
    judging_destroy(&j);
    cJSON_Delete(root);
}
END_TEST

/* One class against the rest by the fixture's own probabilities, ties and all. */
START_TEST(areas_with_ties)
{
    cJSON *root = fixture_open("igl/metrics.json");
    const cJSON *item = fixture_case(root, "ties");
    double truth[MOST], p[MOST], sum = 0;
    const int64_t n = fixture_numbers(fixture_input(item, "y_true"), truth);
    fixture_numbers(fixture_input(item, "probabilities"), p);
    for (int c = 0; c < 3; c++) {
        cru_ranked of[MOST];
        cru_ranking r = {.of = of, .count = n};
        for (int64_t i = 0; i < n; i++) of[i] = (cru_ranked){p[i * 3 + c], truth[i] == c};
        ck_assert_int_eq(cru_ranking_sort(&r, NULL), CRU_OK);
        sum += cru_ranking_auroc(&r);
    }
    check_value(sum / 3, fixture_expected(item, "auc_ovr"));
    cJSON_Delete(root);
}
END_TEST

static void check_ranked(const judging *j, const cJSON *item)
{
    check_value(judging_score(j, "auroc"), fixture_expected(item, "auroc"));
    check_value(judging_score(j, "auprc"), fixture_expected(item, "auprc"));
    check_value(judging_score(j, "rec-at-k"), fixture_expected(item, "rec_at_k_stable_last"));
    check_value(judging_with(j, "rec-at-k", "ties", "average"), fixture_expected(item, "rec_at_k_tie_averaged"));
    ck_assert_double_eq(judging_score(j, "auc-ovr"), judging_score(j, "auroc"));
}

START_TEST(numbers_of_the_anomaly_study)
{
    static const char *const names[] = {"no_ties", "ties", "all_equal", "perfect"};
    cJSON *root = fixture_open("gad/metrics.json");
    const cJSON *item = fixture_case(root, names[_i]);
    double y[MOST], score[MOST];
    int32_t labels[MOST];
    float scores[2 * MOST] = {0};
    const int64_t n = fixture_numbers(fixture_input(item, "y"), y);
    fixture_numbers(fixture_input(item, "score"), score);
    for (int64_t i = 0; i < n; i++) {
        labels[i] = (int32_t)y[i];
        scores[2 * i + 1] = (float)score[i];
    }
    judging j = judging_create(labels, n, 2, scores);
    check_ranked(&j, item);
    judging_destroy(&j);
    cJSON_Delete(root);
}
END_TEST

/* 1000 items by descending score, anomalies at positions 10 .. 19. */
START_TEST(the_example_of_the_anomaly_study)
{
    cJSON *root = fixture_open("gad/metrics.json");
    int32_t labels[MOST];
    float scores[2 * MOST] = {0};
    for (int i = 0; i < MOST; i++) {
        labels[i] = i >= 10 && i < 20;
        scores[2 * i + 1] = (float)(MOST - i);
    }
    judging j = judging_create(labels, MOST, 2, scores);
    check_ranked(&j, fixture_case(root, "paper_example_ranks_11_to_20"));
    judging_destroy(&j);
    cJSON_Delete(root);
}
END_TEST

/* Both logits count, not the second alone. */
START_TEST(two_logits_are_compared_by_their_difference)
{
    cJSON *root = fixture_open("heterophily/protocol.json");
    const cJSON *item = fixture_case(root, "auc_score_convention");
    double y[MOST], z[MOST];
    int32_t labels[MOST];
    float scores[MOST];
    const int64_t n = fixture_numbers(fixture_input(item, "y"), y);
    fixture_numbers(fixture_input(item, "logits"), z);
    for (int64_t i = 0; i < n; i++) labels[i] = (int32_t)y[i];
    for (int64_t i = 0; i < 2 * n; i++) scores[i] = (float)z[i];
    judging j = judging_create(labels, n, 2, scores);
    check_value(judging_score(&j, "auroc"), fixture_expected(item, "auc_z1_minus_z0"));
    judging_destroy(&j);
    cJSON_Delete(root);
}
END_TEST

START_TEST(tied_scores_of_the_heterophily_study)
{
    cJSON *root = fixture_open("heterophily/protocol.json");
    const cJSON *item = fixture_case(root, "roc_auc_ties");
    double y[MOST], score[MOST];
    int32_t labels[MOST];
    float scores[2 * MOST] = {0};
    const int64_t n = fixture_numbers(fixture_input(item, "y"), y);
    fixture_numbers(fixture_input(item, "score"), score);
    for (int64_t i = 0; i < n; i++) labels[i] = (int32_t)y[i], scores[2 * i + 1] = (float)score[i];
    judging j = judging_create(labels, n, 2, scores);
    check_value(judging_score(&j, "auroc"), fixture_expected(item, "auc"));
    judging_destroy(&j);
    cJSON_Delete(root);
}
END_TEST

/* Scores far apart: probabilities would all be 1 and tie. */
START_TEST(confident_scores_do_not_tie)
{
    const float scores[] = {0, 100, 0, 200, 0, 300};
    judging j = judging_create((const int32_t[]){0, 0, 1}, 3, 2, scores);
    ck_assert_double_eq(judging_score(&j, "auroc"), 1);
    ck_assert_double_eq_tol(judging_score(&j, "log-loss"), 100, 1e-9); /* (100 + 200 + 0) / 3 */
    judging_destroy(&j);
}
END_TEST

/* classes 0, 0, 1 predicted 0, 1, 1: F1 of both is 2/3 (precision 1, recall 1/2; precision 1/2, recall 1). */
START_TEST(a_case_by_hand)
{
    const float scores[] = {1, 0, 0, 1, 0, 1};
    judging j = judging_create((const int32_t[]){0, 0, 1}, 3, 2, scores);
    ck_assert_double_eq_tol(judging_score(&j, "weighted-f1"), 2. / 3, 1e-12);
    ck_assert_double_eq_tol(judging_score(&j, "accuracy"), 2. / 3, 1e-12);
    ck_assert_double_eq_tol(judging_score(&j, "balanced-accuracy"), 3. / 4, 1e-12);
    ck_assert_double_eq_tol(judging_score(&j, "precision"), 3. / 4, 1e-12);
    const double right = log1p(exp(-1)); /* -log softmax of the higher of two scores that differ by 1 */
    ck_assert_double_eq_tol(judging_score(&j, "log-loss"), (2 * right + right + 1) / 3, 1e-7);
    ck_assert_double_eq_tol(judging_score(&j, "g-mean"), sqrt(0.5), 1e-12); /* recalls 1/2 and 1 */
    const double p = 1 / (1 + exp(-1)), off = 1 - p;
    ck_assert_double_eq_tol(judging_score(&j, "brier"), (2 * 2 * off * off + 2 * p * p) / 3, 1e-7);
    ck_assert_double_eq_tol(judging_score(&j, "calibration-error"), fabs(p - 2. / 3), 1e-7); /* all in one bin */
    judging_destroy(&j);
}
END_TEST

START_TEST(bins_of_confidence_are_judged_one_by_one)
{
    /* probabilities 1/2 (wrong: the first of equals is class 0) and 3/4 (right): |0 - 1/2| / 2 + |1 - 3/4| / 2 */
    const float scores[] = {0, 0, 0, (float)log(3)};
    judging j = judging_create((const int32_t[]){1, 1}, 2, 2, scores);
    ck_assert_double_eq_tol(judging_score(&j, "calibration-error"), 0.375, 1e-6);
    ck_assert_double_eq_tol(judging_with(&j, "calibration-error", "bins", "1"), 0.125, 1e-6);
    judging_destroy(&j);
}
END_TEST

START_TEST(a_class_never_found_makes_the_g_mean_zero)
{
    const float scores[] = {1, 0, 1, 0};
    judging j = judging_create((const int32_t[]){0, 1}, 2, 2, scores);
    ck_assert_double_eq(judging_score(&j, "g-mean"), 0);
    ck_assert_double_eq(judging_score(&j, "precision"),
                        0.25); /* half of the predictions of one class, none of the other */
    judging_destroy(&j);
}
END_TEST

START_TEST(not_defined_on_nothing)
{
    static const char *const names[] = {
        "accuracy", "balanced-accuracy", "macro-f1", "micro-f1", "weighted-f1",       "auroc",    "auprc", "rec-at-k",
        "auc-ovr",  "log-loss",          "g-mean",   "brier",    "calibration-error", "precision"};
    const float none[2] = {0};
    judging j = judging_create(NULL, 0, 2, none);
    ck_assert(isnan(judging_score(&j, names[_i])));
    judging_destroy(&j);
    j = judging_create((const int32_t[]){CRU_UNLABELLED}, 1, 2, none); /* nor when no truth is known */
    ck_assert(isnan(judging_score(&j, names[_i])));
    judging_destroy(&j);
}
END_TEST

START_TEST(one_class_has_no_area)
{
    const float scores[] = {0, 1, 0, 2};
    judging j = judging_create((const int32_t[]){0, 0}, 2, 2, scores);
    ck_assert(isnan(judging_score(&j, "auroc")));
    ck_assert(isnan(judging_score(&j, "auprc")));
    ck_assert(isnan(judging_score(&j, "rec-at-k")));
    judging_destroy(&j);
    j = judging_create((const int32_t[]){1, 1}, 2, 2, scores);
    ck_assert(isnan(judging_score(&j, "auroc")));
    ck_assert_double_eq(judging_score(&j, "auprc"), 1);
    judging_destroy(&j);
}
END_TEST

/* Equal scores everywhere: the first class is predicted, rankings know nothing. Truth 0 1 1 1. */
START_TEST(constant_scores_tell_nothing)
{
    const float scores[8] = {0};
    judging j = judging_create((const int32_t[]){0, 1, 1, 1}, 4, 2, scores);
    ck_assert_double_eq(judging_score(&j, "auroc"), 0.5);
    ck_assert_double_eq(judging_score(&j, "auc-ovr"), 0.5);
    ck_assert_double_eq(judging_score(&j, "auprc"), 0.75);
    ck_assert_double_eq(judging_score(&j, "rec-at-k"), 1); /* the last three by id */
    ck_assert_double_eq(judging_with(&j, "rec-at-k", "ties", "average"), 0.75);
    ck_assert_double_eq(judging_score(&j, "accuracy"), 0.25);
    ck_assert_double_eq(judging_score(&j, "balanced-accuracy"), 0.5);
    ck_assert_double_eq(judging_score(&j, "g-mean"), 0);
    ck_assert_double_eq_tol(judging_score(&j, "log-loss"), log(2), 1e-12);
    ck_assert_double_eq(judging_score(&j, "brier"), 0.5);
    ck_assert_double_eq(judging_score(&j, "calibration-error"), 0.25);
    judging_destroy(&j);
}
END_TEST

static void keep_average(void *user, const char *name, const double *values, int64_t count)
{
    ck_assert_str_eq(name, "average");
    ck_assert_int_eq(count, 1);
    *(double *)user = *values;
}

/* Four equal scores and two anomalies, items 0 and 3: of the last two by id one is an anomaly, whatever the order in
 * which they are judged; the average over all orders is 2 / 4. With items 2 and 3 as anomalies both are found. */
START_TEST(recall_at_k_breaks_ties_by_id)
{
    const float scores[8] = {0};
    double average = -1;
    cru_report report = {.sink = {.put = keep_average, .user = &average}};
    judging j = judging_create((const int32_t[]){0, 0, 1, 1}, 4, 2, scores);
    j.report = &report;
    ck_assert_double_eq(judging_score(&j, "rec-at-k"), 1);
    ck_assert_double_eq(average, 0.5);
    j.items = (cru_ids){(int32_t[]){3, 2, 1, 0}, 4};
    ck_assert_double_eq(judging_score(&j, "rec-at-k"), 1);
    judging_destroy(&j);
    j = judging_create((const int32_t[]){1, 0, 0, 1}, 4, 2, scores);
    ck_assert_double_eq(judging_score(&j, "rec-at-k"), 0.5);
    judging_destroy(&j);
}
END_TEST

/* Class 2 is neither true nor predicted; class 1 is predicted and never true. */
START_TEST(classes_may_be_missing_from_the_truth)
{
    const float scores[] = {1, 0, 0, 0, 1, 0};
    judging j = judging_create((const int32_t[]){0, 0}, 2, 3, scores);
    ck_assert_double_eq(judging_score(&j, "balanced-accuracy"), 0.5);
    ck_assert_double_eq(judging_score(&j, "g-mean"), 0.5);
    ck_assert_double_eq_tol(judging_score(&j, "macro-f1"), (2. / 3 + 0) / 2, 1e-12);
    ck_assert_double_eq_tol(judging_score(&j, "weighted-f1"), 2. / 3, 1e-12);
    ck_assert(isnan(judging_score(&j, "auc-ovr")));
    ck_assert(isnan(judging_with(&j, "auc-ovr", "missing", "skip")));
    judging_destroy(&j);
}
END_TEST

/* Every item is likeliest of its own class. By the logits of class 0 its item is the last of three, by those of class 1
 * the first, by those of class 2 the second. */
START_TEST(logits_rank_differently)
{
    static const int32_t truth[] = {0, 1, 2};
    static const float scores[] = {1, 0, 0, 10, 11, 10, 5, 5, 6};
    judging j = judging_create(truth, 3, 3, scores);
    ck_assert_double_eq(judging_score(&j, "auc-ovr"), 1);
    ck_assert_double_eq(judging_with(&j, "auc-ovr", "by", "logit"), (0 + 1 + 0.5) / 3);
    judging_destroy(&j);
}
END_TEST

/* Adding a number to all scores of an item changes nothing, not even ties. */
START_TEST(shifted_scores_tie)
{
    float scores[30];
    int32_t truth[10];
    for (int i = 0; i < 10; i++) {
        truth[i] = i % 3;
        for (int c = 0; c < 3; c++) scores[3 * i + c] = (float)(i % 2 ? c : 2 - c) * 0.25f + (float)i;
    }
    judging shifted = judging_create(truth, 10, 3, scores);
    const double area = judging_score(&shifted, "auc-ovr");
    for (int i = 0; i < 30; i++) scores[i] -= (float)(i / 3);
    ck_assert_double_eq_tol(judging_score(&shifted, "auc-ovr"), area, 1e-12);
    judging_destroy(&shifted);
}
END_TEST

START_TEST(ranking_needs_two_classes)
{
    static const char *const names[] = {"auroc", "auprc", "rec-at-k"};
    const float scores[3] = {0};
    judging j = judging_create((const int32_t[]){0}, 1, 3, scores);
    double value;
    cru_error err = {0};
    ck_assert_int_eq(judging_try(&j, names[_i], NULL, &value, &err), CRU_UNSUPPORTED);
    ck_assert_str_ne(err.text, "");
    judging_destroy(&j);
}
END_TEST

static int by_score(const void *a, const void *b)
{
    const cru_ranked *x = a, *y = b;
    return (x->score > y->score) - (x->score < y->score);
}

/* Against the library's sort, and the area against counting all pairs. Few distinct scores, both signs, both zeros. */
START_TEST(ranking_agrees_with_naive_counting)
{
    enum { N = 500 };
    cru_rng rng = cru_rng_stream((uint64_t)_i, "ranking", 0);
    cru_ranked of[N], sorted[N];
    cru_ranking r = {.of = of, .count = _i < 3 ? _i : N};
    for (int i = 0; i < r.count; i++) {
        const double value = (double)cru_rng_below(&rng, 41) - 20;
        of[i] = sorted[i] = (cru_ranked){value == 0 && i % 2 ? -0.0 : value * 0.1, cru_rng_below(&rng, 3) == 0};
    }
    qsort(sorted, (size_t)r.count, sizeof *sorted, by_score);
    ck_assert_int_eq(cru_ranking_sort(&r, NULL), CRU_OK);
    double won = 0;
    int64_t positives = 0;
    for (int i = 0; i < r.count; i++) {
        ck_assert_double_eq(of[i].score, sorted[i].score);
        positives += of[i].positive;
        for (int k = 0; k < r.count; k++)
            if (of[i].positive && !of[k].positive)
                won += of[i].score > of[k].score ? 1 : of[i].score == of[k].score ? 0.5 : 0;
    }
    ck_assert_int_eq(r.positives, positives);
    const double pairs = (double)positives * (double)(r.count - positives), area = cru_ranking_auroc(&r);
    if (pairs > 0)
        ck_assert_double_eq_tol(area, won / pairs, 1e-12);
    else
        ck_assert(isnan(area));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("metrics of predictions");
    TCase *c = tcase_create("metrics");
    tcase_add_loop_test(c, numbers_of_the_imbalance_study, 0, 5);
    tcase_add_test(c, areas_with_ties);
    tcase_add_loop_test(c, numbers_of_the_anomaly_study, 0, 4);
    tcase_add_test(c, the_example_of_the_anomaly_study);
    tcase_add_test(c, two_logits_are_compared_by_their_difference);
    tcase_add_test(c, tied_scores_of_the_heterophily_study);
    tcase_add_test(c, confident_scores_do_not_tie);
    tcase_add_test(c, a_case_by_hand);
    tcase_add_test(c, bins_of_confidence_are_judged_one_by_one);
    tcase_add_test(c, a_class_never_found_makes_the_g_mean_zero);
    tcase_add_loop_test(c, not_defined_on_nothing, 0, 14);
    tcase_add_test(c, one_class_has_no_area);
    tcase_add_test(c, constant_scores_tell_nothing);
    tcase_add_test(c, recall_at_k_breaks_ties_by_id);
    tcase_add_test(c, classes_may_be_missing_from_the_truth);
    tcase_add_test(c, logits_rank_differently);
    tcase_add_test(c, shifted_scores_tie);
    tcase_add_loop_test(c, ranking_needs_two_classes, 0, 3);
    tcase_add_loop_test(c, ranking_agrees_with_naive_counting, 0, 8);
    suite_add_tcase(s, c);
    return s;
}
