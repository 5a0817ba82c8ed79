// SPDX-License-Identifier: Apache-2.0
/* Processor, memory, compiler, libraries. */
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <crucible/plugin.h>

#include "base/version.h"
#include "config/strings.h"
#include "doctor/doctor.h"

void doctor_note(doctor_report *report, doctor_state state, const char *topic, const char *detail, const char *advice)
{
    if (report->count == DOCTOR_FINDINGS_MAX) return;
    report->findings[report->count++] =
        (doctor_finding){state, topic, string_copy(report->memory, detail), state == DOCTOR_OK ? NULL : advice};
}

/* True when a folder of PATH holds the program. */
static bool in_path(const char *program)
{
    const char *path = getenv("PATH");
    char *copy = strdup(path ? path : ""), *rest = copy;
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":"));) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", folder, program);
        found = access(file, X_OK) == 0;
    }
    free(copy);
    return found;
}

static void note_compiler(doctor_report *report)
{
#ifdef __clang__
    const char *built_with = "clang " __clang_version__;
#else
    const char *built_with = "gcc " __VERSION__;
#endif
    bool found = in_path("cc") || in_path("gcc") || in_path("clang");
    doctor_note(report, found ? DOCTOR_OK : DOCTOR_WARN, "compiler",
                string_format(report->memory, "built with %s; %s", built_with,
                              found ? "a C compiler is there for plugins" : "no C compiler in PATH"),
                "to build plugins: apt install gcc");
}

static void note_processor(doctor_report *report)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    doctor_note(report, avx2 ? DOCTOR_OK : DOCTOR_WARN, "processor",
                avx512 ? "x86-64 with AVX-512"
                : avx2 ? "x86-64 with AVX2"
                       : "x86-64 without AVX2",
                "the portable kernels are used; expect several times the run time");
#else
    doctor_note(report, DOCTOR_WARN, "processor", "not x86-64", "the portable kernels are used");
#endif
}

static void note_threads(doctor_report *report)
{
    cpu_set_t set;
    int usable = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    doctor_note(report, DOCTOR_OK, "threads",
                string_format(report->memory, "%d usable of %ld", usable, sysconf(_SC_NPROCESSORS_ONLN)), NULL);
}

static void note_memory(doctor_report *report)
{
    const double page = (double)sysconf(_SC_PAGESIZE) / (1 << 30);
    double all = (double)sysconf(_SC_PHYS_PAGES) * page, available = (double)sysconf(_SC_AVPHYS_PAGES) * page;
    doctor_note(report, all >= 2 ? DOCTOR_OK : DOCTOR_WARN, "memory",
                string_format(report->memory, "%.1f GiB, %.1f free", all, available),
                "large datasets need more; run with --jobs 1");
}

void doctor_machine(doctor_report *report)
{
    doctor_note(report, DOCTOR_OK, "crucible",
                string_format(report->memory, "%s, plugin ABI %d.%d", host_version(), CRU_ABI_MAJOR, CRU_ABI_MINOR),
                NULL);
    note_compiler(report);
    note_processor(report);
    note_threads(report);
    note_memory(report);
}

/* Libraries are asked by name among those that the process has loaded, so that none has to be linked just for this. */
void doctor_libraries(doctor_report *report)
{
    static const struct {
        const char *name, *symbol;
    } speakers[] = {{"SQLite", "sqlite3_libversion"},
                    {"cJSON", "cJSON_Version"},
                    {"libcurl", "curl_version"},
                    {"zlib", "zlibVersion"},
                    {"libzip", "zip_libzip_version"}};
    for (size_t i = 0; i < sizeof speakers / sizeof *speakers; i++) {
        const char *(*version)(void);
        void *symbol = dlsym(RTLD_DEFAULT, speakers[i].symbol);
        if (!symbol) continue;
        memcpy(&version, &symbol, sizeof version);
        doctor_note(report, DOCTOR_OK, speakers[i].name, version(), NULL);
    }
    typedef struct dnnl_version_start {
        int major, minor, patch;
    } dnnl_version_start;
    const dnnl_version_start *(*version)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "dnnl_version");
    if (!symbol) return;
    memcpy(&version, &symbol, sizeof version);
    const dnnl_version_start *v = version();
    doctor_note(report, DOCTOR_OK, "oneDNN", string_format(report->memory, "%d.%d.%d", v->major, v->minor, v->patch),
                NULL);
}

/* A driver that answers shows itself in /proc; the toolkit is needed only to build the backend. */
void doctor_gpu(doctor_report *report)
{
    bool toolkit = in_path("nvcc") || access("/usr/local/cuda/bin/nvcc", X_OK) == 0;
    bool driver = access("/proc/driver/nvidia/version", R_OK) == 0;
    doctor_note(report, toolkit ? DOCTOR_OK : DOCTOR_MISSING, "CUDA toolkit", toolkit ? "nvcc found" : "no nvcc",
                "only for device = cuda: apt install nvidia-cuda-toolkit, then build again");
    doctor_note(report, driver ? DOCTOR_OK : DOCTOR_MISSING, "GPU",
                driver ? "NVIDIA driver loaded" : "no NVIDIA driver",
                "only for device = cuda: install the driver of the card");
}
