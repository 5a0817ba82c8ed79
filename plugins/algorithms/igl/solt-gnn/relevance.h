// SPDX-License-Identifier: Apache-2.0
/* relevance.h: what a part of a large graph recalls is nearer to the rest of this graph than to another one.
 *
 * Of every head i of a batch and another head j of it, drawn anew:
 *     nodes  parts: the first min(n_i, n_j) nodes; against a random node of i and one of j
 *     parts  parts: connected samples of K = floor(min(largest, n_i / 2)) nodes, represented without the rest of the
 *            graph, against the sum over the rest of i and over as many random nodes of j (or all) */
#ifndef IGL_RELEVANCE_H
#define IGL_RELEVANCE_H

#include "graph-encoder.h"
#include "pattern-memory.h"

/* Graphs, and what of them the losses use. */
typedef struct group {
    cru_ids ids;
    cru_graphs graphs;
    cru_tensor *nodes, *whole, *recalled; /* the representation of nodes and graphs, what the memory has for these */
} group;

/* What both losses ask, and where they draw from. */
typedef struct relevance {
    const graph_encoder *encoder;
    const pattern_memory *memory;
    int64_t largest; /* nodes in a sample */
    cru_rng *rng;
} relevance;

/* Scalars; the group has two heads or more, whose nodes are represented. */
cru_tensor *node_relevance(const relevance *r, cru_tape *t, const group *s);
cru_tensor *part_relevance(const relevance *r, cru_tape *t, const group *s);

#endif
