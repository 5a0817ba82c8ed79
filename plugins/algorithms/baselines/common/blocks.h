// SPDX-License-Identifier: Apache-2.0
/* blocks.h: what gat, gat-sep and gt share: attention over the in-edges inside residual blocks.
 *
 *     H = GELU(X W_in + b_in)      H <- Block(H), a few times      logits = Drop(H) W_o + b_o
 *
 * The architecture of Platonov et al. A critical look at the evaluation of GNNs under heterophily. ICLR 2023, without
 * its layer norm. */
#ifndef BASELINES_BLOCKS_H
#define BASELINES_BLOCKS_H

#include <crucible/crucible.h>

typedef struct blocks_settings {
    int64_t layers, hidden, heads, loops;
    double dropout;
    cru_node_batches nodes;
    cru_train train;
} blocks_settings;

extern const cru_param blocks_schema[];

/* The first member of a model. */
typedef struct blocks {
    cru_fc in, out;
} blocks;

/* The edges, without values, as the learner's graphs, and the outer layers. Heads that do not divide the width are a
 * fault, in the context. */
blocks blocks_create(cru_learner *l);

/* A linear layer of a block, "block<number>.<part>". */
cru_fc blocks_layer(cru_learner *l, int64_t number, const char *part, cru_dims shape, bool bias);

/* cru_method.forward of a model that begins with `blocks`, given what a block makes of H: a row for each of the
 * hop's. */
typedef cru_tensor *blocks_apply(cru_learner *l, cru_tape *t, int64_t number, const cru_hop *hop, cru_tensor *h);
cru_tensor *blocks_forward(cru_learner *l, cru_tape *t, const cru_graphs *g, blocks_apply *apply);

/* The first entries of CRU_METHOD. */
#define BLOCKS_HOOKS(build_, forward_) .build = (build_), .forward = (forward_), .nodes = CRU_AT(blocks_settings, nodes)

/* ---- additive attention ------------------------------------------------------------------------------------ */

/*     U = H W_1 + b_1
 *     e_uv,k = LeakyReLU(s_u,k + d_v,k)      s = U W_u + b_u      d = U W_v      (an edge u -> v, head k)
 *     alpha = softmax of e over the in-edges of v, per head
 *     M_v,j = sum_u alpha_uv,(j mod K) U_u,j      K heads, interleaved
 *     GELU(M W_a + b_a) W_b + b_b      apart: [U | M] in the place of M */
typedef struct additive_block {
    cru_fc in, source, target, first, second; /* W_1, W_u, W_v, W_a, W_b */
    bool apart;
} additive_block;

typedef struct additive_model {
    blocks blocks;
    additive_block block[CRU_MAX_LAYERS];
} additive_model;

/* In cru_method.build of an additive_model; and its cru_method.forward. */
void additive_build(cru_learner *l, additive_model *m, bool apart);
cru_tensor *additive_forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g);

#endif
