// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include "config/plan.h"

void experiment_destroy(experiment *e)
{
    if (!e) return;
    experiment_plan *plan = e->plan;
    cru_settings_destroy(plan->run);
    cru_settings_destroy(plan->search);
    cru_settings_destroy(plan->report);
    cru_settings_destroy(plan->paths);
    cru_arena_destroy(plan->arena);
}

static cru_arena *create_arena(void)
{
    cru_arena *arena = cru_arena_create();
    if (!arena) cru_panic(CRU_NO_MEMORY, "no memory for a configuration");
    return arena;
}

static experiment *create_experiment(void)
{
    cru_arena *arena = create_arena();
    experiment *e = cru_arena_alloc_zeroed(arena, 1, sizeof *e);
    e->plan = cru_arena_alloc_zeroed(arena, 1, sizeof *e->plan);
    e->plan->arena = arena;
    return e;
}

static void read_all(document *doc, const config_request *request)
{
    for (int64_t i = 0; i < request->file_count; i++) document_read(doc, request->files[i]);
    if (request->quick) document_set_quick(doc);
    for (int64_t i = 0; i < request->set_count; i++) document_set(doc, request->sets[i]);
}

cru_status config_load(const config_request *request, experiment **out, diagnostics *diags)
{
    cru_assert(request->file_count > 0, "config_load needs a file");
    int64_t before = diags->count;
    experiment *e = create_experiment();
    diagnostics unheard = {0}, *warnings = request->warnings ? request->warnings : &unheard;
    config_loader l = {.request = request,
                       .doc = {.arena = e->plan->arena, .diags = diags, .warnings = warnings},
                       .e = e,
                       .plan = e->plan};
    read_all(&l.doc, request);
    l.unread = diags->count > before;
    e->text = document_text(&l.doc);
    loader_read_host(&l);
    loader_resolve(&l);
    loader_suit(&l);
    loader_check_sense(&l);
    loader_expand(&l);
    for (int64_t i = 0; i < l.doc.count; i++) data_found_clear(&l.doc.sections[i]->dataset);
    cru_settings_destroy(l.lists_owner);
    diagnostics_sort(warnings);
    diagnostics_clear(&unheard);

    *out = e;
    if (diags->count == before) return CRU_OK;
    diagnostics_sort(diags);
    experiment_destroy(e);
    *out = NULL;
    return CRU_BAD_INPUT;
}

struct config_paths {
    cru_arena *arena; /* holds this object */
    cru_settings *settings;
    const char **scripts;
};

static void collect_scripts(const document *doc, config_paths *paths)
{
    int64_t count = 0;
    paths->scripts = cru_arena_alloc_zeroed(doc->arena, doc->count + 1, sizeof *paths->scripts);
    for (int64_t i = 0; i < doc->count; i++) {
        const entry *e = section_find(doc->sections[i], SCRIPT_KEY);
        if (e && is_script_key(doc->sections[i], SCRIPT_KEY))
            paths->scripts[count++] = script_path(doc->arena, e->text);
    }
}

config_paths *config_paths_read(const config_request *request, diagnostics *faults)
{
    cru_arena *arena = create_arena();
    config_paths *paths = cru_arena_alloc(arena, 1, sizeof *paths);
    diagnostics ignored = {0};
    document doc = {.arena = arena, .diags = faults ? faults : &ignored};
    read_all(&doc, request);
    *paths = (config_paths){.arena = arena, .settings = cru_settings_create(paths_params, sizeof(paths_settings))};
    if (!paths->settings) cru_panic(CRU_NO_MEMORY, "no memory for [paths]");
    const section *s = document_find(&doc, SECTION_PATHS, NULL);
    for (int64_t i = 0; s && i < s->count; i++) {
        const entry *e = &s->entries[i];
        cru_error err = {0};
        if (cru_settings_set(paths->settings, e->key, e->text, &err) != CRU_OK)
            diagnostics_add(doc.diags, &e->place, e->key, "%s", err.text);
    }
    paths_check(&doc);
    collect_scripts(&doc, paths);
    diagnostics_clear(&ignored);
    return paths;
}

const char *const *config_paths_scripts(const config_paths *paths)
{
    return paths->scripts;
}

const paths_settings *config_paths_get(const config_paths *paths)
{
    return cru_settings_struct(paths->settings);
}

void config_paths_destroy(config_paths *paths)
{
    if (!paths) return;
    cru_settings_destroy(paths->settings);
    cru_arena_destroy(paths->arena);
}

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

data_places config_places(const paths_settings *paths)
{
    return (data_places){.cards = or_null(paths->cards),
                         .mirror = or_null(paths->mirror),
                         .files = or_null(paths->data),
                         .cache = or_null(paths->cache)};
}
