/* Kernels over the entries of a CSR matrix, whose arrays are device memory. Plain sums are cuSPARSE's; what it does not
 * offer (heads, permuted weights, max, min, edge values) is done here, a thread for every value of the result. */
#include <cstdint>

#include "functions.h"
#include "group.h"

/* ---- cuSPARSE ------------------------------------------------------------------------------------------------ */

static void narrow_offsets(cru_device *device, const cru_csr &a, int32_t *narrow)
{
    const int64_t *const wide = a.offsets;
    each(device, a.rows + 1, [=] __device__(int64_t v) { narrow[v] = static_cast<int32_t>(wide[v]); });
}

/* A CSR matrix as cuSPARSE wants it: offsets as wide as the column numbers. */
class sparse_view
{
  public:
    sparse_view(cru_device *device, const cru_csr &a, int64_t nnz, float *values) : offsets_(device, a.rows + 1)
    {
        narrow_offsets(device, a, offsets_.get());
        cuda_check(cusparseCreateCsr(&view_, a.rows, a.cols, nnz, offsets_.get(), const_cast<int32_t *>(a.ids), values,
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                   "cusparseCreateCsr");
    }
    ~sparse_view()
    {
        cusparseDestroySpMat(view_);
    }
    sparse_view(const sparse_view &) = delete;
    cusparseSpMatDescr_t get() const
    {
        return view_;
    }

  private:
    cuda_scratch<int32_t> offsets_;
    cusparseSpMatDescr_t view_ = nullptr;
};

class dense_view
{
  public:
    dense_view(int64_t rows, int64_t cols, const float *x)
    {
        cuda_check(
            cusparseCreateDnMat(&view_, rows, cols, cols, const_cast<float *>(x), CUDA_R_32F, CUSPARSE_ORDER_ROW),
            "cusparseCreateDnMat");
    }
    ~dense_view()
    {
        cusparseDestroyDnMat(view_);
    }
    dense_view(const dense_view &) = delete;
    cusparseDnMatDescr_t get() const
    {
        return view_;
    }

  private:
    cusparseDnMatDescr_t view_ = nullptr;
};

/* The caller tells the number of entries; else it is read from the end of the offsets, which waits for the device. */
static int64_t entry_count(cru_device *device, const cru_csr &a, int64_t told)
{
    int64_t count = told;
    if (count == 0 && a.rows > 0) device->backend->download(device, &count, a.offsets + a.rows, sizeof count);
    return count;
}

static bool fits(const cru_csr &a, int64_t nnz)
{
    return a.rows > 0 && a.cols > 0 && nnz > 0 && nnz <= INT32_MAX;
}

/* y = A x (+ y). The algorithm gives the same bits in every run. */
static void multiply(cru_device *device, const cru_spmm_args &s, int64_t nnz, const float *values)
{
    const cusparseHandle_t handle = cuda_of(device)->sparse;
    const cusparseSpMMAlg_t algorithm = CUSPARSE_SPMM_CSR_ALG3;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const float one = 1, before = s.accumulate ? 1.0f : 0.0f;
    const sparse_view a(device, s.a, nnz, const_cast<float *>(values));
    const dense_view x(s.a.cols, s.cols, s.x), y(s.a.rows, s.cols, s.y);
    size_t bytes = 0;
    cuda_check(cusparseSpMM_bufferSize(handle, plain, plain, &one, a.get(), x.get(), &before, y.get(), CUDA_R_32F,
                                       algorithm, &bytes),
               "cusparseSpMM_bufferSize");
    cuda_scratch<char> memory(device, static_cast<int64_t>(bytes));
    cuda_check(cusparseSpMM(handle, plain, plain, &one, a.get(), x.get(), &before, y.get(), CUDA_R_32F, algorithm,
                            memory.get()),
               "cusparseSpMM");
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

void cuda_spmm(cru_device *device, const cru_spmm_args *args)
{
    const cru_spmm_args s = *args;
    const float *values = s.weights ? s.weights : s.a.values;
    if (s.op == CRU_REDUCE_MAX || s.op == CRU_REDUCE_MIN) {
        choose(device, s);
        return;
    }
    const bool plain = s.op == CRU_REDUCE_SUM && s.heads == 1 && values && !s.order && s.cols > 0;
    const int64_t nnz = plain ? entry_count(device, s.a, s.entries) : 0;
    if (plain && fits(s.a, nnz))
        multiply(device, s, nnz, values);
    else
        add_up(device, s);
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

/* Entries are grouped by column, so that every value of the result is one thread's sum, in the order of the rows. */
void cuda_spmm_transposed(cru_device *device, const cru_spmm_transposed_args *args)
{
    const cru_spmm_transposed_args s = *args;
    const int64_t nnz = entry_count(device, s.a, s.entries);
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

/* y = scale (l r^T) at the entries of A (+ y) */
static void sample(cru_device *device, const cru_sddmm_args &s, int64_t nnz)
{
    const cusparseHandle_t handle = cuda_of(device)->sparse;
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE, turned = CUSPARSE_OPERATION_TRANSPOSE;
    const float before = s.accumulate ? 1.0f : 0.0f;
    const sparse_view y(device, s.a, nnz, s.y);
    const dense_view l(s.a.rows, s.cols, s.l), r(s.a.cols, s.cols, s.r);
    size_t bytes = 0;
    cuda_check(cusparseSDDMM_bufferSize(handle, plain, turned, &s.scale, l.get(), r.get(), &before, y.get(), CUDA_R_32F,
                                        CUSPARSE_SDDMM_ALG_DEFAULT, &bytes),
               "cusparseSDDMM_bufferSize");
    cuda_scratch<char> memory(device, static_cast<int64_t>(bytes));
    cuda_check(cusparseSDDMM(handle, plain, turned, &s.scale, l.get(), r.get(), &before, y.get(), CUDA_R_32F,
                             CUSPARSE_SDDMM_ALG_DEFAULT, memory.get()),
               "cusparseSDDMM");
}

void cuda_sddmm(cru_device *device, const cru_sddmm_args *args)
{
    const cru_sddmm_args s = *args;
    const int64_t nnz = entry_count(device, s.a, s.entries);
    if (s.heads == 1 && s.cols > 0 && fits(s.a, nnz) && !s.accumulate) {
        /* Where y was not written yet, 0 y may be NaN. */
        cuda_fill(device, s.y, nnz, 0);
        sample(device, s, nnz);
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
