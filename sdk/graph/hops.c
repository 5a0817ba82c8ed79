// SPDX-License-Identifier: Apache-2.0
/* Neighbourhoods of more than one hop, by a search from every node that stops at depth k. */
#include <omp.h>
#include <stdlib.h>

#include <crucible/draft/csr.h>
#include <crucible/draft/graph.h>
#include <crucible/graph.h>

#include "memory/heap.h"
#include "sparse/draft.h"
#include "sparse/sort.h"

/* One thread's search: nodes in order of discovery, and which search saw a node last. */
typedef struct explorer {
    int64_t *seen;
    int32_t *queue;
    uint64_t *keys; /* 2 n, to sort the result */
} explorer;

static explorer *explorers_create(int threads, int64_t n)
{
    explorer *all = heap_alloc(threads, sizeof *all);
    for (int t = 0; t < threads; t++)
        all[t] = (explorer){heap_alloc(n, sizeof(int64_t)), heap_alloc(n, sizeof(int32_t)),
                            heap_alloc(2 * n, sizeof(uint64_t))};
    return all;
}

static void explorers_destroy(explorer *all, int threads)
{
    for (int t = 0; t < threads; t++) {
        free(all[t].seen);
        free(all[t].queue);
        free(all[t].keys);
    }
    free(all);
}

/* The part of the queue that answers the question. */
typedef struct found {
    int64_t from, to;
} found;

/* `stamp` must differ from all earlier ones of this explorer. */
static found explore(explorer *x, const cru_csr *g, int64_t start, int32_t depth, int64_t stamp)
{
    x->seen[start] = stamp;
    x->queue[0] = (int32_t)start;
    int64_t level = 0, end = 1;
    for (int32_t hop = 0; hop < depth && level < end; hop++) {
        int64_t next = end;
        for (int64_t i = level; i < end; i++) {
            int64_t v = x->queue[i];
            for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
                if (x->seen[g->ids[e]] == stamp) continue;
                x->seen[g->ids[e]] = stamp;
                x->queue[next++] = g->ids[e];
            }
        }
        level = end;
        end = next;
    }
    return (found){level, end};
}

static void write_found(explorer *x, found f, const draft *d, int64_t row)
{
    int64_t n = f.to - f.from;
    for (int64_t i = 0; i < n; i++) x->keys[i] = (uint64_t)x->queue[f.from + i];
    sort_u64(x->keys, n, x->keys + d->cols);
    for (int64_t i = 0; i < n; i++) d->ids[d->offsets[row] + i] = (int32_t)x->keys[i];
}

static cru_csr neighbourhoods(cru_pool pool, const cru_csr *g, int32_t k, bool exactly)
{
    cru_assert(g->rows == g->cols && k >= 1, "hops: k = %d on %lld x %lld", k, (long long)g->rows, (long long)g->cols);
    draft d = draft_begin(pool, g->rows, g->cols);
    int threads = omp_get_max_threads();
    explorer *all = explorers_create(threads, g->rows);
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (int64_t v = 0; v < g->rows; v++) {
        found f = explore(&all[omp_get_thread_num()], g, v, k, v + 1);
        d.offsets[v + 1] = exactly ? f.to - f.from : f.to - 1;
    }
    draft_entries(&d, false);
#pragma omp parallel for schedule(dynamic, 64) num_threads(threads)
    for (int64_t v = 0; v < g->rows; v++) {
        explorer *x = &all[omp_get_thread_num()];
        found f = explore(x, g, v, k, -v - 1);
        if (!exactly) f.from = 1;
        write_found(x, f, &d, v);
    }
    explorers_destroy(all, threads);
    return draft_done(&d);
}

cru_csr cru_graph_within(cru_pool pool, const cru_csr *g, int32_t k)
{
    return neighbourhoods(pool, g, k, false);
}

cru_csr cru_graph_exact_hop(cru_pool pool, const cru_csr *g, int32_t k)
{
    return neighbourhoods(pool, g, k, true);
}

cru_csr cru_graph_two_hop(cru_pool pool, const cru_csr *g, bool keep_diagonal)
{
    cru_arena *scratch = heap_arena();
    cru_pool temporary = cru_arena_pool(scratch);
    cru_csr a = cru_graph_loops(temporary, g, CRU_LOOPS_REMOVE);
    cru_csr square = cru_csr_pattern_product(temporary, &a, &a);
    cru_csr result = cru_csr_without(keep_diagonal ? pool : temporary, &square, &a);
    if (!keep_diagonal) result = cru_graph_loops(pool, &result, CRU_LOOPS_REMOVE);
    cru_arena_destroy(scratch);
    return result;
}
