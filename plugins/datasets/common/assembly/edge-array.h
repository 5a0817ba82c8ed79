// SPDX-License-Identifier: Apache-2.0
/* edge-array.h: edges as an array of node numbers. */
#ifndef FORMATS_EDGE_ARRAY_H
#define FORMATS_EDGE_ARRAY_H

#include "node-data.h"

/* data->graph from a matrix of 2 x m numbers (sources above targets) or, with `pairs`, of m x 2. CRU_BAD_INPUT: another
 * shape, or a number that is no node. */
cru_status edge_array_graph(const node_settings *s, const array *edges, bool pairs, cru_data *data, cru_error *err);

#endif
