// SPDX-License-Identifier: Apache-2.0
/* wavelet-net.h: the network of bwgnn and ghrn.
 *
 *     H = act(act(X W_1 + b_1) W_2 + b_2)      Z = [W_0 H | ... | W_C H]: Beta wavelets (cru_wavelets)
 *     logits = ReLU(Z W_3 + b_3) W_4 + b_4      with mlp_layers = 1: Z W_3 + b_3 */
#ifndef GAD_WAVELET_NET_H
#define GAD_WAVELET_NET_H

#include <crucible/crucible.h>

typedef struct wavelet_settings {
    int64_t order, hidden, mlp_layers, activation;
} wavelet_settings;

/* Entries of a schema for a wavelet_settings member: `order`, `hidden`, `mlp_layers`, `activation`. */
#define WAVELET_SETTINGS(type_, member_)                                                                               \
    CRU_INT_KEY(type_, "order", member_.order, 2, 1, CRU_MAX_LAYERS, "C; there are C + 1 filters",                     \
                .search = CRU_ONE_OF(1, 2, 3, 4)),                                                                     \
        CRU_INT_KEY(type_, "hidden", member_.hidden, 32, 1, 65536, "width", .search = CRU_ONE_OF(16, 32, 64)),         \
        CRU_INT_KEY(type_, "mlp_layers", member_.mlp_layers, 2, 1, 2, "linear layers after the filters",               \
                    .search = CRU_ONE_OF(1, 2)),                                                                       \
        CRU_CHOICE_KEY(type_, "activation", member_.activation, 0, cru_activation_names,                               \
                       "before the filters; after them it is relu", .search = CRU_ANY_CHOICE)

typedef struct wavelet_net {
    cru_mlp in;
    cru_wavelets wavelets;
    cru_fc out; /* w is NULL when the filters are the last layer */
} wavelet_net;

wavelet_net wavelet_net_create(cru_learner *l, const wavelet_settings *s);
/* adj = D^-1/2 A D^-1/2; dropout before the filters */
cru_tensor *wavelet_net_logits(cru_tape *t, const wavelet_net *net, cru_sparse *adj, const cru_input *x,
                               double dropout);

#endif
