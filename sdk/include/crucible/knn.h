// SPDX-License-Identifier: Apache-2.0
/* knn.h: exact nearest neighbours.
 *
 * Candidates come from blocked matrix products in float; every candidate that rounding could have misplaced is measured
 * again in double, so the answer is that of a direct search in double. O(queries * points * cols) time, memory for a
 * block and the result. */
#ifndef CRUCIBLE_KNN_H
#define CRUCIBLE_KNN_H

#include <crucible/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cru_distance {
    CRU_EUCLIDEAN,
    CRU_COSINE,          /* Euclidean distance between z = x / (||x|| + 1e-5) */
    CRU_ONE_LESS_COSINE, /* 1 - x.y / (||x|| ||y||), 1 where a row is 0. Cosines compare in float, so that those which
                            are equal by their formula tie, whatever the lengths */
} cru_distance;

/* Which of equally distant points win. */
typedef enum cru_ties {
    CRU_TIES_LOW_ID, /* the smaller id */
    CRU_TIES_HEAP,   /* as a bounded max-heap fed in order of ids that also replaces its root when equal: what common
                        GPU kernels do; distances compare in float */
} cru_ties;

typedef struct cru_knn_options {
    int64_t k; /* fewer neighbours than k exist: an assertion */
    cru_distance distance;
    cru_ties ties;
    bool skip_self; /* query i is never its own neighbour i; for searches of points among themselves */
} cru_knn_options;

/* queries x k, each row by ascending distance, then id. Points that have none, for want of finite values, come last. */
typedef struct cru_neighbours {
    int64_t rows, k;
    int32_t *ids;
    float *distances; /* as the options say; Euclidean ones not squared */
} cru_neighbours;

CRU_API cru_neighbours cru_knn(cru_pool pool, const cru_dense *queries, const cru_dense *points,
                               const cru_knn_options *options);

/* Row i lists the k nearest of some rows of features, all of them when there are fewer, itself if it is among them;
 * ties that go by id go by position in `among`. rows x rows, values are the distances. Makes all features dense for its
 * time. `skip_self` is an assertion. */
CRU_API cru_csr cru_knn_among(cru_pool pool, const cru_features *x, cru_ids among, const cru_knn_options *options);

#ifdef __cplusplus
}
#endif
#endif
