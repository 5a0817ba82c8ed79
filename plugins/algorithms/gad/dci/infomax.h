// SPDX-License-Identifier: Apache-2.0
/* infomax.h: the encoder of dci and the loss of its pre-training.
 *
 *     enc: H_0 = X      H_l = ReLU((H_l-1 + mean over in-neighbours of H_l-1) W_l + b_l)
 *
 *     P = enc(X)      N = enc(X with its rows permuted)      D(h, s) = h^T W_d s
 *     loss = 1/C sum over clusters c of mean_i in c softplus(-D(P_i, s)) + softplus(D(N_i, s)) */
#ifndef GAD_INFOMAX_H
#define GAD_INFOMAX_H

#include <crucible/crucible.h>

typedef struct infomax {
    cru_fc conv[CRU_MAX_LAYERS], head;
    cru_tensor *discriminator; /* W_d */
    cru_sparse *adj;           /* the mean over in-neighbours */
    int64_t layers, clusters;
    bool own_summary; /* s = sigmoid(mean of P over the node's cluster), not over all nodes */
} infomax;

cru_tensor *infomax_encode(cru_tape *t, const infomax *m, const cru_input *x);

/* permutation: the row of X that stands at each node; group: the cluster of each node, below m->clusters. Host. */
cru_tensor *infomax_loss(cru_tape *t, const infomax *m, const cru_input *x, const int32_t *permutation,
                         const int32_t *group);

#endif
