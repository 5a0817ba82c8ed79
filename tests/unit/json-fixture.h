// SPDX-License-Identifier: Apache-2.0
/* json-fixture.h: the cases of a fixture file. A fixture that is absent or broken fails the test. */
#ifndef TESTS_JSON_FIXTURE_H
#define TESTS_JSON_FIXTURE_H

#include <check.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Parses TEST_FIXTURES/`name`; delete it with cJSON_Delete. */
static inline cJSON *fixture_open(const char *name)
{
    char path[500];
    snprintf(path, sizeof path, TEST_FIXTURES "/%s", name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    cJSON *root = cJSON_Parse(text);
    free(text);
    ck_assert_msg(root != NULL, "%s is not JSON", path);
    return root;
}

/* cases[name == `name`]; never NULL. */
static inline const cJSON *fixture_case(const cJSON *root, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, "cases"))
    {
        if (strcmp(cJSON_GetObjectItem(item, "name")->valuestring, name) == 0) return item;
    }
    ck_abort_msg("no case %s", name);
    return NULL;
}

/* case.inputs.key and case.expected.key; never NULL. */
static inline const cJSON *fixture_input(const cJSON *item, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "inputs"), key);
    ck_assert_msg(value != NULL, "no input %s", key);
    return value;
}

static inline const cJSON *fixture_expected(const cJSON *item, const char *key)
{
    const cJSON *value = cJSON_GetObjectItem(cJSON_GetObjectItem(item, "expected"), key);
    ck_assert_msg(value != NULL, "no expected %s", key);
    return value;
}

/* Flattens an array of numbers, nested or not, into `out`; returns how many there were. */
static inline int64_t fixture_numbers(const cJSON *array, double *out)
{
    int64_t count = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, array)
    {
        if (cJSON_IsArray(item))
            count += fixture_numbers(item, out + count);
        else
            out[count++] = item->valuedouble;
    }
    return count;
}

#endif
