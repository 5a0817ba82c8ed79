/* act(x w + b) in one node: the activation and the bias are applied in place on the product. */
#include <crucible/ops-basic.h>

#include "autograd/tape.h"
#include "ops/linear.h"

void linear_finish(cru_tape *t, cru_tensor *y, const cru_tensor *bias, cru_unary act)
{
    int64_t rows = cru_tensor_rows(y), cols = cru_tensor_cols(y);
    const cru_backend *be = t->device->backend;
    if (bias) {
        cru_binary_args add = {
            .rows = rows, .cols = cols, .a = {y->data, cols, 1}, .b = {bias->data, 0, 1}, .y = y->data};
        be->binary(t->device, CRU_BINARY_ADD, &add);
    }
    if (act != CRU_UNARY_COPY) {
        cru_unary_args args = {.n = rows * cols, .x = y->data, .y = y->data};
        be->unary(t->device, act, &args);
    }
}

void linear_unfinish(cru_tape *t, const cru_tensor *y, cru_tensor *bias, cru_unary act)
{
    int64_t rows = cru_tensor_rows(y), cols = cru_tensor_cols(y);
    const cru_backend *be = t->device->backend;
    if (act != CRU_UNARY_COPY) {
        cru_unary_grad_args args = {.n = rows * cols, .x = y->data, .y = y->data, .dy = y->grad, .dx = y->grad};
        be->unary_grad(t->device, act, &args);
    }
    bool add;
    float *db = bias ? tape_grad(t, bias, &add) : NULL;
    if (!db) return;
    float *sum = add ? tape_floats(t, cols) : db;
    cru_reduce_args reduce = {.outer = 1, .count = rows, .inner = cols, .x = y->grad, .y = sum};
    be->reduce(t->device, CRU_REDUCE_SUM, &reduce);
    if (!add) return;
    cru_copy_args copy = {
        .rows = 1, .cols = cols, .x = sum, .ldx = cols, .y = db, .ldy = cols, .scale = 1, .accumulate = true};
    be->copy(t->device, &copy);
    pool_return(&t->memory, sum, cols);
}

void linear_check(const char *name, int64_t in, const cru_tensor *w, const cru_tensor *b, cru_unary act)
{
    cru_assert(cru_tensor_rows(w) == in, "%s: %lld features against weights %s", name, (long long)in,
               tape_text(w).text);
    cru_assert(!b || cru_tensor_count(b) == cru_tensor_cols(w), "%s: weights %s against a bias of %s", name,
               tape_text(w).text, b ? tape_text(b).text : "");
    cru_assert(act == CRU_UNARY_COPY || act == CRU_UNARY_RELU || act == CRU_UNARY_TANH || act == CRU_UNARY_SIGMOID,
               "%s: this activation cannot be fused; apply it on its own", name);
}

typedef struct linear_state {
    cru_unary act;
} linear_state;

static void linear_backward(cru_tape *t, tape_node *n)
{
    cru_tensor *x = n->in[0], *w = n->in[1], *bias = n->in_count > 2 ? n->in[2] : NULL;
    linear_unfinish(t, n->out, bias, ((const linear_state *)n->state)->act);
    int64_t rows = cru_tensor_rows(x), in = cru_tensor_cols(x), out = cru_tensor_cols(w);
    cru_gemm_args args = {.tb = true,
                          .m = rows,
                          .n = in,
                          .k = out,
                          .alpha = 1,
                          .a = n->out->grad,
                          .lda = out,
                          .b = w->data,
                          .ldb = out,
                          .ldc = in};
    bool add;
    if ((args.c = tape_grad(t, x, &add))) {
        args.beta = add ? 1 : 0;
        t->device->backend->gemm(t->device, &args);
    }
    args = (cru_gemm_args){.ta = true,
                           .m = in,
                           .n = out,
                           .k = rows,
                           .alpha = 1,
                           .a = x->data,
                           .lda = in,
                           .b = n->out->grad,
                           .ldb = out,
                           .ldc = out};
    if ((args.c = tape_grad(t, w, &add))) {
        args.beta = add ? 1 : 0;
        t->device->backend->gemm(t->device, &args);
    }
}

static void linear_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    cru_assert(((const linear_state *)n->state)->act == CRU_UNARY_COPY,
               "grad: a fused activation cannot be differentiated twice; apply it on its own");
    cru_tensor *x = n->in[0], *w = n->in[1];
    if (x->needs_grad) dx[0] = cru_matmul_op(t, dy, w, CRU_NT);
    if (w->needs_grad) dx[1] = cru_matmul_op(t, x, dy, CRU_TN);
    if (n->in_count > 2 && n->in[2]->needs_grad)
        dx[2] = cru_reshape(t, cru_sum(t, dy, 0), n->in[2]->rank, n->in[2]->dim);
}

static const tape_op linear_op = {.name = "linear", .backward = linear_backward, .backward_graph = linear_graph};

cru_tensor *cru_linear_act(cru_tape *t, cru_tensor *x, cru_tensor *w, cru_tensor *b, cru_unary act)
{
    int64_t rows = cru_tensor_rows(x), in = cru_tensor_cols(x), out = cru_tensor_cols(w);
    linear_check("linear", in, w, b, act);
    cru_tensor shape = tape_shape2(rows, out);
    tape_result r = tape_emit(t, &linear_op, &shape, (cru_tensor *[]){x, w, b}, b ? 3 : 2, sizeof(linear_state));
    ((linear_state *)r.state)->act = act;
    cru_gemm_args args = {.m = rows,
                          .n = out,
                          .k = in,
                          .alpha = 1,
                          .a = x->data,
                          .lda = in,
                          .b = w->data,
                          .ldb = out,
                          .c = r.out->data,
                          .ldc = out};
    t->device->backend->gemm(t->device, &args);
    linear_finish(t, r.out, b, act);
    return r.out;
}

cru_tensor *cru_linear(cru_tape *t, cru_tensor *x, cru_tensor *w, cru_tensor *b)
{
    return cru_linear_act(t, x, w, b, CRU_UNARY_COPY);
}
