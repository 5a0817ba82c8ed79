// SPDX-License-Identifier: Apache-2.0
/* Single kernels: one phase each. */
#include "bench.h"

static double floats_moved(double n)
{
    return n * sizeof(float);
}

/* Offsets, ids and one value per entry. */
static double csr_bytes(const cru_csr *a, int64_t heads)
{
    return 8.0 * (double)a->rows + (4.0 + 4.0 * (double)heads) * (double)cru_csr_nnz(a);
}

static void run_spmm(cru_device *device, void *arg)
{
    device->backend->spmm(device, arg);
}

/* a: heads, b: columns a head */
static void setup_spmm(bench_job *job, const bench_case *which)
{
    cru_spmm_args *s = bench_memory(job, sizeof *s);
    s->a = bench_graph(job, which->graph);
    s->heads = which->a;
    s->cols = which->b;
    if (s->heads > 1) s->weights = bench_floats(job, cru_csr_nnz(&s->a) * s->heads);
    const int64_t n = s->a.rows * s->heads * s->cols;
    s->x = bench_floats(job, n);
    s->y = bench_floats(job, n);
    job->run = run_spmm;
    job->arg = s;
    const double row = floats_moved((double)(s->heads * s->cols));
    bench_gather_phase(job, csr_bytes(&s->a, s->heads) + floats_moved((double)n), bench_gather(&s->a, row),
                       2.0 * (double)(cru_csr_nnz(&s->a) * s->heads * s->cols));
}

static void run_sddmm(cru_device *device, void *arg)
{
    device->backend->sddmm(device, arg);
}

static void setup_sddmm(bench_job *job, const bench_case *which)
{
    cru_sddmm_args *s = bench_memory(job, sizeof *s);
    s->a = bench_graph(job, which->graph);
    s->heads = which->a;
    s->cols = which->b;
    s->scale = 1.0f;
    const int64_t n = s->a.rows * s->heads * s->cols, nnz = cru_csr_nnz(&s->a);
    s->l = bench_floats(job, n);
    s->r = bench_floats(job, n);
    s->y = bench_floats(job, nnz * s->heads);
    job->run = run_sddmm;
    job->arg = s;
    const double row = floats_moved((double)(s->heads * s->cols));
    bench_gather_phase(job, csr_bytes(&s->a, s->heads) + floats_moved((double)n), bench_gather(&s->a, row),
                       2.0 * (double)(nnz * s->heads * s->cols));
}

static void run_edge_softmax(cru_device *device, void *arg)
{
    device->backend->edge_softmax(device, arg);
}

static void setup_edge_softmax(bench_job *job, const bench_case *which)
{
    cru_edge_softmax_args *s = bench_memory(job, sizeof *s);
    s->a = bench_graph(job, which->graph);
    s->heads = which->a;
    const int64_t n = cru_csr_nnz(&s->a) * s->heads;
    s->x = bench_floats(job, n);
    s->y = bench_floats(job, n);
    job->run = run_edge_softmax;
    job->arg = s;
    bench_phase(job, 8.0 * (double)s->a.rows + floats_moved(2.0 * (double)n), 0);
}

static void run_gemm(cru_device *device, void *arg)
{
    device->backend->gemm(device, arg);
}

/* a, b, c: m, n, k of the product */
static void setup_gemm(bench_job *job, const bench_case *which)
{
    cru_gemm_args *g = bench_memory(job, sizeof *g);
    *g = (cru_gemm_args){.m = which->a, .n = which->b, .k = which->c, .alpha = 1.0f};
    g->lda = g->k;
    g->ldb = g->ldc = g->n;
    g->a = bench_floats(job, g->m * g->k);
    g->b = bench_floats(job, g->k * g->n);
    g->c = bench_floats(job, g->m * g->n);
    job->run = run_gemm;
    job->arg = g;
    bench_phase(job, floats_moved((double)(g->m * g->k + g->k * g->n + g->m * g->n)),
                2.0 * (double)g->m * (double)g->n * (double)g->k);
}

/* The gradient of a weight: the first operand is stored k x m. */
static void setup_gemm_transposed(bench_job *job, const bench_case *which)
{
    setup_gemm(job, which);
    cru_gemm_args *g = job->arg;
    g->ta = true;
    g->lda = g->m;
}

/* The gradient of an input: the second operand is stored n x k. */
static void setup_gemm_second_transposed(bench_job *job, const bench_case *which)
{
    setup_gemm(job, which);
    cru_gemm_args *g = job->arg;
    g->tb = true;
    g->ldb = g->k;
}

static void run_adam(cru_device *device, void *arg)
{
    cru_adam_args *a = arg;
    a->step++;
    device->backend->adam(device, a);
}

static void setup_adam(bench_job *job, const bench_case *which)
{
    cru_adam_args *a = bench_memory(job, sizeof *a);
    *a = (cru_adam_args){.n = which->a, .lr = 1e-3f, .beta1 = 0.9f, .beta2 = 0.999f, .eps = 1e-8f, .decay = 5e-4f};
    a->w = bench_floats(job, a->n);
    a->m = bench_memory(job, sizeof(float) * (size_t)a->n);
    a->v = bench_memory(job, sizeof(float) * (size_t)a->n);
    a->g = bench_floats(job, a->n);
    job->run = run_adam;
    job->arg = a;
    bench_phase(job, floats_moved(7.0 * (double)a->n), 0);
}

static void run_dropout(cru_device *device, void *arg)
{
    cru_dropout_args *d = arg;
    d->stream++;
    device->backend->dropout(device, d);
}

static void setup_dropout(bench_job *job, const bench_case *which)
{
    cru_dropout_args *d = bench_memory(job, sizeof *d);
    *d = (cru_dropout_args){.n = which->a, .p = 0.5f, .key = {1, 2}};
    d->x = bench_floats(job, d->n);
    d->y = bench_floats(job, d->n);
    job->run = run_dropout;
    job->arg = d;
    bench_phase(job, floats_moved(2.0 * (double)d->n), 0);
}

static void run_xent(cru_device *device, void *arg)
{
    device->backend->xent(device, arg);
}

static void setup_xent(bench_job *job, const bench_case *which)
{
    cru_xent_args *x = bench_memory(job, sizeof *x);
    *x = (cru_xent_args){.count = which->a, .classes = which->b};
    int32_t *labels = bench_memory(job, sizeof(int32_t) * (size_t)x->count);
    for (int64_t i = 0; i < x->count; i++) labels[i] = (int32_t)(i % x->classes);
    x->labels = labels;
    x->logits = bench_floats(job, x->count * x->classes);
    x->prob = bench_floats(job, x->count * x->classes);
    x->loss = bench_floats(job, x->count);
    job->run = run_xent;
    job->arg = x;
    bench_phase(job, floats_moved((double)(2 * x->count * x->classes + 2 * x->count)), 0);
}

typedef struct unary_job {
    cru_unary op;
    cru_unary_args args;
} unary_job;

static void run_unary(cru_device *device, void *arg)
{
    unary_job *u = arg;
    device->backend->unary(device, u->op, &u->args);
}

/* a: elements, b: function */
static void setup_unary(bench_job *job, const bench_case *which)
{
    unary_job *u = bench_memory(job, sizeof *u);
    *u = (unary_job){(cru_unary)which->b, {.n = which->a, .a = 1.0f}};
    u->args.x = bench_floats(job, which->a);
    u->args.y = bench_floats(job, which->a);
    job->run = run_unary;
    job->arg = u;
    bench_phase(job, floats_moved(2.0 * (double)which->a), 0);
}

static void run_softmax(cru_device *device, void *arg)
{
    device->backend->softmax(device, arg);
}

static void setup_softmax(bench_job *job, const bench_case *which)
{
    cru_softmax_args *s = bench_memory(job, sizeof *s);
    *s = (cru_softmax_args){.outer = which->a, .count = which->b, .inner = 1};
    s->x = bench_floats(job, s->outer * s->count);
    s->y = bench_floats(job, s->outer * s->count);
    job->run = run_softmax;
    job->arg = s;
    bench_phase(job, floats_moved(2.0 * (double)(s->outer * s->count)), 0);
}

static void run_column_sum(cru_device *device, void *arg)
{
    device->backend->reduce(device, CRU_REDUCE_SUM, arg);
}

/* The gradient of a bias: sums down the columns. */
static void setup_column_sum(bench_job *job, const bench_case *which)
{
    cru_reduce_args *r = bench_memory(job, sizeof *r);
    *r = (cru_reduce_args){.outer = 1, .count = which->a, .inner = which->b};
    r->x = bench_floats(job, r->count * r->inner);
    r->y = bench_floats(job, r->inner);
    job->run = run_column_sum;
    job->arg = r;
    bench_phase(job, floats_moved((double)(r->count * r->inner)), 0);
}

/* Batch, channels, side of x; weights, three by three, keep the number of channels. */
typedef struct conv_job {
    cru_conv_args forward;
    cru_conv_grad_args grad;
} conv_job;

static void run_conv(cru_device *device, void *arg)
{
    device->backend->conv(device, &((conv_job *)arg)->forward);
}

static void run_conv_grad(cru_device *device, void *arg)
{
    device->backend->conv_grad(device, &((conv_job *)arg)->grad);
}

static void setup_conv(bench_job *job, const bench_case *which)
{
    const int64_t batch = which->a, channels = which->b, side = which->c;
    conv_job *c = bench_memory(job, sizeof *c);
    const int64_t n = batch * channels * side * side, weights = channels * channels * 9;
    float *x = bench_floats(job, n), *weight = bench_floats(job, weights);
    c->forward = (cru_conv_args){batch, channels, channels, side, side, 3, 3, 1, 1, 1, x, weight, NULL, NULL};
    c->forward.y = bench_floats(job, n);
    c->grad = (cru_conv_grad_args){batch, channels, channels, side,         side, 3,    3,    1,    1,
                                   1,     x,        weight,   c->forward.y, NULL, NULL, NULL, false};
    c->grad.dx = bench_floats(job, n);
    c->grad.dweight = bench_floats(job, weights);
    job->run = run_conv;
    job->arg = c;
    bench_phase(job, floats_moved(2.0 * (double)n + (double)weights), 2.0 * (double)n * 9.0 * (double)channels);
}

static void setup_conv_grad(bench_job *job, const bench_case *which)
{
    setup_conv(job, which);
    job->run = run_conv_grad;
    job->phase[0].flops *= 2.0;
}

const bench_case bench_operators[] = {
    {"gemm 1536 x 1536 x 1536", setup_gemm, NULL, 1536, 1536, 1536},
    {"gemm 2708 x 7 x 16", setup_gemm, NULL, 2708, 7, 16},
    {"gemm 2708 x 16 x 7, b transposed", setup_gemm_second_transposed, NULL, 2708, 16, 7},
    {"gemm 16 x 7 x 2708, a transposed", setup_gemm_transposed, NULL, 16, 7, 2708},
    {"gemm 128 x 500 x 500", setup_gemm, NULL, 128, 500, 500},
    {"gemm 169343 x 64 x 128", setup_gemm, NULL, 169343, 64, 128},
    {"gemm 169343 x 40 x 64", setup_gemm, NULL, 169343, 40, 64},
    {"gemm 169343 x 64 x 40, b transposed", setup_gemm_second_transposed, NULL, 169343, 64, 40},
    {"gemm 128 x 64 x 169343, a transposed", setup_gemm_transposed, NULL, 128, 64, 169343},
    {"gemm 64 x 40 x 169343, a transposed", setup_gemm_transposed, NULL, 64, 40, 169343},
    {"spmm cora 1 x 16", setup_spmm, "cora", 1, 16, 0},
    {"spmm cora 1 x 7", setup_spmm, "cora", 1, 7, 0},
    {"spmm photo 1 x 16", setup_spmm, "photo", 1, 16, 0},
    {"spmm arxiv 1 x 64", setup_spmm, "arxiv", 1, 64, 0},
    {"spmm arxiv 1 x 40", setup_spmm, "arxiv", 1, 40, 0},
    {"spmm cora 8 x 8", setup_spmm, "cora", 8, 8, 0},
    {"spmm arxiv 8 x 8", setup_spmm, "arxiv", 8, 8, 0},
    {"sddmm cora 8 x 8", setup_sddmm, "cora", 8, 8, 0},
    {"sddmm arxiv 8 x 8", setup_sddmm, "arxiv", 8, 8, 0},
    {"sddmm arxiv 1 x 64", setup_sddmm, "arxiv", 1, 64, 0},
    {"edge softmax cora 8", setup_edge_softmax, "cora", 8, 0, 0},
    {"edge softmax arxiv 8", setup_edge_softmax, "arxiv", 8, 0, 0},
    {"edge softmax arxiv 1", setup_edge_softmax, "arxiv", 1, 0, 0},
    {"adam 23000", setup_adam, NULL, 23000, 0, 0},
    {"adam 4000000", setup_adam, NULL, 4000000, 0, 0},
    {"dropout 43328", setup_dropout, NULL, 43328, 0, 0},
    {"dropout 10837952", setup_dropout, NULL, 10837952, 0, 0},
    {"relu 10837952", setup_unary, NULL, 10837952, CRU_UNARY_RELU, 0},
    {"elu 10837952", setup_unary, NULL, 10837952, CRU_UNARY_ELU, 0},
    {"tanh 10837952", setup_unary, NULL, 10837952, CRU_UNARY_TANH, 0},
    {"gelu 10837952", setup_unary, NULL, 10837952, CRU_UNARY_GELU, 0},
    {"softmax 169343 x 40", setup_softmax, NULL, 169343, 40, 0},
    {"xent 140 x 7", setup_xent, NULL, 140, 7, 0},
    {"xent 169343 x 40", setup_xent, NULL, 169343, 40, 0},
    {"column sum 169343 x 64", setup_column_sum, NULL, 169343, 64, 0},
    {"conv 64 x 16 x 32", setup_conv, NULL, 64, 16, 32},
    {"conv 64 x 64 x 8", setup_conv, NULL, 64, 64, 8},
    {"conv grad 64 x 16 x 32", setup_conv_grad, NULL, 64, 16, 32},
    {"conv grad 64 x 64 x 8", setup_conv_grad, NULL, 64, 64, 8},
    {0},
};
