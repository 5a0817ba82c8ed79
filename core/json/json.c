#include "json/json.h"

#include <math.h>

void json_add_text(cJSON *object, const char *key, const char *text)
{
    if (text) {
        cJSON_AddStringToObject(object, key, text);
    } else {
        cJSON_AddNullToObject(object, key);
    }
}

void json_add_number(cJSON *object, const char *key, double number)
{
    if (isfinite(number)) {
        cJSON_AddNumberToObject(object, key, number);
    } else {
        cJSON_AddNullToObject(object, key);
    }
}
