// SPDX-License-Identifier: Apache-2.0
#include "poincare.h"

#include <math.h>

static const double tiny = 1e-5;

static double square(const double *x)
{
    return x[0] * x[0] + x[1] * x[1];
}

double poincare_distance(const double *theta, const double *x, double *gradient)
{
    const double apart[2] = {theta[0] - x[0], theta[1] - x[1]};
    const double alpha = 1 - square(theta), beta = 1 - square(x), gamma = 1 + 2 * square(apart) / (alpha * beta + tiny);
    const double dot = theta[0] * x[0] + theta[1] * x[1];
    const double factor = 4 / (beta * sqrt(fmax(gamma * gamma - 1, 0)) + tiny);
    for (int i = 0; i < 2; i++)
        gradient[i] = factor * ((square(x) - 2 * dot + 1) / (alpha * alpha + tiny) * theta[i] - x[i] / (alpha + tiny));
    return acosh(fmax(gamma, 1));
}

void poincare_step(double *theta, const double *gradient, double factor, double rate)
{
    const double room = 1 - square(theta), scale = rate * room * room / 4 * factor;
    for (int i = 0; i < 2; i++) theta[i] -= scale * gradient[i];
    const double norm = sqrt(square(theta));
    if (norm >= 1)
        for (int i = 0; i < 2; i++) theta[i] = theta[i] / norm - copysign(tiny, theta[i]);
}

static void step_from_negatives(float *xy, int64_t n, int32_t u, const poincare *options, cru_rng *rng)
{
    double at[2] = {(double)xy[2 * u], (double)xy[2 * u + 1]}, gradient[POINCARE_MOST][2], weight[POINCARE_MOST];
    double sum = 0;
    for (int64_t k = 0; k < options->negatives; k++) {
        const int64_t other = cru_rng_below(rng, n);
        const double there[2] = {(double)xy[2 * other], (double)xy[2 * other + 1]};
        sum += weight[k] = exp(-poincare_distance(at, there, gradient[k]));
    }
    for (int64_t k = 0; k < options->negatives; k++) poincare_step(at, gradient[k], weight[k] / sum, options->rate);
    for (int i = 0; i < 2; i++) xy[2 * u + i] = (float)at[i];
}

static bool nearer_root(const int32_t *labels, int32_t u, int32_t v)
{
    return labels[u] >= 0 && (labels[v] < 0 || labels[u] < labels[v]);
}

void poincare_embed(const cru_csr *out_edges, const poincare *options, cru_rng *rng, float *xy)
{
    double at[2][2], gradient[2];
    cru_rng_fill_uniform(rng, xy, 2 * out_edges->rows, -0.001f, 0.001f);
    for (int32_t u = 0; u < out_edges->rows; u++)
        for (int64_t e = out_edges->offsets[u]; e < out_edges->offsets[u + 1]; e++) {
            const int32_t v = out_edges->ids[e];
            const bool first = nearer_root(options->labels, u, v);
            const int32_t moved = first ? u : v, other = first ? v : u;
            for (int i = 0; i < 2; i++) at[0][i] = (double)xy[2 * moved + i], at[1][i] = (double)xy[2 * other + i];
            poincare_distance(at[0], at[1], gradient);
            poincare_step(at[0], gradient, -1, options->rate);
            for (int i = 0; i < 2; i++) xy[2 * moved + i] = (float)at[0][i];
            step_from_negatives(xy, out_edges->rows, u, options, rng);
        }
}
