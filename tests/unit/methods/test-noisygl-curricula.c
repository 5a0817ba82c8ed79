// SPDX-License-Identifier: Apache-2.0
/* Curricula against noisy labels: against the numbers of the study's code. */
#include <crucible/draft/tensor.h>

#include "betweenness.h"
#include "curriculum.h"
#include "difficulty.h"
#include "methods/method-bench.h"

static int32_t *integers(cru_ctx *ctx, const cJSON *list, int64_t *count)
{
    static double numbers[BENCH_MOST];
    *count = fixture_numbers(list, numbers);
    int32_t *out = cru_ctx_alloc(ctx, *count, sizeof *out);
    for (int64_t i = 0; i < *count; i++) out[i] = (int32_t)numbers[i];
    return out;
}

static void check_all(const double *values, const cJSON *expected, double tolerance)
{
    static double numbers[BENCH_MOST];
    const int64_t count = fixture_numbers(expected, numbers);
    for (int64_t i = 0; i < count; i++)
        ck_assert_double_eq_tol(values[i], numbers[i], tolerance * (1 + fabs(numbers[i])));
}

static void check_order(const int32_t *order, const cJSON *expected)
{
    for (int i = 0; i < cJSON_GetArraySize(expected); i++)
        ck_assert_int_eq(order[i], cJSON_GetArrayItem(expected, i)->valueint);
}

START_TEST(clnode_ranks_by_difficulty)
{
    static double numbers[BENCH_MOST];
    static float embedding[BENCH_MOST];
    double local[8], global[8];
    cJSON *root = fixture_open("noisygl/clnode.json");
    const cJSON *item = fixture_case(root, "difficulty");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    int64_t nodes = 0, count = 0;
    const int32_t *labels = integers(b.ctx, fixture_input(item, "working_labels"), &nodes);
    const int32_t *train = integers(b.ctx, fixture_input(item, "train"), &count);
    const int64_t values = fixture_numbers(fixture_input(item, "embedding_log_softmax"), numbers);
    for (int64_t i = 0; i < values; i++) embedding[i] = (float)numbers[i];
    const nodes_seen n = {&b.data->graph, labels, 3, embedding, values / nodes};
    difficulty(b.ctx, &n, (cru_ids){train, count}, local, global);
    check_all(local, fixture_expected(item, "local"), 1e-5);
    check_all(global, fixture_expected(item, "global_"), 1e-5);
    for (int64_t i = 0; i < count; i++) local[i] += global[i];
    check_all(local, fixture_expected(item, "total"), 1e-5);
    check_order(nodes_by(b.ctx, (cru_ids){train, count}, local), fixture_expected(item, "sorted_train"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The fixture has the first two; the third is lambda^(1 - t / T). */
START_TEST(shares_grow_as_the_schedule_says)
{
    static double t[BENCH_MOST], expected[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/clnode.json");
    const cJSON *item = fixture_case(root, _i == LINEAR ? "schedule_linear" : "schedule_root");
    const curriculum c = {.lambda = 0.5, .until = 50, .scheduler = _i};
    const int64_t count = fixture_numbers(fixture_input(item, "t"), t);
    fixture_numbers(fixture_expected(item, "size"), expected);
    for (int64_t i = 0; i < count; i++) {
        if (_i == GEOM) expected[i] = fmin(1, pow(0.5, 1 - t[i] / 50));
        ck_assert_double_eq_tol(curriculum_share(&c, (int64_t)t[i]), expected[i], 1e-6);
    }
    cJSON_Delete(root);
}
END_TEST

/* Node 0 has nine neighbours, node 10 one, all of their own label: neither is harder, to the last bit. */
START_TEST(degrees_do_not_tell_pure_neighbourhoods_apart)
{
    cJSON *graph =
        cJSON_Parse("{\"n\": 12, \"edges\": [[0,1],[0,2],[0,3],[0,4],[0,5],[0,6],[0,7],[0,8],[0,9],[10,11]]}");
    static const int32_t labels[12], train[] = {0, 10};
    static const float embedding[12];
    double local[2], global[2];
    bench b = bench_create();
    bench_graph(&b, graph);
    difficulty(b.ctx, &(nodes_seen){&b.data->graph, labels, 2, embedding, 1}, (cru_ids){train, 2}, local, global);
    ck_assert(local[0] == local[1]);
    bench_destroy(&b);
    cJSON_Delete(graph);
}
END_TEST

/* In doubles floor((0.25 + 0.75 * 280 / 400) 120) is 93, as the benchmark has it; with 280 / 400 taken first it is
 * 92. */
START_TEST(a_share_is_rounded_as_in_the_benchmark)
{
    const curriculum c = {.lambda = 0.25, .until = 400, .scheduler = LINEAR};
    ck_assert_int_eq((int64_t)(curriculum_share(&c, 280) * 120), 93);
}
END_TEST

START_TEST(tss_ranks_by_betweenness)
{
    double score[8], key[8];
    int32_t of_train[8];
    cJSON *root = fixture_open("noisygl/tss.json");
    const cJSON *item = fixture_case(root, "cbc");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    int64_t nodes = 0, count = 0;
    const int32_t *labels = integers(b.ctx, fixture_input(item, "noisy"), &nodes);
    const int32_t *train = integers(b.ctx, fixture_input(item, "train"), &count);
    for (int64_t i = 0; i < count; i++) of_train[i] = labels[train[i]];
    const cru_csr spread = cru_graph_gcn(cru_ctx_pool(b.ctx), &b.data->graph, CRU_LOOPS_ADD);
    const labelled_nodes known = {{train, count}, of_train, 3};
    class_betweenness(b.ctx, &spread, &known, 0.15, score);
    check_all(score, fixture_expected(item, "score"), 1e-4);
    for (int64_t i = 0; i < count; i++) key[i] = score[train[i]];
    check_order(nodes_by(b.ctx, (cru_ids){train, count}, key), fixture_expected(item, "sorted_train"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The first epoch uses floor(lambda |train|) nodes, the easiest: the others have no gradient. */
START_TEST(clnode_begins_with_a_share)
{
    cJSON *labels = cJSON_Parse("[0, 1, 0, 1, 0, 1]"), *train = cJSON_Parse("[5, 3, 1, 0]");
    bench b = bench_create();
    bench_free_logits(&b, 6);
    bench_labels(&b, labels, train);
    bench_open(&b, "clnode", (const char *[]){BENCH_FREE_LOGITS, "lambda", "0.5", NULL});
    bench_run(&b);
    const float *gradient = cru_weight_grad(bench_weight(&b, "conv0.weight"));
    for (int i = 0; i < 6; i++) ck_assert_int_eq(gradient[2 * i] != 0, i == 5 || i == 3);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
}
END_TEST

START_TEST(clnode_embeds_by_raw_scores)
{
    static double numbers[BENCH_MOST], expected[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/clnode.json");
    const cJSON *item = fixture_case(root, "pretrain_loss_on_raw_scores");
    bench b = bench_create();
    int64_t n = 0, count = 0;
    const int32_t *labels = integers(b.ctx, fixture_input(item, "labels"), &n);
    const int32_t *train = integers(b.ctx, fixture_input(item, "train"), &count);
    int32_t *own = cru_ctx_alloc(b.ctx, count, sizeof *own);
    for (int64_t i = 0; i < count; i++) own[i] = labels[train[i]];
    cru_net *net = cru_net_create(b.ctx, "net");
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tensor *scores = cru_net_weight(net, "scores", cru_2d(n, 3), (cru_init){0});
    const int64_t values = fixture_numbers(fixture_input(item, "scores"), numbers);
    for (int64_t i = 0; i < values; i++) scores->data[i] = (float)numbers[i];
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *rows = cru_gather(t, scores, cru_index_step(t, train, count));
    cru_tensor *loss = raw_score_loss(t, rows, cru_index_step(t, own, count));
    cru_backward(t, loss);
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "loss")->valuedouble);
    fixture_numbers(fixture_expected(item, "grad_scores"), expected);
    for (int64_t i = 0; i < values; i++) bench_check_number(&b, (double)cru_weight_grad(scores)[i], expected[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("noisy label curricula");
    TCase *c = tcase_create("curricula");
    tcase_add_test(c, clnode_ranks_by_difficulty);
    tcase_add_loop_test(c, shares_grow_as_the_schedule_says, 0, 3);
    tcase_add_test(c, degrees_do_not_tell_pure_neighbourhoods_apart);
    tcase_add_test(c, a_share_is_rounded_as_in_the_benchmark);
    tcase_add_test(c, tss_ranks_by_betweenness);
    tcase_add_test(c, clnode_begins_with_a_share);
    tcase_add_test(c, clnode_embeds_by_raw_scores);
    suite_add_tcase(s, c);
    return s;
}
