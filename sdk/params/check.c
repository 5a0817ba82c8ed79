// SPDX-License-Identifier: Apache-2.0
/* The rules of a parameter table. A fault here is a bug in a plugin, so messages name the key and the rule. */
#include <math.h>
#include <string.h>

#include "params/number.h"
#include "params/read.h"
#include "params/visit.h"

typedef struct field {
    const char *key;
    size_t start, end;
} field;

enum { MAX_PARAMS = 512 };

typedef struct checker {
    size_t settings_size;
    field fields[MAX_PARAMS];
    size_t count;
    cru_error *err;
    cru_status status;
} checker;

static bool is_key(const char *key)
{
    if (!key || !(*key >= 'a' && *key <= 'z')) return false;
    return strspn(key, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(key);
}

static bool in_range(const cru_param *p, double value)
{
    return value >= p->min && value <= p->max;
}

static int64_t choice_count(const cru_param *p)
{
    int64_t n = 0;
    while (p->choices && p->choices[n]) n++;
    return n;
}

static bool is_whole(double value)
{
    return value == rint(value) && fabs(value) <= 0x1p53;
}

static cru_status check_range(const cru_param *p, cru_error *err)
{
    if (!(p->min <= p->max)) return cru_fail(err, CRU_BAD_INPUT, "%s: the range is empty", p->key);
    return CRU_OK;
}

static cru_status check_choices(const cru_param *p, cru_error *err)
{
    int64_t n = choice_count(p);
    if (n == 0) return cru_fail(err, CRU_BAD_INPUT, "%s: a choice without choices", p->key);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            if (strcmp(p->choices[i], p->choices[j]) == 0)
                return cru_fail(err, CRU_BAD_INPUT, "%s: the choice %s appears twice", p->key, p->choices[i]);
    return CRU_OK;
}

/* Whether a number could be the parameter's value. */
static bool is_value(const cru_param *p, double value)
{
    switch (p->type) {
    case CRU_PARAM_INT:
        return is_whole(value) && in_range(p, value);
    case CRU_PARAM_FLOAT:
        return isfinite(value) && in_range(p, value);
    case CRU_PARAM_BOOL:
        return value == 0 || value == 1;
    case CRU_PARAM_CHOICE:
        return is_whole(value) && value >= 0 && value < (double)choice_count(p);
    default:
        return false;
    }
}

/* Text defaults are read by the code that reads a user's text, so a table cannot promise what a user could not
 * write. */
static cru_status check_text_default(const cru_param *p, cru_error *err)
{
    union {
        const char *string;
        cru_list list;
    } slot;
    cru_error inner = {0};
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(err, CRU_NO_MEMORY, "%s: out of memory", p->key);
    if (param_read(p, p->text ? p->text : "", &(param_target){.field = &slot, .arena = arena}, &inner))
        cru_fail(err, inner.status, "the default %s", inner.text);
    cru_arena_destroy(arena);
    return inner.status;
}

static cru_status check_default(const cru_param *p, cru_error *err)
{
    char text[NUMBER_TEXT];
    if (p->type == CRU_PARAM_STRING || p->type == CRU_PARAM_LIST) return check_text_default(p, err);
    if (is_value(p, p->number)) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "%s: the default %s is not a valid value", p->key,
                    number_text(p->number, text));
}

static cru_status check_search_values(const cru_param *p, cru_error *err)
{
    char text[NUMBER_TEXT];
    const cru_search *s = &p->search;
    if (s->count == 0 && p->type != CRU_PARAM_CHOICE && p->type != CRU_PARAM_BOOL)
        return cru_fail(err, CRU_BAD_INPUT, "%s: a search over no values", p->key);
    if (s->count < 0 || (s->count > 0 && !s->values))
        return cru_fail(err, CRU_BAD_INPUT, "%s: a search with a broken list of values", p->key);
    for (int64_t i = 0; i < s->count; i++)
        if (!is_value(p, s->values[i]))
            return cru_fail(err, CRU_BAD_INPUT, "%s: the search value %s is not a valid value", p->key,
                            number_text(s->values[i], text));
    return CRU_OK;
}

static cru_status check_search_span(const cru_param *p, cru_error *err)
{
    const cru_search *s = &p->search;
    if (p->type != CRU_PARAM_INT && p->type != CRU_PARAM_FLOAT)
        return cru_fail(err, CRU_BAD_INPUT, "%s: a search over a span needs an int or a float", p->key);
    if (!(isfinite(s->lo) && isfinite(s->hi) && s->lo < s->hi))
        return cru_fail(err, CRU_BAD_INPUT, "%s: the search span is empty or not finite", p->key);
    if (s->kind == CRU_SEARCH_LOG_UNIFORM && s->lo <= 0)
        return cru_fail(err, CRU_BAD_INPUT, "%s: a logarithmic search must start above 0", p->key);
    bool powers = s->kind == CRU_SEARCH_POWER_OF_2;
    double lo = powers ? exp2(floor(s->lo)) : s->lo;
    double hi = powers ? exp2(ceil(s->hi) - 1) : s->hi; /* U(lo, hi) stays below hi */
    if (!in_range(p, lo) || !in_range(p, hi))
        return cru_fail(err, CRU_BAD_INPUT, "%s: the search leaves the range of valid values", p->key);
    return CRU_OK;
}

static cru_status check_search(const cru_param *p, cru_error *err)
{
    bool has_search = p->search.kind != CRU_SEARCH_NONE;
    if (has_search && (p->type == CRU_PARAM_STRING || p->type == CRU_PARAM_LIST))
        return cru_fail(err, CRU_BAD_INPUT, "%s: strings and lists cannot be searched", p->key);
    switch (p->search.kind) {
    case CRU_SEARCH_NONE:
        return CRU_OK;
    case CRU_SEARCH_ONE_OF:
        return check_search_values(p, err);
    case CRU_SEARCH_UNIFORM:
    case CRU_SEARCH_LOG_UNIFORM:
    case CRU_SEARCH_POWER_OF_2:
        return check_search_span(p, err);
    }
    return cru_fail(err, CRU_BAD_INPUT, "%s: unknown kind of search %d", p->key, (int)p->search.kind);
}

static size_t field_alignment(cru_param_type type)
{
    return type == CRU_PARAM_BOOL ? _Alignof(bool) : _Alignof(int64_t);
}

static cru_status check_field(checker *c, const cru_param *p, size_t base)
{
    size_t size = param_field_size(p->type), start;
    if (__builtin_add_overflow(base, p->offset, &start) || start > c->settings_size || c->settings_size - start < size)
        return cru_fail(c->err, CRU_BAD_INPUT, "%s: its field lies outside the settings struct", p->key);
    if (start % field_alignment(p->type))
        return cru_fail(c->err, CRU_BAD_INPUT, "%s: its field is not aligned", p->key);
    for (size_t i = 0; i < c->count; i++) {
        const field *other = &c->fields[i];
        if (strcmp(other->key, p->key) == 0)
            return cru_fail(c->err, CRU_BAD_INPUT, "%s: the key appears twice", p->key);
        if (start < other->end && other->start < start + size)
            return cru_fail(c->err, CRU_BAD_INPUT, "%s: its field overlaps that of %s", p->key, other->key);
    }
    if (c->count == MAX_PARAMS) return cru_fail(c->err, CRU_BAD_INPUT, "more than %d parameters", MAX_PARAMS);
    c->fields[c->count++] = (field){.key = p->key, .start = start, .end = start + size};
    return CRU_OK;
}

/* Behind the last entry of a table without CRU_END lies whatever the linker put there. Nothing of it may be followed as
 * a pointer, so numbers are looked at first. */
static bool is_entry(const checker *c, const cru_param *p, size_t base)
{
    if (p->type == CRU_PARAM_GROUP) return true;
    const bool known = (int)p->type > CRU_PARAM_END && p->type < CRU_PARAM_GROUP;
    return known && p->offset <= SIZE_MAX - base && base + p->offset < c->settings_size;
}

static cru_status not_an_entry(const checker *c, const cru_param *p)
{
    const char *last = c->count ? c->fields[c->count - 1].key : "(none)";
    return cru_fail(c->err, CRU_BAD_INPUT,
                    "what follows the setting %s is none (type %d, offset %zu); the table must end with CRU_END", last,
                    (int)p->type, p->offset);
}

static cru_status check_param(checker *c, const cru_param *p, size_t base)
{
    if (c->count && !is_entry(c, p, base)) return not_an_entry(c, p);
    if (!is_key(p->key))
        return cru_fail(c->err, CRU_BAD_INPUT, "%s: a key is a lower-case word of letters, digits, - and _",
                        p->key ? p->key : "(no key)");
    if (p->type == CRU_PARAM_GROUP)
        return cru_fail(c->err, CRU_BAD_INPUT, "%s: a group without a table, or nested too deeply", p->key);
    if (param_field_size(p->type) == 0)
        return cru_fail(c->err, CRU_BAD_INPUT, "%s: unknown type %d", p->key, (int)p->type);
    if (!p->help || !*p->help) return cru_fail(c->err, CRU_BAD_INPUT, "%s: no help", p->key);
    cru_status status = check_field(c, p, base);
    if (!status && p->type == CRU_PARAM_CHOICE) status = check_choices(p, c->err);
    if (!status) status = check_range(p, c->err);
    if (!status) status = check_default(p, c->err);
    if (!status) status = check_search(p, c->err);
    return status;
}

static bool check_next(void *user, const cru_param *param, size_t base)
{
    checker *c = user;
    c->status = check_param(c, param, base);
    return !c->status;
}

cru_status cru_params_check(const cru_param *table, size_t settings_size, cru_error *err)
{
    checker c = {.settings_size = settings_size, .err = err};
    cru_params_visit(table, check_next, &c);
    return c.status;
}
