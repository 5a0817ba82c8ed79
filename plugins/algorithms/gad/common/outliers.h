// SPDX-License-Identifier: Apache-2.0
/* outliers.h: detectors that score rows by how unlike the training rows they are; higher is more unlike.
 *
 *     knn(k)      distance to the k-th nearest training row
 *     lof(k)      mean over the k nearest b of lrd(b) / lrd(a),  lrd(a) = 1 / (mean_b max(kdist(b), d(a, b)) + 1e-10)
 *     hbos(m)     -sum over columns of log2(density of its bin + 0.1), m bins of equal width over the training rows
 *     ocsvm(nu)   rho - sum_i a_i exp(-|x_i - x|^2 / columns): one-class machine, 0 <= a <= 1, sum a = nu rows
 *     iforest(T)  2^(-mean depth / c(256)) over T isolation trees
 *
 * knn, lof and ocsvm see rows scaled by the mean and deviation of the training rows. A training row is not its own
 * neighbour. Memory is O(rows): kernels are computed when they are needed. */
#ifndef GAD_OUTLIERS_H
#define GAD_OUTLIERS_H

#include <crucible/crucible.h>

typedef struct outliers outliers;

typedef enum outlier_kind { OUTLIER_KNN, OUTLIER_LOF, OUTLIER_HBOS, OUTLIER_OCSVM, OUTLIER_IFOREST } outlier_kind;

typedef struct outlier_detector {
    outlier_kind kind;
    double value; /* k, bins, nu or trees */
} outlier_detector;

/* Learns `count` detectors; x outlives them. */
outliers *outliers_create(cru_ctx *ctx, const cru_dense *x, const outlier_detector *detector, int64_t count,
                          cru_rng *rng);
/* Rows x detectors; `training`: the rows are those that were learned from. */
void outliers_score(const outliers *o, const cru_dense *x, bool training, double *score);

/* c(m) of isolation trees: the mean depth of a search that fails among m */
double outliers_mean_depth(int64_t m);

#endif
