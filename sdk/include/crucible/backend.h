// SPDX-License-Identifier: Apache-2.0
/* backend.h: the kernels of a device.
 *
 * Operators (ops.h) never touch tensor memory themselves: they call the kernels of the context's backend, so the same
 * operator, with the same gradient, runs on any device that fills this table. The CPU is built into the SDK and is just
 * another backend; CUDA is a plugin of kind CRU_KIND_BACKEND.
 *
 * Rules for every kernel. Pointers are device memory unless named `host`. Outputs never overlap inputs unless the
 * comment says "in place". `accumulate` adds to the output instead of replacing it: gradients use it. Results are
 * bitwise the same for any number of threads. A kernel cannot fail except by running out of memory, which panics with
 * CRU_NO_MEMORY; sizes were checked by the operator, and any of them may be 0.
 *
 * Three-part shapes: a reduction or normalisation over one axis of a row-major tensor sees it as
 * outer x count x inner, where `count` is the length of that axis; element (o, i, k) is x[(o * count + i) * inner +
 * k]. */
#ifndef CRUCIBLE_BACKEND_H
#define CRUCIBLE_BACKEND_H

#include <stdbool.h>

#include <crucible/sparse.h>
#include <crucible/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_backend cru_backend;

/* An opened device. `state` belongs to the backend. */
typedef struct cru_device {
    const cru_backend *backend;
    void *state;
    int32_t threads;
} cru_device;

typedef enum cru_unary {
    CRU_UNARY_COPY,  /* x */
    CRU_UNARY_SCALE, /* a x + b */
    CRU_UNARY_RELU,  /* max(x, 0); gradient 0 at 0 */
    CRU_UNARY_LEAKY, /* x > 0 ? x : a x */
    CRU_UNARY_ELU,   /* x > 0 ? x : a (e^x - 1) */
    CRU_UNARY_SELU,  /* PyTorch's constants */
    CRU_UNARY_GELU,  /* x Phi(x), exact */
    CRU_UNARY_TANH,
    CRU_UNARY_SIGMOID,
    CRU_UNARY_SOFTPLUS, /* log(1 + e^x), stable */
    CRU_UNARY_LOGSIGMOID,
    CRU_UNARY_EXP,
    CRU_UNARY_LOG,
    CRU_UNARY_ABS, /* gradient 0 at 0 */
    CRU_UNARY_POW, /* x^a */
    CRU_UNARY_SQRT,
    CRU_UNARY_CLAMP, /* to [a, b]; gradient 1 inside and on the boundary, 0 outside */
    CRU_UNARY_RECIPROCAL,
    CRU_UNARY_SIGN,   /* no gradient */
    CRU_UNARY_LGAMMA, /* gradient: digamma */
    CRU_UNARY_DIGAMMA,
    CRU_UNARY_SIN,
    CRU_UNARY_COS,
    CRU_UNARY_LOG1P,
    CRU_UNARY_COUNT,
} cru_unary;

typedef enum cru_binary {
    CRU_BINARY_ADD,
    CRU_BINARY_SUB,
    CRU_BINARY_MUL,
    CRU_BINARY_DIV,
    CRU_BINARY_MAX, /* gradient to a where a >= b, else to b */
    CRU_BINARY_MIN, /* gradient to a where a <= b, else to b */
    CRU_BINARY_COUNT,
} cru_binary;

typedef enum cru_reduce {
    CRU_REDUCE_SUM,
    CRU_REDUCE_MEAN,
    CRU_REDUCE_MAX, /* the first of equal values wins */
    CRU_REDUCE_MIN,
    CRU_REDUCE_COUNT,
} cru_reduce;

typedef struct cru_unary_args {
    int64_t n;
    const float *x;
    float *y;   /* may be x: in place */
    float a, b; /* parameters of the function */
} cru_unary_args;

typedef struct cru_unary_grad_args {
    int64_t n;
    const float *x, *y, *dy;
    float *dx; /* may be dy: in place, when not accumulating */
    float a, b;
    bool accumulate;
} cru_unary_grad_args;

/* A two-dimensional operand with broadcasting: element (i, j) is x[i * row + j * col]; a stride of 0 repeats. */
typedef struct cru_operand {
    const float *x;
    int64_t row, col;
} cru_operand;

typedef struct cru_binary_args {
    int64_t rows, cols;
    cru_operand a, b;
    float *y; /* rows x cols, contiguous; may be a.x or b.x when that one is contiguous */
} cru_binary_args;

/* Gradient to one side (`to_b` false: a). `dx` has the operand's own (unrepeated) layout; repeated axes are summed. */
typedef struct cru_binary_grad_args {
    int64_t rows, cols;
    cru_operand a, b;
    const float *dy; /* rows x cols */
    float *dx;
    bool to_b, accumulate;
} cru_binary_grad_args;

typedef struct cru_reduce_args {
    int64_t outer, count, inner;
    const float *x;
    float *y;       /* outer x inner */
    int32_t *where; /* outer x inner: position of the max or min; NULL when not wanted */
} cru_reduce_args;

/* dx[o, i, k] (+)= scale * dy[o, k], or only at i = where[o, k] when `where` is given. */
typedef struct cru_spread_args {
    int64_t outer, count, inner;
    const float *dy;
    const int32_t *where;
    float *dx;
    float scale;
    bool accumulate;
} cru_spread_args;

typedef struct cru_softmax_args {
    int64_t outer, count, inner;
    const float *x;
    float *y;
    bool log; /* log-softmax */
} cru_softmax_args;

typedef struct cru_softmax_grad_args {
    int64_t outer, count, inner;
    const float *y, *dy;
    float *dx;
    bool log, accumulate;
} cru_softmax_grad_args;

/* What follows a product of matrices: y = dropout(act(y + bias)), done while a part of y is still in a cache. `act` is
 * one whose gradient can be told from its result: copy, relu, leaky (a >= 0), elu (a >= 0), selu, tanh or sigmoid.
 * Dropout is as in cru_dropout_args, with the elements of the whole y numbered from 0; p = 0: none. */
typedef struct cru_finish {
    const float *bias; /* one per column, or NULL */
    cru_unary act;
    float a, p;
    uint32_t key[2], stream;
} cru_finish;

/* Rows `first` to first + rows of y, in place. */
typedef struct cru_finish_args {
    const cru_finish *finish;
    int64_t first, rows, cols;
    float *y; /* its row 0 */
} cru_finish_args;

/* dy, in place, becomes the gradient before the finish; dbias (may be NULL) (+)= its sums down the columns. */
typedef struct cru_finish_grad_args {
    const cru_finish *finish;
    int64_t rows, cols;
    const float *y; /* the finished result */
    float *dy, *dbias;
    bool accumulate; /* to dbias */
} cru_finish_grad_args;

/* c (m x n) = alpha op(a) op(b) + beta c, all row-major; op(a) is m x k. `batch` independent products, with the given
 * distance in elements between consecutive matrices (0 repeats an operand). */
typedef struct cru_gemm_args {
    bool ta, tb;
    int64_t m, n, k;
    float alpha, beta;
    const float *a, *b;
    float *c;
    int64_t lda, ldb, ldc;
    int64_t batch, stride_a, stride_b, stride_c; /* batch 0 means 1 */
    const cru_finish *finish;                    /* of c, or NULL; only for one contiguous c: no batch, ldc = n */
} cru_gemm_args;

/* Rectangles: y[i * ldy + j] (+)= scale * x[i * ldx + j]. Serves concat, slices and their gradients. */
typedef struct cru_copy_args {
    int64_t rows, cols;
    const float *x;
    int64_t ldx;
    float *y;
    int64_t ldy;
    float scale;
    bool accumulate;
} cru_copy_args;

/* y = x with axes permuted: y's axis i is x's axis order[i]. */
typedef struct cru_permute_args {
    int64_t dim[4]; /* of x */
    int32_t order[4];
    const float *x;
    float *y;
    bool accumulate;
} cru_permute_args;

/* y[i, :] (+)= x[ids[i], :], i < count */
typedef struct cru_gather_args {
    int64_t count, cols;
    const int32_t *ids;
    const float *x;
    float *y;
    bool accumulate;
} cru_gather_args;

/* y[ids[i], :] op= x[i, :]; y has `rows` rows. Sum adds to what is there when accumulating; mean divides by the number
 * of contributions; max and min record the winning i per element in `where` (-1: none, and y is 0 there). Rows without
 * a contribution become 0 unless accumulating. Order of addition: ascending i. */
typedef struct cru_scatter_args {
    cru_reduce op;
    int64_t count, rows, cols;
    const int32_t *ids;
    const float *x;
    float *y;
    int32_t *where;
    bool accumulate;
} cru_scatter_args;

/* dx[i, :] (+)= dy[ids[i], :] for mean scaled by 1/contributions; max, min: y's row goes only to `where`. */
typedef struct cru_scatter_grad_args {
    cru_reduce op;
    int64_t count, rows, cols;
    const int32_t *ids;
    const float *dy;
    const int32_t *where;
    float *dx;
    bool accumulate;
} cru_scatter_grad_args;

/* Elements of rows, k per row: take writes y[i, j] = x[i, ids[i, j]], place adds y[i, ids[i, j]] += x[i, j]. The wide
 * side has `cols` columns. A negative id takes 0 and places nothing. */
typedef struct cru_take_args {
    int64_t rows, cols, k;
    const int32_t *ids;
    const float *x;
    float *y;
} cru_take_args;

/* y[v, h, :] (+)= reduce over entries e of row v of  w[e, h] * x[ids[e], h, :]   with x: nodes x heads x cols.
 * `weights` has one value per entry and head (heads = 1 and NULL: the CSR's own values, or ones). `order` (may be NULL)
 * maps the entry to the position of its weight: that is how the transposed matrix reads the weights of the original.
 * Sum and mean (mean divides by the number of entries); max and min record the winning entry in `where`
 * (rows x heads x cols, -1 for empty rows, whose result is 0). */
typedef struct cru_spmm_args {
    cru_csr a;
    int64_t entries; /* of a; 0: not told */
    const float *weights;
    const int64_t *order;
    cru_reduce op;
    int64_t heads, cols;
    const float *x;
    float *y;
    int32_t *where;
    bool accumulate;
    const cru_finish *finish; /* of y, or NULL; only for sums that do not accumulate */
} cru_spmm_args;

/* y[u, :] (+)= sum over entries e = (v, u) of  w[e] * x[v, :]: the product with the transpose of `a`, which need not be
 * made. `weights` (one per entry) replaces the values of `a`; without either they are 1. For a y that is small against
 * the number of entries: it is kept several times over while it is summed. */
typedef struct cru_spmm_transposed_args {
    cru_csr a;
    int64_t entries; /* of a; 0: not told */
    const float *weights;
    int64_t cols;
    const float *x; /* a.rows x cols */
    float *y;       /* a.cols x cols */
    bool accumulate;
} cru_spmm_transposed_args;

/* Gradient of a max or min over neighbours, on the transposed matrix `a` whose entry e stands for entry order[e] of the
 * original: dx[u, :] (+)= sum over entries e of row u of dy[ids[e], :] where where[ids[e], :] == order[e]. */
typedef struct cru_select_args {
    cru_csr a;
    const int64_t *order;
    int64_t cols;
    const int32_t *where;
    const float *dy;
    float *dx;
    bool accumulate;
} cru_select_args;

/* y[e, h] (+)= scale * dot(l[v, h, :], r[ids[e], h, :]) over the entries e of row v. */
typedef struct cru_sddmm_args {
    cru_csr a;
    int64_t entries; /* of a; 0: not told */
    int64_t heads, cols;
    const float *l, *r;
    float scale;
    float *y;
    bool accumulate;
} cru_sddmm_args;

/* y[e, h] (+)= l[v, h] op r[ids[e], h]: per-edge scores from per-node ones. l or r may be NULL: then y is
 * the other one alone. */
typedef struct cru_edge_args {
    cru_csr a;
    int64_t entries; /* of a; 0: not told */
    cru_binary op;
    int64_t heads;
    const float *l, *r;
    float *y;
    bool accumulate;
} cru_edge_args;

/* Reduces per-edge values to nodes: y[v, :] (+)= sum over entries e of row v of x[order ? order[e] : e, :]. */
typedef struct cru_edge_sum_args {
    cru_csr a;
    const int64_t *order;
    int64_t cols;
    const float *x;
    float *y;
    bool accumulate;
} cru_edge_sum_args;

/* Softmax over the entries of each row, per head. x, y: entries x heads. */
typedef struct cru_edge_softmax_args {
    cru_csr a;
    int64_t heads;
    const float *x;
    float *y;
} cru_edge_softmax_args;

typedef struct cru_edge_softmax_grad_args {
    cru_csr a;
    int64_t heads;
    const float *y, *dy;
    float *dx;
    bool accumulate;
} cru_edge_softmax_grad_args;

/* y = x * keep / (1 - p); element i is kept when number i of the Philox stream (key, stream) is at least p. The
 * gradient is the same call on dy. */
typedef struct cru_dropout_args {
    int64_t n;
    const float *x;
    float *y; /* may be x */
    float p;
    uint32_t key[2], stream;
    bool accumulate;
} cru_dropout_args;

/* Per-channel statistics and normalisation of x: outer x channels x inner.
 * stats: mean and biased variance per channel. */
typedef struct cru_norm_args {
    int64_t outer, channels, inner;
    const float *x;
    float *mean, *var;         /* stats writes them, apply reads them */
    const float *gain, *shift; /* per channel, may be NULL */
    float eps;
    float *y; /* (x - mean) / sqrt(var + eps) * gain + shift */
} cru_norm_args;

typedef struct cru_norm_grad_args {
    int64_t outer, channels, inner;
    const float *x, *mean, *var, *gain, *dy;
    float eps;
    bool batch_stats;           /* mean and var depend on x (training); false: they are constants */
    float *dx, *dgain, *dshift; /* each may be NULL */
    bool accumulate;
} cru_norm_grad_args;

/* Softmax cross-entropy on chosen rows: loss[i] = w_i * -log softmax(logits[rows[i]])[labels[i]], w_i = weights ?
 * weights[i] : 1. `prob` (count x classes) keeps the softmax for the gradient. */
typedef struct cru_xent_args {
    int64_t count, classes;
    const float *logits;
    const int32_t *rows; /* NULL: row i itself */
    const int32_t *labels;
    const float *weights;
    float *loss, *prob;
} cru_xent_args;

/* dlogits[rows[i], :] += dloss[i] * w_i * (prob[i] - onehot(labels[i])); rows are distinct. */
typedef struct cru_xent_grad_args {
    int64_t count, classes;
    const int32_t *rows, *labels;
    const float *weights, *prob, *dloss;
    float *dlogits;
} cru_xent_grad_args;

/* The k largest (or smallest) of every row, in descending (ascending) order; the lower column first among equals. */
typedef struct cru_topk_args {
    int64_t rows, cols, k;
    const float *x;
    float *values; /* rows x k, may be NULL */
    int32_t *ids;  /* rows x k */
    bool smallest;
} cru_topk_args;

/* Cross-correlation, NCHW. x: batch x in x h x w, weight: out x in/groups x kh x kw, y: batch x out x oh x ow. */
typedef struct cru_conv_args {
    int64_t batch, in, out, height, width;
    int64_t kernel_h, kernel_w, stride, pad, groups;
    const float *x, *weight, *bias; /* bias may be NULL */
    float *y;
} cru_conv_args;

typedef struct cru_conv_grad_args {
    int64_t batch, in, out, height, width;
    int64_t kernel_h, kernel_w, stride, pad, groups;
    const float *x, *weight, *dy;
    float *dx, *dweight, *dbias; /* each may be NULL */
    bool accumulate;
} cru_conv_grad_args;

typedef struct cru_pool_args {
    bool max;                      /* else average over the window, padding counted as PyTorch's default does */
    int64_t planes, height, width; /* planes = batch x channels */
    int64_t kernel, stride, pad;
    const float *x;
    float *y;
    int32_t *where; /* of max: position within the plane */
} cru_pool_args;

typedef struct cru_pool_grad_args {
    bool max;
    int64_t planes, height, width;
    int64_t kernel, stride, pad;
    const float *dy;
    const int32_t *where;
    float *dx;
    bool accumulate;
} cru_pool_grad_args;

/* One optimiser step over n weights, PyTorch's formulas. Coupled decay adds decay * w to the gradient; decoupled
 * (AdamW) multiplies w by 1 - lr * decay first. */
typedef struct cru_adam_args {
    int64_t n;
    float *w, *m, *v;
    const float *g;
    float lr, beta1, beta2, eps, decay;
    bool decoupled, amsgrad;
    float *vmax;  /* amsgrad only */
    int64_t step; /* 1 for the first */
} cru_adam_args;

typedef struct cru_sgd_args {
    int64_t n;
    float *w, *velocity; /* NULL without momentum */
    const float *g;
    float lr, momentum, dampening, decay;
    bool nesterov;
    int64_t step; /* 1 for the first: velocity = g */
} cru_sgd_args;

/* The transpose of `a`: a.cols rows, the entries of each in ascending order of their row in `a`; entry[i] is the
 * position in `a` of entry i. */
typedef struct cru_transpose_args {
    cru_csr a;
    int64_t entries;  /* of a; 0: not told */
    int64_t *offsets; /* a.cols + 1 */
    int32_t *ids;
    float *values; /* NULL when a has none */
    int64_t *entry;
} cru_transpose_args;

struct cru_backend {
    uint32_t size; /* sizeof(cru_backend) */
    const char *name;

    /* Opens device number `index`. Worker, once, before create. Fails with one clear line when there is none. */
    cru_status (*open)(cru_device *device, int32_t index, int32_t threads, cru_error *err);
    void (*close)(cru_device *device);

    /* 64-byte aligned, uninitialised. alloc returns NULL when there is no memory. */
    void *(*alloc)(cru_device *device, size_t bytes);
    void (*release)(cru_device *device, void *memory);
    void (*upload)(cru_device *device, void *to, const void *from_host, size_t bytes);
    void (*download)(cru_device *device, void *to_host, const void *from, size_t bytes);
    void (*fill)(cru_device *device, float *x, int64_t n, float value);

    void (*unary)(cru_device *device, cru_unary op, const cru_unary_args *args);
    void (*unary_grad)(cru_device *device, cru_unary op, const cru_unary_grad_args *args);
    void (*binary)(cru_device *device, cru_binary op, const cru_binary_args *args);
    void (*binary_grad)(cru_device *device, cru_binary op, const cru_binary_grad_args *args);
    void (*reduce)(cru_device *device, cru_reduce op, const cru_reduce_args *args);
    void (*spread)(cru_device *device, const cru_spread_args *args);
    void (*softmax)(cru_device *device, const cru_softmax_args *args);
    void (*softmax_grad)(cru_device *device, const cru_softmax_grad_args *args);
    void (*gemm)(cru_device *device, const cru_gemm_args *args);
    void (*finish)(cru_device *device, const cru_finish_args *args);
    void (*finish_grad)(cru_device *device, const cru_finish_grad_args *args);
    void (*copy)(cru_device *device, const cru_copy_args *args);
    void (*permute)(cru_device *device, const cru_permute_args *args);
    void (*gather)(cru_device *device, const cru_gather_args *args);
    void (*scatter)(cru_device *device, const cru_scatter_args *args);
    void (*scatter_grad)(cru_device *device, const cru_scatter_grad_args *args);
    void (*take)(cru_device *device, const cru_take_args *args);
    void (*place)(cru_device *device, const cru_take_args *args);
    void (*spmm)(cru_device *device, const cru_spmm_args *args);
    void (*spmm_transposed)(cru_device *device, const cru_spmm_transposed_args *args);
    void (*select)(cru_device *device, const cru_select_args *args);
    void (*sddmm)(cru_device *device, const cru_sddmm_args *args);
    void (*edge)(cru_device *device, const cru_edge_args *args);
    void (*edge_sum)(cru_device *device, const cru_edge_sum_args *args);
    void (*edge_softmax)(cru_device *device, const cru_edge_softmax_args *args);
    void (*edge_softmax_grad)(cru_device *device, const cru_edge_softmax_grad_args *args);
    void (*dropout)(cru_device *device, const cru_dropout_args *args);
    void (*norm_stats)(cru_device *device, const cru_norm_args *args);
    void (*norm)(cru_device *device, const cru_norm_args *args);
    void (*norm_grad)(cru_device *device, const cru_norm_grad_args *args);
    void (*xent)(cru_device *device, const cru_xent_args *args);
    void (*xent_grad)(cru_device *device, const cru_xent_grad_args *args);
    void (*topk)(cru_device *device, const cru_topk_args *args);
    void (*conv)(cru_device *device, const cru_conv_args *args);
    void (*conv_grad)(cru_device *device, const cru_conv_grad_args *args);
    void (*pool)(cru_device *device, const cru_pool_args *args);
    void (*pool_grad)(cru_device *device, const cru_pool_grad_args *args);
    void (*adam)(cru_device *device, const cru_adam_args *args);
    void (*sgd)(cru_device *device, const cru_sgd_args *args);

    /* Optional, NULL or not in the table at all: then the host transposes and uploads. */
    void (*transpose)(cru_device *device, const cru_transpose_args *args);

    /* Optional as well: from here on the device gives out no more than so many bytes. Worker, once, after open and
     * before anything was allocated. */
    void (*limit)(cru_device *device, size_t bytes);

    /* Optional as well: `gemm`, whose c is the gradient of a finished result, and `finish_grad`, whose dy is that c, in
     * one go. c is contiguous and has no finish of its own. */
    void (*gemm_back)(cru_device *device, const cru_gemm_args *product, const cru_finish_grad_args *back);
};

/* The CPU: oneDNN for convolution and for products of matrices that are not thin, own kernels with AVX-512, AVX2 and
 * portable variants chosen at run time. */
CRU_API const cru_backend *cru_backend_cpu(void);

#ifdef __cplusplus
}
#endif
#endif
