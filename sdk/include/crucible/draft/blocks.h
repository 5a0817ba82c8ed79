// SPDX-License-Identifier: Apache-2.0
/* draft/blocks.h: the part of a graph that a layer needs for some of its nodes.
 *
 * A block has a row for each node whose value is asked for and a column for each node whose value is read: a bipartite
 * matrix with nodes numbered anew. Stacked, the columns of one block are the rows of the one below:
 *
 *     drawn = cru_sample_neighbours(pool, g, rows, fanout, rng)      some entries of these rows
 *     top   = cru_block_of(pool, g, rows, &drawn, place)
 *     drawn = cru_sample_neighbours(pool, g, top.nodes, ...)         and so on, down to the features of the nodes */
#ifndef CRUCIBLE_DRAFT_BLOCKS_H
#define CRUCIBLE_DRAFT_BLOCKS_H

#include <crucible/graph.h>
#include <crucible/random.h>
#include <crucible/task.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_block {
    cru_csr adj;        /* rows x nodes.count; ids ascend where those of g do */
    cru_ids nodes;      /* of the columns, ascending: all that are read, and the rows themselves */
    const int32_t *own; /* for each row its column */
} cru_block;

/* The block of entries that were drawn from rows `rows` of g (rows.count x g->cols). A row of which some were left out
 * is scaled so that its sum is that of the whole row, unless its sum is 0: of k entries of a mean over n that is 1/k.
 * Where nothing was left out values and their order are those of g. `place`: g->cols numbers, all 0 before and
 * after. */
CRU_API cru_block cru_block_of(cru_pool pool, const cru_csr *g, cru_ids rows, const cru_csr *drawn, int32_t *place);

/* All entries of some rows, rows.count x g->cols, between nodes that `inside` has, which is place of g->cols numbers,
 * not 0 for those nodes; NULL: all nodes. */
CRU_API cru_csr cru_block_entries(cru_pool pool, const cru_csr *g, cru_ids rows, const int32_t *inside);

/* One draw of nodes for all rows together: `count` different ones of those that the rows read (all, when there are no
 * more), one after the other by p_u, the share of node u in sum_v g_vu^2 over the rows v. The result has the rows'
 * entries at the chosen nodes, divided by min(1, count p_u), and at the rows themselves as they are.
 * Zou et al. Layer-Dependent Importance Sampling. NeurIPS 2019. */
CRU_API cru_csr cru_sample_layer(cru_pool pool, const cru_csr *g, cru_ids rows, int64_t count, cru_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
