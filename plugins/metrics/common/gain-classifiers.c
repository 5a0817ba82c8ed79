// SPDX-License-Identifier: Apache-2.0
#include "gain-classifiers.h"

#include <math.h>

#include "kernel-regression.h"

/* ---- Gaussian naive Bayes -------------------------------------------------------------------------------- */

/* The rows of a class. */
typedef struct gaussian {
    int64_t members;
    double *mean, *variance; /* cols; the latter turns into its inverse, see log_prior */
} gaussian;

/* Mean and variance of the training rows whose label is `class`, or of all (-1). */
static gaussian fit(const gain_case *c, const double *x, int32_t class)
{
    const int64_t cols = c->rows.cols;
    gaussian g = {.mean = cru_arena_alloc_zeroed(c->arena, cols, sizeof *g.mean),
                  .variance = cru_arena_alloc_zeroed(c->arena, cols, sizeof *g.variance)};
    for (int64_t i = 0; i < c->train; i++) {
        if (class >= 0 && c->labels[i] != class) continue;
        g.members++;
        for (int64_t j = 0; j < cols; j++) g.mean[j] += x[i * cols + j];
    }
    for (int64_t j = 0; j < cols && g.members; j++) g.mean[j] /= (double)g.members;
    for (int64_t i = 0; i < c->train; i++) {
        if (class >= 0 && c->labels[i] != class) continue;
        for (int64_t j = 0; j < cols; j++) {
            const double off = x[i * cols + j] - g.mean[j];
            g.variance[j] += off * off / (double)g.members;
        }
    }
    return g;
}

static double largest_variance(const gain_case *c, const double *x)
{
    const gaussian all = fit(c, x, -1);
    double largest = 0;
    for (int64_t j = 0; j < c->rows.cols; j++) largest = fmax(largest, all.variance[j]);
    return largest;
}

/* log prior - 1/2 sum_j ln(2 pi v_j); replaces each variance by 1 / v_j. A variance of 0 remains only where all
 * features are constant and tell nothing. */
static double log_prior(gaussian *g, const gain_case *c)
{
    double sum = log((double)g->members / (double)c->train);
    for (int64_t j = 0; j < c->rows.cols; j++) {
        if (g->variance[j] <= 0) continue;
        sum -= 0.5 * log(2 * M_PI * g->variance[j]);
        g->variance[j] = 1 / g->variance[j];
    }
    return sum;
}

/* 1/2 sum_j (x_j - mu_j)^2 / v_j */
static double distance(const gaussian *g, const double *row, int64_t cols)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < cols; j++) sum += (row[j] - g->mean[j]) * (row[j] - g->mean[j]) * g->variance[j];
    return 0.5 * sum;
}

cru_status gain_naive_bayes(const void *settings, const gain_case *c, int32_t *guess, cru_error *err)
{
    const int64_t cols = c->rows.cols, test = c->rows.count - c->train;
    double *x = cru_arena_alloc(c->arena, c->rows.count * cols, sizeof *x);
    double *best = cru_arena_alloc(c->arena, test, sizeof *best);
    (void)settings;
    (void)err;
    feature_rows_dense(&c->rows, x);
    const double least = 1e-9 * largest_variance(c, x);
    for (int64_t i = 0; i < test; i++) {
        best[i] = -INFINITY;
        guess[i] = 0;
    }
    for (int32_t k = 0; k < c->classes; k++) {
        gaussian g = fit(c, x, k);
        if (g.members == 0) continue;
        for (int64_t j = 0; j < cols; j++) g.variance[j] += least;
        const double prior = log_prior(&g, c);
        for (int64_t i = 0; i < test; i++) {
            const double value = prior - distance(&g, x + (c->train + i) * cols, cols);
            if (value <= best[i]) continue;
            best[i] = value;
            guess[i] = k;
        }
    }
    return CRU_OK;
}

/* ---- kernel regression ----------------------------------------------------------------------------------- */

/* K_test,train K_train^+ Y = F_test (F_train^T F_train)^+ F_train^T Y, cheaper where there are fewer columns than
 * training rows. */
static cru_status regress_columns(const gain_case *c, double cutoff, int32_t *guess, cru_error *err)
{
    const int64_t cols = c->rows.cols, test = c->rows.count - c->train;
    double *x = cru_arena_alloc(c->arena, c->rows.count * cols, sizeof *x);
    double *a = cru_arena_alloc_zeroed(c->arena, cols * cols, sizeof *a);
    double *b = cru_arena_alloc_zeroed(c->arena, cols * c->classes, sizeof *b);
    double *scores = cru_arena_alloc_zeroed(c->arena, test * c->classes, sizeof *scores);
    feature_rows_dense(&c->rows, x);
    for (int64_t i = 0; i < c->train; i++) {
        const double *row = x + i * cols;
        for (int64_t j = 0; j < cols; j++) {
            for (int64_t k = 0; k < cols; k++) a[j * cols + k] += row[j] * row[k];
            b[j * c->classes + c->labels[i]] += row[j];
        }
    }
    cru_status status =
        pinv_apply(&(pinv_problem){.a = a, .n = cols, .b = b, .cols = c->classes, .cutoff = cutoff}, c->arena, err);
    if (status) return status;
    for (int64_t i = 0; i < test; i++)
        for (int64_t j = 0; j < cols; j++)
            for (int32_t y = 0; y < c->classes; y++)
                scores[i * c->classes + y] += x[(c->train + i) * cols + j] * b[j * c->classes + y];
    kernel_decide(scores, test, c->classes, guess);
    return CRU_OK;
}

static double *products_of(const gain_case *c)
{
    double *products = cru_arena_alloc(c->arena, c->rows.count * c->rows.count, sizeof *products);
    feature_rows_products(&c->rows, c->arena, products);
    return products;
}

cru_status gain_kernel_linear(const void *settings, const gain_case *c, int32_t *guess, cru_error *err)
{
    const gain_kernel_settings *s = settings;
    if (c->rows.cols < c->train) return regress_columns(c, s->pinv_rcond, guess, err);
    return kernel_regress(c, products_of(c), s->pinv_rcond, guess, err);
}

static double relu_entry(double g, double q)
{
    const double cosine = g / q, rest = q * q - g * g;
    const double angle = fabs(cosine) <= 1 ? acos(cosine) : 0;
    return (g * (M_PI - angle) + (rest > 0 ? sqrt(rest) : 0)) / (2 * M_PI);
}

/* The diagonal is needed as it was until all other entries are done. */
void relu_kernel(double *products, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            const double q = sqrt(products[i * n + i]) * sqrt(products[j * n + j]);
            products[i * n + j] = products[j * n + i] = relu_entry(products[i * n + j], fmax(q, 1e-8));
        }
    }
    for (int64_t i = 0; i < n; i++)
        products[i * n + i] = relu_entry(products[i * n + i], fmax(products[i * n + i], 1e-8));
}

cru_status gain_kernel_relu(const void *settings, const gain_case *c, int32_t *guess, cru_error *err)
{
    double *kernel = products_of(c);
    relu_kernel(kernel, c->rows.count);
    return kernel_regress(c, kernel, ((const gain_kernel_settings *)settings)->pinv_rcond, guess, err);
}

/* ---- the metrics with kernel regression ------------------------------------------------------------------ */

static const cru_param kernel_params[] = {
    CRU_FLOAT(gain_kernel_settings, pinv_rcond, 1e-6, 0, 1,
              "eigenvalues of at most this share of the largest count as 0"),
    CRU_END,
};

const cru_param gain_kernel_schema[] = {
    CRU_GROUP(gain_kernel_metric, gain, gain_params),
    CRU_GROUP(gain_kernel_metric, kernel, kernel_params),
    CRU_END,
};

cru_status gain_kernel_score(gain_classifier *classify, const cru_judging *j, double *value)
{
    const gain_kernel_metric *settings = j->settings;
    const gain_job job = {.settings = &settings->gain, .method = {classify, &settings->kernel}, .judging = j};
    return gain_score(&job, value);
}
