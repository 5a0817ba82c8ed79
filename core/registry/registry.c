// SPDX-License-Identifier: Apache-2.0
#include "registry/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/copy.h"

struct registry {
    cru_arena *memory;
    registry_entry *entries;
    size_t count, capacity;
};

registry *registry_create(void)
{
    registry *r = calloc(1, sizeof *r);
    if (r) r->memory = cru_arena_create();
    if (r && r->memory) return r;
    free(r);
    return NULL;
}

void registry_destroy(registry *r)
{
    if (!r) return;
    cru_arena_destroy(r->memory);
    free(r->entries);
    free(r);
}

static bool reserve(registry *r)
{
    if (r->count < r->capacity) return true;
    size_t capacity = r->capacity ? 2 * r->capacity : 64;
    registry_entry *entries = realloc(r->entries, capacity * sizeof *entries);
    if (!entries) return false;
    r->entries = entries;
    r->capacity = capacity;
    return true;
}

cru_status registry_add(registry *r, const registry_entry *entry)
{
    registry_entry added = *entry;
    cru_error taken = {0};
    if (!entry->broken) {
        const registry_entry *winner = registry_find(r, entry->kind, entry->name);
        if (winner) {
            cru_fail(&taken, CRU_FAILED, "the %s name '%s' is already taken by %s", kind_name(entry->kind), entry->name,
                     winner->path);
            added.broken = taken.text;
        }
    }
    if (!reserve(r)) return CRU_NO_MEMORY;
    r->entries[r->count++] = entry_copy(r->memory, &added);
    return CRU_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const registry_entry *x = a, *y = b;
    if (!x->broken != !y->broken) return x->broken ? 1 : -1;
    if (x->broken) return strcmp(x->path, y->path);
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return strcmp(x->name, y->name);
}

void registry_sort(registry *r)
{
    if (r->count) qsort(r->entries, r->count, sizeof *r->entries, compare_entries);
}

size_t registry_count(const registry *r)
{
    return r->count;
}

const registry_entry *registry_at(const registry *r, size_t index)
{
    cru_assert(index < r->count, "registry: entry %zu of %zu", index, r->count);
    return &r->entries[index];
}

size_t registry_broken_count(const registry *r)
{
    size_t broken = 0;
    for (size_t i = 0; i < r->count; i++) broken += r->entries[i].broken != NULL;
    return broken;
}

const registry_entry *registry_find(const registry *r, cru_kind kind, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        const registry_entry *entry = &r->entries[i];
        if (!entry->broken && entry->kind == kind && strcmp(entry->name, name) == 0) return entry;
    }
    return NULL;
}

/* Whether the file is called `name`.so. */
static bool has_stem(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    return strncmp(base, name, strlen(name)) == 0 && strcmp(base + strlen(name), ".so") == 0;
}

const registry_entry *registry_find_broken(const registry *r, cru_kind kind, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        const registry_entry *entry = &r->entries[i];
        if (!entry->broken || (kind && entry->kind && entry->kind != kind)) continue;
        if (strcmp(entry->name, name) == 0 || (entry->path && has_stem(entry->path, name))) return entry;
    }
    return NULL;
}

const char *registry_nearest(const registry *r, cru_kind kind, const char *name)
{
    const char **names = malloc((r->count + 1) * sizeof *names);
    if (!names) return NULL;
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        const registry_entry *entry = &r->entries[i];
        if (!entry->broken && (!kind || entry->kind == kind)) names[count++] = entry->name;
    }
    const char *nearest = cru_nearest(name, names, count);
    free(names);
    return nearest;
}
