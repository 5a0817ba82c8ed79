// SPDX-License-Identifier: Apache-2.0
/* poincare.h: points in the unit disc for the nodes of a graph, by one pass of stochastic gradients over its edges. */
#ifndef IGL_POINCARE_H
#define IGL_POINCARE_H

#include <crucible/crucible.h>

enum { POINCARE_MOST = 64 }; /* negatives */

typedef struct poincare {
    const int32_t *labels; /* of every node; negative: unknown */
    double rate;
    int64_t negatives;
} poincare;

/* d(theta, x) = arccosh(1 + 2 |theta - x|^2 / ((1 - |theta|^2)(1 - |x|^2))) and its gradient in theta, 2 numbers; with
 * 1e-5 added to the divisors, as the reference does */
double poincare_distance(const double *theta, const double *x, double *gradient);

/* theta <- theta - rate (1 - |theta|^2)^2 / 4 factor gradient, drawn back into the disc */
void poincare_step(double *theta, const double *gradient, double factor, double rate);

/* For every edge u -> v: the end of the smaller class number (v on ties) steps with factor -1 along the gradient of its
 * distance from the other, as the reference has it; then u steps along those of its distances from random nodes, each
 * weighed by exp(-distance) among them. An unknown label is beyond all known ones. xy: n x 2, written; begins in
 * U(-0.001, 0.001). out_edges: row u lists where u points to. */
void poincare_embed(const cru_csr *out_edges, const poincare *options, cru_rng *rng, float *xy);

#endif
