// SPDX-License-Identifier: Apache-2.0
/* Kernels over the elements of a result. */
#include "functions.h"

void cuda_fill(cru_device *device, float *x, int64_t n, float value)
{
    each(device, n, [=] __device__(int64_t i) { x[i] = value; });
}

void cuda_unary(cru_device *device, cru_unary op, const cru_unary_args *args)
{
    const cru_unary_args u = *args;
    each(device, u.n, [=] __device__(int64_t i) { u.y[i] = unary_value(op, u.x[i], u.a, u.b); });
}

void cuda_unary_grad(cru_device *device, cru_unary op, const cru_unary_grad_args *args)
{
    const cru_unary_grad_args u = *args;
    each(device, u.n, [=] __device__(int64_t i) {
        put(u.dx + i, u.dy[i] * unary_slope(op, u.x[i], u.y[i], u.a, u.b), u.accumulate);
    });
}

/* ---- two operands -------------------------------------------------------------------------------------------- */

__device__ inline float operand_at(const cru_operand &o, int64_t row, int64_t col)
{
    return o.x[row * o.row + col * o.col];
}

void cuda_binary(cru_device *device, cru_binary op, const cru_binary_args *args)
{
    const cru_binary_args b = *args;
    each(device, b.rows * b.cols, [=] __device__(int64_t i) {
        const int64_t row = i / b.cols, col = i % b.cols;
        b.y[i] = binary_value(op, operand_at(b.a, row, col), operand_at(b.b, row, col));
    });
}

/* The operand's own elements are the outputs; the axes along which it is repeated are summed. */
void cuda_binary_grad(cru_device *device, cru_binary op, const cru_binary_grad_args *args)
{
    const cru_binary_grad_args g = *args;
    const cru_operand own = g.to_b ? g.b : g.a;
    const int64_t own_rows = own.row ? g.rows : 1, own_cols = own.col ? g.cols : 1;
    const int64_t sum_rows = own.row ? 1 : g.rows, sum_cols = own.col ? 1 : g.cols;
    auto term = [=] __device__(int64_t o, int64_t i) -> double {
        const int64_t row = own.row ? o / own_cols : i / sum_cols, col = own.col ? o % own_cols : i % sum_cols;
        return static_cast<double>(
            binary_slope(op, operand_at(g.a, row, col), operand_at(g.b, row, col), g.dy[row * g.cols + col], g.to_b));
    };
    auto store = [=] __device__(int64_t o, double sum) {
        put(g.dx + o / own_cols * own.row + o % own_cols * own.col, static_cast<float>(sum), g.accumulate);
    };
    sums(device, own_rows * own_cols, sum_rows * sum_cols, term, store);
}

/* ---- dropout, and what follows a product --------------------------------------------------------------------- */

void cuda_dropout(cru_device *device, const cru_dropout_args *args)
{
    const cru_dropout_args a = *args;
    const dropout_draw d = dropout_prepare(a.p, a.key, a.stream);
    each(device, a.n,
         [=] __device__(int64_t i) { put(a.y + i, dropout_keeps(d, i) ? a.x[i] * d.scale : 0.0f, a.accumulate); });
}

void cuda_finish(cru_device *device, const cru_finish_args *args)
{
    const cru_finish f = *args->finish;
    const dropout_draw d = dropout_prepare(f.p, f.key, f.stream);
    const int64_t first = args->first * args->cols, cols = args->cols;
    float *const y = args->y;
    each(device, args->rows * cols, [=] __device__(int64_t k) {
        const int64_t i = first + k;
        const float value = unary_value(f.act, y[i] + (f.bias ? f.bias[i % cols] : 0.0f), f.a, 0.0f);
        y[i] = f.p <= 0 ? value : dropout_keeps(d, i) ? value * d.scale : 0.0f;
    });
}

/* The activation's result before dropout is y (1 - p) where it was kept. */
void cuda_finish_grad(cru_device *device, const cru_finish_grad_args *args)
{
    const cru_finish_grad_args g = *args;
    const cru_finish f = *args->finish;
    const dropout_draw d = dropout_prepare(f.p, f.key, f.stream);
    each(device, g.rows * g.cols, [=] __device__(int64_t i) {
        float dy = g.dy[i];
        if (f.p > 0) dy = dropout_keeps(d, i) ? dy * d.scale : 0.0f;
        const float before = g.y[i] * (1.0f - f.p);
        g.dy[i] = dy == 0 ? 0.0f : dy * unary_slope(f.act, before, before, f.a, 0.0f);
    });
    if (!g.dbias) return;
    sums(
        device, g.cols, g.rows,
        [=] __device__(int64_t c, int64_t row) -> double { return static_cast<double>(g.dy[row * g.cols + c]); },
        [=] __device__(int64_t c, double sum) { put(g.dbias + c, static_cast<float>(sum), g.accumulate); });
}
