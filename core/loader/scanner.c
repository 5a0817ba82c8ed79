// SPDX-License-Identifier: Apache-2.0
#include "loader/scanner.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "loader/inspect.h"
#include "process/child.h"
#include "registry/codec.h"
#include "registry/copy.h"

/* What a child tells its parent: it goes through its files in order and announces each step, so that the parent knows
 * which file, and which part of the work on it, a silence or a death belongs to. */
typedef enum step {
    STEP_LOADING = 1, /* constructors run next */
    STEP_READING,     /* loaded; its plugin struct is looked at next */
    STEP_DONE,        /* followed by the encoded entry */
    STEP_DONE_TODAY,  /* the same, but not for the cache */
} step;

typedef struct message {
    uint32_t step, size;
} message;

enum { ANSWER_MAX = 1 << 24 };

/* ---- in the child ------------------------------------------------------------------------------------------------ */

typedef struct batch {
    const scan_job *jobs;
    size_t count;
} batch;

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

static bool scan_file(const char *path, int fd)
{
    const cru_plugin *plugin;
    cru_error err = {0};
    registry_entry entry = {.name = file_name(path), .path = path};
    if (!tell(fd, STEP_LOADING, NULL)) return false;
    cru_status loaded = plugin_load(path, &plugin, &err);
    if (!tell(fd, STEP_READING, NULL)) return false;
    if (loaded == CRU_OK && plugin_check(plugin, &err) == CRU_OK) {
        entry = plugin_describe(plugin, path);
    } else {
        if (loaded == CRU_OK) plugin_identify(plugin, &entry);
        entry.broken = err.text;
    }
    bytes answer = {0};
    entry_encode(&answer, &entry);
    bool lasting = loaded == CRU_OK || loaded == CRU_BAD_INPUT;
    bool told = !answer.failed && tell(fd, lasting ? STEP_DONE : STEP_DONE_TODAY, &answer);
    free(answer.data);
    return told;
}

static int scan_batch(void *user, int fd)
{
    const batch *b = user;
    for (size_t i = 0; i < b->count; i++)
        if (!scan_file(b->jobs[i].path, fd)) return 1;
    return 0;
}

/* ---- in the parent ----------------------------------------------------------------------------------------------- */

/* A conversation with one child. */
typedef struct listener {
    const scan_options *options;
    scan_job *jobs;
    size_t count, done;
    step step;
    bytes heard;
    bool nonsense; /* the child said something that no scanner says */
} listener;

static bool decode_answer(listener *l, const unsigned char *data, size_t size)
{
    scan_job *job = &l->jobs[l->done];
    reader r = {.at = data, .left = size};
    if (l->done == l->count || entry_decode(&r, l->options->memory, &job->entry) != CRU_OK || r.left) return false;
    if (strcmp(job->entry.path, job->path) != 0) return false;
    job->lasting = l->step == STEP_DONE;
    l->done++;
    l->step = 0;
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

/* How a conversation ended when not all files were answered. */
typedef struct ending {
    bool late;
    int wait_status;
} ending;

static ending listen_to(listener *l, child *c)
{
    unsigned char buffer[65536];
    size_t got;
    child_event event;
    while (!l->nonsense && !l->heard.failed &&
           (event = child_read(c, buffer, sizeof buffer, &got, l->options->hang_seconds)) == CHILD_DATA) {
        bytes_put(&l->heard, buffer, got);
        take_messages(l);
    }
    bool late = !l->nonsense && !l->heard.failed && event == CHILD_LATE;
    return (ending){.late = late, .wait_status = child_finish(c)};
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
    return cru_fail(reason, CRU_BAD_INPUT, "%s %s (%s)", does, during, signal_text(number, signal_name));
}

static void mark_broken(const listener *l, ending end)
{
    cru_error reason = {0};
    describe_ending(l, end, &reason);
    scan_job *job = &l->jobs[l->done];
    job->entry = (registry_entry){.name = file_name(job->path), .path = job->path};
    job->entry.broken = text_copy(l->options->memory, reason.text);
    job->lasting = true;
}

/* One child for as many of the jobs as it survives; *done says how many are settled afterwards. A file that took its
 * child down after others had been loaded there may be innocent (a thread or a memory fault of an earlier one), so it
 * is tried again alone: the caller starts the next child with it. */
static cru_status run_child(const scan_options *options, scan_job *jobs, size_t count, size_t *done, cru_error *err)
{
    child c;
    batch files = {.jobs = jobs, .count = count};
    const int64_t per_file = (int64_t)ceil(options->hang_seconds) + 1;
    const child_limits limits = {
        .cpu_seconds = per_file * (int64_t)count, .data_bytes = (int64_t)2 << 30, .no_files = true};
    cru_status status = child_start(&c, &limits, scan_batch, &files, err);
    if (status != CRU_OK) return status;
    ++*options->children;
    listener l = {.options = options, .jobs = jobs, .count = count};
    ending end = listen_to(&l, &c);
    bool blamed = l.done == 0 || end.late;
    if (l.heard.failed) {
        status = cru_fail(err, CRU_NO_MEMORY, "out of memory");
    } else if (l.done < count && blamed) {
        mark_broken(&l, end);
        l.done++;
    }
    *done = l.done;
    free(l.heard.data);
    return status;
}

cru_status scanner_run(const scan_options *options, scan_job *jobs, size_t count, cru_error *err)
{
    enum { BATCH = 64 };
    cru_status status = CRU_OK;
    for (size_t next = 0, done = 0; next < count && status == CRU_OK; next += done) {
        size_t batch_count = count - next < BATCH ? count - next : BATCH;
        status = run_child(options, jobs + next, batch_count, &done, err);
    }
    return status;
}
