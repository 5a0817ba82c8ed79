// SPDX-License-Identifier: Apache-2.0
/* Uses `ms` milliseconds of processor time, for measuring what a trial costs besides its method. */
#include <time.h>

#include "algorithm-stub.h"

typedef struct settings {
    double ms;
    int64_t copy;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, ms, 1, 0, 1e6, "milliseconds of processor time"),
    CRU_INT(settings, copy, 0, 0, 1e6, "tells one trial from another"),
    CRU_END,
};

static double used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    const settings *s = ((const stub *)self)->settings;
    double end = used() + s->ms;
    while (used() < end) continue;
    return stub_fit(self, monitor);
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = fit, .predict = stub_predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "fit-spin",
    .version = "1.0",
    .summary = "for benchmarks",
    .problems = STUB_PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
