// SPDX-License-Identifier: Apache-2.0
/* The kind of a graph, from measures and scores that are given. */
#include <check.h>
#include <math.h>

#include "study/taxonomy.h"

enum { RUNS = 8 };

/* Eight runs around a mean, the same spread for all, so that differences are those of the means. */
static taxonomy judge(double homophily, const double means[4])
{
    static double runs[4][RUNS];
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < RUNS; i++) runs[m][i] = means[m] + 0.01 * i;
    return taxonomy_judge(&(taxonomy_scores){homophily, homophily, {runs[0], runs[1]}, {runs[2], runs[3]}, RUNS});
}

/* Tuned means of the study's Table 2, in the order gcn, sgc-1, mlp-2, mlp-1, with its homophily. */
START_TEST(graphs_of_the_study_have_their_kinds)
{
    const double texas[] = {0.8311, 0.8328, 0.9226, 0.9377}, chameleon[] = {0.6418, 0.6486, 0.4672, 0.4501};
    const double cora[] = {0.8778, 0.8512, 0.7644, 0.7430};
    ck_assert_int_eq(judge(0.0615, texas).kind, TAXONOMY_MALIGNANT);
    ck_assert_int_eq(judge(0.2339, chameleon).kind, TAXONOMY_BENIGN);
    ck_assert_int_eq(judge(0.81, cora).kind, TAXONOMY_HOMOPHILIC);
}
END_TEST

START_TEST(signs_that_differ_are_ambiguous)
{
    const double one_gains[] = {0.8, 0.6, 0.7, 0.7}, none_differs[] = {0.7, 0.7, 0.7, 0.7};
    ck_assert_int_eq(judge(0.4, one_gains).kind, TAXONOMY_AMBIGUOUS);
    ck_assert_int_eq(judge(0.4, none_differs).kind, TAXONOMY_AMBIGUOUS);
    ck_assert(isnan(judge(0.4, none_differs).p[0]));
}
END_TEST

START_TEST(the_smaller_homophily_decides)
{
    const double flat[RUNS] = {0};
    const taxonomy_scores s = {0.9, 0.57, {flat, flat}, {flat, flat}, RUNS};
    ck_assert_int_eq(taxonomy_judge(&s).kind, TAXONOMY_AMBIGUOUS);
}
END_TEST

/* All eight signs alike: 2 / 2^8 by the exact test, twice that by Holm's correction of two. */
START_TEST(gains_have_a_corrected_p)
{
    const double means[] = {0.8, 0.8, 0.7, 0.7};
    const taxonomy t = judge(0.3, means);
    ck_assert_double_eq_tol(t.gain[0], 0.1, 1e-12);
    ck_assert_double_eq_tol(t.p[0], 2 * 2.0 / 256, 1e-12);
    ck_assert_double_eq_tol(t.p[1], 2 * 2.0 / 256, 1e-12);
}
END_TEST

START_TEST(a_missing_score_leaves_it_unknown)
{
    double some[RUNS] = {0}, broken[RUNS] = {0};
    broken[3] = NAN;
    const taxonomy_scores s = {0.3, 0.3, {broken, some}, {some, some}, RUNS};
    const taxonomy_scores no_measure = {NAN, 0.3, {some, some}, {some, some}, RUNS};
    ck_assert_int_eq(taxonomy_judge(&s).kind, TAXONOMY_UNKNOWN);
    ck_assert_int_eq(taxonomy_judge(&no_measure).kind, TAXONOMY_UNKNOWN);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("taxonomy");
    TCase *c = tcase_create("taxonomy");
    tcase_add_test(c, graphs_of_the_study_have_their_kinds);
    tcase_add_test(c, signs_that_differ_are_ambiguous);
    tcase_add_test(c, the_smaller_homophily_decides);
    tcase_add_test(c, gains_have_a_corrected_p);
    tcase_add_test(c, a_missing_score_leaves_it_unknown);
    suite_add_tcase(s, c);
    return s;
}
