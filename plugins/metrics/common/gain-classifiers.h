// SPDX-License-Identifier: Apache-2.0
/* gain-classifiers.h: the three classifiers of classifier-gain.h. */
#ifndef METRICS_GAIN_CLASSIFIERS_H
#define METRICS_GAIN_CLASSIFIERS_H

#include "classifier-gain.h"

/* Gaussian naive Bayes: log prior - 1/2 sum_j [ln(2 pi v_j) + (x_j - mu_j)^2 / v_j] with biased variances v + eps and
 * eps = 1e-9 of the largest variance in the train part. The settings are not looked at. */
gain_classifier gain_naive_bayes;

/* Kernel regression (kernel-regression.h) with the linear kernel F F^T, and with that of one wide layer of ReLU
 *
 *     K_ij = (g_ij (pi - arccos(g_ij / q_ij)) + sqrt(q_ij^2 - g_ij^2)) / (2 pi)
 *     g = F F^T      q_ij = max(sqrt(g_ii g_jj), 1e-8)
 *
 * where an argument just outside a function's domain gives 0. */
typedef struct gain_kernel_settings {
    double pinv_rcond; /* eigenvalues of at most this share of the largest count as 0 */
} gain_kernel_settings;
gain_classifier gain_kernel_linear, gain_kernel_relu;

/* products -> kernel, in place. */
void relu_kernel(double *products, int64_t n);

/* What the metrics with kernel regression share: their settings, and a `score` with one of the classifiers above. */
typedef struct gain_kernel_metric {
    gain_settings gain;
    gain_kernel_settings kernel;
} gain_kernel_metric;
extern const cru_param gain_kernel_schema[];
cru_status gain_kernel_score(gain_classifier *classify, const cru_judging *j, double *value);

#endif
