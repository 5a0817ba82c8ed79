#include "registry/copy.h"

#include <string.h>

static const char *const *copy_choices(arena *a, const char *const *choices, int *failed)
{
    if (!choices) return NULL;
    size_t count = 0;
    while (choices[count]) count++;
    const char **copy = arena_alloc(a, count + 1, sizeof *copy);
    if (!copy) {
        *failed = 1;
        return NULL;
    }
    for (size_t i = 0; i < count; i++) copy[i] = arena_text(a, choices[i], failed);
    return copy;
}

static const double *copy_values(arena *a, const double *values, int64_t count, int *failed)
{
    if (!values || count <= 0) return NULL;
    double *copy = arena_alloc(a, (size_t)count, sizeof *copy);
    if (!copy) {
        *failed = 1;
        return NULL;
    }
    return memcpy(copy, values, (size_t)count * sizeof *copy);
}

typedef struct table_copy {
    arena *memory;
    cru_param *next;
    int failed;
} table_copy;

static bool count_param(void *user, const cru_param *param, size_t base)
{
    (void)param;
    (void)base;
    ++*(size_t *)user;
    return true;
}

static bool copy_param(void *user, const cru_param *param, size_t base)
{
    table_copy *copy = user;
    arena *a = copy->memory;
    cru_param *to = copy->next++;
    *to = *param;
    to->key = arena_text(a, param->key, &copy->failed);
    to->offset = base + param->offset;
    to->text = arena_text(a, param->text, &copy->failed);
    to->choices = copy_choices(a, param->choices, &copy->failed);
    to->search.values = copy_values(a, param->search.values, param->search.count, &copy->failed);
    to->help = arena_text(a, param->help, &copy->failed);
    return !copy->failed;
}

static const cru_param *copy_table(arena *a, const cru_param *table, int *failed)
{
    if (!table) return NULL;
    size_t count = 0;
    cru_params_visit(table, count_param, &count);
    cru_param *flat = arena_alloc(a, count + 1, sizeof *flat); /* zeroed: ends with CRU_PARAM_END */
    if (!flat) {
        *failed = 1;
        return NULL;
    }
    table_copy copy = {.memory = a, .next = flat};
    cru_params_visit(table, copy_param, &copy);
    *failed |= copy.failed;
    return flat;
}

cru_status entry_copy(arena *a, const registry_entry *from, registry_entry *to)
{
    int failed = 0;
    *to = *from;
    to->name = arena_text(a, from->name, &failed);
    to->version = arena_text(a, from->version, &failed);
    to->summary = arena_text(a, from->summary, &failed);
    to->authors = arena_text(a, from->authors, &failed);
    to->citation = arena_text(a, from->citation, &failed);
    to->license = arena_text(a, from->license, &failed);
    to->path = arena_text(a, from->path, &failed);
    to->broken = arena_text(a, from->broken, &failed);
    to->params = copy_table(a, from->params, &failed);
    return failed ? CRU_NO_MEMORY : CRU_OK;
}
