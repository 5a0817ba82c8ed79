// SPDX-License-Identifier: Apache-2.0
#include "cheb-net.h"

#include <math.h>

static cru_sparse *normalised(cru_ctx *ctx, const cru_csr *graph)
{
    double *scale = cru_ctx_alloc(ctx, graph->rows, sizeof *scale);
    cru_csr_row_sums(graph, scale);
    for (int64_t v = 0; v < graph->rows; v++) scale[v] = scale[v] > 0 ? 1 / sqrt(scale[v]) : 1;
    cru_csr s = cru_csr_scale(cru_ctx_pool(ctx), graph, scale, scale);
    return cru_sparse_create(ctx, &s);
}

cheb_net cheb_net_create(cru_learner *l, const cru_csr *graph, int64_t hidden, int64_t terms, cru_unary act)
{
    cheb_net net = {.terms = terms, .act = act};
    net.s = normalised(l->ctx, graph);
    net.in = cru_fc_create(l->net, "in", l->x.cols, hidden);
    net.conv = cru_fc_create(l->net, "conv", terms * hidden, hidden);
    net.out = cru_fc_create(l->net, "out", hidden, l->task->classes);
    return net;
}

cru_tensor *cheb_net_logits(cru_tape *t, const cheb_net *net, const cru_input *x)
{
    cru_tensor *term[CRU_MAX_LAYERS];
    term[0] = cru_activate(t, net->act, cru_fc_input(t, &net->in, x));
    if (net->terms > 1) term[1] = cru_neg(t, cru_spmm(t, net->s, term[0]));
    for (int64_t i = 2; i < net->terms; i++)
        term[i] = cru_sub(t, cru_scale(t, cru_spmm(t, net->s, term[i - 1]), -2), term[i - 2]);
    cru_tensor *h = cru_activate(t, net->act, cru_fc_apply_parts(t, &net->conv, term, net->terms));
    return cru_fc_apply(t, &net->out, cru_represent(t, h));
}
