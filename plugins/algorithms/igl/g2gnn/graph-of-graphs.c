// SPDX-License-Identifier: Apache-2.0
#include <crucible/draft/graph-kernels.h>
#include <crucible/draft/graph.h>

#include "graph-of-graphs.h"

int32_t *gog_neighbours(cru_pool pool, cru_blocks graphs, int64_t count, const int32_t *labels, int64_t k)
{
    const cru_csr paths = cru_path_histograms(pool, graphs, count, labels);
    float *kernel = cru_pool_alloc(pool, count * count, sizeof *kernel);
    cru_histogram_kernel(&paths, true, kernel);
    int32_t *out = cru_pool_alloc(pool, count * (k - 1), sizeof *out);
    uint8_t *taken = cru_pool_alloc(pool, count, sizeof *taken);
    for (int64_t i = 0; i < count; i++) {
        const float *row = kernel + i * count;
        for (int64_t j = 0; j < count; j++) taken[j] = 0;
        for (int64_t rank = 0; rank < k; rank++) {
            int64_t best = -1;
            for (int64_t j = 0; j < count; j++)
                if (!taken[j] && (best < 0 || row[j] > row[best])) best = j;
            taken[best] = 1;
            if (rank) out[i * (k - 1) + rank - 1] = (int32_t)best;
        }
    }
    return out;
}

cru_csr gog_matrix(cru_pool pool, const cru_coo *edges)
{
    const cru_csr counted = cru_csr_from_coo(pool, edges, CRU_DUP_KEEP);
    const cru_csr looped = cru_graph_loops(pool, &counted, CRU_LOOPS_ADD); /* sums parallel edges first */
    return cru_graph_normalise(pool, &looped, CRU_NORM_COL);
}
