// SPDX-License-Identifier: Apache-2.0
/* The networks of the anomaly study against the numbers of its code: logits, loss and the gradient of every weight. */
#include "methods/gad-cases.h"

static const rename_rule cheb_names[] = {
    {"input_linear", "in"}, {"chebconv.linear", "conv"}, {"output_linear", "out"}, {0}};
static const rename_rule sage_names[] = {{"layers.", "conv"},
                                         {"fc_pool", "pool"},
                                         {"fc_self", "self"},
                                         {"fc_neigh", "neighbour"},
                                         {"output_linear", "out"},
                                         {"conv0.bias", "conv0.neighbour.bias"},
                                         {"conv1.bias", "conv1.neighbour.bias"},
                                         {0}};
static const rename_rule mlp_names[] = {{"layers.", "mlp.linear"}, {0}};
static const rename_rule sgc_names[] = {{"sgc.fc", "linear"}, {"mlp.layers.0", "out"}, {0}};
static const rename_rule gin_names[] = {{"layers.", "conv"}, {".f.", ".nn.linear0."}, {0}};
static const rename_rule amnet_names[] = {{"linear1", "first"},
                                          {"linear2", "second"},
                                          {"mlp_layers.0", "out"},
                                          {"layers.0.weight", "theta0"},
                                          {"layers.1.weight", "theta1"},
                                          {"layers.2.weight", "theta2"},
                                          {0}};
static const rename_rule block_names[] = {{"module.input_linear", "in"},
                                          {"module.attn_linear_u", "source"},
                                          {"module.attn_linear_v", "target"},
                                          {"module.feed_forward_module.linear_1", "first"},
                                          {"module.feed_forward_module.linear_2", "second"},
                                          {"layers.", "block"},
                                          {"input_linear", "in"},
                                          {"output_linear", "out"},
                                          {0}};
/* The attention and the feed-forward of a block are layers of their own there. */
static const rename_rule gt_names[] = {{"layers.0.module.", "block0."},
                                       {"layers.1.module.", "block0."},
                                       {"layers.2.module.", "block1."},
                                       {"layers.3.module.", "block1."},
                                       {"attn_query", "query"},
                                       {"attn_key", "key"},
                                       {"attn_value", "value"},
                                       {"block0.output_linear", "block0.attended"},
                                       {"block1.output_linear", "block1.attended"},
                                       {"linear_1", "first"},
                                       {"linear_2", "second"},
                                       {"input_linear", "in"},
                                       {"output_linear", "out"},
                                       {0}};
static const rename_rule pna_names[] = {
    {"layers.0.linear", "conv0"}, {"layers.1.linear", "conv1"}, {"input_linear", "in"}, {"output_linear", "out"}, {0}};
static const rename_rule wavelet_names[] = {{"linear.", "in.linear0."},
                                            {"linear2.", "in.linear1."},
                                            {"mlp.layers.0", "wavelets"},
                                            {"mlp.layers.1", "out"},
                                            {0}};
static const rename_rule rgcn_names[] = {{"layers.", "layer"}, {".mods.", ".relation"}, {"mlp.layer0", "out"}, {0}};

static const rename_rule hgt_names[] = {{"layers.", "layer"},
                                        {"linear_k.W", "key"},
                                        {"linear_q.W", "query"},
                                        {"linear_v.W", "value"},
                                        {"linear_a.W", "out"},
                                        {"relation_pri.", "prior"},
                                        {"relation_att.0.W", "attention0"},
                                        {"relation_att.1.W", "attention1"},
                                        {"relation_msg.0.W", "message0"},
                                        {"relation_msg.1.W", "message1"},
                                        {"input_linear", "in"},
                                        {"mlp.layer0", "out"},
                                        {0}};

/* The shared methods as the study has them. */
#define BENCH "dropout", "0", "class_weights", "balanced"
#define GIN   "mlp_layers", "1", "hidden", "4", "head", "no", BENCH

static const model_case cases[] = {
    {"mlp", "mlp_L2", mlp_names, NULL, {"hidden", "4", BENCH}, 0},
    {"sgc", "k2", sgc_names, NULL, {"hops", "2", "loops", "keep", "class_weights", "balanced"}, 0},
    {"sgc",
     "k3_mlp_layers2_h_feats4",
     sgc_names,
     NULL,
     {"hops", "3", "layers", "2", "hidden", "4", "loops", "keep", "class_weights", "balanced"},
     0},
    {"gin", "h_feats4_aggmax", gin_names, NULL, {"layers", "2", "aggregate", "max", GIN}, 0},
    {"gin", "h_feats4", gin_names, NULL, {"layers", "2", "normalisation", "rw", GIN}, 0},
    {"gin", "h_feats4_aggsum_num_layers3", gin_names, NULL, {"layers", "3", GIN}, 0},
    {"chebnet", "h_feats4", cheb_names, NULL, {"hidden", "4"}, 0},
    {"chebnet", "h_feats4_num_layers4", cheb_names, NULL, {"hidden", "4", "terms", "4"}, 0},
    {"graphsage", "h_feats4", sage_names, NULL, {"hidden", "4"}, 0},
    {"graphsage", "h_feats4_aggmean", sage_names, NULL, {"hidden", "4", "aggregate", "mean"}, 0},
    {"graphsage", "h_feats4_agggcn", sage_names, NULL, {"hidden", "4", "aggregate", "gcn"}, 0},
    {"amnet", "distinct_theta", amnet_names, NULL, {"hidden", "4"}, 0},
    {"amnet", "theta_init_ones_symmetric", amnet_names, NULL, {"hidden", "4"}, 0},
    {"gat-sep", "h_feats8_num_heads4", block_names, NULL, {"hidden", "8"}, 0},
    {"gt", "h_feats8_num_heads4", gt_names, NULL, {"hidden", "8"}, 0},
    {"gt", "h_feats8_num_heads2_num_layers1", gt_names, NULL, {"hidden", "8", "heads", "2", "layers", "1"}, 0},
    {"pna", "h_feats4", pna_names, NULL, {"hidden", "4"}, 1e-4}, /* mean(h^2) - mean(h)^2 in float */
    {"ghrn", "ratio0.1", wavelet_names, NULL, {"hidden", "4", "remove", "0.1"}, 0},
    {"ghrn", "ratio0.25", wavelet_names, NULL, {"hidden", "4", "remove", "0.25"}, 0},
    {"rgcn", "rgcn", rgcn_names, "layers.", {"hidden", "4"}, 0},
    {"hgt", "heads1", hgt_names, "layers.", {"hidden", "4", "dropout", "0"}, 0},
    {"hgt", "heads2", hgt_names, "layers.", {"hidden", "4", "dropout", "0", "heads", "2"}, 0},
    {"pc-gnn", "del0.7_add0.3", cheb_names, NULL, {"hidden", "4", "remove", "0.7", "add", "0.3"}, 0},
    {"pc-gnn", "del0.3_add0.8", cheb_names, NULL, {"hidden", "4", "remove", "0.3", "add", "0.8"}, 0},
};

START_TEST(computes_as_the_reference)
{
    model_case_run(&cases[_i]);
}
END_TEST

/* X = I without edges and a last layer that changes nothing: the logits are the activation of the first weights. */
START_TEST(shared_methods_have_the_activations_of_the_search)
{
    static const struct {
        const char *method, *first, *last, *settings[14];
    } methods[] = {
        {"mlp", "mlp.linear0.weight", "mlp.linear1.weight", {"hidden", "2", "dropout", "0"}},
        {"gcn", "conv0.weight", "head.weight", {"hidden", "2", "dropout", "0", BENCH_FREE_LOGITS, "head", "yes"}},
        {"gcn",
         "conv0.weight",
         "conv1.weight",
         {"hidden", "2", "dropout", "0", "loops", "set", "normalisation", "none", "layers", "2"}},
        {"gin",
         "conv0.nn.linear0.weight",
         "conv1.nn.linear0.weight",
         {"hidden", "2", "dropout", "0", "mlp_layers", "1", "head", "no", "layers", "2"}},
    };
    static const float z[] = {-2, -0.5F, 0.25F, 3, 1, -1};
    const bool leaky = _i % 2;
    cJSON *labels = cJSON_Parse("[0, 1, 0]"), *train = cJSON_Parse("[0, 1]");
    const char *settings[16] = {"activation", leaky ? "leaky-relu" : "tanh"};
    for (int i = 0; methods[_i / 2].settings[i]; i++) settings[2 + i] = methods[_i / 2].settings[i];
    bench b = bench_create();
    bench_free_logits(&b, 3);
    bench_labels(&b, labels, train);
    bench_open(&b, methods[_i / 2].method, settings);
    for (int64_t i = 0; i < cru_net_weight_count(b.learner->net); i++) {
        cru_tensor *w = cru_net_weight_at(b.learner->net, i);
        memset(w->data, 0, (size_t)cru_tensor_count(w) * sizeof *w->data);
    }
    memcpy(bench_weight(&b, methods[_i / 2].first)->data, z, sizeof z);
    memcpy(bench_weight(&b, methods[_i / 2].last)->data, (const float[]){1, 0, 0, 1}, 4 * sizeof(float));
    bench_run(&b);
    for (int i = 0; i < 6; i++) {
        const double x = (double)z[i];
        bench_check_number(&b, (double)b.logits->data[i], leaky ? fmax(x, 0.01 * x) : tanh(x));
    }
    bench_destroy(&b);
    cJSON_Delete(labels), cJSON_Delete(train);
}
END_TEST

/* Two nets, and the head's gradients are there although no optimiser uses them. */
START_TEST(gas_shares_its_encoder)
{
    cJSON *root = fixture_open("gad/gas.json");
    const cJSON *item = fixture_case(root, "gas");
    static const struct {
        const char *part, *gradients, *theirs, *ours;
        bench_layout layout;
    } names[] = {
        {"encoder", "encoder_grads", "layers.0.weight", "conv0.weight", AS_STORED},
        {"encoder", "encoder_grads", "layers.0.bias", "conv0.bias", AS_STORED},
        {"encoder", "encoder_grads", "layers.1.weight", "conv1.weight", AS_STORED},
        {"encoder", "encoder_grads", "layers.1.bias", "conv1.bias", AS_STORED},
        {"head", "head_grads", "0.weight", "first.weight", TRANSPOSED},
        {"head", "head_grads", "0.bias", "first.bias", AS_STORED},
        {"head", "head_grads", "2.weight", "second.weight", TRANSPOSED},
        {"head", "head_grads", "2.bias", "second.bias", AS_STORED},
    };
    bench b = with_anomaly_task(item);
    bench_open(&b, "gas", (const char *[]){"hidden", "4", "k", "3", "variant", _i ? "paper" : "bench", NULL});
    for (int i = 0; i < 8; i++)
        bench_set(&b, names[i].ours, cJSON_GetObjectItem(fixture_input(item, names[i].part), names[i].theirs),
                  names[i].layout);
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    for (int i = 0; i < 8; i++)
        bench_check_gradient(&b, names[i].ours,
                             cJSON_GetObjectItem(fixture_expected(item, names[i].gradients), names[i].theirs),
                             names[i].layout);
    double loss;
    const float before = bench_weight(&b, "first.bias")->data[1];
    ck_assert_int_eq(bench_epoch(&b, &loss), CRU_OK);
    ck_assert_int_eq(bench_weight(&b, "first.bias")->data[1] != before, _i);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* With H = 1 everywhere a mean is 1, and a layer that looks at one scaled mean alone shows the scaler. */
START_TEST(pna_scales_by_degrees)
{
    static const char *const scalers[] = {"identity", "amplification", "attenuation"};
    cJSON *root = fixture_open("gad/pna.json");
    const cJSON *item = fixture_case(root, "h_feats4");
    const cJSON *expected = fixture_expected(fixture_case(root, "optional_degree_scalers"), scalers[_i]);
    bench b = with_anomaly_task(item);
    bench_open(&b, "pna", (const char *[]){"hidden", "1", "layers", "1", "variant", "paper", NULL});
    static const char *const names[] = {"in.weight", "in.bias", "conv0.weight", "conv0.bias", "out.weight", "out.bias"};
    for (int i = 0; i < 6; i++) {
        cru_tensor *w = bench_weight(&b, names[i]);
        memset(w->data, 0, (size_t)cru_tensor_count(w) * sizeof *w->data);
    }
    bench_weight(&b, "in.bias")->data[0] = bench_weight(&b, "out.weight")->data[1] = 1;
    bench_weight(&b, "conv0.weight")->data[4 * _i] = 1;
    bench_run(&b);
    for (int v = 0; v < 8; v++)
        bench_check_number(&b, (double)b.logits->data[2 * v + 1], cJSON_GetArrayItem(expected, v)->valuedouble);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* One filter has all the attention. H is the fixture's h, held off the activation's kink by 16 and moved back. */
START_TEST(amnet_filters_as_coded_and_as_printed)
{
    static double h[BENCH_MOST], theta[8], expected[BENCH_MOST];
    const char *const order = _i / 2 ? "3" : "2";
    cJSON *root = fixture_open("gad/bernnet.json");
    const cJSON *item = fixture_case(root, _i / 2 ? "filter_K3" : "filter_K2");
    bench b = bench_create();
    bench_graph_as(&b, fixture_input(item, "graph"), true);
    b.data->problem = CRU_ANOMALY;
    bench_features(&b, fixture_input(item, "h"));
    cJSON *labels = cJSON_Parse("[0, 1, 0, 0, 1, 0, 0, 1]"), *mask = cJSON_Parse("[1, 1, 1, 1, 1, 0, 0, 0]");
    bench_masked_labels(&b, labels, mask);
    const int64_t cols = fixture_numbers(fixture_input(item, "h"), h) / 8;
    char hidden[8];
    snprintf(hidden, sizeof hidden, "%d", (int)cols);
    bench_open(&b, "amnet",
               (const char *[]){"filters", "1", "order", order, "hidden", hidden, "variant", _i % 2 ? "paper" : "bench",
                                NULL});
    static const char *const names[] = {"first", "second", "out"};
    for (int i = 0; i < 3; i++) {
        char weight[32], bias[32];
        snprintf(weight, sizeof weight, "%s.weight", names[i]);
        snprintf(bias, sizeof bias, "%s.bias", names[i]);
        cru_tensor *w = bench_weight(&b, weight), *shift = bench_weight(&b, bias);
        for (int64_t k = 0; k < cru_tensor_count(w); k++) w->data[k] = k / w->dim[1] == k % w->dim[1];
        for (int64_t k = 0; k < cru_tensor_count(shift); k++) shift->data[k] = i == 0 ? 16 : i == 1 ? -16 : 0;
    }
    const int64_t count = fixture_numbers(fixture_input(item, "theta"), theta);
    for (int64_t k = 0; k < count; k++) bench_weight(&b, "theta0")->data[k] = (float)theta[k];
    bench_run(&b);
    fixture_numbers(fixture_expected(item, _i % 2 ? "paper" : "coded"), expected);
    for (int v = 0; v < 16; v++) bench_check_number(&b, (double)b.logits->data[v], expected[v / 2 * cols + v % 2]);
    bench_destroy(&b);
    cJSON_Delete(root), cJSON_Delete(labels), cJSON_Delete(mask);
}
END_TEST

/* ---- layers by themselves
 * -------------------------------------------------------------------------------------------- */

typedef struct layer_bench {
    bench b;
    cJSON *root;
    const cJSON *item;
    cru_tape *tape;
} layer_bench;

static layer_bench open_layer(const char *file, const char *name)
{
    layer_bench l = {.b = bench_create(), .root = fixture_open(file)};
    l.item = fixture_case(l.root, name);
    bench_graph_as(&l.b, fixture_input(l.item, "graph"), true);
    l.tape = cru_tape_create(l.b.ctx);
    cru_tape_begin(l.tape, CRU_TRAIN);
    return l;
}

static void close_layer(layer_bench *l)
{
    bench_destroy(&l->b);
    cJSON_Delete(l->root);
}

/* With the identity as its matrix the layer gives [W_0 H | ... | W_C H]. */
START_TEST(wavelets_of_every_order)
{
    static const char *const names[] = {"wavelets_C1", "wavelets_C2", "wavelets_C3"};
    static double expected[BENCH_MOST];
    layer_bench l = open_layer("gad/bwgnn.json", names[_i]);
    cru_tensor *h = bench_upload(l.tape, fixture_input(l.item, "h"));
    const int64_t order = fixture_input(l.item, "C")->valueint, in = cru_tensor_cols(h), out = (order + 1) * in;
    cru_sparse *adj = cru_adjacency_create(l.b.ctx, &l.b.data->graph, &(cru_adjacency){CRU_LOOPS_KEEP, CRU_NORM_SYM});
    cru_net *net = cru_net_create(l.b.ctx, "net");
    const cru_wavelets layer = cru_wavelets_create(net, "waves", in, out, order);
    for (int64_t k = 0; k < out * out; k++) layer.fc.w->data[k] = k / out == k % out;
    for (int64_t k = 0; k < out; k++) layer.fc.b->data[k] = 0;
    const float *z = cru_tensor_host(l.tape, cru_wavelets_apply(l.tape, &layer, adj, h));
    ck_assert_int_eq(fixture_numbers(fixture_expected(l.item, "outputs"), expected), 8 * out);
    for (int64_t i = 0; i < 8 * out; i++) /* filter, node, column */
        bench_check_number(&l.b, (double)z[i / in % 8 * out + i / (8 * in) * in + i % in], expected[i]);
    close_layer(&l);
}
END_TEST

static cru_tensor *deviation(cru_tape *t, cru_sparse *adj, cru_tensor *h)
{
    cru_tensor *mean = cru_aggregate(t, adj, h, CRU_REDUCE_MEAN);
    cru_tensor *square = cru_aggregate(t, adj, cru_square(t, h), CRU_REDUCE_MEAN);
    cru_tensor *variance = cru_relu(t, cru_sub(t, square, cru_square(t, mean)));
    return cru_sqrt(t, cru_affine(t, variance, 1, 1e-5));
}

START_TEST(aggregates_and_their_slopes)
{
    layer_bench l = open_layer("gad/pna.json", "aggregators");
    cru_sparse *adj = cru_adjacency_create(l.b.ctx, &l.b.data->graph, &(cru_adjacency){CRU_LOOPS_KEEP, CRU_NORM_NONE});
    cru_tensor *h = bench_upload(l.tape, fixture_input(l.item, "h"));
    bench_check(&l.b, cru_aggregate(l.tape, adj, h, CRU_REDUCE_MEAN), fixture_expected(l.item, "mean"));
    bench_check(&l.b, cru_aggregate(l.tape, adj, h, CRU_REDUCE_MIN), fixture_expected(l.item, "min"));
    cru_tensor *max = cru_aggregate(l.tape, adj, h, CRU_REDUCE_MAX);
    bench_check(&l.b, max, fixture_expected(l.item, "max"));
    cru_backward(l.tape, cru_sum(l.tape, cru_square(l.tape, max), CRU_ALL));
    bench_check(&l.b, cru_grad_of(l.tape, h), fixture_expected(l.item, "d_sum_max2_dh"));
    cru_tape_begin(l.tape, CRU_TRAIN);
    h = bench_upload(l.tape, fixture_input(l.item, "h"));
    cru_tensor *std = deviation(l.tape, adj, h);
    l.b.tolerance = 1e-4; /* mean(h^2) - mean(h)^2 in float */
    bench_check(&l.b, std, fixture_expected(l.item, "std"));
    cru_backward(l.tape, cru_sum(l.tape, std, CRU_ALL));
    bench_check(&l.b, cru_grad_of(l.tape, h), fixture_expected(l.item, "d_sum_std_dh"));
    close_layer(&l);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("anomaly models");
    TCase *c = tcase_create("fixtures");
    tcase_add_loop_test(c, computes_as_the_reference, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_loop_test(c, shared_methods_have_the_activations_of_the_search, 0, 8);
    tcase_add_loop_test(c, gas_shares_its_encoder, 0, 2);
    tcase_add_loop_test(c, pna_scales_by_degrees, 0, 3);
    tcase_add_loop_test(c, wavelets_of_every_order, 0, 3);
    tcase_add_test(c, aggregates_and_their_slopes);
    tcase_add_loop_test(c, amnet_filters_as_coded_and_as_printed, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
