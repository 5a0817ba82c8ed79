// SPDX-License-Identifier: Apache-2.0
/* relations.h: embeddings by several weighings of the same edges.
 *
 *     h = X W_h      w^r_uv = sigmoid(a_r . [h_u; h_v]) at the edges of A
 *     E = ReLU(|| over r of A^r X W_r)      A^r: the weights w^r */
#ifndef IGL_RELATIONS_H
#define IGL_RELATIONS_H

#include <crucible/crucible.h>

typedef struct relations {
    cru_fc hidden, own, other, relate; /* W_h; both halves of a, hidden x relations; W_r side by side */
    cru_gcn context[2];                /* of what describes a relation */
    cru_fc describe;
} relations;

typedef struct relations_seen {
    cru_tensor *h, *weights, *e; /* nodes x hidden; entries x relations; nodes x hidden */
} relations_seen;

/* in: features; count divides what E has of the width. */
relations relations_create(cru_net *net, int64_t in, int64_t hidden, int64_t count);
relations_seen relations_embed(cru_tape *t, const relations *r, cru_sparse *links, const cru_input *x);

/* A row for every relation: mean over nodes of tanh(A^r tanh(A^r h V_1 + b_1) V_2 + b_2), times U; h is fixed. */
cru_tensor *relations_describe(cru_tape *t, const relations *r, cru_sparse *links, const relations_seen *seen);

/* The mean cosine of two different rows; NULL when there is only one. */
cru_tensor *relations_alike(cru_tape *t, cru_tensor *rows);

#endif
