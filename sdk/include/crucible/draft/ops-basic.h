// SPDX-License-Identifier: Apache-2.0
/* draft/ops-basic.h: further elementwise functions, products, reductions and rows. Continues ops-basic.h. */
#ifndef CRUCIBLE_DRAFT_OPS_BASIC_H
#define CRUCIBLE_DRAFT_OPS_BASIC_H

#include <crucible/ops-basic.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- one operand ----------------------------------------------------------------------------------------- */

/* x > 0 ? x : slope * x with a learned slope: one number, or one per column */
CRU_API cru_tensor *cru_prelu(cru_tape *t, cru_tensor *x, cru_tensor *slope);

/* scaled ELU with the constants of Klambauer et al. */
CRU_API cru_tensor *cru_selu(cru_tape *t, cru_tensor *x);

/* log(1 + x) */
CRU_API cru_tensor *cru_log1p(cru_tape *t, cru_tensor *x);

/* sin(x) */
CRU_API cru_tensor *cru_sin(cru_tape *t, cru_tensor *x);

/* cos(x) */
CRU_API cru_tensor *cru_cos(cru_tape *t, cru_tensor *x);

/* log of the gamma function; its gradient is the digamma function */
CRU_API cru_tensor *cru_lgamma(cru_tape *t, cru_tensor *x);

/* the digamma function; its gradient is the trigamma function */
CRU_API cru_tensor *cru_digamma(cru_tape *t, cru_tensor *x);

/* ---- products -------------------------------------------------------------------------------------------- */

/* cru_matmul_op for every matrix of a batch: B x m x k, B x k x n -> B x m x n */
CRU_API cru_tensor *cru_bmm(cru_tape *t, cru_tensor *a, cru_tensor *b, cru_transpose op);

/* What follows a linear map, done while its result is in a cache: dropout(act(y + bias)). Zeroed: nothing. The same
 * values as with operators of their own. `act` is relu, leaky (slope a), elu (alpha a), selu, tanh or sigmoid, with a
 * not negative; CRU_UNARY_COPY: none. */
typedef struct cru_then {
    cru_tensor *bias; /* one number per column, or NULL */
    cru_unary act;
    double a;
    double dropout; /* the identity in eval mode, as in cru_dropout */
} cru_then;

/* x w, then what `then` says: n x i, i x o -> n x o (2 without activation and for relu and leaky) */
CRU_API cru_tensor *cru_linear_then(cru_tape *t, cru_tensor *x, cru_tensor *w, const cru_then *then);

/* act(x w + b) */
CRU_API cru_tensor *cru_linear_act(cru_tape *t, cru_tensor *x, cru_tensor *w, cru_tensor *b, cru_unary act);

/* ---- reductions ------------------------------------------------------------------------------------------ */

/* log(sum(exp(x))), stable */
CRU_API cru_tensor *cru_logsumexp(cru_tape *t, cru_tensor *x, int32_t axis);

/* variance; ddof 0 is the population's, 1 the sample's */
CRU_API cru_tensor *cru_var(cru_tape *t, cru_tensor *x, int32_t axis, int32_t ddof);

/* sqrt(variance + eps) */
CRU_API cru_tensor *cru_std(cru_tape *t, cru_tensor *x, int32_t axis, int32_t ddof, double eps);

/* ---- shapes ---------------------------------------------------------------------------------------------- */

/* repeats a row 1 x c (or c) n times, or a column n x 1 c times, to rows x cols (2) */
CRU_API cru_tensor *cru_broadcast(cru_tape *t, cru_tensor *x, int64_t rows, int64_t cols);

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* 0/1 vector of n with a 1 at every id; no gradient */
CRU_API cru_tensor *cru_mask(cru_tape *t, cru_index ids, int64_t n);

/* the k largest of each row, descending, the lower column first among equals */
CRU_API cru_top cru_topk(cru_tape *t, cru_tensor *x, int64_t k);

/* all values of each row in descending order with their columns; stable */
CRU_API cru_top cru_sort(cru_tape *t, cru_tensor *x);

/* ---- normalisation, similarity, dropout ------------------------------------------------------------------ */

/* ||a_i - b_j||^2: n x c, m x c -> n x m, never negative */
CRU_API cru_tensor *cru_distance_matrix(cru_tape *t, cru_tensor *a, cru_tensor *b);

#ifdef __cplusplus
}
#endif
#endif
