// SPDX-License-Identifier: Apache-2.0
/* Looks for the test half of runner-halves in its memory and in its open files: while it learns it must not be there,
 * afterwards it must. Then it is right about every node, because the feature tells which one it is. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "algorithm-stub.h"
#include "runner-halves.h"

enum { RUN = 64, CHUNK = 1 << 20, MOST_FILES = 64 };

/* The features of the test nodes, or the ids in their rows of the graph. */
static bool has_features(const int32_t *words)
{
    for (int64_t i = 0; i < RUN; i++) {
        float x = halves_feature(HALF + i);
        if (memcmp(words + i, &x, sizeof x) != 0) return false;
    }
    return true;
}

static bool has_edges(const int32_t *words, const int32_t *partners)
{
    return memcmp(words, partners, RUN * sizeof *words) == 0;
}

static bool in_stretch(int fd, uint64_t from, uint64_t to, int32_t *buffer)
{
    int32_t partners[HALF];
    for (int32_t i = 0; i < HALF; i++) partners[halves_partner(i) - HALF] = i;
    uint64_t step = CHUNK - RUN * sizeof *buffer;
    for (uint64_t at = from; at < to; at += step) {
        ssize_t n = pread(fd, buffer, to - at < CHUNK ? (size_t)(to - at) : CHUNK, (off_t)at);
        if (n <= 0) return false;
        for (ssize_t i = 0; i + RUN <= n / (ssize_t)sizeof *buffer; i++)
            if (has_features(buffer + i) || has_edges(buffer + i, partners)) return true;
    }
    return false;
}

/* The scan's own buffer and stack hold pieces of what it looks for and are left out. */
static bool in_memory(int32_t *buffer)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    int memory = open("/proc/self/mem", O_RDONLY);
    bool found = false;
    uint64_t from, to, own = (uint64_t)(uintptr_t)buffer, stack = (uint64_t)(uintptr_t)line;
    while (maps && memory >= 0 && !found && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx r", &from, &to) != 2 || to - from >= (UINT64_C(1) << 29)) continue;
        if ((own >= from && own < to) || (stack >= from && stack < to)) continue;
        found = in_stretch(memory, from, to, buffer);
    }
    if (memory >= 0) close(memory);
    if (maps) fclose(maps);
    return found;
}

static bool in_files(int32_t *buffer)
{
    for (int fd = 0; fd < MOST_FILES; fd++)
        if (in_stretch(fd, 0, UINT64_C(1) << 40, buffer)) return true;
    return false;
}

static cru_status look(stub *s, bool expected)
{
    int32_t *buffer = aligned_alloc(4096, 4 * CHUNK); /* large: a mapping of its own */
    if (!buffer) return CRU_NO_MEMORY;
    bool found = in_memory(buffer) || in_files(buffer);
    int memory = open("/proc/self/mem", O_RDONLY); /* not in a sandbox */
    bool sees = memory >= 0;
    if (sees) close(memory);
    free(buffer);
    if (found == expected || (expected && !sees)) return CRU_OK;
    return cru_ctx_fail(s->ctx, CRU_FAILED, found ? "found the test nodes while it learned" : "found no test nodes");
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    if (s->task->split.test.count)
        return cru_ctx_fail(s->ctx, CRU_FAILED, "found %ld test items", (long)s->task->split.test.count);
    cru_status status = look(s, false);
    return status == CRU_OK ? stub_fit(self, monitor) : status;
}

static cru_status widen(void *self, const cru_task *task)
{
    stub *s = self;
    s->task = task;
    s->scores = cru_ctx_alloc(s->ctx, task->items * task->classes, sizeof *s->scores);
    for (int64_t i = 0; i < task->items; i++) {
        int64_t node = (int64_t)((task->x.dense[i] - halves_feature(0)) / 1.25f);
        s->scores[i * task->classes + halves_label(node)] = 1;
    }
    return look(s, true);
}

STUB_ALGORITHM("runner-blind", CRU_NODES, .create = stub_create, .fit = fit, .predict = stub_predict, .widen = widen);
