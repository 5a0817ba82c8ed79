// SPDX-License-Identifier: Apache-2.0
/* acm-gcn, acm-sgc and gbk-gnn against the numbers of the heterophily study's code. */
#include <crucible/draft/nn.h>
#include <crucible/draft/tensor.h>
#include <crucible/draft/train.h>

#include "methods/method-bench.h"

/* The fixtures give one mixed layer, as wide as there are classes; labels do not matter. */
static bench with_input(const cJSON *item)
{
    const int classes = cJSON_GetArraySize(cJSON_GetArrayItem(fixture_input(item, "loss_weights"), 0));
    cJSON *labels = cJSON_CreateArray(), *train = cJSON_Parse("[0, 1, 2, 3]");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "input"));
    for (int i = 0; i < b.data->nodes; i++) cJSON_AddItemToArray(labels, cJSON_CreateNumber(i % classes));
    bench_labels(&b, labels, train);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    return b;
}

/* Sets the layer's weights, or compares their gradients; how many there are. */
static int each_weight(const bench *b, const cJSON *item, bool check)
{
    static const char *const names[][2] = {{"layer0.low.weight", "weight_low"},
                                           {"layer0.high.weight", "weight_high"},
                                           {"layer0.identity.weight", "weight_mlp"},
                                           {"layer0.structure.weight", "struc_low"},
                                           {"layer0.low.score", "att_vec_low"},
                                           {"layer0.high.score", "att_vec_high"},
                                           {"layer0.identity.score", "att_vec_mlp"},
                                           {"layer0.structure.score", "att_struc_low"},
                                           {"layer0.low.norm.weight", "layer_norm_low.weight"},
                                           {"layer0.low.norm.bias", "layer_norm_low.bias"},
                                           {"layer0.high.norm.weight", "layer_norm_high.weight"},
                                           {"layer0.high.norm.bias", "layer_norm_high.bias"},
                                           {"layer0.identity.norm.weight", "layer_norm_mlp.weight"},
                                           {"layer0.identity.norm.bias", "layer_norm_mlp.bias"},
                                           {"layer0.structure.norm.weight", "layer_norm_struc_low.weight"},
                                           {"layer0.structure.norm.bias", "layer_norm_struc_low.bias"},
                                           {"layer0.mix", "att_vec"}};
    int count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const cJSON *values = cJSON_GetObjectItem(fixture_input(item, "params"), names[i][1]);
        if (!values) continue;
        char key[64];
        snprintf(key, sizeof key, "grad_%s", names[i][1]);
        if (check)
            bench_check_gradient(b, names[i][0], fixture_expected(item, key), AS_STORED);
        else
            bench_set(b, names[i][0], values, AS_STORED);
        count++;
    }
    return count;
}

static const char *yes(const cJSON *item, const char *key)
{
    const cJSON *value = fixture_input(item, key);
    return cJSON_IsTrue(value) || value->valueint ? "yes" : "no";
}

START_TEST(acm_mixes_channels)
{
    static const struct {
        const char *name;
        int weights;
    } cases[] = {{"acmgcn_variant0_structure0", 7},   {"acmgcn_variant1_structure0", 7},
                 {"acmgcnp_variant0_structure0", 13}, {"acmgcnp_variant0_structure1", 17},
                 {"acmgcnp_variant1_structure1", 17}, {"acmsgc_variant0_structure0", 7}};
    cJSON *root = fixture_open("heterophily/acm-gcn.json");
    const cJSON *item = fixture_case(root, cases[_i].name);
    const char *norm = fixture_input(item, "aggregator")->valuestring;
    bench b = with_input(item);
    if (strncmp(cases[_i].name, "acmsgc", 6) == 0)
        bench_open(&b, "acm-sgc", (const char *[]){"normalisation", norm, NULL});
    else
        bench_open(&b, "acm-gcn",
                   (const char *[]){"layers", "1", "normalisation", norm, "filter_last", yes(item, "variant"),
                                    "structure", yes(item, "structure_info"), "layer_norm", yes(item, "layer_norm"),
                                    NULL});
    ck_assert_int_eq(each_weight(&b, item, false), cases[_i].weights);
    cru_tape *t = b.learner->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *x = b.learner->x.dense;
    cru_tensor_watch(x);
    b.logits = cru_learner_logits(b.learner, t);
    bench_check(&b, b.logits, fixture_expected(item, "output"));
    static double numbers[BENCH_MOST];
    cru_tensor *weights = cru_tensor_new(t, cru_shape_of(b.logits));
    const int64_t count = fixture_numbers(fixture_input(item, "loss_weights"), numbers);
    for (int64_t i = 0; i < count; i++) weights->data[i] = (float)numbers[i];
    b.loss = cru_sum(t, cru_mul(t, b.logits, weights), CRU_ALL);
    cru_backward(t, b.loss);
    bench_check_loss(&b, fixture_expected(item, "loss"));
    each_weight(&b, item, true);
    bench_check(&b, cru_grad_of(t, x), fixture_expected(item, "grad_input"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Two layers whose first gives 0, as its matrices are 0: with a residual, the second sees ReLU(X W + b) alone. */
START_TEST(acm_adds_a_residual_before_the_last_layer)
{
    cJSON *root = fixture_open("heterophily/acm-gcn.json");
    const cJSON *item = fixture_case(root, "acmgcn_variant0_structure0");
    bench two = with_input(item), one = with_input(item);
    bench_open(&two, "acm-gcn", (const char *[]){"residual", "yes", "hidden", "5", "dropout", "0", NULL});
    static const char *const first[] = {"layer0.low.weight", "layer0.high.weight", "layer0.identity.weight"};
    for (int i = 0; i < 3; i++) memset(bench_weight(&two, first[i])->data, 0, 25 * sizeof(float));
    cru_tensor *w = bench_weight(&two, "residual.linear0.weight"), *bias = bench_weight(&two, "residual.linear0.bias");
    memset(w->data, 0, 25 * sizeof(float));
    memset(bias->data, 0, 5 * sizeof(float));
    for (int i = 0; i < 5; i++) w->data[6 * i] = 1;
    for (int64_t i = 0; i < one.data->x.rows * one.data->x.cols; i++) {
        float *x = (float *)one.data->x.dense + i;
        *x = fmaxf(*x, 0);
    }
    bench_open(&one, "acm-gcn", (const char *[]){"layers", "1", NULL});
    static const char *const parts[] = {"low.weight",     "high.weight", "identity.weight", "low.score", "high.score",
                                        "identity.score", "mix"};
    for (int i = 0; i < 7; i++) {
        char last[40], only[40];
        snprintf(last, sizeof last, "layer1.%s", parts[i]);
        snprintf(only, sizeof only, "layer0.%s", parts[i]);
        cru_tensor *to = bench_weight(&one, only);
        memcpy(to->data, bench_weight(&two, last)->data, (size_t)cru_tensor_count(to) * sizeof(float));
    }
    bench_run(&one);
    bench_run(&two);
    for (int64_t i = 0; i < cru_tensor_count(one.logits); i++)
        bench_check_number(&one, (double)two.logits->data[i], (double)one.logits->data[i]);
    bench_destroy(&one);
    bench_destroy(&two);
    cJSON_Delete(root);
}
END_TEST

START_TEST(acm_refuses_a_residual_without_hidden_layer)
{
    cJSON *root = fixture_open("heterophily/acm-gcn.json");
    bench b = with_input(fixture_case(root, "acmgcn_variant0_structure0"));
    ck_assert_int_eq(bench_try(&b, "acm-gcn", (const char *[]){"residual", "yes", "layers", "1", NULL}), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(cru_ctx_error(b.ctx)->text, "residual"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static void each_gbk_weight(const bench *b, const cJSON *item, bool check)
{
    static const char *const names[][2] = {{"gate", "Wg"},        {"left", "al"},      {"right", "ar"},
                                           {"like.weight", "Wp"}, {"like.bias", "bp"}, {"unlike.weight", "Wn"},
                                           {"unlike.bias", "bn"}, {"own", "Wr"}};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 8; i++) {
            char name[40], key[40];
            snprintf(name, sizeof name, "layer%d.%s", k, names[i][0]);
            snprintf(key, sizeof key, "grad%d_%s", k + 1, names[i][1]);
            if (check)
                bench_check_gradient(b, name, fixture_expected(item, key), AS_STORED);
            else
                bench_set(b, name, cJSON_GetObjectItem(fixture_input(item, k ? "layer2" : "layer1"), names[i][1]),
                          AS_STORED);
        }
    }
}

START_TEST(gbk_gnn_with_both_edge_labels)
{
    cJSON *root = fixture_open("heterophily/gbk-gnn.json");
    const cJSON *item = fixture_case(root, _i ? "nonzero_ids" : "same_class");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "features"));
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_nodes"));
    bench_open(&b, "gbk-gnn",
               (const char *[]){"hidden", "4", "dropout", "0", "lambda", "30", "edge_label",
                                _i ? "nonzero-ids" : "same-class", NULL});
    each_gbk_weight(&b, item, false);
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    each_gbk_weight(&b, item, true);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* A pair of nodes, X = I, all weights of the gates 0: sigma = 1/2 = s's softmax odds 1, so that each layer adds
 * lambda log 2 for every edge; without an edge between training nodes it adds nothing. */
START_TEST(gbk_gnn_teaches_edges_between_training_nodes)
{
    cJSON *graph = cJSON_Parse("{\"n\": 3, \"edges\": [[0, 1], [1, 2]]}"), *labels = cJSON_Parse("[0, 1, 2]");
    cJSON *train = cJSON_Parse(_i ? "[0, 1]" : "[0, 2]");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_identity_features(&b);
    bench_labels(&b, labels, train);
    bench_open(&b, "gbk-gnn", (const char *[]){"dropout", "0", "lambda", "5", NULL});
    for (int64_t i = 0; i < cru_net_weight_count(b.learner->net); i++) {
        cru_tensor *w = cru_net_weight_at(b.learner->net, i);
        memset(w->data, 0, (size_t)cru_tensor_count(w) * sizeof(float));
    }
    bench_run(&b);
    bench_check_number(&b, (double)cru_tensor_item(b.learner->tape, b.loss), log(3) + (_i ? 2 * 5 * log(2) : 0));
    bench_destroy(&b);
    cJSON_Delete(graph);
    cJSON_Delete(labels);
    cJSON_Delete(train);
}
END_TEST

/* X = I, W_g = [1 0 ...] in all rows, a_l = a_r = [z / 2 0 ...]: all gates of the first layer are
 * sigmoid(LeakyReLU(z)). The rest is 0, so that those of the second are 1/2. */
START_TEST(gbk_gnn_teaches_gates_what_the_study_does)
{
    cJSON *root = fixture_open("heterophily/gbk-gnn.json");
    const cJSON *item = fixture_case(root, "regulariser_values");
    cJSON *graph = cJSON_Parse("{\"n\": 3, \"edges\": [[0, 1], [1, 2]]}"), *train = cJSON_Parse("[0, 1]");
    cJSON *labels = cJSON_Parse(_i ? "[0, 0, 1]" : "[0, 1, 0]");
    double sigma[16], expected[16];
    const int64_t count = fixture_numbers(fixture_input(item, "sigma"), sigma);
    fixture_numbers(fixture_expected(item, _i ? "if_label_1" : "if_label_0"), expected);
    for (int64_t k = 0; k < count; k++) {
        bench b = bench_create();
        bench_graph(&b, graph);
        bench_identity_features(&b);
        bench_labels(&b, labels, train);
        bench_open(&b, "gbk-gnn", (const char *[]){"dropout", "0", "lambda", "1", "hidden", "4", NULL});
        for (int64_t i = 0; i < cru_net_weight_count(b.learner->net); i++) {
            cru_tensor *w = cru_net_weight_at(b.learner->net, i);
            memset(w->data, 0, (size_t)cru_tensor_count(w) * sizeof(float));
        }
        const double odds = fmax(-50, fmin(50, log(sigma[k] / (1 - sigma[k])))), z = odds < 0 ? odds / 0.2 : odds;
        for (int i = 0; i < 3; i++) bench_weight(&b, "layer0.gate")->data[4 * i] = 1;
        bench_weight(&b, "layer0.left")->data[0] = bench_weight(&b, "layer0.right")->data[0] = (float)(z / 2);
        bench_run(&b);
        bench_check_number(&b, (double)cru_tensor_item(b.learner->tape, b.loss), log(2) + log(2) + expected[k]);
        bench_destroy(&b);
    }
    cJSON_Delete(graph);
    cJSON_Delete(train);
    cJSON_Delete(labels);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("heterophily mixing");
    TCase *c = tcase_create("fixtures");
    tcase_add_loop_test(c, acm_mixes_channels, 0, 6);
    tcase_add_test(c, acm_adds_a_residual_before_the_last_layer);
    tcase_add_test(c, acm_refuses_a_residual_without_hidden_layer);
    tcase_add_loop_test(c, gbk_gnn_with_both_edge_labels, 0, 2);
    tcase_add_loop_test(c, gbk_gnn_teaches_edges_between_training_nodes, 0, 2);
    tcase_add_loop_test(c, gbk_gnn_teaches_gates_what_the_study_does, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
