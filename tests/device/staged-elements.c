// SPDX-License-Identifier: Apache-2.0
/* Staged kernels over elements, axes and weights. */
#include "staged.h"

static cru_operand stage_in_operand(stage *s, cru_operand o, int64_t rows, int64_t cols)
{
    o.x = stage_in_floats(s, o.x, stage_extent(rows, o.row, cols, o.col));
    return o;
}

void staged_fill(cru_device *device, float *x, int64_t n, float value)
{
    stage s = stage_of(device);
    s.backend->fill(s.device, stage_out_floats(&s, x, n), n, value);
    stage_end(&s);
}

void staged_unary(cru_device *device, cru_unary op, const cru_unary_args *args)
{
    stage s = stage_of(device);
    cru_unary_args a = *args;
    a.x = stage_in_floats(&s, a.x, a.n);
    a.y = stage_out_floats(&s, a.y, a.n);
    s.backend->unary(s.device, op, &a);
    stage_end(&s);
}

void staged_unary_grad(cru_device *device, cru_unary op, const cru_unary_grad_args *args)
{
    stage s = stage_of(device);
    cru_unary_grad_args a = *args;
    a.x = stage_in_floats(&s, a.x, a.n);
    a.y = stage_in_floats(&s, a.y, a.n);
    a.dy = stage_in_floats(&s, a.dy, a.n);
    a.dx = stage_out_floats(&s, a.dx, a.n);
    s.backend->unary_grad(s.device, op, &a);
    stage_end(&s);
}

void staged_binary(cru_device *device, cru_binary op, const cru_binary_args *args)
{
    stage s = stage_of(device);
    cru_binary_args a = *args;
    a.a = stage_in_operand(&s, a.a, a.rows, a.cols);
    a.b = stage_in_operand(&s, a.b, a.rows, a.cols);
    a.y = stage_out_floats(&s, a.y, a.rows * a.cols);
    s.backend->binary(s.device, op, &a);
    stage_end(&s);
}

void staged_binary_grad(cru_device *device, cru_binary op, const cru_binary_grad_args *args)
{
    stage s = stage_of(device);
    cru_binary_grad_args a = *args;
    const cru_operand side = a.to_b ? a.b : a.a;
    a.a = stage_in_operand(&s, a.a, a.rows, a.cols);
    a.b = stage_in_operand(&s, a.b, a.rows, a.cols);
    a.dy = stage_in_floats(&s, a.dy, a.rows * a.cols);
    a.dx = stage_out_floats(&s, a.dx, (side.row ? a.rows : 1) * (side.col ? a.cols : 1));
    s.backend->binary_grad(s.device, op, &a);
    stage_end(&s);
}

void staged_reduce(cru_device *device, cru_reduce op, const cru_reduce_args *args)
{
    stage s = stage_of(device);
    cru_reduce_args a = *args;
    a.x = stage_in_floats(&s, a.x, a.outer * a.count * a.inner);
    a.y = stage_out_floats(&s, a.y, a.outer * a.inner);
    a.where = stage_out_ids(&s, a.where, a.outer * a.inner);
    s.backend->reduce(s.device, op, &a);
    stage_end(&s);
}

void staged_spread(cru_device *device, const cru_spread_args *args)
{
    stage s = stage_of(device);
    cru_spread_args a = *args;
    a.dy = stage_in_floats(&s, a.dy, a.outer * a.inner);
    a.where = stage_in_ids(&s, a.where, a.outer * a.inner);
    a.dx = stage_out_floats(&s, a.dx, a.outer * a.count * a.inner);
    s.backend->spread(s.device, &a);
    stage_end(&s);
}

void staged_softmax(cru_device *device, const cru_softmax_args *args)
{
    stage s = stage_of(device);
    cru_softmax_args a = *args;
    const int64_t n = a.outer * a.count * a.inner;
    a.x = stage_in_floats(&s, a.x, n);
    a.y = stage_out_floats(&s, a.y, n);
    s.backend->softmax(s.device, &a);
    stage_end(&s);
}

void staged_softmax_grad(cru_device *device, const cru_softmax_grad_args *args)
{
    stage s = stage_of(device);
    cru_softmax_grad_args a = *args;
    const int64_t n = a.outer * a.count * a.inner;
    a.y = stage_in_floats(&s, a.y, n);
    a.dy = stage_in_floats(&s, a.dy, n);
    a.dx = stage_out_floats(&s, a.dx, n);
    s.backend->softmax_grad(s.device, &a);
    stage_end(&s);
}

void staged_finish(cru_device *device, const cru_finish_args *args)
{
    stage s = stage_of(device);
    cru_finish_args a = *args;
    cru_finish finish;
    a.y = stage_out_floats(&s, a.y, (a.first + a.rows) * a.cols);
    a.finish = stage_in_finish(&s, a.finish, a.cols, &finish);
    s.backend->finish(s.device, &a);
    stage_end(&s);
}

void staged_finish_grad(cru_device *device, const cru_finish_grad_args *args)
{
    stage s = stage_of(device);
    cru_finish_grad_args a = *args;
    cru_finish finish;
    a.y = stage_in_floats(&s, a.y, a.rows * a.cols);
    a.dy = stage_out_floats(&s, a.dy, a.rows * a.cols);
    a.dbias = stage_out_floats(&s, a.dbias, a.cols);
    a.finish = stage_in_finish(&s, a.finish, a.cols, &finish);
    s.backend->finish_grad(s.device, &a);
    stage_end(&s);
}

void staged_dropout(cru_device *device, const cru_dropout_args *args)
{
    stage s = stage_of(device);
    cru_dropout_args a = *args;
    a.x = stage_in_floats(&s, a.x, a.n);
    a.y = stage_out_floats(&s, a.y, a.n);
    s.backend->dropout(s.device, &a);
    stage_end(&s);
}

static cru_norm_args norm_args(stage *s, const cru_norm_args *args)
{
    cru_norm_args a = *args;
    const int64_t n = a.outer * a.channels * a.inner;
    a.x = stage_in_floats(s, a.x, n);
    a.mean = stage_out_floats(s, a.mean, a.channels);
    a.var = stage_out_floats(s, a.var, a.channels);
    a.gain = stage_in_floats(s, a.gain, a.channels);
    a.shift = stage_in_floats(s, a.shift, a.channels);
    a.y = stage_out_floats(s, a.y, n);
    return a;
}

void staged_norm_stats(cru_device *device, const cru_norm_args *args)
{
    stage s = stage_of(device);
    const cru_norm_args a = norm_args(&s, args);
    s.backend->norm_stats(s.device, &a);
    stage_end(&s);
}

void staged_norm(cru_device *device, const cru_norm_args *args)
{
    stage s = stage_of(device);
    const cru_norm_args a = norm_args(&s, args);
    s.backend->norm(s.device, &a);
    stage_end(&s);
}

void staged_norm_grad(cru_device *device, const cru_norm_grad_args *args)
{
    stage s = stage_of(device);
    cru_norm_grad_args a = *args;
    const int64_t n = a.outer * a.channels * a.inner;
    a.x = stage_in_floats(&s, a.x, n);
    a.dy = stage_in_floats(&s, a.dy, n);
    a.mean = stage_in_floats(&s, a.mean, a.channels);
    a.var = stage_in_floats(&s, a.var, a.channels);
    a.gain = stage_in_floats(&s, a.gain, a.channels);
    a.dx = stage_out_floats(&s, a.dx, n);
    a.dgain = stage_out_floats(&s, a.dgain, a.channels);
    a.dshift = stage_out_floats(&s, a.dshift, a.channels);
    s.backend->norm_grad(s.device, &a);
    stage_end(&s);
}

void staged_xent(cru_device *device, const cru_xent_args *args)
{
    stage s = stage_of(device);
    cru_xent_args a = *args;
    a.logits = stage_in_floats(&s, a.logits, (a.rows ? stage_rows_reached(&s, a.rows, a.count) : a.count) * a.classes);
    a.rows = stage_in_ids(&s, a.rows, a.count);
    a.labels = stage_in_ids(&s, a.labels, a.count);
    a.weights = stage_in_floats(&s, a.weights, a.count);
    a.loss = stage_out_floats(&s, a.loss, a.count);
    a.prob = stage_out_floats(&s, a.prob, a.count * a.classes);
    s.backend->xent(s.device, &a);
    stage_end(&s);
}

void staged_xent_grad(cru_device *device, const cru_xent_grad_args *args)
{
    stage s = stage_of(device);
    cru_xent_grad_args a = *args;
    a.dlogits =
        stage_out_floats(&s, a.dlogits, (a.rows ? stage_rows_reached(&s, a.rows, a.count) : a.count) * a.classes);
    a.rows = stage_in_ids(&s, a.rows, a.count);
    a.labels = stage_in_ids(&s, a.labels, a.count);
    a.weights = stage_in_floats(&s, a.weights, a.count);
    a.prob = stage_in_floats(&s, a.prob, a.count * a.classes);
    a.dloss = stage_in_floats(&s, a.dloss, a.count);
    s.backend->xent_grad(s.device, &a);
    stage_end(&s);
}

void staged_adam(cru_device *device, const cru_adam_args *args)
{
    stage s = stage_of(device);
    cru_adam_args a = *args;
    a.w = stage_out_floats(&s, a.w, a.n);
    a.m = stage_out_floats(&s, a.m, a.n);
    a.v = stage_out_floats(&s, a.v, a.n);
    a.vmax = stage_out_floats(&s, a.vmax, a.n);
    a.g = stage_in_floats(&s, a.g, a.n);
    s.backend->adam(s.device, &a);
    stage_end(&s);
}

void staged_sgd(cru_device *device, const cru_sgd_args *args)
{
    stage s = stage_of(device);
    cru_sgd_args a = *args;
    a.w = stage_out_floats(&s, a.w, a.n);
    a.velocity = stage_out_floats(&s, a.velocity, a.n);
    a.g = stage_in_floats(&s, a.g, a.n);
    s.backend->sgd(s.device, &a);
    stage_end(&s);
}
