/* The emulated card: memory, transfers, launches. */
#include "emulation.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

#include <cuda_runtime.h>
#include <emulated-launch.h>

thread_local emulated_index threadIdx, blockIdx, blockDim, gridDim;

namespace
{

constexpr size_t region_bytes = size_t{4} << 30, line = 256;

struct card {
    int count = 1;
    bool driver = true, old_driver = false, old_card = false, strict = false, fail_next = false;
    size_t limit = region_bytes, in_use = 0;
    long waits = 0;
    cudaError_t last = cudaSuccess;
    char *region = nullptr;
    std::map<size_t, size_t> taken; /* offset -> bytes, ascending */
};

card &the_card()
{
    static card c;
    if (!c.region) {
        void *memory =
            mmap(nullptr, region_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) abort();
        c.region = static_cast<char *>(memory);
    }
    return c;
}

void open_region(bool open)
{
    card &c = the_card();
    if (c.strict) mprotect(c.region, region_bytes, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

cudaError_t fail(cudaError_t code)
{
    return the_card().last = code;
}

} // namespace

/* ---- for tests ----------------------------------------------------------------------------------------------- */

void emulation_set_cards(int count)
{
    the_card().count = count;
}
void emulation_set_driver(bool there)
{
    the_card().driver = there;
}
void emulation_set_old_driver(bool old)
{
    the_card().old_driver = old;
}
void emulation_set_old_card(bool old)
{
    the_card().old_card = old;
}
void emulation_set_memory(size_t bytes)
{
    the_card().limit = bytes < region_bytes ? bytes : region_bytes;
}
void emulation_set_strict(bool strict)
{
    card &c = the_card();
    c.strict = strict;
    mprotect(c.region, region_bytes, strict ? PROT_NONE : PROT_READ | PROT_WRITE);
}
void emulation_fail_next_launch(void)
{
    the_card().fail_next = true;
}
size_t emulation_memory_in_use(void)
{
    return the_card().in_use;
}
long emulation_waits(void)
{
    return the_card().waits;
}

/* ---- the runtime --------------------------------------------------------------------------------------------- */

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = the_card().driver ? 13000 : 0;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *count)
{
    const card &c = the_card();
    *count = c.count;
    return c.old_driver ? cudaErrorInsufficientDriver : c.count ? cudaSuccess : cudaErrorNoDevice;
}
cudaError_t cudaSetDevice(int index)
{
    return index < the_card().count ? cudaSuccess : cudaErrorInvalidDevice;
}
cudaError_t cudaGetLastError()
{
    const cudaError_t code = the_card().last;
    the_card().last = cudaSuccess;
    return code;
}
const char *cudaGetErrorString(cudaError_t code)
{
    switch (code) {
    case cudaSuccess:
        return "no error";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInsufficientDriver:
        return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
        return "no CUDA-capable device is detected";
    case cudaErrorInvalidDevice:
        return "invalid device ordinal";
    case cudaErrorNoKernelImageForDevice:
        return "no kernel image is available for execution on the device";
    case cudaErrorLaunchFailure:
        return "unspecified launch failure";
    case cudaErrorInvalidValue:
        break;
    }
    return "invalid argument";
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    *stream = reinterpret_cast<cudaStream_t>(new char);
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    the_card().waits++;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    delete reinterpret_cast<char *>(stream);
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
    *event = reinterpret_cast<cudaEvent_t>(new char);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t)
{
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete reinterpret_cast<char *>(event);
    return cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *)
{
    *pool = reinterpret_cast<cudaMemPool_t>(new char);
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
    return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    delete reinterpret_cast<char *>(pool);
    return cudaSuccess;
}

/* The first gap that is large enough. */
cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t, cudaStream_t)
{
    card &c = the_card();
    const size_t size = (bytes + line - 1) / line * line;
    size_t at = 0;
    if (c.in_use + size > c.limit) return fail(cudaErrorMemoryAllocation);
    for (const auto &[offset, taken] : c.taken) {
        if (offset - at >= size) break;
        at = offset + taken;
    }
    if (at + size > region_bytes) return fail(cudaErrorMemoryAllocation);
    c.taken[at] = size;
    c.in_use += size;
    *memory = c.region + at;
    return cudaSuccess;
}
cudaError_t cudaFreeAsync(void *memory, cudaStream_t)
{
    card &c = the_card();
    const auto found = c.taken.find(static_cast<size_t>(static_cast<char *>(memory) - c.region));
    if (found == c.taken.end()) return fail(cudaErrorInvalidValue);
    c.in_use -= found->second;
    c.taken.erase(found);
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
    *memory = malloc(bytes);
    return *memory ? cudaSuccess : fail(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void *memory)
{
    free(memory);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t)
{
    open_region(true);
    memcpy(to, from, bytes);
    open_region(false);
    return cudaSuccess;
}

/* ---- launches ------------------------------------------------------------------------------------------------ */

bool emulated_begin()
{
    card &c = the_card();
    if (c.old_card) {
        fail(cudaErrorNoKernelImageForDevice);
        return false;
    }
    if (c.fail_next) {
        c.fail_next = false;
        fail(cudaErrorLaunchFailure);
        return false;
    }
    open_region(true);
    return true;
}

void emulated_end()
{
    open_region(false);
}

namespace
{

/* Threads of a block: each runs until its next barrier, then the next one does; after the last the first goes on. */
struct coroutine {
    ucontext_t context;
    std::vector<char> stack;
    bool over = false;
};

struct running_block {
    std::vector<coroutine> threads;
    const std::function<void()> *body;
    ucontext_t scheduler;
    unsigned now;
};
thread_local running_block *block = nullptr;

void run_thread()
{
    running_block *b = block;
    (*b->body)();
    b->threads[b->now].over = true;
    swapcontext(&b->threads[b->now].context, &b->scheduler);
}

} // namespace

void __syncthreads()
{
    running_block *b = block;
    swapcontext(&b->threads[b->now].context, &b->scheduler);
}

void emulated_block(unsigned threads, const std::function<void()> &thread)
{
    static thread_local running_block b;
    constexpr size_t stack_bytes = 32 << 10;
    b.threads.resize(threads);
    b.body = &thread;
    block = &b;
    for (coroutine &c : b.threads) {
        c.over = false;
        c.stack.resize(stack_bytes);
        getcontext(&c.context);
        c.context.uc_stack = {c.stack.data(), 0, c.stack.size()};
        c.context.uc_link = nullptr;
        makecontext(&c.context, run_thread, 0);
    }
    for (unsigned left = threads; left > 0;) {
        for (b.now = 0; b.now < threads; b.now++) {
            if (b.threads[b.now].over) continue;
            threadIdx = {b.now, 0, 0};
            swapcontext(&b.scheduler, &b.threads[b.now].context);
            if (b.threads[b.now].over) left--;
        }
    }
    block = nullptr;
}
