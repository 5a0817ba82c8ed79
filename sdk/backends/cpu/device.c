// SPDX-License-Identifier: Apache-2.0
/* Opening the CPU, its memory, and the choice of instruction set. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cpu.h"

typedef struct state {
    struct {
        void *memory;
        size_t bytes;
    } scratch[CPU_SCRATCH_COUNT];
    cpu_conv_cache *conv;
} state;

/* A library built for one machine (CRUCIBLE_KERNELS = native) holds one table. */
#if defined(CPU_ONLY_PORTABLE)
enum { HAS_PORTABLE = 1, HAS_AVX2 = 0, HAS_AVX512 = 0 };
#elif defined(CPU_ONLY_AVX2)
enum { HAS_PORTABLE = 0, HAS_AVX2 = 1, HAS_AVX512 = 0 };
#elif defined(CPU_ONLY_AVX512)
enum { HAS_PORTABLE = 0, HAS_AVX2 = 0, HAS_AVX512 = 1 };
#else
enum { HAS_PORTABLE = 1, HAS_AVX2 = 1, HAS_AVX512 = 1 };
#endif

const cru_backend *cru_cpu_backend_for(cpu_isa isa)
{
    switch (isa) {
    case CPU_PORTABLE:
        return HAS_PORTABLE ? &cpu_table_portable : NULL;
#if defined(__x86_64__)
    case CPU_AVX2:
        return HAS_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &cpu_table_avx2 : NULL;
    case CPU_AVX512:
        return HAS_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
                   ? &cpu_table_avx512
                   : NULL;
#endif
    default:
        return NULL;
    }
}

const cru_backend *cru_backend_cpu(void)
{
    const cru_backend *best = NULL;
    for (int isa = CPU_ISA_COUNT - 1; isa >= 0 && !best; isa--) best = cru_cpu_backend_for((cpu_isa)isa);
    cru_assert(best,
               "libcrucible was built with CRUCIBLE_KERNELS = native for another processor: build it here or with all");
    return best;
}

cru_status cpu_open(cru_device *device, int32_t index, int32_t threads, cru_error *err)
{
    if (index != 0) return cru_fail(err, CRU_BAD_INPUT, "cpu: no device %d, there is only device 0", index);
    if (threads < 0) return cru_fail(err, CRU_BAD_INPUT, "cpu: %d threads", threads);
    state *s = calloc(1, sizeof *s);
    if (!s) return cru_fail(err, CRU_NO_MEMORY, "cpu: no memory to open the device");
    *device = (cru_device){.state = s, .threads = threads ? threads : omp_get_num_procs()};
    return CRU_OK;
}

void cpu_close(cru_device *device)
{
    state *s = device->state;
    if (!s) return;
    for (int i = 0; i < CPU_SCRATCH_COUNT; i++) free(s->scratch[i].memory);
    cpu_conv_cache_destroy(s->conv);
    free(s);
    device->state = NULL;
}

/* Large blocks ask for huge pages: kernels that gather rows from all over a tensor would else spend much of their time
 * on looking up addresses. A refusal does no harm. */
void *cpu_alloc(cru_device *device, size_t bytes)
{
    enum { LINE = 64, HUGE_PAGE = 2 << 20 };
    (void)device;
    const size_t align = bytes >= 2 * HUGE_PAGE ? HUGE_PAGE : LINE;
    if (bytes > SIZE_MAX - align) return NULL;
    void *memory = aligned_alloc(align, bytes ? (bytes + align - 1) / align * align : align);
    if (memory && align == HUGE_PAGE) madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

void cpu_release(cru_device *device, void *memory)
{
    (void)device;
    free(memory);
}

void cpu_move(cru_device *device, void *to, const void *from, size_t bytes)
{
    (void)device;
    if (bytes) memcpy(to, from, bytes);
}

void *cpu_scratch(cru_device *device, cpu_slot slot, size_t bytes)
{
    state *s = device->state;
    if (bytes <= s->scratch[slot].bytes) return s->scratch[slot].memory;
    free(s->scratch[slot].memory);
    s->scratch[slot].bytes = 0;
    s->scratch[slot].memory = cpu_alloc(device, bytes);
    if (!s->scratch[slot].memory) cru_panic(CRU_NO_MEMORY, "cpu: no memory for %zu bytes of working space", bytes);
    s->scratch[slot].bytes = bytes;
    return s->scratch[slot].memory;
}

cpu_conv_cache **cpu_conv_cache_of(cru_device *device)
{
    return &((state *)device->state)->conv;
}
