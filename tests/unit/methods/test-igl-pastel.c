// SPDX-License-Identifier: Apache-2.0
/* pastel: learned edges against the numbers of the study's code, and their gradients against differences. */
#include <crucible/imbalance.h>

#include "methods/method-bench.h"
#include "places.h"

enum { N = 10 };

static bench labelled(const cJSON *item)
{
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_identity_features(&b);
    bench_masked_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_mask"));
    return b;
}

static pair_ranks ranks_of(bench *b)
{
    const cru_pool pool = cru_data_pool(b->data);
    cru_error err = {0};
    ck_assert_int_eq(cru_data_task(b->data, 0, &b->task, &err), CRU_OK);
    const cru_csr once = cru_graph_gcn(pool, &b->data->graph, CRU_LOOPS_ADD);
    const cru_csr twice = cru_graph_gcn(pool, &once, CRU_LOOPS_ADD);
    return pair_ranks_create(pool, &twice, cru_class_members(pool, &b->task), b->task.classes, 0.15);
}

static double rank_of(double factor)
{
    return acos(1 - factor) / acos(-1) * N * N;
}

/* The study's order of equal scores is that of its sort; here they share the mean of their ranks. */
START_TEST(pairs_are_ranked_by_their_classes)
{
    double expected[N * N], z[N * N];
    float got[N * N];
    cJSON *root = fixture_open("igl/pastel.json");
    const cJSON *item = fixture_case(root, "group_pagerank_factor");
    bench b = labelled(item);
    const pair_ranks r = ranks_of(&b);
    const int64_t classes = fixture_numbers(fixture_expected(item, "Z"), z) / N;
    ck_assert_int_eq(fixture_numbers(fixture_expected(item, "factor"), expected), N * N);
    for (int64_t v = 0; v < N; v++)
        for (int64_t c = 0; c < classes; c++) bench_check_number(&b, (double)r.z[c * N + v], z[v * classes + c]);
    for (int64_t u = 0; u < N; u++) pair_ranks_row(&r, u, got + u * N);
    for (int i = 0; i < N * N; i++) {
        double sum = 0, ties = 0;
        for (int j = 0; j < N * N; j++)
            if (got[j] == got[i]) sum += rank_of(expected[j]), ties++;
        ck_assert_double_eq_tol(rank_of((double)got[i]), sum / ties, 0.02);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static void given_row(const void *user, int64_t u, float *next)
{
    const cru_csr *g = user;
    for (int64_t v = 0; v < g->rows; v++) next[v] = cru_csr_find(g, u, (int32_t)v) >= 0;
}

START_TEST(hops_to_the_anchors)
{
    double expected[N * N];
    float hops[N * N];
    cJSON *root = fixture_open("igl/pastel.json");
    const cJSON *item = fixture_case(root, "group_pagerank_factor");
    bench b = labelled(item);
    const cru_ids anchors = b.data->split.train;
    places_hops(N, anchors, 5, given_row, &b.data->graph, hops);
    const int64_t count = fixture_numbers(fixture_expected(item, "distance_encoding"), expected);
    ck_assert_int_eq(count, N * anchors.count);
    for (int64_t i = 0; i < count; i++) bench_check_number(&b, (double)hops[i], expected[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

static void factor_row(const void *user, int64_t u, float *g)
{
    const double *factor = user;
    for (int64_t v = 0; v < N; v++) g[v] = (float)factor[u * N + v];
}

static cru_tensor *upload(cru_tape *t, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    return cru_tensor_upload(t, cru_2d(n, count / n), values);
}

/* The factors of a similarity of all features, side by side: w_p x / |w_p x|. */
static cru_tensor *perspectives(cru_tape *t, cru_tensor *x, cru_tensor *w, double share)
{
    const int64_t count = cru_tensor_rows(w);
    cru_tensor *part[8];
    for (int64_t p = 0; p < count; p++)
        part[p] = cru_normalize_l2(t, cru_mul(t, x, cru_slice_rows(t, w, p, p + 1)), 1e-12);
    return cru_scale(t, cru_concat_cols(t, part, count), sqrt(share / (double)count));
}

static void check_learner(const char *name, const char *of_hops)
{
    static double factor[N * N];
    cJSON *root = fixture_open("igl/pastel.json");
    const cJSON *item = fixture_case(root, name), *ranks = fixture_case(root, "group_pagerank_factor");
    bench b = labelled(item);
    b.tolerance = 1e-4;
    ck_assert_int_eq(fixture_numbers(fixture_expected(ranks, "factor"), factor), N * N);
    cru_tape *t = cru_tape_create(b.ctx);
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *x = upload(t, fixture_input(item, "x")), *w = upload(t, fixture_input(item, "w_pers"));
    cru_tensor_watch(w);
    relation s = {.n = N, .f = perspectives(t, x, w, of_hops ? 0.5 : 1), .gate = {factor_row, factor}};
    if (of_hops) {
        cru_tensor *hops = upload(t, fixture_expected(ranks, of_hops));
        cru_tensor *code = cru_matmul(t, hops, upload(t, fixture_input(item, "w_pos")));
        s.f = cru_concat_cols(t, (cru_tensor *[]){s.f, cru_scale(t, code, sqrt(0.5))}, 2);
    }
    relation_read(t, &s);
    float unit[N * N] = {0};
    for (int i = 0; i < N; i++) unit[i * N + i] = 1;
    cru_tensor *y = relation_product(t, &s, cru_tensor_upload(t, cru_2d(N, N), unit));
    cru_tensor *raw = cru_slice_cols(t, y, 0, N), *sums = cru_slice_cols(t, y, N, N + 1);
    bench_check(&b, raw, fixture_expected(item, "raw"));
    cru_tensor *given = upload(t, fixture_expected(ranks, "A_norm"));
    cru_tensor *adj = cru_lerp(t, cru_div(t, raw, sums), given, 0.8);
    bench_check(&b, adj, fixture_expected(item, "adj"));
    const cru_csr features = cru_csr_from_dense(cru_data_pool(b.data), x->data, N, cru_tensor_cols(x));
    cru_tensor *rough = relation_roughness(t, &s, cru_sparse_create(b.ctx, &features));
    cru_tensor *smooth = cru_scale(t, rough, 0.2 / (N * N));
    bench_check_number(&b, (double)cru_tensor_item(t, smooth), fixture_expected(item, "smooth_loss")->valuedouble);
    cru_backward(t, cru_add(t, smooth, cru_sum(t, cru_square(t, adj), CRU_ALL)));
    /* the fixture has the gradient of the second case in both */
    if (of_hops) bench_check(&b, cru_grad_of(t, w), fixture_expected(item, "dw_pers_of_smooth_plus_sum_adj2"));
    bench_destroy(&b);
    cJSON_Delete(root);
}

START_TEST(edges_are_learned_from_features)
{
    check_learner("learner_position_flag_0", NULL);
}
END_TEST

START_TEST(edges_are_learned_from_features_and_places)
{
    check_learner("learner_position_flag_1", "distance_encoding");
}
END_TEST

/* A 3 x 2 pattern with 5 entries; the matrix, all of it, is the oracle. */
static cru_sparse *small_pattern(cru_ctx *ctx)
{
    static const int64_t offsets[] = {0, 2, 3, 5};
    static const int32_t ids[] = {0, 1, 1, 0, 1};
    static const float values[] = {1, -2, 3, 0.5f, 2};
    return cru_sparse_create(ctx, &(cru_csr){3, 2, offsets, ids, values});
}

typedef struct scene {
    cru_sparse *pattern;
    bool rough;
} scene;

static cru_tensor *of_relation(void *user, cru_tape *t, cru_tensor *const *x)
{
    const scene *with = user;
    relation s = {.n = 3, .pattern = with->pattern, .c = x[0], .f = x[1], .drop = 0.5};
    s.mask = cru_rng_stream(7, "test", 0);
    relation_read(t, &s);
    if (with->rough) return relation_roughness(t, &s, with->pattern);
    cru_tensor *y = relation_product(t, &s, x[2]);
    return cru_sum(t, cru_square(t, y), CRU_ALL);
}

START_TEST(gradients_go_to_all_that_makes_edges)
{
    static const float c[] = {1, 2, -1, 0.5f, 2, 1, 0, -1, 1, 1}, f[] = {1, -1, 2}, h[] = {0.5f, 1, -1, 2, 1, 0};
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_tape *t = cru_tape_create(ctx);
    cru_tensor *x[] = {cru_weight_create(ctx, cru_2d(5, 2)), cru_weight_create(ctx, cru_2d(3, 1)),
                       cru_weight_create(ctx, cru_2d(3, 2))};
    cru_tensor_set(ctx, x[0], c);
    cru_tensor_set(ctx, x[1], f);
    cru_tensor_set(ctx, x[2], h);
    scene with = {small_pattern(ctx), false};
    ck_assert_double_lt(cru_gradcheck(t, of_relation, &with, x, 3), 1e-2);
    with.rough = true;
    ck_assert_double_lt(cru_gradcheck(t, of_relation, &with, x, 2), 1e-2);
    cru_ctx_destroy(ctx);
}
END_TEST

/* c c^T of the pattern above with one head: rows {1, 2}, {., 3}, {4, 5}; plus 1 from f. */
START_TEST(rows_are_those_of_the_whole_matrix)
{
    static const float c[] = {1, 2, 3, 4, 5}, f[] = {1, 1, 1};
    static const float whole[3][3] = {{6, 7, 15}, {7, 10, 16}, {15, 16, 42}};
    cru_ctx *ctx = cru_ctx_create(NULL);
    cru_tape *t = cru_tape_create(ctx);
    cru_tape_begin(t, CRU_EVAL);
    relation s = {.n = 3, .pattern = small_pattern(ctx)}, none = {.n = 3};
    s.c = cru_tensor_upload(t, cru_2d(5, 1), c);
    s.f = cru_tensor_upload(t, cru_2d(3, 1), f);
    relation_read(t, &s);
    double squares = 0;
    for (int64_t u = 0; u < 3; u++) {
        float row[3];
        relation_row(&s, u, row);
        for (int v = 0; v < 3; v++) ck_assert_float_eq(row[v], whole[u][v]);
        for (int v = 0; v < 3; v++) squares += (double)whole[u][v] * (double)whole[u][v];
        float made[3]; /* as of many nodes */
        relation large = s;
        large.kept = NULL;
        relation_row(&large, u, made);
        ck_assert_mem_eq(made, row, sizeof row);
    }
    ck_assert_double_eq_tol(relation_distance(&none, &s, false), squares, 1e-6);
    ck_assert_double_eq(relation_distance(&s, &s, false), 0);
    cru_ctx_destroy(ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("igl-pastel");
    TCase *c = tcase_create("edges");
    tcase_add_test(c, pairs_are_ranked_by_their_classes);
    tcase_add_test(c, hops_to_the_anchors);
    tcase_add_test(c, edges_are_learned_from_features);
    tcase_add_test(c, edges_are_learned_from_features_and_places);
    tcase_add_test(c, gradients_go_to_all_that_makes_edges);
    tcase_add_test(c, rows_are_those_of_the_whole_matrix);
    suite_add_tcase(s, c);
    return s;
}
