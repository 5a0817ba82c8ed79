// SPDX-License-Identifier: Apache-2.0
/* The emulated card: memory, transfers, launches. */
#include "emulation.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

#include <cuda_runtime.h>
#include <emulated-launch.h>

#include "sanitizer.h"

thread_local emulated_index threadIdx, blockIdx, blockDim, gridDim;

struct emulated_pool {
    size_t limit, in_use;
};

namespace
{

constexpr size_t region_bytes = size_t{4} << 30, line = 256, page = 4096;

struct block {
    size_t bytes, reserved; /* the latter with a gap behind it */
    emulated_pool *pool;
};

struct copy {
    void *to;
    const void *from;
    size_t bytes;
};

struct card {
    int count = 1;
    bool driver = true, old_driver = false, old_card = false, fail_next = false;
    size_t limit = region_bytes, in_use = 0, reached = 0;
    long waits = 0;
    cudaError_t last = cudaSuccess;
    char *region = nullptr;
    std::map<size_t, block> taken; /* by offset */
    std::map<char *, size_t> pinned;
    std::vector<copy> late;
};

/* For tests that run the program, which cannot call the functions of emulation.h. */
void read_environment(card *c)
{
    const char *cards = getenv("CUDA_EMULATED_CARDS"), *memory = getenv("CUDA_EMULATED_MEMORY_MIB");
    const char *fault = getenv("CUDA_EMULATED_FAULT");
    if (cards) c->count = atoi(cards);
    if (memory) c->limit = static_cast<size_t>(atoi(memory)) << 20;
    if (!fault) return;
    c->driver = strcmp(fault, "no-driver") != 0;
    c->old_driver = strcmp(fault, "old-driver") == 0;
    c->old_card = strcmp(fault, "old-card") == 0;
}

/* A line with the card that a process took. */
void log_card(int index)
{
    const char *path = getenv("CUDA_EMULATED_LOG");
    FILE *file = path ? fopen(path, "a") : nullptr;
    if (!file) return;
    fprintf(file, "card %d\n", index);
    fclose(file);
}

card &the_card()
{
    static card c;
    if (!c.region) {
        void *memory = mmap(nullptr, region_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) abort();
        c.region = static_cast<char *>(memory);
        read_environment(&c);
    }
    return c;
}

void open_region(bool open)
{
    card &c = the_card();
    if (c.reached > 0) mprotect(c.region, c.reached, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

cudaError_t fail(cudaError_t code)
{
    return the_card().last = code;
}

bool on_card(const void *memory, size_t bytes)
{
    const card &c = the_card();
    const char *const at = static_cast<const char *>(memory);
    return at >= c.region && at + bytes <= c.region + c.reached;
}

bool is_pinned(const void *memory, size_t bytes)
{
    const char *const at = static_cast<const char *>(memory);
    for (const auto &[start, size] : the_card().pinned)
        if (at >= start && at + bytes <= start + size) return true;
    return false;
}

/* What the stream holds back is done. */
void catch_up()
{
    card &c = the_card();
    if (c.late.empty()) return;
    open_region(true);
    for (const copy &l : c.late) memcpy(l.to, l.from, l.bytes);
    open_region(false);
    c.late.clear();
}

void wait()
{
    the_card().waits++;
    catch_up();
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
    card &c = the_card();
    c.limit = bytes < region_bytes ? bytes : region_bytes;
    if (c.limit < c.in_use) c.limit = c.in_use;
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
    log_card(index);
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
    wait();
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
    if (!the_card().late.empty()) wait();
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete reinterpret_cast<char *>(event);
    return cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *props)
{
    *pool = new emulated_pool{props->maxSize ? props->maxSize : SIZE_MAX, 0};
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void *)
{
    return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    delete pool;
    return cudaSuccess;
}

/* The first gap that is large enough. */
cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t)
{
    card &c = the_card();
    size_t at = 0;
    if (bytes > c.limit - c.in_use || bytes > pool->limit - pool->in_use) return fail(cudaErrorMemoryAllocation);
    const size_t reserved = (bytes + 2 * line - 1) / line * line;
    for (const auto &[offset, taken] : c.taken) {
        if (offset - at >= reserved) break;
        at = offset + taken.reserved;
    }
    if (at + reserved > region_bytes) return fail(cudaErrorMemoryAllocation);
    c.taken[at] = {bytes, reserved, pool};
    c.in_use += bytes;
    pool->in_use += bytes;
    if (at + reserved > c.reached) c.reached = (at + reserved + page - 1) / page * page;
    *memory = c.region + at;
    forbid(c.region + at, reserved);
    allow(c.region + at, bytes);
    open_region(true);
    memset(*memory, 0xff, bytes);
    open_region(false);
    return cudaSuccess;
}
cudaError_t cudaFreeAsync(void *memory, cudaStream_t)
{
    card &c = the_card();
    const auto found = c.taken.find(static_cast<size_t>(static_cast<char *>(memory) - c.region));
    if (found == c.taken.end()) return fail(cudaErrorInvalidValue);
    catch_up();
    c.in_use -= found->second.bytes;
    found->second.pool->in_use -= found->second.bytes;
    forbid(memory, found->second.reserved);
    c.taken.erase(found);
    return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
    *memory = malloc(bytes);
    if (!*memory) return fail(cudaErrorMemoryAllocation);
    the_card().pinned[static_cast<char *>(*memory)] = bytes;
    return cudaSuccess;
}
cudaError_t cudaFreeHost(void *memory)
{
    catch_up();
    the_card().pinned.erase(static_cast<char *>(memory));
    free(memory);
    return cudaSuccess;
}
/* Copies from and to ordinary memory, which a card does not do in the background, are refused. */
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, cudaStream_t)
{
    const bool up = kind == cudaMemcpyHostToDevice;
    if (!on_card(up ? to : from, bytes) || !is_pinned(up ? from : to, bytes)) return fail(cudaErrorInvalidValue);
    the_card().late.push_back({to, from, bytes});
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
    catch_up();
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
    fiber mark;
    bool over = false;
};

struct running_block {
    std::vector<coroutine> threads;
    const std::function<void()> *body;
    ucontext_t scheduler;
    fiber mark; /* of the scheduler */
    unsigned now;
};
thread_local running_block *running = nullptr;

/* From the running thread back to the scheduler; returns when the thread goes on. */
void give_way(running_block *b)
{
    coroutine &c = b->threads[b->now];
    fiber_leave(c.over ? nullptr : &c.mark, b->mark);
    swapcontext(&c.context, &b->scheduler);
    fiber_enter(&c.mark, nullptr);
}

void run_thread()
{
    running_block *b = running;
    fiber_enter(nullptr, &b->mark);
    (*b->body)();
    b->threads[b->now].over = true;
    give_way(b);
}

} // namespace

void __syncthreads()
{
    give_way(running);
}

void emulated_block(unsigned threads, const std::function<void()> &thread)
{
    static thread_local running_block b;
    constexpr size_t stack_bytes = 32 << 10;
    b.threads.resize(threads);
    b.body = &thread;
    running = &b;
    for (coroutine &c : b.threads) {
        c.over = false;
        c.stack.resize(stack_bytes);
        getcontext(&c.context);
        c.context.uc_stack = {c.stack.data(), 0, c.stack.size()};
        c.context.uc_link = nullptr;
        c.mark = {nullptr, c.stack.data(), c.stack.size()};
        makecontext(&c.context, run_thread, 0);
    }
    for (unsigned left = threads; left > 0;) {
        for (b.now = 0; b.now < threads; b.now++) {
            if (b.threads[b.now].over) continue;
            threadIdx = {b.now, 0, 0};
            fiber_leave(&b.mark, b.threads[b.now].mark);
            swapcontext(&b.scheduler, &b.threads[b.now].context);
            fiber_enter(&b.mark, nullptr);
            if (b.threads[b.now].over) left--;
        }
    }
    running = nullptr;
}
