// SPDX-License-Identifier: Apache-2.0
/* Numbers that describe data, counted by hand. */
#include <math.h>
#include <string.h>

#include "metrics/judging.h"

enum { N = 4 };
static const int32_t truth[N] = {0, 1, 1, CRU_UNLABELLED};

static judging four_items(int32_t classes)
{
    judging j = judging_create(truth, N, classes, NULL);
    j.data->x = (cru_features){.rows = N, .cols = 3, .dense = cru_data_alloc(j.data, 3 * N, sizeof(float))};
    return j;
}

static double size_of(const judging *j, const char *what)
{
    return judging_with(j, "data-size", "what", what);
}

static double size_with_loops(const judging *j, const char *what, const char *loops)
{
    double value = NAN;
    cru_error err = {0};
    const char *settings[] = {"what", what, "loops", loops, NULL};
    ck_assert_int_eq(judging_try(j, "data-size", settings, &value, &err), CRU_OK);
    return value;
}

START_TEST(counts_are_those_of_the_data)
{
    judging j = four_items(2);
    ck_assert_double_eq(judging_score(&j, "data-size"), N);
    ck_assert_double_eq(size_of(&j, "features"), 3);
    ck_assert_double_eq(size_of(&j, "classes"), 2);
    ck_assert_double_eq_tol(size_of(&j, "positives"), 200.0 / 3, 1e-12); /* of the labelled ones */
    judging_destroy(&j);
}
END_TEST

START_TEST(an_edge_with_its_way_back_is_one)
{
    const double pairs[] = {0, 1, 1, 2, 3, 3}; /* and a self-loop */
    judging j = four_items(2);
    judging_join(&j, pairs, 3, false);
    ck_assert_double_eq(size_of(&j, "edges"), 2);
    judging_join(&j, pairs, 3, true);
    ck_assert_double_eq(size_of(&j, "edges"), 2);
    judging_destroy(&j);
}
END_TEST

/* 1 and 2 are joined in one direction, 0 and 1 in both; 3 has a loop: 2 edges among 4 nodes. */
START_TEST(neighbours_count_whatever_the_direction)
{
    const double pairs[] = {0, 1, 1, 0, 1, 2, 3, 3};
    judging j = four_items(2);
    judging_join(&j, pairs, 4, true);
    ck_assert_double_eq(size_of(&j, "degree"), 2 * 2 / 4.);
    judging_destroy(&j);
}
END_TEST

/* 0 - 1, 1 - 2 and loops of 2 and 3: 4 arcs of two edges and 2 of loops. */
START_TEST(loops_count_as_half_or_whole_edges_where_asked)
{
    const double pairs[] = {0, 1, 1, 2, 2, 2, 3, 3};
    judging j = four_items(2);
    judging_join(&j, pairs, 4, false);
    ck_assert_double_eq(size_with_loops(&j, "edges", "none"), 2);
    ck_assert_double_eq(size_with_loops(&j, "edges", "arcs"), 3);
    ck_assert_double_eq(size_with_loops(&j, "edges", "edges"), 4);
    ck_assert_double_eq(size_with_loops(&j, "degree", "none"), 4 / 4.);
    ck_assert_double_eq(size_with_loops(&j, "degree", "arcs"), 6 / 4.);
    ck_assert_double_eq(size_with_loops(&j, "degree", "edges"), 8 / 4.);
    judging_join(&j, pairs, 4, true); /* an arc is an edge then, a loop likewise */
    ck_assert_double_eq(size_with_loops(&j, "edges", "none"), 2);
    ck_assert_double_eq(size_with_loops(&j, "edges", "arcs"), 4);
    ck_assert_double_eq(size_with_loops(&j, "edges", "edges"), 4);
    judging_destroy(&j);
}
END_TEST

/* Three loops as arcs and one edge: 5 arcs, of which half is no whole number. */
START_TEST(half_edges_are_rounded_down)
{
    const double pairs[] = {0, 1, 1, 1, 2, 2, 3, 3};
    judging j = four_items(2);
    judging_join(&j, pairs, 4, false);
    ck_assert_double_eq(size_with_loops(&j, "edges", "arcs"), 2);
    judging_destroy(&j);
}
END_TEST

/* Graphs of 1 to 10 nodes, two edges in all: size 9 is at rank 2 from the top, so only what is larger is in the fifth. */
START_TEST(graphs_have_mean_sizes)
{
    int64_t offsets[11] = {0};
    const double pairs[] = {1, 2, 53, 54};
    const int32_t classes[55] = {0};
    judging j = judging_create(classes, 55, 2, NULL);
    judging_join(&j, pairs, 2, false);
    for (int g = 0; g < 10; g++) offsets[g + 1] = offsets[g] + g + 1;
    j.data->problem = CRU_GRAPHS;
    j.data->items = 10;
    j.data->graph_offsets = offsets;
    ck_assert_double_eq(size_of(&j, "mean-nodes"), 5.5);
    ck_assert_double_eq(size_of(&j, "mean-edges"), 0.2);
    ck_assert_double_eq(size_of(&j, "heads"), 2);
    judging_destroy(&j);
}
END_TEST

/* Sets {0}, {0, 1}, {0}, of which the third misses its label; the fourth is empty. */
START_TEST(candidate_sets_have_a_size_and_miss_labels)
{
    judging j = four_items(2);
    const uint8_t sets[2 * N] = {1, 0, 1, 1, 1, 0, 0, 0};
    j.data->candidates = cru_data_alloc(j.data, 2 * N, 1);
    for (int i = 0; i < 2 * N; i++) j.data->candidates[i] = sets[i];
    ck_assert_double_eq_tol(size_of(&j, "candidates"), 4.0 / 3, 1e-12);
    ck_assert_double_eq_tol(size_of(&j, "missed"), 100.0 / 3, 1e-12);
    cru_split official = {.test = {j.items.ids + 2, 2}}; /* the third is only ever tested */
    j.data->official = &official;
    j.data->official_count = 1;
    ck_assert_double_eq_tol(size_of(&j, "candidates"), 3.0 / 2, 1e-12);
    ck_assert_double_eq(size_of(&j, "missed"), 0);
    j.data->official_count = 0;
    j.data->official = NULL;
    judging_destroy(&j);
}
END_TEST

typedef struct heard {
    double sizes[2], named[2], flips[4];
} heard;

static void hear(void *user, const char *name, const double *values, int64_t count)
{
    heard *h = user;
    double *to = strcmp(name, "set-sizes") == 0 ? h->sizes : strcmp(name, "named") == 0 ? h->named : h->flips;
    for (int64_t i = 0; i < count; i++) to[i] = values[i];
}

/* Labels 0, 1, 1 with the sets {0}, {0, 1}, {0}: class 0 is in all sets of both classes, class 1 in half of its own. */
START_TEST(candidate_sets_tell_which_classes_they_hold)
{
    judging j = four_items(2);
    const uint8_t sets[2 * N] = {1, 0, 1, 1, 1, 0, 0, 0};
    heard h;
    j.data->candidates = cru_data_alloc(j.data, 2 * N, 1);
    for (int i = 0; i < 2 * N; i++) j.data->candidates[i] = sets[i];
    j.report = &(cru_report){{.put = hear, .user = &h}};
    size_of(&j, "missed");
    ck_assert(h.sizes[0] == 2 && h.sizes[1] == 1);
    ck_assert(h.named[0] == 3 && h.named[1] == 1);
    ck_assert(h.flips[0] == 1 && h.flips[1] == 0 && h.flips[2] == 1 && h.flips[3] == 0.5);
    judging_destroy(&j);
}
END_TEST

START_TEST(what_the_data_lacks_is_not_defined)
{
    judging j = four_items(3);
    ck_assert_double_nan(size_of(&j, "edges"));
    ck_assert_double_nan(size_of(&j, "positives")); /* three classes */
    ck_assert_double_nan(size_of(&j, "candidates"));
    ck_assert_double_nan(size_of(&j, "missed"));
    ck_assert_double_nan(size_of(&j, "degree"));
    ck_assert_double_nan(size_of(&j, "mean-nodes"));
    ck_assert_double_nan(size_of(&j, "heads"));
    judging_destroy(&j);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("data-size");
    TCase *c = tcase_create("data-size");
    tcase_add_test(c, counts_are_those_of_the_data);
    tcase_add_test(c, an_edge_with_its_way_back_is_one);
    tcase_add_test(c, neighbours_count_whatever_the_direction);
    tcase_add_test(c, loops_count_as_half_or_whole_edges_where_asked);
    tcase_add_test(c, half_edges_are_rounded_down);
    tcase_add_test(c, graphs_have_mean_sizes);
    tcase_add_test(c, candidate_sets_have_a_size_and_miss_labels);
    tcase_add_test(c, candidate_sets_tell_which_classes_they_hold);
    tcase_add_test(c, what_the_data_lacks_is_not_defined);
    suite_add_tcase(s, c);
    return s;
}
