// SPDX-License-Identifier: Apache-2.0
/* Graph networks that a method can exchange. */
#include <crucible/draft/nn.h>
#include <crucible/encoder.h>
#include <crucible/graph.h>

#include "nn/naming.h"

const char *const cru_encoder_names[] = {"gcn", "gat", "graphsage", "gin", NULL};

/* ---- kinds ------------------------------------------------------------------------------------------------ */

static void *gcn_create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    cru_gcn *layer = cru_ctx_alloc(cru_net_ctx(net), 1, sizeof *layer);
    *layer = cru_gcn_create(net, name, in, out);
    return layer;
}

static cru_tensor *gcn_apply(cru_tape *t, const void *layer, cru_sparse *adj, const cru_input *x)
{
    return cru_gcn_input(t, layer, adj, x);
}

static void *gat_create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    cru_gat *layer = cru_ctx_alloc(cru_net_ctx(net), 1, sizeof *layer);
    int64_t heads = 8;
    while (out % heads) heads /= 2;
    *layer = cru_gat_create(net, name,
                            &(cru_gat_shape){.in = in, .out = out / heads, .heads = heads, .attention_dropout = 0.6});
    return layer;
}

static cru_tensor *gat_apply(cru_tape *t, const void *layer, cru_sparse *adj, const cru_input *x)
{
    return cru_gat_input(t, layer, adj, x);
}

static void *sage_create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    cru_sage *layer = cru_ctx_alloc(cru_net_ctx(net), 1, sizeof *layer);
    *layer = cru_sage_create(net, name, in, out, CRU_REDUCE_MEAN);
    return layer;
}

/* The mean of x W instead of the mean of x: adj has rows that sum to 1. */
static cru_tensor *sage_apply(cru_tape *t, const void *self, cru_sparse *adj, const cru_input *x)
{
    const cru_sage *layer = self;
    cru_tensor *heard = cru_spmm(t, adj, cru_input_linear(t, x, layer->neighbour.w, NULL));
    cru_tensor *own = cru_fc_input(t, &layer->self, x);
    return cru_add(t, cru_add(t, heard, layer->neighbour.b), own);
}

static void *gin_create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    cru_gin *layer = cru_ctx_alloc(cru_net_ctx(net), 1, sizeof *layer);
    const cru_mlp_shape shape = {.in = in, .hidden = out, .out = out, .layers = 2, .batch_norm = true};
    *layer = cru_gin_create(net, name, &shape, false);
    return layer;
}

static cru_tensor *gin_apply(cru_tape *t, const void *layer, cru_sparse *adj, const cru_input *x)
{
    return cru_gin_input(t, layer, adj, x);
}

static const cru_encoder_kind kinds[] = {
    {"gcn", {CRU_LOOPS_ADD, CRU_NORM_SYM}, CRU_UNARY_RELU, gcn_create, gcn_apply},
    {"gat", {CRU_LOOPS_SET, CRU_NORM_NONE}, CRU_UNARY_ELU, gat_create, gat_apply},
    {"graphsage", {CRU_LOOPS_KEEP, CRU_NORM_ROW}, CRU_UNARY_RELU, sage_create, sage_apply},
    {"gin", {CRU_LOOPS_KEEP, CRU_NORM_NONE}, CRU_UNARY_RELU, gin_create, gin_apply},
};

const cru_encoder_kind *cru_encoder_kind_of(cru_encoder_choice choice)
{
    cru_assert(choice >= CRU_ENCODER_GCN && choice <= CRU_ENCODER_GIN, "encoder: no kind %d", (int)choice);
    return &kinds[choice];
}

/* ---- networks --------------------------------------------------------------------------------------------- */

cru_encoder cru_encoder_create_of(cru_net *net, const char *name, const cru_encoder_kind *kind,
                                  const cru_encoder_shape *shape)
{
    cru_assert(shape->layers >= 1 && shape->layers <= CRU_MAX_LAYERS, "encoder: %lld layers", (long long)shape->layers);
    cru_encoder e = {.kind = kind, .adjacency = kind->adjacency, .layers = shape->layers, .dropout = shape->dropout};
    for (int64_t i = 0; i < shape->layers; i++)
        e.layer[i] = kind->create(net, name_numbered(name, i).text, i ? shape->hidden : shape->in, shape->hidden);
    if (shape->out) e.head = cru_fc_create(net, "head", shape->hidden, shape->out);
    return e;
}

cru_csr cru_encoder_graph(cru_pool pool, const cru_encoder *encoder, const cru_csr *graph)
{
    const cru_csr looped = cru_graph_loops(pool, graph, (cru_loops)encoder->adjacency.loops);
    return cru_graph_normalise(pool, &looped, (cru_norm)encoder->adjacency.norm);
}

cru_gcn_pass cru_encoder_pass(cru_tape *t, const cru_encoder *e, cru_sparse *adj, const cru_input *x)
{
    if (e->gcn.layers) return cru_gcn_stack_pass(t, &e->gcn, adj, x);
    cru_gcn_pass pass = {0};
    cru_input in = *x;
    for (int64_t i = 0; i < e->layers; i++) {
        pass.hidden = cru_activate(t, e->kind->activation, e->kind->apply(t, e->layer[i], adj, &in));
        pass.out = cru_dropout(t, pass.hidden, e->dropout);
        in = cru_input_of(pass.out);
    }
    if (e->head.w) pass.out = cru_fc_apply(t, &e->head, pass.out);
    return pass;
}

cru_tensor *cru_encoder_logits(cru_tape *t, const cru_encoder *e, cru_sparse *adj, const cru_input *x)
{
    if (e->gcn.layers) return cru_gcn_stack_input(t, &e->gcn, adj, x);
    return cru_encoder_pass(t, e, adj, x).out;
}
