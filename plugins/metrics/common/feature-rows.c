// SPDX-License-Identifier: Apache-2.0
#include "feature-rows.h"

#include <math.h>
#include <string.h>

#include <crucible/csr.h>

/* ---- rows ------------------------------------------------------------------------------------------------ */

void feature_rows_dense(const feature_rows *rows, double *out)
{
    const size_t size = (size_t)(rows->count * rows->cols) * sizeof *out;
    if (!rows->offsets) {
        memcpy(out, rows->values, size);
        return;
    }
    memset(out, 0, size);
    for (int64_t i = 0; i < rows->count; i++)
        for (int64_t e = rows->offsets[i]; e < rows->offsets[i + 1]; e++)
            out[i * rows->cols + rows->ids[e]] = rows->values[e];
}

static double dense_dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* Row k against a row that is spread out over all columns. */
static double spread_dot(const feature_rows *rows, int64_t k, const double *spread)
{
    double sum = 0;
    for (int64_t e = rows->offsets[k]; e < rows->offsets[k + 1]; e++) sum += rows->values[e] * spread[rows->ids[e]];
    return sum;
}

void feature_rows_products(const feature_rows *rows, cru_arena *arena, double *products)
{
    const cru_mark mark = cru_arena_mark(arena);
    const int64_t n = rows->count;
    double *spread = cru_arena_alloc_zeroed(arena, rows->cols, sizeof *spread);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t e = rows->offsets ? rows->offsets[i] : 0; rows->offsets && e < rows->offsets[i + 1]; e++)
            spread[rows->ids[e]] = rows->values[e];
        for (int64_t k = 0; k <= i; k++) {
            products[i * n + k] = products[k * n + i] =
                rows->offsets ? spread_dot(rows, k, spread)
                              : dense_dot(rows->values + i * rows->cols, rows->values + k * rows->cols, rows->cols);
        }
        for (int64_t e = rows->offsets ? rows->offsets[i] : 0; rows->offsets && e < rows->offsets[i + 1]; e++)
            spread[rows->ids[e]] = 0;
    }
    cru_arena_reset(arena, mark);
}

/* ---- source ---------------------------------------------------------------------------------------------- */

static double sparse_value(const cru_csr *x, int64_t e)
{
    return x->values ? (double)x->values[e] : 1;
}

static double row_sum(const cru_features *x, int64_t v)
{
    double sum = 0;
    for (int64_t k = 0; x->dense && k < x->cols; k++) sum += (double)x->dense[v * x->cols + k];
    for (int64_t e = x->dense ? 0 : x->sparse.offsets[v]; !x->dense && e < x->sparse.offsets[v + 1]; e++)
        sum += sparse_value(&x->sparse, e);
    return sum;
}

feature_source feature_source_create(const cru_data *data, feature_aggregator aggregator, feature_norm norm,
                                     cru_arena *arena)
{
    const cru_pool pool = cru_arena_pool(arena);
    feature_source s = {.x = &data->x,
                        .out = cru_csr_transpose(pool, &data->graph, NULL),
                        .scale = cru_arena_alloc(arena, data->nodes, sizeof *s.scale),
                        .degrees = cru_arena_alloc(arena, data->nodes, sizeof *s.degrees),
                        .aggregator = aggregator};
    for (int64_t v = 0; v < data->nodes; v++) {
        const double sum = norm == NORM_ROW_SUM ? row_sum(s.x, v) : 1;
        s.scale[v] = sum != 0 ? 1 / sum : 0;
        s.degrees[v] = aggregator != AGGREGATE_NONE;
        for (int64_t e = s.out.offsets[v]; e < s.out.offsets[v + 1]; e++) s.degrees[v] += s.out.ids[e] != v;
    }
    return s;
}

/* The entry (v, u) of the aggregating matrix. */
static double weight_of(const feature_source *s, int64_t v, int64_t u)
{
    if (s->aggregator == AGGREGATE_SYM) return 1 / sqrt(s->degrees[v] * s->degrees[u]);
    return s->aggregator == AGGREGATE_RW ? 1 / s->degrees[v] : 1;
}

/* ---- collecting rows ------------------------------------------------------------------------------------- */

typedef struct collector {
    const feature_source *source;
    double *row;    /* cols: the row being made */
    int32_t *ids;   /* sparse: its columns, in the order in which they came */
    uint8_t *seen;  /* sparse: cols */
    int64_t stored; /* sparse: how many there are */
} collector;

static void add_row(collector *c, int64_t u, double weight)
{
    const cru_features *x = c->source->x;
    const double factor = weight * c->source->scale[u];
    if (x->dense) {
        for (int64_t k = 0; k < x->cols; k++) c->row[k] += factor * (double)x->dense[u * x->cols + k];
        return;
    }
    for (int64_t e = x->sparse.offsets[u]; e < x->sparse.offsets[u + 1]; e++) {
        const int32_t k = x->sparse.ids[e];
        if (!c->seen[k]) c->ids[c->stored++] = k;
        c->seen[k] = 1;
        c->row[k] += factor * sparse_value(&x->sparse, e);
    }
}

static void add_node(collector *c, int64_t v, bool aggregated)
{
    const feature_source *s = c->source;
    if (!aggregated) {
        add_row(c, v, 1);
        return;
    }
    if (s->aggregator != AGGREGATE_NONE) add_row(c, v, weight_of(s, v, v));
    for (int64_t e = s->out.offsets[v]; e < s->out.offsets[v + 1]; e++)
        if (s->out.ids[e] != v) add_row(c, s->out.ids[e], weight_of(s, v, s->out.ids[e]));
}

/* At least as many as the node's row will hold. */
static int64_t room_for(const feature_source *s, int64_t v, bool aggregated)
{
    const int64_t *offsets = s->x->sparse.offsets;
    int64_t room = offsets[v + 1] - offsets[v];
    for (int64_t e = s->out.offsets[v]; aggregated && e < s->out.offsets[v + 1]; e++)
        room += offsets[s->out.ids[e] + 1] - offsets[s->out.ids[e]];
    return room < s->x->cols ? room : s->x->cols;
}

static feature_rows take_dense(const feature_source *source, cru_ids nodes, bool aggregated, cru_arena *arena)
{
    const int64_t cols = source->x->cols;
    double *values = cru_arena_alloc_zeroed(arena, nodes.count * cols, sizeof *values);
    for (int64_t i = 0; i < nodes.count; i++)
        add_node(&(collector){.source = source, .row = values + i * cols}, nodes.ids[i], aggregated);
    return (feature_rows){.count = nodes.count, .cols = cols, .values = values};
}

feature_rows feature_rows_take(const feature_source *source, cru_ids nodes, bool aggregated, cru_arena *arena)
{
    const int64_t cols = source->x->cols;
    int64_t room = 0;
    if (source->x->dense) return take_dense(source, nodes, aggregated, arena);
    for (int64_t i = 0; i < nodes.count; i++) room += room_for(source, nodes.ids[i], aggregated);
    int64_t *offsets = cru_arena_alloc_zeroed(arena, nodes.count + 1, sizeof *offsets);
    int32_t *ids = cru_arena_alloc(arena, room, sizeof *ids);
    double *values = cru_arena_alloc(arena, room, sizeof *values);
    collector c = {.source = source,
                   .row = cru_arena_alloc_zeroed(arena, cols, sizeof *c.row),
                   .seen = cru_arena_alloc_zeroed(arena, cols, 1)};
    for (int64_t i = 0; i < nodes.count; i++) {
        c.ids = ids + offsets[i];
        c.stored = 0;
        add_node(&c, nodes.ids[i], aggregated);
        for (int64_t k = 0; k < c.stored; k++) {
            values[offsets[i] + k] = c.row[c.ids[k]];
            c.row[c.ids[k]] = c.seen[c.ids[k]] = 0;
        }
        offsets[i + 1] = offsets[i] + c.stored;
    }
    return (feature_rows){.count = nodes.count, .cols = cols, .offsets = offsets, .ids = ids, .values = values};
}
