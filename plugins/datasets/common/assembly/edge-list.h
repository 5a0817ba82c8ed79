// SPDX-License-Identifier: Apache-2.0
/* edge-list.h: a growing list of edges, for readers and generators that do not know the count beforehand. */
#ifndef FORMATS_EDGE_LIST_H
#define FORMATS_EDGE_LIST_H

#include <stdbool.h>

#include <crucible/plugin.h>

typedef struct edge_list {
    int32_t *from, *to;
    float *weight; /* NULL until an edge comes with a weight other than 1 */
    int64_t count, room;
} edge_list; /* zeroed: empty */

typedef struct edge {
    int64_t from, to;
    float weight;
} edge;

/* Appends from -> to. The ids must fit int32_t; the caller has checked them. CRU_NO_MEMORY. */
cru_status edge_list_add(edge_list *list, edge e, cru_error *err);

typedef enum edge_rule {
    EDGE_DIRECTED,  /* as listed; parallel edges become one */
    EDGE_SYMMETRIC, /* each edge also backwards; parallel ones become one */
    EDGE_MULTI,     /* as listed; parallel edges add their weights */
} edge_rule;

/* Makes data->graph of the list: `nodes` x `nodes`, row v holds the sources of the edges into v. */
cru_status edge_list_store(const edge_list *list, int64_t nodes, edge_rule rule, cru_data *data);

void edge_list_free(edge_list *list);

#endif
