// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/arena.h>

#include "params/number.h"
#include "params/read.h"
#include "params/visit.h"

const char *const cru_variant_names[] = {"bench", "paper", NULL};

struct cru_settings {
    const cru_param *table;
    cru_arena *arena; /* holds this object, the struct, strings and lists */
    unsigned char *fields;
    bool complete; /* every default could be stored */
};

static bool set_default(void *user, const cru_param *p, size_t base)
{
    cru_settings *settings = user;
    settings->complete = param_default(p, settings->fields + base + p->offset, settings->arena);
    return settings->complete;
}

cru_settings *cru_settings_create(const cru_param *table, size_t settings_size)
{
    cru_arena *arena = cru_arena_create();
    if (!arena) return NULL;
    cru_settings *settings = cru_arena_try_zeroed(arena, 1, sizeof *settings);
    if (!settings) goto failed;
    *settings = (cru_settings){.table = table, .arena = arena, .complete = true};
    settings->fields = cru_arena_try_zeroed(arena, 1, settings_size);
    if (!settings->fields) goto failed;
    cru_params_visit(table, set_default, settings);
    if (settings->complete) return settings;
failed:
    cru_arena_destroy(arena);
    return NULL;
}

void cru_settings_destroy(cru_settings *settings)
{
    if (settings) cru_arena_destroy(settings->arena);
}

const void *cru_settings_struct(const cru_settings *settings)
{
    return settings->fields;
}

typedef struct finder {
    const char *key;
    const cru_param *param;
    size_t base;
} finder;

static bool find_key(void *user, const cru_param *param, size_t base)
{
    finder *f = user;
    if (strcmp(param->key, f->key) != 0) return true;
    f->param = param;
    f->base = base;
    return false;
}

static cru_status unknown_key(const cru_settings *settings, const char *key, cru_error *err)
{
    const char *keys[256];
    char all[300];
    size_t count = params_keys(settings->table, keys, sizeof keys / sizeof *keys);
    if (count == 0) return cru_fail(err, CRU_BAD_INPUT, "%.80s: no such setting; there are none", key);
    const char *near = cru_nearest(key, keys, count);
    if (near) return cru_fail(err, CRU_BAD_INPUT, "%.80s: no such setting; did you mean %s?", key, near);
    names_join(all, sizeof all, keys, count);
    return cru_fail(err, CRU_BAD_INPUT, "%.80s: no such setting; there are %s", key, all);
}

cru_status cru_settings_set(cru_settings *settings, const char *key, const char *text, cru_error *err)
{
    finder found = {.key = key};
    cru_params_visit(settings->table, find_key, &found);
    if (!found.param) return unknown_key(settings, key, err);
    param_target target = {.field = settings->fields + found.base + found.param->offset, .arena = settings->arena};
    return param_read(found.param, text, &target, err);
}

typedef struct printer {
    const unsigned char *fields;
    FILE *out;
} printer;

static void print_list(FILE *out, const cru_list *list)
{
    char number[NUMBER_TEXT];
    for (int64_t i = 0; i < list->count; i++) fprintf(out, "%s%s", i ? ", " : "", number_text(list->values[i], number));
}

static bool print_value(void *user, const cru_param *p, size_t base)
{
    const printer *to = user;
    const void *field = to->fields + base + p->offset;
    char number[NUMBER_TEXT];
    fprintf(to->out, "%s=", p->key);
    switch (p->type) {
    case CRU_PARAM_INT:
        fprintf(to->out, "%lld", (long long)*(const int64_t *)field);
        break;
    case CRU_PARAM_FLOAT:
        fputs(number_text(*(const double *)field, number), to->out);
        break;
    case CRU_PARAM_BOOL:
        fputs(*(const bool *)field ? "true" : "false", to->out);
        break;
    case CRU_PARAM_CHOICE:
        fputs(p->choices[*(const int64_t *)field], to->out);
        break;
    case CRU_PARAM_STRING:
        fputs(*(const char *const *)field, to->out);
        break;
    case CRU_PARAM_LIST:
        print_list(to->out, field);
        break;
    case CRU_PARAM_GROUP:
    case CRU_PARAM_END:
        break;
    }
    fputc('\n', to->out);
    return true;
}

char *cru_settings_text(const cru_settings *settings)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    cru_params_visit(settings->table, print_value, &(printer){.fields = settings->fields, .out = out});
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
