// SPDX-License-Identifier: Apache-2.0
/* Search distributions written in a config: search(log 1e-4 1e-1), search(power-of-2 6 9 default 256),
 * search(one-of 3 5 as rollWindow). */
#include <string.h>

#include "config/strings.h"
#include "config/values.h"

static const char *const kinds[] = {"any", "one-of", "uniform", "log", "power-of-2"};
enum { KIND_ANY, KIND_ONE_OF, KIND_UNIFORM, KIND_LOG, KIND_POWER_OF_2, KINDS };

static const char opening[] = "search(", gaps[] = " \t,";

bool values_is_search(const char *text)
{
    return strncmp(text, opening, strlen(opening)) == 0;
}

static int find_kind(const char *word)
{
    int kind = 0;
    while (kind < KINDS && strcmp(kinds[kind], word) != 0) kind++;
    return kind;
}

/* A number, or for a choice one of its words, which stands for its index. */
static cru_status read_number(const cru_param *param, const char *word, double *out, cru_error *err)
{
    if (param->type == CRU_PARAM_CHOICE) {
        for (int64_t i = 0; param->choices[i]; i++) {
            *out = (double)i;
            if (strcmp(param->choices[i], word) == 0) return CRU_OK;
        }
        return cru_fail(err, CRU_BAD_INPUT, "'%s' is not one of its choices", word);
    }
    if (!values_number(word, out)) return cru_fail(err, CRU_BAD_INPUT, "'%s' is not a number", word);
    if (param->type == CRU_PARAM_INT && *out != floor(*out))
        return cru_fail(err, CRU_BAD_INPUT, "'%s' is not a whole number", word);
    if (*out < param->min || *out > param->max)
        return cru_fail(err, CRU_BAD_INPUT, "%s is outside %g..%g", word, param->min, param->max);
    return CRU_OK;
}

static cru_status one_of(cru_arena *arena, char **cursor, const cru_param *param, cru_search *out, cru_error *err)
{
    int64_t capacity = (int64_t)strlen(*cursor) / 2 + 1;
    double *values = cru_arena_alloc(arena, capacity, sizeof *values);
    int64_t count = 0;
    for (char *word; (word = strtok_r(NULL, gaps, cursor));) {
        cru_status status = read_number(param, word, &values[count++], err);
        if (status) return status;
    }
    if (count == 0) return cru_fail(err, CRU_BAD_INPUT, "search(one-of ...) needs at least one value");
    *out = (cru_search){.kind = CRU_SEARCH_ONE_OF, .values = values, .count = count};
    return CRU_OK;
}

/* For power-of-2 the two bounds are exponents, so it is the powers that must lie in the parameter's range. */
static cru_status between(int kind, char **cursor, const cru_param *param, cru_search *out, cru_error *err)
{
    static const cru_search_kind named[KINDS] = {[KIND_UNIFORM] = CRU_SEARCH_UNIFORM,
                                                 [KIND_LOG] = CRU_SEARCH_LOG_UNIFORM,
                                                 [KIND_POWER_OF_2] = CRU_SEARCH_POWER_OF_2};
    if (param->type != CRU_PARAM_INT && param->type != CRU_PARAM_FLOAT)
        return cru_fail(err, CRU_BAD_INPUT, "search(%s ...) is for numbers; use one-of or any", kinds[kind]);
    *out = (cru_search){.kind = named[kind]};
    char *lo = strtok_r(NULL, gaps, cursor), *hi = strtok_r(NULL, gaps, cursor);
    if (!lo || !hi || strtok_r(NULL, gaps, cursor))
        return cru_fail(err, CRU_BAD_INPUT, "search(%s ...) needs two numbers", kinds[kind]);
    if (!values_number(lo, &out->lo) || !values_number(hi, &out->hi) || !(out->lo < out->hi))
        return cru_fail(err, CRU_BAD_INPUT, "search(%s %s %s) needs two numbers, the smaller first", kinds[kind], lo,
                        hi);
    if (kind == KIND_LOG && out->lo <= 0) return cru_fail(err, CRU_BAD_INPUT, "search(log ...) needs numbers above 0");
    double least = kind == KIND_POWER_OF_2 ? exp2(out->lo) : out->lo;
    double most = kind == KIND_POWER_OF_2 ? exp2(out->hi) : out->hi;
    if (least < param->min || most > param->max)
        return cru_fail(err, CRU_BAD_INPUT, "search(%s %s %s) leaves the range %g..%g", kinds[kind], lo, hi, param->min,
                        param->max);
    return CRU_OK;
}

static cru_status any(const cru_param *param, cru_search *out, cru_error *err)
{
    static const double both[] = {0, 1};
    if (param->type != CRU_PARAM_CHOICE && param->type != CRU_PARAM_BOOL)
        return cru_fail(err, CRU_BAD_INPUT, "search(any) is for choices");
    *out = (cru_search){.kind = CRU_SEARCH_ONE_OF};
    if (param->type == CRU_PARAM_BOOL) {
        out->values = both;
        out->count = 2;
    }
    return CRU_OK;
}

static bool is_gap(char c)
{
    return c == '\0' || strchr(gaps, c);
}

/* Cuts "`word` VALUE" off the end. */
static cru_status cut_off(char *inside, const char *word, const char **value, cru_error *err)
{
    const size_t length = strlen(word);
    char *at = inside, *cursor = NULL;
    while ((at = strstr(at, word)) && ((at > inside && !is_gap(at[-1])) || !is_gap(at[length]))) at += length;
    *value = NULL;
    if (!at) return CRU_OK;
    *value = strtok_r(at + length, gaps, &cursor);
    *at = '\0';
    if (*value && !strtok_r(NULL, gaps, &cursor)) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "search(... %s) needs one value after it, and nothing else", word);
}

cru_status values_search(cru_arena *arena, const char *text, const cru_param *param, value_search *out, cru_error *err)
{
    if (param->type == CRU_PARAM_LIST || param->type == CRU_PARAM_STRING)
        return cru_fail(err, CRU_BAD_INPUT, "lists and texts cannot be searched");
    size_t length = strlen(text);
    if (text[length - 1] != ')') return cru_fail(err, CRU_BAD_INPUT, "'%s' needs a closing )", text);
    char *inside = string_copy_bytes(arena, text + strlen(opening), length - strlen(opening) - 1), *cursor = NULL;
    cru_status status = cut_off(inside, "as", &out->name, err);
    if (!status) status = cut_off(inside, "default", &out->initial, err);
    if (status) return status;
    const char *word = strtok_r(inside, gaps, &cursor);
    int kind = word ? find_kind(word) : KINDS;
    if (kind == KIND_ANY) return any(param, &out->distribution, err);
    if (kind == KIND_ONE_OF) return one_of(arena, &cursor, param, &out->distribution, err);
    if (kind < KINDS) return between(kind, &cursor, param, &out->distribution, err);
    const char *near = word ? cru_nearest(word, kinds, KINDS) : NULL;
    return cru_fail(err, CRU_BAD_INPUT, "'%s' names no distribution%s%s%s", text, near ? "; did you mean " : "",
                    near ? near : "", near ? "?" : "");
}
