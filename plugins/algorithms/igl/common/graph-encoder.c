// SPDX-License-Identifier: Apache-2.0
#include "graph-encoder.h"

const char *const graph_backbone_names[] = {"gin", "gcn", "graphsage", "gat", NULL};

graph_encoder graph_encoder_create(cru_net *net, graph_backbone kind, const cru_gin_shape *shape)
{
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
        const cru_encoder_choice choice = kind == BACKBONE_SAGE ? CRU_ENCODER_SAGE : CRU_ENCODER_GAT;
        cru_assert(shape->out == shape->hidden, "graph-encoder: %s gives what is hidden", graph_backbone_names[kind]);
        encoder.other = cru_encoder_create_of(
            net, "conv", cru_encoder_kind_of(choice),
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
