// SPDX-License-Identifier: Apache-2.0
#include "graph-of-graphs.h"

#include <crucible/draft/graph-kernels.h>
#include <crucible/draft/graph.h>

int32_t *gog_neighbours(cru_pool pool, cru_blocks graphs, int64_t count, const int32_t *labels, int64_t k)
{
    const cru_csr paths = cru_path_histograms(pool, graphs, count, labels);
    int32_t *nearest = cru_pool_alloc(pool, count * k, sizeof *nearest);
    int32_t *out = cru_pool_alloc(pool, count * (k - 1), sizeof *out);
    cru_histogram_nearest(&paths, k, nearest);
    for (int64_t i = 0; i < count; i++)
        for (int64_t rank = 1; rank < k; rank++) out[i * (k - 1) + rank - 1] = nearest[i * k + rank];
    return out;
}

cru_csr gog_matrix(cru_pool pool, const cru_coo *edges)
{
    const cru_csr counted = cru_csr_from_coo(pool, edges, CRU_DUP_KEEP);
    const cru_csr looped = cru_graph_loops(pool, &counted, CRU_LOOPS_ADD); /* sums parallel edges first */
    return cru_graph_normalise(pool, &looped, CRU_NORM_COL);
}
