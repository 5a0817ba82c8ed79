// SPDX-License-Identifier: Apache-2.0
/* Memory, numbers and graphs for the cases. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/random.h>

#include "bench.h"

/* Blocks of a job form a list; the payload is device memory. */
typedef struct bench_block {
    struct bench_block *next;
    void *memory;
} bench_block;

void *bench_memory(bench_job *job, size_t bytes)
{
    bench_block *block = malloc(sizeof *block);
    void *memory = block ? cru_backend_cpu()->alloc(job->device, bytes) : NULL;
    if (!memory) {
        fprintf(stderr, "bench: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    memset(memory, 0, bytes);
    *block = (bench_block){job->blocks, memory};
    job->blocks = block;
    return memory;
}

void bench_job_free(bench_job *job)
{
    for (bench_block *b = job->blocks, *next; b; b = next) {
        next = b->next;
        cru_backend_cpu()->release(job->device, b->memory);
        free(b);
    }
    job->blocks = NULL;
}

float *bench_floats(bench_job *job, int64_t n)
{
    float *x = bench_memory(job, sizeof(float) * (size_t)n);
    cru_rng rng = cru_rng_stream(1, "bench", (uint64_t)n);
    cru_rng_fill_uniform(&rng, x, n, -1.0f, 1.0f);
    return x;
}

void bench_gather_phase(bench_job *job, double bytes, bench_gathered gathered, double flops)
{
    if (job->phases == BENCH_PHASES) {
        fprintf(stderr, "bench: more than %d phases\n", BENCH_PHASES);
        exit(1);
    }
    job->phase[job->phases].bytes = bytes + gathered.memory;
    job->phase[job->phases].cached = gathered.cached;
    job->phase[job->phases++].flops = flops;
}

void bench_phase(bench_job *job, double bytes, double flops)
{
    bench_gather_phase(job, bytes, (bench_gathered){0}, flops);
}

static int compare_descending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* What the system tells, as C libraries report all sockets' together. */
double bench_cache(int level)
{
    char path[100];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", level);
    FILE *file = fopen(path, "r");
    double kilobytes = 0;
    if (file && fscanf(file, "%lfK", &kilobytes) != 1) kilobytes = 0;
    if (file) fclose(file);
    return 1024 * kilobytes;
}

/* `uses` of each row, most used first: reads that a cache of so many bytes cannot spare. */
static double reads_beyond(const int64_t *uses, int64_t rows, double row_bytes, double cache)
{
    double reads = 0;
    for (int64_t i = 0; i < rows; i++) {
        const bool stays = (double)(i + 1) * row_bytes <= cache;
        reads += stays && uses[i] > 1 ? 1 : (double)uses[i];
    }
    return reads;
}

bench_gathered bench_gather(const cru_csr *a, double row_bytes)
{
    bench_job draft = {0};
    int64_t *uses = bench_memory(&draft, sizeof *uses * (size_t)a->cols);
    for (int64_t e = 0; e < cru_csr_nnz(a); e++) uses[a->ids[e]]++;
    qsort(uses, (size_t)a->cols, sizeof *uses, compare_descending);
    const bench_gathered bytes = {row_bytes * reads_beyond(uses, a->cols, row_bytes, bench_cache(3)),
                                  row_bytes * reads_beyond(uses, a->cols, row_bytes, bench_cache(2))};
    bench_job_free(&draft);
    return bytes;
}

static int compare_edges(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Sorted distinct (row, column) pairs as row << 32 | column: both directions of `edges` random pairs, and
 * self-loops. */
static int64_t draw_edges(uint64_t *pairs, int64_t nodes, int64_t edges)
{
    cru_rng rng = cru_rng_stream(2, "bench", (uint64_t)nodes);
    int64_t n = 0;
    for (int64_t v = 0; v < nodes; v++) pairs[n++] = (uint64_t)v << 32 | (uint64_t)v;
    for (int64_t i = 0; i < edges; i++) {
        /* One end favours low numbers, so degrees are skewed. */
        const double u = cru_rng_uniform(&rng);
        const uint64_t a = (uint64_t)((double)nodes * u * u * u), b = (uint64_t)cru_rng_below(&rng, nodes);
        pairs[n++] = a << 32 | b;
        pairs[n++] = b << 32 | a;
    }
    qsort(pairs, (size_t)n, sizeof *pairs, compare_edges);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || pairs[i] != pairs[i - 1]) pairs[kept++] = pairs[i];
    return kept;
}

cru_csr bench_graph(bench_job *job, const char *name)
{
    static const struct {
        const char *name;
        int64_t nodes, edges;
    } known[] = {{"cora", 2708, 5278}, {"photo", 7650, 119081}, {"arxiv", 169343, 1157799}};
    int64_t nodes = 0, edges = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0) nodes = known[i].nodes, edges = known[i].edges;
    bench_job draft = {0};
    uint64_t *pairs = bench_memory(&draft, sizeof(uint64_t) * (size_t)(nodes + 2 * edges));
    const int64_t nnz = draw_edges(pairs, nodes, edges);
    int64_t *offsets = bench_memory(job, sizeof(int64_t) * (size_t)(nodes + 1));
    int32_t *ids = bench_memory(job, sizeof(int32_t) * (size_t)nnz);
    float *values = bench_memory(job, sizeof(float) * (size_t)nnz);
    for (int64_t e = 0; e < nnz; e++) {
        offsets[(pairs[e] >> 32) + 1]++;
        ids[e] = (int32_t)(pairs[e] & 0xffffffff);
    }
    for (int64_t v = 0; v < nodes; v++) offsets[v + 1] += offsets[v];
    for (int64_t e = 0; e < nnz; e++) {
        const int64_t row = (int64_t)(pairs[e] >> 32), col = ids[e];
        const double degrees = (double)(offsets[row + 1] - offsets[row]) * (double)(offsets[col + 1] - offsets[col]);
        values[e] = (float)(1.0 / sqrt(degrees));
    }
    bench_job_free(&draft);
    return (cru_csr){nodes, nodes, offsets, ids, values};
}
