// SPDX-License-Identifier: Apache-2.0
/* Staged kernels that move, order and pool. */
#include "staged.h"

void staged_copy(cru_device *device, const cru_copy_args *args)
{
    stage s = stage_of(device);
    cru_copy_args a = *args;
    a.x = stage_in_floats(&s, a.x, stage_extent(a.rows, a.ldx, a.cols, 1));
    a.y = stage_out_floats(&s, a.y, stage_extent(a.rows, a.ldy, a.cols, 1));
    s.backend->copy(s.device, &a);
    stage_end(&s);
}

void staged_permute(cru_device *device, const cru_permute_args *args)
{
    stage s = stage_of(device);
    cru_permute_args a = *args;
    const int64_t n = a.dim[0] * a.dim[1] * a.dim[2] * a.dim[3];
    a.x = stage_in_floats(&s, a.x, n);
    a.y = stage_out_floats(&s, a.y, n);
    s.backend->permute(s.device, &a);
    stage_end(&s);
}

void staged_gather(cru_device *device, const cru_gather_args *args)
{
    stage s = stage_of(device);
    cru_gather_args a = *args;
    a.x = stage_in_floats(&s, a.x, stage_rows_reached(&s, a.ids, a.count) * a.cols);
    a.ids = stage_in_ids(&s, a.ids, a.count);
    a.y = stage_out_floats(&s, a.y, a.count * a.cols);
    s.backend->gather(s.device, &a);
    stage_end(&s);
}

void staged_scatter(cru_device *device, const cru_scatter_args *args)
{
    stage s = stage_of(device);
    cru_scatter_args a = *args;
    a.ids = stage_in_ids(&s, a.ids, a.count);
    a.x = stage_in_floats(&s, a.x, a.count * a.cols);
    a.y = stage_out_floats(&s, a.y, a.rows * a.cols);
    a.where = stage_out_ids(&s, a.where, a.rows * a.cols);
    s.backend->scatter(s.device, &a);
    stage_end(&s);
}

void staged_scatter_grad(cru_device *device, const cru_scatter_grad_args *args)
{
    stage s = stage_of(device);
    cru_scatter_grad_args a = *args;
    a.ids = stage_in_ids(&s, a.ids, a.count);
    a.dy = stage_in_floats(&s, a.dy, a.rows * a.cols);
    a.where = stage_in_ids(&s, a.where, a.rows * a.cols);
    a.dx = stage_out_floats(&s, a.dx, a.count * a.cols);
    s.backend->scatter_grad(s.device, &a);
    stage_end(&s);
}

/* From rows x x_cols to rows x y_cols. */
static cru_take_args take_args(stage *s, const cru_take_args *args, int64_t x_cols, int64_t y_cols)
{
    cru_take_args a = *args;
    a.ids = stage_in_ids(s, a.ids, a.rows * a.k);
    a.x = stage_in_floats(s, a.x, a.rows * x_cols);
    a.y = stage_out_floats(s, a.y, a.rows * y_cols);
    return a;
}

void staged_take(cru_device *device, const cru_take_args *args)
{
    stage s = stage_of(device);
    const cru_take_args a = take_args(&s, args, args->cols, args->k);
    s.backend->take(s.device, &a);
    stage_end(&s);
}

void staged_place(cru_device *device, const cru_take_args *args)
{
    stage s = stage_of(device);
    const cru_take_args a = take_args(&s, args, args->k, args->cols);
    s.backend->place(s.device, &a);
    stage_end(&s);
}

void staged_topk(cru_device *device, const cru_topk_args *args)
{
    stage s = stage_of(device);
    cru_topk_args a = *args;
    a.x = stage_in_floats(&s, a.x, a.rows * a.cols);
    a.values = stage_out_floats(&s, a.values, a.rows * a.k);
    a.ids = stage_out_ids(&s, a.ids, a.rows * a.k);
    s.backend->topk(s.device, &a);
    stage_end(&s);
}

void staged_pool(cru_device *device, const cru_pool_args *args)
{
    stage s = stage_of(device);
    cru_pool_args a = *args;
    const int64_t size =
        stage_windows(a.height, a.kernel, a.stride, a.pad) * stage_windows(a.width, a.kernel, a.stride, a.pad);
    a.x = stage_in_floats(&s, a.x, a.planes * a.height * a.width);
    a.y = stage_out_floats(&s, a.y, a.planes * size);
    a.where = stage_out_ids(&s, a.where, a.planes * size);
    s.backend->pool(s.device, &a);
    stage_end(&s);
}

void staged_pool_grad(cru_device *device, const cru_pool_grad_args *args)
{
    stage s = stage_of(device);
    cru_pool_grad_args a = *args;
    const int64_t size =
        stage_windows(a.height, a.kernel, a.stride, a.pad) * stage_windows(a.width, a.kernel, a.stride, a.pad);
    a.dy = stage_in_floats(&s, a.dy, a.planes * size);
    a.where = stage_in_ids(&s, a.where, a.planes * size);
    a.dx = stage_out_floats(&s, a.dx, a.planes * a.height * a.width);
    s.backend->pool_grad(s.device, &a);
    stage_end(&s);
}
