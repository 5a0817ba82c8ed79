// SPDX-License-Identifier: Apache-2.0
/* The networks of the imbalance study against the numbers of its code. */
#include <crucible/draft/nn.h>
#include <crucible/draft/tensor.h>
#include <crucible/ops-basic.h>

#include "methods/method-bench.h"

START_TEST(gin_with_sum_pooling)
{
    static const char *const weights[][3] = {
        {"W1", "conv0.nn.linear0.weight", "dW1"}, {"b1", "conv0.nn.linear0.bias", NULL},
        {"W2", "conv0.nn.linear1.weight", "dW2"}, {"b2", "conv0.nn.linear1.bias", NULL},
        {"Wout", "out.weight", "dWout"},          {"bout", "out.bias", NULL},
    };
    cJSON *root = fixture_open("igl/gin.json"), *train = cJSON_Parse("[0, 1]");
    const cJSON *item = fixture_case(root, "gin_one_layer_sum_pool");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "x"));
    bench_split_graphs(&b, fixture_input(item, "graph_of_node"));
    bench_labels(&b, fixture_input(item, "graph_labels"), train);
    bench_open(&b, "gin", (const char *[]){"hidden", "4", "layers", "1", "dropout", "0", NULL});
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        bench_set(&b, weights[i][1], fixture_input(item, weights[i][0]), AS_STORED);
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        if (weights[i][2]) bench_check_gradient(&b, weights[i][1], fixture_expected(item, weights[i][2]), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(train);
    cJSON_Delete(root);
}
END_TEST

START_TEST(gcn_symmetric_and_mean)
{
    static const struct {
        const char *name, *normalisation;
    } cases[] = {{"gcn_sym_norm", "sym"}, {"gcn_mean_norm", "rw"}};
    static const char *const weights[][3] = {{"W0", "conv0.weight", "dW0"},
                                             {"b0", "conv0.bias", "db0"},
                                             {"W1", "conv1.weight", "dW1"},
                                             {"b1", "conv1.bias", "db1"}};
    cJSON *root = fixture_open("igl/gcn.json");
    const cJSON *item = fixture_case(root, cases[_i].name);
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "x"));
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, "gcn",
               (const char *[]){"hidden", "4", "dropout", "0", "normalisation", cases[_i].normalisation, NULL});
    for (int i = 0; i < 4; i++) bench_set(&b, weights[i][1], fixture_input(item, weights[i][0]), AS_STORED);
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    for (int i = 0; i < 4; i++)
        bench_check_gradient(&b, weights[i][1], fixture_expected(item, weights[i][2]), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* gin of one layer and width 2 on the nodes of a path of four. */
static void open_path(bench *b, const char *const *settings)
{
    cJSON *graph = cJSON_Parse("{\"n\": 4, \"edges\": [[0, 1], [1, 2], [2, 3]]}"),
          *labels = cJSON_Parse("[0, 1, 0, 1]");
    cJSON *x = cJSON_Parse("[[1, 0, 2], [0, 1, 0], [3, 1, 1], [0, 0, 1]]"), *train = cJSON_Parse("[0, 1, 2, 3]");
    *b = bench_create();
    bench_graph(b, graph);
    bench_features(b, x);
    bench_labels(b, labels, train);
    bench_open(b, "gin", settings);
    cJSON *const all[] = {graph, labels, x, train};
    for (int k = 0; k < 4; k++) cJSON_Delete(all[k]);
}

START_TEST(gin_drops_logits)
{
    bench whole, late;
    open_path(&whole, (const char *[]){"hidden", "2", "layers", "1", "dropout", "0", NULL});
    open_path(&late, (const char *[]){"hidden", "2", "layers", "1", "dropout", "0.5", "late_dropout", "yes", NULL});
    int dropped = 0;
    bench_run(&whole);
    bench_run(&late);
    for (int i = 0; i < 8; i++) {
        dropped += late.logits->data[i] == 0;
        if (late.logits->data[i] != 0) bench_check_number(&late, late.logits->data[i], 2 * whole.logits->data[i]);
    }
    ck_assert_int_gt(dropped, 0);
    ck_assert_int_lt(dropped, 8);
    bench_destroy(&whole);
    bench_destroy(&late);
}
END_TEST

/* Without a head the perceptron's output can be seen. With one that changes nothing, it is normalised and activated. */
START_TEST(gin_norms_what_the_perceptron_gives)
{
    bench plain, outer;
    open_path(&plain, (const char *[]){"hidden", "2", "layers", "1", "head", "no", NULL});
    open_path(&outer, (const char *[]){"hidden", "2", "layers", "1", "dropout", "0", "outer_norm", "yes", NULL});
    const float identity[] = {1, 0, 0, 1};
    for (int k = 0; k < 4; k++) bench_weight(&outer, "out.weight")->data[k] = identity[k];
    for (int k = 0; k < 2; k++) bench_weight(&outer, "out.bias")->data[k] = 0;
    bench_run(&plain);
    bench_run(&outer);
    for (int c = 0; c < 2; c++) {
        double mean = 0, variance = 0;
        for (int v = 0; v < 4; v++) mean += (double)plain.logits->data[2 * v + c] / 4;
        for (int v = 0; v < 4; v++) variance += pow((double)plain.logits->data[2 * v + c] - mean, 2) / 4;
        for (int v = 0; v < 4; v++) {
            const double normed = ((double)plain.logits->data[2 * v + c] - mean) / sqrt(variance + 1e-5);
            bench_check_number(&outer, (double)outer.logits->data[2 * v + c], fmax(normed, 0));
        }
    }
    bench_destroy(&plain);
    bench_destroy(&outer);
}
END_TEST

/* ---- a layer alone ------------------------------------------------------------------------------------------- */

/* A weight with the fixture's numbers, `rows` rows of them; 0: a vector. */
static cru_tensor *weight(bench *b, const cJSON *numbers, int64_t rows)
{
    static double values[BENCH_MOST];
    const int64_t count = fixture_numbers(numbers, values);
    cru_tensor *w =
        cru_net_weight(cru_net_create(b->ctx, "net"), "w", rows ? cru_2d(rows, count / rows) : cru_1d(count),
                       (cru_init){.kind = CRU_INIT_ZEROS});
    for (int64_t i = 0; i < count; i++) w->data[i] = (float)values[i];
    return w;
}

/* What the layer gives, and the slopes of its mean square; names end with NULL. */
static void check_layer(bench *b, cru_tape *t, cru_tensor *out, const cJSON *item, const char *const *names,
                        cru_tensor *const *weights)
{
    bench_check(b, out, fixture_expected(item, "out"));
    cru_tensor *loss = cru_mean(t, cru_square(t, out), CRU_ALL);
    bench_check_number(b, (double)cru_tensor_item(t, loss), fixture_expected(item, "loss_mean_square")->valuedouble);
    cru_backward(t, loss);
    for (int i = 0; names[i]; i++) bench_check(b, cru_grad_of(t, weights[i]), fixture_expected(item, names[i]));
}

/* The graph, features and tape of a fixture's layer. */
static cru_tape *open_layer(bench *b, const cJSON *item, cru_input *x)
{
    *b = bench_create();
    bench_graph(b, fixture_input(item, "graph"));
    bench_features(b, fixture_input(item, "x"));
    *x = cru_input_create(b->ctx, &b->data->x);
    cru_tape *t = cru_tape_create(b->ctx);
    cru_tape_begin(t, CRU_TRAIN);
    return t;
}

/* The matrix that the kind wants, of the fixture's graph. */
static cru_sparse *matrix_for(bench *b, const cru_encoder_kind *kind)
{
    const cru_encoder e = {.adjacency = kind->adjacency};
    const cru_csr a = cru_encoder_graph(cru_ctx_pool(b->ctx), &e, &b->data->graph);
    return cru_sparse_create(b->ctx, &a);
}

START_TEST(a_layer_of_gat)
{
    static const char *const slopes[] = {"dW", "datt_src", "datt_dst", NULL};
    cJSON *root = fixture_open("igl/gat.json");
    const cJSON *item = fixture_case(root, "gat_layer");
    bench b;
    cru_input x;
    cru_tape *t = open_layer(&b, item, &x);
    const cru_encoder_kind *kind = cru_encoder_kind_of(CRU_ENCODER_GAT);
    const cru_gat layer = {.w = weight(&b, fixture_input(item, "W"), x.cols),
                           .a_src = weight(&b, fixture_input(item, "att_src"), 2),
                           .a_dst = weight(&b, fixture_input(item, "att_dst"), 2),
                           .b = weight(&b, fixture_input(item, "bias"), 0),
                           .heads = 2,
                           .out = 3,
                           .concat = true,
                           .slope = 0.2};
    cru_tensor *out = kind->apply(t, &layer, matrix_for(&b, kind), &x);
    check_layer(&b, t, out, item, slopes, (cru_tensor *[]){layer.w, layer.a_src, layer.a_dst});
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(a_layer_of_graphsage)
{
    static const char *const slopes[] = {"dW_neigh", "dW_self", NULL};
    cJSON *root = fixture_open("igl/graphsage.json");
    const cJSON *item = fixture_case(root, "layer");
    bench b;
    cru_input x;
    cru_tape *t = open_layer(&b, item, &x);
    const cru_encoder_kind *kind = cru_encoder_kind_of(CRU_ENCODER_SAGE);
    const cru_sage layer = {.neighbour = {weight(&b, fixture_input(item, "W_neigh"), x.cols),
                                          weight(&b, fixture_input(item, "b_neigh"), 0)},
                            .self = {.w = weight(&b, fixture_input(item, "W_self"), x.cols)}};
    cru_tensor *out = cru_activate(t, kind->activation, kind->apply(t, &layer, matrix_for(&b, kind), &x));
    check_layer(&b, t, out, item, slopes, (cru_tensor *[]){layer.neighbour.w, layer.self.w});
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance fixtures");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, gin_with_sum_pooling);
    tcase_add_test(c, gin_drops_logits);
    tcase_add_test(c, gin_norms_what_the_perceptron_gives);
    tcase_add_loop_test(c, gcn_symmetric_and_mean, 0, 2);
    tcase_add_test(c, a_layer_of_gat);
    tcase_add_test(c, a_layer_of_graphsage);
    suite_add_tcase(s, c);
    return s;
}
