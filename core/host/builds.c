// SPDX-License-Identifier: Apache-2.0
/* Which files of plugins a trial is made with. A plugin's version is its author's word for what it does; the checksum
 * of its file tells when that was not changed with the code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/schedule.h"

/* A plugin and the checksum of its file. */
struct build {
    const registry_entry *plugin; /* NULL: not asked for yet */
    char name[BUILD_NAME];
    char checksum[SHA256_HEX]; /* empty: the file cannot be read */
    struct stat seen;          /* the file with that checksum */
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

/* Read once a run. */
static build *build_of(runner *r, const registry_entry *plugin)
{
    build *b = r->builds;
    while (b->plugin && b->plugin != plugin) b++;
    if (!b->plugin) {
        b->plugin = plugin;
        snprintf(b->name, sizeof b->name, "%s %s %s", kind_name(plugin->kind), plugin->name, plugin->version);
        if (stat(plugin->path, &b->seen) != 0 || sha256_file(plugin->path, b->checksum, NULL)) b->checksum[0] = 0;
    }
    return b;
}

/* The plugins of a trial by number, NULL where it has none of that place. */
static int64_t plugin_count(const trial *t)
{
    return 4 + t->chain_count + t->metric_count;
}

static const registry_entry *plugin_at(const trial *t, int64_t i)
{
    const registry_entry *const single[] = {t->dataset->plugin, t->split->plugin, t->algorithm->plugin,
                                            t->algorithm->inner};
    if (i < 4) return single[i];
    i -= 4;
    return i < t->chain_count ? t->chain[i]->plugin : t->metrics[i - t->chain_count]->plugin;
}

store_build *builds_of(runner *r, const trial *t, int64_t *count)
{
    store_build *list = calloc((size_t)plugin_count(t), sizeof *list);
    *count = 0;
    for (int64_t i = 0; list && i < plugin_count(t); i++) {
        const registry_entry *plugin = plugin_at(t, i);
        const build *b = plugin ? build_of(r, plugin) : NULL;
        if (b && b->checksum[0]) list[(*count)++] = (store_build){b->name, b->checksum};
    }
    return list;
}

/* ---- during the run -------------------------------------------------------------------------------------- */

static bool same_time(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           same_time(&a->st_mtim, &b->st_mtim) && same_time(&a->st_ctim, &b->st_ctim);
}

/* One that was only written again is the same. */
static bool has_changed(build *b)
{
    struct stat now;
    char checksum[SHA256_HEX];
    if (!b->checksum[0] || stat(b->plugin->path, &now) != 0) return true;
    if (same_file(&now, &b->seen)) return false;
    if (sha256_file(b->plugin->path, checksum, NULL) || strcmp(checksum, b->checksum) != 0) return true;
    b->seen = now;
    return false;
}

bool builds_changed(runner *r, const trial *t)
{
    for (int64_t i = 0; i < plugin_count(t); i++) {
        const registry_entry *plugin = plugin_at(t, i);
        if (!plugin || !has_changed(build_of(r, plugin))) continue;
        if (!r->stop.status)
            cru_fail(&r->stop, CRU_FAILED,
                     "%s has changed since the run began; no trial fails for it: run the same command again to go on",
                     plugin->path);
        return true;
    }
    return false;
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
    if (!today || !today->checksum[0] || strcmp(today->checksum, stored->checksum) == 0) return true;
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
