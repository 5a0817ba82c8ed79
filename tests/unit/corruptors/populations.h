// SPDX-License-Identifier: Apache-2.0
/* populations.h: data whose classes and graphs have given sizes. */
#ifndef TESTS_POPULATIONS_H
#define TESTS_POPULATIONS_H

#include "corruptors/damage.h"

enum { POPULATION_CLASSES = 40 };

/* Items that are rows or nodes without edges, class after class. */
static inline cru_data *population_data(const int64_t *population, int32_t classes)
{
    int64_t n = 0, next = 0;
    for (int32_t c = 0; c < classes; c++) n += population[c];
    cru_data *data = damage_data(n, classes);
    for (int32_t c = 0; c < classes; c++)
        for (int64_t i = 0; i < population[c]; i++, next++) data->truth[next] = data->labels[next] = c;
    return data;
}

/* Makes every item a graph of sizes[i] nodes, or of one node when sizes is NULL. */
static inline void population_as_graphs(cru_data *data, const int64_t *sizes)
{
    int64_t *offsets = cru_data_alloc(data, data->items + 1, sizeof *offsets);
    for (int64_t i = 0; i < data->items; i++) offsets[i + 1] = offsets[i] + (sizes ? sizes[i] : 1);
    const int64_t nodes = offsets[data->items];
    data->problem = CRU_GRAPHS;
    data->nodes = nodes;
    data->graph_offsets = offsets;
    data->graph = (cru_csr){.rows = nodes,
                            .cols = nodes,
                            .offsets = cru_data_alloc(data, nodes + 1, sizeof(int64_t)),
                            .ids = cru_data_alloc(data, 1, sizeof(int32_t))};
    data->x = (cru_features){.rows = nodes, .cols = 1, .dense = cru_data_alloc(data, nodes, sizeof(float))};
}

/* Items of each class in a part. */
static inline void population_count(const cru_data *data, cru_ids part, int64_t *counts)
{
    for (int32_t c = 0; c < data->classes; c++) counts[c] = 0;
    for (int64_t i = 0; i < part.count; i++) counts[data->truth[part.ids[i]]]++;
}

#endif
