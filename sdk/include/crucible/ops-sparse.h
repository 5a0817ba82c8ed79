// SPDX-License-Identifier: Apache-2.0
/* ops-sparse.h: operators on graphs, sparse inputs and segments.
 *
 * A `cru_sparse` row v lists the nodes that v aggregates from, so cru_spmm(t, a, x) is the sum over in-neighbours. Edge
 * values are tensors of one number per stored entry (E), or per entry and head (E x heads), in CSR order. */
#ifndef CRUCIBLE_OPS_SPARSE_H
#define CRUCIBLE_OPS_SPARSE_H

#include <crucible/ops-basic.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sparse input ---------------------------------------------------------------------------------------- */

/* x w + b for dense or sparse x; b may be NULL (2 for dense x) */
CRU_API cru_tensor *cru_input_linear(cru_tape *t, const cru_input *x, cru_tensor *w, cru_tensor *b);
/* the same, then what `then` says (2 for dense x, as cru_linear_then) */
CRU_API cru_tensor *cru_input_linear_then(cru_tape *t, const cru_input *x, cru_tensor *w, const cru_then *then);
/* dropout of the input; of a sparse one, of its stored values only */
CRU_API cru_input cru_input_dropout(cru_tape *t, const cru_input *x, double p);
/* the input as a dense tensor */
CRU_API cru_tensor *cru_input_dense(cru_tape *t, const cru_input *x);
/* A x for the dense features of cru_input_create, which do not change: computed once, for the first A that outlives its
 * step, and kept with the features. NULL when it would have to be computed in every step: x is sparse, dropped out,
 * watched or larger than 1 GiB, or A is another one. */
CRU_API cru_tensor *cru_input_spread(cru_tape *t, const cru_input *x, cru_sparse *a);
/* chosen rows of the input, for minibatches */
CRU_API cru_input cru_input_rows(cru_tape *t, const cru_input *x, cru_index rows);
/* the input, dense, with 0 in the given rows, each named once: nodes whose features are hidden */
CRU_API cru_input cru_input_blank(cru_tape *t, const cru_input *x, cru_index rows);

/* ---- propagation ----------------------------------------------------------------------------------------- */

/* A x with the matrix's own values: n x n, n x c -> n x c (2) */
CRU_API cru_tensor *cru_spmm(cru_tape *t, cru_sparse *a, cru_tensor *x);
/* A x, then what `then` says (2 without activation and for relu and leaky) */
CRU_API cru_tensor *cru_spmm_then(cru_tape *t, cru_sparse *a, cru_tensor *x, const cru_then *then);
/* A x with learned edge values w: E, gradients to w and x; with E x heads, x is n x (heads * c) and head h weighs its
 * own block of columns */
CRU_API cru_tensor *cru_spmm_weighted(cru_tape *t, cru_sparse *a, cru_tensor *w, cru_tensor *x);
/* mean, max or min over the in-neighbours, unweighted; 0 for a node without any */
CRU_API cru_tensor *cru_aggregate(cru_tape *t, cru_sparse *a, cru_tensor *x, cru_reduce op);
/* A^T x (2) */
CRU_API cru_tensor *cru_spmm_transposed(cru_tape *t, cru_sparse *a, cru_tensor *x);

/* ---- edges ----------------------------------------------------------------------------------------------- */

/* e = <l_v, r_u> for every entry (v, u): n x (heads * c), m x (heads * c) -> E x heads */
CRU_API cru_tensor *cru_sddmm(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r, int64_t heads);
/* e = l_v + r_u: n x heads, m x heads -> E x heads */
CRU_API cru_tensor *cru_edge_add(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r);
/* e = l_v * r_u */
CRU_API cru_tensor *cru_edge_mul(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r);
/* the rows of both ends side by side, the input of an edge-wise MLP: n x c, m x d -> E x (c + d) */
CRU_API cru_tensor *cru_edge_concat(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r);
/* the row of the destination v (or of the source u) of every entry: n x c -> E x c */
CRU_API cru_tensor *cru_edge_dst(cru_tape *t, cru_sparse *a, cru_tensor *l);
CRU_API cru_tensor *cru_edge_src(cru_tape *t, cru_sparse *a, cru_tensor *r);
/* sum of edge values into their destination: E x c -> n x c */
CRU_API cru_tensor *cru_edge_sum(cru_tape *t, cru_sparse *a, cru_tensor *e);
/* softmax over the in-edges of every node, per head: E x heads -> E x heads */
CRU_API cru_tensor *cru_edge_softmax(cru_tape *t, cru_sparse *a, cru_tensor *e);

/* ---- segments: consecutive runs of rows (the nodes of each graph in a batch) ------------------------------------- */

/* offsets: segments + 1, host memory; n x c -> segments x c; an empty segment gives 0 */
CRU_API cru_tensor *cru_segment(cru_tape *t, cru_tensor *x, const int64_t *offsets, int64_t segments, cru_reduce op);
/* softmax within each segment: n x c -> n x c */
CRU_API cru_tensor *cru_segment_softmax(cru_tape *t, cru_tensor *x, const int64_t *offsets, int64_t segments);

#ifdef __cplusplus
}
#endif
#endif
