// SPDX-License-Identifier: Apache-2.0
#include "truth-mean.h"

#include <math.h>

double truth_mean(const cru_judging *j, row_loss *loss)
{
    const cru_data *data = j->data;
    double sum = 0;
    int64_t items = 0;
    for (int64_t i = 0; i < j->items.count; i++) {
        const int64_t item = j->items.ids[i];
        if (data->truth[item] == CRU_UNLABELLED) continue;
        sum += loss(j->scores + item * data->classes, data->classes, data->truth[item]);
        items++;
    }
    return items ? sum / (double)items : NAN;
}
