// SPDX-License-Identifier: Apache-2.0
/* rncgln and r2lp: against the numbers of the study's code. */
#include "methods/method-bench.h"
#include "reconstruction.h"
#include "self-improvement.h"
#include "transformer.h"

static cru_tensor *matrix(cru_tape *t, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    float *values = cru_tape_alloc(t, count, sizeof *values);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(t, cru_2d(n, count / n), values);
    cru_tensor_watch(x);
    return x;
}

static void set(cru_tensor *w, const cJSON *values, bench_layout layout)
{
    static double numbers[BENCH_MOST];
    const int64_t rows = cru_tensor_rows(w), cols = cru_tensor_cols(w);
    ck_assert_int_eq(fixture_numbers(values, numbers), rows * cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            w->data[i * cols + j] = (float)numbers[layout == TRANSPOSED ? j * rows + i : i * cols + j];
}

/* Both as a matrix and as the dense or sparse input of a linear layer, which is the unit matrix. */
START_TEST(rows_are_normed_by_the_sample_deviation)
{
    cJSON *root = fixture_open("noisygl/rncgln.json");
    const cJSON *item = fixture_case(root, "norm_unbiased_std");
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_net *net = cru_net_create(b.ctx, "net");
    const row_norm norm = row_norm_create(net, "norm", 5);
    set(norm.a, fixture_input(item, "alpha"), AS_STORED);
    set(norm.b, fixture_input(item, "bias"), AS_STORED);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *x = matrix(t, fixture_input(item, "x")), *y = row_norm_apply(t, &norm, x);
    bench_check(&b, y, fixture_expected(item, "out"));
    cru_backward(t, cru_sum(t, cru_mul(t, y, matrix(t, fixture_input(item, "upstream"))), CRU_ALL));
    bench_check(&b, cru_grad_of(t, x), fixture_expected(item, "grad_x"));
    for (int sparse = 0; sparse < 2; sparse++) {
        const int64_t n = cru_tensor_rows(x);
        cru_features features = {.rows = n, .cols = 5, .dense = x->data};
        if (sparse)
            features =
                (cru_features){.rows = n, .cols = 5, .sparse = cru_csr_from_dense(cru_ctx_pool(b.ctx), x->data, n, 5)};
        normed_input in = normed_input_create(cru_net_create(b.ctx, sparse ? "sparse" : "dense"), &features, 5);
        in.norm = norm;
        for (int i = 0; i < 25; i++) in.fc.w->data[i] = i % 6 == 0;
        for (int i = 0; i < 5; i++) in.fc.b->data[i] = 0;
        bench_check(&b, normed_input_apply(t, &in), fixture_expected(item, "out"));
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The fixture's G is A^4. */
START_TEST(the_contrast_counts_walks)
{
    cJSON *root = fixture_open("noisygl/rncgln.json");
    const cJSON *item = fixture_case(root, "contrast_with_4walk_graph");
    static double expected[BENCH_MOST];
    float dense[64];
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    const cru_csr g = walk_counts(cru_ctx_pool(b.ctx), &b.data->graph, 4);
    cru_csr_to_dense(&g, dense);
    fixture_numbers(fixture_expected(item, "G"), expected);
    for (int i = 0; i < 64; i++) ck_assert_double_eq((double)dense[i], expected[i]);
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *x = matrix(t, fixture_input(item, "x"));
    cru_tensor *loss = neighbour_contrast(t, cru_normalize_l2(t, x, 1e-12), &g, 1);
    cru_backward(t, loss);
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "loss")->valuedouble);
    bench_check(&b, cru_grad_of(t, x), fixture_expected(item, "grad_x"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The similarities of the update are those of the contrast's x. */
START_TEST(the_graph_keeps_what_is_similar)
{
    cJSON *root = fixture_open("noisygl/rncgln.json");
    const cJSON *item = fixture_case(root, "graph_update");
    static double expected[BENCH_MOST];
    float dense[64];
    bench b = bench_create();
    bench_graph(&b, fixture_input(fixture_case(root, "contrast_with_4walk_graph"), "graph"));
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_EVAL);
    cru_tensor *x = matrix(t, fixture_input(fixture_case(root, "contrast_with_4walk_graph"), "x"));
    const similar_rows similar = {cru_tensor_host(t, cru_normalize_l2(t, x, 1e-12)), 4};
    const cru_pool pool = cru_ctx_pool(b.ctx);
    const cru_csr g = walk_counts(pool, &b.data->graph, 4), next = improved_graph(pool, &g, similar, 0.6);
    cru_csr_to_dense(&next, dense);
    fixture_numbers(fixture_expected(item, "G_new"), expected);
    for (int i = 0; i < 64; i++) bench_check_number(&b, (double)dense[i], expected[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Against all numbers of a row, sorted: rows with fewer entries than k, with negative ones, and a k of 0. */
START_TEST(the_kth_largest_counts_absent_entries)
{
    static const int64_t offsets[] = {0, 2, 5, 8, 10, 10};
    static const int32_t ids[] = {1, 2, 0, 2, 3, 0, 1, 4, 2, 4};
    static const float values[] = {2, -1, 3, 1, -2, -1, -2, -3, 4, 4};
    static const float ones[5] = {1, 1, 1, 1, 1}; /* S = 1 beside the diagonal */
    static const double drops[] = {0, 0.2, 0.4, 0.6, 0.8, 1};
    const cru_csr g = {.rows = 5, .cols = 5, .offsets = offsets, .ids = ids, .values = values};
    const int64_t k = (int64_t)(5 * (1 - drops[_i]));
    float before[25], after[25];
    cru_arena *arena = cru_arena_create();
    const cru_csr next = improved_graph(cru_arena_pool(arena), &g, (similar_rows){ones, 1}, drops[_i]);
    cru_csr_to_dense(&g, before);
    cru_csr_to_dense(&next, after);
    for (int i = 0; i < 25; i++) {
        int64_t at_least = 0; /* x is larger than the k-th largest when fewer than k are as large */
        for (int j = 0; j < 5; j++) at_least += before[i / 5 * 5 + j] >= before[i];
        ck_assert_float_eq(after[i], at_least < k ? before[i] : 0);
    }
    cru_arena_destroy(arena);
}
END_TEST

START_TEST(sure_predictions_become_labels)
{
    static double numbers[BENCH_MOST], expected[BENCH_MOST];
    float p[24];
    int32_t eligible[8], ids[8];
    cJSON *root = fixture_open("noisygl/rncgln.json");
    const cJSON *item = fixture_case(root, "label_update");
    bench b = bench_create();
    fixture_numbers(fixture_input(item, "P"), numbers);
    for (int i = 0; i < 24; i++) p[i] = (float)numbers[i];
    fixture_numbers(fixture_input(item, "eligible"), numbers);
    int64_t count = 0;
    for (int32_t i = 0; i < 8; i++)
        if (numbers[i] > 0) eligible[count++] = i;
    const cru_ids found = improved_labels(p, 8, 3, (cru_ids){eligible, count}, (label_rules){0.95, 0.9}, ids);
    fixture_numbers(fixture_expected(item, "targets"), expected);
    for (int i = 0; i < 24; i++) bench_check_number(&b, (double)p[i], expected[i]);
    ck_assert_int_eq(found.count, fixture_numbers(fixture_expected(item, "train_new"), expected));
    for (int64_t i = 0; i < found.count; i++) ck_assert_int_eq(found.ids[i], (int)expected[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static const char *const of_layer[][2] = {{"norm_1.alpha", "norm0.gain"},
                                          {"norm_1.bias", "norm0.shift"},
                                          {"norm_2.alpha", "norm1.gain"},
                                          {"norm_2.bias", "norm1.shift"},
                                          {"effectattn.keys.weight", "key.weight"},
                                          {"effectattn.keys.bias", "key.bias"},
                                          {"effectattn.queries.weight", "query.weight"},
                                          {"effectattn.queries.bias", "query.bias"},
                                          {"effectattn.values.weight", "value.weight"},
                                          {"effectattn.values.bias", "value.bias"},
                                          {"effectattn.reprojection.weight", "out.weight"},
                                          {"effectattn.reprojection.bias", "out.bias"},
                                          {"ff.linear_1.weight", "wide.weight"},
                                          {"ff.linear_1.bias", "wide.bias"},
                                          {"ff.linear_2.weight", "narrow.weight"},
                                          {"ff.linear_2.bias", "narrow.bias"}};
static const char *const of_model[][2] = {
    {"norm_input.alpha", "0:input.gain"},   {"norm_input.bias", "0:input.shift"},
    {"MLPfirst.weight", "0:first.weight"},  {"MLPfirst.bias", "0:first.bias"},
    {"MLPlast.weight", "0:last.weight"},    {"MLPlast.bias", "0:last.bias"},
    {"norm_layer.alpha", "0:similar.gain"}, {"norm_layer.bias", "0:similar.shift"}};

static bench_layout layout_of(const char *name)
{
    return strstr(name, "weight") ? TRANSPOSED : AS_STORED;
}

static bench whole_task(const cJSON *item)
{
    cJSON *graph = cJSON_Parse("{\"n\": 8, \"edges\": [[0, 1], [0, 2], [1, 2], [2, 3], [3, 4], [4, 5], [6, 7]]}");
    cJSON *labels = cJSON_Parse("[0, 1, 2, 0, 1, 2, 0, 1]"), *train = cJSON_Parse("[0, 1, 2, 4]");
    bench b = bench_create();
    bench_graph(&b, graph);
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, labels, train);
    b.data->split.val = (cru_ids){b.data->split.test.ids, 2};
    b.data->split.test = (cru_ids){b.data->split.test.ids + 2, 1}; /* node 7 is in no part */
    cJSON_Delete(graph);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    return b;
}

START_TEST(the_whole_model_predicts)
{
    char key[100], name[100];
    static double expected[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/rncgln.json");
    const cJSON *item = fixture_case(root, "full_model_eval"), *params = fixture_input(item, "params");
    bench b = whole_task(item);
    bench_open(&b, "rncgln", (const char *[]){"dim", "4", "heads", "2", "wide", "6", NULL});
    for (size_t i = 0; i < sizeof of_model / sizeof *of_model; i++)
        bench_set(&b, of_model[i][1], cJSON_GetObjectItem(params, of_model[i][0]), layout_of(of_model[i][0]));
    for (int layer = 0; layer < 2; layer++)
        for (size_t i = 0; i < sizeof of_layer / sizeof *of_layer; i++) {
            snprintf(key, sizeof key, "layers.%d.%s", layer, of_layer[i][0]);
            snprintf(name, sizeof name, "%d:%s", layer + 1, of_layer[i][1]);
            bench_set(&b, name, cJSON_GetObjectItem(params, key), layout_of(key));
        }
    cru_tape *t = b.learner->tape;
    cru_tape_begin(t, CRU_EVAL);
    bench_check(&b, cru_learner_logits(b.learner, t), fixture_expected(item, "P"));
    b.learner->validation_only = true; /* its rows are the same, the others 0 */
    const cru_tensor *some = cru_learner_logits(b.learner, t);
    fixture_numbers(fixture_expected(item, "P"), expected);
    for (int i = 0; i < 24; i++) {
        const bool judged = i / 3 == b.task.split.val.ids[0] || i / 3 == b.task.split.val.ids[1];
        bench_check_number(&b, (double)some->data[i], judged ? expected[i] : 0);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(attention_sums_before_it_asks)
{
    static const char *const parts[] = {"keys", "queries", "values", "reprojection"};
    cJSON *root = fixture_open("noisygl/rncgln.json");
    const cJSON *item = fixture_case(root, "efficient_attention_2_heads"), *params = fixture_input(item, "params");
    char key[50];
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    const transformer e = transformer_create(cru_net_create(b.ctx, "net"), &(transformer_shape){4, 2, 1, 0});
    const cru_fc layers[] = {e.key, e.query, e.value, e.out};
    for (int i = 0; i < 4; i++) {
        snprintf(key, sizeof key, "%s.weight", parts[i]);
        set(layers[i].w, cJSON_GetObjectItem(params, key), TRANSPOSED);
        snprintf(key, sizeof key, "%s.bias", parts[i]);
        set(layers[i].b, cJSON_GetObjectItem(params, key), AS_STORED);
    }
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *x = matrix(t, fixture_input(item, "x"));
    cru_tensor *out = transformer_attend(t, &e, x, x);
    bench_check(&b, out, fixture_expected(item, "out"));
    cru_backward(t, cru_sum(t, cru_mul(t, out, matrix(t, fixture_input(item, "upstream"))), CRU_ALL));
    bench_check(&b, cru_grad_of(t, x), fixture_expected(item, "grad_x"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* warmup 0, sure 0: every epoch that is better improves labels and graph. */
START_TEST(rncgln_trains_and_improves)
{
    static const char *const variants[] = {"bench", "paper"};
    cJSON *root = fixture_open("noisygl/rncgln.json");
    bench b = whole_task(fixture_case(root, "full_model_eval"));
    bench_open(&b, "rncgln",
               (const char *[]){"variant", variants[_i], "dim", "4", "heads", "2", "wide", "6", "epochs", "12",
                                "warmup", "0", "sure", "0", "lr", "0.05", NULL});
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    float scores[24];
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_OK);
    for (int i = 0; i < 24; i++) ck_assert(scores[i] >= 0 && scores[i] <= 1);
    ck_assert_int_eq(b.algorithm->report(b.learner, NULL), CRU_OK);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The loss of an epoch before which the validation items were all right for the first time, without dropout. */
static double improved_loss(const cJSON *item, const char *sure, const char *one_hot, const char *pick)
{
    double loss = 0;
    bench b = whole_task(item);
    bench_open(&b, "rncgln",
               (const char *[]){"dim", "4", "heads", "2", "wide", "6", "warmup", "0", "sure", sure, "dropout", "0",
                                "feature_dropout", "0", "one_hot", one_hot, "pick_nodes", pick, NULL});
    ck_assert_int_eq(bench_epoch(&b, &loss), CRU_OK);
    const cru_task *task = b.learner->task;
    for (int64_t i = 0; i < task->split.val.count; i++) {
        const int32_t v = task->split.val.ids[i];
        b.learner->scores[v * task->classes + task->labels[v]] = 1;
    }
    b.learner->epoch = 2;
    ck_assert_int_eq(bench_epoch(&b, &loss), CRU_OK);
    const cru_tensor *last = bench_weight(&b, "last.weight");
    for (int64_t i = 0; i < cru_tensor_count(last); i++) ck_assert(isfinite(last->data[i]));
    bench_destroy(&b);
    return loss;
}

/* When none must be sure all nodes are contrasted; when all must be certain none is, and the mean is one of nothing. */
START_TEST(rncgln_contrasts_nodes_without_doubt)
{
    cJSON *root = fixture_open("noisygl/rncgln.json");
    const cJSON *item = fixture_case(root, "full_model_eval");
    ck_assert_double_eq_tol(improved_loss(item, "0", "0", "yes"), improved_loss(item, "0", "0", "no"), 1e-5);
    ck_assert_double_nan(improved_loss(item, "0", "1", "yes"));
    ck_assert(isfinite(improved_loss(item, "0", "1", "no")));
    cJSON_Delete(root);
}
END_TEST

/* The mean over no item is one of nothing, too; the weights take their step without it. */
START_TEST(rncgln_goes_on_when_no_node_is_sure)
{
    cJSON *root = fixture_open("noisygl/rncgln.json");
    const cJSON *item = fixture_case(root, "full_model_eval");
    ck_assert_double_nan(improved_loss(item, "1", "1", "no"));
    cJSON_Delete(root);
}
END_TEST

static bench task_of(const cJSON *item)
{
    cJSON *train = cJSON_Parse("[0, 1, 2, 3]");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "X"));
    bench_labels(&b, fixture_input(item, "noisy"), train);
    b.tolerance = 1e-4;
    cJSON_Delete(train);
    return b;
}

static void set_r2lp(const bench *b, const cJSON *params)
{
    static const char *const layers[] = {"fc1", "fc2", "fc3"};
    char name[50];
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%s.weight", layers[i]);
        bench_set(b, name, cJSON_GetObjectItem(params, name), TRANSPOSED);
        snprintf(name, sizeof name, "%s.bias", layers[i]);
        bench_set(b, name, cJSON_GetObjectItem(params, name), AS_STORED);
    }
}

START_TEST(r2lp_reconstructs_and_spreads)
{
    static const char *const after[] = {"H0", "x_after_1", "x_after_2"}, *const times[] = {"0", "1", "2"};
    cJSON *root = fixture_open("noisygl/r2lp.json");
    const cJSON *item = fixture_case(root, "forward_and_lp");
    bench b = task_of(item);
    bench_open(&b, "r2lp",
               (const char *[]){"norm_layers", times[_i], "hidden", "4", "beta", "2", "gamma", "0.6", "delta", "0.3",
                                "dropout", "0", NULL});
    set_r2lp(&b, fixture_input(item, "params"));
    cru_tape *t = b.learner->tape;
    cru_tape_begin(t, CRU_EVAL);
    cru_tensor *x = cru_learner_logits(b.learner, t);
    bench_check(&b, x, fixture_expected(item, after[_i]));
    if (_i == 2) {
        const cru_csr walk = cru_adjacency_graph(b.ctx, &b.task.graph, &(cru_adjacency){CRU_LOOPS_ADD, CRU_NORM_ROW});
        const closed_form f = {0, 2, 0.6, 1, cru_sparse_create(b.ctx, &walk)};
        cru_tensor *h = matrix(t, fixture_expected(item, "H0")), *y = matrix(t, fixture_input(item, "y_unknown"));
        const double left = 1 - 0.2, rest = left * (1 - 0.7);
        y = cru_scale(t, y, rest * 0.6);
        y = cru_plus(t, y, rest * (1 - 0.6), cru_softmax(t, x, 1));
        bench_check(&b, cru_log_softmax(t, x, 1), fixture_expected(item, "log_probs"));
        bench_check(&b, spread_labels(t, &f, x, h, y, 0.2), fixture_expected(item, "F"));
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* After the first round, with a learning rate of 0, items 1 and 2 are clean with their labels, as in the fixture: the
 * loss of the second is their cross-entropy. */
START_TEST(r2lp_learns_from_the_surest_items)
{
    double loss = 0;
    cJSON *root = fixture_open("noisygl/r2lp.json");
    const cJSON *item = fixture_case(root, "forward_and_lp");
    static double log_p[BENCH_MOST];
    bench b = task_of(item);
    bench_open(&b, "r2lp", (const char *[]){"hidden", "4",       "beta",  "2",      "gamma", "0.6",    "delta",
                                            "0.3",    "dropout", "0",     "alpha1", "0.2",   "alpha2", "0.7",
                                            "alpha3", "0.6",     "round", "1",      "lr",    "0",      NULL});
    set_r2lp(&b, fixture_input(item, "params"));
    b.learner->epoch = 0;
    ck_assert_int_eq(bench_epoch(&b, &loss), CRU_OK);
    ck_assert_double_nan(loss); /* nothing is clean yet */
    b.learner->epoch = 1;
    ck_assert_int_eq(bench_epoch(&b, &loss), CRU_OK);
    fixture_numbers(fixture_expected(item, "log_probs"), log_p);
    bench_check_number(&b, loss, -(log_p[1 * 3 + 1] + log_p[2 * 3 + 2]) / 2);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("rncgln and r2lp");
    TCase *c = tcase_create("rncgln");
    tcase_add_test(c, rows_are_normed_by_the_sample_deviation);
    tcase_add_test(c, attention_sums_before_it_asks);
    tcase_add_test(c, the_contrast_counts_walks);
    tcase_add_test(c, the_graph_keeps_what_is_similar);
    tcase_add_loop_test(c, the_kth_largest_counts_absent_entries, 0, 6);
    tcase_add_test(c, sure_predictions_become_labels);
    tcase_add_test(c, the_whole_model_predicts);
    tcase_add_loop_test(c, rncgln_trains_and_improves, 0, 2);
    tcase_add_test(c, rncgln_contrasts_nodes_without_doubt);
    tcase_add_test(c, rncgln_goes_on_when_no_node_is_sure);
    suite_add_tcase(s, c);
    c = tcase_create("r2lp");
    tcase_add_loop_test(c, r2lp_reconstructs_and_spreads, 0, 3);
    tcase_add_test(c, r2lp_learns_from_the_surest_items);
    suite_add_tcase(s, c);
    return s;
}
