// SPDX-License-Identifier: Apache-2.0
#include "params/read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "params/number.h"
#include "params/visit.h"

enum { QUOTE = 80, REASON = 350 };

typedef struct reading {
    const cru_param *param;
    const char *text;
    cru_error *err;
} reading;

/* "key = text: reason", the text cut to a readable length. */
static cru_status refuse(const reading *r, const char *reason)
{
    const char *more = strlen(r->text) > QUOTE ? "..." : "";
    return cru_fail(r->err, CRU_BAD_INPUT, "%s = %.*s%s: %s", r->param->key, (int)QUOTE, r->text, more, reason);
}

static cru_status no_memory(const reading *r)
{
    return cru_fail(r->err, CRU_NO_MEMORY, "%s: out of memory", r->param->key);
}

static cru_status check_range(const reading *r, double value)
{
    const cru_param *p = r->param;
    if (value >= p->min && value <= p->max) return CRU_OK;
    char lo[NUMBER_TEXT], hi[NUMBER_TEXT], reason[REASON];
    const char *who = p->type == CRU_PARAM_LIST ? "every number " : "";
    number_text(p->min, lo);
    number_text(p->max, hi);
    if (isinf(p->max))
        snprintf(reason, sizeof reason, "%smust be at least %s", who, lo);
    else if (isinf(p->min))
        snprintf(reason, sizeof reason, "%smust be at most %s", who, hi);
    else
        snprintf(reason, sizeof reason, "%smust be between %s and %s", who, lo, hi);
    return refuse(r, reason);
}

static cru_status read_int(const reading *r, int64_t *field)
{
    int64_t value;
    switch (number_read_int(r->text, &value)) {
    case NUMBER_MALFORMED:
        return refuse(r, "not a whole number");
    case NUMBER_TOO_LARGE:
        return refuse(r, "too large for a whole number");
    case NUMBER_FINE:
        break;
    }
    cru_status status = check_range(r, (double)value);
    if (!status) *field = value;
    return status;
}

static cru_status read_float(const reading *r, double *field)
{
    double value;
    switch (number_read(r->text, &value)) {
    case NUMBER_MALFORMED:
        return refuse(r, "not a number");
    case NUMBER_TOO_LARGE:
        return refuse(r, "too large for a number");
    case NUMBER_FINE:
        break;
    }
    cru_status status = check_range(r, value);
    if (!status) *field = value;
    return status;
}

static cru_status read_bool(const reading *r, bool *field)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(r->text, words[i]) == 0) {
            *field = i % 2;
            return CRU_OK;
        }
    return refuse(r, "must be true or false");
}

static cru_status read_choice(const reading *r, int64_t *field)
{
    const char *const *choices = r->param->choices;
    size_t count = 0;
    for (; choices[count]; count++)
        if (strcmp(r->text, choices[count]) == 0) {
            *field = (int64_t)count;
            return CRU_OK;
        }
    char all[200], reason[REASON];
    names_join(all, sizeof all, choices, count);
    const char *near = cru_nearest(r->text, choices, count);
    if (near)
        snprintf(reason, sizeof reason, "not one of %s; did you mean %s?", all, near);
    else
        snprintf(reason, sizeof reason, "not one of %s", all);
    return refuse(r, reason);
}

/* One line, so that a settings text has one line a key. */
static cru_status read_string(const reading *r, const param_target *to)
{
    for (const char *c = r->text; *c; c++)
        if (iscntrl((unsigned char)*c) && *c != '\t')
            return refuse(&(reading){r->param, "...", r->err}, "must be one line of plain text");
    size_t size = strlen(r->text) + 1;
    char *copy = cru_arena_try(to->arena, (int64_t)size, 1);
    if (!copy) return no_memory(r);
    memcpy(copy, r->text, size);
    *(const char **)to->field = copy;
    return CRU_OK;
}

/* The number from `from` to the next comma. */
static cru_status read_element(const reading *r, const char *from, double *value)
{
    char word[400], reason[REASON];
    size_t length = strcspn(from, ",");
    if (length >= sizeof word) return refuse(r, "not a list of numbers");
    memcpy(word, from, length);
    word[length] = 0;
    if (number_read(word, value) != NUMBER_FINE) {
        snprintf(reason, sizeof reason, "\"%.*s\" is not a number; write a list as 64, 32", (int)QUOTE,
                 word + strspn(word, " \t"));
        return refuse(r, reason);
    }
    return check_range(r, *value);
}

static cru_status read_list(const reading *r, const param_target *to)
{
    int64_t count = 0;
    if (r->text[strspn(r->text, " \t")]) {
        count = 1;
        for (const char *c = r->text; *c; c++) count += *c == ',';
    }
    double *values = cru_arena_try(to->arena, count, sizeof *values);
    if (!values) return no_memory(r);
    const char *from = r->text;
    for (int64_t i = 0; i < count; i++) {
        cru_status status = read_element(r, from, &values[i]);
        if (status) return status;
        from += strcspn(from, ",") + 1;
    }
    *(cru_list *)to->field = (cru_list){.values = values, .count = count};
    return CRU_OK;
}

cru_status param_read(const cru_param *p, const char *text, const param_target *to, cru_error *err)
{
    reading r = {.param = p, .text = text, .err = err};
    switch (p->type) {
    case CRU_PARAM_INT:
        return read_int(&r, to->field);
    case CRU_PARAM_FLOAT:
        return read_float(&r, to->field);
    case CRU_PARAM_BOOL:
        return read_bool(&r, to->field);
    case CRU_PARAM_CHOICE:
        return read_choice(&r, to->field);
    case CRU_PARAM_STRING:
        return read_string(&r, to);
    case CRU_PARAM_LIST:
        return read_list(&r, to);
    case CRU_PARAM_GROUP:
    case CRU_PARAM_END:
        break;
    }
    return cru_fail(err, CRU_BAD_INPUT, "%s: a setting of unknown type", p->key);
}

bool param_default(const cru_param *p, void *field, cru_arena *arena)
{
    switch (p->type) {
    case CRU_PARAM_INT:
    case CRU_PARAM_CHOICE:
        *(int64_t *)field = (int64_t)p->number;
        return true;
    case CRU_PARAM_FLOAT:
        *(double *)field = p->number;
        return true;
    case CRU_PARAM_BOOL:
        *(bool *)field = p->number != 0;
        return true;
    default:
        return param_read(p, p->text ? p->text : "", &(param_target){.field = field, .arena = arena}, NULL) == CRU_OK;
    }
}
