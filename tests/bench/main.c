// SPDX-License-Identifier: Apache-2.0
/* Times cases on request, so that a driver can alternate them with the work of a peer. Reads commands, one a line:
 *
 *     list                    every case: name <tab> graph or "-"
 *     graph NAME FILE         writes a graph: rows and entries (int64), offsets (int64), ids (int32), values (float32)
 *     open THREADS NAME       prepares a case; answers with bytes out of memory, bytes out of the last
 *                             cache, and operations of its phases in turn
 *     time SECONDS            runs it for about so long; answers with the medians of elapsed and of
 *                             processor time, in nanoseconds
 *     close
 *     once                    runs the open case once; answers with the elapsed nanoseconds
 *     peak                    answers with the most memory this program has held, in bytes
 *     triad THREADS           answers with the bandwidth of a[i] = b[i] + s c[i] in bytes a second, by
 *                             elapsed time and by processor time a thread
 *     reread THREADS          the same of reading an array again that the last cache holds, every thread all of it
 *
 * and answers each with one line, an empty one after a list. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "bench.h"

static const bench_case *const tables[] = {bench_epochs, bench_operators, bench_axes, bench_large};

typedef struct session {
    cru_device device;
    bench_job job;
    bool open;
} session;

static double seconds_on(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_now(void)
{
    return seconds_on(CLOCK_MONOTONIC);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int64_t n)
{
    qsort(values, (size_t)n, sizeof *values, compare_doubles);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

typedef struct timing {
    double elapsed, processor; /* seconds */
} timing;

/* Medians over at least three runs, after one that is not counted. */
static timing time_job(session *s, double limit)
{
    enum { MOST = 10000 };
    static double elapsed[MOST], processor[MOST];
    s->job.run(&s->device, s->job.arg);
    const double start = seconds_now();
    int64_t n = 0;
    while (n < MOST && (n < 3 || seconds_now() - start < limit)) {
        const double begin = seconds_now(), used = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
        s->job.run(&s->device, s->job.arg);
        processor[n] = seconds_on(CLOCK_PROCESS_CPUTIME_ID) - used;
        elapsed[n++] = seconds_now() - begin;
    }
    return (timing){median(elapsed, n), median(processor, n)};
}

static void report_time(session *s, double limit)
{
    const timing t = time_job(s, limit);
    printf("%.0f %.0f\n", 1e9 * t.elapsed, 1e9 * t.processor);
}

static void report_once(session *s)
{
    const double begin = seconds_now();
    s->job.run(&s->device, s->job.arg);
    printf("%.0f\n", 1e9 * (seconds_now() - begin));
}

static void report_peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.0f\n", 1024.0 * (double)usage.ru_maxrss);
}

static const bench_case *find(const char *name)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const bench_case *c = tables[t]; c->name; c++)
            if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

static void close_job(session *s)
{
    if (!s->open) return;
    if (s->job.finish) s->job.finish(s->job.arg);
    bench_job_free(&s->job);
    s->device.backend->close(&s->device);
    s->open = false;
}

static void open_job(session *s, int threads, const char *name)
{
    const bench_case *c = find(name);
    close_job(s);
    if (!c || cru_backend_cpu()->open(&s->device, 0, threads, NULL) != CRU_OK) {
        printf("error no case %s\n", name);
        return;
    }
    s->job = (bench_job){.device = &s->device};
    c->setup(&s->job, c);
    s->open = true;
    for (int i = 0; i < s->job.phases; i++)
        printf("%s%.17g %.17g %.17g", i ? " " : "", s->job.phase[i].bytes, s->job.phase[i].cached,
               s->job.phase[i].flops);
    printf("\n");
}

static void list_cases(void)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const bench_case *c = tables[t]; c->name; c++) printf("%s\t%s\n", c->name, c->graph ? c->graph : "-");
    printf("\n");
}

static void write_graph(const char *name, const char *path)
{
    bench_job job = {0};
    const cru_csr a = bench_graph(&job, name);
    const int64_t nnz = cru_csr_nnz(&a), size[2] = {a.rows, nnz};
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(size, sizeof size, 1, file) == 1 &&
                fwrite(a.offsets, sizeof *a.offsets, (size_t)a.rows + 1, file) == (size_t)a.rows + 1 &&
                fwrite(a.ids, sizeof *a.ids, (size_t)nnz, file) == (size_t)nnz &&
                fwrite(a.values, sizeof *a.values, (size_t)nnz, file) == (size_t)nnz;
    if (file && fclose(file) != 0) good = false;
    bench_job_free(&job);
    printf(good ? "ok\n" : "error cannot write %s\n", path);
}

/* The best of several passes over arrays far larger than the caches. */
static void report_triad(int threads)
{
    const int64_t n = 1 << 25;
    bench_job job = {0};
    float *a = bench_memory(&job, sizeof(float) * (size_t)n), *b = bench_memory(&job, sizeof(float) * (size_t)n),
          *c = bench_memory(&job, sizeof(float) * (size_t)n);
    timing best = {1e30, 1e30};
    for (int pass = 0; pass < 6; pass++) {
        const double begin = seconds_now(), used = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
#pragma omp parallel for simd num_threads(threads) schedule(static)
        for (int64_t i = 0; i < n; i++) a[i] = b[i] + 0.5f * c[i];
        const timing t = {seconds_now() - begin, (seconds_on(CLOCK_PROCESS_CPUTIME_ID) - used) / threads};
        if (t.elapsed < best.elapsed) best.elapsed = t.elapsed;
        if (t.processor < best.processor) best.processor = t.processor;
    }
    bench_job_free(&job);
    const double bytes = 3 * sizeof(float) * (double)n;
    printf("%.0f %.0f\n", bytes / best.elapsed, bytes / best.processor);
}

/* Sums, so that nothing can be left out. */
static float read_again(const float *x, int64_t n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

/* The best of several passes, as for the triad. Larger than a core's own cache, a quarter of the last one; when there
 * is no such cache, memory answers. */
static void report_reread(int threads)
{
    const double size = bench_cache(3) / 4, most = 1 << 25, least = 4 * bench_cache(2);
    const int64_t n = (int64_t)((size < least ? least : size < most ? size : most) / sizeof(float));
    bench_job job = {0};
    float *x = bench_memory(&job, sizeof(float) * (size_t)n), sum = 0;
    timing best = {1e30, 1e30};
    for (int pass = 0; pass < 24; pass++) {
        const double begin = seconds_now(), used = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        sum += read_again(x, n);
        const timing t = {seconds_now() - begin, (seconds_on(CLOCK_PROCESS_CPUTIME_ID) - used) / threads};
        if (t.elapsed < best.elapsed) best.elapsed = t.elapsed;
        if (t.processor < best.processor) best.processor = t.processor;
    }
    bench_job_free(&job);
    const double bytes = threads * sizeof(float) * (double)n + (double)sum; /* x is zeros */
    printf("%.0f %.0f\n", bytes / best.elapsed, bytes / best.processor);
}

static void obey(session *s, const char *line)
{
    int threads;
    double seconds;
    char name[200], path[1000];
    if (strcmp(line, "list") == 0)
        list_cases();
    else if (sscanf(line, "graph %199s %999[^\n]", name, path) == 2)
        write_graph(name, path);
    else if (sscanf(line, "open %d %199[^\n]", &threads, name) == 2)
        open_job(s, threads, name);
    else if (sscanf(line, "time %lf", &seconds) == 1 && s->open)
        report_time(s, seconds);
    else if (strcmp(line, "once") == 0 && s->open)
        report_once(s);
    else if (strcmp(line, "peak") == 0)
        report_peak();
    else if (sscanf(line, "triad %d", &threads) == 1)
        report_triad(threads);
    else if (sscanf(line, "reread %d", &threads) == 1)
        report_reread(threads);
    else if (strcmp(line, "close") == 0)
        close_job(s), printf("ok\n");
    else
        printf("error what is \"%s\"?\n", line);
}

int main(void)
{
    session s = {0};
    char line[1300];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        obey(&s, line);
        fflush(stdout);
    }
    close_job(&s);
    return 0;
}
