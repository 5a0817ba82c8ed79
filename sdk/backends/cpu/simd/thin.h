// SPDX-License-Identifier: Apache-2.0
/* Products of a tall matrix and a small one, and of the transpose of a tall one with another tall one: the forward and
 * the backward pass of a layer over all nodes of a graph. Both read the tall matrices once, where they lie, with the
 * small one in the first caches, and ask for the rows to come while they multiply: the processor computes while memory
 * delivers. General products, which pack every operand first, leave a third of the speed here.
 *
 * A block of rows x vectors sums stays in registers; every step loads `vectors` vectors of one operand and multiplies
 * them by `rows` numbers of the other. The sum of an element runs over k in order, in one chain (tall) or in chains of
 * lengths that depend on the shape only (deep): threads share blocks, never a sum. */
#ifndef CRUCIBLE_CPU_SIMD_THIN_H
#define CRUCIBLE_CPU_SIMD_THIN_H

#include "../cpu.h"
#include "finish.h"
#include "vector.h"

/* Vectors of a panel, and how many floats the small matrix may have, padded to whole vectors. */
enum { PANEL_VECTORS = LANES == 16 ? 4 : 2, PANEL = PANEL_VECTORS * LANES, THIN_FLOATS = 1 << 14, LINE = 16 };
enum { MOST_ROWS = 12 };

/* Rows of a block: as many sums as there are registers, less those for the operands. */
INLINE int block_rows(int vectors)
{
#if LANES == 16
    return vectors == 4 ? 6 : vectors == 3 ? 8 : 12;
#else
    return vectors == 2 ? 6 : 8;
#endif
}

INLINE int64_t whole_vectors(int64_t n)
{
    return (n + LANES - 1) / LANES * LANES;
}

/* Some columns: at most PANEL. The last vector may be a part of one. */
typedef struct panel {
    int64_t first;
    int vectors;
    bool tail;
    first_lanes mask;
} panel;

INLINE panel panel_at(int64_t first, int64_t n)
{
    const int64_t left = n - first < PANEL ? n - first : PANEL, rest = left % LANES;
    return (panel){first, (int)(whole_vectors(left) / LANES), rest > 0, first_mask(rest)};
}

/* ---- tall: c = alpha a op(b) + beta c, few columns ---------------------------------------------------------- */

typedef struct tall_task {
    const cru_gemm_args *g;
    const float *packed;              /* alpha op(b): panel after panel, k x (vectors * LANES) each */
    const cru_finish_grad_args *back; /* NULL: c stays the product */
} tall_task;

INLINE void tall_block(const tall_task *t, int64_t row, const panel *at, int rows, int vectors)
{
    const cru_gemm_args *g = t->g;
    const float *a = g->a + row * g->lda, *b = t->packed + at->first * g->k;
    vec sum[MOST_ROWS][PANEL_VECTORS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++) sum[r][v] = (vec){0};
    for (int64_t line = 0; line < g->k; line += LINE) {
        const int64_t end = g->k - line < LINE ? g->k : line + LINE;
        for (int r = 0; r < rows; r++) __builtin_prefetch(a + (r + rows) * g->lda + line);
        for (int64_t p = line; p < end; p++, b += vectors * LANES) {
            vec w[PANEL_VECTORS];
            for (int v = 0; v < vectors; v++) w[v] = load(b + v * LANES);
            for (int r = 0; r < rows; r++)
                for (int v = 0; v < vectors; v++) sum[r][v] += a[r * g->lda + p] * w[v];
        }
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++) {
            float *c = g->c + (row + r) * g->ldc + at->first + v * LANES;
            const strip part = {.whole = v + 1 < vectors || !at->tail, .mask = at->mask};
            vec result = sum[r][v];
            if (g->beta != 0) result += g->beta * load_strip(c, part);
            store_strip(c, result, part);
        }
}

INLINE void tall_blocks(const tall_task *t, int64_t begin, int64_t end, const panel *at, int vectors)
{
    enum { SOME = 4 };
    const int rows = block_rows(vectors);
    for (; begin + rows <= end; begin += rows) tall_block(t, begin, at, rows, vectors);
    for (; begin + SOME <= end; begin += SOME) tall_block(t, begin, at, SOME, vectors);
    for (; begin < end; begin++) tall_block(t, begin, at, 1, vectors);
}

static void tall_panel(const tall_task *t, int64_t begin, int64_t end, const panel *at)
{
    switch (at->vectors) {
    case 1:
        tall_blocks(t, begin, end, at, 1);
        return;
    case 2:
        tall_blocks(t, begin, end, at, 2);
        return;
#if LANES == 16
    case 3:
        tall_blocks(t, begin, end, at, 3);
        return;
    case 4:
        tall_blocks(t, begin, end, at, 4);
        return;
#endif
    }
}

/* What the way back from a finish will read of a band. */
INLINE void ask_for_results(const cru_finish_grad_args *back, int64_t begin, int64_t end)
{
    for (int64_t i = begin * back->cols; i < end * back->cols; i += LINE) __builtin_prefetch(back->y + i);
}

/* Rows come in bands that are finished, or led back through a finish, while they are in the first cache. `sum`: of the
 * columns, where that has a bias. */
static void tall_bands(const void *task, int64_t begin, int64_t end, double *sum)
{
    enum { WHOLE_BLOCKS = 24 };
    const tall_task *t = task;
    const cru_gemm_args *g = t->g;
    int64_t band = rows_in_band(g->n) / WHOLE_BLOCKS * WHOLE_BLOCKS;
    if (band < WHOLE_BLOCKS) band = WHOLE_BLOCKS;
    for (int64_t i = begin; i < end; i += band) {
        const int64_t last = end - i < band ? end : i + band;
        if (t->back) ask_for_results(t->back, i, last);
        for (int64_t first = 0; first < g->n; first += PANEL) {
            const panel at = panel_at(first, g->n);
            tall_panel(t, i, last, &at);
        }
        if (g->finish) finish_band(g->finish, g->c + i * g->n, i, last - i, g->n);
        if (t->back) unfinish_rows(t->back, i, last, sum);
    }
}

static void tall_rows(const void *task, int64_t begin, int64_t end)
{
    tall_bands(task, begin, end, NULL);
}

/* k x (vectors * LANES) of op(b), where that lies in rows as it is. */
static void pack_rows(const cru_gemm_args *g, const panel *at, float *to)
{
    const float *b = g->b + at->first;
    for (int64_t p = 0; p < g->k; p++, b += g->ldb)
        for (int v = 0; v < at->vectors; v++, to += LANES) {
            const strip part = {.whole = v + 1 < at->vectors || !at->tail, .mask = at->mask};
            store(to, g->alpha * load_strip(b + v * LANES, part));
        }
}

/* The same of op(b) that lies in columns: some lines of each at a time, so that what is written stays in the cache. */
static void pack_columns(const cru_gemm_args *g, const panel *at, float *to)
{
    enum { SOME = 4 * LINE };
    const int64_t width = at->vectors * LANES, there = g->n - at->first < width ? g->n - at->first : width;
    for (int64_t line = 0; line < g->k; line += SOME) {
        const int64_t end = g->k - line < SOME ? g->k : line + SOME;
        for (int64_t j = 0; j < there; j++) {
            const float *b = g->b + (at->first + j) * g->ldb;
            for (int64_t p = line; p < end; p++) to[p * width + j] = g->alpha * b[p];
        }
        for (int64_t p = line; p < end && there < width; p++)
            memset(to + p * width + there, 0, sizeof *to * (size_t)(width - there));
    }
}

static const float *pack_panels(cru_device *device, const cru_gemm_args *g)
{
    float *packed = cpu_scratch(device, CPU_SCRATCH_GEMM, sizeof *packed * (size_t)(g->k * whole_vectors(g->n)));
    for (int64_t first = 0; first < g->n; first += PANEL) {
        const panel at = panel_at(first, g->n);
        (g->tb ? pack_columns : pack_rows)(g, &at, packed + first * g->k);
    }
    return packed;
}

static void tall_gemm(cru_device *device, const cru_gemm_args *g, const cru_finish_grad_args *back)
{
    enum { GRAIN = 1 << 21, ROUND = 24 };
    const tall_task t = {g, pack_panels(device, g), back};
    if (back && back->dbias) {
        double *total = cpu_scratch(device, CPU_SCRATCH_RESULT, sizeof(double) * (size_t)g->n);
        cpu_sum(device, &(cpu_sums){.rows = g->m, .width = g->n, .run = tall_bands, .task = &t}, total);
        store_bias_grad(back, total);
        return;
    }
    const int64_t grain = (cpu_grain(GRAIN, g->k * g->n) + ROUND - 1) / ROUND * ROUND;
    cpu_for(device, &(cpu_loop){g->m, grain, tall_rows, &t});
}

/* ---- deep: c = alpha a^T b + beta c, a long sum over k for a small c ------------------------------------------ */

typedef struct deep_task {
    const cru_gemm_args *g;
    int64_t depth, parts; /* length of a sum, and how many there are */
    int64_t size;         /* floats of a partial product: panel after panel, m x (vectors * LANES) each */
    float *partial;
} deep_task;

/* Rows of a and b that are multiplied together, and those to ask for meanwhile, line by line. */
typedef struct deep_chunk {
    const float *a, *b;
    int64_t rows;
    int64_t asked, lines_a, lines_b;
} deep_chunk;

/* As many lines as the chunk has rows: first those of a, then those of b, then b's last again and again. */
INLINE const float *lines_to_ask(const deep_task *t, deep_chunk *chunk)
{
    const int64_t at = chunk->asked, in_b = at - chunk->lines_a;
    const float *b = chunk->b + chunk->rows * t->g->ldb;
    chunk->asked += chunk->rows;
    if (in_b < 0) return chunk->a + chunk->rows * t->g->lda + at * LINE;
    return b + (in_b < chunk->lines_b ? in_b : chunk->lines_b) * LINE;
}

INLINE void deep_block(const deep_task *t, deep_chunk *chunk, int64_t row, const panel *at, float *c, int rows,
                       int vectors)
{
    const int64_t lda = t->g->lda, ldb = t->g->ldb;
    const float *a = chunk->a + row, *b = chunk->b + at->first;
    const float *ask = lines_to_ask(t, chunk);
    vec sum[MOST_ROWS][PANEL_VECTORS];
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++) sum[r][v] = load(c + (r * vectors + v) * LANES);
    for (int64_t p = 0; p < chunk->rows; p++, a += lda, b += ldb) {
        vec w[PANEL_VECTORS];
        for (int v = 0; v < vectors; v++)
            w[v] = v + 1 < vectors || !at->tail ? load(b + v * LANES) : load_first(b + v * LANES, at->mask);
        __builtin_prefetch(ask + p * LINE);
        for (int r = 0; r < rows; r++)
            for (int v = 0; v < vectors; v++) sum[r][v] += a[r] * w[v];
    }
    for (int r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++) store(c + (r * vectors + v) * LANES, sum[r][v]);
}

INLINE void deep_blocks(const deep_task *t, deep_chunk *chunk, const panel *at, float *c, int vectors)
{
    enum { SOME = 4 };
    const int rows = block_rows(vectors);
    const int64_t m = t->g->m;
    int64_t row = 0;
    for (; row + rows <= m; row += rows) deep_block(t, chunk, row, at, c + row * vectors * LANES, rows, vectors);
    for (; row + SOME <= m; row += SOME) deep_block(t, chunk, row, at, c + row * vectors * LANES, SOME, vectors);
    for (; row < m; row++) deep_block(t, chunk, row, at, c + row * vectors * LANES, 1, vectors);
}

static void deep_panel(const deep_task *t, deep_chunk *chunk, const panel *at, float *c)
{
    switch (at->vectors) {
    case 1:
        deep_blocks(t, chunk, at, c, 1);
        return;
    case 2:
        deep_blocks(t, chunk, at, c, 2);
        return;
#if LANES == 16
    case 3:
        deep_blocks(t, chunk, at, c, 3);
        return;
    case 4:
        deep_blocks(t, chunk, at, c, 4);
        return;
#endif
    }
}

static void deep_part(const void *task, int64_t part, int32_t thread)
{
    (void)thread;
    enum { CHUNK = 64 };
    const deep_task *t = task;
    const cru_gemm_args *g = t->g;
    const int64_t begin = part * t->depth, end = g->k - begin < t->depth ? g->k : begin + t->depth;
    float *c = t->partial + part * t->size;
    memset(c, 0, sizeof *c * (size_t)t->size);
    for (int64_t p = begin; p < end; p += CHUNK) {
        deep_chunk chunk = {.a = g->a + p * g->lda, .b = g->b + p * g->ldb, .rows = end - p < CHUNK ? end - p : CHUNK};
        chunk.lines_a = chunk.rows * g->lda / LINE;
        chunk.lines_b = chunk.rows * g->ldb / LINE;
        for (int64_t first = 0; first < g->n; first += PANEL) {
            const panel at = panel_at(first, g->n);
            deep_panel(t, &chunk, &at, c + first * g->m);
        }
    }
}

/* Rows of c, each element the partial sums in order. */
static void deep_total(const void *task, int64_t begin, int64_t end)
{
    const deep_task *t = task;
    const cru_gemm_args *g = t->g;
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = 0; j < g->n; j++) {
            const int64_t first = j / PANEL * PANEL, width = panel_at(first, g->n).vectors * LANES;
            const float *part = t->partial + first * g->m + i * width + j - first;
            float sum = 0, *c = g->c + i * g->ldc + j;
            for (int64_t d = 0; d < t->parts; d++) sum += part[d * t->size];
            *c = g->alpha * sum + (g->beta == 0 ? 0 : g->beta * *c);
        }
}

static void deep_gemm(cru_device *device, const cru_gemm_args *g)
{
    enum { DEPTH = 2048, MOST_PARTS = 64 };
    deep_task t = {.g = g, .depth = DEPTH, .size = g->m * whole_vectors(g->n)};
    if (g->k > DEPTH * MOST_PARTS) t.depth = (g->k + MOST_PARTS - 1) / MOST_PARTS;
    t.parts = (g->k + t.depth - 1) / t.depth;
    t.partial = cpu_scratch(device, CPU_SCRATCH_GEMM, sizeof(float) * (size_t)(t.parts * t.size));
    cpu_each(device, &(cpu_jobs){t.parts, g->m * g->n * g->k > 1 << 21, deep_part, &t});
    cpu_for(device, &(cpu_loop){g->m, cpu_grain(CPU_GRAIN_MATH, g->n * t.parts), deep_total, &t});
    if (g->finish) device->backend->finish(device, &(cru_finish_args){g->finish, 0, g->m, g->n, g->c});
}

/* ---- which ---------------------------------------------------------------------------------------------------- */

static bool has_one_result(const cru_gemm_args *g)
{
    return g->batch <= 1 && g->m > 0 && g->n > 0 && g->k > 0;
}

static bool is_tall(const cru_gemm_args *g)
{
    enum { TALL = 64 };
    return has_one_result(g) && !g->ta && g->m >= TALL && g->k * whole_vectors(g->n) <= THIN_FLOATS;
}

static bool is_deep(const cru_gemm_args *g)
{
    enum { DEEP = 257 }; /* a minibatch is not: oneDNN packs it in the cache */
    return has_one_result(g) && g->ta && !g->tb && g->k >= DEEP && g->m * whole_vectors(g->n) <= THIN_FLOATS;
}

static void gemm(cru_device *device, const cru_gemm_args *g)
{
    if (is_tall(g))
        tall_gemm(device, g, NULL);
    else if (is_deep(g))
        deep_gemm(device, g);
    else
        cpu_gemm(device, g);
}

static void gemm_back(cru_device *device, const cru_gemm_args *g, const cru_finish_grad_args *back)
{
    if (is_tall(g)) {
        tall_gemm(device, g, back);
    } else {
        gemm(device, g);
        finish_grad(device, back);
    }
}

#endif
