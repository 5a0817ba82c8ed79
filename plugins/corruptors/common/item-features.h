// SPDX-License-Identifier: Apache-2.0
/* item-features.h: one row of features an item, whatever the problem. */
#ifndef CORRUPTORS_ITEM_FEATURES_H
#define CORRUPTORS_ITEM_FEATURES_H

#include <crucible/task.h>

/* Writes data->x.cols numbers: the item's own, or for a graph the mean over its nodes (zeros when it has none). */
void item_features(const cru_data *data, int64_t item, float *x);

#endif
