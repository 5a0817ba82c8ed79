// SPDX-License-Identifier: Apache-2.0
/* Products, moves and images with any number of threads: see threads.h. */
#include "threads.h"

/* ---- products ------------------------------------------------------------------------------------------------ */

CALL(gemm, cru_gemm_args, c)
static work product_of(cru_arena *a, int64_t m, int64_t n, int64_t k, const cru_finish *f)
{
    return (work){call_gemm,
                  ARGS(cru_gemm_args, .m = m, .n = n, .k = k, .alpha = 1, .beta = f ? 0 : 1, .a = values(a, m * k),
                       .b = values(a, k * n), .lda = k, .ldb = n, .ldc = n, .finish = f),
                  m * n};
}
static work tall_product(cru_arena *a)
{
    return product_of(a, 5000, 40, 64, NULL);
}
static work deep_product(cru_arena *a)
{
    return product_of(a, 30, 20, 20000, NULL);
}
static work wide_product(cru_arena *a)
{
    return product_of(a, 100, 1500, 64, NULL);
}
static const cru_finish *product_end(cru_arena *a, int64_t n)
{
    return ARGS(cru_finish, values(a, n), CRU_UNARY_SIGMOID, 0, 0.4f, {3, 4}, 5);
}
static work finished_tall_product(cru_arena *a)
{
    return product_of(a, 5000, 40, 64, product_end(a, 40));
}
static work finished_wide_product(cru_arena *a)
{
    return product_of(a, 500, 1500, 64, product_end(a, 1500));
}

CALL(spmm, cru_spmm_args, y)
static work neighbours(cru_arena *a, cru_reduce op, int64_t heads, int64_t cols)
{
    const cru_csr g = graph(a, ROWS, 5000);
    const int64_t width = heads * cols;
    return (work){call_spmm,
                  ARGS(cru_spmm_args, .a = g, .weights = heads > 1 ? values(a, cru_csr_nnz(&g) * heads) : NULL,
                       .op = op, .heads = heads, .cols = cols, .x = values(a, g.cols * width), .accumulate = true),
                  ROWS * width};
}
static work neighbour_sum(cru_arena *a)
{
    return neighbours(a, CRU_REDUCE_SUM, 1, COLS);
}
static work neighbour_heads(cru_arena *a)
{
    return neighbours(a, CRU_REDUCE_SUM, 8, 8);
}
static work neighbour_mean(cru_arena *a)
{
    return neighbours(a, CRU_REDUCE_MEAN, 1, 16);
}
static work neighbour_max(cru_arena *a)
{
    work w = neighbours(a, CRU_REDUCE_MAX, 1, COLS);
    cru_spmm_args *s = (cru_spmm_args *)w.args;
    s->where = cru_arena_alloc(a, ROWS * COLS, sizeof *s->where);
    return w;
}
static work finished_neighbour_sum(cru_arena *a)
{
    work w = neighbours(a, CRU_REDUCE_SUM, 1, COLS);
    cru_spmm_args *s = (cru_spmm_args *)w.args;
    s->accumulate = false;
    s->finish = product_end(a, COLS);
    return w;
}

CALL(spmm_transposed, cru_spmm_transposed_args, y)
static work transposed_sum(cru_arena *a)
{
    const cru_csr g = graph(a, 60000, 90);
    return (work){call_spmm_transposed,
                  ARGS(cru_spmm_transposed_args, .a = g, .cols = 40, .x = values(a, 60000 * 40), .accumulate = true),
                  90 * 40};
}

CALL(select, cru_select_args, dx)
static work select_winners(cru_arena *a)
{
    const cru_csr g = graph(a, ROWS, 5000);
    const int64_t nnz = cru_csr_nnz(&g);
    return (work){call_select,
                  ARGS(cru_select_args, .a = g, .order = backwards(a, nnz), .cols = COLS,
                       .where = numbers(a, 5000 * COLS, nnz), .dy = values(a, 5000 * COLS), .accumulate = true),
                  ROWS * COLS};
}

CALL(sddmm, cru_sddmm_args, y)
static work sddmm(cru_arena *a)
{
    const cru_csr g = graph(a, ROWS, 5000);
    return (work){call_sddmm,
                  ARGS(cru_sddmm_args, .a = g, .heads = 4, .cols = 9, .l = values(a, ROWS * 36),
                       .r = values(a, 5000 * 36), .scale = 0.5f, .accumulate = true),
                  cru_csr_nnz(&g) * 4};
}

CALL(edge, cru_edge_args, y)
static work edge(cru_arena *a)
{
    const cru_csr g = graph(a, ROWS, 5000);
    return (work){call_edge,
                  ARGS(cru_edge_args, .a = g, .op = CRU_BINARY_ADD, .heads = 17, .l = values(a, ROWS * 17),
                       .r = values(a, 5000 * 17), .accumulate = true),
                  cru_csr_nnz(&g) * 17};
}

CALL(edge_sum, cru_edge_sum_args, y)
static work edge_sum(cru_arena *a)
{
    const cru_csr g = graph(a, ROWS, 5000);
    const int64_t nnz = cru_csr_nnz(&g);
    return (work){call_edge_sum, ARGS(cru_edge_sum_args, g, backwards(a, nnz), 17, values(a, nnz * 17), NULL, true),
                  ROWS * 17};
}

CALL(edge_softmax, cru_edge_softmax_args, y)
static work edge_softmax(cru_arena *a)
{
    const cru_csr g = graph(a, ROWS, 5000);
    const int64_t n = cru_csr_nnz(&g) * 8;
    return (work){call_edge_softmax, ARGS(cru_edge_softmax_args, g, 8, values(a, n), NULL), n};
}

CALL(edge_softmax_grad, cru_edge_softmax_grad_args, dx)
static work edge_softmax_grad(cru_arena *a)
{
    const cru_csr g = graph(a, ROWS, 5000);
    const int64_t n = cru_csr_nnz(&g) * 17;
    return (work){call_edge_softmax_grad,
                  ARGS(cru_edge_softmax_grad_args, g, 17, values(a, n), values(a, n), NULL, true), n};
}

/* ---- moves --------------------------------------------------------------------------------------------------- */

CALL(copy, cru_copy_args, y)
static work copy(cru_arena *a)
{
    return (work){call_copy, ARGS(cru_copy_args, ROWS, COLS, values(a, ROWS * COLS), COLS, NULL, COLS, 0.5f, true),
                  ROWS * COLS};
}

CALL(permute, cru_permute_args, y)
static work permute(cru_arena *a)
{
    return (work){call_permute, ARGS(cru_permute_args, {30, 40, 20, 30}, {2, 0, 3, 1}, values(a, 720000), NULL, true),
                  720000};
}

CALL(gather, cru_gather_args, y)
static work gather(cru_arena *a)
{
    return (work){call_gather,
                  ARGS(cru_gather_args, ROWS, COLS, numbers(a, ROWS, 50), values(a, 50 * COLS), NULL, true),
                  ROWS * COLS};
}

CALL(scatter, cru_scatter_args, y)
static work scatter(cru_arena *a)
{
    return (work){call_scatter,
                  ARGS(cru_scatter_args, .op = CRU_REDUCE_SUM, .count = ROWS, .rows = 50, .cols = COLS,
                       .ids = numbers(a, ROWS, 50), .x = values(a, ROWS * COLS), .accumulate = true),
                  50 * COLS};
}

CALL(scatter_grad, cru_scatter_grad_args, dx)
static work scatter_grad(cru_arena *a)
{
    return (work){call_scatter_grad,
                  ARGS(cru_scatter_grad_args, .op = CRU_REDUCE_MEAN, .count = ROWS, .rows = 50, .cols = COLS,
                       .ids = numbers(a, ROWS, 50), .dy = values(a, 50 * COLS), .accumulate = true),
                  ROWS * COLS};
}

CALL(take, cru_take_args, y)
static work take(cru_arena *a)
{
    enum { K = 33 };
    return (work){call_take,
                  ARGS(cru_take_args, ROWS, COLS, K, numbers(a, ROWS * K, COLS), values(a, ROWS * COLS), NULL),
                  ROWS * K};
}

CALL(place, cru_take_args, y)
static work place(cru_arena *a)
{
    enum { K = 33 };
    return (work){call_place, ARGS(cru_take_args, ROWS, COLS, K, numbers(a, ROWS * K, COLS), values(a, ROWS * K), NULL),
                  ROWS * COLS};
}

static void call_topk(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_topk_args t = *(const cru_topk_args *)args;
    t.values = out;
    t.ids = calloc((size_t)(t.rows * t.k), sizeof *t.ids);
    b->topk(device, &t);
    for (int64_t i = 0; i < t.rows * t.k; i++) out[t.rows * t.k + i] = (float)t.ids[i];
    free(t.ids);
}
static work topk(cru_arena *a)
{
    return (work){call_topk, ARGS(cru_topk_args, .rows = ROWS, .cols = COLS, .k = 5, .x = values(a, ROWS * COLS)),
                  2 * ROWS * 5};
}
static work sort(cru_arena *a)
{
    enum { WIDE = 700 };
    return (work){call_topk, ARGS(cru_topk_args, .rows = 300, .cols = WIDE, .k = WIDE, .x = values(a, 300 * WIDE)),
                  2 * 300 * WIDE};
}

/* ---- images -------------------------------------------------------------------------------------------------- */

CALL(conv, cru_conv_args, y)
static work conv(cru_arena *a)
{
    return (work){call_conv,
                  ARGS(cru_conv_args, 16, 8, 8, 20, 20, 3, 3, 1, 1, 1, values(a, 16 * 8 * 400), values(a, 8 * 8 * 9),
                       values(a, 8), NULL),
                  16 * 8 * 400};
}

static void call_conv_grad(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_conv_grad_args g = *(const cru_conv_grad_args *)args;
    g.dx = out;
    g.dweight = out + g.batch * g.in * g.height * g.width;
    g.dbias = g.dweight + g.out * g.in * g.kernel_h * g.kernel_w;
    b->conv_grad(device, &g);
}
static work conv_grad(cru_arena *a)
{
    const float *x = values(a, 16 * 8 * 400);
    return (work){call_conv_grad,
                  ARGS(cru_conv_grad_args, .batch = 16, .in = 8, .out = 8, .height = 20, .width = 20, .kernel_h = 3,
                       .kernel_w = 3, .stride = 1, .pad = 1, .groups = 1, .x = x, .weight = values(a, 8 * 8 * 9),
                       .dy = x, .accumulate = true),
                  16 * 8 * 400 + 8 * 8 * 9 + 8};
}

static void call_pool(const cru_backend *b, cru_device *device, const void *args, float *out)
{
    cru_pool_args p = *(const cru_pool_args *)args;
    p.y = out;
    b->pool(device, &p);
}
static work pool(cru_arena *a)
{
    return (work){call_pool,
                  ARGS(cru_pool_args, .max = false, .planes = 300, .height = 32, .width = 32, .kernel = 2, .stride = 2,
                       .x = values(a, 300 * 1024)),
                  300 * 256};
}

CALL(pool_grad, cru_pool_grad_args, dx)
static work pool_grad(cru_arena *a)
{
    return (work){call_pool_grad,
                  ARGS(cru_pool_grad_args, .planes = 300, .height = 32, .width = 32, .kernel = 3, .stride = 1, .pad = 1,
                       .dy = values(a, 300 * 1024), .accumulate = true),
                  300 * 1024};
}

/* ---- the comparison ------------------------------------------------------------------------------------------ */

static const shared_case cases[] = {
    {"gemm, tall", tall_product},
    {"gemm, deep", deep_product},
    {"gemm, wide", wide_product},
    {"gemm, tall, finished", finished_tall_product},
    {"gemm, wide, finished", finished_wide_product},
    {"spmm", neighbour_sum},
    {"spmm of heads", neighbour_heads},
    {"spmm: means", neighbour_mean},
    {"spmm: largest", neighbour_max},
    {"spmm, finished", finished_neighbour_sum},
    {"spmm_transposed", transposed_sum},
    {"select", select_winners},
    {"sddmm", sddmm},
    {"edge", edge},
    {"edge_sum", edge_sum},
    {"edge_softmax", edge_softmax},
    {"edge_softmax_grad", edge_softmax_grad},
    {"copy", copy},
    {"permute", permute},
    {"gather", gather},
    {"scatter", scatter},
    {"scatter_grad", scatter_grad},
    {"take", take},
    {"place", place},
    {"topk", topk},
    {"topk: whole rows", sort},
    {"conv", conv},
    {"conv_grad", conv_grad},
    {"pool", pool},
    {"pool_grad", pool_grad},
};

START_TEST(a_kernel_gives_the_same_bits_with_any_number_of_threads)
{
    check_threads(&cases[_i]);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("threads of products");
    TCase *c = tcase_create("threads");
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, a_kernel_gives_the_same_bits_with_any_number_of_threads, 0, (int)COUNT(cases));
    suite_add_tcase(s, c);
    return s;
}
