// SPDX-License-Identifier: Apache-2.0
/* valen: a Dirichlet posterior over the hidden label, from which the targets of the predicting network are drawn.
 *
 * Three networks: net predicts, enc gives Dirichlet concentrations, dec turns a label distribution back into features.
 * Tables o, d (targets) and H (features) of the training items. Phases, by the number of the step:
 *
 *     A  warm_up steps         net learns ce(o, z) by SGD;  o = rev(o, z)
 *     B  floor(n/B) + 2 steps  H = features of net; nothing is learned
 *     C  one step              enc = copy of net; A = k nearest neighbours in H; d = o
 *     D  the rest              L = alpha (L_x + L_y + L_A) + beta L_alpha + gamma ce(o, a) + theta ce(d, z)
 *
 *     D: a = enc(x), z = net(x), delta ~ Dir(share(softmax(a) 1[o > 0]) + 0.01)
 *        L_x = 0.01 mse(dec(delta), x)       L_y = 0.01 bce(delta, s)       L_A = mse(softmax(sigma(delta delta')), A)
 *        L_alpha = KL(Dir(clamp(exp(a / 4), 0.01, 30)) || Dir(1))
 *        then d = share(1[rev(o, a) > 0] delta), o = rev(d, z)
 *
 *     ce(t, z) = -(1/B) sum t log(softmax(z) + 1e-12)       rev(t, z) = share(1[t > 0] (softmax(z) + 1e-12))
 *
 * In the study's code, whose numbers are published, no optimiser knows the enc of phase C, so it stays as it was made:
 * the terms without net and dec are reported but teach nothing. Variant paper trains enc, too, also through delta.
 *
 * Xu, Qiao, Geng, Zhang. Instance-Dependent Partial Label Learning. NeurIPS 2021. */
#include "row-loss.h"

typedef struct settings {
    int64_t warm_up, knn, variant;
    double alpha, beta, gamma, theta, correct;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, warm_up, 1000, 0, 1e9, "steps of phase A", .search = CRU_ONE_OF(1000, 2000, 3000, 4000, 5000)),
    CRU_INT(settings, knn, 3, 1, 1000, "neighbours in the graph", .search = CRU_ONE_OF(3, 4)),
    CRU_FLOAT(settings, alpha, 1, 0, CRU_NO_MAX, "weight of the reconstructions"),
    CRU_FLOAT(settings, beta, 1, 0, CRU_NO_MAX, "weight of the divergence"),
    CRU_FLOAT(settings, gamma, 1, 0, CRU_NO_MAX, "weight of the encoder's cross-entropy"),
    CRU_FLOAT(settings, theta, 1, 0, CRU_NO_MAX, "weight of the cross-entropy with the samples"),
    CRU_FLOAT(settings, correct, 1, 0, 1, "share of the sample in d; the rest is o"),
    CRU_VARIANT(settings, variant, CRU_BENCH, "paper: the encoder is trained in phase D"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_STEP_SETTINGS(settings, train),
    CRU_END,
};

typedef struct model {
    cru_net *enc_net;
    cru_classifier enc;
    cru_fc dec[2];
    cru_optim *main; /* phase D; l->optim starts as that of phase A */
    cru_rng rng;
    cru_tensor *o, *d, *h;
    cru_neighbours graph;
    int32_t *place; /* where in the batch a training item is, or -1 */
} model;

static cru_tensor *table(cru_learner *l, int64_t cols)
{
    return cru_tensor_create(l->ctx, cru_2d(l->task->split.train.count, cols));
}

static void build_decoder(cru_learner *l, model *m, cru_net *net)
{
    const cru_task *task = l->task;
    const cru_init weight = {.kind = CRU_INIT_GLOROT_NORMAL}, bias = {.kind = CRU_INIT_CONSTANT, .a = 0.01};
    m->dec[0] = cru_fc_create_with(net, "layer1", task->classes, task->x.cols, weight, &bias);
    m->dec[1] = cru_fc_create_with(net, "layer2", task->x.cols, task->x.cols, weight, &bias);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t n = l->task->split.train.count;
    if (n <= s->knn) {
        cru_learner_refuse(l, "%lld neighbours among %lld training items", (long long)s->knn, (long long)n);
        return;
    }
    cru_net *dec_net = cru_learner_net(l, "dec");
    m->enc_net = cru_learner_net(l, "enc");
    m->enc = cru_classifier_create(m->enc_net, &s->backbone, l->task);
    build_decoder(l, m, dec_net);
    m->main = cru_learner_optim(l, (cru_net *[]){l->net, dec_net, m->enc_net}, s->variant == CRU_PAPER ? 3 : 2);
    const cru_optim_spec warm = {.kind = CRU_SGD, .lr = s->train.lr, .decay = s->train.weight_decay, .momentum = 0.9};
    l->optim = cru_optim_create(l->ctx, &warm);
    cru_optim_add(l->optim, l->net, NULL);
    m->rng = cru_ctx_stream(l->ctx, "dirichlet");
    m->o = cru_learner_candidate_shares(l);
    m->d = table(l, l->task->classes);
    m->h = table(l, l->network.backbone.features);
    m->place = cru_ctx_alloc(l->ctx, n, sizeof *m->place);
    for (int64_t i = 0; i < n; i++) m->place[i] = -1;
}

static cru_tensor *share(cru_tape *t, cru_tensor *x)
{
    return cru_normalize_l1(t, x, 1e-37);
}

static cru_tensor *soft(cru_tape *t, cru_tensor *z)
{
    return cru_affine(t, cru_softmax(t, z, 1), 1, 1e-12);
}

static cru_tensor *ce(cru_tape *t, cru_tensor *target, cru_tensor *z)
{
    cru_tensor *sum = cru_sum(t, cru_mul(t, target, cru_log(t, soft(t, z))), CRU_ALL);
    return cru_scale(t, sum, -1 / (double)cru_tensor_rows(z));
}

static cru_tensor *rev(cru_tape *t, cru_tensor *target, cru_tensor *z)
{
    cru_tensor *p = soft(t, z);
    return share(t, cru_mul(t, cru_sign(t, target), p));
}

static cru_tensor *warm_up(cru_learner *l, model *m, cru_tape *t, const cru_batch *batch)
{
    cru_tensor *z = cru_learner_classify(l, t, &batch->x), *o = cru_gather(t, m->o, batch->rows);
    look_again(l, t, &batch->x); /* for features of which no use is made yet */
    cru_put_rows(t, m->o, batch->rows, rev(t, o, z));
    return ce(t, o, z);
}

static void start_posterior(cru_learner *l, model *m, cru_tape *t)
{
    const settings *s = l->settings;
    const int64_t rows = cru_tensor_rows(m->h), cols = cru_tensor_cols(m->h);
    const cru_dense points = {rows, cols, cru_tensor_host(t, m->h)};
    const cru_knn_options options = {.k = s->knn, .skip_self = true};
    m->graph = cru_knn(cru_ctx_pool(l->ctx), &points, &points, &options);
    cru_net_copy(m->enc_net, l->net);
    cru_assign(t, m->d, m->o);
    l->optim = m->main;
}

/* 1/(k+1) at every item itself and at its neighbours in the batch: b x b */
static cru_tensor *graph_of(const model *m, cru_tape *t, const cru_batch *batch)
{
    const int64_t b = batch->count, k = m->graph.k;
    const int32_t *rows = cru_index_host(t, batch->rows);
    float *a = cru_tape_alloc(t, b * b, sizeof *a);
    for (int64_t i = 0; i < b; i++) m->place[rows[i]] = (int32_t)i;
    for (int64_t i = 0; i < b; i++) {
        a[i * b + i] = 1 / (float)(k + 1);
        for (int64_t j = 0; j < k; j++) {
            const int32_t at = m->place[m->graph.ids[rows[i] * k + j]];
            if (at >= 0) a[i * b + at] = 1 / (float)(k + 1);
        }
    }
    for (int64_t i = 0; i < b; i++) m->place[rows[i]] = -1;
    return cru_tensor_upload(t, cru_2d(b, b), a);
}

/* L_x + L_y + L_A */
static cru_tensor *reconstruction(const model *m, cru_tape *t, const cru_batch *batch, cru_tensor *delta)
{
    cru_tensor *decoded = cru_fc_apply(t, &m->dec[1], cru_relu(t, cru_fc_apply(t, &m->dec[0], delta)));
    cru_tensor *l_x = cru_mse(t, decoded, cru_input_dense(t, &batch->x));
    cru_tensor *l_y = cru_bce_logits(t, delta, batch->candidates, 1);
    cru_tensor *close = cru_softmax(t, cru_sigmoid(t, cru_matmul_op(t, delta, delta, CRU_NT)), 1);
    cru_tensor *l_a = cru_mse(t, close, graph_of(m, t, batch));
    return cru_plus(t, l_a, 0.01, cru_add(t, l_x, l_y));
}

/* share(softmax(a) 1[o > 0]) + 0.01; the sum that it is a share of has no gradient */
static cru_tensor *concentrations(cru_tape *t, cru_tensor *a, cru_tensor *o)
{
    cru_tensor *p = cru_softmax(t, a, 1);
    cru_tensor *inside = cru_mul(t, p, cru_sign(t, o));
    cru_tensor *sum = cru_as_matrix(t, cru_sum(t, cru_detach(t, inside), 1), -1, 1);
    return cru_affine(t, cru_div(t, inside, sum), 1, 0.01);
}

static cru_tensor *learn_posterior(cru_learner *l, model *m, cru_tape *t, const cru_batch *batch)
{
    const settings *s = l->settings;
    cru_tensor *o = cru_gather(t, m->o, batch->rows), *d = cru_gather(t, m->d, batch->rows);
    cru_tensor *z = cru_learner_classify(l, t, &batch->x);
    cru_tensor *a = cru_classifier_apply(t, &m->enc, &batch->x);
    if (s->variant == CRU_BENCH) a = cru_detach(t, a);
    cru_tensor *delta = cru_dirichlet(t, concentrations(t, a, o), &m->rng);
    cru_tensor *spread = cru_clamp(t, cru_exp(t, cru_scale(t, a, 0.25)), 0.01, 30);

    cru_tensor *loss = cru_plus(t, NULL, s->alpha, reconstruction(m, t, batch, delta));
    loss = cru_plus(t, loss, s->beta, cru_kl_dirichlet(t, spread));
    loss = cru_plus(t, loss, s->gamma, ce(t, o, a));
    loss = cru_plus(t, loss, s->theta, ce(t, d, z));

    cru_tensor *drawn = share(t, cru_mul(t, cru_sign(t, rev(t, o, a)), delta));
    cru_put_rows(t, m->d, batch->rows, cru_lerp(t, o, drawn, s->correct));
    cru_put_rows(t, m->o, batch->rows, rev(t, d, z));
    return loss;
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t pass = l->task->split.train.count / s->train.steps.batch_size;
    const int64_t step = l->epoch - s->warm_up;
    if (step < 0) return warm_up(l, m, t, batch);
    if (step > pass + 2) return learn_posterior(l, m, t, batch);
    if (step < pass + 2)
        cru_put_rows(t, m->h, batch->rows, cru_backbone_apply(t, &l->network.backbone, &batch->x));
    else
        start_posterior(l, m, t);
    return NULL;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .backbone = CRU_AT(settings, backbone),
               .batch_loss = batch_loss),
    .name = "valen",
    .version = "2.0",
    .summary = "partial labels: targets drawn from a Dirichlet posterior",
    .citation = "Xu et al. Instance-Dependent Partial Label Learning. NeurIPS 2021.",
    OF_ROWS,
};
