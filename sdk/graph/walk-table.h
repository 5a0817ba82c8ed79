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
    float *memory; /* 2 length dim + 2 pairs of a walk */
    double *loss;  /* or NULL */
} walk_list;

typedef void walk_learn(cru_walk_table *table, const walk_list *list);
walk_learn walk_learn_portable, walk_learn_avx2, walk_learn_avx512;

#endif
