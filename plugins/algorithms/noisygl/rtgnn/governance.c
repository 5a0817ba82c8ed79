// SPDX-License-Identifier: Apache-2.0
/* Which labels to trust, and agreement. */
#include "governance.h"

#include <math.h>
#include <stdlib.h>

/* mean KL(p2 || p1) + mean KL(p1 || p2) */
static cru_tensor *apart(cru_tape *t, cru_tensor *const z[2])
{
    cru_tensor *p[2], *log_p[2];
    for (int i = 0; i < 2; i++) p[i] = cru_softmax(t, z[i], 1), log_p[i] = cru_log_softmax(t, z[i], 1);
    cru_tensor *first = cru_kl(t, p[1], log_p[0]);
    return cru_add(t, first, cru_kl(t, p[0], log_p[1]));
}

/* CE(z1) + CE(z2) per row */
static cru_tensor *both(cru_tape *t, cru_tensor *const z[2], cru_index labels)
{
    const cru_targets targets = {.labels = labels};
    cru_tensor *first = cru_cross_entropy_each(t, z[0], &targets);
    return cru_add(t, first, cru_cross_entropy_each(t, z[1], &targets));
}

/* m1 m2, and what both peers say, -1 where they differ: per row, host. */
typedef struct opinion {
    float *sure;
    int32_t *class;
} opinion;
static opinion opinions(cru_tape *t, cru_tensor *const z[2])
{
    const int64_t n = cru_tensor_rows(z[0]);
    opinion o = {cru_tape_alloc(t, n, sizeof *o.sure), cru_tape_alloc(t, n, sizeof *o.class)};
    const int32_t *says[2];
    const float *most[2];
    const bool was = cru_tape_record(t, false);
    for (int i = 0; i < 2; i++) {
        says[i] = cru_index_host(t, cru_argmax(t, z[i]));
        most[i] = cru_tensor_host(t, cru_max(t, cru_softmax(t, z[i], 1), 1));
    }
    cru_tape_record(t, was);
    for (int64_t i = 0; i < n; i++) {
        o.sure[i] = most[0][i] * most[1][i];
        o.class[i] = says[0][i] == says[1][i] ? says[0][i] : -1;
    }
    return o;
}

typedef struct ranked {
    float loss;
    int32_t item;
} ranked;

static int by_loss(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->loss < y->loss || y->loss < x->loss) return x->loss < y->loss ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* Which items have one of the smallest losses (n, host): those to trust. */
static uint8_t *trusted_items(cru_tape *t, const float *loss, int64_t n, const governance *g)
{
    ranked *order = cru_tape_alloc(t, n, sizeof *order);
    uint8_t *trusted = cru_tape_alloc(t, n, 1);
    double sum = 0;
    int64_t below = 0;
    for (int64_t i = 0; i < n; i++) order[i] = (ranked){loss[i], (int32_t)i}, sum += (double)loss[i];
    for (int64_t i = 0; i < n; i++) below += loss[i] < (float)(sum / (double)n); /* equals are not below themselves */
    qsort(order, (size_t)n, sizeof *order, by_loss);
    const double left_out = 0.5 / g->epochs * g->epoch; /* divided first, as in the benchmark: a floor is taken */
    const int64_t kept = (int64_t)(fmax(1 - left_out, (double)below / (double)n) * (double)n);
    for (int64_t i = 0; i < n; i++) trusted[order[i].item] = i < kept;
    return trusted;
}

/* The weight of every label, and which items are corrected to what: all for this step. */
typedef struct division {
    float *weight;
    int32_t *rows, *said;
    int64_t corrected;
} division;
static division divide(cru_tape *t, cru_tensor *const z[2], cru_index labels, const governance *g, cru_tensor *each)
{
    const int64_t n = labels.count;
    division d = {cru_tape_alloc(t, n, sizeof *d.weight), cru_tape_alloc(t, n, sizeof *d.rows),
                  cru_tape_alloc(t, n, sizeof *d.said), 0};
    const int32_t *label = cru_index_host(t, labels);
    const opinion o = opinions(t, z);
    const double least = 1 - (1 - fmin(0.5, g->least_margin)) * g->epoch / g->epochs;
    const uint8_t *trusted = trusted_items(t, cru_tensor_host(t, each), n, g);
    for (int64_t i = 0; i < n; i++) {
        const bool wrong = o.class[i] >= 0 && o.class[i] != label[i] && (double)o.sure[i] > least;
        const bool left_out = g->spare_first && i == 0;
        d.weight[i] = trusted[i] ? 1 : wrong || left_out ? 0 : (float)g->decay;
        if (!trusted[i] && !left_out && wrong) d.rows[d.corrected] = (int32_t)i, d.said[d.corrected++] = o.class[i];
    }
    return d;
}

/* sum of (m1 m2)^power (CE(z1, c) + CE(z2, c)) over the corrected items */
static cru_tensor *corrected_loss(cru_tape *t, cru_tensor *const z[2], const division *d, double power)
{
    const cru_index rows = cru_index_step(t, d->rows, d->corrected);
    cru_tensor *chosen[2], *most[2];
    for (int i = 0; i < 2; i++) {
        chosen[i] = cru_gather(t, z[i], rows);
        most[i] = cru_max(t, cru_softmax(t, chosen[i], 1), 1);
    }
    cru_tensor *sure = cru_pow(t, cru_mul(t, most[0], most[1]), power);
    cru_tensor *cost = both(t, chosen, cru_index_step(t, d->said, d->corrected));
    return cru_sum(t, cru_mul(t, sure, cost), CRU_ALL);
}

cru_tensor *labelled_loss(cru_tape *t, cru_tensor *const z[2], cru_index labels, const governance *g)
{
    const int64_t n = labels.count;
    cru_tensor *each = both(t, z, labels);
    if (g->epoch <= 0) return cru_mean(t, each, CRU_ALL);
    const division d = divide(t, z, labels, g, each);
    cru_tensor *sum = cru_sum(t, cru_mul(t, each, cru_tensor_upload(t, cru_1d(n), d.weight)), CRU_ALL);
    if (d.corrected) sum = cru_add(t, sum, corrected_loss(t, z, &d, 0.5 - 0.5 * g->epoch / g->epochs));
    return cru_plus(t, cru_scale(t, sum, 1 / (double)n), g->lambda, apart(t, z));
}

cru_ids agreed(cru_tape *t, cru_tensor *const z[2], cru_ids nodes, double least, int32_t **labels)
{
    const opinion o = opinions(t, z);
    int32_t *ids = cru_tape_alloc(t, nodes.count, sizeof *ids), *said = cru_tape_alloc(t, nodes.count, sizeof *said);
    int64_t count = 0;
    for (int64_t i = 0; i < nodes.count; i++) {
        const int32_t v = nodes.ids[i];
        if (o.class[v] >= 0 && (double)o.sure[v] > least * least) ids[count] = v, said[count++] = o.class[v];
    }
    *labels = said;
    return (cru_ids){ids, count};
}

cru_tensor *peers_loss(cru_tape *t, cru_tensor *const z[2], cru_index labels, double lambda)
{
    cru_tensor *plain = cru_mean(t, both(t, z, labels), CRU_ALL);
    return cru_plus(t, plain, lambda, apart(t, z));
}

cru_tensor *intra_view(cru_tape *t, const inflow *q, cru_tensor *const z[2], cru_index train)
{
    cru_tensor *all = cru_clamp(t, cru_sum(t, q->kept, CRU_ALL), 1, INFINITY), *sum = NULL;
    for (int i = 0; i < 2; i++) {
        cru_tensor *log_p = cru_log_softmax(t, z[i], 1), *held = cru_detach(t, log_p), *p = cru_exp(t, held);
        cru_tensor *own = cru_sum(t, cru_mul(t, p, held), 1); /* sum_k p log p, nodes */
        own = cru_spmm_weighted(t, q->into, q->kept, cru_as_matrix(t, own, -1, 1));
        cru_tensor *arriving = cru_spmm_weighted(t, q->into, q->kept, p); /* items x classes */
        cru_tensor *cross = cru_sum(t, cru_mul(t, arriving, cru_gather(t, log_p, train)), CRU_ALL);
        sum = cru_plus(t, sum, 1, cru_sub(t, cru_sum(t, own, CRU_ALL), cross));
    }
    cru_tensor *share = cru_mean(t, cru_sign(t, cru_edge_sum(t, q->into, q->kept)), CRU_ALL);
    return cru_mul(t, share, cru_div(t, sum, all));
}
