// SPDX-License-Identifier: Apache-2.0
/* t-SNE. Affinities p_ij are Gaussian with a bandwidth per point that gives the wanted perplexity, made symmetric and
 * summing to 1; in the map q_ij = 1 / (1 + |y_i - y_j|^2), and the gradient is
 *     dC/dy_i = 4 sum_j (p_ij - q_ij / Z) q_ij (y_i - y_j),   Z = sum of all q.
 * van der Maaten, Hinton. Visualizing data using t-SNE. JMLR 2008; van der Maaten. Accelerating t-SNE. JMLR 2014. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/embed.h>
#include <crucible/draft/knn.h>
#include <crucible/embed.h>
#include <crucible/graph.h>
#include <crucible/knn.h>

#include "linalg/quadtree.h"
#include "memory/heap.h"

/* ---- affinities ------------------------------------------------------------------------------------------ */

/* p_j ~ exp(-beta d_j^2) with the entropy log(perplexity), by bisection on beta. */
static void calibrate(const float *distance, int64_t k, double perplexity, float *p)
{
    double beta = 1, low = 0, high = INFINITY, target = log(perplexity), nearest = INFINITY;
    for (int64_t j = 0; j < k; j++) nearest = fmin(nearest, (double)distance[j] * distance[j]);
    for (int step = 0; step < 200; step++) {
        double sum = 0, weighted = 0;
        for (int64_t j = 0; j < k; j++) {
            double square = (double)distance[j] * distance[j] - nearest, e = exp(-beta * square);
            p[j] = (float)e;
            sum += e;
            weighted += square * e;
        }
        double entropy = log(sum) + beta * weighted / sum;
        for (int64_t j = 0; j < k; j++) p[j] = (float)(p[j] / sum);
        if (fabs(entropy - target) < 1e-7) return;
        if (entropy > target)
            low = beta;
        else
            high = beta;
        beta = isinf(high) ? 2 * beta : (low + high) / 2;
    }
}

/* Symmetric affinities over the k nearest neighbours (all other points when exact), sum 1. */
static cru_csr affinities(cru_pool pool, const cru_dense *x, int64_t k, double perplexity)
{
    cru_csr g = cru_knn_graph(pool, x, &(cru_knn_options){.k = k, .skip_self = true});
    float *p = cru_pool_alloc(pool, cru_csr_nnz(&g), sizeof *p);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < g.rows; i++)
        calibrate(g.values + g.offsets[i], g.offsets[i + 1] - g.offsets[i], perplexity, p + g.offsets[i]);
    g.values = p;
    cru_csr reverse = cru_csr_transpose(pool, &g, NULL);
    double half = 0.5 / (double)x->rows;
    return cru_csr_add(pool, &g, half, &reverse, half);
}

/* ---- descent --------------------------------------------------------------------------------------------- */

typedef struct descent {
    const cru_csr *p;
    const cru_tsne_options *o;
    int64_t n;
    quadtree *tree;                             /* NULL: exact */
    double *y, *speed, *gain, *pull, *push, *z; /* n x 2 each; z: n */
} descent;

static void pull_point(const descent *d, int64_t i)
{
    double *pull = d->pull + 2 * i;
    pull[0] = pull[1] = 0;
    for (int64_t e = d->p->offsets[i]; e < d->p->offsets[i + 1]; e++) {
        const double *yi = d->y + 2 * i, *yj = d->y + 2 * (int64_t)d->p->ids[e];
        double dx = yi[0] - yj[0], dy = yi[1] - yj[1], w = d->p->values[e] / (1 + dx * dx + dy * dy);
        pull[0] += w * dx;
        pull[1] += w * dy;
    }
}

static void push_point(const descent *d, int64_t i)
{
    double force[2] = {0, 0}, sum = 0;
    if (d->tree) {
        sum = cru_quadtree_repulsion(d->tree, i, d->o->theta, force);
    } else {
        for (int64_t j = 0; j < d->n; j++) {
            double dx = d->y[2 * i] - d->y[2 * j], dy = d->y[2 * i + 1] - d->y[2 * j + 1];
            double q = j == i ? 0 : 1 / (1 + dx * dx + dy * dy);
            sum += q;
            force[0] += q * q * dx;
            force[1] += q * q * dy;
        }
    }
    d->z[i] = sum;
    d->push[2 * i] = force[0];
    d->push[2 * i + 1] = force[1];
}

/* Gains grow where the gradient keeps its direction, as Jacobs' rule has it. */
static void move(const descent *d, double exaggeration, double momentum)
{
    double z = 0;
    for (int64_t i = 0; i < d->n; i++) z += d->z[i];
    for (int64_t i = 0; i < 2 * d->n; i++) {
        double gradient = 4 * (exaggeration * d->pull[i] - d->push[i] / z);
        bool onward = gradient * d->speed[i] < 0;
        d->gain[i] = fmax(onward ? d->gain[i] + 0.2 : d->gain[i] * 0.8, 0.01);
        d->speed[i] = momentum * d->speed[i] - d->o->learning_rate * d->gain[i] * gradient;
        d->y[i] += d->speed[i];
    }
}

static void step(const descent *d, double exaggeration, double momentum)
{
    if (d->tree) cru_quadtree_build(d->tree, d->y, d->n);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = 0; i < d->n; i++) {
        pull_point(d, i);
        push_point(d, i);
    }
    move(d, exaggeration, momentum);
}

static void descend(const descent *d)
{
    const cru_tsne_options *o = d->o;
    for (int64_t i = 0; i < 2 * d->n; i++) d->gain[i] = 1;
    for (int32_t t = 0; t < o->iterations; t++) {
        bool early = t < o->exaggerated;
        if (t == o->exaggerated) {
            memset(d->speed, 0, (size_t)(2 * d->n) * sizeof *d->speed);
            for (int64_t i = 0; i < 2 * d->n; i++) d->gain[i] = 1;
        }
        step(d, early ? o->exaggeration : 1, early ? 0.5 : 0.8);
    }
}

static cru_tsne_options with_defaults(const cru_tsne_options *given, int64_t n)
{
    cru_tsne_options o = given ? *given : (cru_tsne_options){0};
    if (o.perplexity <= 0) o.perplexity = 30;
    o.perplexity = fmax(1, fmin(o.perplexity, (double)(n - 1) / 3));
    if (o.exaggeration <= 0) o.exaggeration = 12;
    if (o.exaggerated <= 0) o.exaggerated = 250;
    if (o.iterations <= 0) o.iterations = 1000;
    if (o.learning_rate <= 0) o.learning_rate = fmax((double)n / 48, 50);
    if (o.theta <= 0) o.theta = 0.5;
    return o;
}

/* PCA, scaled so that the first axis has standard deviation 1e-4. */
static cru_status start_positions(const cru_dense *x, cru_rng *rng, float *out, double *y, cru_error *err)
{
    cru_status status = cru_pca(x, 2, rng, out, err);
    double square = 0;
    for (int64_t i = 0; i < x->rows; i++) square += (double)out[2 * i] * out[2 * i];
    double scale = square > 0 ? 1e-4 / sqrt(square / (double)x->rows) : 0;
    for (int64_t i = 0; i < 2 * x->rows; i++) y[i] = scale * out[i];
    return status;
}

cru_status cru_tsne(const cru_dense *x, const cru_tsne_options *options, cru_rng *rng, float *out, cru_error *err)
{
    int64_t n = x->rows;
    memset(out, 0, (size_t)(2 * n) * sizeof *out);
    if (n < 2) return CRU_OK;
    cru_tsne_options o = with_defaults(options, n);
    cru_arena *scratch = heap_arena();
    cru_pool pool = cru_arena_pool(scratch);
    int64_t k = (int64_t)(3 * o.perplexity);
    cru_csr p = affinities(pool, x, o.exact || k > n - 1 ? n - 1 : k, o.perplexity);
    descent d = {&p, &o, n, .tree = o.exact ? NULL : cru_quadtree_create()};
    double **arrays[] = {&d.y, &d.speed, &d.gain, &d.pull, &d.push, &d.z};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = cru_pool_alloc(pool, 2 * n, sizeof(double));
    cru_status status = start_positions(x, rng, out, d.y, err);
    if (!status) {
        descend(&d);
        for (int64_t i = 0; i < 2 * n; i++) out[i] = (float)d.y[i];
    }
    if (d.tree) cru_quadtree_destroy(d.tree);
    cru_arena_destroy(scratch);
    return status;
}
