// SPDX-License-Identifier: Apache-2.0
#include "generate.h"

#include <math.h>
#include <string.h>

cru_status generate_begin(cru_data *data, cru_problem problem, int64_t items, int64_t classes, cru_error *err)
{
    data->problem = problem;
    data->items = data->nodes = items;
    data->classes = (int32_t)classes;
    data->truth = cru_data_alloc(data, items, sizeof *data->truth);
    data->labels = cru_data_alloc(data, items, sizeof *data->labels);
    if (!data->truth || !data->labels)
        return cru_fail(err, CRU_NO_MEMORY, "no memory for %lld items", (long long)items);
    return CRU_OK;
}

void generate_end(cru_data *data)
{
    if (data->items > 0) memcpy(data->labels, data->truth, (size_t)data->items * sizeof *data->labels);
}

void generate_class_sizes(int64_t n, int64_t classes, double ratio, int64_t *sizes)
{
    double total = 0, factor = classes > 1 ? pow(ratio, -1.0 / (double)(classes - 1)) : 1;
    for (int64_t c = 0; c < classes; c++) total += pow(factor, (double)c);
    int64_t left = n;
    for (int64_t c = classes - 1; c > 0; c--) {
        sizes[c] = (int64_t)nearbyint((double)n * pow(factor, (double)c) / total);
        if (sizes[c] > left) sizes[c] = left;
        if (sizes[c] < 1 && left > 0) sizes[c] = 1;
        left -= sizes[c];
    }
    sizes[0] = left;
}

cru_status generate_classes(cru_data *data, const int64_t *sizes, cru_rng *rng, cru_error *err)
{
    int32_t *order = cru_data_alloc(data, data->items, sizeof *order);
    if (!order) return cru_fail(err, CRU_NO_MEMORY, "no memory for %lld labels", (long long)data->items);
    cru_rng_permutation(rng, order, data->items);
    int64_t next = 0;
    for (int32_t c = 0; c < data->classes; c++)
        for (int64_t i = 0; i < sizes[c]; i++) data->truth[order[next++]] = c;
    return CRU_OK;
}

const int32_t *generate_by_class(cru_data *data, const int64_t *sizes, cru_error *err)
{
    int32_t *member = cru_data_alloc(data, data->items, sizeof *member);
    int64_t *next = cru_data_alloc(data, data->classes, sizeof *next);
    if (!member || !next) {
        cru_fail(err, CRU_NO_MEMORY, "no memory for %d classes", data->classes);
        return NULL;
    }
    for (int32_t c = 1; c < data->classes; c++) next[c] = next[c - 1] + sizes[c - 1];
    for (int64_t i = 0; i < data->items; i++) member[next[data->truth[i]]++] = (int32_t)i;
    return member;
}

float *generate_dense(cru_data *data, int64_t cols, cru_error *err)
{
    int64_t cells;
    float *x = NULL;
    if (!__builtin_mul_overflow(data->nodes, cols, &cells)) x = cru_data_alloc(data, cells, sizeof *x);
    if (!x) {
        cru_fail(err, CRU_NO_MEMORY, "no memory for %lld x %lld features", (long long)data->nodes, (long long)cols);
        return NULL;
    }
    data->x = (cru_features){.rows = data->nodes, .cols = cols, .dense = x};
    return x;
}

cru_status generate_gaussian(cru_data *data, int64_t cols, double signal, cru_rng *rng, cru_error *err)
{
    float *x = generate_dense(data, cols, err);
    float *centre = cru_data_alloc(data, data->classes * cols, sizeof *centre); /* classes x cols */
    if (!x || !centre) return cru_fail(err, CRU_NO_MEMORY, "no memory for class centres");
    cru_rng_fill_normal(rng, centre, data->classes * cols, 0, (float)(signal / sqrt((double)cols)));
    cru_rng_fill_normal(rng, x, data->nodes * cols, 0, 1);
    for (int64_t i = 0; i < data->nodes; i++) {
        const float *mean = centre + data->truth[i] * cols;
        for (int64_t j = 0; j < cols; j++) x[i * cols + j] += mean[j];
    }
    return CRU_OK;
}
