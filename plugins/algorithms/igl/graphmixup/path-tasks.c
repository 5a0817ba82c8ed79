// SPDX-License-Identifier: Apache-2.0
#include "path-tasks.h"

#include <crucible/arena.h>
#include <crucible/draft/cluster.h>
#include <crucible/paths.h>

/* Reservoirs: the i-th pair of a group takes a place of the first `each` with probability each / i. */
path_pairs path_pairs_draw(cru_pool pool, const cru_csr *g, int32_t cut, int64_t each, cru_rng *rng)
{
    const int64_t n = g->rows, groups = cut + 1;
    path_pairs p = {cru_pool_alloc(pool, groups * each, sizeof *p.first),
                    cru_pool_alloc(pool, groups * each, sizeof *p.second),
                    cru_pool_alloc(pool, groups * each, sizeof *p.group), 0};
    int64_t *seen = cru_pool_alloc(pool, groups, sizeof *seen);
    int32_t *hops = cru_pool_alloc(pool, n, sizeof *hops);
    for (int64_t i = 0; i < groups; i++) seen[i] = 0;
    for (int32_t u = 0; u < n; u++) {
        cru_graph_hops(g, (cru_ids){&u, 1}, hops, NULL);
        for (int32_t v = u + 1; v < n; v++) {
            const int32_t group = hops[v] >= 1 && hops[v] <= cut ? hops[v] - 1 : cut;
            const int64_t i = seen[group]++, place = i < each ? i : cru_rng_below(rng, i + 1);
            if (place >= each) continue;
            p.first[group * each + place] = u;
            p.second[group * each + place] = v;
        }
    }
    for (int32_t group = 0; group < groups; group++)
        for (int64_t i = 0; i < each && i < seen[group]; i++) {
            p.first[p.count] = p.first[group * each + i];
            p.second[p.count] = p.second[group * each + i];
            p.group[p.count++] = group;
        }
    return p;
}

/* The centre of a part, or its place among the nodes of the part; -1 for an empty one. */
static int32_t centre_of(const cru_csr *g, const int32_t *part, int32_t wanted, bool misread)
{
    int64_t most = -1, place = 0;
    int32_t best = -1;
    for (int32_t v = 0; v < g->rows; v++) {
        if (part[v] != wanted) continue;
        int64_t inner = 0;
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) inner += part[g->ids[e]] == wanted;
        if (inner > most) most = inner, best = misread ? (int32_t)place : v;
        place++;
    }
    return best;
}

cru_status path_centres(const cru_csr *g, int32_t parts, bool misread, float *target, cru_error *err)
{
    cru_arena *scratch = cru_arena_create();
    if (!scratch) cru_panic(CRU_NO_MEMORY, "no memory for %lld distances", (long long)g->rows);
    const cru_pool pool = cru_arena_pool(scratch);
    int32_t *part = cru_pool_alloc(pool, g->rows, sizeof *part), *hops = cru_pool_alloc(pool, g->rows, sizeof *hops);
    const cru_status status = cru_graph_partition(g, parts, part, err);
    for (int32_t k = 0; !status && k < parts; k++) {
        const int32_t centre = centre_of(g, part, k, misread);
        if (centre >= 0) cru_graph_hops(g, (cru_ids){&centre, 1}, hops, NULL);
        for (int64_t v = 0; v < g->rows; v++)
            target[v * parts + k] = centre >= 0 && hops[v] > 0 ? 1 / (float)hops[v] : 0;
    }
    cru_arena_destroy(scratch);
    return status;
}
