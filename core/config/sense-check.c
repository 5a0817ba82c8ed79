// SPDX-License-Identifier: Apache-2.0
/* Settings that are valid each by itself and would do nothing, or cannot be, beside the others. */
#include <string.h>

#include "config/plan.h"

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
                    "tpe draws its first %lld settings at random (startup) and tries %lld: this is a random search; "
                    "use more trials or a smaller startup",
                    (long long)set->startup, (long long)trials);
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
    check_search(&l->doc);
    check_startup(l);
    for (int64_t i = 0; i < l->doc.count; i++) check_label(l, l->doc.sections[i]);
}
