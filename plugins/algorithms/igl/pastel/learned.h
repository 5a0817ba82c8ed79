// SPDX-License-Identifier: Apache-2.0
/* learned.h: a given graph and a learned one, mixed.
 *
 *     A = skip given + (1 - skip) D^-1 s      D: sums of the rows of s, without dropout
 *     or share (that) + (1 - share) (another such graph) */
#ifndef IGL_LEARNED_H
#define IGL_LEARNED_H

#include "relation.h"

typedef struct learned {
    relation s;
    cru_sparse *given;
    double skip, share;          /* of this one; the rest is that of */
    const struct learned *other; /* or NULL */
} learned;

/* Entry by entry the given graph drops what s drops in its product. */
learned learned_dropped(cru_tape *t, const relation *s, const cru_csr *given, double skip);

/* A h */
cru_tensor *learned_spread(cru_tape *t, const learned *g, cru_tensor *h);

/* For places_hops: which nodes row u of s and of the given graph leads to; `user` is the graph. */
void learned_row(const void *user, int64_t u, float *next);

#endif
