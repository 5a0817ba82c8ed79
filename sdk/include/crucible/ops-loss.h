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
/* the same per item: count */
CRU_API cru_tensor *cru_cross_entropy_each(cru_tape *t, cru_tensor *logits, const cru_targets *targets);
/* mean over rows of -sum_k q_ik log softmax(z_i)_k, q: n x c (may itself carry a gradient) (2) */
CRU_API cru_tensor *cru_soft_cross_entropy(cru_tape *t, cru_tensor *logits, cru_tensor *q);
/* the same per row: n */
CRU_API cru_tensor *cru_soft_cross_entropy_each(cru_tape *t, cru_tensor *logits, cru_tensor *q);
/* mean of -logp[i, y_i] for log-probabilities */
CRU_API cru_tensor *cru_nll(cru_tape *t, cru_tensor *log_prob, const cru_targets *targets);
/* mean binary cross-entropy of logits z against targets y in [0, 1], same shape; positives weigh `pos_weight` (1:
 * plain) */
CRU_API cru_tensor *cru_bce_logits(cru_tape *t, cru_tensor *z, cru_tensor *y, double pos_weight);
/* the same per element, times `weight` of the same shape (or NULL) */
CRU_API cru_tensor *cru_bce_logits_each(cru_tape *t, cru_tensor *z, cru_tensor *y, cru_tensor *weight,
                                        double pos_weight);
/* mean binary cross-entropy of probabilities, logs clamped at -100 as PyTorch does */
CRU_API cru_tensor *cru_bce(cru_tape *t, cru_tensor *p, cru_tensor *y);
/* mean (a - b)^2 (2) */
CRU_API cru_tensor *cru_mse(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* mean |a - b| */
CRU_API cru_tensor *cru_mae(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* sum_k p_k (log p_k - log q_k) per row with 0 log 0 = 0, mean over rows; p probabilities, log_q log-probabilities */
CRU_API cru_tensor *cru_kl(cru_tape *t, cru_tensor *p, cru_tensor *log_q);
/* the same per row: n */
CRU_API cru_tensor *cru_kl_each(cru_tape *t, cru_tensor *p, cru_tensor *log_q);
/* Jensen-Shannon divergence of two sets of logits, mean over rows */
CRU_API cru_tensor *cru_js_logits(cru_tape *t, cru_tensor *a, cru_tensor *b);
/* KL divergence of Dirichlet distributions from the flat one, Dir(1), mean over rows; alpha: n x c, all positive */
CRU_API cru_tensor *cru_kl_dirichlet(cru_tape *t, cru_tensor *alpha);
/* generalised cross-entropy (1 - p_y^q) / q per chosen row, mean; takes no weights */
CRU_API cru_tensor *cru_gce(cru_tape *t, cru_tensor *logits, const cru_targets *targets, double q);
/* focal loss -(1 - p_y)^gamma log p_y per chosen row, mean; takes no weights */
CRU_API cru_tensor *cru_focal(cru_tape *t, cru_tensor *logits, const cru_targets *targets, double gamma);
/* mean max(0, margin - sign * (a - b)), PyTorch's margin ranking loss; a, b, sign: n */
CRU_API cru_tensor *cru_margin_ranking(cru_tape *t, cru_tensor *a, cru_tensor *b, cru_tensor *sign, double margin);
/* InfoNCE of n x c against n x c (row i's positive is row i), cosine similarity over temperature, mean */
CRU_API cru_tensor *cru_info_nce(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature);
/* NT-Xent over the 2n views (a_i, b_i), mean */
CRU_API cru_tensor *cru_nt_xent(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature);
/* contrast of two views, n x c each, with plain products of a view with itself in the denominator:
 *     pos_i   = exp(cos(a_i, b_i) / temperature)
 *     neg^v_i = pos_i + sum_j exp(<v_i, v_j> / temperature), j = i included
 *     1/2n sum_i -log(pos_i / (pos_i + neg^a_i)) - log(pos_i / (pos_i + neg^b_i))
 * in logarithms or, not `stable`, with exponentials in float, which overflow for long rows. No n x n matrix. */
CRU_API cru_tensor *cru_view_contrast(cru_tape *t, cru_tensor *a, cru_tensor *b, double temperature, bool stable);
/* log(sum_j exp(scale <a_i, b_j>)) for all pairs of rows, in blocks, without the n x m matrix: n x c, m x c -> n */
CRU_API cru_tensor *cru_lse_products(cru_tape *t, cru_tensor *a, cru_tensor *b, double scale);
/* sum over all i and j of sigmoid(<x_i, x_j>)^2, in blocks, without the n x n matrix: what a reconstruction of the
 * missing edges costs; n x c -> scalar */
CRU_API cru_tensor *cru_square_sigmoid_products(cru_tape *t, cru_tensor *x);
/* supervised contrastive loss (Khosla et al.): positives share the label; features are normalised; mean over anchors
 * that have a positive */
CRU_API cru_tensor *cru_sup_con(cru_tape *t, cru_tensor *features, cru_index labels, double temperature);

/* InfoNCE with negatives kept from earlier steps: mean of -log softmax([q_i k_i, q_i Q_1, q_i Q_2, ...] /
 * temperature)_0 for n x c queries and keys and a queue Q of m x c; rows are taken as they are */
CRU_API cru_tensor *cru_info_nce_queue(cru_tape *t, cru_tensor *queries, cru_tensor *keys, cru_tensor *queue,
                                       double temperature);
/* supervised contrast of the first `anchors` rows with all rows, taken as they are: mean over anchors i of the mean
 * over their positives j (same label, j != i) of -(a_ij - log(sum_{l != i} exp a_il + 1e-12)), a_ij = x_i x_j /
 * temperature less its maximum; labels: one per row, host. An anchor without positives counts as 0. */
CRU_API cru_tensor *cru_sup_con_anchors(cru_tape *t, cru_tensor *x, const int32_t *labels, int64_t anchors,
                                        double temperature);

/* ---- samples --------------------------------------------------------------------------------------------- */

/* a sample of Dir(alpha_i) per row, n x c; no element is exactly 0 or 1. A row of alpha that is not finite gives a
 * row of NaN. Where alpha needs a gradient, that of the
 * sample is taken (gamma variables of constant probability over their sum), which costs one more draw a row. */
CRU_API cru_tensor *cru_dirichlet(cru_tape *t, cru_tensor *alpha, cru_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
