// SPDX-License-Identifier: Apache-2.0
/* The part of cuBLAS that the backend uses, on the host: column-major, as cuBLAS is. */
#ifndef EMULATED_CUBLAS_H
#define EMULATED_CUBLAS_H

#include <cuda_runtime.h>

enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum cublasMath_t { CUBLAS_PEDANTIC_MATH = 2 };
typedef struct emulated_blas *cublasHandle_t;

cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
const char *cublasGetStatusString(cublasStatus_t code);

/* C = alpha op(A) op(B) + beta C for every matrix of the batch; C is m x n, column-major. */
cublasStatus_t cublasSgemmStridedBatched_64(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                                            int64_t m, int64_t n, int64_t k, const float *alpha, const float *a,
                                            int64_t lda, long long stride_a, const float *b, int64_t ldb,
                                            long long stride_b, const float *beta, float *c, int64_t ldc,
                                            long long stride_c, int64_t batch);

#endif
