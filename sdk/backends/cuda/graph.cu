// SPDX-License-Identifier: Apache-2.0
/* Kernels over the entries of a CSR matrix, whose arrays are device memory. Plain sums are cuSPARSE's; what it does not
 * offer (heads, permuted weights, max, min, edge values) is done here, a thread for every value of the result. */
#include <cstdint>

#include "functions.h"
#include "group.h"
#include "sparse.h"

/* Told by the caller, or known, or read from the card. */
static int64_t entry_count(cru_device *device, const cru_csr &a, int64_t told)
{
    return told || a.rows == 0 ? told : sparse_find(device, a, 0)->entries;
}

/* ---- products with a dense matrix ---------------------------------------------------------------------------- */

__device__ inline float weight_at(const cru_spmm_args &s, int64_t e, int64_t head)
{
    if (s.weights) return s.weights[(s.order ? s.order[e] : e) * s.heads + head];
    return s.a.values ? s.a.values[e] : 1.0f;
}

static void add_up(cru_device *device, const cru_spmm_args &s)
{
    each(device, s.a.rows * s.heads * s.cols, [=] __device__(int64_t at) {
        const int64_t width = s.heads * s.cols, v = at / width, j = at % width, head = j / s.cols;
        const int64_t begin = s.a.offsets[v], end = s.a.offsets[v + 1];
        double sum = 0;
        for (int64_t e = begin; e < end; e++)
            sum += static_cast<double>(weight_at(s, e, head) * s.x[s.a.ids[e] * width + j]);
        const float scale = s.op == CRU_REDUCE_MEAN && end > begin ? 1.0f / static_cast<float>(end - begin) : 1.0f;
        put(s.y + at, static_cast<float>(sum) * scale, s.accumulate);
    });
}

static void choose(cru_device *device, const cru_spmm_args &s)
{
    const bool min = s.op == CRU_REDUCE_MIN;
    each(device, s.a.rows * s.heads * s.cols, [=] __device__(int64_t at) {
        const int64_t width = s.heads * s.cols, v = at / width, j = at % width, head = j / s.cols;
        float best = 0;
        int64_t where = -1;
        for (int64_t e = s.a.offsets[v]; e < s.a.offsets[v + 1]; e++) {
            const float value = weight_at(s, e, head) * s.x[s.a.ids[e] * width + j];
            if (where < 0 || (min ? value < best : value > best)) best = value, where = e;
        }
        put(s.y + at, best, s.accumulate);
        if (s.where) s.where[at] = static_cast<int32_t>(where);
    });
}

/* Sums with one value an entry, which lie where the CSR is or are looked up by `order`. */
static bool multiply(cru_device *device, const cru_spmm_args &s)
{
    const float *const values = s.weights ? s.weights : s.a.values;
    if (s.op != CRU_REDUCE_SUM || s.heads != 1 || !values || s.cols == 0 || s.a.rows == 0) return false;
    cuda_matrix *m = sparse_find(device, s.a, s.entries);
    const cuda_product p = {s.cols, s.x, s.y, s.accumulate};
    if (!sparse_fits(m)) return false;
    if (!s.weights || !s.order) {
        sparse_multiply(device, m, values, p);
        return true;
    }
    cuda_scratch<float> ordered(device, m->entries);
    float *const to = ordered.get();
    each(device, m->entries, [=] __device__(int64_t e) { to[e] = s.weights[s.order[e]]; });
    sparse_multiply(device, m, to, p);
    return true;
}

void cuda_spmm(cru_device *device, const cru_spmm_args *args)
{
    const cru_spmm_args s = *args;
    if (s.op == CRU_REDUCE_MAX || s.op == CRU_REDUCE_MIN) {
        choose(device, s);
        return;
    }
    if (!multiply(device, s)) add_up(device, s);
    if (!s.finish) return;
    const cru_finish_args finish = {s.finish, 0, s.a.rows, s.heads * s.cols, s.y};
    cuda_finish(device, &finish);
}

/* The row that entry e belongs to. */
__device__ inline int64_t row_of(const cru_csr &a, int64_t e)
{
    int64_t low = 0, high = a.rows;
    while (high - low > 1) {
        const int64_t middle = (low + high) / 2;
        if (a.offsets[middle] <= e)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* For what cuSPARSE cannot take. Entries are grouped by column, so that every value of the result is one thread's sum,
 * in the order of the rows. */
static void add_up_by_column(cru_device *device, const cru_spmm_transposed_args &s, int64_t nnz)
{
    const grouped columns(device, s.a.ids, nnz, s.a.cols);
    const int32_t *const entries = columns.sources();
    const int64_t *const offsets = columns.offsets();
    each(device, s.a.cols * s.cols, [=] __device__(int64_t at) {
        const int64_t u = at / s.cols, j = at % s.cols;
        double sum = 0;
        for (int64_t i = offsets[u]; i < offsets[u + 1]; i++) {
            const int64_t e = entries[i];
            const float weight = s.weights ? s.weights[e] : s.a.values ? s.a.values[e] : 1.0f;
            sum += static_cast<double>(weight * s.x[row_of(s.a, e) * s.cols + j]);
        }
        put(s.y + at, static_cast<float>(sum), s.accumulate);
    });
}

void cuda_spmm_transposed(cru_device *device, const cru_spmm_transposed_args *args)
{
    const cru_spmm_transposed_args s = *args;
    if (s.a.cols == 0 || s.cols == 0) return;
    cuda_matrix *m = s.a.rows > 0 ? sparse_find(device, s.a, s.entries) : nullptr;
    if (m && sparse_fits(m))
        sparse_multiply_turned(device, m, s.weights, {s.cols, s.x, s.y, s.accumulate});
    else if (m && m->entries > 0)
        add_up_by_column(device, s, m->entries);
    else if (!s.accumulate)
        cuda_fill(device, s.y, s.a.cols * s.cols, 0);
}

void cuda_select(cru_device *device, const cru_select_args *args)
{
    const cru_select_args s = *args;
    each(device, s.a.rows * s.cols, [=] __device__(int64_t at) {
        const int64_t u = at / s.cols, c = at % s.cols;
        float sum = 0;
        for (int64_t e = s.a.offsets[u]; e < s.a.offsets[u + 1]; e++) {
            const int64_t from = s.a.ids[e] * s.cols + c;
            if (s.where[from] == s.order[e]) sum += s.dy[from];
        }
        put(s.dx + at, sum, s.accumulate);
    });
}

/* ---- values of the entries ----------------------------------------------------------------------------------- */

void cuda_sddmm(cru_device *device, const cru_sddmm_args *args)
{
    const cru_sddmm_args s = *args;
    if (s.a.rows == 0) return;
    cuda_matrix *m = sparse_find(device, s.a, s.entries);
    const int64_t nnz = m->entries;
    if (s.heads == 1 && s.cols > 0 && sparse_fits(m)) {
        /* Where y was not written yet, 0 y may be NaN. */
        if (!s.accumulate) cuda_fill(device, s.y, nnz, 0);
        sparse_sample(device, m, s);
        return;
    }
    each(device, nnz * s.heads, [=] __device__(int64_t at) {
        const int64_t e = at / s.heads, head = at % s.heads, width = s.heads * s.cols;
        const float *l = s.l + row_of(s.a, e) * width + head * s.cols, *r = s.r + s.a.ids[e] * width + head * s.cols;
        float sum = 0;
        for (int64_t j = 0; j < s.cols; j++) sum += l[j] * r[j];
        put(s.y + at, s.scale * sum, s.accumulate);
    });
}

void cuda_edge(cru_device *device, const cru_edge_args *args)
{
    const cru_edge_args s = *args;
    if (!s.l && !s.r) return;
    each(device, entry_count(device, s.a, s.entries) * s.heads, [=] __device__(int64_t at) {
        const int64_t e = at / s.heads, head = at % s.heads;
        const float l = s.l ? s.l[row_of(s.a, e) * s.heads + head] : 0.0f;
        const float r = s.r ? s.r[s.a.ids[e] * s.heads + head] : 0.0f;
        put(s.y + at, !s.l ? r : !s.r ? l : binary_value(s.op, l, r), s.accumulate);
    });
}

void cuda_edge_sum(cru_device *device, const cru_edge_sum_args *args)
{
    const cru_edge_sum_args s = *args;
    each(device, s.a.rows * s.cols, [=] __device__(int64_t at) {
        const int64_t v = at / s.cols, j = at % s.cols;
        double sum = 0;
        for (int64_t e = s.a.offsets[v]; e < s.a.offsets[v + 1]; e++)
            sum += static_cast<double>(s.x[(s.order ? s.order[e] : e) * s.cols + j]);
        put(s.y + at, static_cast<float>(sum), s.accumulate);
    });
}

void cuda_edge_softmax(cru_device *device, const cru_edge_softmax_args *args)
{
    const cru_edge_softmax_args s = *args;
    each(device, s.a.rows * s.heads, [=] __device__(int64_t at) {
        const int64_t v = at / s.heads, head = at % s.heads;
        const int64_t begin = s.a.offsets[v] * s.heads + head, end = s.a.offsets[v + 1] * s.heads;
        float max = -INFINITY;
        double sum = 0;
        for (int64_t i = begin; i < end; i += s.heads) max = fmaxf(max, s.x[i]);
        for (int64_t i = begin; i < end; i += s.heads) sum += static_cast<double>(expf(s.x[i] - max));
        const float scale = static_cast<float>(1.0 / sum);
        for (int64_t i = begin; i < end; i += s.heads) s.y[i] = expf(s.x[i] - max) * scale;
    });
}

/* dx = y (dy - sum over the row of y dy) */
void cuda_edge_softmax_grad(cru_device *device, const cru_edge_softmax_grad_args *args)
{
    const cru_edge_softmax_grad_args s = *args;
    each(device, s.a.rows * s.heads, [=] __device__(int64_t at) {
        const int64_t v = at / s.heads, head = at % s.heads;
        const int64_t begin = s.a.offsets[v] * s.heads + head, end = s.a.offsets[v + 1] * s.heads;
        double sum = 0;
        for (int64_t i = begin; i < end; i += s.heads) sum += static_cast<double>(s.y[i] * s.dy[i]);
        const float total = static_cast<float>(sum);
        for (int64_t i = begin; i < end; i += s.heads) put(s.dx + i, s.y[i] * (s.dy[i] - total), s.accumulate);
    });
}
