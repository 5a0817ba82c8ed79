// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/schedule.h"
#include "python/interpreter.h"
#include "worker/sandbox-rules.h"

/* ---- what methods may open ------------------------------------------------------------------------------- */

/* Of each method that was run; found once, since libraries beside a plugin are looked for. */
struct permits {
    permits *next;
    const registry_entry *plugin, *inner;
    sandbox_rules *rules;
};

/* The files of all working plugins, NULL-terminated; the strings are the registry's. */
static const char **plugin_files(const registry *plugins)
{
    size_t count = registry_count(plugins), used = 0;
    const char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const registry_entry *e = registry_at(plugins, i);
        if (!e->broken) list[used++] = e->path;
    }
    return list;
}

static cru_status find_rules(runner *r, const variant *method, const sandbox_rules **out, cru_error *err)
{
    const registry_entry *plugin = method->plugin, *inner = method->inner;
    for (const permits *p = r->permits; p; p = p->next) {
        *out = p->rules;
        if (p->plugin == plugin && p->inner == inner) return CRU_OK;
    }
    permits *p = calloc(1, sizeof *p);
    const char **others = plugin_files(r->options.plugins);
    const registry_entry *backend = r->device.backend;
    const char *files[4] = {plugin->path};
    int count = 1;
    if (inner) files[count++] = inner->path;
    if (backend) files[count++] = backend->path;
    const char *scripts[] = {plugin->path, NULL};
    const bool script = is_python(plugin->path);
    sandbox_files wanted = {.plugins = script ? NULL : files,
                            .scripts = script ? scripts : NULL,
                            .readable = script ? r->interpreter->readable : NULL,
                            .modules = script ? r->interpreter->folders : NULL,
                            .others = others,
                            .libraries = true,
                            .landlock_most = r->options.landlock_most};
    cru_status status =
        p && others ? rules_create(&wanted, &p->rules, err) : cru_fail(err, CRU_NO_MEMORY, "no memory for the sandbox");
    free(others);
    if (status) {
        free(p);
        return status;
    }
    p->plugin = plugin;
    p->inner = inner;
    p->next = r->permits;
    r->permits = p;
    *out = p->rules;
    return CRU_OK;
}

static void forget_ruleset(slot *s)
{
    if (s->ruleset >= 0) close(s->ruleset);
    s->ruleset = -1;
}

/* One that was made for this folder and these plugins says the same again. Workers close theirs before a plugin
 * runs. */
cru_status slots_ruleset(runner *r, int32_t index, const variant *method, int *ruleset, cru_error *err)
{
    slot *s = &r->slots[index];
    const sandbox_rules *rules;
    *ruleset = s->ruleset;
    if (!r->run->sandbox || (s->ruleset >= 0 && s->ruled == method->plugin && s->ruled_inner == method->inner))
        return CRU_OK;
    forget_ruleset(s);
    cru_status status = find_rules(r, method, &rules, err);
    if (!status) status = rules_make(rules, s->folder, &s->ruleset, err);
    s->ruled = method->plugin;
    s->ruled_inner = method->inner;
    *ruleset = s->ruleset;
    return status;
}

/* ---- places ---------------------------------------------------------------------------------------------- */

static cru_status fail_scratch(const runner *r, cru_error *err)
{
    return cru_fail(err, CRU_IO, "cannot make a scratch folder in %s: %s", r->scratch.path, strerror(errno));
}

static cru_status open_slot(runner *r, slot *s, cru_error *err)
{
    char name[SCRATCH_NAME];
    s->parent = scratch_begin(r->scratch.lock, name);
    if (s->parent < 0) return fail_scratch(r, err);
    int length = snprintf(s->path, sizeof s->path, "%s/%s/", r->scratch.path, name);
    return length + SCRATCH_NAME < (int)sizeof s->path ? CRU_OK : cru_fail(err, CRU_IO, "TMPDIR is too long");
}

cru_status slots_open(runner *r, cru_error *err)
{
    r->slots = calloc((size_t)r->slot_count, sizeof *r->slots);
    if (!r->slots) return cru_fail(err, CRU_NO_MEMORY, "no memory for the workers");
    for (int32_t i = 0; i < r->slot_count; i++) r->slots[i] = (slot){.parent = -1, .folder = -1, .ruleset = -1};
    if (r->run->scratch == 0) return CRU_OK;
    cru_status status = scratch_make(&r->scratch, err);
    for (int32_t i = 0; !status && i < r->slot_count; i++) status = open_slot(r, &r->slots[i], err);
    return status;
}

void slots_close(runner *r)
{
    for (int32_t i = 0; r->slots && i < r->slot_count; i++) {
        forget_ruleset(&r->slots[i]);
        if (r->slots[i].folder >= 0) close(r->slots[i].folder);
        if (r->slots[i].parent >= 0) close(r->slots[i].parent);
    }
    free(r->slots);
    r->slots = NULL;
    for (permits *p = r->permits, *next; p; p = next) {
        next = p->next;
        rules_destroy(p->rules);
        free(p);
    }
    r->permits = NULL;
    scratch_remove(&r->scratch);
}

static void new_folder(runner *r, slot *s)
{
    s->folder = scratch_begin(s->parent, s->name);
    if (s->folder < 0) {
        fail_scratch(r, &r->error);
        s->name[0] = 0;
    } else {
        strcpy(strrchr(s->path, '/') + 1, s->name);
    }
}

int32_t slots_take(runner *r)
{
    for (int32_t i = 0; i < r->slot_count; i++) {
        slot *s = &r->slots[i];
        if (s->taken) continue;
        s->taken = true;
        if (s->parent >= 0 && s->folder < 0) new_folder(r, s);
        return i;
    }
    return -1;
}

/* Most methods write nothing. A folder without a trace of its trial is the next one's. */
void slots_give(runner *r, int32_t index)
{
    slot *s = &r->slots[index];
    s->taken = false;
    if (s->parent < 0 || (s->folder >= 0 && scratch_untouched(s->folder))) return;
    forget_ruleset(s);
    if (s->folder >= 0) close(s->folder);
    if (s->name[0]) scratch_end(s->parent, s->name);
    s->folder = -1;
    s->name[0] = 0;
}
