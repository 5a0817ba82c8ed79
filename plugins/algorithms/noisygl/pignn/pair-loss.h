// SPDX-License-Identifier: Apache-2.0
/* pair-loss.h: how well inner products tell neighbours from others (PI-GNN). */
#ifndef PLUGINS_PAIR_LOSS_H
#define PLUGINS_PAIR_LOSS_H

#include <crucible/crucible.h>

/* With n nodes, E entries of A and Y = A + I, and
 *     cost(s, y) = (n^2 - E) / E y log(1 + e^-s) + (1 - y) log(1 + e^s)
 * this is n^2 / (2 (n^2 - E)) mean_ij w_ij cost(<z_i, z_j>, Y_ij). w_ij is 1 or, with v, sigmoid(<v_i, v_j>) where
 * Y_ij = 1 and 1 less that elsewhere; no gradient goes to v. All pairs are summed in blocks, then those of Y corrected.
 * near: the pattern of Y; edges: E; z: n x c. */
typedef struct pair_graph {
    cru_sparse *near;
    int64_t edges;
} pair_graph;
cru_tensor *pair_loss(cru_tape *t, const pair_graph *g, cru_tensor *z, cru_tensor *v);

#endif
