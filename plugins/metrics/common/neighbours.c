#include "neighbours.h"

#include <stdlib.h>

/* Row v of the graph holds the sources u of edges u -> v, so what is counted belongs to u. */
neighbour_count *neighbours_by_class(const cru_data *data, cru_error *err)
{
    const cru_csr *g = &data->graph;
    neighbour_count *count = calloc((size_t)(data->nodes ? data->nodes : 1), sizeof *count);
    if (!count) {
        cru_fail(err, CRU_NO_MEMORY, "no memory for the neighbours of %lld nodes", (long long)data->nodes);
        return NULL;
    }
    for (int64_t v = 0; v < g->rows; v++) {
        if (data->truth[v] == CRU_UNLABELLED) continue;
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            const int32_t u = g->ids[e];
            if (u == v || data->truth[u] == CRU_UNLABELLED) continue;
            count[u].all++;
            count[u].same += data->truth[u] == data->truth[v];
        }
    }
    return count;
}

int32_t *neighbour_histograms(const cru_data *data, cru_error *err)
{
    const cru_csr *g = &data->graph;
    int32_t *counts = calloc(((size_t)data->nodes + 1) * (size_t)data->classes, sizeof *counts);
    if (!counts) {
        cru_fail(err, CRU_NO_MEMORY, "no memory for %lld x %d neighbours", (long long)data->nodes, data->classes);
        return NULL;
    }
    for (int64_t v = 0; v < g->rows; v++) {
        const int32_t class = data->truth[v];
        if (class == CRU_UNLABELLED) continue;
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
            if (g->ids[e] != v) counts[(int64_t)g->ids[e] * data->classes + class]++;
    }
    return counts;
}
