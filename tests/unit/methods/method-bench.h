// SPDX-License-Identifier: Apache-2.0
/* method-bench.h: the arithmetic of a method's own code against numbers of a reference implementation.
 *
 * This is how every method made with train.h is tested against its fixture. The plugin is opened as the host opens it,
 * its instance is created for the fixture's task through the vtable, and because an instance is a cru_learner, the
 * test can reach its nets: it puts the fixture's weights in by name, lets the method compute logits
 * and loss in train mode (with dropout set to 0), and compares logits, loss and gradients. No plugin code is compiled
 * into the test and no plugin needs a door for it.
 *
 *     bench b = bench_create();
 *     bench_graph(&b, fixture_input(item, "graph"));
 *     bench_features(&b, fixture_input(item, "features"));
 *     bench_labels(&b, fixture_input(item, "labels"), fixture_input(item, "train_nodes"));
 *     bench_open(&b, "gcn", (const char *[]){"dropout", "0", NULL});
 *     bench_set(&b, "conv0.weight", fixture_input(item, "W0"), AS_STORED);
 *     bench_run(&b);
 *     bench_check(&b, b.logits, fixture_expected(item, "logits"));
 *     bench_check_gradient(&b, "conv0.weight", fixture_expected(item, "grad_W0"), AS_STORED);
 *     bench_destroy(&b);
 *
 * A method that fills the vtable itself is run with fit and predict instead. */
#ifndef TESTS_METHOD_BENCH_H
#define TESTS_METHOD_BENCH_H

#include <math.h>

#include <crucible/crucible.h>
#include <crucible/draft/tensor.h>

#include "json-fixture.h"
#include "loader/loader.h"

enum { BENCH_MOST = 4096 };

typedef struct bench {
    cru_ctx *ctx;
    cru_data *data;
    cru_task task;
    cru_settings *settings;
    const cru_plugin *plugin;
    const cru_algorithm *algorithm;
    cru_learner *learner;
    cru_tensor *logits, *loss;
    double tolerance; /* of a number beyond 1: relative */
} bench;

/* Whether a fixture's matrix is in x out, as ours, or out x in, as PyTorch's. */
typedef enum bench_layout { AS_STORED, TRANSPOSED } bench_layout;

static inline bench bench_create(void)
{
    bench b = {.ctx = cru_ctx_create(NULL), .data = cru_data_create(), .tolerance = 1e-5};
    b.data->problem = CRU_NODES;
    return b;
}

static inline void bench_destroy(bench *b)
{
    if (b->learner && b->algorithm->destroy) b->algorithm->destroy(b->learner);
    cru_settings_destroy(b->settings);
    cru_ctx_destroy(b->ctx);
    cru_data_destroy(b->data);
}

/* {n, edges}: every pair is an edge both ways, unless `directed` is true or the list already holds both ways: then a
 * pair (u, v) is the edge u -> v. */
static inline void bench_graph_as(bench *b, const cJSON *graph, bool directed)
{
    static double pairs[BENCH_MOST];
    static int32_t row[BENCH_MOST], col[BENCH_MOST];
    const int64_t n = cJSON_GetObjectItem(graph, "n")->valueint;
    const int64_t listed = fixture_numbers(cJSON_GetObjectItem(graph, "edges"), pairs) / 2;
    int64_t count = 0;
    for (int64_t e = 0; e < listed; e++) {
        const int32_t u = (int32_t)pairs[2 * e], v = (int32_t)pairs[2 * e + 1];
        row[count] = v, col[count++] = u;
        if (!directed) row[count] = u, col[count++] = v;
    }
    const cru_coo coo = {.rows = n, .cols = n, .count = count, .row = row, .col = col};
    b->data->nodes = b->data->items = n;
    b->data->graph = cru_csr_from_coo(cru_data_pool(b->data), &coo, CRU_DUP_FIRST);
}

static inline void bench_graph(bench *b, const cJSON *graph)
{
    bench_graph_as(b, graph, cJSON_IsTrue(cJSON_GetObjectItem(graph, "directed")));
}

static inline void bench_features(bench *b, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    float *x = cru_data_alloc(b->data, count, sizeof *x);
    for (int64_t i = 0; i < count; i++) x[i] = (float)numbers[i];
    b->data->x = (cru_features){.rows = n, .cols = count / n, .dense = x};
}

/* Rows of numbers as a tensor of this step, with a gradient. */
static inline cru_tensor *bench_upload(cru_tape *t, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    static float values[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers), n = cJSON_GetArraySize(rows);
    for (int64_t i = 0; i < count; i++) values[i] = (float)numbers[i];
    cru_tensor *x = cru_tensor_upload(t, cru_2d(n, count / n), values);
    cru_tensor_watch(x);
    return x;
}

/* X = I: the first matrix of a perceptron is then its result, so that fixtures which start from hidden values fit. */
static inline void bench_identity_features(bench *b)
{
    const int64_t n = b->data->nodes;
    float *x = cru_data_alloc(b->data, n * n, sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i * n + i] = 1;
    b->data->x = (cru_features){.rows = n, .cols = n, .dense = x};
}

/* Nodes without edges and X = I: with one convolution over A = I, its matrix is what the fixture calls logits, and the
 * gradient of that matrix is the gradient of the logits. */
static inline void bench_free_logits(bench *b, int64_t nodes)
{
    b->data->nodes = b->data->items = nodes;
    b->data->graph = (cru_csr){
        .rows = nodes, .cols = nodes, .offsets = cru_data_alloc(b->data, nodes + 1, sizeof(int64_t)), .ids = NULL};
    bench_identity_features(b);
}
#define BENCH_FREE_LOGITS "layers", "1", "loops", "set", "normalisation", "none"

/* Classes are 0 .. the largest label. All items not in `train` are test items. */
static inline void bench_labels(bench *b, const cJSON *labels, const cJSON *train)
{
    static double numbers[BENCH_MOST];
    cru_data *data = b->data;
    const int64_t n = fixture_numbers(labels, numbers);
    ck_assert_int_eq(n, data->items);
    data->truth = cru_data_alloc(data, n, sizeof *data->truth);
    data->labels = cru_data_alloc(data, n, sizeof *data->labels);
    for (int64_t i = 0; i < n; i++) {
        data->truth[i] = data->labels[i] = (int32_t)numbers[i];
        if (data->truth[i] >= data->classes) data->classes = data->truth[i] + 1;
    }
    int32_t *in = cru_data_alloc(data, n, sizeof *in), *out = cru_data_alloc(data, n, sizeof *out);
    uint8_t *taken = cru_data_alloc(data, n, 1);
    const int64_t count = fixture_numbers(train, numbers);
    int64_t rest = 0;
    for (int64_t i = 0; i < count; i++) taken[in[i] = (int32_t)numbers[i]] = 1;
    for (int32_t i = 0; i < n; i++)
        if (!taken[i]) out[rest++] = i;
    data->split.train = (cru_ids){in, count};
    data->split.test = (cru_ids){out, rest};
}

/* As bench_labels, from a mark for every item instead of the training ids. */
static inline void bench_masked_labels(bench *b, const cJSON *labels, const cJSON *mask)
{
    cJSON *train = cJSON_CreateArray();
    for (int i = 0; i < cJSON_GetArraySize(mask); i++)
        if (cJSON_GetArrayItem(mask, i)->valueint) cJSON_AddItemToArray(train, cJSON_CreateNumber(i));
    bench_labels(b, labels, train);
    cJSON_Delete(train);
}

/* The nodes become graphs: graph_of_node ascends. */
static inline void bench_split_graphs(bench *b, const cJSON *graph_of_node)
{
    const int nodes = cJSON_GetArraySize(graph_of_node);
    cru_data *data = b->data;
    data->problem = CRU_GRAPHS;
    data->items = cJSON_GetArrayItem(graph_of_node, nodes - 1)->valueint + 1;
    data->graph_offsets = cru_data_alloc(data, data->items + 1, sizeof *data->graph_offsets);
    for (int v = 0; v < nodes; v++) data->graph_offsets[cJSON_GetArrayItem(graph_of_node, v)->valueint + 1] = v + 1;
}

/* Rows with candidate sets (n x classes, 0/1), all of them training items in their order. */
static inline void bench_candidates(bench *b, const cJSON *rows, const cJSON *sets)
{
    static double numbers[BENCH_MOST];
    cru_data *data = b->data;
    bench_features(b, rows);
    const int64_t n = data->x.rows, count = fixture_numbers(sets, numbers);
    data->problem = CRU_ROWS;
    data->items = data->nodes = n;
    data->classes = (int32_t)(count / n);
    data->truth = cru_data_alloc(data, n, sizeof *data->truth);
    data->labels = cru_data_alloc(data, n, sizeof *data->labels);
    data->candidates = cru_data_alloc(data, count, 1);
    int32_t *all = cru_data_alloc(data, n, sizeof *all);
    for (int64_t i = 0; i < count; i++) data->candidates[i] = numbers[i] != 0;
    for (int32_t i = 0; i < n; i++) {
        while (!data->candidates[i * data->classes + data->truth[i]]) data->truth[i]++;
        data->labels[i] = data->truth[i];
        all[i] = i;
    }
    data->split.train = (cru_ids){all, n};
}

/* settings: key, text, key, text, ... NULL */
static inline cru_status bench_try(bench *b, const char *name, const char *const *settings)
{
    char path[500];
    const cru_plugin *plugin = NULL;
    cru_error err = {0};
    snprintf(path, sizeof path, TEST_BINARY_DIR "/lib/crucible/plugins/algorithms/%s.so", name);
    ck_assert_msg(plugin_open(path, CRU_KIND_ALGORITHM, name, &plugin, &err) == CRU_OK, "%s: %s", path, err.text);
    b->plugin = plugin;
    b->algorithm = plugin->vtable;
    b->settings = cru_settings_create(plugin->params, plugin->settings_size);
    for (int i = 0; settings[i]; i += 2)
        ck_assert_msg(cru_settings_set(b->settings, settings[i], settings[i + 1], &err) == CRU_OK, "%s", err.text);
    ck_assert_msg(cru_data_check(b->data, &err) == CRU_OK, "%s", err.text);
    ck_assert_msg(cru_data_task(b->data, 0, &b->task, &err) == CRU_OK, "%s", err.text);
    return b->algorithm->create((void **)&b->learner, plugin, cru_settings_struct(b->settings), &b->task, b->ctx);
}

static inline void bench_open(bench *b, const char *name, const char *const *settings)
{
    cru_status status = bench_try(b, name, settings);
    ck_assert_msg(status == CRU_OK, "%s", cru_ctx_error(b->ctx)->text);
}

/* By name in any net, or, as "1:name", in the net of that number. */
static inline cru_tensor *bench_weight(const bench *b, const char *name)
{
    const bool numbered = name[0] >= '0' && name[0] <= '9' && name[1] == ':';
    const int64_t only = numbered ? name[0] - '0' : -1;
    if (numbered) name += 2;
    for (int64_t i = 0; i < b->learner->net_count; i++) {
        if (only >= 0 && i != only) continue;
        cru_tensor *w = cru_net_find(b->learner->nets[i], name);
        if (w) return w;
    }
    ck_abort_msg("the method has no weight %s", name);
    return NULL;
}

static inline void bench_set(const bench *b, const char *name, const cJSON *values, bench_layout layout)
{
    static double numbers[BENCH_MOST];
    cru_tensor *w = bench_weight(b, name);
    const int64_t rows = cru_tensor_rows(w), cols = cru_tensor_cols(w);
    ck_assert_msg(fixture_numbers(values, numbers) == rows * cols, "%s has another shape", name);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            w->data[i * cols + j] = (float)numbers[layout == TRANSPOSED ? j * rows + i : i * cols + j];
}

/* Logits and loss in train mode, and the gradients of the loss. */
static inline void bench_run(bench *b)
{
    cru_learner *l = b->learner;
    cru_tape_begin(l->tape, CRU_TRAIN);
    b->logits = cru_learner_logits(l, l->tape);
    b->loss =
        l->method->loss ? l->method->loss(l, l->model, l->tape, b->logits) : cru_learner_loss(l, l->tape, b->logits);
    cru_backward(l->tape, b->loss);
}

/* One epoch, the method's own or the default one. */
static inline cru_status bench_epoch(bench *b, double *loss)
{
    cru_learner *l = b->learner;
    *loss = l->method->epoch ? l->method->epoch(l, l->model) : cru_learner_epoch(l);
    return cru_ctx_status(b->ctx);
}

/* One step of a method that trains in steps, with the training rows that the fixture lists; its loss. */
static inline double bench_step(bench *b, const cJSON *rows)
{
    static double numbers[BENCH_MOST];
    static int32_t ids[BENCH_MOST];
    const int64_t count = fixture_numbers(rows, numbers);
    for (int64_t i = 0; i < count; i++) ids[i] = (int32_t)numbers[i];
    const double loss = cru_learner_train_batch(b->learner, (cru_ids){ids, count});
    b->learner->epoch++;
    return loss;
}

static inline void bench_check_number(const bench *b, double value, double expected)
{
    ck_assert_double_eq_tol(value, expected, b->tolerance * fmax(1, fabs(expected)));
}

static inline void bench_check_loss(const bench *b, const cJSON *expected)
{
    bench_check_number(b, (double)cru_tensor_item(b->learner->tape, b->loss), expected->valuedouble);
}

static inline void bench_check(const bench *b, const cru_tensor *x, const cJSON *expected)
{
    static double numbers[BENCH_MOST];
    ck_assert_int_eq(fixture_numbers(expected, numbers), cru_tensor_count(x));
    for (int64_t i = 0; i < cru_tensor_count(x); i++) bench_check_number(b, (double)x->data[i], numbers[i]);
}

static inline void bench_check_weight(const bench *b, const char *name, const cJSON *expected, bench_layout layout)
{
    static double numbers[BENCH_MOST];
    const cru_tensor *w = bench_weight(b, name);
    const int64_t rows = cru_tensor_rows(w), cols = cru_tensor_cols(w);
    ck_assert_msg(fixture_numbers(expected, numbers) == rows * cols, "%s has another shape", name);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            bench_check_number(b, (double)w->data[i * cols + j],
                               numbers[layout == TRANSPOSED ? j * rows + i : i * cols + j]);
}

static inline void bench_check_gradient(const bench *b, const char *name, const cJSON *expected, bench_layout layout)
{
    static double numbers[BENCH_MOST];
    const cru_tensor *w = bench_weight(b, name);
    const int64_t rows = cru_tensor_rows(w), cols = cru_tensor_cols(w);
    const float *gradient = cru_weight_grad(w);
    ck_assert_msg(gradient != NULL, "no gradient reaches %s", name);
    ck_assert_msg(fixture_numbers(expected, numbers) == rows * cols, "%s has another shape", name);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            bench_check_number(b, (double)gradient[i * cols + j],
                               numbers[layout == TRANSPOSED ? j * rows + i : i * cols + j]);
}

#endif
