// SPDX-License-Identifier: Apache-2.0
/* small-graph.h: a graph for the tests of sparse operators, and its product with a matrix by a loop. */
#ifndef TESTS_OPS_SMALL_GRAPH_H
#define TESTS_OPS_SMALL_GRAPH_H

#include "ops/gradients.h"

typedef cru_tensor *const *operands;

/* Directed; node 3 has no neighbour in either direction. */
enum { N = 6, E = 11 };

static const int64_t offsets[N + 1] = {0, 3, 4, 8, 8, 9, 11};
static const int32_t ids[E] = {1, 2, 5, 0, 0, 1, 4, 5, 5, 2, 4};
static const float values[E] = {0.5f, -1, 2, 1.5f, 0.25f, 1, -0.5f, 3, 0.75f, -2, 1.25f};
static const cru_csr weighted = {.rows = N, .cols = N, .offsets = offsets, .ids = ids, .values = values};
static const cru_csr plain = {.rows = N, .cols = N, .offsets = offsets, .ids = ids};

/* The entry (v, u), or -1. */
static inline int64_t entry(int64_t v, int64_t u)
{
    for (int64_t e = offsets[v]; e < offsets[v + 1]; e++)
        if (ids[e] == u) return e;
    return -1;
}

static inline double value_of(const cru_csr *a, int64_t v, int64_t u)
{
    int64_t e = entry(v, u);
    return e < 0 ? 0 : a->values ? (double)a->values[e] : 1;
}

/* (A x[0])[v, k] */
static inline double ref_spmm(const cru_csr *a, operands x, int64_t v, int64_t k)
{
    double sum = 0;
    for (int64_t u = 0; u < N; u++) sum += value_of(a, v, u) * op_at(x[0], u, k);
    return sum;
}

#endif
