// SPDX-License-Identifier: Apache-2.0
/* The methods that can learn from minibatches of nodes, through the host's loader. */
#include <check.h>
#include <stdlib.h>

#include "method-bench.h"

enum { NODES = 40, FEATURES = 4, CLASSES = 3, TRAINED = 16, MOST_SETTINGS = 24 };

/* A ring whose nodes also reach the fifth to the right. */
static bench create(void)
{
    bench b = bench_create();
    cru_data *d = b.data;
    int32_t row[4 * NODES], col[4 * NODES];
    for (int32_t v = 0; v < NODES; v++)
        for (int32_t k = 0; k < 2; k++) {
            const int32_t u = (v + (k ? 5 : 1)) % NODES;
            row[4 * v + 2 * k] = col[4 * v + 2 * k + 1] = v;
            col[4 * v + 2 * k] = row[4 * v + 2 * k + 1] = u;
        }
    const cru_coo edges = {NODES, NODES, (int64_t)4 * NODES, row, col, NULL};
    d->nodes = d->items = NODES;
    d->classes = CLASSES;
    d->graph = cru_csr_from_coo(cru_data_pool(d), &edges, CRU_DUP_FIRST);
    float *x = cru_data_alloc(d, NODES * FEATURES, sizeof *x);
    for (int32_t i = 0; i < NODES * FEATURES; i++) x[i] = (float)((i * 37) % 11) / 11;
    d->x = (cru_features){.rows = NODES, .cols = FEATURES, .dense = x};
    d->truth = cru_data_alloc(d, NODES, sizeof *d->truth);
    d->labels = cru_data_alloc(d, NODES, sizeof *d->labels);
    int32_t *ids = cru_data_alloc(d, NODES, sizeof *ids), trained = 0, rest = TRAINED;
    for (int32_t v = 0; v < NODES; v++) {
        d->truth[v] = d->labels[v] = v % CLASSES;
        ids[v % 5 < 2 ? trained++ : rest++] = v;
    }
    d->split = (cru_split){.train = {ids, TRAINED}, .test = {ids + TRAINED, NODES - TRAINED}};
    return b;
}

static const char *const common[] = {"layers", "2", "hidden", "8", "epochs", "3", "lr", "0.05", "dropout", "0", NULL};

/* Scores after three epochs with the method's own settings, the common ones and how it goes over the nodes. */
static void train(const char *name, const char *const *own, const char *const *nodes, float *scores)
{
    const char *all[MOST_SETTINGS + 1] = {NULL};
    int count = 0;
    for (int i = 0; own[i]; i++) all[count++] = own[i];
    for (int i = 0; nodes[i]; i++) all[count++] = nodes[i];
    for (int i = 0; common[i]; i += 2) {
        if (!strcmp(name, "graphsage") && !strcmp(common[i], "dropout")) continue;
        all[count++] = common[i], all[count++] = common[i + 1];
    }
    bench b = create();
    bench_open(&b, name, all);
    ck_assert_int_eq(b.algorithm->fit(b.learner, NULL), CRU_OK);
    ck_assert_int_eq(b.algorithm->predict(b.learner, scores), CRU_OK);
    bench_destroy(&b);
}

/* Batch norm sees other rows in a minibatch, so gin has none here. */
static const struct {
    const char *name, *own[5];
} methods[] = {{"gcn", {NULL}},
               {"graphsage", {NULL}},
               {"gat", {"heads", "2", NULL}},
               {"gat-sep", {"heads", "2", NULL}},
               {"gt", {"heads", "2", NULL}},
               {"gin", {"mlp_layers", "1", NULL}},
               {"gin", {"mlp_layers", "1", "aggregate", "max", NULL}}};
enum { METHODS = sizeof methods / sizeof *methods };

static void check_close(const float *scores, const float *want, double tolerance)
{
    for (int i = 0; i < NODES * CLASSES; i++)
        ck_assert_double_eq_tol((double)scores[i], (double)want[i], tolerance * fmax(1, fabs((double)want[i])));
}

START_TEST(minibatches_that_leave_nothing_out_learn_as_the_whole_graph_does)
{
    float want[NODES * CLASSES], scores[NODES * CLASSES];
    train(methods[_i].name, methods[_i].own, (const char *[]){NULL}, want);
    train(methods[_i].name, methods[_i].own,
          (const char *[]){"minibatch", "neighbours", "batch_nodes", "40", "fanout", "40", NULL}, scores);
    check_close(scores, want, 1e-4);
}
END_TEST

START_TEST(scores_of_some_nodes_at_a_time_are_those_of_all_at_once)
{
    float want[NODES * CLASSES], scores[NODES * CLASSES];
    train(methods[_i].name, methods[_i].own, (const char *[]){NULL}, want);
    train(methods[_i].name, methods[_i].own, (const char *[]){"inference_nodes", "7", NULL}, scores);
    check_close(scores, want, 1e-5);
}
END_TEST

START_TEST(few_neighbours_give_finite_scores)
{
    float scores[NODES * CLASSES];
    train(methods[_i].name, methods[_i].own,
          (const char *[]){"minibatch", "neighbours", "batch_nodes", "5", "fanout", "1", NULL}, scores);
    for (int i = 0; i < NODES * CLASSES; i++) ck_assert(isfinite(scores[i]));
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("minibatches of nodes");
    TCase *c = tcase_create("minibatches of nodes");
    tcase_add_loop_test(c, minibatches_that_leave_nothing_out_learn_as_the_whole_graph_does, 0, METHODS);
    tcase_add_loop_test(c, scores_of_some_nodes_at_a_time_are_those_of_all_at_once, 0, METHODS);
    tcase_add_loop_test(c, few_neighbours_give_finite_scores, 0, METHODS);
    suite_add_tcase(s, c);
    return s;
}
