// SPDX-License-Identifier: Apache-2.0
#include "oblivious.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct oblivious {
    const oblivious_rows *rows;
    oblivious_shape shape;
    double *g, *h; /* training rows x outputs */
    int32_t *leaf; /* of every row */
    double *sums;  /* leaves x bins x outputs x (g, h) */
    double *left;  /* leaves x outputs x (g, h), beside the same for both sides together */
    double *value; /* leaves x outputs */
};

/* ---- borders ----------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Midpoints between neighbours in order: between all distinct values when they are few, else at quantiles. */
static int32_t find_borders(float *sorted, int64_t n, float *border)
{
    int64_t distinct = n > 0;
    int32_t count = 0;
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    for (int64_t i = 1; i < n; i++) distinct += sorted[i] > sorted[i - 1];
    const bool few = distinct - 1 <= OBLIVIOUS_BORDERS;
    const int64_t cuts = few ? n - 1 : OBLIVIOUS_BORDERS;
    for (int64_t k = 1; k <= cuts; k++) {
        const int64_t i = few ? k : k * n / (OBLIVIOUS_BORDERS + 1);
        if (!(sorted[i] > sorted[i - 1])) continue;
        border[count++] = (float)(0.5 * ((double)sorted[i - 1] + (double)sorted[i]));
    }
    return count;
}

oblivious_rows oblivious_cut(cru_ctx *ctx, const cru_dense *x, cru_ids train)
{
    oblivious_rows r = {x->rows, x->cols, train, cru_ctx_alloc(ctx, x->rows * x->cols, 1),
                        cru_ctx_alloc(ctx, x->cols, sizeof(int32_t))};
    float *sorted = cru_ctx_alloc(ctx, train.count, sizeof *sorted), border[OBLIVIOUS_BORDERS];
    for (int64_t c = 0; c < x->cols; c++) {
        for (int64_t i = 0; i < train.count; i++) sorted[i] = x->values[train.ids[i] * x->cols + c];
        r.borders[c] = find_borders(sorted, train.count, border);
        for (int64_t i = 0; i < x->rows; i++) {
            int32_t low = 0, high = r.borders[c];
            while (low < high) {
                const int32_t middle = (low + high) / 2;
                if (x->values[i * x->cols + c] > border[middle])
                    low = middle + 1;
                else
                    high = middle;
            }
            r.bin[c * x->rows + i] = (uint8_t)low;
        }
    }
    return r;
}

oblivious *oblivious_create(cru_ctx *ctx, const oblivious_rows *rows, const oblivious_shape *shape)
{
    const int64_t leaves = (int64_t)1 << shape->depth, k = shape->outputs;
    oblivious *o = cru_ctx_alloc(ctx, 1, sizeof *o);
    *o = (oblivious){.rows = rows, .shape = *shape};
    o->g = cru_ctx_alloc(ctx, rows->train.count * k, sizeof *o->g);
    o->h = cru_ctx_alloc(ctx, rows->train.count * k, sizeof *o->h);
    o->leaf = cru_ctx_alloc(ctx, rows->rows, sizeof *o->leaf);
    o->sums = cru_ctx_alloc(ctx, leaves * (OBLIVIOUS_BORDERS + 1) * k * 2, sizeof *o->sums);
    o->left = cru_ctx_alloc(ctx, leaves * k * 4, sizeof *o->left);
    o->value = cru_ctx_alloc(ctx, leaves * k, sizeof *o->value);
    return o;
}

/* ---- one tree ---------------------------------------------------------------------------------------------------- */

typedef struct split {
    double score;
    int64_t col;
    int32_t border;
} split;

static void sum_bins(oblivious *o, int64_t col, int64_t leaves)
{
    const int64_t k = o->shape.outputs, bins = o->rows->borders[col] + 1;
    memset(o->sums, 0, (size_t)(leaves * bins * k * 2) * sizeof *o->sums);
    for (int64_t i = 0; i < o->rows->train.count; i++) {
        const int32_t row = o->rows->train.ids[i];
        double *sum = o->sums + (o->leaf[row] * bins + o->rows->bin[col * o->rows->rows + row]) * k * 2;
        for (int64_t j = 0; j < k; j++) sum[2 * j] += o->g[i * k + j], sum[2 * j + 1] += o->h[i * k + j];
    }
}

static void try_column(oblivious *o, int64_t col, int64_t leaves, split *best)
{
    const int64_t cells = leaves * o->shape.outputs, k2 = o->shape.outputs * 2, bins = o->rows->borders[col] + 1;
    double *left = o->left, *all = o->left + cells * 2;
    sum_bins(o, col, leaves);
    memset(left, 0, (size_t)(cells * 4) * sizeof *left);
    for (int64_t l = 0; l < leaves; l++)
        for (int64_t b = 0; b < bins; b++)
            for (int64_t j = 0; j < k2; j++) all[l * k2 + j] += o->sums[(l * bins + b) * k2 + j];
    for (int32_t b = 0; b + 1 < bins; b++) {
        double score = 0;
        for (int64_t l = 0; l < leaves; l++)
            for (int64_t j = 0; j < k2; j += 2) {
                double *at = left + l * k2 + j;
                const double *sum = o->sums + (l * bins + b) * k2 + j, *whole = all + l * k2 + j;
                at[0] += sum[0], at[1] += sum[1];
                const double g = whole[0] - at[0], h = whole[1] - at[1];
                score += at[0] * at[0] / (at[1] + o->shape.l2) + g * g / (h + o->shape.l2);
            }
        if (score > best->score) *best = (split){score, col, b};
    }
}

/* Every row's leaf in a new tree. Returns the number of leaves: fewer when no column can be cut. */
static int64_t grow(oblivious *o)
{
    int64_t leaves = 1;
    memset(o->leaf, 0, (size_t)o->rows->rows * sizeof *o->leaf);
    for (int64_t level = 0; level < o->shape.depth; level++) {
        split best = {.score = -INFINITY};
        for (int64_t c = 0; c < o->rows->cols; c++) try_column(o, c, leaves, &best);
        if (!(best.score > -INFINITY)) break;
        const uint8_t *bin = o->rows->bin + best.col * o->rows->rows;
        for (int64_t i = 0; i < o->rows->rows; i++) o->leaf[i] = 2 * o->leaf[i] + (bin[i] > best.border);
        leaves *= 2;
    }
    return leaves;
}

static void add_tree(oblivious *o, double *out)
{
    const int64_t k = o->shape.outputs, leaves = grow(o);
    double *count = o->left;
    memset(o->value, 0, (size_t)(leaves * k) * sizeof *o->value);
    memset(count, 0, (size_t)leaves * sizeof *count);
    for (int64_t i = 0; i < o->rows->train.count; i++) {
        const int32_t leaf = o->leaf[o->rows->train.ids[i]];
        count[leaf]++;
        for (int64_t j = 0; j < k; j++) o->value[leaf * k + j] += o->g[i * k + j];
    }
    for (int64_t l = 0; l < leaves * k; l++) o->value[l] *= o->shape.lr / (count[l / k] + o->shape.l2);
    for (int64_t i = 0; i < o->rows->rows * k; i++) out[i] += o->value[o->leaf[i / k] * k + i % k];
}

/* ---- boosting ---------------------------------------------------------------------------------------------------- */

static void to_probabilities(const double *f, int64_t k, double *p)
{
    double most = f[0], sum = 0;
    for (int64_t j = 1; j < k; j++) most = fmax(most, f[j]);
    for (int64_t j = 0; j < k; j++) sum += p[j] = exp(f[j] - most);
    for (int64_t j = 0; j < k; j++) p[j] /= sum;
}

static void take_gradients(oblivious *o, bool softmax, const double *targets, const double *out)
{
    const int64_t k = o->shape.outputs;
    for (int64_t i = 0; i < o->rows->train.count; i++) {
        const double *f = out + o->rows->train.ids[i] * k;
        double *g = o->g + i * k, *h = o->h + i * k;
        if (softmax) to_probabilities(f, k, g);
        for (int64_t j = 0; j < k; j++) {
            h[j] = softmax ? g[j] * (1 - g[j]) : 1;
            g[j] = targets[i * k + j] - (softmax ? g[j] : f[j]);
        }
    }
}

void oblivious_fit(oblivious *o, bool softmax, const double *targets, double *out)
{
    const int64_t k = o->shape.outputs, rows = o->rows->rows, train = o->rows->train.count;
    memset(out, 0, (size_t)(rows * k) * sizeof *out);
    if (!softmax) {
        memset(o->value, 0, (size_t)k * sizeof *o->value);
        for (int64_t i = 0; i < train * k; i++) o->value[i % k] += targets[i] / (double)train;
        for (int64_t i = 0; i < rows * k; i++) out[i] = o->value[i % k];
    }
    for (int64_t tree = 0; tree < o->shape.trees; tree++) {
        take_gradients(o, softmax, targets, out);
        add_tree(o, out);
    }
    for (int64_t i = 0; softmax && i < rows; i++) to_probabilities(out + i * k, k, out + i * k);
}
