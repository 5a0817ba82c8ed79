// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include <crucible/graph.h>

#include "task/sample.h"

static void assert_passes(const cru_data *d)
{
    cru_error err = {0};
    ck_assert_msg(cru_data_check(d, &err) == CRU_OK, "%s", err.text);
}

static cru_data *empty_rows(void)
{
    cru_data *d = cru_data_create();
    d->problem = CRU_ROWS;
    d->items = d->nodes = 1;
    d->classes = 1;
    d->truth = SAMPLE(d, int32_t, 0);
    d->labels = SAMPLE(d, int32_t, -1);
    return d;
}

START_TEST(sound_data_passes)
{
    cru_data *samples[] = {sample_nodes(), sample_graphs(), empty_rows()};
    for (int i = 0; i < 3; i++) {
        assert_passes(samples[i]);
        cru_data_destroy(samples[i]);
    }
    cru_data_destroy(NULL);
}
END_TEST

static int32_t *ids(const int32_t *borrowed)
{
    return (int32_t *)borrowed; /* the tests own what they break */
}

/* Each breaks one rule of sample_nodes. */
static void no_size(cru_data *d)
{
    d->size = 3;
}
static void two_problems(cru_data *d)
{
    d->problem = CRU_NODES | CRU_GRAPHS;
}
static void no_items(cru_data *d)
{
    d->items = 0;
}
static void more_nodes(cru_data *d)
{
    d->nodes = 6;
}
static void negative_nodes(cru_data *d)
{
    d->nodes = -1;
}
static void no_classes(cru_data *d)
{
    d->classes = 0;
}
static void three_class_anomaly(cru_data *d)
{
    d->problem = CRU_ANOMALY;
}
static void small_graph(cru_data *d)
{
    d->graph.rows = 4;
}
static void no_graph(cru_data *d)
{
    d->graph = (cru_csr){0};
}
static void edge_outside(cru_data *d)
{
    ids(d->graph.ids)[7] = 5;
}
static void infinite_weight(cru_data *d)
{
    ((float *)d->graph.values)[3] = INFINITY;
}
static void rows_with_graph(cru_data *d)
{
    d->problem = CRU_ROWS;
}
static void stray_graph_offsets(cru_data *d)
{
    d->graph_offsets = SAMPLE(d, int64_t, 0, 1, 2, 3, 4, 5);
}
static void missing_graph_offsets(cru_data *d)
{
    d->problem = CRU_GRAPHS;
}
static void late_graph_offsets(cru_data *d)
{
    d->problem = CRU_GRAPHS;
    d->graph_offsets = SAMPLE(d, int64_t, 1, 1, 2, 3, 4, 5);
}
static void falling_graph_offsets(cru_data *d)
{
    d->problem = CRU_GRAPHS;
    d->graph_offsets = SAMPLE(d, int64_t, 0, 3, 2, 3, 4, 5);
}
static void short_graph_offsets(cru_data *d)
{
    d->problem = CRU_GRAPHS;
    d->graph_offsets = SAMPLE(d, int64_t, 0, 1, 2, 3, 4, 4);
}
static void edge_between_graphs(cru_data *d)
{
    d->problem = CRU_GRAPHS;
    d->graph_offsets = SAMPLE(d, int64_t, 0, 2, 2, 2, 2, 5);
}
static void lost_relations(cru_data *d)
{
    d->relations = NULL;
}
static void nameless_relation(cru_data *d)
{
    d->relations[1].name = "";
}
static void twin_relations(cru_data *d)
{
    d->relations[1].name = "left";
}
static void small_relation(cru_data *d)
{
    d->relations[1].graph.cols = 4;
}
static void edge_of_no_relation(cru_data *d)
{
    d->relation_count = 1;
}
static void edge_of_relation_only(cru_data *d)
{
    ids(d->relations[0].graph.ids)[0] = 4;
}
static void no_features(cru_data *d)
{
    d->x.dense = NULL;
}
static void both_features(cru_data *d)
{
    d->x.sparse = d->graph;
}
static void few_feature_rows(cru_data *d)
{
    d->x.rows = 4;
}
static void negative_columns(cru_data *d)
{
    d->x.cols = -1;
}
static void wrong_image(cru_data *d)
{
    d->x.width = 3;
}
static void half_image(cru_data *d)
{
    d->x.channels = 0;
}
static void nan_feature(cru_data *d)
{
    ((float *)d->x.dense)[19] = NAN;
}
static void wrong_sparse_shape(cru_data *d)
{
    d->x.dense = NULL;
    d->x.sparse = d->graph;
}
static void no_truth(cru_data *d)
{
    d->truth = NULL;
}
static void truth_too_large(cru_data *d)
{
    d->truth[2] = 3;
}
static void no_labels(cru_data *d)
{
    d->labels = NULL;
}
static void label_too_small(cru_data *d)
{
    d->labels[4] = -2;
}
static void strange_candidate(cru_data *d)
{
    d->candidates[4] = 2;
}
static void no_candidate(cru_data *d)
{
    d->candidates[8] = 0;
}
static void unlabelled_training_item(cru_data *d)
{
    d->candidates = NULL;
    d->labels[2] = CRU_UNLABELLED;
}
static void missing_ids(cru_data *d)
{
    d->split.val.ids = NULL;
}
static void id_outside(cru_data *d)
{
    ids(d->split.val.ids)[0] = 5;
}
static void overlapping_split(cru_data *d)
{
    ids(d->split.test.ids)[1] = 2;
}
static void twice_in_a_part(cru_data *d)
{
    ids(d->split.train.ids)[1] = 2;
}
static void missing_official(cru_data *d)
{
    d->official = NULL;
}
static void bad_official(cru_data *d)
{
    ids(d->official[1].test.ids)[0] = -1;
}
static void nameless_class(cru_data *d)
{
    ((const char **)d->class_names)[1] = NULL;
}

static const struct {
    void (*damage)(cru_data *d);
    const char *message;
} cases[] = {
    {no_size, "data: not made by cru_data_create"},
    {two_problems, "problem: 3 is none"},
    {no_items, "items: 0, must be 1 to 2^31 - 1"},
    {more_nodes, "nodes: 6, but there are 5 items"},
    {negative_nodes, "nodes: -1, must be 0 to 2^31 - 1"},
    {no_classes, "classes: 0, must be at least 1"},
    {three_class_anomaly, "classes: 3, anomaly scoring has 2"},
    {small_graph, "graph: 4 x 5, should be 5 x 5"},
    {no_graph, "graph: 0 x 0, should be 5 x 5"},
    {edge_outside, "graph: row 4 has id 5, outside 0..4"},
    {infinite_weight, "graph: value 3 is not finite"},
    {rows_with_graph, "graph: rows have none"},
    {stray_graph_offsets, "graph_offsets: only graph problems have them"},
    {missing_graph_offsets, "graph_offsets: missing"},
    {late_graph_offsets, "graph_offsets: do not start at 0"},
    {falling_graph_offsets, "graph_offsets: fall at 1"},
    {short_graph_offsets, "graph_offsets: end at 4, but there are 5 nodes"},
    {edge_between_graphs, "graph: node 1 of graph 0 has a neighbour in another graph"},
    {lost_relations, "relations: missing"},
    {nameless_relation, "relation 1: no name"},
    {twin_relations, "relation left: appears twice"},
    {small_relation, "relation right: 5 x 4, should be 5 x 5"},
    {edge_of_no_relation, "graph: has an edge at node 2 that no relation has"},
    {edge_of_relation_only, "relation left: has an edge at node 0 that the graph has not"},
    {no_features, "features: columns but neither dense nor sparse values"},
    {both_features, "features: both dense and sparse"},
    {few_feature_rows, "features: 4 rows for 5 nodes"},
    {negative_columns, "features: -1 columns"},
    {wrong_image, "features: 1 x 2 x 3 pixels in 4 columns"},
    {half_image, "features: 0 x 2 x 2 pixels in 4 columns"},
    {nan_feature, "features: value 19 is not finite"},
    {wrong_sparse_shape, "features: a sparse matrix of 5 x 5, should be 5 x 4"},
    {no_truth, "truth: missing"},
    {truth_too_large, "truth: item 2 has class 3 of 3"},
    {no_labels, "labels: missing"},
    {label_too_small, "labels: item 4 has class -2 of 3"},
    {strange_candidate, "candidates: item 1, class 1 is 2, neither 0 nor 1"},
    {no_candidate, "candidates: training item 2 has none"},
    {unlabelled_training_item, "labels: training item 2 has none"},
    {missing_ids, "split.val: 1 ids missing"},
    {id_outside, "split.val: id 5, outside 0..4"},
    {overlapping_split, "split.test: item 2 appears twice"},
    {twice_in_a_part, "split.train: item 2 appears twice"},
    {missing_official, "official: splits missing"},
    {bad_official, "official[1].test: id -1, outside 0..4"},
    {nameless_class, "class_names: class 1 has none"},
};

START_TEST(each_rule_has_its_message)
{
    cru_data *d = sample_nodes();
    cru_error err = {0};
    cases[_i].damage(d);
    ck_assert_int_eq(cru_data_check(d, &err), CRU_BAD_INPUT);
    ck_assert_str_eq(err.text, cases[_i].message);
    cru_data_destroy(d);
}
END_TEST

START_TEST(a_merged_graph_may_have_loops_of_its_own)
{
    cru_data *d = sample_nodes();
    d->graph = cru_graph_loops(cru_data_pool(d), &d->graph, CRU_LOOPS_FILL);
    ck_assert_int_gt(d->relation_count, 0);
    assert_passes(d);
    cru_data_destroy(d);
}
END_TEST

START_TEST(a_value_that_is_not_finite_is_found_anywhere_in_long_rows)
{
    enum { COLS = 1000 };
    const int64_t places[] = {0, 255, 256, 767, 768, 999};
    const float values[] = {INFINITY, -INFINITY, NAN};
    cru_data *d = empty_rows();
    float *x = cru_data_alloc(d, COLS, sizeof *x);
    for (int i = 0; i < COLS; i++) x[i] = 3.4e38f;
    d->x = (cru_features){.rows = 1, .cols = COLS, .dense = x};
    assert_passes(d);
    for (int i = 0; i < 6; i++) {
        cru_error err = {0};
        char expected[60];
        x[places[i]] = values[i % 3];
        snprintf(expected, sizeof expected, "features: value %lld is not finite", (long long)places[i]);
        ck_assert_int_eq(cru_data_check(d, &err), CRU_BAD_INPUT);
        ck_assert_str_eq(err.text, expected);
        x[places[i]] = 0;
    }
    cru_data_destroy(d);
}
END_TEST

START_TEST(impossible_sizes_give_no_memory)
{
    cru_data *d = cru_data_create();
    ck_assert_ptr_null(cru_data_alloc(d, -1, 4));
    ck_assert_ptr_null(cru_data_alloc(d, INT64_MAX, 16));
    cru_data_destroy(d);
}
END_TEST

START_TEST(a_task_knows_labels_of_train_and_val_only)
{
    cru_data *d = sample_nodes();
    d->candidates = NULL;
    cru_error err = {0};
    cru_task task;
    ck_assert_int_eq(cru_data_task(d, 77, &task, &err), CRU_OK);
    ck_assert_uint_eq(task.size, sizeof task);
    ck_assert_uint_eq(task.seed, 77);
    ck_assert_int_eq(task.items, 5);
    ck_assert_int_eq(task.nodes, 5);
    ck_assert_int_eq(task.classes, 3);
    ck_assert_int_eq(task.problem, CRU_NODES);
    const int32_t labels[] = {0, 2, 2, -1, -1};
    ck_assert_mem_eq(task.labels, labels, sizeof labels);
    ck_assert_int_eq(d->labels[3], 0); /* the data keep theirs */
    cru_data_destroy(d);
}
END_TEST

START_TEST(a_task_of_candidate_sets_has_no_labels)
{
    cru_data *d = sample_nodes();
    cru_error err = {0};
    cru_task task;
    ck_assert_int_eq(cru_data_task(d, 77, &task, &err), CRU_OK);
    const int32_t labels[] = {-1, -1, -1, -1, -1};
    const uint8_t candidates[] = {1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0};
    ck_assert_mem_eq(task.labels, labels, sizeof labels);
    ck_assert_mem_eq(task.candidates, candidates, sizeof candidates);
    ck_assert_int_eq(d->labels[0], 0); /* the data keep theirs */
    ck_assert_int_eq(d->candidates[9], 1);
    cru_data_destroy(d);
}
END_TEST

START_TEST(a_task_borrows_features_graph_and_split)
{
    cru_data *d = sample_nodes();
    cru_error err = {0};
    cru_task task;
    d->candidates = NULL;
    cru_data_task(d, 0, &task, &err);
    ck_assert_ptr_eq(task.x.dense, d->x.dense);
    ck_assert_ptr_eq(task.graph.ids, d->graph.ids);
    ck_assert_ptr_eq(task.relations, d->relations);
    ck_assert_int_eq(task.relation_count, 2);
    ck_assert_ptr_eq(task.split.test.ids, d->split.test.ids);
    ck_assert_ptr_null(task.candidates);
    cru_data_destroy(d);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("data-check");
    TCase *c = tcase_create("data");
    tcase_add_test(c, sound_data_passes);
    tcase_add_loop_test(c, each_rule_has_its_message, 0, sizeof cases / sizeof *cases);
    tcase_add_test(c, a_merged_graph_may_have_loops_of_its_own);
    tcase_add_test(c, a_value_that_is_not_finite_is_found_anywhere_in_long_rows);
    tcase_add_test(c, impossible_sizes_give_no_memory);
    tcase_add_test(c, a_task_knows_labels_of_train_and_val_only);
    tcase_add_test(c, a_task_of_candidate_sets_has_no_labels);
    tcase_add_test(c, a_task_borrows_features_graph_and_split);
    suite_add_tcase(s, c);
    return s;
}
