// SPDX-License-Identifier: Apache-2.0
#include <check.h>

#include "data/describe.h"

static cru_error err;

START_TEST(degrees_fall_into_doubling_bins)
{
    static const int64_t expected[][2] = {{0, 0}, {1, 1}, {2, 3}, {4, 7}, {8, 15}};
    for (int32_t k = 0; k < 5; k++) {
        int64_t from, to;
        data_degree_bin(k, &from, &to);
        ck_assert_int_eq(from, expected[k][0]);
        ck_assert_int_eq(to, expected[k][1]);
    }
}
END_TEST

START_TEST(a_graph_is_counted)
{
    /* a star of five nodes with both directions, a loop on its centre, and a sixth node alone */
    static const int64_t offsets[] = {0, 5, 6, 7, 8, 9, 9};
    static const int32_t ids[] = {0, 1, 2, 3, 4, 0, 0, 0, 0};
    static const float x[12] = {0};
    int32_t truth[] = {0, 1, 1, 1, 1, CRU_UNLABELLED};
    uint8_t candidates[] = {1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0};
    cru_data data = {.problem = CRU_NODES,
                     .items = 6,
                     .nodes = 6,
                     .classes = 2,
                     .graph = {6, 6, offsets, ids, NULL},
                     .x = {.rows = 6, .cols = 2, .dense = x},
                     .truth = truth,
                     .candidates = candidates};
    data_summary s;
    ck_assert_int_eq(data_summarise(&data, &s, &err), CRU_OK);
    ck_assert_int_eq(s.arcs, 9);
    ck_assert_int_eq(s.loops, 1);
    ck_assert(s.symmetric);
    ck_assert_int_eq(s.stored, 12);
    ck_assert_int_eq(s.class_counts[0], 1);
    ck_assert_int_eq(s.class_counts[1], 4);
    ck_assert_int_eq(s.unlabelled, 1);
    ck_assert_double_eq_tol(s.degree_mean, 8.0 / 6, 1e-12);
    ck_assert_int_eq(s.degree_median, 1);
    ck_assert_int_eq(s.degree_max, 4);
    ck_assert_int_eq(s.isolated, 1);
    ck_assert_int_eq(s.bin_count, 4);
    ck_assert_int_eq(s.degree_bins[1], 4);
    ck_assert_int_eq(s.degree_bins[3], 1);
    /* sets of 2, 1, 1, 2 and 2 labels; the third misses its true class; the last item has none */
    ck_assert_double_eq_tol(s.candidates_mean, 8.0 / 5, 1e-12);
    ck_assert_double_eq_tol(s.candidates_wrong, 1.0 / 5, 1e-12);
    data_summary_clear(&s);
}
END_TEST

/* Four items in two official splits: the last two are tested in both, the second in one of them. */
START_TEST(candidates_are_those_of_items_that_are_learned_from)
{
    static const int32_t ids[] = {0, 1, 2, 3};
    static const float x[4] = {0};
    int32_t truth[] = {0, 1, 2, 0};
    uint8_t candidates[] = {1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0};
    cru_split official[] = {{.train = {ids, 2}, .test = {ids + 2, 2}}, {.train = {ids, 1}, .test = {ids + 1, 3}}};
    cru_data data = {.problem = CRU_ROWS,
                     .items = 4,
                     .classes = 3,
                     .x = {.rows = 4, .cols = 1, .dense = x},
                     .truth = truth,
                     .candidates = candidates,
                     .official = official,
                     .official_count = 2};
    data_summary s;
    ck_assert_int_eq(data_summarise(&data, &s, &err), CRU_OK);
    ck_assert_double_eq_tol(s.candidates_mean, 2, 1e-12);
    ck_assert_double_eq_tol(s.candidates_wrong, 0.5, 1e-12);
    /* {0, 1} of class 0 and {0, 2} of class 1 */
    const double flips[] = {1, 1, 0, 1, 0, 1};
    const int64_t counts[] = {2, 1, 1};
    for (int i = 0; i < 6; i++) ck_assert_double_eq(s.flips[i], flips[i]);
    for (int c = 0; c < 3; c++) ck_assert_int_eq(s.candidate_counts[c], counts[c]);
    ck_assert_double_nan(s.flips[6]);
    ck_assert_int_eq(s.class_counts[0], 2);
    data_summary_clear(&s);
}
END_TEST

START_TEST(graphs_have_sizes)
{
    static const int64_t offsets[] = {0, 0, 0, 0, 0, 0};
    static const int32_t none;
    int64_t blocks[] = {0, 1, 5};
    int32_t truth[] = {0, 0};
    cru_data data = {.problem = CRU_GRAPHS,
                     .items = 2,
                     .nodes = 5,
                     .classes = 1,
                     .graph = {5, 5, offsets, &none, NULL},
                     .graph_offsets = blocks,
                     .truth = truth};
    data_summary s;
    ck_assert_int_eq(data_summarise(&data, &s, &err), CRU_OK);
    ck_assert_double_eq_tol(s.size_mean, 2.5, 1e-12);
    ck_assert_int_eq(s.size_min, 1);
    ck_assert_int_eq(s.size_max, 4);
    ck_assert_int_eq(s.arcs, 0);
    data_summary_clear(&s);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("describe");
    TCase *c = tcase_create("describe");
    tcase_add_test(c, degrees_fall_into_doubling_bins);
    tcase_add_test(c, a_graph_is_counted);
    tcase_add_test(c, candidates_are_those_of_items_that_are_learned_from);
    tcase_add_test(c, graphs_have_sizes);
    suite_add_tcase(s, c);
    return s;
}
