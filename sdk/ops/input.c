// SPDX-License-Identifier: Apache-2.0
/* A model's first product, over dense or sparse features. Sparse ones stay sparse: x w is a product with the rows of
 * w. */
#include <string.h>

#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-sparse.h>
#include <crucible/ops-sparse.h>

#include "autograd/tape.h"
#include "ops/linear.h"
#include "tensor/sparse.h"

typedef struct sparse_linear_state {
    cru_sparse *x;
    cru_tensor *bias; /* may be NULL */
    cru_finish finish;
} sparse_linear_state;

/* dw = x^T dy by the transpose, which is made once. With values of this step's own it would have to look them up entry
 * by entry; then, and when dw fits into a cache, the rows of dw are added to in place. */
static void weights_backward(cru_tape *t, const tape_node *n, const cru_tensor *values)
{
    enum { CACHED = 1 << 20 };
    const sparse_linear_state *s = n->state;
    cru_tensor *w = n->in[0];
    int64_t cols = cru_tensor_cols(w);
    bool add;
    float *dw = tape_grad(t, w, &add);
    if (!dw) return;
    if (values && cru_tensor_count(w) <= CACHED) {
        cru_spmm_transposed_args args = {.a = sparse_csr(s->x),
                                         .entries = cru_csr_nnz(&s->x->csr),
                                         .weights = values->data,
                                         .cols = cols,
                                         .x = n->out->grad,
                                         .y = dw,
                                         .accumulate = add};
        t->device->backend->spmm_transposed(t->device, &args);
        return;
    }
    cru_spmm_args args = {.a = sparse_transposed(s->x),
                          .entries = cru_csr_nnz(&s->x->csr),
                          .weights = values ? values->data : NULL,
                          .order = values ? sparse_entry(s->x) : NULL,
                          .op = CRU_REDUCE_SUM,
                          .heads = 1,
                          .cols = cols,
                          .x = n->out->grad,
                          .y = dw,
                          .accumulate = add};
    t->device->backend->spmm(t->device, &args);
}

/* in: w, then values when they are not the matrix's own, then bias */
static void sparse_linear_backward(cru_tape *t, tape_node *n)
{
    const sparse_linear_state *s = n->state;
    cru_tensor *values = n->in_count > 1 && n->in[1] != s->bias ? n->in[1] : NULL;
    finish_backward(t, n);
    weights_backward(t, n, values);
    if (!values) return;
    cru_sddmm_args dot = {.a = sparse_csr(s->x),
                          .entries = cru_csr_nnz(&s->x->csr),
                          .heads = 1,
                          .cols = cru_tensor_cols(n->out),
                          .l = n->out->grad,
                          .r = n->in[0]->data,
                          .scale = 1};
    dot.y = tape_grad(t, values, &dot.accumulate);
    if (dot.y) t->device->backend->sddmm(t->device, &dot);
}

static const tape_op sparse_linear_op = {.name = "sparse_linear", .backward = sparse_linear_backward};

cru_tensor *cru_input_linear_then(cru_tape *t, const cru_input *x, cru_tensor *w, const cru_then *then)
{
    if (x->dense) return cru_linear_then(t, x->dense, w, then);
    linear_check("input_linear", x->cols, w);
    then_check("input_linear", cru_tensor_cols(w), then);
    cru_tensor *b = then->bias;
    cru_tensor *in[3] = {w};
    int32_t count = 1;
    if (x->values) in[count++] = x->values;
    if (b) in[count++] = b;
    cru_tensor shape = tape_shape2(x->rows, cru_tensor_cols(w));
    tape_result r = tape_emit(t, &sparse_linear_op, &shape, in, count, sizeof(sparse_linear_state));
    sparse_linear_state *s = r.state;
    *s = (sparse_linear_state){.x = x->sparse, .bias = b};
    finish_set(t, &s->finish, r.out, then);
    cru_spmm_args args = {.a = sparse_csr(x->sparse),
                          .entries = cru_csr_nnz(&x->sparse->csr),
                          .weights = x->values ? x->values->data : NULL,
                          .op = CRU_REDUCE_SUM,
                          .heads = 1,
                          .cols = cru_tensor_cols(w),
                          .x = w->data,
                          .y = r.out->data,
                          .finish = finish_or_null(&s->finish)};
    const tape_product product = {.op = &sparse_linear_op, .a = x->sparse, .b = w->data, .finish = s->finish};
    const bool same = !x->values && tape_same_in_both(t, w);
    if (same && tape_recall(t, &product, r.out)) return r.out;
    t->device->backend->spmm(t->device, &args);
    if (same) tape_remember(t, &product, r.out);
    return r.out;
}

cru_tensor *cru_input_linear(cru_tape *t, const cru_input *x, cru_tensor *w, cru_tensor *b)
{
    return cru_input_linear_then(t, x, w, &(cru_then){.bias = b});
}

/* The stored values as a tensor; ones when the matrix has none. */
static cru_tensor *stored_values(cru_tape *t, const cru_input *x)
{
    if (x->values) return x->values;
    const int64_t nnz = cru_csr_nnz(&x->sparse->csr);
    if (x->sparse->csr.values) {
        cru_tensor own = tape_shape1(nnz);
        own.data = (float *)(uintptr_t)sparse_csr(x->sparse).values; /* read only: the view is never written */
        return tape_emit_view(t, NULL, &own, NULL, 0, 0).out;
    }
    return cru_tensor_filled(t, cru_1d(nnz), 1);
}

cru_input cru_input_dropout(cru_tape *t, const cru_input *x, double p)
{
    cru_input out = *x;
    if (p == 0 || cru_tape_mode(t) == CRU_EVAL) return out;
    if (x->dense) {
        out.dense = cru_dropout(t, x->dense, p);
        out.kept = NULL;
    } else {
        out.values = cru_dropout(t, stored_values(t, x), p);
    }
    return out;
}

cru_tensor *cru_input_dense(cru_tape *t, const cru_input *x)
{
    if (x->dense) return x->dense;
    const cru_csr *a = &x->sparse->csr;
    float *values = tape_scratch(t, cru_csr_nnz(a), sizeof *values);
    cru_tensor_download(t, stored_values(t, x), values);
    float *host = tape_scratch(t, x->rows * x->cols, sizeof *host);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) host[i * x->cols + a->ids[e]] += values[e];
    return cru_tensor_upload(t, cru_2d(x->rows, x->cols), host);
}

static bool can_keep(const cru_input *x, const cru_sparse *a)
{
    const int64_t most = (int64_t)1 << 28;
    const cru_kept_product *kept = x->kept;
    if (!x->dense || x->dense->needs_grad || a->tape || !kept || kept->x != x->dense) return false;
    return kept->a == a || (!kept->a && a->csr.rows <= most / (x->cols > 0 ? x->cols : 1));
}

cru_tensor *cru_input_spread(cru_tape *t, const cru_input *x, cru_sparse *a)
{
    if (!can_keep(x, a)) return NULL;
    if (!x->kept->a) {
        cru_tensor *ax = cru_tensor_create(t->ctx, cru_2d(a->csr.rows, x->cols));
        cru_spmm_args args = {
            .a = sparse_csr(a), .op = CRU_REDUCE_SUM, .heads = 1, .cols = x->cols, .x = x->dense->data, .y = ax->data};
        t->device->backend->spmm(t->device, &args);
        *x->kept = (cru_kept_product){.x = x->dense, .a = a, .ax = ax};
    }
    return x->kept->ax;
}

static cru_csr sparse_rows(cru_tape *t, const cru_csr *a, const int32_t *rows, int64_t count)
{
    int64_t *offsets = tape_scratch(t, count + 1, sizeof *offsets);
    for (int64_t i = 0; i < count; i++) {
        cru_assert(rows[i] >= 0 && rows[i] < a->rows, "input_rows: no row %d", rows[i]);
        offsets[i + 1] = offsets[i] + a->offsets[rows[i] + 1] - a->offsets[rows[i]];
    }
    int32_t *ids = tape_scratch(t, offsets[count], sizeof *ids);
    float *values = a->values ? tape_scratch(t, offsets[count], sizeof *values) : NULL;
    for (int64_t i = 0; i < count; i++) {
        int64_t from = a->offsets[rows[i]], n = offsets[i + 1] - offsets[i];
        memcpy(ids + offsets[i], a->ids + from, (size_t)n * sizeof *ids);
        if (values) memcpy(values + offsets[i], a->values + from, (size_t)n * sizeof *values);
    }
    return (cru_csr){.rows = count, .cols = a->cols, .offsets = offsets, .ids = ids, .values = values};
}

cru_input cru_input_rows(cru_tape *t, const cru_input *x, cru_index rows)
{
    cru_input out = {.rows = rows.count, .cols = x->cols};
    if (x->dense) {
        out.dense = cru_gather(t, x->dense, rows);
        return out;
    }
    cru_assert(!x->values, "input_rows: choose the rows before dropout");
    int32_t *host = tape_scratch(t, rows.count, sizeof *host);
    t->device->backend->download(t->device, host, rows.ids, (size_t)rows.count * sizeof *host);
    cru_csr csr = sparse_rows(t, &x->sparse->csr, host, rows.count);
    out.sparse = cru_sparse_step(t, &csr);
    return out;
}

cru_input cru_input_blank(cru_tape *t, const cru_input *x, cru_index rows)
{
    cru_tensor *kept = cru_affine(t, cru_mask(t, rows, x->rows), -1, 1);
    return cru_input_of(cru_mul(t, cru_input_dense(t, x), cru_as_matrix(t, kept, x->rows, 1)));
}
