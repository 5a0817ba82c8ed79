// SPDX-License-Identifier: Apache-2.0
/* PageRank and heat as series in S, on blocks of right-hand sides.
 *
 * (I - c S) Z = X with c = 1 - restart is solved by Z <- c S Z + X. Where S is symmetric its spectrum is real and lies
 * in [-1, 1], and Chebyshev's acceleration of that iteration takes about the root of the number of steps:
 *     Z_{k+1} = w_{k+1} (c S Z_k + X - Z_{k-1}) + Z_{k-1},   w_1 = 1, w_2 = 2 / (2 - c^2), w_{k+1} = 1 / (1 - c^2 w_k /
 * 4) */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/diffusion.h>

#include "memory/heap.h"
#include "sparse/draft.h"
#include "sparse/sort.h"

enum { BLOCK = 16 };

/* Vectors of one block: n x cols each. */
typedef struct block {
    const cru_csr *s;
    int64_t cols;
    double *x, *z, *next; /* right-hand side, iterate, the one before it (then the next) */
} block;

/* out (n x cols) = S z for one row. */
static void multiply_row(const cru_csr *s, int64_t row, const double *z, int64_t cols, double *out)
{
    memset(out, 0, (size_t)cols * sizeof *out);
    for (int64_t e = s->offsets[row]; e < s->offsets[row + 1]; e++) {
        const double *from = z + s->ids[e] * cols;
        double weight = csr_value(s, e);
        for (int64_t j = 0; j < cols; j++) out[j] += weight * from[j];
    }
}

/* One step of the iteration; `w` is 1 without acceleration, when `next` is not read. Returns the largest change. */
static double ppr_step(block *b, double c, double w)
{
    double change = 0, sum[BLOCK];
    for (int64_t i = 0; i < b->s->rows; i++) {
        multiply_row(b->s, i, b->z, b->cols, sum);
        for (int64_t j = 0; j < b->cols; j++) {
            int64_t at = i * b->cols + j;
            double fresh = c * sum[j] + b->x[at];
            if (w != 1) fresh = w * (fresh - b->next[at]) + b->next[at];
            change = fmax(change, fabs(fresh - b->z[at]));
            b->next[at] = fresh;
        }
    }
    double *swap = b->z;
    b->z = b->next;
    b->next = swap;
    return change;
}

typedef struct ppr_plan {
    double restart, tolerance;
    int32_t iterations;
    bool symmetric;
} ppr_plan;

static ppr_plan plan_ppr(const cru_csr *s, const cru_ppr_options *options)
{
    cru_assert(s->rows == s->cols, "diffusion: %lld x %lld is not a graph", (long long)s->rows, (long long)s->cols);
    cru_assert(options->restart > 0 && options->restart <= 1, "diffusion: restart = %g", options->restart);
    return (ppr_plan){options->restart, options->tolerance > 0 ? options->tolerance : 1e-9,
                      options->iterations > 0 ? options->iterations : 1000, cru_graph_is_symmetric(s)};
}

/* z = restart (I - c S)^-1 x. */
static void solve_ppr(block *b, const ppr_plan *plan)
{
    int64_t size = b->s->rows * b->cols;
    double c = 1 - plan->restart, w = 1, accelerated = 2 / (2 - c * c);
    for (int64_t i = 0; i < size; i++) b->z[i] = b->x[i] *= plan->restart;
    for (int32_t step = 0; step < plan->iterations; step++) {
        if (ppr_step(b, c, w) <= plan->tolerance * plan->restart) break;
        if (!plan->symmetric) continue;
        w = step ? 1 / (1 - c * c * w / 4) : accelerated;
    }
}

/* z = exp(-t (I - S)) x, by the power series whose weights are those of a Poisson distribution. */
static void solve_heat(block *b, double t)
{
    int64_t size = b->s->rows * b->cols;
    double weight = exp(-t), left = 1 - weight, sum[BLOCK];
    memcpy(b->next, b->x, (size_t)size * sizeof *b->x);
    for (int64_t i = 0; i < size; i++) b->z[i] = weight * b->x[i];
    for (int32_t k = 1; left > 1e-13 && k < 10000; k++) {
        weight *= t / k;
        left -= weight;
        for (int64_t i = 0; i < b->s->rows; i++) {
            multiply_row(b->s, i, b->next, b->cols, sum);
            for (int64_t j = 0; j < b->cols; j++) {
                b->x[i * b->cols + j] = sum[j];
                b->z[i * b->cols + j] += weight * sum[j];
            }
        }
        double *swap = b->next;
        b->next = b->x;
        b->x = swap;
    }
}

/* ---- given right-hand sides ------------------------------------------------------------------------------ */

static void load_columns(block *b, const double *x, int64_t stride, int64_t first)
{
    for (int64_t i = 0; i < b->s->rows; i++)
        memcpy(b->x + i * b->cols, x + i * stride + first, (size_t)b->cols * sizeof *x);
}

static void store_columns(const block *b, double *x, int64_t stride, int64_t first)
{
    for (int64_t i = 0; i < b->s->rows; i++)
        memcpy(x + i * stride + first, b->z + i * b->cols, (size_t)b->cols * sizeof *x);
}

/* x (n x cols) is replaced block by block; a plan for PageRank, or NULL for heat over `time`. */
static void apply(const cru_csr *s, const ppr_plan *plan, double time, double *x, int64_t cols)
{
    int64_t n = s->rows, blocks = (cols + BLOCK - 1) / BLOCK;
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t k = 0; k < blocks; k++) {
        int64_t first = k * BLOCK, width = cols - first < BLOCK ? cols - first : BLOCK;
        double *memory = heap_alloc(3 * n * width, sizeof *memory);
        block b = {s, width, memory, memory + n * width, memory + 2 * n * width};
        load_columns(&b, x, cols, first);
        if (plan)
            solve_ppr(&b, plan);
        else
            solve_heat(&b, time);
        store_columns(&b, x, cols, first);
        free(memory);
    }
}

void cru_ppr_apply(const cru_csr *s, const cru_ppr_options *options, double *x, int64_t cols)
{
    ppr_plan plan = plan_ppr(s, options);
    apply(s, &plan, 0, x, cols);
}

void cru_heat_apply(const cru_csr *s, double t, double *x, int64_t cols)
{
    cru_assert(s->rows == s->cols && t >= 0, "heat: time %g on %lld x %lld", t, (long long)s->rows, (long long)s->cols);
    apply(s, NULL, t, x, cols);
}

void cru_ppr_columns(const cru_csr *s, cru_ids sources, const cru_ppr_options *options, float *out)
{
    ppr_plan plan = plan_ppr(s, options);
    int64_t n = s->rows, blocks = (sources.count + BLOCK - 1) / BLOCK;
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t k = 0; k < blocks; k++) {
        int64_t first = k * BLOCK, left = sources.count - first, width = left < BLOCK ? left : BLOCK;
        double *memory = heap_alloc(3 * n * width, sizeof *memory);
        block b = {s, width, memory, memory + n * width, memory + 2 * n * width};
        for (int64_t j = 0; j < width; j++) b.x[sources.ids[first + j] * width + j] = 1;
        solve_ppr(&b, &plan);
        for (int64_t j = 0; j < width; j++)
            for (int64_t i = 0; i < n; i++) out[(first + j) * n + i] = (float)b.z[i * width + j];
        free(memory);
    }
}

/* P^T is made of S^T as P is of S. */
void cru_ppr_rows(const cru_csr *s, cru_ids sources, const cru_ppr_options *options, float *out)
{
    cru_arena *scratch = heap_arena();
    cru_csr reverse = cru_csr_transpose(cru_arena_pool(scratch), s, NULL);
    cru_ppr_columns(&reverse, sources, options, out);
    cru_arena_destroy(scratch);
}

/* ---- the diffused graph ---------------------------------------------------------------------------------- */

/* Columns of the result, each with its own arrays until all are there. */
typedef struct sparse_column {
    int32_t *ids;
    float *values;
    int64_t count;
} sparse_column;

static int64_t keep_largest(uint64_t *keys, int64_t count, int64_t top_k)
{
    sort_u64(keys, count, keys + count);
    return top_k > 0 && top_k < count ? top_k : count;
}

/* Column j of the block, sparsified and divided by its sum; keys has room for 2 n. */
static sparse_column sparsify(const block *b, int64_t j, const cru_diffusion *options, uint64_t *keys)
{
    int64_t count = 0;
    double sum = 0;
    for (int64_t i = 0; i < b->s->rows; i++) {
        float value = (float)b->z[i * b->cols + j];
        if (value > 0 && value >= options->threshold)
            keys[count++] = (uint64_t)~sort_float_key(value) << 32 | (uint64_t)i;
    }
    count = keep_largest(keys, count, options->top_k);
    sparse_column column = {heap_alloc(count, sizeof *column.ids), heap_alloc(count, sizeof *column.values), count};
    for (int64_t k = 0; k < count; k++) keys[k] &= UINT32_MAX;
    sort_u64(keys, count, keys + count);
    for (int64_t k = 0; k < count; k++) sum += b->z[(int64_t)keys[k] * b->cols + j];
    for (int64_t k = 0; k < count; k++) {
        column.ids[k] = (int32_t)keys[k];
        column.values[k] = (float)(b->z[(int64_t)keys[k] * b->cols + j] / sum);
    }
    return column;
}

static void diffuse_block(const cru_csr *s, const cru_diffusion *options, const ppr_plan *plan, int64_t first,
                          sparse_column *columns)
{
    int64_t n = s->rows, width = n - first < BLOCK ? n - first : BLOCK;
    double *memory = heap_alloc(3 * n * width, sizeof *memory);
    uint64_t *keys = heap_alloc(2 * n, sizeof *keys);
    block b = {s, width, memory, memory + n * width, memory + 2 * n * width};
    for (int64_t j = 0; j < width; j++) b.x[(first + j) * width + j] = 1;
    if (options->heat)
        solve_heat(&b, options->time);
    else
        solve_ppr(&b, plan);
    for (int64_t j = 0; j < width; j++) columns[first + j] = sparsify(&b, j, options, keys);
    free(keys);
    free(memory);
}

cru_csr cru_graph_diffuse(cru_pool pool, const cru_csr *s, const cru_diffusion *options)
{
    int64_t n = s->rows, blocks = (n + BLOCK - 1) / BLOCK;
    cru_ppr_options exact = {.restart = options->heat ? 1 : options->restart, .tolerance = 1e-8};
    ppr_plan plan = plan_ppr(s, &exact);
    sparse_column *columns = heap_alloc(n, sizeof *columns);
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t k = 0; k < blocks; k++) diffuse_block(s, options, &plan, k * BLOCK, columns);
    cru_arena *scratch = heap_arena();
    draft d = draft_begin(cru_arena_pool(scratch), n, n);
    for (int64_t u = 0; u < n; u++) d.offsets[u + 1] = columns[u].count;
    draft_entries(&d, true);
    for (int64_t u = 0; u < n; u++) {
        memcpy(d.ids + d.offsets[u], columns[u].ids, (size_t)columns[u].count * sizeof *d.ids);
        memcpy(d.values + d.offsets[u], columns[u].values, (size_t)columns[u].count * sizeof *d.values);
        free(columns[u].ids);
        free(columns[u].values);
    }
    free(columns);
    cru_csr by_column = draft_done(&d), result = cru_csr_transpose(pool, &by_column, NULL);
    cru_arena_destroy(scratch);
    return result;
}
