// SPDX-License-Identifier: Apache-2.0
/* Takes as much as it can get of something, and then waits to be stopped. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "algorithm-stub.h"

enum { THREADS, FILES, SCRATCH, MEMORY };
static const char *const things[] = {"threads", "files", "scratch", "memory", NULL};

typedef struct settings {
    int64_t thing;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, thing, THREADS, things, "what it takes"),
    CRU_END,
};

static void *wait_for_ever(void *unused)
{
    for (;;) sleep(1000); /* not pause(), which the sandbox refuses: a thousand threads would spin */
    return unused;
}

static void take_threads(void)
{
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int i = 0; i < 1000; i++)
        if (pthread_create(&thread, &small, wait_for_ever, NULL) != 0) break;
    wait_for_ever(NULL);
}

static void take_disk(void)
{
    char path[4200], block[65536] = "";
    for (int i = 0; i < 64; i++) {
        snprintf(path, sizeof path, "%s/%d", getenv("TMPDIR"), i);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        for (int k = 0; k < 16; k++)
            if (write(fd, block, sizeof block) < 0) break;
        close(fd);
    }
    wait_for_ever(NULL);
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    struct rlimit limit;
    int64_t thing = ((const settings *)s->settings)->thing, files = 0;
    if (thing == THREADS) take_threads();
    if (thing == SCRATCH) take_disk();
    while (thing == FILES && files < 5000 && open("/dev/null", O_RDONLY) >= 0) files++;
    if (files == 5000) return cru_ctx_fail(s->ctx, CRU_FAILED, "opened %ld files", (long)files);
    if (thing == MEMORY && (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY))
        return cru_ctx_fail(s->ctx, CRU_FAILED, "may have all memory");
    return stub_fit(self, monitor);
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = fit, .predict = stub_predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "hostile-greed",
    .version = "1.0",
    .summary = "takes what it can get",
    .problems = STUB_PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
