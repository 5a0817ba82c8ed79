// SPDX-License-Identifier: Apache-2.0
/* Reductions and normalisations along the middle axis of outer x count x inner, and softmax cross-entropy. */
#include <cmath>
#include <cstdint>

#include "cuda.h"

__device__ inline bool wins(float value, float best, bool min)
{
    return (min ? value < best : value > best) || (value != value && best == best);
}

static void reduce_sum(cru_device *device, const cru_reduce_args &r, double scale)
{
    sums(
        device, r.outer * r.inner, r.count,
        [=] __device__(int64_t at, int64_t i) -> double {
            return static_cast<double>(r.x[(at / r.inner * r.count + i) * r.inner + at % r.inner]);
        },
        [=] __device__(int64_t at, double sum) { r.y[at] = static_cast<float>(sum * scale); });
}

void cuda_reduce(cru_device *device, cru_reduce op, const cru_reduce_args *args)
{
    const cru_reduce_args r = *args;
    if (op == CRU_REDUCE_SUM || op == CRU_REDUCE_MEAN) {
        reduce_sum(device, r, op == CRU_REDUCE_MEAN ? 1.0 / static_cast<double>(r.count) : 1.0);
        return;
    }
    const bool min = op == CRU_REDUCE_MIN;
    each(device, r.outer * r.inner, [=] __device__(int64_t at) {
        const float *x = r.x + at / r.inner * r.count * r.inner + at % r.inner;
        float best = r.count ? x[0] : 0.0f;
        int64_t where = r.count ? 0 : -1;
        for (int64_t i = 1; i < r.count; i++)
            if (wins(x[i * r.inner], best, min)) best = x[i * r.inner], where = i;
        r.y[at] = best;
        if (r.where) r.where[at] = static_cast<int32_t>(where);
    });
}

void cuda_spread(cru_device *device, const cru_spread_args *args)
{
    const cru_spread_args s = *args;
    each(device, s.outer * s.count * s.inner, [=] __device__(int64_t at) {
        const int64_t i = at / s.inner % s.count, from = at / s.inner / s.count * s.inner + at % s.inner;
        const float value = !s.where || s.where[from] == i ? s.scale * s.dy[from] : 0.0f;
        put(s.dx + at, value, s.accumulate);
    });
}

/* ---- softmax ------------------------------------------------------------------------------------------------- */

/* Positions of one slice: base + i * step, i < count. */
struct slice {
    int64_t base, step, count;
};

__device__ inline slice slice_at(int64_t at, int64_t count, int64_t inner)
{
    return {at / inner * count * inner + at % inner, inner, count};
}

/* max and log(sum(exp(x - max))) of a slice */
__device__ inline void slice_log_sum(const float *x, slice s, float *max, double *sum)
{
    float top = -INFINITY;
    for (int64_t i = 0; i < s.count; i++) top = fmaxf(top, x[s.base + i * s.step]);
    double total = 0;
    for (int64_t i = 0; i < s.count; i++) total += static_cast<double>(expf(x[s.base + i * s.step] - top));
    *max = top;
    *sum = total;
}

void cuda_softmax(cru_device *device, const cru_softmax_args *args)
{
    const cru_softmax_args a = *args;
    each(device, a.outer * a.inner, [=] __device__(int64_t at) {
        const slice s = slice_at(at, a.count, a.inner);
        float max;
        double sum;
        slice_log_sum(a.x, s, &max, &sum);
        const float shift = static_cast<float>(log(sum)), scale = static_cast<float>(1.0 / sum);
        for (int64_t k = s.base; k < s.base + s.count * s.step; k += s.step)
            a.y[k] = a.log ? a.x[k] - max - shift : expf(a.x[k] - max) * scale;
    });
}

/* softmax: dx = y (dy - sum y dy); log-softmax: dx = dy - e^y sum dy */
void cuda_softmax_grad(cru_device *device, const cru_softmax_grad_args *args)
{
    const cru_softmax_grad_args a = *args;
    each(device, a.outer * a.inner, [=] __device__(int64_t at) {
        const slice s = slice_at(at, a.count, a.inner);
        const int64_t end = s.base + s.count * s.step;
        double sum = 0;
        for (int64_t k = s.base; k < end; k += s.step) sum += static_cast<double>(a.log ? a.dy[k] : a.y[k] * a.dy[k]);
        const float total = static_cast<float>(sum);
        for (int64_t k = s.base; k < end; k += s.step)
            put(a.dx + k, a.log ? a.dy[k] - expf(a.y[k]) * total : a.y[k] * (a.dy[k] - total), a.accumulate);
    });
}

void cuda_xent(cru_device *device, const cru_xent_args *args)
{
    const cru_xent_args a = *args;
    each(device, a.count, [=] __device__(int64_t i) {
        const slice s = {(a.rows ? a.rows[i] : i) * a.classes, 1, a.classes};
        float max;
        double sum;
        slice_log_sum(a.logits, s, &max, &sum);
        const float scale = static_cast<float>(1.0 / sum);
        for (int64_t c = 0; a.prob && c < a.classes; c++)
            a.prob[i * a.classes + c] = expf(a.logits[s.base + c] - max) * scale;
        const float minus_log = static_cast<float>(log(sum)) - (a.logits[s.base + a.labels[i]] - max);
        a.loss[i] = (a.weights ? a.weights[i] : 1.0f) * minus_log;
    });
}

void cuda_xent_grad(cru_device *device, const cru_xent_grad_args *args)
{
    const cru_xent_grad_args a = *args;
    each(device, a.count * a.classes, [=] __device__(int64_t at) {
        const int64_t i = at / a.classes, c = at % a.classes;
        const float scale = a.dloss[i] * (a.weights ? a.weights[i] : 1.0f);
        a.dlogits[(a.rows ? a.rows[i] : i) * a.classes + c] += scale * (a.prob[at] - (a.labels[i] == c ? 1.0f : 0.0f));
    });
}

/* ---- per-channel normalisation of outer x channels x inner --------------------------------------------------- */

/* Element i of channel c. */
__device__ inline int64_t channel_at(int64_t c, int64_t i, int64_t channels, int64_t inner)
{
    return (i / inner * channels + c) * inner + i % inner;
}

void cuda_norm_stats(cru_device *device, const cru_norm_args *args)
{
    const cru_norm_args n = *args;
    const int64_t count = n.outer * n.inner;
    const double share = count > 0 ? 1.0 / static_cast<double>(count) : 0;
    sums(
        device, n.channels, count,
        [=] __device__(int64_t c, int64_t i) -> double {
            return static_cast<double>(n.x[channel_at(c, i, n.channels, n.inner)]);
        },
        [=] __device__(int64_t c, double sum) { n.mean[c] = static_cast<float>(sum * share); });
    sums(
        device, n.channels, count,
        [=] __device__(int64_t c, int64_t i) -> double {
            const double d = static_cast<double>(n.x[channel_at(c, i, n.channels, n.inner)]) - n.mean[c];
            return d * d;
        },
        [=] __device__(int64_t c, double sum) { n.var[c] = static_cast<float>(sum * share); });
}

void cuda_norm(cru_device *device, const cru_norm_args *args)
{
    const cru_norm_args n = *args;
    each(device, n.outer * n.channels * n.inner, [=] __device__(int64_t at) {
        const int64_t c = at / n.inner % n.channels;
        const float scale = 1.0f / sqrtf(n.var[c] + n.eps) * (n.gain ? n.gain[c] : 1.0f);
        n.y[at] = (n.x[at] - n.mean[c]) * scale + (n.shift ? n.shift[c] : 0.0f);
    });
}

/* With h = (x - mean) / sqrt(var + eps): dshift = sum dy, dgain = sum dy h, and
 *     dx = gain / sqrt(var + eps) (dy - avg(dy) - h avg(dy h))
 * without the averages when mean and var are constants. */
void cuda_norm_grad(cru_device *device, const cru_norm_grad_args *args)
{
    const cru_norm_grad_args g = *args;
    const int64_t count = g.outer * g.inner;
    cuda_scratch<double> plain(device, g.channels), product(device, g.channels);
    double *const dshift = plain.get(), *const dgain = product.get();
    sums(
        device, g.channels, count,
        [=] __device__(int64_t c, int64_t i) -> double {
            return static_cast<double>(g.dy[channel_at(c, i, g.channels, g.inner)]);
        },
        [=] __device__(int64_t c, double sum) {
            dshift[c] = sum;
            if (g.dshift) put(g.dshift + c, static_cast<float>(sum), g.accumulate);
        });
    sums(
        device, g.channels, count,
        [=] __device__(int64_t c, int64_t i) -> double {
            const int64_t at = channel_at(c, i, g.channels, g.inner);
            return static_cast<double>(g.dy[at] * (g.x[at] - g.mean[c]));
        },
        [=] __device__(int64_t c, double sum) {
            dgain[c] = sum / sqrt(static_cast<double>(g.var[c]) + static_cast<double>(g.eps));
            if (g.dgain) put(g.dgain + c, static_cast<float>(dgain[c]), g.accumulate);
        });
    if (!g.dx) return;
    const double share = g.batch_stats && count > 0 ? 1.0 / static_cast<double>(count) : 0;
    each(device, g.outer * g.channels * g.inner, [=] __device__(int64_t at) {
        const int64_t c = at / g.inner % g.channels;
        const double inverse = 1.0 / sqrt(static_cast<double>(g.var[c]) + static_cast<double>(g.eps));
        const double h = static_cast<double>(g.x[at] - g.mean[c]) * inverse;
        const double centred = static_cast<double>(g.dy[at]) - dshift[c] * share - h * dgain[c] * share;
        put(g.dx + at, static_cast<float>((g.gain ? static_cast<double>(g.gain[c]) : 1.0) * inverse * centred),
            g.accumulate);
    });
}
