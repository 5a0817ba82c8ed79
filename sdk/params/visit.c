// SPDX-License-Identifier: Apache-2.0
#include "params/visit.h"

#include <stdio.h>
#include <string.h>

typedef struct walker {
    cru_param_visitor *visit;
    void *user;
} walker;

static bool walk(const cru_param *table, size_t base, int depth, const walker *w)
{
    for (const cru_param *p = table; p->type != CRU_PARAM_END; p++) {
        bool enter = p->type == CRU_PARAM_GROUP && p->group && depth < PARAMS_MAX_DEPTH;
        bool go_on = enter ? walk(p->group, base + p->offset, depth + 1, w) : w->visit(w->user, p, base);
        if (!go_on) return false;
    }
    return true;
}

void cru_params_visit(const cru_param *table, cru_param_visitor *visit, void *user)
{
    if (table) walk(table, 0, 0, &(walker){.visit = visit, .user = user});
}

size_t param_field_size(cru_param_type type)
{
    switch (type) {
    case CRU_PARAM_INT:
    case CRU_PARAM_CHOICE:
        return sizeof(int64_t);
    case CRU_PARAM_FLOAT:
        return sizeof(double);
    case CRU_PARAM_BOOL:
        return sizeof(bool);
    case CRU_PARAM_STRING:
        return sizeof(const char *);
    case CRU_PARAM_LIST:
        return sizeof(cru_list);
    case CRU_PARAM_GROUP:
    case CRU_PARAM_END:
        break;
    }
    return 0;
}

typedef struct key_list {
    const char **keys;
    size_t count, capacity;
} key_list;

static bool add_key(void *user, const cru_param *param, size_t base)
{
    (void)base;
    key_list *list = user;
    if (list->count == list->capacity) return false;
    list->keys[list->count++] = param->key;
    return true;
}

size_t params_keys(const cru_param *table, const char **keys, size_t capacity)
{
    key_list list = {.keys = keys, .capacity = capacity};
    cru_params_visit(table, add_key, &list);
    return list.count;
}

void names_join(char *text, size_t size, const char *const *names, size_t count)
{
    static const char more[] = ", ...";
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < count; i++) {
        size_t need = strlen(names[i]) + 2;
        if (used + need + sizeof more > size) {
            snprintf(text + used, size - used, "%s", more);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", names[i]);
    }
}
