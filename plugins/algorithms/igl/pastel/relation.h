// SPDX-License-Identifier: Apache-2.0
/* relation.h: a learned n x n matrix that need not be stored.
 *
 *     s_uv = g_uv (<c_u, c_v> + <f_u, f_v>)
 *
 * c has a few numbers for every entry of a sparse matrix, f is dense; either may be missing. Rows of s are made when
 * they are needed, and again in the backward pass: O(n) memory a row. A matrix of few nodes is asked for its rows
 * dozens of times in an epoch: its rows are made once and kept for the step. They are the same numbers. */
#ifndef IGL_RELATION_H
#define IGL_RELATION_H

#include <crucible/crucible.h>

enum { RELATION_KEPT = 4096 }; /* most nodes of a matrix that is kept: 64 MiB */

/* Row u of a constant n x n matrix. */
typedef struct pair_gate {
    void (*row)(const void *user, int64_t u, float *g); /* NULL: all 1 */
    const void *user;
} pair_gate;

typedef struct relation {
    int64_t n;
    cru_sparse *pattern;             /* n x d, of c, */
    cru_tensor *c;                   /* entries x heads; NULL: none */
    const float *c_host;             /* the same for the host */
    cru_tensor *f;                   /* n x k; NULL: none */
    const float *f_host, *f_columns; /* for the host; transposed */
    pair_gate gate;
    cru_rng mask;      /* each product drops entries by this stream, */
    double drop;       /* with this probability */
    const float *kept; /* n x n, or NULL: rows are made */
} relation;

/* Makes c_host, f_host, f_columns and, of few nodes, what is kept. */
void relation_read(cru_tape *t, relation *s);

/* What an entry is dropped for: each has masks of its own. */
typedef enum relation_use { RELATION_PRODUCT, RELATION_ROUGHNESS } relation_use;

/* Row u without dropout; whether its entries are dropped: a factor for each, 0 or 1 / (1 - drop). */
void relation_row(const relation *s, int64_t u, float *row);
void relation_mask(const relation *s, relation_use use, int64_t u, float *row);

/* (s with dropout) h, then a column with the sums of the rows without dropout: n x (cols + 1). */
cru_tensor *relation_product(cru_tape *t, const relation *s, cru_tensor *h);

/* sum_uv s_uv (|x_u|^2 - <x_u, x_v>) with dropout of its own: how much x differs between nodes that are close. */
cru_tensor *relation_roughness(cru_tape *t, const relation *s, cru_sparse *x);

/* sum of (a - b)^2, where entries of b are dropped as in its roughness if `dropped`. */
double relation_distance(const relation *a, const relation *b, bool dropped);

#endif
