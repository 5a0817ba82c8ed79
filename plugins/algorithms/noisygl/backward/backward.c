// SPDX-License-Identifier: Apache-2.0
/* backward: mix the losses of all classes by the inverse of an estimated transition.
 *
 * The transition T is estimated as in forward, from a first network's anchors. A second network f is trained with
 *
 *     loss = - 1 / (|train| C) sum_n sum_k K[label of n, k] log softmax(f_n)_k      K = T^+      C classes
 *
 * which may be negative without bound where T is ill-conditioned, and predicts.
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
    m->first_net = cru_net_create(l->ctx, "pretrain");
    m->first = cru_learner_gcn(l, m->first_net, &s->gcn);
    m->second = cru_learner_gcn(l, l->net, &s->gcn);
    m->transition = cru_net_buffer(l->net, "transition", cru_2d(l->task->classes, l->task->classes), 0);
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
    return backward_corrected(l, t, z, m->transition);
}

static void report(cru_learner *l, void *self, cru_report *report)
{
    model *m = self;
    report_transition(l, report, m->transition);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .prepare = prepare, .state = cru_no_state,
               .logits = logits, .loss = loss, .report = report, .adjacency = CRU_AT(settings, gcn.adjacency)),
    .name = "backward",
    .version = "1.1",
    .summary = "loss corrected backward by an estimated transition matrix",
    .citation = "Patrini, Rozza, Menon, Nock, Qu. Making Deep Neural Networks Robust to Label Noise: a Loss Correction "
                "Approach. CVPR 2017.",
    .categories = "LLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
