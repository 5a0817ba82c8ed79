// SPDX-License-Identifier: Apache-2.0
/* The names in a configuration: which plugin or card each stands for, and whether its settings suit. */
#include <stdlib.h>
#include <string.h>

#include "config/plan.h"

static const cru_kind kinds[SECTION_TYPES] = {
    [SECTION_DATASET] = CRU_KIND_DATASET,
    [SECTION_CORRUPTOR] = CRU_KIND_CORRUPTOR,
    [SECTION_ALGORITHM] = CRU_KIND_ALGORITHM,
    [SECTION_METRIC] = CRU_KIND_METRIC,
};

/* ---- lists of [experiment] ------------------------------------------------------------------------------- */

static const char *list_text(const config_loader *l, section_type type)
{
    switch (type) {
    case SECTION_DATASET:
        return l->lists.datasets;
    case SECTION_CORRUPTOR:
        return l->lists.corruptors;
    case SECTION_ALGORITHM:
        return l->lists.algorithms;
    case SECTION_METRIC:
        return l->lists.metrics;
    default:
        return "";
    }
}

static bool is_none(section_type type, const char *word)
{
    return type == SECTION_CORRUPTOR && strcmp(word, "none") == 0;
}

static section **all_sections(config_loader *l, section_type type, int64_t *count)
{
    section **out = cru_arena_alloc(l->doc.arena, l->doc.count, sizeof *out);
    *count = 0;
    for (int64_t i = 0; i < l->doc.count; i++)
        if (l->doc.sections[i]->type == type && !l->doc.sections[i]->on) out[(*count)++] = l->doc.sections[i];
    return out;
}

section **loader_selected(config_loader *l, section_type type, int64_t *count)
{
    const char *text = list_text(l, type);
    if (!*text) return all_sections(l, type, count);
    section **out = cru_arena_alloc(l->doc.arena, (int64_t)strlen(text), sizeof *out);
    *count = 0;
    char *cursor = NULL, *words = string_copy(l->doc.arena, text);
    for (char *word = strtok_r(words, " \t,|", &cursor); word; word = strtok_r(NULL, " \t,|", &cursor)) {
        section *s = document_find(&l->doc, type, word);
        if (s) out[(*count)++] = s;
    }
    return out;
}

/* Where a list was written; the first line of the first file when it is a default. */
static config_place list_place(const config_loader *l, const char *key)
{
    const section *s = document_find(&l->doc, SECTION_EXPERIMENT, NULL);
    const entry *e = s ? section_find(s, key) : NULL;
    return e ? e->place : (config_place){.file = l->request->files[0], .order = 1};
}

static void open_implicit(config_loader *l, section_type type, const char *name, const config_place *place)
{
    section s = {.type = type, .name = name, .label = name, .place = *place};
    s.title = string_format(l->doc.arena, "%s %s", section_type_names[type], name);
    document_open(&l->doc, &s);
}

/* Names that are listed but have no section get an empty one. */
static void add_listed(config_loader *l, section_type type, const char *key)
{
    config_place place = list_place(l, key);
    char *cursor = NULL, *words = string_copy(l->doc.arena, list_text(l, type));
    for (char *word = strtok_r(words, " \t,|", &cursor); word; word = strtok_r(NULL, " \t,|", &cursor))
        if (!is_none(type, word)) open_implicit(l, type, word, &place);
}

/* ---- plugins --------------------------------------------------------------------------------------------- */

static void unknown_name(config_loader *l, const section *s, const char *near)
{
    const char *type = section_type_names[s->type];
    const registry_entry *broken = registry_find_broken(l->request->registry, kinds[s->type], s->name);
    if (broken)
        diagnostics_add(l->doc.diags, &s->place, s->name, "unknown %s; %s is broken: %s", type, broken->path,
                        broken->broken);
    else if (near)
        diagnostics_add(l->doc.diags, &s->place, s->name, "unknown %s; did you mean %s?", type, near);
    else
        diagnostics_add(l->doc.diags, &s->place, s->name, "unknown %s", type);
}

/* A file that was put where plugins are found and that another of its name stands before, or that is broken, would be
 * missed without a word: its author takes the numbers of the other for those of his own. */
static void warn_of_passed_over(config_loader *l, const section *s)
{
    const registry_entry *other = registry_find_broken(l->request->registry, kinds[s->type], s->name);
    if (other)
        diagnostics_add(l->doc.warnings, &s->place, s->name, "%s is passed over: %s", other->path, other->broken);
}

const char *script_path(cru_arena *arena, const char *text)
{
    char *full = realpath(text, NULL);
    const char *path = full ? string_copy(arena, full) : text;
    free(full);
    return path;
}

static const registry_entry *find_path(const registry *plugins, const char *path)
{
    for (size_t i = 0; i < registry_count(plugins); i++)
        if (strcmp(registry_at(plugins, i)->path, path) == 0) return registry_at(plugins, i);
    return NULL;
}

/* "[algorithm python as my-gnn] file = my_gnn.py" is a section of the method that the file declares, whose keys the
 * others are. */
static void resolve_script(config_loader *l, section *s)
{
    const section *base = s->on && s->label ? document_find(&l->doc, s->type, s->label) : s;
    entry *e = base ? section_find(base, SCRIPT_KEY) : NULL;
    if (base != s && base) { /* resolved before: sections for one dataset come later */
        s->plugin = base->plugin;
        if (s->plugin) s->name = s->plugin->name;
        return;
    }
    if (!e || !*e->text) {
        diagnostics_add(l->doc.diags, &s->place, s->title, "needs a line 'file = METHOD.py'");
        return;
    }
    const registry_entry *found = find_path(l->request->registry, script_path(l->doc.arena, e->text));
    if (!found)
        diagnostics_add(l->doc.diags, &e->place, e->key, "there is no file %s", e->text);
    else if (found->broken)
        diagnostics_add(l->doc.diags, &e->place, e->key, "%s: %s", found->path, found->broken);
    if (!found || found->broken) return;
    s->plugin = found;
    s->name = found->name;
    *e = s->entries[--s->count]; /* it is no setting of the method */
}

/* A base section without plugin names the plugin for those `on` a dataset too. */
static void resolve_plugin(config_loader *l, section *s)
{
    if (s->type == SECTION_ALGORITHM && strcmp(s->name, SCRIPT_SECTION) == 0) {
        resolve_script(l, s);
        return;
    }
    s->plugin = registry_find(l->request->registry, kinds[s->type], s->name);
    if (!s->plugin)
        unknown_name(l, s, registry_nearest(l->request->registry, kinds[s->type], s->name));
    else if (!s->on)
        warn_of_passed_over(l, s);
}

static cru_status find_dataset(const config_loader *l, const char *name, data_found *found, cru_error *err)
{
    const config_request *r = l->request;
    if (r->find_dataset) return r->find_dataset(r->user, name, &l->places, found, err);
    return data_find(name, &l->places, found, err);
}

enum { MOST_NAMES = 1024 };

typedef struct name_list {
    cru_arena *arena;
    const char *items[MOST_NAMES];
    size_t count;
} name_list;

static void add_card_name(void *user, const card *c, data_state state, const char *why)
{
    (void)state, (void)why;
    name_list *names = user;
    if (c && names->count < MOST_NAMES) names->items[names->count++] = string_copy(names->arena, c->name);
}

static const char *nearest_dataset(config_loader *l, const char *name)
{
    name_list *names = cru_arena_alloc_zeroed(l->doc.arena, 1, sizeof *names);
    names->arena = l->doc.arena;
    if (!l->request->find_dataset) data_visit(&l->places, add_card_name, names, NULL);
    const char *generator = registry_nearest(l->request->registry, CRU_KIND_DATASET, name);
    if (generator && names->count < MOST_NAMES) names->items[names->count++] = generator;
    return cru_nearest(name, names->items, names->count);
}

static void unknown_format(config_loader *l, const section *s)
{
    const char *format = s->dataset.format;
    const registry_entry *broken = registry_find_broken(l->request->registry, CRU_KIND_DATASET, format);
    if (broken)
        diagnostics_add(l->doc.diags, &s->place, s->name, "its card asks for the format %s; %s is broken: %s", format,
                        broken->path, broken->broken);
    else
        diagnostics_add(l->doc.diags, &s->place, s->name, "its card asks for the format %s, which no plugin reads",
                        format);
}

/* A card, whose format must be a plugin, or a generator. */
static void resolve_dataset(config_loader *l, section *s)
{
    const registry *plugins = l->request->registry;
    cru_error err = {0};
    cru_status status = find_dataset(l, s->name, &s->dataset, &err);
    if (!status && s->dataset.card) {
        s->plugin = registry_find(plugins, CRU_KIND_DATASET, s->dataset.format);
        if (!s->plugin) unknown_format(l, s);
        return;
    }
    const registry_entry *generator = registry_find(plugins, CRU_KIND_DATASET, s->name);
    if (generator && generator->problems)
        s->plugin = generator;
    else if (generator)
        diagnostics_add(l->doc.diags, &s->place, s->name,
                        "is a file format, not a dataset; a card must name its files");
    else if (!status || status == CRU_UNSUPPORTED)
        unknown_name(l, s, nearest_dataset(l, s->name));
    else
        diagnostics_add(l->doc.diags, &s->place, s->name, "%s", err.text);
}

/* ---- wrappers -------------------------------------------------------------------------------------------- */

static bool is_wrapper(const registry_entry *plugin)
{
    return plugin->kind == CRU_KIND_ALGORITHM && plugin->flags & CRU_ALGORITHM_WRAPS;
}

bool wrapper_is_lost(const section *s)
{
    return is_wrapper(s->plugin) && !s->inner;
}

/* The method that a wrapper is to take; a fault has its line. */
static const registry_entry *find_inner(config_loader *l, const section *s)
{
    const entry *e = section_find(s, "of");
    const char *name = e ? e->text : params_find(s->plugin->params, "of")->text;
    const config_place *place = e ? &e->place : &s->place;
    const registry_entry *inner = registry_find(l->request->registry, CRU_KIND_ALGORITHM, name);
    const char *near = registry_nearest(l->request->registry, CRU_KIND_ALGORITHM, name);
    if (inner && !is_wrapper(inner)) return inner;
    if (inner)
        diagnostics_add(l->doc.diags, place, name, "is a wrapper itself, and a wrapper takes a method");
    else if (strchr(name, ','))
        diagnostics_add(l->doc.diags, place, "of", "takes one method; write [%s as NAME] for another", s->title);
    else
        diagnostics_add(l->doc.diags, place, name, "unknown algorithm to wrap%s%s%s", near ? "; did you mean " : "",
                        near ? near : "", near ? "?" : "");
    return NULL;
}

/* What the setting `encoder` names, where the method has one: a plugin with layers, or NULL for "". */
static const registry_entry *find_encoder(config_loader *l, const section *s)
{
    const cru_param *param = params_find(s->plugin->params, "encoder");
    const entry *e = param && param->type == CRU_PARAM_STRING ? section_find(s, "encoder") : NULL;
    if (!e || !*e->text) return NULL;
    const registry_entry *found = registry_find(l->request->registry, CRU_KIND_ALGORITHM, e->text);
    if (found && found->flags & REGISTRY_ENCODES) return found;
    const char *near = registry_nearest(l->request->registry, CRU_KIND_ALGORITHM, e->text);
    if (strchr(e->text, ','))
        diagnostics_add(l->doc.diags, &e->place, "encoder", "takes one plugin; write [%s as NAME] for another",
                        s->title);
    else if (found)
        diagnostics_add(l->doc.diags, &e->place, e->text, "offers no layers (CRU_ENCODER)");
    else
        diagnostics_add(l->doc.diags, &e->place, e->text, "unknown plugin with layers%s%s%s",
                        near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return NULL;
}

/* The table of a section's settings. Values for one dataset are of the same method as those for all. */
static void find_table(config_loader *l, section *s)
{
    section *base = s->on && s->label ? document_find(&l->doc, s->type, s->label) : NULL;
    if (s->table.params) return;
    const bool wrapper = is_wrapper(s->plugin);
    const char *key = wrapper ? "of" : "encoder";
    s->table = (param_table){s->plugin->params, s->plugin->settings_size};
    if (!wrapper && (s->plugin->kind != CRU_KIND_ALGORITHM || !params_find(s->plugin->params, key))) return;
    const entry *own = base ? section_find(s, key) : NULL;
    if (own)
        diagnostics_add(l->doc.diags, &own->place, key, "is the same on all datasets: set it in [%s]", base->title);
    if (base && !base->plugin) base->plugin = s->plugin;
    if (base) find_table(l, base);
    if (!wrapper) {
        s->inner = base ? base->inner : find_encoder(l, s);
        return;
    }
    s->inner = base ? base->inner : find_inner(l, s);
    if (base)
        s->table = base->table;
    else if (s->inner)
        s->table = wrapped_table(l->doc.arena, s->table, (param_table){s->inner->params, s->inner->settings_size});
}

/* Keys of a method that is not known cannot be checked. */
static void check_named(config_loader *l, section *s)
{
    if (!s->plugin) return;
    find_table(l, s);
    if (wrapper_is_lost(s)) return;
    section_rules rules = {.params = s->table.params,
                           .settings_size = s->table.size,
                           .owner = string_format(l->doc.arena, "%s %s", section_type_names[s->type], s->name),
                           .grid = true,
                           .search = s->type == SECTION_ALGORITHM && l->e->search.method != SEARCH_NONE};
    section_check(&l->doc, s, &rules);
}

/* ---- sections for one dataset ---------------------------------------------------------------------------- */

/* A dataset that this experiment does not use is fine, so that files of defaults can be shared; one that nobody knows
 * is a slip. */
static void check_on(config_loader *l, section *s)
{
    if (s->type >= SECTION_DATASET && !document_find(&l->doc, s->type, s->label))
        diagnostics_add(l->doc.diags, &s->place, s->label, "there is no [%s %s] to change", section_type_names[s->type],
                        s->label);
    if (document_find(&l->doc, SECTION_DATASET, s->on)) return;
    section probe = {.type = SECTION_DATASET, .name = s->on, .label = s->on, .place = s->place};
    resolve_dataset(l, &probe);
    data_found_clear(&probe.dataset);
}

/* The plugin of "[algorithm wide on cora]" is that of "[algorithm gcn as wide]". */
static void adopt_plugin(const config_loader *l, section *s)
{
    const section *base = s->label ? document_find(&l->doc, s->type, s->label) : NULL;
    if (base) s->name = base->name;
}

/* As with `on`, a method that the experiment does not use is fine. */
static void check_for(config_loader *l, const section *s)
{
    if (document_find(&l->doc, SECTION_ALGORITHM, s->method)) return;
    if (registry_find(l->request->registry, CRU_KIND_ALGORITHM, s->method)) return;
    const char *near = registry_nearest(l->request->registry, CRU_KIND_ALGORITHM, s->method);
    diagnostics_add(l->doc.diags, &s->place, s->method, "unknown algorithm%s%s%s", near ? "; did you mean " : "",
                    near ? near : "", near ? "?" : "");
}

/* ---- host sections with grids ---------------------------------------------------------------------------- */

static void check_host(config_loader *l, section_type type, const cru_param *params, size_t size)
{
    const char *owner = string_format(l->doc.arena, "[%s]", section_type_names[type]);
    const section_rules rules = {.params = params, .settings_size = size, .owner = owner, .grid = true};
    for (int64_t i = 0; i < l->doc.count; i++)
        if (l->doc.sections[i]->type == type) section_check(&l->doc, l->doc.sections[i], &rules);
}

void loader_resolve(config_loader *l)
{
    add_listed(l, SECTION_DATASET, "datasets");
    add_listed(l, SECTION_CORRUPTOR, "corruptors");
    add_listed(l, SECTION_ALGORITHM, "algorithms");
    add_listed(l, SECTION_METRIC, "metrics");
    int64_t metrics;
    all_sections(l, SECTION_METRIC, &metrics);
    if (metrics == 0)
        open_implicit(l, SECTION_METRIC, "accuracy", &(config_place){.file = l->request->files[0], .order = 1});

    for (int64_t i = 0; i < l->doc.count; i++)
        if (l->doc.sections[i]->type == SECTION_SPLIT) split_check_host_keys(l, l->doc.sections[i]);
    check_host(l, SECTION_PREPROCESS, preprocess_params, sizeof(preprocess_settings));
    check_host(l, SECTION_MONITOR, monitor_params, sizeof(monitor_settings));
    for (int64_t i = 0; i < l->doc.count; i++) {
        section *s = l->doc.sections[i];
        if (s->method) check_for(l, s);
        if (s->on) {
            adopt_plugin(l, s);
            check_on(l, s);
        }
        if (s->type == SECTION_DATASET)
            resolve_dataset(l, s);
        else if (s->type > SECTION_DATASET)
            resolve_plugin(l, s);
        check_named(l, s);
    }
}
