// SPDX-License-Identifier: Apache-2.0
/* label-propagation: no features, no gradients; labels spread along edges until they settle.
 *
 *     F_0 = Y      F_k+1 = alpha S F_k + (1 - alpha) Y      S = D^-1/2 A D^-1/2
 *
 * Y has a row of one for every training item: its observed class, or equal shares of its candidates. The score is the
 * logarithm of a row of F mixed with a little of the training part's class frequencies, which is all that is known of
 * a node that no label reaches.
 *
 * Zhou, Bousquet, Lal, Weston, Schölkopf. Learning with Local and Global Consistency. NIPS 2003.
 *
 * Also the example of an algorithm that fills the vtable itself, without train.h. */
#include <math.h>

#include <crucible/crucible.h>

typedef struct settings {
    double alpha;
    int64_t hops;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, alpha, 0.9, 0, 1, "share that comes from the neighbours", .search = CRU_UNIFORM(0.1, 1)),
    CRU_INT(settings, hops, 50, 0, 100000, "steps"),
    CRU_END,
};

typedef struct model {
    const settings *settings;
    const cru_task *task;
    cru_ctx *ctx;
    float *scores; /* items x classes */
} model;

static cru_status create(void **self, const cru_plugin *plugin, const void *settings_, const cru_task *task,
                         cru_ctx *ctx)
{
    cru_status status = cru_task_claim(task, plugin->problems, ctx);
    if (status) return status;
    model *m = cru_ctx_alloc(ctx, 1, sizeof *m);
    *m = (model){.settings = settings_,
                 .task = task,
                 .ctx = ctx,
                 .scores = cru_ctx_alloc(ctx, task->items * task->classes, sizeof(float))};
    *self = m;
    return CRU_OK;
}

/* Y: items x classes */
static cru_tensor *seeds(const model *m, cru_tape *t)
{
    const cru_task *task = m->task;
    const int64_t classes = task->classes;
    float *y = cru_ctx_alloc(m->ctx, task->items * classes, sizeof *y);
    for (int64_t i = 0; i < task->split.train.count; i++) {
        const int64_t item = task->split.train.ids[i];
        if (!task->candidates) {
            y[item * classes + task->labels[item]] = 1;
            continue;
        }
        const uint8_t *set = task->candidates + item * classes;
        int64_t size = 0;
        for (int64_t c = 0; c < classes; c++) size += set[c];
        for (int64_t c = 0; c < classes; c++) y[item * classes + c] = set[c] ? 1.0f / (float)size : 0;
    }
    return cru_tensor_upload(t, cru_2d(task->items, classes), y);
}

/* log((1 - e) F_i / |F_i| + e prior), or log prior where F_i is 0; the prior is smoothed, so that no class has 0 */
static void to_scores(model *m, const float *y, const float *f)
{
    enum { FEW = 1000000 };
    const int64_t n = m->task->items, classes = m->task->classes;
    double *prior = cru_ctx_alloc(m->ctx, classes, sizeof *prior);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < classes; c++) prior[c] += (double)y[i * classes + c];
    for (int64_t c = 0; c < classes; c++) prior[c] = (prior[c] + 1) / (double)(m->task->split.train.count + classes);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t c = 0; c < classes; c++) sum += (double)f[i * classes + c];
        const double e = sum > 0 ? 1.0 / FEW : 1;
        for (int64_t c = 0; c < classes; c++) {
            double share = sum > 0 ? (double)f[i * classes + c] / sum : 0;
            m->scores[i * classes + c] = (float)log((1 - e) * share + e * prior[c]);
        }
    }
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    model *m = self;
    cru_csr s = cru_graph_normalise(cru_ctx_pool(m->ctx), &m->task->graph, CRU_NORM_SYM);
    cru_tape *t = cru_tape_create(m->ctx);
    cru_tape_begin(t, CRU_EVAL);
    cru_tensor *y = seeds(m, t);
    cru_tensor *f = cru_appnp(t, cru_sparse_create(m->ctx, &s), y, 1 - m->settings->alpha, m->settings->hops);
    to_scores(m, cru_tensor_host(t, y), cru_tensor_host(t, f));
    cru_monitor_epoch(monitor, 0, NAN, m->scores); /* nothing to select from, so the verdict changes nothing */
    return cru_ctx_status(m->ctx);
}

static cru_status predict(void *self, float *scores)
{
    const model *m = self;
    for (int64_t i = 0; i < m->task->items * m->task->classes; i++) scores[i] = m->scores[i];
    return CRU_OK;
}

/* Nothing was learned that could be carried over: the labels spread once more. */
static cru_status widen(void *self, const cru_task *task)
{
    model *m = self;
    m->task = task;
    m->scores = cru_ctx_alloc(m->ctx, task->items * task->classes, sizeof *m->scores);
    return fit(m, NULL);
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = create, .fit = fit, .predict = predict, .widen = widen};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "label-propagation",
    .version = "1.0",
    .summary = "labels spread along edges; no features, no training",
    .citation = "Zhou, Bousquet, Lal, Weston, Schölkopf. Learning with Local and Global Consistency. NIPS 2003.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
