// SPDX-License-Identifier: Apache-2.0
#include "task/check-relations.h"

#include <stdbool.h>
#include <string.h>

#include <crucible/arena.h>

static int64_t largest_degree(const cru_csr *a)
{
    int64_t most = 0;
    for (int64_t v = 0; v < a->rows; v++) {
        int64_t degree = a->offsets[v + 1] - a->offsets[v];
        if (degree > most) most = degree;
    }
    return most;
}

/* Marks which entries of row v of the graph the relation has. False when it has one that the graph has not. Both rows
 * ascend. */
static bool mark_row(const cru_csr *graph, const cru_csr *relation, int64_t v, uint8_t *covered)
{
    int64_t at = graph->offsets[v], end = graph->offsets[v + 1];
    for (int64_t k = relation->offsets[v]; k < relation->offsets[v + 1]; k++) {
        while (at < end && graph->ids[at] < relation->ids[k]) at++;
        if (at == end || graph->ids[at] != relation->ids[k]) return false;
        covered[at - graph->offsets[v]] = 1;
    }
    return true;
}

static cru_status check_row(const cru_data *d, int64_t v, uint8_t *covered, cru_error *err)
{
    const int32_t *row = d->graph.ids + d->graph.offsets[v];
    const int64_t degree = d->graph.offsets[v + 1] - d->graph.offsets[v];
    for (int64_t k = 0; k < degree; k++) covered[k] = row[k] == v; /* self-loops may be the graph's own */
    for (int32_t i = 0; i < d->relation_count; i++)
        if (!mark_row(&d->graph, &d->relations[i].graph, v, covered))
            return cru_fail(err, CRU_BAD_INPUT, "relation %s: has an edge at node %lld that the graph has not",
                            d->relations[i].name, (long long)v);
    if (memchr(covered, 0, (size_t)degree))
        return cru_fail(err, CRU_BAD_INPUT, "graph: has an edge at node %lld that no relation has", (long long)v);
    return CRU_OK;
}

cru_status check_union(const cru_data *d, cru_error *err)
{
    if (d->relation_count == 0) return CRU_OK;
    cru_arena *scratch = cru_arena_create();
    uint8_t *covered = scratch ? cru_arena_try(scratch, largest_degree(&d->graph), 1) : NULL;
    cru_status status = covered ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "relations: out of memory");
    for (int64_t v = 0; v < d->nodes && !status; v++) status = check_row(d, v, covered, err);
    cru_arena_destroy(scratch);
    return status;
}
