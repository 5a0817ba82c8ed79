// SPDX-License-Identifier: Apache-2.0
/* imbalance.h: how unequal the training items are: in class, in degree, in size, in place.
 *
 *     classes  rho = max_c n_c / min_c n_c          over the classes that occur
 *     sizes    rho = mean size of heads / mean size of tails      degrees of nodes, node counts of graphs
 *     place    rho = -10 log10 |RC SC|              coefficients of curvature.h
 *
 *     Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 *     ICLR 2025. */
#ifndef CRUCIBLE_IMBALANCE_H
#define CRUCIBLE_IMBALANCE_H

#include <crucible/pool.h>
#include <crucible/random.h>
#include <crucible/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `labels` by item; items labelled CRU_UNLABELLED do not count. NAN when no item has a label. */
CRU_API double cru_imbalance_of_classes(const int32_t *labels, cru_ids items, int32_t classes);

/* The training items of every class by their observed labels, in the order of the split: `classes` sets in the pool.
 * Without labels all are empty. */
CRU_API cru_ids *cru_class_members(cru_pool pool, const cru_task *task);

/* Sizes of all `count` items. Heads are those of at least `head` (see below). */
typedef struct cru_sizes {
    const int64_t *size;
    int64_t count;
    double head;
} cru_sizes;

/* Orders `ids` by size[id], the largest first, equals by number. */
CRU_API void cru_largest_first(int32_t *ids, int64_t count, const int64_t *size);

/* Among `items` only. NAN when there is no head or no tail, or when all tails have size 0. */
CRU_API double cru_imbalance_of_sizes(const cru_sizes *sizes, cru_ids items);

/* From which degree a node is a head: the 0.8 quantile of all degrees, interpolated linearly. NAN for none. */
CRU_API double cru_head_degree(const int64_t *degree, int64_t count);

/* From which size a graph is a head: one more than the size at rank floor(0.2 count) from the top, counted from 0.
 * NAN for none. */
CRU_API double cru_head_size(const int64_t *size, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
