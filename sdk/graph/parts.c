// SPDX-License-Identifier: Apache-2.0
/* Parts of a graph under new numbers. */
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/graph.h>
#include <crucible/graph.h>

#include "memory/heap.h"
#include "sparse/draft.h"

/* number[v] = new id + 1, or 0 for nodes that are left out. */
static int64_t count_kept(const cru_csr *g, cru_ids nodes, const int32_t *number)
{
    int64_t count = 0;
    for (int64_t i = 0; i < nodes.count; i++)
        for (int64_t e = g->offsets[nodes.ids[i]]; e < g->offsets[nodes.ids[i] + 1]; e++)
            count += number[g->ids[e]] != 0;
    return count;
}

static cru_csr relabel(cru_pool pool, const cru_csr *g, cru_ids nodes, const int32_t *number)
{
    int64_t count = count_kept(g, nodes, number), at = 0;
    int32_t *row = heap_alloc(count, sizeof *row), *col = heap_alloc(count, sizeof *col);
    float *values = g->values ? heap_alloc(count, sizeof *values) : NULL;
    for (int64_t i = 0; i < nodes.count; i++) {
        for (int64_t e = g->offsets[nodes.ids[i]]; e < g->offsets[nodes.ids[i] + 1]; e++) {
            if (!number[g->ids[e]]) continue;
            row[at] = (int32_t)i;
            col[at] = number[g->ids[e]] - 1;
            if (values) values[at] = g->values[e];
            at++;
        }
    }
    cru_coo entries = {nodes.count, nodes.count, count, row, col, values};
    cru_csr result = cru_csr_from_coo(pool, &entries, CRU_DUP_KEEP);
    free(values);
    free(col);
    free(row);
    return result;
}

static void add_node(const cru_csr *g, int32_t *number, int64_t at, int32_t v)
{
    cru_assert(v >= 0 && v < g->rows, "subgraph: node %d of %lld", v, (long long)g->rows);
    cru_assert(!number[v], "subgraph: node %d is given twice", v);
    number[v] = (int32_t)at + 1;
}

static cru_ids keep_ids(cru_pool pool, const int32_t *ids, int64_t count)
{
    int32_t *copy = cru_pool_alloc(pool, count, sizeof *copy);
    if (count) memcpy(copy, ids, (size_t)count * sizeof *copy);
    return (cru_ids){copy, count};
}

cru_subgraph cru_graph_induced(cru_pool pool, const cru_csr *g, cru_ids ids)
{
    int32_t *number = heap_alloc(g->rows, sizeof *number);
    for (int64_t i = 0; i < ids.count; i++) add_node(g, number, i, ids.ids[i]);
    cru_subgraph part = {relabel(pool, g, ids, number), keep_ids(pool, ids.ids, ids.count)};
    free(number);
    return part;
}

static int by_id(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* A growing list of nodes. */
typedef struct node_list {
    int32_t *ids;
    int64_t count, room;
} node_list;

static void node_list_add(node_list *list, int32_t v)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 64;
        list->ids = heap_grow(list->ids, list->room, sizeof *list->ids);
    }
    list->ids[list->count++] = v;
}

/* Appends the unseen neighbours of nodes from .. count-1, ascending. */
static void grow_one_hop(const cru_csr *g, node_list *nodes, int64_t from, int32_t *number)
{
    int64_t end = nodes->count;
    for (int64_t i = from; i < end; i++) {
        int32_t v = nodes->ids[i];
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            if (number[g->ids[e]]) continue;
            number[g->ids[e]] = 1;
            node_list_add(nodes, g->ids[e]);
        }
    }
    qsort(nodes->ids + end, (size_t)(nodes->count - end), sizeof *nodes->ids, by_id);
    for (int64_t i = end; i < nodes->count; i++) number[nodes->ids[i]] = (int32_t)i + 1;
}

cru_subgraph cru_graph_ego(cru_pool pool, const cru_csr *g, cru_ids seeds, int32_t hops)
{
    int32_t *number = heap_alloc(g->rows, sizeof *number);
    node_list nodes = {heap_alloc(seeds.count + 1, sizeof *nodes.ids), 0, seeds.count + 1};
    for (int64_t i = 0; i < seeds.count; i++) {
        add_node(g, number, i, seeds.ids[i]);
        node_list_add(&nodes, seeds.ids[i]);
    }
    for (int64_t hop = 0, from = 0; hop < hops; hop++) {
        int64_t end = nodes.count;
        grow_one_hop(g, &nodes, from, number);
        from = end;
    }
    cru_ids all = keep_ids(pool, nodes.ids, nodes.count);
    cru_subgraph part = {relabel(pool, g, all, number), all};
    free(nodes.ids);
    free(number);
    return part;
}
