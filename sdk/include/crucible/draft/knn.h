// SPDX-License-Identifier: Apache-2.0
/* draft/knn.h: nearest neighbours as a graph. Continues knn.h. */
#ifndef CRUCIBLE_DRAFT_KNN_H
#define CRUCIBLE_DRAFT_KNN_H

#include <crucible/knn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Row i lists the k nearest points of point i; values are the distances. Not symmetric: see cru_graph_symmetrise. */
CRU_API cru_csr cru_knn_graph(cru_pool pool, const cru_dense *points, const cru_knn_options *options);

#ifdef __cplusplus
}
#endif
#endif
