// SPDX-License-Identifier: Apache-2.0
/* dirk: a teacher, the moving average of the student, gives rectified confidences; the student learns from them and
 * from a contrast weighed by their likeness.
 *
 * u: the teacher's probabilities of the distill view. Per row, with A = sum_{k in S} u_k:
 *
 *     part = u s / A      comp = u (1 - s) / sum_{k not in S} u_k
 *     alpha = max(comp)/A / (max(comp)/A + min_{k in S} part_k), or 1 where that is 0      r = alpha part + (1 - alpha) comp
 *     L = -(1/B) sum r log softmax(z_student(distill)) + weight L_cont
 *
 * L_cont contrasts the student's vectors of the strong view with G = [student; teacher of the weak view; queue]:
 * InfoNCE before prot_start, then with weights w_ij ~ exp(cos(D_i, D_j) / dist_temperature) over the j != i whose
 * candidates C_j meet C_i and whose D_j has the same largest class; D = [r; r; queue], C = [s; s; queue].
 *
 * Wu, Wang, Zhang. Distilling Reliable Knowledge for Instance-Dependent Partial Label Learning. AAAI 2024. */
#include "contrast.h"

typedef struct settings {
    int64_t prot_start, feat_dim, moco_queue;
    double momentum, weight, dist_temperature, feat_temperature;
    bool same_views;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, momentum, 0.99, 0, 1, "of the teacher", .search = CRU_ONE_OF(0.5, 0.9, 0.99)),
    CRU_INT(settings, moco_queue, 8192, 1, 1e7, "keys that are kept", .search = CRU_ONE_OF(4096, 8192)),
    CRU_INT(settings, feat_dim, 128, 1, 65536, "width of the projection", .search = CRU_ONE_OF(64, 128, 256)),
    CRU_INT(settings, prot_start, 178, 0, 1e9, "step from which confidences weigh the contrast"),
    CRU_FLOAT(settings, weight, 1, 0, CRU_NO_MAX, "weight of the contrast",
              .search = CRU_ONE_OF(0.1, 0.3, 0.5, 0.7, 0.9, 1)),
    CRU_FLOAT(settings, dist_temperature, 0.4, 1e-3, CRU_NO_MAX, "of the likeness of confidences",
              .search = CRU_ONE_OF(0.2, 0.4, 0.6)),
    CRU_FLOAT(settings, feat_temperature, 0.07, 1e-3, CRU_NO_MAX, "of the contrast",
              .search = CRU_ONE_OF(0.03, 0.05, 0.07, 0.09)),
    CRU_BOOL(settings, same_views, false, "run on rows, too, whose views are all the same"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_IMAGE_STEP_SETTINGS(settings, train),
    CRU_END,
};

/* Unit vectors, distributions and candidates of rows. */
typedef struct memory {
    cru_tensor *vectors, *dist, *sets;
} memory;

typedef struct model {
    encoder student, teacher;
    memory queue, now; /* kept; the teacher's of this step */
    int64_t at;        /* where the queue goes on */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t size = s->moco_queue, classes = l->task->classes;
    need_views(l, s->same_views);
    need_whole_batches(l, size, s->train.steps.batch_size);
    if (cru_ctx_status(l->ctx)) return;
    m->student = encoder_create(l->net, &l->network, s->feat_dim);
    m->teacher = encoder_second(l, "teacher", &s->backbone, s->feat_dim);
    l->optim = cru_learner_optim(l, &l->net, 1);
    cru_net *kept = cru_learner_net(l, "memory");
    m->queue.vectors = cru_net_buffer(kept, "queue", cru_2d(size, s->feat_dim), 0);
    m->queue.dist = cru_net_buffer(kept, "queue_dist", cru_2d(size, classes), 0);
    m->queue.sets = cru_net_buffer(kept, "queue_candidates", cru_2d(size, classes), 0);
    fill_normal(l, m->queue.vectors, "queue", true);
    fill_normal(l, m->queue.dist, "queue dist", false);
    fill_normal(l, m->queue.sets, "queue candidates", false);
}

static cru_tensor *column(cru_tape *t, cru_tensor *x)
{
    return cru_as_matrix(t, x, -1, 1);
}

static cru_tensor *rectified(cru_tape *t, cru_tensor *u, cru_tensor *sets)
{
    cru_tensor *off = cru_affine(t, sets, -1, 1), *in = cru_mul(t, u, sets), *out = cru_mul(t, u, off);
    cru_tensor *a = row_sums(t, in), *part = cru_div(t, in, a);
    cru_tensor *comp = cru_div(t, out, cru_affine(t, row_sums(t, out), 1, 1e-20));
    cru_tensor *high = cru_div(t, column(t, cru_max(t, comp, 1)), a);
    cru_tensor *low = column(t, cru_min(t, cru_add(t, off, part), 1));
    cru_tensor *alpha = cru_div(t, high, cru_add(t, high, low));
    alpha = cru_add(t, alpha, cru_affine(t, cru_sign(t, alpha), -1, 1)); /* 0 becomes 1 */
    return cru_add(t, comp, cru_mul(t, alpha, cru_sub(t, part, comp)));
}

static memory teach(const model *m, cru_tape *t, const cru_batch *batch)
{
    const bool recording = cru_tape_record(t, false);
    memory now = {.sets = batch->candidates};
    now.vectors = encoder_project(t, &m->teacher, encoder_features(t, &m->teacher, &batch->x));
    cru_tensor *z = cru_classifier_apply(t, &m->teacher.classifier, &batch->distill);
    now.dist = rectified(t, cru_softmax(t, z, 1), batch->candidates);
    cru_tape_record(t, recording);
    return now;
}

/* w, B x (2B + queue) */
static cru_tensor *likeness(const settings *s, const model *m, cru_tape *t)
{
    const memory *now = &m->now;
    cru_tensor *d = cru_concat_rows(t, (cru_tensor *[]){now->dist, now->dist, m->queue.dist}, 3);
    cru_tensor *c = cru_concat_rows(t, (cru_tensor *[]){now->sets, now->sets, m->queue.sets}, 3);
    const int64_t rows = cru_tensor_rows(now->dist), cols = cru_tensor_cols(d);
    cru_tensor *meet = cru_abs(t, cru_sign(t, cru_matmul_op(t, now->sets, c, CRU_NT)));
    cru_tensor *top = cru_one_hot(t, cru_argmax(t, d), cols);
    cru_tensor *same = cru_matmul_op(t, cru_slice_rows(t, top, 0, rows), top, CRU_NT);
    cru_tensor *mask = cru_mul(t, meet, same);
    mask = cru_mul(t, mask, off_diagonal(t, rows, cru_tensor_rows(d)));
    cru_tensor *unit = cru_normalize_l2(t, d, 1e-37);
    cru_tensor *e = cru_matmul_op(t, cru_slice_rows(t, unit, 0, rows), unit, CRU_NT);
    e = cru_scale(t, e, 1 / s->dist_temperature);
    e = cru_sub(t, e, column(t, cru_max(t, e, 1)));
    return cru_normalize_l1(t, cru_mul(t, mask, cru_exp(t, e)), 1e-37);
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = l->settings;
    m->now = teach(m, t, batch);
    cru_tensor *z = cru_learner_classify(l, t, &batch->distill);
    cru_tensor *v = encoder_project(t, &m->student, encoder_features(t, &m->student, &batch->strong));
    cru_tensor *loss = cru_soft_cross_entropy(t, z, m->now.dist), *contrast;
    if (l->epoch < s->prot_start)
        contrast = cru_info_nce_queue(t, v, m->now.vectors, m->queue.vectors, s->feat_temperature);
    else {
        cru_tensor *all = cru_concat_rows(t, (cru_tensor *[]){v, m->now.vectors, m->queue.vectors}, 3);
        contrast = weighted_contrast(t, all, likeness(s, m, t), s->feat_temperature, 1e-12);
    }
    return cru_plus(t, loss, s->weight, contrast);
}

/* Only now: the gradient of the contrast was taken with the queue as it was. */
static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_index rows = ring_rows(t, m->at, batch->count, s->moco_queue);
    cru_put_rows(t, m->queue.vectors, rows, m->now.vectors);
    cru_put_rows(t, m->queue.dist, rows, m->now.dist);
    cru_put_rows(t, m->queue.sets, rows, m->now.sets);
    m->at = (m->at + batch->count) % s->moco_queue;
    cru_net_ema(m->teacher.net, m->student.net, s->momentum);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .backbone = CRU_AT(settings, backbone), .build = build,
               .batch_loss = batch_loss, .after_step = after_step, .state = cru_no_state,
               .views = CRU_VIEW_STRONG | CRU_VIEW_DISTILL),
    .name = "dirk",
    .version = "1.0",
    .summary = "partial labels: a teacher's rectified confidences, and a contrast weighed by them",
    .citation = "Wu et al. Distilling Reliable Knowledge for Instance-Dependent Partial Label Learning. AAAI 2024.",
    .categories = "partial labels, holistic",
    OF_ROWS,
};
