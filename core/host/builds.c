// SPDX-License-Identifier: Apache-2.0
/* Which files of plugins a trial is made with. A plugin's version is its author's word for what it does; the checksum
 * of its file tells when that was not changed with the code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/schedule.h"

/* A plugin and the checksum of its file. */
struct build {
    const registry_entry *plugin; /* NULL: not asked for yet */
    char name[BUILD_NAME];
    char checksum[SHA256_HEX]; /* empty: the file cannot be read */
};

cru_status builds_open(runner *r, cru_error *err)
{
    r->builds = calloc(registry_count(r->options.plugins) + 1, sizeof *r->builds);
    return r->builds ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "no memory for the runner");
}

void builds_close(runner *r)
{
    free(r->builds);
    r->builds = NULL;
}

/* Read once a run; NULL when the file cannot be. */
static const build *build_of(runner *r, const registry_entry *plugin)
{
    build *b = r->builds;
    while (b->plugin && b->plugin != plugin) b++;
    if (!b->plugin) {
        b->plugin = plugin;
        snprintf(b->name, sizeof b->name, "%s %s %s", kind_name(plugin->kind), plugin->name, plugin->version);
        if (sha256_file(plugin->path, b->checksum, NULL) != CRU_OK) b->checksum[0] = 0;
    }
    return b->checksum[0] ? b : NULL;
}

static void add(runner *r, const registry_entry *plugin, store_build *list, int64_t *count)
{
    const build *b = plugin ? build_of(r, plugin) : NULL;
    if (b) list[(*count)++] = (store_build){b->name, b->checksum};
}

store_build *builds_of(runner *r, const trial *t, int64_t *count)
{
    store_build *list = calloc((size_t)(4 + t->chain_count + t->metric_count), sizeof *list);
    *count = 0;
    if (!list) return NULL;
    add(r, t->dataset->plugin, list, count);
    add(r, t->split->plugin, list, count);
    for (int32_t i = 0; i < t->chain_count; i++) add(r, t->chain[i]->plugin, list, count);
    add(r, t->algorithm->plugin, list, count);
    add(r, t->algorithm->inner, list, count);
    for (int64_t i = 0; i < t->metric_count; i++) add(r, t->metrics[i]->plugin, list, count);
    return list;
}

/* ---- since the results ----------------------------------------------------------------------------------- */

typedef struct comparison {
    runner *runner;
    char *text;
    size_t size;
    int64_t count;
    char last[BUILD_NAME]; /* the plugin that was added last; they come in order */
} comparison;

/* The plugin of that kind, name and version that would be used today. */
static const build *find(runner *r, const char *name)
{
    const registry *plugins = r->options.plugins;
    for (size_t i = 0; i < registry_count(plugins); i++) {
        const registry_entry *e = registry_at(plugins, i);
        char today[BUILD_NAME];
        if (e->broken) continue;
        snprintf(today, sizeof today, "%s %s %s", kind_name(e->kind), e->name, e->version);
        if (strcmp(today, name) == 0) return build_of(r, e);
    }
    return NULL;
}

static bool compare(void *user, const store_build *stored)
{
    comparison *c = user;
    const build *today = find(c->runner, stored->plugin);
    if (!today || strcmp(today->checksum, stored->checksum) == 0) return true;
    if (strcmp(c->last, stored->plugin) == 0) return true; /* yet another file of it */
    snprintf(c->last, sizeof c->last, "%s", stored->plugin);
    size_t used = strlen(c->text);
    const char *name = strchr(stored->plugin, ' ') + 1; /* without the kind */
    snprintf(c->text + used, c->size - used, "%s%s", c->count++ ? ", " : "", name);
    return true;
}

cru_status runner_rebuilt(runner *r, int64_t id, runner_rebuilds *out, cru_error *err)
{
    *out = (runner_rebuilds){0};
    comparison c = {.runner = r, .text = out->names, .size = sizeof out->names};
    cru_status status = store_each_build(r->options.store, id, compare, &c, err);
    out->count = c.count;
    return status;
}
