// SPDX-License-Identifier: Apache-2.0
/* generalized-edge-homophily: how alike the features of neighbours are.
 *
 *     mean over the edges (u, v) of cos(x_u, x_v)      without self-loops; 0 for a vector of zeros
 *
 * Needs no labels. Negative where signed features point away from each other. Not defined without edges.
 *
 * Jin, Yu, Huo, Wang, Wang, He, Han. Universal Graph Convolutional Networks. NeurIPS 2021. */
#include <math.h>
#include <stdlib.h>

#include <crucible/plugin.h>

static double dense_dot(const float *a, const float *b, int64_t cols)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < cols; k++) sum += (double)a[k] * (double)b[k];
    return sum;
}

static double sparse_value(const cru_csr *x, int64_t e)
{
    return x->values ? (double)x->values[e] : 1;
}

/* Ids ascend in both rows. */
static double sparse_dot(const cru_csr *x, int64_t u, int64_t v)
{
    int64_t a = x->offsets[u], b = x->offsets[v];
    double sum = 0;
    while (a < x->offsets[u + 1] && b < x->offsets[v + 1]) {
        if (x->ids[a] == x->ids[b]) {
            sum += sparse_value(x, a++) * sparse_value(x, b++);
        } else if (x->ids[a] < x->ids[b]) {
            a++;
        } else {
            b++;
        }
    }
    return sum;
}

static double dot(const cru_features *x, int64_t u, int64_t v)
{
    if (x->dense) return dense_dot(x->dense + u * x->cols, x->dense + v * x->cols, x->cols);
    return x->sparse.offsets ? sparse_dot(&x->sparse, u, v) : 0;
}

static double mean_cosine(const cru_csr *g, const cru_features *x, const double *length)
{
    double sum = 0;
    int64_t edges = 0;
    for (int64_t v = 0; v < g->rows; v++) {
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
            const int32_t u = g->ids[e];
            if (u == v) continue;
            const double lengths = length[u] * length[v];
            if (lengths > 0) sum += dot(x, u, v) / lengths;
            edges++;
        }
    }
    return edges ? sum / (double)edges : NAN;
}

static cru_status score(const cru_judging *j, double *value)
{
    const cru_data *data = j->data;
    if (data->x.cols == 0) return cru_fail(j->err, CRU_UNSUPPORTED, "the data has no features");
    double *length = malloc((size_t)(data->nodes + 1) * sizeof *length);
    if (!length) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for %lld nodes", (long long)data->nodes);
    for (int64_t v = 0; v < data->nodes; v++) length[v] = sqrt(dot(&data->x, v, v));
    *value = mean_cosine(&data->graph, &data->x, length);
    free(length);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET | CRU_METRIC_OF_FEATURES, .score = score),
    .name = "generalized-edge-homophily",
    .version = "1.0",
    .summary = "mean cosine between the features of neighbours",
    .citation = "Jin, Yu, Huo, Wang, Wang, He, Han. Universal Graph Convolutional Networks. NeurIPS 2021.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
