// SPDX-License-Identifier: Apache-2.0
/* Convolution and pooling. */
#include <crucible/draft/ops-image.h>

#include "autograd/tape.h"

/* ---- convolution ----------------------------------------------------------------------------------------- */

typedef struct conv_state {
    cru_conv_args args;
} conv_state;

static void conv_backward(cru_tape *t, tape_node *n)
{
    const cru_conv_args *f = &((const conv_state *)n->state)->args;
    cru_conv_grad_args args = {.batch = f->batch,
                               .in = f->in,
                               .out = f->out,
                               .height = f->height,
                               .width = f->width,
                               .kernel_h = f->kernel_h,
                               .kernel_w = f->kernel_w,
                               .stride = f->stride,
                               .pad = f->pad,
                               .groups = f->groups,
                               .x = f->x,
                               .weight = f->weight,
                               .dy = n->out->grad};
    /* One call per gradient: each has its own idea of whether to add. */
    args.dx = tape_grad(t, n->in[0], &args.accumulate);
    if (args.dx) t->device->backend->conv_grad(t->device, &args);
    args.dx = NULL;
    args.dweight = tape_grad(t, n->in[1], &args.accumulate);
    if (args.dweight) t->device->backend->conv_grad(t->device, &args);
    args.dweight = NULL;
    args.dbias = n->in_count > 2 ? tape_grad(t, n->in[2], &args.accumulate) : NULL;
    if (args.dbias) t->device->backend->conv_grad(t->device, &args);
}

static const tape_op conv_op = {.name = "conv2d", .backward = conv_backward};

cru_tensor *cru_conv2d(cru_tape *t, cru_tensor *x, cru_tensor *weight, cru_tensor *bias, cru_conv_shape shape)
{
    int64_t stride = shape.stride ? shape.stride : 1, groups = shape.groups ? shape.groups : 1;
    cru_assert(
        x->rank == 4 && weight->rank == 4 && x->dim[1] == weight->dim[1] * groups && weight->dim[0] % groups == 0,
        "conv2d: %s with weights %s in %lld groups", tape_text(x).text, tape_text(weight).text, (long long)groups);
    cru_conv_args args = {.batch = x->dim[0],
                          .in = x->dim[1],
                          .out = weight->dim[0],
                          .height = x->dim[2],
                          .width = x->dim[3],
                          .kernel_h = weight->dim[2],
                          .kernel_w = weight->dim[3],
                          .stride = stride,
                          .pad = shape.pad,
                          .groups = groups,
                          .x = x->data,
                          .weight = weight->data,
                          .bias = bias ? bias->data : NULL};
    int64_t oh = (args.height + 2 * args.pad - args.kernel_h) / stride + 1;
    int64_t ow = (args.width + 2 * args.pad - args.kernel_w) / stride + 1;
    cru_assert(oh > 0 && ow > 0, "conv2d: %s is smaller than the kernel %s", tape_text(x).text, tape_text(weight).text);
    cru_tensor out = tape_shape(4, (const int64_t[]){args.batch, args.out, oh, ow});
    tape_result r = tape_emit(t, &conv_op, &out, (cru_tensor *[]){x, weight, bias}, bias ? 3 : 2, sizeof(conv_state));
    args.y = r.out->data;
    ((conv_state *)r.state)->args = args;
    t->device->backend->conv(t->device, &args);
    return r.out;
}

/* ---- pooling --------------------------------------------------------------------------------------------- */

typedef struct pool_state {
    cru_pool_args args;
} pool_state;

static void pool_backward(cru_tape *t, tape_node *n)
{
    const cru_pool_args *f = &((const pool_state *)n->state)->args;
    cru_pool_grad_args args = {.max = f->max,
                               .planes = f->planes,
                               .height = f->height,
                               .width = f->width,
                               .kernel = f->kernel,
                               .stride = f->stride,
                               .pad = f->pad,
                               .dy = n->out->grad,
                               .where = f->where};
    args.dx = tape_grad(t, n->in[0], &args.accumulate);
    if (args.dx) t->device->backend->pool_grad(t->device, &args);
}

static const tape_op pool_op = {.name = "pool2d", .backward = pool_backward};

static cru_tensor *pool2d(cru_tape *t, cru_tensor *x, cru_pool_shape shape, bool max)
{
    cru_assert(x->rank == 4, "pool2d: %s is not a batch of images", tape_text(x).text);
    int64_t stride = shape.stride ? shape.stride : shape.kernel;
    int64_t oh = (x->dim[2] + 2 * shape.pad - shape.kernel) / stride + 1;
    int64_t ow = (x->dim[3] + 2 * shape.pad - shape.kernel) / stride + 1;
    cru_assert(oh > 0 && ow > 0, "pool2d: %s is smaller than a window of %lld", tape_text(x).text,
               (long long)shape.kernel);
    cru_tensor out = tape_shape(4, (const int64_t[]){x->dim[0], x->dim[1], oh, ow});
    tape_result r = tape_emit(t, &pool_op, &out, &x, 1, sizeof(pool_state));
    cru_pool_args args = {.max = max,
                          .planes = x->dim[0] * x->dim[1],
                          .height = x->dim[2],
                          .width = x->dim[3],
                          .kernel = shape.kernel,
                          .stride = stride,
                          .pad = shape.pad,
                          .x = x->data,
                          .y = r.out->data};
    if (max) args.where = tape_ints(t, cru_tensor_count(r.out));
    ((pool_state *)r.state)->args = args;
    t->device->backend->pool(t->device, &args);
    return r.out;
}

cru_tensor *cru_max_pool2d(cru_tape *t, cru_tensor *x, cru_pool_shape shape)
{
    return pool2d(t, x, shape, true);
}

cru_tensor *cru_avg_pool2d(cru_tape *t, cru_tensor *x, cru_pool_shape shape)
{
    return pool2d(t, x, shape, false);
}

cru_tensor *cru_global_avg_pool(cru_tape *t, cru_tensor *x)
{
    cru_assert(x->rank == 4, "global_avg_pool: %s is not a batch of images", tape_text(x).text);
    cru_tensor *planes = cru_as_matrix(t, x, x->dim[0] * x->dim[1], -1);
    return cru_as_matrix(t, cru_mean(t, planes, 1), x->dim[0], x->dim[1]);
}
