// SPDX-License-Identifier: Apache-2.0
/* Consensus, order and the estimate by hand; the temperature against a fine grid. */
#include <check.h>
#include <math.h>

#include <crucible/task.h>

#include "clean/evidence.h"

/* Two classes in blocks of eight items; items 6 and 7 of a block are labelled 0 and 1 and look like the other. Item 3
 * has no label. There are so many blocks that the methods are seen to have learned something. */
enum { BLOCK = 8, PATTERN = 7, BLOCKS = 20, ITEMS = BLOCK * BLOCKS, JUDGED = PATTERN * BLOCKS, CLASSES = 2 };
static const double item_of[PATTERN] = {0, 1, 2, 4, 5, 6, 7}, given_of[PATTERN] = {0, 0, 0, 1, 1, 0, 1};
static const double first_of[] = {.9, .1, .8, .2, .6, .4, .2, .8, .1, .9, .05, .95, .7, .3};
static const double second_of[] = {.8, .2, .9, .1, .4, .6, .3, .7, .1, .9, .2, .8, .9, .1};
static double item[JUDGED], given[JUDGED], first[JUDGED * CLASSES], second[JUDGED * CLASSES];

static void fill(void)
{
    for (int k = 0; k < JUDGED; k++) {
        item[k] = item_of[k % PATTERN] + BLOCK * (k / PATTERN);
        given[k] = given_of[k % PATTERN];
        for (int c = 0; c < CLASSES; c++) {
            first[k * CLASSES + c] = first_of[k % PATTERN * CLASSES + c];
            second[k * CLASSES + c] = second_of[k % PATTERN * CLASSES + c];
        }
    }
}

static evidence *weigh(bool both)
{
    evidence *e;
    ck_assert_int_eq(evidence_create(ITEMS, CLASSES, &e, NULL), CRU_OK);
    ck_assert_int_eq(evidence_add(e, &(evidence_part){"a", item, given, first, JUDGED}, NULL), CRU_OK);
    if (both) ck_assert_int_eq(evidence_add(e, &(evidence_part){"b", item, given, second, JUDGED}, NULL), CRU_OK);
    ck_assert_int_eq(evidence_conclude(e, NULL), CRU_OK);
    return e;
}

static double likelihood(const double *p, double b)
{
    double sum = 0;
    for (int k = 0; k < JUDGED; k++) {
        const double x = pow(p[2 * k], b), y = pow(p[2 * k + 1], b);
        sum += log((given[k] == 0 ? x : y) / (x + y));
    }
    return sum;
}

START_TEST(the_power_makes_the_given_labels_most_likely)
{
    evidence *e = weigh(false);
    double best = 0.05;
    for (double b = 0.05; b < 20; b *= 1.001)
        if (likelihood(first, b) > likelihood(first, best)) best = b;
    ck_assert_double_eq_tol(e->methods[0].power, best, 2e-3 * best);
    const double x = pow(.9, e->methods[0].power), y = pow(.1, e->methods[0].power);
    ck_assert_double_eq_tol(e->suspicion[0], y / (x + y), 1e-9);
    evidence_destroy(e);
}
END_TEST

START_TEST(methods_are_averaged_after_their_powers)
{
    evidence *e = weigh(true);
    for (int k = 0; k < JUDGED; k++) {
        const int i = (int)item[k];
        const double mean =
            (e->methods[0].sum[i * CLASSES] + e->methods[1].sum[i * CLASSES]) / 2; /* of class 0, after the powers */
        ck_assert_double_eq_tol(e->suspicion[i], given[k] == 0 ? 1 - mean : mean, 1e-12);
    }
    ck_assert_int_eq(e->against[6], 2);
    ck_assert_int_eq(e->against[2], 1);
    ck_assert_int_eq(e->suggested[6], 1);
    evidence_destroy(e);
}
END_TEST

START_TEST(the_least_probable_label_comes_first_and_unlabelled_items_not_at_all)
{
    evidence *e = weigh(true);
    ck_assert_int_eq(e->count, JUDGED);
    for (int64_t k = 1; k < e->count; k++) {
        ck_assert_double_ge(e->suspicion[e->order[k - 1]], e->suspicion[e->order[k]]);
        ck_assert_int_ne(e->order[k] % BLOCK, 3);
    }
    for (int k = 0; k < 2 * BLOCKS; k++) ck_assert_int_ge(e->order[k] % BLOCK, 6);
    ck_assert_int_lt(e->order[0], e->order[1]); /* as suspect as each other */
    evidence_destroy(e);
}
END_TEST

/* By the definition: thresholds, then who is clear. */
START_TEST(the_estimate_counts_labels_of_which_another_class_is_clear)
{
    evidence *e = weigh(true);
    double t[CLASSES] = {0}, labelled[CLASSES] = {0};
    int64_t clear = 0, other = 0;
    for (int k = 0; k < JUDGED; k++) {
        t[(int)given[k]] += e->q[(int)item[k] * CLASSES + (int)given[k]];
        labelled[(int)given[k]]++;
    }
    for (int k = 0; k < JUDGED; k++) {
        const double *q = e->q + (int)item[k] * CLASSES;
        const bool zero = q[0] >= t[0] / labelled[0], one = q[1] >= t[1] / labelled[1];
        const int found = zero && (!one || q[0] >= q[1]) ? 0 : 1;
        clear += zero || one;
        other += (zero || one) && found != given[k];
    }
    ck_assert_int_eq(other, 2 * BLOCKS); /* 6 and 7 of each */
    ck_assert_int_eq(e->counted, clear);
    ck_assert_int_eq(e->wrong, other);
    ck_assert_double_eq_tol(e->rate, (double)other / JUDGED, 1e-12);
    ck_assert(e->low < e->rate && e->rate < e->high);
    evidence_destroy(e);
}
END_TEST

START_TEST(average_precision_is_the_mean_precision_at_every_wrong_label)
{
    evidence *e = weigh(true);
    /* The truth says that only the second and the last of the order are wrong, and does not know the first. */
    int32_t truth[ITEMS];
    for (int i = 0; i < ITEMS; i++) truth[i] = e->given[i];
    truth[e->order[0]] = CRU_UNLABELLED;
    truth[e->order[1]] = 1 - e->given[e->order[1]];
    truth[e->order[JUDGED - 1]] = 1 - e->given[e->order[JUDGED - 1]];
    const evidence_quality q = evidence_check(e, truth, 3);
    ck_assert_int_eq(q.known, JUDGED - 1);
    ck_assert_int_eq(q.wrong, 2);
    ck_assert_double_eq_tol(q.average_precision, (1.0 + 2.0 / (JUDGED - 1)) / 2, 1e-12);
    ck_assert_double_eq_tol(q.precision, 0.5, 1e-12);
    evidence_destroy(e);
}
END_TEST

/* Wilson's interval of 0 of n goes up to z^2 / (n + z^2): few items show nothing, so little is said to be wrong. */
START_TEST(little_is_wrong_unless_more_is_shown)
{
    evidence e = {.rate = 0.2, .low = 0.01};
    ck_assert_int_eq(evidence_judge(&e), EVIDENCE_FEW);
    e.low = 0.06;
    ck_assert_int_eq(evidence_judge(&e), EVIDENCE_MANY);
    e.rate = NAN;
    ck_assert_int_eq(evidence_judge(&e), EVIDENCE_UNKNOWN);
}
END_TEST

/* The second method is the first with its classes exchanged: it agrees with 2 of 7 labels, and 4 of 7 are 0. */
START_TEST(nothing_is_estimated_where_nothing_was_learned)
{
    evidence *e;
    for (int k = 0; k < JUDGED; k++) second[2 * k] = first[2 * k + 1], second[2 * k + 1] = first[2 * k];
    ck_assert_int_eq(evidence_create(ITEMS, CLASSES, &e, NULL), CRU_OK);
    ck_assert_int_eq(evidence_add(e, &(evidence_part){"b", item, given, second, JUDGED}, NULL), CRU_OK);
    ck_assert_int_eq(evidence_conclude(e, NULL), CRU_OK);
    ck_assert_double_eq_tol(e->guess, 4.0 / 7, 1e-12);
    ck_assert(!e->learned);
    ck_assert_int_eq(evidence_judge(e), EVIDENCE_UNKNOWN);
    ck_assert_int_eq(e->wrong, 0);
    evidence_destroy(e);
}
END_TEST

START_TEST(what_is_no_evidence_is_refused)
{
    static const double beyond[] = {ITEMS}, none[] = {NAN, 0.5}, fine[] = {0.5, 0.5}, zero[] = {0}, two[] = {2};
    evidence *e;
    cru_error err = {0};
    ck_assert_int_eq(evidence_create(ITEMS, CLASSES, &e, NULL), CRU_OK);
    ck_assert_int_eq(evidence_add(e, &(evidence_part){"a", beyond, zero, fine, 1}, &err), CRU_BAD_INPUT);
    ck_assert_int_eq(evidence_add(e, &(evidence_part){"a", zero, two, fine, 1}, &err), CRU_BAD_INPUT);
    ck_assert_int_eq(evidence_add(e, &(evidence_part){"a", zero, zero, none, 1}, &err), CRU_BAD_INPUT);
    ck_assert_int_eq(evidence_conclude(e, &err), CRU_BAD_INPUT);
    evidence_destroy(e);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("evidence");
    TCase *tc = tcase_create("evidence");
    tcase_add_checked_fixture(tc, fill, NULL);
    tcase_add_test(tc, the_power_makes_the_given_labels_most_likely);
    tcase_add_test(tc, methods_are_averaged_after_their_powers);
    tcase_add_test(tc, the_least_probable_label_comes_first_and_unlabelled_items_not_at_all);
    tcase_add_test(tc, the_estimate_counts_labels_of_which_another_class_is_clear);
    tcase_add_test(tc, average_precision_is_the_mean_precision_at_every_wrong_label);
    tcase_add_test(tc, little_is_wrong_unless_more_is_shown);
    tcase_add_test(tc, nothing_is_estimated_where_nothing_was_learned);
    tcase_add_test(tc, what_is_no_evidence_is_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
