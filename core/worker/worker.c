// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <crucible/plugin.h>

#include "loader/loader.h"
#include "protocol/child.h"
#include "worker/crash.h"
#include "worker/training.h"

/* AddressSanitizer reserves terabytes of addresses, so there the memory limit cannot be set. */
#if defined(__SANITIZE_ADDRESS__)
#define LIMIT_ADDRESSES false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIMIT_ADDRESSES false
#else
#define LIMIT_ADDRESSES true
#endif
#else
#define LIMIT_ADDRESSES true
#endif

enum {
    FILE_LIMIT_MIB = 256,  /* largest file in the scratch folder, and largest log */
    THREAD_MIB = 80,       /* addresses that glibc reserves for a thread: its heap and its stack */
    CPU_GRACE_SECONDS = 2, /* between SIGXCPU and SIGKILL */
};

static cru_status open_backend(const registry_entry *entry, const cru_backend **backend, cru_error *err)
{
    const cru_plugin *plugin;
    *backend = NULL;
    if (!entry) return CRU_OK;
    cru_status status = plugin_open(entry->path, CRU_KIND_BACKEND, entry->name, &plugin, err);
    if (status == CRU_OK) *backend = plugin->vtable;
    return status;
}

static cru_status run_method(training *t, cru_error *err)
{
    const worker_job *job = t->job;
    const variant *a = job->trial->algorithm;
    const cru_plugin *plugin;
    const cru_backend *backend = NULL;
    cru_status status = plugin_open(a->plugin->path, CRU_KIND_ALGORITHM, a->name, &plugin, err);
    if (status == CRU_OK) status = open_backend(job->backend, &backend, err);
    if (status == CRU_OK && job->box) status = sandbox_seal(job->box, err);
    if (status != CRU_OK) return status;
    if (!(plugin->problems & (uint32_t)t->task.problem)) {
        char can[PROBLEMS_TEXT_SIZE], is[PROBLEMS_TEXT_SIZE];
        return cru_fail(err, CRU_UNSUPPORTED, "%s handles %s, and this is %s", a->name,
                        problems_text(plugin->problems, can), problems_text((uint32_t)t->task.problem, is));
    }
    training_run(t, plugin, backend);
    return CRU_OK;
}

/* ---- the process ----------------------------------------------------------------------------------------- */

static void on_panic(void *user, cru_status status, const char *message)
{
    worker_message m = {.type = WORKER_OUTCOME,
                        .share = SHARE_ALL,
                        .outcome = status == CRU_NO_MEMORY ? STORE_OOM : STORE_CRASHED,
                        .validation = NAN,
                        .best_epoch = -1};
    snprintf(m.text, sizeof m.text, "%s", message);
    training_tell(user, &m);
    _exit(0);
}

static void limit(int what, rlim_t soft, rlim_t hard)
{
    setrlimit(what, &(struct rlimit){soft, hard});
}

static rlim_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file) return 0;
    if (fscanf(file, "%lu", &pages) != 1) pages = 0;
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* The memory limit is on top of what the host program and the task take anyway. */
static void set_limits(const run_settings *run)
{
    rlim_t mib = (rlim_t)1 << 20, file = FILE_LIMIT_MIB * mib;
    limit(RLIMIT_CORE, 0, 0);
    limit(RLIMIT_FSIZE, file, file);
    if (run->cpu > 0) {
        rlim_t seconds = (rlim_t)ceil(run->cpu);
        limit(RLIMIT_CPU, seconds, seconds + CPU_GRACE_SECONDS);
    }
    if (run->memory > 0 && LIMIT_ADDRESSES) {
        rlim_t extra = run->threads > 1 ? (rlim_t)(run->threads - 1) * THREAD_MIB : 0;
        rlim_t bytes = address_space() + ((rlim_t)run->memory + extra) * mib;
        limit(RLIMIT_AS, bytes, bytes);
    }
}

void worker_main(const worker_job *job, int parent)
{
    cru_error err = {0};
    training t;
    int kept[CHILD_KEEP_MOST] = {job->socket, job->task, job->box ? sandbox_fd(job->box) : -1}, count = 3;
    for (int32_t i = 0; i < job->share_count; i++) kept[count++] = job->shares[i].scores;
    dup2(job->log, STDOUT_FILENO);
    dup2(job->log, STDERR_FILENO);
    child_begin((pid_t)parent, &(child_keep){.name = "crucible-trial", .fds = kept, .count = count});
    if (job->scratch) setenv("TMPDIR", job->scratch, 1);
    crash_install(job->socket);

    cru_status status = training_open(&t, job, false, &err);
    cru_panic_set_handler(on_panic, &t);
    close(job->task);
    for (int32_t i = 0; i < job->share_count; i++) close(job->shares[i].scores);
    set_limits(job->run);
    if (status == CRU_OK && job->box) status = sandbox_enter(job->box, &err);
    if (status == CRU_OK) status = run_method(&t, &err);
    training_fail(&t, status, &err);
    training_report(&t);
    _exit(0);
}

void worker_run_here(const worker_job *job)
{
    cru_error err = {0};
    training t;
    cru_status status = training_open(&t, job, true, &err);
    if (status == CRU_OK) status = run_method(&t, &err);
    training_fail(&t, status, &err);
    training_report(&t);
    scores_unmap(t.shares[0].scores, &job->shape);
    if (t.mapping) cru_task_unmap(t.mapping);
}
