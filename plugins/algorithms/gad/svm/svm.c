// SPDX-License-Identifier: Apache-2.0
/* svm: a linear support vector machine with squared hinge loss, on raw features.
 *
 *     min over (w, b):  1/2 (|w|^2 + b^2) + C sum_i max(0, 1 - s_i f(x_i))^2      f(x) = < w, x > + b      s_i = +-1
 *
 * The bias is one more feature, always 1, and so is penalised. Solved in the dual by coordinate descent in random order
 * with shrinking, and left where `passes` ends it: unscaled features often do not converge. No class weights; the graph
 * is not used. The scores are (0, f).
 *
 * Hsieh, Chang, Lin, Keerthi, Sundararajan. A Dual Coordinate Descent Method for Large-scale Linear SVM. ICML 2008. */
#include <math.h>

#include <crucible/draft/forest.h>

#include "trees.h"

enum { ANOMALY = 1 };

typedef struct settings {
    double c, tolerance;
    int64_t passes;
    trees_settings table; /* zeros: the features alone, all classes weigh the same */
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, c, 1, 1e-9, 1e9, "weight C of the loss", .search = CRU_LOG_UNIFORM(0.1, 10)),
    CRU_INT(settings, passes, 1000, 1, 1e9, "most passes over the training rows"),
    CRU_FLOAT(settings, tolerance, 1e-4, 0, 1, "largest difference of projected gradients at the end"),
    CRU_END,
};

typedef struct model {
    trees base;
    double *w; /* columns + 1, the bias last */
} model;

typedef struct dual {
    const cru_samples *rows;
    double *w, *alpha, *diagonal;
    double shift; /* 1 / (2 C) */
} dual;

static double decision(const double *w, const float *x, int64_t cols)
{
    double sum = w[cols];
    for (int64_t j = 0; j < cols; j++) sum += w[j] * (double)x[j];
    return sum;
}

static double gradient(const dual *d, int64_t i)
{
    const int64_t cols = d->rows->x.cols;
    const double sign = d->rows->labels[i] == ANOMALY ? 1 : -1;
    return sign * decision(d->w, d->rows->x.values + i * cols, cols) - 1 + d->shift * d->alpha[i];
}

static void move(dual *d, int64_t i, double g)
{
    const int64_t cols = d->rows->x.cols;
    const float *x = d->rows->x.values + i * cols;
    const double before = d->alpha[i], sign = d->rows->labels[i] == ANOMALY ? 1 : -1;
    d->alpha[i] = fmax(before - g / d->diagonal[i], 0);
    const double step = (d->alpha[i] - before) * sign;
    for (int64_t j = 0; j < cols; j++) d->w[j] += step * (double)x[j];
    d->w[cols] += step;
}

/* Coordinate descent; order: all rows, those still looked at first. */
static void solve(dual *d, const settings *s, int32_t *order, cru_rng *rng)
{
    const int64_t n = d->rows->x.rows;
    int64_t active = n;
    double bound = INFINITY; /* largest projected gradient of the last pass: a zero alpha beyond it is put aside */
    for (int64_t pass = 0; pass < s->passes; pass++) {
        double most = -INFINITY, least = INFINITY;
        cru_rng_shuffle(rng, order, active);
        for (int64_t k = 0; k < active; k++) {
            const int32_t i = order[k];
            const double g = gradient(d, i);
            if (d->alpha[i] == 0 && g > bound) {
                order[k--] = order[--active];
                order[active] = i;
                continue;
            }
            const double projected = d->alpha[i] > 0 ? g : fmin(g, 0);
            most = fmax(most, projected), least = fmin(least, projected);
            if (fabs(projected) > 1e-12) move(d, i, g);
        }
        const bool converged = !(most - least > s->tolerance);
        if (converged && active == n) return;
        if (converged) active = n;
        bound = converged || most <= 0 ? INFINITY : most;
    }
}

static void grow(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_dense *x = &m->base.samples.x;
    cru_ctx *ctx = m->base.ctx;
    m->w = cru_ctx_alloc(ctx, x->cols + 1, sizeof *m->w);
    dual d = {.rows = &m->base.samples, .w = m->w, .shift = 0.5 / s->c};
    d.alpha = cru_ctx_alloc(ctx, x->rows, sizeof *d.alpha);
    d.diagonal = cru_ctx_alloc(ctx, x->rows, sizeof *d.diagonal);
    int32_t *order = cru_ctx_alloc(ctx, x->rows, sizeof *order);
    for (int64_t i = 0; i < x->rows; i++) {
        order[i] = (int32_t)i;
        d.diagonal[i] = d.shift + 1;
        for (int64_t j = 0; j < x->cols; j++) d.diagonal[i] += pow((double)x->values[i * x->cols + j], 2);
    }
    cru_rng rng = cru_ctx_stream(ctx, "order");
    solve(&d, s, order, &rng);
}

static void score(void *self)
{
    model *m = self;
    const cru_dense *x = &m->base.all;
    for (int64_t i = 0; i < x->rows; i++)
        m->base.scores[2 * i + 1] = (float)decision(m->w, x->values + i * x->cols, x->cols);
}

CRU_PLUGIN = {
    TREES_METHOD(settings, schema, model, .grow = grow, .score = score),
    .name = "svm",
    .version = "1.0",
    .summary = "linear support vector machine with squared hinge loss",
    .citation =
        "Hsieh, Chang, Lin, Keerthi, Sundararajan. A Dual Coordinate Descent Method for Large-scale Linear SVM. "
        "ICML 2008.",
    .problems = CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
