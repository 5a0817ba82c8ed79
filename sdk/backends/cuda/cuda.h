// SPDX-License-Identifier: Apache-2.0
/* cuda.h: what the kernels of the CUDA backend share.
 *
 * Almost every kernel is a lambda over the elements of its result: `each` runs it on the device. Sums over many values
 * are `sums`: one block an output, added up in a fixed order, so that results are the same in every run; there are no
 * atomics. Products of matrices are cuBLAS's, sparse ones cuSPARSE's, sorting is CUB's.
 *
 * The same sources are also compiled as host C++ for tests, with emulation/ standing for the toolkit: nothing here may
 * assume more of a launch than launch.h offers. */
#ifndef CRUCIBLE_CUDA_H
#define CRUCIBLE_CUDA_H

#include <cublas_v2.h>
#include <cusparse.h>

#include <crucible/backend.h>

#include "launch.h"

struct cuda_staging {
    void *memory; /* pinned */
    cudaEvent_t done;
    bool busy;
};

constexpr int CUDA_STAGES = 8;
constexpr size_t CUDA_STAGE_BYTES = size_t{1} << 20;

/* One kind of product with one width, prepared by cuSPARSE: sparse.h. */
enum class cuda_work { none, multiply, multiply_turned, sample };

struct cuda_plan {
    cuda_work work;
    int64_t width;
    cusparseSpMatDescr_t matrix; /* of its own: a descriptor knows one preparation */
    void *memory;
    uint64_t used;
};

/* The transpose: which entry each of its entries was. */
struct cuda_turned {
    int32_t *offsets, *ids, *entry; /* NULL until it is needed */
};

constexpr int CUDA_MATRICES = 32, CUDA_PLANS = 8;

/* What is known of a CSR matrix. */
struct cuda_matrix {
    cru_csr a; /* offsets NULL: a free place */
    int64_t entries;
    int32_t *offsets; /* as wide as the ids */
    cuda_turned turned;
    cuda_plan plans[CUDA_PLANS];
    uint64_t used;
};

/* x and y of a product with a sparse matrix. */
struct cuda_product {
    int64_t width;
    const float *x;
    float *y;
    bool accumulate;
};

/* What cru_device.state points to. */
struct cuda_state {
    int card;
    cudaStream_t stream;
    cudaMemPool_t pool;
    cublasHandle_t blas;
    cusparseHandle_t sparse;
    cuda_staging stage[CUDA_STAGES];
    int next_stage;
    cuda_matrix matrices[CUDA_MATRICES];
    uint64_t clock; /* counts the uses of matrices and plans */
};

inline cuda_state *cuda_of(const cru_device *device)
{
    return static_cast<cuda_state *>(device->state);
}

/* Ends the trial when a call failed: out of memory as such, anything else with CUDA's own words. */
void cuda_check(cudaError_t code, const char *what);
void cuda_check(cublasStatus_t code, const char *what);
void cuda_check(cusparseStatus_t code, const char *what);

/* Memory for the length of a kernel, in the order of the stream: given back when the object dies, used again by later
 * work of the same stream only. */
template <class T> class cuda_scratch
{
  public:
    cuda_scratch(cru_device *device, int64_t count) : device_(device)
    {
        const size_t bytes = static_cast<size_t>(count > 0 ? count : 1) * sizeof(T);
        cuda_check(cudaMallocFromPoolAsync(&memory_, bytes, cuda_of(device)->pool, cuda_of(device)->stream),
                   "working space");
    }
    ~cuda_scratch()
    {
        cudaFreeAsync(memory_, cuda_of(device_)->stream);
    }
    cuda_scratch(const cuda_scratch &) = delete;
    cuda_scratch &operator=(const cuda_scratch &) = delete;
    T *get() const
    {
        return static_cast<T *>(memory_);
    }

  private:
    cru_device *device_;
    void *memory_ = nullptr;
};

/* ---- loops on the device ----------------------------------------------------------------------------------- */

constexpr int CUDA_THREADS = 256;
constexpr int64_t CUDA_MOST_BLOCKS = 65535;

inline int cuda_blocks(int64_t items)
{
    const int64_t blocks = (items + CUDA_THREADS - 1) / CUDA_THREADS;
    return static_cast<int>(blocks < CUDA_MOST_BLOCKS ? blocks : CUDA_MOST_BLOCKS);
}

template <class F> __global__ void each_kernel(int64_t n, F f)
{
    const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) f(i);
}

/* f(i) for every i below n. */
template <class F> void each(cru_device *device, int64_t n, F f)
{
    if (n <= 0) return;
    launch(cuda_blocks(n), CUDA_THREADS, cuda_of(device)->stream, each_kernel<F>, n, f);
    cuda_check(cudaGetLastError(), "a kernel");
}

template <class Term, class Store> __global__ void sums_kernel(int64_t outputs, int64_t count, Term term, Store store)
{
    __shared__ double part[CUDA_THREADS];
    for (int64_t o = blockIdx.x; o < outputs; o += gridDim.x) {
        double sum = 0;
        for (int64_t i = threadIdx.x; i < count; i += CUDA_THREADS) sum += term(o, i);
        part[threadIdx.x] = sum;
        __syncthreads();
        for (unsigned half = CUDA_THREADS / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
            __syncthreads();
        }
        if (threadIdx.x == 0) store(o, part[0]);
        __syncthreads();
    }
}

/* store(o, sum over i < count of term(o, i)) for every o below outputs: a block each, or a thread each where there are
 * many short ones. */
template <class Term, class Store> void sums(cru_device *device, int64_t outputs, int64_t count, Term term, Store store)
{
    constexpr int64_t SHORT = 64, MANY = 4096;
    if (outputs <= 0) return;
    if (count <= SHORT || outputs >= MANY) {
        each(device, outputs, [=] __device__(int64_t o) {
            double sum = 0;
            for (int64_t i = 0; i < count; i++) sum += term(o, i);
            store(o, sum);
        });
        return;
    }
    const int blocks = static_cast<int>(outputs < CUDA_MOST_BLOCKS ? outputs : CUDA_MOST_BLOCKS);
    launch_blocks(blocks, CUDA_THREADS, cuda_of(device)->stream, sums_kernel<Term, Store>, outputs, count, term, store);
    cuda_check(cudaGetLastError(), "a sum");
}

/* *to = value, or *to += value. */
__device__ inline void put(float *to, float value, bool accumulate)
{
    *to = accumulate ? *to + value : value;
}

/* ---- the kernels, by file ------------------------------------------------------------------------------------ */

/* elements.cu */
void cuda_fill(cru_device *device, float *x, int64_t n, float value);
void cuda_unary(cru_device *device, cru_unary op, const cru_unary_args *args);
void cuda_unary_grad(cru_device *device, cru_unary op, const cru_unary_grad_args *args);
void cuda_binary(cru_device *device, cru_binary op, const cru_binary_args *args);
void cuda_binary_grad(cru_device *device, cru_binary op, const cru_binary_grad_args *args);
void cuda_dropout(cru_device *device, const cru_dropout_args *args);
void cuda_finish(cru_device *device, const cru_finish_args *args);
void cuda_finish_grad(cru_device *device, const cru_finish_grad_args *args);

/* optim.cu */
void cuda_adam(cru_device *device, const cru_adam_args *args);
void cuda_sgd(cru_device *device, const cru_sgd_args *args);

/* axis.cu */
void cuda_reduce(cru_device *device, cru_reduce op, const cru_reduce_args *args);
void cuda_spread(cru_device *device, const cru_spread_args *args);
void cuda_softmax(cru_device *device, const cru_softmax_args *args);
void cuda_softmax_grad(cru_device *device, const cru_softmax_grad_args *args);
void cuda_xent(cru_device *device, const cru_xent_args *args);
void cuda_xent_grad(cru_device *device, const cru_xent_grad_args *args);
void cuda_norm_stats(cru_device *device, const cru_norm_args *args);
void cuda_norm(cru_device *device, const cru_norm_args *args);
void cuda_norm_grad(cru_device *device, const cru_norm_grad_args *args);

/* move.cu */
void cuda_copy(cru_device *device, const cru_copy_args *args);
void cuda_permute(cru_device *device, const cru_permute_args *args);
void cuda_gather(cru_device *device, const cru_gather_args *args);
void cuda_scatter(cru_device *device, const cru_scatter_args *args);
void cuda_scatter_grad(cru_device *device, const cru_scatter_grad_args *args);
void cuda_take(cru_device *device, const cru_take_args *args);
void cuda_place(cru_device *device, const cru_take_args *args);
void cuda_topk(cru_device *device, const cru_topk_args *args);

/* sparse.cu; forgetting: of matrices with an array in that memory, or of all */
void cuda_transpose(cru_device *device, const cru_transpose_args *args);
void cuda_forget(cru_device *device, const void *memory, size_t bytes);
void cuda_forget_all(cru_device *device);

/* graph.cu */
void cuda_spmm(cru_device *device, const cru_spmm_args *args);
void cuda_spmm_transposed(cru_device *device, const cru_spmm_transposed_args *args);
void cuda_select(cru_device *device, const cru_select_args *args);
void cuda_sddmm(cru_device *device, const cru_sddmm_args *args);
void cuda_edge(cru_device *device, const cru_edge_args *args);
void cuda_edge_sum(cru_device *device, const cru_edge_sum_args *args);
void cuda_edge_softmax(cru_device *device, const cru_edge_softmax_args *args);
void cuda_edge_softmax_grad(cru_device *device, const cru_edge_softmax_grad_args *args);

/* gemm.cu, image.cu */
void cuda_gemm(cru_device *device, const cru_gemm_args *args);
void cuda_conv(cru_device *device, const cru_conv_args *args);
void cuda_conv_grad(cru_device *device, const cru_conv_grad_args *args);
void cuda_pool(cru_device *device, const cru_pool_args *args);
void cuda_pool_grad(cru_device *device, const cru_pool_grad_args *args);

#endif
