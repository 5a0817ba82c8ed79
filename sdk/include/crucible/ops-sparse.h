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
/* dropout of the input; of a sparse one, of its stored values only */
CRU_API cru_input cru_input_dropout(cru_tape *t, const cru_input *x, double p);
/* the input as a dense tensor */
CRU_API cru_tensor *cru_input_dense(cru_tape *t, const cru_input *x);
/* chosen rows of the input, for minibatches */
CRU_API cru_input cru_input_rows(cru_tape *t, const cru_input *x, cru_index rows);

/* ---- propagation ----------------------------------------------------------------------------------------- */

/* A x with the matrix's own values: n x n, n x c -> n x c (2) */
CRU_API cru_tensor *cru_spmm(cru_tape *t, cru_sparse *a, cru_tensor *x);
/* A x with learned edge values w: E, gradients to w and x; with E x heads, x is n x (heads * c) and head h weighs its
 * own block of columns */
CRU_API cru_tensor *cru_spmm_weighted(cru_tape *t, cru_sparse *a, cru_tensor *w, cru_tensor *x);
/* mean, max or min over the in-neighbours, unweighted; 0 for a node without any */
CRU_API cru_tensor *cru_aggregate(cru_tape *t, cru_sparse *a, cru_tensor *x, cru_reduce op);

/* ---- edges ----------------------------------------------------------------------------------------------- */

/* e = <l_v, r_u> for every entry (v, u): n x (heads * c), m x (heads * c) -> E x heads */
CRU_API cru_tensor *cru_sddmm(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r, int64_t heads);
/* e = l_v + r_u: n x heads, m x heads -> E x heads */
CRU_API cru_tensor *cru_edge_add(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r);
/* the row of the destination v (or of the source u) of every entry: n x c -> E x c */
CRU_API cru_tensor *cru_edge_dst(cru_tape *t, cru_sparse *a, cru_tensor *l);
CRU_API cru_tensor *cru_edge_src(cru_tape *t, cru_sparse *a, cru_tensor *r);
/* softmax over the in-edges of every node, per head: E x heads -> E x heads */
CRU_API cru_tensor *cru_edge_softmax(cru_tape *t, cru_sparse *a, cru_tensor *e);

/* sum of edge values into their destination: E x c -> n x c */
CRU_API cru_tensor *cru_edge_sum(cru_tape *t, cru_sparse *a, cru_tensor *e);

/* ---- segments: consecutive runs of rows (the nodes of each graph in a batch) ------------------------------------- */

/* offsets: segments + 1, host memory; n x c -> segments x c; an empty segment gives 0 */
CRU_API cru_tensor *cru_segment(cru_tape *t, cru_tensor *x, const int64_t *offsets, int64_t segments, cru_reduce op);

#ifdef __cplusplus
}
#endif
#endif
