// SPDX-License-Identifier: Apache-2.0
#include "linear-svm.h"

#include <math.h>
#include <string.h>

enum { FOLDS = 3, GRID = 5, MOST_STEPS = 1000000 };
static const double grid[GRID] = {0.001, 0.01, 0.1, 1, 10}, tolerance = 1e-3;

/* ---- one machine ------------------------------------------------------------------------------------------ */

/* The pair (up, low) that violates most; false when it does so by no more than the tolerance. bias: between them. */
typedef struct violation {
    int64_t up, low;
    double most, least;
} violation;

static violation worst_pair(const double *gradient, const double *sign, const double *alpha, int64_t n, double c)
{
    violation v = {-1, -1, -INFINITY, INFINITY};
    for (int64_t i = 0; i < n; i++) {
        const double slope = -sign[i] * gradient[i];
        const bool can_rise = sign[i] > 0 ? alpha[i] < c : alpha[i] > 0;
        const bool can_fall = sign[i] > 0 ? alpha[i] > 0 : alpha[i] < c;
        if (can_rise && slope > v.most) v.most = slope, v.up = i;
        if (can_fall && slope < v.least) v.least = slope, v.low = i;
    }
    return v;
}

/* How far s_i alpha_i may rise, or fall. */
static double room(double sign, double alpha, double c, bool rise)
{
    return (sign > 0) == rise ? c - alpha : alpha;
}

double svm_solve(const double *kernel, int64_t n, const double *sign, double c, double *alpha)
{
    double *gradient = alpha + n; /* of the objective */
    violation v = {0};
    for (int64_t i = 0; i < n; i++) alpha[i] = 0, gradient[i] = -1;
    for (int64_t step = 0; step < MOST_STEPS; step++) {
        v = worst_pair(gradient, sign, alpha, n, c);
        if (v.up < 0 || v.low < 0 || v.most - v.least <= tolerance) break;
        const int64_t i = v.up, j = v.low;
        const double curve = fmax(kernel[i * n + i] + kernel[j * n + j] - 2 * kernel[i * n + j], 1e-12);
        double move = (v.most - v.least) / curve;
        move = fmin(move, fmin(room(sign[i], alpha[i], c, true), room(sign[j], alpha[j], c, false)));
        alpha[i] += sign[i] * move;
        alpha[j] -= sign[j] * move;
        for (int64_t k = 0; k < n; k++) gradient[k] += sign[k] * move * (kernel[i * n + k] - kernel[j * n + k]);
    }
    if (v.up < 0 || v.low < 0) return v.up < 0 ? v.least : v.most;
    return (v.most + v.least) / 2;
}

/* ---- all pairs of classes --------------------------------------------------------------------------------- */

typedef struct machines {
    const svm_data *data;
    double *kernel; /* rows x rows to learn from */
    double *part, *alpha, *sign;
    double c;
    double *sum;  /* rows x classes: decisions in favour of a class */
    float *votes; /* rows x classes */
    int32_t *chosen;
} machines;

/* Learns classes a and b from the places `from` among the rows to learn from; adds the decisions for the rows `ask`
 * (the first ask.count when ids is NULL) to votes and sums. */
static void add_pair(machines *m, cru_ids from, cru_ids ask, int32_t a, int32_t b)
{
    const svm_data *d = m->data;
    const int64_t wide = d->learn.count;
    int64_t n = 0, of_b = 0;
    for (int64_t k = 0; k < from.count; k++) {
        const int32_t y = d->labels[d->learn.ids[from.ids[k]]];
        if (y != a && y != b) continue;
        m->sign[n] = y == b ? 1 : -1;
        of_b += y == b;
        m->chosen[n++] = from.ids[k];
    }
    if (!of_b || of_b == n) return;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            m->part[i * n + j] = m->kernel[d->learn.ids[m->chosen[i]] * wide + m->chosen[j]];
    const double bias = svm_solve(m->part, n, m->sign, m->c, m->alpha);
    for (int64_t k = 0; k < ask.count; k++) {
        const int64_t row = ask.ids ? ask.ids[k] : k;
        double f = bias;
        for (int64_t i = 0; i < n; i++) f += m->alpha[i] * m->sign[i] * m->kernel[row * wide + m->chosen[i]];
        m->sum[row * d->classes + a] -= f;
        m->sum[row * d->classes + b] += f;
        m->votes[row * d->classes + (f > 0 ? b : a)]++;
    }
}

/* Votes and sums for some rows. */
static void decide(machines *m, cru_ids from, cru_ids ask)
{
    const svm_data *d = m->data;
    memset(m->votes, 0, (size_t)(d->rows * d->classes) * sizeof *m->votes);
    memset(m->sum, 0, (size_t)(d->rows * d->classes) * sizeof *m->sum);
    for (int32_t a = 0; a < d->classes; a++)
        for (int32_t b = a + 1; b < d->classes; b++) add_pair(m, from, ask, a, b);
}

static bool one_class(const svm_data *d, cru_ids from)
{
    for (int64_t k = 1; k < from.count; k++)
        if (d->labels[d->learn.ids[from.ids[k]]] != d->labels[d->learn.ids[from.ids[0]]]) return false;
    return true;
}

/* The share of `out` that machines learned from `in` get right, -1 when `in` is of one class. */
static double fold_accuracy(machines *m, cru_ids in, cru_ids out)
{
    const svm_data *d = m->data;
    if (!out.count || one_class(d, in)) return -1;
    int32_t *ask = m->chosen + d->learn.count;
    for (int64_t k = 0; k < out.count; k++) ask[k] = d->learn.ids[out.ids[k]];
    decide(m, in, (cru_ids){ask, out.count});
    int64_t right = 0;
    for (int64_t k = 0; k < out.count; k++) {
        int32_t best = 0;
        for (int32_t y = 1; y < d->classes; y++)
            if (m->votes[(int64_t)ask[k] * d->classes + y] > m->votes[(int64_t)ask[k] * d->classes + best]) best = y;
        right += best == d->labels[ask[k]];
    }
    return (double)right / (double)out.count;
}

static double best_c(cru_pool pool, machines *m, cru_rng *rng)
{
    const int64_t n = m->data->learn.count;
    int32_t *order = cru_pool_alloc(pool, 2 * n, sizeof *order), *in = order + n;
    double chosen = 1, best = -1;
    cru_rng_permutation(rng, order, n);
    for (int g = 0; g < GRID; g++) {
        double sum = 0;
        int64_t counted = 0;
        for (int64_t f = 0; f < FOLDS; f++) {
            const int64_t from = f * n / FOLDS, to = (f + 1) * n / FOLDS;
            memcpy(in, order, (size_t)from * sizeof *in);
            memcpy(in + from, order + to, (size_t)(n - to) * sizeof *in);
            m->c = grid[g];
            const double share = fold_accuracy(m, (cru_ids){in, n - to + from}, (cru_ids){order + from, to - from});
            if (share >= 0) sum += share, counted++;
        }
        if (counted && sum / (double)counted > best) best = sum / (double)counted, chosen = grid[g];
    }
    return chosen;
}

static machines machines_create(cru_pool pool, const svm_data *d)
{
    const int64_t n = d->learn.count;
    machines m = {.data = d, .kernel = cru_pool_alloc(pool, d->rows * n, sizeof(double))};
    m.part = cru_pool_alloc(pool, n * n, sizeof *m.part);
    m.alpha = cru_pool_alloc(pool, 2 * n, sizeof *m.alpha);
    m.sign = cru_pool_alloc(pool, n, sizeof *m.sign);
    m.sum = cru_pool_alloc(pool, d->rows * d->classes, sizeof *m.sum);
    m.chosen = cru_pool_alloc(pool, 2 * n, sizeof *m.chosen);
    for (int64_t i = 0; i < d->rows; i++)
        for (int64_t j = 0; j < n; j++) {
            const float *x = d->x + i * d->cols, *y = d->x + d->learn.ids[j] * d->cols;
            double sum = 0;
            for (int64_t k = 0; k < d->cols; k++) sum += (double)x[k] * (double)y[k];
            m.kernel[i * n + j] = sum;
        }
    return m;
}

void svm_scores(cru_pool pool, const svm_data *d, cru_rng *folds, float *scores)
{
    const int64_t n = d->learn.count;
    machines m = machines_create(pool, d);
    m.votes = scores;
    int32_t *all = cru_pool_alloc(pool, n, sizeof *all);
    for (int32_t i = 0; i < n; i++) all[i] = i;
    m.c = best_c(pool, &m, folds);
    decide(&m, (cru_ids){all, n}, (cru_ids){NULL, d->rows});
    for (int64_t i = 0; i < d->rows; i++) {
        float *row = scores + i * d->classes;
        const double *sum = m.sum + i * d->classes;
        if (d->classes == 2 && sum[1] != 0) {
            row[0] = 0, row[1] = (float)sum[1];
            continue;
        }
        for (int32_t y = 0; y < d->classes; y++) row[y] += (float)(sum[y] / (3 * (fabs(sum[y]) + 1)));
        if (n && one_class(d, (cru_ids){all, n})) row[d->labels[d->learn.ids[0]]] = 1;
    }
}
