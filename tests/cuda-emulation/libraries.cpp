/* cuBLAS and cuSPARSE as plain loops. Sums are taken in double, so that a comparison finds faults and not roundings. */
#include <cublas_v2.h>
#include <cusparse.h>

#include <emulated-launch.h>

cublasStatus_t cublasCreate(cublasHandle_t *handle)
{
    *handle = reinterpret_cast<cublasHandle_t>(new char);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle)
{
    delete reinterpret_cast<char *>(handle);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t)
{
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t)
{
    return CUBLAS_STATUS_SUCCESS;
}
const char *cublasGetStatusString(cublasStatus_t)
{
    return "invalid value";
}

cublasStatus_t cublasSgemmStridedBatched_64(cublasHandle_t, cublasOperation_t ta, cublasOperation_t tb, int64_t m,
                                            int64_t n, int64_t k, const float *alpha, const float *a, int64_t lda,
                                            long long stride_a, const float *b, int64_t ldb, long long stride_b,
                                            const float *beta, float *c, int64_t ldc, long long stride_c, int64_t batch)
{
    const int64_t rows_a = ta == CUBLAS_OP_N ? m : k, rows_b = tb == CUBLAS_OP_N ? k : n;
    if (m < 0 || n < 0 || k < 0 || lda < rows_a || ldb < rows_b || ldc < m) return CUBLAS_STATUS_INVALID_VALUE;
    if (!emulated_begin()) return CUBLAS_STATUS_ALLOC_FAILED;
    for (int64_t p = 0; p < batch; p++, a += stride_a, b += stride_b, c += stride_c)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) {
                double sum = 0;
                for (int64_t q = 0; q < k; q++)
                    sum += static_cast<double>(ta == CUBLAS_OP_N ? a[q * lda + i] : a[i * lda + q]) *
                           static_cast<double>(tb == CUBLAS_OP_N ? b[j * ldb + q] : b[q * ldb + j]);
                float *to = c + j * ldc + i;
                *to = static_cast<float>(*alpha * sum) + (*beta == 0 ? 0.0f : *beta * *to);
            }
    emulated_end();
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- cuSPARSE ------------------------------------------------------------------------------------------------ */

struct emulated_csr {
    int64_t rows, cols, nnz;
    const int32_t *offsets, *ids;
    float *values;
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
    *matrix = new emulated_csr{rows,
                               cols,
                               nnz,
                               static_cast<const int32_t *>(offsets),
                               static_cast<const int32_t *>(ids),
                               static_cast<float *>(values)};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroySpMat(cusparseSpMatDescr_t matrix)
{
    delete matrix;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows, int64_t cols, int64_t ld, void *values,
                                     cudaDataType, cusparseOrder_t order)
{
    if (rows < 0 || cols < 0 || ld < (order == CUSPARSE_ORDER_ROW ? cols : rows)) return CUSPARSE_STATUS_INVALID_VALUE;
    *matrix = new emulated_dense{rows, cols, ld, static_cast<float *>(values), order};
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyDnMat(cusparseDnMatDescr_t matrix)
{
    delete matrix;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
                                         cusparseSpMatDescr_t, cusparseDnMatDescr_t, const void *, cusparseDnMatDescr_t,
                                         cudaDataType, cusparseSpMMAlg_t, size_t *bytes)
{
    *bytes = 64;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,
                              cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c,
                              cudaDataType, cusparseSpMMAlg_t, void *buffer)
{
    const float scale = *static_cast<const float *>(alpha), before = *static_cast<const float *>(beta);
    if (op_a != CUSPARSE_OPERATION_NON_TRANSPOSE || !buffer) return CUSPARSE_STATUS_NOT_SUPPORTED;
    if (a->cols != rows_of(b, op_b) || c->rows != a->rows || c->cols != cols_of(b, op_b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!emulated_begin()) return CUSPARSE_STATUS_ALLOC_FAILED;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->cols; j++) {
            double sum = 0;
            for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++)
                sum += static_cast<double>(a->values[e]) * element(b, op_b, a->ids[e], j);
            float *to = c->at(i, j);
            *to = static_cast<float>(scale * sum) + (before == 0 ? 0.0f : before * *to);
        }
    emulated_end();
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
                                          cusparseDnMatDescr_t, cusparseDnMatDescr_t, const void *,
                                          cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t, size_t *bytes)
{
    *bytes = 64;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSDDMM(cusparseHandle_t, cusparseOperation_t op_a, cusparseOperation_t op_b, const void *alpha,
                               cusparseDnMatDescr_t a, cusparseDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
                               cudaDataType, cusparseSDDMMAlg_t, void *buffer)
{
    const float scale = *static_cast<const float *>(alpha), before = *static_cast<const float *>(beta);
    if (!buffer) return CUSPARSE_STATUS_INVALID_VALUE;
    if (c->rows != rows_of(a, op_a) || c->cols != cols_of(b, op_b) || cols_of(a, op_a) != rows_of(b, op_b))
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (!emulated_begin()) return CUSPARSE_STATUS_ALLOC_FAILED;
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t e = c->offsets[i]; e < c->offsets[i + 1]; e++) {
            double sum = 0;
            for (int64_t k = 0; k < cols_of(a, op_a); k++)
                sum += element(a, op_a, i, k) * element(b, op_b, k, c->ids[e]);
            c->values[e] = static_cast<float>(scale * sum) + before * c->values[e]; /* 0 NaN is NaN, as with a card */
        }
    emulated_end();
    return CUSPARSE_STATUS_SUCCESS;
}
