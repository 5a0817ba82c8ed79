// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <crucible/scoring.h>

#include "protocol/validation.h"

static const int32_t five[] = {0, 1, 2, 3, 4};

static validation binary(const float *scores, const int32_t *labels, int64_t count)
{
    return (validation){.scores = scores, .classes = 2, .ids = {five, count}, .labels = labels};
}

START_TEST(accuracy_gives_ties_to_the_lowest_class_and_skips_unlabelled)
{
    float scores[] = {1, 1, 0, 1, 2, 1, 5, 5}; /* choices 0, 1, 0, 0 */
    int32_t labels[] = {0, 1, 1, CRU_UNLABELLED};
    validation v = binary(scores, labels, 4);
    ck_assert_double_eq_tol(validation_accuracy(&v), 2.0 / 3, 1e-15);
}
END_TEST

START_TEST(a_nan_is_the_highest_score_of_its_row)
{
    static const struct {
        float row[3];
        int32_t best;
    } cases[] = {
        {{NAN, 1, 2}, 0},   {{1, NAN, 2}, 1},        {{1, 2, NAN}, 2},       {{NAN, NAN, NAN}, 0},
        {{3, NAN, NAN}, 1}, {{INFINITY, NAN, 1}, 1}, {{-INFINITY, 1, 1}, 1}, {{-INFINITY, -INFINITY, -INFINITY}, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_int_eq(cru_best_class(cases[i].row, 3), cases[i].best);
}
END_TEST

/* A network of NaNs guesses class 0, which two of three sets hold; it has no probabilities. */
START_TEST(nan_scores_cover_by_class_0_and_have_no_approximated_accuracy)
{
    const float scores[] = {NAN, NAN, NAN, NAN, NAN, NAN};
    const uint8_t candidates[] = {1, 0, 0, 1, 1, 1};
    validation v = {.scores = scores, .classes = 2, .ids = {five, 3}, .candidates = candidates};
    ck_assert_double_eq_tol(validation_covering(&v), 2.0 / 3, 1e-15);
    ck_assert_double_nan(validation_approximated(&v, false));
    ck_assert_double_nan(validation_approximated(&v, true));
}
END_TEST

START_TEST(only_validation_items_need_finite_scores)
{
    const float scores[] = {1, 2, NAN, 0, 3, INFINITY};
    validation v = binary(scores, NULL, 1);
    ck_assert(validation_all_finite(&v));
    v.ids.count = 2;
    ck_assert(!validation_all_finite(&v));
    v.ids = (cru_ids){five + 2, 1};
    ck_assert(!validation_all_finite(&v));
}
END_TEST

START_TEST(empty_sets_have_no_value)
{
    validation v = binary(NULL, NULL, 0);
    ck_assert_double_nan(validation_accuracy(&v));
    ck_assert_double_nan(validation_loss(&v));
    ck_assert_double_nan(validation_auc(&v));
    ck_assert_double_nan(validation_auprc(&v));
    ck_assert_double_nan(validation_covering(&v));
    ck_assert_double_nan(validation_approximated(&v, false));
}
END_TEST

START_TEST(loss_is_the_mean_cross_entropy)
{
    float scores[] = {0, 0, 1000, 0}; /* log 2, and 0 for a saturated row */
    int32_t labels[] = {1, 0};
    validation v = binary(scores, labels, 2);
    ck_assert_double_eq_tol(validation_loss(&v), log(2) / 2, 1e-12);
}
END_TEST

/* Scores 4 3 3 2 1 with labels + + - - +: pairs won 2 + 1.5 + 0 of 6; precision after each tie group. */
START_TEST(ranking_measures_collapse_ties)
{
    float scores[] = {0, 4, 0, 3, 0, 3, 0, 2, 0, 1};
    int32_t labels[] = {1, 1, 0, 0, 1};
    validation v = binary(scores, labels, 5);
    ck_assert_double_eq_tol(validation_auc(&v), 3.5 / 6, 1e-12);
    double expected = (1.0 / 3) * 1 + (1.0 / 3) * (2.0 / 3) + (1.0 / 3) * (3.0 / 5);
    ck_assert_double_eq_tol(validation_auprc(&v), expected, 1e-12);
}
END_TEST

/* 10 anomalies among 1000 at ranks 11-20: AUROC 0.99, average precision 0.33 (to two digits). */
START_TEST(known_example_of_rare_anomalies)
{
    enum { N = 1000 };
    float scores[2 * N];
    int32_t labels[N], ids[N];
    for (int i = 0; i < N; i++) {
        scores[2 * i] = 0;
        scores[2 * i + 1] = (float)(N - i);
        labels[i] = i >= 10 && i < 20;
        ids[i] = i;
    }
    validation v = {.scores = scores, .classes = 2, .ids = {ids, N}, .labels = labels};
    ck_assert_double_eq_tol(validation_auc(&v), 980.0 / 990, 1e-12);
    double expected = 0;
    for (int k = 1; k <= 10; k++) expected += 0.1 * k / (10.0 + k);
    ck_assert_double_eq_tol(validation_auprc(&v), expected, 1e-12);
    ck_assert_double_eq_tol(validation_auprc(&v), 0.33, 5e-3);
}
END_TEST

START_TEST(one_class_only_has_no_ranking)
{
    float scores[] = {0, 1, 0, 2};
    int32_t ones[] = {1, 1}, zeros[] = {0, 0};
    validation all = binary(scores, ones, 2), none = binary(scores, zeros, 2);
    ck_assert_double_nan(validation_auc(&all));
    ck_assert_double_nan(validation_auc(&none));
    ck_assert_double_nan(validation_auprc(&none));
    ck_assert_double_eq(validation_auprc(&all), 1);
}
END_TEST

START_TEST(covering_counts_choices_inside_the_candidates)
{
    float scores[] = {3, 1, 2, 1, 3, 2};
    uint8_t sets[] = {1, 0, 0, 1, 0, 1};
    validation v = {.scores = scores, .classes = 3, .ids = {five, 2}, .candidates = sets};
    ck_assert_double_eq(validation_covering(&v), 0.5);
}
END_TEST

/* p = (1/2, 1/4, 1/4); S = {0, 1}: c = (2/3, 1/3), credit 2/3. S = {1, 2}: the choice is outside, credit 0. */
START_TEST(approximated_accuracy_follows_the_formula)
{
    float l2 = (float)log(2), scores[] = {l2, 0, 0, l2, 0, 0};
    uint8_t sets[] = {1, 1, 0, 0, 1, 1};
    validation v = {.scores = scores, .classes = 3, .ids = {five, 2}, .candidates = sets};
    ck_assert_double_eq_tol(validation_approximated(&v, false), (2.0 / 3 + 0) / 2, 1e-7);
    ck_assert_double_eq_tol(validation_approximated(&v, true), (2.0 / 3 + 0) / 2, 1e-7);
}
END_TEST

START_TEST(vanishing_candidates_get_credit_only_as_the_code_did)
{
    float scores[] = {1000, 0};
    uint8_t sets[] = {0, 1};
    validation v = {.scores = scores, .classes = 2, .ids = {five, 1}, .candidates = sets};
    ck_assert_double_eq_tol(validation_approximated(&v, false), 1, 1e-9);
    ck_assert_double_eq(validation_approximated(&v, true), 0);
}
END_TEST

START_TEST(finite_sees_every_position)
{
    float scores[37] = {0};
    ck_assert(validation_finite(scores, 0));
    ck_assert(validation_finite(scores, 37));
    for (int i = 0; i < 37; i++) {
        scores[i] = NAN;
        ck_assert(!validation_finite(scores, 37));
        scores[i] = -INFINITY;
        ck_assert(!validation_finite(scores, 37));
        scores[i] = 3e38f;
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("validation");
    TCase *t = tcase_create("measures");
    tcase_add_test(t, accuracy_gives_ties_to_the_lowest_class_and_skips_unlabelled);
    tcase_add_test(t, empty_sets_have_no_value);
    tcase_add_test(t, a_nan_is_the_highest_score_of_its_row);
    tcase_add_test(t, nan_scores_cover_by_class_0_and_have_no_approximated_accuracy);
    tcase_add_test(t, only_validation_items_need_finite_scores);
    tcase_add_test(t, loss_is_the_mean_cross_entropy);
    tcase_add_test(t, ranking_measures_collapse_ties);
    tcase_add_test(t, known_example_of_rare_anomalies);
    tcase_add_test(t, one_class_only_has_no_ranking);
    tcase_add_test(t, covering_counts_choices_inside_the_candidates);
    tcase_add_test(t, approximated_accuracy_follows_the_formula);
    tcase_add_test(t, vanishing_candidates_get_credit_only_as_the_code_did);
    tcase_add_test(t, finite_sees_every_position);
    suite_add_tcase(s, t);
    return s;
}
