// SPDX-License-Identifier: Apache-2.0
#include "wavelet-net.h"

wavelet_net wavelet_net_create(cru_learner *l, const wavelet_settings *s)
{
    wavelet_net net = {0};
    const int64_t classes = l->task->classes;
    const bool deep = s->mlp_layers > 1;
    net.in = cru_mlp_create(l->net, "in",
                            &(cru_mlp_shape){.in = l->x.cols,
                                             .hidden = s->hidden,
                                             .out = s->hidden,
                                             .layers = 2,
                                             .act = cru_activations[s->activation]});
    net.wavelets = cru_wavelets_create(l->net, "wavelets", s->hidden, deep ? s->hidden : classes, s->order);
    if (deep) net.out = cru_fc_create(l->net, "out", s->hidden, classes);
    return net;
}

cru_tensor *wavelet_net_logits(cru_tape *t, const wavelet_net *net, cru_sparse *adj, const cru_input *x, double dropout)
{
    cru_tensor *h = cru_activate(t, net->in.act, cru_mlp_input(t, &net->in, x));
    cru_tensor *z = cru_wavelets_apply(t, &net->wavelets, adj, cru_dropout(t, h, dropout));
    return net->out.w ? cru_fc_apply(t, &net->out, cru_represent(t, cru_relu(t, z))) : z;
}
