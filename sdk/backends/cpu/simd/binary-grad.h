// SPDX-License-Identifier: Apache-2.0
/* Gradients of the broadcast elementwise functions. The matrix is cut into tiles, pieces of a row of at most TILE
 * elements; the gradient of a tile is computed as if nothing were broadcast and then stored or summed. */
#ifndef CRUCIBLE_CPU_SIMD_BINARY_GRAD_H
#define CRUCIBLE_CPU_SIMD_BINARY_GRAD_H

#include "../cpu.h"
#include "binary.h"
#include "sums.h"

enum { TILE = 512 };

/* dy times the derivative to one side. */
typedef float pair_slope(float a, float b, float dy);

INLINE float db_sub(float a, float b, float dy)
{
    (void)a, (void)b;
    return -dy;
}
INLINE float da_mul(float a, float b, float dy)
{
    (void)a;
    return dy * b;
}
INLINE float db_mul(float a, float b, float dy)
{
    (void)b;
    return dy * a;
}
INLINE float da_div(float a, float b, float dy)
{
    (void)a;
    return dy / b;
}
INLINE float db_div(float a, float b, float dy)
{
    return -dy * a / (b * b);
}
INLINE float da_max(float a, float b, float dy)
{
    return a >= b ? dy : 0;
}
INLINE float db_max(float a, float b, float dy)
{
    return a >= b ? 0 : dy;
}
INLINE float da_min(float a, float b, float dy)
{
    return a <= b ? dy : 0;
}
INLINE float db_min(float a, float b, float dy)
{
    return a <= b ? 0 : dy;
}

typedef struct binary_grad_task {
    cru_binary op;
    cru_binary_grad_args g;
    int64_t tiles; /* per row */
} binary_grad_task;

typedef struct tile {
    int64_t row, first, count; /* elements first .. first + count of the row */
} tile;

INLINE void slope_map(const cru_binary_grad_args *g, tile t, float *out, pair_slope *f)
{
    const int64_t ca = g->a.col, cb = g->b.col;
    const float *a = g->a.x + t.row * g->a.row + t.first * ca, *b = g->b.x + t.row * g->b.row + t.first * cb;
    const float *dy = g->dy + t.row * g->cols + t.first;
    if (ca == 1 && cb == 1) {
#pragma omp simd
        for (int64_t j = 0; j < t.count; j++) out[j] = f(a[j], b[j], dy[j]);
    } else if (ca == 0 && cb == 1) {
        const float value = a[0];
#pragma omp simd
        for (int64_t j = 0; j < t.count; j++) out[j] = f(value, b[j], dy[j]);
    } else if (ca == 1 && cb == 0) {
        const float value = b[0];
#pragma omp simd
        for (int64_t j = 0; j < t.count; j++) out[j] = f(a[j], value, dy[j]);
    } else {
        for (int64_t j = 0; j < t.count; j++) out[j] = f(a[j * ca], b[j * cb], dy[j]);
    }
}

/* The gradient of a tile: dy itself where the derivative is 1, else computed into `buffer`. */
static const float *slope_of_tile(cru_binary op, const cru_binary_grad_args *g, tile t, float *buffer)
{
    const float *dy = g->dy + t.row * g->cols + t.first;
    switch (op) {
    case CRU_BINARY_SUB:
        if (!g->to_b) return dy;
        slope_map(g, t, buffer, db_sub);
        return buffer;
    case CRU_BINARY_MUL:
        if (g->to_b)
            slope_map(g, t, buffer, db_mul);
        else
            slope_map(g, t, buffer, da_mul);
        return buffer;
    case CRU_BINARY_DIV:
        if (g->to_b)
            slope_map(g, t, buffer, db_div);
        else
            slope_map(g, t, buffer, da_div);
        return buffer;
    case CRU_BINARY_MAX:
        if (g->to_b)
            slope_map(g, t, buffer, db_max);
        else
            slope_map(g, t, buffer, da_max);
        return buffer;
    case CRU_BINARY_MIN:
        if (g->to_b)
            slope_map(g, t, buffer, db_min);
        else
            slope_map(g, t, buffer, da_min);
        return buffer;
    default:
        return dy;
    }
}

INLINE tile tile_at(const binary_grad_task *t, int64_t index)
{
    int64_t row = index / t->tiles, first = (index - row * t->tiles) * TILE;
    return (tile){row, first, t->g.cols - first < TILE ? t->g.cols - first : TILE};
}

INLINE cru_operand own_operand(const cru_binary_grad_args *g)
{
    return g->to_b ? g->b : g->a;
}

/* No axis repeated: one gradient per element. */
static void grad_elements(const void *task, int64_t begin, int64_t end)
{
    const binary_grad_task *t = task;
    const cru_operand own = own_operand(&t->g);
    float buffer[TILE];
    for (int64_t i = begin; i < end; i++) {
        tile at = tile_at(t, i);
        const float *slope = slope_of_tile(t->op, &t->g, at, buffer);
        float *dx = t->g.dx + at.row * own.row + at.first * own.col;
        if (own.col == 1 && t->g.accumulate)
            for (int64_t j = 0; j < at.count; j++) dx[j] += slope[j];
        else if (own.col == 1)
            for (int64_t j = 0; j < at.count; j++) dx[j] = slope[j];
        else
            for (int64_t j = 0; j < at.count; j++) cpu_store(dx + j * own.col, slope[j], t->g.accumulate);
    }
}

/* Columns repeated: one sum per row. */
static void grad_rows(const void *task, int64_t begin, int64_t end)
{
    const binary_grad_task *t = task;
    float buffer[TILE];
    for (int64_t row = begin; row < end; row++) {
        double sum = 0;
        for (int64_t i = row * t->tiles; i < (row + 1) * t->tiles; i++) {
            tile at = tile_at(t, i);
            sum += row_total(slope_of_tile(t->op, &t->g, at, buffer), at.count);
        }
        cpu_store(t->g.dx + row * own_operand(&t->g).row, (float)sum, t->g.accumulate);
    }
}

/* Rows repeated: one sum per column. */
static void sum_columns(const void *task, int64_t begin, int64_t end, double *sum)
{
    const binary_grad_task *t = task;
    const int64_t cols = t->g.cols;
    if (t->op == CRU_BINARY_ADD || (t->op == CRU_BINARY_SUB && !t->g.to_b)) {
        add_rows(t->g.dy + begin * cols, end - begin, cols, sum);
        return;
    }
    float buffer[TILE];
    for (int64_t i = begin * t->tiles; i < end * t->tiles; i++) {
        tile at = tile_at(t, i);
        const float *slope = slope_of_tile(t->op, &t->g, at, buffer);
        for (int64_t j = 0; j < at.count; j++) sum[at.first + j] += (double)slope[j];
    }
}

static void sum_tiles(const void *task, int64_t begin, int64_t end, double *sum)
{
    const binary_grad_task *t = task;
    float buffer[TILE];
    for (int64_t i = begin; i < end; i++) {
        tile at = tile_at(t, i);
        *sum += row_total(slope_of_tile(t->op, &t->g, at, buffer), at.count);
    }
}

static void grad_columns(cru_device *device, const binary_grad_task *t)
{
    const cru_operand own = own_operand(&t->g);
    double *total = cpu_scratch(device, CPU_SCRATCH_RESULT, sizeof(double) * (size_t)t->g.cols);
    cpu_sum(device, &(cpu_sums){.rows = t->g.rows, .width = t->g.cols, .run = sum_columns, .task = t}, total);
    for (int64_t j = 0; j < t->g.cols; j++) cpu_store(t->g.dx + j * own.col, (float)total[j], t->g.accumulate);
}

/* Matrices of one column are turned, and those without seams joined, into one long row. */
static cru_binary_grad_args flattened(const cru_binary_grad_args *args)
{
    cru_binary_grad_args g = *args;
    if (g.cols == 1) {
        g.rows = 1, g.cols = args->rows;
        g.a = turned(args->a), g.b = turned(args->b);
    } else if (is_seamless(&g.a, g.cols) && is_seamless(&g.b, g.cols)) {
        g.rows = 1, g.cols = args->rows * args->cols;
    }
    return g;
}

/* With nothing to sum over, the gradient of a repeated operand is 0. */
static void clear_operand(const cru_binary_grad_args *g)
{
    const cru_operand own = own_operand(g);
    if (g->accumulate) return;
    for (int64_t i = 0; i < (own.row ? g->rows : 1); i++)
        for (int64_t j = 0; j < (own.col ? g->cols : 1); j++) g->dx[i * own.row + j * own.col] = 0;
}

static void binary_grad(cru_device *device, cru_binary op, const cru_binary_grad_args *args)
{
    if (args->rows <= 0 || args->cols <= 0) {
        clear_operand(args);
        return;
    }
    binary_grad_task t = {.op = op, .g = flattened(args)};
    t.tiles = (t.g.cols + TILE - 1) / TILE;
    const cru_operand own = own_operand(&t.g);
    const bool sum_rows = own.row == 0 && t.g.rows > 1, sum_cols = own.col == 0 && t.g.cols > 1;
    if (sum_cols && (sum_rows || t.g.rows == 1)) {
        double total;
        const int64_t cost = t.g.cols < TILE ? t.g.cols : TILE;
        cpu_sum(device, &(cpu_sums){t.g.rows * t.tiles, 1, sum_tiles, &t, cost}, &total);
        cpu_store(t.g.dx, (float)total, t.g.accumulate);
    } else if (sum_rows) {
        grad_columns(device, &t);
    } else if (sum_cols) {
        cpu_for(device, &(cpu_loop){t.g.rows, cpu_grain(CPU_GRAIN_CHEAP, t.g.cols), grad_rows, &t});
    } else {
        int64_t grain = cpu_grain(CPU_GRAIN_CHEAP, t.g.cols < TILE ? t.g.cols : TILE);
        cpu_for(device, &(cpu_loop){t.g.rows * t.tiles, grain, grad_elements, &t});
    }
}

#endif
