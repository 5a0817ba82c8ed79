// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/check.h"
#include "cli/check-print.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/verbs.h"
#include "config/strings.h"
#include "python/interpreter.h"
#include "worker/sandbox.h"

static const char *const state_names[] = {[CHECK_PASSED] = "pass", [CHECK_NOTED] = "note", [CHECK_FAILED] = "FAIL"};

static void print_text(const check_report *report)
{
    static const cli_style styles[] = {
        [CHECK_PASSED] = CLI_GREEN, [CHECK_NOTED] = CLI_YELLOW, [CHECK_FAILED] = CLI_RED};
    size_t width = 0;
    for (int64_t i = 0; i < report->count; i++)
        if (strlen(report->rows[i].name) > width) width = strlen(report->rows[i].name);
    for (int64_t i = 0; i < report->count; i++) {
        const check_row *row = &report->rows[i];
        printf("%s%s%s  ", cli_paint(stdout, styles[row->state]), state_names[row->state],
               cli_paint(stdout, CLI_PLAIN));
        if (*row->detail) {
            printf("%-*s  %s\n", (int)width, row->name, row->detail);
        } else {
            printf("%s\n", row->name);
        }
    }
    if (report->noted) printf("%ld noted, ", (long)report->noted);
    printf("%ld passed, %ld failed\n", (long)(report->count - report->noted - report->failed), (long)report->failed);
}

static int print_json(const check_report *report, const char *path)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "path", path);
    cJSON_AddBoolToObject(object, "passed", report->failed == 0);
    cJSON *rows = cJSON_AddArrayToObject(object, "cases");
    for (int64_t i = 0; i < report->count; i++) {
        cJSON *row = cJSON_CreateObject();
        json_add_text(row, "name", report->rows[i].name);
        json_add_text(row, "status",
                      report->rows[i].state == CHECK_FAILED ? "fail" : state_names[report->rows[i].state]);
        json_add_text(row, "detail", report->rows[i].detail);
        cJSON_AddItemToArray(rows, row);
    }
    return json_print(object);
}

/* glibc counts what its per-thread cache of small pieces holds as in use, so a plugin that allocates many of them would
 * look as if it leaked. The cache can only be switched off when a program starts: start again, once. */
static void restart_without_thread_cache(int argc, char **argv)
{
    static const char tunable[] = "glibc.malloc.tcache_count=0";
    char *again[CLI_WORDS_MAX + 2] = {"crucible"};
    if (getenv("GLIBC_TUNABLES") || argc > CLI_WORDS_MAX) return;
    memcpy(again + 1, argv, (size_t)argc * sizeof *argv);
    if (setenv("GLIBC_TUNABLES", tunable, 1) == 0) execv("/proc/self/exe", again);
}

/* Divides a word of the command line, in its place, at the first '='; NULL: it has none. */
static char *divide(const char *word)
{
    char *sign = strchr((char *)word, '=');
    if (sign) *sign++ = '\0';
    return sign;
}

static int read_settings(const cli_words *sets, check_setting *settings)
{
    for (int i = 0; i < sets->count; i++) {
        settings[i] = (check_setting){sets->word[i], divide(sets->word[i])};
        if (!settings[i].value) return cli_wrong("check: --set %s: expected KEY=VALUE", sets->word[i]);
    }
    return CLI_OK;
}

static void free_inputs(check_input *inputs, int count)
{
    for (int i = 0; i < count; i++) free((char *)inputs[i].path);
}

/* Cases run in another folder, so paths become absolute. */
static int read_inputs(const cli_words *files, check_input *inputs)
{
    for (int i = 0; i < files->count; i++) {
        const char *path = divide(files->word[i]);
        inputs[i] = (check_input){files->word[i], path ? realpath(path, NULL) : NULL};
        if (inputs[i].path) continue;
        free_inputs(inputs, i);
        return path ? cli_wrong("check: --file %s=%s: %s", files->word[i], path, strerror(errno))
                    : cli_wrong("check: --file %s: expected ROLE=PATH", files->word[i]);
    }
    return CLI_OK;
}

int check_print(const char *path, const check_options *how, bool json)
{
    check_report report;
    cru_error err = {0};
    int code = CLI_OK;
    if (check_file(path, how, &report, &err) != CRU_OK)
        code = cli_fail("check: %s", err.text);
    else if (json)
        code = print_json(&report, path);
    else
        print_text(&report);
    if (report.failed) code = CLI_FAILED;
    check_report_free(&report);
    return code;
}

/* A script is checked by its interpreter, which calls check_print with the same suite; does not return when well. */
static int check_script(const char *path, const char *python, int64_t seconds, bool json)
{
    const char *args[INTERPRETER_ARGS + 1] = {NULL};
    char limit[24];
    interpreter found;
    cru_error err = {0};
    cru_arena *memory = cru_arena_create();
    if (!memory) return cli_fail("check: out of memory");
    cru_status status = interpreter_find(python, memory, &found, &err);
    if (!status) status = sandbox_enter_interpreter(-1, &err);
    if (!status) {
        int count = interpreter_args(&found, "check", "/tmp", args);
        snprintf(limit, sizeof limit, "%ld", (long)(seconds < 0 ? 0 : seconds));
        args[count++] = limit;
        args[count++] = json ? "json" : "text";
        args[count++] = path;
        args[count++] = found.program;
        for (int i = 0; found.readable[i]; i++)
            args[count] = string_format(memory, "%s%s\n", i ? args[count] : "", found.readable[i]);
        fflush(NULL);
        execv(found.program, (char *const *)(uintptr_t)args);
        cru_fail(&err, CRU_FAILED, "%s: %s", found.program, strerror(errno));
    }
    int code = cli_fail("check: %s", err.text);
    cru_arena_destroy(memory);
    return code;
}

int verb_check(int argc, char **argv)
{
    const char *python = NULL;
    bool json = false;
    int64_t seconds = -1; /* not given: the usual limit */
    cli_words files = {.count = 0}, sets = {.count = 0};
    const cli_option options[] = {
        {.name = "json", .flag = &json, .help = "print a JSON object"},
        {.name = "file",
         .argument = "ROLE=PATH",
         .words = &files,
         .help = "of a dataset that reads files: one that it can read; may be repeated"},
        {.name = "set",
         .argument = "KEY=VALUE",
         .words = &sets,
         .help = "with --file: a setting with which it is read; may be repeated"},
        {.name = "python",
         .argument = "PROGRAM",
         .text = &python,
         .help = "of a method in Python: the interpreter that runs it (python3)"},
        {.name = "seconds", .argument = "N", .number = &seconds, .help = "the longest that one case may take (20)"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "check",
        .operands = "FILE",
        .least = 1,
        .most = 1,
        .options = options,
        .about = "Tests a plugin file (.so, or .py) against the rules of the interface, on small generated problems, "
                 "each case in a\n"
                 "process of its own. For algorithms: every kind of problem that it claims, with missing classes,\n"
                 "isolated nodes, sparse features and the like; reproducibility; leaks; files; limits of settings;\n"
                 "tensors that are used after their step. For datasets and corruptors: one seed, one result; limits\n"
                 "of settings; files as they are (--file), cut, changed and left out.\n"
                 "Exit code 1 when a case failed.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    if (seconds == 0) return cli_wrong("check: --seconds takes a whole number of at least 1");
    check_input inputs[CLI_WORDS_MAX];
    check_setting settings[CLI_WORDS_MAX];
    if (sets.count && !files.count) return cli_wrong("check: --set is for reading what --file names");
    if (is_python(operands.word[0])) {
        if (files.count) return cli_wrong("check: --file is for datasets, and a script is a method");
        return check_script(operands.word[0], python, seconds, json);
    }
    restart_without_thread_cache(argc, argv);
    code = read_settings(&sets, settings);
    if (code == CLI_OK) code = read_inputs(&files, inputs);
    if (code != CLI_OK) return code;
    const check_options how = {.seconds = seconds < 0 ? 0 : (double)seconds,
                               .files = inputs,
                               .file_count = files.count,
                               .settings = settings,
                               .setting_count = sets.count};
    code = check_print(operands.word[0], &how, json);
    free_inputs(inputs, files.count);
    return code;
}
