// SPDX-License-Identifier: Apache-2.0
/* mat-nodes.h: labels and features of nodes from variables of a MATLAB file, and the splits that lie beside it. */
#ifndef FORMATS_MAT_NODES_H
#define FORMATS_MAT_NODES_H

#include "mat-file.h"
#include "node-data.h"

typedef struct mat_reading {
    const node_settings *s;
    const char *path;
    mat_file *file;
    cru_arena *arena;
    cru_data *data;
    cru_error *err;
    int64_t unlabelled; /* so many nodes at the beginning have no label, whatever the file says */
} mat_reading;

/* The first variable of these names; CRU_BAD_INPUT when there is none. */
cru_status mat_nodes_get(const mat_reading *r, const char *const *names, mat_matrix *out);

/* Labels of column `column` (of all cells of a row or column vector when it is -1), minus `offset`; -1 is
 * unlabelled. */
typedef struct mat_labels {
    const mat_matrix *m;
    int64_t column, count, offset;
} mat_labels;
cru_status mat_nodes_labels(const mat_reading *r, mat_labels labels);

/* Cell i of a row or column vector. */
double mat_nodes_cell(const mat_matrix *vector, int64_t i);

/* data->x from the first variable of these names, a row a node. */
cru_status mat_nodes_features(const mat_reading *r, const char *const *names);

/* Official splits of the roles `splits` (index-lists.h) or train, val, test (id-files.h), when there are any. */
cru_status mat_nodes_splits(const mat_reading *r, const cru_source *source);

#endif
