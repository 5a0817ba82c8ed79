// SPDX-License-Identifier: Apache-2.0
/* edge-list.h: a graph as a list of edges that may move, and who is joined already.
 *
 * On a symmetric graph the two directions of an edge are one entry and stay together; on any other graph an entry is
 * one directed edge a -> b. Self-loops take no part and come back as they were; a moved edge keeps its weight. */
#ifndef CORRUPTORS_EDGE_LIST_H
#define CORRUPTORS_EDGE_LIST_H

#include <crucible/plugin.h>
#include <crucible/pool.h>

typedef struct edge_list {
    const cru_csr *graph;
    bool both; /* the graph is symmetric: (a, b) is (b, a) */
    int64_t count, room;
    int32_t *a, *b;
    float *weight; /* NULL: all 1 */
    uint64_t *known;
    uint64_t mask;
} edge_list;

/* The edges of g, by row; room for `more` others. g must outlive the list. */
edge_list edge_list_create(cru_pool pool, const cru_csr *g, int64_t more);

/* True when a and b differ and were never joined so far; they count as joined from now on, whatever becomes of it. At
 * most `more` times true in a list's life. */
bool edge_list_claim(edge_list *list, int32_t a, int32_t b);

/* Appends an edge of weight 1. */
void edge_list_push(edge_list *list, int32_t a, int32_t b);

cru_csr edge_list_graph(cru_pool pool, const edge_list *list);

/* ---- the graph of a problem -------------------------------------------------------------------------------------- */

/* Changes one graph; `user` is the corruptor's own. Returns the new graph in memory of the data. */
typedef cru_csr edge_change(void *user, cru_data *data, const cru_csr *g);

/* Changes the graph; where it has relations, each of them, and the graph becomes their union. */
void edge_change_apply(cru_data *data, edge_change *change, void *user);

/* The nodes first .. last - 1 that v may be joined to: those of its own graph. */
typedef struct node_range {
    int64_t first, last;
} node_range;
node_range node_range_of(const cru_data *data, int32_t v);

/* How many edges there are: pairs when the graph is symmetric, else directed ones; without self-loops. */
int64_t edge_count(const cru_csr *g);

#endif
