// SPDX-License-Identifier: Apache-2.0
#include "graph-encoder.h"

const char *const graph_backbone_names[] = {"gin", "gcn", "graphsage", "gat", NULL};

graph_backbone graph_backbone_of(const layer_choice *choice)
{
    return *choice->plugin ? BACKBONE_PLUGIN : (graph_backbone)choice->backbone;
}

const cru_encoder_kind *graph_backbone_kind(cru_ctx *ctx, const layer_choice *choice)
{
    const graph_backbone kind = graph_backbone_of(choice);
    if (kind == BACKBONE_GIN || kind == BACKBONE_GCN) return NULL;
    const cru_encoder_kind *offered = cru_encoder_of(ctx, choice->plugin);
    return offered ? offered : cru_encoder_kind_of(kind == BACKBONE_GAT ? CRU_ENCODER_GAT : CRU_ENCODER_SAGE);
}

graph_encoder graph_encoder_create(cru_net *net, graph_backbone kind, const cru_gin_shape *shape)
{
    return graph_encoder_create_of(net, &(layer_choice){kind, ""}, shape);
}

graph_encoder graph_encoder_create_of(cru_net *net, const layer_choice *choice, const cru_gin_shape *shape)
{
    const graph_backbone kind = graph_backbone_of(choice);
    graph_encoder encoder = {.kind = kind};
    if (kind == BACKBONE_GIN)
        encoder.gin = cru_gin_stack_create(net, "conv", shape);
    else if (kind == BACKBONE_GCN)
        encoder.gcn = cru_gcn_stack_create(net, "conv",
                                           &(cru_gcn_shape){.in = shape->in,
                                                            .hidden = shape->hidden,
                                                            .out = shape->out,
                                                            .layers = shape->layers,
                                                            .draw = CRU_DRAW_GLOROT,
                                                            .dropout = shape->dropout});
    else {
        cru_assert(shape->out == shape->hidden, "graph-encoder: these layers give what is hidden");
        encoder.other = cru_encoder_create_of(
            net, "conv", graph_backbone_kind(cru_net_ctx(net), choice),
            &(cru_encoder_shape){
                .in = shape->in, .hidden = shape->hidden, .layers = shape->layers, .dropout = shape->dropout});
    }
    return encoder;
}

cru_tensor *graph_encoder_nodes(cru_tape *t, const graph_encoder *encoder, const cru_csr *g, const cru_input *x)
{
    if (encoder->kind == BACKBONE_GIN) return cru_gin_stack_input(t, &encoder->gin, cru_sparse_step(t, g), x);
    if (encoder->kind != BACKBONE_GCN) {
        const cru_csr a = cru_encoder_graph(cru_tape_pool(t), &encoder->other, g);
        return cru_encoder_logits(t, &encoder->other, cru_sparse_step(t, &a), x);
    }
    const cru_csr s = cru_graph_gcn(cru_tape_pool(t), g, CRU_LOOPS_FILL);
    return cru_gcn_stack_input(t, &encoder->gcn, cru_sparse_step(t, &s), x);
}

cru_tensor *graph_encoder_graphs(cru_tape *t, const graph_encoder *encoder, const cru_graphs *graphs)
{
    if (encoder->kind == BACKBONE_GIN) return cru_gin_stack_input(t, &encoder->gin, graphs->adj, &graphs->x);
    return graph_encoder_nodes(t, encoder, &graphs->host, &graphs->x);
}

cru_tensor *graph_encoder_activated(cru_tape *t, const graph_encoder *encoder, const cru_graphs *graphs)
{
    cru_tensor *h = graph_encoder_graphs(t, encoder, graphs);
    return encoder->kind == BACKBONE_GCN ? cru_dropout(t, cru_relu(t, h), encoder->gcn.dropout) : h;
}
