// SPDX-License-Identifier: Apache-2.0
/* tam: labelled nodes whose neighbours are not as usual for their class get another margin.
 *
 *     tau_c = phi (r_c + 1 - max r)      r_c = gamma n_c / sum n + 1 - gamma
 *     q = softmax(tau o), one-hot for labelled nodes; d_v = mean of q over in-neighbours and v
 *     M_c = mean of d_v over labelled v of class c; d and M at least 1e-6
 *     ACM_vj = min(1, d_v[y] / M_y[y] M_y[j] / d_v[j])
 *     ADM_vj = (JSD(d_v, M_y)^2 + D_yj^2 - JSD(d_v, M_j)^2) / (2 D_yj^2)      D_cj = max(JSD(M_c, M_j), 1e-6)
 *     loss = mean over labelled v of CE(o_v + alpha ln ACM_v - beta ADM_v, y)      at j = y: ACM 1, ADM 0
 *
 * for the logits o of a GCN or another `backbone`, after `warmup` epochs of plain cross-entropy. No gradient flows through the margins.
 *
 * Song, Park, Yang. TAM: Topology-Aware Margin Loss for Class-Imbalanced Node Classification. ICML 2022. */
#include <math.h>

#include <crucible/crucible.h>
#include <crucible/imbalance.h>

typedef struct settings {
    double alpha, beta, phi, gamma;
    int64_t warmup;
    cru_encoder_settings encoder;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, alpha, 2.5, 0, CRU_NO_MAX, "weight of unusual connections, ACM",
              .search = CRU_ONE_OF(0.25, 0.5, 1.5, 2.5)),
    CRU_FLOAT(settings, beta, 0.5, 0, CRU_NO_MAX, "weight of unusual distributions, ADM",
              .search = CRU_ONE_OF(0.125, 0.25, 0.5)),
    CRU_FLOAT(settings, phi, 1.2, 0, CRU_NO_MAX, "sharpness of predictions", .search = CRU_ONE_OF(0.8, 1.2)),
    CRU_FLOAT(settings, gamma, 0.4, 0, 1, "how much less sharp those of small classes are"),
    CRU_INT(settings, warmup, 5, 0, 1e9, "epochs without margins"),
    CRU_ENCODER_SETTINGS(settings, encoder, 2, 128, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_encoder encoder;
    cru_csr around; /* in-neighbours and the node itself */
    double *tau;    /* one per class */
    cru_ids *members;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    m->encoder = cru_learner_encoder(l, l->net, &s->encoder);
    m->around = cru_graph_loops(pool, &task->graph, CRU_LOOPS_SET);
    m->members = cru_class_members(pool, task);
    m->tau = cru_ctx_alloc(l->ctx, task->classes, sizeof *m->tau);
    double largest = 0;
    for (int32_t c = 0; c < task->classes; c++) {
        m->tau[c] = s->gamma * (double)m->members[c].count / fmax(1, (double)task->split.train.count) + 1 - s->gamma;
        largest = fmax(largest, m->tau[c]);
    }
    for (int32_t c = 0; c < task->classes; c++) m->tau[c] = s->phi * (m->tau[c] + 1 - largest);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_encoder_logits(t, &m->encoder, m->encoder.adj, &l->x);
}

/* nodes x classes: softmax(tau o), and the labels where they are known */
static double *predict(const cru_learner *l, const model *m, cru_tape *t, const cru_tensor *z)
{
    const cru_task *task = l->task;
    const int64_t k = task->classes;
    const float *o = cru_tensor_host(t, z);
    double *q = cru_tape_alloc(t, task->nodes * k, sizeof *q);
    for (int64_t v = 0; v < task->nodes; v++) {
        double top = -INFINITY, sum = 0;
        for (int64_t c = 0; c < k; c++) top = fmax(top, (double)o[v * k + c] * m->tau[c]);
        for (int64_t c = 0; c < k; c++) sum += q[v * k + c] = exp((double)o[v * k + c] * m->tau[c] - top);
        for (int64_t c = 0; c < k; c++) q[v * k + c] /= sum;
    }
    for (int64_t i = 0; i < task->split.train.count; i++) {
        const int32_t v = task->split.train.ids[i];
        for (int64_t c = 0; c < k; c++) q[v * k + c] = c == task->labels[v];
    }
    return q;
}

static double jsd(const double *p, const double *q, int64_t k)
{
    double sum = 0;
    for (int64_t c = 0; c < k; c++) {
        const double mid = (p[c] + q[c]) / 2;
        sum += (p[c] * log(p[c] / mid) + q[c] * log(q[c] / mid)) / 2;
    }
    return sum;
}

static void at_least(double *x, int64_t count, double floor)
{
    for (int64_t i = 0; i < count; i++) x[i] = fmax(x[i], floor);
}

/* d: labelled nodes x classes, M: classes x classes */
static void connect(const cru_learner *l, const model *m, const double *q, double *d, double *mean)
{
    const cru_task *task = l->task;
    const cru_ids train = task->split.train;
    const int64_t k = task->classes;
    for (int64_t i = 0; i < train.count; i++) {
        const int32_t v = train.ids[i], y = task->labels[v];
        const int64_t first = m->around.offsets[v], end = m->around.offsets[v + 1];
        for (int64_t e = first; e < end; e++)
            for (int64_t c = 0; c < k; c++) d[i * k + c] += q[m->around.ids[e] * k + c] / (double)(end - first);
        for (int64_t c = 0; c < k; c++) mean[y * k + c] += d[i * k + c] / (double)m->members[y].count;
    }
    at_least(d, train.count * k, 1e-6);
    at_least(mean, k * k, 1e-6);
}

/* labelled nodes x classes: alpha ln ACM - beta ADM */
static cru_tensor *margins(const cru_learner *l, const model *m, cru_tape *t, const cru_tensor *z)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const int64_t k = task->classes, count = task->split.train.count;
    double *d = cru_tape_alloc(t, count * k, sizeof *d), *mean = cru_tape_alloc(t, k * k, sizeof *mean);
    double *between = cru_tape_alloc(t, k * k, sizeof *between);
    float *margin = cru_tape_alloc(t, count * k, sizeof *margin);
    for (int64_t i = 0; i < count * k; i++) d[i] = 0;
    for (int64_t i = 0; i < k * k; i++) mean[i] = 0;
    connect(l, m, predict(l, m, t, z), d, mean);
    for (int64_t i = 0; i < k * k; i++) between[i] = fmax(jsd(&mean[i / k * k], &mean[i % k * k], k), 1e-6);
    for (int64_t i = 0; i < count; i++) {
        const int64_t y = task->labels[task->split.train.ids[i]];
        const double *at = &d[i * k], own = jsd(at, &mean[y * k], k);
        for (int64_t j = 0; j < k; j++) {
            const double far = between[y * k + j], other = jsd(at, &mean[j * k], k);
            const double acm = fmin(1, at[y] / mean[y * k + y] * (mean[y * k + j] / at[j]));
            const double adm = (own * own + far * far - other * other) / (2 * far * far);
            margin[i * k + j] = j == y ? 0 : (float)(s->alpha * log(acm) - s->beta * adm);
        }
    }
    return cru_tensor_upload(t, cru_2d(count, k), margin);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    const settings *s = l->settings;
    if (l->epoch < s->warmup) return cru_learner_loss(l, t, z);
    cru_tensor *adjusted = cru_add(t, cru_gather(t, z, l->train_rows), margins(l, self, t, z));
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
