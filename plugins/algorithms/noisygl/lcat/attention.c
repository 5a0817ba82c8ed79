// SPDX-License-Identifier: Apache-2.0
/* Graph attention with learned gates. */
#include "attention.h"

#include <math.h>

static cru_fc linear(cru_net *net, const char *name, int64_t in, int64_t out)
{
    const cru_init bias = {.kind = CRU_INIT_FAN_IN, .fan_in = in};
    return cru_fc_create_with(net, name, in, out, (cru_init){.kind = CRU_INIT_GLOROT_UNIFORM}, &bias);
}

/* d_i w_ij */
static cru_tensor *deep_scale(cru_ctx *ctx, const cru_csr *with_self)
{
    const int64_t *at = with_self->offsets;
    float *scale = cru_ctx_alloc(ctx, cru_csr_nnz(with_self), sizeof *scale);
    for (int64_t i = 0; i < with_self->rows; i++)
        for (int64_t e = at[i]; e < at[i + 1]; e++) {
            const int32_t j = with_self->ids[e];
            const double own = (double)(at[i + 1] - at[i]), other = (double)(at[j + 1] - at[j]);
            scale[e] = (float)(j == i ? own : sqrt(own / other));
        }
    return cru_tensor_from(ctx, cru_2d(cru_csr_nnz(with_self), 1), scale);
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
    gated_attention layer = {.heads = s->heads, .slope = s->slope, .keep = s->keep, .mix = s->mix};
    layer.left = linear(net, "lin_l", s->in, out);
    if (s->deep) {
        layer.scale = deep_scale(ctx, &with_self);
    } else {
        layer.right = linear(net, "lin_r", s->in, out);
        layer.value = linear(net, "lin_v", s->in, out);
        layer.bias = cru_net_weight(net, "bias", cru_1d(out), (cru_init){0});
    }
    layer.a = cru_net_weight(net, "lmbda", cru_1d(1), (cru_init){.kind = CRU_INIT_CONSTANT, .a = log10(6)});
    layer.b = cru_net_weight(net, "lmbda2", cru_1d(1), (cru_init){.kind = CRU_INIT_CONSTANT, .a = 2.2 - log10(6)});
    layer.att = cru_net_weight(net, "att", cru_1d(out), (cru_init){.kind = CRU_INIT_CONSTANT, .a = 1});
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

/* x' of a linear map of x */
static cru_tensor *convolved(cru_tape *t, const gated_attention *layer, gates g, cru_tensor *x)
{
    cru_tensor *sum = cru_add(t, x, cru_mul(t, cru_spmm(t, layer->agg, x), g.second));
    cru_tensor *count = cru_affine(t, cru_mul(t, layer->degree, g.second), 1, 1);
    return cru_mul(t, cru_div(t, sum, count), g.first);
}

/* softmax_j(e_ij): entries x heads */
static cru_tensor *attention(cru_tape *t, const gated_attention *layer, cru_tensor *right, cru_tensor *left)
{
    const int64_t entries = cru_csr_nnz(&layer->with_self->csr), heads = layer->heads;
    cru_tensor *pairs = cru_leaky_relu(t, cru_edge_add(t, layer->with_self, right, left), layer->slope);
    cru_tensor *each = cru_as_matrix(t, cru_mul(t, pairs, layer->att), entries * heads, -1);
    cru_tensor *scores = cru_as_matrix(t, cru_sum(t, each, 1), entries, heads);
    return cru_edge_softmax(t, layer->with_self, scores);
}

static cru_tensor *deep(cru_tape *t, const gated_attention *layer, cru_tensor *weights, cru_tensor *x)
{
    cru_tensor *near = cru_spmm_weighted(t, layer->with_self, cru_mul(t, weights, layer->scale), x);
    cru_tensor *y = cru_lerp(t, near, x, layer->keep);
    return cru_lerp(t, y, cru_matmul_op(t, y, layer->left.w, CRU_NT), layer->mix);
}

cru_tensor *gated_attention_apply(cru_tape *t, const gated_attention *layer, cru_tensor *x)
{
    gates g = {.first = gate(t, layer->a)};
    g.second = gate(t, cru_affine(t, layer->b, -1, 2.2));
    cru_tensor *left = convolved(t, layer, g, cru_fc_apply(t, &layer->left, x));
    if (layer->scale) return deep(t, layer, attention(t, layer, left, left), x);
    cru_tensor *right = convolved(t, layer, g, cru_fc_apply(t, &layer->right, x));
    cru_tensor *weights = attention(t, layer, right, left);
    cru_tensor *values = cru_fc_apply(t, &layer->value, x);
    return cru_add(t, cru_spmm_weighted(t, layer->with_self, weights, values), layer->bias);
}
