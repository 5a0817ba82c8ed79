// SPDX-License-Identifier: Apache-2.0
/* cpu.h: what the files of the CPU backend share.
 *
 * Kernels come in two kinds. Those whose inner loops gain from wide vectors are templates under simd/, compiled once
 * per instruction set into one backend table each; cru_backend_cpu picks a table by asking the processor. The rest
 * (convolution and general products on oneDNN, sorting, pooling, data movement) are ordinary files, the same in all
 * tables.
 *
 * Threads. A kernel is a function over a range of items; cpu_for and its relatives split the items. An item's result
 * never depends on the range it falls into, and sums over many items go through cpu_sum, whose blocks depend on the
 * shape only: that is how results stay bitwise the same for any number of threads. */
#ifndef CRUCIBLE_CPU_H
#define CRUCIBLE_CPU_H

#include <crucible/backend.h>

/* Floats that make a parallel region worth its start, streamed through cheap operations or through exponentials and the
 * like: some tens of microseconds. On an idle machine less would do; on a busy one every region risks waiting for a
 * thread that is not running. */
enum { CPU_GRAIN_CHEAP = 131072, CPU_GRAIN_MATH = 32768 };

typedef enum cpu_isa { CPU_PORTABLE, CPU_AVX2, CPU_AVX512, CPU_ISA_COUNT } cpu_isa;

/* The table for an instruction set, NULL when this processor lacks it. A device that it opens, and a context that is
 * given it, runs its kernels and no others. For tests and benchmarks. */
CRU_API const cru_backend *cru_cpu_backend_for(cpu_isa isa);

extern const cru_backend cpu_table_portable, cpu_table_avx2, cpu_table_avx512;

/* Memory that a kernel needs while it runs. Buffers only grow, so a training step that repeats allocates nothing. Each
 * slot is one buffer: a kernel may hold several slots, and cpu_sum uses CPU_SCRATCH_SUM. Panics when memory runs
 * out. */
typedef enum cpu_slot {
    CPU_SCRATCH_SUM,
    CPU_SCRATCH_RESULT,
    CPU_SCRATCH_SORT,
    CPU_SCRATCH_GEMM,
    CPU_SCRATCH_SPMM,
    CPU_SCRATCH_CONV,
    CPU_SCRATCH_WEIGHT,
    CPU_SCRATCH_COUNT
} cpu_slot;
void *cpu_scratch(cru_device *device, cpu_slot slot, size_t bytes);

typedef struct cpu_conv_cache cpu_conv_cache;
cpu_conv_cache **cpu_conv_cache_of(cru_device *device);
void cpu_conv_cache_destroy(cpu_conv_cache *cache);

/* Runs over [0, items) in ranges that start at multiples of `grain`; directly, without a parallel region, when there
 * is one grain or one thread. */
typedef void cpu_range(const void *task, int64_t begin, int64_t end);
typedef struct cpu_loop {
    int64_t items, grain;
    cpu_range *run;
    const void *task;
} cpu_loop;
void cpu_for(const cru_device *device, const cpu_loop *loop);

/* As cpu_for, over the rows of a CSR matrix, in ranges of about equal cost; `width` is the number of floats touched per
 * entry. */
typedef struct cpu_row_loop {
    const cru_csr *a;
    int64_t width;
    cpu_range *run;
    const void *task;
} cpu_row_loop;
void cpu_for_rows(const cru_device *device, const cpu_row_loop *loop);

/* Independent jobs of some size each, numbered 0 .. jobs-1; `thread` is below device->threads. Libraries called from a
 * job run single-threaded. */
typedef void cpu_job(const void *task, int64_t job, int32_t thread);
typedef struct cpu_jobs {
    int64_t jobs;
    bool parallel; /* false: the work is too small to share */
    cpu_job *run;
    const void *task;
} cpu_jobs;
void cpu_each(const cru_device *device, const cpu_jobs *jobs);

/* total[0 .. width) = sum over rows, in double, by blocks of rows whose size depends on rows, width and cost only;
 * `run` adds rows begin .. end to `sum`. */
typedef void cpu_sum_range(const void *task, int64_t begin, int64_t end, double *sum);
typedef struct cpu_sums {
    int64_t rows, width;
    cpu_sum_range *run;
    const void *task;
    int64_t cost; /* floats that a row is made of; 0: width */
} cpu_sums;
void cpu_sum(cru_device *device, const cpu_sums *sums, double *total);

/* How many items of `cost` floats each make a grain of `floats`; at least 1. */
static inline int64_t cpu_grain(int64_t floats, int64_t cost)
{
    return cost < floats ? floats / (cost > 0 ? cost : 1) : 1;
}

/* y = value, or y += value. -0 + v is v to the last bit, and so the value has one use, a sum: a product is contracted
 * with it by every compiler or by none (see `fused` in simd/elementary.h). */
static inline void cpu_store(float *y, float value, bool accumulate)
{
    *y = (accumulate ? *y : -0.0f) + value;
}

/* Kernels that are the same for every instruction set. */
void cpu_gemm(cru_device *device, const cru_gemm_args *args);
void cpu_copy(cru_device *device, const cru_copy_args *args);
void cpu_permute(cru_device *device, const cru_permute_args *args);
void cpu_gather(cru_device *device, const cru_gather_args *args);
void cpu_scatter(cru_device *device, const cru_scatter_args *args);
void cpu_scatter_grad(cru_device *device, const cru_scatter_grad_args *args);
void cpu_take(cru_device *device, const cru_take_args *args);
void cpu_place(cru_device *device, const cru_take_args *args);
void cpu_select(cru_device *device, const cru_select_args *args);
void cpu_topk(cru_device *device, const cru_topk_args *args);
void cpu_conv(cru_device *device, const cru_conv_args *args);
void cpu_conv_grad(cru_device *device, const cru_conv_grad_args *args);
void cpu_pool(cru_device *device, const cru_pool_args *args);
void cpu_pool_grad(cru_device *device, const cru_pool_grad_args *args);

/* Device memory is host memory. Which table the device is opened with is left to the table's own `open`. */
cru_status cpu_open(cru_device *device, int32_t index, int32_t threads, cru_error *err);
void cpu_close(cru_device *device);
void *cpu_alloc(cru_device *device, size_t bytes);
void cpu_release(cru_device *device, void *memory);
void cpu_move(cru_device *device, void *to, const void *from, size_t bytes);

#endif
