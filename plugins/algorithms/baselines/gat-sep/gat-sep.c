// SPDX-License-Identifier: Apache-2.0
/* gat-sep: graph attention whose blocks see a node and its neighbourhood apart.
 *
 *     H = GELU(X W_in + b_in)      H <- H + Block(H), a few times      logits = Drop(H) W_o + b_o
 *
 *     Block(H):  U = H W_1 + b_1
 *                e_uv,k = LeakyReLU(s_u,k + d_v,k)      s = U W_u + b_u      d = U W_v      (an edge u -> v, head k)
 *                alpha = softmax of e over the in-edges of v, per head
 *                M_v,j = sum_u alpha_uv,(j mod K) U_u,j      K heads, interleaved
 *                GELU([U | M] W_a + b_a) W_b + b_b
 *
 * gat with [U | M] in the place of M; a self-loop is an in-edge like any other. The loss weighs the rare class up.
 *
 * Platonov, Kuznedelev, Diskin, Babenko, Prokhorenkova. A critical look at the evaluation of GNNs under heterophily.
 * ICLR 2023; separation from Zhu et al. Beyond Homophily in Graph Neural Networks. NeurIPS 2020. */
#include "blocks.h"

static void build(cru_learner *l, void *self)
{
    additive_build(l, self, true);
}

CRU_PLUGIN = {
    CRU_METHOD(blocks_settings, blocks_schema, additive_model, BLOCKS_HOOKS(build, additive_forward)),
    .name = "gat-sep",
    .version = "1.0",
    .summary = "graph attention that keeps a node and its neighbourhood apart",
    .citation = "Platonov, Kuznedelev, Diskin, Babenko, Prokhorenkova. A critical look at the evaluation of GNNs under "
                "heterophily. ICLR 2023.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
