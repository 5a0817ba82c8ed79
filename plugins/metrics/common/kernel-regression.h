// SPDX-License-Identifier: Apache-2.0
/* kernel-regression.h: predicts by least squares in the space of a kernel. */
#ifndef METRICS_KERNEL_REGRESSION_H
#define METRICS_KERNEL_REGRESSION_H

#include "classifier-gain.h"

/* b (n x cols) <- A^+ b for a symmetric positive semi-definite A (n x n), which is destroyed. Eigenvalues of at most
 * `cutoff` times the largest count as 0. */
typedef struct pinv_problem {
    double *a;
    int64_t n;
    double *b;
    int64_t cols;
    double cutoff;
} pinv_problem;
cru_status pinv_apply(const pinv_problem *p, cru_arena *arena, cru_error *err);

/* guess = argmax over the classes of K_test,train K_train^+ Y with Y the one-hot labels; the lowest class among equals.
 * `kernel` is rows.count x rows.count. */
cru_status kernel_regress(const gain_case *c, const double *kernel, double cutoff, int32_t *guess, cru_error *err);

/* Scores (count x classes) to classes. */
void kernel_decide(const double *scores, int64_t count, int32_t classes, int32_t *guess);

#endif
