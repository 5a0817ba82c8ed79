// SPDX-License-Identifier: Apache-2.0
/* Ollivier-Ricci curvature. Edges u -> v are taken by destination: for one v the targets {v} and its successors get
 * local numbers, and what every node reaches of them in one hop, or in two, is a row of bits that all edges into v
 * share. Each edge is then one small transport problem. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/curvature.h>

#include "graph/hop-transport.h"
#include "memory/heap.h"

/* Rows of bits by node, forgotten all at once. */
typedef struct bit_rows {
    int64_t *stamp; /* by node: the round in which its row was made */
    int64_t *slot;
    uint64_t *bits;
    int64_t used, room, words, round;
} bit_rows;

static uint64_t *bit_rows_find(const bit_rows *rows, int32_t node)
{
    return rows->stamp[node] == rows->round ? rows->bits + rows->slot[node] * rows->words : NULL;
}

/* The pointer is good until the next row is made. */
static uint64_t *bit_rows_make(bit_rows *rows, int32_t node)
{
    if (rows->used == rows->room) {
        rows->room = rows->room ? 2 * rows->room : 64;
        rows->bits = heap_grow(rows->bits, rows->room * rows->words, sizeof *rows->bits);
    }
    rows->stamp[node] = rows->round;
    rows->slot[node] = rows->used++;
    uint64_t *row = rows->bits + rows->slot[node] * rows->words;
    memset(row, 0, (size_t)rows->words * sizeof *row);
    return row;
}

static void bit_rows_forget(bit_rows *rows, int64_t words)
{
    rows->round++;
    if (words > rows->words) { /* rooms are counted in rows: a wider row needs new ones */
        free(rows->bits);
        rows->bits = NULL;
        rows->room = 0;
    }
    rows->used = 0;
    rows->words = words;
}

/* The state of one thread. `in` and `out` hold predecessors and successors, loop-free. */
typedef struct worker {
    const cru_csr *in, *out;
    double alpha;
    bit_rows one, two; /* targets within one hop, within two */
    int32_t *target;   /* by node: local number + 1 among the targets of v, or 0 */
    int32_t *targets;  /* of the current v */
    int64_t target_count;
} worker;

static void set_bit(uint64_t *row, int64_t i)
{
    row[i / 64] |= (uint64_t)1 << (i % 64);
}

static int64_t degree(const cru_csr *g, int64_t v)
{
    return g->offsets[v + 1] - g->offsets[v];
}

static void set_targets(worker *w, int32_t v)
{
    for (int64_t j = 0; j < w->target_count; j++) w->target[w->targets[j]] = 0;
    w->target_count = 1;
    w->targets[0] = v;
    for (int64_t e = w->out->offsets[v]; e < w->out->offsets[v + 1]; e++)
        w->targets[w->target_count++] = w->out->ids[e];
    int64_t words = (w->target_count + 63) / 64;
    bit_rows_forget(&w->one, words);
    bit_rows_forget(&w->two, words);
    for (int64_t j = 0; j < w->target_count; j++) {
        int32_t q = w->targets[j];
        w->target[q] = (int32_t)j + 1;
        for (int64_t e = w->in->offsets[q]; e < w->in->offsets[q + 1]; e++) {
            uint64_t *row = bit_rows_find(&w->one, w->in->ids[e]);
            if (!row) row = bit_rows_make(&w->one, w->in->ids[e]);
            set_bit(row, j);
        }
    }
}

/* Makes sure that node p has both rows. */
static void reach_targets(worker *w, int32_t p)
{
    if (!bit_rows_find(&w->one, p)) bit_rows_make(&w->one, p);
    if (bit_rows_find(&w->two, p)) return;
    uint64_t *row = bit_rows_make(&w->two, p);
    for (int64_t e = w->out->offsets[p]; e < w->out->offsets[p + 1]; e++) {
        const uint64_t *step = bit_rows_find(&w->one, w->out->ids[e]);
        for (int64_t b = 0; step && b < w->two.words; b++) row[b] |= step[b];
    }
}

/* The measures of u and v in whole units: SCALE * deg(u) * deg(v) on each side. */
enum { SCALE = 1 << 20 };

typedef struct measures {
    int64_t stay_u, each_u, stay_v, each_v, total;
} measures;

static measures measure(const worker *w, int32_t u, int32_t v)
{
    int64_t du = degree(w->in, u), dv = degree(w->out, v);
    int64_t keep = (int64_t)(w->alpha * SCALE + 0.5), cu = du ? du : 1, cv = dv ? dv : 1;
    return (measures){.stay_u = (du ? keep : SCALE) * cu * cv,
                      .each_u = (SCALE - keep) * cv,
                      .stay_v = (dv ? keep : SCALE) * cu * cv,
                      .each_v = (SCALE - keep) * cu,
                      .total = SCALE * cu * cv};
}

/* Bits of chosen columns, packed: bit j of the result is bit columns[j] of the row. */
static void pack_bits(uint64_t *out, const uint64_t *row, const int32_t *columns, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        if (row[columns[j] / 64] >> (columns[j] % 64) & 1) set_bit(out, j);
}

/* Memory of one problem. */
typedef struct problem {
    int64_t m, n;
    int32_t *sources, *columns; /* nodes with supply left, local targets with demand left */
    int64_t *supply, *demand;
} problem;

/* Mass that both sides have in the same place stays there: an optimal plan never needs to move it. */
static void cancel_common(const worker *w, int32_t u, const measures *mass, problem *p)
{
    int64_t sources = degree(w->in, u) + 1, n = 0;
    for (int64_t j = 0; j < w->target_count; j++) p->demand[j] = j ? mass->each_v : mass->stay_v;
    for (int64_t i = 0; i < sources; i++) {
        int32_t node = i ? w->in->ids[w->in->offsets[u] + i - 1] : u;
        int64_t supply = i ? mass->each_u : mass->stay_u;
        if (w->target[node]) {
            int64_t *demand = &p->demand[w->target[node] - 1], common = supply < *demand ? supply : *demand;
            supply -= common;
            *demand -= common;
        }
        if (!supply) continue;
        p->sources[p->m] = node;
        p->supply[p->m++] = supply;
    }
    for (int64_t j = 0; j < w->target_count; j++) {
        if (!p->demand[j]) continue;
        p->columns[n] = (int32_t)j;
        p->demand[n++] = p->demand[j];
    }
    p->n = n;
}

static int64_t solve(worker *w, const problem *p)
{
    int64_t words = (p->n + 63) / 64;
    uint64_t *bits = heap_alloc(2 * p->m * words, sizeof *bits);
    const uint64_t **rows = heap_alloc(2 * p->m, sizeof *rows);
    for (int64_t i = 0; i < p->m; i++) {
        uint64_t *one = bits + i * words, *two = bits + (p->m + i) * words;
        reach_targets(w, p->sources[i]);
        pack_bits(one, bit_rows_find(&w->one, p->sources[i]), p->columns, p->n);
        pack_bits(two, bit_rows_find(&w->two, p->sources[i]), p->columns, p->n);
        for (int64_t b = 0; b < words; b++) two[b] &= ~one[b];
        rows[i] = one;
        rows[p->m + i] = two;
    }
    int64_t cost = hop_transport_solve(&(hop_transport){p->m, p->n, words, p->supply, p->demand, rows, rows + p->m});
    free(rows);
    free(bits);
    return cost;
}

static float edge_curvature(worker *w, int32_t u, int32_t v)
{
    int64_t sources = degree(w->in, u) + 1, targets = w->target_count;
    measures mass = measure(w, u, v);
    int32_t *ids = heap_alloc(sources + targets, sizeof *ids);
    int64_t *amounts = heap_alloc(sources + targets, sizeof *amounts);
    problem p = {0, 0, ids, ids + sources, amounts, amounts + sources};
    cancel_common(w, u, &mass, &p);
    int64_t cost = p.m ? solve(w, &p) : 0;
    free(amounts);
    free(ids);
    return (float)(1 - (double)cost / (double)mass.total);
}

static worker *workers_create(int count, const cru_csr *in, const cru_csr *out, double alpha)
{
    worker *all = heap_alloc(count, sizeof *all);
    for (int t = 0; t < count; t++) {
        worker *w = &all[t];
        *w = (worker){.in = in, .out = out, .alpha = alpha};
        bit_rows *rows[] = {&w->one, &w->two};
        for (int r = 0; r < 2; r++) {
            rows[r]->stamp = heap_alloc(in->rows, sizeof *rows[r]->stamp);
            rows[r]->slot = heap_alloc(in->rows, sizeof *rows[r]->slot);
        }
        w->target = heap_alloc(in->rows, sizeof *w->target);
        w->targets = heap_alloc(in->rows, sizeof *w->targets);
    }
    return all;
}

static void workers_destroy(worker *all, int count)
{
    for (int t = 0; t < count; t++) {
        bit_rows *rows[] = {&all[t].one, &all[t].two};
        for (int r = 0; r < 2; r++) {
            free(rows[r]->stamp);
            free(rows[r]->slot);
            free(rows[r]->bits);
        }
        free(all[t].target);
        free(all[t].targets);
    }
    free(all);
}

/* Curvature of every entry of the loop-free pattern `in`. On a symmetric one the edge is solved once: `mirror` gives
 * the entry of the reverse edge, or is NULL. */
static void ricci(const cru_csr *in, const cru_csr *out, double alpha, const int64_t *mirror, float *curvature)
{
    int threads = omp_get_max_threads();
    worker *all = workers_create(threads, in, out, alpha);
#pragma omp parallel for schedule(dynamic, 4) num_threads(threads)
    for (int64_t v = 0; v < in->rows; v++) {
        worker *w = &all[omp_get_thread_num()];
        if (degree(in, v)) set_targets(w, (int32_t)v);
        for (int64_t e = in->offsets[v]; e < in->offsets[v + 1]; e++) {
            int32_t u = in->ids[e];
            if (mirror && u > v) break;
            curvature[e] = edge_curvature(w, u, (int32_t)v);
            if (mirror) curvature[mirror[e]] = curvature[e];
        }
    }
    workers_destroy(all, threads);
}

void cru_graph_ricci(const cru_csr *g, double alpha, float *curvature)
{
    cru_assert(alpha >= 0 && alpha <= 1, "curvature: alpha = %g", alpha);
    cru_arena *scratch = heap_arena();
    cru_pool pool = cru_arena_pool(scratch);
    cru_csr pattern = cru_csr_pattern(g), in = cru_graph_loops(pool, &pattern, CRU_LOOPS_REMOVE);
    int64_t nnz = cru_csr_nnz(&in);
    int64_t *mirror = cru_pool_alloc(pool, nnz, sizeof *mirror);
    float *values = cru_pool_alloc(pool, nnz, sizeof *values);
    cru_csr out = cru_csr_transpose(pool, &in, mirror);
    bool symmetric = memcmp(in.offsets, out.offsets, (size_t)(in.rows + 1) * sizeof *in.offsets) == 0 &&
                     memcmp(in.ids, out.ids, (size_t)nnz * sizeof *in.ids) == 0;
    ricci(&in, &out, alpha, symmetric ? mirror : NULL, values);
    for (int64_t v = 0, at = 0; v < g->rows; v++)
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) curvature[e] = g->ids[e] == v ? 0 : values[at++];
    cru_arena_destroy(scratch);
}
