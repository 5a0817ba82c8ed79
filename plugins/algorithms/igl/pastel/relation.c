// SPDX-License-Identifier: Apache-2.0
#include "relation.h"

#include <stdlib.h>
#include <string.h>

#include "dense-rows.h"

/* row_v += <c_u, c_v> over the entries that two rows of the pattern share. */
static void add_sparse(cru_sparse *pattern, const float *c, int64_t heads, int64_t u, float *row)
{
    const cru_csr *a = &pattern->csr, *mirror = cru_sparse_transpose(pattern);
    for (int64_t e = a->offsets[u]; e < a->offsets[u + 1]; e++)
        for (int64_t i = mirror->offsets[a->ids[e]]; i < mirror->offsets[a->ids[e] + 1]; i++) {
            const float *own = c + e * heads, *other = c + pattern->entry[i] * heads;
            float sum = 0;
            for (int64_t k = 0; k < heads; k++) sum += own[k] * other[k];
            row[mirror->ids[i]] += sum;
        }
}

/* gate: room for a row. */
static void make_row(const relation *s, int64_t u, float *gate, float *row)
{
    memset(row, 0, (size_t)s->n * sizeof *row);
    if (s->c) add_sparse(s->pattern, s->c_host, cru_tensor_cols(s->c), u, row);
    const int64_t k = s->f ? cru_tensor_cols(s->f) : 0;
    if (k) rows_add_columns(s->n, k, s->f_host + u * k, s->f_columns, row);
    if (!s->gate.row) return;
    s->gate.row(s->gate.user, u, gate);
    for (int64_t v = 0; v < s->n; v++) row[v] *= gate[v];
}

void relation_read(cru_tape *t, relation *s)
{
    if (s->c) s->c_host = cru_tensor_host(t, s->c);
    if (s->f) s->f_host = cru_tensor_host(t, s->f);
    if (s->f) s->f_columns = rows_turned(t, s->f_host, s->n, cru_tensor_cols(s->f));
    if (s->n > RELATION_KEPT) return;
    float *kept = cru_tape_alloc(t, s->n * s->n, sizeof *kept), *gate = cru_tape_alloc(t, s->n, sizeof *gate);
    for (int64_t u = 0; u < s->n; u++) make_row(s, u, gate, kept + u * s->n);
    s->kept = kept;
}

void relation_row(const relation *s, int64_t u, float *row)
{
    if (s->kept) {
        memcpy(row, s->kept + u * s->n, (size_t)s->n * sizeof *row);
        return;
    }
    float *gate = malloc((size_t)s->n * sizeof *gate);
    if (!gate) cru_panic(CRU_NO_MEMORY, "no memory for a row of %lld numbers", (long long)s->n);
    make_row(s, u, gate, row);
    free(gate);
}

void relation_mask(const relation *s, relation_use use, int64_t u, float *row)
{
    cru_rng own = cru_rng_split(&s->mask, 2 * (uint64_t)u + (uint64_t)use);
    if (s->drop > 0) cru_rng_fill_uniform(&own, row, s->n, 0, 1);
    const float kept = (float)(1 / (1 - s->drop));
    for (int64_t v = 0; v < s->n; v++) row[v] = s->drop > 0 && (double)row[v] < s->drop ? 0 : kept;
}

/* What a product or a roughness remembers for its backward pass. */
typedef struct work {
    relation s;
    const float *h, *h_columns; /* n x cols; transposed */
    int64_t cols;
    cru_sparse *x; /* n x d, whose values are read */
    float *values; /* of x */
    double *square;
} work;

/* The gradient of row u of s, without its gate, goes back to c and f. */
static void push(const work *w, int64_t u, const float *ds, float *dc, float *df)
{
    const relation *s = &w->s;
    const int64_t heads = s->c ? cru_tensor_cols(s->c) : 0, k = s->f ? cru_tensor_cols(s->f) : 0;
    if (dc) {
        const cru_csr *a = &s->pattern->csr, *mirror = &s->pattern->transposed;
        for (int64_t e = a->offsets[u]; e < a->offsets[u + 1]; e++)
            for (int64_t i = mirror->offsets[a->ids[e]]; i < mirror->offsets[a->ids[e] + 1]; i++) {
                const int64_t other = s->pattern->entry[i];
                const float d = ds[mirror->ids[i]];
                for (int64_t j = 0; j < heads; j++) dc[e * heads + j] += d * s->c_host[other * heads + j];
                for (int64_t j = 0; j < heads; j++) dc[other * heads + j] += d * s->c_host[e * heads + j];
            }
    }
    if (!df) return;
    const float *own = s->f_host + u * k;
    rows_add(u + 1, k, ds, s->f_host, df + u * k); /* the entry on the diagonal counts twice */
    for (int64_t v = 0; v < s->n; v++)
        if (ds[v] != 0) rows_add_scaled(k, ds[v], own, df + v * k);
    rows_add(s->n - u - 1, k, ds + u + 1, own + k, df + u * k);
}

static void product_backward(void *user, cru_tape *t, const float *dy, float *const *dx)
{
    const work *w = user;
    const int64_t n = w->s.n, cols = w->cols;
    float *dh = dx[0], *dc = w->s.c ? dx[1] : NULL, *df = w->s.f ? dx[w->s.c ? 2 : 1] : NULL;
    float *s = cru_tape_alloc(t, n, sizeof *s), *mask = cru_tape_alloc(t, n, sizeof *mask);
    float *gate = cru_tape_alloc(t, n, sizeof *gate), *ds = cru_tape_alloc(t, n, sizeof *ds);
    for (int64_t v = 0; v < n; v++) gate[v] = 1;
    for (int64_t u = 0; u < n; u++) {
        const float *d = dy + u * (cols + 1);
        relation_mask(&w->s, RELATION_PRODUCT, u, mask);
        if (dh) relation_row(&w->s, u, s);
        if (w->s.gate.row) w->s.gate.row(w->s.gate.user, u, gate);
        memset(ds, 0, (size_t)n * sizeof *ds);
        rows_add_columns(n, cols, d, w->h_columns, ds);
        for (int64_t v = 0; v < n; v++) ds[v] = gate[v] * (mask[v] * ds[v] + d[cols]);
        for (int64_t v = 0; dh && v < n; v++)
            if (mask[v] != 0) rows_add_scaled(cols, mask[v] * s[v], d, dh + v * cols);
        if (dc || df) push(w, u, ds, dc, df);
    }
}

/* h, then what the relation is made of; returns how many. */
static int64_t inputs(const relation *s, cru_tensor *h, cru_tensor **in)
{
    int64_t count = 0;
    if (h) in[count++] = h;
    if (s->c) in[count++] = s->c;
    if (s->f) in[count++] = s->f;
    return count;
}

cru_tensor *relation_product(cru_tape *t, const relation *s, cru_tensor *h)
{
    const int64_t n = s->n, cols = cru_tensor_cols(h);
    work *w = cru_tape_alloc(t, 1, sizeof *w);
    float *y = cru_tape_alloc(t, n * (cols + 1), sizeof *y);
    float *row = cru_tape_alloc(t, n, sizeof *row), *mask = cru_tape_alloc(t, n, sizeof *mask);
    *w = (work){.s = *s, .h = cru_tensor_host(t, h), .cols = cols};
    w->h_columns = rows_turned(t, w->h, n, cols);
    memset(y, 0, (size_t)(n * (cols + 1)) * sizeof *y);
    for (int64_t u = 0; u < n; u++) {
        float *out = y + u * (cols + 1);
        double sum = 0;
        relation_row(s, u, row);
        relation_mask(s, RELATION_PRODUCT, u, mask);
        for (int64_t v = 0; v < n; v++) {
            sum += (double)row[v];
            row[v] *= mask[v];
        }
        rows_add(n, cols, row, w->h, out);
        out[cols] = (float)sum;
    }
    cru_tensor *in[3];
    const int64_t count = inputs(s, h, in);
    const cru_host_op op = {cru_2d(n, cols + 1), y, product_backward, w};
    return cru_host_operator(t, &op, in, count);
}

/* (|x_u|^2 - <x_u, x_v>), dropped. */
static void rough_row(const work *w, int64_t u, float *mask, float *row)
{
    memset(row, 0, (size_t)w->s.n * sizeof *row);
    add_sparse(w->x, w->values, 1, u, row);
    relation_mask(&w->s, RELATION_ROUGHNESS, u, mask);
    for (int64_t v = 0; v < w->s.n; v++) row[v] = mask[v] * ((float)w->square[u] - row[v]);
}

static void roughness_backward(void *user, cru_tape *t, const float *dy, float *const *dx)
{
    const work *w = user;
    const int64_t n = w->s.n;
    float *dc = w->s.c ? dx[0] : NULL, *df = w->s.f ? dx[w->s.c ? 1 : 0] : NULL;
    float *mask = cru_tape_alloc(t, n, sizeof *mask), *gate = cru_tape_alloc(t, n, sizeof *gate);
    float *ds = cru_tape_alloc(t, n, sizeof *ds);
    for (int64_t v = 0; v < n; v++) gate[v] = 1;
    for (int64_t u = 0; u < n; u++) {
        rough_row(w, u, mask, ds);
        if (w->s.gate.row) w->s.gate.row(w->s.gate.user, u, gate);
        for (int64_t v = 0; v < n; v++) ds[v] *= dy[0] * gate[v];
        push(w, u, ds, dc, df);
    }
}

cru_tensor *relation_roughness(cru_tape *t, const relation *s, cru_sparse *x)
{
    const int64_t n = s->n, stored = cru_csr_nnz(&x->csr);
    work *w = cru_tape_alloc(t, 1, sizeof *w);
    float *row = cru_tape_alloc(t, n, sizeof *row), *far = cru_tape_alloc(t, n, sizeof *far);
    float *mask = cru_tape_alloc(t, n, sizeof *mask), *y = cru_tape_alloc(t, 1, sizeof *y);
    *w = (work){.s = *s, .x = x, .values = cru_tape_alloc(t, stored, sizeof *w->values)};
    w->square = cru_tape_alloc(t, n, sizeof *w->square);
    for (int64_t e = 0; e < stored; e++) w->values[e] = x->csr.values ? x->csr.values[e] : 1;
    double sum = 0;
    for (int64_t u = 0; u < n; u++) {
        w->square[u] = 0;
        for (int64_t e = x->csr.offsets[u]; e < x->csr.offsets[u + 1]; e++)
            w->square[u] += (double)w->values[e] * (double)w->values[e];
        rough_row(w, u, mask, far);
        relation_row(s, u, row);
        for (int64_t v = 0; v < n; v++) sum += (double)(row[v] * far[v]);
    }
    *y = (float)sum;
    cru_tensor *in[2];
    const int64_t count = inputs(s, NULL, in);
    return cru_host_operator(t, &(cru_host_op){cru_0d(), y, roughness_backward, w}, in, count);
}

double relation_distance(const relation *a, const relation *b, bool dropped)
{
    float *rows = malloc((size_t)(3 * a->n) * sizeof *rows);
    if (!rows) cru_panic(CRU_NO_MEMORY, "no memory for rows of %lld numbers", (long long)a->n);
    float *of_b = rows + a->n, *mask = rows + 2 * a->n;
    double sum = 0;
    memset(rows, 0, (size_t)a->n * sizeof *rows);
    for (int64_t u = 0; u < a->n; u++) {
        if (a->c || a->f) relation_row(a, u, rows);
        relation_row(b, u, of_b);
        if (dropped) relation_mask(b, RELATION_ROUGHNESS, u, mask);
        for (int64_t v = 0; v < a->n; v++) {
            const double d = (double)rows[v] - (double)(dropped ? mask[v] * of_b[v] : of_b[v]);
            sum += d * d;
        }
    }
    free(rows);
    return sum;
}
