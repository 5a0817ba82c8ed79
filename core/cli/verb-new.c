// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli/cli.h"
#include "cli/verbs.h"
#include "loader/loader.h"
#include "scaffold/scaffold.h"

/* The first plugin of a name wins, so a second one would never run. */
static int refuse_taken_name(cru_kind kind, const char *name)
{
    registry *plugins;
    cru_error err = {0};
    if (loader_scan(NULL, &plugins, NULL, &err) != CRU_OK) return cli_fail("%s", err.text);
    const registry_entry *taken = registry_find(plugins, kind, name);
    int code =
        taken ? cli_wrong("new: %s '%s' exists already (%s); choose another name", kind_name(kind), name, taken->path)
              : CLI_GO_ON;
    registry_destroy(plugins);
    return code;
}

static void print_steps(const char *folder, const char *name)
{
    printf("%s/%s.c           the plugin: search for TODO\n"
           "%s/%s.ini         an experiment that runs it\n"
           "%s/CMakeLists.txt  finds the installed SDK\n\n"
           "cd %s\n"
           "gcc -O2 -shared -fPIC %s.c -o %s.so $(pkg-config --cflags --libs crucible)\n"
           "crucible check ./%s.so\n"
           "crucible run %s.ini\n",
           folder, name, folder, name, folder, folder, name, name, name, name);
}

static void print_python_steps(const char *folder, const char *name)
{
    printf("%s/%s.py          the method: search for TODO; it needs PyTorch\n"
           "%s/%s.ini         an experiment that runs it; [paths] python says with which interpreter\n\n"
           "cd %s\n"
           "crucible check %s.py --python python3\n"
           "crucible run %s.ini\n",
           folder, name, folder, name, folder, name, name);
}

int verb_new(int argc, char **argv)
{
    const char *folder = NULL;
    const cli_option options[] = {
        {.name = "in", .argument = "FOLDER", .text = &folder, .help = "the folder to make; default: NAME"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "new",
        .operands = "dataset|split|corruptor|algorithm|metric|backend|python NAME",
        .least = 2,
        .most = 2,
        .options = options,
        .about = "Makes the folder of a new plugin: one C file that compiles, passes 'crucible check' and runs as it\n"
                 "is, with marks where your part goes; a CMakeLists.txt; an experiment. With 'python' a method in\n"
                 "Python instead: one script and an experiment. NAME is lower-case-with-dashes.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    const bool python = strcmp(operands.word[0], "python") == 0;
    scaffold_request request = {
        .kind = python ? CRU_KIND_ALGORITHM : kind_parse(operands.word[0]), .name = operands.word[1], .python = python};
    if (!request.kind) return cli_wrong("new: unknown kind '%s'; kinds: %s", operands.word[0], syntax.operands);
    request.folder = folder ? folder : request.name;
    code = refuse_taken_name(request.kind, request.name);
    if (code != CLI_GO_ON) return code;
    cru_error err = {0};
    cru_status status = scaffold_create(&request, &err);
    if (status == CRU_BAD_INPUT) return cli_wrong("new: %s", err.text);
    if (status) return cli_fail("new: %s", err.text);
    (python ? print_python_steps : print_steps)(request.folder, request.name);
    return CLI_OK;
}
