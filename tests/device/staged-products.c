// SPDX-License-Identifier: Apache-2.0
/* Staged products: of matrices, over neighbours and edges, of images. */
#include "staged.h"

void staged_gemm(cru_device *device, const cru_gemm_args *args)
{
    stage s = stage_of(device);
    cru_gemm_args a = *args;
    cru_finish finish;
    const int64_t more = a.batch > 1 ? a.batch - 1 : 0;
    a.a = stage_in_floats(&s, a.a, more * a.stride_a + stage_extent(a.ta ? a.k : a.m, a.lda, a.ta ? a.m : a.k, 1));
    a.b = stage_in_floats(&s, a.b, more * a.stride_b + stage_extent(a.tb ? a.n : a.k, a.ldb, a.tb ? a.k : a.n, 1));
    a.c = stage_out_floats(&s, a.c, more * a.stride_c + stage_extent(a.m, a.ldc, a.n, 1));
    a.finish = stage_in_finish(&s, a.finish, a.n, &finish);
    s.backend->gemm(s.device, &a);
    stage_end(&s);
}

void staged_spmm(cru_device *device, const cru_spmm_args *args)
{
    stage s = stage_of(device);
    cru_spmm_args a = *args;
    cru_finish finish;
    const int64_t nnz = stage_entries(&s, &a.a), width = a.heads * a.cols;
    a.a = stage_in_csr(&s, &a.a);
    a.weights = stage_in_floats(&s, a.weights, nnz * a.heads);
    a.order = stage_in(&s, a.order, nnz, sizeof *a.order);
    a.x = stage_in_floats(&s, a.x, a.a.cols * width);
    a.y = stage_out_floats(&s, a.y, a.a.rows * width);
    a.where = stage_out_ids(&s, a.where, a.a.rows * width);
    a.finish = stage_in_finish(&s, a.finish, width, &finish);
    s.backend->spmm(s.device, &a);
    stage_end(&s);
}

void staged_spmm_transposed(cru_device *device, const cru_spmm_transposed_args *args)
{
    stage s = stage_of(device);
    cru_spmm_transposed_args a = *args;
    const int64_t nnz = stage_entries(&s, &a.a);
    a.a = stage_in_csr(&s, &a.a);
    a.weights = stage_in_floats(&s, a.weights, nnz);
    a.x = stage_in_floats(&s, a.x, a.a.rows * a.cols);
    a.y = stage_out_floats(&s, a.y, a.a.cols * a.cols);
    s.backend->spmm_transposed(s.device, &a);
    stage_end(&s);
}

void staged_select(cru_device *device, const cru_select_args *args)
{
    stage s = stage_of(device);
    cru_select_args a = *args;
    a.order = stage_in(&s, a.order, stage_entries(&s, &a.a), sizeof *a.order);
    a.a = stage_in_csr(&s, &a.a);
    a.where = stage_in_ids(&s, a.where, a.a.cols * a.cols);
    a.dy = stage_in_floats(&s, a.dy, a.a.cols * a.cols);
    a.dx = stage_out_floats(&s, a.dx, a.a.rows * a.cols);
    s.backend->select(s.device, &a);
    stage_end(&s);
}

void staged_sddmm(cru_device *device, const cru_sddmm_args *args)
{
    stage s = stage_of(device);
    cru_sddmm_args a = *args;
    const int64_t width = a.heads * a.cols;
    a.y = stage_out_floats(&s, a.y, stage_entries(&s, &a.a) * a.heads);
    a.a = stage_in_csr(&s, &a.a);
    a.l = stage_in_floats(&s, a.l, a.a.rows * width);
    a.r = stage_in_floats(&s, a.r, a.a.cols * width);
    s.backend->sddmm(s.device, &a);
    stage_end(&s);
}

void staged_edge(cru_device *device, const cru_edge_args *args)
{
    stage s = stage_of(device);
    cru_edge_args a = *args;
    a.y = stage_out_floats(&s, a.y, stage_entries(&s, &a.a) * a.heads);
    a.a = stage_in_csr(&s, &a.a);
    a.l = stage_in_floats(&s, a.l, a.a.rows * a.heads);
    a.r = stage_in_floats(&s, a.r, a.a.cols * a.heads);
    s.backend->edge(s.device, &a);
    stage_end(&s);
}

void staged_edge_sum(cru_device *device, const cru_edge_sum_args *args)
{
    stage s = stage_of(device);
    cru_edge_sum_args a = *args;
    const int64_t nnz = stage_entries(&s, &a.a);
    a.a = stage_in_csr(&s, &a.a);
    a.order = stage_in(&s, a.order, nnz, sizeof *a.order);
    a.x = stage_in_floats(&s, a.x, nnz * a.cols);
    a.y = stage_out_floats(&s, a.y, a.a.rows * a.cols);
    s.backend->edge_sum(s.device, &a);
    stage_end(&s);
}

void staged_edge_softmax(cru_device *device, const cru_edge_softmax_args *args)
{
    stage s = stage_of(device);
    cru_edge_softmax_args a = *args;
    const int64_t n = stage_entries(&s, &a.a) * a.heads;
    a.a = stage_in_csr(&s, &a.a);
    a.x = stage_in_floats(&s, a.x, n);
    a.y = stage_out_floats(&s, a.y, n);
    s.backend->edge_softmax(s.device, &a);
    stage_end(&s);
}

void staged_edge_softmax_grad(cru_device *device, const cru_edge_softmax_grad_args *args)
{
    stage s = stage_of(device);
    cru_edge_softmax_grad_args a = *args;
    const int64_t n = stage_entries(&s, &a.a) * a.heads;
    a.a = stage_in_csr(&s, &a.a);
    a.y = stage_in_floats(&s, a.y, n);
    a.dy = stage_in_floats(&s, a.dy, n);
    a.dx = stage_out_floats(&s, a.dx, n);
    s.backend->edge_softmax_grad(s.device, &a);
    stage_end(&s);
}

void staged_conv(cru_device *device, const cru_conv_args *args)
{
    stage s = stage_of(device);
    cru_conv_args a = *args;
    const int64_t size =
        stage_windows(a.height, a.kernel_h, a.stride, a.pad) * stage_windows(a.width, a.kernel_w, a.stride, a.pad);
    a.x = stage_in_floats(&s, a.x, a.batch * a.in * a.height * a.width);
    a.weight = stage_in_floats(&s, a.weight, a.out * (a.in / a.groups) * a.kernel_h * a.kernel_w);
    a.bias = stage_in_floats(&s, a.bias, a.out);
    a.y = stage_out_floats(&s, a.y, a.batch * a.out * size);
    s.backend->conv(s.device, &a);
    stage_end(&s);
}

void staged_conv_grad(cru_device *device, const cru_conv_grad_args *args)
{
    stage s = stage_of(device);
    cru_conv_grad_args a = *args;
    const int64_t size =
        stage_windows(a.height, a.kernel_h, a.stride, a.pad) * stage_windows(a.width, a.kernel_w, a.stride, a.pad);
    const int64_t pixels = a.batch * a.in * a.height * a.width;
    const int64_t weights = a.out * (a.in / a.groups) * a.kernel_h * a.kernel_w;
    a.x = stage_in_floats(&s, a.x, pixels);
    a.weight = stage_in_floats(&s, a.weight, weights);
    a.dy = stage_in_floats(&s, a.dy, a.batch * a.out * size);
    a.dx = stage_out_floats(&s, a.dx, pixels);
    a.dweight = stage_out_floats(&s, a.dweight, weights);
    a.dbias = stage_out_floats(&s, a.dbias, a.out);
    s.backend->conv_grad(s.device, &a);
    stage_end(&s);
}

void staged_transpose(cru_device *device, const cru_transpose_args *args)
{
    stage s = stage_of(device);
    cru_transpose_args a = *args;
    const int64_t nnz = stage_entries(&s, &a.a);
    a.a = stage_in_csr(&s, &a.a);
    a.offsets = stage_send(&s, a.offsets, a.a.cols + 1, sizeof *a.offsets, true);
    a.ids = stage_out_ids(&s, a.ids, nnz);
    a.values = stage_out_floats(&s, a.values, nnz);
    a.entry = stage_send(&s, a.entry, nnz, sizeof *a.entry, true);
    s.backend->transpose(s.device, &a);
    stage_end(&s);
}
