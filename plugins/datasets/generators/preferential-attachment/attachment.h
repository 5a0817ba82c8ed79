// SPDX-License-Identifier: Apache-2.0
/* attachment.h: the closed forms of preferential attachment with classes; preferential-attachment.c draws from them. */
#ifndef FORMATS_ATTACHMENT_H
#define FORMATS_ATTACHMENT_H

#include <stdbool.h>
#include <stdint.h>

/* classes x classes, zero on the diagonal. Classes sit on a circle; with dist = min(|a - b|, C - |a - b|),
 *     q = 1 / (1 + sum_{i=1}^{floor(C/2)-1} 2^{i+1}),     w(a, b) = q if dist = C/2, else 2^{C/2 - dist} q
 * The rows sum to 1 for even C only; `normalise` makes them sum to 1 always. */
void attachment_class_weights(int64_t classes, bool normalise, double *weight);

typedef struct attachment {
    const double *class_weight; /* classes x classes */
    int64_t classes;
    double mu;
} attachment;

/* What one edge end of a node of class `to` is worth to a newcomer of class `from`: a node is chosen in proportion to
 * its degree times this. */
double attachment_liking(const attachment *a, int32_t from, int32_t to);

/* Where the points of a class lie in the plane: mean at angle 2 pi c / C on a circle of radius 300; the covariance
 * diag(24500, 7000) turned by 2 pi / C for every class. */
typedef struct attachment_gaussian {
    double mean[2], covariance[2][2];
} attachment_gaussian;
attachment_gaussian attachment_cloud(int64_t label, int64_t classes);

#endif
