// SPDX-License-Identifier: Apache-2.0
/* Weisfeiler-Lehman colours and shortest-path histograms. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/graph-kernels.h>
#include <crucible/draft/graph.h>
#include <crucible/linalg.h>

#include "memory/heap.h"
#include "sparse/draft.h"
#include "sparse/sort.h"

/* ---- colours --------------------------------------------------------------------------------------------- */

/* The signature of v: its colour, then its neighbours' colours ascending. Signatures lie one after the other: that of v
 * starts at offsets[v] + v. */
typedef struct signatures {
    const cru_csr *g;
    int32_t *words;
} signatures;

static const int32_t *signature(const signatures *s, int64_t v, int64_t *length)
{
    *length = s->g->offsets[v + 1] - s->g->offsets[v] + 1;
    return s->words + s->g->offsets[v] + v;
}

static uint64_t hash_words(const int32_t *words, int64_t n)
{
    uint64_t hash = 1469598103934665603u;
    for (int64_t i = 0; i < n; i++) {
        hash = (hash ^ (uint32_t)words[i]) * 1099511628211u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Writes all signatures; `keys` has room for twice the longest row. */
static void write_signatures(const signatures *s, const int32_t *colour, uint64_t *keys, int64_t longest)
{
    for (int64_t v = 0; v < s->g->rows; v++) {
        int32_t *out = s->words + s->g->offsets[v] + v;
        int64_t n = 0;
        for (int64_t e = s->g->offsets[v]; e < s->g->offsets[v + 1]; e++) keys[n++] = (uint64_t)colour[s->g->ids[e]];
        sort_u64(keys, n, keys + longest);
        *out++ = colour[v];
        for (int64_t i = 0; i < n; i++) *out++ = (int32_t)keys[i];
    }
}

/* A hash table of nodes with distinct signatures; entries are node + 1. */
typedef struct colour_table {
    int32_t *nodes;
    uint64_t mask;
} colour_table;

static bool same_signature(const signatures *s, int64_t a, int64_t b)
{
    int64_t na, nb;
    const int32_t *wa = signature(s, a, &na), *wb = signature(s, b, &nb);
    return na == nb && memcmp(wa, wb, (size_t)na * sizeof *wa) == 0;
}

/* Numbers nodes by signature in order of first appearance. */
static int32_t number_signatures(const signatures *s, colour_table *table, int32_t *colour)
{
    int32_t count = 0;
    memset(table->nodes, 0, (size_t)(table->mask + 1) * sizeof *table->nodes);
    for (int64_t v = 0; v < s->g->rows; v++) {
        int64_t length;
        const int32_t *words = signature(s, v, &length);
        uint64_t slot = hash_words(words, length) & table->mask;
        while (table->nodes[slot] && !same_signature(s, table->nodes[slot] - 1, v)) slot = (slot + 1) & table->mask;
        if (!table->nodes[slot]) {
            table->nodes[slot] = (int32_t)v + 1;
            colour[v] = count++;
        } else {
            colour[v] = colour[table->nodes[slot] - 1];
        }
    }
    return count;
}

int32_t cru_wl_refine(const cru_csr *g, int32_t rounds, int32_t *colour)
{
    int64_t n = g->rows, longest = 0;
    for (int64_t v = 0; v < n; v++)
        if (g->offsets[v + 1] - g->offsets[v] > longest) longest = g->offsets[v + 1] - g->offsets[v];
    uint64_t room = 16;
    while (room < 2 * (uint64_t)n) room *= 2;
    colour_table table = {heap_alloc((int64_t)room, sizeof *table.nodes), room - 1};
    uint64_t *keys = heap_alloc(2 * longest, sizeof *keys);
    int64_t *no_edges = heap_alloc(n + 1, sizeof *no_edges);
    cru_csr alone = {.rows = n, .cols = n, .offsets = no_edges};
    signatures s = {&alone, heap_alloc(cru_csr_nnz(g) + n, sizeof *s.words)};
    if (n) memcpy(s.words, colour, (size_t)n * sizeof *colour);
    int32_t count = number_signatures(&s, &table, colour); /* the given colours, renumbered */
    s.g = g;
    for (int32_t round = 0; round < rounds; round++) {
        write_signatures(&s, colour, keys, longest);
        count = number_signatures(&s, &table, colour);
    }
    free(s.words);
    free(no_edges);
    free(keys);
    free(table.nodes);
    return count;
}

cru_csr cru_colour_histograms(cru_pool pool, const int32_t *colour, int32_t colours, const int64_t *offsets,
                              int64_t count)
{
    int64_t nodes = offsets[count];
    int32_t *graph = heap_alloc(nodes, sizeof *graph);
    float *one = heap_alloc(nodes, sizeof *one);
    for (int64_t g = 0; g < count; g++) {
        for (int64_t v = offsets[g]; v < offsets[g + 1]; v++) {
            graph[v] = (int32_t)g;
            one[v] = 1;
        }
    }
    cru_csr result = cru_csr_from_coo(pool, &(cru_coo){count, colours, nodes, graph, colour, one}, CRU_DUP_SUM);
    free(one);
    free(graph);
    return result;
}

/* ---- shortest paths -------------------------------------------------------------------------------------- */

/* A growing list of (key, graph) for every ordered pair. */
typedef struct pair_list {
    uint64_t *keys;
    int64_t count, room;
} pair_list;

static void pair_list_add(pair_list *list, uint64_t key)
{
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->keys = heap_grow(list->keys, list->room, sizeof *list->keys);
    }
    list->keys[list->count++] = key;
}

enum { LABEL_BITS = 20 };

/* distance, first label, second label in one word; labels are already small numbers. */
static uint64_t pair_key(int32_t distance, int32_t first, int32_t second)
{
    return (uint64_t)distance << (2 * LABEL_BITS) | (uint64_t)first << LABEL_BITS | (uint64_t)second;
}

/* Distinct keys of one graph with their counts. */
typedef struct histogram {
    uint64_t *keys;
    float *counts;
    int64_t size;
} histogram;

/* One graph of the batch: its nodes are first .. last-1; hops and queue have room for them. */
typedef struct block_search {
    const cru_csr *g;
    int64_t first, last;
    int32_t *hops, *queue;
} block_search;

/* hops[v - first] = distance of v from the source, -1 where it is unreachable. */
static void search_block(const block_search *s, int32_t source)
{
    int64_t first = s->first;
    int32_t *hops = s->hops;
    memset(s->hops, 0xff, (size_t)(s->last - s->first) * sizeof *hops);
    int64_t count = 1;
    s->queue[0] = source;
    hops[source - first] = 0;
    for (int64_t head = 0; head < count; head++) {
        int32_t v = s->queue[head];
        for (int64_t e = s->g->offsets[v]; e < s->g->offsets[v + 1]; e++) {
            int32_t u = s->g->ids[e];
            if (hops[u - first] >= 0) continue;
            hops[u - first] = hops[v - first] + 1;
            s->queue[count++] = u;
        }
    }
}

static histogram count_keys(pair_list *list)
{
    uint64_t *spare = heap_alloc(list->count, sizeof *spare);
    sort_u64(list->keys, list->count, spare);
    free(spare);
    histogram h = {list->keys, heap_alloc(list->count, sizeof *h.counts), 0};
    for (int64_t i = 0; i < list->count; i++) {
        if (!h.size || h.keys[h.size - 1] != list->keys[i]) h.keys[h.size++] = list->keys[i];
        h.counts[h.size - 1]++;
    }
    return h;
}

static histogram graph_histogram(const cru_csr *g, int64_t first, int64_t last, const int32_t *labels)
{
    int32_t *hops = heap_alloc(2 * (last - first), sizeof *hops), *queue = hops + (last - first);
    block_search search = {g, first, last, hops, queue};
    pair_list list = {0};
    for (int64_t s = first; s < last; s++) {
        search_block(&search, (int32_t)s);
        for (int64_t v = first; v < last; v++) {
            if (hops[v - first] <= 0) continue;
            pair_list_add(&list, pair_key(hops[v - first], labels ? labels[s] : 0, labels ? labels[v] : 0));
        }
    }
    free(hops);
    return count_keys(&list);
}

static int64_t number_of(const uint64_t *keys, int64_t n, uint64_t key)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (keys[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* All distinct keys, ascending; the column of a key is its place in this list. */
static histogram all_keys(const histogram *parts, int64_t count)
{
    pair_list list = {0};
    for (int64_t g = 0; g < count; g++)
        for (int64_t k = 0; k < parts[g].size; k++) pair_list_add(&list, parts[g].keys[k]);
    return count_keys(&list);
}

static cru_csr assemble(cru_pool pool, const histogram *parts, int64_t count)
{
    histogram all = all_keys(parts, count);
    draft d = draft_begin(pool, count, all.size);
    for (int64_t g = 0; g < count; g++) d.offsets[g + 1] = parts[g].size;
    draft_entries(&d, true);
#pragma omp parallel for schedule(static)
    for (int64_t g = 0; g < count; g++) {
        for (int64_t k = 0; k < parts[g].size; k++) {
            d.ids[d.offsets[g] + k] = (int32_t)number_of(all.keys, all.size, parts[g].keys[k]);
            d.values[d.offsets[g] + k] = parts[g].counts[k];
        }
    }
    free(all.keys);
    free(all.counts);
    return draft_done(&d);
}

cru_csr cru_path_histograms(cru_pool pool, cru_blocks blocks, int64_t count, const int32_t *labels)
{
    for (int64_t v = 0; labels && v < blocks.graph->rows; v++)
        cru_assert(labels[v] >= 0 && labels[v] < 1 << LABEL_BITS, "path histograms: label %d", labels[v]);
    histogram *parts = heap_alloc(count, sizeof *parts);
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t g = 0; g < count; g++)
        parts[g] = graph_histogram(blocks.graph, blocks.offsets[g], blocks.offsets[g + 1], labels);
    cru_csr result = assemble(pool, parts, count);
    for (int64_t g = 0; g < count; g++) {
        free(parts[g].keys);
        free(parts[g].counts);
    }
    free(parts);
    return result;
}

/* What products of all rows with one need: the rows of each column, and the length of every row. */
typedef struct products {
    const cru_csr *h;
    cru_csr columns;
    double *length; /* 1 when not normalised */
} products;

static products products_open(cru_arena *arena, const cru_csr *h, bool normalised)
{
    const cru_pool pool = cru_arena_pool(arena);
    products p = {.h = h, .columns = cru_csr_transpose(pool, h, NULL)};
    p.length = cru_pool_alloc(pool, h->rows, sizeof *p.length);
    for (int64_t i = 0; i < h->rows; i++) {
        double square = 0;
        for (int64_t e = h->offsets[i]; e < h->offsets[i + 1]; e++)
            square += (double)csr_value(h, e) * (double)csr_value(h, e);
        p.length[i] = normalised ? sqrt(square) : 1;
    }
    return p;
}

/* sum[j] = < row i, row j > for all j: column by column, so that only what both have is looked at. The terms of a sum
 * come in the order of columns. */
static void products_of(const products *p, int64_t i, double *sum)
{
    for (int64_t j = 0; j < p->h->rows; j++) sum[j] = 0;
    for (int64_t e = p->h->offsets[i]; e < p->h->offsets[i + 1]; e++) {
        const double value = (double)csr_value(p->h, e);
        const int64_t column = p->h->ids[e];
        for (int64_t c = p->columns.offsets[column]; c < p->columns.offsets[column + 1]; c++)
            sum[p->columns.ids[c]] += value * (double)csr_value(&p->columns, c);
    }
}

static float product_value(const products *p, int64_t i, int64_t j, double sum)
{
    const double scale = p->length[i] * p->length[j];
    return scale > 0 ? (float)(sum / scale) : 0;
}

void cru_histogram_kernel(const cru_csr *h, bool normalised, float *kernel)
{
    const int64_t n = h->rows;
    cru_arena *arena = cru_arena_create();
    const products p = products_open(arena, h, normalised);
#pragma omp parallel
    {
        double *sum = heap_alloc(n, sizeof *sum);
#pragma omp for schedule(dynamic, 8)
        for (int64_t i = 0; i < n; i++) {
            products_of(&p, i, sum);
            for (int64_t j = 0; j < n; j++) kernel[i * n + j] = product_value(&p, i, j, sum[j]);
        }
        free(sum);
    }
    cru_arena_destroy(arena);
}

/* The k largest of n values, the largest first, the lower place among equals. */
static void largest_places(const float *value, int64_t n, int64_t k, int32_t *out)
{
    int64_t held = 0;
    for (int64_t j = 0; j < n; j++) {
        if (held == k && !(value[j] > value[out[k - 1]])) continue;
        int64_t at = held < k ? held++ : k - 1;
        for (; at > 0 && value[j] > value[out[at - 1]]; at--) out[at] = out[at - 1];
        out[at] = (int32_t)j;
    }
}

void cru_histogram_nearest(const cru_csr *h, int64_t k, int32_t *nearest)
{
    const int64_t n = h->rows;
    cru_assert(k >= 0 && k <= n, "histogram nearest: %lld of %lld graphs", (long long)k, (long long)n);
    if (!k) return;
    cru_arena *arena = cru_arena_create();
    const products p = products_open(arena, h, true);
#pragma omp parallel
    {
        double *sum = heap_alloc(n, sizeof *sum);
        float *value = heap_alloc(n, sizeof *value);
#pragma omp for schedule(dynamic, 8)
        for (int64_t i = 0; i < n; i++) {
            products_of(&p, i, sum);
            for (int64_t j = 0; j < n; j++) value[j] = product_value(&p, i, j, sum[j]);
            largest_places(value, n, k, nearest + i * k);
        }
        free(sum);
        free(value);
    }
    cru_arena_destroy(arena);
}

int32_t *cru_one_hot_labels(cru_pool pool, const cru_features *x)
{
    int32_t *label = cru_pool_alloc(pool, x->rows, sizeof *label);
    for (int64_t v = 0; v < x->rows; v++) {
        const int64_t from = x->dense ? v * x->cols : x->sparse.offsets[v];
        const int64_t to = x->dense ? from + x->cols : x->sparse.offsets[v + 1];
        float best = 0;
        label[v] = 0;
        for (int64_t e = from; e < to; e++) {
            const float value = x->dense ? x->dense[e] : x->sparse.values ? x->sparse.values[e] : 1;
            if (value <= best) continue;
            best = value;
            label[v] = x->dense ? (int32_t)(e - from) : x->sparse.ids[e];
        }
    }
    return label;
}
