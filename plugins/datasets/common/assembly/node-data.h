// SPDX-License-Identifier: Apache-2.0
/* node-data.h: what formats of one graph with labelled nodes have in common: their settings, labels, graph, splits. */
#ifndef FORMATS_NODE_DATA_H
#define FORMATS_NODE_DATA_H

#include <stdbool.h>

#include "array.h"
#include "edge-list.h"

enum { NODE_TASK_CLASSES, NODE_TASK_ANOMALY };

typedef struct node_settings {
    bool directed, loops;
    int64_t task;
} node_settings;

/* A group for the format's own table. */
extern const cru_param node_params[];

/* The settings of a format that has no others. */
typedef struct node_only {
    node_settings node;
} node_only;
extern const cru_param node_only_params[];

/* Most classes that a file may have: the largest label is no reason to allocate without bound. */
#define NODE_MOST_CLASSES 100000

/* Sets problem, items, classes (largest label + 1; two for anomalies), truth and labels from whole numbers >= 0; -1 is
 * unlabelled. `offset` is subtracted first: 1 for files that count from 1. */
cru_status node_labels(const node_settings *s, const array *labels, int64_t offset, cru_data *data, cru_error *err);

/* node_labels, with `count` labels in an array of the caller. */
typedef struct node_label_list {
    const char *name; /* for messages */
    const int32_t *labels;
    int64_t count;
} node_label_list;
cru_status node_store_labels(const node_settings *s, node_label_list list, cru_data *data, cru_error *err);

/* A graph of `nodes` nodes without any label: there is one class, and nobody is in it. */
cru_status node_unlabelled(const node_settings *s, int64_t nodes, cru_data *data, cru_error *err);

/* data->graph from a square matrix whose entry (u, v) is an edge u -> v, with or without loops and directions as the
 * settings say. Values stay as weights unless they are all 1. */
cru_status node_graph(const node_settings *s, const cru_csr *arcs, cru_data *data, cru_error *err);

/* data->graph from a list of edges, which ends here. `status` is how reading it went: a fault is passed on, and makes
 * no graph. */
cru_status node_graph_take(cru_status status, const node_settings *s, edge_list *list, cru_data *data, cru_error *err);

/* Room for `count` official splits; NULL and CRU_NO_MEMORY in err when there is none. */
cru_split *node_splits(cru_data *data, int64_t count, cru_error *err);

/* The items of a mask (not 0), ascending. `step` is the distance between two of its items in `masks`, `first` the
 * place of the first. */
typedef struct node_mask {
    const array *masks;
    int64_t first, step;
} node_mask;
cru_status node_mask_ids(node_mask mask, cru_data *data, cru_ids *out, cru_error *err);

#endif
