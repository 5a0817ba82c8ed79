// SPDX-License-Identifier: Apache-2.0
#include "cli/param-text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

typedef struct text_buffer {
    char *text;
    size_t size, used;
} text_buffer;

CRU_PRINTF(2, 3) static void put(text_buffer *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(b->text + b->used, b->size - b->used, format, args);
    va_end(args);
    if (length > 0) b->used += (size_t)length;
    if (b->used >= b->size) b->used = b->size - 1;
}

static text_buffer buffer(char *text, size_t size)
{
    text[0] = 0;
    return (text_buffer){.text = text, .size = size};
}

const char *param_type_name(cru_param_type type)
{
    static const char *const names[] = {
        [CRU_PARAM_INT] = "int",       [CRU_PARAM_FLOAT] = "float",   [CRU_PARAM_BOOL] = "bool",
        [CRU_PARAM_CHOICE] = "choice", [CRU_PARAM_STRING] = "string", [CRU_PARAM_LIST] = "list",
    };
    return type >= CRU_PARAM_INT && type <= CRU_PARAM_LIST ? names[type] : "unknown";
}

static void put_number(text_buffer *b, double number)
{
    /* Whole numbers in full: 1000000, not 1e+06. */
    put(b, fabs(number) < 1e15 && number == floor(number) ? "%.0f" : "%.10g", number);
}

const char *param_default(const cru_param *param, char *text, size_t size)
{
    text_buffer b = buffer(text, size);
    switch (param->type) {
    case CRU_PARAM_INT:
    case CRU_PARAM_FLOAT:
        put_number(&b, param->number);
        break;
    case CRU_PARAM_BOOL:
        put(&b, "%s", param->number != 0 ? "true" : "false");
        break;
    case CRU_PARAM_CHOICE:
        put(&b, "%s", param->choices[(size_t)param->number]);
        break;
    default:
        put(&b, "%s", param->text ? param->text : "");
    }
    return text;
}

const char *param_range(const cru_param *param, char *text, size_t size)
{
    text_buffer b = buffer(text, size);
    if (param->type == CRU_PARAM_CHOICE) {
        for (size_t i = 0; param->choices[i]; i++) put(&b, "%s%s", i ? "|" : "", param->choices[i]);
        return text;
    }
    if (param->type != CRU_PARAM_INT && param->type != CRU_PARAM_FLOAT && param->type != CRU_PARAM_LIST) return text;
    bool low = isfinite(param->min), high = isfinite(param->max);
    if (low && high) {
        put_number(&b, param->min);
        put(&b, "..");
        put_number(&b, param->max);
    } else if (low || high) {
        put(&b, low ? ">= " : "<= ");
        put_number(&b, low ? param->min : param->max);
    }
    return text;
}

static void put_interval(text_buffer *b, const char *before, const cru_search *search)
{
    put(b, "%s", before);
    put_number(b, search->lo);
    put(b, "..");
    put_number(b, search->hi);
}

const char *param_search(const cru_param *param, char *text, size_t size)
{
    text_buffer b = buffer(text, size);
    const cru_search *search = &param->search;
    switch (search->kind) {
    case CRU_SEARCH_NONE:
        break;
    case CRU_SEARCH_ONE_OF:
        put(&b, search->count ? "one of " : "any choice");
        for (int64_t i = 0; i < search->count; i++) {
            if (i) put(&b, ", ");
            put_number(&b, search->values[i]);
        }
        break;
    case CRU_SEARCH_UNIFORM:
        put_interval(&b, "uniform ", search);
        break;
    case CRU_SEARCH_LOG_UNIFORM:
        put_interval(&b, "log-uniform ", search);
        break;
    case CRU_SEARCH_POWER_OF_2:
        put_interval(&b, "2 to the power of ", search);
        break;
    }
    return text;
}
