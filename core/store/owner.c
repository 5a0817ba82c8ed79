// SPDX-License-Identifier: Apache-2.0
/* owner.c: telling a live process from a dead one, also when its number was given to another. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/db.h"

/* Clock ticks between boot and the start of the process: field 22 of /proc/<pid>/stat, the 20th after the command name,
 * which is in parentheses and may itself hold spaces and parentheses. GONE: the process is dead and only waits for its
 * parent to notice; UNKNOWN: the file does not tell. */
enum { GONE = -1, UNKNOWN = -2 };

static int64_t start_of(int64_t pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    FILE *file = fopen(path, "r");
    if (!file) return UNKNOWN;
    size_t length = fread(line, 1, sizeof line - 1, file);
    fclose(file);
    line[length] = '\0';
    const char *field = strrchr(line, ')');
    if (field && (strncmp(field, ") Z", 3) == 0 || strncmp(field, ") X", 3) == 0)) return GONE;
    for (int i = 0; field && i < 20; i++) field = strchr(field + 1, ' ');
    int64_t start;
    return field && sscanf(field, "%" SCNd64, &start) == 1 ? start : UNKNOWN;
}

void store_owner_self(store_owner *owner)
{
    *owner = (store_owner){.pid = getpid()};
    owner->start = start_of(owner->pid);
    char space[64] = "", name[65] = "";
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    if (length < 0) length = 0;
    space[length] = '\0';
    gethostname(name, sizeof name - 1);
    snprintf(owner->host, sizeof owner->host, "%s %s", name, space);
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    if (!file) return;
    if (fgets(owner->boot, sizeof owner->boot, file)) owner->boot[strcspn(owner->boot, "\n")] = '\0';
    fclose(file);
}

/* A living process must not be taken for a dead one because /proc could not be read (no descriptor left, a mount option
 * that hides it): its trials would be run twice. Its lease ends in any case. */
bool owner_alive(const store_owner *owner, const store_owner *self)
{
    if (strcmp(owner->host, self->host) != 0) return true;
    if (strcmp(owner->boot, self->boot) != 0) return false;
    if (kill((pid_t)owner->pid, 0) != 0 && errno == ESRCH) return false;
    int64_t start = start_of(owner->pid);
    return start == UNKNOWN || owner->start == UNKNOWN || start == owner->start;
}
