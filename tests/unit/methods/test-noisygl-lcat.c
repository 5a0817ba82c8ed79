// SPDX-License-Identifier: Apache-2.0
/* lcat's layer: against the numbers of the study's code. */
#include <math.h>

#include <crucible/draft/nn.h>

#include "attention.h"
#include "methods/method-bench.h"

static void put(cru_net *net, const char *name, const cJSON *values, bench_layout layout)
{
    static double numbers[BENCH_MOST];
    cru_tensor *w = cru_net_find(net, name);
    const int64_t rows = cru_tensor_rows(w), cols = cru_tensor_cols(w);
    if (cJSON_IsNumber(values))
        numbers[0] = values->valuedouble;
    else
        ck_assert_int_eq(fixture_numbers(values, numbers), rows * cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            w->data[i * cols + j] = (float)numbers[layout == TRANSPOSED ? j * rows + i : i * cols + j];
}

START_TEST(gates_between_convolution_and_attention)
{
    static const struct {
        const char *name, *key;
        bench_layout layout;
    } weights[] = {{"lin_l.weight", "lin_l.weight", TRANSPOSED},
                   {"lin_l.bias", "lin_l.bias", AS_STORED},
                   {"lin_r.weight", "lin_r.weight", TRANSPOSED},
                   {"lin_r.bias", "lin_r.bias", AS_STORED},
                   {"lin_v.weight", "lin_v.weight", TRANSPOSED},
                   {"lin_v.bias", "lin_v.bias", AS_STORED},
                   {"lmbda", "lmbda_", AS_STORED},
                   {"lmbda2", "lmbda2_", AS_STORED},
                   {"att", "att", AS_STORED},
                   {"bias", "bias", AS_STORED}};
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    cJSON *root = fixture_open("noisygl/lcat.json");
    const cJSON *item = fixture_case(root, "layer"), *params = fixture_input(item, "params");
    bench b = bench_create();
    bench_graph(&b, fixture_input(item, "graph"));
    cru_net *net = cru_net_create(b.ctx, "net");
    cru_tape *t = cru_tape_create(b.ctx);
    const gated_attention layer = gated_attention_create(
        net, &b.data->graph, &(gated_shape){.in = 4, .width = 3, .heads = 2, .slope = 0.2, .mean = _i == 0});
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        put(net, weights[i].name, cJSON_GetObjectItem(params, weights[i].key), weights[i].layout);
    const int64_t count = fixture_numbers(fixture_input(item, "x"), numbers);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *x = cru_tensor_upload(t, cru_2d(count / 4, 4), values);
    bench_check(&b, gated_attention_apply(t, &layer, x),
                fixture_expected(item, _i == 0 ? "out_reference" : "out_sum_aggregation"));
    bench_destroy(&b);
    cJSON_Delete(root);
}
END_TEST

/* The layer of a deep network on the path 0 - 1 - 2 with a node 3 alone, two heads of width 1, all gates 1/2, keep 1/4,
 * mix 1/2: written out from the formula in attention.h. */
enum { NODES = 4, HEADS = 2 };
static const bool joined[NODES][NODES] = {{1, 1, 0, 0}, {1, 1, 1, 0}, {0, 1, 1, 0}, {0, 0, 0, 1}};
static const double x_in[NODES][HEADS] = {{1, -2}, {0.5, 3}, {-1, 0.25}, {2, 1}};
static const double map[HEADS][HEADS] = {{0.5, -1}, {2, 0.75}}, shift[HEADS] = {0.1, -0.2}, att[HEADS] = {1, -0.5};

static double leaky(double v)
{
    return v > 0 ? v : 0.2 * v;
}

static void deep_layer(double out[NODES][HEADS])
{
    double degree[NODES] = {0}, l[NODES][HEADS], c[NODES][HEADS], y[NODES][HEADS];
    for (int i = 0; i < NODES; i++)
        for (int j = 0; j < NODES; j++) degree[i] += joined[i][j]; /* with itself */
    for (int i = 0; i < NODES; i++)
        for (int h = 0; h < HEADS; h++) l[i][h] = x_in[i][0] * map[0][h] + x_in[i][1] * map[1][h] + shift[h];
    for (int i = 0; i < NODES; i++)
        for (int h = 0; h < HEADS; h++) {
            double sum = l[i][h];
            for (int j = 0; j < NODES; j++) sum += joined[i][j] && i != j ? 0.5 * l[j][h] : 0;
            c[i][h] = 0.5 * sum / (1 + 0.5 * (degree[i] - 1));
        }
    for (int i = 0; i < NODES; i++)
        for (int h = 0; h < HEADS; h++) {
            double all = 0, sum = 0;
            for (int j = 0; j < NODES; j++) {
                if (!joined[i][j]) continue;
                const double e = exp(att[h] * leaky(c[i][h] + c[j][h]));
                all += e;
                sum += e * degree[i] * (i == j ? 1 : 1 / sqrt(degree[i] * degree[j])) * x_in[j][h];
            }
            y[i][h] = 0.75 * sum / all + 0.25 * x_in[i][h];
        }
    for (int i = 0; i < NODES; i++)
        for (int h = 0; h < HEADS; h++) out[i][h] = 0.5 * y[i][h] + 0.5 * (y[i][0] * map[h][0] + y[i][1] * map[h][1]);
}

START_TEST(a_layer_of_a_deep_network)
{
    double expected[NODES][HEADS];
    float x[NODES * HEADS];
    cJSON *graph = cJSON_Parse("{\"n\": 4, \"edges\": [[0, 1], [1, 2]]}");
    bench b = bench_create();
    bench_graph(&b, graph);
    cru_net *net = cru_net_create(b.ctx, "net");
    cru_tape *t = cru_tape_create(b.ctx);
    const gated_shape shape = {
        .in = HEADS, .width = 1, .heads = HEADS, .slope = 0.2, .deep = true, .keep = 0.25, .mix = 0.5};
    const gated_attention layer = gated_attention_create(net, &b.data->graph, &shape);
    for (int k = 0; k < HEADS; k++) {
        for (int h = 0; h < HEADS; h++) layer.left.w->data[k * HEADS + h] = (float)map[k][h];
        layer.left.b->data[k] = (float)shift[k];
        layer.att->data[k] = (float)att[k];
    }
    for (int i = 0; i < NODES * HEADS; i++) x[i] = (float)x_in[i / HEADS][i % HEADS];
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *y = gated_attention_apply(t, &layer, cru_tensor_upload(t, cru_2d(NODES, HEADS), x));
    const float *values = cru_tensor_host(t, y);
    deep_layer(expected);
    for (int i = 0; i < NODES * HEADS; i++)
        ck_assert_double_eq_tol((double)values[i], expected[i / HEADS][i % HEADS], 1e-5);
    bench_destroy(&b);
    cJSON_Delete(graph);
}
END_TEST

/* Heads of a whole number of columns. */
START_TEST(a_width_that_heads_do_not_divide_is_refused)
{
    cJSON *labels = cJSON_Parse("[0, 1, 0]"), *train = cJSON_Parse("[0, 1]");
    bench b = bench_create();
    bench_free_logits(&b, 3);
    bench_labels(&b, labels, train);
    ck_assert_int_eq(bench_try(&b, "lcat", (const char *[]){"module", "gat_gcn2_v2", "heads", "3", NULL}),
                     CRU_UNSUPPORTED);
    bench_destroy(&b);
    cJSON_Delete(labels);
    cJSON_Delete(train);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("learned attention");
    TCase *c = tcase_create("layer");
    tcase_add_loop_test(c, gates_between_convolution_and_attention, 0, 2);
    tcase_add_test(c, a_layer_of_a_deep_network);
    tcase_add_test(c, a_width_that_heads_do_not_divide_is_refused);
    suite_add_tcase(s, c);
    return s;
}
