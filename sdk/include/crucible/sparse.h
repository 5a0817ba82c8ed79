// SPDX-License-Identifier: Apache-2.0
/* sparse.h: compressed sparse rows, the one layout for graphs and for sparse features.
 *
 * A `cru_csr` borrows its arrays: it is a small value that can be copied freely and never frees anything. Row i holds
 * the entries offsets[i] .. offsets[i+1]-1; ids are column numbers. Unless a function says otherwise ids of a row are
 * strictly ascending. For a graph, row v lists the nodes that v aggregates *from* (its in-neighbours); on an undirected
 * graph that is simply its neighbours. */
#ifndef CRUCIBLE_SPARSE_H
#define CRUCIBLE_SPARSE_H

#include <crucible/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_csr {
    int64_t rows, cols;
    const int64_t *offsets; /* rows + 1; offsets[0] = 0 */
    const int32_t *ids;     /* offsets[rows] */
    const float *values;    /* offsets[rows], or NULL: every stored entry is 1 */
} cru_csr;

/* Stored entries; 0 for a zeroed struct. */
static inline int64_t cru_csr_nnz(const cru_csr *a)
{
    return a->offsets ? a->offsets[a->rows] : 0;
}

/* Offsets non-decreasing from 0, ids in range and strictly ascending in each row. For data that comes from outside;
 * `name` begins the message. A zeroed struct passes. */
CRU_API cru_status cru_csr_check(const cru_csr *a, const char *name, cru_error *err);

#ifdef __cplusplus
}
#endif
#endif
