// SPDX-License-Identifier: Apache-2.0
/* quantiles.h: classes from a number, as LINKX makes them from years. */
#ifndef FORMATS_QUANTILES_H
#define FORMATS_QUANTILES_H

#include <crucible/arena.h>

#include "node-data.h"

/* The settings of readers that make classes of a number. */
typedef struct quantile_settings {
    node_settings node;
    int64_t quantiles;
} quantile_settings;

/* labels[i] = k where q_k <= values[i] < q_k+1 with q_k the k/classes-quantile (interpolated between neighbours in
 * order, as numpy does) and no bound below the first and above the last. All values are finite. */
void quantile_labels(const double *values, int64_t count, int64_t classes, int32_t *labels, cru_arena *arena);

#endif
