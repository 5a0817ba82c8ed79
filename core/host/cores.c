// SPDX-License-Identifier: Apache-2.0
#include "host/cores.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CORES_MOST = 4096 };

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

/* The group's folder as /proc/self/cgroup has it: "0::/path" of version 2. A container sees its own as the root. */
static void group_path(char *path, size_t size)
{
    char line[400];
    snprintf(path, size, "/sys/fs/cgroup");
    if (!read_line("/proc/self/cgroup", line, sizeof line) || strncmp(line, "0::/", 4) != 0) return;
    line[strcspn(line, "\n")] = 0;
    snprintf(path, size, "/sys/fs/cgroup%s", line + 3);
}

/* A group is bound by those above it, too. */
static int32_t of_group(void)
{
    char folder[440], path[460], line[100], quota[40], period[40];
    int32_t least = 0;
    group_path(folder, sizeof folder);
    for (;;) {
        snprintf(path, sizeof path, "%s/cpu.max", folder);
        int32_t count = read_line(path, line, sizeof line) ? cores_of_quota(line) : 0;
        if (count && (!least || count < least)) least = count;
        if (strcmp(folder, "/sys/fs/cgroup") == 0) break;
        *strrchr(folder, '/') = 0;
    }
    if (least) return least;
    if (!read_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota, sizeof quota) ||
        !read_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, sizeof period))
        return 0;
    snprintf(line, sizeof line, "%.*s %s", (int)strcspn(quota, "\n"), quota, period);
    return cores_of_quota(line);
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
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int32_t count = online > 0 && online <= CORES_MOST ? (int32_t)online : 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0) count = smaller(count, CPU_COUNT(&set));
    return smaller(count, of_group());
}
