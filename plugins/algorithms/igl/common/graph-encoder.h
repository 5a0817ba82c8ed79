// SPDX-License-Identifier: Apache-2.0
/* graph-encoder.h: the networks that methods over whole graphs may use to represent nodes.
 *
 *     gin              cru_gin_stack on the graph as it is
 *     gcn              cru_gcn_stack on S = D^-1/2 (A + I) D^-1/2: convolutions with ReLU and dropout between them
 *     graphsage, gat   layers of encoder.h, each of them activated and dropped
 *     a plugin's       likewise (encoder-plugin.h) */
#ifndef IGL_GRAPH_ENCODER_H
#define IGL_GRAPH_ENCODER_H

#include "layer-choice.h"

typedef enum graph_backbone {
    BACKBONE_GIN,
    BACKBONE_GCN,
    BACKBONE_SAGE,
    BACKBONE_GAT,
    BACKBONE_PLUGIN, /* not among the names */
} graph_backbone;
extern const char *const graph_backbone_names[]; /* "gin", "gcn", "graphsage", "gat", NULL */

/* Entries of a schema for a layer_choice among these. */
#define GRAPH_LAYER_CHOICE(type_, member_)                                                                             \
    LAYER_CHOICE(type_, member_, BACKBONE_GIN, graph_backbone_names, "the network that represents nodes")

graph_backbone graph_backbone_of(const layer_choice *choice);

/* The layers of encoder.h or of the plugin; NULL for gin and gcn. */
const cru_encoder_kind *graph_backbone_kind(cru_ctx *ctx, const layer_choice *choice);

typedef struct graph_encoder {
    graph_backbone kind;
    cru_gin_stack gin;
    cru_gcn_stack gcn;
    cru_encoder other;
} graph_encoder;

/* Layers conv0, conv1, ...; all but gin take in, hidden, out, layers and dropout of the shape alone, and all but gcn
 * besides an `out` equal to `hidden`. */
graph_encoder graph_encoder_create(cru_net *net, graph_backbone kind, const cru_gin_shape *shape);
graph_encoder graph_encoder_create_of(cru_net *net, const layer_choice *choice, const cru_gin_shape *shape);

/* nodes x out, of a graph that lives as long as the step; x: nodes x in */
cru_tensor *graph_encoder_nodes(cru_tape *t, const graph_encoder *encoder, const cru_csr *g, const cru_input *x);

/* graph_encoder_nodes of graphs whose matrix is in place. */
cru_tensor *graph_encoder_graphs(cru_tape *t, const graph_encoder *encoder, const cru_graphs *graphs);

/* graph_encoder_graphs, where gcn, too, is activated and dropped after its last layer. */
cru_tensor *graph_encoder_activated(cru_tape *t, const graph_encoder *encoder, const cru_graphs *graphs);

#endif
