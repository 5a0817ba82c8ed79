// SPDX-License-Identifier: Apache-2.0
#include "python/interpreter.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/strings.h"
#include "process/child.h"
#include "worker/sandbox.h"

enum { ANSWER_MOST = 1 << 16, ANSWER_SECONDS = 30, PATHS_MOST = 256 };

#define LIBRARY "libcrucible-python.so"

bool is_python(const char *path)
{
    size_t length = path ? strlen(path) : 0;
    return length > 3 && strcmp(path + length - 3, ".py") == 0;
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

typedef struct question {
    const char *program;
    int ruleset; /* -1: none */
} question;

/* The answer: itself, then a line a path: "own" of the installation, "path" where it looks for modules, "both". */
static const char question_text[] =
    "import os, site, sys, sysconfig\n"
    "own = [sysconfig.get_path(k) for k in ('stdlib', 'platstdlib', 'purelib', 'platlib')]\n"
    "own += [*getattr(site, 'getsitepackages', list)(), site.getusersitepackages()]\n"
    "own = [os.path.abspath(p) for p in own if p]\n"
    "print('crucible', sys.executable, 'own ' + os.path.join(sys.prefix, 'pyvenv.cfg'), sep='\\n')\n"
    "print('own', sysconfig.get_config_var('LIBDIR') or '')\n"
    "for p in own: print('own', p)\n"
    "for p in (os.path.abspath(p) for p in sys.path if p):\n"
    "    inside = any(p == o or p.startswith(o + os.sep) for o in own) or not os.path.isdir(p)\n"
    "    print('both' if inside else 'path', p)\n";

/* In the user's own environment, so that it finds the packages that the user finds. */
static int ask(void *user, int fd)
{
    const question *q = user;
    cru_error err = {0};
    dup2(fd, STDOUT_FILENO);
    if (sandbox_enter_interpreter(q->ruleset, &err) != CRU_OK) return 126;
    execlp(q->program, q->program, "-c", question_text, (char *)NULL);
    return 127;
}

/* Reads everything, writes nothing: a name on PATH may be a chain of scripts. */
static cru_status ask_locked(const char *program, char answer[ANSWER_MOST], cru_error *err)
{
    const char *all[] = {"/", NULL};
    question q = {.program = program, .ruleset = -1};
    sandbox_rules *rules = NULL;
    child c;
    size_t used = 0, got = 0;
    child_event event = CHILD_DATA;
    cru_status status =
        rules_create(&(sandbox_files){.readable = all, .programs = all, .libraries = true}, &rules, err);
    if (!status) status = rules_make(rules, -1, &q.ruleset, err);
    if (!status) status = child_start(&c, &(child_limits){.keep = q.ruleset > 0 ? q.ruleset : 0}, ask, &q, err);
    rules_destroy(rules);
    if (q.ruleset >= 0) close(q.ruleset);
    if (status) return status;
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

/* The folder of a path that ends in a file's name, in the arena; NULL: it has none. */
static const char *folder_of(cru_arena *memory, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? string_format(memory, "%.*s", (int)(slash - path), path) : NULL;
}

/* Beside the program, else where it is installed; in an interpreter, where this library is. */
static const char *modules_folder(cru_arena *memory)
{
    char program[PATH_MAX];
    Dl_info here = {0};
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    if (dladdr(&question_text, &here) && here.dli_fname && strstr(here.dli_fname, LIBRARY))
        return folder_of(memory, here.dli_fname);
    const char *folder = folder_of(memory, program);
    const char *beside = string_format(memory, "%s/%s/crucible/python", folder ? folder : "", CRU_LIB_FROM_BIN);
    return access(beside, R_OK) == 0 ? beside : CRU_INSTALLED_PYTHON;
}

static cru_status find_modules(cru_arena *memory, interpreter *out, cru_error *err)
{
    out->modules = modules_folder(memory);
    out->script = string_format(memory, "%s/crucible/_bridge.py", out->modules);
    out->library = string_format(memory, "%s/%s", out->modules, LIBRARY);
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

static const char **new_list(cru_arena *memory)
{
    return cru_arena_alloc_zeroed(memory, PATHS_MOST + 8, sizeof(const char *));
}

/* One line of the answer. A relative path or the root is nobody's installation. */
static void take_line(cru_arena *memory, const char *line, interpreter *out, const char **own, const char **folders)
{
    const char *space = strchr(line, ' '), *path = space ? space + 1 : "";
    const bool mine = strncmp(line, "own ", 4) == 0 || strncmp(line, "both ", 5) == 0;
    const bool searched = strncmp(line, "path ", 5) == 0 || strncmp(line, "both ", 5) == 0;
    const char **list = mine ? own : folders;
    size_t count = 0;
    if (path[0] != '/' || !path[1] || (!mine && !searched)) return;
    while (list[count]) count++;
    if (count < PATHS_MOST) list[count] = path;
    if (searched) out->search = string_format(memory, "%s%s\n", out->search, path);
}

cru_status interpreter_find(const char *wanted, cru_arena *memory, interpreter *out, cru_error *err)
{
    const char *program = wanted && *wanted ? wanted : "python3";
    *out = (interpreter){.search = ""};
    char *answer = cru_arena_alloc(memory, ANSWER_MOST, 1), *cursor = NULL;
    cru_status status = find_modules(memory, out, err);
    if (!status) status = ask_locked(program, answer, err);
    if (status) return status;
    const char **own = new_list(memory), **folders = new_list(memory), **programs = new_list(memory);
    strtok_r(answer, "\n", &cursor);
    programs[0] = out->program = strtok_r(NULL, "\n", &cursor);
    for (char *line; (line = strtok_r(NULL, "\n", &cursor));) take_line(memory, line, out, own, folders);
    size_t count = 0;
    while (own[count]) count++;
    own[count++] = resolved(memory, string_format(memory, "%s/crucible", out->modules));
    own[count++] = out->modules;
    own[count++] = string_format(memory, "%s/../../libcrucible.so", out->modules); /* which the library wants */
    out->readable = own;
    out->folders = folders;
    out->programs = programs;
    const char **proc = new_list(memory);
    memcpy(proc, own, count * sizeof *proc);
    proc[count] = "/proc";
    out->proc = proc;
    return CRU_OK;
}

int interpreter_args(const interpreter *i, const char *what, const char *scratch, const char *args[INTERPRETER_ARGS])
{
    const char *first[] = {i->program, "-s", "-B", "-u", i->script, what, i->library, i->modules, i->search, scratch};
    memcpy(args, first, sizeof first);
    return (int)(sizeof first / sizeof *first);
}

cru_status interpreter_rules(const interpreter *i, const char *const *scripts, const char *const *writable,
                             int landlock_most, sandbox_rules **out, cru_error *err)
{
    return rules_create(&(sandbox_files){.readable = i->proc,
                                         .programs = i->programs,
                                         .modules = i->folders,
                                         .scripts = scripts,
                                         .writable = writable,
                                         .libraries = true,
                                         .landlock_most = landlock_most},
                        out, err);
}
