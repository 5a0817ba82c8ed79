// SPDX-License-Identifier: Apache-2.0
/* cluster.h: grouping points. */
#ifndef CRUCIBLE_CLUSTER_H
#define CRUCIBLE_CLUSTER_H

#include <crucible/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* k-means: k-means++ with 2 + floor(ln k) trials a centre, Lloyd's steps, the best of several starts by inertia. An
 * empty cluster takes the point farthest from its centre. A zeroed field takes the default in its comment. */
typedef struct cru_kmeans_options {
    int32_t k;          /* 1 .. rows */
    int32_t restarts;   /* 10 */
    int32_t iterations; /* 300 */
    double tolerance;   /* 1e-4: stop when the centres' squared shift is below this times the mean column variance */
} cru_kmeans_options;

/* group: rows, written; centres: k x cols, written, may be NULL. Returns the inertia (sum of squared distances). */
CRU_API double cru_kmeans(const cru_dense *x, const cru_kmeans_options *options, cru_rng *rng, int32_t *group,
                          float *centres);

#ifdef __cplusplus
}
#endif
#endif
