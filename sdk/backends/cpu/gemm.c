// SPDX-License-Identifier: Apache-2.0
/* Matrix products on oneDNN, those that simd/thin.h leaves.
 *
 * oneDNN shares one product among its threads in ways that depend on their number, and may even split the sum over k.
 * Here the product is cut into pieces that depend on the shape only, and each piece is computed by one thread: bits
 * stay the same for any number of threads. A small result with a long sum over k (the gradient of a weight) is cut
 * along k into partial products, which are then added in order. */
#include <oneapi/dnnl/dnnl.h>

#include "cpu.h"

enum { ROWS = 512, COLS = 512, DEPTH = 2048, MOST_DEPTHS = 64 };

/* Multiplications worth sharing: some tens of microseconds. */
enum { PARALLEL_FROM = 1 << 21 };

typedef struct gemm_task {
    cru_device *device;
    const cru_gemm_args *g;
    int64_t rows, cols, depth;  /* of a piece */
    int64_t across, down, deep; /* number of pieces along n, m, k */
    float *partial;             /* batch x deep x m x n, when deep > 1 */
} gemm_task;

static int64_t pieces(int64_t length, int64_t piece)
{
    return (length + piece - 1) / piece;
}

static int64_t piece_length(int64_t length, int64_t piece, int64_t index)
{
    return length - piece * index < piece ? length - piece * index : piece;
}

static void multiply(const cru_gemm_args *g)
{
    dnnl_status_t status = dnnl_sgemm(g->ta ? 'T' : 'N', g->tb ? 'T' : 'N', g->m, g->n, g->k, g->alpha, g->a, g->lda,
                                      g->b, g->ldb, g->beta, g->c, g->ldc);
    if (status == dnnl_out_of_memory) cru_panic(CRU_NO_MEMORY, "gemm: no memory");
    cru_assert(status == dnnl_success, "gemm: oneDNN refused %lld x %lld x %lld", (long long)g->m, (long long)g->n,
               (long long)g->k);
}

/* Pieces of whole rows, none of them a partial sum, are finished at once. */
static bool finishes_pieces(const gemm_task *t)
{
    return t->g->finish && t->across == 1 && t->deep == 1;
}

static void finish_rows(const gemm_task *t, int64_t first, int64_t rows)
{
    const cru_finish_args args = {t->g->finish, first, rows, t->g->n, t->g->c};
    t->device->backend->finish(t->device, &args);
}

static void multiply_piece(const void *task, int64_t job, int32_t thread)
{
    (void)thread;
    const gemm_task *t = task;
    cru_gemm_args g = *t->g;
    const int64_t deep = job % t->deep, across = job / t->deep % t->across;
    const int64_t down = job / t->deep / t->across % t->down, batch = job / t->deep / t->across / t->down;
    const int64_t i = down * t->rows, j = across * t->cols, k = deep * t->depth;
    g.a += batch * g.stride_a + (g.ta ? k * g.lda + i : i * g.lda + k);
    g.b += batch * g.stride_b + (g.tb ? j * g.ldb + k : k * g.ldb + j);
    if (t->deep > 1) {
        g.c = t->partial + (batch * t->deep + deep) * g.m * g.n + i * g.n + j;
        g.ldc = g.n;
        g.beta = 0;
    } else {
        g.c += batch * g.stride_c + i * g.ldc + j;
    }
    g.m = piece_length(t->g->m, t->rows, down);
    g.n = piece_length(t->g->n, t->cols, across);
    g.k = piece_length(t->g->k, t->depth, deep);
    multiply(&g);
    if (finishes_pieces(t)) finish_rows(t, i, g.m);
}

/* Rows of the result, over all batches, with the partial products of their elements added up. */
static void add_partials(const void *task, int64_t begin, int64_t end)
{
    const gemm_task *t = task;
    const cru_gemm_args *g = t->g;
    for (int64_t row = begin; row < end; row++) {
        const int64_t batch = row / g->m, i = row % g->m;
        float *c = g->c + batch * g->stride_c + i * g->ldc;
        const float *part = t->partial + batch * t->deep * g->m * g->n + i * g->n;
        for (int64_t j = 0; j < g->n; j++) {
            float sum = 0;
            for (int64_t d = 0; d < t->deep; d++) sum += part[d * g->m * g->n + j];
            c[j] = g->beta == 0 ? sum : g->beta * c[j] + sum;
        }
    }
}

static void scale_result(const cru_gemm_args *g, int64_t batch)
{
    for (int64_t b = 0; b < batch; b++)
        for (int64_t i = 0; i < g->m; i++)
            for (int64_t j = 0; j < g->n; j++) {
                float *c = g->c + b * g->stride_c + i * g->ldc + j;
                *c = g->beta == 0 ? 0 : g->beta * *c;
            }
}

void cpu_gemm(cru_device *device, const cru_gemm_args *args)
{
    const cru_gemm_args *g = args;
    const int64_t batch = g->batch ? g->batch : 1;
    if (g->m <= 0 || g->n <= 0) return;
    if (g->k <= 0) {
        scale_result(g, batch);
        if (g->finish) device->backend->finish(device, &(cru_finish_args){g->finish, 0, g->m, g->n, g->c});
        return;
    }
    gemm_task t = {.device = device, .g = g, .rows = ROWS, .cols = g->m < ROWS ? COLS : g->n, .depth = g->k, .deep = 1};
    t.down = pieces(g->m, t.rows);
    t.across = pieces(g->n, t.cols);
    if (t.down * t.across * batch <= 4 && g->k >= 2 * DEPTH) {
        t.depth = g->k / DEPTH > MOST_DEPTHS ? pieces(g->k, MOST_DEPTHS) : DEPTH;
        t.deep = pieces(g->k, t.depth);
        t.partial = cpu_scratch(device, CPU_SCRATCH_GEMM, sizeof(float) * (size_t)(batch * t.deep * g->m * g->n));
    }
    cpu_jobs jobs = {batch * t.down * t.across * t.deep, g->m * g->n * g->k * batch > PARALLEL_FROM, multiply_piece,
                     &t};
    cpu_each(device, &jobs);
    if (t.deep > 1)
        cpu_for(device, &(cpu_loop){batch * g->m, cpu_grain(CPU_GRAIN_MATH, g->n * t.deep), add_partials, &t});
    if (g->finish && !finishes_pieces(&t)) finish_rows(&t, 0, g->m);
}
