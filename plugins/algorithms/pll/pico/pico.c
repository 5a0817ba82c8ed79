// SPDX-License-Identifier: Apache-2.0
/* pico: contrast with a queue of earlier keys, and class prototypes that tell which candidate is meant.
 *
 * The query network gives scores z and a unit vector v = normalise(proj(features)) of the weak view; the key network, a
 * moving average of it, gives k of the strong view. Per step:
 *
 *     y_i  = argmax_k p_ik s_ik               r_i = softmax(v_i mu')
 *     mu_y = proto_m mu_y + (1 - proto_m) v_i for each row in turn, then rows of mu to unit length
 *     q_i  = phi q_i + (1 - phi) onehot(argmax_k r_ik s_ik)                            from step prot_start on
 *     L    = -(1/B) sum q log p + loss_weight L_cont
 *
 * L_cont contrasts v with [v; k; queue]: InfoNCE before prot_start, then supervised by y. phi goes from conf_ema_start
 * to conf_ema_end.
 *
 * Wang, Xiao, Li, Feng, Niu, Chen, Zhao. PiCO: Contrastive Label Disambiguation for Partial Label Learning. ICLR 2022.
 */
#include <math.h>
#include <string.h>

#include <crucible/crucible.h>

static const double temperature = 0.07;

typedef struct settings {
    int64_t prot_start, feat_dim, moco_queue;
    double moco_m, proto_m, loss_weight, conf_ema_start, conf_ema_end;
    bool same_views;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, prot_start, 178, 0, 1e9, "step from which prototypes count"),
    CRU_INT(settings, feat_dim, 128, 1, 65536, "width of the projection", .search = CRU_ONE_OF(64, 128, 256)),
    CRU_INT(settings, moco_queue, 8192, 1, 1e7, "keys that are kept", .search = CRU_ONE_OF(4096, 8192)),
    CRU_FLOAT(settings, moco_m, 0.999, 0, 1, "momentum of the key network", .search = CRU_ONE_OF(0.9, 0.999)),
    CRU_FLOAT(settings, proto_m, 0.99, 0, 1, "momentum of the prototypes", .search = CRU_ONE_OF(0.99, 0.9)),
    CRU_FLOAT(settings, loss_weight, 0.5, 0, CRU_NO_MAX, "weight of the contrast", .search = CRU_ONE_OF(0.5, 1)),
    CRU_FLOAT(settings, conf_ema_start, 0.95, 0, 1, "momentum of the targets at the first step"),
    CRU_FLOAT(settings, conf_ema_end, 0.8, 0, 1, "momentum of the targets at the last step"),
    CRU_BOOL(settings, same_views, false, "run on rows, too, whose views are all the same"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_IMAGE_STEP_SETTINGS(settings, train),
    CRU_END,
};

typedef struct encoder {
    cru_net *net;
    cru_classifier classifier;
    cru_fc projection[2];
} encoder;

typedef struct model {
    encoder query, key;
    cru_tensor *q;                  /* training items x classes */
    cru_tensor *queue, *prototypes; /* keys x feat_dim, classes x feat_dim */
    int32_t *queue_labels;          /* -1: none */
    int64_t at;                     /* where the queue goes on */
    cru_tensor *k;                  /* of this step, with their labels */
    const int32_t *labels;
} model;

static encoder encoder_create(cru_learner *l, cru_net *net, const cru_classifier *classifier)
{
    const settings *s = l->settings;
    encoder e = {.net = net, .classifier = *classifier};
    const int64_t width = e.classifier.backbone.features;
    e.projection[0] = cru_fc_create(net, "head.0", width, width);
    e.projection[1] = cru_fc_create(net, "head.2", width, s->feat_dim);
    return e;
}

/* Normal values, each column to unit length: as the reference has it. */
static void fill_queue(cru_learner *l, model *m)
{
    const int64_t rows = cru_tensor_rows(m->queue), cols = cru_tensor_cols(m->queue);
    float *values = cru_ctx_alloc(l->ctx, rows * cols, sizeof *values);
    cru_rng rng = cru_ctx_stream(l->ctx, "queue");
    cru_rng_fill_normal(&rng, values, rows * cols, 0, 1);
    for (int64_t j = 0; j < cols; j++) {
        double sum = 0;
        for (int64_t i = 0; i < rows; i++) sum += (double)values[i * cols + j] * (double)values[i * cols + j];
        for (int64_t i = 0; i < rows; i++) values[i * cols + j] /= (float)sqrt(sum);
    }
    cru_tape_begin(l->tape, CRU_EVAL);
    cru_assign(l->tape, m->queue, cru_tensor_upload(l->tape, cru_2d(rows, cols), values));
    m->queue_labels = cru_ctx_alloc(l->ctx, rows, sizeof *m->queue_labels);
    for (int64_t i = 0; i < rows; i++) m->queue_labels[i] = -1;
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    if (!l->task->x.channels && !s->same_views)
        cru_learner_refuse(l, "contrasts two views of an image, and rows have only one; "
                              "same_views = true runs it all the same");
    if (s->moco_queue % s->train.steps.batch_size != 0)
        cru_ctx_fail(l->ctx, CRU_BAD_INPUT, "moco_queue = %lld is no multiple of batch_size = %lld",
                     (long long)s->moco_queue, (long long)s->train.steps.batch_size);
    if (cru_ctx_status(l->ctx)) return;
    cru_net *key = cru_learner_net(l, "key");
    const cru_classifier second = cru_classifier_create(key, &s->backbone, l->task);
    m->query = encoder_create(l, l->net, &l->network);
    m->key = encoder_create(l, key, &second);
    cru_net_copy(m->key.net, m->query.net);
    l->optim = cru_learner_optim(l, &m->query.net, 1);
    cru_net *memory = cru_learner_net(l, "memory");
    m->queue = cru_net_buffer(memory, "queue", cru_2d(s->moco_queue, s->feat_dim), 0);
    m->prototypes = cru_net_buffer(memory, "prototypes", cru_2d(l->task->classes, s->feat_dim), 0);
    fill_queue(l, m);
    m->q = cru_learner_candidate_shares(l);
}

static cru_tensor *project(cru_tape *t, const encoder *e, cru_tensor *features)
{
    cru_tensor *h = cru_relu(t, cru_fc_apply(t, &e->projection[0], features));
    return cru_normalize_l2(t, cru_fc_apply(t, &e->projection[1], h), 1e-12);
}

static cru_tensor *keys_of(cru_learner *l, const model *m, cru_tape *t, const cru_input *x)
{
    const settings *s = l->settings;
    cru_net_ema(m->key.net, m->query.net, s->moco_m);
    const bool recording = cru_tape_record(t, false);
    cru_tensor *k = project(t, &m->key, cru_backbone_apply(t, &m->key.classifier.backbone, x));
    cru_tape_record(t, recording);
    return k;
}

/* The candidate with the largest score. */
static cru_index best_candidate(cru_tape *t, cru_tensor *scores, const cru_batch *batch)
{
    return cru_argmax(t, cru_mul(t, cru_detach(t, scores), batch->candidates));
}

/* Later rows of the batch weigh more. */
static void move_prototypes(cru_learner *l, model *m, cru_tape *t, cru_tensor *v)
{
    const settings *s = l->settings;
    const int64_t rows = cru_tensor_rows(v), cols = cru_tensor_cols(v), classes = l->task->classes;
    const float *unit = cru_tensor_host(t, v), keep = (float)s->proto_m;
    float *mu = cru_tape_alloc(t, classes * cols, sizeof *mu);
    cru_tensor_download(t, m->prototypes, mu);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            float *to = mu + m->labels[i] * cols + j;
            *to = keep * *to + (1 - keep) * unit[i * cols + j];
        }
    cru_tensor *moved = cru_tensor_upload(t, cru_2d(classes, cols), mu);
    cru_assign(t, m->prototypes, cru_normalize_l2(t, moved, 1e-12));
}

static cru_tensor *contrast(cru_learner *l, const model *m, cru_tape *t, cru_tensor *v)
{
    const settings *s = l->settings;
    if (l->epoch < s->prot_start) return cru_info_nce_queue(t, v, m->k, m->queue, temperature);
    const int64_t b = cru_tensor_rows(v), size = cru_tensor_rows(m->queue);
    int32_t *all = cru_tape_alloc(t, 2 * b + size, sizeof *all);
    memcpy(all, m->labels, (size_t)b * sizeof *all);
    memcpy(all + b, m->labels, (size_t)b * sizeof *all);
    memcpy(all + 2 * b, m->queue_labels, (size_t)size * sizeof *all);
    return cru_sup_con_anchors(t, cru_concat_rows(t, (cru_tensor *[]){v, m->k, m->queue}, 3), all, b, temperature);
}

/* phi of this step: that which the step before set; before the first step the reference has a number of its own. */
static double confidence_momentum(const cru_learner *l)
{
    const settings *s = l->settings;
    if (l->epoch == 0) return 0.99;
    const double done = (double)(l->epoch - 1) / (double)s->train.steps.steps;
    return s->conf_ema_start + done * (s->conf_ema_end - s->conf_ema_start);
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tensor *features = cru_backbone_apply(t, &m->query.classifier.backbone, &batch->x);
    cru_tensor *z = cru_fc_apply(t, &m->query.classifier.head, features), *v = project(t, &m->query, features);
    m->labels = cru_index_host(t, best_candidate(t, cru_softmax(t, z, 1), batch));
    cru_tensor *near = cru_softmax(t, cru_matmul_op(t, cru_detach(t, v), m->prototypes, CRU_NT), 1);
    move_prototypes(l, m, t, v);
    m->k = keys_of(l, m, t, &batch->strong);
    cru_tensor *q = cru_gather(t, m->q, batch->rows);
    if (l->epoch >= s->prot_start) {
        cru_tensor *meant = cru_one_hot(t, best_candidate(t, near, batch), l->task->classes);
        q = cru_lerp(t, meant, q, confidence_momentum(l));
        cru_put_rows(t, m->q, batch->rows, q);
    }
    cru_tensor *contrasted = contrast(l, m, t, v);
    return cru_plus(t, cru_soft_cross_entropy(t, z, q), s->loss_weight, contrasted);
}

/* Only now: the gradient of the contrast was taken with the queue as it was. */
static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)l;
    model *m = self;
    const int64_t size = cru_tensor_rows(m->queue);
    int32_t *ids = cru_tape_alloc(t, batch->count, sizeof *ids);
    for (int64_t i = 0; i < batch->count; i++) {
        ids[i] = (int32_t)((m->at + i) % size);
        m->queue_labels[ids[i]] = m->labels[i];
    }
    cru_put_rows(t, m->queue, cru_index_step(t, ids, batch->count), m->k);
    m->at = (m->at + batch->count) % size;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .backbone = CRU_AT(settings, backbone),
               .batch_loss = batch_loss, .after_step = after_step, .views = CRU_VIEW_STRONG),
    .name = "pico",
    .version = "2.0",
    .summary = "partial labels: momentum contrast and class prototypes",
    .citation = "Wang et al. PiCO: Contrastive Label Disambiguation for Partial Label Learning. ICLR 2022.",
    .problems = CRU_ROWS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
