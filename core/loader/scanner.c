// SPDX-License-Identifier: Apache-2.0
#include "loader/scanner.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "loader/inspect.h"
#include "loader/loader.h"
#include "process/child.h"
#include "python/interpreter.h"
#include "registry/codec.h"
#include "registry/copy.h"
#include "worker/sandbox-rules.h"
#include "worker/sandbox.h"
#include "worker/scratch.h"

/* What a child tells its parent: it announces each step, so that the parent knows which part of the work a silence or a
 * death belongs to. */
typedef enum step {
    STEP_LOADING = 1, /* constructors run next */
    STEP_READING,     /* loaded; its plugin struct is looked at next */
    STEP_DONE,        /* followed by the encoded entry */
    STEP_DONE_TODAY,  /* the same, but not for the cache */
} step;

typedef struct message {
    uint32_t step, size;
} message;

/* No honest description is longer. */
enum { ANSWER_MAX = 1 << 20, DATA_MIB = 2048 };

/* A script imports packages of hundreds of files, from a cold disk at times. */
enum { SCRIPT_SECONDS = 120 };

/* ---- in the child ------------------------------------------------------------------------------------------------ */

static bool tell(int fd, step reached, const bytes *answer)
{
    message head = {.step = reached, .size = answer ? (uint32_t)answer->size : 0};
    return write_all(fd, &head, sizeof head) && (!answer || write_all(fd, answer->data, answer->size));
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool scan_script(const char *path, int fd, scan_open *open)
{
    const cru_plugin *plugin;
    cru_error err = {0};
    registry_entry entry = {.name = file_name(path), .path = path};
    if (!tell(fd, STEP_LOADING, NULL)) return false;
    cru_status loaded = open(path, &plugin, &err);
    if (!tell(fd, STEP_READING, NULL)) return false;
    if (!loaded && plugin_check(plugin, &err) == CRU_OK) {
        entry = plugin_describe(plugin, path);
    } else {
        if (!loaded) plugin_identify(plugin, &entry);
        entry.broken = err.text;
    }
    bytes answer = {0};
    entry_encode(&answer, &entry);
    bool lasting = !loaded || loaded == CRU_BAD_INPUT;
    bool told = !answer.failed && tell(fd, lasting ? STEP_DONE : STEP_DONE_TODAY, &answer);
    free(answer.data);
    return told;
}

/* Files of an order: the pipe, then the ruleset if the kernel has one, for a script the one of its second lock. Its
 * bytes: seconds of processor time; the path; for a script the command that describes it, word by word. */
typedef struct scan_order {
    int64_t cpu_seconds;
    int32_t words;
    char path[];
} scan_order;

/* The interpreter goes on where scan_script begins. */
static void execute(const nursery_job *job)
{
    const scan_order *order = job->bytes;
    char *argv[INTERPRETER_ARGS + 1] = {NULL}, *word = (char *)(uintptr_t)order->path;
    cru_error err = {0};
    for (int i = 0; i < order->words && i < INTERPRETER_ARGS; i++) argv[i] = word += strlen(word) + 1;
    for (int i = 0; i < job->fd_count; i++) fcntl(job->fds[i], F_SETFD, i < 3 && i != 1 ? 0 : FD_CLOEXEC);
    setenv("PYTHONHASHSEED", "0", 1);
    if (sandbox_enter_interpreter(job->fd_count > 1 ? job->fds[1] : -1, &err) != CRU_OK) _exit(126);
    char pipe_text[16], rules_text[16], seconds_text[24];
    snprintf(pipe_text, sizeof pipe_text, "%d", job->fds[0]);
    snprintf(rules_text, sizeof rules_text, "%d", job->fd_count > 2 ? job->fds[2] : -1);
    snprintf(seconds_text, sizeof seconds_text, "%ld", (long)order->cpu_seconds);
    argv[order->words] = pipe_text;
    argv[order->words + 1] = rules_text;
    argv[order->words + 2] = seconds_text;
    argv[order->words + 3] = (char *)(uintptr_t)order->path;
    execv(argv[0], argv);
}

static void *prepare(void)
{
    plugin_open_prepare();
    return sandbox_prepare(SANDBOX_SCAN);
}

static void follow(const nursery_job *job)
{
    const scan_order *order = job->bytes;
    const int ruleset = job->fd_count > 1 ? job->fds[1] : -1;
    cru_error err = {0};
    child_begin(job->parent, &(child_keep){.name = "crucible-scan", .fds = job->fds, .count = job->fd_count});
    child_silence();
    if (order->words) {
        execute(job);
        _exit(127);
    }
    child_limit(
        &(child_limits){.cpu_seconds = order->cpu_seconds, .data_bytes = (int64_t)DATA_MIB << 20, .no_files = true});
    if (job->tools && sandbox_enter(job->tools, ruleset, &err) != CRU_OK) _exit(126);
    _exit(scan_script(order->path, job->fds[0], plugin_load) ? 0 : 1);
}

const nursery_trade scan_trade = {.prepare = prepare, .follow = follow};

/* ---- in the parent ----------------------------------------------------------------------------------------------- */

/* A conversation with one child. */
typedef struct listener {
    const scan_options *options;
    scan_job *job;
    step step;
    bytes heard;
    bool done;
    bool nonsense; /* the child said something that no scanner says */
} listener;

static bool decode_answer(listener *l, const unsigned char *data, size_t size)
{
    scan_job *job = l->job;
    reader r = {.at = data, .left = size};
    if (l->done || entry_decode(&r, l->options->memory, &job->entry) != CRU_OK || r.left) return false;
    if (strcmp(job->entry.path, job->path) != 0) return false;
    job->lasting = l->step == STEP_DONE;
    l->done = true;
    return true;
}

/* Takes whole messages from the front of what was heard. */
static void take_messages(listener *l)
{
    size_t at = 0;
    message head;
    while (!l->nonsense && l->heard.size - at >= sizeof head) {
        memcpy(&head, l->heard.data + at, sizeof head);
        if (head.step < STEP_LOADING || head.step > STEP_DONE_TODAY || head.size > ANSWER_MAX) l->nonsense = true;
        if (l->nonsense || l->heard.size - at - sizeof head < head.size) break;
        l->step = (step)head.step;
        if (head.step >= STEP_DONE && !decode_answer(l, l->heard.data + at + sizeof head, head.size))
            l->nonsense = true;
        at += sizeof head + head.size;
    }
    if (at) memmove(l->heard.data, l->heard.data + at, l->heard.size - at);
    l->heard.size -= at;
}

/* How a conversation ended without an answer. */
typedef struct ending {
    bool late;
    int wait_status;
} ending;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether something was there to read. */
static bool listen_once(listener *l, int fd)
{
    unsigned char buffer[65536];
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got <= 0) return false;
    bytes_put(&l->heard, buffer, (size_t)got);
    take_messages(l);
    return true;
}

/* The pipe alone does not tell the end: a child may close it and live on. */
static ending listen_to(listener *l, int fd, pid_t pid)
{
    nursery *n = l->options->nursery;
    nursery_end end = {0};
    bool open = true, late = false, over = false;
    double deadline = now() + l->options->hang_seconds;
    while (!l->nonsense && !l->heard.failed && !late && !over) {
        struct pollfd fds[] = {{.fd = open ? fd : -1, .events = POLLIN}, {.fd = nursery_fd(n), .events = POLLIN}};
        double left = nursery_has_ended(n) ? 0 : ceil(1e3 * (deadline - now()));
        poll(fds, 2, left < 0 ? 0 : left > 60000 ? 60000 : (int)left);
        if (fds[0].revents && (open = listen_once(l, fd))) deadline = now() + l->options->hang_seconds;
        if (fds[1].revents || nursery_has_ended(n)) over = (nursery_take(n, &end) && end.pid == pid) || nursery_gone(n);
        late = !over && !fds[0].revents && now() >= deadline;
    }
    while (over && open) open = listen_once(l, fd);
    if (!over) {
        nursery_kill(n, pid);
        nursery_await(n, pid, -1, &end);
    }
    return (ending){.late = late, .wait_status = end.status};
}

static cru_status describe_ending(const listener *l, ending end, cru_error *reason)
{
    const char *during = l->step == STEP_READING ? "while its plugin struct is read" : "while loading";
    char signal_name[SIGNAL_TEXT_SIZE];
    if (l->nonsense) return cru_fail(reason, CRU_BAD_INPUT, "writes to the scanner's pipe %s", during);
    if (end.late) return cru_fail(reason, CRU_BAD_INPUT, "hangs %s (%g s)", during, l->options->hang_seconds);
    if (WIFEXITED(end.wait_status))
        return cru_fail(reason, CRU_BAD_INPUT, "ends the process %s (exit code %d)", during,
                        WEXITSTATUS(end.wait_status));
    int number = WTERMSIG(end.wait_status);
    const char *does = number == SIGABRT ? "aborts" : number == SIGSEGV ? "segfaults" : "is killed";
    const char *hint = l->step == STEP_READING ? "; does its table of settings end with CRU_END?" : "";
    return cru_fail(reason, CRU_BAD_INPUT, "%s %s (%s)%s", does, during, signal_text(number, signal_name), hint);
}

static void mark_broken(const listener *l, ending end)
{
    cru_error reason = {0};
    describe_ending(l, end, &reason);
    scan_job *job = l->job;
    job->entry = (registry_entry){.name = file_name(job->path), .path = job->path};
    job->entry.broken = text_copy(l->options->memory, reason.text);
    job->lasting = !is_python(job->path); /* an interpreter may fail where the script does not */
}

/* How a file is described: what the process may open, and by which command where it is a script. */
typedef struct scan_way {
    int ruleset, second; /* -1: none */
    const char *argv[INTERPRETER_ARGS];
    int words;
} scan_way;

static cru_status start(const scan_options *options, const scan_job *job, const scan_way *way, int pipe_end, pid_t *pid,
                        cru_error *err)
{
    const size_t length = strlen(job->path) + 1;
    const int fds[] = {pipe_end, way->ruleset, way->second};
    size_t size = sizeof(scan_order) + length;
    for (int i = 0; i < way->words; i++) size += strlen(way->argv[i]) + 1;
    scan_order *order = calloc(1, size); /* its padding is sent as well */
    if (!order) return cru_fail(err, CRU_NO_MEMORY, "out of memory");
    order->cpu_seconds = (int64_t)ceil(options->hang_seconds) + 1;
    order->words = way->words;
    char *at = mempcpy(order->path, job->path, length);
    for (int i = 0; i < way->words; i++) at = stpcpy(at, way->argv[i]) + 1;
    const nursery_order wanted = {.trade = SCAN_TRADE,
                                  .bytes = order,
                                  .size = size,
                                  .fds = fds,
                                  .fd_count = way->ruleset < 0  ? 1
                                              : way->second < 0 ? 2
                                                                : 3};
    cru_status status = nursery_start(options->nursery, &wanted, pid, err);
    free(order);
    return status;
}

/* One process for one file: what a file does while it loads befalls no other. */
static cru_status scan_one(const scan_options *options, scan_job *job, const scan_way *way, cru_error *err)
{
    int ends[2];
    pid_t pid = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return cru_fail(err, CRU_FAILED, "cannot make a pipe: %s", strerror(errno));
    cru_status status = start(options, job, way, ends[1], &pid, err);
    close(ends[1]);
    if (!status) {
        ++*options->children;
        listener l = {.options = options, .job = job};
        ending end = listen_to(&l, ends[0], pid);
        if (nursery_gone(options->nursery))
            status = cru_fail(err, CRU_FAILED, "the process that starts scanners is gone");
        else if (l.heard.failed)
            status = cru_fail(err, CRU_NO_MEMORY, "out of memory");
        else if (!l.done || l.nonsense)
            mark_broken(&l, end);
        free(l.heard.data);
    }
    close(ends[0]);
    return status;
}

/* Neighbours share a folder, and with it the libraries that they may open. */
static bool same_folder(const char *a, const char *b)
{
    const size_t length = (size_t)(file_name(a) - a);
    return (size_t)(file_name(b) - b) == length && memcmp(a, b, length) == 0;
}

static cru_status scan_folder(const scan_options *options, scan_job *jobs, size_t count, cru_error *err)
{
    const char **plugins = calloc(count + 1, sizeof *plugins);
    sandbox_rules *rules = NULL;
    if (!plugins) return cru_fail(err, CRU_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) plugins[i] = jobs[i].path;
    cru_status status = rules_create(&(sandbox_files){.plugins = plugins, .libraries = true}, &rules, err);
    int ruleset = -1;
    if (!status) status = rules_make(rules, -1, &ruleset, err);
    for (size_t i = 0; i < count && !status; i++) {
        if (is_python(jobs[i].path)) continue;
        status = scan_one(options, &jobs[i], &(scan_way){.ruleset = ruleset, .second = -1}, err);
    }
    if (ruleset >= 0) close(ruleset);
    rules_destroy(rules);
    free(plugins);
    return status;
}

/* A machine without an interpreter has no such methods, and says so where one is asked for. */
static void no_interpreter(const scan_options *options, scan_job *job, const cru_error *why)
{
    job->entry = (registry_entry){.name = file_name(job->path), .path = job->path};
    job->entry.broken = text_copy(options->memory, why->text);
    job->lasting = false;
}

static cru_status scan_in_python(const scan_options *options, const interpreter *python, scan_job *job, cru_error *err)
{
    const char *scripts[] = {job->path, NULL};
    sandbox_rules *outer = NULL, *inner = NULL;
    scan_options patient = *options;
    scan_way way = {.ruleset = -1, .second = -1};
    const char *writable[] = {NULL, NULL};
    scratch imports = {0};
    cru_status status = scratch_make(&imports, err);
    if (status) return status;
    writable[0] = imports.path;
    way.words = interpreter_args(python, "scan", imports.path, way.argv);
    if (patient.hang_seconds < SCRIPT_SECONDS) patient.hang_seconds = SCRIPT_SECONDS;
    status = interpreter_rules(python, scripts, writable, 0, &outer, err);
    if (!status)
        status = rules_create(
            &(sandbox_files){
                .readable = python->readable, .modules = python->folders, .scripts = scripts, .libraries = true},
            &inner, err);
    if (!status) status = rules_make(outer, -1, &way.ruleset, err);
    if (!status) status = rules_make(inner, -1, &way.second, err);
    if (!status) status = scan_one(&patient, job, &way, err);
    if (way.ruleset >= 0) close(way.ruleset);
    if (way.second >= 0) close(way.second);
    rules_destroy(outer);
    rules_destroy(inner);
    scratch_remove(&imports);
    return status;
}

static cru_status scan_scripts(const scan_options *options, scan_job *jobs, size_t count, cru_error *err)
{
    interpreter python;
    cru_status status = CRU_OK, found = CRU_OK;
    cru_error why = {0};
    bool asked = false;
    for (size_t i = 0; i < count && !status; i++) {
        if (!is_python(jobs[i].path)) continue;
        if (!asked) found = interpreter_find(options->python, options->memory, &python, &why);
        asked = true;
        if (!found)
            status = scan_in_python(options, &python, &jobs[i], err);
        else
            no_interpreter(options, &jobs[i], &why);
    }
    return status;
}

cru_status scanner_run(const scan_options *options, scan_job *jobs, size_t count, cru_error *err)
{
    cru_status status = CRU_OK;
    for (size_t next = 0, alike; next < count && !status; next += alike) {
        for (alike = 1; next + alike < count && same_folder(jobs[next].path, jobs[next + alike].path);) alike++;
        status = scan_folder(options, jobs + next, alike, err);
    }
    return status ? status : scan_scripts(options, jobs, count, err);
}
