// SPDX-License-Identifier: Apache-2.0
/* tree.h: between the files of the forest. */
#ifndef CRU_FOREST_TREE_H
#define CRU_FOREST_TREE_H

#include <crucible/draft/forest.h>

/* In the order of a walk that goes left first: the left child of node i is node i + 1. */
typedef struct tree_node {
    double threshold; /* x[feature] <= threshold goes left */
    int32_t feature;  /* -1: a leaf */
    int32_t next;     /* the right child; of a leaf: the number of its shares */
} tree_node;

typedef struct tree {
    tree_node *nodes;
    int64_t count;
    float *shares; /* leaves x classes */
    int64_t leaves;
} tree;

struct cru_forest {
    int64_t trees, cols;
    int32_t classes;
    tree *tree;
};

/* The samples with every column in ranks. Rank r of column c stands for value[first[c] + r]; values of a column ascend
 * strictly. */
typedef struct ranked {
    const cru_samples *samples;
    int32_t *rank;  /* cols x rows */
    float *value;   /* the distinct values of all columns */
    int64_t *first; /* cols + 1 */
    int64_t widest; /* most distinct values of a column */
} ranked;

ranked ranked_create(const cru_samples *samples);
void ranked_destroy(ranked *r);

/* The rows of one node with equal values in a column. */
typedef struct group {
    int32_t rank;
    int32_t place; /* where its class weights begin, in units of classes */
} group;

/* What one thread needs to search for splits: a node's rows by groups, and room to make them. */
typedef struct desk {
    const ranked *table;
    cru_impurity impurity;
    const double *weight; /* of every row in this tree */
    uint64_t *keys, *spare;
    group *groups;
    double *bins; /* classes numbers a group */
    double *left; /* class weights on the left of a boundary */
} desk;

typedef struct node_rows {
    const int32_t *ids;
    int64_t count;
    const double *total; /* weight of every class */
} node_rows;

typedef struct split {
    double score;    /* larger is purer */
    int32_t feature; /* -1: none found */
    int32_t rank;    /* the last on the left */
    double threshold;
} split;

/* Improves *best by a split in this column. False: the column is constant in the node. */
bool split_search(desk *d, const node_rows *node, int32_t feature, split *best);

/* One tree from the rows of positive weight. `desk` belongs to the calling thread. */
typedef struct growth {
    const cru_forest_shape *shape;
    desk *desk;
    int32_t *rows;    /* ids in the bag, reordered by the growth */
    int64_t count;    /* of them */
    int32_t *columns; /* a permutation of all columns, reordered */
    cru_rng rng;
} growth;

tree tree_grow(growth *g);
const float *tree_find(const tree *t, int32_t classes, const float *x);

#endif
