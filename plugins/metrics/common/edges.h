// SPDX-License-Identifier: Apache-2.0
/* edges.h: all edges between labelled nodes, at the speed of memory.
 *
 * Row v of a graph lists the sources u of edges u -> v, anywhere in memory. Metrics look up or count something for each
 * source; on graphs of millions of nodes almost every such access misses the cache, and what counts is to ask for the
 * memory early. */
#ifndef METRICS_EDGES_H
#define METRICS_EDGES_H

#include <crucible/plugin.h>

/* Classes of all nodes in two bytes each, so that more of them fit into the cache; UNKNOWN_CLASS for unlabelled nodes.
 * Free with free(). NULL after a failure: no memory, or more classes than two bytes tell apart. */
#define UNKNOWN_CLASS UINT16_MAX
uint16_t *class_codes(const cru_data *data, cru_error *err);

/* `count` zeroed records for random access, in large pages where the system has them. Free with free(). NULL after a
 * failure. */
void *edge_records(int64_t count, size_t size, cru_error *err);

/* Which edges, and what a visitor touches of their sources. */
typedef struct edge_scan {
    const cru_csr *graph;
    const uint16_t *codes;
    const void *records;        /* or NULL */
    size_t size;                /* of one */
    int64_t row, row_end;       /* those between these rows */
    int32_t source, source_end; /* and between these sources */
} edge_scan;

/* How many threads may share a scan: one for small graphs. */
int32_t edge_parts(const cru_csr *graph);

/* Part number `part` of `parts`, by rows: for visitors that only look at sources and sum up in memory of their own. */
edge_scan edge_scan_rows(edge_scan all, int32_t part, int32_t parts);

/* By sources: for visitors that write the record of a source. Every record is written by one thread, in the order of
 * the rows whatever the number of parts is. */
edge_scan edge_scan_sources(edge_scan all, int32_t part, int32_t parts);

/* The edge source -> row. */
typedef void edge_visitor(void *user, int64_t row, int32_t source);

/* Every edge of the scan between labelled nodes except self-loops, row by row. Inline, so that the visitor can be,
 * too. */
static inline void edges_visit(const edge_scan *s, edge_visitor *visit, void *user)
{
    enum { AHEAD = 48 }; /* edges whose memory is asked for early */
    const cru_csr *g = s->graph;
    const int64_t last = cru_csr_nnz(g) - 1;
    for (int64_t v = s->row; v < s->row_end; v++) {
        if (s->codes[v] == UNKNOWN_CLASS) continue;
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            const int32_t u = g->ids[e], soon = g->ids[e + AHEAD < last ? e + AHEAD : last];
            if (soon >= s->source && soon < s->source_end) { /* in a function of its own gcc would drop this */
                __builtin_prefetch(&s->codes[soon]);
                if (s->records) __builtin_prefetch((const char *)s->records + (size_t)soon * s->size, 1);
            }
            if (u >= s->source && u < s->source_end && u != v && s->codes[u] != UNKNOWN_CLASS) visit(user, v, u);
        }
    }
}

#endif
