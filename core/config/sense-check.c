// SPDX-License-Identifier: Apache-2.0
/* Settings that are valid each by itself and would do nothing, or cannot be, beside the others. */
#include <inttypes.h>
#include <string.h>

#include "config/plan.h"

/* ---- [split] --------------------------------------------------------------------------------------------- */

/* The schemes that the section names, as texts; the default when it names none. */
static value_list schemes_of(const section *s)
{
    static const char *usual[] = {"auto"};
    const entry *e = section_find(s, "scheme");
    return e && e->param ? e->values : (value_list){usual, 1};
}

static bool some_scheme_uses(const value_list *schemes, const char *key)
{
    for (int64_t i = 0; i < schemes->count; i++)
        if (split_scheme_uses(schemes->items[i], key)) return true;
    return false;
}

/* "train_size, rng, base": the keys that one of the schemes looks at. */
static const char *used_keys(document *doc, const value_list *schemes)
{
    const char *text = "";
    for (const cru_param *p = split_params; p->type != CRU_PARAM_END; p++)
        if (strcmp(p->key, "scheme") != 0 && some_scheme_uses(schemes, p->key))
            text = string_format(doc->arena, "%s%s%s", text, *text ? ", " : "", p->key);
    return text;
}

/* A key that is set to nothing but its default, to undo what an included file says, asks for nothing. */
static bool is_default(document *doc, const entry *e)
{
    cru_settings *fresh = cru_settings_create(split_params, sizeof(split_settings));
    if (!fresh) cru_panic(CRU_NO_MEMORY, "no memory for [split]");
    const char *usual = settings_text_value(doc->arena, settings_sorted_text(doc->arena, fresh), e->key);
    cru_settings_destroy(fresh);
    return e->values.count == 1 && strcmp(usual, e->values.items[0]) == 0;
}

static void check_used(document *doc, const section *s)
{
    const value_list schemes = schemes_of(s);
    const entry *scheme = section_find(s, "scheme");
    for (int64_t i = 0; i < s->count; i++) {
        const entry *e = &s->entries[i];
        if (!e->param || some_scheme_uses(&schemes, e->key) || is_default(doc, e)) continue;
        diagnostics_add(doc->diags, &e->place, e->key, "not used by scheme = %s, which takes %s",
                        scheme ? scheme->text : schemes.items[0], used_keys(doc, &schemes));
    }
}

static const char *value_or(const entry *e, int64_t i, const char *usual)
{
    return e && e->param ? e->values.items[i] : usual;
}

static int64_t count_of(const entry *e)
{
    return e && e->param ? e->values.count : 1;
}

/* Every combination of scheme and shares that a trial would meet. */
static void check_shares(document *doc, const section *s)
{
    const entry *train = section_find(s, "train"), *val = section_find(s, "val");
    const value_list schemes = schemes_of(s);
    if (!train && !val) return;
    const entry *blamed = train ? train : val;
    for (int64_t i = 0; i < schemes.count; i++) {
        for (int64_t t = 0; t < count_of(train); t++) {
            for (int64_t v = 0; v < count_of(val); v++) {
                cru_error err = {0};
                const char *shares[] = {value_or(train, t, "-1"), value_or(val, v, "-1")};
                if (split_check_shares(schemes.items[i], shares, &err) == CRU_OK) continue;
                diagnostics_add(doc->diags, &blamed->place, NULL, "%s", err.text);
                return;
            }
        }
    }
}

/* ---- [search] -------------------------------------------------------------------------------------------- */

/* An included file may say how settings would be searched, if they were; who writes it in the experiment's own file
 * means to search. `method = none` says that it is not forgotten. */
static void check_search(document *doc)
{
    const section *s = document_find(doc, SECTION_SEARCH, NULL);
    if (!s || section_find(s, "method")) return;
    for (int64_t i = 0; i < s->count; i++)
        if (s->entries[i].depth <= 0)
            diagnostics_add(doc->diags, &s->entries[i].place, s->entries[i].key,
                            "nothing is searched without a method: add method = random, grid, tpe or none to [search]");
}

/* tpe looks at results only after `startup` settings drawn at random. */
static void check_startup(config_loader *l)
{
    const search_settings *set = &l->e->search;
    const section *s = document_find(&l->doc, SECTION_SEARCH, NULL);
    const int64_t trials = search_trials(set);
    if (!s || set->method != SEARCH_TPE || trials > set->startup) return;
    const entry *e = section_find(s, "trials") ? section_find(s, "trials") : section_find(s, "method");
    diagnostics_add(l->doc.warnings, &e->place, e->key,
                    "tpe draws its first %" PRId64 " settings at random (startup) and tries %" PRId64
                    ": this is a random search; use more trials or a smaller startup",
                    set->startup, trials);
}

/* ---- labels ---------------------------------------------------------------------------------------------- */

/* A table in which gcn is not gcn would mislead. */
static void check_label(config_loader *l, const section *s)
{
    static const cru_kind kinds[SECTION_TYPES] = {
        [SECTION_DATASET] = CRU_KIND_DATASET,
        [SECTION_CORRUPTOR] = CRU_KIND_CORRUPTOR,
        [SECTION_ALGORITHM] = CRU_KIND_ALGORITHM,
        [SECTION_METRIC] = CRU_KIND_METRIC,
    };
    if (s->type < SECTION_DATASET || strcmp(s->label, s->name) == 0) return;
    if (registry_find(l->request->registry, kinds[s->type], s->label))
        diagnostics_add(l->doc.diags, &s->place, s->title, "%s is the name of another %s; choose another label",
                        s->label, section_type_names[s->type]);
}

void loader_check_sense(config_loader *l)
{
    const section *split = document_find(&l->doc, SECTION_SPLIT, NULL);
    if (split) {
        check_used(&l->doc, split);
        check_shares(&l->doc, split);
    }
    check_search(&l->doc);
    check_startup(l);
    for (int64_t i = 0; i < l->doc.count; i++) check_label(l, l->doc.sections[i]);
}
