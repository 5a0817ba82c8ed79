// SPDX-License-Identifier: Apache-2.0
/* imgkb against the numbers of the imbalance study's code. */
#include <crucible/draft/tensor.h>
#include <crucible/ops-basic.h>

#include "methods/method-bench.h"
#include "walk-kernel.h"

static double numbers[BENCH_MOST];

/* A tensor of the step with the fixture's numbers as `rows` rows, whose gradient can be asked for. */
static cru_tensor *upload(cru_tape *t, const cJSON *values, int64_t rows)
{
    static float floats[BENCH_MOST];
    const int64_t count = fixture_numbers(values, numbers);
    for (int64_t i = 0; i < count; i++) floats[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(t, cru_2d(rows, count / rows), floats);
    cru_tensor_watch(x);
    return x;
}

static const cJSON *begin(cJSON **root, const char *name, bench *b, cru_tape **t)
{
    *root = fixture_open("igl/imgkb.json");
    const cJSON *item = fixture_case(*root, name);
    *b = bench_create();
    b->tolerance = cJSON_GetObjectItem(item, "tolerance")->valuedouble;
    *t = cru_tape_create(b->ctx);
    cru_tape_begin(*t, CRU_TRAIN);
    return item;
}

START_TEST(imgkb_walks)
{
    cJSON *root;
    bench b;
    cru_tape *t;
    const cJSON *item = begin(&root, "random_walk_kernel", &b, &t);
    cru_tensor *h = upload(t, fixture_input(item, "h_G"), 4), *upper = upload(t, fixture_input(item, "adj_upper"), 3);
    cru_tensor *z = upload(t, fixture_input(item, "features_hidden"), 12), *steps[2];
    const walk_kernel kernel = walk_kernel_of(b.ctx, 3, 4, upper, z);
    walk_kernel_apply(t, &kernel, h, 2, steps);
    cru_tensor *out = cru_concat_cols(t, steps, 2);
    bench_check(&b, out, fixture_expected(item, "out"));
    bench_check(&b, out, fixture_expected(item, "out_steps"));
    b.loss = cru_mean(t, cru_square(t, out), CRU_ALL);
    bench_check_number(&b, (double)cru_tensor_item(t, b.loss), fixture_expected(item, "loss_mean_square")->valuedouble);
    cru_backward(t, b.loss);
    bench_check(&b, cru_grad_of(t, h), fixture_expected(item, "dh"));
    bench_check(&b, cru_grad_of(t, upper), fixture_expected(item, "dadj"));
    bench_check(&b, cru_grad_of(t, z), fixture_expected(item, "dfeat"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(imgkb_balances_classes)
{
    cJSON *root;
    bench b;
    cru_tape *t;
    int32_t labels[8];
    const cJSON *item = begin(&root, "class_balanced_ce", &b, &t);
    cru_tensor *z = upload(t, fixture_input(item, "logits"), 5);
    const int64_t count = fixture_numbers(fixture_input(item, "labels"), numbers);
    for (int64_t i = 0; i < count; i++) labels[i] = (int32_t)numbers[i];
    b.loss = balanced_loss(t, z, labels, fixture_input(item, "beta")->valuedouble);
    bench_check_number(&b, (double)cru_tensor_item(t, b.loss), fixture_expected(item, "loss")->valuedouble);
    cru_backward(t, b.loss);
    bench_check(&b, cru_grad_of(t, z), fixture_expected(item, "dlogits"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(imgkb_bounds_information)
{
    cJSON *root;
    bench b;
    cru_tape *t;
    int32_t other[8];
    const cJSON *item = begin(&root, "mi_estimate", &b, &t);
    cru_tensor *h = upload(t, fixture_input(item, "h"), 4), *a = upload(t, fixture_input(item, "a"), 4);
    const int64_t count = fixture_numbers(fixture_input(item, "perm"), numbers);
    for (int64_t i = 0; i < count; i++) other[i] = (int32_t)numbers[i];
    cru_mlp d = {.layers = 2, .act = CRU_UNARY_RELU};
    d.layer[0] = (cru_fc){cru_transposed(t, upload(t, fixture_input(item, "W1"), 8)),
                          cru_reshape(t, upload(t, fixture_input(item, "b1"), 1), cru_1d(8))};
    d.layer[1] = (cru_fc){cru_transposed(t, upload(t, fixture_input(item, "W2"), 1)),
                          cru_reshape(t, upload(t, fixture_input(item, "b2"), 1), cru_1d(1))};
    b.loss = mutual_information(t, &d, h, a, cru_index_step(t, other, count));
    bench_check_number(&b, (double)cru_tensor_item(t, b.loss), fixture_expected(item, "mi")->valuedouble);
    cru_backward(t, b.loss);
    bench_check(&b, cru_grad_of(t, h), fixture_expected(item, "dh"));
    bench_check(&b, cru_grad_of(t, a), fixture_expected(item, "da"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* A triangle and a path of two, or the same nodes apart. */
static void open_nodes(bench *b, const char *variant, const char *backbone, bool linked)
{
    cJSON *graph =
        cJSON_Parse(linked ? "{\"n\": 5, \"edges\": [[0, 1], [1, 2], [2, 0], [3, 4]]}" : "{\"n\": 5, \"edges\": []}");
    cJSON *of = cJSON_Parse("[0, 0, 0, 1, 1]"), *labels = cJSON_Parse("[0, 1]"), *train = cJSON_Parse("[0, 1]");
    *b = bench_create();
    bench_graph(b, graph);
    bench_identity_features(b);
    bench_split_graphs(b, of);
    bench_labels(b, labels, train);
    bench_open(b, "imgkb", (const char *[]){"variant", variant, "backbone", backbone, "hidden", "8", NULL});
    cJSON *const all[] = {graph, of, labels, train};
    for (int i = 0; i < 4; i++) cJSON_Delete(all[i]);
}

START_TEST(imgkb_sees_edges_in_the_variant_of_its_paper_alone)
{
    static const char *const backbones[] = {"gin", "gcn", "graphsage", "gat"};
    for (int paper = 0; paper < 2; paper++) {
        bench linked, apart;
        open_nodes(&linked, paper ? "paper" : "bench", backbones[_i], true);
        open_nodes(&apart, paper ? "paper" : "bench", backbones[_i], false);
        bench_run(&linked);
        bench_run(&apart);
        float gap = 0;
        for (int i = 0; i < 4; i++) gap = fmaxf(gap, fabsf(linked.logits->data[i] - apart.logits->data[i]));
        ck_assert_int_eq(gap > 0, paper);
        bench_destroy(&linked);
        bench_destroy(&apart);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance kernels");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, imgkb_walks);
    tcase_add_test(c, imgkb_balances_classes);
    tcase_add_test(c, imgkb_bounds_information);
    tcase_add_loop_test(c, imgkb_sees_edges_in_the_variant_of_its_paper_alone, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
