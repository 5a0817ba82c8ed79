// SPDX-License-Identifier: Apache-2.0
/* tensor.h: tensors, the tape and gradients.
 *
 * A tensor is float32, row-major, contiguous, of rank 0 to 4. It lives in one of two places:
 *   - on a tape: the result of an operator; dies at the next cru_tape_begin. Nothing is freed by hand.
 *   - in a net (nn.h) or a context: weights, buffers and constants; lives as long as the context.
 *
 * A tape records the operators of one training step and plays them back in reverse:
 *
 *     cru_tape_begin(t, CRU_TRAIN);
 *     cru_tensor *h = cru_relu(t, cru_linear(t, x, w1, b1));                // n x 16
 *     cru_tensor *loss = cru_cross_entropy(t, cru_linear(t, h, w2, b2), &labels);
 *     cru_backward(t, loss);                                               // adds to the gradients of w1, b1, w2, b2
 *     cru_optim_step(optim);
 *
 * The tape's memory is an arena that is reused: after the first step a training loop allocates nothing. Operators
 * assert shapes and name themselves and the shapes in the message; they never fail otherwise. */
#ifndef CRUCIBLE_TENSOR_H
#define CRUCIBLE_TENSOR_H

#include <crucible/context.h>
#include <crucible/pool.h>
#include <crucible/task.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_tape cru_tape;

/* Read the public fields freely, write none of them except through `data` of tensors that you made. */
typedef struct cru_tensor {
    int32_t rank;
    int64_t dim[4];  /* dim[rank..3] are 1 */
    float *data;     /* device memory; on the CPU ordinary memory */
    bool needs_grad; /* a weight, watched, or computed from one that is */

    /* private */
    uint8_t role;  /* result of an operator, weight, or watched */
    uint32_t pass; /* the backward pass in which `grad` was written; of a weight: not 0 when it holds anything */
    float *grad;
    void *node; /* the operator that made it */
} cru_tensor;

/* A shape is a value: cru_2d(rows, cols). Axes beyond the rank are 1. */
typedef struct cru_dims {
    int32_t rank;
    int64_t dim[4];
} cru_dims;

static inline cru_dims cru_4d(int64_t a, int64_t b, int64_t c, int64_t d)
{
    cru_dims shape = {4, {a, b, c, d}};
    return shape;
}
static inline cru_dims cru_3d(int64_t a, int64_t b, int64_t c)
{
    cru_dims shape = {3, {a, b, c, 1}};
    return shape;
}
static inline cru_dims cru_2d(int64_t rows, int64_t cols)
{
    cru_dims shape = {2, {rows, cols, 1, 1}};
    return shape;
}
static inline cru_dims cru_1d(int64_t n)
{
    cru_dims shape = {1, {n, 1, 1, 1}};
    return shape;
}
static inline cru_dims cru_0d(void) /* a scalar */
{
    cru_dims shape = {0, {1, 1, 1, 1}};
    return shape;
}
/* From an array of `rank` sizes. */
static inline cru_dims cru_nd(int32_t rank, const int64_t *dim)
{
    cru_dims shape = {rank, {1, 1, 1, 1}};
    for (int32_t i = 0; i < rank && i < 4; i++) shape.dim[i] = dim[i];
    return shape;
}
/* That of a tensor. */
static inline cru_dims cru_shape_of(const cru_tensor *x)
{
    cru_dims shape = {x->rank, {x->dim[0], x->dim[1], x->dim[2], x->dim[3]}};
    return shape;
}

static inline int64_t cru_tensor_count(const cru_tensor *x)
{
    return x->dim[0] * x->dim[1] * x->dim[2] * x->dim[3];
}

/* Rows and columns of a tensor seen as a matrix: the first axis, and all others together. A vector of n is n x 1. */
static inline int64_t cru_tensor_rows(const cru_tensor *x)
{
    return x->dim[0];
}
static inline int64_t cru_tensor_cols(const cru_tensor *x)
{
    return x->dim[1] * x->dim[2] * x->dim[3];
}

/* ---- tape ------------------------------------------------------------------------------------------------ */

typedef enum cru_mode {
    CRU_EVAL = 0,  /* dropout off, batch norm by running statistics, nothing recorded */
    CRU_TRAIN = 1, /* dropout on, batch statistics, recorded for backward */
} cru_mode;

/* Lives in the context and is freed with it. */
CRU_API cru_tape *cru_tape_create(cru_ctx *ctx);
CRU_API cru_mode cru_tape_mode(cru_tape *tape);

/* Forgets all tensors of the last step and starts a new one. Dropout masks of the new step differ from all earlier
 * ones and depend only on the trial's seed and the number of steps begun. */
CRU_API void cru_tape_begin(cru_tape *tape, cru_mode mode);

/* Switches recording off or on within a step; returns what it was. In an eval step recording starts off, and can be
 * switched on for gradients with respect to inputs. */
CRU_API bool cru_tape_record(cru_tape *tape, bool on);

/* Scratch memory of the step. */
CRU_API void *cru_tape_alloc(cru_tape *tape, int64_t count, size_t size);

/* Memory of the step as a pool, for graphs that live for one step. Taking nothing tells a trace that what follows is no
 * operator's work. */
static inline void *cru_tape_pool_alloc(void *owner, int64_t count, size_t size)
{
    return cru_tape_alloc((cru_tape *)owner, count, size);
}

static inline cru_pool cru_tape_pool(cru_tape *tape)
{
    cru_pool pool = {cru_tape_pool_alloc, tape};
    (void)cru_tape_alloc(tape, 0, 1);
    return pool;
}

/* ---- making tensors -------------------------------------------------------------------------------------- */

/* Uninitialised, on the tape. Shapes of lower rank by helper. */
CRU_API cru_tensor *cru_tensor_filled(cru_tape *tape, cru_dims shape, double value);
CRU_API cru_tensor *cru_tensor_scalar(cru_tape *tape, double value);

/* A tensor that lives as long as the context, zeroed; no gradient. */
CRU_API cru_tensor *cru_tensor_create(cru_ctx *ctx, cru_dims shape);

CRU_API cru_tensor *cru_tensor_create_filled(cru_ctx *ctx, cru_dims shape, double value);

/* cru_tensor_create with `values` copied in (host memory, row-major). */
CRU_API cru_tensor *cru_tensor_from(cru_ctx *ctx, cru_dims shape, const float *values);

/* Overwrites a tensor of the context or of a net with values from host memory. */
CRU_API void cru_tensor_set(cru_ctx *ctx, cru_tensor *x, const float *values);

/* Overwrites a tensor of the context or of a net with the values of one of this step and of the same size. */
CRU_API void cru_tensor_keep(cru_tape *tape, cru_tensor *x, const cru_tensor *from);

/* A copy of a tensor of this step that lives as long as the context: what is computed once and used in every step. */
CRU_API cru_tensor *cru_tensor_kept(cru_tape *tape, const cru_tensor *x);

/* On the tape, with values copied in from host memory. */
CRU_API cru_tensor *cru_tensor_upload(cru_tape *tape, cru_dims shape, const float *host);

/* Copies out to host memory; waits for the device. */
CRU_API void cru_tensor_download(cru_tape *tape, const cru_tensor *x, float *host);

/* The values where the host can read them, for this step; waits for the device. A copy: writing to the tensor later
 * does not change it. */
CRU_API const float *cru_tensor_host(cru_tape *tape, const cru_tensor *x);

/* The value of a one-element tensor. */
CRU_API float cru_tensor_item(cru_tape *tape, const cru_tensor *x);

/* ---- index vectors and sparse operands -------------------------------------------------------------------------- */

/* int32 ids in device memory: rows to gather, labels. A value; borrows its memory. */
typedef struct cru_index {
    const int32_t *ids;
    int64_t count;
} cru_index;

/* From host memory: for the context's life time, or for the step. On the CPU nothing is copied, so the ids must outlive
 * the index. */
CRU_API cru_index cru_index_create(cru_ctx *ctx, const int32_t *host, int64_t count);
CRU_API cru_index cru_index_step(cru_tape *tape, const int32_t *host, int64_t count);

/* Copies out to host memory; waits for the device. */
CRU_API void cru_index_download(cru_tape *tape, cru_index index, int32_t *host);
/* The ids where the host can read them, for the step; on the CPU the ids themselves. */
CRU_API const int32_t *cru_index_host(cru_tape *tape, cru_index index);

/* A sparse matrix ready for the device. Its transpose, needed for gradients, is made on first use and kept. */
typedef struct cru_sparse {
    cru_csr csr;
    cru_csr transposed;   /* rows and cols swapped, values permuted; offsets NULL until first needed */
    const int64_t *entry; /* transposed entry -> position in csr */
    uint8_t symmetry;     /* private: not yet known, none, or equal to its transpose */
    cru_ctx *ctx;         /* where the transpose lives: the context, */
    cru_tape *tape;       /* or, when not NULL, this step of the tape */

    /* private: the same arrays where kernels can read them; on the CPU these are the arrays above */
    cru_csr on_device, transposed_on_device;
    const int64_t *entry_on_device;
} cru_sparse;

CRU_API cru_sparse *cru_sparse_create(cru_ctx *ctx, const cru_csr *csr); /* borrows the arrays on the CPU */
CRU_API cru_sparse *cru_sparse_step(cru_tape *tape, const cru_csr *csr); /* for a graph rebuilt in every step */

/* The values of the stored entries as a tensor of the context, 1 where the matrix has none: E, for
 * cru_spmm_weighted. */
CRU_API cru_tensor *cru_sparse_values(cru_sparse *a);

/* A model's input: dense, or sparse and kept sparse. A value. Operators on it are in ops-sparse.h. */
typedef struct cru_input {
    int64_t rows, cols;
    cru_tensor *dense;             /* or NULL */
    cru_sparse *sparse;            /* or NULL */
    cru_tensor *values;            /* of the sparse entries; NULL: the matrix's own */
    struct cru_kept_product *kept; /* private: see cru_input_spread */
} cru_input;

CRU_API cru_input cru_input_create(cru_ctx *ctx, const cru_features *x);
CRU_API cru_input cru_input_of(cru_tensor *dense);

/* ---- gradients ------------------------------------------------------------------------------------------- */

/* Adds d loss / d w to the gradient of every weight that the scalar `loss` depends on, and makes the gradients of
 * watched tensors available. May be called several times in a step (several losses): gradients add up. */
CRU_API void cru_backward(cru_tape *tape, cru_tensor *loss);

/* The values of x without their history: gradients stop here. No copy. */
CRU_API cru_tensor *cru_detach(cru_tape *tape, cru_tensor *x);

/* Asks for the gradient of a tensor that is not a weight (an input, for saliency): call before it is used. */
CRU_API void cru_tensor_watch(cru_tensor *x);

/* ---- testing --------------------------------------------------------------------------------------------- */

/* Compares the gradient of `f` (a scalar made from x[0..count-1]) with central differences. Returns the largest of
 * |analytic - numeric| / max(1, |numeric|) over all elements of all inputs. `f` must be deterministic. */
typedef cru_tensor *cru_grad_function(void *user, cru_tape *tape, cru_tensor *const *x);
CRU_API double cru_gradcheck(cru_tape *tape, cru_grad_function *f, void *user, cru_tensor *const *x, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
