// SPDX-License-Identifier: Apache-2.0
/* tss: nodes far from class borders first, and only labels in which a first network believes.
 *
 * Training nodes are sorted by their betweenness (betweenness.h), computed with A^ = D^-1/2 (A + I) D^-1/2 and restart
 * 1 - pagerank. A first GCN learns from all labels. In epoch t the second learns by cross-entropy from the share of
 * sorted nodes that the schedule says (curriculum.h), less those whose label is not what the first predicts. The
 * benchmark predicts with dropout in use, and takes positions in the training part for node ids when it computes the
 * betweenness; fix_index takes the nodes.
 *
 * Wu, Yao, Xia, Yu, Wang, Han, Liu. Mitigating Label Noise on Graph via Topological Sample Selection. ICML 2024. */
#include "betweenness.h"
#include "curriculum.h"

typedef struct settings {
    int64_t pretrain;
    double pagerank;
    bool fix_index;
    curriculum course;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CURRICULUM_SETTINGS(settings, course, 0.25, 400, LINEAR),
    CRU_FLOAT(settings, pagerank, 0.85, 0, 0.999, "probability that a walk goes on"),
    CRU_BOOL(settings, fix_index, false, "betweenness of the training nodes, not of their positions"),
    CRU_INT(settings, pretrain, 400, 0, 1e9, "epochs of the first network"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_net *first_net; /* not the learner's: trained and used once */
    cru_gcn_stack first;
    int32_t *used; /* the training nodes that are believed, sorted */
    int64_t *most; /* how many of them are among the first k sorted ones: |train| + 1 */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->first_net = cru_net_create(l->ctx, "pretrain");
    m->first = cru_learner_gcn(l, m->first_net, &s->gcn);
    m->used = cru_ctx_alloc(l->ctx, l->train_rows.count, sizeof *m->used);
    m->most = cru_ctx_alloc(l->ctx, l->train_rows.count + 1, sizeof *m->most);
}

static cru_tensor *first_logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_gcn_stack_input(t, &m->first, l->adj, &l->x);
}

/* The training nodes in ascending order of their betweenness. */
static const int32_t *sorted(cru_learner *l)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_ids train = task->split.train;
    const cru_csr spread = cru_graph_gcn(cru_ctx_pool(l->ctx), &task->graph, CRU_LOOPS_ADD);
    int32_t *nodes = cru_ctx_alloc(l->ctx, train.count, sizeof *nodes);
    int32_t *labels = cru_ctx_alloc(l->ctx, train.count, sizeof *labels);
    double *score = cru_ctx_alloc(l->ctx, task->nodes, sizeof *score);
    double *key = cru_ctx_alloc(l->ctx, train.count, sizeof *key);
    for (int32_t i = 0; i < train.count; i++) {
        nodes[i] = s->fix_index ? train.ids[i] : i;
        labels[i] = task->labels[train.ids[i]];
    }
    class_betweenness(l->ctx, &spread, &(labelled_nodes){{nodes, train.count}, labels, task->classes}, 1 - s->pagerank,
                      score);
    for (int64_t i = 0; i < train.count; i++) key[i] = score[train.ids[i]];
    return nodes_by(l->ctx, train, key);
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int32_t *order = sorted(l);
    cru_learner_pretrain(l, cru_learner_optim(l, &m->first_net, 1), first_logits, s->pretrain);
    if (cru_ctx_status(l->ctx)) return;
    cru_tape_begin(l->tape, CRU_TRAIN);
    const int32_t *predicted = cru_index_host(l->tape, cru_argmax(l->tape, first_logits(l, m, l->tape)));
    for (int64_t k = 0; k < l->train_rows.count; k++) {
        const bool believed = predicted[order[k]] == l->task->labels[order[k]];
        m->most[k + 1] = m->most[k] + believed;
        if (believed) m->used[m->most[k]] = order[k];
    }
}

/* 1: believed, 0: not. */
static void label_weights(cru_learner *l, void *self, double *weights)
{
    const model *m = self;
    const cru_ids train = l->task->split.train;
    uint8_t *believed = cru_ctx_alloc(l->ctx, l->task->nodes, sizeof *believed);
    for (int64_t k = 0; k < m->most[train.count]; k++) believed[m->used[k]] = 1;
    for (int64_t i = 0; i < train.count; i++) weights[i] = believed[train.ids[i]];
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t share = (int64_t)(curriculum_share(&s->course, l->epoch) * (double)l->train_rows.count);
    const cru_ids used = {m->used, m->most[share]};
    const cru_index rows = cru_index_step(t, used.ids, used.count);
    return cru_cross_entropy(t, z, &(cru_targets){.rows = &rows, .labels = cru_learner_labels(l, t, used)});
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .gcn = CRU_AT(settings, gcn), .labelled = true, .build = build,
               .prepare = prepare, .label_weights = label_weights, .loss = loss, .widen = cru_weights_only,
               .state = cru_no_state),
    .name = "tss",
    .version = "1.1",
    .summary = "a curriculum from the inside of classes to their borders",
    .citation = "Wu, Yao, Xia, Yu, Wang, Han, Liu. Mitigating Label Noise on Graph via Topological Sample Selection. "
                "ICML 2024.",
    .categories = "GLN, robust training",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
