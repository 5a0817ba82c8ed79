// SPDX-License-Identifier: Apache-2.0
/* How kernel tests run: every instruction set this machine has, against an oracle; then with more threads, which must
 * give the same bits. On another device (on-device.h) that one instead. */
#ifndef TEST_KERNELS_H
#define TEST_KERNELS_H

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/backend.h>
#include <crucible/random.h>

#include "backends/cpu/cpu.h"
#include "on-device.h"

enum { TEST_BACKENDS_COUNT = CPU_ISA_COUNT };
static inline const cru_backend *test_backend(int index)
{
    if (!test_device()) return cru_cpu_backend_for((cpu_isa)index);
    return index == 0 ? staged_backend(test_device()) : NULL;
}

/* The one that a context takes when it is not told otherwise. */
static inline const cru_backend *default_backend(void)
{
    return test_device() ? test_backend(0) : cru_backend_cpu();
}

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof((array)[0])))

static const int64_t odd_sizes[] = {0, 1, 3, 15, 16, 17, 33, 64, 1000};

/* n floats; never NULL. */
static inline float *floats(int64_t n)
{
    return calloc((size_t)n + 1, sizeof(float));
}

static inline double *doubles(int64_t n)
{
    return calloc((size_t)n + 1, sizeof(double));
}

/* n floats, uniform on [lo, hi). */
static inline float *random_floats(int64_t n, float lo, float hi)
{
    static uint64_t index;
    cru_rng rng = cru_rng_stream(7, "test", index++);
    float *x = floats(n);
    for (int64_t i = 0; i < n; i++) x[i] = lo + (hi - lo) * cru_rng_uniformf(&rng);
    return x;
}

static inline int32_t *random_ids(int64_t n, int64_t below)
{
    cru_rng rng = cru_rng_stream(8, "test", (uint64_t)(n * 31 + below));
    int32_t *ids = calloc((size_t)n + 1, sizeof(int32_t));
    for (int64_t i = 0; i < n; i++) ids[i] = (int32_t)cru_rng_below(&rng, below);
    return ids;
}

/* rows x cols with rows of 0 to 6 entries, and one row with `longest`. Free offsets, ids and values. */
static inline cru_csr random_csr(int64_t rows, int64_t cols, int64_t longest)
{
    cru_rng rng = cru_rng_stream(9, "test", (uint64_t)(rows * 1009 + cols));
    int64_t *offsets = calloc((size_t)rows + 1, sizeof(int64_t));
    for (int64_t v = 0; v < rows; v++) {
        int64_t degree = v == rows / 2 ? longest : cru_rng_below(&rng, 7);
        offsets[v + 1] = offsets[v] + (degree < cols ? degree : cols);
    }
    int32_t *ids = calloc((size_t)offsets[rows] + 1, sizeof(int32_t));
    for (int64_t v = 0; v < rows; v++) {
        int64_t degree = offsets[v + 1] - offsets[v];
        for (int64_t i = 0; i < degree; i++) ids[offsets[v] + i] = (int32_t)(i * cols / degree);
    }
    return (cru_csr){rows, cols, offsets, ids, random_floats(offsets[rows], -1, 1)};
}

static inline void free_csr(cru_csr *a)
{
    free((void *)a->offsets);
    free((void *)a->ids);
    free((void *)a->values);
}

/* What is under test: calls one kernel of `b`, writing `n` floats to `out`, which holds `start` (or zeros) before. */
typedef void kernel_call(const cru_backend *b, cru_device *device, const void *args, float *out);

typedef struct kernel_check {
    const char *name;
    kernel_call *call;
    const void *args;
    int64_t n;
    const float *start; /* NULL: not-a-number, which must not survive */
    const double *want;
    double tolerance; /* absolute, or relative to a larger value */
} kernel_check;

static inline float *run_kernel(const kernel_check *c, const cru_backend *b, int32_t threads)
{
    cru_device device;
    cru_error err = {0};
    ck_assert_msg(b->open(&device, test_device_card(), threads, &err) == CRU_OK, "%s", err.text);
    float *out = floats(c->n);
    for (int64_t i = 0; i < c->n; i++) out[i] = c->start ? c->start[i] : NAN;
    c->call(b, &device, c->args, out);
    b->close(&device);
    return out;
}

static inline void check_kernel(const kernel_check *c)
{
    for (int index = 0; index < TEST_BACKENDS_COUNT; index++) {
        const cru_backend *b = test_backend(index);
        if (!b) continue;
        float *out = run_kernel(c, b, 1);
        for (int64_t i = 0; i < c->n; i++) {
            double limit = c->tolerance * fmax(1.0, fabs(c->want[i]));
            bool same = fabs((double)out[i] - c->want[i]) <= limit || (isnan(out[i]) && isnan(c->want[i])) ||
                        (double)out[i] == c->want[i];
            /* Check logs every assertion: one per element would be slow. */
            if (!same)
                ck_abort_msg("%s, backend %d, element %lld of %lld: %.9g, want %.9g", c->name, index, (long long)i,
                             (long long)c->n, (double)out[i], c->want[i]);
        }
        float *again = run_kernel(c, b, 3);
        ck_assert_msg(memcmp(out, again, sizeof(float) * (size_t)c->n) == 0, "%s: other bits with 3 threads", c->name);
        free(again);
        free(out);
    }
}

#endif
