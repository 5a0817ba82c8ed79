/* Methods against imbalance among nodes: against the numbers of the study's code. */
#include "ego-mixing.h"
#include "methods/method-bench.h"

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
    cru_tensor *x = cru_tensor_upload(b->learner->tape, 2, (const int64_t[]){n, count / n}, values);
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
    b.loss = b.learner->method->loss(b.learner, b.learner->tape, z);
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
    cru_tensor *shares = cru_tensor_upload(t, 2, (const int64_t[]){count, features}, share);
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
    ck_assert_int_eq(b.learner->method->epoch(b.learner, &loss), CRU_OK);
    bench_check_number(&b, loss, expected);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Four nodes that look the same on a ring, three of class 0 and one of class 1: two more of class 1 are added, which
 * have the logits of all others, so that both classes count three times. */
START_TEST(graphens_adds_nodes_of_the_rarer_class)
{
    double loss = NAN;
    cJSON *labels = cJSON_Parse("[0, 0, 0, 1]"), *train = cJSON_Parse("[0, 1, 2, 3]");
    cJSON *graph = cJSON_Parse("{\"n\": 4, \"edges\": [[0, 1], [1, 2], [2, 3], [3, 0]]}");
    cJSON *x = cJSON_Parse("[[1, 2], [1, 2], [1, 2], [1, 2]]");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_features(&b, x);
    bench_labels(&b, labels, train);
    bench_open(&b, "graphens", (const char *[]){"dropout", "0", NULL});
    bench_run(&b);
    const float *z = b.logits->data; /* all rows are alike */
    const double total = log(exp((double)z[0]) + exp((double)z[1]));
    const double expected = total - 0.5 * ((double)z[0] + (double)z[1]);
    cru_optim_clear(b.learner->optim);
    ck_assert_int_eq(b.learner->method->epoch(b.learner, &loss), CRU_OK);
    bench_check_number(&b, loss, expected);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(graph);
    cJSON_Delete(x);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("imbalance methods on nodes");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, renode_weighs_nodes_by_conflict);
    tcase_add_test(c, renode_with_one_labelled_node);
    tcase_add_test(c, graphens_mixes_neighbourhoods);
    tcase_add_test(c, graphens_divergence_at_its_ends);
    tcase_add_test(c, graphens_protects_features_of_the_source);
    tcase_add_test(c, graphens_of_balanced_classes_is_its_network);
    tcase_add_test(c, graphens_adds_nodes_of_the_rarer_class);
    suite_add_tcase(s, c);
    return s;
}
