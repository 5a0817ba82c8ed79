// SPDX-License-Identifier: Apache-2.0
/* Norms, attention over sums, and the layer of both. */
#include "transformer.h"

#include <math.h>
#include <stdio.h>

enum { NAME_SIZE = 64 };
static const double tiny = 1e-6; /* added to a standard deviation */

row_norm row_norm_create(cru_net *net, const char *name, int64_t cols)
{
    char a[NAME_SIZE], b[NAME_SIZE];
    snprintf(a, sizeof a, "%s.gain", name);
    snprintf(b, sizeof b, "%s.shift", name);
    return (row_norm){cru_net_weight(net, a, cru_1d(cols), (cru_init){.kind = CRU_INIT_CONSTANT, .a = 1}),
                      cru_net_weight(net, b, cru_1d(cols), (cru_init){.kind = CRU_INIT_ZEROS})};
}

/* The 1e-24 keeps the gradient of a constant row at 0; it is below the rounding of any other. */
cru_tensor *row_norm_apply(cru_tape *t, const row_norm *norm, cru_tensor *x)
{
    const int64_t n = cru_tensor_rows(x);
    cru_tensor *mean = cru_as_matrix(t, cru_mean(t, x, 1), n, 1), *centred = cru_sub(t, x, mean);
    cru_tensor *std = cru_as_matrix(t, cru_std(t, x, 1, 1, 1e-24), n, 1);
    cru_tensor *y = cru_div(t, centred, cru_affine(t, std, 1, tiny));
    return cru_add(t, cru_mul(t, y, norm->a), norm->b);
}

/* Of row i: the mean, and 1 / (std + 1e-6). */
static void moments(const cru_features *x, int64_t i, double *mean, double *factor)
{
    const int64_t from = x->dense ? i * x->cols : x->sparse.offsets[i];
    const int64_t to = x->dense ? from + x->cols : x->sparse.offsets[i + 1];
    const float *values = x->dense ? x->dense : x->sparse.values;
    double sum = 0, squares = 0;
    for (int64_t e = from; e < to; e++) sum += values ? (double)values[e] : 1;
    *mean = sum / (double)x->cols;
    for (int64_t e = from; e < to; e++) {
        const double d = (values ? (double)values[e] : 1) - *mean;
        squares += d * d;
    }
    squares += (double)(x->cols - (to - from)) * *mean * *mean; /* zeros that are not stored */
    *factor = 1 / (sqrt(squares / (double)(x->cols > 1 ? x->cols - 1 : 1)) + tiny);
}

normed_input normed_input_create(cru_net *net, const cru_features *x, int64_t out)
{
    cru_ctx *ctx = cru_net_ctx(net);
    double *factor = cru_ctx_alloc(ctx, x->rows, sizeof *factor), mean = 0;
    float *shift = cru_ctx_alloc(ctx, x->rows, sizeof *shift);
    for (int64_t i = 0; i < x->rows; i++) {
        moments(x, i, &mean, &factor[i]);
        shift[i] = (float)(-mean * factor[i]);
    }
    cru_features scaled = *x;
    if (x->dense) {
        float *values = cru_ctx_alloc(ctx, x->rows * x->cols, sizeof *values);
        for (int64_t e = 0; e < x->rows * x->cols; e++) values[e] = (float)((double)x->dense[e] * factor[e / x->cols]);
        scaled.dense = values;
    } else {
        scaled.sparse = cru_csr_scale(cru_ctx_pool(ctx), &x->sparse, factor, NULL);
    }
    return (normed_input){.scaled = cru_input_create(ctx, &scaled),
                          .shift = cru_tensor_from(ctx, cru_2d(x->rows, 1), shift),
                          .norm = row_norm_create(net, "input", x->cols),
                          .fc = cru_fc_create(net, "first", x->cols, out)};
}

cru_tensor *normed_input_apply(cru_tape *t, const normed_input *in)
{
    const int64_t cols = in->scaled.cols;
    cru_tensor *w = cru_mul(t, in->fc.w, cru_as_matrix(t, in->norm.a, cols, 1)); /* a W */
    cru_tensor *sums = cru_as_matrix(t, cru_sum(t, w, 0), 1, -1);
    cru_tensor *bias = cru_linear(t, cru_as_matrix(t, in->norm.b, 1, cols), in->fc.w, in->fc.b); /* b W + c */
    cru_tensor *y = cru_input_linear(t, &in->scaled, w, cru_reshape(t, bias, cru_1d(cru_tensor_cols(bias))));
    return cru_add(t, y, cru_matmul(t, in->shift, sums));
}

transformer transformer_create(cru_net *net, const transformer_shape *shape)
{
    const int64_t d = shape->dim, each = d / shape->heads;
    cru_ctx *ctx = cru_net_ctx(net);
    float *same = cru_ctx_alloc(ctx, d * d, sizeof *same);
    for (int64_t i = 0; i < d * d; i++) same[i] = i / d / each == i % d / each;
    return (transformer){.norm = {row_norm_create(net, "norm0", d), row_norm_create(net, "norm1", d)},
                         .key = cru_fc_create(net, "key", d, d),
                         .query = cru_fc_create(net, "query", d, d),
                         .value = cru_fc_create(net, "value", d, d),
                         .out = cru_fc_create(net, "out", d, d),
                         .wide = cru_fc_create(net, "wide", d, shape->wide),
                         .narrow = cru_fc_create(net, "narrow", shape->wide, d),
                         .same_head = cru_tensor_from(ctx, cru_2d(d, d), same),
                         .heads = shape->heads,
                         .dropout = shape->dropout};
}

/* All heads in one product: key'^T value of columns of different heads is taken out. */
cru_tensor *transformer_attend(cru_tape *t, const transformer *e, cru_tensor *h, cru_tensor *asking)
{
    const int64_t d = cru_tensor_cols(h), n = cru_tensor_rows(asking);
    cru_tensor *key = cru_softmax(t, cru_fc_apply(t, &e->key, h), 0), *value = cru_fc_apply(t, &e->value, h);
    cru_tensor *query = cru_as_matrix(t, cru_fc_apply(t, &e->query, asking), n * e->heads, d / e->heads);
    query = cru_as_matrix(t, cru_softmax(t, query, 1), n, d);
    cru_tensor *context = cru_mul(t, cru_matmul_op(t, key, value, CRU_TN), e->same_head); /* d x d */
    return cru_fc_apply(t, &e->out, cru_matmul(t, query, context));
}

cru_tensor *transformer_apply(cru_tape *t, const transformer *e, cru_tensor *x, const cru_index *rows)
{
    cru_tensor *h = row_norm_apply(t, &e->norm[0], x), *own = rows ? cru_gather(t, x, *rows) : x;
    cru_tensor *asking = rows ? cru_gather(t, h, *rows) : h;
    own = cru_add(t, own, transformer_attend(t, e, h, asking));
    const cru_then then = {.bias = e->wide.b, .act = CRU_UNARY_RELU, .dropout = e->dropout};
    cru_tensor *wide = cru_linear_then(t, row_norm_apply(t, &e->norm[1], own), e->wide.w, &then);
    return cru_add(t, own, cru_dropout(t, cru_fc_apply(t, &e->narrow, wide), e->dropout));
}
