// SPDX-License-Identifier: Apache-2.0
/* pignn's pairs and cgnn's views: against the numbers of the study's code. */
#include <string.h>

#include <crucible/draft/tensor.h>
#include <crucible/sampling.h>

#include "label-cleaning.h"
#include "methods/method-bench.h"
#include "pair-loss.h"
#include "view-contrast.h"

/* A matrix of the fixture on the tape, watched. */
static cru_tensor *matrix(cru_tape *t, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    float *values = cru_tape_alloc(t, count, sizeof *values);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(t, cru_2d(n, count / n), values);
    cru_tensor_watch(x);
    return x;
}

static void check_item(const bench *b, cru_tape *t, const cru_tensor *x, const cJSON *expected)
{
    bench_check_number(b, (double)cru_tensor_item(t, x), expected->valuedouble);
}

/* The weights of the last case are those of the network of the first. */
START_TEST(pignn_weighs_pairs)
{
    static const char *const names[] = {"confidence_net", "main_unweighted", "main_weighted"};
    cJSON *root = fixture_open("noisygl/pignn.json");
    const cJSON *item = fixture_case(root, names[_i]);
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    cru_tape *t = cru_tape_create(b.ctx);
    const cru_csr near = cru_graph_loops(cru_ctx_pool(b.ctx), &b.data->graph, CRU_LOOPS_SET);
    const pair_graph g = {cru_sparse_create(b.ctx, &near), cru_csr_nnz(&b.data->graph)};
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *z = matrix(t, fixture_input(item, "logits"));
    cru_tensor *v = matrix(t, fixture_input(fixture_case(root, names[0]), "logits"));
    cru_tensor *loss = pair_loss(t, &g, z, _i == 2 ? v : NULL);
    if (_i > 0) {
        static double numbers[BENCH_MOST];
        static int32_t rows[8], labels[8]; /* read again when the tape goes backward */
        check_item(&b, t, loss, fixture_expected(item, "context"));
        const int64_t count = fixture_numbers(fixture_input(item, "train"), numbers);
        for (int64_t i = 0; i < count; i++) rows[i] = (int32_t)numbers[i];
        fixture_numbers(fixture_input(item, "labels"), numbers);
        for (int64_t i = 0; i < count; i++) labels[i] = (int32_t)numbers[rows[i]];
        const cru_index train = cru_index_step(t, rows, count);
        const cru_targets targets = {.rows = &train, .labels = cru_index_step(t, labels, count)};
        loss = cru_add(t, loss, cru_cross_entropy(t, z, &targets));
    }
    cru_backward(t, loss);
    check_item(&b, t, loss, fixture_expected(item, "loss"));
    bench_check(&b, cru_grad_of(t, z), fixture_expected(item, "grad_logits"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(cgnn_contrasts_all_pairs)
{
    static double numbers[BENCH_MOST];
    static int32_t ids[2][8];
    cJSON *root = fixture_open("noisygl/cgnn.json");
    const cJSON *item = fixture_case(root, _i ? "contrastive_zero_row_value_only" : "contrastive_two_batches");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *e = matrix(t, fixture_input(item, "out_edge")), *n = matrix(t, fixture_input(item, "out_node"));
    cru_tensor *loss = NULL;
    for (int k = 0; k < 2; k++) {
        const int64_t count = fixture_numbers(cJSON_GetArrayItem(fixture_input(item, "batches"), k), numbers);
        for (int64_t i = 0; i < count; i++) ids[k][i] = (int32_t)numbers[i];
        const cru_index rows = cru_index_step(t, ids[k], count);
        cru_tensor *a = cru_gather(t, e, rows), *c = cru_gather(t, n, rows);
        loss = cru_plus(t, loss, 1, all_pairs_contrast(t, a, c, 0.5));
    }
    check_item(&b, t, loss, fixture_expected(item, "loss"));
    if (_i == 0) {
        cru_backward(t, loss);
        bench_check(&b, cru_grad_of(t, e), fixture_expected(item, "grad_edge"));
        bench_check(&b, cru_grad_of(t, n), fixture_expected(item, "grad_node"));
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static const char *const conv_weights[][2] = {{"conv1.lin.weight", "conv0.weight"}, {"conv1.bias", "conv0.bias"},
                                              {"conv2.lin.weight", "conv1.weight"}, {"conv2.bias", "conv1.bias"},
                                              {"conv3.lin.weight", "conv2.weight"}, {"conv3.bias", "conv2.bias"}};

START_TEST(cgnn_ends_in_a_relu)
{
    cJSON *root = fixture_open("noisygl/cgnn.json");
    const cJSON *item = fixture_case(root, "three_layer_relu_output");
    const cJSON *params = fixture_input(item, "params"), *grads = fixture_expected(item, "grads");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train"));
    bench_open(&b, "cgnn", (const char *[]){"hidden", "4", "dropout", "0", NULL});
    for (size_t i = 0; i < sizeof conv_weights / sizeof *conv_weights; i++)
        bench_set(&b, conv_weights[i][1], cJSON_GetObjectItem(params, conv_weights[i][0]),
                  i % 2 ? AS_STORED : TRANSPOSED);
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "out"));
    bench_check_loss(&b, fixture_expected(item, "ce"));
    for (size_t i = 0; i < sizeof conv_weights / sizeof *conv_weights; i++)
        bench_check_gradient(&b, conv_weights[i][1], cJSON_GetObjectItem(grads, conv_weights[i][0]),
                             i % 2 ? AS_STORED : TRANSPOSED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Which entries of a view are kept, one bit an edge. */
static uint32_t edges_kept(const cru_csr *view, const double *edges, int64_t count)
{
    uint32_t bits = 0;
    for (int64_t e = 0; e < count; e++)
        if (cru_csr_find(view, (int64_t)edges[2 * e], (int32_t)edges[2 * e + 1]) >= 0) bits |= 1U << e;
    return bits;
}

/* Views are drawn until one has the edges that the study kept: it has them in both directions, and nothing else. Every
 * second of ten edges: 1 of 1024 views. */
START_TEST(cgnn_keeps_edges_in_both_directions)
{
    static double edges[BENCH_MOST], numbers[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/cgnn.json");
    const cJSON *item = fixture_case(root, "undirected_edge_drop"), *graph = fixture_input(item, "graph");
    bench b = bench_create();
    bench_graph(&b, graph);
    const int64_t count = fixture_numbers(cJSON_GetObjectItem(graph, "edges"), edges) / 2;
    const int64_t kept = fixture_numbers(fixture_input(item, "kept_upper"), numbers) / 2;
    uint32_t wanted = 0;
    for (int64_t e = 0; e < count; e++)
        for (int64_t k = 0; k < kept; k++) wanted |= (uint32_t)(memcmp(edges + 2 * e, numbers + 2 * k, 16) == 0) << e;
    cru_rng rng = cru_rng_stream(1, "views", 0);
    cru_csr view = {0};
    for (int draw = 0; draw < 20000 && edges_kept(&view, edges, view.rows ? count : 0) != wanted; draw++)
        view = cru_sample_edges(cru_ctx_pool(b.ctx), &b.data->graph, 0.5, true, &rng);
    const int64_t entries = fixture_numbers(fixture_expected(item, "edges"), numbers) / 2;
    ck_assert_int_eq(cru_csr_nnz(&view), entries);
    for (int64_t e = 0; e < entries; e++)
        ck_assert_int_ge(cru_csr_find(&view, (int64_t)numbers[2 * e], (int32_t)numbers[2 * e + 1]), 0);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* A star: node 0 labelled 2 and neighbours labelled 1, 0, 0, 1, none. Four of five cosines are above 0.8: their share,
 * 0.8 as a float, is above the double 0.8. Labels 0 and 1 are equally frequent. With three of five nothing changes. */
START_TEST(cgnn_takes_the_label_of_similar_neighbours)
{
    static const int32_t ids[] = {1, 2, 3, 4, 5, 0, 0, 0, 0, 0}, labels[] = {2, 1, 0, 0, 1, CRU_UNLABELLED};
    static const int64_t offsets[] = {0, 5, 6, 7, 8, 9, 10};
    const float cosine[] = {0.9F, 0.85F, 0.99F, _i ? 0.5F : 0.81F, 0.1F, 0, 0, 0, 0, 0};
    const cru_csr graph = {6, 6, offsets, ids, NULL};
    int64_t count[3];
    const label_cleaning rule = {&graph, cosine, labels, 3, 0.8};
    ck_assert_int_eq(cleaned_label(&rule, 0, count), _i ? 2 : 0);
    ck_assert_int_eq(cleaned_label(&rule, 1, count), 1);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("noisy label pairs");
    TCase *c = tcase_create("pairs");
    tcase_add_loop_test(c, pignn_weighs_pairs, 0, 3);
    tcase_add_loop_test(c, cgnn_contrasts_all_pairs, 0, 2);
    tcase_add_test(c, cgnn_ends_in_a_relu);
    tcase_add_test(c, cgnn_keeps_edges_in_both_directions);
    tcase_add_loop_test(c, cgnn_takes_the_label_of_similar_neighbours, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
