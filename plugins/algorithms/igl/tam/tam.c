// SPDX-License-Identifier: Apache-2.0
/* tam: labelled nodes whose neighbours are not as usual for their class get another margin.
 *
 *     loss = mean over labelled v of CE(o_v + margin_v, y)      margins: tam-margins.h
 *
 * for the logits o of a GCN or another `backbone`, after `warmup` epochs of plain cross-entropy. With margins = true,
 * graphens has them on its new nodes, too.
 *
 * Song, Park, Yang. TAM: Topology-Aware Margin Loss for Class-Imbalanced Node Classification. ICML 2022. */

#include "tam-margins.h"

typedef struct settings {
    tam_rule rule;
    int64_t warmup;
    cru_encoder_settings encoder;
    const char *layers_of;
    cru_train train;
} settings;

static const cru_param schema[] = {
    TAM_SETTINGS(settings, rule),
    CRU_INT(settings, warmup, 5, 0, 1e9, "epochs without margins"),
    CRU_ENCODER_SETTINGS(settings, encoder, 2, 128, 0.5),
    CRU_ENCODER_PLUGIN(settings, layers_of),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_encoder encoder;
    cru_csr around; /* of labelled nodes: in-neighbours and the node itself */
    int32_t *labels;
    double *tau; /* one per class */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_ids train = l->task->split.train;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    m->encoder = cru_learner_encoder_of(l, l->net, &s->encoder, s->layers_of);
    const cru_csr looped = cru_graph_loops(pool, &l->task->graph, CRU_LOOPS_SET);
    m->around = cru_csr_rows(pool, &looped, train.ids, train.count);
    m->labels = cru_ctx_alloc(l->ctx, train.count, sizeof *m->labels);
    for (int64_t i = 0; i < train.count; i++) m->labels[i] = l->task->labels[train.ids[i]];
    m->tau = tam_sharpness(l->ctx, l->task, &s->rule);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_encoder_logits(t, &m->encoder, m->encoder.adj, &l->x);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    const model *m = self;
    const settings *s = l->settings;
    if (l->epoch < s->warmup) return cru_learner_loss(l, t, z);
    const tam_labelled labelled = {l->task->split.train.count, l->task->split.train.ids, m->labels, &m->around};
    cru_tensor *adjusted = cru_add(t, cru_gather(t, z, l->train_rows), tam_margins(t, z, &labelled, &s->rule, m->tau));
    return cru_cross_entropy(t, adjusted, &(cru_targets){.labels = l->train_labels});
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .loss = loss,
               .adjacency = CRU_AT(settings, encoder.adjacency)),
    .name = "tam",
    .version = "1.0",
    .summary = "margins of labelled nodes from the classes around them",
    .citation =
        "Song, Park, Yang. TAM: Topology-Aware Margin Loss for Class-Imbalanced Node Classification. ICML 2022.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
