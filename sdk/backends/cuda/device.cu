// SPDX-License-Identifier: Apache-2.0
/* The card: opening it, its memory, transfers, and the table of kernels. */
#include <cstdint>
#include <cstring>
#include <new>

#include <crucible/plugin.h>

#include "cuda.h"

#ifndef CUDA_BACKEND_NAME /* the emulation calls itself what it is */
#define CUDA_BACKEND_NAME    "cuda"
#define CUDA_BACKEND_SUMMARY "NVIDIA GPUs: cuBLAS, cuSPARSE and own kernels"
#endif

void cuda_check(cudaError_t code, const char *what)
{
    if (code == cudaSuccess) return;
    cudaGetLastError(); /* so that the next call does not find it again */
    cru_panic(code == cudaErrorMemoryAllocation ? CRU_NO_MEMORY : CRU_FAILED, "cuda: %s: %s", what,
              cudaGetErrorString(code));
}

void cuda_check(cublasStatus_t code, const char *what)
{
    if (code == CUBLAS_STATUS_SUCCESS) return;
    cru_panic(code == CUBLAS_STATUS_ALLOC_FAILED ? CRU_NO_MEMORY : CRU_FAILED, "cuda: %s: %s", what,
              cublasGetStatusString(code));
}

void cuda_check(cusparseStatus_t code, const char *what)
{
    if (code == CUSPARSE_STATUS_SUCCESS) return;
    const bool memory = code == CUSPARSE_STATUS_ALLOC_FAILED || code == CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
    cru_panic(memory ? CRU_NO_MEMORY : CRU_FAILED, "cuda: %s: %s", what, cusparseGetErrorString(code));
}

/* ---- opening ------------------------------------------------------------------------------------------------- */

/* While a device is being opened a failure is a sentence, not the end of the trial. */
static cru_status refuse(cru_error *err, const char *what, const char *why)
{
    return cru_fail(err, CRU_UNSUPPORTED, "%s: %s", what, why);
}

static cru_status find_card(int32_t index, cru_error *err)
{
    int count = 0, driver = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return refuse(err, "no GPU answers", "there is no NVIDIA driver");
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaErrorInsufficientDriver)
        return refuse(err, "the driver is too old for this build of the backend", cudaGetErrorString(code));
    if (code != cudaSuccess) return refuse(err, "no GPU answers", cudaGetErrorString(code));
    if (index < 0 || index >= count)
        return cru_fail(err, CRU_UNSUPPORTED, "there is no card %d; this machine has %d", static_cast<int>(index),
                        count);
    code = cudaSetDevice(index);
    return code == cudaSuccess ? CRU_OK : refuse(err, "the card cannot be used", cudaGetErrorString(code));
}

/* A build holds code for some generations of cards only. */
static cru_status try_kernel(cru_device *device, cru_error *err)
{
    cudaStream_t stream = cuda_of(device)->stream;
    auto nothing = [] __device__(int64_t) {};
    launch(1, 1, stream, each_kernel<decltype(nothing)>, int64_t{1}, nothing);
    const cudaError_t code = cudaGetLastError();
    if (code == cudaErrorNoKernelImageForDevice)
        return refuse(err, "the backend was not built for this generation of cards", cudaGetErrorString(code));
    return code == cudaSuccess ? CRU_OK : refuse(err, "a first kernel failed", cudaGetErrorString(code));
}

/* `most` bytes; 0: as many as the card has */
static cru_status open_pool(cuda_state *s, size_t most, cru_error *err)
{
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = s->card;
    props.maxSize = most;
    cudaError_t code = cudaMemPoolCreate(&s->pool, &props);
    if (code != cudaSuccess) return refuse(err, "no memory pool", cudaGetErrorString(code));
    uint64_t keep = UINT64_MAX; /* what is freed stays with the pool: later steps allocate nothing */
    code = cudaMemPoolSetAttribute(s->pool, cudaMemPoolAttrReleaseThreshold, &keep);
    return code == cudaSuccess ? CRU_OK : refuse(err, "no memory pool", cudaGetErrorString(code));
}

static cru_status open_stages(cuda_state *s, cru_error *err)
{
    for (int i = 0; i < CUDA_STAGES; i++) {
        cudaError_t code = cudaHostAlloc(&s->stage[i].memory, CUDA_STAGE_BYTES, cudaHostAllocDefault);
        if (code == cudaSuccess) code = cudaEventCreateWithFlags(&s->stage[i].done, cudaEventDisableTiming);
        if (code != cudaSuccess) return refuse(err, "no pinned memory", cudaGetErrorString(code));
    }
    return CRU_OK;
}

static cru_status open_libraries(cuda_state *s, cru_error *err)
{
    if (cublasCreate(&s->blas) != CUBLAS_STATUS_SUCCESS || cublasSetStream(s->blas, s->stream) != CUBLAS_STATUS_SUCCESS)
        return refuse(err, "cuBLAS", "cannot be started");
    /* No reduced precision: results are compared with the CPU's. */
    cublasSetMathMode(s->blas, CUBLAS_PEDANTIC_MATH);
    if (cusparseCreate(&s->sparse) != CUSPARSE_STATUS_SUCCESS ||
        cusparseSetStream(s->sparse, s->stream) != CUSPARSE_STATUS_SUCCESS)
        return refuse(err, "cuSPARSE", "cannot be started");
    return CRU_OK;
}

static void cuda_close(cru_device *device)
{
    cuda_state *s = cuda_of(device);
    if (!s) return;
    if (s->stream) cudaStreamSynchronize(s->stream);
    cuda_forget_all(device);
    if (s->sparse) cusparseDestroy(s->sparse);
    if (s->blas) cublasDestroy(s->blas);
    for (cuda_staging &stage : s->stage) {
        if (stage.done) cudaEventDestroy(stage.done);
        if (stage.memory) cudaFreeHost(stage.memory);
    }
    if (s->pool) cudaMemPoolDestroy(s->pool);
    if (s->stream) cudaStreamDestroy(s->stream);
    delete s;
    device->state = nullptr;
}

extern const cru_backend cuda_table;

static cru_status cuda_open(cru_device *device, int32_t index, int32_t threads, cru_error *err)
{
    cru_status status = find_card(index, err);
    if (status) return status;
    cuda_state *s = new (std::nothrow) cuda_state();
    if (!s) return cru_fail(err, CRU_NO_MEMORY, "no memory to open the device");
    s->card = index;
    *device = {&cuda_table, s, threads > 0 ? threads : 1};
    const cudaError_t code = cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking);
    if (code != cudaSuccess) status = refuse(err, "no stream", cudaGetErrorString(code));
    if (!status) status = try_kernel(device, err);
    if (!status) status = open_pool(s, 0, err);
    if (!status) status = open_stages(s, err);
    if (!status) status = open_libraries(s, err);
    if (status) cuda_close(device);
    return status;
}

/* ---- memory -------------------------------------------------------------------------------------------------- */

static void *cuda_alloc(cru_device *device, size_t bytes)
{
    void *memory = nullptr;
    if (bytes > PTRDIFF_MAX) return nullptr;
    const cudaError_t code =
        cudaMallocFromPoolAsync(&memory, bytes ? bytes : 1, cuda_of(device)->pool, cuda_of(device)->stream);
    if (code == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return nullptr;
    }
    cuda_check(code, "memory");
    return memory;
}

static void cuda_limit(cru_device *device, size_t bytes)
{
    cuda_state *s = cuda_of(device);
    cru_error err = {};
    cuda_check(cudaMemPoolDestroy(s->pool), "the memory pool");
    s->pool = nullptr;
    if (open_pool(s, bytes, &err) != CRU_OK) cru_panic(CRU_FAILED, "cuda: %s", err.text);
}

/* How large the block was is not known here; blocks are released when a context ends or a tape grows, which is rare. */
static void cuda_release(cru_device *device, void *memory)
{
    if (!memory) return;
    cuda_forget_all(device);
    cuda_check(cudaFreeAsync(memory, cuda_of(device)->stream), "memory");
}

/* Pinned memory for the next transfer; when it is still in use, waits for the transfer that uses it. */
static cuda_staging *next_stage(cuda_state *s)
{
    cuda_staging *stage = &s->stage[s->next_stage];
    s->next_stage = (s->next_stage + 1) % CUDA_STAGES;
    if (stage->busy) cuda_check(cudaEventSynchronize(stage->done), "a transfer");
    stage->busy = false;
    return stage;
}

static void transfer(cuda_state *s, cuda_staging *stage, void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    cuda_check(cudaMemcpyAsync(to, from, bytes, kind, s->stream), "a transfer");
    cuda_check(cudaEventRecord(stage->done, s->stream), "a transfer");
    stage->busy = true;
}

static size_t piece(size_t bytes, size_t at)
{
    return bytes - at < CUDA_STAGE_BYTES ? bytes - at : CUDA_STAGE_BYTES;
}

/* Through pinned memory, in pieces: the copy goes on while the caller does, and may change what it handed over. */
static void cuda_upload(cru_device *device, void *to, const void *from, size_t bytes)
{
    cuda_state *s = cuda_of(device);
    cuda_forget(device, to, bytes);
    for (size_t at = 0; at < bytes; at += CUDA_STAGE_BYTES) {
        cuda_staging *stage = next_stage(s);
        std::memcpy(stage->memory, static_cast<const char *>(from) + at, piece(bytes, at));
        transfer(s, stage, static_cast<char *>(to) + at, stage->memory, piece(bytes, at), cudaMemcpyHostToDevice);
    }
}

/* And back: as many pieces under way as there is pinned memory, each copied out when it has arrived. */
static void cuda_download(cru_device *device, void *to, const void *from, size_t bytes)
{
    cuda_state *s = cuda_of(device);
    cuda_staging *under_way[CUDA_STAGES];
    for (size_t first = 0; first < bytes; first += CUDA_STAGES * CUDA_STAGE_BYTES) {
        int count = 0;
        for (size_t at = first; at < bytes && count < CUDA_STAGES; at += CUDA_STAGE_BYTES) {
            cuda_staging *stage = under_way[count++] = next_stage(s);
            transfer(s, stage, stage->memory, static_cast<const char *>(from) + at, piece(bytes, at),
                     cudaMemcpyDeviceToHost);
        }
        for (int i = 0; i < count; i++) {
            const size_t at = first + static_cast<size_t>(i) * CUDA_STAGE_BYTES;
            cuda_check(cudaEventSynchronize(under_way[i]->done), "the work before a download");
            under_way[i]->busy = false;
            std::memcpy(static_cast<char *>(to) + at, under_way[i]->memory, piece(bytes, at));
        }
    }
}

/* ---- the table ----------------------------------------------------------------------------------------------- */

const cru_backend cuda_table = {
    .size = sizeof(cru_backend),
    .name = CUDA_BACKEND_NAME,
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .release = cuda_release,
    .upload = cuda_upload,
    .download = cuda_download,
    .fill = cuda_fill,
    .unary = cuda_unary,
    .unary_grad = cuda_unary_grad,
    .binary = cuda_binary,
    .binary_grad = cuda_binary_grad,
    .reduce = cuda_reduce,
    .spread = cuda_spread,
    .softmax = cuda_softmax,
    .softmax_grad = cuda_softmax_grad,
    .gemm = cuda_gemm,
    .finish = cuda_finish,
    .finish_grad = cuda_finish_grad,
    .copy = cuda_copy,
    .permute = cuda_permute,
    .gather = cuda_gather,
    .scatter = cuda_scatter,
    .scatter_grad = cuda_scatter_grad,
    .take = cuda_take,
    .place = cuda_place,
    .spmm = cuda_spmm,
    .spmm_transposed = cuda_spmm_transposed,
    .select = cuda_select,
    .sddmm = cuda_sddmm,
    .edge = cuda_edge,
    .edge_sum = cuda_edge_sum,
    .edge_softmax = cuda_edge_softmax,
    .edge_softmax_grad = cuda_edge_softmax_grad,
    .dropout = cuda_dropout,
    .norm_stats = cuda_norm_stats,
    .norm = cuda_norm,
    .norm_grad = cuda_norm_grad,
    .xent = cuda_xent,
    .xent_grad = cuda_xent_grad,
    .topk = cuda_topk,
    .conv = cuda_conv,
    .conv_grad = cuda_conv_grad,
    .pool = cuda_pool,
    .pool_grad = cuda_pool_grad,
    .adam = cuda_adam,
    .sgd = cuda_sgd,
    .transpose = cuda_transpose,
    .limit = cuda_limit,
};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_BACKEND),
    .name = CUDA_BACKEND_NAME,
    .version = "1.0",
    .summary = CUDA_BACKEND_SUMMARY,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .vtable = &cuda_table,
};
