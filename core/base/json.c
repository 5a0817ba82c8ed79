// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

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

void json_add_numbers(cJSON *object, const char *key, const double *numbers, int64_t count)
{
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (int64_t i = 0; i < count; i++)
        cJSON_AddItemToArray(array, isfinite(numbers[i]) ? cJSON_CreateNumber(numbers[i]) : cJSON_CreateNull());
}
