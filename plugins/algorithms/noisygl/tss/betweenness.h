// SPDX-License-Identifier: Apache-2.0
/* betweenness.h: how much a node lies between the classes (TSS). */
#ifndef PLUGINS_BETWEENNESS_H
#define PLUGINS_BETWEENNESS_H

#include <crucible/crucible.h>

typedef struct labelled_nodes {
    cru_ids nodes;
    const int32_t *labels; /* one for each of them */
    int32_t classes;
} labelled_nodes;

/* With P = a (I - (1 - a) S)^-1 for a symmetric S, restart a, and I_c the nodes labelled c:
 *     b_c(i) = 1 / |I_c| sum over u in I_c and v not in I_c of P[u, i] P[i, v] / (P[u, v] + 1e-16)
 *     score(i) = sum_c b_c(i) / (max b_c - min b_c), infinite where that is 0
 * for all nodes i. A class that nobody has, or whose b_c is the same everywhere, adds nothing. */
void class_betweenness(cru_ctx *ctx, const cru_csr *s, const labelled_nodes *known, double restart, double *score);

#endif
