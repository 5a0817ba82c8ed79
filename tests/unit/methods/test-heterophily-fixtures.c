// SPDX-License-Identifier: Apache-2.0
/* mlp, gcn, sgc, appnp, gprgnn and h2gcn against the numbers of the heterophily study's code. */
#include <crucible/draft/train.h>

#include "methods/method-bench.h"

static bench with_task(const cJSON *item)
{
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "features"));
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_nodes"));
    return b;
}

/* A layer's weight and, where the case has one, its bias; `check` compares gradients instead of setting values. */
static void each_layer(const bench *b, const cJSON *item, const char *const *layers, bool check)
{
    const cJSON *from = cJSON_GetObjectItem(item, check ? "expected" : "inputs");
    const char *prefix = check ? "grad_" : "";
    for (int i = 0; layers[i]; i++) {
        for (int bias = 0; bias < 2; bias++) {
            char key[32], name[64];
            snprintf(key, sizeof key, "%s%c%d", prefix, bias ? 'b' : 'W', i);
            snprintf(name, sizeof name, "%s.%s", layers[i], bias ? "bias" : "weight");
            const cJSON *values = cJSON_GetObjectItem(from, key);
            if (bias && (!values || cJSON_IsNull(values))) continue;
            if (check)
                bench_check_gradient(b, name, values, AS_STORED);
            else
                bench_set(b, name, values, AS_STORED);
        }
    }
}

static void run_case(bench *b, const cJSON *item, const char *const *layers)
{
    each_layer(b, item, layers, false);
    bench_run(b);
    bench_check(b, b->logits, fixture_expected(item, "logits"));
    bench_check_loss(b, fixture_expected(item, "loss"));
    each_layer(b, item, layers, true);
    bench_destroy(b);
}

static const char *bias_of(const cJSON *item)
{
    return cJSON_IsNull(fixture_input(item, "b0")) ? "no" : "yes";
}

START_TEST(mlp_with_one_and_two_layers)
{
    static const char *const files[] = {"heterophily/mlp-1.json", "heterophily/mlp-2.json"};
    static const char *const layers[] = {"mlp.linear0", "mlp.linear1", NULL};
    cJSON *root = fixture_open(files[_i]);
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        bench b = with_task(item);
        bench_open(
            &b, "mlp",
            (const char *[]){"layers", _i ? "2" : "1", "hidden", "4", "dropout", "0", "bias", bias_of(item), NULL});
        run_case(&b, item, _i ? layers : (const char *const[]){layers[0], NULL});
    }
    cJSON_Delete(root);
}
END_TEST

START_TEST(gcn_with_both_aggregators)
{
    cJSON *root = fixture_open("heterophily/gcn.json");
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        bench b = with_task(item);
        bench_open(&b, "gcn",
                   (const char *[]){"hidden", "4", "dropout", "0", "bias", bias_of(item), "normalisation",
                                    fixture_input(item, "aggregator")->valuestring, NULL});
        run_case(&b, item, (const char *const[]){"conv0", "conv1", NULL});
    }
    cJSON_Delete(root);
}
END_TEST

/* Dense features are propagated once, sparse ones after the linear map: both must give the study's numbers. */
START_TEST(sgc_of_dense_and_of_sparse_features)
{
    cJSON *root = fixture_open("heterophily/sgc-1.json");
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        bench b = with_task(item);
        cru_features *x = &b.data->x;
        if (_i)
            *x = (cru_features){.rows = x->rows,
                                .cols = x->cols,
                                .sparse = cru_csr_from_dense(cru_data_pool(b.data), x->dense, x->rows, x->cols)};
        bench_open(&b, "sgc",
                   (const char *[]){"bias", bias_of(item), "normalisation",
                                    fixture_input(item, "aggregator")->valuestring, NULL});
        run_case(&b, item, (const char *const[]){"linear", NULL});
    }
    cJSON_Delete(root);
}
END_TEST

/* Fixtures give the prediction H before propagation: the result of one linear layer on X = I. */
static bench with_hidden(const cJSON *item)
{
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_identity_features(&b);
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_nodes"));
    return b;
}

typedef struct number_text {
    char text[32];
} number_text;

static number_text text_of(const cJSON *number)
{
    number_text out;
    snprintf(out.text, sizeof out.text, "%.17g", number->valuedouble);
    return out;
}

static void run_hidden(bench *b, const cJSON *item)
{
    bench_set(b, "mlp.linear0.weight", fixture_input(item, "hidden"), AS_STORED);
    memset(bench_weight(b, "mlp.linear0.bias")->data, 0, (size_t)b->task.classes * sizeof(float));
    bench_run(b);
    bench_check(b, b->logits, fixture_expected(item, "logits"));
    bench_check_loss(b, fixture_expected(item, "loss"));
    bench_check_gradient(b, "mlp.linear0.weight", fixture_expected(item, "grad_hidden"), AS_STORED);
}

START_TEST(appnp_propagation)
{
    cJSON *root = fixture_open("heterophily/appnp.json");
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        bench b = with_hidden(item);
        bench_open(&b, "appnp",
                   (const char *[]){"layers", "1", "alpha", text_of(fixture_input(item, "alpha")).text, "hops",
                                    text_of(fixture_input(item, "K")).text, NULL});
        run_hidden(&b, item);
        bench_destroy(&b);
    }
    cJSON_Delete(root);
}
END_TEST

/* X = I, one linear map I, one step without teleport: the logits are the matrix itself. */
static void open_bare_appnp(bench *b, const cJSON *item)
{
    cJSON *labels = cJSON_CreateArray();
    *b = bench_create();
    bench_graph(b, fixture_input(item, "graph"));
    bench_identity_features(b);
    const int64_t n = b->data->nodes;
    for (int64_t i = 0; i < n; i++) cJSON_AddItemToArray(labels, cJSON_CreateNumber((double)i));
    bench_labels(b, labels, fixture_input(item, "train_nodes"));
    bench_open(b, "appnp",
               (const char *[]){"layers", "1", "alpha", "0", "hops", "1", "bias", "no", "edge_dropout", "0.5", NULL});
    cru_tensor *w = bench_weight(b, "mlp.linear0.weight");
    memset(w->data, 0, (size_t)(n * n) * sizeof(float));
    for (int64_t i = 0; i < n; i++) w->data[i * n + i] = 1;
    cJSON_Delete(labels);
}

START_TEST(appnp_drops_edges_only_in_training)
{
    cJSON *root = fixture_open("heterophily/appnp.json");
    bench b;
    open_bare_appnp(&b, cJSON_GetArrayItem(cJSON_GetObjectItem(root, "cases"), 0));
    cru_tape *t = b.learner->tape;
    const int64_t count = b.data->nodes * b.data->nodes;
    float *whole = cru_ctx_alloc(b.ctx, count, sizeof *whole);
    cru_tape_begin(t, CRU_EVAL);
    cru_tensor_download(t, cru_learner_logits(b.learner, t), whole);
    bench_run(&b);
    int64_t dropped = 0, kept = 0;
    for (int64_t i = 0; i < count; i++) {
        if (whole[i] == 0) continue;
        dropped += b.logits->data[i] == 0;
        kept += b.logits->data[i] != 0;
        if (b.logits->data[i] != 0) bench_check_number(&b, (double)b.logits->data[i], 2 * (double)whole[i]);
    }
    ck_assert_int_gt(dropped, 0);
    ck_assert_int_gt(kept, 0);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(gprgnn_filter_and_its_start)
{
    cJSON *root = fixture_open("heterophily/gprgnn.json");
    const cJSON *item;
    int cases = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        if (strncmp(cJSON_GetObjectItem(item, "name")->valuestring, "ppr_", 4) != 0) continue;
        bench b = with_hidden(item);
        bench_open(&b, "gprgnn",
                   (const char *[]){"layers", "1", "dropout", "0", "hop_dropout", "0", "alpha",
                                    text_of(fixture_input(item, "alpha")).text, "hops",
                                    text_of(fixture_input(item, "K")).text, NULL});
        bench_check(&b, bench_weight(&b, "gamma"), fixture_expected(item, "gamma_init"));
        run_hidden(&b, item);
        bench_check_gradient(&b, "gamma", fixture_expected(item, "grad_gamma"), AS_STORED);
        bench_destroy(&b);
        cases++;
    }
    ck_assert_int_eq(cases, 3);
    cJSON_Delete(root);
}
END_TEST

START_TEST(gprgnn_on_a_directed_graph)
{
    cJSON *root = fixture_open("heterophily/gprgnn.json");
    const cJSON *item = fixture_case(root, "directed_propagation");
    cJSON *labels = cJSON_Parse("[0, 1, 0, 1, 0, 1]"), *train = cJSON_Parse("[0, 1]");
    bench b = bench_create();
    bench_graph_as(&b, fixture_input(item, "graph"), true);
    bench_identity_features(&b);
    bench_labels(&b, labels, train);
    bench_open(&b, "gprgnn", (const char *[]){"layers", "1", "dropout", "0", "hop_dropout", "0", "hops", "2", NULL});
    bench_set(&b, "gamma", fixture_input(item, "gamma"), AS_STORED);
    bench_set(&b, "mlp.linear0.weight", fixture_input(item, "hidden"), AS_STORED);
    memset(bench_weight(&b, "mlp.linear0.bias")->data, 0, 2 * sizeof(float));
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "output"));
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(root);
}
END_TEST

/* gamma_k = alpha^k / sum for nppr; 0^0 = 1 at both ends of ppr. */
START_TEST(gprgnn_other_starts)
{
    static const struct {
        const char *start, *alpha;
        double gamma[3];
    } cases[] = {{"ppr", "0", {0, 0, 1}},
                 {"ppr", "1", {1, 0, 0}},
                 {"nppr", "0.5", {4. / 7, 2. / 7, 1. / 7}},
                 {"one", "1", {0, 1, 0}},
                 {"one", "2", {0, 0, 1}}};
    cJSON *root = fixture_open("heterophily/gprgnn.json");
    bench b = with_hidden(fixture_case(root, "ppr_K3_alpha0.1"));
    bench_open(&b, "gprgnn", (const char *[]){"hops", "2", "start", cases[_i].start, "alpha", cases[_i].alpha, NULL});
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol((double)bench_weight(&b, "gamma")->data[k], cases[_i].gamma[k], 1e-7);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(gprgnn_refuses_an_alpha_that_is_no_hop)
{
    static const char *const cases[][2] = {{"one", "0.5"}, {"one", "3"}, {"ppr", "2"}};
    cJSON *root = fixture_open("heterophily/gprgnn.json");
    bench b = with_hidden(fixture_case(root, "ppr_K3_alpha0.1"));
    const char *const settings[] = {"hops", "2", "start", cases[_i][0], "alpha", cases[_i][1], NULL};
    ck_assert_int_eq(bench_try(&b, "gprgnn", settings), CRU_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(cru_ctx_error(b.ctx)->text, "alpha"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static void set_h2gcn(const bench *b, const cJSON *item)
{
    bench_set(b, "embed.linear0.weight", fixture_input(item, "W_embed"), AS_STORED);
    bench_set(b, "embed.linear0.bias", fixture_input(item, "b_embed"), AS_STORED);
    bench_set(b, "norm1.weight", fixture_input(item, "bn_weight"), AS_STORED);
    bench_set(b, "norm1.bias", fixture_input(item, "bn_bias"), AS_STORED);
    bench_set(b, "out.weight", fixture_input(item, "W_final"), AS_STORED);
    bench_set(b, "out.bias", fixture_input(item, "b_final"), AS_STORED);
}

START_TEST(h2gcn_with_two_rounds)
{
    cJSON *root = fixture_open("heterophily/h2gcn.json");
    const cJSON *item = fixture_case(root, _i ? "isolated_node4" : "graph1");
    bench b = with_task(item);
    bench_open(&b, "h2gcn", (const char *[]){"hidden", "4", "dropout", "0", NULL});
    set_h2gcn(&b, item);
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    bench_check_gradient(&b, "embed.linear0.weight", fixture_expected(item, "grad_W_embed"), AS_STORED);
    bench_check_gradient(&b, "norm1.weight", fixture_expected(item, "grad_bn_weight"), AS_STORED);
    bench_check_gradient(&b, "out.weight", fixture_expected(item, "grad_W_final"), AS_STORED);
    bench_check(&b, bench_weight(&b, "norm1.running_mean"), fixture_expected(item, "bn_running_mean_after"));
    bench_check(&b, bench_weight(&b, "norm1.running_var"), fixture_expected(item, "bn_running_var_after"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* One round on R_0 = I (X = I, embedding I): the far half of the logits is P_2 itself, through W = [0; 0; I]. */
START_TEST(h2gcn_of_the_authors_leaves_the_node_out)
{
    cJSON *root = fixture_open("heterophily/h2gcn.json");
    const cJSON *item = fixture_case(root, "graph1");
    cJSON *labels = cJSON_Parse("[0, 1, 2, 3, 4, 5, 6, 7, 8]");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_identity_features(&b);
    bench_labels(&b, labels, fixture_input(item, "train_nodes"));
    bench_open(&b, "h2gcn", (const char *[]){"variant", "paper", "rounds", "1", "hidden", "9", "dropout", "0", NULL});
    cru_tensor *embed = bench_weight(&b, "embed.linear0.weight"), *out = bench_weight(&b, "out.weight");
    memset(embed->data, 0, 81 * sizeof(float));
    memset(out->data, 0, 3 * 81 * sizeof(float));
    for (int i = 0; i < 9; i++) embed->data[10 * i] = out->data[2 * 81 + 10 * i] = 1;
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "P2_strict"));
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(root);
}
END_TEST

/* Class 2 of the fixture's graph becomes class 1. */
START_TEST(two_classes_may_have_one_output)
{
    static const char *const methods[] = {"gcn",     "sgc",     "mlp",     "appnp", "h2gcn",
                                          "bernnet", "acm-gcn", "acm-sgc", "fagcn", "linkx"};
    cJSON *root = fixture_open("heterophily/h2gcn.json");
    const cJSON *item = fixture_case(root, "graph1");
    cJSON *labels = cJSON_Parse("[0, 1, 1, 0, 1, 1, 0, 1, 1]");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "features"));
    bench_labels(&b, labels, fixture_input(item, "train_nodes"));
    bench_open(&b, methods[_i], (const char *[]){"one_logit", "yes", NULL});
    bench_run(&b);
    bool varies = false;
    for (int v = 0; v < 9; v++) {
        ck_assert_float_eq(b.logits->data[2 * v], 0);
        varies |= b.logits->data[2 * v + 1] != b.logits->data[1];
    }
    ck_assert(varies);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("heterophily fixtures");
    TCase *c = tcase_create("fixtures");
    tcase_add_loop_test(c, mlp_with_one_and_two_layers, 0, 2);
    tcase_add_test(c, gcn_with_both_aggregators);
    tcase_add_loop_test(c, sgc_of_dense_and_of_sparse_features, 0, 2);
    tcase_add_loop_test(c, two_classes_may_have_one_output, 0, 10);
    tcase_add_test(c, appnp_propagation);
    tcase_add_test(c, appnp_drops_edges_only_in_training);
    tcase_add_test(c, gprgnn_filter_and_its_start);
    tcase_add_test(c, gprgnn_on_a_directed_graph);
    tcase_add_loop_test(c, gprgnn_other_starts, 0, 5);
    tcase_add_loop_test(c, gprgnn_refuses_an_alpha_that_is_no_hop, 0, 3);
    tcase_add_loop_test(c, h2gcn_with_two_rounds, 0, 2);
    tcase_add_test(c, h2gcn_of_the_authors_leaves_the_node_out);
    suite_add_tcase(s, c);
    return s;
}
