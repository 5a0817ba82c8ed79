// SPDX-License-Identifier: Apache-2.0
/* draft/graph-kernels.h: how alike two graphs are: histograms of substructures and their products.
 *
 * Graphs come as one block-diagonal graph (cru_blocks, graph.h). A histogram is a row of a sparse matrix: one row a
 * graph, one column a distinct substructure, values the counts. */
#ifndef CRUCIBLE_DRAFT_GRAPH_KERNELS_H
#define CRUCIBLE_DRAFT_GRAPH_KERNELS_H

#include <crucible/draft/graph.h>
#include <crucible/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Weisfeiler-Lehman refinement, in place: in each round nodes get the same new colour exactly when their old colours
 * and the multisets of their neighbours' old colours agree. Colours are numbered from 0 in order of first appearance.
 * Returns how many there are. colour: any integers on entry. */
CRU_API int32_t cru_wl_refine(const cru_csr *g, int32_t rounds, int32_t *colour);

/* Counts of colours (each in 0 .. colours-1) per graph: count x colours. */
CRU_API cru_csr cru_colour_histograms(cru_pool pool, const int32_t *colour, int32_t colours, const int64_t *offsets,
                                      int64_t count);

/* Counts of ordered node pairs at finite distance > 0 by (distance, label of the first, label of the second); labels
 * may be NULL. */
CRU_API cru_csr cru_path_histograms(cru_pool pool, cru_blocks blocks, int64_t count, const int32_t *labels);

/* K = H H^T, count x count floats; normalised: K_ij / sqrt(K_ii K_jj), 0 where a graph has an empty histogram. */
CRU_API void cru_histogram_kernel(const cru_csr *histograms, bool normalised, float *kernel);

/* For every graph the k whose normalised products with it are largest, the largest first, the lower number among
 * equals: count x k. A graph is usually its own nearest, but an equal one of a lower number comes first. No matrix of
 * all pairs. */
CRU_API void cru_histogram_nearest(const cru_csr *histograms, int64_t k, int32_t *nearest);

#ifdef __cplusplus
}
#endif
#endif
