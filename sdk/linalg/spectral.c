// SPDX-License-Identifier: Apache-2.0
/* Spectral clustering. Ng, Jordan, Weiss. On spectral clustering. NIPS 2001. */
#include <math.h>
#include <stdlib.h>

#include <crucible/draft/cluster.h>
#include <crucible/draft/graph.h>
#include <crucible/draft/linalg.h>
#include <crucible/graph.h>

#include "memory/heap.h"

static float *unit_rows(const double *vectors, int64_t n, int64_t k)
{
    float *rows = heap_alloc(n * k, sizeof *rows);
    for (int64_t i = 0; i < n; i++) {
        double norm = 0;
        for (int64_t j = 0; j < k; j++) norm += vectors[i * k + j] * vectors[i * k + j];
        for (int64_t j = 0; norm > 0 && j < k; j++) rows[i * k + j] = (float)(vectors[i * k + j] / sqrt(norm));
    }
    return rows;
}

cru_status cru_spectral_clusters(const cru_csr *affinity, int32_t k, cru_rng *rng, int32_t *group, cru_error *err)
{
    int64_t n = affinity->rows;
    cru_assert(k >= 1 && k <= n, "spectral clustering: %d groups of %lld nodes", k, (long long)n);
    cru_arena *scratch = heap_arena();
    cru_csr laplacian = cru_graph_laplacian(cru_arena_pool(scratch), affinity, CRU_LAPLACIAN_SYM);
    double *values = heap_alloc(k, sizeof *values), *vectors = heap_alloc(n * k, sizeof *vectors);
    cru_eigen_options options = {.k = k, .end = CRU_SMALLEST, .tolerance = 1e-6};
    cru_status status = cru_eigen_sparse(&laplacian, &options, rng, &(cru_eigenpairs){values, vectors}, err);
    if (!status) {
        float *rows = unit_rows(vectors, n, k);
        cru_kmeans(&(cru_dense){n, k, rows}, &(cru_kmeans_options){.k = k}, rng, group, NULL);
        free(rows);
    }
    free(vectors);
    free(values);
    cru_arena_destroy(scratch);
    return status;
}
