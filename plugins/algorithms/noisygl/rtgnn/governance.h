// SPDX-License-Identifier: Apache-2.0
/* governance.h: which labels two peers trust, and how much they must agree (Qian et al., WSDM 2023).
 *
 * z1 and z2 are the peers' logits, p their softmax, m the largest of a row of p, KL(a || b) = sum_k a (log a - log
 * b). */
#ifndef PLUGINS_GOVERNANCE_H
#define PLUGINS_GOVERNANCE_H

#include <crucible/crucible.h>

typedef struct governance {
    double epoch, epochs; /* e, from 0, of E */
    double decay;         /* the weight of labels that are neither trusted nor corrected */
    double lambda;        /* of agreement */
    double least_margin;  /* bench: 1 / labelled nodes; paper: 1 / classes */
    bool spare_first;     /* bench: the first training item is never distrusted, only left out */
} governance;

/* Over the n training items, with l = CE(z1) + CE(z2) each. In the first epoch (e = 0) the mean of l; later
 *
 *     1/n (sum of l over the trusted + sum of (m1 m2)^(1/2 - e / 2E) (CE(z1, c) + CE(z2, c)) over the corrected
 *          + decay sum of l over the rest) + lambda (mean KL(p2 || p1) + mean KL(p1 || p2))
 *
 * Trusted are the floor(R n) smallest l, R = max(1 - e / 2E, share of l below their mean). Corrected are those of
 * the others where both peers say c, which is not the label, and m1 m2 > 1 - (1 - min(1/2, least_margin)) e / E. */
cru_tensor *labelled_loss(cru_tape *t, cru_tensor *const z[2], cru_index labels, const governance *g);

/* Those of `nodes` where both peers say the same and m1 m2 > least^2; *labels: what they say. z are of all nodes. For
 * this step. */
cru_ids agreed(cru_tape *t, cru_tensor *const z[2], cru_ids nodes, double least, int32_t **labels);

/* mean CE(z1) + mean CE(z2) + lambda (mean KL(p2 || p1) + mean KL(p1 || p2)) */
cru_tensor *peers_loss(cru_tape *t, cru_tensor *const z[2], cru_index labels, double lambda);

/* Training items should be predicted like the nodes that aggregate from them. Row j of `into` lists those of training
 * item j, of which an entry with kept = 1 counts, Q in all:
 *
 *     share of training items with any * sum over both peers of 1/Q sum over (j, i) KL(p_i || p_j)
 *
 * No gradient goes to p_i. (The column-normalised weights that the formula of the benchmark sums are that share.) */
typedef struct inflow {
    cru_sparse *into; /* training items x nodes */
    cru_tensor *kept; /* 0 or 1 per entry */
} inflow;
cru_tensor *intra_view(cru_tape *t, const inflow *q, cru_tensor *const z[2], cru_index train);

#endif
