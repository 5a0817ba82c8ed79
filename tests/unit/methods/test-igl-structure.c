// SPDX-License-Identifier: Apache-2.0
/* topoimb and datadec: against the numbers of the study's code, a naive oracle for the support vector machines. */
#include "data-diet.h"
#include "graph-views.h"
#include "linear-svm.h"
#include "methods/method-bench.h"
#include "struct-memory.h"

static double numbers[BENCH_MOST];
static float floats[BENCH_MOST];

static cru_tensor *upload(cru_tape *t, const cJSON *values)
{
    const int64_t count = fixture_numbers(values, numbers), rows = cJSON_GetArraySize(values);
    for (int64_t i = 0; i < count; i++) floats[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(t, cru_2d(rows, count / rows), floats);
    cru_tensor_watch(x);
    return x;
}

static const cJSON *begin(cJSON **root, const char *file, const char *name, bench *b, cru_tape **t)
{
    *root = fixture_open(file);
    *b = bench_create();
    *t = cru_tape_create(b->ctx);
    cru_tape_begin(*t, CRU_TRAIN);
    return fixture_case(*root, name);
}

/* ---- topoimb ------------------------------------------------------------------------------------------------ */

START_TEST(topoimb_recalls_templates)
{
    cJSON *root;
    bench b;
    cru_tape *t;
    const cJSON *item = begin(&root, "igl/topoimb.json", "all", &b, &t);
    cru_tensor *x = upload(t, fixture_input(item, "feature")), *memory = upload(t, fixture_input(item, "memory"));
    cru_tensor *recalled = memory_recall(t, memory, x, fixture_input(item, "thresh")->valuedouble);
    bench_check(&b, recalled, fixture_expected(item, "mem_out"));
    cru_backward(t, cru_mean(t, cru_square(t, recalled), CRU_ALL));
    bench_check(&b, cru_grad_of(t, x), fixture_expected(item, "dfeature_of_mean_square"));
    bench_check(&b, cru_grad_of(t, memory), fixture_expected(item, "dmemory_of_mean_square"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static cru_tensor *losses(cru_tape *t, const cJSON *item, cru_tensor *z)
{
    int32_t *labels = cru_tape_alloc(t, 8, sizeof *labels);
    const int64_t count = fixture_numbers(fixture_input(item, "labels"), numbers);
    for (int64_t i = 0; i < count; i++) labels[i] = (int32_t)numbers[i];
    return cru_cross_entropy_each(t, z, &(cru_targets){.labels = cru_index_step(t, labels, count)});
}

START_TEST(topoimb_weighs_the_predictor)
{
    cJSON *root;
    bench b;
    cru_tape *t;
    const cJSON *item = begin(&root, "igl/topoimb.json", "all", &b, &t);
    cru_tensor *a = upload(t, fixture_input(item, "weight_logit")), *z = upload(t, fixture_input(item, "logits"));
    cru_tensor *w = graph_weights(t, a), *each = losses(t, item, z);
    bench_check(&b, w, fixture_expected(item, "weights"));
    bench_check(&b, each, fixture_expected(item, "nll"));
    cru_tensor *loss = weighed_loss(t, each, w, fixture_input(item, "lam")->valuedouble);
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "predictor_loss")->valuedouble);
    cru_backward(t, loss);
    bench_check(&b, cru_grad_of(t, z), fixture_expected(item, "dlogits"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(topoimb_moves_weights_to_graphs_that_cost_much)
{
    cJSON *root;
    bench b;
    cru_tape *t;
    const cJSON *item = begin(&root, "igl/topoimb.json", "all", &b, &t);
    cru_tensor *a = upload(t, fixture_input(item, "weight_logit")), *z = upload(t, fixture_input(item, "logits"));
    cru_tensor *w = graph_weights(t, a), *each = cru_detach(t, losses(t, item, z));
    cru_tensor *loss = cru_neg(t, cru_mean(t, cru_mul(t, w, each), CRU_ALL));
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "reweighter_loss")->valuedouble);
    cru_backward(t, loss);
    bench_check(&b, cru_grad_of(t, a), fixture_expected(item, "dweight_logit"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* Six triangles and six paths of four nodes: two structures, two groups. */
START_TEST(topoimb_groups_graphs_by_structure)
{
    enum { EACH = 6, NODES = 7 * EACH };
    static int32_t row[200], col[200];
    int64_t offsets[2 * EACH + 1] = {0}, count = 0;
    float *ones;
    bench b = bench_create();
    for (int g = 0; g < 2 * EACH; g++) {
        const int32_t first = (int32_t)offsets[g], n = g < EACH ? 3 : 4;
        for (int32_t k = 0; k < (g < EACH ? 3 : 3); k++) {
            const int32_t u = first + k, v = first + (g < EACH ? (k + 1) % 3 : k + 1);
            row[count] = u, col[count++] = v;
            row[count] = v, col[count++] = u;
        }
        offsets[g + 1] = first + n;
    }
    ones = cru_ctx_alloc(b.ctx, NODES, sizeof *ones);
    for (int v = 0; v < NODES; v++) ones[v] = 1;
    const cru_coo coo = {.rows = NODES, .cols = NODES, .count = count, .row = row, .col = col};
    const cru_task task = {.items = 2 * EACH,
                           .nodes = NODES,
                           .graph = cru_csr_from_coo(cru_ctx_pool(b.ctx), &coo, CRU_DUP_FIRST),
                           .graph_offsets = offsets,
                           .x = {.rows = NODES, .cols = 1, .dense = ones}};
    const int32_t *group = structure_groups(b.ctx, &task, 2, 2);
    ck_assert_int_eq(cru_ctx_status(b.ctx), CRU_OK);
    for (int g = 1; g < 2 * EACH; g++) ck_assert_int_eq(group[g] == group[0], g < EACH);
    bench_destroy(&b);
}
END_TEST

/* ---- datadec ------------------------------------------------------------------------------------------------ */

START_TEST(datadec_contrasts_and_scores)
{
    cJSON *root;
    bench b;
    cru_tape *t;
    const cJSON *item = begin(&root, "igl/datadec.json", "infonce_and_scores", &b, &t);
    cru_tensor *x = upload(t, fixture_input(item, "g1")), *y = upload(t, fixture_input(item, "g2"));
    cru_tensor *loss = contrast_loss(t, x, y, fixture_input(item, "tau")->valuedouble);
    bench_check_number(&b, (double)cru_tensor_item(t, loss), fixture_expected(item, "loss")->valuedouble);
    const float *score = error_scores(t, x, y);
    const int64_t count = fixture_numbers(fixture_expected(item, "error_score"), numbers);
    for (int64_t i = 0; i < count; i++) bench_check_number(&b, (double)score[i], numbers[i]);
    cru_backward(t, loss);
    bench_check(&b, cru_grad_of(t, x), fixture_expected(item, "d1"));
    bench_check(&b, cru_grad_of(t, y), fixture_expected(item, "d2"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(datadec_prunes_more_and_more)
{
    double epochs[8];
    cJSON *root = fixture_open("igl/datadec.json");
    const cJSON *item = fixture_case(root, "prune_schedule");
    const int64_t count = fixture_numbers(fixture_input(item, "epoch"), epochs);
    fixture_numbers(fixture_expected(item, "prune"), numbers);
    for (int64_t i = 0; i < count; i++)
        ck_assert_double_eq_tol(prune_share((int64_t)epochs[i], fixture_input(item, "epochs")->valueint, 0.25, 0.75),
                                numbers[i], 1e-6);
    cJSON_Delete(root);
}
END_TEST

START_TEST(datadec_prunes_small_weights)
{
    float sorted[8];
    cJSON *root = fixture_open("igl/datadec.json");
    const cJSON *item = fixture_case(root, "magnitude_mask");
    const int64_t count = fixture_numbers(fixture_input(item, "weights"), numbers);
    for (int64_t i = 0; i < count; i++) floats[i] = (float)numbers[i];
    const double threshold = prune_threshold(floats, count, fixture_input(item, "fraction")->valuedouble, sorted);
    ck_assert_double_eq_tol(threshold, fixture_expected(item, "threshold")->valuedouble, 1e-7);
    fixture_numbers(fixture_expected(item, "mask"), numbers);
    for (int64_t i = 0; i < count; i++) ck_assert_int_eq(fabs((double)floats[i]) >= threshold, numbers[i] != 0);
    cJSON_Delete(root);
}
END_TEST

/* Of twenty graphs ten stay: the eight hardest, and two of the other twelve. */
START_TEST(datadec_keeps_the_hardest_graphs)
{
    int32_t ids[20];
    float score[20];
    bool seen[20] = {0};
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_rng rng = cru_rng_stream(1, "test", 0);
    for (int i = 0; i < 20; i++) ids[i] = i, score[i] = (float)((i * 7) % 20);
    diet d = diet_create(cru_ctx_pool(ctx), (cru_ids){ids, 20}, 0.5, 0.1);
    diet_choose(&d, score, &rng);
    ck_assert_int_eq(d.kept_count, 10);
    ck_assert_int_eq(d.aside_count, 10);
    for (int i = 0; i < 8; i++) ck_assert_float_eq(score[d.kept[i]], (float)(19 - i));
    for (int i = 0; i < 10; i++) seen[d.kept[i]] = seen[d.aside[i]] = true;
    for (int i = 0; i < 20; i++) ck_assert(seen[i]);
    cru_ctx_destroy(ctx);
}
END_TEST

/* A ring of 40 nodes with three features of 1. A view has some of the ring's edges, or some columns of zeros, not both;
 * with nothing to lose it is the ring, but for the nodes that no walk meets, of which there are none here. */
START_TEST(datadec_views_lose_edges_or_columns)
{
    enum { N = 40, COLS = 3, VIEWS = 60 };
    static const double change[] = {0, 0.5, 1};
    int64_t offsets[N + 1], fewer = 0, blank = 0;
    int32_t ids[2 * N];
    float ones[N * COLS];
    bench b = bench_create();
    cru_tape *t = cru_tape_create(b.ctx);
    cru_rng rng = cru_rng_stream(2, "test", 0);
    for (int v = 0; v < N; v++) {
        const int32_t before = (v + N - 1) % N, after = (v + 1) % N;
        offsets[v] = 2 * v;
        ids[2 * v] = before < after ? before : after;
        ids[2 * v + 1] = before < after ? after : before;
    }
    offsets[N] = 2 * N;
    for (int i = 0; i < N * COLS; i++) ones[i] = 1;
    const cru_csr ring = {.rows = N, .cols = N, .offsets = offsets, .ids = ids};
    for (int k = 0; k < VIEWS; k++) {
        cru_tape_begin(t, CRU_TRAIN);
        const cru_input x = cru_input_of(cru_tensor_upload(t, cru_2d(N, COLS), ones));
        const graph_view v = graph_view_draw(t, &ring, &x, change[_i], &rng);
        const float *seen = cru_input_dense(t, &v.x)->data;
        ck_assert_int_eq(v.edges.rows, N);
        for (int64_t r = 0; r < N; r++)
            for (int64_t e = v.edges.offsets[r]; e < v.edges.offsets[r + 1]; e++)
                ck_assert_int_ge(cru_csr_find(&ring, r, v.edges.ids[e]), 0);
        for (int i = COLS; i < N * COLS; i++) ck_assert_float_eq(seen[i], seen[i % COLS]);
        const bool lost = v.edges.offsets[N] < 2 * N, hidden = seen[0] + seen[1] + seen[2] < COLS;
        ck_assert(!(lost && hidden));
        fewer += lost;
        blank += hidden;
    }
    ck_assert_int_eq(fewer > 0, _i > 0);
    ck_assert_int_eq(blank > 0, _i > 0);
    bench_destroy(&b);
}
END_TEST

/* ---- support vector machines ------------------------------------------------------------------------------- */

/* The primal objective at the machine's w and b equals the dual one at alpha up to the tolerance: nothing is better. */
START_TEST(a_machine_has_no_duality_gap)
{
    enum { N = 40, D = 3 };
    static const double c[] = {0.01, 1, 10};
    double x[N][D], kernel[N * N], sign[N], alpha[2 * N], w[D] = {0}, sum = 0, square = 0, hinge = 0, balance = 0;
    cru_rng rng = cru_rng_stream(7, "test", 0);
    for (int i = 0; i < N; i++) {
        sign[i] = i % 3 ? 1 : -1;
        for (int k = 0; k < D; k++) x[i][k] = cru_rng_normal(&rng) + 0.7 * sign[i];
    }
    for (int i = 0; i < N * N; i++) {
        kernel[i] = 0;
        for (int k = 0; k < D; k++) kernel[i] += x[i / N][k] * x[i % N][k];
    }
    const double b = svm_solve(kernel, N, sign, c[_i], alpha);
    for (int i = 0; i < N; i++) {
        ck_assert(alpha[i] >= 0 && alpha[i] <= c[_i]);
        balance += alpha[i] * sign[i];
        sum += alpha[i];
        for (int k = 0; k < D; k++) w[k] += alpha[i] * sign[i] * x[i][k];
    }
    for (int k = 0; k < D; k++) square += w[k] * w[k];
    for (int i = 0; i < N; i++) hinge += fmax(0, 1 - sign[i] * (w[0] * x[i][0] + w[1] * x[i][1] + w[2] * x[i][2] + b));
    ck_assert_double_eq_tol(balance, 0, 1e-9);
    ck_assert_double_eq_tol(square / 2 + c[_i] * hinge, sum - square / 2, 1e-3 * c[_i] * N);
}
END_TEST

/* Three clusters far apart, of each of which some rows are learned from. */
START_TEST(machines_tell_clusters_apart)
{
    enum { N = 30 };
    static const float centre[3][2] = {{0, 0}, {9, 0}, {0, 9}};
    float x[N][2], scores[N * 3];
    int32_t labels[N], learn[15];
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_rng rng = cru_rng_stream(3, "test", 0);
    const int classes = _i ? 3 : 2;
    for (int i = 0; i < N; i++) {
        labels[i] = i % classes;
        for (int k = 0; k < 2; k++) x[i][k] = centre[labels[i]][k] + (float)cru_rng_uniform(&rng);
        if (i < 15) learn[i] = i;
    }
    svm_scores(cru_ctx_pool(ctx), &(svm_data){&x[0][0], N, 2, {learn, 15}, labels, classes}, &rng, scores);
    for (int i = 0; i < N; i++)
        for (int y = 0; y < classes; y++)
            if (y != labels[i]) ck_assert_float_gt(scores[i * classes + labels[i]], scores[i * classes + y]);
    cru_ctx_destroy(ctx);
}
END_TEST

START_TEST(machines_that_saw_one_class_name_it)
{
    static const float x[] = {0, 1, 2, 3};
    static const int32_t labels[] = {1, 1, 1, -1}, learn[] = {0, 1, 2};
    float scores[8];
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_rng rng = cru_rng_stream(3, "test", 0);
    svm_scores(cru_ctx_pool(ctx), &(svm_data){x, 4, 1, {learn, 3}, labels, 2}, &rng, scores);
    for (int i = 0; i < 4; i++) ck_assert_float_gt(scores[2 * i + 1], scores[2 * i]);
    cru_ctx_destroy(ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("structure of graphs");
    TCase *c = tcase_create("fixtures");
    tcase_add_test(c, topoimb_recalls_templates);
    tcase_add_test(c, topoimb_weighs_the_predictor);
    tcase_add_test(c, topoimb_moves_weights_to_graphs_that_cost_much);
    tcase_add_test(c, topoimb_groups_graphs_by_structure);
    tcase_add_test(c, datadec_contrasts_and_scores);
    tcase_add_test(c, datadec_prunes_more_and_more);
    tcase_add_test(c, datadec_prunes_small_weights);
    tcase_add_test(c, datadec_keeps_the_hardest_graphs);
    tcase_add_loop_test(c, datadec_views_lose_edges_or_columns, 0, 3);
    tcase_add_loop_test(c, a_machine_has_no_duality_gap, 0, 3);
    tcase_add_loop_test(c, machines_tell_clusters_apart, 0, 2);
    tcase_add_test(c, machines_that_saw_one_class_name_it);
    suite_add_tcase(s, c);
    return s;
}
