// SPDX-License-Identifier: Apache-2.0
/* JSON on standard output, for the --json of every verb. */
#ifndef CORE_CLI_JSON_H
#define CORE_CLI_JSON_H

#include "base/json.h"

/* Prints `value` and a newline, and deletes it. Returns CLI_OK, or CLI_FAILED after a message. NULL (cJSON's way to say
 * that memory ran out) is allowed. */
int json_print(cJSON *value);

#endif
