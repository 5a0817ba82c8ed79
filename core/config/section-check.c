// SPDX-License-Identifier: Apache-2.0
/* Keys and values of a section against the table of its owner. */
#include <stdlib.h>
#include <string.h>

#include "config/plan.h"

typedef struct finder {
    const char *key;
    const cru_param *found;
    const char **keys; /* of all, when not NULL */
    size_t count, capacity;
} finder;

static bool look(void *user, const cru_param *param, size_t base)
{
    (void)base;
    finder *f = user;
    if (f->key && strcmp(param->key, f->key) == 0) f->found = param;
    if (f->count < f->capacity) f->keys[f->count++] = param->key;
    return !f->found;
}

const cru_param *params_find(const cru_param *params, const char *key)
{
    finder f = {.key = key};
    if (params) cru_params_visit(params, look, &f);
    return f.found;
}

static void unknown_key(document *doc, const entry *e, const section_rules *rules)
{
    const char *keys[256];
    finder f = {.keys = keys, .capacity = sizeof keys / sizeof *keys};
    if (rules->params) cru_params_visit(rules->params, look, &f);
    const char *near = cru_nearest(e->key, keys, f.count);
    if (near)
        diagnostics_add(doc->diags, &e->place, e->key, "unknown setting of %s; did you mean %s?", rules->owner, near);
    else if (f.count == 0)
        diagnostics_add(doc->diags, &e->place, e->key, "unknown setting of %s, which has none", rules->owner);
    else
        diagnostics_add(doc->diags, &e->place, e->key, "unknown setting of %s", rules->owner);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *first_repeat(const value_list *list)
{
    const char **sorted = malloc((size_t)list->count * sizeof *sorted), *repeat = NULL;
    if (!sorted) cru_panic(CRU_NO_MEMORY, "no memory for %lld values", (long long)list->count);
    memcpy(sorted, list->items, (size_t)list->count * sizeof *sorted);
    qsort(sorted, (size_t)list->count, sizeof *sorted, by_text);
    for (int64_t i = 1; i < list->count && !repeat; i++)
        if (strcmp(sorted[i - 1], sorted[i]) == 0) repeat = sorted[i];
    free(sorted);
    return repeat;
}

/* A value through `scratch`, which knows types and ranges, into its canonical text. */
static cru_status canonical(document *doc, const entry *e, const char **value, cru_settings *scratch, cru_error *err)
{
    cru_status status = cru_settings_set(scratch, e->key, *value, err);
    if (status) return status;
    char *text = cru_settings_text(scratch);
    if (!text) cru_panic(CRU_NO_MEMORY, "no memory for settings");
    *value = settings_text_value(doc->arena, text, e->key);
    free(text);
    return CRU_OK;
}

static cru_status canonicalise(document *doc, entry *e, cru_settings *scratch, cru_error *err)
{
    const char **items = cru_arena_alloc(doc->arena, e->values.count, sizeof *items);
    for (int64_t i = 0; i < e->values.count; i++) {
        items[i] = e->values.items[i];
        cru_status status = canonical(doc, e, &items[i], scratch, err);
        if (status) return status;
    }
    e->values.items = items;
    const char *repeat = first_repeat(&e->values);
    if (repeat) return cru_fail(err, CRU_BAD_INPUT, "%s: %s is listed twice", e->key, repeat);
    return CRU_OK;
}

static cru_status check_values(document *doc, entry *e, const cru_param *param, cru_settings *scratch, cru_error *err)
{
    cru_error inner = {0};
    cru_status status = values_expand(doc->arena, e->text, param->type, &e->values, &inner);
    if (status) return cru_fail(err, status, "%s: %s", e->key, inner.text);
    return canonicalise(doc, e, scratch, err);
}

static cru_status check_search(document *doc, entry *e, const cru_param *param, cru_settings *scratch, cru_error *err)
{
    cru_error inner = {0};
    cru_status status = values_search(doc->arena, e->text, param, &e->search, &inner);
    if (status) return cru_fail(err, status, "%s: %s", e->key, inner.text);
    return e->search.initial ? canonical(doc, e, &e->search.initial, scratch, err) : CRU_OK;
}

/* Whether two runs of digits have a comma and no space between them, and are no longer list: "0,01" is, "0, 01" and
 * "1,2,3" are not. */
static const char *decimal_comma(const char *text)
{
    for (const char *at = text; *at;) {
        const size_t item = strcspn(at, " \t");
        const size_t whole = strspn(at, "0123456789"),
                     part = whole && at[whole] == ',' ? strspn(at + whole + 1, "0123456789") : 0;
        const size_t used = whole + 1 + part;
        if (part && (used == item || (used + 1 == item && at[used] == ','))) return at;
        at += item + strspn(at + item, " \t");
    }
    return NULL;
}

/* Much of the world writes 0,01 for 0.01; here that is a sweep over two values. */
static void warn_of_comma(document *doc, const entry *e, const cru_param *param)
{
    const char *at = param->type == CRU_PARAM_FLOAT ? decimal_comma(e->text) : NULL;
    if (!at) return;
    const int whole = (int)strcspn(at, ","), part = (int)strspn(at + whole + 1, "0123456789");
    diagnostics_add(
        doc->warnings, &e->place, e->key,
        "%.*s,%.*s is a list of two values; write %.*s.%.*s for the one number, or a space behind the comma", whole, at,
        part, at + whole + 1, whole, at, part, at + whole + 1);
}

static void check_entry(document *doc, entry *e, const section_rules *rules, cru_settings *scratch)
{
    const cru_param *param = params_find(rules->params, e->key);
    if (!param) {
        unknown_key(doc, e, rules);
        return;
    }
    cru_error err = {0};
    cru_status status;
    if (rules->grid && values_is_search(e->text)) {
        status = rules->search ? check_search(doc, e, param, scratch, &err)
                               : cru_fail(&err, CRU_BAD_INPUT, "%s: %s needs a method in [search]", e->key, e->text);
    } else if (rules->grid) {
        warn_of_comma(doc, e, param);
        status = check_values(doc, e, param, scratch, &err);
    } else {
        const char **one = cru_arena_alloc(doc->arena, 1, sizeof *one);
        *one = e->text;
        e->values = (value_list){one, 1};
        status = canonicalise(doc, e, scratch, &err);
    }
    if (!status)
        e->param = param;
    else
        diagnostics_add(doc->diags, &e->place, NULL, "%s", err.text);
}

void section_check(document *doc, section *s, const section_rules *rules)
{
    cru_settings *scratch = NULL;
    if (rules->params) {
        scratch = cru_settings_create(rules->params, rules->settings_size);
        if (!scratch) cru_panic(CRU_NO_MEMORY, "no memory for the settings of %s", rules->owner);
    }
    for (int64_t i = 0; i < s->count; i++) check_entry(doc, &s->entries[i], rules, scratch);
    cru_settings_destroy(scratch);
}
