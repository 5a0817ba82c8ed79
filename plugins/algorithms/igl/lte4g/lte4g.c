// SPDX-License-Identifier: Apache-2.0
/* lte4g: four experts, for head and tail classes (experts.h) and head and tail degrees, teach two students.
 *
 *     encoder: e = Drop(ReLU(P X W + b))      classifier: Drop(ReLU(P e W + b)) V + c      P = D^-1 (A + I)
 *
 * 1. Encoder and a first classifier learn (1 - exp(-CE))^gamma CE_w, class c weighing 1 / n_c.
 * 2. The encoder is fixed. One expert for each of: head classes, tail classes (by nodes of degree above sep_degree);
 *    then the same for the other degrees, each beginning as a copy of the former. Mean CE on their nodes.
 * 3. A student for head classes and one for tail classes: CE on the nodes of either degree + a KD of the expert of head
 *    degrees + (1 - a) KD of that of tail degrees, a = cos(pi epoch / (2 epochs)).
 *
 * Stages 1 and 2 keep what has the best macro-F1 on the validation nodes that they are for (the later of equals), and
 * are over some epochs after it; stage 3 is what the monitor sees. A node goes to the student of the class whose
 * prototype has the largest cosine with e; classes of the other student have logits -999999. Prototype: mean e of the
 * class's training nodes, of fewer than the average joined by their neighbours and then by nodes among the 10 of most
 * similar features that are not, in the order of the first classifier's probability. Degrees count the node itself.
 *
 * Yun, Kim, Yoon, Park. LTE4G: Long-Tail Experts for Graph Neural Networks. CIKM 2022. */
#include <crucible/draft/tensor.h>
#include <crucible/imbalance.h>

#include "experts.h"
#include "routing.h"
#include "stage.h"
#include "subset.h"

enum { HEAD_HEAD, TAIL_HEAD, HEAD_TAIL, TAIL_TAIL, EXPERTS, STUDENTS = EXPERTS, PARTS = 6 };

typedef struct settings {
    int64_t hidden, sep_degree;
    double dropout, gamma, temperature, first, patience, expert, expert_patience;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_WIDTH(settings, hidden, 64, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_DROPOUT(settings, dropout, 0.5, .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_FLOAT(settings, gamma, 1, 0, 100, "of the focal loss", .search = CRU_ONE_OF(0, 1, 2)),
    CRU_INT(settings, sep_degree, 5, 0, 1e9, "largest degree of a tail node"),
    CRU_FLOAT(settings, temperature, 1, 1e-3, 1e3, "of what experts teach"),
    CRU_FLOAT(settings, first, 20, 0, 1e6, "most epochs of the encoder, in multiples of `epochs`"),
    CRU_FLOAT(settings, patience, 2, 0, 1e6, "epochs of the encoder after its best, likewise"),
    CRU_FLOAT(settings, expert, 2, 0, 1e6, "most epochs of an expert, likewise"),
    CRU_FLOAT(settings, expert_patience, 0.6, 0, 1e6, "epochs of an expert after its best, likewise"),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 5e-4),
    CRU_END,
};

typedef struct classifier {
    cru_net *net;
    cru_gcn conv;
    cru_fc out;
} classifier;

typedef struct model {
    cru_sparse *adj;
    cru_gcn encoder;
    classifier first, part[PARTS];
    class_division classes;
    subset train[EXPERTS], val[EXPERTS];
    cru_tensor *e;    /* fixed after the first stage */
    uint8_t *to_tail; /* of every node: which student */
} model;

static cru_gcn convolution(cru_net *net, const char *name, int64_t in, int64_t out)
{
    const cru_gcn_shape shape = {.in = in, .hidden = out, .out = out, .layers = 1, .draw = CRU_DRAW_FAN_OUT};
    return cru_gcn_stack_create(net, name, &shape).layer[0];
}

static classifier build_classifier(cru_net *net, int64_t hidden, int64_t out)
{
    const cru_init weight = {.kind = CRU_INIT_NORMAL, .b = 0.05}, bias = {.kind = CRU_INIT_FAN_IN, .fan_in = hidden};
    const cru_gcn conv = convolution(net, "conv", hidden, hidden);
    return (classifier){net, conv, cru_fc_create_with(net, "out", hidden, out > 0 ? out : 1, weight, &bias)};
}

/* Nodes for an expert: its classes and degrees. */
static subset choose(cru_learner *l, const model *m, cru_ids from, int expert)
{
    const settings *s = l->settings;
    const cru_csr *g = &m->adj->csr;
    const bool tail = expert % 2, low = expert >= HEAD_TAIL;
    const subset all = subset_labelled(l, from);
    subset a = all;
    a.count = 0;
    for (int64_t i = 0; i < all.count; i++) {
        const int32_t v = all.nodes[i], at = m->classes.place[all.labels[i]];
        if ((at >= m->classes.heads) != tail || (g->offsets[v + 1] - g->offsets[v] <= s->sep_degree) != low) continue;
        a.nodes[a.count] = v;
        a.labels[a.count++] = tail ? at - m->classes.heads : at;
    }
    return a;
}

static void build(cru_learner *l, void *self)
{
    static const char *const names[PARTS] = {"head-head", "tail-head", "head-tail", "tail-tail", "head", "tail"};
    model *m = self;
    const settings *s = l->settings;
    m->adj = cru_adjacency_create(l->ctx, &l->task->graph, &(cru_adjacency){CRU_LOOPS_FILL, CRU_NORM_ROW});
    m->classes = divide_classes(l->ctx, l->task);
    m->encoder = convolution(l->net, "encoder", l->x.cols, s->hidden);
    m->first = build_classifier(l->net, s->hidden, l->task->classes);
    for (int p = 0; p < PARTS; p++)
        m->part[p] = build_classifier(cru_learner_net(l, names[p]), s->hidden,
                                      p % 2 ? l->task->classes - m->classes.heads : m->classes.heads);
    for (int p = 0; p < EXPERTS; p++) {
        m->train[p] = choose(l, m, l->task->split.train, p);
        m->val[p] = choose(l, m, l->task->split.val, p);
    }
    l->optim = cru_learner_optim(l, (cru_net *[]){m->part[STUDENTS].net, m->part[STUDENTS + 1].net}, 2);
    m->to_tail = cru_ctx_alloc(l->ctx, l->task->nodes, 1);
}

static cru_tensor *encode(cru_learner *l, const model *m, cru_tape *t)
{
    const settings *s = l->settings;
    return cru_dropout(t, cru_relu(t, cru_gcn_input(t, &m->encoder, m->adj, &l->x)), s->dropout);
}

static cru_tensor *classify(cru_learner *l, const model *m, cru_tape *t, const classifier *c, cru_tensor *e)
{
    const settings *s = l->settings;
    cru_tensor *h = cru_relu(t, cru_gcn_apply(t, &c->conv, m->adj, e));
    return cru_fc_apply(t, &c->out, cru_dropout(t, h, s->dropout));
}

/* The fixed encoder as it is in training. */
static cru_tensor *encode_still(cru_learner *l, const model *m, cru_tape *t)
{
    const bool recording = cru_tape_record(t, false);
    cru_tensor *e = encode(l, m, t);
    cru_tape_record(t, recording);
    return e;
}

/* A stage of training: the encoder's (expert < 0) or an expert's. */
typedef struct lesson {
    model *m;
    int expert;
    const classifier *c;
    const subset *val;
} lesson;

static void learn(cru_learner *l, void *user, cru_optim *optim)
{
    const lesson *of = user;
    const settings *s = l->settings;
    const model *m = of->m;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *z = classify(l, m, t, of->c, of->expert < 0 ? encode(l, m, t) : encode_still(l, m, t));
    const cru_targets all = {.rows = &l->train_rows, .labels = l->train_labels, .class_weights = m->classes.weights};
    cru_learner_step(l, optim,
                     of->expert < 0 ? focal_mean_loss(t, z, &all, s->gamma) : subset_loss(t, z, &m->train[of->expert]));
}

static double judge(cru_learner *l, void *user, cru_tape *t)
{
    const lesson *of = user;
    return subset_f1(t, classify(l, of->m, t, of->c, of->expert < 0 ? encode(l, of->m, t) : of->m->e), of->val);
}

static void train_stage(cru_learner *l, model *m, int expert, const subset *val)
{
    const settings *s = l->settings;
    lesson of = {m, expert, expert < 0 ? &m->first : &m->part[expert], val};
    cru_net *net = of.c->net;
    stage_run(l, &(stage){.net = net,
                          .optim = cru_learner_optim(l, &net, 1),
                          .step = learn,
                          .score = judge,
                          .user = &of,
                          .epochs = (double)s->train.epochs * (expert < 0 ? s->first : s->expert),
                          .patience = (double)s->train.epochs * (expert < 0 ? s->patience : s->expert_patience)});
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    cru_tape *t = l->tape;
    const subset all = subset_labelled(l, l->task->split.val);
    train_stage(l, m, -1, &all);
    cru_tape_begin(t, CRU_EVAL);
    m->e = cru_tensor_kept(t, encode(l, m, t));
    const int32_t *like = nearest_prototype(l, t, m->e, cru_softmax(t, classify(l, m, t, &m->first, m->e), 1));
    for (int64_t v = 0; v < l->task->nodes; v++) m->to_tail[v] = m->classes.place[like[v]] >= m->classes.heads;
    for (int p = 0; p < EXPERTS; p++) {
        if (p >= HEAD_TAIL) cru_net_copy(m->part[p].net, m->part[p - HEAD_TAIL].net);
        if (m->train[p].count) train_stage(l, m, p, &m->val[p]);
    }
}

/* CE on the nodes of either degree, and what the experts for them teach. */
static cru_tensor *student_loss(cru_learner *l, model *m, cru_tape *t, int tail, cru_tensor *e)
{
    const settings *s = l->settings;
    const double share = curriculum(l->epoch, s->train.epochs);
    cru_tensor *z = classify(l, m, t, &m->part[STUDENTS + tail], e), *loss = NULL;
    for (int expert = tail; expert < EXPERTS; expert += 2) {
        const subset *a = &m->train[expert];
        if (!a->count) continue;
        const cru_index rows = cru_index_step(t, a->nodes, a->count);
        const cru_mode mode = cru_tape_set_mode(t, CRU_EVAL);
        cru_tensor *taught = cru_detach(t, cru_gather(t, classify(l, m, t, &m->part[expert], m->e), rows));
        cru_tape_set_mode(t, mode);
        cru_tensor *taken = distillation_loss(t, taught, cru_gather(t, z, rows), s->temperature);
        loss = cru_plus(t, loss, 1, subset_loss(t, z, a));
        loss = cru_plus(t, loss, expert < HEAD_TAIL ? share : 1 - share, taken);
    }
    return loss;
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *e = encode_still(l, m, t), *loss = student_loss(l, m, t, 0, e), *of_tail = student_loss(l, m, t, 1, e);
    if (loss && of_tail) loss = cru_add(t, loss, of_tail);
    return cru_learner_step(l, l->optim, loss ? loss : of_tail);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    cru_tensor *e = cru_represent(t, encode(l, m, t)), *part[2];
    for (int i = 0; i < 2; i++) part[i] = classify(l, m, t, &m->part[STUDENTS + i], e);
    return route_scores(t, part, l->task->classes, &(route){m->classes.order, m->classes.heads, m->to_tail});
}

static void state(cru_learner *l, void *self, cru_state *file)
{
    const model *m = self;
    cru_state_values(file, "to_tail", m->to_tail, l->task->nodes, sizeof *m->to_tail);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .prepare = prepare,
               .epoch = epoch, .state = state),
    .name = "lte4g",
    .version = "1.0",
    .summary = "experts for head and tail classes and degrees, who teach two students",
    .citation = "Yun, Kim, Yoon, Park. LTE4G: Long-Tail Experts for Graph Neural Networks. CIKM 2022.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
