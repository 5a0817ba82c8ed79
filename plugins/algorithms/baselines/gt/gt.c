// SPDX-License-Identifier: Apache-2.0
/* gt: a transformer whose attention is restricted to the edges.
 *
 *     H = GELU(X W_in + b_in)      a few times: H <- H + Attn(H), H <- H + FF(H)      logits = Drop(H) W_o + b_o
 *
 *     Attn(H):  Q = H W_q + b_q      K = H W_k + b_k      V = H W_v + b_v      in heads of c columns side by side
 *               e_uv = < Q_u, K_v > / sqrt(c)      (an edge u -> v: the query is the source's)
 *               alpha = softmax of e over the in-edges of v, per head      (sum_u alpha_uv V_u) W_a + b_a
 *     FF(H):    GELU(H W_1 + b_1) W_2 + b_2
 *
 * No layer norm. The loss weighs the rare class up.
 *
 * Shi, Huang, Feng, Zhong, Wang, Sun. Masked Label Prediction. IJCAI 2021; in the form of Platonov et al. A critical
 * look at the evaluation of GNNs under heterophily. ICLR 2023. */
#include <math.h>

#include "blocks.h"

typedef struct block {
    cru_fc query, key, value, attended, first, second; /* W_q, W_k, W_v, W_a, W_1, W_2 */
} block;

typedef struct model {
    blocks blocks;
    block block[CRU_MAX_LAYERS];
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const blocks_settings *s = l->settings;
    const cru_dims square = cru_2d(s->hidden, s->hidden);
    m->blocks = blocks_create(l);
    for (int64_t i = 0; i < s->layers; i++)
        m->block[i] = (block){.query = blocks_layer(l, i, "query", square, true),
                              .key = blocks_layer(l, i, "key", square, true),
                              .value = blocks_layer(l, i, "value", square, true),
                              .attended = blocks_layer(l, i, "attended", square, true),
                              .first = blocks_layer(l, i, "first", square, true),
                              .second = blocks_layer(l, i, "second", square, true)};
}

static cru_tensor *attend(cru_learner *l, cru_tape *t, const block *b, const cru_hop *hop, cru_tensor *h)
{
    const blocks_settings *s = l->settings;
    cru_tensor *query = cru_fc_apply(t, &b->query, h), *key = cru_fc_apply(t, &b->key, cru_hop_own(t, hop, h));
    cru_tensor *value = cru_fc_apply(t, &b->value, h);
    cru_tensor *e = cru_sddmm(t, hop->adj, key, query, s->heads);
    e = cru_scale(t, e, 1 / sqrt((double)s->hidden / (double)s->heads));
    cru_tensor *alpha = cru_edge_softmax(t, hop->adj, e);
    return cru_fc_apply(t, &b->attended, cru_spmm_weighted(t, hop->adj, alpha, value));
}

static cru_tensor *apply(cru_learner *l, cru_tape *t, int64_t number, const cru_hop *hop, cru_tensor *h)
{
    const block *b = &((const model *)l->model)->block[number];
    h = cru_add(t, cru_hop_own(t, hop, h), attend(l, t, b, hop, h));
    return cru_add(t, h, cru_fc_apply(t, &b->second, cru_gelu(t, cru_fc_apply(t, &b->first, h))));
}

static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    (void)self;
    return blocks_forward(l, t, g, apply);
}

CRU_PLUGIN = {
    CRU_METHOD(blocks_settings, blocks_schema, model, BLOCKS_HOOKS(build, forward)),
    .name = "gt",
    .version = "1.0",
    .summary = "a transformer over the edges",
    .citation = "Shi, Huang, Feng, Zhong, Wang, Sun. Masked Label Prediction: Unified Message Passing Model for "
                "Semi-Supervised Classification. IJCAI 2021.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
