// SPDX-License-Identifier: Apache-2.0
/* Reports `epochs` epochs on the dataset runner-secret. At epoch e it answers rightly for the items below
 * rows (1 - |e - peak| / epochs), so that every part of the data is best at `peak`. It keeps what it is told to keep,
 * can become surer with every epoch, so that its loss falls, and can leave by every wrong door. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "algorithm-stub.h"
#include "runner-secret.h"

enum { DOOR_NONE, DOOR_ABORT, DOOR_EXIT, DOOR_CLOSE, DOOR_STATUS, DOOR_PANIC, DOOR_BOMB, DOOR_KILL, DOOR_SCRATCH };
static const char *const doors[] = {"none",  "abort", "exit", "close",   "status",
                                    "panic", "bomb",  "kill", "scratch", NULL};

typedef struct settings {
    int64_t epochs, peak, door;
    bool print, surer;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, epochs, 10, 0, 1e6, "epochs"),
    CRU_INT(settings, peak, 4, 0, 1e6, "the best epoch"),
    CRU_CHOICE(settings, door, DOOR_NONE, doors, "how it leaves"),
    CRU_BOOL(settings, print, false, "say something on standard output and in the log"),
    CRU_BOOL(settings, surer, false, "answer with larger scores from epoch to epoch"),
    CRU_END,
};

static void answer(const stub *s, int64_t epoch, float *scores)
{
    const settings *set = s->settings;
    const cru_task *task = s->task;
    int64_t off = llabs((long long)(epoch - set->peak));
    const float sure = set->surer ? 1 + 0.01f * (float)epoch : 1;
    int64_t right = task->items - task->items * off / (set->epochs ? set->epochs : 1);
    for (int64_t i = 0; i < task->items; i++)
        for (int32_t k = 0; k < task->classes; k++) {
            int32_t choice =
                i % 97 < 97 * right / task->items ? secret_label(i) : (secret_label(i) + 1) % task->classes;
            scores[i * task->classes + k] = k == choice ? sure : 0.0f;
        }
}

static cru_status leave(stub *s, const settings *set)
{
    volatile char *volatile block;
    char path[4096];
    switch (set->door) {
    case DOOR_ABORT:
        abort();
    case DOOR_EXIT:
        exit(0);
    case DOOR_CLOSE:
        for (int fd = 3; fd < 64; fd++) close(fd);
        while (pause()) continue;
        break;
    case DOOR_STATUS:
        return CRU_DIVERGED;
    case DOOR_PANIC:
        cru_panic(CRU_FAILED, "shapes 3x4 and 5x6");
    case DOOR_BOMB: /* never looks at what malloc returns */
        while ((block = malloc(1 << 20))) memset((char *)(uintptr_t)block, 1, 1 << 20);
        block[64] = 1;
        break;
    case DOOR_KILL:
        if (kill(getppid(), 9) != 0) return cru_ctx_fail(s->ctx, CRU_FAILED, "killing is forbidden");
        break;
    case DOOR_SCRATCH:
        snprintf(path, sizeof path, "%s/file", getenv("TMPDIR"));
        FILE *file = fopen(path, "w+");
        if (!file || fputs("text", file) < 0 || fclose(file) != 0 || unlink(path) != 0)
            return cru_ctx_fail(s->ctx, CRU_FAILED, "no scratch folder");
        break;
    default:
        break;
    }
    return CRU_OK;
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    const settings *set = s->settings;
    int64_t count = s->task->items * s->task->classes, limit = cru_monitor_limit(monitor);
    float *now = cru_ctx_alloc(s->ctx, count, sizeof *now);
    bool kept = false;
    if (set->print) {
        puts("printed");
        fflush(stdout);
        cru_ctx_log(s->ctx, "logged");
    }
    for (int64_t e = 0; e < set->epochs && e < limit; e++) {
        answer(s, e, now);
        uint32_t verdict = cru_monitor_epoch(monitor, e, 1.0 / (double)(e + 1), now);
        if (verdict & CRU_KEEP) memcpy(s->scores, now, (size_t)count * sizeof *now);
        kept |= verdict & CRU_KEEP;
        if (verdict & CRU_STOP) break;
    }
    if (!kept) memcpy(s->scores, now, (size_t)count * sizeof *now);
    return leave(s, set);
}

/* Three columns: the item's number and two constants. */
static cru_status embed(void *self, const float **rows, int64_t *cols)
{
    stub *s = self;
    float *out = cru_ctx_alloc(s->ctx, 3 * s->task->items, sizeof *out);
    for (int64_t i = 0; i < s->task->items; i++) {
        out[3 * i] = (float)i;
        out[3 * i + 1] = 1;
        out[3 * i + 2] = 2;
    }
    *rows = out;
    *cols = 3;
    return CRU_OK;
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = fit, .predict = stub_predict, .embed = embed};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "runner-epochs",
    .version = "1.0",
    .summary = "trains for show",
    .problems = STUB_PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
