// SPDX-License-Identifier: Apache-2.0
#include "fdetector.h"

#include <math.h>

#include "always-drop.h"

/* ---- signs ------------------------------------------------------------------------------------------------------- */

/* Which entries of a long row of them dropout takes: draws how far it is to the next one, not every one. */
typedef struct gaps {
    cru_rng rng;
    double log_kept; /* log(1 - p), 0: none is taken */
    int64_t left;    /* entries before the next one that is taken */
} gaps;

static void next_gap(gaps *g)
{
    const double gap = g->log_kept < 0 ? floor(log1p(-cru_rng_uniform(&g->rng)) / g->log_kept) : INFINITY;
    g->left = gap < (double)(INT64_MAX / 2) ? (int64_t)gap : INT64_MAX / 2;
}

/* Entry k of [a | b | a - b] */
static double entry(const float *a, const float *b, int64_t k)
{
    const int64_t j = k % SIGN_WIDTH;
    if (k < SIGN_WIDTH) return (double)a[j];
    return k < 2 * SIGN_WIDTH ? (double)b[j] : (double)a[j] - (double)b[j];
}

/* Drop([a | b | a - b]) W_f + b_f of one edge */
static double sign_input(const float *a, const float *b, const float *w, double p, gaps *drop)
{
    double sum = 0;
    for (int64_t k = 0; k < 3 * SIGN_WIDTH; k++) sum += entry(a, b, k) * (double)w[k];
    for (; drop->left < 3 * SIGN_WIDTH; drop->left++) {
        const int64_t k = drop->left;
        sum -= entry(a, b, k) * (double)w[k];
        next_gap(drop);
        drop->left += k;
    }
    drop->left -= 3 * SIGN_WIDTH;
    return sum / (1 - p) + (double)w[3 * SIGN_WIDTH];
}

/* sgn(tanh([a | b | a - b] W_f + b_f)) of every edge, a of its source, b of its target. Signs have no gradient, so they
 * are made one by one, not as a matrix of all edges. */
static cru_tensor *edge_signs(cru_learner *l, const fdetector *m, cru_tape *t, int64_t type)
{
    const cru_csr *g = &m->type[type].adj->csr;
    const bool training = cru_tape_mode(t) == CRU_TRAIN;
    const double p = training || m->always ? m->dropout : 0;
    const float *code = cru_tensor_host(t, cru_fc_input(t, &m->node, &l->x));
    float w[3 * SIGN_WIDTH + 1], *sign = cru_tape_alloc(t, cru_csr_nnz(g), sizeof *sign);
    cru_tensor_download(t, m->sign.w, w);
    cru_tensor_download(t, m->sign.b, w + 3 * SIGN_WIDTH);
    gaps drop = {.log_kept = log1p(-p)};
    drop.rng =
        cru_rng_stream(l->task->seed, training ? "signs" : "judged signs", (uint64_t)(l->epoch * m->types + type));
    next_gap(&drop);
    for (int64_t v = 0; v < g->rows; v++)
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            const double s = sign_input(code + (int64_t)g->ids[e] * SIGN_WIDTH, code + v * SIGN_WIDTH, w, p, &drop);
            sign[e] = (float)((s > 0) - (s < 0));
        }
    return cru_tensor_upload(t, cru_2d(cru_csr_nnz(g), 1), sign);
}

/* tanh(...) of the known edges, with gradients. */
static cru_tensor *known_scores(cru_learner *l, const fdetector *m, cru_tape *t, cru_ids edges)
{
    int32_t *u = cru_tape_alloc(t, edges.count, sizeof *u), *v = cru_tape_alloc(t, edges.count, sizeof *v);
    for (int64_t i = 0; i < edges.count; i++) {
        u[i] = m->known.source[edges.ids[i]];
        v[i] = m->known.target[edges.ids[i]];
    }
    cru_tensor *code = cru_fc_input(t, &m->node, &l->x);
    cru_tensor *a = cru_gather(t, code, cru_index_step(t, u, edges.count));
    cru_tensor *b = cru_gather(t, code, cru_index_step(t, v, edges.count));
    cru_tensor *z = cru_concat_cols(t, (cru_tensor *[]){a, b, cru_sub(t, a, b)}, 3);
    return cru_tanh(t, cru_fc_apply(t, &m->sign, cru_dropout(t, z, m->dropout)));
}

/* ---- logits ------------------------------------------------------------------------------------------------------ */

/* O_t: n x classes */
static cru_tensor *attend(cru_learner *l, const fdetector *m, cru_tape *t, int64_t type)
{
    const edge_type *e = &m->type[type];
    const int64_t n = l->task->nodes, c = l->task->classes;
    const bool recorded = cru_tape_record(t, false);
    cru_tensor *sign = edge_signs(l, m, t, type);
    cru_tape_record(t, recorded);
    cru_tensor *y = cru_fc_input(t, &e->in, &l->x), *heads = cru_as_matrix(t, y, n * m->heads, c);
    cru_tensor *w_source = cru_slice_rows(t, e->attention.w, 0, c),
               *w_target = cru_slice_rows(t, e->attention.w, c, 2 * c);
    cru_tensor *source = cru_as_matrix(t, cru_matmul(t, heads, w_source), n, m->heads);
    cru_tensor *target = cru_as_matrix(t, cru_linear(t, heads, w_target, e->attention.b), n, m->heads);
    cru_tensor *from = cru_mul(t, cru_edge_src(t, e->adj, source), sign), *to = cru_edge_dst(t, e->adj, target);
    cru_tensor *alpha = cru_edge_softmax(t, e->adj, cru_leaky_relu(t, cru_add(t, from, to), 0.01));
    cru_tensor *sum = cru_spmm_weighted(t, e->adj, cru_mul(t, alpha, sign), y);
    return cru_sum(t, cru_reshape(t, sum, cru_3d(n, m->heads, c)), 1);
}

cru_tensor *fdetector_logits(cru_learner *l, const fdetector *m, cru_tape *t)
{
    cru_tensor **part = cru_tape_alloc(t, m->types, sizeof *part);
    for (int64_t i = 0; i < m->types; i++) part[i] = attend(l, m, t, i);
    cru_tensor *all = cru_represent(t, cru_concat_cols(t, part, m->types));
    return cru_fc_apply(t, &m->out,
                        m->always ? always_drop(l, t, all, m->dropout, 0) : cru_dropout(t, all, m->dropout));
}

/* ---- losses ------------------------------------------------------------------------------------------------------ */

/* The rows of all training anomalies and of some normals, and their labels. */
static cru_tensor *both(cru_tape *t, const fdetector *m, cru_tensor *logits, cru_ids normals, cru_index *labels)
{
    const int64_t count = m->anomalies.count + normals.count;
    int32_t *ids = cru_tape_alloc(t, count, sizeof *ids), *label = cru_tape_alloc(t, count, sizeof *label);
    for (int64_t i = 0; i < count; i++) {
        label[i] = i < m->anomalies.count;
        ids[i] = label[i] ? m->anomalies.ids[i] : normals.ids[i - m->anomalies.count];
    }
    *labels = cru_index_step(t, label, count);
    return cru_gather(t, logits, cru_index_step(t, ids, count));
}

/* -|x_i - mean of the rows + 1e-6|: n x 1 */
static cru_tensor *nearness(cru_tape *t, cru_tensor *x, cru_tensor *logits, cru_ids rows)
{
    cru_tensor *mean = cru_mean(t, cru_gather(t, logits, cru_index_step(t, rows.ids, rows.count)), 0);
    cru_tensor *apart = cru_affine(t, cru_sub(t, x, mean), 1, 1e-6);
    return cru_as_matrix(t, cru_neg(t, cru_norm_l2(t, apart, 1, 0)), -1, 1);
}

cru_tensor *fdetector_loss(cru_learner *l, const fdetector *m, cru_tape *t, cru_tensor *logits,
                           const fdetector_draw *draw)
{
    cru_index labels;
    cru_tensor *nodes = both(t, m, logits, draw->normals, &labels);
    cru_tensor *loss = cru_cross_entropy(t, nodes, &(cru_targets){.labels = labels});
    if (draw->edges.count) { /* none in a training part whose anomalies have no normal neighbours there */
        float *same = cru_tape_alloc(t, draw->edges.count, sizeof *same);
        for (int64_t i = 0; i < draw->edges.count; i++) same[i] = m->known.same[draw->edges.ids[i]];
        cru_tensor *target = cru_tensor_upload(t, cru_2d(draw->edges.count, 1), same);
        cru_tensor *hit = cru_mul(t, known_scores(l, m, t, draw->edges), target);
        loss = cru_plus(t, loss, m->edge_weight, cru_mean(t, cru_relu(t, cru_affine(t, hit, -1, 1)), CRU_ALL));
    }
    cru_tensor *x = both(t, m, logits, draw->prototypes, &labels);
    cru_tensor *near[2];
    near[0] = nearness(t, x, logits, m->normals);
    near[1] = nearness(t, x, logits, m->anomalies);
    cru_tensor *prototype = cru_cross_entropy(t, cru_concat_cols(t, near, 2), &(cru_targets){.labels = labels});
    return cru_plus(t, loss, m->prototype_weight, prototype);
}
