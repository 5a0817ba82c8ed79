// SPDX-License-Identifier: Apache-2.0
/* Breadth-first search, components, diameter; depth-first search. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/paths.h>
#include <crucible/paths.h>

#include "memory/heap.h"

/* hops[] must be -1 except for the sources that queue[0..count-1] lists with 0. Returns the number of nodes reached. */
static int64_t search(const cru_csr *g, int32_t *queue, int64_t count, int32_t *hops)
{
    for (int64_t head = 0; head < count; head++) {
        int32_t v = queue[head];
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            int32_t u = g->ids[e];
            if (hops[u] >= 0) continue;
            hops[u] = hops[v] + 1;
            queue[count++] = u;
        }
    }
    return count;
}

static int64_t start(const cru_csr *g, cru_ids sources, int32_t *queue, int32_t *hops)
{
    int64_t count = 0;
    memset(hops, 0xff, (size_t)g->rows * sizeof *hops);
    for (int64_t i = 0; i < sources.count; i++) {
        int32_t v = sources.ids[i];
        cru_assert(v >= 0 && v < g->rows, "search: node %d of %lld", v, (long long)g->rows);
        if (hops[v] == 0) continue;
        hops[v] = 0;
        queue[count++] = v;
    }
    return count;
}

/* Among the rows that reach u from one hop closer, the smallest. */
static void find_parents(const cru_csr *g, const int32_t *hops, int32_t *parent)
{
    memset(parent, 0xff, (size_t)g->rows * sizeof *parent);
    for (int32_t v = 0; v < g->rows; v++) {
        if (hops[v] < 0) continue;
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            int32_t u = g->ids[e];
            if (parent[u] < 0 && hops[u] == hops[v] + 1) parent[u] = v;
        }
    }
}

void cru_graph_hops(const cru_csr *g, cru_ids sources, int32_t *hops, int32_t *parent)
{
    int32_t *queue = heap_alloc(g->rows, sizeof *queue);
    search(g, queue, start(g, sources, queue, hops), hops);
    if (parent) find_parents(g, hops, parent);
    free(queue);
}

void cru_graph_distances(const cru_csr *g, cru_ids sources, int32_t *hops)
{
    int threads = omp_get_max_threads();
    int32_t *queues = heap_alloc(g->rows * threads, sizeof *queues);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t i = 0; i < sources.count; i++) {
        int32_t *queue = queues + g->rows * omp_get_thread_num(), *row = hops + g->rows * i;
        search(g, queue, start(g, (cru_ids){sources.ids + i, 1}, queue, row), row);
    }
    free(queues);
}

/* The smallest node of v's set. Halves paths on the way. */
static int32_t root(int32_t *up, int32_t v)
{
    while (up[v] != v) {
        up[v] = up[up[v]];
        v = up[v];
    }
    return v;
}

int32_t cru_graph_components(const cru_csr *g, int32_t *component)
{
    int32_t n = (int32_t)g->rows, count = 0;
    int32_t *up = heap_alloc(n, sizeof *up);
    for (int32_t v = 0; v < n; v++) up[v] = v;
    for (int32_t v = 0; v < n; v++) {
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            int32_t a = root(up, v), b = root(up, g->ids[e]);
            if (a < b) up[b] = a;
            if (b < a) up[a] = b;
        }
    }
    for (int32_t v = 0; v < n; v++) component[v] = up[v] == v ? count++ : component[root(up, v)];
    free(up);
    return count;
}

cru_ids cru_graph_largest_component(cru_pool pool, const cru_csr *g)
{
    int32_t *component = heap_alloc(g->rows, sizeof *component);
    int32_t count = cru_graph_components(g, component), best = 0;
    int64_t *size = heap_alloc(count, sizeof *size);
    for (int64_t v = 0; v < g->rows; v++) size[component[v]]++;
    for (int32_t c = 1; c < count; c++)
        if (size[c] > size[best]) best = c;
    int32_t *ids = cru_pool_alloc(pool, size[best], sizeof *ids);
    int64_t n = 0;
    for (int32_t v = 0; v < g->rows; v++)
        if (component[v] == best) ids[n++] = v;
    free(size);
    free(component);
    return (cru_ids){ids, n};
}

/* What is known of the eccentricity of each node of the component. */
typedef struct bounds {
    const cru_ids nodes;
    int32_t *low, *high; /* by node */
} bounds;

/* A search from `from` with eccentricity ecc: d <= ecc(v), ecc - d <= ecc(v) <= ecc + d. */
static void tighten(const bounds *b, const int32_t *hops, int32_t ecc)
{
    for (int64_t i = 0; i < b->nodes.count; i++) {
        int32_t v = b->nodes.ids[i], d = hops[v];
        int32_t low = d > ecc - d ? d : ecc - d;
        if (low > b->low[v]) b->low[v] = low;
        if (ecc + d < b->high[v]) b->high[v] = ecc + d;
    }
}

/* The next node to search from: by turns the one that may be the most eccentric and the one that may be the most
 * central, among those that could still exceed `diameter`; -1 when there is none. */
static int32_t choose(const bounds *b, int32_t diameter, bool eccentric)
{
    int32_t best = -1;
    for (int64_t i = 0; i < b->nodes.count; i++) {
        int32_t v = b->nodes.ids[i];
        if (b->high[v] <= diameter) continue;
        if (best < 0 || (eccentric ? b->high[v] > b->high[best] : b->low[v] < b->low[best])) best = v;
    }
    return best;
}

int32_t cru_graph_diameter(const cru_csr *g)
{
    if (!g->rows) return 0;
    cru_arena *scratch = heap_arena();
    cru_pool pool = cru_arena_pool(scratch);
    bounds b = {cru_graph_largest_component(pool, g), cru_pool_alloc(pool, g->rows, sizeof(int32_t)),
                cru_pool_alloc(pool, g->rows, sizeof(int32_t))};
    int32_t *hops = cru_pool_alloc(pool, g->rows, sizeof *hops), *queue = cru_pool_alloc(pool, g->rows, sizeof *queue);
    for (int64_t v = 0; v < g->rows; v++) b.high[v] = INT32_MAX;
    int32_t diameter = 0, from = choose(&b, 0, true);
    for (bool eccentric = false; from >= 0; eccentric = !eccentric) {
        int64_t reached = search(g, queue, start(g, (cru_ids){&from, 1}, queue, hops), hops);
        int32_t ecc = hops[queue[reached - 1]];
        if (ecc > diameter) diameter = ecc;
        tighten(&b, hops, ecc);
        b.high[from] = ecc;
        from = choose(&b, diameter, eccentric);
    }
    cru_arena_destroy(scratch);
    return diameter;
}

/* ---- depth first ----------------------------------------------------------------------------------------- */

/* A node on the way from the start, and the entries of its row that are still to be looked at: first .. end - 1. */
typedef struct stop {
    int64_t first, end;
} stop;

static stop enter(const cru_csr *g, int32_t v, uint8_t *taken)
{
    taken[v] = 1;
    return (stop){g->offsets[v], g->offsets[v + 1]};
}

void cru_graph_depth_first(const cru_csr *g, int32_t start, int64_t most, uint8_t *taken)
{
    cru_assert(start >= 0 && start < g->rows, "search: node %d of %lld", start, (long long)g->rows);
    if (most <= 0 || taken[start]) return;
    stop *way = heap_alloc(most < g->rows ? most : g->rows, sizeof *way);
    int64_t depth = 0, left = most - 1;
    way[depth++] = enter(g, start, taken);
    while (depth > 0 && left > 0) {
        stop *last = &way[depth - 1];
        if (last->end == last->first) {
            depth--;
            continue;
        }
        const int32_t u = g->ids[--last->end];
        if (taken[u]) continue;
        way[depth++] = enter(g, u, taken);
        left--;
    }
    free(way);
}
