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
#include "transition.h"

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
    cru_net *first_net; /* not the learner's: trained and used once */
    cru_gcn_stack first, second;
    cru_tensor *transition; /* classes x classes */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t classes = l->task->classes;
    m->first_net = cru_net_create(l->ctx, "pretrain");
    m->first = cru_learner_gcn(l, m->first_net, &s->gcn);
    m->second = cru_learner_gcn(l, l->net, &s->gcn);
    m->transition = cru_net_buffer(l->net, "transition", cru_2d(classes, classes), 0);
}

static cru_tensor *first_logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_gcn_stack_input(t, &m->first, l->adj, &l->x);
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    estimate_transition(l, &(estimator){m->first_net, first_logits, s->pretrain}, m->transition);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_gcn_stack_input(t, &m->second, l->adj, &l->x);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    cru_tensor *p = cru_softmax(t, cru_gather(t, z, l->train_rows), 1);
    cru_tensor *u = cru_matmul(t, cru_clamp(t, p, 1e-5f, 1 - 1e-5f), m->transition); /* |train| x C */
    cru_tensor *each = cru_log(t, cru_pick(t, u, l->train_labels));
    return cru_scale(t, cru_mean(t, each, CRU_ALL), -1.0f / (float)l->task->classes);
}

static void report(cru_learner *l, void *self, cru_report *report)
{
    model *m = self;
    report_transition(l, report, m->transition);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .prepare = prepare, .state = cru_no_state,
               .logits = logits, .loss = loss, .report = report, .adjacency = CRU_AT(settings, gcn.adjacency)),
    .name = "forward",
    .version = "2.1",
    .summary = "loss corrected forward by an estimated transition matrix",
    .citation = "Patrini, Rozza, Menon, Nock, Qu. Making Deep Neural Networks Robust to Label Noise: a Loss Correction "
                "Approach. CVPR 2017.",
    .categories = "LLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
