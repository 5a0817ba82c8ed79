// SPDX-License-Identifier: Apache-2.0
#include "registry/codec.h"

#include <stdlib.h>
#include <string.h>

#include "registry/copy.h"

enum { NO_TEXT = 0xffffffffu };

/* ---- writing --------------------------------------------------------------------------------------------------- */

void bytes_put(bytes *b, const void *data, size_t size)
{
    if (b->failed || size == 0) return;
    if (b->capacity - b->size < size) {
        size_t capacity = b->capacity ? b->capacity : 1024;
        while (capacity - b->size < size) capacity *= 2;
        unsigned char *grown = realloc(b->data, capacity);
        if (!grown) {
            b->failed = true;
            return;
        }
        b->data = grown;
        b->capacity = capacity;
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_u32(bytes *b, uint32_t value)
{
    bytes_put(b, &value, sizeof value);
}

static void put_u64(bytes *b, uint64_t value)
{
    bytes_put(b, &value, sizeof value);
}

static void put_number(bytes *b, double value)
{
    bytes_put(b, &value, sizeof value);
}

void bytes_put_text(bytes *b, const char *text)
{
    if (!text) {
        put_u32(b, NO_TEXT);
        return;
    }
    size_t length = strlen(text);
    put_u32(b, (uint32_t)length);
    bytes_put(b, text, length + 1);
}

static void put_search(bytes *b, const cru_search *search)
{
    uint32_t count = search->values && search->count > 0 ? (uint32_t)search->count : 0;
    put_u32(b, search->kind);
    put_number(b, search->lo);
    put_number(b, search->hi);
    put_u32(b, count);
    bytes_put(b, search->values, count * sizeof *search->values);
}

static bool put_param(void *user, const cru_param *param, size_t base)
{
    bytes *b = user;
    uint32_t choices = 0;
    while (param->choices && param->choices[choices]) choices++;
    put_u32(b, param->type);
    bytes_put_text(b, param->key);
    put_u64(b, base + param->offset);
    put_number(b, param->number);
    bytes_put_text(b, param->text);
    put_number(b, param->min);
    put_number(b, param->max);
    put_u32(b, choices);
    for (uint32_t i = 0; i < choices; i++) bytes_put_text(b, param->choices[i]);
    put_search(b, &param->search);
    bytes_put_text(b, param->help);
    return true;
}

void entry_encode(bytes *b, const registry_entry *entry)
{
    const char *texts[] = {entry->name,    entry->version,  entry->summary,    entry->authors, entry->citation,
                           entry->license, entry->homepage, entry->categories, entry->path,    entry->broken};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) bytes_put_text(b, texts[i]);
    put_u32(b, (uint32_t)entry->kind);
    put_u32(b, entry->problems);
    put_u32(b, entry->flags);
    put_u64(b, entry->settings_size);
    put_u32(b, entry->params != NULL);
    if (!entry->params) return;
    cru_params_visit(entry->params, put_param, b);
    put_u32(b, CRU_PARAM_END);
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

void reader_take(reader *r, void *to, size_t size)
{
    if (r->bad || size > r->left) {
        r->bad = true;
        memset(to, 0, size);
        return;
    }
    memcpy(to, r->at, size);
    r->at += size;
    r->left -= size;
}

uint32_t reader_u32(reader *r)
{
    uint32_t value;
    reader_take(r, &value, sizeof value);
    return value;
}

uint64_t reader_u64(reader *r)
{
    uint64_t value;
    reader_take(r, &value, sizeof value);
    return value;
}

static double take_number(reader *r)
{
    double value;
    reader_take(r, &value, sizeof value);
    return value;
}

const char *reader_text(reader *r)
{
    uint32_t length = reader_u32(r);
    if (r->bad || length == NO_TEXT) return NULL;
    const char *text = (const char *)r->at;
    if (r->left < (size_t)length + 1 || text[length] || memchr(text, 0, length)) {
        r->bad = true;
        return NULL;
    }
    r->at += (size_t)length + 1;
    r->left -= (size_t)length + 1;
    return text;
}

/* Memory for `count` things that take at least `least` bytes each in the input: a lying count allocates nothing. */
static void *room(reader *r, cru_arena *a, size_t count, size_t least, size_t size)
{
    if (r->bad || count > r->left / least) {
        r->bad = true;
        return NULL;
    }
    return cru_arena_alloc_zeroed(a, (int64_t)count + 1, size);
}

static const char *take_text(reader *r, cru_arena *a)
{
    return text_copy(a, reader_text(r));
}

static const char *const *take_choices(reader *r, cru_arena *a)
{
    uint32_t count = reader_u32(r);
    const char **choices = count ? room(r, a, count, sizeof(uint32_t), sizeof *choices) : NULL;
    if (!choices) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        choices[i] = take_text(r, a);
        if (!choices[i]) r->bad = true;
    }
    return choices;
}

static cru_search take_search(reader *r, cru_arena *a)
{
    cru_search search = {.kind = (cru_search_kind)reader_u32(r)};
    search.lo = take_number(r);
    search.hi = take_number(r);
    uint32_t count = reader_u32(r);
    double *values = count ? room(r, a, count, sizeof *values, sizeof *values) : NULL;
    if (values) reader_take(r, values, count * sizeof *values);
    search.values = values;
    search.count = values ? count : 0;
    return search;
}

static cru_param take_param(reader *r, cru_arena *a, cru_param_type type)
{
    cru_param param = {.type = type};
    param.key = take_text(r, a);
    param.offset = (size_t)reader_u64(r);
    param.number = take_number(r);
    param.text = take_text(r, a);
    param.min = take_number(r);
    param.max = take_number(r);
    param.choices = take_choices(r, a);
    param.search = take_search(r, a);
    param.help = take_text(r, a);
    return param;
}

static const cru_param *take_table(reader *r, cru_arena *a)
{
    enum { PARAMS_MAX = 4096 };
    static const cru_param end = CRU_END;
    if (!reader_u32(r)) return NULL;
    int64_t count = 0, capacity = 16;
    cru_param *table = cru_arena_alloc_zeroed(a, capacity + 1, sizeof *table);
    for (cru_param_type type; (type = (cru_param_type)reader_u32(r)) != CRU_PARAM_END; count++) {
        if (type >= CRU_PARAM_GROUP || count == PARAMS_MAX) r->bad = true;
        if (count == capacity) {
            cru_param *grown = cru_arena_alloc_zeroed(a, 2 * capacity + 1, sizeof *grown);
            table = memcpy(grown, table, (size_t)count * sizeof *table);
            capacity *= 2;
        }
        if (r->bad) break;
        table[count] = take_param(r, a, type);
    }
    return r->bad ? &end : table;
}

static bool is_trustworthy(const registry_entry *entry)
{
    if (!entry->name || !entry->path) return false;
    if (entry->broken) return true;
    if (entry->kind < CRU_KIND_DATASET || entry->kind > CRU_KIND_SPLIT || !entry->version || !entry->summary)
        return false;
    return !entry->params || cru_params_check(entry->params, entry->settings_size, NULL) == CRU_OK;
}

cru_status entry_decode(reader *r, cru_arena *a, registry_entry *entry)
{
    *entry = (registry_entry){0};
    const char **texts[] = {&entry->name,    &entry->version,  &entry->summary,    &entry->authors, &entry->citation,
                            &entry->license, &entry->homepage, &entry->categories, &entry->path,    &entry->broken};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) *texts[i] = take_text(r, a);
    entry->kind = (cru_kind)reader_u32(r);
    entry->problems = reader_u32(r);
    entry->flags = reader_u32(r);
    entry->settings_size = (size_t)reader_u64(r);
    entry->params = take_table(r, a);
    return r->bad || !is_trustworthy(entry) ? CRU_BAD_INPUT : CRU_OK;
}
