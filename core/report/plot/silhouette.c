// SPDX-License-Identifier: Apache-2.0
#include "report/plot/silhouette.h"

#include <math.h>
#include <stdlib.h>

#include <crucible/status.h>

static double distance(const float *a, const float *b, int64_t cols)
{
    double sum = 0;
    for (int64_t i = 0; i < cols; i++) sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
    return sqrt(sum);
}

/* From the sums of distances to every class. */
static double one_silhouette(const double *sums, const int64_t *members, int32_t classes, int32_t own)
{
    double nearest = INFINITY;
    if (members[own] < 2) return 0;
    double inside = sums[own] / (double)(members[own] - 1);
    for (int32_t c = 0; c < classes; c++)
        if (c != own && members[c] > 0) nearest = fmin(nearest, sums[c] / (double)members[c]);
    double larger = fmax(inside, nearest);
    return larger > 0 ? (nearest - inside) / larger : 0;
}

double silhouette_of(const float *values, int64_t rows, int64_t cols, const int32_t *classes)
{
    int32_t count = 0, used = 0;
    for (int64_t i = 0; i < rows; i++)
        if (classes[i] >= count) count = classes[i] + 1;
    double *sums = malloc(((size_t)count + 1) * sizeof *sums), total = 0;
    int64_t *members = calloc((size_t)count + 1, sizeof *members);
    if (!sums || !members) cru_panic(CRU_NO_MEMORY, "plot: no memory for %d classes", count);
    for (int64_t i = 0; i < rows; i++) members[classes[i]]++;
    for (int32_t c = 0; c < count; c++) used += members[c] > 0;
    for (int64_t i = 0; i < rows && used > 1; i++) {
        for (int32_t c = 0; c < count; c++) sums[c] = 0;
        for (int64_t k = 0; k < rows; k++) sums[classes[k]] += distance(values + i * cols, values + k * cols, cols);
        total += one_silhouette(sums, members, count, classes[i]);
    }
    free(sums);
    free(members);
    return used > 1 ? total / (double)rows : NAN;
}
