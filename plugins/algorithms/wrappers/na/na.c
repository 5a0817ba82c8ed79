// SPDX-License-Identifier: Apache-2.0
/* na: neighbourhood averaging: the scores of a method, averaged with those of the nearest nodes by features.
 *
 *     q_i = 1/2 (p_i + 1/k sum_{j in N_k(i)} p_j)
 *
 * N_k(i): the k nearest of all nodes by raw features, i itself among them; p: probabilities of the method inside. Half
 * of the published p_i + mean, which only ranks matter of, is a probability again. Scores of every epoch are averaged
 * before validation sees them; the loss is that of the method. k = 0 changes nothing. Equally near nodes win as in the
 * anomaly study's code (CRU_TIES_HEAP).
 *
 * Yang, Rahardja, Fränti. Neighborhood averaging for improving outlier detectors. arXiv 2303.09972, 2023; as in Tang,
 * Hua, Gao, Zhao, Li. GADBench. NeurIPS 2023. */
#include <string.h>

#include <crucible/crucible.h>

typedef struct settings {
    const char *of;
    int64_t k, distance;
} settings;

static const char *const distance_names[] = {"euclidean", "cosine", NULL};

static const cru_param schema[] = {
    CRU_WRAPPED(settings, of, "xgb-graph"),
    CRU_INT(settings, k, 5, 0, 1e6, "nearest nodes, itself among them", .search = CRU_UNIFORM(0, 50)),
    CRU_CHOICE(settings, distance, CRU_COSINE, distance_names, "between features"),
    CRU_END,
};

typedef struct state {
    cru_csr near; /* row i: N_k(i) */
    double *mean; /* of one row */
    double *old;  /* items x classes */
} state;

static void open(cru_wrapping *w)
{
    state *st = w->state;
    const settings *s = w->settings;
    const int64_t n = w->task->items;
    if (w->task->x.cols == 0) {
        cru_ctx_fail(w->ctx, CRU_UNSUPPORTED, "neighbours are found by features, and this task has none");
        return;
    }
    int32_t *all = cru_ctx_alloc(w->ctx, n, sizeof *all);
    for (int64_t i = 0; i < n; i++) all[i] = (int32_t)i;
    const cru_knn_options options = {.k = s->k, .distance = (cru_distance)s->distance, .ties = CRU_TIES_HEAP};
    if (s->k) st->near = cru_knn_among(cru_ctx_pool(w->ctx), &w->task->x, (cru_ids){all, n}, &options);
    st->mean = cru_ctx_alloc(w->ctx, w->task->classes, sizeof *st->mean);
    st->old = cru_ctx_alloc(w->ctx, n * w->task->classes, sizeof *st->old);
}

static void change(cru_wrapping *w, double *p)
{
    const state *st = w->state;
    const int64_t n = w->task->items, classes = w->task->classes;
    if (((const settings *)w->settings)->k == 0) return;
    memcpy(st->old, p, (size_t)(n * classes) * sizeof *p);
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = st->near.offsets[i], count = st->near.offsets[i + 1] - first;
        memset(st->mean, 0, (size_t)classes * sizeof *st->mean);
        for (int64_t e = first; e < first + count; e++)
            for (int64_t c = 0; c < classes; c++) st->mean[c] += st->old[st->near.ids[e] * classes + c];
        for (int64_t c = 0; c < classes; c++)
            p[i * classes + c] = (p[i * classes + c] + st->mean[c] / (double)count) / 2;
    }
}

CRU_PLUGIN = {
    CRU_WRAPPER(settings, schema, .state_size = sizeof(state), .open = open, .change = change),
    .name = "na",
    .version = "1.0",
    .summary = "scores of another method, averaged over nearest neighbours by features",
    .citation =
        "Yang, Rahardja, Fränti. Neighborhood averaging for improving outlier detectors. arXiv 2303.09972, 2023.",
    .problems = CRU_NODES | CRU_ANOMALY | CRU_ROWS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
