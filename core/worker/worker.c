// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <crucible/backend.h>
#include <crucible/context.h>
#include <crucible/plugin.h>

#include "loader/loader.h"
#include "process/child.h"
#include "registry/wrapped.h"
#include "worker/crash.h"
#include "worker/sandbox.h"
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
    THREAD_MIB = 80,       /* addresses that glibc reserves for a thread: its heap and its stack */
    CPU_GRACE_SECONDS = 2, /* between SIGXCPU and SIGKILL */
};

static cru_status open_backend(const worker_job *job, const cru_backend **backend, cru_error *err)
{
    const cru_plugin *plugin;
    *backend = NULL;
    if (!job->backend) return CRU_OK;
    cru_status status = plugin_open(job->backend, CRU_KIND_BACKEND, job->backend_name, &plugin, err);
    if (!status) *backend = plugin->vtable;
    return status;
}

static param_table table_of(const cru_plugin *plugin)
{
    return (param_table){plugin->params, plugin->settings_size};
}

static bool wraps(const cru_plugin *plugin)
{
    const cru_algorithm *method = plugin->vtable;
    return method->size >= offsetof(cru_algorithm, flags) + sizeof method->flags && method->flags & CRU_ALGORITHM_WRAPS;
}

/* The settings that the host read, for the tables of the plugins as they are now. The table lives as long as the
 * process. */
static cru_status read_settings(const worker_job *job, const cru_plugin *plugin, const cru_plugin *inner,
                                cru_settings **out, cru_error *err)
{
    static const cru_param none[] = {CRU_END};
    cru_arena *arena = inner ? cru_arena_create() : NULL;
    const param_table table = arena ? wrapped_table(arena, table_of(plugin), table_of(inner)) : table_of(plugin);
    char *copy = inner && !arena ? NULL : strdup(job->settings), *cursor = NULL;
    *out = copy ? cru_settings_create(table.params ? table.params : none, table.size) : NULL;
    cru_status status = *out ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "no memory for the settings of %s", job->name);
    for (char *line = !status ? strtok_r(copy, "\n", &cursor) : NULL; line && !status;
         line = strtok_r(NULL, "\n", &cursor)) {
        char *value = strchr(line, '=');
        *value++ = 0;
        if (cru_settings_set(*out, line, value, NULL) != CRU_OK)
            status =
                cru_fail(err, CRU_BAD_INPUT, "its file has changed: it does not take %s = %s any more", line, value);
    }
    free(copy);
    return status;
}

static cru_status check_problem(const cru_plugin *plugin, const cru_task *task, cru_error *err)
{
    char can[PROBLEMS_TEXT_SIZE], is[PROBLEMS_TEXT_SIZE];
    if (!plugin || plugin->problems & (uint32_t)task->problem) return CRU_OK;
    return cru_fail(err, CRU_UNSUPPORTED, "%s handles %s, and this is %s", plugin->name,
                    problems_text(plugin->problems, can), problems_text((uint32_t)task->problem, is));
}

static cru_status open_method(const worker_job *job, const worker_language *language, const cru_plugin **plugin,
                              cru_error *err)
{
    if (!language) return plugin_open(job->plugin, CRU_KIND_ALGORITHM, job->name, plugin, err);
    cru_status status = language->open(job->plugin, plugin, err);
    return status ? status : plugin_accept(*plugin, CRU_KIND_ALGORITHM, job->name, err);
}

static cru_status run_method(training *t, const sandbox *box, const worker_language *language, cru_error *err)
{
    const worker_job *job = t->job;
    const cru_plugin *plugin, *inner = NULL;
    const cru_backend *backend = NULL;
    cru_status status = open_method(job, language, &plugin, err);
    if (!status && job->inner) status = plugin_open(job->inner, CRU_KIND_ALGORITHM, job->inner_name, &inner, err);
    if (!status) status = open_backend(job, &backend, err);
    if (!status && box) status = sandbox_seal(box, job->ruleset >= 0, err);
    /* a method that is no wrapper takes the layers alone (encoder-plugin.h) */
    const cru_plugin *wrapped = !status && inner && wraps(plugin) ? inner : NULL;
    if (!status) status = read_settings(job, plugin, wrapped, &t->settings, err);
    if (!status) status = check_problem(plugin, &t->task, err);
    if (!status) status = check_problem(wrapped, &t->task, err);
    if (status) return status;
    if (inner) t->inner.plugin = inner;
    if (wrapped)
        t->inner.settings = (const char *)cru_settings_struct(t->settings) + wrapped_start(plugin->settings_size);
    training_run(t, plugin, backend);
    return CRU_OK;
}

/* ---- the process ----------------------------------------------------------------------------------------- */

static void on_panic(void *user, cru_status status, const char *message)
{
    worker_message m = {
        .type = WORKER_OUTCOME, .share = SHARE_ALL, .outcome = status == CRU_NO_MEMORY ? STORE_OOM : STORE_CRASHED};
    snprintf(m.text, sizeof m.text, "%s", message);
    training_tell(user, &m);
    _exit(0);
}

static void limit(int what, rlim_t soft, rlim_t hard)
{
    setrlimit(what, &(struct rlimit){soft, hard});
}

/* Without a stream, whose buffer alone would cost a trial more than the rest of its limits. */
static rlim_t address_space(void)
{
    char line[128];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, line, sizeof line - 1) : -1;
    if (fd >= 0) close(fd);
    if (got <= 0) return 0;
    line[got] = 0;
    return (rlim_t)strtoul(line, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* The memory limit is on top of what the program and the task take anyway. */
static void set_limits(const worker_limits *l)
{
    rlim_t mib = (rlim_t)1 << 20;
    limit(RLIMIT_CORE, 0, 0);
    if (l->file > 0) limit(RLIMIT_FSIZE, (rlim_t)l->file * mib, (rlim_t)l->file * mib);
    if (l->descriptors > 0) limit(RLIMIT_NOFILE, (rlim_t)l->descriptors, (rlim_t)l->descriptors);
    if (l->cpu > 0) {
        rlim_t seconds = (rlim_t)ceil(l->cpu);
        limit(RLIMIT_CPU, seconds, seconds + CPU_GRACE_SECONDS);
    }
    if (l->memory > 0 && LIMIT_ADDRESSES) {
        rlim_t extra = l->threads > 1 ? (rlim_t)(l->threads - 1) * THREAD_MIB : 0;
        rlim_t bytes = address_space() + ((rlim_t)l->memory + extra) * mib;
        limit(RLIMIT_AS, bytes, bytes);
    }
}

CRU_NORETURN static void work(const worker_job *job, const nursery_job *how)
{
    cru_error err = {0};
    training t;
    const sandbox *box = job->sandbox ? how->tools : NULL;
    child_begin(how->parent, &(child_keep){.name = "crucible-trial", .fds = how->fds, .count = how->fd_count});
    dup2(job->log, STDOUT_FILENO);
    dup2(job->log, STDERR_FILENO);
    close(job->log);
    if (job->scratch) setenv("TMPDIR", job->scratch, 1);
    crash_install(job->socket);

    cru_status status = training_open(&t, job, false, &err);
    cru_panic_set_handler(on_panic, &t);
    close(job->task);
    for (int32_t i = 0; i < job->share_count; i++) close(job->shares[i].scores);
    set_limits(&job->limits);
    if (!status && box) status = sandbox_enter(box, job->ruleset, &err);
    if (!status) status = run_method(&t, box, how->user, &err);
    training_fail(&t, status, &err);
    training_report(&t);
    _exit(0);
}

void worker_run_here(const worker_job *job)
{
    cru_error err = {0};
    training t;
    cru_status status = training_open(&t, job, true, &err);
    if (!status) status = run_method(&t, NULL, NULL, &err);
    training_fail(&t, status, &err);
    training_report(&t);
    scores_unmap(t.shares[0].scores, &job->shape);
    if (t.mapping) cru_task_unmap(t.mapping);
    cru_settings_destroy(t.settings);
}

/* ---- orders ---------------------------------------------------------------------------------------------- */

/* The texts of a job, in the order in which they follow it; its files are socket, task, log, scores and the ruleset. */
enum { TEXTS = 8 };

static void texts_of(worker_job *job, const char **texts[TEXTS])
{
    const char **all[TEXTS] = {&job->plugin,   &job->name,    &job->inner,        &job->inner_name,
                               &job->settings, &job->backend, &job->backend_name, &job->scratch};
    memcpy(texts, all, sizeof all);
}

/* Both ends are the same program, so the struct travels as it is in memory. */
static unsigned char *encode(const worker_job *job, size_t *size)
{
    worker_job copy = *job;
    const char **texts[TEXTS];
    texts_of(&copy, texts);
    *size = sizeof copy;
    for (int i = 0; i < TEXTS; i++) *size += *texts[i] ? strlen(*texts[i]) + 1 : 0;
    unsigned char *bytes = malloc(*size), *at = bytes ? bytes + sizeof copy : NULL;
    for (int i = 0; bytes && i < TEXTS; i++) {
        if (!*texts[i]) continue;
        size_t length = strlen(*texts[i]) + 1;
        memcpy(at, *texts[i], length);
        *texts[i] = ""; /* there is one; where it is the receiver sees */
        at += length;
    }
    copy.trace = NULL;
    copy.trace_user = NULL;
    if (bytes) memcpy(bytes, &copy, sizeof copy);
    return bytes;
}

static void decode(const nursery_job *order, worker_job *job)
{
    const char **texts[TEXTS], *at = (const char *)order->bytes + sizeof *job;
    memcpy(job, order->bytes, sizeof *job);
    texts_of(job, texts);
    for (int i = 0; i < TEXTS; i++) {
        if (!*texts[i]) continue;
        *texts[i] = at;
        at += strlen(at) + 1;
    }
    const int *fd = order->fds;
    job->socket = *fd++;
    job->task = *fd++;
    job->log = *fd++;
    for (int32_t i = 0; i < job->share_count; i++) job->shares[i].scores = *fd++;
    job->ruleset = job->ruleset >= 0 ? *fd++ : -1;
}

/* oneDNN writes its kernels at the first product of a process, which takes longer than many a trial: here, once for all
 * workers. By one thread, since a process with others must not be forked. */
static void prepare_products(void)
{
    enum { SIDE = 64 };
    cru_ctx *ctx = cru_ctx_create(&(cru_ctx_options){.threads = 1});
    cru_device *cpu = cru_ctx_device(ctx);
    float *square = calloc(3 * SIDE * SIDE, sizeof *square);
    cru_gemm_args g = {.m = SIDE, .n = SIDE, .k = SIDE, .alpha = 1, .lda = SIDE, .ldb = SIDE, .ldc = SIDE};
    g.a = square;
    g.b = square ? square + SIDE * SIDE : NULL;
    g.c = square ? square + 2 * SIDE * SIDE : NULL;
    for (int kind = 0; square && kind < 4; kind++) {
        g.ta = kind & 1;
        g.tb = kind & 2;
        cpu->backend->gemm(cpu, &g);
    }
    free(square);
    cru_ctx_destroy(ctx);
}

static void *prepare(void)
{
    crash_prepare();
    plugin_open_prepare();
    prepare_products();
    return sandbox_prepare(SANDBOX_WORKER);
}

static void *prepare_language(void)
{
    crash_prepare();
    return sandbox_prepare(SANDBOX_WORKER);
}

static void follow(const nursery_job *order)
{
    worker_job job;
    decode(order, &job);
    work(&job, order);
}

const nursery_trade worker_trade = {.prepare = prepare, .follow = follow};

nursery_trade worker_trade_in(worker_language *language)
{
    return (nursery_trade){.prepare = prepare_language, .follow = follow, .user = language};
}

cru_status worker_start(nursery *n, const worker_job *job, pid_t *pid, cru_error *err)
{
    int fds[NURSERY_FILES_MOST] = {job->socket, job->task, job->log}, count = 3;
    for (int32_t i = 0; i < job->share_count; i++) fds[count++] = job->shares[i].scores;
    if (job->ruleset >= 0) fds[count++] = job->ruleset;
    size_t size;
    unsigned char *bytes = encode(job, &size);
    *pid = 0;
    if (!bytes) return cru_fail(err, CRU_NO_MEMORY, "no memory to start a worker");
    cru_status status = nursery_start(
        n, &(nursery_order){.trade = WORKER_TRADE, .bytes = bytes, .size = size, .fds = fds, .fd_count = count}, pid,
        err);
    free(bytes);
    return status;
}
