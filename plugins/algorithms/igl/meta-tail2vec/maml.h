// SPDX-License-Identifier: Apache-2.0
/* maml.h: what gradient descent on a few rows makes of a perceptron, without forming the adapted matrices.
 *
 * A perceptron f(x) = ReLU(x W_1 + b_1) W_2 + b_2 takes steps W <- W - lr dL/dW on L = sum_i share_i mean (f(x_i) -
 * y_i)^2 over the support rows X of a task. With G and E the gradients of what the two layers give, dL/dW_1 = X^T G and
 * dL/dW_2 = H^T E, so that after s steps
 *
 *     q W_1^s + b_1^s = q W_1 + b_1 - lr (q X^T + 1) sum_j G_j      for any row q
 *     h W_2^s + b_2^s = h W_2 + b_2 - lr sum_j (h H_j^T + 1) E_j
 *     E_s W_2^sT      = E_s W_2^T   - lr sum_j (E_s E_j^T) H_j      j = 0 .. s - 1
 *
 * which are products of a few rows. All of it is on the tape: the gradient of the adapted result with respect to the
 * first weights is that of second order. */
#ifndef IGL_MAML_H
#define IGL_MAML_H

#include <crucible/crucible.h>

/* Tasks of `shots` support rows and one query each, one after the other. */
typedef struct maml_tasks {
    int64_t count, shots;
    cru_tensor *x, *y; /* (count shots) x features */
    cru_tensor *share; /* (count shots) x 1: of a row in the loss of its task */
    cru_tensor *query; /* count x features */
} maml_tasks;

typedef struct maml_rule {
    double lr;
    int64_t steps;
} maml_rule;

/* f of the queries after the steps: count x features; layer: the two of the perceptron. */
cru_tensor *maml_predict(cru_tape *t, const cru_fc layer[2], const maml_tasks *tasks, const maml_rule *rule);

#endif
