// SPDX-License-Identifier: Apache-2.0
/* Random walks and samples of neighbours, edges and non-edges. */
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/sampling.h>
#include <crucible/sampling.h>

#include "memory/heap.h"
#include "sparse/draft.h"

/* A fresh family of streams: its members are cru_rng_split(&family, i). Moves the caller's stream. */
static cru_rng new_family(cru_rng *rng)
{
    uint64_t number = cru_rng_u64(rng);
    return cru_rng_split(rng, number);
}

static int64_t row_length(const cru_csr *g, int64_t v)
{
    return g->offsets[v + 1] - g->offsets[v];
}

/* ---- walks ----------------------------------------------------------------------------------------------------- */

static int32_t uniform_step(const cru_csr *g, int32_t v, cru_rng *rng)
{
    int64_t degree = row_length(g, v);
    return degree ? g->ids[g->offsets[v] + cru_rng_below(rng, degree)] : v;
}

void cru_walk_uniform(const cru_csr *g, cru_ids starts, int32_t length, cru_rng *rng, int32_t *out)
{
    cru_rng family = new_family(rng);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < starts.count; i++) {
        cru_rng own = cru_rng_split(&family, (uint64_t)i);
        int32_t *walk = out + i * (length + 1);
        walk[0] = starts.ids[i];
        for (int32_t k = 0; k < length; k++) walk[k + 1] = uniform_step(g, walk[k], &own);
    }
}

/* Rejection: propose uniformly, accept with weight / largest weight. Expected tries: at most max / min weight. */
static int32_t biased_step(const cru_csr *g, const cru_node2vec *o, int32_t before, int32_t v, cru_rng *rng)
{
    double back = 1 / o->p, away = 1 / o->q, most = back > away ? back : away;
    if (most < 1) most = 1;
    for (;;) {
        int32_t u = uniform_step(g, v, rng);
        double weight = u == before ? back : cru_csr_find(g, before, u) >= 0 ? 1 : away;
        if (cru_rng_uniform(rng) * most < weight) return u;
    }
}

void cru_walk_node2vec(const cru_csr *g, cru_ids starts, const cru_node2vec *options, cru_rng *rng, int32_t *out)
{
    cru_assert(options->p > 0 && options->q > 0, "node2vec: p = %g, q = %g", options->p, options->q);
    cru_rng family = new_family(rng);
    int32_t length = options->length;
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = 0; i < starts.count; i++) {
        cru_rng own = cru_rng_split(&family, (uint64_t)i);
        int32_t *walk = out + i * (length + 1);
        walk[0] = starts.ids[i];
        for (int32_t k = 0; k < length; k++)
            walk[k + 1] = k && row_length(g, walk[k]) ? biased_step(g, options, walk[k - 1], walk[k], &own)
                                                      : uniform_step(g, walk[k], &own);
    }
}

/* ---- what is not there ----------------------------------------------------------------------------------- */

/* Columns that row v could be given: not stored, not v itself. */
static int64_t free_columns(const cru_csr *g, int64_t v)
{
    bool self_counts = v < g->cols && cru_csr_find(g, v, (int32_t)v) < 0;
    return g->cols - row_length(g, v) - self_counts;
}

/* How many ids of row v come before the k-th (from 0) column that it does not store: those with ids[e] - e <= k. */
static int64_t stored_before(const cru_csr *g, int64_t v, int64_t k)
{
    const int32_t *ids = g->ids + g->offsets[v];
    int64_t lo = 0, hi = row_length(g, v);
    while (lo < hi) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (ids[mid] - mid <= k)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The k-th (from 0) free column. Where v is not stored, it stands among the others and is passed over. */
static int32_t free_column(const cru_csr *g, int64_t v, int64_t k)
{
    const int64_t col = k + stored_before(g, v, k);
    if (col < v || v >= g->cols || cru_csr_find(g, v, (int32_t)v) >= 0) return (int32_t)col;
    return (int32_t)(k + 1 + stored_before(g, v, k + 1));
}

void cru_sample_non_neighbours(const cru_csr *g, cru_ids rows, int64_t each, cru_rng *rng, int32_t *out)
{
    cru_rng family = new_family(rng);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = 0; i < rows.count; i++) {
        cru_rng own = cru_rng_split(&family, (uint64_t)i);
        int64_t room = free_columns(g, rows.ids[i]);
        for (int64_t k = 0; k < each; k++)
            out[i * each + k] = room > 0 ? free_column(g, rows.ids[i], cru_rng_below(&own, room)) : -1;
    }
}

enum { NON_EDGES_A_STREAM = 4096 }; /* a stream of its own for every pair would cost more than the pair */

/* Where most places are free, any place is drawn until a free one comes: on average less than twice. */
static void draw_places(const cru_csr *g, cru_rng *rng, const cru_pairs *out)
{
    for (int64_t i = 0; i < out->count; i++) {
        int64_t row, col;
        do {
            const int64_t place = cru_rng_below(rng, g->rows * g->cols);
            row = place / g->cols, col = place % g->cols;
        } while (row == col || cru_csr_find(g, row, (int32_t)col) >= 0);
        out->row[i] = (int32_t)row, out->col[i] = (int32_t)col;
    }
}

/* Else a free place is found by its number: free_before[v] of them are in rows before v. */
static void find_places(const cru_csr *g, const int64_t *free_before, cru_rng *rng, const cru_pairs *out)
{
    for (int64_t i = 0; i < out->count; i++) {
        int64_t place = cru_rng_below(rng, free_before[g->rows]), lo = 0, hi = g->rows;
        while (hi - lo > 1) {
            int64_t mid = lo + (hi - lo) / 2;
            if (free_before[mid] <= place)
                lo = mid;
            else
                hi = mid;
        }
        out->row[i] = (int32_t)lo;
        out->col[i] = free_column(g, lo, place - free_before[lo]);
    }
}

cru_status cru_sample_non_edges(const cru_csr *g, cru_rng *rng, const cru_pairs *out, cru_error *err)
{
    int64_t *free_before = heap_alloc(g->rows + 1, sizeof *free_before);
    for (int64_t v = 0; v < g->rows; v++) free_before[v + 1] = free_before[v] + free_columns(g, v);
    const int64_t total = free_before[g->rows], all = g->rows * g->cols;
    if (total <= 0 && out->count > 0) {
        free(free_before);
        return cru_fail(err, CRU_FAILED, "negative sampling: all %lld pairs are edges", (long long)all);
    }
    cru_rng family = new_family(rng);
#pragma omp parallel for schedule(static)
    for (int64_t from = 0; from < out->count; from += NON_EDGES_A_STREAM) {
        cru_rng own = cru_rng_split(&family, (uint64_t)(from / NON_EDGES_A_STREAM));
        const int64_t left = out->count - from, count = left < NON_EDGES_A_STREAM ? left : NON_EDGES_A_STREAM;
        const cru_pairs part = {count, out->row + from, out->col + from};
        if (total > all / 2)
            draw_places(g, &own, &part);
        else
            find_places(g, free_before, &own, &part);
    }
    free(free_before);
    return CRU_OK;
}

cru_csr cru_sample_absent_edges(cru_pool pool, const cru_csr *g, int64_t count, cru_rng *rng, cru_error *err)
{
    const cru_pairs drawn = {
        .count = count, .row = heap_alloc(count, sizeof *drawn.row), .col = heap_alloc(count, sizeof *drawn.col)};
    cru_coo upper = {.rows = g->rows, .cols = g->cols, .row = drawn.row, .col = drawn.col};
    const bool found = !cru_sample_non_edges(g, rng, &drawn, err);
    for (int64_t i = 0; found && i < count; i++) {
        if (drawn.row[i] >= drawn.col[i]) continue;
        drawn.row[upper.count] = drawn.row[i];
        drawn.col[upper.count++] = drawn.col[i];
    }
    const cru_csr pattern = cru_csr_from_coo(pool, &upper, CRU_DUP_FIRST);
    free(drawn.row);
    free(drawn.col);
    return pattern;
}

/* ---- what is there --------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Row i of the draft: `count` entries of row v, chosen without replacement, in their order. */
static void choose_entries(const draft *d, int64_t i, const cru_csr *g, int64_t v, cru_rng *rng)
{
    int64_t count = d->offsets[i + 1] - d->offsets[i], degree = row_length(g, v);
    int32_t *chosen = d->ids + d->offsets[i];
    if (count < degree) {
        cru_rng_choose(rng, degree, count, chosen);
        qsort(chosen, (size_t)count, sizeof *chosen, by_number);
    } else {
        for (int64_t k = 0; k < count; k++) chosen[k] = (int32_t)k;
    }
    for (int64_t k = 0; k < count; k++) {
        int64_t e = g->offsets[v] + chosen[k];
        if (d->values) d->values[d->offsets[i] + k] = g->values[e];
        chosen[k] = g->ids[e];
    }
}

cru_csr cru_sample_neighbours(cru_pool pool, const cru_csr *g, cru_ids rows, int64_t fanout, cru_rng *rng)
{
    cru_rng family = new_family(rng);
    draft d = draft_begin(pool, rows.count, g->cols);
    for (int64_t i = 0; i < rows.count; i++) {
        int64_t degree = row_length(g, rows.ids[i]);
        d.offsets[i + 1] = degree < fanout ? degree : fanout;
    }
    draft_entries(&d, g->values != NULL);
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t i = 0; i < rows.count; i++) {
        cru_rng own = cru_rng_split(&family, (uint64_t)i);
        choose_entries(&d, i, g, rows.ids[i], &own);
    }
    return draft_done(&d);
}

static void draw_row(const cru_csr *g, int64_t v, double keep, cru_rng *rng, uint8_t *mask)
{
    for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) mask[e] = cru_rng_uniform(rng) < keep;
}

cru_csr cru_sample_edges(cru_pool pool, const cru_csr *g, double keep, bool paired, cru_rng *rng)
{
    uint8_t *mask = heap_alloc(cru_csr_nnz(g), sizeof *mask);
    cru_rng family = new_family(rng);
#pragma omp parallel for schedule(static)
    for (int64_t v = 0; v < g->rows; v++) {
        cru_rng own = cru_rng_split(&family, (uint64_t)v);
        draw_row(g, v, keep, &own, mask);
    }
    /* The lower triangle follows the upper one; a one-way entry keeps its own draw. */
    for (int64_t v = 0; paired && v < g->rows; v++) {
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1] && g->ids[e] < v; e++) {
            int64_t other = cru_csr_find(g, g->ids[e], (int32_t)v);
            if (other >= 0) mask[e] = mask[other];
        }
    }
    cru_csr result = cru_csr_select(pool, g, mask);
    free(mask);
    return result;
}
