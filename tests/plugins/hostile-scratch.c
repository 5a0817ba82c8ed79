// SPDX-License-Identifier: Apache-2.0
/* Leaves a letter in its scratch folder where it is hard to remove, and fails with "found" when it finds one there, or
 * when it can see the folder of another slot. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "algorithm-stub.h"

enum { DEPTH = 300 };

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return folder && count == 2;
}

/* Deeper than any path can be written, and in a folder that cannot be listed. */
static void leave(const char *path)
{
    char name[201];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    int at = open(path, O_RDONLY | O_DIRECTORY);
    mkdirat(at, "closed", 0300);
    int closed = openat(at, "closed/letter", O_WRONLY | O_CREAT, 0600);
    if (closed >= 0) close(closed);
    for (int i = 0; at >= 0 && i < DEPTH; i++) {
        int next = mkdirat(at, name, 0700) == 0 ? openat(at, name, O_RDONLY | O_DIRECTORY) : -1;
        close(at);
        at = next;
    }
    if (at >= 0) mkdirat(at, "letter", 0700);
    if (at >= 0) close(at);
}

/* As slots were once called. */
static bool sees_another(const char *path)
{
    char other[4200];
    struct stat info;
    const char *slash = strrchr(path, '/');
    for (int i = 0; i < 16; i++) {
        snprintf(other, sizeof other, "%.*s/%d", (int)(slash - path), path, i);
        if (strcmp(other, path) != 0 && stat(other, &info) == 0) return true;
    }
    snprintf(other, sizeof other, "%.*s", (int)(slash - path), path);
    return opendir(other) != NULL;
}

static cru_status fit(void *self, cru_monitor *monitor)
{
    stub *s = self;
    const char *path = getenv("TMPDIR");
    if (!path) return cru_ctx_fail(s->ctx, CRU_FAILED, "has no scratch folder");
    if (!is_empty(path)) return cru_ctx_fail(s->ctx, CRU_FAILED, "found a letter of another trial");
    if (sees_another(path)) return cru_ctx_fail(s->ctx, CRU_FAILED, "found the folder of another slot");
    leave(path);
    return stub_fit(self, monitor);
}

STUB_ALGORITHM("hostile-scratch", STUB_PROBLEMS, .create = stub_create, .fit = fit, .predict = stub_predict);
