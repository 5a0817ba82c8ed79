// SPDX-License-Identifier: Apache-2.0
/* json.h: what cJSON has no word for. */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <cjson/cJSON.h>
#include <stdint.h>

/* Adds `text`, or null when it is NULL. */
void json_add_text(cJSON *object, const char *key, const char *text);

/* Adds `number`, or null when it is not finite, for which JSON has no word. */
void json_add_number(cJSON *object, const char *key, double number);

/* Adds an array of numbers, null for those that are not finite. */
void json_add_numbers(cJSON *object, const char *key, const double *numbers, int64_t count);

#endif
