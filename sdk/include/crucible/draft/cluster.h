// SPDX-License-Identifier: Apache-2.0
/* draft/cluster.h: grouping nodes. Continues cluster.h. */
#ifndef CRUCIBLE_DRAFT_CLUSTER_H
#define CRUCIBLE_DRAFT_CLUSTER_H

#include <crucible/cluster.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Balanced partition that cuts few edges (METIS, multilevel k-way), on the undirected, loop-free form of g; edge
 * weights are not used. part: rows, values below `parts`. CRU_UNSUPPORTED without METIS. */
CRU_API cru_status cru_graph_partition(const cru_csr *g, int32_t parts, int32_t *part, cru_error *err);

/* Spectral clustering of a symmetric affinity: k-means on the k smallest eigenvectors of the symmetric Laplacian, rows
 * scaled to length 1. */
CRU_API cru_status cru_spectral_clusters(const cru_csr *affinity, int32_t k, cru_rng *rng, int32_t *group,
                                         cru_error *err);

#ifdef __cplusplus
}
#endif
#endif
