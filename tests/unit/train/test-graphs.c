// SPDX-License-Identifier: Apache-2.0
/* Minibatches of whole graphs. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <crucible/crucible.h>

#include "on-device.h"
#include "train/create-method.h"

/* Three graphs: a path 0 - 1 - 2, a single node 3, a pair 4 - 5. Weights are told apart by their value. */
static const int64_t row_offsets[] = {0, 1, 3, 4, 4, 5, 6}, graph_offsets[] = {0, 3, 4, 6};
static const int32_t ids[] = {1, 0, 2, 1, 5, 4};
static const float weights[] = {1, 2, 3, 4, 5, 6}, features[] = {0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15};
static const cru_csr graph = {.rows = 6, .cols = 6, .offsets = row_offsets, .ids = ids, .values = weights};

typedef struct settings {
    cru_graph_settings graphs;
    cru_train train;
} settings;

typedef struct model {
    cru_fc fc;
    int told; /* how often after_step was called */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    m->fc = cru_fc_create(l->net, "fc", l->x.cols, 2);
}

/* Sum or mean over the nodes of A (X W + b). */
static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    const model *m = self;
    cru_tensor *h = cru_spmm(t, g->adj, cru_fc_input(t, &m->fc, &g->x));
    return cru_graphs_readout(t, l, g, h);
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = CRU_AT(settings, train),
                                  .build = build,
                                  .forward = forward,
                                  .graphs = CRU_AT(settings, graphs)};

typedef struct bench {
    cru_ctx *ctx;
    cru_task task;
    settings settings;
    cru_learner *learner;
    model *model;
} bench;

static void open_bench_with(bench *b, const cru_method *how, bool sparse)
{
    static const int32_t labels[] = {0, 1, 1}, train[] = {0, 1, 2};
    *b = (bench){
        .ctx = test_ctx(NULL),
        .settings = {.graphs = {.batch = 2, .adjacency = {.norm = CRU_NORM_NONE}}, .train = {.epochs = 1, .lr = 0.01}}};
    b->task = (cru_task){.size = sizeof b->task,
                         .problem = CRU_GRAPHS,
                         .items = 3,
                         .nodes = 6,
                         .classes = 2,
                         .graph = graph,
                         .graph_offsets = graph_offsets,
                         .x = {.rows = 6, .cols = 2, .dense = features},
                         .labels = labels,
                         .split = {.train = {train, 3}}};
    if (sparse)
        b->task.x =
            (cru_features){.rows = 6, .cols = 2, .sparse = cru_csr_from_dense(cru_ctx_pool(b->ctx), features, 6, 2)};
    const test_method made = {how, CRU_GRAPHS | CRU_NODES, sizeof(settings)};
    ck_assert_int_eq(create_method(&made, &b->learner, &b->settings, &b->task, b->ctx), CRU_OK);
    b->model = b->learner->model;
}

static void open_bench(bench *b, bool sparse)
{
    open_bench_with(b, &method, sparse);
}

/* Any choice, any order, repeats too: the same rows as in the pass over all graphs. */
START_TEST(a_selection_computes_what_all_compute)
{
    static const int32_t choice[] = {2, 0, 1, 2};
    bench b;
    float all[6];
    open_bench(&b, _i == 1);
    cru_tape *t = b.learner->tape;
    cru_tape_begin(t, CRU_EVAL);
    cru_tensor_download(t, cru_learner_logits(b.learner, t), all);
    cru_tape_begin(t, CRU_EVAL);
    cru_graphs some = cru_graphs_select(t, &b.learner->graphs, (cru_ids){choice, 4});
    ck_assert_int_eq(some.count, 4);
    ck_assert_int_eq(some.offsets[4], 2 + 3 + 1 + 2);
    const cru_tensor *z = forward(b.learner, b.model, t, &some);
    for (int g = 0; g < 4; g++)
        for (int c = 0; c < 2; c++) ck_assert_float_eq_tol(test_value(z, 2 * g + c), all[2 * choice[g] + c], 1e-5f);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(no_graph_at_all)
{
    bench b;
    open_bench(&b, false);
    cru_tape_begin(b.learner->tape, CRU_EVAL);
    cru_graphs none = cru_graphs_select(b.learner->tape, &b.learner->graphs, (cru_ids){NULL, 0});
    ck_assert_int_eq(none.count, 0);
    ck_assert_int_eq(none.offsets[0], 0);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(nodes_are_one_graph)
{
    bench b;
    open_bench(&b, false);
    b.task.problem = CRU_NODES;
    cru_graphs all = cru_graphs_all(b.learner, &graph);
    ck_assert_int_eq(all.count, 1);
    ck_assert_int_eq(all.offsets[0], 0);
    ck_assert_int_eq(all.offsets[1], 6);
    cru_ctx_destroy(b.ctx);
}
END_TEST

/* With a learning rate of 0 the mean over the batches of two and one graph is known from their single losses. */
START_TEST(a_pass_goes_over_every_training_graph)
{
    bench b;
    open_bench(&b, false);
    cru_learner *l = b.learner;
    cru_optim_set_lr(l->optim, 0);
    double loss[3], sum = 0;
    for (int32_t g = 0; g < 3; g++) {
        cru_tape_begin(l->tape, CRU_TRAIN);
        cru_graphs one = cru_graphs_select(l->tape, &b.learner->graphs, (cru_ids){&g, 1});
        cru_tensor *value = cru_learner_batch_loss(l, l->tape, forward(l, b.model, l->tape, &one), (cru_ids){&g, 1});
        loss[g] = (double)cru_tensor_item(l->tape, value);
        sum += loss[g];
    }
    const double mean = cru_graphs_pass(l);
    const int32_t last = l->batches.order[2]; /* alone in the second batch */
    ck_assert_double_eq_tol(mean, ((sum - loss[last]) / 2 + loss[last]) / 2, 1e-5 * fabs(mean));
    cru_ctx_destroy(b.ctx);
}
END_TEST

/* ---- a loss of one's own ----------------------------------------------------------------------------------------- */

/* The bias alone, of batches of two: nothing is to be learned from a single graph. */
static cru_tensor *loss_of_pairs(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)l;
    const model *m = self;
    ck_assert_int_eq(batch->count, batch->items.count);
    return batch->count == 2 ? cru_sum(t, cru_square(t, m->fc.b), CRU_ALL) : NULL;
}

static cru_tensor *no_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)l, (void)self, (void)t, (void)batch;
    return NULL;
}

static void tell(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)l, (void)t, (void)batch;
    ((model *)self)->told++;
}

START_TEST(a_pass_minimises_the_loss_of_the_method)
{
    bench b;
    cru_method own = method;
    own.batch_loss = loss_of_pairs;
    own.after_step = tell;
    open_bench_with(&b, &own, false);
    test_write(b.model->fc.b, (const float[]){3, -4});
    ck_assert_double_eq_tol(cru_learner_epoch(b.learner), 25, 1e-6); /* the mean over the one step that was made */
    ck_assert_float_eq_tol(test_value(b.model->fc.b, 0), 2.99f, 1e-5f);
    ck_assert_float_eq_tol(test_value(b.model->fc.b, 1), -3.99f, 1e-5f);
    ck_assert_int_eq(b.model->told, 2);
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(a_pass_without_a_step_has_no_loss)
{
    bench b;
    cru_method own = method;
    own.batch_loss = no_loss;
    open_bench_with(&b, &own, false);
    const float before = test_value(b.model->fc.w, 0);
    ck_assert_double_nan(cru_graphs_pass(b.learner));
    ck_assert_float_eq(test_value(b.model->fc.w, 0), before);
    cru_ctx_destroy(b.ctx);
}
END_TEST

/* ---- in turn
 * ------------------------------------------------------------------------------------------------------ */

enum { MOST_CALLS = 8 };

typedef struct calls {
    int32_t ids[MOST_CALLS], size[MOST_CALLS];
    int64_t count, graphs;
} calls;

/* Graph g scores 10 g + 1, 10 g + 2. */
static cru_tensor *score_by_number(cru_learner *l, void *user, cru_tape *t, cru_ids graphs)
{
    (void)l;
    calls *c = user;
    float scores[2 * MOST_CALLS];
    c->size[c->count++] = (int32_t)graphs.count;
    for (int64_t i = 0; i < graphs.count; i++) {
        c->ids[c->graphs++] = graphs.ids[i];
        for (int k = 0; k < 2; k++) scores[2 * i + k] = (float)(10 * graphs.ids[i] + k + 1);
    }
    return cru_tensor_upload(t, cru_2d(graphs.count, 2), scores);
}

/* Eight graphs in batches of two: 6, 1, 4 validate, 0 and 7 test. */
START_TEST(every_part_is_scored_in_batches_of_its_own)
{
    static const int32_t val[] = {6, 1, 4}, test[] = {0, 7}, order[] = {6, 1, 4, 0, 7, 2, 3, 5};
    static const int32_t sizes[] = {2, 1, 2, 2, 1};
    const bool validation_only = _i;
    bench b;
    calls c = {0};
    open_bench(&b, false);
    b.task.items = 8;
    b.task.split.val = (cru_ids){val, 3};
    b.task.split.test = (cru_ids){test, 2};
    b.learner->validation_only = validation_only;
    cru_tape_begin(b.learner->tape, CRU_EVAL);
    const cru_tensor *z = cru_graphs_in_turn(b.learner, b.learner->tape, score_by_number, &c);
    ck_assert_int_eq(c.count, validation_only ? 2 : 5);
    ck_assert_int_eq(c.graphs, validation_only ? 3 : 8);
    for (int64_t i = 0; i < c.count; i++) ck_assert_int_eq(c.size[i], sizes[i]);
    for (int64_t i = 0; i < c.graphs; i++) ck_assert_int_eq(c.ids[i], order[i]);
    ck_assert_int_eq(cru_tensor_rows(z), 8);
    for (int g = 0; g < 8; g++)
        for (int k = 0; k < 2; k++) {
            const bool scored = !validation_only || g == 6 || g == 1 || g == 4;
            ck_assert_float_eq(test_value(z, 2 * g + k), scored ? (float)(10 * g + k + 1) : 0);
        }
    cru_ctx_destroy(b.ctx);
}
END_TEST

START_TEST(nothing_to_validate_on_scores_nothing)
{
    bench b;
    calls c = {0};
    open_bench(&b, false);
    b.learner->validation_only = true;
    cru_tape_begin(b.learner->tape, CRU_EVAL);
    const cru_tensor *z = cru_graphs_in_turn(b.learner, b.learner->tape, score_by_number, &c);
    ck_assert_int_eq(c.count, 0);
    for (int i = 0; i < 6; i++) ck_assert_float_eq(test_value(z, i), 0);
    cru_ctx_destroy(b.ctx);
}
END_TEST

/* A X of the first graph is x_1, 2 x_0 + 3 x_2, 4 x_1. */
START_TEST(readout_is_the_sum_the_mean_or_the_largest)
{
    bench b;
    open_bench(&b, false);
    b.settings.graphs.readout = _i;
    cru_tape *t = b.learner->tape;
    test_write(b.model->fc.w, (const float[]){1, 0, 0, 1});
    test_write(b.model->fc.b, (const float[]){0, 0});
    cru_tape_begin(t, CRU_EVAL);
    const cru_tensor *z = cru_learner_logits(b.learner, t);
    for (int k = 0; k < 2; k++) {
        const float *x = features + k; /* of node v: x[2 v] */
        const float node[] = {x[2], 2 * x[0] + 3 * x[4], 4 * x[2]};
        const float sum = node[0] + node[1] + node[2], expected[] = {sum, sum / 3, fmaxf(node[1], node[2])};
        ck_assert_float_eq_tol(test_value(z, k), expected[_i], 1e-5f);
    }
    cru_ctx_destroy(b.ctx);
}
END_TEST

typedef struct looker {
    float scores[6];
    int reports;
} looker;

static uint32_t look(void *user, int64_t epoch, double loss, const float *scores)
{
    looker *l = user;
    (void)epoch, (void)loss;
    l->reports++;
    memcpy(l->scores, scores, sizeof l->scores);
    return CRU_GO_ON;
}

/* A monitor that looks at validation items only is shown theirs, and predict gives all. */
START_TEST(while_training_only_validation_graphs_are_evaluated)
{
    static const int32_t val[] = {2};
    bench b;
    float all[6];
    open_bench(&b, false);
    b.task.split.val = (cru_ids){val, 1};
    looker l = {0};
    cru_monitor monitor = {.epoch = look, .user = &l, .limit = 3, .validation_only = _i == 0};
    ck_assert_int_eq(cru_method_vtable.fit(b.learner, &monitor), CRU_OK);
    ck_assert_int_eq(l.reports, 1);
    ck_assert_int_eq(cru_method_vtable.predict(b.learner, all), CRU_OK);
    for (int i = 0; i < 6; i++) {
        if (i / 2 != 1) ck_assert_float_ne(all[i], 0); /* the single node has no neighbours */
        ck_assert_float_eq(l.scores[i], i < 4 && monitor.validation_only ? 0 : all[i]);
    }
    cru_ctx_destroy(b.ctx);
}
END_TEST

/* ---- the training rows alone ------------------------------------------------------------------------------------- */

typedef struct gcn_model {
    cru_gcn_stack convs;
    int64_t spared; /* passes over the training rows alone */
} gcn_model;

static void build_gcn(cru_learner *l, void *self)
{
    gcn_model *m = self;
    const cru_gcn_shape shape = {.in = 2, .hidden = 4, .out = 2, .layers = 2, .dropout = 0.5};
    m->convs = cru_gcn_stack_create(l->net, "conv", &shape);
}

static cru_tensor *gcn_forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    (void)l;
    return cru_gcn_stack_input(t, &((gcn_model *)self)->convs, g->adj, &g->x);
}

static cru_tensor *sparing_forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    gcn_model *m = self;
    cru_tensor *z = cru_graphs_logits(t, &m->convs, g, &g->x);
    m->spared += cru_tensor_rows(z) < l->task->items;
    return z;
}

static cru_tensor *own_loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    (void)self;
    return cru_learner_loss(l, t, z);
}

/* Five epochs on four labelled nodes of six; returns how often the training rows were asked for alone. */
static int64_t train_gcn(const cru_method *how, bool candidates, float *scores)
{
    static const int32_t labels[] = {0, 1, 1, 0, 1, 0}, train[] = {5, 0, 3, 1};
    static const uint8_t sets[] = {1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0};
    const settings s = {.graphs = {.adjacency = {.loops = CRU_LOOPS_ADD, .norm = CRU_NORM_ROW}},
                        .train = {.epochs = 5, .lr = 0.05}};
    cru_ctx *ctx = test_ctx(&(cru_ctx_options){.seed = 3});
    const cru_task task = {.size = sizeof task,
                           .problem = CRU_NODES,
                           .items = 6,
                           .nodes = 6,
                           .classes = 2,
                           .graph = graph,
                           .x = {.rows = 6, .cols = 2, .dense = features},
                           .labels = labels,
                           .candidates = candidates ? sets : NULL,
                           .split = {.train = {train, 4}}};
    const test_method made = {how, CRU_NODES, sizeof(settings)};
    cru_learner *self = NULL;
    ck_assert_int_eq(create_method(&made, &self, &s, &task, ctx), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.fit(self, NULL), CRU_OK);
    ck_assert_int_eq(cru_method_vtable.predict(self, scores), CRU_OK);
    const int64_t spared = ((gcn_model *)self->model)->spared;
    cru_method_vtable.destroy(self);
    cru_ctx_destroy(ctx);
    return spared;
}

START_TEST(the_training_rows_alone_train_the_same_model)
{
    const cru_method all = {.model_size = sizeof(gcn_model),
                            .train = CRU_AT(settings, train),
                            .build = build_gcn,
                            .forward = gcn_forward,
                            .graphs = CRU_AT(settings, graphs)};
    cru_method alone = all, other;
    alone.forward = sparing_forward;
    other = alone;
    other.loss = own_loss;
    float want[12], scores[12];
    ck_assert_int_eq(train_gcn(&all, _i, want), 0);
    ck_assert_int_eq(train_gcn(&alone, _i, scores), 5);
    for (int i = 0; i < 12; i++) ck_assert_float_eq_tol(scores[i], want[i], 1e-5f);
    /* A loss of one's own may look at every row. */
    ck_assert_int_eq(train_gcn(&other, _i, scores), 0);
    ck_assert_mem_eq(scores, want, sizeof want);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("graphs");
    TCase *c = tcase_create("minibatches");
    tcase_add_loop_test(c, a_selection_computes_what_all_compute, 0, 2);
    tcase_add_loop_test(c, readout_is_the_sum_the_mean_or_the_largest, 0, 3);
    tcase_add_test(c, no_graph_at_all);
    tcase_add_test(c, nodes_are_one_graph);
    tcase_add_test(c, a_pass_goes_over_every_training_graph);
    tcase_add_test(c, a_pass_minimises_the_loss_of_the_method);
    tcase_add_test(c, a_pass_without_a_step_has_no_loss);
    tcase_add_loop_test(c, every_part_is_scored_in_batches_of_its_own, 0, 2);
    tcase_add_test(c, nothing_to_validate_on_scores_nothing);
    tcase_add_loop_test(c, while_training_only_validation_graphs_are_evaluated, 0, 2);
    tcase_add_loop_test(c, the_training_rows_alone_train_the_same_model, 0, 2);
    suite_add_tcase(s, c);
    return s;
}
