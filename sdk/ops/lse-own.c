/* Log-sum-exp over the inner products of a matrix's rows with each other: cru_lse_products of a tensor with itself.
 *
 * The products are symmetric, so only blocks on and right of the diagonal are computed: a block of rows I against the
 * rows from its first one on. What lies right of the diagonal square also serves the rows below, transposed. Where no
 * product can be large, exponentials need no shift by the largest of their row, and e_ij = e_ji holds for them, too. */
#include <math.h>

#include "ops/lse.h"

/* With |product| <= 60 sums of 2^31 exponentials, their reciprocals and products of both stay finite and normal. */
static const float most_product = 60;

typedef struct own_block {
    int64_t from, rows, cols; /* rows from .. from + rows - 1 against cols rows, also from `from` on */
} own_block;

/* The block after `b`; from a zeroed one, the first. False: there is none. */
static bool next_block(int64_t n, own_block *b)
{
    b->from += b->rows;
    b->cols = n - b->from;
    if (b->cols == 0) return false;
    const int64_t rows = LSE_BLOCK / b->cols;
    b->rows = rows < 1 ? 1 : rows < b->cols ? rows : b->cols;
    return true;
}

/* Room for every block of n rows. */
static int64_t block_floats(int64_t n)
{
    const int64_t square = n < LSE_BLOCK / (n > 0 ? n : 1) ? n * n : LSE_BLOCK;
    return square < n ? n : square;
}

/* e = exp(scale x_i x_j) of a block */
static void exponentials(cru_tape *t, const cru_tensor *x, const own_block *b, float scale, float *e)
{
    const int64_t c = cru_tensor_cols(x);
    const float *first = x->data + b->from * c;
    cru_gemm_args products = {.tb = true, .m = b->rows, .n = b->cols, .k = c, .alpha = scale, .a = first, .b = first};
    products.lda = products.ldb = c;
    products.ldc = b->cols;
    products.c = e;
    t->device->backend->gemm(t->device, &products);
    const cru_unary_args all = {.n = b->rows * b->cols, .x = e, .y = e};
    t->device->backend->unary(t->device, CRU_UNARY_EXP, &all);
}

/* y = a op b, n numbers; y may be a or b */
static void combine(cru_device *device, cru_binary op, int64_t n, const float *a, const float *b, float *y)
{
    const cru_binary_args args = {.rows = 1, .cols = n, .a = {a, n, 1}, .b = {b, n, 1}, .y = y};
    device->backend->binary(device, op, &args);
}

/* y_ij = e_ij (u_i + u_j) with `sums` as scratch of the size of e */
static void weigh(cru_device *device, const own_block *b, const float *u, float *e, float *sums)
{
    const cru_binary_args pairs = {
        .rows = b->rows, .cols = b->cols, .a = {u + b->from, 1, 0}, .b = {u + b->from, 0, 1}, .y = sums};
    device->backend->binary(device, CRU_BINARY_ADD, &pairs);
    combine(device, CRU_BINARY_MUL, b->rows * b->cols, e, sums, e);
}

/* dy_i / sum_j e_ij: what an exponential in row i passes on */
static float *shares(cru_tape *t, const tape_node *n, int64_t count)
{
    float *u = tape_floats(t, count);
    const cru_backend *be = t->device->backend;
    be->unary(t->device, CRU_UNARY_SCALE, &(cru_unary_args){.n = count, .x = n->out->data, .y = u, .a = -1});
    be->unary(t->device, CRU_UNARY_EXP, &(cru_unary_args){.n = count, .x = u, .y = u});
    combine(t->device, CRU_BINARY_MUL, count, u, n->out->grad, u);
    return u;
}

/* x_i stands in row i and in column i: dx_i = scale sum_j e_ij (u_i + u_j) x_j */
static void own_backward(cru_tape *t, tape_node *n)
{
    const cru_tensor *x = n->in[0];
    const int64_t rows = cru_tensor_rows(x), c = cru_tensor_cols(x);
    const cru_backend *be = t->device->backend;
    float *u = shares(t, n, rows), *dx = tape_floats(t, rows * c);
    float *e = tape_floats(t, block_floats(rows)), *sums = tape_floats(t, block_floats(rows));
    be->fill(t->device, dx, rows * c, 0);
    for (own_block b = {0}; next_block(rows, &b);) {
        const float scale = *(const float *)n->state, *first = x->data + b.from * c;
        exponentials(t, x, &b, scale, e);
        weigh(t->device, &b, u, e, sums);
        cru_gemm_args part = {.m = b.rows, .n = c, .k = b.cols, .alpha = scale, .beta = 1, .a = e, .b = first};
        part.lda = b.cols;
        part.ldb = part.ldc = c;
        part.c = dx + b.from * c;
        be->gemm(t->device, &part);
        part.ta = true;
        part.m = b.cols - b.rows;
        part.k = b.rows;
        part.a = e + b.rows;
        part.c = dx + (b.from + b.rows) * c;
        if (part.m) be->gemm(t->device, &part);
    }
    pool_return(&t->memory, e, block_floats(rows));
    pool_return(&t->memory, sums, block_floats(rows));
    tape_grad_give(t, n->in[0], dx);
}

static const tape_op own_op = {.name = "lse_products", .backward = own_backward};

/* No product is larger than that of the longest row with itself. */
static bool products_are_small(cru_tape *t, const cru_tensor *x, float scale)
{
    const int64_t rows = cru_tensor_rows(x), c = cru_tensor_cols(x);
    const cru_backend *be = t->device->backend;
    float *squares = tape_floats(t, rows * c), *sums = tape_floats(t, rows), *largest = tape_floats(t, 1), host;
    combine(t->device, CRU_BINARY_MUL, rows * c, x->data, x->data, squares);
    cru_reduce_args by_row = {.outer = rows, .count = c, .inner = 1, .x = squares, .y = sums};
    be->reduce(t->device, CRU_REDUCE_SUM, &by_row);
    cru_reduce_args all = {.outer = 1, .count = rows, .inner = 1, .x = sums, .y = largest};
    be->reduce(t->device, CRU_REDUCE_MAX, &all);
    be->download(t->device, &host, largest, sizeof host);
    pool_return(&t->memory, squares, rows * c);
    return fabsf(scale) * host <= most_product; /* not when it is NaN */
}

cru_tensor *lse_own_products(cru_tape *t, cru_tensor *x, float scale)
{
    if (!products_are_small(t, x, scale)) return NULL;
    const int64_t n = cru_tensor_rows(x);
    const cru_backend *be = t->device->backend;
    const cru_tensor shape = tape_shape1(n);
    tape_result r = tape_emit(t, &own_op, &shape, &x, 1, sizeof scale);
    *(float *)r.state = scale;
    float *sums = r.out->data, *e = tape_floats(t, block_floats(n)), *part = tape_floats(t, n);
    be->fill(t->device, sums, n, 0);
    for (own_block b = {0}; next_block(n, &b);) {
        exponentials(t, x, &b, scale, e);
        cru_reduce_args by_row = {.outer = b.rows, .count = b.cols, .inner = 1, .x = e, .y = part};
        be->reduce(t->device, CRU_REDUCE_SUM, &by_row);
        combine(t->device, CRU_BINARY_ADD, b.rows, sums + b.from, part, sums + b.from);
        cru_reduce_args by_column = {.outer = 1, .count = b.rows, .inner = b.cols, .x = e, .y = part};
        be->reduce(t->device, CRU_REDUCE_SUM, &by_column);
        float *below = sums + b.from + b.rows; /* the square's columns are its rows, which are counted */
        combine(t->device, CRU_BINARY_ADD, b.cols - b.rows, below, part + b.rows, below);
    }
    be->unary(t->device, CRU_UNARY_LOG, &(cru_unary_args){.n = n, .x = sums, .y = sums});
    pool_return(&t->memory, e, block_floats(n));
    return r.out;
}
