// SPDX-License-Identifier: Apache-2.0
#include "data/resolve.h"

#include <stdlib.h>
#include <string.h>

#define NEAREST_MOST 512

/* Names of cards and generators, for "did you mean". */
typedef struct near_names {
    const char *item[NEAREST_MOST];
    size_t count;
} near_names;

static void add_card(void *user, const card *c, data_state state, const char *why)
{
    (void)state;
    (void)why;
    near_names *names = user;
    if (c && names->count < NEAREST_MOST) names->item[names->count++] = strdup(c->name);
}

static void add_generators(near_names *names, const registry *plugins)
{
    for (size_t i = 0; i < registry_count(plugins) && names->count < NEAREST_MOST; i++) {
        const registry_entry *e = registry_at(plugins, i);
        if (e->kind == CRU_KIND_DATASET && !e->broken && e->problems) names->item[names->count++] = strdup(e->name);
    }
}

cru_status data_fail_unknown(const data_request *request, cru_error *err)
{
    near_names names = {0};
    data_visit(request->places, add_card, &names, NULL);
    if (request->plugins) add_generators(&names, request->plugins);
    const char *near = cru_nearest(request->name, names.item, names.count);
    cru_status status =
        cru_fail(err, CRU_BAD_INPUT, "there is no dataset%s '%s'%s%s%s 'crucible list datasets' prints all",
                 request->plugins ? "" : " card", request->name, near ? "; did you mean '" : ";", near ? near : "",
                 near ? "'?" : "");
    for (size_t i = 0; i < names.count; i++) free((char *)names.item[i]);
    return status;
}

static cru_status find_card(const data_request *request, resolved *r, cru_error *err)
{
    cru_error reason = {0};
    data_found found;
    cru_status status = data_find(request->name, request->places, &found, &reason);
    if (status == CRU_UNSUPPORTED) return CRU_OK; /* no card; perhaps a generator */
    if (status) return cru_fail(err, status, "%s", reason.text);
    r->card = found.card;
    return CRU_OK;
}

static cru_status find_plugin(const data_request *request, resolved *r, cru_error *err)
{
    const char *name = r->card ? r->card->format : request->name;
    r->plugin = registry_find(request->plugins, CRU_KIND_DATASET, name);
    if (r->plugin && (r->card || r->plugin->problems)) return CRU_OK;
    if (r->plugin) {
        return cru_fail(err, CRU_BAD_INPUT, "'%s' is a file format, not a dataset: write a card with format = %s", name,
                        name);
    }
    if (!r->card) return data_fail_unknown(request, err);
    const char *near = registry_nearest(request->plugins, CRU_KIND_DATASET, name);
    return cru_fail(err, CRU_BAD_INPUT, "%s: there is no format '%s'%s%s%s", r->card->path, name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static cru_status fill_settings(const data_request *request, resolved *r, cru_error *err)
{
    static const cru_param no_params[] = {CRU_END};
    const registry_entry *p = r->plugin;
    r->settings = cru_settings_create(p->params ? p->params : no_params, p->settings_size);
    if (!r->settings) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for settings", request->name);
    for (int64_t i = 0; r->card && i < r->card->settings.count; i++) {
        const card_setting *s = &r->card->settings.items[i];
        cru_error why = {0};
        if (cru_settings_set(r->settings, s->key, s->value, &why) != CRU_OK)
            return cru_fail(err, CRU_BAD_INPUT, "%s:%d: %s", r->card->path, s->line, why.text);
    }
    for (int64_t i = 0; i < request->setting_count; i++) {
        cru_error why = {0};
        if (cru_settings_set(r->settings, request->settings[i].key, request->settings[i].text, &why) != CRU_OK)
            return cru_fail(err, CRU_BAD_INPUT, "dataset %s: %s", request->name, why.text);
    }
    return CRU_OK;
}

/* The tables in the registry are flat: groups are resolved. */
static cru_status find_base(resolved *r, cru_error *err)
{
    for (const cru_param *p = r->plugin->params; p && p->type != CRU_PARAM_END; p++) {
        if (p->type != CRU_PARAM_STRING || strcmp(p->key, DATA_BASE) != 0) continue;
        const char *value = *(const char *const *)((const char *)cru_settings_struct(r->settings) + p->offset);
        if (!value || !*value) return CRU_OK;
        if (strcmp(value, r->request->name) == 0)
            return cru_fail(err, CRU_BAD_INPUT, "dataset %s: it cannot be its own base", value);
        r->base = strdup(value);
        return r->base ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "no memory for a name");
    }
    return CRU_OK;
}

cru_status data_resolve(const data_request *request, resolved *r, cru_error *err)
{
    *r = (resolved){.request = request};
    cru_status status = find_card(request, r, err);
    if (!status) status = find_plugin(request, r, err);
    if (!status) status = fill_settings(request, r, err);
    if (!status) status = find_base(r, err);
    if (status) resolved_clear(r);
    return status;
}

void resolved_clear(resolved *r)
{
    card_destroy(r->card);
    cru_settings_destroy(r->settings);
    free(r->base);
    *r = (resolved){0};
}
