// SPDX-License-Identifier: Apache-2.0
#include "cli/list-studies.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/line.h"
#include "cli/artefact-run.h"
#include "cli/json.h"
#include "data/card.h"
#include "data/data.h"
#include "study/find.h"

/* ---- time ------------------------------------------------------------------------------------------------ */

/* What is left of an artefact. */
typedef struct estimate {
    double seconds;  /* of trials that are to be run */
    int64_t pending; /* how many they are */
    int64_t unknown; /* those of them of whose method no trial was timed */
    int64_t scaled;  /* those whose method was timed on other datasets only */
} estimate;

static int32_t level(const frame_column *c, int64_t i)
{
    return c ? c->ids[i] : -1;
}

/* The size of a dataset by its card, nodes (or items) and edges; 1 where no card tells. */
static double size_of(const data_places *places, const char *name)
{
    data_found found;
    double size = 0;
    if (!name || data_find(name, places, &found, NULL) != CRU_OK) return 1;
    const card_expect *e = &found.card->expect;
    size += e->nodes > 0 ? (double)e->nodes : e->items > 0 ? (double)e->items : 0;
    size += e->edges > 0 ? (double)e->edges : 0;
    data_found_clear(&found);
    return size > 0 ? size : 1;
}

/* What is known of the time of trials, by method and dataset. */
typedef struct timing {
    const frame *f;
    const frame_column *method, *dataset;
    const double *seconds;
    int32_t methods, datasets;
    double *sum;    /* methods x datasets */
    int64_t *count; /* of timed trials */
    double *size;   /* of datasets; the last one is for trials without */
} timing;

static int64_t timing_at(const timing *t, int64_t item)
{
    return (int64_t)(level(t->method, item) + 1) * t->datasets + level(t->dataset, item) + 1;
}

static timing timing_of(frame *f, const data_places *places)
{
    timing t = {.f = f, .method = &f->columns[0], .dataset = frame_find_column(f, "dataset")};
    const frame_measure *seconds = frame_find_measure(f, "seconds");
    t.seconds = seconds ? seconds->values : NULL;
    t.methods = t.method->level_count + 1;
    t.datasets = (t.dataset ? t.dataset->level_count : 0) + 1;
    t.sum = cru_arena_alloc_zeroed(f->arena, (int64_t)t.methods * t.datasets, sizeof *t.sum);
    t.count = cru_arena_alloc_zeroed(f->arena, (int64_t)t.methods * t.datasets, sizeof *t.count);
    t.size = cru_arena_alloc(f->arena, t.datasets, sizeof *t.size);
    for (int32_t d = 0; d < t.datasets; d++) t.size[d] = d ? size_of(places, t.dataset->levels[d - 1]) : 1;
    for (int64_t i = 0; t.seconds && i < f->count; i++) {
        if (isnan(t.seconds[i])) continue;
        t.sum[timing_at(&t, i)] += t.seconds[i];
        t.count[timing_at(&t, i)]++;
    }
    return t;
}

/* The mean time of trials of the same method on the same dataset; else what those on others would take if the time grew
 * with nodes and edges. NAN: the method was never timed. */
static double seconds_like(const timing *t, int64_t item, bool *scaled)
{
    int64_t at = timing_at(t, item), first = at / t->datasets * t->datasets;
    double sum = 0;
    int64_t count = 0;
    *scaled = !t->count[at];
    if (t->count[at]) return t->sum[at] / (double)t->count[at];
    for (int64_t d = 0; d < t->datasets; d++) {
        sum += t->sum[first + d] / t->size[d] * t->size[at - first];
        count += t->count[first + d];
    }
    return count ? sum / (double)count : NAN;
}

static estimate estimate_time(frame *f, const data_places *places)
{
    estimate e = {0};
    if (!f) return e;
    timing t = timing_of(f, places);
    for (int64_t i = 0; i < f->count; i++) {
        bool scaled;
        if (f->outcomes[i] != STORE_PENDING) continue;
        double like = seconds_like(&t, i, &scaled);
        e.pending++;
        e.unknown += isnan(like);
        e.scaled += !isnan(like) && scaled;
        if (!isnan(like)) e.seconds += like;
    }
    return e;
}

/* ---- probes ---------------------------------------------------------------------------------------------- */

/* For every method that was never timed the smallest dataset that it waits for. */
typedef struct probes {
    const timing *timing;
    int32_t *dataset; /* of every method; -1: none is to be probed */
    bool *done;
} probes;

static probes choose_probes(const timing *t)
{
    probes p = {.timing = t};
    p.dataset = cru_arena_alloc(t->f->arena, t->methods, sizeof *p.dataset);
    p.done = cru_arena_alloc_zeroed(t->f->arena, t->methods, sizeof *p.done);
    for (int32_t m = 0; m < t->methods; m++) p.dataset[m] = -1;
    for (int64_t i = 0; i < t->f->count; i++) {
        bool scaled;
        if (t->f->outcomes[i] != STORE_PENDING || !isnan(seconds_like(t, i, &scaled))) continue;
        int32_t m = level(t->method, i) + 1, d = level(t->dataset, i) + 1;
        if (p.dataset[m] < 0 || t->size[d] < t->size[p.dataset[m]]) p.dataset[m] = d;
    }
    return p;
}

static int32_t position(const frame_column *c, const char *value)
{
    for (int32_t i = 0; c && i < c->level_count; i++)
        if (strcmp(c->levels[i], value) == 0) return i + 1;
    return 0;
}

/* The first trial of a method on its dataset. */
static bool is_probe(void *user, const trial *t)
{
    probes *p = user;
    int32_t m = position(p->timing->method, t->algorithm->label), d = position(p->timing->dataset, t->dataset->label);
    if (p->dataset[m] < 0 || p->dataset[m] != d || p->done[m]) return false;
    return p->done[m] = true;
}

/* Runs one trial of every method of the artefact that was never timed. Its result counts like any other. */
static int probe(artefact_view *v, const session_request *q)
{
    timing t = timing_of(v->f, &v->with.places);
    probes p = choose_probes(&t);
    bool any = false;
    for (int32_t m = 0; m < t.methods; m++) any |= p.dataset[m] >= 0;
    return any ? artefact_view_run(v, q, is_probe, &p) : CLI_OK;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

/* What the artefacts of a study lack, each thing once: most of them lack the same. */
typedef struct lack {
    char *name, *reason;
} lack;

typedef struct lacks {
    lack *items;
    int64_t count;
} lacks;

static bool has_lack(const lacks *l, const study_missing *m)
{
    for (int64_t i = 0; i < l->count; i++)
        if (strcmp(l->items[i].name, m->name) == 0 && strcmp(l->items[i].reason, m->reason) == 0) return true;
    return false;
}

static char *copy(const char *text)
{
    char *copied = strdup(text);
    if (!copied) cru_panic(CRU_NO_MEMORY, "no memory for what a study lacks");
    return copied;
}

static void add_lacks(lacks *l, const study_plan *plan)
{
    for (int64_t i = 0; i < plan->missing_count; i++) {
        const study_missing *m = &plan->missing[i];
        if (has_lack(l, m)) continue;
        lack *more = realloc(l->items, (size_t)(l->count + 1) * sizeof *more);
        if (!more) cru_panic(CRU_NO_MEMORY, "no memory for what a study lacks");
        l->items = more;
        l->items[l->count++] = (lack){copy(m->name), copy(m->reason)};
    }
}

/* One line a reason: "  missing: elliptic, dgraph-fin (no known address)". */
static void print_lacks(const lacks *l)
{
    for (int64_t i = 0; i < l->count; i++) {
        const char *reason = l->items[i].reason;
        bool told = false;
        for (int64_t k = 0; k < i; k++) told |= strcmp(l->items[k].reason, reason) == 0;
        if (told) continue;
        printf("  missing: %s", l->items[i].name);
        for (int64_t k = i + 1; k < l->count; k++)
            if (strcmp(l->items[k].reason, reason) == 0) printf(", %s", l->items[k].name);
        printf(" (%s)\n", reason);
    }
}

static void clear_lacks(lacks *l)
{
    for (int64_t i = 0; i < l->count; i++) {
        free(l->items[i].name);
        free(l->items[i].reason);
    }
    free(l->items);
}

static void left_text(const artefact_view *v, const estimate *e, char *text, size_t size)
{
    char took[DURATION_SIZE], unknown[60] = "";
    const char *about = e->scaled ? "about " : "";
    if (e->unknown)
        snprintf(unknown, sizeof unknown, "%s%lld trials never timed", e->seconds > 0 ? " + " : "",
                 (long long)e->unknown);
    snprintf(text, size, "%s%s%s", e->seconds > 0 ? about : "",
             e->seconds > 0 ? duration_text(e->seconds, took)
             : e->pending   ? ""
             : v->f         ? "none"
                            : "not begun",
             unknown);
}

static void print_line(const artefact_view *v, const estimate *e)
{
    char missing[32] = "", inside[32] = "", left[120]; /* where nothing was printed nothing is inside */
    left_text(v, e, left, sizeof left);
    if (v->plan.missing_count) snprintf(missing, sizeof missing, "%lld", (long long)v->plan.missing_count);
    const layout *l = &v->layout;
    if (l->cells) snprintf(inside, sizeof inside, "%lld", (long long)l->inside);
    printf("  %-32s %5lld %8lld %6s %7s  %s\n", v->file->name, (long long)(l->cells ? l->cells : l->places),
           (long long)(l->cells ? l->measured : l->filled), inside, missing, left);
}

static cJSON *make_json(const artefact_view *v, const estimate *e)
{
    static const char *const kinds[] = {"table", "figure", "settings"};
    cJSON *object = cJSON_CreateObject(), *missing;
    json_add_text(object, "name", v->file->name);
    json_add_text(object, "title", v->file->settings.title);
    json_add_text(object, "kind", kinds[v->file->settings.kind]);
    json_add_text(object, "path", v->file->path);
    cJSON_AddNumberToObject(object, "cells", (double)v->layout.cells);
    cJSON_AddNumberToObject(object, "measured", (double)v->layout.measured);
    cJSON_AddNumberToObject(object, "places", (double)v->layout.places);
    cJSON_AddNumberToObject(object, "filled", (double)v->layout.filled);
    cJSON_AddNumberToObject(object, "judged", (double)v->layout.judged);
    cJSON_AddNumberToObject(object, "inside", (double)v->layout.inside);
    cJSON_AddNumberToObject(object, "pending", (double)e->pending);
    cJSON_AddNumberToObject(object, "untimed", (double)e->unknown);
    cJSON_AddNumberToObject(object, "scaled", (double)e->scaled);
    json_add_number(object, "seconds_left", e->seconds);
    missing = cJSON_AddArrayToObject(object, "missing");
    for (int64_t i = 0; i < v->plan.missing_count; i++) {
        cJSON *item = cJSON_CreateObject();
        json_add_text(item, "kind", v->plan.missing[i].kind);
        json_add_text(item, "name", v->plan.missing[i].name);
        json_add_text(item, "reason", v->plan.missing[i].reason);
        cJSON_AddItemToArray(missing, item);
    }
    return object;
}

/* What the store knows, with its trials entered if it can be written. */
static int load(artefact_view *v, const session_request *q, const cli_words *dbs)
{
    bool writable = access(q->db ? q->db : "results.db", W_OK) == 0;
    int code = writable ? artefact_view_enter(v, q) : CLI_OK;
    return code == CLI_OK ? artefact_view_load(v, dbs, dbs->count > 0) : code;
}

/* Where artefacts are listed: as JSON, or as lines. */
typedef struct listing {
    cJSON *json;
    lacks lacks; /* of the study */
} listing;

/* A broken artefact has printed what is wrong with it, and the others follow. */
static int list_artefact(const char *name, const list_studies_request *r, listing *list)
{
    artefact_view v;
    const cli_words *dbs = &r->dbs;
    session_request q = {.db = dbs->count ? dbs->word[0] : NULL, .quiet = true};
    char *path = study_path(NULL, name);
    if (!path) return CLI_OK;
    int code = artefact_view_open(path, &q, &v);
    if (code == CLI_GO_ON) code = load(&v, &q, dbs);
    if (code == CLI_OK && r->probe && v.f) {
        code = probe(&v, &q);
        if (code == CLI_PARTLY || code == CLI_FAILED) code = CLI_OK; /* a probe without a result was timed, too */
        artefact_view_close(&v);
        if (code == CLI_OK) code = artefact_view_open(path, &q, &v);
        if (code == CLI_GO_ON) code = load(&v, &q, dbs);
    }
    free(path);
    if (code == CLI_OK) {
        estimate e = estimate_time(v.f, &v.with.places);
        if (list->json)
            cJSON_AddItemToArray(list->json, make_json(&v, &e));
        else
            print_line(&v, &e);
        add_lacks(&list->lacks, &v.plan);
    }
    artefact_view_close(&v);
    return code;
}

/* Whether the artefact is one of those that were named, itself or by its study; without names all are. */
static bool is_wanted(const list_studies_request *r, const char *name)
{
    for (int i = 0; i < r->names.count; i++) {
        size_t length = strlen(r->names.word[i]);
        if (strncmp(name, r->names.word[i], length) == 0 && (!name[length] || name[length] == '/')) return true;
    }
    return !r->names.count;
}

/* The artefacts of a study. *found: at least one is wanted. */
static int list_study(const char *study, const list_studies_request *r, cJSON *json, bool *found)
{
    study_list names;
    cru_error err = {0};
    int worst = CLI_OK;
    bool titled = r->json;
    listing list = {.json = json};
    if (study_artefacts(NULL, study, &names, &err) != CRU_OK) return cli_fail("%s", err.text);
    for (int64_t k = 0; k < names.count; k++) {
        if (!is_wanted(r, names.items[k])) continue;
        if (!titled) printf("%s%s%s\n", cli_paint(stdout, CLI_BOLD), study, cli_paint(stdout, CLI_PLAIN));
        titled = *found = true;
        int code = list_artefact(names.items[k], r, &list);
        if (code > worst) worst = code;
    }
    if (!json) print_lacks(&list.lacks);
    clear_lacks(&list.lacks);
    study_list_clear(&names);
    return worst;
}

int list_studies(const list_studies_request *r)
{
    study_list studies;
    cru_error err = {0};
    int worst = CLI_OK;
    bool found = false;
    for (int i = 0; i < r->dbs.count; i++)
        if (access(r->dbs.word[i], F_OK) != 0)
            return cli_fail("%s: %s; --db FILE names the results store", r->dbs.word[i], strerror(errno));
    if (study_names(NULL, &studies, &err) != CRU_OK) return cli_fail("%s", err.text);
    cJSON *list = r->json ? cJSON_CreateArray() : NULL;
    if (!r->json)
        printf("  %-32s %5s %8s %6s %7s  %s\n", "artefact", "cells", "measured", "inside", "missing", "time left");
    for (int64_t i = 0; i < studies.count; i++) {
        int code = list_study(studies.items[i], r, list, &found);
        if (code > worst) worst = code;
    }
    study_list_clear(&studies);
    int printed = r->json ? json_print(list) : CLI_OK;
    if (r->names.count && !found) return cli_wrong("list studies: no study or artefact '%s'", r->names.word[0]);
    return printed > worst ? printed : worst;
}
