// SPDX-License-Identifier: Apache-2.0
#include "item-features.h"

#include <string.h>

static void add_row(const cru_features *from, int64_t row, float weight, float *x)
{
    if (from->dense) {
        const float *values = from->dense + row * from->cols;
        for (int64_t k = 0; k < from->cols; k++) x[k] += weight * values[k];
        return;
    }
    const cru_csr *a = &from->sparse;
    for (int64_t e = a->offsets[row]; e < a->offsets[row + 1]; e++)
        x[a->ids[e]] += weight * (a->values ? a->values[e] : 1);
}

void item_features(const cru_data *data, int64_t item, float *x)
{
    int64_t first = item, last = item + 1;
    if (data->problem == CRU_GRAPHS) {
        first = data->graph_offsets[item];
        last = data->graph_offsets[item + 1];
    }
    memset(x, 0, (size_t)data->x.cols * sizeof *x);
    for (int64_t row = first; row < last; row++) add_row(&data->x, row, 1 / (float)(last - first), x);
}
