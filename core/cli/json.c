#include "cli/json.h"

#include <math.h>

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
