// SPDX-License-Identifier: Apache-2.0
/* cheb-net.h: the network of chebnet and pc-gnn, one Chebyshev convolution between two linear layers.
 *
 *     H = act(X W_in + b_in)      logits = act([T_0 | ... | T_K-1] W_c + b_c) W_o + b_o
 *     T_0 = H      T_1 = -S H      T_i = -2 S T_i-1 - T_i-2      S = D^-1/2 A D^-1/2
 *
 * These are the Chebyshev polynomials of L - I, L = I - S, for a largest eigenvalue taken as 2. */
#ifndef GAD_CHEB_NET_H
#define GAD_CHEB_NET_H

#include <crucible/crucible.h>

typedef struct cheb_net {
    cru_fc in, conv, out;
    cru_sparse *s;
    int64_t terms; /* K, up to CRU_MAX_LAYERS */
    cru_unary act;
} cheb_net;

/* D holds the in-degrees of `graph`, 1 where there is no in-edge. */
cheb_net cheb_net_create(cru_learner *l, const cru_csr *graph, int64_t hidden, int64_t terms, cru_unary act);
cru_tensor *cheb_net_logits(cru_tape *t, const cheb_net *net, const cru_input *x);

#endif
