// SPDX-License-Identifier: Apache-2.0
/* Tries to learn of the truth from the judge: by asking for an opinion on scores of its own, or by looking where the
 * scores go for what the judge chose. */
#include <unistd.h>

#include "algorithm-stub.h"
#include "protocol/protocol.h"

enum { WAY_ASK, WAY_PEEK };
static const char *const ways[] = {"ask", "peek", NULL};

typedef struct settings {
    int64_t way;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, way, WAY_ASK, ways, "how it goes about it"),
    CRU_END,
};

/* Whatever is open may be the connection to the host. */
static void ask(void)
{
    worker_message m = {.type = WORKER_CHECKPOINT, .epoch = 1};
    char answer;
    for (int fd = 3; fd < 64; fd++)
        if (write(fd, &m, sizeof m) == (ssize_t)sizeof m && read(fd, &answer, 1) == 1) return;
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    const settings *set = s->settings;
    int64_t count = s->task->items * s->task->classes;
    for (int64_t i = 0; i < count; i++) s->scores[i] = 1;
    if (set->way == WAY_ASK) ask();
    cru_monitor_epoch(monitor, 0, 1, s->scores);
    cru_monitor_epoch(monitor, 1, 1, s->scores);
    return CRU_OK;
}

static cru_status predict(void *self, float *scores)
{
    stub *s = self;
    const settings *set = s->settings;
    int64_t count = s->task->items * s->task->classes;
    for (int64_t i = 0; set->way == WAY_PEEK && i < count; i++)
        if (scores[i] != 0) return cru_ctx_fail(s->ctx, CRU_FAILED, "found what the judge chose");
    return stub_predict(self, scores);
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = fit, .predict = predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "runner-asker",
    .version = "1.0",
    .summary = "asks the judge",
    .problems = STUB_PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
