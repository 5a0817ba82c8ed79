// SPDX-License-Identifier: Apache-2.0
/* dgl-file.h: the binary files of dgl.save_graphs, version 2: the first graph, of one node type. */
#ifndef FORMATS_DGL_FILE_H
#define FORMATS_DGL_FILE_H

#include "array.h"

typedef struct dgl_tensor_entry {
    const char *name;
    array values;
} dgl_tensor_entry;

/* The edges of one relation, as many in `from` as in `to`. Their ids are not yet checked. */
typedef struct dgl_edges {
    const char *name;
    array from, to;
} dgl_edges;

typedef struct dgl_graph {
    const char *name; /* of the file, for messages */
    int64_t nodes;
    dgl_edges *relations;
    int64_t relation_count;
    dgl_tensor_entry *tensors; /* of the nodes */
    int64_t tensor_count;
} dgl_graph;

/* Everything lives in the arena or borrows from the file. CRU_BAD_INPUT and CRU_UNSUPPORTED name the byte. */
cru_status dgl_parse(const blob *file, cru_arena *arena, dgl_graph *out, cru_error *err);

/* NULL when the nodes have no tensor of that name. */
const array *dgl_tensor(const dgl_graph *g, const char *name);

#endif
