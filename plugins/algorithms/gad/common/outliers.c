// SPDX-License-Identifier: Apache-2.0
#include "outliers.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 256 };

typedef struct isolation {
    int32_t col, left, right; /* col -1: a leaf */
    double cut, depth;        /* of a leaf: its depth and c(rows in it) */
} isolation;

struct outliers {
    cru_ctx *ctx;
    const cru_dense *x;
    const outlier_detector *detector;
    int64_t count, nearest; /* most neighbours that a detector asks for */
    double *mean, *deviation;
    double *z;             /* training rows, scaled */
    double *near_distance; /* training rows x nearest, themselves left out */
    int32_t *near;         /* the same, who they are */
    double **lrd;          /* lof: of each training row */
    double **alpha, *rho;  /* ocsvm */
    isolation **tree;      /* iforest: all trees one after the other, roots at multiples of 2 SAMPLE */
};

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void scale(const outliers *o, const float *x, double *z)
{
    for (int64_t j = 0; j < o->x->cols; j++) z[j] = ((double)x[j] - o->mean[j]) / o->deviation[j];
}

static double square_distance(const double *a, const double *b, int64_t cols)
{
    double sum = 0;
    for (int64_t j = 0; j < cols; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

static void fit_scale(outliers *o)
{
    const int64_t n = o->x->rows, d = o->x->cols;
    o->mean = cru_ctx_alloc(o->ctx, d, sizeof *o->mean);
    o->deviation = cru_ctx_alloc(o->ctx, d, sizeof *o->deviation);
    o->z = cru_ctx_alloc(o->ctx, n * d, sizeof *o->z);
    for (int64_t i = 0; i < n * d; i++) o->mean[i % d] += (double)o->x->values[i] / (double)n;
    for (int64_t i = 0; i < n * d; i++)
        o->deviation[i % d] += pow((double)o->x->values[i] - o->mean[i % d], 2) / (double)n;
    for (int64_t j = 0; j < d; j++) o->deviation[j] = o->deviation[j] > 0 ? sqrt(o->deviation[j]) : 1;
    for (int64_t i = 0; i < n; i++) scale(o, o->x->values + i * d, o->z + i * d);
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

/* The nearest training rows of z by ascending distance, without row `self`. */
static void find_near(const outliers *o, const double *z, int64_t self, double *distance, int32_t *id)
{
    int64_t found = 0;
    for (int64_t i = 0; i < o->x->rows; i++) {
        if (i == self) continue;
        const double d = square_distance(z, o->z + i * o->x->cols, o->x->cols);
        if (found == o->nearest && !(d < distance[found - 1])) continue;
        int64_t place = found < o->nearest ? found++ : found - 1;
        for (; place > 0 && d < distance[place - 1]; place--)
            distance[place] = distance[place - 1], id[place] = id[place - 1];
        distance[place] = d, id[place] = (int32_t)i;
    }
    for (int64_t k = 0; k < found; k++) distance[k] = sqrt(distance[k]);
}

static double density(const outliers *o, int64_t k, const double *distance, const int32_t *id)
{
    double reach = 0;
    for (int64_t j = 0; j < k; j++) reach += fmax(o->near_distance[id[j] * o->nearest + k - 1], distance[j]);
    return 1 / (reach / (double)k + 1e-10);
}

static double lof(const outliers *o, int64_t which, const double *distance, const int32_t *id)
{
    const int64_t k = (int64_t)o->detector[which].value;
    double sum = 0;
    for (int64_t j = 0; j < k; j++) sum += o->lrd[which][id[j]];
    return sum / (double)k / density(o, k, distance, id);
}

static void fit_neighbours(outliers *o)
{
    const int64_t n = o->x->rows;
    for (int64_t i = 0; i < o->count; i++)
        if (o->detector[i].kind <= OUTLIER_LOF && (int64_t)o->detector[i].value > o->nearest)
            o->nearest = (int64_t)o->detector[i].value;
    o->near_distance = cru_ctx_alloc(o->ctx, n * o->nearest, sizeof *o->near_distance);
    o->near = cru_ctx_alloc(o->ctx, n * o->nearest, sizeof *o->near);
    for (int64_t i = 0; o->nearest && i < n; i++)
        find_near(o, o->z + i * o->x->cols, i, o->near_distance + i * o->nearest, o->near + i * o->nearest);
    o->lrd = cru_ctx_alloc(o->ctx, o->count, sizeof *o->lrd);
    for (int64_t w = 0; w < o->count; w++) {
        if (o->detector[w].kind != OUTLIER_LOF) continue;
        o->lrd[w] = cru_ctx_alloc(o->ctx, n, sizeof **o->lrd);
        for (int64_t i = 0; i < n; i++)
            o->lrd[w][i] =
                density(o, (int64_t)o->detector[w].value, o->near_distance + i * o->nearest, o->near + i * o->nearest);
    }
}

/* ---- histograms -------------------------------------------------------------------------------------------------- */

/* Adds what one column says of every row. */
static void add_histogram(const outliers *o, const cru_dense *x, int64_t col, int64_t bins, double *sum)
{
    const int64_t n = o->x->rows, d = o->x->cols;
    double low = INFINITY, high = -INFINITY, least = INFINITY, height[64] = {0};
    for (int64_t i = 0; i < n; i++) {
        low = fmin(low, (double)o->x->values[i * d + col]);
        high = fmax(high, (double)o->x->values[i * d + col]);
    }
    if (low == high) low -= 0.5, high += 0.5;
    const double width = (high - low) / (double)bins;
    for (int64_t i = 0; i < n; i++) {
        const double v = (double)o->x->values[i * d + col];
        int64_t b = (int64_t)((v - low) / width);
        if (b > 0 && v < low + (double)b * width) b--;
        if (b + 1 < bins && v >= low + (double)(b + 1) * width) b++;
        height[b < bins ? b : bins - 1] += 1 / ((double)n * width);
    }
    for (int64_t b = 0; b < bins; b++) least = fmin(least, height[b] = log2(height[b] + 0.1));
    for (int64_t i = 0; i < x->rows; i++) {
        const double v = (double)x->values[i * d + col];
        int64_t b = (int64_t)ceil((v - low) / width) - 1; /* low + b width < v <= low + (b + 1) width */
        if (v <= low && low - v <= width / 2) b = 0;
        if (v > high && v - high <= width / 2) b = bins - 1;
        if (v > low && v <= high) b = b < 0 ? 0 : b < bins ? b : bins - 1;
        sum[i * o->count] -= b >= 0 && b < bins ? height[b] : least;
    }
}

/* ---- one-class machine ------------------------------------------------------------------------------------------- */

static void kernel_row(const outliers *o, const double *z, double *k)
{
    for (int64_t i = 0; i < o->x->rows; i++)
        k[i] = exp(-square_distance(z, o->z + i * o->x->cols, o->x->cols) / (double)o->x->cols);
}

/* The pair that breaks optimality most, by second-order gain; false: within the tolerance. g: the gradient K a. */
static bool choose_pair(const outliers *o, const double *a, const double *g, double *row, int64_t *up, int64_t *down)
{
    const int64_t n = o->x->rows;
    double least = INFINITY, most = -INFINITY, gain = 0;
    *up = *down = -1;
    for (int64_t i = 0; i < n; i++)
        if (a[i] < 1 && g[i] < least) least = g[i], *up = i;
    if (*up < 0) return false;
    kernel_row(o, o->z + *up * o->x->cols, row);
    for (int64_t j = 0; j < n; j++) {
        if (!(a[j] > 0)) continue;
        most = fmax(most, g[j]);
        const double apart = g[j] - least, curve = fmax(2 - 2 * row[j], 1e-12);
        if (apart > 0 && apart * apart / curve > gain) gain = apart * apart / curve, *down = j;
    }
    return *down >= 0 && most - least >= 1e-3;
}

static double offset(const double *a, const double *g, int64_t n)
{
    double low = -INFINITY, high = INFINITY, sum = 0;
    int64_t free_rows = 0;
    for (int64_t i = 0; i < n; i++) {
        if (a[i] >= 1)
            low = fmax(low, g[i]);
        else if (a[i] <= 0)
            high = fmin(high, g[i]);
        else
            sum += g[i], free_rows++;
    }
    return free_rows ? sum / (double)free_rows : (low + high) / 2;
}

static void fit_machine(outliers *o, int64_t which)
{
    const int64_t n = o->x->rows, d = o->x->cols;
    double *a = o->alpha[which] = cru_ctx_alloc(o->ctx, n, sizeof *a), *g = cru_ctx_alloc(o->ctx, n, sizeof *g);
    double *row = cru_ctx_alloc(o->ctx, n, sizeof *row), *other = cru_ctx_alloc(o->ctx, n, sizeof *other);
    double left = o->detector[which].value * (double)n;
    for (int64_t i = 0; i < n && left > 0; i++, left--) {
        a[i] = fmin(left, 1);
        kernel_row(o, o->z + i * d, row);
        for (int64_t j = 0; j < n; j++) g[j] += a[i] * row[j];
    }
    int64_t up, down;
    for (int64_t step = 0; step < 100 * n + 10000 && choose_pair(o, a, g, row, &up, &down); step++) {
        double move = (g[down] - g[up]) / fmax(2 - 2 * row[down], 1e-12);
        move = fmin(move, fmin(1 - a[up], a[down]));
        a[up] = move >= 1 - a[up] ? 1 : a[up] + move;
        a[down] = move >= a[down] ? 0 : a[down] - move;
        kernel_row(o, o->z + down * d, other);
        for (int64_t j = 0; j < n; j++) g[j] += move * (row[j] - other[j]);
    }
    o->rho[which] = offset(a, g, n);
}

/* ---- isolation forest -------------------------------------------------------------------------------------------- */

double outliers_mean_depth(int64_t m)
{
    if (m <= 1) return 0;
    if (m == 2) return 1;
    return 2 * (log((double)(m - 1)) + 0.5772156649) - 2 * (double)(m - 1) / (double)m;
}

typedef struct grower {
    const outliers *o;
    cru_rng *rng;
    isolation *node;
    int32_t used, limit;
} grower;

static bool draw_cut(const grower *w, const int32_t *ids, int64_t n, isolation *node)
{
    const int64_t d = w->o->x->cols, first = cru_rng_below(w->rng, d);
    for (int64_t k = 0; k < d; k++) { /* the drawn column, or the next one that is not constant here */
        const int64_t col = (first + k) % d;
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, (double)w->o->x->values[ids[i] * d + col]);
            high = fmax(high, (double)w->o->x->values[ids[i] * d + col]);
        }
        if (!(high > low)) continue;
        node->col = (int32_t)col;
        node->cut = low + (high - low) * cru_rng_uniform(w->rng);
        return true;
    }
    return false;
}

static int32_t isolate(grower *w, int32_t *ids, int64_t n, int32_t depth) /* at most log2(SAMPLE) deep */
{
    const int32_t at = w->used++;
    isolation node = {.col = -1, .depth = depth + outliers_mean_depth(n)};
    if (n > 1 && depth < w->limit && draw_cut(w, ids, n, &node)) {
        int64_t left = 0;
        for (int64_t i = 0; i < n; i++) {
            if ((double)w->o->x->values[ids[i] * w->o->x->cols + node.col] > node.cut) continue;
            const int32_t id = ids[i];
            ids[i] = ids[left], ids[left++] = id;
        }
        node.left = isolate(w, ids, left, depth + 1);
        node.right = isolate(w, ids + left, n - left, depth + 1);
    }
    w->node[at] = node;
    return at;
}

static int64_t sample_of(const outliers *o)
{
    return o->x->rows < SAMPLE ? o->x->rows : SAMPLE;
}

static void fit_forest(outliers *o, int64_t which, cru_rng *rng)
{
    const int64_t trees = (int64_t)o->detector[which].value, psi = sample_of(o);
    int32_t ids[SAMPLE];
    o->tree[which] = cru_ctx_alloc(o->ctx, trees * 2 * SAMPLE, sizeof **o->tree);
    for (int64_t k = 0; k < trees; k++) {
        grower w = {o, rng, o->tree[which] + k * 2 * SAMPLE, 0, (int32_t)ceil(log2(fmax((double)psi, 2)))};
        cru_rng_choose(rng, o->x->rows, psi, ids);
        isolate(&w, ids, psi, 0);
    }
}

static double isolation_score(const outliers *o, int64_t which, const float *x)
{
    const int64_t trees = (int64_t)o->detector[which].value;
    double depth = 0;
    for (int64_t k = 0; k < trees; k++) {
        const isolation *root = o->tree[which] + k * 2 * SAMPLE, *node = root;
        while (node->col >= 0) node = root + ((double)x[node->col] <= node->cut ? node->left : node->right);
        depth += node->depth / (double)trees;
    }
    return exp2(-depth / fmax(outliers_mean_depth(sample_of(o)), 1e-12));
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

outliers *outliers_create(cru_ctx *ctx, const cru_dense *x, const outlier_detector *detector, int64_t count,
                          cru_rng *rng)
{
    outliers *o = cru_ctx_alloc(ctx, 1, sizeof *o);
    *o = (outliers){.ctx = ctx, .x = x, .detector = detector, .count = count};
    o->alpha = cru_ctx_alloc(ctx, count, sizeof *o->alpha);
    o->rho = cru_ctx_alloc(ctx, count, sizeof *o->rho);
    o->tree = cru_ctx_alloc(ctx, count, sizeof *o->tree);
    fit_scale(o);
    fit_neighbours(o);
    for (int64_t w = 0; w < count; w++) {
        if (detector[w].kind == OUTLIER_OCSVM) fit_machine(o, w);
        if (detector[w].kind == OUTLIER_IFOREST) fit_forest(o, w, rng);
    }
    return o;
}

/* Of one row, all but the histograms. */
static void score_row(const outliers *o, const float *x, int64_t self, double *scratch, double *score)
{
    double *z = scratch, *kernel = z + o->x->cols, *distance = kernel + o->x->rows;
    int32_t *id = (int32_t *)(distance + o->nearest);
    scale(o, x, z);
    if (o->nearest) find_near(o, z, self, distance, id);
    kernel_row(o, z, kernel);
    for (int64_t w = 0; w < o->count; w++) {
        const int64_t k = (int64_t)o->detector[w].value;
        if (o->detector[w].kind == OUTLIER_KNN) score[w] = distance[k - 1];
        if (o->detector[w].kind == OUTLIER_LOF) score[w] = lof(o, w, distance, id);
        if (o->detector[w].kind == OUTLIER_IFOREST) score[w] = isolation_score(o, w, x);
        if (o->detector[w].kind != OUTLIER_OCSVM) continue;
        score[w] = o->rho[w];
        for (int64_t i = 0; i < o->x->rows; i++) score[w] -= o->alpha[w][i] * kernel[i];
    }
}

void outliers_score(const outliers *o, const cru_dense *x, bool training, double *score)
{
    double *scratch = cru_ctx_alloc(o->ctx, o->x->cols + o->x->rows + 2 * o->nearest, sizeof *scratch);
    memset(score, 0, (size_t)(x->rows * o->count) * sizeof *score);
    for (int64_t i = 0; i < x->rows; i++)
        score_row(o, x->values + i * x->cols, training ? i : -1, scratch, score + i * o->count);
    for (int64_t w = 0; w < o->count; w++)
        for (int64_t c = 0; o->detector[w].kind == OUTLIER_HBOS && c < x->cols; c++)
            add_histogram(o, x, c, (int64_t)o->detector[w].value, score + w);
}
