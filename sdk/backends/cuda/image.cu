// SPDX-License-Identifier: Apache-2.0
/* Convolution by im2col and cuBLAS, and pooling. Images are batch x channels x height x width. */
#include <cmath>
#include <cstdint>

#include "cuda.h"

/* ---- convolution --------------------------------------------------------------------------------------------- */

struct conv_shape {
    int64_t batch, in, out, height, width, kernel_h, kernel_w, stride, pad, groups;
    int64_t rows, cols; /* of the result */
    int64_t group_in;   /* channels of one group */
    int64_t group_out;
    int64_t patch, sites; /* height and width of the column matrix of one image and group */
};

template <class Args> static conv_shape shape_of(const Args &c)
{
    conv_shape s = {c.batch, c.in,     c.out, c.height, c.width, c.kernel_h, c.kernel_w, c.stride,
                    c.pad,   c.groups, 0,     0,        0,       0,          0,          0};
    s.rows = (c.height + 2 * c.pad - c.kernel_h) / c.stride + 1;
    s.cols = (c.width + 2 * c.pad - c.kernel_w) / c.stride + 1;
    s.group_in = c.in / c.groups;
    s.group_out = c.out / c.groups;
    s.patch = s.group_in * c.kernel_h * c.kernel_w;
    s.sites = s.rows * s.cols;
    return s;
}

/* The value under position `in_patch` of the kernel at a site; 0 in the padding. */
__device__ inline bool patch_at(const conv_shape &s, int64_t in_patch, int64_t site, int64_t *channel, int64_t *y,
                                int64_t *x)
{
    *channel = in_patch / (s.kernel_h * s.kernel_w);
    *y = site / s.cols * s.stride - s.pad + in_patch / s.kernel_w % s.kernel_h;
    *x = site % s.cols * s.stride - s.pad + in_patch % s.kernel_w;
    return *y >= 0 && *y < s.height && *x >= 0 && *x < s.width;
}

/* columns: images x groups x patch x sites, from images first .. first + count. */
static void unfold(cru_device *device, const conv_shape &s, const float *x, int64_t first, int64_t count,
                   float *columns)
{
    each(device, count * s.groups * s.patch * s.sites, [=] __device__(int64_t at) {
        const int64_t site = at % s.sites, p = at / s.sites % s.patch, group = at / s.sites / s.patch % s.groups;
        const int64_t image = first + at / s.sites / s.patch / s.groups;
        int64_t channel, i, j;
        const bool inside = patch_at(s, p, site, &channel, &i, &j);
        columns[at] = inside ? x[((image * s.in + group * s.group_in + channel) * s.height + i) * s.width + j] : 0.0f;
    });
}

/* The other way: every pixel adds up the places of the columns that it was copied to. */
static void fold(cru_device *device, const conv_shape &s, const float *columns, int64_t first, int64_t count, float *dx,
                 bool accumulate)
{
    each(device, count * s.in * s.height * s.width, [=] __device__(int64_t at) {
        const int64_t j = at % s.width, i = at / s.width % s.height, c = at / s.width / s.height % s.in;
        const int64_t image = at / s.width / s.height / s.in, group = c / s.group_in;
        const float *from = columns + (image * s.groups + group) * s.patch * s.sites;
        float sum = 0;
        for (int64_t kh = 0; kh < s.kernel_h; kh++)
            for (int64_t kw = 0; kw < s.kernel_w; kw++) {
                const int64_t top = i + s.pad - kh, left = j + s.pad - kw;
                if (top < 0 || left < 0 || top % s.stride || left % s.stride) continue;
                const int64_t row = top / s.stride, col = left / s.stride;
                if (row >= s.rows || col >= s.cols) continue;
                const int64_t p = ((c - group * s.group_in) * s.kernel_h + kh) * s.kernel_w + kw;
                sum += from[p * s.sites + row * s.cols + col];
            }
        put(dx + first * s.in * s.height * s.width + at, sum, accumulate);
    });
}

/* Images whose columns are made at a time. */
static int64_t images_at_once(const conv_shape &s)
{
    const int64_t most = 64 << 20, one = s.groups * s.patch * s.sites; /* floats: 256 MB */
    const int64_t count = one > 0 ? most / one : 1;
    return count < 1 ? 1 : count < s.batch ? count : s.batch;
}

static bool is_empty(const conv_shape &s)
{
    return s.batch <= 0 || s.out <= 0 || s.rows <= 0 || s.cols <= 0;
}

/* One group at a time: `count` products with strides, the weights repeated. */
void cuda_conv(cru_device *device, const cru_conv_args *args)
{
    const cru_conv_args c = *args;
    const conv_shape s = shape_of(c);
    if (is_empty(s)) return;
    const int64_t step = images_at_once(s);
    cuda_scratch<float> columns(device, step * s.groups * s.patch * s.sites);
    for (int64_t first = 0; first < s.batch; first += step) {
        const int64_t count = s.batch - first < step ? s.batch - first : step;
        unfold(device, s, c.x, first, count, columns.get());
        for (int64_t g = 0; g < s.groups; g++) {
            cru_gemm_args product = {};
            product.m = s.group_out, product.n = s.sites, product.k = s.patch;
            product.alpha = 1;
            product.a = c.weight + g * s.group_out * s.patch, product.lda = s.patch;
            product.b = columns.get() + g * s.patch * s.sites, product.ldb = s.sites;
            product.c = c.y + (first * s.out + g * s.group_out) * s.sites, product.ldc = s.sites;
            product.batch = count;
            product.stride_b = s.groups * s.patch * s.sites, product.stride_c = s.out * s.sites;
            cuda_gemm(device, &product);
        }
    }
    if (!c.bias) return;
    each(device, s.batch * s.out * s.sites, [=] __device__(int64_t at) { c.y[at] += c.bias[at / s.sites % s.out]; });
}

/* dweight of a group: sum over images of dy columns^T, one image after the other, so that the order is fixed. */
static void weight_grad(cru_device *device, const cru_conv_grad_args &c, const conv_shape &s)
{
    const int64_t step = images_at_once(s);
    cuda_scratch<float> columns(device, step * s.groups * s.patch * s.sites);
    for (int64_t first = 0; first < s.batch; first += step) {
        const int64_t count = s.batch - first < step ? s.batch - first : step;
        unfold(device, s, c.x, first, count, columns.get());
        for (int64_t image = 0; image < count; image++)
            for (int64_t g = 0; g < s.groups; g++) {
                cru_gemm_args product = {};
                product.tb = true;
                product.m = s.group_out, product.n = s.patch, product.k = s.sites;
                product.alpha = 1, product.beta = first + image > 0 || c.accumulate ? 1.0f : 0.0f;
                product.a = c.dy + ((first + image) * s.out + g * s.group_out) * s.sites, product.lda = s.sites;
                product.b = columns.get() + (image * s.groups + g) * s.patch * s.sites, product.ldb = s.sites;
                product.c = c.dweight + g * s.group_out * s.patch, product.ldc = s.patch;
                cuda_gemm(device, &product);
            }
    }
}

/* columns = weight^T dy, folded back. */
static void input_grad(cru_device *device, const cru_conv_grad_args &c, const conv_shape &s)
{
    const int64_t step = images_at_once(s);
    cuda_scratch<float> columns(device, step * s.groups * s.patch * s.sites);
    for (int64_t first = 0; first < s.batch; first += step) {
        const int64_t count = s.batch - first < step ? s.batch - first : step;
        for (int64_t g = 0; g < s.groups; g++) {
            cru_gemm_args product = {};
            product.ta = true;
            product.m = s.patch, product.n = s.sites, product.k = s.group_out;
            product.alpha = 1;
            product.a = c.weight + g * s.group_out * s.patch, product.lda = s.patch;
            product.b = c.dy + (first * s.out + g * s.group_out) * s.sites, product.ldb = s.sites;
            product.c = columns.get() + g * s.patch * s.sites, product.ldc = s.sites;
            product.batch = count;
            product.stride_b = s.out * s.sites, product.stride_c = s.groups * s.patch * s.sites;
            cuda_gemm(device, &product);
        }
        fold(device, s, columns.get(), first, count, c.dx, c.accumulate);
    }
}

void cuda_conv_grad(cru_device *device, const cru_conv_grad_args *args)
{
    const cru_conv_grad_args c = *args;
    const conv_shape s = shape_of(c);
    if (is_empty(s)) {
        if (c.dweight && !c.accumulate) cuda_fill(device, c.dweight, s.out * s.patch, 0);
        if (c.dbias && !c.accumulate) cuda_fill(device, c.dbias, s.out, 0);
        return;
    }
    if (c.dweight) weight_grad(device, c, s);
    if (c.dx) input_grad(device, c, s);
    if (!c.dbias) return;
    sums(
        device, s.out, s.batch * s.sites,
        [=] __device__(int64_t o, int64_t i) -> double {
            return static_cast<double>(c.dy[(i / s.sites * s.out + o) * s.sites + i % s.sites]);
        },
        [=] __device__(int64_t o, double sum) { put(c.dbias + o, static_cast<float>(sum), c.accumulate); });
}

/* ---- pooling ------------------------------------------------------------------------------------------------- */

struct pool_shape {
    int64_t planes, height, width, kernel, stride, pad, rows, cols;
};

template <class Args> static pool_shape pool_of(const Args &p)
{
    pool_shape s = {p.planes, p.height, p.width, p.kernel, p.stride, p.pad, 0, 0};
    if (p.height + 2 * p.pad >= p.kernel) s.rows = (p.height + 2 * p.pad - p.kernel) / p.stride + 1;
    if (p.width + 2 * p.pad >= p.kernel) s.cols = (p.width + 2 * p.pad - p.kernel) / p.stride + 1;
    return s;
}

__device__ inline int64_t clip(int64_t at, int64_t length)
{
    return at < 0 ? 0 : at > length ? length : at;
}

struct window {
    int64_t top, bottom, left, right; /* clipped to the plane */
};

__device__ inline window window_at(const pool_shape &s, int64_t site)
{
    const int64_t top = site / s.cols * s.stride - s.pad, left = site % s.cols * s.stride - s.pad;
    return {clip(top, s.height), clip(top + s.kernel, s.height), clip(left, s.width), clip(left + s.kernel, s.width)};
}

void cuda_pool(cru_device *device, const cru_pool_args *args)
{
    const cru_pool_args p = *args;
    const pool_shape s = pool_of(p);
    const float share = 1.0f / static_cast<float>(s.kernel * s.kernel);
    each(device, s.planes * s.rows * s.cols, [=] __device__(int64_t at) {
        const float *x = p.x + at / (s.rows * s.cols) * s.height * s.width;
        const window w = window_at(s, at % (s.rows * s.cols));
        float best = -INFINITY, sum = 0;
        int64_t where = w.top * s.width + w.left;
        for (int64_t i = w.top; i < w.bottom; i++)
            for (int64_t j = w.left; j < w.right; j++) {
                const float value = x[i * s.width + j];
                sum += value;
                if (value > best || value != value) best = value, where = i * s.width + j;
            }
        p.y[at] = p.max ? best : sum * share;
        if (p.max && p.where) p.where[at] = static_cast<int32_t>(where);
    });
}

/* Every pixel adds up the windows that it lies in. */
void cuda_pool_grad(cru_device *device, const cru_pool_grad_args *args)
{
    const cru_pool_grad_args g = *args;
    const pool_shape s = pool_of(g);
    const float share = 1.0f / static_cast<float>(s.kernel * s.kernel);
    each(device, s.planes * s.height * s.width, [=] __device__(int64_t at) {
        const int64_t plane = at / (s.height * s.width), pixel = at % (s.height * s.width);
        const int64_t i = pixel / s.width + s.pad, j = pixel % s.width + s.pad;
        const int64_t top = i < s.kernel ? 0 : (i - s.kernel) / s.stride + 1;
        const int64_t left = j < s.kernel ? 0 : (j - s.kernel) / s.stride + 1;
        float sum = 0;
        for (int64_t row = top; row < s.rows && row * s.stride <= i; row++)
            for (int64_t col = left; col < s.cols && col * s.stride <= j; col++) {
                const int64_t from = (plane * s.rows + row) * s.cols + col;
                if (!g.max)
                    sum += g.dy[from] * share;
                else if (g.where[from] == pixel)
                    sum += g.dy[from];
            }
        put(g.dx + at, sum, g.accumulate);
    });
}
