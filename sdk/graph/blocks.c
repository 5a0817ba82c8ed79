// SPDX-License-Identifier: Apache-2.0
/* The part of a graph that a layer needs for some of its nodes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/blocks.h>

#include "memory/heap.h"
#include "sparse/draft.h"
#include "sparse/sort.h"

/* ---- nodes numbered anew ----------------------------------------------------------------------------------- */

/* Ids that were not seen before go behind the others; place[v] = 1 for those seen. */
static int64_t note(uint64_t *seen, int64_t count, cru_ids ids, int32_t *place)
{
    for (int64_t i = 0; i < ids.count; i++) {
        const int32_t v = ids.ids[i];
        if (place[v]) continue;
        place[v] = 1;
        seen[count++] = (uint64_t)v;
    }
    return count;
}

/* The nodes of two lists, each once, ascending; place[v] becomes the number of v, from 1. */
static cru_ids number_nodes(cru_pool pool, cru_ids a, cru_ids b, int32_t *place)
{
    uint64_t *seen = heap_alloc(a.count + b.count, sizeof *seen);
    const int64_t count = note(seen, note(seen, 0, a, place), b, place);
    uint64_t *spare = heap_alloc(count, sizeof *spare);
    sort_u64(seen, count, spare);
    int32_t *nodes = cru_pool_alloc(pool, count, sizeof *nodes);
    for (int64_t i = 0; i < count; i++) {
        nodes[i] = (int32_t)seen[i];
        place[nodes[i]] = (int32_t)i + 1;
    }
    free(spare);
    free(seen);
    return (cru_ids){nodes, count};
}

/* ---- blocks -------------------------------------------------------------------------------------------------- */

static double sum_of_row(const cru_csr *a, int64_t row)
{
    double sum = 0;
    for (int64_t e = a->offsets[row]; e < a->offsets[row + 1]; e++) sum += (double)csr_value(a, e);
    return sum;
}

static bool same_lengths(const cru_csr *g, cru_ids rows, const cru_csr *drawn)
{
    for (int64_t i = 0; i < rows.count; i++)
        if (drawn->offsets[i + 1] - drawn->offsets[i] != g->offsets[rows.ids[i] + 1] - g->offsets[rows.ids[i]])
            return false;
    return true;
}

/* The drawn entries, weighted so that every row has the sum of the whole row. */
static float *keep_sums(cru_pool pool, const cru_csr *g, cru_ids rows, const cru_csr *drawn)
{
    float *values = cru_pool_alloc(pool, cru_csr_nnz(drawn), sizeof *values);
#pragma omp parallel for schedule(static) if (rows.count >= SHARED_FROM)
    for (int64_t i = 0; i < rows.count; i++) {
        const int64_t from = drawn->offsets[i], to = drawn->offsets[i + 1], v = rows.ids[i];
        const double part = sum_of_row(drawn, i);
        const bool all = to - from == g->offsets[v + 1] - g->offsets[v];
        const double factor = all || part == 0 ? 1 : sum_of_row(g, v) / part;
        for (int64_t e = from; e < to; e++) values[e] = (float)(factor * (double)csr_value(drawn, e));
    }
    return values;
}

cru_block cru_block_of(cru_pool pool, const cru_csr *g, cru_ids rows, const cru_csr *drawn, int32_t *place)
{
    cru_assert(drawn->rows == rows.count && drawn->cols == g->cols, "block: %lld x %lld entries of %lld rows of %lld",
               (long long)drawn->rows, (long long)drawn->cols, (long long)rows.count, (long long)g->cols);
    const int64_t entries = cru_csr_nnz(drawn);
    cru_block b = {.nodes = number_nodes(pool, rows, (cru_ids){drawn->ids, entries}, place)};
    int32_t *ids = cru_pool_alloc(pool, entries, sizeof *ids), *own = cru_pool_alloc(pool, rows.count, sizeof *own);
    for (int64_t e = 0; e < entries; e++) ids[e] = place[drawn->ids[e]] - 1;
    for (int64_t i = 0; i < rows.count; i++) own[i] = place[rows.ids[i]] - 1;
    for (int64_t i = 0; i < b.nodes.count; i++) place[b.nodes.ids[i]] = 0;
    b.own = own;
    b.adj = (cru_csr){.rows = rows.count,
                      .cols = b.nodes.count,
                      .offsets = drawn->offsets,
                      .ids = ids,
                      .values = same_lengths(g, rows, drawn) ? drawn->values : keep_sums(pool, g, rows, drawn)};
    return b;
}

cru_csr cru_block_entries(cru_pool pool, const cru_csr *g, cru_ids rows, const int32_t *inside)
{
    draft d = draft_begin(pool, rows.count, g->cols);
    for (int64_t i = 0; i < rows.count; i++)
        for (int64_t e = g->offsets[rows.ids[i]]; e < g->offsets[rows.ids[i] + 1]; e++)
            d.offsets[i + 1] += !inside || inside[g->ids[e]];
    draft_entries(&d, g->values != NULL);
    for (int64_t i = 0; i < rows.count; i++) {
        int64_t at = d.offsets[i];
        for (int64_t e = g->offsets[rows.ids[i]]; e < g->offsets[rows.ids[i] + 1]; e++) {
            if (inside && !inside[g->ids[e]]) continue;
            if (d.values) d.values[at] = g->values[e];
            d.ids[at++] = g->ids[e];
        }
    }
    return draft_done(&d);
}

/* ---- one draw for a layer ------------------------------------------------------------------------------------ */

/* The share of every node that the rows read in the squares of what they read. */
static void weigh(const cru_csr *g, cru_ids rows, const int32_t *place, double *weight, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < rows.count; i++)
        for (int64_t e = g->offsets[rows.ids[i]]; e < g->offsets[rows.ids[i] + 1]; e++) {
            const double value = (double)csr_value(g, e);
            weight[place[g->ids[e]] - 1] += value * value;
        }
    for (int64_t i = 0; i < count; i++) sum += weight[i];
    for (int64_t i = 0; i < count; i++) weight[i] /= sum > 0 ? sum : 1;
}

/* What an entry at each node is worth: 0 where it was not drawn. */
static void draw_nodes(double *weight, int64_t nodes, int64_t count, cru_rng *rng)
{
    int64_t possible = 0;
    for (int64_t i = 0; i < nodes; i++) possible += weight[i] > 0;
    const int64_t drawn = count < possible ? count : possible;
    int32_t *chosen = heap_alloc(drawn, sizeof *chosen);
    double *worth = heap_alloc(nodes, sizeof *worth);
    cru_rng_weighted(rng, weight, nodes, drawn, false, chosen);
    for (int64_t i = 0; i < drawn; i++) {
        const double expected = (double)count * weight[chosen[i]];
        worth[chosen[i]] = drawn == possible || expected > 1 ? 1 : 1 / expected;
    }
    memcpy(weight, worth, (size_t)nodes * sizeof *worth);
    free(worth);
    free(chosen);
}

cru_csr cru_sample_layer(cru_pool pool, const cru_csr *g, cru_ids rows, int64_t count, cru_rng *rng)
{
    cru_arena *scratch = heap_arena();
    const cru_pool own = cru_arena_pool(scratch);
    int32_t *place = heap_alloc(g->cols, sizeof *place);
    const cru_csr all = cru_block_entries(own, g, rows, NULL);
    const cru_ids nodes = number_nodes(own, rows, (cru_ids){all.ids, cru_csr_nnz(&all)}, place);
    double *worth = heap_alloc(nodes.count, sizeof *worth);
    weigh(g, rows, place, worth, nodes.count);
    draw_nodes(worth, nodes.count, count, rng);
    for (int64_t i = 0; i < rows.count; i++) worth[place[rows.ids[i]] - 1] = 1;
    for (int64_t i = 0; i < nodes.count; i++)
        if (worth[place[nodes.ids[i]] - 1] == 0) place[nodes.ids[i]] = 0;
    cru_csr kept = cru_block_entries(pool, g, rows, place);
    float *values = cru_pool_alloc(pool, cru_csr_nnz(&kept), sizeof *values);
    for (int64_t e = 0; e < cru_csr_nnz(&kept); e++)
        values[e] = (float)((double)csr_value(&kept, e) * worth[place[kept.ids[e]] - 1]);
    kept.values = values;
    free(worth);
    free(place);
    cru_arena_destroy(scratch);
    return kept;
}
