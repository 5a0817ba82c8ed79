// SPDX-License-Identifier: Apache-2.0
/* generate.h: what generators have in common: classes and Gaussian features. */
#ifndef FORMATS_GENERATE_H
#define FORMATS_GENERATE_H

#include <crucible/plugin.h>

/* Largest number of nodes or rows: ids are int32_t. */
#define GENERATE_MOST 2000000000.0

/* Sets problem, items, nodes (equal to items) and classes, and allocates truth and labels. */
cru_status generate_begin(cru_data *data, cru_problem problem, int64_t items, int64_t classes, cru_error *err);

/* Copies truth to labels: the last step of every generator. */
void generate_end(cru_data *data);

/* Class sizes that add up to n, the first `ratio` times the last and a constant factor from each to the next; every
 * class gets at least one item when n >= classes. */
void generate_class_sizes(int64_t n, int64_t classes, double ratio, int64_t *sizes);

/* Deals out the classes in these sizes over all items in random order. Fails with CRU_NO_MEMORY only. */
cru_status generate_classes(cru_data *data, const int64_t *sizes, cru_rng *rng, cru_error *err);

/* The items class after class, ascending within one, in memory of the data; NULL (CRU_NO_MEMORY) when there is none. */
const int32_t *generate_by_class(cru_data *data, const int64_t *sizes, cru_error *err);

/* Dense features: one centre a class, a Gaussian direction of expected length `signal`; an item is its class's centre
 * plus N(0, 1) in every column. */
cru_status generate_gaussian(cru_data *data, int64_t cols, double signal, cru_rng *rng, cru_error *err);

/* Room for rows x cols dense features in data->x, rows = data->nodes; NULL and CRU_NO_MEMORY in err when there is
 * none. */
float *generate_dense(cru_data *data, int64_t cols, cru_error *err);

#endif
