// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/schedule.h"

static char *join(const char *folder, const char *format, int32_t number)
{
    char name[64], *path = NULL;
    snprintf(name, sizeof name, format, number);
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* ---- what methods may read ------------------------------------------------------------------------------- */

/* The files of all working plugins that a worker loads, NULL-terminated; the strings are the registry's. */
static const char **plugin_files(const registry *plugins)
{
    size_t count = registry_count(plugins), used = 0;
    const char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const registry_entry *e = registry_at(plugins, i);
        bool wanted = e->kind == CRU_KIND_ALGORITHM || e->kind == CRU_KIND_BACKEND;
        if (wanted && !e->broken) list[used++] = e->path;
    }
    return list;
}

static cru_status open_slot(runner *r, int32_t index, const char *const *readable, cru_error *err)
{
    slot *s = &r->slots[index];
    s->scratch = join(r->scratch.path, "%d", index);
    if (!s->scratch || mkdir(s->scratch, 0700) != 0)
        return cru_fail(err, CRU_IO, "cannot make a scratch folder in %s: %s", r->scratch.path, strerror(errno));
    if (!r->run->sandbox) return CRU_OK;
    return sandbox_create(&(sandbox_options){.readable = readable, .scratch = s->scratch}, &s->box, err);
}

cru_status slots_open(runner *r, cru_error *err)
{
    r->slots = calloc((size_t)r->slot_count, sizeof *r->slots);
    const char **readable = plugin_files(r->options.plugins);
    cru_status status = r->slots && readable ? scratch_make(&r->scratch, err)
                                             : cru_fail(err, CRU_NO_MEMORY, "no memory for the workers");
    for (int32_t i = 0; status == CRU_OK && i < r->slot_count; i++) status = open_slot(r, i, readable, err);
    free(readable);
    return status;
}

void slots_close(runner *r)
{
    for (int32_t i = 0; r->slots && i < r->slot_count; i++) {
        sandbox_destroy(r->slots[i].box);
        free(r->slots[i].scratch);
    }
    free(r->slots);
    r->slots = NULL;
    scratch_remove(&r->scratch);
}

int32_t slots_take(runner *r)
{
    for (int32_t i = 0; i < r->slot_count; i++) {
        if (r->slots[i].taken) continue;
        r->slots[i].taken = true;
        return i;
    }
    return -1;
}

void slots_give(runner *r, int32_t index)
{
    scratch_empty(r->slots[index].scratch);
    r->slots[index].taken = false;
}
