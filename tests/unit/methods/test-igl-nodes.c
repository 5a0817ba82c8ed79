// SPDX-License-Identifier: Apache-2.0
/* Methods against imbalance among nodes: against the numbers of the study's code. */
#include <crucible/draft/optim.h>
#include <crucible/draft/tensor.h>

#include "added-nodes.h"
#include "ego-mixing.h"
#include "methods/method-bench.h"
#include "smote.h"
#include "tam-margins.h"

static bench on_graph(const cJSON *item)
{
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_identity_features(&b);
    return b;
}

/* A tensor of the step with the fixture's numbers, whose gradient can be asked for. */
static cru_tensor *upload(const bench *b, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(b->learner->tape, cru_2d(n, count / n), values);
    cru_tensor_watch(x);
    return x;
}

START_TEST(renode_weighs_nodes_by_conflict)
{
    cJSON *root = fixture_open("igl/renode.json");
    const cJSON *item = fixture_case(root, "toy");
    bench b = on_graph(item);
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, "renode", (const char *[]){NULL});
    cru_tape_begin(b.learner->tape, CRU_TRAIN);
    cru_tensor *z = upload(&b, fixture_input(item, "logits"));
    b.loss = b.learner->method->loss(b.learner, b.learner->model, b.learner->tape, z);
    bench_check_loss(&b, fixture_expected(item, "loss"));
    cru_backward(b.learner->tape, b.loss);
    bench_check(&b, cru_grad_of(b.learner->tape, z), fixture_expected(item, "dlogits"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* One labelled node has no rank to speak of: it has the full weight, 0.5 + 1. */
START_TEST(renode_with_one_labelled_node)
{
    cJSON *root = fixture_open("igl/renode.json"), *train = cJSON_Parse("[3]");
    const cJSON *item = fixture_case(root, "toy");
    bench b = on_graph(item);
    bench_labels(&b, fixture_input(item, "labels"), train);
    bench_open(&b, "renode", (const char *[]){"dropout", "0", NULL});
    bench_run(&b);
    const cru_tensor *plain = cru_learner_loss(b.learner, b.learner->tape, b.logits);
    bench_check_number(&b, (double)cru_tensor_item(b.learner->tape, b.loss),
                       1.5 * (double)cru_tensor_item(b.learner->tape, plain));
    bench_destroy(&b);
    cJSON_Delete(train);
    cJSON_Delete(root);
}
END_TEST

/* The pairs (src, dst) of a fixture; returns how many. */
static int64_t read_pairs(const cJSON *item, ego_pair *pairs)
{
    const cJSON *source = fixture_input(item, "src"), *partner = fixture_input(item, "dst");
    const int count = cJSON_GetArraySize(source);
    for (int i = 0; i < count; i++)
        pairs[i] = (ego_pair){cJSON_GetArrayItem(source, i)->valueint, cJSON_GetArrayItem(partner, i)->valueint, 0};
    return count;
}

START_TEST(graphens_mixes_neighbourhoods)
{
    double p[BENCH_MOST], kl[BENCH_MOST], mixed[BENCH_MOST];
    ego_pair pairs[16];
    cJSON *root = fixture_open("igl/graphens.json");
    const cJSON *item = fixture_case(root, "kl_and_neighbor_mixture");
    bench b = on_graph(item);
    const int64_t n = b.data->nodes, classes = fixture_numbers(fixture_input(item, "prev_prob"), p) / n;
    const int64_t count = read_pairs(item, pairs);
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "kl"), kl), count);
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "mixed_neighbor"), mixed), count * n);
    float *prob = cru_ctx_alloc(b.ctx, n * classes, sizeof *prob);
    for (int64_t i = 0; i < n * classes; i++) prob[i] = (float)p[i];
    for (int64_t i = 0; i < count; i++) {
        int32_t ids[32];
        double shares[32], dense[32] = {0};
        pairs[i].divergence =
            ego_divergence(prob + pairs[i].source * classes, prob + pairs[i].partner * classes, (int32_t)classes);
        bench_check_number(&b, pairs[i].divergence, kl[i]);
        const int64_t found = ego_neighbours(&b.data->graph, &pairs[i], ids, shares);
        for (int64_t k = 0; k < found; k++) dense[ids[k]] += shares[k];
        for (int64_t v = 0; v < n; v++) bench_check_number(&b, dense[v], mixed[i * n + v]);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Before there are predictions a new node hears whom its source has an edge to. */
START_TEST(graphens_copies_neighbours_while_it_warms_up)
{
    enum { NODES = 10, MOST = 8 };
    double sources[MOST], edges[4 * MOST];
    int32_t source[MOST];
    float heard[MOST * NODES], expected[MOST * NODES] = {0};
    cJSON *root = fixture_open("igl/graphens.json");
    const cJSON *item = fixture_case(root, "duplicate_neighbor");
    bench b = on_graph(item);
    added_nodes added = {.count = fixture_numbers(fixture_input(item, "src_sorted"), sources)};
    for (int64_t i = 0; i < added.count; i++) source[i] = (int32_t)sources[i];
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    added_link(t, &added, &b.data->graph, source, NULL, NULL);
    cru_csr_to_dense(&added.heard, heard);
    const int64_t count = fixture_numbers(fixture_expected(item, "new_edges_src_dst"), edges) / 2;
    for (int64_t e = 0; e < count; e++) expected[((int)edges[2 * e + 1] - NODES) * NODES + (int)edges[2 * e]] = 1;
    for (int64_t i = 0; i < added.count * NODES; i++) ck_assert_int_eq(heard[i] > 0, expected[i] > 0);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The same node twice, and a class that the partner excludes. */
START_TEST(graphens_divergence_at_its_ends)
{
    const float even[] = {0.5f, 0.5f}, sure[] = {1, 0};
    ck_assert_double_eq(ego_divergence(even, even, 2), 0);
    ck_assert_double_eq_tol(ego_divergence(sure, even, 2), log(2), 1e-12);
    ck_assert(isinf(ego_divergence(even, sure, 2)));
    ck_assert_int_eq(ego_kept(INFINITY, 7), 7);
    ck_assert_int_eq(ego_kept(0, 7), 3);
    ck_assert_int_eq(ego_kept(0, 1), 1);
    ck_assert_int_eq(ego_kept(5, 0), 0);
}
END_TEST

START_TEST(graphens_protects_features_of_the_source)
{
    double kl[16], kept[16], lambda[16], drawn[64];
    ego_pair pairs[16];
    cJSON *root = fixture_open("igl/graphens.json");
    const cJSON *item = fixture_case(root, "saliency_mixup");
    bench b = bench_create();
    bench_features(&b, fixture_input(item, "x"));
    const int64_t features = b.data->x.cols, count = read_pairs(item, pairs);
    const int64_t each = fixture_numbers(fixture_input(item, "drawn_feature_ids"), drawn) / count;
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "kl"), kl), count);
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "lam"), lambda), count);
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "kept"), kept), count);
    float *share = cru_ctx_alloc(b.ctx, count * features, sizeof *share);
    for (int64_t i = 0; i < count; i++) {
        ck_assert_int_eq(ego_kept(kl[i], each), (int64_t)fmax(1, kept[i]));
        for (int64_t f = 0; f < features; f++) share[i * features + f] = (float)lambda[i];
        for (int64_t k = 0; k < ego_kept(kl[i], each); k++) share[i * features + (int64_t)drawn[i * each + k]] = 1;
    }
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_EVAL);
    const cru_input x = cru_input_create(b.ctx, &b.data->x);
    cru_tensor *shares = cru_tensor_upload(t, cru_2d(count, features), share);
    bench_check(&b, ego_features(t, &x, pairs, shares), fixture_expected(item, "new_x"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* With classes of one size nothing is added: the loss is that of the network. */
START_TEST(graphens_of_balanced_classes_is_its_network)
{
    double loss = NAN;
    cJSON *root = fixture_open("igl/renode.json");
    const cJSON *item = fixture_case(root, "toy");
    bench b = on_graph(item);
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, "graphens", (const char *[]){"dropout", "0", NULL});
    bench_run(&b);
    const double expected = (double)cru_tensor_item(b.learner->tape, b.loss);
    cru_optim_clear(b.learner->optim);
    loss = b.learner->method->epoch(b.learner, b.learner->model);
    ck_assert_int_eq(cru_ctx_status(b.ctx), CRU_OK);
    bench_check_number(&b, loss, expected);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Four nodes that look the same on a ring, three of class 0 and one of class 1. The first two logits, which all nodes
 * have, and the loss of the next epoch. */
static void alike(const char *method, const char *const *settings, double z[2], double *loss)
{
    cJSON *labels = cJSON_Parse("[0, 0, 0, 1]"), *train = cJSON_Parse("[0, 1, 2, 3]");
    cJSON *graph = cJSON_Parse("{\"n\": 4, \"edges\": [[0, 1], [1, 2], [2, 3], [3, 0]]}");
    cJSON *x = cJSON_Parse("[[1, 2], [1, 2], [1, 2], [1, 2]]");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_features(&b, x);
    bench_labels(&b, labels, train);
    bench_open(&b, method, settings);
    bench_run(&b);
    for (int c = 0; c < 2; c++) z[c] = (double)b.logits->data[c];
    cru_optim_clear(b.learner->optim);
    *loss = b.learner->method->epoch(b.learner, b.learner->model);
    ck_assert_int_eq(cru_ctx_status(b.ctx), CRU_OK);
    bench_destroy(&b);
    cJSON *const all[] = {labels, train, graph, x};
    for (int i = 0; i < 4; i++) cJSON_Delete(all[i]);
}

/* Two more of class 1 are added, which have the logits of all others, so that both classes count three times; without
 * growing they count three times and once. graphsha with a head fills classes in the same way while it warms up. */
START_TEST(new_nodes_are_of_the_rarer_class)
{
    static const struct {
        const char *method, *key, *value;
        double share;
    } cases[] = {{"graphens", "grow", "yes", 0.5},
                 {"graphens", "grow", "no", 0.25},
                 {"graphsha", "head", "no", 0.5},
                 {"graphsha", "head", "yes", 0.5}};
    double z[2], loss = NAN;
    alike(cases[_i].method, (const char *[]){"dropout", "0", cases[_i].key, cases[_i].value, NULL}, z, &loss);
    const double total = log(exp(z[0]) + exp(z[1]));
    ck_assert_double_eq_tol(loss, total - (1 - cases[_i].share) * z[0] - cases[_i].share * z[1], 1e-5);
}
END_TEST

/* With classes of one size nothing is added: the loss is that of the network with the margins of tam. */
START_TEST(graphens_has_margins_on_its_network)
{
    cJSON *root = fixture_open("igl/renode.json");
    const cJSON *item = fixture_case(root, "toy");
    bench b = on_graph(item);
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, "graphens", (const char *[]){"dropout", "0", "margins", "yes", "warmup", "1", NULL});
    bench_run(&b);
    cru_learner *l = b.learner;
    const cru_ids train = l->task->split.train;
    const tam_rule rule = {2.5, 0.5, 1.2, 0.4};
    const cru_csr looped = cru_graph_loops(cru_tape_pool(l->tape), &l->task->graph, CRU_LOOPS_SET);
    const cru_csr around = cru_csr_rows(cru_tape_pool(l->tape), &looped, train.ids, train.count);
    int32_t *labels = cru_tape_alloc(l->tape, train.count, sizeof *labels);
    for (int64_t i = 0; i < train.count; i++) labels[i] = l->task->labels[train.ids[i]];
    cru_tensor *margin = tam_margins(l->tape, b.logits, &(tam_labelled){train.count, train.ids, labels, &around}, &rule,
                                     tam_sharpness(b.ctx, l->task, &rule));
    cru_tensor *moved = cru_add(l->tape, cru_gather(l->tape, b.logits, l->train_rows), margin);
    const double expected =
        (double)cru_tensor_item(l->tape, cru_cross_entropy(l->tape, moved, &(cru_targets){.labels = l->train_labels}));
    ck_assert_double_ne(expected, (double)cru_tensor_item(l->tape, b.loss));
    cru_optim_clear(l->optim);
    l->epoch = 1;
    bench_check_number(&b, l->method->epoch(l, l->model), expected);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Node 1 of a path of three, and a new node that hears 0 and 2. */
START_TEST(new_nodes_are_surrounded_by_whom_they_hear)
{
    cJSON *root = fixture_open("igl/renode.json");
    const cJSON *item = fixture_case(root, "toy");
    bench b = on_graph(item);
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    bench_open(&b, "graphens", (const char *[]){NULL});
    cru_tape *t = b.learner->tape;
    cru_tape_begin(t, CRU_EVAL);
    int64_t path[] = {0, 1, 3, 4}, heard[] = {0, 2};
    int32_t neighbours[] = {1, 0, 2, 1}, ends[] = {0, 2}, rows[] = {1, 3}, classes[] = {0, 1};
    const cru_csr g = {.rows = 3, .cols = 3, .offsets = path, .ids = neighbours};
    const added_nodes added = {.count = 1, .heard = {.rows = 1, .cols = 3, .offsets = heard, .ids = ends}};
    const cru_csr around = added_around(t, &g, &added, &(added_labels){2, rows, classes});
    static const int32_t expected[] = {0, 2, 1, 0, 2, 3};
    ck_assert_int_eq(around.offsets[1], 3);
    ck_assert_int_eq(around.offsets[2], 6);
    for (int i = 0; i < 6; i++) ck_assert_int_eq(around.ids[i], expected[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* ---- graphsmote ---------------------------------------------------------------------------------------------- */

/* Per class the training nodes in their order, and the place of the nearest of each. */
typedef struct neighbours {
    int32_t members[16], nearest[16];
    int64_t count;
} neighbours;

static neighbours nearest_of_class(const cJSON *item, int32_t class, const float *e, int64_t cols)
{
    neighbours n = {0};
    const cJSON *labels = fixture_input(item, "labels"), *node;
    cJSON_ArrayForEach(node, fixture_input(item, "train_order"))
    {
        if (cJSON_GetArrayItem(labels, node->valueint)->valueint == class) n.members[n.count++] = node->valueint;
    }
    smote_nearest(e, cols, (cru_ids){n.members, n.count}, n.nearest);
    return n;
}

static float *floats(const bench *b, const cJSON *rows, int64_t *count)
{
    static double numbers[BENCH_MOST];
    *count = fixture_numbers(rows, numbers);
    float *x = cru_ctx_alloc(b->ctx, *count, sizeof *x);
    for (int64_t i = 0; i < *count; i++) x[i] = (float)numbers[i];
    return x;
}

/* The fixture's classes 2 and 1 with its own interpolation; W_d is out x in. */
START_TEST(graphsmote_interpolates_and_links)
{
    cJSON *root = fixture_open("igl/graphsmote.json");
    const cJSON *item = fixture_case(root, "recon_upsample");
    double way[4], expected[BENCH_MOST];
    bench b = on_graph(item);
    int64_t size, square, cols = 4, n = b.data->nodes, added = 0;
    float *e = floats(&b, fixture_input(item, "embedding"), &size), *all = cru_ctx_alloc(b.ctx, 2 * size, sizeof *all);
    const float *w = floats(&b, fixture_input(item, "decoder_weight"), &square);
    int32_t first[16], second[16];
    fixture_numbers(fixture_input(item, "interp"), way);
    for (int64_t i = 0; i < size; i++) all[i] = e[i];
    for (int32_t class = 2; class > 0; class --) {
        const neighbours k = nearest_of_class(item, class, e, cols);
        for (int64_t i = 0; i < k.count; i++, added++) {
            const float *from = e + k.members[i] * cols, *to = e + k.members[k.nearest[i]] * cols;
            for (int64_t c = 0; c < cols; c++)
                all[(n + added) * cols + c] = from[c] + (float)way[2 - class] * (to[c] - from[c]);
            first[added] = k.members[i];
            second[added] = k.nearest[i]; /* the place, as the original has it */
        }
    }
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "new_embedding"), expected), added * cols);
    for (int64_t i = 0; i < added * cols; i++) bench_check_number(&b, (double)all[size + i], expected[i]);
    float *code = cru_ctx_alloc(b.ctx, (n + added) * cols, sizeof *code);
    for (int64_t v = 0; v < n + added; v++)
        for (int64_t o = 0; o < cols; o++)
            for (int64_t c = 0; c < cols; c++) code[v * cols + o] += all[v * cols + c] * w[o * cols + c];
    const cru_csr joint =
        smote_graph(cru_ctx_pool(b.ctx), &b.data->graph, (smote_pairs){first, second, added}, code, cols);
    ck_assert_int_eq(joint.rows, n + added);
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "adj_new_rows"), expected), added * n);
    for (int64_t i = 0; i < added; i++)
        for (int32_t v = 0; v < n; v++) {
            ck_assert_int_eq(cru_csr_find(&joint, n + i, v) >= 0, expected[i * n + v] != 0);
            ck_assert_int_eq(cru_csr_find(&joint, v, (int32_t)(n + i)) >= 0, expected[i * n + v] != 0);
        }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(graphsmote_reconstructs_all_pairs)
{
    cJSON *root = fixture_open("igl/graphsmote.json");
    const cJSON *item = fixture_case(root, "recon_upsample");
    bench b = on_graph(item);
    b.tolerance = 1e-4;
    int64_t size, square;
    const float *values = floats(&b, fixture_input(item, "embedding"), &size);
    const float *weights = floats(&b, fixture_input(item, "decoder_weight"), &square);
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *e = cru_tensor_upload(t, cru_2d(size / 4, 4), values);
    cru_tensor *w = cru_tensor_upload(t, cru_2d(4, 4), weights);
    cru_tensor_watch(e);
    cru_tensor_watch(w);
    cru_sparse *a = cru_sparse_create(b.ctx, &b.data->graph);
    cru_tensor *loss = smote_reconstruction(t, a, cru_matmul_op(t, e, w, CRU_NT));
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "rec_loss")->valuedouble);
    cru_backward(t, loss);
    bench_check(&b, cru_grad_of(t, e), fixture_expected(item, "drec_dembedding"));
    bench_check(&b, cru_grad_of(t, w), fixture_expected(item, "drec_ddecoder"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* A member alone is its own nearest; among equals the first counts. */
START_TEST(graphsmote_nearest_of_few)
{
    const float x[] = {0, 1, 5, 1};
    int32_t nearest[3];
    smote_nearest(x, 1, (cru_ids){(const int32_t[]){2}, 1}, nearest);
    ck_assert_int_eq(nearest[0], 0);
    smote_nearest(x, 1, (cru_ids){(const int32_t[]){2, 3, 1}, 3}, nearest);
    ck_assert_int_eq(nearest[0], 1);
    ck_assert_int_eq(nearest[1], 2);
    ck_assert_int_eq(nearest[2], 1);
}
END_TEST

static void set_scaled_identity(const bench *b, const char *name, int64_t n, float scale)
{
    float *w = bench_weight(b, name)->data;
    for (int64_t i = 0; i < n * n; i++) w[i] = i % (n + 1) == 0 ? scale : 0;
}

/* With the identity as decoder and classifier, the logits are the ReLU of the encoder's layer. */
static void graphsmote_show_encoder(const bench *b, int64_t n)
{
    set_scaled_identity(b, "decoder.own.weight", n, 1);
    set_scaled_identity(b, "decoder.others.weight", n, 0);
    set_scaled_identity(b, "classifier.weight", n, 1);
    for (int64_t i = 0; i < n; i++) bench_weight(b, "classifier.bias")->data[i] = 0;
}

START_TEST(graphsmote_concatenates_self_and_neighbours)
{
    cJSON *root = fixture_open("igl/graphsmote.json"), *labels = cJSON_Parse("[0, 1, 2, 3, 4, 5, 0, 1, 2, 3]");
    cJSON *train = cJSON_Parse("[0, 1, 2, 3, 4, 5]");
    const cJSON *item = fixture_case(root, "sage_cat_layer");
    double w[BENCH_MOST], out[BENCH_MOST];
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "x"));
    bench_labels(&b, labels, train);
    bench_open(&b, "graphsmote", (const char *[]){"hidden", "6", "dropout", "0", NULL});
    ck_assert_int_eq(fixture_numbers(fixture_input(item, "W_out_by_2in"), w), 6 * 10);
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "out"), out), 10 * 6);
    cru_tensor *own = bench_weight(&b, "encoder.own.weight"), *others = bench_weight(&b, "encoder.others.weight");
    for (int64_t o = 0; o < 6; o++)
        for (int64_t i = 0; i < 5; i++) {
            own->data[i * 6 + o] = (float)w[o * 10 + i];
            others->data[i * 6 + o] = (float)w[o * 10 + 5 + i];
        }
    graphsmote_show_encoder(&b, 6);
    bench_run(&b);
    for (int64_t i = 0; i < 60; i++) bench_check_number(&b, (double)b.logits->data[i], fmax(0, out[i]));
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(root);
}
END_TEST

/* 0 -> 1 <- 2 with X = I and only the neighbours' half of the encoder: the logits are A / (degree + 1). */
START_TEST(graphsmote_keeps_directions_when_asked)
{
    static const double expected[2][9] = {{0, 1. / 2, 0, 1. / 3, 0, 1. / 3, 0, 1. / 2, 0},
                                          {0, 0, 0, 1. / 3, 0, 1. / 3, 0, 0, 0}};
    static const char *const directed[] = {"no", "yes"};
    cJSON *graph = cJSON_Parse("{\"n\": 3, \"edges\": [[0, 1], [2, 1]]}"), *labels = cJSON_Parse("[0, 1, 2]");
    bench b = bench_create();
    bench_graph_as(&b, graph, true);
    bench_identity_features(&b);
    bench_labels(&b, labels, labels);
    bench_open(&b, "graphsmote", (const char *[]){"hidden", "3", "dropout", "0", "directed", directed[_i], NULL});
    set_scaled_identity(&b, "encoder.own.weight", 3, 0);
    set_scaled_identity(&b, "encoder.others.weight", 3, 1);
    graphsmote_show_encoder(&b, 3);
    bench_run(&b);
    for (int64_t i = 0; i < 9; i++) bench_check_number(&b, (double)b.logits->data[i], expected[_i][i]);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(graph);
}
END_TEST

/* Four nodes train of class 0 and two of class 1, which is below the average of three. With up_scale = 0.4 none of
 * these is interpolated; with 0.5 the first of them, alone and therefore copied, so that it counts twice when the
 * classifier looks at no neighbour. */
START_TEST(graphsmote_interpolates_a_share_of_a_class)
{
    static const char *const share[] = {"0.4", "0.5"};
    cJSON *graph = cJSON_Parse("{\"n\": 6, \"edges\": [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]]}");
    cJSON *labels = cJSON_Parse("[0, 0, 0, 0, 1, 1]"), *train = cJSON_Parse("[0, 1, 2, 3, 4, 5]");
    double loss = NAN, expected = 0;
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_identity_features(&b);
    bench_labels(&b, labels, train);
    bench_open(&b, "graphsmote",
               (const char *[]){"hidden", "3", "dropout", "0", "rec_weight", "0", "up_scale", share[_i], NULL});
    set_scaled_identity(&b, "decoder.others.weight", 3, 0);
    bench_run(&b);
    for (int v = 0; v < 6; v++) {
        const double z = (double)b.logits->data[2 * v + 1] - (double)b.logits->data[2 * v];
        expected += log1p(exp(v < 4 ? z : -z)) * (_i && v == 4 ? 2 : 1);
    }
    cru_optim_clear(b.learner->optim);
    ck_assert_int_eq(bench_epoch(&b, &loss), CRU_OK);
    bench_check_number(&b, loss, expected / (_i ? 7 : 6));
    bench_destroy(&b);
    cJSON *const all[] = {graph, labels, train};
    for (int i = 0; i < 3; i++) cJSON_Delete(all[i]);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance methods on nodes");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, renode_weighs_nodes_by_conflict);
    tcase_add_test(c, renode_with_one_labelled_node);
    tcase_add_test(c, graphens_mixes_neighbourhoods);
    tcase_add_test(c, graphens_copies_neighbours_while_it_warms_up);
    tcase_add_test(c, graphens_divergence_at_its_ends);
    tcase_add_test(c, graphens_protects_features_of_the_source);
    tcase_add_test(c, graphens_of_balanced_classes_is_its_network);
    tcase_add_loop_test(c, new_nodes_are_of_the_rarer_class, 0, 4);
    tcase_add_test(c, graphens_has_margins_on_its_network);
    tcase_add_test(c, new_nodes_are_surrounded_by_whom_they_hear);
    tcase_add_test(c, graphsmote_interpolates_and_links);
    tcase_add_test(c, graphsmote_reconstructs_all_pairs);
    tcase_add_test(c, graphsmote_nearest_of_few);
    tcase_add_test(c, graphsmote_concatenates_self_and_neighbours);
    tcase_add_loop_test(c, graphsmote_keeps_directions_when_asked, 0, 2);
    tcase_add_loop_test(c, graphsmote_interpolates_a_share_of_a_class, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
