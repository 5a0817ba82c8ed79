#include "runner/worker.h"

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
#include "runner/child.h"
#include "runner/clock.h"
#include "runner/crash.h"
#include "runner/monitor.h"

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

typedef struct worker {
    const worker_job *job;
    bool here; /* in the host itself: nobody reads the socket before the method returns */
    cru_task task;
    void *mapping;
    cru_task whole; /* of an inductive trial, once it has learned */
    void *whole_mapping;
    float *scores;
    int64_t checkpoints;
    int64_t embedding_cols;
    double begun;
    double seconds_total; /* NAN until known */
    monitor watch;
} worker;

static double elapsed(void *user)
{
    const worker *w = user;
    return clock_now() - w->begun;
}

static void tell(const worker *w, const worker_message *message)
{
    ssize_t n;
    do n = write(w->job->socket, message, sizeof *message);
    while (n < 0 && errno == EINTR);
}

/* ---- the monitor's hooks --------------------------------------------------------------------------------- */

static void send_point(void *user, const monitor_point *point)
{
    tell(user,
         &(worker_message){.type = WORKER_POINT, .epoch = point->epoch, .loss = point->loss, .value = point->value});
}

/* Hands the scores to the judge and waits until it has looked at them. What it found stays with it. */
static void send_checkpoint(void *user, const monitor_point *point, const float *scores)
{
    worker *w = user;
    int64_t count = scores_count(&w->job->shape);
    char answer;
    ssize_t n;
    memcpy(w->scores + count, scores, (size_t)count * sizeof *scores);
    w->checkpoints++;
    tell(w, &(worker_message){.type = WORKER_CHECKPOINT, .epoch = point->epoch, .seconds = elapsed(w)});
    do n = read(w->job->socket, &answer, 1);
    while (n < 0 && errno == EINTR);
}

static void write_log(void *user, const char *line)
{
    (void)user;
    dprintf(STDERR_FILENO, "%s\n", line);
}

/* ---- the method ------------------------------------------------------------------------------------------ */

/* Puts the learned representation where a metric can see it. */
static cru_status hand_embedding(worker *w, const cru_algorithm *method, void *self, cru_ctx *ctx)
{
    const score_shape *shape = &w->job->shape;
    const float *rows = NULL;
    int64_t cols = 0;
    if (!shape->embedding || !method->embed) return CRU_OK;
    cru_status status = method->embed(self, &rows, &cols);
    if (status != CRU_OK) return status;
    if (!rows || cols < 1 || cols > shape->embedding)
        return cru_ctx_fail(ctx, CRU_UNSUPPORTED, "an embedding of %ld columns; 1 to %d can be judged", (long)cols,
                            (int)shape->embedding);
    memcpy(scores_embedding(w->scores, shape), rows, (size_t)(shape->items * cols) * sizeof *rows);
    w->embedding_cols = cols;
    return CRU_OK;
}

/* The test nodes come only now. From here on the task is the whole one. */
static cru_status widen(worker *w, const cru_algorithm *method, void *self, cru_ctx *ctx)
{
    int fd = -1;
    tell(w, &(worker_message){.type = WORKER_LEARNED});
    if (!descriptor_receive(w->job->socket, &fd))
        return cru_ctx_fail(ctx, CRU_FAILED, "the host did not send the whole task");
    cru_status status = cru_task_map(fd, &w->whole, &w->whole_mapping, cru_ctx_error(ctx));
    close(fd);
    if (status == CRU_OK) status = method->widen(self, &w->whole);
    return status;
}

static cru_status train(worker *w, const cru_algorithm *method, cru_ctx *ctx)
{
    void *self = NULL;
    cru_status status = method->create(&self, cru_settings_struct(w->job->settings), &w->task, ctx);
    if (status != CRU_OK) return status;

    /* Under the oracle rule the judge has put the chosen checkpoint in place; the last prediction goes beside it. */
    status = method->fit(self, &w->watch.face);
    if (status == CRU_OK && w->job->inductive) status = widen(w, method, self, ctx);
    float *target = w->scores + (w->checkpoints ? scores_count(&w->job->shape) : 0);
    if (status == CRU_OK) status = method->predict(self, target);
    w->seconds_total = elapsed(w);
    if (status == CRU_OK) status = hand_embedding(w, method, self, ctx);
    if (method->destroy) method->destroy(self);
    return status;
}

/* A method may fail without saying why, or say why and not fail. */
static cru_status settle(cru_status status, cru_ctx *ctx, cru_error *err)
{
    if (status == CRU_OK) status = cru_ctx_status(ctx);
    if (status == CRU_OK) return CRU_OK;
    const char *text = cru_ctx_error(ctx)->text;
    return cru_fail(err, status, "%s", *text ? text : cru_status_name(status));
}

static cru_status open_backend(const registry_entry *entry, const cru_backend **backend, cru_error *err)
{
    const cru_plugin *plugin;
    *backend = NULL;
    if (!entry) return CRU_OK;
    cru_status status = plugin_open(entry->path, CRU_KIND_BACKEND, entry->name, &plugin, err);
    if (status == CRU_OK) *backend = plugin->vtable;
    return status;
}

/* What goes with what: an answer from the host needs a host that listens, a checkpoint has a row for every item, and
 * what was learned without the test nodes must be carried over to them. */
static cru_status check_views(const worker *w, const cru_algorithm *method, cru_error *err)
{
    bool early = w->watch.settings.rule == MONITOR_ORACLE_EARLY;
    if (w->here && early) return cru_fail(err, CRU_UNSUPPORTED, "rule = oracle-early cannot be applied in process");
    if (!w->job->inductive) return CRU_OK;
    if (w->here) return cru_fail(err, CRU_UNSUPPORTED, "view = inductive cannot be applied in process");
    if (early)
        return cru_fail(err, CRU_UNSUPPORTED, "rule = oracle-early scores test items, which view = inductive hides");
    if (method->size < offsetof(cru_algorithm, widen) + sizeof method->widen || !method->widen)
        return cru_fail(err, CRU_UNSUPPORTED, "cannot learn inductively: it has no `widen`");
    return CRU_OK;
}

static cru_status run_under_rule(worker *w, const cru_algorithm *method, const cru_backend *backend, cru_error *err)
{
    const worker_job *job = w->job;
    w->begun = clock_now();
    cru_status status = monitor_open(&w->watch, job->rule, &w->task, err);
    if (status == CRU_OK) status = check_views(w, method, err);
    if (status == CRU_OK) {
        w->watch.hooks = (monitor_hooks){.record = job->run->curves && !w->here ? send_point : NULL,
                                         .checkpoint = send_checkpoint,
                                         .now = elapsed,
                                         .user = w};
        cru_ctx *ctx = cru_ctx_create(&(cru_ctx_options){.seed = job->trial->seed,
                                                         .backend = backend,
                                                         .device = job->card,
                                                         .threads = (int32_t)job->run->threads,
                                                         .log = write_log});
        cru_ctx_trace(ctx, job->trace, job->trace_user);
        status = settle(train(w, method, ctx), ctx, err);
        cru_ctx_destroy(ctx);
    }
    monitor_close(&w->watch);
    return status;
}

static cru_status run_method(worker *w, cru_error *err)
{
    const worker_job *job = w->job;
    const variant *a = job->trial->algorithm;
    const cru_plugin *plugin;
    const cru_backend *backend = NULL;
    cru_status status = plugin_open(a->plugin->path, CRU_KIND_ALGORITHM, a->name, &plugin, err);
    if (status == CRU_OK) status = open_backend(job->backend, &backend, err);
    if (status == CRU_OK && job->box) status = sandbox_seal(job->box, err);
    if (status != CRU_OK) return status;
    if (!(plugin->problems & (uint32_t)w->task.problem)) {
        char can[PROBLEMS_TEXT_SIZE], is[PROBLEMS_TEXT_SIZE];
        return cru_fail(err, CRU_UNSUPPORTED, "%s handles %s, and this is %s", a->name,
                        problems_text(plugin->problems, can), problems_text((uint32_t)w->task.problem, is));
    }
    return run_under_rule(w, plugin->vtable, backend, err);
}

static void report(worker *w, cru_status status, const cru_error *err)
{
    worker_message m = {.type = WORKER_OUTCOME, .outcome = STORE_FAILED, .validation = NAN, .best_epoch = -1};
    const monitor *watch = &w->watch;
    m.seconds_total = m.seconds_to_best = w->seconds_total;
    if (status == CRU_OK) {
        bool chosen = watch->best_epoch >= 0;
        m.outcome = STORE_OK;
        m.best_epoch = watch->best_epoch;
        m.embedding_cols = w->embedding_cols;
        if (chosen) m.seconds_to_best = watch->seconds_to_best;
        m.validation = monitor_final(watch, w->job->inductive ? &w->whole : &w->task, w->scores);
    } else {
        if (status == CRU_NO_MEMORY) m.outcome = STORE_OOM;
        snprintf(m.text, sizeof m.text, "%s", err->text);
    }
    tell(w, &m);
}

static cru_status map_inputs(worker *w, cru_error *err)
{
    cru_status status = cru_task_map(w->job->task, &w->task, &w->mapping, err);
    if (status != CRU_OK) return status;
    w->scores = scores_map(w->job->scores, &w->job->shape, true);
    return w->scores ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "cannot map the scores: %s", strerror(errno));
}

/* ---- the process ----------------------------------------------------------------------------------------- */

static void on_panic(void *user, cru_status status, const char *message)
{
    const worker *w = user;
    worker_message m = {.type = WORKER_OUTCOME,
                        .outcome = status == CRU_NO_MEMORY ? STORE_OOM : STORE_CRASHED,
                        .validation = NAN,
                        .best_epoch = -1};
    snprintf(m.text, sizeof m.text, "%s", message);
    tell(w, &m);
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
    worker w = {.job = job, .seconds_total = NAN};
    int kept[] = {job->socket, job->task, job->scores, job->box ? sandbox_fd(job->box) : -1};
    dup2(job->log, STDOUT_FILENO);
    dup2(job->log, STDERR_FILENO);
    child_begin((pid_t)parent,
                &(child_keep){.name = "crucible-trial", .fds = kept, .count = sizeof kept / sizeof *kept});
    if (job->scratch) setenv("TMPDIR", job->scratch, 1);
    cru_panic_set_handler(on_panic, &w);
    crash_install(job->socket);

    cru_status status = map_inputs(&w, &err);
    close(job->task);
    close(job->scores);
    set_limits(job->run);
    if (status == CRU_OK && job->box) status = sandbox_enter(job->box, &err);
    if (status == CRU_OK) status = run_method(&w, &err);
    report(&w, status, &err);
    _exit(0);
}

void worker_run_here(const worker_job *job)
{
    cru_error err = {0};
    worker w = {.job = job, .here = true, .seconds_total = NAN};
    cru_status status = map_inputs(&w, &err);
    if (status == CRU_OK) status = run_method(&w, &err);
    report(&w, status, &err);
    scores_unmap(w.scores, &job->shape);
    if (w.mapping) cru_task_unmap(w.mapping);
}
