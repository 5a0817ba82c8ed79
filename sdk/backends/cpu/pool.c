// SPDX-License-Identifier: Apache-2.0
/* Max and average pooling over square windows of planes. */
#include <math.h>
#include <string.h>

#include "cpu.h"

typedef struct window {
    int64_t top, bottom, left, right; /* clipped to the plane */
} window;

static int64_t outputs(int64_t length, int64_t kernel, int64_t stride, int64_t pad)
{
    return length + 2 * pad >= kernel ? (length + 2 * pad - kernel) / stride + 1 : 0;
}

static int64_t clip(int64_t at, int64_t length)
{
    return at < 0 ? 0 : at > length ? length : at;
}

static window window_at(const cru_pool_args *p, int64_t i, int64_t j)
{
    int64_t top = i * p->stride - p->pad, left = j * p->stride - p->pad;
    return (window){clip(top, p->height), clip(top + p->kernel, p->height), clip(left, p->width),
                    clip(left + p->kernel, p->width)};
}

static float max_of(const float *x, int64_t width, window w, int32_t *where)
{
    float best = -INFINITY;
    int64_t at = w.top * width + w.left;
    for (int64_t i = w.top; i < w.bottom; i++)
        for (int64_t j = w.left; j < w.right; j++)
            if (x[i * width + j] > best || isnan(x[i * width + j])) best = x[i * width + j], at = i * width + j;
    if (where) *where = (int32_t)at;
    return best;
}

static float sum_of(const float *x, int64_t width, window w)
{
    float sum = 0;
    for (int64_t i = w.top; i < w.bottom; i++)
        for (int64_t j = w.left; j < w.right; j++) sum += x[i * width + j];
    return sum;
}

static void pool_planes(const void *task, int64_t begin, int64_t end)
{
    const cru_pool_args *p = task;
    const int64_t rows = outputs(p->height, p->kernel, p->stride, p->pad);
    const int64_t cols = outputs(p->width, p->kernel, p->stride, p->pad);
    const float share = 1.0f / (float)(p->kernel * p->kernel);
    for (int64_t plane = begin; plane < end; plane++) {
        const float *x = p->x + plane * p->height * p->width;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++) {
                const int64_t at = (plane * rows + i) * cols + j;
                const window w = window_at(p, i, j);
                p->y[at] =
                    p->max ? max_of(x, p->width, w, p->where ? p->where + at : NULL) : sum_of(x, p->width, w) * share;
            }
    }
}

void cpu_pool(cru_device *device, const cru_pool_args *args)
{
    cpu_for(device,
            &(cpu_loop){args->planes, cpu_grain(CPU_GRAIN_MATH, args->height * args->width), pool_planes, args});
}

static void spread_window(const cru_pool_grad_args *g, float *dx, window w, float value)
{
    for (int64_t i = w.top; i < w.bottom; i++)
        for (int64_t j = w.left; j < w.right; j++) dx[i * g->width + j] += value;
}

static void pool_grad_planes(const void *task, int64_t begin, int64_t end)
{
    const cru_pool_grad_args *g = task;
    const cru_pool_args shape = {
        .height = g->height, .width = g->width, .kernel = g->kernel, .stride = g->stride, .pad = g->pad};
    const int64_t rows = outputs(g->height, g->kernel, g->stride, g->pad);
    const int64_t cols = outputs(g->width, g->kernel, g->stride, g->pad);
    const float share = 1.0f / (float)(g->kernel * g->kernel);
    for (int64_t plane = begin; plane < end; plane++) {
        float *dx = g->dx + plane * g->height * g->width;
        if (!g->accumulate) memset(dx, 0, sizeof(float) * (size_t)(g->height * g->width));
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < cols; j++) {
                const int64_t at = (plane * rows + i) * cols + j;
                if (g->max)
                    dx[g->where[at]] += g->dy[at];
                else
                    spread_window(g, dx, window_at(&shape, i, j), g->dy[at] * share);
            }
    }
}

void cpu_pool_grad(cru_device *device, const cru_pool_grad_args *args)
{
    cpu_loop loop = {args->planes, cpu_grain(CPU_GRAIN_MATH, args->height * args->width), pool_grad_planes, args};
    cpu_for(device, &loop);
}
