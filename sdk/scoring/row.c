// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include <crucible/scoring.h>

int32_t cru_best_class(const float *row, int32_t classes)
{
    int32_t best = 0;
    for (int32_t c = 1; c < classes && !isnan(row[best]); c++)
        if (row[c] > row[best] || isnan(row[c])) best = c;
    return best;
}

double cru_log_sum_exp(const float *row, int32_t classes)
{
    double largest = (double)row[0], sum = 0;
    for (int32_t c = 1; c < classes; c++) largest = fmax(largest, (double)row[c]);
    for (int32_t c = 0; c < classes; c++) sum += exp((double)row[c] - largest);
    return largest + log(sum);
}
