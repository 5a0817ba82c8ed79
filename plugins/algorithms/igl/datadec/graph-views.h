// SPDX-License-Identifier: Apache-2.0
/* graph-views.h: the changed copies of a batch of graphs that datadec contrasts with the batch. */
#ifndef DATADEC_GRAPH_VIEWS_H
#define DATADEC_GRAPH_VIEWS_H

#include <crucible/crucible.h>

/* Nodes stay where they are, so that graphs keep their offsets; a node that is lost loses its edges. */
typedef struct graph_view {
    cru_csr edges;
    cru_input x;
} graph_view;

/* One of, at random: only edges among nodes that 1000 random walks of length 10 meet; without the edges of a share
 * `change` of the nodes; with that share of the columns 0; without that share of the edges. In this step. */
graph_view graph_view_draw(cru_tape *t, const cru_csr *g, const cru_input *x, double change, cru_rng *rng);

#endif
