// SPDX-License-Identifier: Apache-2.0
/* PageRank of the whole graph, and local PageRank by pushing residuals. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/diffusion.h>

#include "memory/heap.h"
#include "sparse/draft.h"

/* One step of the walk along rows; nodes with empty rows restart. Returns the change. */
static double walk_step(const cru_csr *g, double damping, const double *rank, double *next)
{
    int64_t n = g->rows;
    double lost = 0, change = 0;
    memset(next, 0, (size_t)n * sizeof *next);
    for (int64_t v = 0; v < n; v++) {
        int64_t degree = g->offsets[v + 1] - g->offsets[v];
        if (!degree) lost += rank[v];
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) next[g->ids[e]] += rank[v] / (double)degree;
    }
    for (int64_t v = 0; v < n; v++) {
        next[v] = damping * (next[v] + lost / (double)n) + (1 - damping) / (double)n;
        change += fabs(next[v] - rank[v]);
    }
    return change;
}

void cru_pagerank(const cru_csr *g, double damping, double *rank)
{
    cru_assert(g->rows == g->cols && damping >= 0 && damping < 1, "pagerank: damping %g", damping);
    int64_t n = g->rows;
    double *next = heap_alloc(n, sizeof *next);
    for (int64_t v = 0; v < n; v++) rank[v] = 1 / (double)n;
    for (int step = 0; step < 10000; step++) {
        double change = walk_step(g, damping, rank, next);
        if (n) memcpy(rank, next, (size_t)n * sizeof *rank);
        if (change < 1e-13) break;
    }
    free(next);
}

/* The state of one thread: dense vectors of which only the touched nodes are ever non-zero. */
typedef struct pusher {
    double *rank, *residual;
    uint8_t *queued, *touched;
    int32_t *queue, *nodes; /* a ring of n + 1 places; the touched nodes */
    int64_t count;
} pusher;

static pusher pusher_create(int64_t n)
{
    return (pusher){heap_alloc(n, sizeof(double)),
                    heap_alloc(n, sizeof(double)),
                    heap_alloc(n, 1),
                    heap_alloc(n, 1),
                    heap_alloc(n + 1, sizeof(int32_t)),
                    heap_alloc(n, sizeof(int32_t)),
                    0};
}

static void pusher_destroy(pusher *p)
{
    free(p->rank);
    free(p->residual);
    free(p->queued);
    free(p->touched);
    free(p->queue);
    free(p->nodes);
}

static void touch(pusher *p, int32_t v)
{
    if (p->touched[v]) return;
    p->touched[v] = 1;
    p->nodes[p->count++] = v;
}

static bool is_due(const pusher *p, const cru_csr *g, int32_t v, double epsilon)
{
    int64_t degree = g->offsets[v + 1] - g->offsets[v];
    return p->residual[v] > epsilon * (double)(degree ? degree : 1);
}

static void push_from(pusher *p, const cru_csr *g, int32_t source, double restart, double epsilon)
{
    int64_t room = g->rows + 1, head = 0, tail = 0;
    p->residual[source] = 1;
    touch(p, source);
    p->queue[tail++ % room] = source;
    p->queued[source] = 1;
    while (head < tail) {
        int32_t v = p->queue[head++ % room];
        p->queued[v] = 0;
        if (!is_due(p, g, v, epsilon)) continue;
        double mass = p->residual[v], share = (1 - restart) * mass / (double)(g->offsets[v + 1] - g->offsets[v]);
        p->rank[v] += restart * mass;
        p->residual[v] = 0;
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            int32_t u = g->ids[e];
            touch(p, u);
            p->residual[u] += share;
            if (p->queued[u] || !is_due(p, g, u, epsilon)) continue;
            p->queued[u] = 1;
            p->queue[tail++ % room] = u;
        }
    }
}

static int by_id(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* A row of the result, kept until all rows are there. */
typedef struct row {
    int32_t *ids;
    float *values;
    int64_t count;
} row;

static row take_row(pusher *p)
{
    qsort(p->nodes, (size_t)p->count, sizeof *p->nodes, by_id);
    row r = {heap_alloc(p->count, sizeof *r.ids), heap_alloc(p->count, sizeof *r.values), 0};
    for (int64_t i = 0; i < p->count; i++) {
        int32_t v = p->nodes[i];
        if (p->rank[v] > 0) {
            r.ids[r.count] = v;
            r.values[r.count++] = (float)p->rank[v];
        }
        p->rank[v] = p->residual[v] = 0;
        p->touched[v] = 0;
    }
    p->count = 0;
    return r;
}

cru_csr cru_ppr_push(cru_pool pool, const cru_csr *g, cru_ids sources, double restart, double epsilon)
{
    cru_assert(g->rows == g->cols && restart > 0 && restart <= 1 && epsilon > 0, "push: restart %g, epsilon %g",
               restart, epsilon);
    int threads = omp_get_max_threads();
    pusher *all = heap_alloc(threads, sizeof *all);
    row *rows = heap_alloc(sources.count, sizeof *rows);
    for (int t = 0; t < threads; t++) all[t] = pusher_create(g->rows);
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t i = 0; i < sources.count; i++) {
        pusher *p = &all[omp_get_thread_num()];
        push_from(p, g, sources.ids[i], restart, epsilon);
        rows[i] = take_row(p);
    }
    draft d = draft_begin(pool, sources.count, g->cols);
    for (int64_t i = 0; i < sources.count; i++) d.offsets[i + 1] = rows[i].count;
    draft_entries(&d, true);
    for (int64_t i = 0; i < sources.count; i++) {
        memcpy(d.ids + d.offsets[i], rows[i].ids, (size_t)rows[i].count * sizeof *d.ids);
        memcpy(d.values + d.offsets[i], rows[i].values, (size_t)rows[i].count * sizeof *d.values);
        free(rows[i].ids);
        free(rows[i].values);
    }
    for (int t = 0; t < threads; t++) pusher_destroy(&all[t]);
    free(all);
    free(rows);
    return draft_done(&d);
}
