// SPDX-License-Identifier: Apache-2.0
/* The best boundary in one column for the rows of one node. */
#include <math.h>
#include <string.h>

#include <crucible/draft/forest.h>

#include "forest/tree.h"
#include "sparse/sort.h"

/* Values nearer than this are not told apart: scikit-learn's constant. */
static const float gap = 1e-7f;

/* A node with this share of a column's values sums into bins: clearing and walking them costs less than a sort. */
enum { FEW_BINS_A_ROW = 4 };

typedef struct column {
    const int32_t *rank; /* of every row */
    const float *value;  /* of every rank */
    int64_t distinct;    /* ranks */
    int64_t groups;      /* of the node, in d->groups */
} column;

/* Bins by rank; the groups are those that rows fell into. */
static int64_t group_by_bins(desk *d, const node_rows *node, const column *c)
{
    const int32_t classes = d->table->samples->classes, *labels = d->table->samples->labels;
    memset(d->bins, 0, (size_t)(c->distinct * classes) * sizeof *d->bins);
    for (int64_t i = 0; i < node->count; i++) {
        const int32_t row = node->ids[i];
        d->bins[(int64_t)c->rank[row] * classes + labels[row]] += d->weight[row];
    }
    int64_t count = 0;
    for (int32_t r = 0; r < c->distinct; r++) {
        double sum = 0;
        for (int32_t k = 0; k < classes; k++) sum += d->bins[(int64_t)r * classes + k];
        if (sum > 0) d->groups[count++] = (group){r, r};
    }
    return count;
}

static int64_t group_by_sort(desk *d, const node_rows *node, const column *c)
{
    const int32_t classes = d->table->samples->classes, *labels = d->table->samples->labels;
    for (int64_t i = 0; i < node->count; i++)
        d->keys[i] = (uint64_t)c->rank[node->ids[i]] << 32 | (uint64_t)node->ids[i];
    sort_u64(d->keys, node->count, d->spare);
    int32_t count = 0;
    for (int64_t i = 0; i < node->count; i++) {
        const int32_t r = (int32_t)(d->keys[i] >> 32), row = (int32_t)(d->keys[i] & 0xffffffffu);
        if (count == 0 || d->groups[count - 1].rank != r) {
            memset(d->bins + (int64_t)count * classes, 0, (size_t)classes * sizeof *d->bins);
            d->groups[count] = (group){r, count};
            count++;
        }
        d->bins[(int64_t)(count - 1) * classes + labels[row]] += d->weight[row];
    }
    return count;
}

/* -W I for one side of a boundary, of weight W and impurity I, up to a multiple of W: gini S^2 / W with S^2 the sum of
 * squared class weights, entropy sum_c w_c log2 (w_c / W). The right side is `all` without the left one. */
static double purity(const desk *d, const double *all)
{
    double sum = 0, squares = 0, logs = 0;
    for (int32_t k = 0; k < d->table->samples->classes; k++) {
        const double w = all ? all[k] - d->left[k] : d->left[k];
        sum += w;
        squares += w * w;
        if (d->impurity == CRU_ENTROPY && w > 0) logs += w * log2(w);
    }
    return d->impurity == CRU_ENTROPY ? logs - sum * log2(sum) : squares / sum;
}

static void take_best(desk *d, const node_rows *node, const column *c, split *best)
{
    const int32_t classes = d->table->samples->classes;
    memset(d->left, 0, (size_t)classes * sizeof *d->left);
    for (int64_t i = 0; i + 1 < c->groups; i++) {
        const double *bin = d->bins + (int64_t)d->groups[i].place * classes;
        for (int32_t k = 0; k < classes; k++) d->left[k] += bin[k];
        const float low = c->value[d->groups[i].rank], high = c->value[d->groups[i + 1].rank];
        if (high <= low + gap) continue;
        const double score = purity(d, NULL) + purity(d, node->total);
        if (!(score > best->score)) continue;
        best->score = score;
        best->rank = d->groups[i].rank;
        best->threshold = (double)low / 2 + (double)high / 2; /* of two floats: exact, strictly between them */
    }
}

bool split_search(desk *d, const node_rows *node, int32_t feature, split *best)
{
    const ranked *table = d->table;
    column c = {.rank = table->rank + feature * table->samples->x.rows,
                .value = table->value + table->first[feature],
                .distinct = table->first[feature + 1] - table->first[feature]};
    c.groups = c.distinct <= FEW_BINS_A_ROW * node->count ? group_by_bins(d, node, &c) : group_by_sort(d, node, &c);
    if (c.value[d->groups[c.groups - 1].rank] <= c.value[d->groups[0].rank] + gap) return false;
    const double before = best->score;
    take_best(d, node, &c, best);
    if (best->score > before) best->feature = feature;
    return true;
}
