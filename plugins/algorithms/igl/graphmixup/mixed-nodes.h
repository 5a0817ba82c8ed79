// SPDX-License-Identifier: Apache-2.0
/* mixed-nodes.h: new nodes between a node of a minority class and the nearest of that class, with soft edges. */
#ifndef IGL_MIXED_NODES_H
#define IGL_MIXED_NODES_H

#include <crucible/crucible.h>

typedef struct mixed {
    int32_t *first, *second, *labels; /* which nodes; of which class */
    float *way;                       /* from the first to the second, one for all of a repetition */
    int64_t count;
} mixed;

typedef struct mixed_plan {
    const cru_ids *members; /* training nodes of each class */
    int32_t classes;
    int64_t average; /* classes of fewer nodes are mixed, */
    double k;        /* by k of mixup-scale.h; or */
    double up_scale; /* not 0: all, each with so many new nodes for one of its own */
    bool by_place;   /* the second node is the one whose number is the place of the nearest in its class */
} mixed_plan;

mixed mixed_draw(cru_tape *t, const mixed_plan *plan, cru_tensor *e, cru_rng *rng);

/* The embeddings of the nodes, then of the new ones. */
cru_tensor *mixed_join(cru_tape *t, cru_tensor *e, const mixed *x);

/* (A h) / (sum of the row + 1) for h of all these nodes: A is g and, both ways, an edge of weight sigmoid(c_v . c_u)
 * from a new node v to every neighbour u of either of its two. */
cru_tensor *mixed_around(cru_tape *t, const cru_csr *g, const mixed *x, cru_tensor *code, cru_tensor *h);

#endif
