// SPDX-License-Identifier: Apache-2.0
/* meta-tail2vec: the embedding of a node with few neighbours is regressed from those of its well-connected neighbours.
 *
 * The embedding of a node is its features. A perceptron f predicts it from the mean embedding around the node. For a
 * node v, f first takes `inner_steps` steps of gradient descent on `shots` dense neighbours of v; then it predicts v
 * from the mean around these (tail-tasks.h). MAML trains f to do this well for training nodes, with gradients of second
 * order (maml.h):
 *
 *     min over W of mean over v of mean (f_W'(v)(around v) - x_v)^2      W'(v): W after the steps for v
 *
 * Then a perceptron learns classes from the features of training nodes; all other nodes are classified by what f,
 * adapted to each by `test_steps` steps, predicts for them. The study reports 1 to 5 of these in place of seeds.
 *
 * variant = bench: as in the study's code, rows that pad a short support count while learning but not later, where node
 * 0 counts as padding, too; and the classifier drops in its first epoch alone. paper: padding never counts, and the
 * classifier drops in every epoch. The study further chooses the epoch by test accuracy; here the monitor chooses.
 *
 * Liu, Zhang, Fang, Zhang, Hoi. Towards Locality-Aware Meta-Learning of Tail Node Embeddings on Networks. CIKM 2020. */
#include <math.h>

#include "maml.h"
#include "tail-tasks.h"

enum { AT_ONCE = 64, WIDE = 64, NARROW = 32, WEIGHTS = 4 };

typedef struct settings {
    int64_t variant, hidden, shots, inner_steps, test_steps, meta_batch, iterations, passes, sparse_degree;
    double tasks, inner_lr, meta_lr, clip, dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: padding counts, one epoch of dropout; paper: neither"),
    CRU_INT(settings, hidden, 1024, 1, 65536, "width of the regressor"),
    CRU_INT(settings, shots, 5, 1, TAIL_MOST_SHOTS, "dense neighbours to adapt to"),
    CRU_INT(settings, sparse_degree, 5, 0, 1e9, "most neighbours of a sparse node"),
    CRU_INT(settings, inner_steps, 5, 1, 1000, "steps of adaptation while learning"),
    CRU_INT(settings, test_steps, 5, 1, 1000, "steps of adaptation for validation and test nodes"),
    CRU_FLOAT(settings, inner_lr, 0.01, 0, CRU_NO_MAX, "learning rate of these steps"),
    CRU_FLOAT(settings, tasks, 0.1, 0, 1, "tasks to learn from, as a share of the nodes"),
    CRU_INT(settings, meta_batch, 4, 1, 4096, "tasks in a step of meta-learning"),
    CRU_INT(settings, iterations, 2000, 0, 1e9, "most steps of meta-learning"),
    CRU_INT(settings, passes, 40, 0, 1e9, "most passes over the tasks; the study makes 10 to 35"),
    CRU_FLOAT(settings, meta_lr, 0.001, 0, CRU_NO_MAX, "their learning rate"),
    CRU_FLOAT(settings, clip, 10, 0, CRU_NO_MAX, "largest norm of the gradient of one weight"),
    CRU_DROPOUT(settings, dropout, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 0),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    tail_source source;
    cru_fc regressor[2]; /* in a net that the classifier's optimiser does not move */
    cru_optim *meta[WEIGHTS];
    cru_fc layer[3]; /* of the classifier */
    cru_input x;     /* nodes x features: those of training nodes, what f predicts for the others */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t cols = l->x.cols;
    const cru_optim_spec adam = {.kind = CRU_ADAM, .lr = s->meta_lr};
    cru_net *net = cru_net_create(l->ctx, "regressor");
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->source = tail_source_create(l->ctx, l->task, s->sparse_degree, s->shots);
    m->regressor[0] = cru_fc_create_drawn(net, "first", cols, s->hidden, CRU_DRAW_GLOROT, true);
    m->regressor[1] = cru_fc_create_drawn(net, "second", s->hidden, cols, CRU_DRAW_GLOROT, true);
    for (int i = 0; i < WEIGHTS; i++) { /* one each, because each is clipped by itself */
        m->meta[i] = cru_optim_create(l->ctx, &adam);
        cru_optim_add_weight(m->meta[i], cru_net_weight_at(net, i), NULL);
    }
    m->layer[0] = cru_fc_create(l->net, "layer0", cols, WIDE);
    m->layer[1] = cru_fc_create(l->net, "layer1", WIDE, NARROW);
    m->layer[2] = cru_fc_create(l->net, "layer2", NARROW, l->task->classes);
    cru_tape_begin(l->tape, CRU_EVAL);
    m->x = cru_input_of(cru_tensor_kept(l->tape, cru_input_dense(l->tape, &l->x)));
}

/* Some of the drawn tasks. */
static maml_tasks upload(cru_tape *t, const tail_source *source, const tail_tasks *e, int64_t from, int64_t count)
{
    const int64_t cols = source->x->cols, row = from * source->shots, rows = count * source->shots;
    maml_tasks tasks = {.count = count, .shots = source->shots};
    tasks.x = cru_tensor_upload(t, cru_2d(rows, cols), e->x + row * cols);
    tasks.y = cru_tensor_upload(t, cru_2d(rows, cols), e->y + row * cols);
    tasks.share = cru_tensor_upload(t, cru_2d(rows, 1), e->share + row);
    tasks.query = cru_tensor_upload(t, cru_2d(count, cols), e->query + from * cols);
    return tasks;
}

static void meta_learn(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    const cru_ids train = l->task->split.train;
    const int64_t count = (int64_t)floor(s->tasks * (double)l->task->nodes), cols = l->x.cols;
    const int64_t a_pass = (count + s->meta_batch - 1) / s->meta_batch;
    const int64_t iterations = s->iterations < s->passes * a_pass ? s->iterations : s->passes * a_pass;
    cru_tape *t = l->tape;
    if (!count || !train.count) return;
    int32_t *nodes = cru_ctx_alloc(l->ctx, count, sizeof *nodes);
    for (int64_t i = 0; i < count; i++) nodes[i] = train.ids[cru_rng_below(&m->rng, train.count)];
    const tail_tasks drawn = tail_tasks_draw(cru_ctx_pool(l->ctx), &m->source, (cru_ids){nodes, count},
                                             s->variant == CRU_BENCH ? TAIL_COUNT_ALL : TAIL_COUNT_REAL, &m->rng);
    for (int64_t i = 0, at = 0; i < iterations; i++) {
        const int64_t now = count - at < s->meta_batch ? count - at : s->meta_batch;
        cru_tape_begin(t, CRU_TRAIN);
        const maml_tasks tasks = upload(t, &m->source, &drawn, at, now);
        cru_tensor *f = maml_predict(t, m->regressor, &tasks, &(maml_rule){s->inner_lr, s->inner_steps});
        cru_backward(t, cru_mse(t, f, cru_tensor_upload(t, cru_2d(now, cols), drawn.truth + at * cols)));
        for (int k = 0; k < WEIGHTS; k++) {
            cru_optim_clip(m->meta[k], s->clip);
            cru_optim_step(m->meta[k]);
        }
        at = at + now < count ? at + now : 0;
    }
}

/* Puts in place of the features of some nodes what f predicts for them. */
static void adapt(cru_learner *l, model *m, cru_ids nodes)
{
    const settings *s = l->settings;
    for (int64_t at = 0; at < nodes.count; at += AT_ONCE) {
        const cru_ids some = {nodes.ids + at, nodes.count - at < AT_ONCE ? nodes.count - at : AT_ONCE};
        cru_tape_begin(l->tape, CRU_EVAL);
        const tail_tasks drawn =
            tail_tasks_draw(cru_tape_pool(l->tape), &m->source, some,
                            s->variant == CRU_BENCH ? TAIL_COUNT_NOT_ZERO : TAIL_COUNT_REAL, &m->rng);
        const maml_tasks tasks = upload(l->tape, &m->source, &drawn, 0, some.count);
        cru_tensor *f = maml_predict(l->tape, m->regressor, &tasks, &(maml_rule){s->inner_lr, s->test_steps});
        cru_put_rows(l->tape, m->x.dense, cru_index_step(l->tape, some.ids, some.count), f);
    }
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    meta_learn(l, m);
    adapt(l, m, l->task->split.val);
    adapt(l, m, l->task->split.test);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    const double p = s->variant == CRU_BENCH && l->epoch ? 0 : s->dropout;
    cru_tensor *h = cru_dropout(t, cru_relu(t, cru_fc_input(t, &m->layer[0], &m->x)), p);
    h = cru_dropout(t, cru_relu(t, cru_fc_apply(t, &m->layer[1], h)), p);
    return cru_fc_apply(t, &m->layer[2], cru_represent(t, h));
}

static void state(cru_learner *l, void *self, cru_state *file)
{
    (void)l;
    const model *m = self;
    cru_state_tensor(file, "x", m->x.dense);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .prepare = prepare, .logits = logits, .state = state),
    .name = "meta-tail2vec",
    .version = "1.0",
    .summary = "embeddings of nodes with few neighbours, regressed by meta-learning",
    .citation = "Liu, Zhang, Fang, Zhang, Hoi. Towards Locality-Aware Meta-Learning of Tail Node Embeddings on "
                "Networks. CIKM 2020.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
