// SPDX-License-Identifier: Apache-2.0
/* graphmixup: its parts against the numbers of the study. */
#include <crucible/paths.h>

#include "methods/method-bench.h"
#include "mixed-nodes.h"
#include "mixup-scale.h"
#include "path-tasks.h"
#include "relations.h"

static cru_tensor *upload(cru_tape *t, const cJSON *rows, int64_t cols, bool transposed)
{
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(t, cru_2d(count / cols, cols), values);
    cru_tensor_watch(x);
    return transposed ? cru_transposed(t, x) : x;
}

/* att: relations x (own; other), W and W_rel as PyTorch stores them. */
START_TEST(relations_weigh_edges)
{
    cJSON *root = fixture_open("igl/graphmixup.json");
    const cJSON *item = fixture_case(root, "semantic_layer");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_EVAL);
    const cru_input x = cru_input_of(upload(t, fixture_input(item, "x"), 5, false));
    cru_tensor *att = upload(t, fixture_input(item, "att"), 8, false);
    const relations r = {.hidden = {upload(t, fixture_input(item, "W"), 5, true), NULL},
                         .own = {cru_transposed(t, cru_slice_cols(t, att, 0, 4)), NULL},
                         .other = {cru_transposed(t, cru_slice_cols(t, att, 4, 8)), NULL},
                         .relate = {upload(t, fixture_input(item, "W_rel"), 5, true), NULL}};
    const relations_seen seen = relations_embed(t, &r, cru_sparse_create(b.ctx, &b.data->graph), &x);
    bench_check(&b, cru_transposed(t, seen.weights), fixture_expected(item, "edge_weight"));
    bench_check(&b, seen.e, fixture_expected(item, "embedding"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(relations_should_differ)
{
    cJSON *root = fixture_open("igl/graphmixup.json");
    const cJSON *item = fixture_case(root, "semantic_loss");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *described = upload(t, fixture_input(item, "pred"), 4, false);
    cru_tensor *loss = relations_alike(t, described);
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "loss")->valuedouble);
    cru_backward(t, loss);
    bench_check(&b, cru_grad_of(t, described), fixture_expected(item, "dpred"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(the_scale_is_learned_by_a_table)
{
    double f1[8], actions[8];
    cJSON *root = fixture_open("igl/graphmixup.json");
    const cJSON *item = fixture_case(root, "q_learning_trace");
    const int64_t count = fixture_numbers(fixture_input(item, "val_f1_sequence"), f1);
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "actions"), actions), count);
    mixup_scale s = mixup_scale_create(cJSON_GetArrayItem(fixture_input(item, "initial_acc"), 1)->valuedouble);
    const cJSON *trace = fixture_expected(item, "trace");
    for (int i = 0; i < count; i++) {
        mixup_scale_act(&s, f1[i], (int32_t)actions[i]);
        const cJSON *k = cJSON_GetObjectItem(cJSON_GetArrayItem(trace, i), "k");
        ck_assert_double_eq_tol(mixup_scale_k(&s), k->valuedouble, 1e-6);
    }
    const cJSON *state;
    cJSON_ArrayForEach(state, fixture_expected(item, "q"))
    {
        const int at = (int)lround(atof(state->string) / 0.05) + SCALE_STATES / 2;
        for (int a = 0; a < 2; a++)
            ck_assert_double_eq_tol(s.value[at][a], cJSON_GetArrayItem(state, a)->valuedouble, 1e-6);
    }
    cJSON_Delete(root);
}
END_TEST

/* 7 nodes for an average of 20 are 20 / 7 - 1 = 1 + 6/7 times new: once all, then the first 6. k = -1 takes one off. */
START_TEST(classes_are_mixed_up_to_the_average)
{
    const mixup_copies even = mixup_copies_of(7, 20, 0), fewer = mixup_copies_of(7, 20, -1);
    ck_assert_int_eq(even.whole, 1);
    ck_assert_int_eq(even.rest, 6);
    ck_assert_int_eq(fewer.whole, 0);
    ck_assert_int_eq(fewer.rest, 6);
    ck_assert_int_eq(mixup_copies_of(19, 20, -1).whole, 0);
    ck_assert_int_eq(mixup_copies_of(19, 20, -1).rest, 0);
}
END_TEST

/* Class 0 has four nodes, class 1 two: with one and a half new nodes for each they are six and three. The average, of
 * which both are not below, has no say. */
START_TEST(an_up_scale_mixes_every_class_it_is_given)
{
    const int32_t first[] = {0, 1, 2, 3}, second[] = {4, 5};
    const cru_ids members[] = {{first, 4}, {second, 2}};
    const float place[] = {0, 1, 3, 7, 2, 4};
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_rng rng = cru_rng_stream(1, "test", 0);
    const mixed_plan plan = {.members = members, .classes = 2, .average = 1, .up_scale = 1.5};
    const mixed x = mixed_draw(t, &plan, cru_tensor_upload(t, cru_2d(6, 1), place), &rng);
    int64_t of[2] = {0};
    for (int64_t i = 0; i < x.count; i++) of[x.labels[i]]++;
    ck_assert_int_eq(of[0], 6);
    ck_assert_int_eq(of[1], 3);
    bench_destroy(&b);
}
END_TEST

/* Of three classes the share keeps one, the smallest: its two nodes are mixed once, and the others not at all. */
START_TEST(an_up_scale_is_for_the_smallest_classes)
{
    cJSON *graph =
        cJSON_Parse("{\"n\": 9, \"edges\": [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 8]]}");
    cJSON *labels = cJSON_Parse("[0, 0, 0, 0, 1, 1, 2, 2, 2]"), *train = cJSON_Parse("[0, 1, 2, 3, 4, 5, 6, 7, 8]");
    double loss[2];
    for (int some = 0; some < 2; some++) {
        bench b = bench_create();
        bench_graph(&b, graph);
        bench_identity_features(&b);
        bench_labels(&b, labels, train);
        bench_open(&b, "graphmixup",
                   (const char *[]){"up_scale", "1", "minority", some ? "0.4" : "0.3", "hidden", "4", "relations", "1",
                                    "parts", "2", "dropout", "0", "first", "0", NULL});
        ck_assert_int_eq(bench_epoch(&b, &loss[some]), CRU_OK);
        bench_destroy(&b);
    }
    ck_assert(isfinite(loss[0]) && isfinite(loss[1]));
    ck_assert_double_ne(loss[0], loss[1]);
    cJSON *const all[] = {graph, labels, train};
    for (int i = 0; i < 3; i++) cJSON_Delete(all[i]);
}
END_TEST

/* With room for all, every pair of the fixture's distances is there once, in its group. */
START_TEST(pairs_are_grouped_by_hops)
{
    double hops[100];
    cJSON *root = fixture_open("igl/graphmixup.json");
    const cJSON *item = fixture_case(root, "local_path_labels");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "hops"), hops), 100);
    cru_rng rng = cru_rng_stream(1, "test", 0);
    const path_pairs all = path_pairs_draw(cru_data_pool(b.data), &b.data->graph, 5, 100, &rng);
    ck_assert_int_eq(all.count, 45);
    for (int64_t i = 0; i < all.count; i++)
        ck_assert_int_eq(all.group[i], (int)hops[all.first[i] * 10 + all.second[i]] - 1);
    const path_pairs few = path_pairs_draw(cru_data_pool(b.data), &b.data->graph, 2, 3, &rng);
    ck_assert_int_eq(few.count, 9);
    for (int64_t i = 0; i < few.count; i++) {
        const int d = (int)hops[few.first[i] * 10 + few.second[i]];
        ck_assert_int_eq(few.group[i], (d > 2 ? 3 : d) - 1);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("igl-mixup");
    TCase *c = tcase_create("graphmixup");
    tcase_add_test(c, relations_weigh_edges);
    tcase_add_test(c, relations_should_differ);
    tcase_add_test(c, the_scale_is_learned_by_a_table);
    tcase_add_test(c, classes_are_mixed_up_to_the_average);
    tcase_add_test(c, an_up_scale_mixes_every_class_it_is_given);
    tcase_add_test(c, an_up_scale_is_for_the_smallest_classes);
    tcase_add_test(c, pairs_are_grouped_by_hops);
    suite_add_tcase(s, c);
    return s;
}
