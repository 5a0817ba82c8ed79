// SPDX-License-Identifier: Apache-2.0
#include "host/cores.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORES_MOST = 4096, GROUP_SIZE = 400 };

int32_t cores_of_text(const char *text)
{
    char *end;
    long count = text ? strtol(text, &end, 10) : 0;
    return text && end != text && !*end && count > 0 && count <= CORES_MOST ? (int32_t)count : 0;
}

int32_t cores_of_quota(const char *text)
{
    double most, period;
    if (sscanf(text, "%lf %lf", &most, &period) != 2 || most <= 0 || period <= 0) return 0;
    double count = most / period;
    int32_t whole = count < CORES_MOST ? (int32_t)count : CORES_MOST;
    return whole < count ? whole + 1 : whole;
}

static bool read_line(const char *path, char *line, size_t size)
{
    FILE *in = fopen(path, "r");
    bool good = in && fgets(line, (int)size, in);
    if (in) fclose(in);
    return good;
}

int64_t memory_of_limit(const char *text)
{
    char *end;
    errno = 0;
    long long bytes = strtoll(text, &end, 10);
    return end != text && (!*end || *end == '\n') && !errno && bytes > 0 ? bytes : 0;
}

/* ---- control groups -------------------------------------------------------------------------------------- */

#define GROUPS "/sys/fs/cgroup"

/* This process's group as /proc/self/cgroup has it: "0::/path" of version 2. A container sees its own as the root. */
static void own_group(char *group, size_t size)
{
    char line[GROUP_SIZE + 8];
    *group = 0;
    if (!read_line("/proc/self/cgroup", line, sizeof line) || strncmp(line, "0::/", 4) != 0) return;
    line[strcspn(line, "\n")] = 0;
    snprintf(group, size, "%.*s", (int)size - 1, line + 3);
}

static int64_t cores_limit(const char *text)
{
    return cores_of_quota(text);
}

/* A group is bound by those above it, too. */
static int64_t least_of(const char *root, const char *group, const char *name, int64_t (*limit)(const char *text))
{
    char path[PATH_MAX], line[100];
    int64_t least = 0;
    for (size_t length = strlen(group);; length--) {
        if (length && group[length] && group[length] != '/') continue; /* in the middle of a name */
        snprintf(path, sizeof path, "%s%.*s/%s", root, (int)length, group, name);
        int64_t most = read_line(path, line, sizeof line) ? limit(line) : 0;
        if (most && (!least || most < least)) least = most;
        if (!length) return least;
    }
}

int32_t cores_of_group(const char *root, const char *group)
{
    char line[100], quota[40], period[40], path[PATH_MAX];
    int32_t least = (int32_t)least_of(root, group, "cpu.max", cores_limit);
    if (least) return least;
    snprintf(path, sizeof path, "%s/cpu/cpu.cfs_quota_us", root);
    if (!read_line(path, quota, sizeof quota)) return 0;
    snprintf(path, sizeof path, "%s/cpu/cpu.cfs_period_us", root);
    if (!read_line(path, period, sizeof period)) return 0;
    snprintf(line, sizeof line, "%.*s %s", (int)strcspn(quota, "\n"), quota, period);
    return cores_of_quota(line);
}

int64_t memory_of_group(const char *root, const char *group)
{
    return least_of(root, group, "memory.max", memory_of_limit);
}

int64_t memory_usable(void)
{
    char group[GROUP_SIZE];
    int64_t machine = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    own_group(group, sizeof group);
    int64_t granted = memory_of_group(GROUPS, group);
    return granted && granted < machine ? granted : machine;
}

static int32_t smaller(int32_t a, int32_t b)
{
    return b > 0 && b < a ? b : a;
}

int32_t cores_usable(void)
{
    int32_t given = cores_of_text(getenv("SLURM_CPUS_PER_TASK"));
    if (given) return given;
    cpu_set_t set;
    char group[GROUP_SIZE];
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int32_t count = online > 0 && online <= CORES_MOST ? (int32_t)online : 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0) count = smaller(count, CPU_COUNT(&set));
    own_group(group, sizeof group);
    return smaller(count, cores_of_group(GROUPS, group));
}
