// SPDX-License-Identifier: Apache-2.0
#include "check/case.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/printable.h"
#include "check/protect.h"
#include "config/strings.h"
#include "loader/loader.h"
#include "process/child.h"

check_state verdict_set(verdict *v, check_state state, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    v->state = state;
    vsnprintf(v->text, sizeof v->text, format, args);
    va_end(args);
    return state;
}

/* ---- in the child ------------------------------------------------------------------------------------------------ */

typedef struct child_work {
    const suite *suite;
    const check_case *c;
} child_work;

typedef struct panic_target {
    int fd;
    bool edge;
} panic_target;

/* A failed assertion is the plugin's fault, but it comes with words that a signal would lose. */
static void report_panic(void *user, cru_status status, const char *message)
{
    const panic_target *target = user;
    verdict v = {0};
    bool noted = target->edge && status == CRU_NO_MEMORY;
    verdict_set(&v, noted ? CHECK_NOTED : CHECK_FAILED, "%s: %s", cru_status_name(status), message);
    write_all(target->fd, &v, sizeof v);
    _exit(0);
}

static cru_status open_plugin(const suite *s, const cru_plugin **plugin, cru_error *err)
{
    if (!s->options.open) return plugin_open(s->plugin->path, s->plugin->kind, NULL, plugin, err);
    cru_status status = s->options.open(s->plugin->path, plugin, err);
    return status ? status : plugin_accept(*plugin, s->plugin->kind, NULL, err);
}

static int run_case(void *user, int fd)
{
    const child_work *work = user;
    const cru_plugin *plugin;
    verdict v = {0};
    cru_error err = {0};
    panic_target target = {.fd = fd, .edge = work->c->edge};
    cru_panic_set_handler(report_panic, &target);
    protect_report_to(fd);
    if (chdir(work->suite->scratch) != 0) return 1;
    if (work->suite->box && sandbox_enter(work->suite->box, work->suite->ruleset, &err) != CRU_OK) {
        verdict_set(&v, CHECK_FAILED, "%s", err.text);
    } else if (open_plugin(work->suite, &plugin, &err) != CRU_OK) {
        verdict_set(&v, CHECK_FAILED, "%s", err.text);
    } else {
        work->c->body(work->c->user, plugin, &v);
    }
    return write_all(fd, &v, sizeof v) ? 0 : 1;
}

/* ---- in the parent ----------------------------------------------------------------------------------------------- */

static void judge_end(const check_case *c, double seconds, bool late, int status, verdict *v)
{
    char signal_name[SIGNAL_TEXT_SIZE];
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (late || number == SIGXCPU) {
        verdict_set(v, c->edge ? CHECK_NOTED : CHECK_FAILED, "not finished after %g s", seconds);
    } else if (number == SIGXFSZ) {
        verdict_set(v, CHECK_FAILED, "writes to a file");
    } else if (number) {
        verdict_set(v, CHECK_FAILED, "crashes (%s)", signal_text(number, signal_name));
    } else {
        verdict_set(v, CHECK_FAILED, "ends the process (exit code %d)", WEXITSTATUS(status));
    }
}

/* Removes what the case left behind in the scratch folder; the first name found fails it. */
static void clean_scratch(const suite *s, verdict *v)
{
    DIR *folder = opendir(s->scratch);
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        verdict_set(v, CHECK_FAILED, "creates the file '%.200s' in the working directory", entry->d_name);
        if (unlinkat(dirfd(folder), entry->d_name, 0) != 0) unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
    }
    closedir(folder);
}

verdict case_try(suite *s, const check_case *c)
{
    verdict v = {0};
    child process;
    child_work work = {.suite = s, .c = c};
    const double seconds = c->edge ? s->options.edge_seconds : s->options.seconds;
    const child_limits limits = {.cpu_seconds = 4 * (int64_t)seconds + 2,
                                 .data_bytes = (int64_t)2 << 30,
                                 .no_files = !c->images,
                                 .fork = s->options.fork,
                                 .keep = s->ruleset > 0 ? s->ruleset : 0};
    if (s->err->status || child_start(&process, &limits, run_case, &work, s->err) != CRU_OK) {
        verdict_set(&v, CHECK_FAILED, "not run");
        return v;
    }
    size_t heard = 0, got;
    child_event event = CHILD_DATA;
    while (heard < sizeof v && event == CHILD_DATA) {
        event = child_read(&process, (char *)&v + heard, sizeof v - heard, &got, seconds);
        if (event == CHILD_DATA) heard += got;
    }
    int status = child_finish(&process);
    if (heard < sizeof v) judge_end(c, seconds, event == CHILD_LATE, status, &v);
    v.text[sizeof v.text - 1] = 0;
    printable(v.text, false);
    clean_scratch(s, &v);
    return v;
}

void suite_add_row(suite *s, const char *name, const verdict *v)
{
    enum { GROWTH = 64 };
    check_report *r = s->report;
    if (r->count % GROWTH == 0) {
        check_row *rows = cru_arena_alloc(r->memory, r->count + GROWTH, sizeof *rows);
        if (r->count) memcpy(rows, r->rows, (size_t)r->count * sizeof *rows);
        r->rows = rows;
    }
    r->rows[r->count++] = (check_row){v->state, string_copy(r->memory, name), string_copy(r->memory, v->text)};
    r->noted += v->state == CHECK_NOTED;
    r->failed += v->state == CHECK_FAILED;
}

check_state case_run(suite *s, const check_case *c)
{
    verdict v = case_try(s, c);
    suite_add_row(s, c->name, &v);
    return v.state;
}
