// SPDX-License-Identifier: Apache-2.0
/* Graph layers: gcn, sage, gin, cheb, propagation, relations. Formulas stand in nn.h. */
#include <math.h>

#include <crucible/draft/nn.h>
#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-sparse.h>
#include <crucible/nn.h>

#include "nn/naming.h"

static const cru_init glorot = {.kind = CRU_INIT_GLOROT_UNIFORM}, zeros = {.kind = CRU_INIT_ZEROS};

/* ---- gcn ------------------------------------------------------------------------------------------------- */

cru_gcn cru_gcn_create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    cru_fc dense = cru_fc_create_with(net, name, in, out, glorot, &zeros);
    return (cru_gcn){.w = dense.w, .b = dense.b};
}

static cru_tensor *with_bias(cru_tape *t, cru_tensor *x, cru_tensor *b)
{
    return b ? cru_add(t, x, b) : x;
}

cru_tensor *cru_gcn_input_then(cru_tape *t, const cru_gcn *layer, cru_sparse *adj, const cru_input *x,
                               const cru_then *then)
{
    cru_then rest = *then;
    rest.bias = layer->b;
    cru_tensor *spread = cru_input_spread(t, x, adj);
    if (spread) return cru_linear_then(t, spread, layer->w, &rest);
    bool widens = x->dense && cru_tensor_cols(layer->w) > cru_tensor_rows(layer->w);
    if (widens) return cru_linear_then(t, cru_spmm(t, adj, x->dense), layer->w, &rest);
    return cru_spmm_then(t, adj, cru_input_linear(t, x, layer->w, NULL), &rest);
}

cru_tensor *cru_gcn_input(cru_tape *t, const cru_gcn *layer, cru_sparse *adj, const cru_input *x)
{
    return cru_gcn_input_then(t, layer, adj, x, &(cru_then){0});
}

cru_tensor *cru_gcn_apply(cru_tape *t, const cru_gcn *layer, cru_sparse *adj, cru_tensor *x)
{
    cru_input in = cru_input_of(x);
    return cru_gcn_input(t, layer, adj, &in);
}

cru_gcn_stack cru_gcn_stack_create(cru_net *net, const char *name, const cru_gcn_shape *shape)
{
    cru_assert(shape->layers >= 1 && shape->layers <= CRU_MAX_LAYERS, "gcn: %lld layers", (long long)shape->layers);
    cru_gcn_stack stack = {.layers = shape->layers, .dropout = shape->dropout};
    for (int64_t i = 0; i < shape->layers; i++) {
        const int64_t in = i ? shape->hidden : shape->in, out = i < shape->layers - 1 ? shape->hidden : shape->out;
        cru_fc dense = cru_fc_create_drawn(net, name_numbered(name, i).text, in, out, shape->draw, !shape->no_bias);
        stack.layer[i] = (cru_gcn){.w = dense.w, .b = dense.b};
    }
    return stack;
}

cru_gcn_pass cru_gcn_stack_pass(cru_tape *t, const cru_gcn_stack *stack, cru_sparse *adj, const cru_input *x)
{
    cru_gcn_pass pass = {.out = cru_gcn_input(t, &stack->layer[0], adj, x)};
    for (int64_t i = 1; i < stack->layers; i++) {
        pass.hidden = cru_relu(t, pass.out);
        pass.out = cru_gcn_apply(t, &stack->layer[i], adj, cru_dropout(t, pass.hidden, stack->dropout));
    }
    if (pass.hidden) cru_represent(t, pass.hidden);
    return pass;
}

cru_tensor *cru_gcn_stack_over(cru_tape *t, const cru_gcn_stack *stack, cru_sparse *const *adj, const cru_input *x)
{
    const cru_then between = {.act = CRU_UNARY_RELU, .dropout = stack->dropout};
    cru_input in = *x;
    for (int64_t i = 0; i < stack->layers - 1; i++)
        in = cru_input_of(cru_gcn_input_then(t, &stack->layer[i], adj[i], &in, &between));
    if (stack->layers > 1) cru_represent(t, in.dense);
    return cru_gcn_input(t, &stack->layer[stack->layers - 1], adj[stack->layers - 1], &in);
}

cru_tensor *cru_gcn_stack_rows(cru_tape *t, const cru_gcn_stack *stack, cru_sparse *adj, cru_sparse *last,
                               const cru_input *x)
{
    cru_sparse *each[CRU_MAX_LAYERS];
    for (int64_t i = 0; i < stack->layers; i++) each[i] = i < stack->layers - 1 ? adj : last;
    return cru_gcn_stack_over(t, stack, each, x);
}

cru_tensor *cru_gcn_stack_input(cru_tape *t, const cru_gcn_stack *stack, cru_sparse *adj, const cru_input *x)
{
    return cru_gcn_stack_rows(t, stack, adj, adj, x);
}

/* ---- sage ------------------------------------------------------------------------------------------------ */

cru_sage cru_sage_create(cru_net *net, const char *name, int64_t in, int64_t out, cru_reduce op)
{
    cru_init init = {.kind = CRU_INIT_FAN_IN, .fan_in = in};
    return (cru_sage){.neighbour = cru_fc_create_with(net, name_of(name, "lin_l").text, in, out, init, &init),
                      .self = cru_fc_create_with(net, name_of(name, "lin_r").text, in, out, init, NULL),
                      .op = op};
}

cru_tensor *cru_sage_apply(cru_tape *t, const cru_sage *layer, cru_sparse *adj, cru_tensor *x)
{
    cru_tensor *neighbours = cru_aggregate(t, adj, x, layer->op);
    cru_tensor *self = cru_fc_apply(t, &layer->self, x);
    return cru_add(t, cru_fc_apply(t, &layer->neighbour, neighbours), self);
}

cru_sage_cat cru_sage_cat_create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    const cru_init normal = {.kind = CRU_INIT_NORMAL, .b = 1};
    cru_sage_cat layer;
    layer.own = cru_fc_create_with(net, name_of(name, "own").text, in, out, normal, NULL);
    layer.others = cru_fc_create_with(net, name_of(name, "others").text, in, out, normal, NULL);
    return layer;
}

cru_tensor *cru_sage_cat_input(cru_tape *t, const cru_sage_cat *layer, cru_sparse *adj, const cru_input *x)
{
    cru_tensor *others = cru_spmm(t, adj, cru_input_linear(t, x, layer->others.w, NULL));
    return cru_add(t, cru_input_linear(t, x, layer->own.w, NULL), others);
}

/* ---- gin ------------------------------------------------------------------------------------------------- */

cru_gin cru_gin_create(cru_net *net, const char *name, const cru_mlp_shape *shape, bool learn_eps)
{
    cru_gin layer = {.mlp = cru_mlp_create(net, name_of(name, "nn").text, shape)};
    if (learn_eps) layer.eps = cru_net_weight(net, name_of(name, "eps").text, cru_0d(), zeros);
    return layer;
}

/* What a layer goes over: `own` has the place of each row among the columns; NULL: row v is column v. */
typedef struct gin_reach {
    cru_sparse *adj;
    const cru_index *own;
    bool max;
} gin_reach;

/* (1 + eps) x + A x, or with the largest neighbours */
static cru_tensor *gin_sum(cru_tape *t, const cru_gin *layer, const gin_reach *r, cru_tensor *x)
{
    cru_tensor *own = r->own ? cru_gather(t, x, *r->own) : x;
    cru_tensor *sum = cru_add(t, own, r->max ? cru_aggregate(t, r->adj, x, CRU_REDUCE_MAX) : cru_spmm(t, r->adj, x));
    return layer->eps ? cru_add(t, sum, cru_mul(t, own, layer->eps)) : sum;
}

cru_tensor *cru_gin_apply(cru_tape *t, const cru_gin *layer, cru_sparse *adj, cru_tensor *x)
{
    return cru_mlp_apply(t, &layer->mlp, gin_sum(t, layer, &(gin_reach){.adj = adj}, x));
}

static cru_tensor *gin_reaching(cru_tape *t, const cru_gin *layer, const gin_reach *r, const cru_input *x)
{
    const cru_fc *first = &layer->mlp.layer[0];
    if (x->dense || r->max) return cru_mlp_apply(t, &layer->mlp, gin_sum(t, layer, r, cru_input_dense(t, x)));
    cru_assert(!layer->mlp.input_dropout, "gin: dropout of a sparse input is the caller's");
    cru_tensor *h = gin_sum(t, layer, r, cru_input_linear(t, x, first->w, NULL));
    return cru_mlp_after_first(t, &layer->mlp, with_bias(t, h, first->b));
}

cru_tensor *cru_gin_input(cru_tape *t, const cru_gin *layer, cru_sparse *adj, const cru_input *x)
{
    return gin_reaching(t, layer, &(gin_reach){.adj = adj}, x);
}

/* Layer i ends in its perceptron. */
static bool is_bare(const cru_gin_stack *stack, int64_t i)
{
    return stack->bare_last && i == stack->layers - 1;
}

cru_gin_stack cru_gin_stack_create(cru_net *net, const char *name, const cru_gin_shape *shape)
{
    cru_assert(shape->layers >= 1 && shape->layers <= CRU_MAX_LAYERS, "gin: %lld layers", (long long)shape->layers);
    cru_gin_stack stack = {.layers = shape->layers,
                           .outer_norm = shape->outer_norm,
                           .bare_last = shape->bare_last,
                           .max = shape->max,
                           .act = shape->act == CRU_UNARY_COPY ? CRU_UNARY_RELU : shape->act,
                           .dropout = shape->dropout};
    for (int64_t i = 0; i < shape->layers; i++) {
        const tensor_name own = name_numbered(name, i);
        const cru_mlp_shape mlp = {.in = i ? shape->hidden : shape->in,
                                   .hidden = shape->hidden,
                                   .out = i < shape->layers - 1 ? shape->hidden : shape->out,
                                   .layers = shape->mlp_layers,
                                   .act = shape->act,
                                   .batch_norm = true};
        stack.layer[i] = cru_gin_create(net, own.text, &mlp, shape->learn_eps);
        if (shape->outer_norm && !is_bare(&stack, i))
            stack.norm[i] = cru_batch_norm_create(net, name_of(own.text, "norm").text, mlp.out);
    }
    return stack;
}

cru_tensor *cru_gin_stack_input(cru_tape *t, const cru_gin_stack *stack, cru_sparse *adj, const cru_input *x)
{
    cru_sparse *same[CRU_MAX_LAYERS];
    for (int64_t i = 0; i < stack->layers; i++) same[i] = adj;
    return cru_gin_stack_over(t, stack, same, NULL, x);
}

cru_tensor *cru_gin_stack_over(cru_tape *t, const cru_gin_stack *stack, cru_sparse *const *adj, const cru_index *own,
                               const cru_input *x)
{
    cru_input in = *x;
    for (int64_t i = 0; i < stack->layers; i++) {
        const gin_reach reach = {adj[i], own ? &own[i] : NULL, stack->max};
        const bool bare = is_bare(stack, i);
        if (bare && i) cru_represent(t, own ? cru_gather(t, in.dense, own[i]) : in.dense);
        cru_tensor *h = gin_reaching(t, &stack->layer[i], &reach, &in);
        if (stack->outer_norm && !bare) h = cru_batch_norm_apply(t, &stack->norm[i], h);
        if (!bare) h = cru_dropout(t, cru_activate(t, stack->act, h), stack->dropout);
        in = cru_input_of(h);
    }
    return in.dense;
}

/* ---- cheb ------------------------------------------------------------------------------------------------ */

cru_cheb cru_cheb_create(cru_net *net, const char *name, int64_t in, int64_t out, int64_t order)
{
    cru_assert(order >= 1 && order <= CRU_MAX_LAYERS, "cheb: %lld terms; 1 to %d are possible", (long long)order,
               CRU_MAX_LAYERS);
    cru_cheb layer = {.order = order};
    for (int64_t k = 0; k < order; k++)
        layer.w[k] = cru_net_weight(net, name_of_number(name, "lins", k).text, cru_2d(in, out), glorot);
    layer.b = cru_net_weight(net, name_of(name, "bias").text, cru_1d(out), zeros);
    return layer;
}

/* T_0 = x, T_1 = L x, T_k = 2 L T_k-1 - T_k-2 */
cru_tensor *cru_cheb_apply(cru_tape *t, const cru_cheb *layer, cru_sparse *laplacian, cru_tensor *x)
{
    cru_tensor *before = NULL, *now = x, *sum = cru_linear(t, x, layer->w[0], layer->b);
    for (int64_t k = 1; k < layer->order; k++) {
        cru_tensor *next = cru_spmm(t, laplacian, now);
        if (k > 1) next = cru_sub(t, cru_scale(t, next, 2), before);
        sum = cru_add(t, sum, cru_matmul(t, next, layer->w[k]));
        before = now;
        now = next;
    }
    return sum;
}

/* ---- propagation ----------------------------------------------------------------------------------------- */

cru_tensor *cru_propagate(cru_tape *t, cru_sparse *adj, cru_tensor *x, int64_t hops)
{
    for (int64_t k = 0; k < hops; k++) x = cru_spmm(t, adj, x);
    return x;
}

cru_tensor *cru_powers(cru_tape *t, cru_sparse *adj, cru_tensor *x, int64_t hops)
{
    cru_tensor *part[CRU_MAX_LAYERS + 1] = {x};
    cru_assert(hops >= 0 && hops <= CRU_MAX_LAYERS, "powers: %lld hops; up to %d are possible", (long long)hops,
               CRU_MAX_LAYERS);
    for (int64_t k = 0; k < hops; k++) part[k + 1] = cru_spmm(t, adj, part[k]);
    return cru_concat_cols(t, part, hops + 1);
}

cru_tensor *cru_hop_features(cru_tape *t, cru_sparse *adj, cru_tensor *x, int64_t hops, cru_reduce op)
{
    cru_tensor *part[CRU_MAX_LAYERS + 1] = {x};
    cru_assert(hops >= 0 && hops <= CRU_MAX_LAYERS, "hop features: %lld hops; up to %d are possible", (long long)hops,
               CRU_MAX_LAYERS);
    for (int64_t k = 0; k < hops; k++) part[k + 1] = cru_aggregate(t, adj, part[k], op);
    return cru_concat_cols(t, part, hops + 1);
}

cru_tensor *cru_appnp(cru_tape *t, cru_sparse *adj, cru_tensor *h, double alpha, int64_t hops)
{
    cru_tensor *z = h;
    for (int64_t k = 0; k < hops; k++) z = cru_lerp(t, cru_spmm(t, adj, z), h, alpha);
    return z;
}

/* ---- relations ------------------------------------------------------------------------------------------- */

cru_rgcn cru_rgcn_create(cru_net *net, const char *name, const cru_rgcn_shape *shape)
{
    bool shared = shape->bases > 0 && shape->bases < shape->relations;
    int64_t bases = shared ? shape->bases : shape->relations;
    cru_rgcn layer = {.relations = shape->relations, .in = shape->in, .out = shape->out};
    float bound = sqrtf(6.0f / (float)(shape->in + shape->out)); /* Glorot, of one relation's matrix */
    cru_init init = {.kind = CRU_INIT_UNIFORM, .a = -bound, .b = bound};
    int64_t basis[2] = {bases, shape->in * shape->out}, mix[2] = {shape->relations, bases};
    layer.basis = cru_net_weight(net, name_of(name, "weight").text, cru_nd(2, basis), init);
    if (shared) layer.coefficient = cru_net_weight(net, name_of(name, "coefficient").text, cru_nd(2, mix), glorot);
    layer.self = cru_net_weight(net, name_of(name, "self").text, cru_2d(shape->in, shape->out), init);
    layer.b = cru_net_weight(net, name_of(name, "bias").text, cru_1d(shape->out), zeros);
    return layer;
}

cru_tensor *cru_rgcn_apply(cru_tape *t, const cru_rgcn *layer, cru_sparse *const *adj, cru_tensor *x)
{
    cru_tensor *w = layer->coefficient ? cru_matmul(t, layer->coefficient, layer->basis) : layer->basis;
    cru_tensor *sum = cru_linear(t, x, layer->self, layer->b);
    for (int64_t r = 0; r < layer->relations; r++) {
        cru_tensor *own = cru_as_matrix(t, cru_slice_rows(t, w, r, r + 1), layer->in, layer->out);
        sum = cru_add(t, sum, cru_spmm(t, adj[r], cru_matmul(t, x, own)));
    }
    return sum;
}
