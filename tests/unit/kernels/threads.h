// SPDX-License-Identifier: Apache-2.0
/* threads.h: every kernel that shares its work among threads gives the same bits with any number of them. The sizes are
 * such that there is something to share, which is checked as well; whether the numbers are right is the matter of the
 * other suites. Threads are an affair of the CPU. */
#ifndef TEST_KERNEL_THREADS_H
#define TEST_KERNEL_THREADS_H

#include <dirent.h>
#include <pthread.h>

#include <crucible/arena.h>
#include <crucible/random.h>

#include "kernels.h"

/* ---- material ------------------------------------------------------------------------------------------------ */

typedef struct work {
    kernel_call *call;
    const void *args;
    int64_t n; /* floats of output, which begin as random numbers */
} work;

typedef work maker(cru_arena *a);

static inline float *values(cru_arena *a, int64_t n)
{
    cru_rng rng = cru_rng_stream(11, "threads", (uint64_t)n);
    float *x = cru_arena_alloc(a, n, sizeof *x);
    for (int64_t i = 0; i < n; i++) x[i] = cru_rng_uniformf(&rng) - 0.5f;
    return x;
}

static inline int32_t *numbers(cru_arena *a, int64_t n, int64_t below)
{
    cru_rng rng = cru_rng_stream(12, "threads", (uint64_t)n);
    int32_t *ids = cru_arena_alloc(a, n, sizeof *ids);
    for (int64_t i = 0; i < n; i++) ids[i] = (int32_t)cru_rng_below(&rng, below);
    return ids;
}

/* Rows of very different lengths. */
static inline cru_csr graph(cru_arena *a, int64_t rows, int64_t cols)
{
    cru_csr made = random_csr(rows, cols, cols / 2);
    const int64_t nnz = cru_csr_nnz(&made);
    int64_t *offsets = cru_arena_alloc(a, rows + 1, sizeof *offsets);
    int32_t *ids = cru_arena_alloc(a, nnz, sizeof *ids);
    memcpy(offsets, made.offsets, sizeof *offsets * (size_t)(rows + 1));
    memcpy(ids, made.ids, sizeof *ids * (size_t)nnz);
    free_csr(&made);
    return (cru_csr){rows, cols, offsets, ids, values(a, nnz)};
}

static inline int64_t *backwards(cru_arena *a, int64_t n)
{
    int64_t *order = cru_arena_alloc(a, n, sizeof *order);
    for (int64_t i = 0; i < n; i++) order[i] = n - 1 - i;
    return order;
}

#define ARGS(type, ...) memcpy(cru_arena_alloc(a, 1, sizeof(type)), &(type){__VA_ARGS__}, sizeof(type))

/* A call of a kernel whose output is the member `to` of its arguments. */
#define CALL(kernel, type, to)                                                                                         \
    static void call_##kernel(const cru_backend *b, cru_device *device, const void *args, float *out)                  \
    {                                                                                                                  \
        type own = *(const type *)args;                                                                                \
        own.to = out;                                                                                                  \
        b->kernel(device, &own);                                                                                       \
    }

enum { N = 700001, ROWS = 9001, COLS = 67 }; /* COLS x ROWS: 603067 */

/* ---- the comparison ------------------------------------------------------------------------------------------ */

typedef struct shared_case {
    const char *name;
    maker *make;
} shared_case;

typedef struct run {
    const cru_backend *b;
    const work *w;
    int32_t threads;
    float *out;
    bool shared; /* written: other threads took part */
} run;

enum { MOST_TASKS = 256 };

static inline int tasks_of_process(long *id)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    ck_assert_ptr_nonnull(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) && count < MOST_TASKS;)
        if (entry->d_name[0] != '.') id[count++] = strtol(entry->d_name, NULL, 10);
    closedir(folder);
    return count;
}

/* On a thread of its own, which starts without helpers: those that it has afterwards were called for this kernel. */
static inline void *run_apart(void *user)
{
    run *r = user;
    long before[MOST_TASKS], after[MOST_TASKS];
    cru_device device;
    ck_assert_int_eq(r->b->open(&device, 0, r->threads, NULL), CRU_OK);
    const int known = tasks_of_process(before);
    r->w->call(r->b, &device, r->w->args, r->out);
    const int found = tasks_of_process(after);
    for (int i = 0; i < found; i++) {
        bool old = false;
        for (int k = 0; k < known; k++) old = old || before[k] == after[i];
        r->shared = r->shared || !old;
    }
    r->b->close(&device);
    return NULL;
}

static inline float *outcome(const cru_backend *b, const work *w, int32_t threads, bool *shared)
{
    cru_rng rng = cru_rng_stream(13, "threads", 0);
    run r = {.b = b, .w = w, .threads = threads, .out = floats(w->n)};
    for (int64_t i = 0; i < w->n; i++) r.out[i] = cru_rng_uniformf(&rng) - 0.5f;
    pthread_t apart;
    ck_assert_int_eq(pthread_create(&apart, NULL, run_apart, &r), 0);
    pthread_join(apart, NULL);
    *shared = r.shared;
    return r.out;
}

static inline void check_threads(const shared_case *c)
{
    static const int32_t threads[] = {2, 3, 7};
    if (test_device()) return;
    cru_arena *arena = cru_arena_create();
    const work w = c->make(arena);
    for (int isa = 0; isa < CPU_ISA_COUNT; isa++) {
        const cru_backend *b = cru_cpu_backend_for((cpu_isa)isa);
        bool shared;
        if (!b) continue;
        float *one = outcome(b, &w, 1, &shared);
        for (int64_t k = 0; k < COUNT(threads); k++) {
            float *more = outcome(b, &w, threads[k], &shared);
            ck_assert_msg(memcmp(one, more, sizeof *one * (size_t)w.n) == 0, "%s, table %d: other bits with %d threads",
                          c->name, isa, threads[k]);
#if !defined(__clang__) /* its runtime lends helpers from one thread to the next */
            ck_assert_msg(shared, "%s, table %d: too small to be shared by %d threads", c->name, isa, threads[k]);
#endif
            free(more);
        }
        free(one);
    }
    cru_arena_destroy(arena);
}

#endif
