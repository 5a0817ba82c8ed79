// SPDX-License-Identifier: Apache-2.0
/* Graph attention with learned gates. */
#include <math.h>

#include <crucible/draft/nn.h>

#include "attention.h"

static cru_fc linear(cru_net *net, const char *name, int64_t in, int64_t out)
{
    const cru_init bias = {.kind = CRU_INIT_FAN_IN, .fan_in = in};
    return cru_fc_create_with(net, name, in, out, (cru_init){.kind = CRU_INIT_GLOROT_UNIFORM}, &bias);
}

gated_attention gated_attention_create(cru_net *net, const cru_csr *graph, const gated_shape *s)
{
    const int64_t out = s->heads * s->width;
    cru_ctx *ctx = cru_net_ctx(net);
    const cru_pool pool = cru_ctx_pool(ctx);
    const cru_csr bare = cru_graph_loops(pool, graph, CRU_LOOPS_REMOVE), pattern = cru_csr_pattern(&bare);
    const cru_csr agg = cru_graph_normalise(pool, &pattern, s->mean ? CRU_NORM_ROW : CRU_NORM_NONE);
    const cru_csr with_self = cru_graph_loops(pool, &pattern, CRU_LOOPS_SET);
    float *degree = cru_ctx_alloc(ctx, graph->rows, sizeof *degree);
    for (int64_t v = 0; v < graph->rows; v++) degree[v] = (float)(bare.offsets[v + 1] - bare.offsets[v]);
    gated_attention layer = {.heads = s->heads, .slope = s->slope};
    layer.left = linear(net, "lin_l", s->in, out);
    layer.right = linear(net, "lin_r", s->in, out);
    layer.value = linear(net, "lin_v", s->in, out);
    layer.a = cru_net_weight(net, "lmbda", cru_1d(1), (cru_init){.kind = CRU_INIT_CONSTANT, .a = log10(6)});
    layer.b = cru_net_weight(net, "lmbda2", cru_1d(1), (cru_init){.kind = CRU_INIT_CONSTANT, .a = 2.2 - log10(6)});
    layer.att = cru_net_weight(net, "att", cru_1d(out), (cru_init){.kind = CRU_INIT_CONSTANT, .a = 1});
    layer.bias = cru_net_weight(net, "bias", cru_1d(out), (cru_init){0});
    layer.agg = cru_sparse_create(ctx, &agg);
    layer.with_self = cru_sparse_create(ctx, &with_self);
    layer.degree = cru_tensor_from(ctx, cru_2d(graph->rows, 1), degree);
    return layer;
}

/* sigmoid(10^x - 6), a scalar */
static cru_tensor *gate(cru_tape *t, cru_tensor *x)
{
    cru_tensor *power = cru_exp(t, cru_scale(t, cru_reshape(t, x, cru_0d()), log(10)));
    return cru_sigmoid(t, cru_affine(t, power, 1, -6));
}

typedef struct gates {
    cru_tensor *first, *second;
} gates;

static cru_tensor *convolved(cru_tape *t, const gated_attention *layer, gates g, cru_tensor *x)
{
    cru_tensor *sum = cru_add(t, x, cru_mul(t, cru_spmm(t, layer->agg, x), g.second));
    cru_tensor *count = cru_affine(t, cru_mul(t, layer->degree, g.second), 1, 1);
    return cru_mul(t, cru_div(t, sum, count), g.first);
}

cru_tensor *gated_attention_apply(cru_tape *t, const gated_attention *layer, cru_tensor *x)
{
    const int64_t entries = cru_csr_nnz(&layer->with_self->csr), heads = layer->heads;
    gates g = {.first = gate(t, layer->a)};
    g.second = gate(t, cru_affine(t, layer->b, -1, 2.2));
    cru_tensor *left = convolved(t, layer, g, cru_fc_apply(t, &layer->left, x));
    cru_tensor *right = convolved(t, layer, g, cru_fc_apply(t, &layer->right, x));
    cru_tensor *pairs = cru_leaky_relu(t, cru_edge_add(t, layer->with_self, right, left), layer->slope);
    cru_tensor *each = cru_as_matrix(t, cru_mul(t, pairs, layer->att), entries * heads, -1);
    cru_tensor *scores = cru_as_matrix(t, cru_sum(t, each, 1), entries, heads);
    cru_tensor *weights = cru_edge_softmax(t, layer->with_self, scores);
    cru_tensor *values = cru_fc_apply(t, &layer->value, x);
    return cru_add(t, cru_spmm_weighted(t, layer->with_self, weights, values), layer->bias);
}
