// SPDX-License-Identifier: Apache-2.0
/* Propagation over a sparse matrix.
 *
 *     y = A x:    dx = A^T dy,   dw_e = <dy_v, x_u> for the entry e = (v, u) */
#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-sparse.h>
#include <crucible/ops-sparse.h>

#include "autograd/tape.h"
#include "ops/linear.h"
#include "tensor/sparse.h"

typedef struct spmm_state {
    cru_sparse *a;
    cru_reduce op;
    int32_t *where;
    bool transposed;
    cru_finish finish; /* with fixed values only */
} spmm_state;

static void check_rows(const char *name, const cru_csr *a, const cru_tensor *x)
{
    cru_assert(cru_tensor_rows(x) == a->cols, "%s: a matrix of %lldx%lld against %s", name, (long long)a->rows,
               (long long)a->cols, tape_text(x).text);
}

/* dx (+)= A dy, where A has as many entries as `of`. */
static void propagate(cru_tape *t, const cru_sparse *of, cru_csr a, const tape_node *n, float *dx, bool add)
{
    cru_spmm_args args = {.a = a,
                          .entries = cru_csr_nnz(&of->csr),
                          .op = CRU_REDUCE_SUM,
                          .heads = 1,
                          .cols = cru_tensor_cols(n->out),
                          .x = n->out->grad,
                          .y = dx,
                          .accumulate = add};
    t->device->backend->spmm(t->device, &args);
}

/* ---- fixed values ---------------------------------------------------------------------------------------- */

/* in: x, then the bias */
static void spmm_backward(cru_tape *t, tape_node *n)
{
    const spmm_state *s = n->state;
    finish_backward(t, n);
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    if (!dx) return;
    const cru_csr back = s->transposed ? sparse_csr(s->a) : sparse_mirrored(s->a);
    propagate(t, s->a, back, n, dx, add);
}

static void spmm_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const spmm_state *s = n->state;
    cru_tensor *dz = finish_graph(t, n, &s->finish, dy);
    if (n->in[0]->needs_grad) dx[0] = s->transposed ? cru_spmm(t, s->a, dz) : cru_spmm_transposed(t, s->a, dz);
    if (n->in_count > 1 && n->in[1]->needs_grad) dx[1] = bias_graph(t, n->in[1], dz);
}

static const tape_op spmm_op = {.name = "spmm", .backward = spmm_backward, .backward_graph = spmm_graph};

static cru_tensor *fixed(cru_tape *t, cru_sparse *a, cru_tensor *x, const cru_then *then, bool transposed)
{
    const cru_csr csr = transposed ? sparse_mirrored(a) : sparse_csr(a);
    check_rows("spmm", &csr, x);
    then_check("spmm", cru_tensor_cols(x), then);
    cru_tensor shape = tape_shape2(csr.rows, cru_tensor_cols(x)), *in[] = {x, then->bias};
    tape_result r = tape_emit(t, &spmm_op, &shape, in, then->bias ? 2 : 1, sizeof(spmm_state));
    spmm_state *s = r.state;
    *s = (spmm_state){.a = a, .transposed = transposed};
    finish_set(t, &s->finish, r.out, then);
    cru_spmm_args args = {.a = csr,
                          .entries = cru_csr_nnz(&a->csr),
                          .op = CRU_REDUCE_SUM,
                          .heads = 1,
                          .cols = cru_tensor_cols(x),
                          .x = x->data,
                          .y = r.out->data,
                          .finish = finish_or_null(&s->finish)};
    const tape_product product = {.op = &spmm_op, .a = a, .b = x->data, .finish = s->finish};
    const bool same = !transposed && tape_same_in_both(t, x);
    if (same && tape_recall(t, &product, r.out)) return r.out;
    t->device->backend->spmm(t->device, &args);
    if (same) tape_remember(t, &product, r.out);
    return r.out;
}

cru_tensor *cru_spmm(cru_tape *t, cru_sparse *a, cru_tensor *x)
{
    return fixed(t, a, x, &(cru_then){0}, false);
}

cru_tensor *cru_spmm_then(cru_tape *t, cru_sparse *a, cru_tensor *x, const cru_then *then)
{
    return fixed(t, a, x, then, false);
}

cru_tensor *cru_spmm_transposed(cru_tape *t, cru_sparse *a, cru_tensor *x)
{
    return fixed(t, a, x, &(cru_then){0}, true);
}

/* ---- learned values -------------------------------------------------------------------------------------- */

static void weighted_backward(cru_tape *t, tape_node *n)
{
    const spmm_state *s = n->state;
    cru_tensor *w = n->in[0], *x = n->in[1];
    int64_t heads = cru_tensor_cols(w), cols = cru_tensor_cols(x) / heads;
    cru_sddmm_args dot = {.a = sparse_csr(s->a),
                          .entries = cru_csr_nnz(&s->a->csr),
                          .heads = heads,
                          .cols = cols,
                          .l = n->out->grad,
                          .r = x->data,
                          .scale = 1};
    dot.y = tape_grad(t, w, &dot.accumulate);
    if (dot.y) t->device->backend->sddmm(t->device, &dot);
    cru_spmm_args back = {.entries = cru_csr_nnz(&s->a->csr),
                          .op = CRU_REDUCE_SUM,
                          .weights = w->data,
                          .heads = heads,
                          .cols = cols,
                          .x = n->out->grad};
    back.y = tape_grad(t, x, &back.accumulate);
    if (!back.y) return;
    back.a = sparse_transposed(s->a);
    back.order = sparse_entry(s->a);
    t->device->backend->spmm(t->device, &back);
}

static const tape_op weighted_op = {.name = "spmm_weighted", .backward = weighted_backward};

cru_tensor *cru_spmm_weighted(cru_tape *t, cru_sparse *a, cru_tensor *w, cru_tensor *x)
{
    check_rows("spmm_weighted", &a->csr, x);
    int64_t heads = cru_tensor_cols(w);
    cru_assert(cru_tensor_rows(w) == cru_csr_nnz(&a->csr) && heads > 0 && cru_tensor_cols(x) % heads == 0,
               "spmm_weighted: %lld entries with weights %s against %s", (long long)cru_csr_nnz(&a->csr),
               tape_text(w).text, tape_text(x).text);
    cru_tensor shape = tape_shape2(a->csr.rows, cru_tensor_cols(x));
    tape_result r = tape_emit(t, &weighted_op, &shape, (cru_tensor *[]){w, x}, 2, sizeof(spmm_state));
    *(spmm_state *)r.state = (spmm_state){.a = a};
    cru_spmm_args args = {.a = sparse_csr(a),
                          .entries = cru_csr_nnz(&a->csr),
                          .weights = w->data,
                          .op = CRU_REDUCE_SUM,
                          .heads = heads,
                          .cols = cru_tensor_cols(x) / heads,
                          .x = x->data,
                          .y = r.out->data};
    t->device->backend->spmm(t->device, &args);
    return r.out;
}

/* ---- mean, max, min -------------------------------------------------------------------------------------- */

static cru_csr unweighted(cru_csr a)
{
    a.values = NULL;
    return a;
}

/* The mean of row v spreads dy_v / degree(v) to its neighbours. */
static void mean_backward(cru_tape *t, tape_node *n, float *dx, bool add)
{
    const spmm_state *s = n->state;
    const cru_csr *a = &s->a->csr;
    int64_t cols = cru_tensor_cols(n->out);
    float *host = tape_scratch(t, a->rows, sizeof *host);
    for (int64_t v = 0; v < a->rows; v++) {
        int64_t degree = a->offsets[v + 1] - a->offsets[v];
        host[v] = degree ? 1.0f / (float)degree : 0;
    }
    float *share = tape_floats(t, a->rows);
    t->device->backend->upload(t->device, share, host, (size_t)a->rows * sizeof *host);
    cru_binary_args args = {
        .rows = a->rows, .cols = cols, .a = {n->out->grad, cols, 1}, .b = {share, 1, 0}, .y = n->out->grad};
    t->device->backend->binary(t->device, CRU_BINARY_MUL, &args);
    cru_csr back = unweighted(sparse_mirrored(s->a));
    propagate(t, s->a, back, n, dx, add);
}

static void aggregate_backward(cru_tape *t, tape_node *n)
{
    const spmm_state *s = n->state;
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    if (!dx) return;
    if (s->op == CRU_REDUCE_MEAN) {
        mean_backward(t, n, dx, add);
        return;
    }
    if (s->op == CRU_REDUCE_SUM) {
        cru_csr back = unweighted(sparse_mirrored(s->a));
        propagate(t, s->a, back, n, dx, add);
        return;
    }
    cru_select_args args = {.a = unweighted(sparse_transposed(s->a)),
                            .cols = cru_tensor_cols(n->out),
                            .where = s->where,
                            .dy = n->out->grad,
                            .dx = dx,
                            .accumulate = add};
    args.order = sparse_entry(s->a);
    t->device->backend->select(t->device, &args);
}

static const tape_op aggregate_op = {.name = "aggregate", .backward = aggregate_backward};

cru_tensor *cru_aggregate(cru_tape *t, cru_sparse *a, cru_tensor *x, cru_reduce op)
{
    check_rows("aggregate", &a->csr, x);
    int64_t cols = cru_tensor_cols(x);
    cru_tensor shape = tape_shape2(a->csr.rows, cols);
    tape_result r = tape_emit(t, &aggregate_op, &shape, &x, 1, sizeof(spmm_state));
    spmm_state *s = r.state;
    *s = (spmm_state){.a = a, .op = op};
    if (op == CRU_REDUCE_MAX || op == CRU_REDUCE_MIN) s->where = tape_ints(t, cru_tensor_count(r.out));
    cru_spmm_args args = {.a = unweighted(sparse_csr(a)),
                          .op = op,
                          .heads = 1,
                          .cols = cols,
                          .x = x->data,
                          .y = r.out->data,
                          .where = s->where};
    t->device->backend->spmm(t->device, &args);
    return r.out;
}
