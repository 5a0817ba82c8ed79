// SPDX-License-Identifier: Apache-2.0
/* Products of matrices on cuBLAS.
 *
 * cuBLAS is column-major: what it takes for the columns of C are our rows. So it is asked for C^T = op(B)^T op(A)^T,
 * with the operands in the other order and their leading dimensions as they are. */
#include "cuda.h"

static void scale_result(cru_device *device, const cru_gemm_args &g, int64_t batch)
{
    each(device, batch * g.m * g.n, [=] __device__(int64_t at) {
        float *c = g.c + at / (g.m * g.n) * g.stride_c + at / g.n % g.m * g.ldc + at % g.n;
        *c = g.beta == 0 ? 0.0f : g.beta * *c;
    });
}

void cuda_gemm(cru_device *device, const cru_gemm_args *args)
{
    const cru_gemm_args g = *args;
    const int64_t batch = g.batch ? g.batch : 1;
    if (g.m <= 0 || g.n <= 0) return;
    if (g.k <= 0) {
        scale_result(device, g, batch);
    } else {
        const cublasOperation_t ta = g.ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb = g.tb ? CUBLAS_OP_T : CUBLAS_OP_N;
        cuda_check(cublasSgemmStridedBatched_64(cuda_of(device)->blas, tb, ta, g.n, g.m, g.k, &g.alpha, g.b, g.ldb,
                                                g.stride_b, g.a, g.lda, g.stride_a, &g.beta, g.c, g.ldc, g.stride_c,
                                                batch),
                   "cublasSgemmStridedBatched");
    }
    if (!g.finish) return;
    const cru_finish_args finish = {g.finish, 0, g.m, g.n, g.c};
    cuda_finish(device, &finish);
}
