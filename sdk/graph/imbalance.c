// SPDX-License-Identifier: Apache-2.0
/* Imbalance ratios. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/imbalance.h>
#include <crucible/imbalance.h>

#include "memory/heap.h"

double cru_imbalance_of_classes(const int32_t *labels, cru_ids items, int32_t classes)
{
    int64_t *count = heap_alloc(classes, sizeof *count), most = 0, least = INT64_MAX;
    for (int64_t i = 0; i < items.count; i++)
        if (labels[items.ids[i]] != CRU_UNLABELLED) count[labels[items.ids[i]]]++;
    for (int32_t c = 0; c < classes; c++) {
        if (count[c] == 0) continue;
        if (count[c] > most) most = count[c];
        if (count[c] < least) least = count[c];
    }
    free(count);
    return most ? (double)most / (double)least : NAN;
}

cru_ids *cru_class_members(cru_pool pool, const cru_task *task)
{
    const cru_ids train = task->split.train;
    int64_t *end = cru_pool_alloc(pool, task->classes + 1, sizeof *end);
    int32_t *ids = cru_pool_alloc(pool, train.count, sizeof *ids);
    cru_ids *members = cru_pool_alloc(pool, task->classes, sizeof *members);
    for (int64_t i = 0; i < train.count && task->labels; i++)
        if (task->labels[train.ids[i]] != CRU_UNLABELLED) end[task->labels[train.ids[i]] + 1]++;
    for (int32_t c = 0; c < task->classes; c++) {
        members[c] = (cru_ids){ids + end[c], end[c + 1]};
        end[c + 1] += end[c];
    }
    for (int64_t i = 0; i < train.count && task->labels; i++)
        if (task->labels[train.ids[i]] != CRU_UNLABELLED) ids[end[task->labels[train.ids[i]]]++] = train.ids[i];
    return members;
}

cru_ids cru_class_repeat(cru_pool pool, const cru_ids *members, int32_t classes, cru_rng *rng)
{
    int64_t largest = 0, count = 0;
    for (int32_t c = 0; c < classes; c++) largest = members[c].count > largest ? members[c].count : largest;
    int32_t *ids = cru_pool_alloc(pool, largest * classes, sizeof *ids);
    int32_t *order = cru_pool_alloc(pool, largest, sizeof *order);
    for (int32_t c = 0; c < classes; c++) {
        const int64_t own = members[c].count;
        for (int64_t i = 0; i < own; i++) order[i] = members[c].ids[i];
        for (int64_t i = 0; own && i < largest; i++) {
            if (largest - i < own && i % own == 0) cru_rng_shuffle(rng, order, own);
            ids[count++] = order[i % own];
        }
    }
    return (cru_ids){ids, count};
}

typedef struct sized {
    int64_t size;
    int32_t id;
} sized;

static int larger_first(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return (x->id > y->id) - (x->id < y->id);
}

void cru_largest_first(int32_t *ids, int64_t count, const int64_t *size)
{
    sized *all = heap_alloc(count, sizeof *all);
    for (int64_t i = 0; i < count; i++) all[i] = (sized){size[ids[i]], ids[i]};
    qsort(all, (size_t)count, sizeof *all, larger_first);
    for (int64_t i = 0; i < count; i++) ids[i] = all[i].id;
    free(all);
}

double cru_imbalance_of_sizes(const cru_sizes *sizes, cru_ids items)
{
    double sum[2] = {0};
    int64_t count[2] = {0};
    for (int64_t i = 0; i < items.count; i++) {
        const int64_t size = sizes->size[items.ids[i]];
        const bool head = (double)size >= sizes->head;
        sum[head] += (double)size;
        count[head]++;
    }
    if (!count[0] || !count[1] || sum[0] <= 0) return NAN;
    return (sum[1] / (double)count[1]) / (sum[0] / (double)count[0]);
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int64_t *sorted(const int64_t *size, int64_t count)
{
    int64_t *copy = heap_alloc(count, sizeof *copy);
    memcpy(copy, size, (size_t)count * sizeof *copy);
    qsort(copy, (size_t)count, sizeof *copy, ascending);
    return copy;
}

double cru_head_degree(const int64_t *degree, int64_t count)
{
    if (count <= 0) return NAN;
    int64_t *order = sorted(degree, count);
    const double at = 0.8 * (double)(count - 1);
    const int64_t below = (int64_t)at, above = below + 1 < count ? below + 1 : below;
    const double lower = (double)order[below], upper = (double)order[above];
    free(order);
    return lower + (at - (double)below) * (upper - lower);
}

double cru_head_size(const int64_t *size, int64_t count)
{
    if (count <= 0) return NAN;
    int64_t *order = sorted(size, count);
    const double boundary = (double)order[count - 1 - (int64_t)(0.2 * (double)count)];
    free(order);
    return boundary + 1;
}

double cru_imbalance_of_places(double reaching, double squashing)
{
    return -10 * log10(fabs(reaching * squashing));
}
