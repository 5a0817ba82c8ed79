// SPDX-License-Identifier: Apache-2.0
/* One backend table, compiled for the instruction set of the including file, which defines its name TABLE and the width
 * of a vector LANES. */
#include "backends/cpu/cpu.h"
#include "binary-grad.h"
#include "binary.h"
#include "dropout.h"
#include "edge-softmax.h"
#include "edge.h"
#include "finish.h"
#include "norm-grad.h"
#include "norm.h"
#include "optim.h"
#include "reduce.h"
#include "softmax.h"
#include "spmm-transposed.h"
#include "spmm.h"
#include "thin.h"
#include "unary.h"

/* Kernels that call others (a product that is finished while it is in a cache) find them through the device. */
static cru_status open_device(cru_device *device, int32_t index, int32_t threads, cru_error *err)
{
    const cru_status status = cpu_open(device, index, threads, err);
    if (!status) device->backend = &TABLE;
    return status;
}

const cru_backend TABLE = {
    .size = sizeof(cru_backend),
    .name = "cpu",
    .open = open_device,
    .close = cpu_close,
    .alloc = cpu_alloc,
    .release = cpu_release,
    .upload = cpu_move,
    .download = cpu_move,
    .fill = fill,
    .unary = unary,
    .unary_grad = unary_grad,
    .binary = binary,
    .binary_grad = binary_grad,
    .reduce = reduce,
    .spread = spread,
    .softmax = softmax,
    .softmax_grad = softmax_grad,
    .gemm = gemm,
    .gemm_back = gemm_back,
    .finish = finish,
    .finish_grad = finish_grad,
    .copy = cpu_copy,
    .permute = cpu_permute,
    .gather = cpu_gather,
    .scatter = cpu_scatter,
    .scatter_grad = cpu_scatter_grad,
    .take = cpu_take,
    .place = cpu_place,
    .select = cpu_select,
    .spmm = spmm,
    .spmm_transposed = spmm_transposed,
    .sddmm = sddmm,
    .edge = edge,
    .edge_sum = edge_sum,
    .edge_softmax = edge_softmax,
    .edge_softmax_grad = edge_softmax_grad,
    .dropout = dropout,
    .norm_stats = norm_stats,
    .norm = norm,
    .norm_grad = norm_grad,
    .xent = xent,
    .xent_grad = xent_grad,
    .topk = cpu_topk,
    .conv = cpu_conv,
    .conv_grad = cpu_conv_grad,
    .pool = cpu_pool,
    .pool_grad = cpu_pool_grad,
    .adam = adam,
    .sgd = sgd,
};
