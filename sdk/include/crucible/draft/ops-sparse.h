// SPDX-License-Identifier: Apache-2.0
/* draft/ops-sparse.h: further operators on edges, segments and sparse input. Continues ops-sparse.h. */
#ifndef CRUCIBLE_DRAFT_OPS_SPARSE_H
#define CRUCIBLE_DRAFT_OPS_SPARSE_H

#include <crucible/draft/ops-basic.h>
#include <crucible/ops-sparse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sparse input ---------------------------------------------------------------------------------------- */

/* cru_input_linear, then what `then` says (2 for dense x, as cru_linear_then) */
CRU_API cru_tensor *cru_input_linear_then(cru_tape *t, const cru_input *x, cru_tensor *w, const cru_then *then);

/* A x for the dense features of cru_input_create, which do not change: computed once, for the first A that outlives its
 * step, and kept with the features. NULL when it would have to be computed in every step: x is sparse, dropped out,
 * watched or larger than 1 GiB, or A is another one. */
CRU_API cru_tensor *cru_input_spread(cru_tape *t, const cru_input *x, cru_sparse *a);

/* the input, dense, with 0 in the given rows, each named once: nodes whose features are hidden */
CRU_API cru_input cru_input_blank(cru_tape *t, const cru_input *x, cru_index rows);

/* ---- propagation ----------------------------------------------------------------------------------------- */

/* A x, then what `then` says (2 without activation and for relu and leaky) */
CRU_API cru_tensor *cru_spmm_then(cru_tape *t, cru_sparse *a, cru_tensor *x, const cru_then *then);

/* A^T x (2) */
CRU_API cru_tensor *cru_spmm_transposed(cru_tape *t, cru_sparse *a, cru_tensor *x);

/* ---- edges ----------------------------------------------------------------------------------------------- */

/* e = l_v * r_u */
CRU_API cru_tensor *cru_edge_mul(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r);

/* the rows of both ends side by side, the input of an edge-wise MLP: n x c, m x d -> E x (c + d) */
CRU_API cru_tensor *cru_edge_concat(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r);

/* ---- segments: consecutive runs of rows (the nodes of each graph in a batch) ------------------------------------- */

/* softmax within each segment: n x c -> n x c */
CRU_API cru_tensor *cru_segment_softmax(cru_tape *t, cru_tensor *x, const int64_t *offsets, int64_t segments);

#ifdef __cplusplus
}
#endif
#endif
