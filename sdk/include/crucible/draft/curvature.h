// SPDX-License-Identifier: Apache-2.0
/* draft/curvature.h: how well labelled nodes reach the others, by distance and by curvature. Continues curvature.h. */
#ifndef CRUCIBLE_DRAFT_CURVATURE_H
#define CRUCIBLE_DRAFT_CURVATURE_H

#include <crucible/curvature.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An undirected graph with classes of all nodes and the labelled (training) ones. */
typedef struct cru_placement {
    const cru_csr *graph;
    const int32_t *classes; /* of every node */
    cru_ids labelled;
} cru_placement;

/* Mean over unlabelled v of the mean over labelled u of the class of v of 1 - log d(v, u) / log D, D the diameter of
 * the largest component. Pairs that cannot reach each other count as `unreachable`: 1 as if adjacent, 0 as if D
 * apart. NAN when no pair exists. */
CRU_API double cru_reaching_coefficient(const cru_placement *placement, double unreachable);

/* Mean over unlabelled v of the mean over reachable labelled u of the class of v of the mean curvature along one
 * shortest path from u to v (parents of smallest number); 0 for nodes that reach none. curvature: per entry of the
 * graph. */
CRU_API double cru_squashing_coefficient(const cru_placement *placement, const float *curvature);

/* Several placements on one graph. */
typedef struct cru_placements {
    const cru_csr *graph;
    const int32_t *classes;
    const cru_ids *labelled; /* count sets */
    int64_t count;
} cru_placements;

typedef struct cru_reach {
    double reaching, squashing;
} cru_reach;

/* Both coefficients of every placement, for one search from every node that any of them labels: a hundred random
 * placements cost a few times as much as one. Takes 21 bytes a node and placement. Without curvature (NULL) the
 * squashing coefficients are NAN. */
CRU_API void cru_placements_measure(const cru_placements *placements, const float *curvature, double unreachable,
                                    cru_reach *out);

#ifdef __cplusplus
}
#endif
#endif
