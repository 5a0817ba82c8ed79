// SPDX-License-Identifier: Apache-2.0
/* bench.h: what a benchmark case is.
 *
 * A case has a name, which tools/bench also knows for the same work in PyTorch, and a `setup` that prepares a job: the
 * function to time, its argument, and the phases of the work. Memory from bench_memory lives until the job is closed.
 * To add a case: a line in a table of cases here, and a function of the same name in tests/bench/scripts/peers.py.
 *
 * A phase is a part of the work that must be over before the next one can start (a product of matrices, then a sum over
 * neighbours of its result). It needs at least max(bytes / bandwidth, operations / GEMM speed), and the whole job the
 * sum over its phases. Bytes are those that any implementation must move: out of memory every operand of the phase
 * once, and gathered rows again when they cannot have stayed in the last cache; out of the last cache, which has a
 * bandwidth of its own, every gathered row that cannot have stayed in a core's own cache (bench_gather). What can be
 * had for free, because it can be done while a value is in a register anyway (bias, activation, dropout, the
 * optimiser's few numbers), is not counted. */
#ifndef CRUCIBLE_BENCH_H
#define CRUCIBLE_BENCH_H

#include <crucible/backend.h>

enum { BENCH_PHASES = 16 };

typedef struct bench_job {
    cru_device *device;
    void (*run)(cru_device *device, void *arg);
    void *arg;
    struct {
        double bytes, cached, flops; /* cached: out of the last cache */
    } phase[BENCH_PHASES];
    int phases;
    void (*finish)(void *arg); /* NULL when memory from bench_memory is all there is */
    struct bench_block *blocks;
} bench_job;

typedef struct bench_case {
    const char *name;
    void (*setup)(bench_job *job, const struct bench_case *which);
    const char *graph; /* NULL: none */
    int64_t a, b, c;   /* sizes, as `setup` reads them */
} bench_case;

/* Zeroed; ends the program when there is no memory. */
void *bench_memory(bench_job *job, size_t bytes);

void bench_job_free(bench_job *job); /* what bench_memory gave */

/* Adds a phase: what it must move and compute. */
void bench_phase(bench_job *job, double bytes, double flops);

/* Bytes that reading rows by the ids of a matrix takes at least, where each cache is given to the rows that are used
 * most. */
typedef struct bench_gathered {
    double memory; /* each row once, and those beyond what the last cache holds every time */
    double cached; /* out of the last cache: the same for what a core's own cache holds */
} bench_gathered;
bench_gathered bench_gather(const cru_csr *a, double row_bytes);

/* As bench_phase, for a phase that gathers besides moving `bytes` in order. */
void bench_gather_phase(bench_job *job, double bytes, bench_gathered gathered, double flops);

/* Bytes of the cache of a level that a core sees, 0 when there is none. */
double bench_cache(int level);

/* n floats, uniform on [-1, 1). */
float *bench_floats(bench_job *job, int64_t n);

/* A random graph with the size of a known one ("cora", "photo", "arxiv"), symmetric, with self-loops and GCN weights;
 * always the same for a name. Degrees are skewed as in real graphs. */
cru_csr bench_graph(bench_job *job, const char *name);

/* Tables, each ended by a case without a name. */
extern const bench_case bench_operators[], bench_axes[], bench_epochs[], bench_large[];

#endif
