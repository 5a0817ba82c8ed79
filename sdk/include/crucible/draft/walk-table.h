// SPDX-License-Identifier: Apache-2.0
/* walk-table.h, a draft: embeddings of nodes from random walks (node2vec with p = q = 1; Grover, Leskovec, KDD 2016).
 *
 * A table holds a row for every node. A window is `context` nodes of a walk in a row, and d the product of the row of
 * its first node with that of each other one:
 *     mean over walked windows of - log(sigmoid(d) + 1e-15) + mean over random ones of - log(1 - sigmoid(d) + 1e-15)
 * All of it runs on the host, like k-means. The same bits for any number of threads. */
#ifndef CRUCIBLE_DRAFT_WALK_TABLE_H
#define CRUCIBLE_DRAFT_WALK_TABLE_H

#include <crucible/pool.h>
#include <crucible/random.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_walk_table {
    int64_t nodes, dim;
    float *rows;           /* nodes x dim */
    float *gradient;       /* as many: what cru_walk_table_learn added since the last step */
    float *first, *second; /* Adam's moments */
    int64_t steps;         /* made */
} cru_walk_table;

/* Rows drawn from N(0, 1), in memory of the pool. */
CRU_API cru_walk_table cru_walk_table_create(cru_pool pool, int64_t nodes, int64_t dim, cru_rng *rng);

/* Two lists of walks, `count` x `length` nodes each: as walked, and the start followed by random nodes. */
typedef struct cru_walk_batch {
    const int32_t *walked, *random;
    int64_t count, length, context; /* 2 <= context <= length */
} cru_walk_batch;

/* Adds the gradient of the loss above to table->gradient. *loss, unless NULL, receives its value, which training has no
 * need of. */
CRU_API void cru_walk_table_learn(cru_walk_table *table, const cru_walk_batch *batch, double *loss);

/* A step of Adam (0.9, 0.999, 1e-8) of the rows that the batch names; values and moments of others stay, as PyTorch's
 * SparseAdam has it. Clears the gradient. */
CRU_API void cru_walk_table_step(cru_walk_table *table, const cru_walk_batch *batch, double lr);

typedef struct cru_walk_options {
    int64_t walks, length, context; /* walks from each node, nodes of a walk, nodes of a window */
    int64_t batch, epochs;          /* nodes in a step; an epoch starts from every node */
    double lr;
} cru_walk_options;

/* Learns the table from walks on g, in O(epochs * nodes * walks * length * context * dim). */
CRU_API void cru_walk_table_fit(cru_walk_table *table, const cru_csr *g, const cru_walk_options *options, cru_rng *rng);

#ifdef __cplusplus
}
#endif
#endif
