// SPDX-License-Identifier: Apache-2.0
/* graph-set.h: many small labelled graphs as one block-diagonal graph. */
#ifndef FORMATS_GRAPH_SET_H
#define FORMATS_GRAPH_SET_H

#include <crucible/arena.h>

#include "decimal.h"
#include "edge-list.h"

/* What a reader collects. The caller has checked that offsets ascend from 0 and that edges stay within their graph. */
typedef struct graph_set {
    const char *name; /* for messages */
    int64_t graphs;
    const int64_t *offsets; /* graphs + 1: the nodes of every graph */
    const int64_t *labels;  /* graphs: any whole numbers; the distinct ones in ascending order become 0, 1, ... */
    const int64_t *tags;    /* a whole number a node, or NULL */
    edge_list edges;
    bool loops; /* keep self-loops */
} graph_set;

/* Fills all of the data but the splits: an undirected graph, labels, and one-hot features from the tags when there are
 * at least two different ones. CRU_BAD_INPUT: no graphs, or too many classes or tags. */
cru_status graph_set_store(const graph_set *set, cru_arena *arena, cru_data *data, cru_error *err);

/* Replaces `count` numbers by their ranks among the distinct ones: 0 .. *distinct-1. Fails with CRU_NO_MEMORY only. */
cru_status graph_set_ranks(const int64_t *values, int64_t count, cru_arena *arena, int32_t **ranks, int64_t *distinct);

/* All whole numbers of a text file, `columns` a line with commas or blanks between them. */
typedef struct number_table {
    int64_t *numbers;
    int64_t rows;
} number_table;
cru_status number_table_read(cru_arena *arena, const char *path, int64_t columns, number_table *out, cru_error *err);

#endif
