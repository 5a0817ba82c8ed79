// SPDX-License-Identifier: Apache-2.0
#include "registry/copy.h"

#include <string.h>

#include "config/strings.h"

const char *text_copy(cru_arena *a, const char *text)
{
    return text ? string_copy(a, text) : NULL;
}

static const char *const *copy_choices(cru_arena *a, const char *const *choices)
{
    if (!choices) return NULL;
    int64_t count = 0;
    while (choices[count]) count++;
    const char **copy = cru_arena_alloc_zeroed(a, count + 1, sizeof *copy);
    for (int64_t i = 0; i < count; i++) copy[i] = text_copy(a, choices[i]);
    return copy;
}

static const double *copy_values(cru_arena *a, const double *values, int64_t count)
{
    if (!values || count <= 0) return NULL;
    double *copy = cru_arena_alloc(a, count, sizeof *copy);
    return memcpy(copy, values, (size_t)count * sizeof *copy);
}

typedef struct table_copy {
    cru_arena *memory;
    cru_param *next;
} table_copy;

static bool count_param(void *user, const cru_param *param, size_t base)
{
    (void)param;
    (void)base;
    ++*(int64_t *)user;
    return true;
}

static bool copy_param(void *user, const cru_param *param, size_t base)
{
    table_copy *copy = user;
    cru_arena *a = copy->memory;
    cru_param *to = copy->next++;
    *to = *param;
    to->key = text_copy(a, param->key);
    to->offset = base + param->offset;
    to->text = text_copy(a, param->text);
    to->choices = copy_choices(a, param->choices);
    to->search.values = copy_values(a, param->search.values, param->search.count);
    to->help = text_copy(a, param->help);
    return true;
}

static const cru_param *copy_table(cru_arena *a, const cru_param *table)
{
    if (!table) return NULL;
    int64_t count = 0;
    cru_params_visit(table, count_param, &count);
    cru_param *flat = cru_arena_alloc_zeroed(a, count + 1, sizeof *flat); /* ends with CRU_PARAM_END */
    table_copy copy = {.memory = a, .next = flat};
    cru_params_visit(table, copy_param, &copy);
    return flat;
}

registry_entry entry_copy(cru_arena *a, const registry_entry *from)
{
    registry_entry to = *from;
    to.name = text_copy(a, from->name);
    to.version = text_copy(a, from->version);
    to.summary = text_copy(a, from->summary);
    to.authors = text_copy(a, from->authors);
    to.citation = text_copy(a, from->citation);
    to.license = text_copy(a, from->license);
    to.homepage = text_copy(a, from->homepage);
    to.categories = text_copy(a, from->categories);
    to.path = text_copy(a, from->path);
    to.broken = text_copy(a, from->broken);
    to.params = copy_table(a, from->params);
    return to;
}
