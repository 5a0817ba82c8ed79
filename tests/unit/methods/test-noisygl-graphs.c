// SPDX-License-Identifier: Apache-2.0
/* crgnn and nrgnn, which change the graph: against the numbers of the study's code. */
#include <math.h>

#include <crucible/draft/ops-loss.h>
#include <crucible/draft/tensor.h>
#include <crucible/draft/train.h>
#include <crucible/graph.h>
#include <crucible/learned-graph.h>

#include "labelled-edges.h"
#include "methods/method-bench.h"
#include "noisy-labels.h"

START_TEST(crgnn_contrasts_views_with_plain_products)
{
    cJSON *root = fixture_open("noisygl/crgnn.json");
    const cJSON *item = fixture_case(root, "contrastive");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *z1 = bench_upload(t, fixture_input(item, "z1")), *z2 = bench_upload(t, fixture_input(item, "z2"));
    cru_tensor *loss = cru_view_contrast(t, z1, z2, 0.5f, _i == 0);
    cru_backward(t, loss);
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "loss")->valuedouble);
    bench_check(&b, cru_grad_of(t, z1), fixture_expected(item, "grad_z1"));
    bench_check(&b, cru_grad_of(t, z2), fixture_expected(item, "grad_z2"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(crgnn_trains_where_views_agree)
{
    static double ids[BENCH_MOST], agree[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/crgnn.json");
    const cJSON *item = fixture_case(root, "dynamic_ce");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    const int64_t n = fixture_numbers(fixture_input(item, "train"), ids);
    int32_t train[BENCH_MOST];
    for (int64_t i = 0; i < n; i++) train[i] = (int32_t)ids[i];
    cru_tape_begin(t, CRU_TRAIN);
    const cru_index rows = cru_index_step(t, train, n);
    const cru_index found = agreement(t, cru_gather(t, bench_upload(t, fixture_input(item, "logp1")), rows),
                                      cru_gather(t, bench_upload(t, fixture_input(item, "logp2")), rows), true);
    ck_assert_int_eq(found.count, fixture_numbers(fixture_expected(item, "agree"), agree));
    for (int64_t i = 0; i < found.count; i++) ck_assert_int_eq(train[found.ids[i]], (int)agree[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The fixture's view is the graph here: edges as kept, the masked feature zero. */
START_TEST(crgnn_encodes_directed_edges)
{
    cJSON *root = fixture_open("noisygl/crgnn.json");
    const cJSON *item = fixture_case(root, "asymmetric_view_forward");
    const cJSON *params = fixture_input(item, "params"), *encoder = cJSON_GetObjectItem(params, "encoder");
    const cJSON *classifier = cJSON_GetObjectItem(params, "classifier");
    cJSON *labels = cJSON_Parse("[0, 1, 2, 0, 1, 2, 0, 1]"), *train = cJSON_Parse("[0, 1]"),
          *graph = cJSON_CreateObject();
    cJSON_AddNumberToObject(graph, "n", 8);
    cJSON_AddItemToObject(graph, "edges", cJSON_Duplicate(fixture_input(item, "kept_edges_src_dst"), true));
    bench b = bench_create();
    bench_graph_as(&b, graph, true);
    bench_features(&b, fixture_input(item, "X"));
    float *x = cru_data_alloc(b.data, 8 * 5, sizeof *x);
    for (int i = 0; i < 40; i++)
        if (cJSON_IsTrue(cJSON_GetArrayItem(fixture_input(item, "column_mask"), i % 5))) x[i] = b.data->x.dense[i];
    b.data->x.dense = x;
    bench_labels(&b, labels, train);
    bench_open(&b, "crgnn", (const char *[]){"variant", "paper", "hidden", "4", "dropout", "0", NULL});
    bench_set(&b, "conv0.weight", cJSON_GetObjectItem(encoder, "conv1.lin.weight"), TRANSPOSED);
    bench_set(&b, "conv0.bias", cJSON_GetObjectItem(encoder, "conv1.bias"), AS_STORED);
    bench_set(&b, "conv1.weight", cJSON_GetObjectItem(encoder, "conv2.lin.weight"), TRANSPOSED);
    bench_set(&b, "conv1.bias", cJSON_GetObjectItem(encoder, "conv2.bias"), AS_STORED);
    bench_set(&b, "classes.weight", cJSON_GetObjectItem(classifier, "fc.weight"), TRANSPOSED);
    bench_set(&b, "classes.bias", cJSON_GetObjectItem(classifier, "fc.bias"), AS_STORED);
    cru_tape *t = b.learner->tape;
    cru_tape_begin(t, CRU_EVAL);
    bench_check(&b, cru_log_softmax(t, cru_learner_logits(b.learner, t), 1), fixture_expected(item, "logp"));
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(graph);
    cJSON_Delete(root);
}
END_TEST

/* Variant bench predicts with the class head of the last epoch: the best snapshot holds the encoder only. */
START_TEST(crgnn_of_the_benchmark_keeps_only_the_encoder)
{
    cJSON *root = fixture_open("noisygl/crgnn.json");
    const cJSON *item = fixture_case(root, "asymmetric_view_forward");
    cJSON *labels = cJSON_Parse("[0, 1, 2, 0, 1, 2, 0, 1]"), *train = cJSON_Parse("[0, 1, 2, 4]");
    cJSON *graph = cJSON_Parse("{\"n\": 8, \"edges\": [[0, 1], [1, 2], [3, 4], [6, 7]]}");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, labels, train);
    bench_open(&b, "crgnn", (const char *[]){"variant", _i ? "paper" : "bench", "epochs", "3", NULL});
    ck_assert_int_eq(b.learner->net_count, _i ? 2 : 1);
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    float scores[24];
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_OK);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(graph);
    cJSON_Delete(root);
}
END_TEST

START_TEST(nrgnn_pairs_nodes_with_similar_labelled_ones)
{
    static double pairs[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/nrgnn.json");
    const cJSON *item = fixture_case(root, "candidates");
    cJSON *labels = cJSON_Parse("[0, 1, 0, 1, 0, 1, 0, 1]");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, labels, fixture_input(item, "train"));
    cru_error err = {0};
    ck_assert_int_eq(cru_data_task(b.data, 0, &b.task, &err), CRU_OK);
    const cru_csr found = similar_labelled(cru_data_pool(b.data), &b.task, fixture_input(item, "n_p")->valueint);
    const int64_t count = fixture_numbers(fixture_expected(item, "candidate_edges_sorted"), pairs) / 2;
    ck_assert_int_eq(cru_csr_nnz(&found), count);
    for (int64_t e = 0; e < count; e++)
        ck_assert_int_ge(cru_csr_find(&found, (int64_t)pairs[2 * e], (int32_t)pairs[2 * e + 1]), 0);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(root);
}
END_TEST

START_TEST(nrgnn_weighs_edges_by_products)
{
    static double pairs[BENCH_MOST];
    static int32_t row[BENCH_MOST], col[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/nrgnn.json");
    const cJSON *item = fixture_case(root, "edge_weights");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    const int64_t count = fixture_numbers(fixture_input(item, "edges"), pairs) / 2;
    for (int64_t e = 0; e < count; e++) row[e] = (int32_t)pairs[2 * e], col[e] = (int32_t)pairs[2 * e + 1];
    const cru_coo list = {.rows = 8, .cols = 8, .count = count, .row = row, .col = col};
    const cru_csr graph = cru_csr_from_coo(cru_ctx_pool(b.ctx), &list, CRU_DUP_FIRST); /* sorted, as the fixture */
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *r = bench_upload(t, fixture_input(item, "representations"));
    bench_check(&b, similar_weights(t, cru_sparse_create(b.ctx, &graph), r, 0.1f), fixture_expected(item, "weights"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The pairs v < u of a list. */
static cru_sparse *pairs_of(bench *b, const cJSON *list)
{
    static double pairs[BENCH_MOST];
    static int32_t row[BENCH_MOST], col[BENCH_MOST];
    const int64_t count = fixture_numbers(list, pairs) / 2;
    for (int64_t e = 0; e < count; e++) row[e] = (int32_t)pairs[2 * e], col[e] = (int32_t)pairs[2 * e + 1];
    const cru_coo coo = {.rows = 8, .cols = 8, .count = count, .row = row, .col = col};
    const cru_csr all = cru_csr_from_coo(cru_ctx_pool(b->ctx), &coo, CRU_DUP_FIRST);
    const cru_csr upper = cru_graph_upper(cru_ctx_pool(b->ctx), &all);
    return cru_sparse_create(b->ctx, &upper);
}

START_TEST(nrgnn_reconstructs_edges_and_non_edges)
{
    cJSON *root = fixture_open("noisygl/nrgnn.json");
    const cJSON *item = fixture_case(root, "reconstruction_loss");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *r = bench_upload(t, fixture_input(item, "representations"));
    cru_tensor *loss = reconstruction(t, r, pairs_of(&b, fixture_input(item, "sampled_negative_pairs")),
                                      pairs_of(&b, cJSON_GetObjectItem(fixture_input(item, "graph"), "edges")));
    cru_backward(t, loss);
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "loss")->valuedouble);
    bench_check(&b, cru_grad_of(t, r), fixture_expected(item, "grad_representations"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Nodes 0 and 2 aggregate from 2 and 3 besides the pattern's 0 <- 1 and loops: against the whole matrix, written
 * out. */
START_TEST(nrgnn_spreads_over_pattern_and_block)
{
    static const int64_t offsets[] = {0, 2, 3, 4, 5};
    static const int32_t ids[] = {0, 1, 1, 2, 3}, rows[] = {0, 2}, cols[] = {2, 3};
    static const float r[] = {1, 0, 0.5f, 0.5f, 2, 1, 0.25f, 4}, values[] = {1, 0.5f, 1, 1, 1}, x[] = {1, -2, 3, 5};
    /* products r_0 r_2 = 2, r_0 r_3 = 0.25 (cut off), r_2 r_3 = 4.5; none of node 2 with itself */
    static const double whole[4][4] = {{1, 0.5, 2, 0}, {0, 1, 0, 0}, {0, 0, 1, 4.5}, {0, 0, 0, 1}};
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    const cru_csr pattern = {.rows = 4, .cols = 4, .offsets = offsets, .ids = ids};
    cru_tape_begin(t, CRU_EVAL);
    cru_learned_graph g = {.pattern = cru_sparse_create(b.ctx, &pattern),
                           .weights = cru_tensor_upload(t, cru_2d(5, 1), values),
                           .rows = cru_index_step(t, rows, 2),
                           .cols = cru_index_step(t, cols, 2)};
    cru_tensor *points = cru_tensor_upload(t, cru_2d(4, 2), r);
    g.dense = similar_block(t, points, (cru_ids){rows, 2}, (cru_ids){cols, 2}, 0.3f);
    g = cru_learned_graph_normalise(t, &g);
    const cru_tensor *y = cru_learned_graph_spread(t, &g, cru_tensor_upload(t, cru_2d(4, 1), x));
    double degree[4] = {0};
    for (int i = 0; i < 16; i++) degree[i / 4] += whole[i / 4][i % 4];
    for (int i = 0; i < 4; i++) {
        double sum = 0;
        for (int j = 0; j < 4; j++) sum += whole[i][j] / sqrt(degree[i] * degree[j]) * (double)x[j];
        ck_assert_double_eq_tol((double)y->data[i], sum, 1e-5);
    }
    bench_destroy(&b);
}
END_TEST

/* Entries (0, 0), (0, 2), (1, 1), (2, 0), (2, 2) with weights 1, 0, 0.5, 0, 2. */
START_TEST(entries_without_weight_are_left_out)
{
    static const int64_t offsets[] = {0, 2, 3, 5};
    static const int32_t ids[] = {0, 2, 1, 0, 2};
    static const float weights[] = {1, 0, 0.5F, 0, 2}, kept[] = {1, 0.5F, 2};
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_learned_graph g = {.pattern = cru_sparse_step(t, &(cru_csr){3, 3, offsets, ids, NULL}),
                           .weights = cru_tensor_upload(t, cru_2d(5, 1), weights)};
    const cru_learned_graph present = present_edges(t, &g);
    ck_assert_int_eq(cru_csr_nnz(&present.pattern->csr), 3);
    for (int v = 0; v < 3; v++) {
        ck_assert_int_eq(present.pattern->csr.offsets[v + 1], v + 1);
        ck_assert_int_eq(present.pattern->csr.ids[v], v);
        ck_assert_float_eq(cru_tensor_host(t, present.weights)[v], kept[v]);
    }
    cru_tensor_watch(g.weights); /* a gradient needs every entry */
    ck_assert_ptr_eq(present_edges(t, &g).pattern, g.pattern);
    bench_destroy(&b);
}
END_TEST

START_TEST(nrgnn_finds_sure_predictions)
{
    static double numbers[BENCH_MOST];
    static float q[BENCH_MOST];
    static int32_t ids[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/nrgnn.json");
    const cJSON *item = fixture_case(root, "pseudo_label_edges_and_loss");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_EVAL);
    const int64_t values = fixture_numbers(fixture_input(item, "Q"), numbers);
    for (int64_t i = 0; i < values; i++) q[i] = (float)numbers[i];
    const int64_t items = fixture_numbers(fixture_input(item, "unlabeled"), numbers);
    for (int64_t i = 0; i < items; i++) ids[i] = (int32_t)numbers[i];
    const cru_ids found = confident(t, (cru_ids){ids, items}, q, 3, 0.8);
    ck_assert_int_eq(found.count, fixture_numbers(fixture_expected(item, "U_add"), numbers));
    for (int64_t i = 0; i < found.count; i++) ck_assert_int_eq(found.ids[i], (int)numbers[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* With p_u = 0 every unlabelled node is pseudo-labelled, which takes both variants through all of their code. */
START_TEST(nrgnn_trains_with_and_without_pseudo_labels)
{
    static const char *const variants[] = {"bench", "paper"}, *const least[] = {"0", "0.999999"};
    cJSON *root = fixture_open("noisygl/nrgnn.json");
    const cJSON *item = fixture_case(root, "candidates");
    cJSON *labels = cJSON_Parse("[0, 1, 0, 1, 0, 1, 0, 1]");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, labels, fixture_input(item, "train"));
    bench_open(&b, "nrgnn",
               (const char *[]){"variant", variants[_i / 2], "p_u", least[_i % 2], "epochs", "3", "hidden", "4", NULL});
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    float scores[16];
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_OK);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("noisy labels and graphs");
    TCase *c = tcase_create("fixtures");
    tcase_add_loop_test(c, crgnn_contrasts_views_with_plain_products, 0, 2);
    tcase_add_test(c, crgnn_trains_where_views_agree);
    tcase_add_test(c, crgnn_encodes_directed_edges);
    tcase_add_loop_test(c, crgnn_of_the_benchmark_keeps_only_the_encoder, 0, 2);
    tcase_add_test(c, nrgnn_pairs_nodes_with_similar_labelled_ones);
    tcase_add_test(c, nrgnn_weighs_edges_by_products);
    tcase_add_test(c, nrgnn_reconstructs_edges_and_non_edges);
    tcase_add_test(c, nrgnn_spreads_over_pattern_and_block);
    tcase_add_test(c, entries_without_weight_are_left_out);
    tcase_add_test(c, nrgnn_finds_sure_predictions);
    tcase_add_loop_test(c, nrgnn_trains_with_and_without_pseudo_labels, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
