// SPDX-License-Identifier: Apache-2.0
/* prototypes.h: classes as the means of their nodes, and nodes as their places among these.
 *
 *     p_c = mean of e over the support of class c      g(q) = [q - p_0 | q - p_1 | ...] W + b
 *     scores of q = g(q) [g(p_0); g(p_1); ...] */
#ifndef IGL_PROTOTYPES_H
#define IGL_PROTOTYPES_H

#include <crucible/crucible.h>

typedef struct prototypes {
    cru_tensor *p;           /* classes x width */
    cru_tensor *sum, *shift; /* g(q) = q sum + shift */
    cru_tensor *own;         /* classes x classes: g(p) */
} prototypes;

/* Nodes with their classes. */
typedef struct support {
    int32_t *nodes, *classes;
    int64_t count;
} support;

prototypes prototypes_create(cru_tape *t, cru_tensor *e, const support *s, const cru_fc *distance);
cru_tensor *prototypes_place(cru_tape *t, const prototypes *p, cru_tensor *q);  /* g(q) */
cru_tensor *prototypes_scores(cru_tape *t, const prototypes *p, cru_tensor *q); /* g(q) g(p) */

/* Twice the mean cosine of two prototypes. */
cru_tensor *prototypes_overlap(cru_tape *t, const prototypes *p);
/* Mean over entries (v, u) of `edges` and classes of (g(e_u) / sqrt d_u - g(e_v) / sqrt d_v)^2; scale: n x 1, 1 / sqrt
 * d */
cru_tensor *prototypes_roughness(cru_tape *t, cru_tensor *placed, cru_sparse *edges, cru_tensor *scale);

/* `steps` times H_v <- sum over in-neighbours u of H_u / degree_u, n x classes. */
void propagate_labels(cru_pool pool, const cru_csr *g, double *h, int64_t classes, int64_t steps);
/* (largest - mean of the others) / mean of a row; NAN for a row of zeros. The class in *best. */
double label_confidence(const double *row, int64_t classes, int32_t *best);

#endif
