// SPDX-License-Identifier: Apache-2.0
/* Takes as much as it can get of something, and then waits to be stopped. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "algorithm-stub.h"
#include "protocol/protocol.h"

enum { THREADS, FILES, SCRATCH, MEMORY, NAMES, REMOVED, MAPPED, WORDS, POINTS };
static const char *const things[] = {"threads", "files",  "scratch", "memory", "names",
                                     "removed", "mapped", "words",   "points", NULL};

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

/* Files without a byte. */
static void take_names(void)
{
    char path[4200];
    for (int i = 0; i < 20000; i++) {
        snprintf(path, sizeof path, "%s/%d", getenv("TMPDIR"), i);
        close(open(path, O_WRONLY | O_CREAT, 0600));
    }
    wait_for_ever(NULL);
}

/* Files that no folder has, held open or in memory. */
static void take_disk_unseen(bool mapped)
{
    enum { SIZE = 1 << 20 };
    char path[4200];
    snprintf(path, sizeof path, "%s/file", getenv("TMPDIR"));
    for (int i = 0; i < 64; i++) {
        int fd = open(path, O_RDWR | O_CREAT, 0600);
        unlink(path);
        if (ftruncate(fd, SIZE) != 0) break;
        char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at == MAP_FAILED) break;
        memset(at, 'x', SIZE);
        if (mapped)
            close(fd);
        else
            munmap(at, SIZE);
    }
    wait_for_ever(NULL);
}

/* What it prints is in memory, and not in its own. */
static void take_log(void)
{
    static char block[1 << 20];
    for (int i = 0; i < 300; i++)
        if (write(STDOUT_FILENO, block, sizeof block) < 0) break;
    wait_for_ever(NULL);
}

/* Points of a curve that nobody asked for. */
static void tell_points(void)
{
    const worker_message m = {.type = WORKER_POINT, .epoch = 1};
    int socket = -1;
    for (int fd = 3; fd < 64 && socket < 0; fd++)
        if (write(fd, &m, sizeof m) == (ssize_t)sizeof m) socket = fd;
    for (int i = 1; i < 5000; i++)
        if (write(socket, &m, sizeof m) < 0) break;
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    struct rlimit limit;
    int64_t thing = ((const settings *)s->settings)->thing, files = 0;
    if (thing == THREADS) take_threads();
    if (thing == SCRATCH) take_disk();
    if (thing == NAMES) take_names();
    if (thing == REMOVED || thing == MAPPED) take_disk_unseen(thing == MAPPED);
    if (thing == WORDS) take_log();
    if (thing == POINTS) tell_points();
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
