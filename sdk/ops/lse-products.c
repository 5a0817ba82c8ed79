// SPDX-License-Identifier: Apache-2.0
/* Log-sum-exp over all inner products, in blocks of rows: the n x m matrix never exists. */
#include <crucible/ops-loss.h>

#include "ops/lse.h"

typedef struct products {
    int64_t n, m, cols;
    float scale;
} products;

static int64_t block_rows(const products *p)
{
    int64_t rows = LSE_BLOCK / (p->m > 0 ? p->m : 1);
    rows = rows < 1 ? 1 : rows;
    return rows < p->n ? rows : p->n;
}

/* y = scale a[from .. from+rows-1] b^T */
static void multiply(cru_device *device, const products *p, cru_gemm_args block)
{
    block.tb = true;
    block.n = p->m;
    block.k = p->cols;
    block.alpha = p->scale;
    block.lda = block.ldb = p->cols;
    block.ldc = p->m;
    device->backend->gemm(device, &block);
}

/* y_ij <- y_ij op row_i */
static void by_row(cru_device *device, cru_binary op, cru_binary_args rows)
{
    rows.b.row = 1;
    rows.a = (cru_operand){rows.y, rows.cols, 1};
    device->backend->binary(device, op, &rows);
}

/* With P = softmax of the products by row: da_i = scale g_i sum_j P_ij b_j, db_j = scale sum_i g_i P_ij a_i. */
static void lse_products_backward(cru_tape *t, tape_node *n)
{
    const products *p = n->state;
    cru_device *device = t->device;
    const int64_t most = block_rows(p), cols = p->cols;
    const float *a = n->in[0]->data, *b = n->in[1]->data;
    const bool need[] = {tape_needs(t, n->in[0]), tape_needs(t, n->in[1])};
    float *da = need[0] ? tape_floats(t, p->n * cols) : NULL, *db = need[1] ? tape_floats(t, p->m * cols) : NULL;
    float *share = tape_floats(t, most * p->m);
    for (int64_t from = 0; from < p->n; from += most) {
        const int64_t rows = p->n - from < most ? p->n - from : most, size = rows * p->m;
        multiply(device, p, (cru_gemm_args){.m = rows, .a = a + from * cols, .b = b, .c = share});
        cru_binary_args each = {.rows = rows, .cols = p->m, .y = share};
        each.b.x = n->out->data + from;
        by_row(device, CRU_BINARY_SUB, each);
        device->backend->unary(device, CRU_UNARY_EXP, &(cru_unary_args){.n = size, .x = share, .y = share});
        each.b.x = n->out->grad + from;
        by_row(device, CRU_BINARY_MUL, each);
        cru_gemm_args step = {.alpha = p->scale, .n = cols, .a = share, .lda = p->m, .ldb = cols, .ldc = cols};
        if (da) {
            step.m = rows, step.k = p->m, step.b = b, step.c = da + from * cols;
            device->backend->gemm(device, &step);
        }
        if (db) {
            step.ta = true, step.m = p->m, step.k = rows, step.b = a + from * cols, step.c = db;
            step.beta = from > 0;
            device->backend->gemm(device, &step);
        }
    }
    pool_return(&t->memory, share, most * p->m);
    if (da) tape_grad_give(t, n->in[0], da);
    if (db) tape_grad_give(t, n->in[1], db);
}

static const tape_op lse_products_op = {.name = "lse_products", .backward = lse_products_backward};

cru_tensor *cru_lse_products(cru_tape *t, cru_tensor *a, cru_tensor *b, double scale)
{
    const products p = {
        .n = cru_tensor_rows(a), .m = cru_tensor_rows(b), .cols = cru_tensor_cols(a), .scale = (float)scale};
    cru_assert(p.cols == cru_tensor_cols(b) && p.m > 0, "lse_products: %s against %s", tape_text(a).text,
               tape_text(b).text);
    cru_tensor *own = a == b ? lse_own_products(t, a, (float)scale) : NULL;
    if (own) return own;
    const cru_tensor shape = tape_shape1(p.n);
    tape_result r = tape_emit(t, &lse_products_op, &shape, (cru_tensor *[]){a, b}, 2, sizeof p);
    *(products *)r.state = p;
    const cru_backend *be = t->device->backend;
    const int64_t most = block_rows(&p);
    float *block = tape_floats(t, most * p.m), *top = tape_floats(t, most);
    for (int64_t from = 0; from < p.n; from += most) {
        const int64_t rows = p.n - from < most ? p.n - from : most, size = rows * p.m;
        float *y = r.out->data + from;
        multiply(t->device, &p, (cru_gemm_args){.m = rows, .a = a->data + from * p.cols, .b = b->data, .c = block});
        cru_reduce_args along = {.outer = rows, .count = p.m, .inner = 1, .x = block, .y = top};
        be->reduce(t->device, CRU_REDUCE_MAX, &along);
        cru_binary_args each = {.rows = rows, .cols = p.m, .y = block};
        each.b.x = top;
        by_row(t->device, CRU_BINARY_SUB, each);
        be->unary(t->device, CRU_UNARY_EXP, &(cru_unary_args){.n = size, .x = block, .y = block});
        along.y = y;
        be->reduce(t->device, CRU_REDUCE_SUM, &along);
        be->unary(t->device, CRU_UNARY_LOG, &(cru_unary_args){.n = rows, .x = y, .y = y});
        cru_binary_args plus = {.rows = 1, .cols = rows, .a = {y, rows, 1}, .b = {top, rows, 1}, .y = y};
        be->binary(t->device, CRU_BINARY_ADD, &plus);
    }
    pool_return(&t->memory, block, most * p.m);
    return r.out;
}
