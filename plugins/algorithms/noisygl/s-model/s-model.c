// SPDX-License-Identifier: Apache-2.0
/* s-model: a learned transition between the classifier and the labels.
 *
 *     s_n = clamp(softmax(z_n) Q, 1e-8, 1 - 1e-8)      Q = softmax of the rows of B
 *     loss = mean over training items n of - log(s_n[label of n] / sum_k s_nk)
 *
 * B is trained, and decayed, with the network. At the start Q has 1 - r on the diagonal and r / (C - 1) elsewhere, C
 * classes. The prediction is z. What is reported is Q at the end of the training, not that of the chosen epoch. The
 * paper starts from the confusion matrix of a first classifier instead.
 *
 * Goldberger, Ben-Reuven. Training deep neural-networks using a noise adaptation layer. ICLR 2017. */
#include <math.h>

#include "transition.h"

typedef struct settings {
    double noise_rate_init;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, noise_rate_init, 0.1, 1e-6, 0.999, "share of changed labels at the start, r"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_tensor *b, *last; /* B, and as it was after the last epoch: classes x classes */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t c = l->task->classes;
    float *start = cru_ctx_alloc(l->ctx, c * c, sizeof *start);
    for (int64_t i = 0; i < c * c; i++)
        start[i] = (float)log(i % (c + 1) ? s->noise_rate_init / (double)(c - 1) : 1 - s->noise_rate_init);
    m->b = cru_net_weight(l->net, "noise", cru_2d(c, c), (cru_init){.kind = CRU_INIT_VALUES, .values = start});
    m->last = cru_tensor_from(l->ctx, cru_2d(c, c), start);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    cru_tensor *p = cru_softmax(t, cru_gather(t, z, l->train_rows), 1), *q = cru_softmax(t, m->b, 1);
    cru_tensor *s = cru_clamp(t, cru_matmul(t, p, q), 1e-8, 1 - 1e-8); /* |train| x C */
    return cru_cross_entropy(t, cru_log(t, s), &(cru_targets){.labels = l->train_labels});
}

static void after_epoch(cru_learner *l, void *self)
{
    model *m = self;
    cru_tensor_keep(l->tape, m->last, m->b);
}

static void report(cru_learner *l, void *self, cru_report *report)
{
    model *m = self;
    cru_tape_begin(l->tape, CRU_EVAL);
    report_transition(l, report, cru_softmax(l->tape, m->last, 1));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .gcn = CRU_AT(settings, gcn), .labelled = true, .build = build, .loss = loss,
               .after_epoch = after_epoch, .report = report, .widen = cru_weights_only, .state = cru_no_state),
    .name = "s-model",
    .version = "1.0",
    .summary = "a learned transition matrix between classifier and labels",
    .citation = "Goldberger, Ben-Reuven. Training deep neural-networks using a noise adaptation layer. ICLR 2017.",
    .categories = "LLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
