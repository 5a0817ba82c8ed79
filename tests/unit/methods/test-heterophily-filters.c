// SPDX-License-Identifier: Apache-2.0
/* bernnet, fagcn, linkx and fsgnn against the numbers of the heterophily study, and bernnet against those of the
 * anomaly study. */
#include <crucible/draft/train.h>

#include "methods/method-bench.h"

/* A weight and what the fixture calls it. */
typedef struct weight_name {
    const char *ours, *theirs;
} weight_name;

static void set_weights(const bench *b, const weight_name *names, const cJSON *from, bench_layout layout)
{
    for (; names->ours; names++) {
        const cJSON *values = cJSON_GetObjectItemCaseSensitive(from, names->theirs);
        ck_assert_msg(values != NULL, "the fixture has no %s", names->theirs);
        bench_set(b, names->ours, values, layout);
    }
}

/* Gradients that the fixture has, under grad_ or plain names; how many. */
static int check_gradients(const bench *b, const weight_name *names, const cJSON *from, bench_layout layout)
{
    int count = 0;
    for (; names->ours; names++) {
        char key[64];
        snprintf(key, sizeof key, "grad_%s", names->theirs);
        const cJSON *values = cJSON_GetObjectItemCaseSensitive(from, key);
        if (!values) values = cJSON_GetObjectItemCaseSensitive(from, names->theirs);
        if (!values) continue;
        bench_check_gradient(b, names->ours, values, layout);
        count++;
    }
    return count;
}

static bench with_task(const cJSON *item)
{
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "features"));
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_nodes"));
    return b;
}

static void check_result(bench *b, const cJSON *item)
{
    bench_run(b);
    bench_check(b, b->logits, fixture_expected(item, "logits"));
    bench_check_loss(b, fixture_expected(item, "loss"));
}

static void clear_weight(const bench *b, const char *name)
{
    cru_tensor *w = bench_weight(b, name);
    memset(w->data, 0, (size_t)cru_tensor_count(w) * sizeof(float));
}

/* X = I and one linear layer: its matrix is the prediction before the filter. */
START_TEST(bernnet_filters_a_prediction)
{
    cJSON *root = fixture_open("heterophily/bernnet.json");
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        char order[16];
        snprintf(order, sizeof order, "%d", fixture_input(item, "K")->valueint);
        bench b = bench_create();
        bench_graph(&b, fixture_input(item, "graph"));
        bench_identity_features(&b);
        bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_nodes"));
        bench_open(&b, "bernnet",
                   (const char *[]){"order", order, "layers", "1", "dropout", "0", "filter_dropout", "0", NULL});
        bench_set(&b, "theta", fixture_input(item, "theta"), AS_STORED);
        bench_set(&b, "mlp.linear0.weight", fixture_input(item, "hidden"), AS_STORED);
        clear_weight(&b, "mlp.linear0.bias");
        check_result(&b, item);
        bench_check_gradient(&b, "theta", fixture_expected(item, "grad_theta"), AS_STORED);
        bench_check_gradient(&b, "mlp.linear0.weight", fixture_expected(item, "grad_hidden"), AS_STORED);
        bench_destroy(&b);
    }
    cJSON_Delete(root);
}
END_TEST

/* K = 1 and theta = (2, 0): the logits are (I + S) H with S_vu = 1 / sqrt(d_v d_u) of out-degrees, or of in-degrees.
 * Edges 0 -> 1, 0 -> 2, 2 -> 1, H = I: out-degrees 2, 0, 1 and in-degrees 0, 2, 1; what a degree of 0 divides is 0. */
START_TEST(bernnet_on_a_directed_graph)
{
    static const char *const expected[] = {"[[1, 0, 0], [0, 1, 0], [0.70710678, 0, 1]]",
                                           "[[1, 0, 0], [0, 1, 0.70710678], [0, 0, 1]]"};
    cJSON *graph = cJSON_Parse("{\"n\": 3, \"edges\": [[0, 1], [0, 2], [2, 1]], \"directed\": true}");
    cJSON *labels = cJSON_Parse("[0, 1, 2]"), *train = cJSON_Parse("[0, 1]"), *logits = cJSON_Parse(expected[_i]);
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_identity_features(&b);
    bench_labels(&b, labels, train);
    bench_open(&b, "bernnet",
               (const char *[]){"order", "1", "layers", "1", "dropout", "0", "filter_dropout", "0", "degree",
                                _i ? "in" : "out", NULL});
    clear_weight(&b, "mlp.linear0.weight");
    clear_weight(&b, "mlp.linear0.bias");
    for (int i = 0; i < 3; i++) bench_weight(&b, "mlp.linear0.weight")->data[4 * i] = 1;
    bench_weight(&b, "theta")->data[0] = 2;
    bench_weight(&b, "theta")->data[1] = 0;
    bench_run(&b);
    bench_check(&b, b.logits, logits);
    bench_destroy(&b);
    cJSON_Delete(graph);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(logits);
}
END_TEST

#define ANOMALY_STUDY "degree", "in", "loops", "keep", "dropout", "0", "filter_dropout", "0"

/* The study's filter as it is coded and as the paper has it; without a head the logits are what the filter gives. */
START_TEST(bernnet_filters_of_the_anomaly_study)
{
    static const char *const names[] = {"filter_K2", "filter_K3"};
    const bool paper = _i % 2;
    cJSON *root = fixture_open("gad/bernnet.json");
    const cJSON *item = fixture_case(root, names[_i / 2]);
    cJSON *labels = cJSON_Parse("[0, 1, 2, 0, 1, 2, 0, 1]"), *train = cJSON_Parse("[0, 1, 2]");
    bench b = bench_create();
    bench_graph_as(&b, fixture_input(item, "graph"), true);
    bench_identity_features(&b);
    bench_labels(&b, labels, train);
    bench_open(&b, "bernnet",
               (const char *[]){"order", _i < 2 ? "2" : "3", "layers", "1", "variant", paper ? "paper" : "bench",
                                ANOMALY_STUDY, NULL});
    bench_set(&b, "theta", fixture_input(item, "theta"), AS_STORED);
    bench_set(&b, "mlp.linear0.weight", fixture_input(item, "h"), AS_STORED);
    clear_weight(&b, "mlp.linear0.bias");
    cru_tape *t = b.learner->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *out = cru_learner_logits(b.learner, t);
    bench_check(&b, out, fixture_expected(item, paper ? "paper" : "coded"));
    cru_backward(t, cru_sum(t, cru_square(t, out), CRU_ALL));
    if (!paper) bench_check_gradient(&b, "theta", fixture_expected(item, "d_sum_sq_dtheta_coded"), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(root);
}
END_TEST

START_TEST(bernnet_of_the_anomaly_study)
{
    static const weight_name names[] = {{"theta", "bernconv.weight"},
                                        {"mlp.linear0.weight", "linear1.weight"},
                                        {"mlp.linear0.bias", "linear1.bias"},
                                        {"mlp.linear1.weight", "linear2.weight"},
                                        {"mlp.linear1.bias", "linear2.bias"},
                                        {"head.linear0.weight", "mlp.layers.0.weight"},
                                        {"head.linear0.bias", "mlp.layers.0.bias"},
                                        {NULL, NULL}};
    cJSON *root = fixture_open("gad/bernnet.json");
    const cJSON *item = fixture_case(root, "model0");
    bench b = bench_create();
    bench_graph_as(&b, fixture_input(item, "graph"), true);
    bench_features(&b, fixture_input(item, "x"));
    bench_masked_labels(&b, fixture_input(item, "y"), fixture_input(item, "train_mask"));
    bench_open(&b, "bernnet",
               (const char *[]){"order", "2", "hidden", "4", "head", "1", "variant", "bench", "class_weights",
                                "balanced", ANOMALY_STUDY, NULL});
    bench_check_number(&b, (double)b.learner->class_weights[1], fixture_input(item, "w")->valuedouble);
    set_weights(&b, names, fixture_input(item, "params"), TRANSPOSED);
    check_result(&b, item);
    ck_assert_int_eq(check_gradients(&b, names, fixture_expected(item, "grads"), TRANSPOSED), 7);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(fagcn_with_two_layers)
{
    static const weight_name names[] = {
        {"in.weight", "T1"},          {"in.bias", "b1"},         {"gate0.weight", "gate1"},
        {"gate0.bias", "gate1_bias"}, {"gate1.weight", "gate2"}, {"gate1.bias", "gate2_bias"},
        {"out.weight", "T2"},         {"out.bias", "b2"},        {NULL, NULL}};
    cJSON *root = fixture_open("heterophily/fagcn.json");
    const cJSON *item = fixture_case(root, "no_dropout");
    bench b = with_task(item);
    bench_open(&b, "fagcn", (const char *[]){"hidden", "4", "dropout", "0", "eps", "0.3", NULL});
    set_weights(&b, names, cJSON_GetObjectItem(item, "inputs"), AS_STORED);
    check_result(&b, item);
    ck_assert_int_eq(check_gradients(&b, names, cJSON_GetObjectItem(item, "expected"), AS_STORED), 6);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(linkx_in_train_mode)
{
    static const weight_name names[] = {{"a.linear0.weight", "WA"},
                                        {"a.linear0.bias", "bA"},
                                        {"x.linear0.weight", "WX"},
                                        {"x.linear0.bias", "bX"},
                                        {"both.weight", "W"},
                                        {"both.bias", "b"},
                                        {"final.linear0.weight", "F1"},
                                        {"final.linear0.bias", "f1"},
                                        {"final.norm0.weight", "bn_w"},
                                        {"final.norm0.bias", "bn_b"},
                                        {"final.linear1.weight", "F2"},
                                        {"final.linear1.bias", "f2"},
                                        {NULL, NULL}};
    cJSON *root = fixture_open("heterophily/linkx.json");
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "cases"), 0);
    bench b = with_task(item);
    bench_open(&b, "linkx", (const char *[]){"hidden", "4", "dropout", "0", NULL});
    set_weights(&b, names, fixture_input(item, "params"), AS_STORED);
    check_result(&b, item);
    ck_assert_int_eq(check_gradients(&b, names, cJSON_GetObjectItem(item, "expected"), AS_STORED), 12);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* With W_A = I and the rest of the sum 0, z is the adjacency: row v must hold the nodes that v points to. */
START_TEST(linkx_rows_hold_outgoing_edges)
{
    cJSON *graph = cJSON_Parse("{\"n\": 3, \"edges\": [[0, 1], [0, 2], [2, 1], [1, 1]], \"directed\": true}");
    cJSON *labels = cJSON_Parse("[0, 1, 2]"), *train = cJSON_Parse("[0, 1]");
    cJSON *expected = cJSON_Parse("[[0, 1, 1], [0, 0, 0], [0, 1, 0]]");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_identity_features(&b);
    bench_labels(&b, labels, train);
    bench_open(&b, "linkx", (const char *[]){"hidden", "3", "layers", "1", NULL});
    static const char *const none[] = {"a.linear0.bias",       "x.linear0.weight",  "x.linear0.bias",
                                       "both.weight",          "both.bias",         "a.linear0.weight",
                                       "final.linear0.weight", "final.linear0.bias"};
    for (int i = 0; i < 8; i++) clear_weight(&b, none[i]);
    for (int i = 0; i < 3; i++)
        bench_weight(&b, "a.linear0.weight")->data[4 * i] = bench_weight(&b, "final.linear0.weight")->data[4 * i] = 1;
    bench_run(&b);
    bench_check(&b, b.logits, expected);
    bench_destroy(&b);
    cJSON_Delete(graph);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(expected);
}
END_TEST

/* Dense features are propagated once, sparse ones after the linear map: both must give the study's numbers. */
START_TEST(fsgnn_of_dense_and_of_sparse_features)
{
    static const weight_name names[] = {{"hop0.weight", "fc1.0.weight"},
                                        {"hop0.bias", "fc1.0.bias"},
                                        {"hop1.weight", "fc1.1.weight"},
                                        {"hop1.bias", "fc1.1.bias"},
                                        {"hop2.weight", "fc1.2.weight"},
                                        {"hop2.bias", "fc1.2.bias"},
                                        {"hop3.weight", "fc1.3.weight"},
                                        {"hop3.bias", "fc1.3.bias"},
                                        {"hop4.weight", "fc1.4.weight"},
                                        {"hop4.bias", "fc1.4.bias"},
                                        {"out.weight", "fc2.weight"},
                                        {"out.bias", "fc2.bias"},
                                        {"theta", "att"},
                                        {NULL, NULL}};
    cJSON *root = fixture_open("heterophily/fsgnn.json");
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        bench b = with_task(item);
        cru_features *x = &b.data->x;
        if (_i)
            *x = (cru_features){.rows = x->rows,
                                .cols = x->cols,
                                .sparse = cru_csr_from_dense(cru_data_pool(b.data), x->dense, x->rows, x->cols)};
        bench_open(&b, "fsgnn",
                   (const char *[]){"hidden", "4", "hops", "2", "normalisation",
                                    fixture_input(item, "adj_norm")->valuestring, "row_norm",
                                    cJSON_IsTrue(fixture_input(item, "layer_norm")) ? "yes" : "no", NULL});
        set_weights(&b, names, fixture_input(item, "params_out_in"), TRANSPOSED);
        check_result(&b, item);
        ck_assert_int_eq(check_gradients(&b, names, cJSON_GetObjectItem(item, "expected"), TRANSPOSED), 13);
        bench_destroy(&b);
    }
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("heterophily filters");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, bernnet_filters_a_prediction);
    tcase_add_loop_test(c, bernnet_on_a_directed_graph, 0, 2);
    tcase_add_loop_test(c, bernnet_filters_of_the_anomaly_study, 0, 4);
    tcase_add_test(c, bernnet_of_the_anomaly_study);
    tcase_add_test(c, fagcn_with_two_layers);
    tcase_add_test(c, linkx_in_train_mode);
    tcase_add_test(c, linkx_rows_hold_outgoing_edges);
    tcase_add_loop_test(c, fsgnn_of_dense_and_of_sparse_features, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
