// SPDX-License-Identifier: Apache-2.0
/* diffusion.h: personalised PageRank on a graph, without n x n memory.
 *
 * S is a propagation matrix, usually from cru_graph_gcn or cru_graph_normalise. With restart probability a,
 *     P = a (I - (1 - a) S)^-1 = a sum_t (1 - a)^t S^t
 * Rows and columns of P differ when S is not symmetric. */
#ifndef CRUCIBLE_DIFFUSION_H
#define CRUCIBLE_DIFFUSION_H

#include <crucible/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_ppr_options {
    double restart;     /* a, in (0, 1] */
    double tolerance;   /* 0 means 1e-9: largest change of an entry in the last step */
    int32_t iterations; /* at most; 0 means 1000 */
} cru_ppr_options;

/* P X for a dense n x cols matrix of doubles, in place. */
CRU_API void cru_ppr_apply(const cru_csr *s, const cru_ppr_options *options, double *x, int64_t cols);

#ifdef __cplusplus
}
#endif
#endif
