// SPDX-License-Identifier: Apache-2.0
/* METIS, opened when first used: most processes never cut a graph. */
#include <dlfcn.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/cluster.h>
#include <crucible/graph.h>

#include "memory/heap.h"

typedef int partition_function(idx_t *n, idx_t *constraints, idx_t *offsets, idx_t *ids, idx_t *node_weights,
                               idx_t *node_sizes, idx_t *edge_weights, idx_t *parts, real_t *targets, real_t *slack,
                               idx_t *options, idx_t *cut, idx_t *part);

static partition_function *find_metis(cru_error *err)
{
    void *library = dlopen("libmetis.so.5", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, "METIS_PartGraphKway") : NULL;
    partition_function *function = NULL;
    memcpy(&function, &symbol, sizeof symbol);
    if (!function) cru_fail(err, CRU_UNSUPPORTED, "METIS is not available: %s", dlerror());
    return function;
}

/* METIS counts edges in 32 bits. */
static idx_t *narrow_offsets(const cru_csr *g)
{
    idx_t *offsets = heap_alloc(g->rows + 1, sizeof *offsets);
    for (int64_t v = 0; v <= g->rows; v++) offsets[v] = (idx_t)g->offsets[v];
    return offsets;
}

static cru_status cut_graph(partition_function *kway, const cru_csr *g, int32_t parts, int32_t *part, cru_error *err)
{
    idx_t n = (idx_t)g->rows, constraints = 1, count = parts, cut = 0, options[METIS_NOPTIONS];
    for (int i = 0; i < METIS_NOPTIONS; i++) options[i] = -1; /* defaults */
    options[METIS_OPTION_SEED] = 0;
    options[METIS_OPTION_NUMBERING] = 0;
    idx_t *offsets = narrow_offsets(g), *ids = heap_alloc(cru_csr_nnz(g), sizeof *ids);
    memcpy(ids, g->ids, (size_t)cru_csr_nnz(g) * sizeof *ids);
    int status = kway(&n, &constraints, offsets, ids, NULL, NULL, NULL, &count, NULL, NULL, options, &cut, part);
    free(ids);
    free(offsets);
    if (status != METIS_OK) return cru_fail(err, CRU_FAILED, "METIS failed (%d) on %d parts", status, parts);
    return CRU_OK;
}

cru_status cru_graph_partition(const cru_csr *g, int32_t parts, int32_t *part, cru_error *err)
{
    cru_assert(parts >= 1, "partition: %d parts", parts);
    memset(part, 0, (size_t)g->rows * sizeof *part);
    if (parts == 1 || g->rows == 0) return CRU_OK;
    partition_function *kway = find_metis(err);
    if (!kway) return CRU_UNSUPPORTED;
    cru_arena *scratch = heap_arena();
    cru_csr plain = cru_graph_loops(cru_arena_pool(scratch), g, CRU_LOOPS_REMOVE);
    plain = cru_graph_symmetrise(cru_arena_pool(scratch), &plain, CRU_SYM_OR);
    cru_status status = CRU_OK;
    if (cru_csr_nnz(&plain) > INT32_MAX)
        status = cru_fail(err, CRU_UNSUPPORTED, "METIS: more than 2^31 edges");
    else
        status = cut_graph(kway, &plain, parts, part, err);
    cru_arena_destroy(scratch);
    return status;
}
