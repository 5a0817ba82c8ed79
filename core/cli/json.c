// SPDX-License-Identifier: Apache-2.0
#include "cli/json.h"

#include "cli/cli.h"

int json_print(cJSON *value)
{
    char *text = value ? cJSON_Print(value) : NULL;
    cJSON_Delete(value);
    if (!text) return cli_fail("out of memory");
    puts(text);
    cJSON_free(text);
    return CLI_OK;
}
