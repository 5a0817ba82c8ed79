// SPDX-License-Identifier: Apache-2.0
/* One tree, from the root down, left children first. */
#include <math.h>
#include <stdlib.h>

#include <crucible/draft/forest.h>

#include "forest/tree.h"
#include "memory/heap.h"

/* A run of rows that waits to become a node, and the node whose right child it is (-1: root or left child). */
typedef struct waiting {
    int64_t first, count;
    int64_t parent;
} waiting;

static void add_leaf(tree *t, int32_t classes, const double *total)
{
    double sum = 0;
    for (int32_t c = 0; c < classes; c++) sum += total[c];
    for (int32_t c = 0; c < classes; c++)
        t->shares[t->leaves * classes + c] = (float)(sum > 0 ? total[c] / sum : 1.0 / classes);
    t->nodes[t->count++] = (tree_node){.feature = -1, .next = (int32_t)t->leaves++};
}

static bool is_pure(const double *total, int32_t classes)
{
    int32_t present = 0;
    for (int32_t c = 0; c < classes; c++) present += total[c] > 0;
    return present < 2;
}

/* Columns in random order, until enough were drawn and one of them was not constant. */
static split choose_split(growth *g, const node_rows *node)
{
    const int64_t cols = g->desk->table->samples->x.cols;
    split best = {.score = -INFINITY, .feature = -1};
    bool varied = false;
    for (int64_t i = 0; i < cols && (i < g->shape->features || !varied); i++) {
        const int64_t j = i + cru_rng_below(&g->rng, cols - i);
        const int32_t column = g->columns[j];
        g->columns[j] = g->columns[i];
        g->columns[i] = column;
        if (split_search(g->desk, node, column, &best)) varied = true;
    }
    return best;
}

/* Rows of rank up to that of the split come first; returns their number. */
static int64_t part_rows(const growth *g, int32_t *ids, int64_t count, const split *s)
{
    const ranked *table = g->desk->table;
    const int32_t *rank = table->rank + s->feature * table->samples->x.rows;
    int64_t low = 0, high = count;
    while (low < high) {
        if (rank[ids[low]] <= s->rank) {
            low++;
            continue;
        }
        const int32_t id = ids[--high];
        ids[high] = ids[low];
        ids[low] = id;
    }
    return low;
}

static void sum_classes(const growth *g, const waiting *w, double *total)
{
    const cru_samples *samples = g->desk->table->samples;
    for (int32_t c = 0; c < samples->classes; c++) total[c] = 0;
    for (int64_t i = 0; i < w->count; i++) {
        const int32_t row = g->rows[w->first + i];
        total[samples->labels[row]] += g->desk->weight[row];
    }
}

tree tree_grow(growth *g)
{
    const int32_t classes = g->desk->table->samples->classes;
    const int64_t most = g->count > 0 ? g->count : 1; /* leaves */
    tree t = {.nodes = heap_alloc(2 * most, sizeof *t.nodes), .shares = heap_alloc(most * classes, sizeof *t.shares)};
    waiting *stack = heap_alloc(most + 1, sizeof *stack);
    double *total = heap_alloc(classes, sizeof *total);
    int64_t depth = 0;
    stack[depth++] = (waiting){0, g->count, -1};
    while (depth > 0) {
        const waiting w = stack[--depth];
        if (w.parent >= 0) t.nodes[w.parent].next = (int32_t)t.count;
        sum_classes(g, &w, total);
        split s = {.feature = -1};
        if (!is_pure(total, classes)) s = choose_split(g, &(node_rows){g->rows + w.first, w.count, total});
        if (s.feature < 0) {
            add_leaf(&t, classes, total);
            continue;
        }
        const int64_t left = part_rows(g, g->rows + w.first, w.count, &s);
        stack[depth++] = (waiting){w.first + left, w.count - left, t.count};
        stack[depth++] = (waiting){w.first, left, -1};
        t.nodes[t.count++] = (tree_node){.threshold = s.threshold, .feature = s.feature};
    }
    t.nodes = heap_grow(t.nodes, t.count, sizeof *t.nodes);
    t.shares = heap_grow(t.shares, t.leaves * classes, sizeof *t.shares);
    free(stack);
    free(total);
    return t;
}

const float *tree_find(const tree *t, int32_t classes, const float *x)
{
    const tree_node *node = t->nodes;
    while (node->feature >= 0) node = (double)x[node->feature] <= node->threshold ? node + 1 : t->nodes + node->next;
    return t->shares + (int64_t)node->next * classes;
}
