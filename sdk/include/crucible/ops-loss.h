// SPDX-License-Identifier: Apache-2.0
/* ops-loss.h: losses.
 *
 * A loss takes logits unless its name says otherwise and returns a scalar (mean over its items) or, where `_each`
 * stands in the name, one number per item. The mean over no items is NaN in value with a zero gradient, so that a
 * method whose selection comes up empty in one epoch goes on. `rows` chooses the items and may be NULL for all rows. */
#ifndef CRUCIBLE_OPS_LOSS_H
#define CRUCIBLE_OPS_LOSS_H

#include <crucible/ops-basic.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a classification loss is taken over. */
typedef struct cru_targets {
    const cru_index *rows;      /* which rows of the logits, distinct; NULL: all */
    cru_index labels;           /* one class per chosen row */
    const float *weights;       /* one weight per chosen row (device), or NULL */
    const float *class_weights; /* one per class (host), or NULL; the mean is then divided by the sum of weights, as
                                   PyTorch does */
} cru_targets;

/* mean of -log softmax(z_i)[y_i] (2) */
CRU_API cru_tensor *cru_cross_entropy(cru_tape *t, cru_tensor *logits, const cru_targets *targets);
/* -log softmax(z_i)[y_i] per item: count */
CRU_API cru_tensor *cru_cross_entropy_each(cru_tape *t, cru_tensor *logits, const cru_targets *targets);
/* mean over rows of -sum_k q_ik log softmax(z_i)_k, q: n x c (may itself carry a gradient) (2) */
CRU_API cru_tensor *cru_soft_cross_entropy(cru_tape *t, cru_tensor *logits, cru_tensor *q);
/* mean (a - b)^2 (2) */
CRU_API cru_tensor *cru_mse(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* sum_k p_k (log p_k - log q_k) per row with 0 log 0 = 0, mean over rows; p probabilities, log_q log-probabilities */
CRU_API cru_tensor *cru_kl(cru_tape *t, cru_tensor *p, cru_tensor *log_q);

/* InfoNCE with negatives kept from earlier steps: mean of -log softmax([q_i k_i, q_i Q_1, q_i Q_2, ...] /
 * temperature)_0 for n x c queries and keys and a queue Q of m x c; rows are taken as they are */
CRU_API cru_tensor *cru_info_nce_queue(cru_tape *t, cru_tensor *queries, cru_tensor *keys, cru_tensor *queue,
                                       double temperature);
/* supervised contrast of the first `anchors` rows with all rows, taken as they are: mean over anchors i of the mean
 * over their positives j (same label, j != i) of -(a_ij - log(sum_{l != i} exp a_il + 1e-12)), a_ij = x_i x_j /
 * temperature less its maximum; labels: one per row, host. An anchor without positives counts as 0. */
CRU_API cru_tensor *cru_sup_con_anchors(cru_tape *t, cru_tensor *x, const int32_t *labels, int64_t anchors,
                                        double temperature);

/* cru_kl per row: n */
CRU_API cru_tensor *cru_kl_each(cru_tape *t, cru_tensor *p, cru_tensor *log_q);

/* log(sum_j exp(scale <a_i, b_j>)) for all pairs of rows, in blocks, without the n x m matrix: n x c, m x c -> n */
CRU_API cru_tensor *cru_lse_products(cru_tape *t, cru_tensor *a, cru_tensor *b, double scale);

/* sum over all i and j of sigmoid(<x_i, x_j>)^2, in blocks, without the n x n matrix: what a reconstruction of the
 * missing edges costs; n x c -> scalar */
CRU_API cru_tensor *cru_square_sigmoid_products(cru_tape *t, cru_tensor *x);

#ifdef __cplusplus
}
#endif
#endif
