// SPDX-License-Identifier: Apache-2.0
#include "store/environment.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/version.h"

/* The first "model name" of /proc/cpuinfo, which ARM machines lack; `text` keeps its contents then. */
static void read_cpu(char *text, size_t size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(text, size, "%s", colon + 2);
        break;
    }
    fclose(file);
}

char *environment_describe(const char *revision)
{
    char cpu[256] = "unknown";
    read_cpu(cpu, sizeof cpu);
    struct utsname system;
    if (uname(&system) != 0) memset(&system, 0, sizeof system);
    long long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    char *text;
    int length = asprintf(&text,
                          "cpu = %s\ncores = %ld\nmemory = %lld MiB\nsystem = %s %s %s\ncrucible = %s\nsqlite = %s\n"
                          "%s%s%s",
                          cpu, sysconf(_SC_NPROCESSORS_ONLN), pages * page >> 20, system.sysname, system.release,
                          system.machine, host_version(), sqlite3_libversion(), revision ? "revision = " : "",
                          revision ? revision : "", revision ? "\n" : "");
    return length < 0 ? NULL : text;
}
