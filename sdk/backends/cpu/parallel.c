// SPDX-License-Identifier: Apache-2.0
/* How work is shared among threads. All OpenMP of the backend is in this file. */
#include <omp.h>
#include <string.h>

#include "cpu.h"

enum { PARTS_PER_THREAD = 16 };

/* Part p of so many of a loop that has so many grains. */
static void run_part(const cpu_loop *loop, int64_t grains, int64_t p, int64_t parts)
{
    const int64_t begin = grains * p / parts * loop->grain, end = grains * (p + 1) / parts * loop->grain;
    loop->run(loop->task, begin, end < loop->items ? end : loop->items);
}

/* A part per thread, always the same one, so that it finds in its caches what it left there. Of long loops, which leave
 * nothing there, several, so that a thread that is held up delays the others by one part only. */
void cpu_for(const cru_device *device, const cpu_loop *loop)
{
    enum { MANY_GRAINS = 64 };
    if (loop->items <= 0) return;
    const int64_t grains = (loop->items + loop->grain - 1) / loop->grain;
    const int64_t threads = grains < device->threads ? grains : device->threads;
    if (threads <= 1) {
        loop->run(loop->task, 0, loop->items);
    } else if (grains < MANY_GRAINS * threads) {
#pragma omp parallel for num_threads((int)threads) schedule(static, 1)
        for (int64_t p = 0; p < threads; p++) run_part(loop, grains, p, threads);
    } else {
        const int64_t parts = PARTS_PER_THREAD * threads;
#pragma omp parallel for num_threads((int)threads) schedule(dynamic, 1)
        for (int64_t p = 0; p < parts; p++) run_part(loop, grains, p, parts);
    }
}

/* The first row at or after which at least `cost` has accumulated, counting one unit per row and one per entry. */
static int64_t row_at_cost(const cru_csr *a, int64_t cost)
{
    int64_t low = 0, high = a->rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a->offsets[middle] + middle < cost)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void cpu_for_rows(const cru_device *device, const cpu_row_loop *loop)
{
    const cru_csr *a = loop->a;
    if (a->rows <= 0) return;
    int64_t cost = cru_csr_nnz(a) + a->rows;
    /* Several parts per thread even out rows that hit the caches differently. */
    int64_t grains = cost * (loop->width + 1) / (2 * CPU_GRAIN_CHEAP);
    int64_t parts = device->threads > 1 ? PARTS_PER_THREAD * (int64_t)device->threads : 1;
    if (parts > grains) parts = grains;
    if (parts <= 1) {
        loop->run(loop->task, 0, a->rows);
        return;
    }
#pragma omp parallel for num_threads(device->threads) schedule(dynamic, 1)
    for (int64_t p = 0; p < parts; p++) {
        int64_t begin = row_at_cost(a, cost / parts * p);
        int64_t end = p + 1 < parts ? row_at_cost(a, cost / parts * (p + 1)) : a->rows;
        if (begin < end) loop->run(loop->task, begin, end);
    }
}

void cpu_each(const cru_device *device, const cpu_jobs *jobs)
{
    /* The number of threads is a property of the calling thread: set to one here, it reaches the libraries that the
     * jobs call, and nobody else. */
    int before = omp_get_max_threads();
    if (!jobs->parallel || jobs->jobs < 2 || device->threads < 2) {
        omp_set_num_threads(1);
        for (int64_t job = 0; job < jobs->jobs; job++) jobs->run(jobs->task, job, 0);
    } else {
#pragma omp parallel num_threads(device->threads)
        {
            omp_set_num_threads(1);
#pragma omp for schedule(dynamic, 1)
            for (int64_t job = 0; job < jobs->jobs; job++) jobs->run(jobs->task, job, omp_get_thread_num());
        }
    }
    omp_set_num_threads(before);
}

typedef struct block_task {
    const cpu_sums *sums;
    int64_t block; /* rows in a block */
    double *partial;
} block_task;

static void run_blocks(const void *task, int64_t begin, int64_t end)
{
    const block_task *t = task;
    const cpu_sums *s = t->sums;
    for (int64_t b = begin; b < end; b++) {
        int64_t last = (b + 1) * t->block < s->rows ? (b + 1) * t->block : s->rows;
        memset(t->partial + b * s->width, 0, sizeof(double) * (size_t)s->width);
        s->run(s->task, b * t->block, last, t->partial + b * s->width);
    }
}

void cpu_sum(cru_device *device, const cpu_sums *sums, double *total)
{
    enum { MOST_BLOCKS = 256 };
    int64_t block = cpu_grain(CPU_GRAIN_CHEAP / 2, sums->cost ? sums->cost : sums->width);
    if (block < sums->rows / MOST_BLOCKS) block = sums->rows / MOST_BLOCKS + 1;
    int64_t blocks = (sums->rows + block - 1) / block;
    memset(total, 0, sizeof(double) * (size_t)sums->width);
    if (blocks <= 1) {
        sums->run(sums->task, 0, sums->rows, total);
        return;
    }
    double *partial = cpu_scratch(device, CPU_SCRATCH_SUM, sizeof(double) * (size_t)(blocks * sums->width));
    block_task t = {sums, block, partial};
    cpu_for(device, &(cpu_loop){.items = blocks, .grain = 2, .run = run_blocks, .task = &t});
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t j = 0; j < sums->width; j++) total[j] += partial[b * sums->width + j];
}
