/* Methods against noisy labels: against the numbers of the study's code. */
#include "labelled-edges.h"
#include "methods/method-bench.h"
#include "noisy-labels.h"

/* A task in which the first network's matrix is the logits. */
static bench with_logits(const cJSON *labels, const cJSON *train)
{
    bench b = bench_create();
    bench_free_logits(&b, cJSON_GetArraySize(labels));
    bench_labels(&b, labels, train);
    return b;
}

static cJSON *all_of(const cJSON *labels)
{
    cJSON *ids = cJSON_CreateArray();
    for (int i = 0; i < cJSON_GetArraySize(labels); i++) cJSON_AddItemToArray(ids, cJSON_CreateNumber(i));
    return ids;
}

START_TEST(coteaching_exchanges_small_losses)
{
    cJSON *root = fixture_open("noisygl/coteaching.json");
    const cJSON *item;
    int cases = 0;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        bench b = with_logits(fixture_input(item, "labels"), fixture_input(item, "train"));
        bench_open(&b, "coteaching", (const char *[]){BENCH_FREE_LOGITS, "noise_rate", "0.2", "ramp", "10", NULL});
        bench_set(&b, "0:conv0.weight", fixture_input(item, "logits1"), AS_STORED);
        bench_set(&b, "1:conv0.weight", fixture_input(item, "logits2"), AS_STORED);
        b.learner->epoch = fixture_input(item, "epoch")->valueint;
        bench_run(&b);
        bench_check_loss(&b, fixture_expected(item, "loss"));
        bench_check_gradient(&b, "0:conv0.weight", fixture_expected(item, "grad_logits1"), AS_STORED);
        bench_check_gradient(&b, "1:conv0.weight", fixture_expected(item, "grad_logits2"), AS_STORED);
        bench_destroy(&b);
        cases++;
    }
    ck_assert_int_eq(cases, 3);
    cJSON_Delete(root);
}
END_TEST

/* Networks that agree everywhere: the loss is the mean of nothing, and only weight decay may act. */
START_TEST(coteaching_without_disagreement_has_a_zero_gradient)
{
    cJSON *root = fixture_open("noisygl/coteaching.json");
    const cJSON *item = fixture_case(root, "epoch0");
    bench b = with_logits(fixture_input(item, "labels"), fixture_input(item, "train"));
    bench_open(&b, "coteaching", (const char *[]){BENCH_FREE_LOGITS, NULL});
    bench_set(&b, "0:conv0.weight", fixture_input(item, "logits1"), AS_STORED);
    bench_set(&b, "1:conv0.weight", fixture_input(item, "logits1"), AS_STORED);
    bench_run(&b);
    ck_assert_float_nan(cru_tensor_item(b.learner->tape, b.loss));
    for (int net = 0; net < 2; net++) {
        const cru_tensor *w = bench_weight(&b, net ? "1:conv0.weight" : "0:conv0.weight");
        ck_assert_ptr_nonnull(cru_weight_grad(w));
        for (int64_t i = 0; i < cru_tensor_count(w); i++) ck_assert_float_eq(cru_weight_grad(w)[i], 0);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The paper exchanges among all training items: with equal networks and r = 0 that is twice the cross-entropy. */
START_TEST(coteaching_of_the_paper_uses_all_items)
{
    cJSON *root = fixture_open("noisygl/coteaching.json");
    const cJSON *item = fixture_case(root, "epoch20");
    bench b = with_logits(fixture_input(item, "labels"), fixture_input(item, "train"));
    bench_open(&b, "coteaching", (const char *[]){BENCH_FREE_LOGITS, "variant", "paper", "noise_rate", "0", NULL});
    bench_set(&b, "0:conv0.weight", fixture_input(item, "logits1"), AS_STORED);
    bench_set(&b, "1:conv0.weight", fixture_input(item, "logits1"), AS_STORED);
    bench_run(&b);
    const cru_tensor *plain = cru_learner_loss(b.learner, b.learner->tape, b.logits);
    bench_check_number(&b, (double)cru_tensor_item(b.learner->tape, b.loss),
                       2 * (double)cru_tensor_item(b.learner->tape, plain));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(forward_reads_the_transition_from_anchors)
{
    static double numbers[BENCH_MOST];
    static float search[BENCH_MOST], read[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/forward.json");
    const cJSON *item = fixture_case(root, "estimate_C");
    const int64_t count = fixture_numbers(fixture_input(item, "logits_train_mode"), numbers);
    for (int64_t i = 0; i < count; i++) search[i] = (float)numbers[i];
    fixture_numbers(fixture_input(item, "logits_eval_mode"), numbers);
    for (int64_t i = 0; i < count; i++) read[i] = (float)numbers[i];
    float matrix[16];
    int32_t anchors[4];
    transition_from_anchors(&(anchor_logits){.items = count / 4, .classes = 4, .search = search, .read = read}, matrix,
                            anchors);
    fixture_numbers(fixture_expected(item, "anchors"), numbers);
    for (int c = 0; c < 4; c++) ck_assert_int_eq(anchors[c], (int)numbers[c]);
    fixture_numbers(fixture_expected(item, "C"), numbers);
    for (int i = 0; i < 16; i++) ck_assert_double_eq_tol((double)matrix[i], numbers[i], 1e-6);
    cJSON_Delete(root);
}
END_TEST

START_TEST(forward_corrects_the_loss)
{
    static const char *const names[] = {"loss", "loss_saturated_clamp"};
    cJSON *root = fixture_open("noisygl/forward.json");
    const cJSON *item = fixture_case(root, names[_i]);
    cJSON *train = all_of(fixture_input(item, "labels"));
    bench b = with_logits(fixture_input(item, "labels"), train);
    bench_open(&b, "forward", (const char *[]){BENCH_FREE_LOGITS, NULL});
    bench_set(&b, "conv0.weight", fixture_input(item, "logits"), AS_STORED);
    bench_set(&b, "transition", fixture_input(item, "C"), AS_STORED);
    bench_run(&b);
    bench_check_loss(&b, fixture_expected(item, "loss"));
    bench_check_gradient(&b, "conv0.weight", fixture_expected(item, "grad_logits"), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(train);
    cJSON_Delete(root);
}
END_TEST

/* After fit every row of the transition is a distribution. */
START_TEST(forward_estimates_before_it_trains)
{
    cJSON *root = fixture_open("noisygl/coteaching.json");
    const cJSON *item = fixture_case(root, "epoch0");
    bench b = with_logits(fixture_input(item, "labels"), fixture_input(item, "train"));
    bench_open(&b, "forward", (const char *[]){BENCH_FREE_LOGITS, "epochs", "1", "pretrain", "3", NULL});
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    const cru_tensor *c = bench_weight(&b, "transition");
    for (int i = 0; i < 3; i++)
        ck_assert_float_eq_tol(c->data[3 * i] + c->data[3 * i + 1] + c->data[3 * i + 2], 1, 1e-5f);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(unionnet_of_the_benchmark_is_a_scaled_cross_entropy)
{
    cJSON *root = fixture_open("noisygl/unionnet.json");
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "cases"), _i);
    for (int sparse = 0; sparse < 2; sparse++) {
        bench b = bench_create();
        bench_graph(&b, fixture_input(item, "graph"));
        bench_features(&b, fixture_input(item, "X"));
        cru_features *x = &b.data->x;
        if (sparse)
            *x = (cru_features){.rows = x->rows,
                                .cols = x->cols,
                                .sparse = cru_csr_from_dense(cru_data_pool(b.data), x->dense, x->rows, x->cols)};
        bench_labels(&b, fixture_input(item, "noisy"), fixture_input(item, "train"));
        bench_open(&b, "unionnet", (const char *[]){"alpha", "0.5", "dropout", "0", NULL});
        bench_run(&b);
        cru_tensor *plain = cru_learner_loss(b.learner, b.learner->tape, b.logits);
        const double ratio =
            (double)cru_tensor_item(b.learner->tape, b.loss) / (double)cru_tensor_item(b.learner->tape, plain);
        bench_check_number(&b, ratio, 0.5 * fixture_expected(item, "kappa")->valuedouble);
        bench_destroy(&b);
    }
    cJSON_Delete(root);
}
END_TEST

static double log_share(const cru_tensor *z, int row, int label)
{
    const int64_t classes = cru_tensor_cols(z);
    double sum = 0;
    for (int64_t k = 0; k < classes; k++) sum += exp((double)z->data[row * classes + k]);
    return (double)z->data[row * classes + label] - log(sum);
}

/* Nodes 0 and 1 are labelled 0 and 1 and each other's only context: P_0 is all on 1, P_1 all on 0. So the labels they
 * were given weigh nothing, and the corrected ones are exchanged. The prior is KL((1/2, 1/2) || mean p). */
START_TEST(unionnet_of_the_paper_corrects_by_contexts)
{
    cJSON *graph = cJSON_Parse("{\"n\": 3, \"edges\": [[0, 1]]}"), *labels = cJSON_Parse("[0, 1, 0]");
    cJSON *train = cJSON_Parse("[0, 1]"), *weight = cJSON_Parse("[[0.3, -0.4], [1.1, 0.2], [0.0, 0.7]]");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_identity_features(&b);
    bench_labels(&b, labels, train);
    bench_open(
        &b, "unionnet",
        (const char *[]){"variant", "paper", "layers", "1", "alpha", "0.25", "beta", "2", "pretrain", "1", NULL});
    bench_set(&b, "conv0.weight", weight, AS_STORED);
    b.learner->epoch = 1;
    bench_run(&b);
    double mean[2] = {0}, prior = 0;
    for (int k = 0; k < 2; k++) mean[k] = (exp(log_share(b.logits, 0, k)) + exp(log_share(b.logits, 1, k))) / 2;
    for (int k = 0; k < 2; k++) prior += 0.5 * log(0.5 / mean[k]);
    const double exchanged = -(log_share(b.logits, 0, 1) + log_share(b.logits, 1, 0)) / 2;
    bench_check_number(&b, (double)cru_tensor_item(b.learner->tape, b.loss), 0.25 * exchanged + 2 * prior);
    b.learner->epoch = 0;
    bench_run(&b);
    bench_check_number(&b, (double)cru_tensor_item(b.learner->tape, b.loss),
                       -(log_share(b.logits, 0, 0) + log_share(b.logits, 1, 1)) / 2);
    bench_destroy(&b);
    cJSON_Delete(graph);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(weight);
}
END_TEST

static cru_tensor *watched(cru_tape *t, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(t, 2, (const int64_t[]){n, count / n}, values);
    cru_tensor_watch(x);
    return x;
}

START_TEST(crgnn_contrasts_views_with_plain_products)
{
    cJSON *root = fixture_open("noisygl/crgnn.json");
    const cJSON *item = fixture_case(root, "contrastive");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    const contrast_views views = {.a = watched(t, fixture_input(item, "z1")),
                                  .b = watched(t, fixture_input(item, "z2")),
                                  .tau = 0.5f,
                                  .stable = _i == 0};
    cru_tensor *loss = contrast(t, &views);
    cru_backward(t, loss);
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "loss")->valuedouble);
    bench_check(&b, cru_grad_of(t, views.a), fixture_expected(item, "grad_z1"));
    bench_check(&b, cru_grad_of(t, views.b), fixture_expected(item, "grad_z2"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(crgnn_trains_where_views_agree)
{
    static double ids[BENCH_MOST], agree[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/crgnn.json");
    const cJSON *item = fixture_case(root, "dynamic_ce");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    const int64_t n = fixture_numbers(fixture_input(item, "train"), ids);
    int32_t train[BENCH_MOST];
    for (int64_t i = 0; i < n; i++) train[i] = (int32_t)ids[i];
    cru_tape_begin(t, CRU_TRAIN);
    const cru_index rows = cru_index_step(t, train, n);
    const cru_index found = agreement(t, cru_gather(t, watched(t, fixture_input(item, "logp1")), rows),
                                      cru_gather(t, watched(t, fixture_input(item, "logp2")), rows), true);
    ck_assert_int_eq(found.count, fixture_numbers(fixture_expected(item, "agree"), agree));
    for (int64_t i = 0; i < found.count; i++) ck_assert_int_eq(train[found.ids[i]], (int)agree[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The fixture's view is the graph here: edges as kept, the masked feature zero. */
START_TEST(crgnn_encodes_directed_edges)
{
    cJSON *root = fixture_open("noisygl/crgnn.json");
    const cJSON *item = fixture_case(root, "asymmetric_view_forward");
    const cJSON *params = fixture_input(item, "params"), *encoder = cJSON_GetObjectItem(params, "encoder");
    const cJSON *classifier = cJSON_GetObjectItem(params, "classifier");
    cJSON *labels = cJSON_Parse("[0, 1, 2, 0, 1, 2, 0, 1]"), *train = cJSON_Parse("[0, 1]"),
          *graph = cJSON_CreateObject();
    cJSON_AddNumberToObject(graph, "n", 8);
    cJSON_AddItemToObject(graph, "edges", cJSON_Duplicate(fixture_input(item, "kept_edges_src_dst"), true));
    bench b = bench_create();
    bench_graph_as(&b, graph, true);
    bench_features(&b, fixture_input(item, "X"));
    float *x = cru_data_alloc(b.data, 8 * 5, sizeof *x);
    for (int i = 0; i < 40; i++)
        if (cJSON_IsTrue(cJSON_GetArrayItem(fixture_input(item, "column_mask"), i % 5))) x[i] = b.data->x.dense[i];
    b.data->x.dense = x;
    bench_labels(&b, labels, train);
    bench_open(&b, "crgnn", (const char *[]){"variant", "paper", "hidden", "4", "dropout", "0", NULL});
    bench_set(&b, "conv0.weight", cJSON_GetObjectItem(encoder, "conv1.lin.weight"), TRANSPOSED);
    bench_set(&b, "conv0.bias", cJSON_GetObjectItem(encoder, "conv1.bias"), AS_STORED);
    bench_set(&b, "conv1.weight", cJSON_GetObjectItem(encoder, "conv2.lin.weight"), TRANSPOSED);
    bench_set(&b, "conv1.bias", cJSON_GetObjectItem(encoder, "conv2.bias"), AS_STORED);
    bench_set(&b, "classes.weight", cJSON_GetObjectItem(classifier, "fc.weight"), TRANSPOSED);
    bench_set(&b, "classes.bias", cJSON_GetObjectItem(classifier, "fc.bias"), AS_STORED);
    cru_tape *t = b.learner->tape;
    cru_tape_begin(t, CRU_EVAL);
    bench_check(&b, cru_log_softmax(t, cru_learner_logits(b.learner, t), 1), fixture_expected(item, "logp"));
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(graph);
    cJSON_Delete(root);
}
END_TEST

/* Variant bench predicts with the class head of the last epoch: the best snapshot holds the encoder only. */
START_TEST(crgnn_of_the_benchmark_keeps_only_the_encoder)
{
    cJSON *root = fixture_open("noisygl/crgnn.json");
    const cJSON *item = fixture_case(root, "asymmetric_view_forward");
    cJSON *labels = cJSON_Parse("[0, 1, 2, 0, 1, 2, 0, 1]"), *train = cJSON_Parse("[0, 1, 2, 4]");
    cJSON *graph = cJSON_Parse("{\"n\": 8, \"edges\": [[0, 1], [1, 2], [3, 4], [6, 7]]}");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, labels, train);
    bench_open(&b, "crgnn", (const char *[]){"variant", _i ? "paper" : "bench", "epochs", "3", NULL});
    ck_assert_int_eq(b.learner->net_count, _i ? 2 : 1);
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    float scores[24];
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_OK);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(graph);
    cJSON_Delete(root);
}
END_TEST

/* Rows of the fixture without ties in their second place decide; they all do but for equal similarities. */
START_TEST(nrgnn_pairs_nodes_with_similar_labelled_ones)
{
    static double pairs[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/nrgnn.json");
    const cJSON *item = fixture_case(root, "candidates");
    cJSON *labels = cJSON_Parse("[0, 1, 0, 1, 0, 1, 0, 1]");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, labels, fixture_input(item, "train"));
    cru_error err = {0};
    ck_assert_int_eq(cru_data_task(b.data, 0, &b.task, &err), CRU_OK);
    const cru_csr found = similar_labelled(cru_data_pool(b.data), &b.task, fixture_input(item, "n_p")->valueint);
    const int64_t count = fixture_numbers(fixture_expected(item, "candidate_edges_sorted"), pairs) / 2;
    ck_assert_int_eq(cru_csr_nnz(&found), count);
    for (int64_t e = 0; e < count; e++)
        ck_assert_int_ge(cru_csr_find(&found, (int64_t)pairs[2 * e], (int32_t)pairs[2 * e + 1]), 0);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(root);
}
END_TEST

START_TEST(nrgnn_weighs_edges_by_products)
{
    static double pairs[BENCH_MOST];
    static int32_t row[BENCH_MOST], col[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/nrgnn.json");
    const cJSON *item = fixture_case(root, "edge_weights");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    const int64_t count = fixture_numbers(fixture_input(item, "edges"), pairs) / 2;
    for (int64_t e = 0; e < count; e++) row[e] = (int32_t)pairs[2 * e], col[e] = (int32_t)pairs[2 * e + 1];
    const cru_coo list = {.rows = 8, .cols = 8, .count = count, .row = row, .col = col};
    const cru_csr graph = cru_csr_from_coo(cru_ctx_pool(b.ctx), &list, CRU_DUP_FIRST); /* sorted, as the fixture */
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *r = watched(t, fixture_input(item, "representations"));
    bench_check(&b, similar_weights(t, cru_sparse_create(b.ctx, &graph), r, 0.1f), fixture_expected(item, "weights"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static pair_list pairs_of(cru_tape *t, const cJSON *list)
{
    static double pairs[BENCH_MOST];
    const int64_t count = fixture_numbers(list, pairs) / 2;
    int32_t *row = cru_tape_alloc(t, count, sizeof *row), *col = cru_tape_alloc(t, count, sizeof *col);
    for (int64_t e = 0; e < count; e++) row[e] = (int32_t)pairs[2 * e], col[e] = (int32_t)pairs[2 * e + 1];
    return upper_pairs(t, row, col, count);
}

START_TEST(nrgnn_reconstructs_edges_and_non_edges)
{
    cJSON *root = fixture_open("noisygl/nrgnn.json");
    const cJSON *item = fixture_case(root, "reconstruction_loss");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *r = watched(t, fixture_input(item, "representations"));
    cru_tensor *loss = reconstruction(t, r, pairs_of(t, fixture_input(item, "sampled_negative_pairs")),
                                      pairs_of(t, cJSON_GetObjectItem(fixture_input(item, "graph"), "edges")));
    cru_backward(t, loss);
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "loss")->valuedouble);
    bench_check(&b, cru_grad_of(t, r), fixture_expected(item, "grad_representations"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(nrgnn_finds_sure_predictions)
{
    static double numbers[BENCH_MOST];
    static float q[BENCH_MOST];
    static int32_t ids[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/nrgnn.json");
    const cJSON *item = fixture_case(root, "pseudo_label_edges_and_loss");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_EVAL);
    const int64_t values = fixture_numbers(fixture_input(item, "Q"), numbers);
    for (int64_t i = 0; i < values; i++) q[i] = (float)numbers[i];
    const int64_t items = fixture_numbers(fixture_input(item, "unlabeled"), numbers);
    for (int64_t i = 0; i < items; i++) ids[i] = (int32_t)numbers[i];
    const cru_index found = confident(t, (cru_ids){ids, items}, q, 3, 0.8);
    ck_assert_int_eq(found.count, fixture_numbers(fixture_expected(item, "U_add"), numbers));
    for (int64_t i = 0; i < found.count; i++) ck_assert_int_eq(found.ids[i], (int)numbers[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* With p_u = 0 every unlabelled node is pseudo-labelled, which takes both variants through all of their code. */
START_TEST(nrgnn_trains_with_and_without_pseudo_labels)
{
    static const char *const variants[] = {"bench", "paper"}, *const least[] = {"0", "0.999999"};
    cJSON *root = fixture_open("noisygl/nrgnn.json");
    const cJSON *item = fixture_case(root, "candidates");
    cJSON *labels = cJSON_Parse("[0, 1, 0, 1, 0, 1, 0, 1]");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, labels, fixture_input(item, "train"));
    bench_open(&b, "nrgnn",
               (const char *[]){"variant", variants[_i / 2], "p_u", least[_i % 2], "epochs", "3", "hidden", "4", NULL});
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    float scores[16];
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_OK);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("noisy label fixtures");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, coteaching_exchanges_small_losses);
    tcase_add_test(c, coteaching_without_disagreement_has_a_zero_gradient);
    tcase_add_test(c, coteaching_of_the_paper_uses_all_items);
    tcase_add_test(c, forward_reads_the_transition_from_anchors);
    tcase_add_loop_test(c, forward_corrects_the_loss, 0, 2);
    tcase_add_test(c, forward_estimates_before_it_trains);
    tcase_add_loop_test(c, unionnet_of_the_benchmark_is_a_scaled_cross_entropy, 0, 2);
    tcase_add_test(c, unionnet_of_the_paper_corrects_by_contexts);
    tcase_add_loop_test(c, crgnn_contrasts_views_with_plain_products, 0, 2);
    tcase_add_test(c, crgnn_trains_where_views_agree);
    tcase_add_test(c, crgnn_encodes_directed_edges);
    tcase_add_loop_test(c, crgnn_of_the_benchmark_keeps_only_the_encoder, 0, 2);
    tcase_add_test(c, nrgnn_pairs_nodes_with_similar_labelled_ones);
    tcase_add_test(c, nrgnn_weighs_edges_by_products);
    tcase_add_test(c, nrgnn_reconstructs_edges_and_non_edges);
    tcase_add_test(c, nrgnn_finds_sure_predictions);
    tcase_add_loop_test(c, nrgnn_trains_with_and_without_pseudo_labels, 0, 4);
    suite_add_tcase(s, c);
    return s;
}
