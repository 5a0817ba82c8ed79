// SPDX-License-Identifier: Apache-2.0
/* [split]: its scheme is a plugin, its other keys are that plugin's settings. */
#include <stdlib.h>
#include <string.h>

#include "config/plan.h"

/* Of the host itself; all others belong to the scheme. */
static bool is_host_key(const char *key)
{
    return params_find(split_params, key) != NULL;
}

/* ---- what the sections say together ---------------------------------------------------------------------- */

/* Every key once, by the rules of precedence, as an entry of a section of its own. */
static section *join(document *doc, const split_sources *from)
{
    section *all = cru_arena_alloc_zeroed(doc->arena, 1, sizeof *all);
    *all = (section){.type = SECTION_SPLIT, .title = "split"};
    for (int64_t i = 0; i < from->count; i++) {
        if (!from->sections[i]) continue;
        all->place = from->sections[i]->place;
        all->title = from->sections[i]->title;
        section_overlay(doc, all, from->sections[i]);
    }
    return all;
}

/* The values of a key of the host; `usual` alone when nobody sets it. */
static value_list values_of(const section *all, const char *key, const char *const *usual)
{
    const entry *e = section_find(all, key);
    return e && e->param ? e->values : (value_list){(const char **)usual, 1};
}

/* The entries that are settings of the scheme, checked. */
static section *settings_of(document *doc, const section *all, const registry_entry *scheme)
{
    section *own = cru_arena_alloc_zeroed(doc->arena, 1, sizeof *own);
    *own = (section){.type = SECTION_SPLIT, .title = all->title, .place = all->place};
    for (int64_t i = 0; i < all->count; i++) {
        const entry *e = &all->entries[i];
        if (is_host_key(e->key) || !params_find(scheme->params, e->key)) continue;
        if (e->origin) e->origin->used = true;
        document_put(doc, own, e);
    }
    section_check(doc, own,
                  &(section_rules){.params = scheme->params,
                                   .settings_size = scheme->settings_size,
                                   .owner = string_format(doc->arena, "split %s", scheme->name),
                                   .grid = true});
    return own;
}

/* ---- variants -------------------------------------------------------------------------------------------- */

static const data_setting *with_first(document *doc, const data_setting *list, int64_t *count, data_setting first)
{
    data_setting *longer = cru_arena_alloc(doc->arena, *count + 1, sizeof *longer);
    longer[0] = first;
    if (*count) memcpy(longer + 1, list, (size_t)*count * sizeof *list);
    ++*count;
    return longer;
}

/* What the host reads of [split] becomes part of what the variant says of itself. */
static void name_host_key(document *doc, const section *all, variant *v, data_setting one)
{
    const entry *e = section_find(all, one.key);
    if (!e) return;
    v->given = with_first(doc, v->given, &v->given_count, one);
    if (e->values.count > 1) v->swept = with_first(doc, v->swept, &v->swept_count, one);
}

static double number_of(document *doc, const variant *v, const char *key)
{
    const char *text = settings_text_value(doc->arena, v->text, key);
    return text ? strtod(text, NULL) : 0;
}

/* Unless the plugin says otherwise, `train` and `val` are shares of all items. */
static void check_shares(document *doc, const section *own, const variant *v)
{
    const cru_param *train = params_find(v->params, "train"), *val = params_find(v->params, "val");
    if (!train || !val || train->type != CRU_PARAM_FLOAT || v->plugin->flags & CRU_SPLIT_VAL_OF_TRAIN) return;
    const double shares[] = {number_of(doc, v, "train"), number_of(doc, v, "val")};
    const entry *blamed = section_find(own, "train") ? section_find(own, "train") : section_find(own, "val");
    if (shares[0] + shares[1] > 1)
        diagnostics_add(doc->diags, blamed ? &blamed->place : &own->place, NULL,
                        "split: train = %g and val = %g leave nothing to test", shares[0], shares[1]);
}

typedef struct split_choice {
    const registry_entry *scheme;
    const char *view;
    const char *protocol; /* NULL without scheme = card */
    const section *card;  /* what its card says, and over it the sections */
} split_choice;

static variant_list build(document *doc, const section *all, const split_choice *choice)
{
    const registry_entry *scheme = choice->scheme;
    const section *own = settings_of(doc, choice->card ? choice->card : all, scheme);
    variant_source source = {.base = own,
                             .like = {.label = scheme->name,
                                      .name = scheme->name,
                                      .plugin = scheme,
                                      .params = scheme->params,
                                      .settings_size = scheme->settings_size,
                                      .inductive = strcmp(choice->view, "transductive") != 0,
                                      .hide = strcmp(choice->view, "inductive-parts") == 0 ? HIDE_OUTSIDE : HIDE_TEST}};
    variant_list list = variants_build(doc, &source);
    for (int64_t i = 0; i < list.count; i++) {
        check_shares(doc, own, &list.items[i]);
        name_host_key(doc, all, &list.items[i], (data_setting){"view", choice->view});
        if (choice->protocol) name_host_key(doc, all, &list.items[i], (data_setting){"protocol", choice->protocol});
        name_host_key(doc, all, &list.items[i], (data_setting){"scheme", scheme->name});
    }
    return list;
}

static const registry_entry *find_scheme(config_loader *l, const section *all, const char *name)
{
    const registry *plugins = l->request->registry;
    const registry_entry *found = registry_find(plugins, CRU_KIND_SPLIT, name);
    if (found) return found;
    const entry *e = section_find(all, "scheme");
    const config_place place = e ? e->place : (config_place){.file = l->request->files[0], .order = 1};
    const registry_entry *broken = registry_find_broken(plugins, CRU_KIND_SPLIT, name);
    const char *near = registry_nearest(plugins, CRU_KIND_SPLIT, name);
    if (broken)
        diagnostics_add(l->doc.diags, &place, name, "unknown split scheme; %s is broken: %s", broken->path,
                        broken->broken);
    else
        diagnostics_add(l->doc.diags, &place, name, "unknown split scheme%s%s%s", near ? "; did you mean " : "",
                        near ? near : "", near ? "?" : "");
    return NULL;
}

/* ---- scheme = card --------------------------------------------------------------------------------------- */

static const char card_word[] = "card";

static const char *protocol_names(cru_arena *arena, const card *c)
{
    const char *text = "";
    for (int64_t i = 0; i < c->protocols.count; i++)
        text = string_format(arena, "%s%s%s", text, *text ? ", " : "", c->protocols.items[i].key);
    return *text ? text : "none";
}

/* The card's line for a study; a fault when it has none. */
static const card_setting *find_protocol(config_loader *l, const section *all, const section *dataset, const char *name)
{
    const entry *scheme = section_find(all, "scheme"), *protocol = section_find(all, "protocol");
    const config_place *place = protocol ? &protocol->place : &scheme->place;
    const card *c = dataset ? dataset->dataset.card : NULL;
    if (!c) {
        diagnostics_add(l->doc.diags, place, NULL, "scheme = card: %s is generated and has no card; name a scheme",
                        dataset ? dataset->label : "this dataset");
        return NULL;
    }
    for (int64_t i = 0; i < c->protocols.count; i++)
        if (strcmp(c->protocols.items[i].key, name) == 0) return &c->protocols.items[i];
    if (protocol)
        diagnostics_add(l->doc.diags, place, name, "the card of %s has no such protocol; it has %s", dataset->label,
                        protocol_names(l->doc.arena, c));
    else
        diagnostics_add(l->doc.diags, place, NULL, "scheme = card needs a protocol; the card of %s has %s",
                        dataset->label, protocol_names(l->doc.arena, c));
    return NULL;
}

/* "key = value" as an entry of `s`. */
static bool put_pair(document *doc, section *s, const char *pair)
{
    const char *equals = strchr(pair, '=');
    if (!equals) return false;
    const size_t length = strcspn(pair, " \t=");
    entry e = {.key = string_copy_bytes(doc->arena, pair, length),
               .text = equals + 1 + strspn(equals + 1, " \t"),
               .place = s->place};
    document_put(doc, s, &e);
    return true;
}

/* "scheme = percent, train = 0.05" as a section. NULL, and a fault, when it is no such list. */
static section *read_protocol(config_loader *l, const card *c, const card_setting *protocol)
{
    section *s = cru_arena_alloc_zeroed(l->doc.arena, 1, sizeof *s);
    *s = (section){.type = SECTION_SPLIT, .title = "split", .place = {.file = c->path, .line = protocol->line}};
    value_list pairs;
    bool fine = values_split(l->doc.arena, protocol->value, ',', &pairs, NULL) == CRU_OK;
    for (int64_t i = 0; fine && i < pairs.count; i++) fine = put_pair(&l->doc, s, pairs.items[i]);
    if (fine && section_find(s, "scheme")) return s;
    diagnostics_add(l->doc.diags, &s->place, protocol->key, "expected scheme = NAME, key = value, ...");
    return NULL;
}

/* What the card says that its own scheme does not know. */
static bool check_protocol(config_loader *l, const section *s, const registry_entry *scheme)
{
    for (int64_t i = 0; i < s->count; i++) {
        const entry *e = &s->entries[i];
        if (strcmp(e->key, "scheme") == 0 || params_find(scheme->params, e->key)) continue;
        diagnostics_add(l->doc.diags, &e->place, e->key, "unknown setting of split %s", scheme->name);
        return false;
    }
    return true;
}

static bool choose_from_card(config_loader *l, const section *all, const section *dataset, split_choice *choice)
{
    const card_setting *protocol = find_protocol(l, all, dataset, choice->protocol);
    section *s = protocol ? read_protocol(l, dataset->dataset.card, protocol) : NULL;
    if (!s) return false;
    choice->scheme = find_scheme(l, s, section_find(s, "scheme")->text);
    if (!choice->scheme || !check_protocol(l, s, choice->scheme)) return false;
    section_overlay(&l->doc, s, all);
    choice->card = s;
    return true;
}

static variant_list card_variants(config_loader *l, const section *all, const section *dataset, const char *view)
{
    static const char *const usual[] = {""};
    const value_list protocols = values_of(all, "protocol", usual);
    variant_list out = {0};
    for (int64_t i = 0; i < protocols.count; i++) {
        split_choice choice = {.view = view, .protocol = protocols.items[i]};
        if (choose_from_card(l, all, dataset, &choice))
            out = variants_append(l->doc.arena, out, build(&l->doc, all, &choice));
    }
    return out;
}

/* ---- all of it ------------------------------------------------------------------------------------------- */

static void check_protocol_key(document *doc, const section *all, const value_list *schemes)
{
    const entry *protocol = section_find(all, "protocol"), *scheme = section_find(all, "scheme");
    if (!protocol || (scheme && protocol->depth > scheme->depth)) return;
    for (int64_t i = 0; i < schemes->count; i++)
        if (strcmp(schemes->items[i], card_word) == 0) return;
    diagnostics_add(doc->diags, &protocol->place, "protocol", "is for scheme = card alone");
}

static variant_list scheme_variants(config_loader *l, const section *all, const char *name, const char *view)
{
    const registry_entry *scheme = find_scheme(l, all, name);
    return scheme ? build(&l->doc, all, &(split_choice){.scheme = scheme, .view = view}) : (variant_list){0};
}

variant_list split_variants(config_loader *l, const split_sources *from)
{
    static const char *const usual_scheme[] = {"auto"}, *const usual_view[] = {"transductive"};
    document *doc = &l->doc;
    const section *all = join(doc, from);
    const value_list schemes = values_of(all, "scheme", usual_scheme), views = values_of(all, "view", usual_view);
    variant_list out = {0};
    check_protocol_key(doc, all, &schemes);
    for (int64_t i = 0; i < schemes.count; i++) {
        for (int64_t k = 0; k < views.count; k++) {
            const variant_list more = strcmp(schemes.items[i], card_word) == 0
                                          ? card_variants(l, all, from->dataset, views.items[k])
                                          : scheme_variants(l, all, schemes.items[i], views.items[k]);
            out = variants_append(doc->arena, out, more);
        }
    }
    return out;
}

/* ---- keys that nobody looks at --------------------------------------------------------------------------- */

typedef struct key_text {
    cru_arena *arena;
    const char *text;
} key_text;

static bool add_key(void *user, const cru_param *param, size_t base)
{
    (void)base;
    key_text *t = user;
    t->text = string_format(t->arena, "%s%s%s", t->text, *t->text ? ", " : "", param->key);
    return true;
}

/* "train, val, rng, base, step, view": what a section with these schemes takes. */
static const char *known_keys(config_loader *l, const value_list *schemes)
{
    key_text t = {l->doc.arena, ""};
    for (int64_t i = 0; i < schemes->count; i++) {
        const registry_entry *scheme = registry_find(l->request->registry, CRU_KIND_SPLIT, schemes->items[i]);
        if (scheme && scheme->params) cru_params_visit(scheme->params, add_key, &t);
        if (strcmp(schemes->items[i], card_word) == 0) add_key(&t, params_find(split_params, "protocol"), 0);
    }
    return string_format(l->doc.arena, "%s%sview", t.text, *t.text ? ", " : "");
}

/* A key of an included file that belongs to the scheme of that file is no fault where another scheme is chosen. */
void split_check_used(config_loader *l, const section *s, const split_sources *from)
{
    static const char *const usual[] = {"auto"};
    const section *all = join(&l->doc, from);
    const entry *scheme = section_find(all, "scheme");
    const value_list schemes = values_of(all, "scheme", usual);
    for (int64_t i = 0; i < s->count; i++) {
        const entry *e = &s->entries[i];
        if (e->used || is_host_key(e->key) || (scheme && e->depth > scheme->depth)) continue;
        diagnostics_add(l->doc.diags, &e->place, e->key, "not used by scheme = %s, which takes %s",
                        scheme ? scheme->text : schemes.items[0], known_keys(l, &schemes));
    }
}

/* Scheme and view alone; the other keys wait for the scheme. */
void split_check_host_keys(config_loader *l, section *s)
{
    section own = {.type = s->type, .title = s->title, .place = s->place};
    for (int64_t i = 0; i < s->count; i++)
        if (is_host_key(s->entries[i].key)) document_put(&l->doc, &own, &s->entries[i]);
    section_check(
        &l->doc, &own,
        &(section_rules){
            .params = split_params, .settings_size = sizeof(split_settings), .owner = "[split]", .grid = true});
    for (int64_t i = 0; i < own.count; i++) *section_find(s, own.entries[i].key) = own.entries[i];
}
