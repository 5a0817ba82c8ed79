// SPDX-License-Identifier: Apache-2.0
/* Kernels that move data: rectangles, permutations, rows, the best of rows. */
#include <cstdint>

#include "group.h"

void cuda_copy(cru_device *device, const cru_copy_args *args)
{
    const cru_copy_args c = *args;
    each(device, c.rows * c.cols, [=] __device__(int64_t at) {
        const int64_t i = at / c.cols, j = at % c.cols;
        const float value = c.x[i * c.ldx + j];
        put(c.y + i * c.ldy + j, c.scale == 1.0f ? value : c.scale * value, c.accumulate);
    });
}

struct permuted_axes {
    int64_t dim[4], stride[4]; /* of y's axes: lengths, strides in x */
};

void cuda_permute(cru_device *device, const cru_permute_args *args)
{
    const cru_permute_args p = *args;
    const int64_t step[4] = {p.dim[1] * p.dim[2] * p.dim[3], p.dim[2] * p.dim[3], p.dim[3], 1};
    permuted_axes y;
    for (int i = 0; i < 4; i++) {
        y.dim[i] = p.dim[p.order[i]];
        y.stride[i] = step[p.order[i]];
    }
    each(device, p.dim[0] * p.dim[1] * p.dim[2] * p.dim[3], [=] __device__(int64_t at) {
        int64_t rest = at, from = 0;
        for (int i = 3; i >= 0; i--) {
            from += rest % y.dim[i] * y.stride[i];
            rest /= y.dim[i];
        }
        put(p.y + at, p.x[from], p.accumulate);
    });
}

void cuda_gather(cru_device *device, const cru_gather_args *args)
{
    const cru_gather_args g = *args;
    each(device, g.count * g.cols,
         [=] __device__(int64_t at) { put(g.y + at, g.x[g.ids[at / g.cols] * g.cols + at % g.cols], g.accumulate); });
}

void cuda_take(cru_device *device, const cru_take_args *args)
{
    const cru_take_args t = *args;
    each(device, t.rows * t.k,
         [=] __device__(int64_t at) { t.y[at] = t.ids[at] < 0 ? 0.0f : t.x[at / t.k * t.cols + t.ids[at]]; });
}

/* A column may be named twice, so a row is one thread's. */
void cuda_place(cru_device *device, const cru_take_args *args)
{
    const cru_take_args t = *args;
    each(device, t.rows, [=] __device__(int64_t i) {
        for (int64_t at = i * t.k; at < (i + 1) * t.k; at++)
            if (t.ids[at] >= 0) t.y[i * t.cols + t.ids[at]] += t.x[at];
    });
}

/* ---- scatter ------------------------------------------------------------------------------------------------- */

void cuda_scatter(cru_device *device, const cru_scatter_args *args)
{
    const cru_scatter_args s = *args;
    if (s.rows <= 0 || s.cols <= 0) return;
    const grouped groups(device, s.ids, s.count, s.rows);
    const int32_t *const sources = groups.sources();
    const int64_t *const offsets = groups.offsets();
    if (s.op == CRU_REDUCE_SUM || s.op == CRU_REDUCE_MEAN) {
        each(device, s.rows * s.cols, [=] __device__(int64_t at) {
            const int64_t v = at / s.cols, j = at % s.cols, begin = offsets[v], end = offsets[v + 1];
            double sum = 0;
            for (int64_t e = begin; e < end; e++) sum += static_cast<double>(s.x[sources[e] * s.cols + j]);
            const float scale = s.op == CRU_REDUCE_MEAN && end > begin ? 1.0f / static_cast<float>(end - begin) : 1.0f;
            put(s.y + at, static_cast<float>(sum) * scale, s.accumulate);
        });
        return;
    }
    each(device, s.rows * s.cols, [=] __device__(int64_t at) {
        const int64_t v = at / s.cols, j = at % s.cols;
        float best = 0;
        int32_t where = -1;
        for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) {
            const float value = s.x[sources[e] * s.cols + j];
            if (where < 0 || (s.op == CRU_REDUCE_MIN ? value < best : value > best)) best = value, where = sources[e];
        }
        put(s.y + at, best, s.accumulate);
        if (s.where) s.where[at] = where;
    });
}

void cuda_scatter_grad(cru_device *device, const cru_scatter_grad_args *args)
{
    const cru_scatter_grad_args s = *args;
    if (s.cols <= 0 || s.count <= 0) return;
    const bool mean = s.op == CRU_REDUCE_MEAN, sum = mean || s.op == CRU_REDUCE_SUM;
    const grouped groups(device, s.ids, mean ? s.count : 0, mean ? s.rows : 0);
    const int64_t *const offsets = groups.offsets();
    each(device, s.count * s.cols, [=] __device__(int64_t at) {
        const int64_t i = at / s.cols, v = s.ids[i], from = v * s.cols + at % s.cols;
        const float scale = mean ? 1.0f / static_cast<float>(offsets[v + 1] - offsets[v]) : 1.0f;
        put(s.dx + at, sum || s.where[from] == i ? s.dy[from] * scale : 0.0f, s.accumulate);
    });
}

/* ---- the best of every row ----------------------------------------------------------------------------------- */

/* Whether column a of a row comes before column b. NaN ranks as the largest. */
__device__ inline bool ranks_before(const float *x, int32_t a, int32_t b, bool smallest)
{
    const float p = x[a], q = x[b];
    const bool p_nan = p != p, q_nan = q != q;
    const bool less = p < q || (q_nan && !p_nan), more = p > q || (p_nan && !q_nan);
    if (less || more) return smallest ? less : more;
    return a < b;
}

/* A row is one thread's: a heap of the k best so far, the worst of them on top. */
__device__ inline void heap_sink(const float *x, int32_t *ids, int64_t count, int64_t at, bool smallest)
{
    for (;;) {
        int64_t worst = 2 * at + 1;
        if (worst >= count) return;
        if (worst + 1 < count && ranks_before(x, ids[worst], ids[worst + 1], smallest)) worst++;
        if (!ranks_before(x, ids[at], ids[worst], smallest)) return;
        const int32_t moved = ids[at];
        ids[at] = ids[worst];
        ids[worst] = moved;
        at = worst;
    }
}

void cuda_topk(cru_device *device, const cru_topk_args *args)
{
    const cru_topk_args t = *args;
    if (t.k <= 0) return;
    each(device, t.rows, [=] __device__(int64_t row) {
        const float *x = t.x + row * t.cols;
        int32_t *ids = t.ids + row * t.k;
        for (int64_t i = 0; i < t.k; i++) ids[i] = static_cast<int32_t>(i);
        for (int64_t i = t.k / 2 - 1; i >= 0; i--) heap_sink(x, ids, t.k, i, t.smallest);
        for (int64_t i = t.k; i < t.cols; i++)
            if (ranks_before(x, static_cast<int32_t>(i), ids[0], t.smallest)) {
                ids[0] = static_cast<int32_t>(i);
                heap_sink(x, ids, t.k, 0, t.smallest);
            }
        for (int64_t count = t.k - 1; count > 0; count--) {
            const int32_t worst = ids[0];
            ids[0] = ids[count];
            ids[count] = worst;
            heap_sink(x, ids, count, 0, t.smallest);
        }
        for (int64_t i = 0; t.values && i < t.k; i++) t.values[row * t.k + i] = x[ids[i]];
    });
}
