// SPDX-License-Identifier: Apache-2.0
/* places.h: where nodes are, seen from the labelled ones: which pairs belong to the same classes, and hops to anchors.
 *
 *     Z = a (I - (1 - a) S)^-1 I*      I*_vc = 1 / n_c for labelled v of class c
 *     g_uv = 1 - cos(pi rank_uv / n^2)      rank_uv: of <z_u, z_v> among all pairs, the largest first, from 1
 *
 * Ranks come from a histogram of the scores, whose places are 2^-15 of a score wide; pairs in one place share the mean
 * of their ranks. So nothing of size n x n need be kept; of few nodes g is, because its rows are asked for again and
 * again. */
#ifndef IGL_PLACES_H
#define IGL_PLACES_H

#include "relation.h"

typedef struct pair_ranks {
    int64_t n, classes;
    float *z;              /* classes x n */
    float *factor;         /* g by place, */
    uint32_t least, count; /* whose first one holds all scores up to it */
    float *kept;           /* g, n x n, or NULL: rows are made */
} pair_ranks;

/* s: the propagation matrix; members: labelled nodes of each class. */
pair_ranks pair_ranks_create(cru_pool pool, const cru_csr *s, const cru_ids *members, int32_t classes, double restart);

/* For pair_gate: user is the pair_ranks. */
void pair_ranks_row(const void *user, int64_t u, float *g);

/* Which nodes row u leads to: next[v] != 0. */
typedef void places_row(const void *user, int64_t u, float *next);

/* Hops from every anchor over the matrix whose rows are given, up to `cut`, over the largest; 0 beyond it: out is
 * n x anchors. Keeps n x anchors bytes, never the matrix. */
void places_hops(int64_t n, cru_ids anchors, int32_t cut, places_row *row, const void *user, float *out);

#endif
