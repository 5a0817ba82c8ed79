// SPDX-License-Identifier: Apache-2.0
/* drgcn, dpgnn, imgagn and graphsha against the numbers of the imbalance study's code. */
#include <crucible/draft/tensor.h>
#include <crucible/ops-basic.h>

#include "gan-losses.h"
#include "generated.h"
#include "hard-sampling.h"
#include "methods/method-bench.h"
#include "prototypes.h"

static double numbers[BENCH_MOST];

static bench on_fixture(const cJSON *item)
{
    bench b = bench_create();
    b.tolerance = cJSON_GetObjectItem(item, "tolerance")->valuedouble;
    return b;
}

/* A tensor of the step with the fixture's numbers, whose gradient can be asked for. */
static void check_item(const bench *b, cru_tape *t, const cru_tensor *x, const cJSON *item, const char *key)
{
    bench_check_number(b, (double)cru_tensor_item(t, x), fixture_expected(item, key)->valuedouble);
}

START_TEST(drgcn_regularises_scores)
{
    cJSON *root = fixture_open("igl/drgcn.json");
    const cJSON *item = fixture_case(root, "gcn_objective"), *scores = fixture_input(item, "scores_before_softmax");
    bench b = on_fixture(item);
    bench_free_logits(&b, cJSON_GetArraySize(scores));
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, "drgcn", (const char *[]){NULL});
    cru_learner *l = b.learner;
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_tensor *z = bench_upload(l->tape, scores);
    b.loss = l->method->loss(l, l->model, l->tape, z);
    bench_check_loss(&b, fixture_expected(item, "total"));
    cru_backward(l->tape, b.loss);
    bench_check(&b, cru_grad_of(l->tape, z), fixture_expected(item, "dscores"));
    const cru_targets train = {.rows = &l->train_rows, .labels = l->train_labels};
    check_item(&b, l->tape, gan_gcn_loss(l->tape, z, &train, 0), item, "ce_double_softmax");
    check_item(&b, l->tape, gan_gcn_loss(l->tape, z, &train, 1), item, "kl");
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(drgcn_has_a_gan)
{
    static float dense[BENCH_MOST];
    cJSON *root = fixture_open("igl/drgcn.json");
    const cJSON *item = fixture_case(root, "gan_losses"), *rows = fixture_input(item, "B");
    bench b = on_fixture(item);
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    for (int64_t i = 0; i < count; i++) dense[i] = (float)numbers[i];
    const cru_csr near = cru_csr_from_dense(cru_ctx_pool(b.ctx), dense, n, count / n);
    cru_tensor *g = bench_upload(t, fixture_input(item, "G")), *z = bench_upload(t, fixture_input(item, "Z_neighbors"));
    cru_tensor *real = bench_upload(t, fixture_input(item, "logit_real")),
               *fake = bench_upload(t, fixture_input(item, "logit_fake"));
    cru_tensor *distance = gan_distance(t, cru_sparse_create(b.ctx, &near), g, z);
    check_item(&b, t, distance, item, "l2");
    check_item(&b, t, gan_discriminator_loss(t, real, fake, distance), item, "loss_d");
    cru_tensor *loss = gan_generator_loss(t, fake, distance);
    check_item(&b, t, loss, item, "loss_g");
    cru_backward(t, loss);
    bench_check(&b, cru_grad_of(t, g), fixture_expected(item, "dG"));
    bench_check(&b, cru_grad_of(t, fake), fixture_expected(item, "dlogit_fake_of_loss_g"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static double total(const cru_tensor *w)
{
    double sum = 0;
    for (int64_t i = 0; i < cru_tensor_count(w); i++) sum += (double)w->data[i] * (double)(i + 1);
    return sum;
}

/* variant = paper: the GAN's steps leave the GCN alone, so that without its own step it would not move. */
START_TEST(drgcn_trains_all_of_it)
{
    cJSON *graph = cJSON_Parse("{\"n\": 4, \"edges\": [[0, 1], [1, 2], [2, 3]]}"),
          *labels = cJSON_Parse("[0, 0, 1, 0]");
    cJSON *train = cJSON_Parse("[0, 1, 2]");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_identity_features(&b);
    bench_labels(&b, labels, train);
    bench_open(&b, "drgcn", (const char *[]){"variant", cru_variant_names[_i], NULL});
    const char *const names[] = {"conv0.weight", "generator.linear1.weight", "discriminator.linear1.weight"};
    double before[3], after[3];
    for (int i = 0; i < 3; i++) before[i] = total(bench_weight(&b, names[i]));
    b.learner->method->after_epoch(b.learner, b.learner->model);
    ck_assert_int_eq(cru_ctx_status(b.ctx), CRU_OK);
    for (int i = 0; i < 3; i++) after[i] = total(bench_weight(&b, names[i]));
    ck_assert_int_eq(after[0] != before[0], _i == CRU_BENCH);
    for (int i = 1; i < 3; i++) ck_assert_double_ne(after[i], before[i]);
    bench_destroy(&b);
    cJSON_Delete(graph);
    cJSON_Delete(labels);
    cJSON_Delete(train);
}
END_TEST

START_TEST(dpgnn_spreads_labels)
{
    static double h[BENCH_MOST], confidence[64];
    cJSON *root = fixture_open("igl/dpgnn.json");
    const cJSON *item = fixture_case(root, "label_propagation");
    bench b = on_fixture(item);
    bench_graph(&b, fixture_input(item, "graph"));
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    const cru_data *data = b.data;
    const int64_t k = data->classes, count = data->split.train.count;
    memset(h, 0, sizeof h);
    for (int64_t i = 0; i < count; i++) {
        int64_t same = 0;
        const int32_t v = data->split.train.ids[i];
        for (int64_t j = 0; j < count; j++) same += data->labels[data->split.train.ids[j]] == data->labels[v];
        h[v * k + data->labels[v]] = (double)count / (double)same;
    }
    propagate_labels(cru_ctx_pool(b.ctx), &data->graph, h, k, 20);
    fixture_numbers(fixture_expected(item, "propagated"), numbers);
    for (int64_t i = 0; i < data->nodes * k; i++) bench_check_number(&b, h[i], numbers[i]);
    fixture_numbers(fixture_expected(item, "confidence"), confidence);
    for (int64_t v = 0; v < data->nodes; v++) {
        int32_t best;
        bench_check_number(&b, label_confidence(&h[v * k], k, &best), confidence[v]);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static support read_support(bench *b, const cJSON *lists)
{
    support s = {cru_ctx_alloc(b->ctx, 64, sizeof(int32_t)), cru_ctx_alloc(b->ctx, 64, sizeof(int32_t)), 0};
    for (int c = 0; c < cJSON_GetArraySize(lists); c++) {
        const cJSON *of = cJSON_GetArrayItem(lists, c);
        const int64_t count = cJSON_IsArray(of) ? fixture_numbers(of, numbers) : 1;
        if (cJSON_IsNumber(of)) numbers[0] = of->valuedouble;
        for (int64_t i = 0; i < count; i++) {
            s.nodes[s.count] = (int32_t)numbers[i];
            s.classes[s.count++] = c;
        }
    }
    return s;
}

START_TEST(dpgnn_has_prototypes)
{
    cJSON *root = fixture_open("igl/dpgnn.json");
    const cJSON *item = fixture_case(root, "losses");
    bench b = on_fixture(item);
    bench_graph(&b, fixture_input(item, "graph"));
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    const cru_csr *graph = &b.data->graph;
    float scale[16];
    for (int64_t v = 0; v < graph->rows; v++)
        scale[v] = 1 / sqrtf((float)(graph->offsets[v + 1] - graph->offsets[v] + 1));
    cru_tensor *e = bench_upload(t, fixture_input(item, "embedding")), *w = bench_upload(t, fixture_input(item, "W"));
    cru_tensor *bias = bench_upload(t, fixture_input(item, "b"));
    const cru_fc distance = {cru_transposed(t, w), cru_reshape(t, bias, cru_1d(cru_tensor_rows(bias)))};
    const support rest = read_support(&b, fixture_input(item, "support")),
                  ask = read_support(&b, fixture_input(item, "query"));
    const prototypes p = prototypes_create(t, e, &rest, &distance);
    cru_tensor *scores = prototypes_scores(t, &p, cru_gather(t, e, cru_index_step(t, ask.nodes, ask.count)));
    bench_check(&b, cru_log_softmax(t, scores, 1), fixture_expected(item, "log_scores"));
    cru_tensor *l1 = cru_cross_entropy(t, scores, &(cru_targets){.labels = cru_index_step(t, ask.classes, ask.count)});
    cru_tensor *l2 = prototypes_overlap(t, &p), *placed = prototypes_place(t, &p, e);
    cru_tensor *l3 = prototypes_roughness(t, placed, cru_sparse_create(b.ctx, graph),
                                          cru_tensor_upload(t, cru_2d(graph->rows, 1), scale));
    check_item(&b, t, l1, item, "L1");
    check_item(&b, t, l2, item, "L2");
    check_item(&b, t, l3, item, "L3");
    cru_tensor *loss = cru_plus(t, l1, fixture_input(item, "lamb1")->valuedouble, l2);
    loss = cru_plus(t, loss, fixture_input(item, "lamb2")->valuedouble, l3);
    check_item(&b, t, loss, item, "total");
    cru_backward(t, loss);
    bench_check(&b, cru_grad_of(t, e), fixture_expected(item, "dembedding"));
    bench_check(&b, cru_grad_of(t, w), fixture_expected(item, "dW"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(imgagn_mixes_the_minority)
{
    int32_t node[16], other[16];
    cJSON *root = fixture_open("igl/imgagn.json");
    const cJSON *item = fixture_case(root, "mix");
    bench b = on_fixture(item);
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *out = bench_upload(t, fixture_input(item, "generator_out"));
    cru_tensor *real = bench_upload(t, fixture_input(item, "minority_features"));
    const generated g = generated_mix(t, out, real);
    bench_check(&b, g.weights, fixture_expected(item, "weights"));
    bench_check(&b, g.x, fixture_expected(item, "x_gen"));
    const int64_t found = generated_edges(cru_tensor_host(t, g.weights), 2, 3, node, other);
    ck_assert_int_eq(2 * found, fixture_numbers(fixture_expected(item, "edges_gen_min"), numbers));
    for (int64_t e = 0; e < found; e++) {
        ck_assert_int_eq(node[e], (int)numbers[2 * e]);
        ck_assert_int_eq(other[e], (int)numbers[2 * e + 1]);
    }
    cru_tensor *loss = mean_distance(t, real, g.x);
    check_item(&b, t, loss, item, "distance_loss");
    cru_backward(t, loss);
    bench_check(&b, cru_grad_of(t, out), fixture_expected(item, "dgenerator_out"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The fixture's draws take the largest weight. */
static int64_t draw_largest(void *user, const double *weights, int64_t n)
{
    (void)user;
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (weights[i] > weights[best]) best = i;
    return best;
}

START_TEST(graphsha_samples_hard_nodes)
{
    static double weights[64];
    hard_pair pairs[16];
    cru_ids places[3];
    int32_t ids[3][8];
    cJSON *root = fixture_open("igl/graphsha.json");
    const cJSON *item = fixture_case(root, "hard_sampling_argmax_draws");
    bench b = on_fixture(item);
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_EVAL);
    cru_tensor *z = bench_upload(t, fixture_input(item, "logits_train"));
    cru_tensor *q = cru_softmax(t, cru_scale(t, z, 1 / fixture_input(item, "tau")->valuedouble), 1);
    bench_check(&b, q, fixture_expected(item, "confidence"));
    for (int c = 0; c < 3; c++) {
        const cJSON *local = cJSON_GetArrayItem(fixture_input(item, "local_index_per_class"), c);
        places[c] = (cru_ids){ids[c], fixture_numbers(local, numbers)};
        for (int64_t i = 0; i < places[c].count; i++) ids[c][i] = (int32_t)numbers[i];
    }
    const hard_classes classes = {places, 3, cru_tensor_host(t, q)};
    ck_assert_int_eq(hard_pairs(&classes, 4, draw_largest, NULL, weights, pairs), 5);
    fixture_numbers(fixture_input(item, "train_ids"), weights);
    fixture_numbers(fixture_expected(item, "src"), numbers);
    for (int i = 0; i < 5; i++) ck_assert_int_eq((int)weights[pairs[i].source], (int)numbers[i]);
    fixture_numbers(fixture_expected(item, "dst"), numbers);
    for (int i = 0; i < 5; i++) ck_assert_int_eq((int)weights[pairs[i].partner], (int)numbers[i]);
    ck_assert_int_eq(hard_missing(&classes, 1, 7.0 / 3), 0); /* within one of the mean: nothing */
    ck_assert_int_eq(hard_missing(&classes, 2, 7.0 / 3), 1);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance of classes");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, drgcn_regularises_scores);
    tcase_add_test(c, drgcn_has_a_gan);
    tcase_add_loop_test(c, drgcn_trains_all_of_it, 0, 2);
    tcase_add_test(c, dpgnn_spreads_labels);
    tcase_add_test(c, dpgnn_has_prototypes);
    tcase_add_test(c, imgagn_mixes_the_minority);
    tcase_add_test(c, graphsha_samples_hard_nodes);
    suite_add_tcase(s, c);
    return s;
}
