// SPDX-License-Identifier: Apache-2.0
/* draft/tensor.h: weights, gradients and modes by hand, for what train.h does not do. Continues tensor.h. */
#ifndef CRUCIBLE_DRAFT_TENSOR_H
#define CRUCIBLE_DRAFT_TENSOR_H

#include <crucible/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tape ------------------------------------------------------------------------------------------------ */

/* Where the tape lives. */
CRU_API cru_ctx *cru_tape_ctx(const cru_tape *tape);

/* Whether what the step computed so far depends on its mode: an operator dropped or used batch statistics, or somebody
 * called cru_tape_mode. If not, an eval step would give the same. */
CRU_API bool cru_tape_mode_mattered(const cru_tape *tape);

/* Switches dropout and batch statistics within a step (a teacher in eval mode beside a student in train mode). */
CRU_API cru_mode cru_tape_set_mode(cru_tape *tape, cru_mode mode);

/* Within a step in train mode, before its weights change: `on` begins a pass in eval mode that judges the weights and
 * of which nothing is recorded; off ends it. The pass in train mode that follows takes over the products that the same
 * model made before its first dropout. All tensors of the pass that judged are dead then. */
CRU_API void cru_tape_judge(cru_tape *tape, bool on);

/* ---- making tensors -------------------------------------------------------------------------------------- */

/* Uninitialised, on the tape; of any shape, or a matrix. */
CRU_API cru_tensor *cru_tensor_new(cru_tape *tape, cru_dims shape);
CRU_API cru_tensor *cru_tensor_matrix(cru_tape *tape, int64_t rows, int64_t cols);

/* A weight: the same, with a gradient of its own that cru_backward adds to until cru_weight_clear. nn.h makes and
 * initialises weights by the layer. */
CRU_API cru_tensor *cru_weight_create(cru_ctx *ctx, cru_dims shape);

/* The accumulated gradient, NULL when nothing was added since the last clear. */
CRU_API float *cru_weight_grad(const cru_tensor *w);
CRU_API void cru_weight_clear(cru_tensor *w);

/* ---- index vectors and sparse operands -------------------------------------------------------------------------- */

/* The transposed matrix; a->entry maps its entries back. */
CRU_API const cru_csr *cru_sparse_transpose(cru_sparse *a);

/* The transposed matrix where only its values count, not which entry they came from: a symmetric matrix is its own, so
 * that an undirected graph is stored once. */
CRU_API const cru_csr *cru_sparse_mirrored(cru_sparse *a);

/* ---- gradients ------------------------------------------------------------------------------------------- */

/* The gradient of a watched tensor (or a weight) as a tensor: the sum over all cru_backward of this step (of a weight:
 * since the last clear); zeros when nothing flowed to it. */
CRU_API cru_tensor *cru_grad_of(cru_tape *tape, cru_tensor *x);

typedef enum cru_grad_flags {
    CRU_GRAD_GRAPH = 1, /* record the gradients themselves, so that they can be differentiated again */
} cru_grad_flags;

/* out[i] = d y / d x[i] for a scalar y; weights' own gradients are left alone. With CRU_GRAD_GRAPH the results are on
 * the record; this works through the operators of linear, GCN and MLP models (the header of each operator family says
 * which) and asserts on others. */
CRU_API void cru_grad(cru_tape *tape, cru_tensor *y, cru_tensor *const *x, int64_t count, cru_tensor **out,
                      uint32_t flags);

/* y = x in value; the gradient that arrives at y is handed to `change` (in place, n values, device memory) before it
 * goes on to x: gradient reversal, scaling, clipping of one branch. */
typedef void cru_grad_hook(void *user, cru_tape *tape, float *grad, int64_t n);
CRU_API cru_tensor *cru_grad_through(cru_tape *tape, cru_tensor *x, cru_grad_hook *change, void *user);

/* An operator of a plugin's own that the host computes: y = f(x[0], ..., x[count - 1]), where the caller has y already.
 * In the backward pass `backward` is handed dy and adds to dx[i], which is zeroed, or NULL where x[i] needs no
 * gradient; all of it host memory, like y. `user` lives as long as the step. For functions that would need too much
 * memory as operators of the SDK: compute in blocks, and again in the backward pass. */
typedef void cru_host_backward(void *user, cru_tape *tape, const float *dy, float *const *dx);
typedef struct cru_host_op {
    cru_dims shape; /* of y */
    const float *y;
    cru_host_backward *backward;
    void *user;
} cru_host_op;
CRU_API cru_tensor *cru_host_operator(cru_tape *tape, const cru_host_op *op, cru_tensor *const *x, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
