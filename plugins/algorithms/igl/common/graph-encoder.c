// SPDX-License-Identifier: Apache-2.0
#include "graph-encoder.h"

const char *const graph_backbone_names[] = {"gin", "gcn", NULL};

graph_encoder graph_encoder_create(cru_net *net, graph_backbone kind, const cru_gin_shape *shape)
{
    graph_encoder encoder = {.kind = kind};
    if (kind == BACKBONE_GIN)
        encoder.gin = cru_gin_stack_create(net, "conv", shape);
    else
        encoder.gcn = cru_gcn_stack_create(net, "conv",
                                           &(cru_gcn_shape){.in = shape->in,
                                                            .hidden = shape->hidden,
                                                            .out = shape->out,
                                                            .layers = shape->layers,
                                                            .draw = CRU_DRAW_GLOROT,
                                                            .dropout = shape->dropout});
    return encoder;
}

cru_tensor *graph_encoder_nodes(cru_tape *t, const graph_encoder *encoder, const cru_csr *g, const cru_input *x)
{
    if (encoder->kind == BACKBONE_GIN) return cru_gin_stack_input(t, &encoder->gin, cru_sparse_step(t, g), x);
    const cru_csr s = cru_graph_gcn(cru_tape_pool(t), g, CRU_LOOPS_FILL);
    return cru_gcn_stack_input(t, &encoder->gcn, cru_sparse_step(t, &s), x);
}

cru_tensor *graph_encoder_graphs(cru_tape *t, const graph_encoder *encoder, const cru_graphs *graphs)
{
    if (encoder->kind == BACKBONE_GIN) return cru_gin_stack_input(t, &encoder->gin, graphs->adj, &graphs->x);
    return graph_encoder_nodes(t, encoder, &graphs->host, &graphs->x);
}
