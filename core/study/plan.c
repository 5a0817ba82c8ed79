// SPDX-License-Identifier: Apache-2.0
#include "study/plan.h"

#include <stdlib.h>
#include <string.h>

#include "config/strings.h"
#include "study/layout.h"

/* ---- --only ---------------------------------------------------------------------------------------------- */

cru_status study_only_read(cru_arena *arena, const artefact_file *a, const char *text, study_only *out, cru_error *err)
{
    const char *sign = strchr(text, '=');
    if (!sign || sign == text) return cru_fail(err, CRU_BAD_INPUT, "--only %s: expected KEY=VALUE or KEY=a,b", text);
    out->key = string_copy_bytes(arena, text, (size_t)(sign - text));
    cru_error why = {0};
    if (values_split(arena, sign + 1, ',', &out->values, &why) != CRU_OK)
        return cru_fail(err, CRU_BAD_INPUT, "--only %s: %s", text, why.text);
    if (layout_match(a, out->key)) return CRU_OK;
    const char *keys[64];
    size_t count = 0;
    for (int64_t i = 0; i < a->match_count && count < 64; i++) keys[count++] = a->matches[i].column;
    const char *near = cru_nearest(out->key, keys, count);
    return cru_fail(err, CRU_BAD_INPUT, "--only %s: %s knows no '%s'%s%s%s", text, a->name, out->key,
                    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

bool study_only_takes(const study_only *only, int64_t count, const char *key, const char *value)
{
    for (int64_t i = 0; i < count; i++) {
        if (strcmp(only[i].key, key) != 0) continue;
        bool found = false;
        for (int64_t k = 0; k < only[i].values.count; k++) found |= layout_same(only[i].values.items[k], value);
        if (!found) return false;
    }
    return true;
}

/* ---- what is there --------------------------------------------------------------------------------------- */

static const char *why_no_data(const card *c, const data_places *places)
{
    const char *reason = NULL;
    for (int64_t i = 0; i < c->file_count && !reason; i++) {
        char *path = data_locate(c, &c->files[i], places, NULL);
        if (!path)
            reason = c->terms                ? "needs terms"
                     : c->files[i].url_count ? "not fetched: crucible fetch"
                                             : "no known address";
        free(path);
    }
    return reason;
}

/* NULL: it can be used. */
static const char *why_no_dataset(const study_request *q, const char *name)
{
    data_found found = {0};
    const registry_entry *generator = registry_find(q->plugins, CRU_KIND_DATASET, name);
    cru_status status = data_find(name, q->places, &found, NULL);
    const char *reason = !status                            ? why_no_data(found.card, q->places)
                         : generator && generator->problems ? NULL
                                                            : "no card";
    data_found_clear(&found);
    return reason;
}

static const char *why_no_method(const study_request *q, const char *name)
{
    return registry_find(q->plugins, CRU_KIND_ALGORITHM, name) ? NULL : "no plugin";
}

/* ---- parts ----------------------------------------------------------------------------------------------- */

typedef struct planning {
    const study_request *q;
    study_plan *plan;
    int64_t missing_space;
    bool *seen[2]; /* lines of the print whose method (dataset) a part has */
} planning;

static void note_seen(planning *p, const char *key, const char *value)
{
    const published *print = p->q->print;
    int64_t at = published_column(print, key);
    bool *seen = p->seen[strcmp(key, "dataset") == 0];
    for (int64_t i = 0; at >= 0 && i < print->count; i++) seen[i] |= layout_same(print->lines[i].fields[at], value);
}

static void note_missing(planning *p, const char *kind, const char *name, const char *reason)
{
    study_plan *plan = p->plan;
    for (int64_t i = 0; i < plan->missing_count; i++)
        if (strcmp(plan->missing[i].name, name) == 0 && strcmp(plan->missing[i].kind, kind) == 0) return;
    if (plan->missing_count == p->missing_space) {
        p->missing_space = p->missing_space ? 2 * p->missing_space : 16;
        study_missing *grown = cru_arena_alloc(p->q->arena, p->missing_space, sizeof *grown);
        if (plan->missing_count) memcpy(grown, plan->missing, (size_t)plan->missing_count * sizeof *grown);
        plan->missing = grown;
    }
    plan->missing[plan->missing_count++] = (study_missing){kind, name, reason};
}

/* Whether the print has a value in a column; without the column it has all. */
static bool printed(const published *p, const char *column, const char *value)
{
    int64_t at = published_column(p, column);
    bool found = at < 0;
    for (int64_t i = 0; !found && i < p->count; i++) found = layout_same(p->lines[i].fields[at], value);
    return found;
}

typedef struct choice {
    bool cut;     /* some do not take part */
    bool lacking; /* because they are not here */
} choice;

/* The names that take part, with commas. */
static const char *choose(planning *p, const char *key, const artefact_name *names, int64_t count, choice *made)
{
    const study_request *q = p->q;
    const char *out = "";
    bool method = strcmp(key, "method") == 0;
    *made = (choice){0};
    for (int64_t i = 0; i < count; i++) {
        const char *as_published = layout_published_value(q->artefact, key, names[i].label);
        bool wanted =
            study_only_takes(q->only, q->only_count, key, as_published) && printed(q->print, key, as_published);
        if (wanted) note_seen(p, key, as_published);
        const char *reason = method ? why_no_method(q, names[i].name) : why_no_dataset(q, names[i].name);
        if (wanted && reason) note_missing(p, key, names[i].label, reason);
        if (wanted && !reason) out = string_format(q->arena, "%s%s%s", out, *out ? ", " : "", names[i].label);
        made->cut |= !wanted || reason;
        made->lacking |= wanted && reason;
    }
    return out;
}

static void plan_part(planning *p, const char *file, study_part *part)
{
    const study_request *q = p->q;
    const artefact_file *a = q->artefact;
    *part = (study_part){.files = {file ? file : a->path, a->path}, .file_count = file ? 2 : 1, .experiment = a->name};
    if (file) {
        const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
        part->experiment = string_format(q->arena, "%s %.*s", a->name, (int)strcspn(base, "."), base);
    }
    config_request request = {.files = part->files,
                              .file_count = part->file_count,
                              .sets = q->sets,
                              .set_count = q->set_count,
                              .quick = q->quick};
    experiment_names names;
    experiment_names_read(q->arena, &request, &names);
    choice made[2];
    const char *methods = choose(p, "method", names.algorithms, names.algorithm_count, &made[0]);
    const char *datasets = choose(p, "dataset", names.datasets, names.dataset_count, &made[1]);
    part->empty = (made[0].cut && !*methods) || (made[1].cut && !*datasets);
    part->lacking = made[0].lacking || made[1].lacking;
    const char **sets = cru_arena_alloc(q->arena, q->set_count + 3, sizeof *sets);
    for (int64_t i = 0; i < q->set_count; i++) sets[part->set_count++] = q->sets[i];
    sets[part->set_count++] = string_format(q->arena, "experiment.name=%s", part->experiment);
    if (made[0].cut) sets[part->set_count++] = string_format(q->arena, "experiment.algorithms=%s", methods);
    if (made[1].cut) sets[part->set_count++] = string_format(q->arena, "experiment.datasets=%s", datasets);
    part->sets = sets;
}

/* Methods and datasets of the print that no part has. */
static void note_unplanned(planning *p)
{
    static const char *const keys[] = {"method", "dataset"};
    const published *print = p->q->print;
    for (int k = 0; k < 2; k++) {
        int64_t at = published_column(print, keys[k]);
        for (int64_t i = 0; at >= 0 && i < print->count; i++) {
            if (p->seen[k][i]) continue;
            const char *name = print->lines[i].fields[at];
            const char *reason = k ? why_no_dataset(p->q, name) : why_no_method(p->q, name);
            note_missing(p, keys[k], name, reason ? reason : "no file of the study runs it");
        }
    }
}

void study_plan_make(const study_request *request, study_plan *out)
{
    const value_list *parts = &request->artefact->parts;
    planning p = {.q = request, .plan = out};
    *out = (study_plan){.part_count = parts->count ? parts->count : 1};
    out->parts = cru_arena_alloc_zeroed(request->arena, out->part_count, sizeof *out->parts);
    for (int k = 0; k < 2; k++) p.seen[k] = cru_arena_alloc_zeroed(request->arena, request->print->count, sizeof(bool));
    for (int64_t i = 0; i < out->part_count; i++) plan_part(&p, parts->count ? parts->items[i] : NULL, &out->parts[i]);
    note_unplanned(&p);
}
