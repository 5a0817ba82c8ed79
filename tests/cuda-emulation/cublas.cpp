// SPDX-License-Identifier: Apache-2.0
/* cuBLAS as plain loops. Sums are taken in double, so that a comparison finds faults and not roundings. */
#include <cublas_v2.h>

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
    if (!emulated_begin()) return CUBLAS_STATUS_EXECUTION_FAILED;
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
