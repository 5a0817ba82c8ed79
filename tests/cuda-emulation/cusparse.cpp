// SPDX-License-Identifier: Apache-2.0
/* cuSPARSE as plain loops. Sums are taken in double, so that a comparison finds faults and not roundings. */
#include <cusparse.h>

#include <cstring>

#include <emulated-launch.h>

#include "emulation.h"

namespace
{

long descriptors = 0, preprocessed = 0, products = 0, conversions = 0;

enum class work { none, spmm, sddmm };

/* What a descriptor was last prepared for. */
struct preparation {
    work kind = work::none;
    int64_t cols = 0;
    void *buffer = nullptr;
};

/* What preparing leaves in the working memory: enough to tell another structure from this one. */
struct fingerprint {
    uint64_t of_structure, check;
};
constexpr uint64_t check_word = 0x63757370617273ull;

} // namespace

struct emulated_csr {
    int64_t rows, cols, nnz;
    const int32_t *offsets, *ids;
    float *values;
    preparation prepared;
};
struct emulated_dense {
    int64_t rows, cols, ld;
    float *values;
    cusparseOrder_t order;
    float *at(int64_t i, int64_t j) const
    {
        return values + (order == CUSPARSE_ORDER_ROW ? i * ld + j : j * ld + i);
    }
};

long emulation_descriptors(void)
{
    return descriptors;
}
long emulation_preprocessed(void)
{
    return preprocessed;
}
long emulation_products(void)
{
    return products;
}
long emulation_conversions(void)
{
    return conversions;
}

static double element(const emulated_dense *x, cusparseOperation_t op, int64_t i, int64_t j)
{
    return static_cast<double>(op == CUSPARSE_OPERATION_NON_TRANSPOSE ? *x->at(i, j) : *x->at(j, i));
}
static int64_t rows_of(const emulated_dense *x, cusparseOperation_t op)
{
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? x->rows : x->cols;
}
static int64_t cols_of(const emulated_dense *x, cusparseOperation_t op)
{
    return op == CUSPARSE_OPERATION_NON_TRANSPOSE ? x->cols : x->rows;
}

/* FNV-1a over offsets and ids; device memory is open. */
static uint64_t structure_of(const emulated_csr *a)
{
    uint64_t hash = 0xcbf29ce484222325ull;
    for (int64_t v = 0; v <= a->rows; v++) hash = (hash ^ static_cast<uint32_t>(a->offsets[v])) * 0x100000001b3ull;
    for (int64_t e = 0; e < a->nnz; e++) hash = (hash ^ static_cast<uint32_t>(a->ids[e])) * 0x100000001b3ull;
    return hash;
}

static cusparseStatus_t prepare(emulated_csr *a, work kind, int64_t cols, void *buffer)
{
    if (!buffer) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!emulated_begin()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    const fingerprint f = {structure_of(a), check_word};
    memcpy(buffer, &f, sizeof f);
    emulated_end();
    a->prepared = {kind, cols, buffer};
    preprocessed++;
    return CUSPARSE_STATUS_SUCCESS;
}

/* Device memory is open. */
static bool is_prepared(const emulated_csr *a, work kind, int64_t cols, const void *buffer)
{
    const preparation &p = a->prepared;
    if (p.kind != kind || p.cols != cols || p.buffer != buffer) return false;
    fingerprint f;
    memcpy(&f, buffer, sizeof f);
    return f.check == check_word && f.of_structure == structure_of(a);
}

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    *handle = reinterpret_cast<cusparseHandle_t>(new char);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    delete reinterpret_cast<char *>(handle);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t, cudaStream_t)
{
    return CUSPARSE_STATUS_SUCCESS;
}
const char *cusparseGetErrorString(cusparseStatus_t)
{
    return "invalid value";
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t nnz, void *offsets,
                                   void *ids, void *values, cusparseIndexType_t, cusparseIndexType_t,
                                   cusparseIndexBase_t, cudaDataType)
{
    if (rows < 0 || cols < 0 || nnz < 0 || nnz > rows * cols) return CUSPARSE_STATUS_INVALID_VALUE;
    *matrix = new emulated_csr{.rows = rows,
                               .cols = cols,
                               .nnz = nnz,
                               .offsets = static_cast<const int32_t *>(offsets),
                               .ids = static_cast<const int32_t *>(ids),
                               .values = static_cast<float *>(values),
                               .prepared = {}};
    descriptors++;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void *values)
{
    matrix->values = static_cast<float *>(values);
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroySpMat(cusparseSpMatDescr_t matrix)
{
    delete matrix;
    descriptors--;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t ld, void *values,
                                     cudaDataType, cusparseOrder_t order)
{
    if (rows < 0 || cols < 0 || ld < (order == CUSPARSE_ORDER_ROW ? cols : rows)) return CUSPARSE_STATUS_INVALID_VALUE;
    *matrix = new emulated_dense{rows, cols, ld, static_cast<float *>(values), order};
    descriptors++;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyDnMat(cusparseDnMatDescr_t matrix)
{
    delete matrix;
    descriptors--;
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- products ------------------------------------------------------------------------------------------------ */

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
                                         cusparseSpMatDescr_t, cusparseDnMatDescr_t, const void *, cusparseDnMatDescr_t,
                                         cudaDataType, cusparseSpMMAlg_t, size_t *bytes)
{
    *bytes = sizeof(fingerprint);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t, cusparseOperation_t op_a, cusparseOperation_t op_b,
                                         const void *, cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, const void *,
                                         cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, void *buffer)
{
    if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE) return CUSPARSE_STATUS_NOT_SUPPORTED;
    return prepare(a, work::spmm, cols_of(b, op_b), buffer);
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,
                              cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c,
                              cudaDataType, cusparseSpMMAlg_t, void *buffer)
{
    const float scale = *static_cast<const float *>(alpha), before = *static_cast<const float *>(beta);
    if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || !buffer) return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (a->cols != rows_of(b, op_b) || c->rows != a->rows || c->cols != cols_of(b, op_b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!emulated_begin()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    const bool ready = is_prepared(a, work::spmm, c->cols, buffer);
    for (int64_t i = 0; ready && i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++) {
            double sum = 0;
            for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++)
                sum += static_cast<double>(a->values[e]) * element(b, op_b, a->ids[e], j);
            float *to = c->at(i, j);
            *to = static_cast<float>(scale * sum) + (before == 0 ? 0.0f : before * *to);
        }
    emulated_end();
    products++;
    return ready ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
                                          cusparseDnMatDescr_t, cusparseDnMatDescr_t, const void *,
                                          cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t, size_t *bytes)
{
    *bytes = sizeof(fingerprint);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t, cusparseOperation_t op_a, cusparseOperation_t, const void *,
                                          cusparseDnMatDescr_t a, cusparseDnMatDescr_t, const void *,
                                          cusparseSpMatDescr_t c, cudaDataType, cusparseSDDMMAlg_t, void *buffer)
{
    return prepare(c, work::sddmm, cols_of(a, op_a), buffer);
}

cusparseStatus_t cusparseSDDMM(cusparseHandle_t, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,
                               cusparseDnMatDescr_t a, cusparseDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
                               cudaDataType, cusparseSDDMMAlg_t, void *buffer)
{
    const float scale = *static_cast<const float *>(alpha), before = *static_cast<const float *>(beta);
    if (!buffer) return CUSPARSE_STATUS_INVALID_VALUE;
    if (c->rows != rows_of(a, op_a) || c->cols != cols_of(b, op_b) || cols_of(a, op_a) != rows_of(b, op_b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!emulated_begin()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    const bool ready = is_prepared(c, work::sddmm, cols_of(a, op_a), buffer);
    for (int64_t i = 0; ready && i < c->rows; i++)
        for (int64_t e = c->offsets[i]; e < c->offsets[i + 1]; e++) {
            double sum = 0;
            for (int64_t k = 0; k < cols_of(a, op_a); k++)
                sum += element(a, op_a, i, k) * element(b, op_b, k, c->ids[e]);
            c->values[e] = static_cast<float>(scale * sum) + before * c->values[e]; /* 0 NaN is NaN, as with a card */
        }
    emulated_end();
    products++;
    return ready ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

/* ---- conversions --------------------------------------------------------------------------------------------- */

static size_t bytes_of(cudaDataType type)
{
    return type == CUDA_R_64F ? sizeof(double) : sizeof(float);
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t, int m, int n, int nnz, const void *, const int *,
                                               const int *, void *, int *, int *, cudaDataType, cusparseAction_t,
                                               cusparseIndexBase_t, cusparseCsr2CscAlg_t, size_t *bytes)
{
    if (m < 0 || n < 0 || nnz < 0) return CUSPARSE_STATUS_INVALID_VALUE;
    *bytes = static_cast<size_t>(n + 1) * sizeof(int);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t, int m, int n, int nnz, const void *values, const int *offsets,
                                    const int *ids, void *to_values, int *to_offsets, int *to_ids, cudaDataType type,
                                    cusparseAction_t, cusparseIndexBase_t, cusparseCsr2CscAlg_t, void *buffer)
{
    const size_t size = bytes_of(type);
    int *const next = static_cast<int *>(buffer);
    if (m < 0 || n < 0 || nnz < 0 || !buffer) return CUSPARSE_STATUS_INVALID_VALUE;
    if (!emulated_begin()) return CUSPARSE_STATUS_EXECUTION_FAILED;
    memset(to_offsets, 0, static_cast<size_t>(n + 1) * sizeof *to_offsets);
    for (int e = 0; e < nnz; e++) to_offsets[ids[e] + 1]++;
    for (int c = 0; c < n; c++) to_offsets[c + 1] += to_offsets[c];
    memcpy(next, to_offsets, static_cast<size_t>(n) * sizeof *next);
    for (int v = 0; v < m; v++)
        for (int e = offsets[v]; e < offsets[v + 1]; e++) {
            const int to = next[ids[e]]++;
            to_ids[to] = v;
            memcpy(static_cast<char *>(to_values) + static_cast<size_t>(to) * size,
                   static_cast<const char *>(values) + static_cast<size_t>(e) * size, size);
        }
    emulated_end();
    conversions++;
    return CUSPARSE_STATUS_SUCCESS;
}
