// SPDX-License-Identifier: Apache-2.0
#include <check.h>
#include <string.h>

#include "data/data.h"

/* The path 0 - 1 - 2 - 3 - 4 - 5 with a loop on 0. */
static const int64_t offsets[] = {0, 2, 4, 6, 8, 10, 11};
static const int32_t ids[] = {0, 1, 0, 2, 1, 3, 2, 4, 3, 5, 4};
static const float x[] = {10, 11, 12, 13, 14, 15};
static const int32_t labels[] = {0, 1, 1, CRU_UNLABELLED, 0, CRU_UNLABELLED};
static const int32_t train[] = {4, 0, 1}, val[] = {2}, test[] = {3, 5};

static cru_arena *arena;
static cru_task whole, seen;
static cru_error err;

static void start(void)
{
    err = (cru_error){0};
    arena = cru_arena_create();
    whole = (cru_task){.size = sizeof whole,
                       .problem = CRU_NODES,
                       .items = 6,
                       .nodes = 6,
                       .classes = 2,
                       .graph = {6, 6, offsets, ids, NULL},
                       .x = {.rows = 6, .cols = 1, .dense = x},
                       .labels = labels,
                       .split = {.train = {train, 3}, .val = {val, 1}, .test = {test, 2}},
                       .seed = 9};
}

static void stop(void)
{
    cru_arena_destroy(arena);
}

static void look(void)
{
    cru_status status = data_seen(&whole, HIDE_TEST, cru_arena_pool(arena), &seen, &err);
    ck_assert_msg(status == CRU_OK, "%s", err.text);
}

static void same_graph(const cru_csr *g, const int64_t *want_offsets, const int32_t *want_ids)
{
    ck_assert_int_eq(g->rows, seen.nodes);
    ck_assert_mem_eq(g->offsets, want_offsets, (size_t)(g->rows + 1) * sizeof *want_offsets);
    ck_assert_mem_eq(g->ids, want_ids, (size_t)want_offsets[g->rows] * sizeof *want_ids);
}

/* Nodes 0, 1, 4 and then 0, 1, 2, 4: 0 - 1 with the loop is left of the first, 0 - 1 - 2 of the second. */
static const int64_t seen_offsets[] = {0, 2, 3, 3, 5, 7, 8, 8};
static const int32_t seen_ids[] = {0, 1, 0, 3, 4, 3, 5, 4};

START_TEST(edges_of_hidden_nodes_vanish)
{
    look();
    ck_assert_int_eq(seen.items, 7);
    ck_assert_int_eq(seen.nodes, 7);
    same_graph(&seen.graph, seen_offsets, seen_ids);
    ck_assert_int_eq(seen.seed, 9);
}
END_TEST

START_TEST(training_items_are_in_the_first_graph_and_validation_items_in_the_second)
{
    static const int32_t want[] = {0, 1, 0, CRU_UNLABELLED, CRU_UNLABELLED, 1, CRU_UNLABELLED};
    look();
    ck_assert_int_eq(seen.split.train.count, 3);
    ck_assert_mem_eq(seen.split.train.ids, ((int32_t[]){2, 0, 1}), 3 * sizeof(int32_t));
    ck_assert_int_eq(seen.split.val.count, 1);
    ck_assert_int_eq(seen.split.val.ids[0], 5);
    ck_assert_int_eq(seen.split.test.count, 0);
    ck_assert_mem_eq(seen.labels, want, sizeof want);
}
END_TEST

START_TEST(features_go_with_their_nodes)
{
    static const float want[] = {10, 11, 14, 10, 11, 12, 14};
    static const int64_t at[] = {0, 1, 2, 3, 4, 5, 6};
    static const int32_t columns[] = {5, 4, 3, 2, 1, 0}, want_columns[] = {5, 4, 1, 5, 4, 3, 1};
    look();
    ck_assert_int_eq(seen.x.rows, 7);
    ck_assert_mem_eq(seen.x.dense, want, sizeof want);
    whole.x = (cru_features){.rows = 6, .cols = 6, .sparse = {6, 6, at, columns, NULL}};
    look();
    ck_assert_ptr_null(seen.x.dense);
    ck_assert_int_eq(seen.x.sparse.rows, 7);
    ck_assert_mem_eq(seen.x.sparse.ids, want_columns, sizeof want_columns);
}
END_TEST

START_TEST(relations_are_cut_like_the_graph)
{
    cru_relation relations[] = {{"path", whole.graph}};
    whole.relations = relations;
    whole.relation_count = 1;
    look();
    ck_assert_int_eq(seen.relation_count, 1);
    ck_assert_str_eq(seen.relations[0].name, "path");
    same_graph(&seen.relations[0].graph, seen_offsets, seen_ids);
}
END_TEST

START_TEST(candidate_sets_stay_with_train_and_val)
{
    static const uint8_t sets[] = {1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0};
    static const uint8_t want[] = {1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0};
    whole.candidates = sets;
    look();
    ck_assert_mem_eq(seen.candidates, want, sizeof want);
}
END_TEST

START_TEST(without_validation_nodes_there_is_only_training)
{
    whole.split.val.count = 0;
    ck_assert_int_eq(data_seen(&whole, HIDE_OUTSIDE, cru_arena_pool(arena), &seen, &err), CRU_OK);
    ck_assert_int_eq(seen.items, 6);
    ck_assert_int_eq(seen.split.val.count, 0);
}
END_TEST

/* Node 3 is in no part: 0 - 1 and 3 - 4 are left of the first graph, 0 - 1 - 2 - 3 - 4 of the second. */
START_TEST(nodes_in_no_part_are_seen_unless_they_are_to_be_hidden)
{
    static const int64_t want_offsets[] = {0, 2, 3, 4, 5, 7, 9, 11, 13, 14};
    static const int32_t want_ids[] = {0, 1, 0, 3, 2, 4, 5, 4, 6, 5, 7, 6, 8, 7};
    static const float want_x[] = {10, 11, 13, 14, 10, 11, 12, 13, 14};
    whole.split.test = (cru_ids){test + 1, 1};
    look();
    ck_assert_int_eq(seen.nodes, 9);
    same_graph(&seen.graph, want_offsets, want_ids);
    ck_assert_mem_eq(seen.x.dense, want_x, sizeof want_x);
    ck_assert_int_eq(seen.labels[2], CRU_UNLABELLED);
    ck_assert_int_eq(data_seen(&whole, HIDE_OUTSIDE, cru_arena_pool(arena), &seen, &err), CRU_OK);
    same_graph(&seen.graph, seen_offsets, seen_ids);
}
END_TEST

START_TEST(rows_have_no_graph_to_cut)
{
    whole.problem = CRU_ROWS;
    ck_assert_int_eq(data_seen(&whole, HIDE_TEST, cru_arena_pool(arena), &seen, &err), CRU_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(err.text, "inductive"));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("view");
    TCase *c = tcase_create("seen");
    tcase_add_checked_fixture(c, start, stop);
    tcase_add_test(c, edges_of_hidden_nodes_vanish);
    tcase_add_test(c, training_items_are_in_the_first_graph_and_validation_items_in_the_second);
    tcase_add_test(c, features_go_with_their_nodes);
    tcase_add_test(c, relations_are_cut_like_the_graph);
    tcase_add_test(c, candidate_sets_stay_with_train_and_val);
    tcase_add_test(c, without_validation_nodes_there_is_only_training);
    tcase_add_test(c, nodes_in_no_part_are_seen_unless_they_are_to_be_hidden);
    tcase_add_test(c, rows_have_no_graph_to_cut);
    suite_add_tcase(s, c);
    return s;
}
