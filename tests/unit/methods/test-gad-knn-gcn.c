// SPDX-License-Identifier: Apache-2.0
/* knn-gcn against a naive oracle: the anomaly study's gcn on the given edges and those of nearest neighbours, each edge
 * as often as it is in the two. */
#include "methods/gad-cases.h"

enum { NODES = 8, WIDTH = 4, CLASSES = 2, NEAREST = 3, MOST_COLS = 16 };

static double cosine_distance(const float *x, int64_t cols, int u, int v)
{
    double product = 0, uu = 0, vv = 0;
    for (int64_t k = 0; k < cols; k++) {
        const double a = (double)x[u * cols + k], b = (double)x[v * cols + k];
        product += a * b, uu += a * a, vv += b * b;
    }
    return 1 - product / sqrt(uu * vv);
}

/* How often u is among the neighbours that v aggregates. */
static void count_edges(const bench *b, bool with_nearest, double count[NODES][NODES])
{
    const cru_csr *g = &b->task.graph;
    memset(count, 0, NODES * sizeof *count);
    for (int v = 0; v < NODES; v++) {
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) count[v][g->ids[e]]++;
        for (int u = 0; with_nearest && u < NODES; u++) {
            const double own = u == v ? -1 : cosine_distance(b->task.x.dense, b->task.x.cols, u, v);
            int nearer = 0;
            for (int w = 0; w < NODES; w++)
                nearer += w != u && (w == v || cosine_distance(b->task.x.dense, b->task.x.cols, w, v) < own);
            count[v][u] += nearer < NEAREST;
        }
    }
}

/* relu(D_in^-1/2 A D_out^-1/2 H W + b) */
static void convolve(double count[NODES][NODES], const bench *b, const char *name, double h[NODES][MOST_COLS])
{
    char weight[32], bias[32];
    snprintf(weight, sizeof weight, "%s.weight", name);
    snprintf(bias, sizeof bias, "%s.bias", name);
    const cru_tensor *w = bench_weight(b, weight), *shift = bench_weight(b, bias);
    const int64_t rows = cru_tensor_rows(w);
    double in[NODES] = {0}, out[NODES] = {0}, next[NODES][MOST_COLS] = {0};
    for (int v = 0; v < NODES; v++)
        for (int u = 0; u < NODES; u++) in[v] += count[v][u], out[u] += count[v][u];
    for (int v = 0; v < NODES; v++)
        for (int j = 0; j < WIDTH; j++) {
            double sum = (double)shift->data[j];
            for (int u = 0; u < NODES; u++)
                for (int64_t k = 0; count[v][u] > 0 && k < rows; k++)
                    sum += count[v][u] / sqrt(in[v] * out[u]) * h[u][k] * (double)w->data[k * WIDTH + j];
            next[v][j] = fmax(sum, 0);
        }
    memcpy(h, next, sizeof next);
}

static void expected_logits(const bench *b, bool with_nearest, double logits[NODES][CLASSES])
{
    double count[NODES][NODES], h[NODES][MOST_COLS] = {0};
    const int64_t cols = b->task.x.cols;
    count_edges(b, with_nearest, count);
    for (int64_t i = 0; i < NODES * cols; i++) h[i / cols][i % cols] = (double)b->task.x.dense[i];
    convolve(count, b, "conv0", h);
    convolve(count, b, "conv1", h);
    const cru_tensor *w = bench_weight(b, "out.weight"), *shift = bench_weight(b, "out.bias");
    for (int v = 0; v < NODES; v++)
        for (int j = 0; j < CLASSES; j++) {
            logits[v][j] = (double)shift->data[j];
            for (int k = 0; k < WIDTH; k++) logits[v][j] += h[v][k] * (double)w->data[k * CLASSES + j];
        }
}

static void check_logits(bench *b, bool with_nearest, const cru_tensor *z)
{
    double expected[NODES][CLASSES];
    expected_logits(b, with_nearest, expected);
    for (int i = 0; i < NODES * CLASSES; i++)
        bench_check_number(b, (double)z->data[i], expected[i / CLASSES][i % CLASSES]);
}

static cru_tensor *judged(bench *b)
{
    cru_tape_begin(b->learner->tape, CRU_EVAL);
    return cru_learner_logits(b->learner, b->learner->tape);
}

/* The method keeps the address of the bench's task. */
static void open_case(bench *b, const cJSON *root, const char *dropout, const char *variant)
{
    *b = with_anomaly_task(fixture_case(root, "h_feats4"));
    ck_assert_int_eq(b->data->nodes, NODES);
    bench_open(b, "knn-gcn", (const char *[]){"hidden", "4", "k", "3", "dropout", dropout, "variant", variant, NULL});
}

START_TEST(an_edge_of_both_graphs_counts_twice)
{
    cJSON *root = fixture_open("gad/gcn.json");
    bench b;
    open_case(&b, root, "0", _i ? "paper" : "bench");
    bench_run(&b);
    check_logits(&b, true, b.logits);
    check_logits(&b, true, judged(&b));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The study's gcn never gets the rate, which only decides how it is judged. */
START_TEST(bench_with_dropout_drops_nothing_and_judges_on_the_given_graph)
{
    cJSON *root = fixture_open("gad/gcn.json");
    bench b;
    open_case(&b, root, "0.5", "bench");
    bench_run(&b);
    check_logits(&b, true, b.logits);
    check_logits(&b, false, judged(&b));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(paper_with_dropout_drops_and_judges_on_the_graph_learned_on)
{
    cJSON *root = fixture_open("gad/gcn.json");
    bench b;
    open_case(&b, root, "0.5", "paper");
    double expected[NODES][CLASSES], apart = 0;
    bench_run(&b);
    expected_logits(&b, true, expected);
    for (int i = 0; i < NODES * CLASSES; i++)
        apart = fmax(apart, fabs((double)b.logits->data[i] - expected[i / CLASSES][i % CLASSES]));
    ck_assert_double_gt(apart, 1e-2);
    check_logits(&b, true, judged(&b));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("anomalies: knn-gcn");
    TCase *c = tcase_create("oracle");
    tcase_add_loop_test(c, an_edge_of_both_graphs_counts_twice, 0, 2);
    tcase_add_test(c, bench_with_dropout_drops_nothing_and_judges_on_the_given_graph);
    tcase_add_test(c, paper_with_dropout_drops_and_judges_on_the_graph_learned_on);
    suite_add_tcase(s, c);
    return s;
}
