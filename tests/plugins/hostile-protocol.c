// SPDX-License-Identifier: Apache-2.0
/* Says more to the host than a worker of the program would: that it is done before it is; asks the judge about guess after
 * guess; asks for the hidden part of the task again and again; or looks for somebody else to talk to. */
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "algorithm-stub.h"
#include "protocol/protocol.h"

enum { EARLY, GUESS, AGAIN, OTHERS };
static const char *const ways[] = {"early", "guess", "again", "others", NULL};

typedef struct settings {
    int64_t way;
    double seconds;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, way, EARLY, ways, "what it says"),
    CRU_FLOAT(settings, seconds, 0.3, 0, 10, "early: processor time that it takes after its word"),
    CRU_END,
};

/* Whatever takes it is the connection to the host. */
static int say(const worker_message *m)
{
    for (int fd = 3; fd < 64; fd++)
        if (write(fd, m, sizeof *m) == (ssize_t)sizeof *m) return fd;
    return -1;
}

static void work_on(double seconds)
{
    clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    while (clock() < end) continue;
}

static void guess(void)
{
    const worker_message m = {.type = WORKER_CHECKPOINT, .epoch = 1};
    char answer;
    for (int i = 0; i < 1000; i++) {
        int fd = say(&m);
        if (fd < 0 || read(fd, &answer, 1) != 1) return;
    }
}

/* Sockets and files besides the standard streams and the connection: one to the parent of workers could order a worker
 * without a sandbox. */
static int count_others(void)
{
    int count = 0;
    for (int fd = 3; fd < 4096; fd++) count += fcntl(fd, F_GETFD) >= 0;
    return count - 1;
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    const settings *set = s->settings;
    const int others = set->way == OTHERS ? count_others() : 0;
    if (others) return cru_ctx_fail(s->ctx, CRU_FAILED, "has %d descriptors of others", others);
    if (set->way == EARLY) {
        say(&(worker_message){.type = WORKER_OUTCOME, .outcome = STORE_OK});
        work_on(set->seconds);
    }
    if (set->way == GUESS) guess();
    if (set->way == AGAIN) say(&(worker_message){.type = WORKER_LEARNED});
    return stub_fit(self, monitor);
}

static cru_status widen(void *self, const cru_task *task)
{
    stub *s = self;
    s->task = task;
    s->scores = cru_ctx_alloc(s->ctx, task->items * task->classes, sizeof *s->scores);
    return CRU_OK;
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = fit, .predict = stub_predict, .widen = widen};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "hostile-protocol",
    .version = "1.0",
    .summary = "says too much",
    .problems = STUB_PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
