// SPDX-License-Identifier: Apache-2.0
#include "report/table/importance.h"

#include <math.h>
#include <stdlib.h>

#include <crucible/status.h>

/* A leaf: the box of levels that end there, both ends included, and the mean of its rows. */
typedef struct leaf {
    int32_t *low, *high; /* one a column */
    double value;
} leaf;

typedef struct tree {
    const importance_data *data;
    int32_t least; /* rows of a leaf */
    leaf *leaves;
    int64_t count;
    int32_t *rows; /* of the sample, moved so that a node's rows are together */
} tree;

static void *need(void *memory)
{
    if (!memory) cru_panic(CRU_NO_MEMORY, "report: no memory for the importance of settings");
    return memory;
}

/* ---- growing --------------------------------------------------------------------------------------------- */

typedef struct node {
    int64_t from, to;    /* rows */
    int32_t *low, *high; /* the box */
} node;

typedef struct cut {
    int64_t col;
    int32_t level; /* the last level of the left side */
    double gain;
} cut;

/* The best cut of one column by the sums of its levels: gain is what the squared error loses. */
static void try_column(const tree *t, const node *n, int64_t col, cut *best)
{
    const importance_data *d = t->data;
    double *sum = need(calloc((size_t)d->counts[col], sizeof *sum)), total = 0, left = 0;
    int64_t *count = need(calloc((size_t)d->counts[col], sizeof *count)), all = n->to - n->from, before = 0;
    for (int64_t i = n->from; i < n->to; i++) {
        int32_t level = d->levels[t->rows[i] * d->cols + col];
        sum[level] += d->scores[t->rows[i]];
        count[level]++;
        total += d->scores[t->rows[i]];
    }
    for (int32_t level = n->low[col]; level < n->high[col]; level++) {
        left += sum[level];
        before += count[level];
        int64_t after = all - before;
        if (before < t->least || after < t->least) continue;
        double right = total - left;
        double gain = left * left / (double)before + right * right / (double)after - total * total / (double)all;
        if (gain > best->gain * (1 + 1e-9) + 1e-15) *best = (cut){col, level, gain};
    }
    free(sum);
    free(count);
}

static int64_t divide(tree *t, const node *n, const cut *at)
{
    int64_t middle = n->from;
    for (int64_t i = n->from; i < n->to; i++) {
        int32_t row = t->rows[i];
        if (t->data->levels[row * t->data->cols + at->col] > at->level) continue;
        t->rows[i] = t->rows[middle];
        t->rows[middle++] = row;
    }
    return middle;
}

static void add_leaf(tree *t, const node *n)
{
    int64_t cols = t->data->cols;
    leaf *l = &t->leaves[t->count++];
    *l = (leaf){.low = need(malloc(2 * (size_t)cols * sizeof *l->low))};
    l->high = l->low + cols;
    for (int64_t c = 0; c < cols; c++) {
        l->low[c] = n->low[c];
        l->high[c] = n->high[c];
    }
    for (int64_t i = n->from; i < n->to; i++) l->value += t->data->scores[t->rows[i]] / (double)(n->to - n->from);
}

static void grow(tree *t, const node *n)
{
    cut best = {.col = -1};
    for (int64_t c = 0; c < t->data->cols; c++) try_column(t, n, c, &best);
    if (best.col < 0) {
        add_leaf(t, n);
        return;
    }
    int64_t middle = divide(t, n, &best);
    int32_t high = n->high[best.col], low = n->low[best.col];
    n->high[best.col] = best.level;
    grow(t, &(node){n->from, middle, n->low, n->high});
    n->high[best.col] = high;
    n->low[best.col] = best.level + 1;
    grow(t, &(node){middle, n->to, n->low, n->high});
    n->low[best.col] = low;
}

/* ---- variance -------------------------------------------------------------------------------------------- */

/* The share of all combinations of levels that a leaf covers; without column `but` when that is not negative. */
static double volume(const importance_data *d, const leaf *l, int64_t but)
{
    double share = 1;
    for (int64_t c = 0; c < d->cols; c++)
        if (c != but) share *= (double)(l->high[c] - l->low[c] + 1) / (double)d->counts[c];
    return share;
}

/* Variance over the levels of a column of the mean over all others. */
static double main_effect(const tree *t, int64_t col, double mean)
{
    const importance_data *d = t->data;
    double *of = need(calloc((size_t)d->counts[col], sizeof *of)), variance = 0;
    for (int64_t i = 0; i < t->count; i++) {
        double part = t->leaves[i].value * volume(d, &t->leaves[i], col);
        for (int32_t level = t->leaves[i].low[col]; level <= t->leaves[i].high[col]; level++) of[level] += part;
    }
    for (int32_t level = 0; level < d->counts[col]; level++)
        variance += (of[level] - mean) * (of[level] - mean) / (double)d->counts[col];
    free(of);
    return variance;
}

/* Adds a tree's shares; false when its leaves do not differ. */
static bool add_shares(const tree *t, double *shares)
{
    double mean = 0, square = 0;
    for (int64_t i = 0; i < t->count; i++) {
        double part = volume(t->data, &t->leaves[i], -1);
        mean += part * t->leaves[i].value;
        square += part * t->leaves[i].value * t->leaves[i].value;
    }
    double variance = square - mean * mean;
    if (!(variance > 1e-12 * fmax(1e-300, square))) return false;
    for (int64_t c = 0; c < t->data->cols; c++) shares[c] += fmin(1, main_effect(t, c, mean) / variance);
    return true;
}

static bool add_tree(const importance_data *data, const importance_shape *shape, cru_rng *rng, double *shares)
{
    tree t = {.data = data, .least = shape->leaf > 0 ? shape->leaf : 1};
    t.leaves = need(calloc((size_t)data->rows, sizeof *t.leaves));
    t.rows = need(malloc((size_t)data->rows * sizeof *t.rows));
    int32_t *low = need(calloc(2 * (size_t)data->cols, sizeof *low)), *high = low + data->cols;
    for (int64_t c = 0; c < data->cols; c++) high[c] = data->counts[c] - 1;
    for (int64_t i = 0; i < data->rows; i++)
        t.rows[i] = (int32_t)(shape->trees > 0 ? cru_rng_below(rng, data->rows) : i);
    grow(&t, &(node){0, data->rows, low, high});
    bool varied = add_shares(&t, shares);
    for (int64_t i = 0; i < t.count; i++) free(t.leaves[i].low);
    free(t.leaves);
    free(t.rows);
    free(low);
    return varied;
}

void importance_of(const importance_data *data, const importance_shape *shape, cru_rng *rng, double *shares)
{
    int32_t trees = shape->trees > 0 ? shape->trees : 1, counted = 0;
    for (int64_t c = 0; c < data->cols; c++) shares[c] = 0;
    for (int32_t i = 0; i < trees && data->rows > 0; i++) counted += add_tree(data, shape, rng, shares);
    for (int64_t c = 0; c < data->cols; c++) shares[c] = counted ? shares[c] / counted : NAN;
}
