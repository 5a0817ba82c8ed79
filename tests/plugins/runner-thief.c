// SPDX-License-Identifier: Apache-2.0
/* Looks for the true labels wherever it can: in its own memory, in that of its parent and of all other processes, in
 * files. Fails with a message that begins with "found" when it has them; `plant` puts them where it looks, to show that
 * it would find them. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "algorithm-stub.h"
#include "runner-secret.h"

enum { RUN = 64, CHUNK = 1 << 20 };

typedef struct settings {
    bool plant;
    const char *files;
    int64_t processes;
} settings;

static const cru_param schema[] = {
    CRU_BOOL(settings, plant, false, "keep a copy of the labels in memory"),
    CRU_STRING(settings, files, "", "files to open, with colons between them"),
    CRU_INT(settings, processes, 64, 0, 1e6, "processes before this one to look into"),
    CRU_END,
};

static bool has_secret(const int32_t *words, int64_t count)
{
    for (int64_t start = 0; start + RUN <= count; start++) {
        int64_t i = 0;
        while (i < RUN && words[start + i] == secret_label(i)) i++;
        if (i == RUN) return true;
    }
    return false;
}

/* Reads a stretch of a file in pieces that overlap by one run. */
static bool in_stretch(int fd, uint64_t from, uint64_t to, int32_t *buffer)
{
    uint64_t step = CHUNK - RUN * sizeof *buffer;
    for (uint64_t at = from; at < to; at += step) {
        size_t want = to - at < CHUNK ? (size_t)(to - at) : CHUNK;
        ssize_t n = pread(fd, buffer, want, (off_t)at);
        if (n <= 0) return false;
        if (has_secret(buffer, n / (ssize_t)sizeof *buffer)) return true;
    }
    return false;
}

/* The scan's own buffer holds pieces of what it reads and is left out. */
static bool in_process(const char *pid, int32_t *buffer)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%s/maps", pid);
    FILE *maps = fopen(path, "r");
    snprintf(path, sizeof path, "/proc/%s/mem", pid);
    int memory = open(path, O_RDONLY);
    bool found = false;
    uint64_t from, to, own = (uint64_t)(uintptr_t)buffer;
    while (maps && memory >= 0 && !found && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx r", &from, &to) == 2 && to - from < (UINT64_C(1) << 29) &&
            !(strcmp(pid, "self") == 0 && own >= from && own < to))
            found = in_stretch(memory, from, to, buffer);
    if (memory >= 0) close(memory);
    if (maps) fclose(maps);
    return found;
}

static bool in_file(const char *path, int32_t *buffer)
{
    int fd = open(path, O_RDONLY);
    if (fd < 0) return false;
    bool found = in_stretch(fd, 0, UINT64_C(1) << 40, buffer);
    close(fd);
    return found;
}

static cru_status look_in_files(stub *s, const char *list, int32_t *buffer)
{
    char names[4096], *rest;
    snprintf(names, sizeof names, "%s", list);
    for (char *name = strtok_r(names, ":", &rest); name; name = strtok_r(NULL, ":", &rest)) {
        int fd = open(name, O_RDONLY);
        if (fd < 0) continue;
        close(fd);
        if (in_file(name, buffer)) return cru_ctx_fail(s->ctx, CRU_FAILED, "found the labels in %s", name);
        return cru_ctx_fail(s->ctx, CRU_FAILED, "found %s readable", name);
    }
    return CRU_OK;
}

static cru_status look_in_processes(stub *s, int64_t count, int32_t *buffer)
{
    char pid[24];
    for (int64_t i = 1; i <= count && getpid() - i > 0; i++) {
        snprintf(pid, sizeof pid, "%ld", (long)(getpid() - i));
        if (in_process(pid, buffer))
            return cru_ctx_fail(s->ctx, CRU_FAILED, "found the labels in process -%ld", (long)i);
    }
    snprintf(pid, sizeof pid, "%d", (int)getppid());
    if (in_process(pid, buffer)) return cru_ctx_fail(s->ctx, CRU_FAILED, "found the labels in the parent");
    return CRU_OK;
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    const settings *set = s->settings;
    int32_t *copy = set->plant ? malloc(4 * RUN * sizeof *copy) : NULL;
    for (int64_t i = 0; copy && i < 4 * RUN; i++) copy[i] = secret_label(i);
    int32_t *buffer = aligned_alloc(4096, 4 * CHUNK); /* large: a mapping of its own */
    if (!buffer) return CRU_NO_MEMORY;
    cru_status status = CRU_OK;
    if (in_process("self", buffer)) status = cru_ctx_fail(s->ctx, CRU_FAILED, "found the labels in its own memory");
    if (status == CRU_OK) status = look_in_processes(s, set->processes, buffer);
    if (status == CRU_OK) status = look_in_files(s, set->files, buffer);
    free(buffer);
    free(copy);
    return status == CRU_OK ? stub_fit(self, monitor) : status;
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = stub_create, .fit = fit, .predict = stub_predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "runner-thief",
    .version = "1.0",
    .summary = "looks for the truth",
    .problems = STUB_PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
