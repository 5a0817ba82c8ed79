// SPDX-License-Identifier: Apache-2.0
/* tail-tasks.h: the few-shot tasks of meta-tail2vec: a node and its dense neighbours.
 *
 * A node is dense when it has more than `sparse_degree` neighbours that have more than `sparse_degree` themselves. The
 * support of a node is a sample of its dense neighbours. A support node is described by the mean features of a sample
 * of what lies within two hops of it (at most 50 neighbours, and 25 of each of these, every node once, itself left
 * out), the node of the task by those of its support and a sample of their neighbours. */
#ifndef IGL_TAIL_TASKS_H
#define IGL_TAIL_TASKS_H

#include <crucible/crucible.h>

enum { TAIL_MOST_SHOTS = 64 };

/* Which rows of a support count. */
typedef enum tail_count {
    TAIL_COUNT_ALL,      /* padding, too */
    TAIL_COUNT_REAL,     /* not padding */
    TAIL_COUNT_NOT_ZERO, /* neither padding nor node 0 */
} tail_count;

typedef struct tail_source {
    const cru_features *x;
    cru_csr around, dense; /* neighbours of every node, and the dense ones among them */
    int64_t shots;         /* rows of a support; what is missing is padded by rows of zeros */
    int32_t *seen, stamp;  /* scratch: nodes that the running mean holds already */
} tail_source;

tail_source tail_source_create(cru_ctx *ctx, const cru_task *task, int64_t sparse_degree, int64_t shots);

/* Tasks one after the other, on the host; `shots` rows of support and one query each. */
typedef struct tail_tasks {
    int64_t count;
    float *x, *y;         /* (count shots) x features: what describes a support node, and its features */
    float *share;         /* count shots: 1 / (rows that count), or 0 */
    float *query, *truth; /* count x features: the same two of the node itself */
} tail_tasks;

tail_tasks tail_tasks_draw(cru_pool pool, tail_source *source, cru_ids nodes, tail_count rule, cru_rng *rng);

#endif
