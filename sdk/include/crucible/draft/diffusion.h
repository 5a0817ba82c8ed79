// SPDX-License-Identifier: Apache-2.0
/* draft/diffusion.h: single rows and columns of PageRank, and heat. Continues diffusion.h: S and P are those.
 *     H = exp(-t (I - S))                                     (heat) */
#ifndef CRUCIBLE_DRAFT_DIFFUSION_H
#define CRUCIBLE_DRAFT_DIFFUSION_H

#include <crucible/diffusion.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows P[s, :] or columns P[:, s] of the given nodes, one after the other: sources.count x n. */
CRU_API void cru_ppr_rows(const cru_csr *s, cru_ids sources, const cru_ppr_options *options, float *out);
CRU_API void cru_ppr_columns(const cru_csr *s, cru_ids sources, const cru_ppr_options *options, float *out);

/* Approximate rows of P for the walk on an unweighted graph (S = CRU_NORM_ROW of g, walks run along rows), by pushing
 * residuals until each is below epsilon * degree. Touches only what it stores: O(1 / (epsilon * restart)) a source. Row
 * i of the result belongs to sources.ids[i]; only entries > 0 are stored. */
CRU_API cru_csr cru_ppr_push(cru_pool pool, const cru_csr *g, cru_ids sources, double restart, double epsilon);

/* PageRank of a walk along rows with uniform restart; nodes with empty rows restart.
 * Sums to 1.
 * `damping` = 1 - restart. */
CRU_API void cru_pagerank(const cru_csr *g, double damping, double *rank);

/* X <- exp(-t (I - S)) X in place, n x cols, by its power series; t >= 0, ||S|| <= 1 assumed. */
CRU_API void cru_heat_apply(const cru_csr *s, double t, double *x, int64_t cols);

/* The diffused graph, sparsified column by column: a column keeps its top_k largest entries (0: all) that are at least
 * `threshold`, then is divided by its sum. Result row v, column u = what u sends to v. */
typedef struct cru_diffusion {
    bool heat;      /* else PageRank */
    double restart; /* of PageRank */
    double time;    /* of heat */
    int64_t top_k;
    double threshold;
} cru_diffusion;
CRU_API cru_csr cru_graph_diffuse(cru_pool pool, const cru_csr *s, const cru_diffusion *options);

#ifdef __cplusplus
}
#endif
#endif
