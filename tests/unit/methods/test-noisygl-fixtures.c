// SPDX-License-Identifier: Apache-2.0
/* Methods against noisy labels: against the numbers of the study's code. */
#include <crucible/draft/tensor.h>
#include <crucible/draft/train.h>

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

START_TEST(transitions_are_read_from_anchors)
{
    static double numbers[BENCH_MOST];
    static float search[BENCH_MOST], read[BENCH_MOST];
    cJSON *root = fixture_open(_i ? "noisygl/backward.json" : "noisygl/forward.json");
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

/* Item 2 alone says class 1, with the lowest of all highest logits, which is what items of other classes count as: the
 * first of the equals is item 0. */
START_TEST(the_least_sure_item_is_no_anchor)
{
    static const float z[] = {2, 0, 3, 1, 0, 1};
    float matrix[4];
    int32_t anchors[2];
    transition_from_anchors(&(anchor_logits){.items = 3, .classes = 2, .search = z, .read = z}, matrix, anchors);
    ck_assert_int_eq(anchors[0], 1);
    ck_assert_int_eq(anchors[1], 0);
    ck_assert_double_eq_tol((double)matrix[2], 1 / (1 + exp(-2)), 1e-6);
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

/* Node 1 of the path 2 - 0 - 1 has the features 10 as has 0, so that exp(S . x) is e^100, beyond a float. With T = (0,
 * 1) the first exponent is that of no entry, e^0, and kappa 1 / infinity; with T = (1, 2) the first is beyond, and
 * kappa infinity / infinity. */
START_TEST(unionnet_of_the_benchmark_overflows_as_floats_do)
{
    cJSON *graph = cJSON_Parse("{\"n\": 3, \"edges\": [[0, 1], [0, 2]]}"), *labels = cJSON_Parse("[0, 1, 0]");
    cJSON *train = cJSON_Parse(_i ? "[1, 2]" : "[0, 1]"), *features = cJSON_Parse("[[10, 0], [10, 0], [0, 1]]");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_features(&b, features);
    bench_labels(&b, labels, train);
    bench_open(&b, "unionnet", (const char *[]){"dropout", "0", NULL});
    bench_run(&b);
    const float loss = cru_tensor_item(b.learner->tape, b.loss);
    if (_i)
        ck_assert_float_nan(loss);
    else
        ck_assert_float_eq(loss, 0);
    bench_destroy(&b);
    cJSON_Delete(graph);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    cJSON_Delete(features);
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

static const char *const conv_weights[][2] = {
    {"W1", "conv0.nn.linear0.weight"}, {"b1", "conv0.nn.linear0.bias"}, {"W2", "conv1.nn.linear0.weight"},
    {"b2", "conv1.nn.linear0.bias"},   {"eps1", "conv0.eps"},           {"eps2", "conv1.eps"}};

/* A number of the fixture as a list of one. */
static cJSON *as_list(const cJSON *value)
{
    if (cJSON_IsArray(value)) return cJSON_Duplicate(value, true);
    cJSON *list = cJSON_CreateArray();
    cJSON_AddItemToArray(list, cJSON_Duplicate(value, true));
    return list;
}

START_TEST(gin_with_one_linear_map_a_layer)
{
    cJSON *root = fixture_open("noisygl/gin.json");
    const cJSON *item = fixture_case(root, "forward_backward"), *grads = fixture_expected(item, "grads");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train"));
    bench_open(&b, "gin",
               (const char *[]){"layers", "2", "mlp_layers", "1", "hidden", "4", "dropout", "0", "learn_eps", "yes",
                                "head", "no", NULL});
    for (size_t i = 0; i < sizeof conv_weights / sizeof *conv_weights; i++) {
        cJSON *value = as_list(fixture_input(item, conv_weights[i][0]));
        bench_set(&b, conv_weights[i][1], value, AS_STORED);
        cJSON_Delete(value);
    }
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    for (size_t i = 0; i < sizeof conv_weights / sizeof *conv_weights; i++)
        bench_check_gradient(&b, conv_weights[i][1], cJSON_GetObjectItem(grads, conv_weights[i][0]), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(mlp_with_norms_after_activations)
{
    static const char *const weights[][2] = {{"W1", "mlp.linear0.weight"},      {"b1", "mlp.linear0.bias"},
                                             {"bn_weight", "mlp.norm0.weight"}, {"bn_bias", "mlp.norm0.bias"},
                                             {"W2", "mlp.linear1.weight"},      {"b2", "mlp.linear1.bias"}};
    cJSON *root = fixture_open("noisygl/mlp.json");
    const cJSON *item = fixture_case(root, "train_then_eval");
    bench b = bench_create();
    bench_free_logits(&b, 8);
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train"));
    bench_open(&b, "mlp",
               (const char *[]){"hidden", "4", "dropout", "0", "batch_norm", "yes", "norm_last", "yes", NULL});
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        bench_set(&b, weights[i][1], fixture_input(item, weights[i][0]), AS_STORED);
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits_train"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    bench_check_gradient(&b, "mlp.linear0.weight", fixture_expected(item, "grad_W1"), AS_STORED);
    bench_check_gradient(&b, "mlp.norm0.weight", fixture_expected(item, "grad_bn_weight"), AS_STORED);
    cru_tape_begin(b.learner->tape, CRU_EVAL);
    bench_check(&b, cru_learner_logits(b.learner, b.learner->tape), fixture_expected(item, "logits_eval"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static void put(cru_net *net, const char *name, const cJSON *values)
{
    static double numbers[BENCH_MOST];
    cru_tensor *w = cru_net_find(net, name);
    ck_assert_int_eq(fixture_numbers(values, numbers), cru_tensor_count(w));
    for (int64_t i = 0; i < cru_tensor_count(w); i++) w->data[i] = (float)numbers[i];
}

/* Dropout acts on the hidden values, after the activation, and divides what it keeps by 1 - p. */
START_TEST(gcn_with_a_given_dropout)
{
    static double numbers[BENCH_MOST];
    static float mask[BENCH_MOST], x[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/gcn.json");
    const cJSON *item = fixture_case(root, "frozen_dropout");
    const double p = fixture_input(item, "p")->valuedouble;
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    cru_net *net = cru_net_create(b.ctx, "net");
    cru_tape *t = cru_tape_create(b.ctx);
    const cru_gcn first = cru_gcn_create(net, "a", 5, 4), second = cru_gcn_create(net, "b", 4, 3);
    put(net, "a.weight", fixture_input(item, "W1"));
    put(net, "a.bias", fixture_input(item, "b1"));
    put(net, "b.weight", fixture_input(item, "W2"));
    put(net, "b.bias", fixture_input(item, "b2"));
    const int64_t kept = fixture_numbers(fixture_input(item, "keep_mask"), numbers);
    for (int64_t i = 0; i < kept; i++) mask[i] = (float)(numbers[i] / (1 - p));
    const int64_t values = fixture_numbers(fixture_input(item, "X"), numbers);
    for (int64_t i = 0; i < values; i++) x[i] = (float)numbers[i];
    cru_sparse *adj = cru_adjacency_create(b.ctx, &b.data->graph, &(cru_adjacency){CRU_LOOPS_ADD, CRU_NORM_SYM});
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *h = cru_relu(t, cru_gcn_apply(t, &first, adj, cru_tensor_upload(t, cru_2d(values / 5, 5), x)));
    h = cru_mul(t, h, cru_tensor_upload(t, cru_2d(kept / 4, 4), mask));
    bench_check(&b, cru_gcn_apply(t, &second, adj, h), fixture_expected(item, "logits"));
    bench_destroy(&b);
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
    tcase_add_loop_test(c, transitions_are_read_from_anchors, 0, 2);
    tcase_add_test(c, the_least_sure_item_is_no_anchor);
    tcase_add_loop_test(c, forward_corrects_the_loss, 0, 2);
    tcase_add_test(c, forward_estimates_before_it_trains);
    tcase_add_loop_test(c, unionnet_of_the_benchmark_is_a_scaled_cross_entropy, 0, 2);
    tcase_add_loop_test(c, unionnet_of_the_benchmark_overflows_as_floats_do, 0, 2);
    tcase_add_test(c, unionnet_of_the_paper_corrects_by_contexts);
    tcase_add_test(c, gcn_with_a_given_dropout);
    tcase_add_test(c, gin_with_one_linear_map_a_layer);
    tcase_add_test(c, mlp_with_norms_after_activations);
    suite_add_tcase(s, c);
    return s;
}
