// SPDX-License-Identifier: Apache-2.0
/* linear-svm.h: support vector machines with hinge loss and a free bias, one for every pair of classes.
 *
 *     min 1/2 |w|^2 + C sum_i max(0, 1 - s_i (< w, x_i > + b))      f(x) = < w, x > + b
 *
 * solved in the dual by sequential minimal optimisation: the pair that violates the conditions most moves, until none
 * violates them by more than 1e-3 (Keerthi and others 2001). C is the one of 0.001, 0.01, 0.1, 1, 10 with the best mean
 * accuracy over three folds, the first of equals; a fold whose other rows are all of one class is passed over. */
#ifndef DATADEC_LINEAR_SVM_H
#define DATADEC_LINEAR_SVM_H

#include <crucible/crucible.h>

/* One machine. kernel: count x count inner products; sign: +-1. alpha: 2 count, the first half of which is written (0
 * .. c) and the second scratch. Returns b. */
double svm_solve(const double *kernel, int64_t count, const double *sign, double c, double *alpha);

/* The rows x of a matrix that the machines learn from and are asked about. */
typedef struct svm_data {
    const float *x; /* rows x cols */
    int64_t rows, cols;
    cru_ids learn;         /* rows to learn from, */
    const int32_t *labels; /* of all rows; those of others are not looked at */
    int32_t classes;
} svm_data;

/* rows x classes. Of two classes (0, f). Of more: a vote for the winner of each pair, and s / (3 (|s| + 1)) for the sum
 * s of the decisions in favour of a class, which decides between equals. A class without rows to learn from has no
 * vote. `folds` is drawn from. */
void svm_scores(cru_pool pool, const svm_data *data, cru_rng *folds, float *scores);

#endif
