/* JSON on standard output, for the --json of every verb. */
#ifndef CORE_CLI_JSON_H
#define CORE_CLI_JSON_H

#include <cjson/cJSON.h>

/* Prints `value` and a newline, and deletes it. Returns CLI_OK, or CLI_FAILED after a message. NULL (cJSON's way to say
 * that memory ran out) is allowed. */
int json_print(cJSON *value);

/* Adds `text`, or null when it is NULL. */
void json_add_text(cJSON *object, const char *key, const char *text);

/* Adds `number`, or null when it is not finite, for which JSON has no word. */
void json_add_number(cJSON *object, const char *key, double number);

#endif
