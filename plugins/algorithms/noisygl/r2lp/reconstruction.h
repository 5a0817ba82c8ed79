// SPDX-License-Identifier: Apache-2.0
/* reconstruction.h: a graph in closed form from representations, which is never written down (Cheng et al., KDD 2024).
 *
 * With n x n products taken from the right, in O(n C^2), C classes. c = 1 / (alpha + beta), g = 1 - gamma, w the sum
 * over i <= orders of A^i / orders, A row-stochastic:
 *     R = (I / g^2 + c x^T x)^-1
 *     K(v) = g x (x^T v) + beta w v - gamma g H (x^T v) */
#ifndef PLUGINS_RECONSTRUCTION_H
#define PLUGINS_RECONSTRUCTION_H

#include <crucible/crucible.h>

typedef struct closed_form {
    double alpha, beta, gamma;
    int64_t orders;
    cru_sparse *walk; /* A */
} closed_form;

/* K(g c x - g c^2 x (R (x^T x))) + gamma H; x, H: n x C */
cru_tensor *reconstruct(cru_tape *t, const closed_form *f, cru_tensor *x, cru_tensor *h);

/* y + weight K(c y - c^2 x (R (x^T y))), where K has the first power of A / orders alone: labels y spread over the
 * reconstructed graph; y: n x C */
cru_tensor *spread_labels(cru_tape *t, const closed_form *f, cru_tensor *x, cru_tensor *h, cru_tensor *y,
                          double weight);

#endif
