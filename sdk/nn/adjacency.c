// SPDX-License-Identifier: Apache-2.0
/* The propagation matrix that a method's settings ask for. */
#include <crucible/graph.h>
#include <crucible/nn.h>

const char *const cru_loops_names[] = {"keep", "add", "fill", "set", "remove", NULL};
const char *const cru_norm_names[] = {"sym", "in-out", "rw", "col", "none", NULL};

cru_csr cru_adjacency_graph(cru_ctx *ctx, const cru_csr *graph, const cru_adjacency *settings)
{
    cru_pool pool = cru_ctx_pool(ctx);
    cru_csr looped = cru_graph_loops(pool, graph, (cru_loops)settings->loops);
    return cru_graph_normalise(pool, &looped, (cru_norm)settings->norm);
}

cru_sparse *cru_adjacency_create(cru_ctx *ctx, const cru_csr *graph, const cru_adjacency *settings)
{
    cru_csr adjacency = cru_adjacency_graph(ctx, graph, settings);
    return cru_sparse_create(ctx, &adjacency);
}
