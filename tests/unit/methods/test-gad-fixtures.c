// SPDX-License-Identifier: Apache-2.0
/* gat, bwgnn and gcn against the numbers of the anomaly study's code, on a directed graph with self-loops. */
#include "methods/method-bench.h"

/* A weight of the fixture under PyTorch's name, and ours. */
typedef struct renamed {
    const char *theirs, *ours;
    bench_layout layout;
} renamed;

static bench with_task(const cJSON *item)
{
    bench b = bench_create();
    bench_graph_as(&b, fixture_input(item, "graph"), true);
    b.data->problem = CRU_ANOMALY;
    bench_features(&b, fixture_input(item, "x"));
    bench_masked_labels(&b, fixture_input(item, "y"), fixture_input(item, "train_mask"));
    return b;
}

static void run_case(bench *b, const cJSON *item, const renamed *names)
{
    const cJSON *params = fixture_input(item, "params"), *gradients = fixture_expected(item, "grads");
    int known = 0;
    for (const renamed *n = names; n->theirs; n++) {
        const cJSON *values = cJSON_GetObjectItem(params, n->theirs);
        if (!values) continue; /* a block that this case does not have */
        bench_set(b, n->ours, values, n->layout);
        known++;
    }
    ck_assert_int_eq(known, cJSON_GetArraySize(params));
    bench_run(b);
    bench_check(b, b->logits, fixture_expected(item, "logits"));
    bench_check_loss(b, fixture_expected(item, "loss"));
    for (const renamed *n = names; n->theirs; n++) {
        const cJSON *values = cJSON_GetObjectItem(gradients, n->theirs);
        if (values) bench_check_gradient(b, n->ours, values, n->layout);
    }
    bench_destroy(b);
}

START_TEST(gat_with_interleaved_heads)
{
    static const renamed names[] = {
        {"input_linear.weight", "in.weight", TRANSPOSED},
        {"input_linear.bias", "in.bias", AS_STORED},
        {"output_linear.weight", "out.weight", TRANSPOSED},
        {"output_linear.bias", "out.bias", AS_STORED},
        {"layers.0.module.input_linear.weight", "block0.in.weight", TRANSPOSED},
        {"layers.0.module.input_linear.bias", "block0.in.bias", AS_STORED},
        {"layers.0.module.attn_linear_u.weight", "block0.source.weight", TRANSPOSED},
        {"layers.0.module.attn_linear_u.bias", "block0.source.bias", AS_STORED},
        {"layers.0.module.attn_linear_v.weight", "block0.target.weight", TRANSPOSED},
        {"layers.0.module.feed_forward_module.linear_1.weight", "block0.first.weight", TRANSPOSED},
        {"layers.0.module.feed_forward_module.linear_1.bias", "block0.first.bias", AS_STORED},
        {"layers.0.module.feed_forward_module.linear_2.weight", "block0.second.weight", TRANSPOSED},
        {"layers.0.module.feed_forward_module.linear_2.bias", "block0.second.bias", AS_STORED},
        {"layers.1.module.input_linear.weight", "block1.in.weight", TRANSPOSED},
        {"layers.1.module.input_linear.bias", "block1.in.bias", AS_STORED},
        {"layers.1.module.attn_linear_u.weight", "block1.source.weight", TRANSPOSED},
        {"layers.1.module.attn_linear_u.bias", "block1.source.bias", AS_STORED},
        {"layers.1.module.attn_linear_v.weight", "block1.target.weight", TRANSPOSED},
        {"layers.1.module.feed_forward_module.linear_1.weight", "block1.first.weight", TRANSPOSED},
        {"layers.1.module.feed_forward_module.linear_1.bias", "block1.first.bias", AS_STORED},
        {"layers.1.module.feed_forward_module.linear_2.weight", "block1.second.weight", TRANSPOSED},
        {"layers.1.module.feed_forward_module.linear_2.bias", "block1.second.bias", AS_STORED},
        {NULL, NULL, AS_STORED},
    };
    static const struct {
        const char *name, *heads, *layers;
    } cases[] = {{"h_feats8_num_heads4", "4", "2"}, {"h_feats8_num_heads2_num_layers1", "2", "1"}};
    cJSON *root = fixture_open("gad/gat.json");
    const cJSON *item = fixture_case(root, cases[_i].name);
    bench b = with_task(item);
    bench_open(&b, "gat", (const char *[]){"hidden", "8", "heads", cases[_i].heads, "layers", cases[_i].layers, NULL});
    run_case(&b, item, names);
    cJSON_Delete(root);
}
END_TEST

START_TEST(bwgnn_with_both_heads)
{
    static const renamed names[] = {
        {"linear.weight", "in.linear0.weight", TRANSPOSED},
        {"linear.bias", "in.linear0.bias", AS_STORED},
        {"linear2.weight", "in.linear1.weight", TRANSPOSED},
        {"linear2.bias", "in.linear1.bias", AS_STORED},
        {"mlp.layers.0.weight", "wavelets.weight", TRANSPOSED},
        {"mlp.layers.0.bias", "wavelets.bias", AS_STORED},
        {"mlp.layers.1.weight", "out.weight", TRANSPOSED},
        {"mlp.layers.1.bias", "out.bias", AS_STORED},
        {NULL, NULL, AS_STORED},
    };
    static const char *const cases[] = {"model0", "model1"};
    static const char *const settings[][9] = {
        {"hidden", "4", NULL},
        {"hidden", "4", "order", "3", "mlp_layers", "1", "activation", "tanh", NULL},
    };
    cJSON *root = fixture_open("gad/bwgnn.json");
    const cJSON *item = fixture_case(root, cases[_i]);
    bench b = with_task(item);
    bench_open(&b, "bwgnn", settings[_i]);
    run_case(&b, item, names);
    cJSON_Delete(root);
}
END_TEST

START_TEST(gcn_with_a_head)
{
    static const renamed names[] = {
        {"layers.0.weight", "conv0.weight", AS_STORED},
        {"layers.0.bias", "conv0.bias", AS_STORED},
        {"layers.1.weight", "conv1.weight", AS_STORED},
        {"layers.1.bias", "conv1.bias", AS_STORED},
        {"mlp.layers.0.weight", "head.weight", TRANSPOSED},
        {"mlp.layers.0.bias", "head.bias", AS_STORED},
        {NULL, NULL, AS_STORED},
    };
    cJSON *root = fixture_open("gad/gcn.json");
    const cJSON *item = fixture_case(root, "h_feats4");
    bench b = with_task(item);
    bench_open(&b, "gcn",
               (const char *[]){"hidden", "4", "head", "yes", "dropout", "0", "loops", "keep", "normalisation",
                                "in-out", "class_weights", "balanced", NULL});
    run_case(&b, item, names);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("anomaly fixtures");
    TCase *c = tcase_create("fixtures");
    tcase_add_loop_test(c, gat_with_interleaved_heads, 0, 2);
    tcase_add_loop_test(c, bwgnn_with_both_heads, 0, 2);
    tcase_add_test(c, gcn_with_a_head);
    suite_add_tcase(s, c);
    return s;
}
