// SPDX-License-Identifier: Apache-2.0
/* The inner loop of walk-table.c, compiled for several instruction sets. */
#ifndef CRUCIBLE_GRAPH_WALK_TABLE_H
#define CRUCIBLE_GRAPH_WALK_TABLE_H

#include <crucible/draft/walk-table.h>

typedef struct walk_list {
    const int32_t *ids; /* count x length */
    int64_t count, length, context;
    float sign;    /* 1: walked, the loss is - log(sigmoid(d)); -1: random, of - d */
    float weight;  /* of every pair */
    float *memory; /* walk_floats, all 0 */
    double *loss;  /* or NULL */
} walk_list;

/* Rows of zeros after those of a walk, and the width of rows, zeros included: blocks of registers fit. */
enum { WALK_MARGIN = 4, WALK_WIDTH = 32 };

static inline int64_t walk_width(int64_t dim)
{
    return (dim + WALK_WIDTH - 1) / WALK_WIDTH * WALK_WIDTH;
}

static inline int64_t walk_floats(int64_t length, int64_t dim)
{
    const int64_t rows = length + WALK_MARGIN;
    return 2 * rows * walk_width(dim) + 3 * rows * rows;
}

typedef void walk_learn(cru_walk_table *table, const walk_list *list);
walk_learn walk_learn_portable, walk_learn_avx2, walk_learn_avx512;

#endif
