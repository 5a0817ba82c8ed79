// SPDX-License-Identifier: Apache-2.0
#include <crucible/plugin.h>

#include "base/version.h"
#include "cli/cli.h"
#include "cli/json.h"
#include "cli/verbs.h"

int verb_version(int argc, char **argv)
{
    bool json = false;
    const cli_option options[] = {
        {.name = "json", .flag = &json, .help = "print a JSON object"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "version",
        .options = options,
        .about = "Prints the version of the program, the plugin interface (ABI) that it serves, and its licence.\n"
                 "It loads plugins built for the same major number and a minor number that is not newer.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;

    if (!json) {
        printf("crucible %s, plugin ABI %d.%d\n", host_version(), CRU_ABI_MAJOR, CRU_ABI_MINOR);
        puts("Licence: " HOST_LICENSE ", The Crucible authors. There is no warranty.");
        return CLI_OK;
    }
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "version", host_version());
    cJSON_AddStringToObject(object, "license", HOST_LICENSE);
    cJSON_AddNumberToObject(object, "abi_major", CRU_ABI_MAJOR);
    cJSON_AddNumberToObject(object, "abi_minor", CRU_ABI_MINOR);
    return json_print(object);
}
