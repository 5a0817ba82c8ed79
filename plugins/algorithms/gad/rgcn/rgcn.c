// SPDX-License-Identifier: Apache-2.0
/* rgcn: one convolution per relation, averaged.
 *
 *     H_0 = X      H_l = 1/R sum_r ReLU(D_in,r^-1/2 A_r D_out,r^-1/2 H_l-1 W_lr + b_lr)      logits = H_L W_o + b_o
 *
 * As in the anomaly study there is no weight for the node itself and no basis decomposition; all relations count for
 * every node, also those in which it has no edge. A graph without relations is one relation. The loss weighs the rare
 * class up.
 *
 * Schlichtkrull, Kipf, Bloem, van den Berg, Titov, Welling. Modeling Relational Data with Graph Convolutional Networks.
 * ESWC 2018. */
#include <stdio.h>

#include <crucible/crucible.h>

typedef struct settings {
    int64_t layers, hidden, activation, loops;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions"),
    CRU_WIDTH(settings, hidden, 32),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "of every relation, before the mean"),
    CRU_CHOICE(settings, loops, CRU_LOOPS_KEEP, cru_loops_names, "self-loops of every relation"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct relation {
    cru_sparse *adj;
    cru_gcn conv[CRU_MAX_LAYERS];
} relation;

typedef struct model {
    relation *relation;
    int64_t relations;
    cru_fc out;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->relations = l->task->relation_count ? l->task->relation_count : 1;
    m->relation = cru_ctx_alloc(l->ctx, m->relations, sizeof *m->relation);
    for (int64_t r = 0; r < m->relations; r++) {
        const cru_csr *graph = l->task->relation_count ? &l->task->relations[r].graph : &l->task->graph;
        m->relation[r].adj = cru_adjacency_create(l->ctx, graph, &(cru_adjacency){s->loops, CRU_NORM_IN_OUT});
        for (int64_t i = 0; i < s->layers; i++) {
            char name[64];
            snprintf(name, sizeof name, "layer%lld.relation%lld", (long long)i, (long long)r);
            m->relation[r].conv[i] = cru_gcn_create(l->net, name, i ? s->hidden : l->task->x.cols, s->hidden);
        }
    }
    m->out = cru_fc_create(l->net, "out", s->hidden, l->task->classes);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_input h = l->x;
    for (int64_t i = 0; i < s->layers; i++) {
        cru_tensor *sum = NULL;
        for (int64_t r = 0; r < m->relations; r++) {
            cru_tensor *one = cru_gcn_input(t, &m->relation[r].conv[i], m->relation[r].adj, &h);
            sum = cru_plus(t, sum, 1 / (double)m->relations, cru_activate(t, cru_activations[s->activation], one));
        }
        h = cru_input_of(sum);
    }
    if (h.dense) cru_represent(t, h.dense);
    return cru_fc_input(t, &m->out, &h);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "rgcn",
    .version = "1.0",
    .summary = "a convolution per relation, averaged",
    .citation = "Schlichtkrull, Kipf, Bloem, van den Berg, Titov, Welling. Modeling Relational Data with Graph "
                "Convolutional Networks. ESWC 2018.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
