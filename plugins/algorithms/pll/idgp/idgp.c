// SPDX-License-Identifier: Apache-2.0
/* idgp: one network tells the label, another which labels get into a set; each teaches the other.
 *
 * f gives p = softmax(z_f), g gives u = sigmoid(z_g). Tables: d, the posterior of the label (starts uniform on S), and
 * b, the inclusions (starts as s). CE(w, p) = -(1/B) sum w log(p + 1e-12), BCE(w, u) = CE(w, u) - (1/B) sum (1-w)
 * log(1-u):
 *
 *     the first warm_up_epoch passes:  f minimises CE(d, p),  g minimises BCE(b, u)
 *     later:  f minimises CE(d, p) + CE(v, p) + lambda KL(d || p)
 *             g minimises BCE(b, u) - (1/B) sum r log(1-u) + BCE(s, u) + lambda KL(b || u)
 *     r = share(p s);  c = argmax d s;  u'_c = 1 - u_c, else u' = u;  w = u' on S, 1 elsewhere
 *     v = share(s (1 - w)/w prod_k w_k);   lambda = min(t / floor(0.2 steps), 1)
 *     then d = share(p s), b = u s, from the outputs before the step
 *
 * Qiao, Xu, Geng. Decompositional Generation Process for Instance-Dependent Partial Label Learning. ICLR 2023. */
#include <math.h>

#include "row-loss.h"

typedef struct settings {
    int64_t warm_up_epoch;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, warm_up_epoch, 10, 0, 1e9, "passes in which the networks learn alone",
            .search = CRU_ONE_OF(5, 10, 15, 20)),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_STEP_SETTINGS(settings, train),
    CRU_END,
};

typedef struct model {
    cru_tensor *d, *b; /* training items x classes */
    cru_classifier g;  /* f is the learner's network */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->g = cru_classifier_create(cru_learner_net(l, "g"), &s->backbone, l->task);
    m->d = cru_learner_candidate_shares(l);
    m->b = cru_tensor_create(l->ctx, cru_shape_of(m->d)); /* a copy: the sets themselves stay */
    const cru_tensor *sets = cru_learner_candidates(l);
    cru_tape_begin(l->tape, CRU_EVAL);
    cru_assign(l->tape, m->b, sets);
}

/* -(1/B) sum w log(factor p + shift) */
static cru_tensor *log_sum(cru_tape *t, cru_tensor *w, cru_tensor *p, double factor, double shift)
{
    cru_tensor *sum = cru_sum(t, cru_mul(t, w, cru_log(t, cru_affine(t, p, factor, shift))), CRU_ALL);
    return cru_scale(t, sum, -1 / (double)cru_tensor_rows(p));
}

static cru_tensor *ce(cru_tape *t, cru_tensor *w, cru_tensor *p)
{
    return log_sum(t, w, p, 1, 1e-12);
}

/* -(1/B) sum w log(1 - u) */
static cru_tensor *absent(cru_tape *t, cru_tensor *w, cru_tensor *u)
{
    return log_sum(t, w, u, -1, 1.0000001);
}

static cru_tensor *bce(cru_tape *t, cru_tensor *w, cru_tensor *u)
{
    cru_tensor *in = ce(t, w, u);
    return cru_add(t, in, absent(t, cru_affine(t, w, -1, 1), u));
}

static cru_tensor *share(cru_tape *t, cru_tensor *x)
{
    return cru_div(t, x, cru_affine(t, row_sums(t, x), 1, 1e-12));
}

/* v: how likely each candidate is the label, by what g says of the others. */
static cru_tensor *labels_by_inclusion(cru_tape *t, cru_tensor *u, cru_tensor *d, cru_tensor *s)
{
    cru_tensor *c = cru_one_hot(t, cru_argmax(t, cru_mul(t, d, s)), cru_tensor_cols(u));
    cru_tensor *turned = cru_where(t, c, cru_affine(t, u, -1, 1), u), *inside = cru_mul(t, turned, s);
    cru_tensor *w = cru_add(t, inside, cru_affine(t, cru_sign(t, inside), -1, 1)); /* 0 becomes 1 */
    cru_tensor *product = cru_exp(t, row_sums(t, cru_log(t, w)));
    cru_tensor *rest = cru_affine(t, w, -1, 1), *odds = cru_div(t, rest, cru_affine(t, w, 1, 1e-12));
    return share(t, cru_mul(t, cru_mul(t, s, odds), product));
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const model *m = self;
    const settings *s = l->settings;
    const double pass = (double)l->task->split.train.count / (double)s->train.steps.batch_size;
    cru_tensor *z_f = cru_learner_classify(l, t, &batch->x), *z_g = cru_classifier_apply(t, &m->g, &batch->x);
    cru_tensor *p = cru_softmax(t, z_f, 1), *u = cru_sigmoid(t, z_g), *sets = batch->candidates;
    cru_tensor *d = cru_gather(t, m->d, batch->rows), *b = cru_gather(t, m->b, batch->rows);
    cru_tensor *fixed_u = cru_detach(t, u), *r = share(t, cru_mul(t, cru_detach(t, p), sets));
    cru_tensor *f = ce(t, d, p), *g = bce(t, b, u);
    if ((double)l->epoch > (double)s->warm_up_epoch * pass) {
        const double lambda = fmin((double)l->epoch / floor(0.2 * (double)s->train.steps.steps), 1);
        f = cru_add(t, f, ce(t, labels_by_inclusion(t, fixed_u, d, sets), p));
        f = cru_plus(t, f, lambda, cru_kl(t, d, cru_log_softmax(t, z_f, 1)));
        g = cru_add(t, g, absent(t, r, u));
        g = cru_add(t, g, bce(t, sets, u));
        g = cru_plus(t, g, lambda, cru_kl(t, b, cru_log_sigmoid(t, z_g)));
    }
    cru_put_rows(t, m->d, batch->rows, r);
    cru_put_rows(t, m->b, batch->rows, cru_mul(t, fixed_u, sets));
    return cru_add(t, f, cru_sub(t, g, cru_detach(t, g))); /* reported: that of f */
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .backbone = CRU_AT(settings, backbone), .build = build,
               .batch_loss = batch_loss),
    .name = "idgp",
    .version = "1.0",
    .summary = "partial labels: a second network models how labels get into a set",
    .citation = "Qiao et al. Decompositional Generation Process for Instance-Dependent Partial Label Learning. "
                "ICLR 2023.",
    .categories = "partial labels, data generation",
    OF_ROWS,
};
