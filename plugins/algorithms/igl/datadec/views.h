// SPDX-License-Identifier: Apache-2.0
/* views.h: the changed copies of a batch of graphs that datadec contrasts with the batch. */
#ifndef DATADEC_VIEWS_H
#define DATADEC_VIEWS_H

#include <crucible/crucible.h>

/* Nodes stay where they are, so that graphs keep their offsets; a node that is lost loses its edges. */
typedef struct view {
    cru_csr edges;
    cru_input x;
} view;

/* One of, at random: only edges among nodes that 1000 random walks of length 10 meet; without the edges of a share
 * `change` of the nodes; with that share of the columns 0; without that share of the edges. In this step. */
view view_draw(cru_tape *t, const cru_csr *g, const cru_input *x, double change, cru_rng *rng);

#endif
