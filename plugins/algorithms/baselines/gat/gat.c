// SPDX-License-Identifier: Apache-2.0
/* gat: additive attention over the in-edges inside residual blocks.
 *
 *     H = GELU(X W_in + b_in)      H <- H + Block(H), a few times      logits = Drop(H) W_o + b_o
 *
 *     Block(H):  U = H W_1 + b_1
 *                e_uv,k = LeakyReLU(s_u,k + d_v,k)      s = U W_u + b_u      d = U W_v      (an edge u -> v, head k)
 *                alpha = softmax of e over the in-edges of v, per head
 *                M_v,j = sum_u alpha_uv,(j mod K) U_u,j      K heads, interleaved
 *                GELU(M W_a + b_a) W_b + b_b
 *
 * The architecture of Platonov et al. A critical look at the evaluation of GNNs under heterophily. ICLR 2023, without
 * its layer norm; attention from Velickovic et al. Graph Attention Networks. ICLR 2018. The loss weighs the rare class
 * up. */
#include "blocks.h"

static void build(cru_learner *l, void *self)
{
    additive_build(l, self, false);
}

CRU_PLUGIN = {
    CRU_METHOD(blocks_settings, blocks_schema, additive_model, BLOCKS_HOOKS(build, additive_forward)),
    .name = "gat",
    .version = "2.0",
    .summary = "graph attention in residual blocks",
    .citation = "Velickovic, Cucurull, Casanova, Romero, Lio, Bengio. Graph Attention Networks. ICLR 2018.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
