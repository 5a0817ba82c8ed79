// SPDX-License-Identifier: Apache-2.0
#include "edge-list.h"

#include <crucible/graph.h>

static int64_t count_arcs(const cru_csr *g)
{
    int64_t arcs = 0;
    for (int64_t v = 0; v < g->rows; v++)
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) arcs += g->ids[e] != v;
    return arcs;
}

int64_t edge_count(const cru_csr *g)
{
    const int64_t arcs = count_arcs(g);
    return cru_graph_is_symmetric(g) ? arcs / 2 : arcs;
}

/* Never 0, which marks a free slot. */
static uint64_t key_of(const edge_list *list, int32_t a, int32_t b)
{
    const bool swap = list->both && a > b;
    return ((uint64_t)(uint32_t)(swap ? b : a) << 32 | (uint32_t)(swap ? a : b)) + 1;
}

/* Marks a pair; false when it was marked before. */
static bool mark(edge_list *list, int32_t a, int32_t b)
{
    const uint64_t key = key_of(list, a, b);
    uint64_t slot = key * 0x9e3779b97f4a7c15u >> 20 & list->mask;
    while (list->known[slot] && list->known[slot] != key) slot = (slot + 1) & list->mask;
    if (list->known[slot]) return false;
    list->known[slot] = key;
    return true;
}

edge_list edge_list_create(cru_pool pool, const cru_csr *g, int64_t more)
{
    edge_list list = {.graph = g, .both = cru_graph_is_symmetric(g)};
    int64_t slots = 64;
    list.room = (list.both ? count_arcs(g) / 2 : count_arcs(g)) + more;
    while (slots < 2 * list.room) slots *= 2;
    list.mask = (uint64_t)slots - 1;
    list.known = cru_pool_alloc(pool, slots, sizeof *list.known);
    list.a = cru_pool_alloc(pool, list.room, sizeof *list.a);
    list.b = cru_pool_alloc(pool, list.room, sizeof *list.b);
    if (g->values) list.weight = cru_pool_alloc(pool, list.room, sizeof *list.weight);
    for (int32_t v = 0; v < g->rows; v++) {
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            if (g->ids[e] == v || (list.both && g->ids[e] > v)) continue;
            if (list.weight) list.weight[list.count] = g->values[e];
            mark(&list, g->ids[e], v);
            list.a[list.count] = g->ids[e];
            list.b[list.count++] = v;
        }
    }
    return list;
}

bool edge_list_claim(edge_list *list, int32_t a, int32_t b)
{
    return a != b && mark(list, a, b);
}

void edge_list_push(edge_list *list, int32_t a, int32_t b)
{
    cru_assert(list->count < list->room, "edge list: no room for more than %lld", (long long)list->room);
    if (list->weight) list->weight[list->count] = 1;
    list->a[list->count] = a;
    list->b[list->count++] = b;
}

/* Entries under construction. */
typedef struct entries {
    int32_t *row, *col;
    float *values;
    int64_t count;
} entries;

static void put(entries *to, int32_t from, int32_t into, float weight)
{
    if (to->values) to->values[to->count] = weight;
    to->row[to->count] = into;
    to->col[to->count++] = from;
}

static void put_loops(entries *to, const cru_csr *g)
{
    for (int32_t v = 0; v < g->rows; v++) {
        const int64_t e = cru_csr_find(g, v, v);
        if (e >= 0) put(to, v, v, g->values ? g->values[e] : 1);
    }
}

cru_csr edge_list_graph(cru_pool pool, const edge_list *list)
{
    const cru_csr *g = list->graph;
    const int64_t most = 2 * list->count + g->rows;
    entries all = {cru_pool_alloc(pool, most, sizeof *all.row), cru_pool_alloc(pool, most, sizeof *all.col),
                   list->weight ? cru_pool_alloc(pool, most, sizeof *all.values) : NULL, 0};
    for (int64_t i = 0; i < list->count; i++) {
        const float weight = list->weight ? list->weight[i] : 1;
        put(&all, list->a[i], list->b[i], weight);
        if (list->both) put(&all, list->b[i], list->a[i], weight);
    }
    put_loops(&all, g);
    const cru_coo coo = {
        .rows = g->rows, .cols = g->cols, .count = all.count, .row = all.row, .col = all.col, .values = all.values};
    return cru_csr_from_coo(pool, &coo, CRU_DUP_FIRST);
}

void edge_change_apply(cru_data *data, edge_change *change, void *user)
{
    if (data->relation_count == 0) {
        data->graph = change(user, data, &data->graph);
        return;
    }
    for (int32_t r = 0; r < data->relation_count; r++)
        data->relations[r].graph = change(user, data, &data->relations[r].graph);
    data->graph = cru_graph_merge(cru_data_pool(data), data->relations, data->relation_count, CRU_DUP_MAX);
}

node_range node_range_of(const cru_data *data, int32_t v)
{
    if (data->problem != CRU_GRAPHS) return (node_range){0, data->nodes};
    int64_t low = 0, high = data->items;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (data->graph_offsets[middle] <= v)
            low = middle;
        else
            high = middle;
    }
    return (node_range){data->graph_offsets[low], data->graph_offsets[low + 1]};
}
