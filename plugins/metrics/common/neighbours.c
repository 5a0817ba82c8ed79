// SPDX-License-Identifier: Apache-2.0
#include "neighbours.h"

#include <stdlib.h>

#include "edges.h"

typedef struct counting {
    uint16_t *codes;
    neighbour_count *of;
    int32_t *histograms;
    int64_t classes;
} counting;

/* What is counted belongs to the source. */
static inline void count_source(void *user, int64_t row, int32_t source)
{
    const counting *c = user;
    c->of[source].all++;
    c->of[source].same += c->codes[source] == c->codes[row];
}

neighbour_count *neighbours_by_class(const cru_data *data, cru_error *err)
{
    counting c = {.codes = class_codes(data, err), .of = edge_records(data->nodes, sizeof *c.of, err)};
    if (c.codes && c.of) {
        const edge_scan all = {.graph = &data->graph, .codes = c.codes, .records = c.of, .size = sizeof *c.of};
        const int32_t parts = edge_parts(all.graph);
#pragma omp parallel for num_threads(parts)
        for (int32_t part = 0; part < parts; part++) {
            const edge_scan scan = edge_scan_sources(all, part, parts);
            edges_visit(&scan, count_source, &c);
        }
    } else {
        free(c.of);
        c.of = NULL;
    }
    free(c.codes);
    return c.of;
}

static inline void count_class(void *user, int64_t row, int32_t source)
{
    const counting *c = user;
    c->histograms[source * c->classes + c->codes[row]]++;
}

int32_t *neighbour_histograms(const cru_data *data, cru_error *err)
{
    const size_t size = (size_t)data->classes * sizeof(int32_t);
    counting c = {
        .codes = class_codes(data, err), .histograms = edge_records(data->nodes, size, err), .classes = data->classes};
    if (c.codes && c.histograms) {
        const edge_scan all = {.graph = &data->graph, .codes = c.codes, .records = c.histograms, .size = size};
        const int32_t parts = edge_parts(all.graph);
#pragma omp parallel for num_threads(parts)
        for (int32_t part = 0; part < parts; part++) {
            const edge_scan scan = edge_scan_sources(all, part, parts);
            edges_visit(&scan, count_class, &c);
        }
    } else {
        free(c.histograms);
        c.histograms = NULL;
    }
    free(c.codes);
    return c.histograms;
}
