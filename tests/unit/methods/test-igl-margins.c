// SPDX-License-Identifier: Apache-2.0
/* Losses of given logits (tam, topoauc) and networks of given weights (demo-net, rawlsgcn) against the numbers of the
 * imbalance study's code. */
#include <crucible/draft/nn.h>
#include <crucible/draft/tensor.h>

#include "methods/method-bench.h"

/* The loss of the fixture's logits and its gradient. */
static void check_loss(const char *file, const char *name, const char *expected, const char *const *settings)
{
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    cJSON *root = fixture_open(file);
    const cJSON *item = fixture_case(root, name), *logits = fixture_input(item, "logits");
    bench b = bench_create();
    b.tolerance = cJSON_GetObjectItem(item, "tolerance")->valuedouble;
    bench_graph(&b, fixture_input(item, "graph"));
    bench_identity_features(&b);
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, cJSON_GetObjectItem(root, "method")->valuestring, settings);
    cru_learner *l = b.learner;
    const int64_t count = fixture_numbers(logits, numbers), n = cJSON_GetArraySize(logits);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_tensor *z = cru_tensor_upload(l->tape, cru_2d(n, count / n), values);
    cru_tensor_watch(z);
    b.loss = l->method->loss(l, l->model, l->tape, z);
    bench_check_loss(&b, fixture_expected(item, expected));
    cru_backward(l->tape, b.loss);
    bench_check(&b, cru_grad_of(l->tape, z), fixture_expected(item, "dlogits"));
    bench_destroy(&b);
    cJSON_Delete(root);
}

START_TEST(tam_moves_logits)
{
    static const char *const cases[] = {"balanced", "imbalanced"};
    check_loss("igl/tam.json", cases[_i], "loss", (const char *[]){"warmup", "0", NULL});
}
END_TEST

START_TEST(tam_warms_up_without_margins)
{
    cJSON *root = fixture_open("igl/tam.json");
    const cJSON *item = fixture_case(root, "imbalanced");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_identity_features(&b);
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, "tam", (const char *[]){"warmup", "1", "dropout", "0", NULL});
    bench_run(&b);
    const float plain = cru_tensor_item(b.learner->tape, cru_learner_loss(b.learner, b.learner->tape, b.logits));
    ck_assert_float_eq(cru_tensor_item(b.learner->tape, b.loss), plain);
    b.learner->epoch = 1;
    bench_run(&b);
    ck_assert_float_ne(cru_tensor_item(b.learner->tape, b.loss), plain);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(topoauc_compares_pairs)
{
    static const char *const cases[][2] = {{"gamma_0.5", "0.5"}, {"gamma_1.0", "1"}};
    check_loss("igl/topoauc.json", cases[_i][0], "auc_part", (const char *[]){"gamma", cases[_i][1], NULL});
}
END_TEST

/* Pairs that cost (0 - d)^2 have a loss that the sum over the fixture's pair weights gives. */
START_TEST(topoauc_weighs_pairs)
{
    static double v[BENCH_MOST];
    cJSON *root = fixture_open("igl/topoauc.json");
    const cJSON *item = fixture_case(root, "pair_weights"), *train = fixture_input(item, "train");
    const int count = cJSON_GetArraySize(train);
    bench b = bench_create();
    b.tolerance = 1e-6;
    bench_graph(&b, fixture_input(item, "graph"));
    bench_identity_features(&b);
    bench_labels(&b, fixture_input(item, "labels"), train);
    bench_open(&b, "topoauc", (const char *[]){"per", "1", "dropout", "0", "pairs", "square", "gamma", "0", NULL});
    fixture_numbers(fixture_expected(item, "v"), v);
    bench_run(&b);
    const float *p = cru_tensor_host(b.learner->tape, cru_softmax(b.learner->tape, b.logits, 1));
    double sizes[3] = {0}, by_pair[3][3] = {{0}}, sum = 0;
    for (int i = 0; i < count; i++) sizes[b.task.labels[b.task.split.train.ids[i]]]++;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            const int32_t u = b.task.split.train.ids[i], w = b.task.split.train.ids[j];
            const int32_t yu = b.task.labels[u], yw = b.task.labels[w];
            const double d = (double)p[3 * u + yu] - (double)p[3 * w + yu];
            by_pair[yu][yw] += v[i * count + j] * d * d / (sizes[yu] * sizes[yw]);
        }
    for (int i = 0; i < 9; i++) sum += by_pair[i / 3][i % 3];
    /* 0 and 2 share no neighbours in this graph, so that these two classes add nothing */
    const double alike = by_pair[0][2] + by_pair[2][0];
    bench_check_number(&b, (double)cru_tensor_item(b.learner->tape, b.loss), sum - alike);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* A second layer that passes on what the first gives shows its output. */
START_TEST(demo_net_has_weights_for_each_degree)
{
    cJSON *root = fixture_open("igl/demo-net.json"), *identity = cJSON_Parse("[[1, 0, 0], [0, 1, 0], [0, 0, 1]]");
    const cJSON *item = fixture_case(root, "layer"), *wd = fixture_input(item, "Wd");
    const cJSON *dwd = fixture_expected(item, "dWd");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "x"));
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, "demo-net", (const char *[]){"layers", "1", "hidden", "3", "dropout", "0", NULL});
    bench_set(&b, "layer0.shared", fixture_input(item, "Wg"), AS_STORED);
    bench_set(&b, "layer0.own", fixture_input(item, "Ws"), AS_STORED);
    bench_set(&b, "layer0.bias", fixture_input(item, "bias"), AS_STORED);
    bench_set(&b, "layer1.own", identity, AS_STORED);
    for (int d = 0; d < 4; d++) {
        char name[32], key[2] = {(char)('0' + d), 0};
        snprintf(name, sizeof name, d ? "layer1.degree%d" : "layer1.shared", d);
        cru_tensor *w = bench_weight(&b, name);
        for (int64_t i = 0; i < cru_tensor_count(w); i++) w->data[i] = 0;
        snprintf(name, sizeof name, "layer0.degree%d", d);
        if (d) bench_set(&b, name, cJSON_GetObjectItem(wd, key), AS_STORED);
    }
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "out"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    bench_check_gradient(&b, "layer0.shared", fixture_expected(item, "dWg"), AS_STORED);
    bench_check_gradient(&b, "layer0.degree1", cJSON_GetObjectItem(dwd, "1"), AS_STORED);
    bench_check_gradient(&b, "layer0.degree2", cJSON_GetObjectItem(dwd, "2"), AS_STORED);
    bench_check_gradient(&b, "layer0.degree3", cJSON_GetObjectItem(dwd, "3"), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(identity);
    cJSON_Delete(root);
}
END_TEST

START_TEST(rawlsgcn_makes_gradients_fair)
{
    static const char *const weights[][2] = {
        {"conv0.weight", "dW0_rawls"}, {"conv1.weight", "dW1_rawls"}, {"conv0.bias", "db0"}, {"conv1.bias", "db1"}};
    cJSON *root = fixture_open("igl/rawlsgcn.json");
    const cJSON *item = fixture_case(root, "rawls_grad");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "x"));
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, "rawlsgcn",
               (const char *[]){"model", "grad", "hidden", "4", "dropout", "0", "tolerance", "1e-4", NULL});
    bench_set(&b, "conv0.weight", fixture_input(item, "W0"), AS_STORED);
    bench_set(&b, "conv1.weight", fixture_input(item, "W1"), AS_STORED);
    for (int i = 2; i < 4; i++) {
        cru_tensor *bias = bench_weight(&b, weights[i][0]);
        for (int64_t k = 0; k < cru_tensor_count(bias); k++) bias->data[k] = 0;
    }
    bench_run(&b);
    bench_check_loss(&b, fixture_expected(item, "loss"));
    for (int i = 0; i < 4; i++)
        bench_check_gradient(&b, weights[i][0], fixture_expected(item, weights[i][1]), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* R x for x of the fixture: the logits of a network whose first matrix is large and positive, so that ReLU passes. */
START_TEST(rawlsgcn_propagates_over_sinkhorns_matrix)
{
    static const char *const cases[][2] = {{"sinkhorn_eps0.01", "0.01"}, {"sinkhorn_eps0.0001", "1e-4"}};
    static double ds[BENCH_MOST];
    cJSON *root = fixture_open("igl/rawlsgcn.json"), *train = cJSON_Parse("[0]");
    cJSON *labels = cJSON_Parse("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
    const cJSON *item = fixture_case(root, cases[_i][0]);
    bench b = bench_create();
    b.tolerance = 3e-6; /* of a product of two matrices in float */
    bench_graph(&b, fixture_input(item, "graph"));
    bench_identity_features(&b);
    bench_labels(&b, labels, train);
    bench_open(&b, "rawlsgcn", (const char *[]){"hidden", "10", "dropout", "0", "tolerance", cases[_i][1], NULL});
    for (int k = 0; k < 4; k++) {
        cru_tensor *w = cru_net_weight_at(b.learner->net, k);
        for (int64_t i = 0; i < cru_tensor_count(w); i++) w->data[i] = cru_tensor_cols(w) == 10 && i % 11 == 0;
    }
    bench_run(&b);
    fixture_numbers(fixture_expected(item, "ds"), ds);
    for (int i = 0; i < 100; i++) { /* two convolutions with W = I: R R */
        double sum = 0;
        for (int k = 0; k < 10; k++) sum += ds[i / 10 * 10 + k] * ds[k * 10 + i % 10];
        bench_check_number(&b, (double)b.logits->data[i], sum);
    }
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance margins");
    TCase *c = tcase_create("fixtures");
    tcase_add_loop_test(c, tam_moves_logits, 0, 2);
    tcase_add_test(c, tam_warms_up_without_margins);
    tcase_add_loop_test(c, topoauc_compares_pairs, 0, 2);
    tcase_add_test(c, topoauc_weighs_pairs);
    tcase_add_test(c, demo_net_has_weights_for_each_degree);
    tcase_add_test(c, rawlsgcn_makes_gradients_fair);
    tcase_add_loop_test(c, rawlsgcn_propagates_over_sinkhorns_matrix, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
