// SPDX-License-Identifier: Apache-2.0
/* node2vec.h: embeddings of nodes from random walks (Grover, Leskovec; p = q = 1). */
#ifndef PLUGINS_NODE2VEC_H
#define PLUGINS_NODE2VEC_H

#include <crucible/crucible.h>

typedef struct node2vec {
    int64_t dim, walks, length, context; /* length: nodes of a walk; context: nodes of a window */
    int64_t batch, epochs;
    double lr;
} node2vec;

/* Walks in both lists: count x length nodes, host. A window is `context` nodes in a row, d the product of the first with
 * each other:      mean over windows of - log(sigmoid(d) + 1e-15), for those of `random`: - log(1 - sigmoid(d) + 1e-15)
 */
typedef struct walk_batch {
    const int32_t *walked, *random;
    int64_t count, length, context;
} walk_batch;
cru_tensor *node2vec_loss(cru_tape *t, cru_tensor *table, const walk_batch *w);

/* Learns `table`, nodes x dim, whose rows were drawn from N(0, 1), with an Adam that moves the rows of a batch only. */
void node2vec_fit(cru_learner *l, const node2vec *settings, cru_tensor *table);

#endif
