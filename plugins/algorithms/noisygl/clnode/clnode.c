// SPDX-License-Identifier: Apache-2.0
/* clnode: learn from easy training nodes first.
 *
 * A first network, v = log softmax(GCN) and scores s = v W + b, gives embeddings. A training node is hard when its
 * neighbours have many labels and when v is unlike that of its class (difficulty.h): d = local + alpha global. In epoch
 * t the second network, a GCN, learns by cross-entropy from the share of nodes with the smallest d that the schedule
 * says (curriculum.h), and predicts.
 *
 * bench: the first network minimises the mean of - s_n[label of n], which has no bound below, and nodes whose labels
 * are not known count as labelled 0. paper: cross-entropy, the first network's predictions, and dropout, too, of what
 * comes before every log softmax.
 *
 * Wei, Gong, Zhan, Du, Luo, Hu. CLNode: Curriculum Learning for Node Classification. WSDM 2023. */
#include <crucible/scoring.h>

#include "curriculum.h"
#include "difficulty.h"

typedef struct settings {
    int64_t variant, pretrain, embedding;
    double alpha;
    curriculum course;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: raw scores as a loss, unknown labels count as 0"),
    CURRICULUM_SETTINGS(settings, course, 0.5, 50, GEOM),
    CRU_FLOAT(settings, alpha, 1, 0, CRU_NO_MAX, "weight of the global difficulty"),
    CRU_INT(settings, embedding, 16, 1, 65536, "width of the embedding"),
    CRU_INT(settings, pretrain, 500, 0, 1e9, "epochs of the first network"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 16, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_net *first_net; /* not the learner's: trained and used once */
    cru_gcn_stack first, second;
    cru_fc head;
    const int32_t *order;     /* the training nodes, easy ones first */
    const double *difficulty; /* d of each, in the order of the training part */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->first_net = cru_net_create(l->ctx, "pretrain");
    const cru_gcn_shape shape = {.in = l->x.cols,
                                 .hidden = s->gcn.hidden,
                                 .out = s->embedding,
                                 .layers = 2,
                                 .draw = CRU_DRAW_GLOROT,
                                 .dropout = s->gcn.dropout};
    m->first = cru_gcn_stack_create(m->first_net, "conv", &shape);
    m->head = cru_fc_create(m->first_net, "head", s->embedding, l->task->classes);
    m->second = cru_learner_gcn(l, l->net, &s->gcn);
    m->order = l->task->split.train.ids;
}

/* Of the paper's networks the last layer drops out, too. */
static cru_tensor *head(cru_learner *l, cru_tape *t, cru_tensor *x)
{
    const settings *s = l->settings;
    return s->variant == CRU_PAPER ? cru_dropout(t, x, s->gcn.dropout) : x;
}

static cru_tensor *embed(cru_learner *l, const model *m, cru_tape *t)
{
    return cru_log_softmax(t, head(l, t, cru_gcn_stack_input(t, &m->first, l->adj, &l->x)), 1);
}

static cru_tensor *first_scores(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    return head(l, t, cru_fc_apply(t, &m->head, embed(l, m, t)));
}

/* The benchmark's, of the first network. */
static void pretrain_on_scores(cru_learner *l, model *m, cru_optim *optim, int64_t epochs)
{
    for (int64_t e = 0; e < epochs && !cru_ctx_status(l->ctx); e++) {
        cru_tape_begin(l->tape, CRU_TRAIN);
        cru_tensor *own = cru_gather(l->tape, first_scores(l, m, l->tape), l->train_rows);
        cru_learner_step(l, optim, raw_score_loss(l->tape, own, l->train_labels));
    }
}

/* Those of the training part and, in variant bench, of validation are known. */
static const int32_t *working_labels(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_ids parts[2] = {task->split.train, task->split.val};
    int32_t *labels = cru_ctx_alloc(l->ctx, task->nodes, sizeof *labels);
    if (s->variant == CRU_PAPER) {
        const float *scores = cru_tensor_host(l->tape, first_scores(l, m, l->tape));
        for (int64_t v = 0; v < task->nodes; v++) labels[v] = cru_best_class(scores + v * task->classes, task->classes);
    }
    for (int p = 0; p < (s->variant == CRU_PAPER ? 1 : 2); p++)
        for (int64_t i = 0; i < parts[p].count; i++) labels[parts[p].ids[i]] = task->labels[parts[p].ids[i]];
    return labels;
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_ids train = l->task->split.train;
    cru_optim *optim = cru_learner_optim(l, &m->first_net, 1);
    if (s->variant == CRU_PAPER)
        cru_learner_pretrain(l, optim, first_scores, s->pretrain);
    else
        pretrain_on_scores(l, m, optim, s->pretrain);
    if (cru_ctx_status(l->ctx)) return;
    double *local = cru_ctx_alloc(l->ctx, train.count, sizeof *local);
    double *global = cru_ctx_alloc(l->ctx, train.count, sizeof *global);
    cru_tape_begin(l->tape, CRU_EVAL);
    nodes_seen n = {.graph = &l->task->graph, .classes = l->task->classes, .width = s->embedding};
    n.labels = working_labels(l, m);
    n.embedding = cru_tensor_host(l->tape, embed(l, m, l->tape));
    difficulty(l->ctx, &n, train, local, global);
    /* In float, as the benchmark ranks: nodes that differ by rounding alone are equals and stay in order. */
    for (int64_t i = 0; i < train.count; i++) local[i] = (double)((float)local[i] + (float)(s->alpha * global[i]));
    m->order = nodes_by(l->ctx, train, local);
    m->difficulty = local;
}

/* Hard ones are those whose labels may be wrong. */
static void label_weights(cru_learner *l, void *self, double *weights)
{
    const model *m = self;
    for (int64_t i = 0; i < l->task->split.train.count; i++) weights[i] = -m->difficulty[i];
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return head(l, t, cru_gcn_stack_input(t, &m->second, l->adj, &l->x));
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    const settings *s = l->settings;
    const double share = curriculum_share(&s->course, l->epoch);
    const cru_ids used = {m->order, (int64_t)(share * (double)l->train_rows.count)};
    const cru_index rows = cru_index_step(t, used.ids, used.count);
    return cru_cross_entropy(t, z, &(cru_targets){.rows = &rows, .labels = cru_learner_labels(l, t, used)});
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .prepare = prepare,
               .label_weights = label_weights, .logits = logits, .loss = loss, .widen = cru_weights_only,
               .state = cru_no_state, .adjacency = CRU_AT(settings, gcn.adjacency)),
    .name = "clnode",
    .version = "1.2",
    .summary = "a curriculum from easy to hard training nodes",
    .citation = "Wei, Gong, Zhan, Du, Luo, Hu. CLNode: Curriculum Learning for Node Classification. WSDM 2023.",
    .categories = "GLN, robust training",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
