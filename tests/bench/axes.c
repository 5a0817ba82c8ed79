// SPDX-License-Identifier: Apache-2.0
/* Kernels along axes, over rows and images: one phase each. */
#include "bench.h"

static double floats_moved(int64_t n)
{
    return (double)n * sizeof(float);
}

/* ---- elements ------------------------------------------------------------------------------------------------ */

typedef struct binary_job {
    cru_binary op;
    cru_binary_args args;
} binary_job;

static void run_binary(cru_device *device, void *arg)
{
    binary_job *j = arg;
    device->backend->binary(device, j->op, &j->args);
}

static void setup_add(bench_job *job, const bench_case *which)
{
    const int64_t n = which->a;
    binary_job *j = bench_memory(job, sizeof *j);
    *j = (binary_job){CRU_BINARY_ADD, {.rows = 1, .cols = n}};
    j->args.a = (cru_operand){bench_floats(job, n), n, 1};
    j->args.b = (cru_operand){bench_floats(job, n), n, 1};
    j->args.y = bench_floats(job, n);
    job->run = run_binary;
    job->arg = j;
    bench_phase(job, floats_moved(3 * n), 0);
}

/* Every row times its own number. */
static void setup_scale_rows(bench_job *job, const bench_case *which)
{
    const int64_t rows = which->a, cols = which->b;
    binary_job *j = bench_memory(job, sizeof *j);
    *j = (binary_job){CRU_BINARY_MUL, {.rows = rows, .cols = cols}};
    j->args.a = (cru_operand){bench_floats(job, rows * cols), cols, 1};
    j->args.b = (cru_operand){bench_floats(job, rows), 1, 0};
    j->args.y = bench_floats(job, rows * cols);
    job->run = run_binary;
    job->arg = j;
    bench_phase(job, floats_moved(2 * rows * cols), 0);
}

typedef struct unary_grad_job {
    cru_unary op;
    cru_unary_grad_args args;
} unary_grad_job;

static void run_unary_grad(cru_device *device, void *arg)
{
    unary_grad_job *j = arg;
    device->backend->unary_grad(device, j->op, &j->args);
}

/* a: elements, b: function */
static void setup_unary_grad(bench_job *job, const bench_case *which)
{
    const int64_t n = which->a;
    unary_grad_job *j = bench_memory(job, sizeof *j);
    *j = (unary_grad_job){(cru_unary)which->b, {.n = n, .a = 1.0f}};
    j->args.x = bench_floats(job, n);
    j->args.y = bench_floats(job, n);
    j->args.dy = bench_floats(job, n);
    j->args.dx = bench_floats(job, n);
    job->run = run_unary_grad;
    job->arg = j;
    bench_phase(job, floats_moved(3 * n), 0);
}

/* ---- reductions ---------------------------------------------------------------------------------------------- */

typedef struct reduce_job {
    cru_reduce op;
    cru_reduce_args args;
} reduce_job;

static void run_reduce(cru_device *device, void *arg)
{
    reduce_job *j = arg;
    device->backend->reduce(device, j->op, &j->args);
}

static void setup_reduce(bench_job *job, cru_reduce op, const int64_t shape[3])
{
    const int64_t n = shape[0] * shape[1] * shape[2], results = shape[0] * shape[2];
    reduce_job *j = bench_memory(job, sizeof *j);
    *j = (reduce_job){op, {.outer = shape[0], .count = shape[1], .inner = shape[2]}};
    j->args.x = bench_floats(job, n);
    j->args.y = bench_floats(job, results);
    if (op == CRU_REDUCE_MAX) j->args.where = bench_memory(job, sizeof(int32_t) * (size_t)results);
    job->run = run_reduce;
    job->arg = j;
    bench_phase(job, floats_moved(n), 0);
}

static void setup_row_sum(bench_job *job, const bench_case *which)
{
    setup_reduce(job, CRU_REDUCE_SUM, (const int64_t[]){which->a, which->b, 1});
}
static void setup_row_max(bench_job *job, const bench_case *which)
{
    setup_reduce(job, CRU_REDUCE_MAX, (const int64_t[]){which->a, which->b, 1});
}
static void setup_column_max(bench_job *job, const bench_case *which)
{
    setup_reduce(job, CRU_REDUCE_MAX, (const int64_t[]){1, which->a, which->b});
}

static void run_softmax(cru_device *device, void *arg)
{
    device->backend->softmax(device, arg);
}

static void setup_column_softmax(bench_job *job, const bench_case *which)
{
    cru_softmax_args *s = bench_memory(job, sizeof *s);
    *s = (cru_softmax_args){.outer = 1, .count = which->a, .inner = which->b};
    s->x = bench_floats(job, s->count * s->inner);
    s->y = bench_floats(job, s->count * s->inner);
    job->run = run_softmax;
    job->arg = s;
    bench_phase(job, floats_moved(2 * s->count * s->inner), 0);
}

static void run_softmax_grad(cru_device *device, void *arg)
{
    device->backend->softmax_grad(device, arg);
}

static void setup_softmax_grad(bench_job *job, const bench_case *which)
{
    cru_softmax_grad_args *s = bench_memory(job, sizeof *s);
    *s = (cru_softmax_grad_args){.outer = which->a, .count = which->b, .inner = 1};
    const int64_t n = s->outer * s->count;
    s->y = bench_floats(job, n);
    s->dy = bench_floats(job, n);
    s->dx = bench_floats(job, n);
    job->run = run_softmax_grad;
    job->arg = s;
    bench_phase(job, floats_moved(3 * n), 0);
}

/* ---- normalisation ------------------------------------------------------------------------------------------- */

static void run_norm(cru_device *device, void *arg)
{
    device->backend->norm_stats(device, arg);
    device->backend->norm(device, arg);
}

static cru_norm_args *setup_norm(bench_job *job, const int64_t shape[3])
{
    cru_norm_args *n = bench_memory(job, sizeof *n);
    *n = (cru_norm_args){.outer = shape[0], .channels = shape[1], .inner = shape[2], .eps = 1e-5f};
    const int64_t size = shape[0] * shape[1] * shape[2];
    n->x = bench_floats(job, size);
    n->y = bench_floats(job, size);
    n->mean = bench_floats(job, n->channels);
    n->var = bench_memory(job, sizeof(float) * (size_t)n->channels);
    job->run = run_norm;
    job->arg = n;
    bench_phase(job, floats_moved(size), 0); /* statistics, */
    bench_phase(job, floats_moved(2 * size), 0);
    return n;
}

static void setup_batch_norm(bench_job *job, const bench_case *which)
{
    setup_norm(job, (const int64_t[]){which->a, which->b, 1});
}
/* a row is a channel of its own */
static void setup_layer_norm(bench_job *job, const bench_case *which)
{
    setup_norm(job, (const int64_t[]){1, which->a, which->b});
}
static void setup_image_norm(bench_job *job, const bench_case *which)
{
    setup_norm(job, (const int64_t[]){which->a, which->b, which->c * which->c});
}

static void run_norm_grad(cru_device *device, void *arg)
{
    device->backend->norm_grad(device, arg);
}

static void setup_norm_grad(bench_job *job, const int64_t shape[3])
{
    const cru_norm_args *n = setup_norm(job, shape);
    run_norm(job->device, (void *)n);
    cru_norm_grad_args *g = bench_memory(job, sizeof *g);
    const int64_t size = shape[0] * shape[1] * shape[2];
    *g = (cru_norm_grad_args){.outer = shape[0],
                              .channels = shape[1],
                              .inner = shape[2],
                              .x = n->x,
                              .mean = n->mean,
                              .var = n->var,
                              .eps = 1e-5f,
                              .batch_stats = true};
    g->dy = bench_floats(job, size);
    g->gain = bench_floats(job, shape[1]);
    g->dx = bench_floats(job, size);
    g->dgain = bench_floats(job, shape[1]);
    g->dshift = bench_floats(job, shape[1]);
    job->run = run_norm_grad;
    job->arg = g;
    job->phases = 0;
    bench_phase(job, floats_moved(2 * size), 0); /* sums, */
    bench_phase(job, floats_moved(3 * size), 0);
}

static void setup_batch_norm_grad(bench_job *job, const bench_case *which)
{
    setup_norm_grad(job, (const int64_t[]){which->a, which->b, 1});
}
static void setup_image_norm_grad(bench_job *job, const bench_case *which)
{
    setup_norm_grad(job, (const int64_t[]){which->a, which->b, which->c * which->c});
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* `count` ids below `rows`, in no order. */
static int32_t *row_numbers(bench_job *job, int64_t count, int64_t rows)
{
    int32_t *ids = bench_memory(job, sizeof *ids * (size_t)count);
    uint64_t state = 1;
    for (int64_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ids[i] = (int32_t)((state >> 33) % (uint64_t)rows);
    }
    return ids;
}

static void run_gather(cru_device *device, void *arg)
{
    device->backend->gather(device, arg);
}

/* a: rows to fetch, b: of how many, c: columns */
static void setup_gather(bench_job *job, const bench_case *which)
{
    cru_gather_args *g = bench_memory(job, sizeof *g);
    *g = (cru_gather_args){.count = which->a, .cols = which->c};
    g->ids = row_numbers(job, which->a, which->b);
    g->x = bench_floats(job, which->b * which->c);
    g->y = bench_floats(job, which->a * which->c);
    job->run = run_gather;
    job->arg = g;
    bench_phase(job, floats_moved(2 * which->a * which->c), 0);
}

static void run_scatter(cru_device *device, void *arg)
{
    device->backend->scatter(device, arg);
}

static cru_scatter_args *setup_scatter(bench_job *job, const bench_case *which)
{
    cru_scatter_args *s = bench_memory(job, sizeof *s);
    *s = (cru_scatter_args){.op = CRU_REDUCE_SUM, .count = which->a, .rows = which->b, .cols = which->c};
    s->ids = row_numbers(job, which->a, which->b);
    s->x = bench_floats(job, which->a * which->c);
    s->y = bench_floats(job, which->b * which->c);
    job->run = run_scatter;
    job->arg = s;
    bench_phase(job, floats_moved((which->a + which->b) * which->c), 0);
    return s;
}

static void setup_scatter_sum(bench_job *job, const bench_case *which)
{
    setup_scatter(job, which);
}
static void setup_scatter_max(bench_job *job, const bench_case *which)
{
    cru_scatter_args *s = setup_scatter(job, which);
    s->op = CRU_REDUCE_MAX;
    s->where = bench_memory(job, sizeof(int32_t) * (size_t)(which->b * which->c));
}

static void run_spmm(cru_device *device, void *arg)
{
    device->backend->spmm(device, arg);
}

/* a: heads, b: columns a head */
static void setup_spmm_max(bench_job *job, const bench_case *which)
{
    cru_spmm_args *s = bench_memory(job, sizeof *s);
    s->a = bench_graph(job, which->graph);
    s->a.values = NULL;
    s->op = CRU_REDUCE_MAX;
    s->heads = which->a;
    s->cols = which->b;
    const int64_t n = s->a.rows * s->heads * s->cols;
    s->x = bench_floats(job, n);
    s->y = bench_floats(job, n);
    s->where = bench_memory(job, sizeof(int32_t) * (size_t)n);
    job->run = run_spmm;
    job->arg = s;
    bench_gather_phase(job, floats_moved(2 * n), bench_gather(&s->a, floats_moved(s->heads * s->cols)), 0);
}

static void run_topk(cru_device *device, void *arg)
{
    device->backend->topk(device, arg);
}

/* a: rows, b: columns, c: how many */
static void setup_topk(bench_job *job, const bench_case *which)
{
    cru_topk_args *t = bench_memory(job, sizeof *t);
    *t = (cru_topk_args){.rows = which->a, .cols = which->b, .k = which->c};
    t->x = bench_floats(job, which->a * which->b);
    t->values = bench_floats(job, which->a * which->c);
    t->ids = bench_memory(job, sizeof(int32_t) * (size_t)(which->a * which->c));
    job->run = run_topk;
    job->arg = t;
    bench_phase(job, floats_moved(which->a * (which->b + 2 * which->c)), 0);
}

static void run_permute(cru_device *device, void *arg)
{
    device->backend->permute(device, arg);
}

static void setup_transpose(bench_job *job, const bench_case *which)
{
    cru_permute_args *p = bench_memory(job, sizeof *p);
    *p = (cru_permute_args){.dim = {1, 1, which->a, which->b}, .order = {0, 1, 3, 2}};
    p->x = bench_floats(job, which->a * which->b);
    p->y = bench_floats(job, which->a * which->b);
    job->run = run_permute;
    job->arg = p;
    bench_phase(job, floats_moved(2 * which->a * which->b), 0);
}

/* ---- images, optimisers --------------------------------------------------------------------------------------- */

static void run_pool(cru_device *device, void *arg)
{
    device->backend->pool(device, arg);
}

/* a: batch, b: channels, c: side; windows of 2 x 2 */
static cru_pool_args *setup_pool(bench_job *job, const bench_case *which)
{
    cru_pool_args *p = bench_memory(job, sizeof *p);
    *p =
        (cru_pool_args){.planes = which->a * which->b, .height = which->c, .width = which->c, .kernel = 2, .stride = 2};
    const int64_t n = p->planes * p->height * p->width;
    p->x = bench_floats(job, n);
    p->y = bench_floats(job, n / 4);
    job->run = run_pool;
    job->arg = p;
    bench_phase(job, floats_moved(n + n / 4), 0);
    return p;
}
static void setup_mean_pool(bench_job *job, const bench_case *which)
{
    setup_pool(job, which);
}
static void setup_max_pool(bench_job *job, const bench_case *which)
{
    cru_pool_args *p = setup_pool(job, which);
    p->max = true;
    p->where = bench_memory(job, sizeof(int32_t) * (size_t)(p->planes * p->height * p->width / 4));
}

static void run_sgd(cru_device *device, void *arg)
{
    cru_sgd_args *s = arg;
    s->step++;
    device->backend->sgd(device, s);
}

static void setup_sgd(bench_job *job, const bench_case *which)
{
    cru_sgd_args *s = bench_memory(job, sizeof *s);
    *s = (cru_sgd_args){.n = which->a, .lr = 1e-3f, .momentum = 0.9f, .decay = 5e-4f};
    s->w = bench_floats(job, s->n);
    s->velocity = bench_floats(job, s->n);
    s->g = bench_floats(job, s->n);
    job->run = run_sgd;
    job->arg = s;
    bench_phase(job, floats_moved(5 * s->n), 0);
}

static void run_gemm(cru_device *device, void *arg)
{
    device->backend->gemm(device, arg);
}

/* a: matrices, b: rows and columns of the results, c: inner side */
static void setup_batched_gemm(bench_job *job, const bench_case *which)
{
    const int64_t batch = which->a, side = which->b, k = which->c;
    cru_gemm_args *g = bench_memory(job, sizeof *g);
    *g = (cru_gemm_args){.m = side, .n = side, .k = k, .alpha = 1.0f, .lda = k, .ldb = side, .ldc = side};
    g->batch = batch;
    g->stride_a = g->stride_b = side * k;
    g->stride_c = side * side;
    g->a = bench_floats(job, batch * side * k);
    g->b = bench_floats(job, batch * side * k);
    g->c = bench_floats(job, batch * side * side);
    job->run = run_gemm;
    job->arg = g;
    bench_phase(job, floats_moved(batch * side * (2 * k + side)), 2.0 * (double)(batch * side * side * k));
}

const bench_case bench_axes[] = {
    {"add 10837952", setup_add, NULL, 10837952, 0, 0},
    {"scale rows 169343 x 64", setup_scale_rows, NULL, 169343, 64, 0},
    {"relu grad 10837952", setup_unary_grad, NULL, 10837952, CRU_UNARY_RELU, 0},
    {"gelu grad 10837952", setup_unary_grad, NULL, 10837952, CRU_UNARY_GELU, 0},
    {"row sum 169343 x 64", setup_row_sum, NULL, 169343, 64, 0},
    {"row max 169343 x 64", setup_row_max, NULL, 169343, 64, 0},
    {"column max 169343 x 64", setup_column_max, NULL, 169343, 64, 0},
    {"column softmax 169343 x 64", setup_column_softmax, NULL, 169343, 64, 0},
    {"softmax grad 169343 x 40", setup_softmax_grad, NULL, 169343, 40, 0},
    {"batch norm 169343 x 64", setup_batch_norm, NULL, 169343, 64, 0},
    {"batch norm grad 169343 x 64", setup_batch_norm_grad, NULL, 169343, 64, 0},
    {"layer norm 169343 x 64", setup_layer_norm, NULL, 169343, 64, 0},
    {"image norm 64 x 16 x 32", setup_image_norm, NULL, 64, 16, 32},
    {"image norm grad 64 x 16 x 32", setup_image_norm_grad, NULL, 64, 16, 32},
    {"gather 1157799 of 169343 x 64", setup_gather, NULL, 1157799, 169343, 64},
    {"scatter sum 1157799 to 169343 x 64", setup_scatter_sum, NULL, 1157799, 169343, 64},
    {"scatter max 115779 to 16934 x 64", setup_scatter_max, NULL, 115779, 16934, 64},
    {"neighbour max photo 1 x 64", setup_spmm_max, "photo", 1, 64, 0},
    {"topk 2708 x 2708 to 10", setup_topk, NULL, 2708, 2708, 10},
    {"sort 2708 x 1000", setup_topk, NULL, 2708, 1000, 1000},
    {"transpose 4096 x 4096", setup_transpose, NULL, 4096, 4096, 0},
    {"max pool 64 x 16 x 32", setup_max_pool, NULL, 64, 16, 32},
    {"mean pool 64 x 16 x 32", setup_mean_pool, NULL, 64, 16, 32},
    {"sgd 4000000", setup_sgd, NULL, 4000000, 0, 0},
    {"batched gemm 256 x 64 x 32", setup_batched_gemm, NULL, 256, 64, 32},
    {0},
};
