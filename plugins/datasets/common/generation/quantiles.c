// SPDX-License-Identifier: Apache-2.0
#include "quantiles.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* numpy takes the nearer end as the base of the interpolation, which matters for the last bit. */
static double quantile(const double *sorted, int64_t count, double share)
{
    double place = share * (double)(count - 1), low = floor(place), t = place - low;
    double a = sorted[(int64_t)low], b = sorted[(int64_t)low + (t > 0)];
    return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

void quantile_labels(const double *values, int64_t count, int64_t classes, int32_t *labels, cru_arena *arena)
{
    if (count == 0) return;
    double *sorted = cru_arena_alloc(arena, count, sizeof *sorted);
    double *bound = cru_arena_alloc(arena, classes, sizeof *bound); /* of class k from above */
    for (int64_t i = 0; i < count; i++) sorted[i] = values[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    for (int64_t k = 0; k + 1 < classes; k++) bound[k] = quantile(sorted, count, (double)(k + 1) / (double)classes);
    for (int64_t i = 0; i < count; i++) {
        int64_t k = 0;
        while (k + 1 < classes && values[i] >= bound[k]) k++;
        labels[i] = (int32_t)k;
    }
}
