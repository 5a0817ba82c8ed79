// SPDX-License-Identifier: Apache-2.0
/* Minibatches of nodes, and scores of some nodes at a time. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/crucible.h>

#include "on-device.h"
#include "train/create-method.h"

enum { NODES = 60, FEATURES = 5, CLASSES = 3, TRAINED = 24 };

typedef struct settings {
    cru_graph_settings graphs;
    cru_node_batches nodes;
    cru_train train;
} settings;

typedef struct model {
    cru_gcn_stack convs;
    int64_t steps, most, least; /* passes that learned, and how many rows they gave */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    m->least = NODES;
    l->hops = 2;
    m->convs = cru_gcn_stack_create(l->net, "conv",
                                    &(cru_gcn_shape){.in = FEATURES, .hidden = 8, .out = CLASSES, .layers = 2});
}

static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    (void)l;
    model *m = self;
    cru_tensor *z = cru_graphs_stack(t, &m->convs, g, &g->x);
    if (cru_tape_mode(t) == CRU_EVAL) return z;
    m->steps++;
    if (cru_tensor_rows(z) > m->most) m->most = cru_tensor_rows(z);
    if (cru_tensor_rows(z) < m->least) m->least = cru_tensor_rows(z);
    return z;
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = CRU_AT(settings, train),
                                  .build = build,
                                  .forward = forward,
                                  .graphs = CRU_AT(settings, graphs),
                                  .nodes = CRU_AT(settings, nodes)};

/* A ring whose nodes also reach the seventh to the right; a third of the nodes teaches. */
typedef struct bench {
    cru_ctx *ctx;
    cru_task task;
    settings settings;
    cru_learner *learner;
    model *model;
    float x[NODES * FEATURES];
    int32_t labels[NODES], train[TRAINED], rest[NODES - TRAINED];
} bench;

static cru_csr ring(cru_ctx *ctx)
{
    int32_t row[4 * NODES], col[4 * NODES];
    for (int32_t v = 0; v < NODES; v++)
        for (int32_t k = 0; k < 2; k++) {
            const int32_t u = (v + (k ? 7 : 1)) % NODES;
            row[4 * v + 2 * k] = col[4 * v + 2 * k + 1] = v;
            col[4 * v + 2 * k] = row[4 * v + 2 * k + 1] = u;
        }
    const cru_coo entries = {NODES, NODES, (int64_t)4 * NODES, row, col, NULL};
    return cru_csr_from_coo(cru_ctx_pool(ctx), &entries, CRU_DUP_FIRST);
}

static void describe(bench *b, const cru_node_batches *nodes)
{
    *b = (bench){.ctx = test_ctx(&(cru_ctx_options){.seed = 7}),
                 .settings = {.graphs = {.adjacency = {.loops = CRU_LOOPS_ADD, .norm = CRU_NORM_SYM}},
                              .nodes = *nodes,
                              .train = {.epochs = 3, .lr = 0.05}}};
    for (int i = 0; i < NODES * FEATURES; i++) b->x[i] = (float)((i * 37) % 11) / 11;
    for (int32_t v = 0; v < NODES; v++) b->labels[v] = v % CLASSES;
    for (int32_t i = 0, r = 0; i < NODES; i++) {
        if (i % 5 < 2)
            b->train[i / 5 * 2 + i % 5] = i;
        else
            b->rest[r++] = i;
    }
    b->task = (cru_task){.size = sizeof b->task,
                         .problem = CRU_NODES,
                         .items = NODES,
                         .nodes = NODES,
                         .classes = CLASSES,
                         .graph = ring(b->ctx),
                         .x = {.rows = NODES, .cols = FEATURES, .dense = b->x},
                         .labels = b->labels,
                         .split = {.train = {b->train, TRAINED}, .val = {b->rest, 10}}};
}

static cru_status open_bench(bench *b)
{
    const test_method made = {&method, CRU_NODES | CRU_GRAPHS, sizeof(settings)};
    const cru_status status = create_method(&made, &b->learner, &b->settings, &b->task, b->ctx);
    if (!status) b->model = b->learner->model;
    return status;
}

static void train_with(bench *b, const cru_node_batches *nodes, float *scores)
{
    describe(b, nodes);
    ck_assert_int_eq(open_bench(b), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.fit(b->learner, NULL), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.predict(b->learner, scores), CRU_OK);
}

static void close_bench(bench *b)
{
    cru_method_vtable.destroy(b->learner);
    cru_ctx_destroy(b->ctx);
}

static double largest_difference(const float *a, const float *b, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs((double)a[i] - (double)b[i]));
    return most;
}

START_TEST(scores_of_some_nodes_at_a_time_are_those_of_all_at_once)
{
    float want[NODES * CLASSES], scores[NODES * CLASSES];
    bench b;
    train_with(&b, &(cru_node_batches){0}, want);
    close_bench(&b);
    train_with(&b, &(cru_node_batches){.inference = 7}, scores);
    ck_assert_double_le(largest_difference(scores, want, NODES * CLASSES), 1e-5);
    close_bench(&b);
}
END_TEST

START_TEST(what_nodes_are_represented_by_does_not_depend_on_how_many_are_scored_at_a_time)
{
    float scores[NODES * CLASSES];
    const float *want, *rows;
    int64_t want_cols, cols;
    bench a, b;
    train_with(&a, &(cru_node_batches){0}, scores);
    train_with(&b, &(cru_node_batches){.inference = 7}, scores);
    ck_assert_int_eq(cru_method_vtable.embed(a.learner, &want, &want_cols), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.embed(b.learner, &rows, &cols), CRU_OK);
    ck_assert_int_eq(want_cols, 8);
    ck_assert_int_eq(cols, 8);
    ck_assert_double_le(largest_difference(rows, want, NODES * cols), 1e-5);
    close_bench(&a);
    close_bench(&b);
}
END_TEST

/* One batch of all training nodes from which nothing is left out is the whole graph; no part of it can tell. */
static const cru_node_batches everything[] = {
    {.minibatch = CRU_MINIBATCH_NEIGHBOURS, .nodes = TRAINED, .fanout = NODES},
    {.minibatch = CRU_MINIBATCH_LAYERS, .nodes = TRAINED, .fanout = NODES},
    {.minibatch = CRU_MINIBATCH_WALKS, .nodes = TRAINED, .walk_length = 2000},
    {.minibatch = CRU_MINIBATCH_CLUSTERS, .nodes = 4 * NODES},
};

START_TEST(a_minibatch_of_everything_learns_as_the_whole_graph_does)
{
    float want[NODES * CLASSES], scores[NODES * CLASSES];
    bench b;
    train_with(&b, &(cru_node_batches){0}, want);
    close_bench(&b);
    train_with(&b, &everything[_i], scores);
    ck_assert_int_eq(b.model->steps, 3);
    ck_assert_int_eq(b.model->most, TRAINED);
    ck_assert_double_le(largest_difference(scores, want, NODES * CLASSES), 1e-4);
    close_bench(&b);
}
END_TEST

static const struct {
    cru_node_batches nodes;
    int64_t steps, most;
} parts[] = {
    {{.minibatch = CRU_MINIBATCH_NEIGHBOURS, .nodes = 10, .fanout = 2}, 9, 10},
    {{.minibatch = CRU_MINIBATCH_LAYERS, .nodes = 10, .fanout = 1}, 9, 10},
    {{.minibatch = CRU_MINIBATCH_WALKS, .nodes = 10, .walk_length = 2}, 9, 10},
};

/* 24 training nodes in batches of ten are three steps an epoch, the last of four nodes. */
START_TEST(a_pass_learns_from_every_training_node)
{
    float scores[NODES * CLASSES];
    bench b;
    train_with(&b, &parts[_i].nodes, scores);
    ck_assert_int_eq(b.model->steps, parts[_i].steps);
    ck_assert_int_eq(b.model->most, parts[_i].most);
    ck_assert_int_eq(b.model->least, 4);
    for (int i = 0; i < NODES * CLASSES; i++) ck_assert(isfinite(scores[i]));
    close_bench(&b);
}
END_TEST

/* Steps of about half of the nodes: two an epoch, and every training node in one of them. */
START_TEST(clusters_share_the_training_nodes_among_the_steps)
{
    float scores[NODES * CLASSES];
    bench b;
    train_with(&b, &(cru_node_batches){.minibatch = CRU_MINIBATCH_CLUSTERS, .nodes = NODES / 2}, scores);
    ck_assert_int_eq(b.model->steps, 6);
    ck_assert_int_lt(b.model->most, TRAINED);
    ck_assert_int_ge(b.model->most + b.model->least, TRAINED - 6);
    close_bench(&b);
}
END_TEST

START_TEST(minibatches_of_nodes_are_refused_where_items_are_graphs)
{
    static const int64_t offsets[] = {0, 20, 40, NODES};
    static const int32_t train[] = {0, 1};
    bench b;
    describe(&b, &(cru_node_batches){.minibatch = CRU_MINIBATCH_WALKS, .nodes = 4, .walk_length = 1});
    b.task.problem = CRU_GRAPHS;
    b.task.items = 3;
    b.task.graph_offsets = offsets;
    b.task.split = (cru_split){.train = {train, 2}};
    b.settings.graphs.batch = 2;
    ck_assert_int_eq(open_bench(&b), CRU_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(cru_ctx_error(b.ctx)->text, "are graphs"));
    cru_ctx_destroy(b.ctx);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("node batches");
    TCase *c = tcase_create("node batches");
    tcase_add_test(c, scores_of_some_nodes_at_a_time_are_those_of_all_at_once);
    tcase_add_test(c, what_nodes_are_represented_by_does_not_depend_on_how_many_are_scored_at_a_time);
    tcase_add_loop_test(c, a_minibatch_of_everything_learns_as_the_whole_graph_does, 0,
                        sizeof everything / sizeof *everything);
    tcase_add_loop_test(c, a_pass_learns_from_every_training_node, 0, sizeof parts / sizeof *parts);
    tcase_add_test(c, clusters_share_the_training_nodes_among_the_steps);
    tcase_add_test(c, minibatches_of_nodes_are_refused_where_items_are_graphs);
    suite_add_tcase(s, c);
    return s;
}
