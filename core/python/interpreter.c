// SPDX-License-Identifier: Apache-2.0
#include "python/interpreter.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/strings.h"
#include "process/child.h"

enum { ANSWER_MOST = 1 << 16, ANSWER_SECONDS = 30, PATHS_MOST = 256 };

bool is_python(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    return length > 3 && strcmp(path + length - 3, ".py") == 0;
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

/* In the user's own environment, so that it finds the packages that he finds. */
static int ask(void *user, int fd)
{
    static const char question[] =
        "import os, sys, sysconfig\n"
        "print('crucible', sys.executable, os.path.join(sys.prefix, 'pyvenv.cfg'),\n"
        "      sysconfig.get_config_var('LIBDIR') or '', *(os.path.abspath(p) for p in sys.path if p), sep='\\n')\n";
    const char *program = user;
    dup2(fd, STDOUT_FILENO);
    execlp(program, program, "-c", question, (char *)NULL);
    return 127;
}

static cru_status hear(const char *program, char answer[ANSWER_MOST], cru_error *err)
{
    child c;
    size_t used = 0, got = 0;
    child_event event = CHILD_DATA;
    cru_status status = child_start(&c, &(child_limits){0}, ask, (void *)(uintptr_t)program, err);
    if (status != CRU_OK) return status;
    while (event == CHILD_DATA && used < ANSWER_MOST - 1) {
        event = child_read(&c, answer + used, ANSWER_MOST - 1 - used, &got, ANSWER_SECONDS);
        if (event == CHILD_DATA) used += got;
    }
    child_finish(&c);
    answer[used] = 0;
    if (strncmp(answer, "crucible\n/", 10) == 0) return CRU_OK;
    return cru_fail(err, CRU_UNSUPPORTED, "methods in Python need an interpreter, and '%s' is none; see [paths] python",
                    program);
}

/* ---- what belongs to the program ------------------------------------------------------------------------- */

/* Beside the program, else where it is installed. */
static cru_status find_modules(cru_arena *memory, interpreter *out, cru_error *err)
{
    char program[PATH_MAX], *slash = NULL;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = 0;
        slash = strrchr(program, '/');
    }
    if (slash) *slash = 0;
    const char *beside = string_format(memory, "%s/%s/crucible/python", slash ? program : "", CRU_LIB_FROM_BIN);
    out->modules = access(beside, R_OK) == 0 ? beside : CRU_INSTALLED_PYTHON;
    out->script = string_format(memory, "%s/crucible/_bridge.py", out->modules);
    out->library = string_format(memory, "%s/libcrucible-python.so", out->modules);
    if (access(out->script, R_OK) == 0 && access(out->library, R_OK) == 0) return CRU_OK;
    return cru_fail(err, CRU_UNSUPPORTED, "methods in Python need %s, which is not installed with this program",
                    out->library);
}

/* The modules of a build tree are links into the source. */
static const char *resolved(cru_arena *memory, const char *path)
{
    char full[PATH_MAX];
    return realpath(path, full) ? string_copy(memory, full) : path;
}

cru_status interpreter_find(const char *wanted, cru_arena *memory, interpreter *out, cru_error *err)
{
    const char *program = wanted && *wanted ? wanted : "python3";
    *out = (interpreter){0};
    char *answer = cru_arena_alloc(memory, ANSWER_MOST, 1), *cursor = NULL;
    cru_status status = find_modules(memory, out, err);
    if (status == CRU_OK) status = hear(program, answer, err);
    if (status != CRU_OK) return status;
    const char **list = cru_arena_alloc_zeroed(memory, PATHS_MOST + 6, sizeof *list);
    int count = 0;
    strtok_r(answer, "\n", &cursor);
    out->program = strtok_r(NULL, "\n", &cursor);
    out->search = "";
    for (char *line; count < PATHS_MOST && (line = strtok_r(NULL, "\n", &cursor));) {
        list[count++] = line;
        if (count > 2 || line[0] == '/') out->search = string_format(memory, "%s%s\n", out->search, line);
    }
    list[count++] = resolved(memory, string_format(memory, "%s/crucible", out->modules));
    list[count++] = out->modules;
    list[count++] = string_format(memory, "%s/../../libcrucible.so", out->modules); /* the SDK, which the library wants */
    out->readable = list;
    const char **proc = cru_arena_alloc_zeroed(memory, count + 2, sizeof *proc);
    memcpy(proc, list, (size_t)count * sizeof *proc);
    proc[count] = "/proc";
    out->proc = proc;
    const char **programs = cru_arena_alloc_zeroed(memory, 2, sizeof *programs);
    programs[0] = out->program;
    out->programs = programs;
    return CRU_OK;
}

int interpreter_args(const interpreter *i, const char *what, const char *args[INTERPRETER_ARGS])
{
    const char *first[] = {i->program, "-s", "-B", "-u", i->script, what, i->library, i->modules, i->search};
    memcpy(args, first, sizeof first);
    return (int)(sizeof first / sizeof *first);
}

cru_status interpreter_rules(const interpreter *i, const char *const *scripts, const char *scratch, int landlock_most,
                             sandbox_rules **out, cru_error *err)
{
    const char *writable[] = {scratch, NULL};
    return rules_create(&(sandbox_files){.readable = i->proc,
                                         .programs = i->programs,
                                         .scripts = scripts,
                                         .writable = writable,
                                         .libraries = true,
                                         .landlock_most = landlock_most},
                        out, err);
}
