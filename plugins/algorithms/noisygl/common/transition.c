// SPDX-License-Identifier: Apache-2.0
/* Losses corrected by an estimated transition. */
#include "transition.h"

#include <crucible/linalg.h>

static const float *scores(cru_learner *l, const estimator *e, cru_mode mode)
{
    const int64_t count = l->task->items * l->task->classes;
    float *values = cru_ctx_alloc(l->ctx, count, sizeof *values);
    cru_tape_begin(l->tape, mode);
    cru_tensor_download(l->tape, e->logits(l, l->model, l->tape), values);
    return values;
}

void estimate_transition(cru_learner *l, const estimator *e, cru_tensor *transition)
{
    const int64_t classes = l->task->classes;
    cru_net *net = e->net;
    cru_learner_pretrain(l, cru_learner_optim(l, &net, 1), e->logits, e->epochs);
    if (cru_ctx_status(l->ctx)) return;
    anchor_logits z = {.items = l->task->items, .classes = l->task->classes};
    z.search = scores(l, e, CRU_TRAIN);
    z.read = scores(l, e, CRU_EVAL);
    float *matrix = cru_ctx_alloc(l->ctx, classes * classes, sizeof *matrix);
    transition_from_anchors(&z, matrix, cru_ctx_alloc(l->ctx, classes, sizeof(int32_t)));
    cru_tensor_set(l->ctx, transition, matrix);
}

/* In memory of the step. */
static double *in_double(cru_tape *t, const cru_tensor *x)
{
    const int64_t count = cru_tensor_count(x);
    const float *values = cru_tensor_host(t, x);
    double *out = cru_tape_alloc(t, count, sizeof *out);
    for (int64_t i = 0; i < count; i++) out[i] = (double)values[i];
    return out;
}

cru_tensor *backward_corrected(cru_learner *l, cru_tape *t, cru_tensor *z, const cru_tensor *transition)
{
    const int64_t classes = l->task->classes, count = classes * classes;
    double *inverse = cru_tape_alloc(t, count, sizeof *inverse);
    float *rounded = cru_tape_alloc(t, count, sizeof *rounded);
    const cru_shape shape = {classes, classes};
    if (cru_pseudo_inverse(in_double(t, transition), shape, 1e-15, inverse, cru_ctx_error(l->ctx)))
        return cru_learner_loss(l, t, z); /* the learner sees the failure and stops */
    for (int64_t i = 0; i < count; i++) rounded[i] = (float)inverse[i];
    cru_tensor *k = cru_gather(t, cru_tensor_upload(t, cru_2d(classes, classes), rounded), l->train_labels);
    cru_tensor *q = cru_log_softmax(t, cru_gather(t, z, l->train_rows), 1); /* |train| x C, as k */
    return cru_neg(t, cru_mean(t, cru_mul(t, k, q), CRU_ALL));
}

void report_transition(cru_learner *l, cru_report *report, const cru_tensor *transition)
{
    const int64_t classes = l->task->classes;
    cru_report_matrix(report, "transition", in_double(l->tape, transition), classes, classes);
}

/* ---- a method of two GCNs -------------------------------------------------------------------------------- */

const cru_param corrected_schema[] = {
    CRU_INT(corrected_settings, pretrain, 200, 0, 1e9, "epochs of the network that estimates the transition"),
    CRU_GCN_SETTINGS(corrected_settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(corrected_settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

void corrected_build(cru_learner *l, void *self)
{
    corrected *m = self;
    const corrected_settings *s = l->settings;
    m->first_net = cru_net_create(l->ctx, "pretrain");
    m->first = cru_learner_gcn(l, m->first_net, &s->gcn);
    m->transition = cru_net_buffer(l->net, "transition", cru_2d(l->task->classes, l->task->classes), 0);
}

static cru_tensor *first_logits(cru_learner *l, void *self, cru_tape *t)
{
    corrected *m = self;
    return cru_gcn_stack_input(t, &m->first, l->adj, &l->x);
}

void corrected_prepare(cru_learner *l, void *self)
{
    corrected *m = self;
    const corrected_settings *s = l->settings;
    estimate_transition(l, &(estimator){m->first_net, first_logits, s->pretrain}, m->transition);
}

void corrected_report(cru_learner *l, void *self, cru_report *report)
{
    corrected *m = self;
    report_transition(l, report, m->transition);
}
