// SPDX-License-Identifier: Apache-2.0
/* glognn against the numbers of the heterophily study's code. Its fixtures give single rounds from an H that is not
 * H_0, which the method never starts from; a naive round in double is compared with them, and the method with that. */
#include <crucible/draft/tensor.h>
#include <crucible/draft/train.h>

#include "methods/method-bench.h"

enum { NODES = 9, CLASSES = 3 };
typedef double matrix[NODES][CLASSES];
typedef double square[CLASSES][CLASSES];

typedef struct round_settings {
    double alpha, beta, gamma, diagonal; /* diagonal: every w_j of GloGNN++, or 1 */
    int orders;
    bool plain; /* orders_func 1 */
    double weight[8];
} round_settings;

/* D^-1/2 (A + I) D^-1/2, dense */
static void dense_adjacency(const cJSON *graph, double a[NODES][NODES])
{
    double degree[NODES];
    const cJSON *edge;
    memset(a, 0, sizeof(double[NODES][NODES]));
    cJSON_ArrayForEach(edge, cJSON_GetObjectItem(graph, "edges"))
    {
        const int u = cJSON_GetArrayItem(edge, 0)->valueint, v = cJSON_GetArrayItem(edge, 1)->valueint;
        a[u][v] = a[v][u] = 1;
    }
    for (int i = 0; i < NODES; i++) {
        a[i][i] = 1;
        degree[i] = 0;
        for (int j = 0; j < NODES; j++) degree[i] += a[i][j];
    }
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) a[i][j] /= sqrt(degree[i] * degree[j]);
}

/* By Gauss and Jordan; the matrices here are positive definite. */
static void invert(square a, square out)
{
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++) out[i][j] = i == j;
    for (int p = 0; p < CLASSES; p++) {
        const double pivot = a[p][p];
        for (int j = 0; j < CLASSES; j++) a[p][j] /= pivot, out[p][j] /= pivot;
        for (int i = 0; i < CLASSES; i++) {
            const double f = a[i][p];
            if (i == p) continue;
            for (int j = 0; j < CLASSES; j++) a[i][j] -= f * a[p][j], out[i][j] -= f * out[p][j];
        }
    }
}

static void multiply(const matrix x, const square y, matrix out)
{
    for (int v = 0; v < NODES; v++)
        for (int j = 0; j < CLASSES; j++) {
            out[v][j] = 0;
            for (int i = 0; i < CLASSES; i++) out[v][j] += x[v][i] * y[i][j];
        }
}

static void products(const matrix x, const matrix y, square out)
{
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++) {
            out[i][j] = 0;
            for (int v = 0; v < NODES; v++) out[i][j] += x[v][i] * y[v][j];
        }
}

/* H <- k H T + beta S - gamma k H_0 T + gamma H_0, term by term as the study writes it */
static void naive_round(const round_settings *s, double a[NODES][NODES], matrix h, matrix h0)
{
    const double k = 1 - s->gamma, c = 1 / (s->alpha + s->beta);
    square m, q, inner, qm, t;
    matrix hqm, r, power, sum, ht, h0t;
    products(h, h, m);
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++) inner[i][j] = c * m[i][j] + (i == j ? 1 / (k * k) : 0);
    invert(inner, q);
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++) {
            qm[i][j] = 0;
            for (int l = 0; l < CLASSES; l++) qm[i][j] += q[i][l] * m[l][j];
        }
    multiply(h, qm, hqm);
    for (int v = 0; v < NODES; v++)
        for (int j = 0; j < CLASSES; j++) {
            r[v][j] = (k * c * h[v][j] - k * c * c * hqm[v][j]) * s->diagonal;
            power[v][j] = r[v][j];
            sum[v][j] = s->plain ? r[v][j] : 0;
        }
    products(h, r, t);
    for (int i = 0; i < CLASSES; i++)
        for (int j = 0; j < CLASSES; j++) t[i][j] *= s->diagonal;
    for (int o = 0; o < s->orders; o++) {
        matrix next = {{0}};
        for (int v = 0; v < NODES; v++)
            for (int u = 0; u < NODES; u++)
                for (int j = 0; j < CLASSES; j++) next[v][j] += a[v][u] * power[u][j];
        memcpy(power, next, sizeof next);
        for (int v = 0; v < NODES; v++)
            for (int j = 0; j < CLASSES; j++) sum[v][j] += s->weight[o] * power[v][j];
    }
    multiply(h, t, ht);
    multiply(h0, t, h0t);
    for (int v = 0; v < NODES; v++)
        for (int j = 0; j < CLASSES; j++)
            h[v][j] = k * ht[v][j] + s->beta * sum[v][j] - s->gamma * k * h0t[v][j] + s->gamma * h0[v][j];
}

static round_settings settings_of(const cJSON *item)
{
    round_settings s = {.alpha = fixture_input(item, "alpha")->valuedouble,
                        .beta = fixture_input(item, "beta")->valuedouble,
                        .gamma = fixture_input(item, "gamma")->valuedouble,
                        .orders = fixture_input(item, "orders")->valueint,
                        .plain = fixture_input(item, "orders_func")->valueint == 1,
                        .diagonal = cJSON_IsNull(fixture_input(item, "diag_weight")) ? 1 : 1. / CLASSES};
    for (int i = 0; i < s.orders; i++) s.weight[i] = s.plain ? 1 : 1. / s.orders;
    return s;
}

static const char *const rounds[] = {"norm1_a0.0_b1.0_g0.0_ord1_f2", "norm1_a1.0_b0.5_g0.3_ord2_f2",
                                     "norm2_a1.0_b0.5_g0.3_ord2_f2", "norm2_a0.0_b1.0_g0.0_ord1_f2"};

START_TEST(the_naive_round_gives_the_study_s_numbers)
{
    cJSON *root = fixture_open("heterophily/glognn.json");
    const cJSON *item = fixture_case(root, rounds[_i]);
    const round_settings s = settings_of(item);
    double a[NODES][NODES], expected[NODES * CLASSES];
    matrix h, h0;
    dense_adjacency(fixture_input(item, "graph"), a);
    fixture_numbers(fixture_input(item, "H"), &h[0][0]);
    fixture_numbers(fixture_input(item, "H_0"), &h0[0][0]);
    naive_round(&s, a, h, h0);
    fixture_numbers(fixture_expected(item, "output"), expected);
    for (int i = 0; i < NODES * CLASSES; i++) ck_assert_double_eq_tol((&h[0][0])[i], expected[i], 1e-7);
    cJSON_Delete(root);
}
END_TEST

/* X = I, W_1 = I, delta = 1: then H_0 is W_2, and the gradient of W_2 is that of H_0. */
static void open_bare(bench *b, const cJSON *item, const char *const *settings)
{
    cJSON *labels = cJSON_Parse("[0, 1, 2, 0, 1, 2, 0, 1, 2]"), *train = cJSON_Parse("[0, 1, 2]");
    *b = bench_create();
    bench_graph(b, fixture_input(item, "graph"));
    bench_identity_features(b);
    bench_labels(b, labels, train);
    bench_open(b, "glognn", settings);
    cru_tensor *w = bench_weight(b, "fc1.weight");
    memset(w->data, 0, (size_t)cru_tensor_count(w) * sizeof(float));
    memset(bench_weight(b, "fc1.bias")->data, 0, NODES * sizeof(float));
    memset(bench_weight(b, "fc2.bias")->data, 0, CLASSES * sizeof(float));
    for (int i = 0; i < NODES; i++) w->data[i * (NODES + 1)] = 1;
    bench_set(b, "fc2.weight", fixture_input(item, "H"), AS_STORED);
    cJSON_Delete(labels);
    cJSON_Delete(train);
}

#define BARE "hidden", "9", "delta", "1", "dropout", "0"

/* gamma = 0: H_0 plays no part, so that the fixture's gradients hold, too. */
START_TEST(glognn_rounds_without_the_first_prediction)
{
    cJSON *root = fixture_open("heterophily/glognn.json");
    const cJSON *item = fixture_case(root, rounds[3 * _i]);
    bench b;
    open_bare(&b, item, (const char *[]){BARE, "diagonal", _i ? "yes" : "no", NULL});
    cru_tape *t = b.learner->tape;
    static double numbers[BENCH_MOST];
    cru_tape_begin(t, CRU_TRAIN);
    b.logits = cru_learner_logits(b.learner, t);
    bench_check(&b, b.logits, fixture_expected(item, "output"));
    cru_tensor *weights = cru_tensor_new(t, cru_shape_of(b.logits));
    const int64_t count = fixture_numbers(fixture_input(item, "loss_weights"), numbers);
    for (int64_t i = 0; i < count; i++) weights->data[i] = (float)numbers[i];
    b.loss = cru_sum(t, cru_mul(t, b.logits, weights), CRU_ALL);
    cru_backward(t, b.loss);
    bench_check_loss(&b, fixture_expected(item, "loss"));
    bench_check_gradient(&b, "fc2.weight", fixture_expected(item, "grad_H"), AS_STORED);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(glognn_gives_what_naive_rounds_give)
{
    const bool diagonal = _i & 1, plain = _i & 2;
    const double w = plain ? 1 : 1. / 3;
    const round_settings s = {10, 0.5, 0.3, diagonal ? 1. / CLASSES : 1, 3, plain, {w, w, w}};
    cJSON *root = fixture_open("heterophily/glognn.json");
    const cJSON *item = fixture_case(root, rounds[0]);
    double a[NODES][NODES];
    matrix h, h0;
    dense_adjacency(fixture_input(item, "graph"), a);
    fixture_numbers(fixture_input(item, "H"), &h[0][0]);
    memcpy(h0, h, sizeof h);
    for (int i = 0; i < 3; i++) naive_round(&s, a, h, h0);
    bench b;
    open_bare(&b, item,
              (const char *[]){BARE, "alpha", "10", "beta", "0.5", "gamma", "0.3", "orders", "3", "rounds", "3",
                               "diagonal", diagonal ? "yes" : "no", "orders_func", plain ? "1" : "2", NULL});
    bench_run(&b);
    for (int i = 0; i < NODES * CLASSES; i++) bench_check_number(&b, (double)b.logits->data[i], (&h[0][0])[i]);
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* With orders = 1, B_1 a column of ones and B_2 = 1, o_v = ReLU(sum_j H_vj). */
START_TEST(glognn_weighs_hops_for_every_node)
{
    cJSON *root = fixture_open("heterophily/glognn.json");
    const cJSON *item = fixture_case(root, rounds[0]);
    const round_settings s = {1, 2, 0, 1, 1, false, {1}}, none = {1, 2, 0, 1, 1, false, {0}};
    double a[NODES][NODES];
    matrix h, with, without;
    dense_adjacency(fixture_input(item, "graph"), a);
    fixture_numbers(fixture_input(item, "H"), &h[0][0]);
    memcpy(with, h, sizeof h);
    memcpy(without, h, sizeof h);
    naive_round(&s, a, with, h);
    naive_round(&none, a, without, h);
    bench b;
    open_bare(&b, item, (const char *[]){BARE, "alpha", "1", "beta", "2", "orders_func", "3", NULL});
    for (int j = 0; j < CLASSES; j++) bench_weight(&b, "order_in")->data[j] = 1;
    bench_weight(&b, "order_out")->data[0] = 1;
    bench_run(&b);
    for (int v = 0; v < NODES; v++) {
        const double o = fmax(0, h[v][0] + h[v][1] + h[v][2]);
        for (int j = 0; j < CLASSES; j++)
            bench_check_number(&b, (double)b.logits->data[v * CLASSES + j],
                               without[v][j] + o * (with[v][j] - without[v][j]));
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

START_TEST(glognn_with_two_rounds)
{
    static const char *const names[] = {"fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias", "fc3.weight", "fc3.bias"};
    cJSON *root = fixture_open("heterophily/glognn.json");
    const cJSON *item = fixture_case(root, "full_forward_2_layers");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    bench_features(&b, fixture_input(item, "features"));
    bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_nodes"));
    bench_open(&b, "glognn",
               (const char *[]){"hidden", "4", "dropout", "0", "alpha", "1", "beta", "0.5", "gamma", "0.3", "delta",
                                "0.6", "rounds", "2", "orders", "2", NULL});
    for (int i = 0; i < 6; i++)
        bench_set(&b, names[i], cJSON_GetObjectItem(fixture_input(item, "params_out_in"), names[i]), TRANSPOSED);
    bench_run(&b);
    bench_check(&b, b.logits, fixture_expected(item, "logits"));
    bench_check_loss(&b, fixture_expected(item, "loss"));
    for (int i = 0; i < 6; i++) {
        char key[32];
        snprintf(key, sizeof key, "grad_%s", names[i]);
        bench_check_gradient(&b, names[i], fixture_expected(item, key), TRANSPOSED);
    }
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("heterophily global");
    TCase *c = tcase_create("fixtures");
    tcase_add_loop_test(c, the_naive_round_gives_the_study_s_numbers, 0, 4);
    tcase_add_loop_test(c, glognn_rounds_without_the_first_prediction, 0, 2);
    tcase_add_loop_test(c, glognn_gives_what_naive_rounds_give, 0, 4);
    tcase_add_test(c, glognn_weighs_hops_for_every_node);
    tcase_add_test(c, glognn_with_two_rounds);
    suite_add_tcase(s, c);
    return s;
}
