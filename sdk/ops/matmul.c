// SPDX-License-Identifier: Apache-2.0
/* Products: one matrix, or a batch of them.
 *
 * With C = op(A) op(B):   dA = dC op(B)^T   and   dB = op(A)^T dC,  each transposed when its operand is. */
#include <crucible/draft/ops-basic.h>
#include <crucible/ops-basic.h>

#include "autograd/tape.h"

/* The matrices of a tensor: `batch` of rows x cols. */
typedef struct matrices {
    int64_t batch, rows, cols;
    const float *x;
    bool transposed;
} matrices;

static matrices view(const cru_tensor *x, const float *data, bool batched, bool transposed)
{
    if (!batched) return (matrices){1, cru_tensor_rows(x), cru_tensor_cols(x), data, transposed};
    return (matrices){x->dim[0], x->dim[1], x->dim[2], data, transposed};
}

static void multiply(cru_tape *t, matrices a, matrices b, float *c, bool add)
{
    int64_t m = a.transposed ? a.cols : a.rows, k = a.transposed ? a.rows : a.cols;
    int64_t n = b.transposed ? b.rows : b.cols;
    cru_gemm_args args = {
        .ta = a.transposed,
        .tb = b.transposed,
        .m = m,
        .n = n,
        .k = k,
        .alpha = 1,
        .beta = add ? 1 : 0,
        .a = a.x,
        .b = b.x,
        .c = c,
        .lda = a.cols,
        .ldb = b.cols,
        .ldc = n,
        .batch = a.batch,
        .stride_a = a.rows * a.cols,
        .stride_b = b.rows * b.cols,
        .stride_c = m * n,
    };
    t->device->backend->gemm(t->device, &args);
}

typedef struct matmul_state {
    cru_transpose op;
    bool batched;
} matmul_state;

static void matmul_backward(cru_tape *t, tape_node *n)
{
    const matmul_state *s = n->state;
    bool ta = s->op & CRU_TN, tb = s->op & CRU_NT, add;
    cru_tensor *a = n->in[0], *b = n->in[1];
    float *da = tape_grad(t, a, &add);
    if (da && !ta)
        multiply(t, view(n->out, n->out->grad, s->batched, false), view(b, b->data, s->batched, !tb), da, add);
    if (da && ta) multiply(t, view(b, b->data, s->batched, tb), view(n->out, n->out->grad, s->batched, true), da, add);
    float *db = tape_grad(t, b, &add);
    if (db && !tb)
        multiply(t, view(a, a->data, s->batched, !ta), view(n->out, n->out->grad, s->batched, false), db, add);
    if (db && tb) multiply(t, view(n->out, n->out->grad, s->batched, true), view(a, a->data, s->batched, ta), db, add);
}

static cru_transpose with(bool ta, bool tb)
{
    return (cru_transpose)((ta ? CRU_TN : 0) | (tb ? CRU_NT : 0));
}

static void matmul_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const matmul_state *s = n->state;
    cru_assert(!s->batched, "grad: bmm cannot be differentiated twice");
    bool ta = s->op & CRU_TN, tb = s->op & CRU_NT;
    cru_tensor *a = n->in[0], *b = n->in[1];
    if (a->needs_grad) dx[0] = ta ? cru_matmul_op(t, b, dy, with(tb, true)) : cru_matmul_op(t, dy, b, with(false, !tb));
    if (b->needs_grad) dx[1] = tb ? cru_matmul_op(t, dy, a, with(true, ta)) : cru_matmul_op(t, a, dy, with(!ta, false));
}

static const tape_op matmul_op = {.name = "matmul", .backward = matmul_backward, .backward_graph = matmul_graph};

static cru_tensor *product(cru_tape *t, cru_tensor *a, cru_tensor *b, cru_transpose op, bool batched)
{
    matrices va = view(a, a->data, batched, op & CRU_TN), vb = view(b, b->data, batched, op & CRU_NT);
    int64_t m = va.transposed ? va.cols : va.rows, ka = va.transposed ? va.rows : va.cols;
    int64_t kb = vb.transposed ? vb.cols : vb.rows, n = vb.transposed ? vb.rows : vb.cols;
    cru_assert(ka == kb && va.batch == vb.batch, "matmul: %s%s against %s%s", tape_text(a).text,
               va.transposed ? " transposed" : "", tape_text(b).text, vb.transposed ? " transposed" : "");
    cru_tensor shape = batched ? tape_shape(3, (const int64_t[]){va.batch, m, n}) : tape_shape2(m, n);
    tape_result r = tape_emit(t, &matmul_op, &shape, (cru_tensor *[]){a, b}, 2, sizeof(matmul_state));
    *(matmul_state *)r.state = (matmul_state){.op = op, .batched = batched};
    multiply(t, va, vb, r.out->data, false);
    return r.out;
}

cru_tensor *cru_matmul(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return product(t, a, b, CRU_NN, false);
}

cru_tensor *cru_matmul_op(cru_tape *t, cru_tensor *a, cru_tensor *b, cru_transpose op)
{
    return product(t, a, b, op, false);
}

cru_tensor *cru_bmm(cru_tape *t, cru_tensor *a, cru_tensor *b, cru_transpose op)
{
    cru_assert(a->rank == 3 && b->rank == 3, "bmm: %s and %s are not batches of matrices", tape_text(a).text,
               tape_text(b).text);
    return product(t, a, b, op, true);
}

cru_tensor *cru_dot_rows(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return cru_sum(t, cru_as_matrix(t, cru_mul(t, a, b), cru_tensor_rows(a), -1), 1);
}
