// SPDX-License-Identifier: Apache-2.0
/* forward: train through an estimate of how labels were changed.
 *
 * A first network g learns from the labels as they are. For every class c the item of which g is surest, its anchor,
 * gives row c of the transition matrix: T_c = softmax(g(anchor of c)). A second network f is then trained so that its
 * prediction fits the labels after the transition:
 *
 *     u_n = clamp(softmax(f_n)) T      loss = - 1 / (|train| C) sum_n log u_n[label of n]      C classes
 *
 * and predicts without it. Division by C as well as by |train| is the benchmark's: its element-wise mean. Anchors are
 * searched in the logits of g with dropout, the matrix is read from those without.
 *
 * Patrini, Rozza, Menon, Nock, Qu. Making Deep Neural Networks Robust to Label Noise: a Loss Correction Approach. CVPR
 * 2017. */
#include "noisy-labels.h"

enum { PROBLEMS = CRU_NODES };

typedef struct settings {
    int64_t pretrain;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, pretrain, 200, 0, 1e9, "epochs of the network that estimates the transition"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_sparse *adj;
    cru_net *first_net; /* not the learner's: trained and used once */
    cru_gcn_stack first, second;
    cru_tensor *transition; /* classes x classes */
} model;

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const int64_t classes = m->base.task->classes;
    m->adj = cru_adjacency_create(m->base.ctx, &m->base.task->graph, &s->gcn.adjacency);
    m->first_net = cru_net_create(m->base.ctx, "pretrain");
    m->first = cru_learner_gcn(&m->base, m->first_net, &s->gcn);
    m->second = cru_learner_gcn(&m->base, m->base.net, &s->gcn);
    m->transition = cru_net_buffer(m->base.net, "transition", 2, (const int64_t[]){classes, classes}, 0);
    return cru_ctx_status(m->base.ctx);
}

static cru_tensor *first_logits(void *self, cru_tape *t)
{
    model *m = self;
    return cru_gcn_stack_input(t, &m->first, m->adj, &m->base.x);
}

static const float *first_scores(model *m, cru_mode mode)
{
    const int64_t count = m->base.task->items * m->base.task->classes;
    float *scores = cru_ctx_alloc(m->base.ctx, count, sizeof *scores);
    cru_tape_begin(m->base.tape, mode);
    cru_tensor_download(m->base.tape, first_logits(m, m->base.tape), scores);
    return scores;
}

static cru_status prepare(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const int64_t classes = m->base.task->classes;
    cru_optim *optim = cru_learner_optim(&m->base, &m->first_net, 1);
    cru_status status = cru_learner_pretrain(&m->base, optim, first_logits, s->pretrain);
    if (status) return status;
    anchor_logits z = {.items = m->base.task->items, .classes = m->base.task->classes};
    z.search = first_scores(m, CRU_TRAIN);
    z.read = first_scores(m, CRU_EVAL);
    float *matrix = cru_ctx_alloc(m->base.ctx, classes * classes, sizeof *matrix);
    transition_from_anchors(&z, matrix, cru_ctx_alloc(m->base.ctx, classes, sizeof(int32_t)));
    cru_tensor_set(m->base.ctx, m->transition, matrix);
    return CRU_OK;
}

static cru_tensor *logits(void *self, cru_tape *t)
{
    model *m = self;
    return cru_gcn_stack_input(t, &m->second, m->adj, &m->base.x);
}

static cru_tensor *loss(void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    cru_tensor *p = cru_softmax(t, cru_gather(t, z, m->base.train_rows), 1);
    cru_tensor *u = cru_matmul(t, cru_clamp(t, p, 1e-5f, 1 - 1e-5f), m->transition); /* |train| x C */
    cru_tensor *each = cru_log(t, cru_pick(t, u, m->base.train_labels));
    return cru_scale(t, cru_mean(t, each, CRU_ALL), -1.0f / (float)m->base.task->classes);
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .labelled = true,
                                  .build = build,
                                  .prepare = prepare,
                                  .logits = logits,
                                  .loss = loss};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "forward",
    .version = "1.0",
    .summary = "loss corrected forward by an estimated transition matrix",
    .citation = "Patrini, Rozza, Menon, Nock, Qu. Making Deep Neural Networks Robust to Label Noise: a Loss Correction "
                "Approach. CVPR 2017.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
