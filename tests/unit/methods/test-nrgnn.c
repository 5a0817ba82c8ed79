// SPDX-License-Identifier: Apache-2.0
/* nrgnn where the study's fixtures leave a choice: equal similarities, and pseudo-labelled nodes. */
#include <math.h>

#include "labelled-edges.h"
#include "methods/method-bench.h"

enum { NODES = 8, FEATURES = 3, WIDTH = 4 };

/* Nodes 1, 3 and 4 lie in one direction, 0 and 6 in another, node 7 between the two, node 2 across all, and node 5 has
 * no features. */
static const float points[NODES][FEATURES] = {{1, 0, 0}, {0, 2, 0}, {0, 0, 5}, {0, 7, 0},
                                              {0, 3, 0}, {0, 0, 0}, {9, 0, 0}, {4, 4, 0}};

static bench nodes_with(const char *train_ids)
{
    bench b = bench_create();
    cJSON *graph = cJSON_Parse("{\"n\": 8, \"edges\": [[0, 1], [1, 2], [3, 4], [6, 7], [2, 7]]}");
    cJSON *labels = cJSON_Parse("[0, 1, 0, 1, 0, 1, 0, 1]"), *train = cJSON_Parse(train_ids);
    bench_graph(&b, graph);
    b.data->x = (cru_features){.rows = NODES, .cols = FEATURES, .dense = points[0]};
    bench_labels(&b, labels, train);
    cJSON_Delete(graph);
    cJSON_Delete(labels);
    cJSON_Delete(train);
    return b;
}

/* The training part lists 6 before 0 and 4 before 1. Of equally similar ones those come first, whatever their lengths;
 * to nodes 2 and 5 all are. */
START_TEST(ties_break_by_position_in_the_training_part)
{
    static const int32_t nearest[NODES][2] = {{6, 0}, {4, 1}, {6, 4}, {4, 1}, {4, 1}, {6, 4}, {6, 0}, {6, 4}};
    bool expected[NODES][NODES] = {{false}};
    cru_error err = {0};
    bench b = nodes_with("[6, 4, 0, 1]");
    for (int i = 0; i < NODES; i++)
        for (int k = 0; k < 2; k++) expected[i][nearest[i][k]] = expected[nearest[i][k]][i] = true;
    ck_assert_int_eq(cru_data_task(b.data, 0, &b.task, &err), CRU_OK);
    const cru_csr found = similar_labelled(cru_data_pool(b.data), &b.task, 2);
    for (int i = 0; i < NODES; i++)
        for (int32_t j = 0; j < NODES; j++) ck_assert_int_eq(cru_csr_find(&found, i, j) >= 0, expected[i][j]);
    bench_destroy(&b);
}
END_TEST

START_TEST(all_labelled_nodes_when_there_is_no_limit)
{
    static const int64_t limits[] = {-1, 4, 50};
    cru_error err = {0};
    bench b = nodes_with("[6, 4, 0, 1]");
    ck_assert_int_eq(cru_data_task(b.data, 0, &b.task, &err), CRU_OK);
    const cru_csr found = similar_labelled(cru_data_pool(b.data), &b.task, limits[_i]);
    ck_assert_int_eq(cru_csr_nnz(&found), 4 * 4 + 2 * 4 * 4); /* among the four, and both ways to the other four */
    bench_destroy(&b);
}
END_TEST

/* ---- pseudo-labelled nodes --------------------------------------------------------------------------------------- */

typedef double square[NODES][NODES];

/* D^-1/2 M D^-1/2 by row sums */
static void normalise(square m)
{
    double degree[NODES] = {0};
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) degree[i] += m[i][j];
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) m[i][j] /= sqrt(degree[i] * degree[j]);
}

/* out = M X W + b, with a row of out for every node */
static void convolve(const square m, const float *w, const float *bias, int cols, double *out)
{
    for (int i = 0; i < NODES; i++)
        for (int c = 0; c < cols; c++) {
            out[i * cols + c] = (double)bias[c];
            for (int j = 0; j < NODES; j++)
                for (int k = 0; k < FEATURES; k++)
                    out[i * cols + c] += m[i][j] * (double)points[j][k] * (double)w[k * cols + c];
        }
}

/* G1 and the pseudo edges when every node is labelled or pseudo-labelled and every labelled one a candidate: all pairs,
 * but an unlabelled node with itself. */
static void whole_graph(const bench *b, const double *r, double least, square m)
{
    const cru_csr *g = &b->task.graph;
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) {
            const bool labelled = i == 0 || i == 1 || i == 4 || i == 6;
            double product = 0;
            for (int k = 0; k < WIDTH; k++) product += r[i * WIDTH + k] * r[j * WIDTH + k];
            m[i][j] = (i == j) + (cru_csr_find(g, i, j) >= 0);
            if (product >= least && (i != j || labelled)) m[i][j] += product;
        }
    normalise(m);
}

typedef struct first_epoch {
    float scores[2 * NODES];
} first_epoch;

static uint32_t keep_first(void *user, int64_t epoch, double loss, const float *scores)
{
    first_epoch *first = user;
    (void)loss;
    if (epoch) return CRU_GO_ON;
    for (int i = 0; i < 2 * NODES; i++) first->scores[i] = scores[i];
    return CRU_KEEP;
}

/* The first of three epochs is called the best. It was trained on edges weighed by the estimator as drawn, and those
 * weights judge it and predict with the classifier after the step, though the estimator has moved on. */
START_TEST(an_epoch_is_judged_on_the_graph_it_was_trained_on)
{
    float w[FEATURES * WIDTH], bias[WIDTH], scores[2 * NODES];
    double r[NODES * WIDTH], expected[2 * NODES];
    square m = {{0}};
    first_epoch first;
    cru_monitor monitor = {.epoch = keep_first, .user = &first};
    bench b = nodes_with("[6, 4, 0, 1]");
    bench_open(&b, "nrgnn",
               (const char *[]){"p_u", "0", "n_p", "-1", "n_n", "1", "layers", "1", "edge_hidden", "4", "t_small",
                                "0.5", "epochs", "3", "lr", "0.1", "dropout", "0", NULL});
    memcpy(w, bench_weight(&b, "estimator0.weight")->data, sizeof w);
    memcpy(bias, bench_weight(&b, "estimator0.bias")->data, sizeof bias);
    ck_assert_int_eq(b.algorithm->fit(b.learner, &monitor), CRU_OK);
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_OK);
    for (int i = 0; i < NODES; i++)
        for (int32_t j = 0; j < NODES; j++) m[i][j] = (i == j) + (cru_csr_find(&b.task.graph, i, j) >= 0);
    normalise(m);
    convolve(m, w, bias, WIDTH, r);
    whole_graph(&b, r, 0.5, m);
    convolve(m, bench_weight(&b, "classifier0.weight")->data, bench_weight(&b, "classifier0.bias")->data, 2, expected);
    for (int i = 0; i < 2 * NODES; i++) {
        bench_check_number(&b, (double)scores[i], expected[i]);
        ck_assert_float_eq(scores[i], first.scores[i]);
    }
    bench_destroy(&b);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("nrgnn");
    TCase *c = tcase_create("nrgnn");
    tcase_add_test(c, ties_break_by_position_in_the_training_part);
    tcase_add_loop_test(c, all_labelled_nodes_when_there_is_no_limit, 0, 3);
    tcase_add_test(c, an_epoch_is_judged_on_the_graph_it_was_trained_on);
    suite_add_tcase(s, c);
    return s;
}
