// SPDX-License-Identifier: Apache-2.0
/* routing.h: the class whose prototype a node is most like, and the student that is asked for it. */
#ifndef IGL_ROUTING_H
#define IGL_ROUTING_H

#include <crucible/crucible.h>

/* For every node the class of the largest cosine of e (nodes x width) with its prototype, for this step of the tape.
 * Prototype: mean e of the training nodes of the class. A class of fewer than the average is joined, up to it, by
 * neighbours of its nodes in the order of p (nodes x classes: probabilities), and then by nodes among the 10 that are
 * most like one of its nodes in the cosine of features without being adjacent to it, likewise. */
const int32_t *nearest_prototype(cru_learner *l, cru_tape *t, cru_tensor *e, cru_tensor *p);

/* Which student a node goes to. */
typedef struct route {
    const int32_t *order;   /* classes: those of the first student, then those of the second */
    int32_t heads;          /* how many are of the first */
    const uint8_t *to_tail; /* of every node: to the second */
} route;

/* nodes x classes: the scores of each node's student, -999999 for the classes of the other. */
cru_tensor *route_scores(cru_tape *t, cru_tensor *const student[2], int64_t classes, const route *by);

#endif
