// SPDX-License-Identifier: Apache-2.0
/* Values on edges: made from the nodes at both ends, normalised, summed back into nodes. */
#include <crucible/draft/ops-sparse.h>
#include <crucible/ops-sparse.h>

#include "autograd/tape.h"
#include "tensor/sparse.h"

typedef struct edge_state {
    cru_sparse *a;
    int64_t heads;
    cru_binary op;
} edge_state;

static void check_ends(const char *name, const cru_csr *a, const cru_tensor *l, const cru_tensor *r)
{
    cru_assert((!l || cru_tensor_rows(l) == a->rows) && (!r || cru_tensor_rows(r) == a->cols),
               "%s: a matrix of %lldx%lld with %s and %s", name, (long long)a->rows, (long long)a->cols,
               l ? tape_text(l).text : "nothing", r ? tape_text(r).text : "nothing");
}

/* Sums the gradients of n's edges into the node at one end: the destination `v` or the source `u` of each. */
static void sum_edges(cru_tape *t, tape_node *n, cru_tensor *into, bool source)
{
    const edge_state *s = n->state;
    cru_edge_sum_args args = {.a = sparse_csr(s->a), .cols = cru_tensor_cols(n->out), .x = n->out->grad};
    args.y = tape_grad(t, into, &args.accumulate);
    if (!args.y) return;
    if (source) {
        args.a = sparse_transposed(s->a);
        args.order = sparse_entry(s->a);
    }
    t->device->backend->edge_sum(t->device, &args);
}

/* ---- e = l_v op r_u -------------------------------------------------------------------------------------- */

static void add_backward(cru_tape *t, tape_node *n)
{
    sum_edges(t, n, n->in[0], false);
    sum_edges(t, n, n->in[1], true);
}

/* dl_v = sum_e de r_u and dr_u = sum_e de l_v: products with the edge gradients as weights */
static void mul_backward(cru_tape *t, tape_node *n)
{
    const edge_state *s = n->state;
    cru_spmm_args args = {.a = sparse_csr(s->a),
                          .entries = cru_csr_nnz(&s->a->csr),
                          .weights = n->out->grad,
                          .op = CRU_REDUCE_SUM,
                          .heads = s->heads,
                          .cols = 1,
                          .x = n->in[1]->data};
    args.y = tape_grad(t, n->in[0], &args.accumulate);
    if (args.y) t->device->backend->spmm(t->device, &args);
    args.y = tape_grad(t, n->in[1], &args.accumulate);
    if (!args.y) return;
    args.a = sparse_transposed(s->a);
    args.order = sparse_entry(s->a);
    args.x = n->in[0]->data;
    t->device->backend->spmm(t->device, &args);
}

static const tape_op edge_add_op = {.name = "edge_add", .backward = add_backward};
static const tape_op edge_mul_op = {.name = "edge_mul", .backward = mul_backward};

static cru_tensor *combine(cru_tape *t, const tape_op *op, cru_binary kind, cru_sparse *a, cru_tensor *const end[2])
{
    cru_tensor *l = end[0], *r = end[1];
    check_ends(op->name, &a->csr, l, r);
    int64_t heads = cru_tensor_cols(l);
    cru_assert(cru_tensor_cols(r) == heads, "%s: %s and %s differ in width", op->name, tape_text(l).text,
               tape_text(r).text);
    cru_tensor shape = tape_shape2(cru_csr_nnz(&a->csr), heads);
    tape_result result = tape_emit(t, op, &shape, end, 2, sizeof(edge_state));
    *(edge_state *)result.state = (edge_state){.a = a, .heads = heads, .op = kind};
    cru_edge_args args = {.a = sparse_csr(a),
                          .entries = cru_csr_nnz(&a->csr),
                          .op = kind,
                          .heads = heads,
                          .l = l->data,
                          .r = r->data,
                          .y = result.out->data};
    t->device->backend->edge(t->device, &args);
    return result.out;
}

cru_tensor *cru_edge_add(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r)
{
    return combine(t, &edge_add_op, CRU_BINARY_ADD, a, (cru_tensor *[]){l, r});
}

cru_tensor *cru_edge_mul(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r)
{
    return combine(t, &edge_mul_op, CRU_BINARY_MUL, a, (cru_tensor *[]){l, r});
}

/* ---- rows of one end ------------------------------------------------------------------------------------- */

static void dst_backward(cru_tape *t, tape_node *n)
{
    sum_edges(t, n, n->in[0], false);
}

static void src_backward(cru_tape *t, tape_node *n)
{
    sum_edges(t, n, n->in[0], true);
}

static const tape_op edge_dst_op = {.name = "edge_dst", .backward = dst_backward};
static const tape_op edge_src_op = {.name = "edge_src", .backward = src_backward};

static cru_tensor *one_end(cru_tape *t, const tape_op *op, cru_sparse *a, cru_tensor *x, bool source)
{
    check_ends(op->name, &a->csr, source ? NULL : x, source ? x : NULL);
    int64_t cols = cru_tensor_cols(x);
    cru_tensor shape = tape_shape2(cru_csr_nnz(&a->csr), cols);
    tape_result r = tape_emit(t, op, &shape, &x, 1, sizeof(edge_state));
    *(edge_state *)r.state = (edge_state){.a = a, .heads = cols};
    cru_edge_args args = {
        .a = sparse_csr(a), .entries = cru_csr_nnz(&a->csr), .op = CRU_BINARY_ADD, .heads = cols, .y = r.out->data};
    if (source)
        args.r = x->data;
    else
        args.l = x->data;
    t->device->backend->edge(t->device, &args);
    return r.out;
}

cru_tensor *cru_edge_dst(cru_tape *t, cru_sparse *a, cru_tensor *l)
{
    return one_end(t, &edge_dst_op, a, l, false);
}

cru_tensor *cru_edge_src(cru_tape *t, cru_sparse *a, cru_tensor *r)
{
    return one_end(t, &edge_src_op, a, r, true);
}

cru_tensor *cru_edge_concat(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r)
{
    cru_tensor *dst = cru_edge_dst(t, a, l), *src = cru_edge_src(t, a, r);
    return cru_concat_cols(t, (cru_tensor *[]){dst, src}, 2);
}

/* ---- inner products --------------------------------------------------------------------------------------------- */

static void sddmm_backward(cru_tape *t, tape_node *n)
{
    const edge_state *s = n->state;
    cru_tensor *l = n->in[0], *r = n->in[1];
    cru_spmm_args args = {.a = sparse_csr(s->a),
                          .entries = cru_csr_nnz(&s->a->csr),
                          .weights = n->out->grad,
                          .op = CRU_REDUCE_SUM,
                          .heads = s->heads,
                          .cols = cru_tensor_cols(l) / s->heads,
                          .x = r->data};
    args.y = tape_grad(t, l, &args.accumulate);
    if (args.y) t->device->backend->spmm(t->device, &args);
    args.y = tape_grad(t, r, &args.accumulate);
    if (!args.y) return;
    args.a = sparse_transposed(s->a);
    args.order = sparse_entry(s->a);
    args.x = l->data;
    t->device->backend->spmm(t->device, &args);
}

static const tape_op sddmm_op = {.name = "sddmm", .backward = sddmm_backward};

cru_tensor *cru_sddmm(cru_tape *t, cru_sparse *a, cru_tensor *l, cru_tensor *r, int64_t heads)
{
    check_ends("sddmm", &a->csr, l, r);
    int64_t width = cru_tensor_cols(l);
    cru_assert(heads > 0 && width % heads == 0 && cru_tensor_cols(r) == width, "sddmm: %s and %s with %lld heads",
               tape_text(l).text, tape_text(r).text, (long long)heads);
    cru_tensor shape = tape_shape2(cru_csr_nnz(&a->csr), heads);
    tape_result result = tape_emit(t, &sddmm_op, &shape, (cru_tensor *[]){l, r}, 2, sizeof(edge_state));
    *(edge_state *)result.state = (edge_state){.a = a, .heads = heads};
    cru_sddmm_args args = {.a = sparse_csr(a),
                           .entries = cru_csr_nnz(&a->csr),
                           .heads = heads,
                           .cols = width / heads,
                           .l = l->data,
                           .r = r->data,
                           .scale = 1,
                           .y = result.out->data};
    t->device->backend->sddmm(t->device, &args);
    return result.out;
}

/* ---- edges to nodes, softmax over in-edges --------------------------------------------------------------- */

static void edge_sum_backward(cru_tape *t, tape_node *n)
{
    const edge_state *s = n->state;
    cru_edge_args args = {.a = sparse_csr(s->a),
                          .entries = cru_csr_nnz(&s->a->csr),
                          .op = CRU_BINARY_ADD,
                          .heads = s->heads,
                          .l = n->out->grad};
    args.y = tape_grad(t, n->in[0], &args.accumulate);
    if (args.y) t->device->backend->edge(t->device, &args);
}

static const tape_op edge_sum_op = {.name = "edge_sum", .backward = edge_sum_backward};

static void check_edges(const char *name, const cru_csr *a, const cru_tensor *e)
{
    cru_assert(cru_tensor_rows(e) == cru_csr_nnz(a), "%s: %lld entries against %s", name, (long long)cru_csr_nnz(a),
               tape_text(e).text);
}

cru_tensor *cru_edge_sum(cru_tape *t, cru_sparse *a, cru_tensor *e)
{
    check_edges("edge_sum", &a->csr, e);
    int64_t cols = cru_tensor_cols(e);
    cru_tensor shape = tape_shape2(a->csr.rows, cols);
    tape_result r = tape_emit(t, &edge_sum_op, &shape, &e, 1, sizeof(edge_state));
    *(edge_state *)r.state = (edge_state){.a = a, .heads = cols};
    cru_edge_sum_args args = {.a = sparse_csr(a), .cols = cols, .x = e->data, .y = r.out->data};
    t->device->backend->edge_sum(t->device, &args);
    return r.out;
}

static void edge_softmax_backward(cru_tape *t, tape_node *n)
{
    const edge_state *s = n->state;
    cru_edge_softmax_grad_args args = {.a = sparse_csr(s->a), .heads = s->heads, .y = n->out->data, .dy = n->out->grad};
    args.dx = tape_grad(t, n->in[0], &args.accumulate);
    if (args.dx) t->device->backend->edge_softmax_grad(t->device, &args);
}

static const tape_op edge_softmax_op = {.name = "edge_softmax", .backward = edge_softmax_backward};

cru_tensor *cru_edge_softmax(cru_tape *t, cru_sparse *a, cru_tensor *e)
{
    check_edges("edge_softmax", &a->csr, e);
    int64_t heads = cru_tensor_cols(e);
    tape_result r = tape_emit(t, &edge_softmax_op, e, &e, 1, sizeof(edge_state));
    *(edge_state *)r.state = (edge_state){.a = a, .heads = heads};
    cru_edge_softmax_args args = {.a = sparse_csr(a), .heads = heads, .x = e->data, .y = r.out->data};
    t->device->backend->edge_softmax(t->device, &args);
    return r.out;
}
