// SPDX-License-Identifier: Apache-2.0
/* k-means. Points are centred first, so that |x|^2 + |c|^2 - 2 x.c in float loses little. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/cluster.h>

#include "linalg/gemm.h"
#include "memory/heap.h"

enum { ROWS = 512, CHUNKS = 16 };

typedef struct kmeans {
    int64_t n, cols;
    int32_t k;
    float *x;         /* centred */
    double *mean;     /* what was subtracted */
    float *square;    /* |x_i|^2 */
    float *centres;   /* k x cols */
    int32_t *group;   /* n */
    double *distance; /* n: squared, to the own centre */
    double *sums;     /* CHUNKS x k x (cols + 1): partial sums of members, and their number */
} kmeans;

static void centre_points(kmeans *m, const cru_dense *x)
{
    for (int64_t i = 0; i < m->n; i++)
        for (int64_t j = 0; j < m->cols; j++) m->mean[j] += x->values[i * m->cols + j];
    for (int64_t j = 0; m->n && j < m->cols; j++) m->mean[j] /= (double)m->n;
    for (int64_t i = 0; i < m->n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < m->cols; j++) {
            double value = x->values[i * m->cols + j] - m->mean[j];
            m->x[i * m->cols + j] = (float)value;
            sum += value * value;
        }
        m->square[i] = (float)sum;
    }
}

static double point_distance(const kmeans *m, int64_t i, const float *c)
{
    const float *x = m->x + i * m->cols;
    double sum = 0;
    for (int64_t j = 0; j < m->cols; j++) {
        double gap = (double)x[j] - c[j];
        sum += gap * gap;
    }
    return sum;
}

/* ---- k-means++ ------------------------------------------------------------------------------------------- */

/* nearest[i] = min(nearest[i], distance to point c); returns the sum. `out` may be `nearest`. */
static double add_seed(const kmeans *m, int64_t c, const double *nearest, double *out)
{
    const float *centre = m->x + c * m->cols;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < m->n; i++) out[i] = fmin(nearest[i], point_distance(m, i, centre));
    double sum = 0;
    for (int64_t i = 0; i < m->n; i++) sum += out[i];
    return sum;
}

/* A point drawn with probability proportional to its squared distance; any point when all are 0. */
static int64_t draw_seed(const kmeans *m, const double *nearest, double total, cru_rng *rng)
{
    double left = cru_rng_uniform(rng) * total;
    int64_t last = cru_rng_below(rng, m->n);
    for (int64_t i = 0; i < m->n; i++) {
        if (nearest[i] <= 0) continue;
        last = i;
        left -= nearest[i];
        if (left < 0) break;
    }
    return last;
}

static void seed_centres(kmeans *m, cru_rng *rng)
{
    int trials = 2 + (int)log(m->k);
    double *nearest = heap_alloc(3 * m->n, sizeof *nearest), *tried = nearest + m->n, *best = tried + m->n;
    for (int64_t i = 0; i < m->n; i++) nearest[i] = INFINITY;
    int64_t seed = cru_rng_below(rng, m->n);
    double total = add_seed(m, seed, nearest, nearest);
    memcpy(m->centres, m->x + seed * m->cols, (size_t)m->cols * sizeof *m->x);
    for (int32_t c = 1; c < m->k; c++) {
        double least = INFINITY;
        for (int t = 0; t < trials; t++) {
            int64_t candidate = draw_seed(m, nearest, total, rng);
            double sum = add_seed(m, candidate, nearest, tried);
            if (sum >= least) continue;
            least = sum;
            seed = candidate;
            memcpy(best, tried, (size_t)m->n * sizeof *best);
        }
        total = least;
        memcpy(nearest, best, (size_t)m->n * sizeof *best);
        memcpy(m->centres + c * m->cols, m->x + seed * m->cols, (size_t)m->cols * sizeof *m->x);
    }
    free(nearest);
}

/* ---- Lloyd ----------------------------------------------------------------------------------------------- */

static void assign_block(const kmeans *m, int64_t first, const float *centre_square, float *products)
{
    int64_t rows = m->n - first < ROWS ? m->n - first : ROWS;
    gemm_block(&(cru_gemm_args){.tb = true,
                                .m = rows,
                                .n = m->k,
                                .k = m->cols,
                                .alpha = 1,
                                .a = m->x + first * m->cols,
                                .b = m->centres,
                                .c = products,
                                .lda = m->cols,
                                .ldb = m->cols,
                                .ldc = m->k});
    for (int64_t i = 0; i < rows; i++) {
        int32_t best = 0;
        float least = INFINITY;
        for (int32_t c = 0; c < m->k; c++) {
            float d = centre_square[c] - 2 * products[i * m->k + c];
            if (d >= least) continue;
            least = d;
            best = c;
        }
        m->group[first + i] = best;
        m->distance[first + i] = point_distance(m, first + i, m->centres + best * m->cols);
    }
}

/* Every point to its nearest centre; returns the inertia. */
static double assign(const kmeans *m)
{
    int threads = omp_get_max_threads();
    float *square = heap_alloc(m->k, sizeof *square),
          *products = heap_alloc((int64_t)ROWS * m->k * threads, sizeof *products);
    for (int32_t c = 0; c < m->k; c++)
        for (int64_t j = 0; j < m->cols; j++) square[c] += m->centres[c * m->cols + j] * m->centres[c * m->cols + j];
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t first = 0; first < m->n; first += ROWS)
        assign_block(m, first, square, products + (int64_t)ROWS * m->k * omp_get_thread_num());
    double inertia = 0;
    for (int64_t i = 0; i < m->n; i++) inertia += m->distance[i];
    free(products);
    free(square);
    return inertia;
}

/* Sums over a fixed number of chunks of points, added in order. The first chunk's place holds the total. */
static void sum_members(const kmeans *m)
{
    int64_t width = m->cols + 1, size = m->k * width, rows = (m->n + CHUNKS - 1) / CHUNKS;
    memset(m->sums, 0, (size_t)(CHUNKS * size) * sizeof *m->sums);
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t c = 0; c < CHUNKS; c++) {
        int64_t end = (c + 1) * rows < m->n ? (c + 1) * rows : m->n;
        for (int64_t i = c * rows; i < end; i++) {
            double *sum = m->sums + c * size + m->group[i] * width;
            for (int64_t j = 0; j < m->cols; j++) sum[j] += m->x[i * m->cols + j];
            sum[m->cols]++;
        }
    }
    for (int64_t c = 1; c < CHUNKS; c++)
        for (int64_t j = 0; j < size; j++) m->sums[j] += m->sums[c * size + j];
}

/* An empty group takes over the point that lies farthest from its centre. */
static void fill_empty(const kmeans *m)
{
    int64_t width = m->cols + 1;
    for (int32_t c = 0; c < m->k; c++) {
        double *sum = m->sums + c * width;
        if (sum[m->cols] > 0) continue;
        int64_t far = 0;
        for (int64_t i = 1; i < m->n; i++)
            if (m->distance[i] > m->distance[far]) far = i;
        double *old = m->sums + m->group[far] * width;
        for (int64_t j = 0; j < m->cols; j++) {
            sum[j] += m->x[far * m->cols + j];
            old[j] -= m->x[far * m->cols + j];
        }
        sum[m->cols]++;
        old[m->cols]--;
        m->group[far] = c;
        m->distance[far] = 0;
    }
}

/* Centres to the means of their members; returns the squared shift. */
static double move_centres(const kmeans *m)
{
    double shift = 0;
    sum_members(m);
    fill_empty(m);
    for (int32_t c = 0; c < m->k; c++) {
        const double *sum = m->sums + c * (m->cols + 1);
        for (int64_t j = 0; sum[m->cols] > 0 && j < m->cols; j++) {
            float fresh = (float)(sum[j] / sum[m->cols]), *centre = &m->centres[c * m->cols + j];
            shift += ((double)fresh - *centre) * ((double)fresh - *centre);
            *centre = fresh;
        }
    }
    return shift;
}

static double run(kmeans *m, const cru_kmeans_options *o, double stop, cru_rng *rng)
{
    seed_centres(m, rng);
    double inertia = assign(m);
    for (int32_t i = 0; i < (o->iterations > 0 ? o->iterations : 300); i++) {
        double shift = move_centres(m);
        inertia = assign(m);
        if (shift <= stop) break;
    }
    return inertia;
}

double cru_kmeans(const cru_dense *x, const cru_kmeans_options *options, cru_rng *rng, int32_t *group, float *centres)
{
    int64_t n = x->rows, cols = x->cols, k = options->k;
    cru_assert(k >= 1 && k <= n, "k-means: %lld groups of %lld points", (long long)k, (long long)n);
    cru_arena *scratch = heap_arena();
    cru_pool pool = cru_arena_pool(scratch);
    kmeans m = {.n = n,
                .cols = cols,
                .k = options->k,
                .x = cru_pool_alloc(pool, n * cols, sizeof(float)),
                .mean = cru_pool_alloc(pool, cols, sizeof(double)),
                .square = cru_pool_alloc(pool, n, sizeof(float)),
                .centres = cru_pool_alloc(pool, k * cols, sizeof(float)),
                .group = cru_pool_alloc(pool, n, sizeof(int32_t)),
                .distance = cru_pool_alloc(pool, n, sizeof(double)),
                .sums = cru_pool_alloc(pool, CHUNKS * k * (cols + 1), sizeof(double))};
    centre_points(&m, x);
    double variance = 0, best = INFINITY;
    for (int64_t i = 0; i < n; i++) variance += m.square[i];
    double stop = (options->tolerance > 0 ? options->tolerance : 1e-4) * variance / (double)(n * (cols ? cols : 1));
    for (int32_t start = 0; start < (options->restarts > 0 ? options->restarts : 10); start++) {
        double inertia = run(&m, options, stop, rng);
        if (inertia >= best) continue;
        best = inertia;
        memcpy(group, m.group, (size_t)n * sizeof *group);
        for (int64_t e = 0; centres && e < k * cols; e++) centres[e] = (float)(m.centres[e] + m.mean[e % cols]);
    }
    cru_arena_destroy(scratch);
    return best;
}
