// SPDX-License-Identifier: Apache-2.0
/* ops-basic.h: elementwise functions, products, reductions, shapes and rows.
 *
 * Every operator takes the tape first and returns a new tensor on it. Shapes are written rows x cols; "any" means any
 * shape of rank 0 to 4. Operators marked (2) can be differentiated twice (CRU_GRAD_GRAPH).
 *
 * Order of evaluation. Operators record on the tape in the order in which they are called, and gradients add up and
 * dropout draws in that order. C leaves open which argument of a call is computed first: gcc takes the last, clang the
 * first. So: at most one recording call in an argument list, or name the operands:
 *
 *     cru_tensor *l = cru_fc_apply(t, &left, h), *r = cru_fc_apply(t, &right, h);    // in this order, everywhere
 *     return cru_edge_add(t, adj, l, r);                                            // not both calls in here
 *
 * The same holds for initialisers in braces and for cru_rng_ functions. (Nesting is fine: f(t, g(t, x)).) */
#ifndef CRUCIBLE_OPS_BASIC_H
#define CRUCIBLE_OPS_BASIC_H

#include <crucible/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- two operands ----------------------------------------------------------------------------------------
 * Shapes are equal, or one is a scalar, or one of n x c and the other 1 x c or c (a row for every row), n x 1 (a number
 * for every row). The same holds in each order of a and b. */

/* a + b (2) */
CRU_API cru_tensor *cru_add(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* a - b (2) */
CRU_API cru_tensor *cru_sub(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* a * b, element by element (2) */
CRU_API cru_tensor *cru_mul(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* a / b (2) */
CRU_API cru_tensor *cru_div(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* max(a, b); the gradient goes to a where they are equal */
CRU_API cru_tensor *cru_maximum(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* min(a, b); the gradient goes to a where they are equal */
CRU_API cru_tensor *cru_minimum(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* (1 - w) a + w b for a number w (2) */
CRU_API cru_tensor *cru_lerp(cru_tape *t, cru_tensor *a, cru_tensor *b, double w);
/* sum + weight * term, for a loss of several terms; sum NULL: weight * term (2) */
CRU_API cru_tensor *cru_plus(cru_tape *t, cru_tensor *sum, double weight, cru_tensor *term);
/* mask * a + (1 - mask) * b where mask holds 0 and 1 and has no gradient; shapes equal */
CRU_API cru_tensor *cru_where(cru_tape *t, cru_tensor *mask, cru_tensor *a, cru_tensor *b);

/* ---- one operand ----------------------------------------------------------------------------------------- */

/* factor * x + shift (2) */
CRU_API cru_tensor *cru_affine(cru_tape *t, cru_tensor *x, double factor, double shift);
/* factor * x (2) */
CRU_API cru_tensor *cru_scale(cru_tape *t, cru_tensor *x, double factor);
/* -x (2) */
CRU_API cru_tensor *cru_neg(cru_tape *t, cru_tensor *x);
/* max(x, 0) (2) */
CRU_API cru_tensor *cru_relu(cru_tape *t, cru_tensor *x);
/* x > 0 ? x : slope * x (2) */
CRU_API cru_tensor *cru_leaky_relu(cru_tape *t, cru_tensor *x, double slope);
/* x > 0 ? x : alpha * (exp(x) - 1) */
CRU_API cru_tensor *cru_elu(cru_tape *t, cru_tensor *x, double alpha);
/* x * Phi(x), exact */
CRU_API cru_tensor *cru_gelu(cru_tape *t, cru_tensor *x);
/* tanh(x) (2) */
CRU_API cru_tensor *cru_tanh(cru_tape *t, cru_tensor *x);
/* 1 / (1 + exp(-x)) (2) */
CRU_API cru_tensor *cru_sigmoid(cru_tape *t, cru_tensor *x);
/* log(1 + exp(x)), stable */
CRU_API cru_tensor *cru_softplus(cru_tape *t, cru_tensor *x);
/* log(sigmoid(x)), stable */
CRU_API cru_tensor *cru_log_sigmoid(cru_tape *t, cru_tensor *x);
/* exp(x) (2) */
CRU_API cru_tensor *cru_exp(cru_tape *t, cru_tensor *x);
/* log(x) (2) */
CRU_API cru_tensor *cru_log(cru_tape *t, cru_tensor *x);
/* |x| */
CRU_API cru_tensor *cru_abs(cru_tape *t, cru_tensor *x);
/* x ^ p for a number p (2) */
CRU_API cru_tensor *cru_pow(cru_tape *t, cru_tensor *x, double p);
/* x * x (2) */
CRU_API cru_tensor *cru_square(cru_tape *t, cru_tensor *x);
/* sqrt(x) (2) */
CRU_API cru_tensor *cru_sqrt(cru_tape *t, cru_tensor *x);
/* 1 / x (2) */
CRU_API cru_tensor *cru_reciprocal(cru_tape *t, cru_tensor *x);
/* min(max(x, lo), hi); gradient 1 on [lo, hi] including the ends, 0 outside */
CRU_API cru_tensor *cru_clamp(cru_tape *t, cru_tensor *x, double lo, double hi);
/* -1, 0 or 1; no gradient */
CRU_API cru_tensor *cru_sign(cru_tape *t, cru_tensor *x);

/* ---- products -------------------------------------------------------------------------------------------- */

typedef enum cru_transpose { CRU_NN = 0, CRU_TN = 1, CRU_NT = 2, CRU_TT = 3 } cru_transpose;

/* a b: m x k, k x n -> m x n (2) */
CRU_API cru_tensor *cru_matmul(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* op(a) op(b) where CRU_TN transposes a, CRU_NT transposes b, CRU_TT both (2) */
CRU_API cru_tensor *cru_matmul_op(cru_tape *t, cru_tensor *a, cru_tensor *b, cru_transpose op);
/* x w + b: n x i, i x o, o (or NULL) -> n x o (2) */
CRU_API cru_tensor *cru_linear(cru_tape *t, cru_tensor *x, cru_tensor *w, cru_tensor *b);
/* row by row inner product: n x c, n x c -> n */
CRU_API cru_tensor *cru_dot_rows(cru_tape *t, cru_tensor *a, cru_tensor *b);

/* inverse of a small square matrix, computed in double; c x c. dA^-1 = -A^-1 dA A^-1 */
CRU_API cru_tensor *cru_inverted(cru_tape *t, cru_tensor *x);

/* ---- reductions ------------------------------------------------------------------------------------------
 * `axis` counts from 0; -1 is the last. The reduced axis is removed: n x c along axis 1 gives n. CRU_ALL reduces
 * everything to a scalar. */
#define CRU_ALL 100

/* sum (2) */
CRU_API cru_tensor *cru_sum(cru_tape *t, cru_tensor *x, int32_t axis);
/* mean; of an empty set: NaN, with a zero gradient (2) */
CRU_API cru_tensor *cru_mean(cru_tape *t, cru_tensor *x, int32_t axis);
/* largest; the gradient goes to the first of equal values */
CRU_API cru_tensor *cru_max(cru_tape *t, cru_tensor *x, int32_t axis);
/* smallest; the gradient goes to the first of equal values */
CRU_API cru_tensor *cru_min(cru_tape *t, cru_tensor *x, int32_t axis);
/* Euclidean norm sqrt(sum x^2 + eps) */
CRU_API cru_tensor *cru_norm_l2(cru_tape *t, cru_tensor *x, int32_t axis, double eps);
/* position of the largest along the last axis, the first of equals, one per row */
CRU_API cru_index cru_argmax(cru_tape *t, const cru_tensor *x);

/* softmax along an axis (2 for the last axis) */
CRU_API cru_tensor *cru_softmax(cru_tape *t, cru_tensor *x, int32_t axis);
/* log of softmax along an axis, stable (2 for the last axis) */
CRU_API cru_tensor *cru_log_softmax(cru_tape *t, cru_tensor *x, int32_t axis);

/* ---- shapes ---------------------------------------------------------------------------------------------- */

/* the same values in another shape of equal size; no copy (2) */
CRU_API cru_tensor *cru_reshape(cru_tape *t, cru_tensor *x, cru_dims shape);
/* rows x cols; -1 for one of them takes what is left (2) */
CRU_API cru_tensor *cru_as_matrix(cru_tape *t, cru_tensor *x, int64_t rows, int64_t cols);
/* axes in another order: result axis i is axis order[i] of x */
CRU_API cru_tensor *cru_permute(cru_tape *t, cru_tensor *x, const int32_t order[4]);
/* side by side: n x c1, n x c2, ... -> n x (c1 + c2 + ...) (2) */
CRU_API cru_tensor *cru_concat_cols(cru_tape *t, cru_tensor *const *x, int64_t count);
/* on top of each other: n1 x c, n2 x c, ... -> (n1 + n2 + ...) x c (2) */
CRU_API cru_tensor *cru_concat_rows(cru_tape *t, cru_tensor *const *x, int64_t count);
/* columns from .. to-1 (2) */
CRU_API cru_tensor *cru_slice_cols(cru_tape *t, cru_tensor *x, int64_t from, int64_t to);
/* rows from .. to-1; a view when no gradient is needed (2) */
CRU_API cru_tensor *cru_slice_rows(cru_tape *t, cru_tensor *x, int64_t from, int64_t to);

/* n x c -> c x n (2) */
CRU_API cru_tensor *cru_transposed(cru_tape *t, cru_tensor *x);

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* x[ids, :]: n x c -> count x c; ids may repeat (2) */
CRU_API cru_tensor *cru_gather(cru_tape *t, cru_tensor *x, cru_index ids);
/* one element a row: y[i] = x[i, cols[i]]; n x c -> n */
CRU_API cru_tensor *cru_pick(cru_tape *t, cru_tensor *x, cru_index cols);
/* y[ids[i], :] reduced over i; rows that no id names are 0 (2 for the sum) */
CRU_API cru_tensor *cru_scatter(cru_tape *t, cru_tensor *x, cru_index ids, int64_t rows, cru_reduce op);
/* table = x in place, for a tensor that outlives the step; as many values; no gradient */
CRU_API void cru_assign(cru_tape *t, cru_tensor *table, const cru_tensor *x);
/* table[ids[i], :] = x[i, :] in place, for a table that outlives the step; ids differ; no gradient */
CRU_API void cru_put_rows(cru_tape *t, cru_tensor *table, cru_index ids, const cru_tensor *x);
/* 0/1 matrix with a 1 at (i, ids[i]); a negative id gives a row of zeros; no gradient */
CRU_API cru_tensor *cru_one_hot(cru_tape *t, cru_index ids, int64_t classes);

typedef struct cru_top {
    cru_tensor *values; /* rows x k; gradient goes back to the chosen places */
    cru_index ids;      /* rows x k column numbers */
} cru_top;

/* the k smallest of each row, ascending */
CRU_API cru_top cru_bottomk(cru_tape *t, cru_tensor *x, int64_t k);

/* ---- normalisation, similarity, dropout ------------------------------------------------------------------ */

/* x_i / max(sum |x_i|, eps) */
CRU_API cru_tensor *cru_normalize_l1(cru_tape *t, cru_tensor *x, double eps);
/* x_i / max(||x_i||, eps), as PyTorch's normalize */
CRU_API cru_tensor *cru_normalize_l2(cru_tape *t, cru_tensor *x, double eps);
/* cos(a_i, b_j): n x c, m x c -> n x m; rows of zeros give 0 */
CRU_API cru_tensor *cru_cosine_matrix(cru_tape *t, cru_tensor *a, cru_tensor *b, double eps);
/* cos(a_i, b_i): n x c, n x c -> n */
CRU_API cru_tensor *cru_cosine_rows(cru_tape *t, cru_tensor *a, cru_tensor *b, double eps);
/* inverted dropout: kept values are divided by 1 - p; the identity in eval mode or for p = 0 */
CRU_API cru_tensor *cru_dropout(cru_tape *t, cru_tensor *x, double p);
/* sum_k w_k x_k of `count` tensors of one shape; w: count numbers */
CRU_API cru_tensor *cru_mix(cru_tape *t, cru_tensor *const *x, int64_t count, cru_tensor *weights);

#ifdef __cplusplus
}
#endif
#endif
