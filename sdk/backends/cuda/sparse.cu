// SPDX-License-Identifier: Apache-2.0
/* Sparse matrices on cuSPARSE: plans, products, transposes. */
#include <cstdint>

#include "sparse.h"

/* ---- what is kept -------------------------------------------------------------------------------------------- */

/* Memory that stays, unlike a cuda_scratch. */
static void *keep(cru_device *device, int64_t count, size_t size)
{
    void *memory = nullptr;
    const size_t bytes = static_cast<size_t>(count > 0 ? count : 1) * size;
    cuda_check(cudaMallocFromPoolAsync(&memory, bytes, cuda_of(device)->pool, cuda_of(device)->stream),
               "memory for a sparse matrix");
    return memory;
}

static void give_back(cru_device *device, void *memory)
{
    if (memory) cuda_check(cudaFreeAsync(memory, cuda_of(device)->stream), "memory of a sparse matrix");
}

static void drop_plan(cru_device *device, cuda_plan *plan)
{
    if (plan->matrix) cusparseDestroySpMat(plan->matrix);
    give_back(device, plan->memory);
    *plan = {};
}

static void drop_turned(cru_device *device, cuda_turned *turned)
{
    give_back(device, turned->offsets);
    give_back(device, turned->ids);
    give_back(device, turned->entry);
    *turned = {};
}

static void drop_matrix(cru_device *device, cuda_matrix *m)
{
    for (cuda_plan &plan : m->plans) drop_plan(device, &plan);
    drop_turned(device, &m->turned);
    give_back(device, m->offsets);
    *m = {};
}

void cuda_forget_all(cru_device *device)
{
    for (cuda_matrix &m : cuda_of(device)->matrices) drop_matrix(device, &m);
}

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    const uintptr_t x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
    return x < y + b_bytes && y < x + a_bytes;
}

void cuda_forget(cru_device *device, const void *memory, size_t bytes)
{
    for (cuda_matrix &m : cuda_of(device)->matrices) {
        if (!m.a.offsets) continue;
        const size_t offset_bytes = static_cast<size_t>(m.a.rows + 1) * sizeof *m.a.offsets;
        const size_t id_bytes = static_cast<size_t>(m.entries) * sizeof *m.a.ids;
        if (overlap(memory, bytes, m.a.offsets, offset_bytes) || overlap(memory, bytes, m.a.ids, id_bytes))
            drop_matrix(device, &m);
    }
}

cuda_matrix *sparse_find(cru_device *device, const cru_csr &a, int64_t told)
{
    cuda_state *s = cuda_of(device);
    cuda_matrix *place = &s->matrices[0];
    for (cuda_matrix &m : s->matrices) {
        const bool same = m.a.offsets == a.offsets && m.a.ids == a.ids && m.a.rows == a.rows && m.a.cols == a.cols;
        if (same && (told == 0 || told == m.entries)) {
            m.used = ++s->clock;
            return &m;
        }
        if (m.used < place->used) place = &m;
    }
    int64_t entries = told;
    if (entries == 0) device->backend->download(device, &entries, a.offsets + a.rows, sizeof entries);
    drop_matrix(device, place);
    place->a = a;
    place->entries = entries;
    place->used = ++s->clock;
    return place;
}

bool sparse_fits(const cuda_matrix *m)
{
    return m->entries > 0 && m->entries <= INT32_MAX && m->a.rows < INT32_MAX && m->a.cols < INT32_MAX &&
           m->entries <= m->a.rows * m->a.cols;
}

/* A matrix as cuSPARSE wants it: offsets as wide as the column numbers. */
struct narrow_csr {
    int64_t rows, cols, entries;
    int32_t *offsets, *ids;
};

static narrow_csr narrow(cru_device *device, cuda_matrix *m)
{
    if (!m->offsets) {
        int32_t *const to = static_cast<int32_t *>(keep(device, m->a.rows + 1, sizeof *to));
        const int64_t *const wide = m->a.offsets;
        m->offsets = to;
        each(device, m->a.rows + 1, [=] __device__(int64_t v) { to[v] = static_cast<int32_t>(wide[v]); });
    }
    return {m->a.rows, m->a.cols, m->entries, m->offsets, const_cast<int32_t *>(m->a.ids)};
}

/* The columns of the matrix, each with its entries ascending by row. cuSPARSE moves one value an entry; that value is
 * the entry's number, as a double, which holds every one of them. */
static cuda_turned turn(cru_device *device, cuda_matrix *m)
{
    const narrow_csr a = narrow(device, m);
    const cusparseHandle_t handle = cuda_of(device)->sparse;
    const int rows = static_cast<int>(a.rows), cols = static_cast<int>(a.cols), entries = static_cast<int>(a.entries);
    cuda_turned out;
    out.offsets = static_cast<int32_t *>(keep(device, a.cols + 1, sizeof *out.offsets));
    out.ids = static_cast<int32_t *>(keep(device, a.entries, sizeof *out.ids));
    out.entry = static_cast<int32_t *>(keep(device, a.entries, sizeof *out.entry));
    cuda_scratch<double> numbers(device, a.entries), moved(device, a.entries);
    double *const number = numbers.get();
    each(device, a.entries, [=] __device__(int64_t e) { number[e] = static_cast<double>(e); });
    size_t bytes = 0;
    cuda_check(cusparseCsr2cscEx2_bufferSize(handle, rows, cols, entries, number, a.offsets, a.ids, moved.get(),
                                             out.offsets, out.ids, CUDA_R_64F, CUSPARSE_ACTION_NUMERIC,
                                             CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, &bytes),
               "cusparseCsr2cscEx2_bufferSize");
    cuda_scratch<char> memory(device, static_cast<int64_t>(bytes));
    cuda_check(cusparseCsr2cscEx2(handle, rows, cols, entries, number, a.offsets, a.ids, moved.get(), out.offsets,
                                  out.ids, CUDA_R_64F, CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
                                  CUSPARSE_CSR2CSC_ALG1, memory.get()),
               "cusparseCsr2cscEx2");
    const double *const from = moved.get();
    int32_t *const entry = out.entry;
    each(device, a.entries, [=] __device__(int64_t e) { entry[e] = static_cast<int32_t>(from[e]); });
    return out;
}

/* ---- products ------------------------------------------------------------------------------------------------ */

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

/* The plan for this work and width, or a place for it, whose `work` is none. */
static cuda_plan *find_plan(cru_device *device, cuda_matrix *m, cuda_work work, int64_t width)
{
    cuda_plan *place = &m->plans[0];
    const uint64_t now = ++cuda_of(device)->clock;
    for (cuda_plan &plan : m->plans) {
        if (plan.work == work && plan.width == width) {
            plan.used = now;
            return &plan;
        }
        if (plan.used < place->used) place = &plan;
    }
    drop_plan(device, place);
    place->used = now;
    return place;
}

static void describe(cuda_plan *plan, const narrow_csr &a, float *values)
{
    cuda_check(cusparseCreateCsr(&plan->matrix, a.rows, a.cols, a.entries, a.offsets, a.ids, values, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
               "cusparseCreateCsr");
}

constexpr cusparseOperation_t as_is = CUSPARSE_OPERATION_NON_TRANSPOSE, turned_round = CUSPARSE_OPERATION_TRANSPOSE;

/* The algorithm gives the same bits in every run. */
constexpr cusparseSpMMAlg_t spmm_algorithm = CUSPARSE_SPMM_CSR_ALG3;
constexpr cusparseSDDMMAlg_t sddmm_algorithm = CUSPARSE_SDDMM_ALG_DEFAULT;

static void multiply(cru_device *device, cuda_plan *plan, cuda_work work, const narrow_csr &a, float *values,
                     const cuda_product &p)
{
    const cusparseHandle_t handle = cuda_of(device)->sparse;
    const float one = 1, before = p.accumulate ? 1.0f : 0.0f;
    const dense_view x(a.cols, p.width, p.x), y(a.rows, p.width, p.y);
    if (plan->work == cuda_work::none) {
        size_t bytes = 0;
        describe(plan, a, values);
        cuda_check(cusparseSpMM_bufferSize(handle, as_is, as_is, &one, plan->matrix, x.get(), &before, y.get(),
                                           CUDA_R_32F, spmm_algorithm, &bytes),
                   "cusparseSpMM_bufferSize");
        plan->memory = keep(device, static_cast<int64_t>(bytes), 1);
        cuda_check(cusparseSpMM_preprocess(handle, as_is, as_is, &one, plan->matrix, x.get(), &before, y.get(),
                                           CUDA_R_32F, spmm_algorithm, plan->memory),
                   "cusparseSpMM_preprocess");
        plan->work = work;
        plan->width = p.width;
    }
    cuda_check(cusparseSpMatSetValues(plan->matrix, values), "cusparseSpMatSetValues");
    cuda_check(cusparseSpMM(handle, as_is, as_is, &one, plan->matrix, x.get(), &before, y.get(), CUDA_R_32F,
                            spmm_algorithm, plan->memory),
               "cusparseSpMM");
}

void sparse_multiply(cru_device *device, cuda_matrix *m, const float *values, const cuda_product &p)
{
    cuda_plan *plan = find_plan(device, m, cuda_work::multiply, p.width);
    multiply(device, plan, cuda_work::multiply, narrow(device, m), const_cast<float *>(values), p);
}

void sparse_multiply_turned(cru_device *device, cuda_matrix *m, const float *weights, const cuda_product &p)
{
    if (!m->turned.entry) m->turned = turn(device, m);
    const cuda_turned t = m->turned;
    const narrow_csr a = {m->a.cols, m->a.rows, m->entries, t.offsets, t.ids};
    const float *const from = weights ? weights : m->a.values;
    cuda_scratch<float> values(device, a.entries);
    float *const to = values.get();
    each(device, a.entries, [=] __device__(int64_t e) { to[e] = from ? from[t.entry[e]] : 1.0f; });
    cuda_plan *plan = find_plan(device, m, cuda_work::multiply_turned, p.width);
    multiply(device, plan, cuda_work::multiply_turned, a, to, p);
}

void sparse_sample(cru_device *device, cuda_matrix *m, const cru_sddmm_args &s)
{
    const cusparseHandle_t handle = cuda_of(device)->sparse;
    const float before = s.accumulate ? 1.0f : 0.0f;
    const dense_view l(s.a.rows, s.cols, s.l), r(s.a.cols, s.cols, s.r);
    cuda_plan *plan = find_plan(device, m, cuda_work::sample, s.cols);
    if (plan->work == cuda_work::none) {
        size_t bytes = 0;
        describe(plan, narrow(device, m), s.y);
        cuda_check(cusparseSDDMM_bufferSize(handle, as_is, turned_round, &s.scale, l.get(), r.get(), &before,
                                            plan->matrix, CUDA_R_32F, sddmm_algorithm, &bytes),
                   "cusparseSDDMM_bufferSize");
        plan->memory = keep(device, static_cast<int64_t>(bytes), 1);
        cuda_check(cusparseSDDMM_preprocess(handle, as_is, turned_round, &s.scale, l.get(), r.get(), &before,
                                            plan->matrix, CUDA_R_32F, sddmm_algorithm, plan->memory),
                   "cusparseSDDMM_preprocess");
        plan->work = cuda_work::sample;
        plan->width = s.cols;
    }
    cuda_check(cusparseSpMatSetValues(plan->matrix, s.y), "cusparseSpMatSetValues");
    cuda_check(cusparseSDDMM(handle, as_is, turned_round, &s.scale, l.get(), r.get(), &before, plan->matrix, CUDA_R_32F,
                             sddmm_algorithm, plan->memory),
               "cusparseSDDMM");
}

/* ---- the transpose as a matrix of its own -------------------------------------------------------------------- */

static void no_entries(cru_device *device, int64_t rows, int64_t *offsets)
{
    each(device, rows + 1, [=] __device__(int64_t v) { offsets[v] = 0; });
}

void cuda_transpose(cru_device *device, const cru_transpose_args *args)
{
    const cru_transpose_args s = *args;
    cuda_forget(device, s.offsets, static_cast<size_t>(s.a.cols + 1) * sizeof *s.offsets);
    cuda_matrix *m = s.a.rows > 0 ? sparse_find(device, s.a, s.entries) : nullptr;
    if (!m || m->entries == 0) {
        no_entries(device, s.a.cols, s.offsets);
        return;
    }
    cuda_forget(device, s.ids, static_cast<size_t>(m->entries) * sizeof *s.ids);
    if (m->entries > INT32_MAX)
        cru_panic(CRU_UNSUPPORTED, "cuda: a sparse matrix of %lld entries", static_cast<long long>(m->entries));
    cuda_turned t = turn(device, m);
    const int64_t entries = m->entries;
    each(device, s.a.cols + 1, [=] __device__(int64_t v) { s.offsets[v] = t.offsets[v]; });
    each(device, entries, [=] __device__(int64_t e) {
        s.ids[e] = t.ids[e];
        s.entry[e] = t.entry[e];
        if (s.values) s.values[e] = s.a.values[t.entry[e]];
    });
    drop_turned(device, &t);
}
