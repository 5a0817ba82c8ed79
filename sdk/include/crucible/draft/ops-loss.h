// SPDX-License-Identifier: Apache-2.0
/* draft/ops-loss.h: losses that one method or none uses so far. Continues ops-loss.h. */
#ifndef CRUCIBLE_DRAFT_OPS_LOSS_H
#define CRUCIBLE_DRAFT_OPS_LOSS_H

#include <crucible/ops-loss.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cru_soft_cross_entropy per row: n */
CRU_API cru_tensor *cru_soft_cross_entropy_each(cru_tape *t, cru_tensor *logits, cru_tensor *q);

/* mean of -logp[i, y_i] for log-probabilities */
CRU_API cru_tensor *cru_nll(cru_tape *t, cru_tensor *log_prob, const cru_targets *targets);

/* mean binary cross-entropy of logits z against targets y in [0, 1], same shape; positives weigh `pos_weight` (1:
 * plain) */
CRU_API cru_tensor *cru_bce_logits(cru_tape *t, cru_tensor *z, cru_tensor *y, double pos_weight);

/* cru_bce_logits per element, times `weight` of the same shape (or NULL) */
CRU_API cru_tensor *cru_bce_logits_each(cru_tape *t, cru_tensor *z, cru_tensor *y, cru_tensor *weight,
                                        double pos_weight);

/* mean binary cross-entropy of probabilities, logs clamped at -100 as PyTorch does */
CRU_API cru_tensor *cru_bce(cru_tape *t, cru_tensor *p, cru_tensor *y);

/* mean |a - b| */
CRU_API cru_tensor *cru_mae(cru_tape *t, cru_tensor *a, cru_tensor *b);

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

/* supervised contrastive loss (Khosla et al.): positives share the label; features are normalised; mean over anchors
 * that have a positive */
CRU_API cru_tensor *cru_sup_con(cru_tape *t, cru_tensor *features, cru_index labels, double temperature);

/* ---- samples --------------------------------------------------------------------------------------------- */

/* a sample of Dir(alpha_i) per row, n x c; no element is exactly 0 or 1. A row of alpha that is not finite gives a
 * row of NaN. Where alpha needs a gradient, that of the
 * sample is taken (gamma variables of constant probability over their sum), which costs one more draw a row. */
CRU_API cru_tensor *cru_dirichlet(cru_tape *t, cru_tensor *alpha, cru_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
