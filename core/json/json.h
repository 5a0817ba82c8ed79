/* json.h: what cJSON has no word for. */
#ifndef CORE_JSON_H
#define CORE_JSON_H

#include <cjson/cJSON.h>

/* Adds `text`, or null when it is NULL. */
void json_add_text(cJSON *object, const char *key, const char *text);

/* Adds `number`, or null when it is not finite, for which JSON has no word. */
void json_add_number(cJSON *object, const char *key, double number);

#endif
