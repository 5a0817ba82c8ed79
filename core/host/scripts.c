// SPDX-License-Identifier: Apache-2.0
/* The process that has imported what scripts need, from which their workers are forked; see python/interpreter.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/printable.h"
#include "host/schedule.h"
#include "python/interpreter.h"
#include "worker/sandbox.h"

enum { IMPORT_SECONDS = 300, SCRIPTS_MOST = 64 };

/* The scripts of an experiment, each once. */
static void list_scripts(const experiment *e, const char *list[SCRIPTS_MOST + 1])
{
    const registry_entry *last = NULL;
    int count = 0;
    for (int64_t i = 0; i < experiment_trial_count(e) && count < SCRIPTS_MOST; i++) {
        trial t;
        experiment_trial(e, i, &t);
        if (t.algorithm->plugin == last || !is_python(t.algorithm->plugin->path)) continue;
        last = t.algorithm->plugin;
        bool seen = false;
        for (int k = 0; k < count; k++) seen |= strcmp(list[k], last->path) == 0;
        if (!seen) list[count++] = last->path;
    }
    list[count] = NULL;
}

static bool enter(const void *user)
{
    const int *ruleset = user;
    return sandbox_enter_interpreter(*ruleset, NULL) == CRU_OK;
}

/* The last line of what the interpreter said. */
static const char *last_line(int log, char text[500])
{
    off_t size = lseek(log, 0, SEEK_END), from = size > 499 ? size - 499 : 0;
    ssize_t got = size > 0 ? pread(log, text, 499, from) : 0;
    text[got > 0 ? got : 0] = 0;
    for (size_t end = strlen(text); end && text[end - 1] == '\n';) text[--end] = 0;
    printable(text, true);
    const char *line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

static cru_status start(runner *r, const interpreter *python, const char *const *scripts, cru_error *err)
{
    const char *argv[INTERPRETER_ARGS + SCRIPTS_MOST + 1] = {NULL};
    char threads[3][40], text[500];
    static const char *const names[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"};
    const char *variables[] = {"PYTHONHASHSEED=0", threads[0], threads[1], threads[2], NULL};
    const char *writable[] = {r->python_scratch.path, r->scratch.path, NULL};
    sandbox_rules *rules = NULL;
    cru_error own = {0};
    int ruleset = -1, log = memfd_create("python", MFD_CLOEXEC),
        count = interpreter_args(python, "serve", r->python_scratch.path, argv);
    for (int i = 0; i < 3; i++)
        snprintf(threads[i], sizeof *threads, "%s=%ld", names[i], (long)(r->run->threads > 0 ? r->run->threads : 1));
    for (int i = 0; scripts[i]; i++) argv[count++] = scripts[i];
    cru_status status = CRU_OK;
    if (r->run->sandbox) {
        status = interpreter_rules(python, scripts, writable, r->options.landlock_most, &rules, err);
        if (!status) status = rules_make(rules, -1, &ruleset, err);
    }
    const nursery_program program = {.argv = argv,
                                     .variables = variables,
                                     .enter = r->run->sandbox ? enter : NULL,
                                     .user = &ruleset,
                                     .keep = ruleset,
                                     .log = log,
                                     .seconds = IMPORT_SECONDS};
    if (!status && nursery_open_program(&program, &r->python, &own) != CRU_OK)
        status = cru_fail(err, CRU_FAILED, "%s: %s", own.text, last_line(log, text));
    rules_destroy(rules);
    if (ruleset >= 0) close(ruleset);
    if (log >= 0) close(log);
    return status;
}

cru_status scripts_open(runner *r, cru_error *err)
{
    const char *list[SCRIPTS_MOST + 1];
    list_scripts(r->options.experiment, list);
    scripts_close(r); /* of an earlier try */
    r->python_memory = cru_arena_create();
    if (!r->python_memory) return cru_fail(err, CRU_NO_MEMORY, "no memory for the runner");
    interpreter *python = cru_arena_alloc(r->python_memory, 1, sizeof *python);
    cru_status status = interpreter_find(r->options.experiment->paths.python, r->python_memory, python, err);
    r->interpreter = python;
    if (!status) status = scratch_make(&r->python_scratch, err);
    return status ? status : start(r, python, list, err);
}

void scripts_close(runner *r)
{
    nursery_close(r->python);
    scratch_remove(&r->python_scratch);
    cru_arena_destroy(r->python_memory);
    r->python_scratch = (scratch){0};
    r->python = NULL;
    r->python_memory = NULL;
    r->interpreter = NULL;
}
