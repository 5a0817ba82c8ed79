// SPDX-License-Identifier: Apache-2.0
#include "cli/list-studies.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/line.h"
#include "cli/artefact-run.h"
#include "cli/json.h"
#include "study/find.h"

/* ---- time ------------------------------------------------------------------------------------------------ */

typedef struct estimate {
    double seconds;  /* of trials that are to be run */
    int64_t pending; /* how many they are */
    int64_t unknown; /* those of them of which no trial like them was timed */
} estimate;

static int32_t level(const frame_column *c, int64_t i)
{
    return c ? c->ids[i] : -1;
}

/* The mean time of finished trials of the same method on the same dataset, or else of the method. */
static double seconds_like(const frame *f, int64_t i, const double *seconds)
{
    const frame_column *method = &f->columns[0], *dataset = frame_find_column(f, "dataset");
    double sum[2] = {0};
    int64_t count[2] = {0};
    for (int64_t k = 0; k < f->count; k++) {
        if (isnan(seconds[k]) || level(method, k) != level(method, i)) continue;
        bool same = level(dataset, k) == level(dataset, i);
        sum[same] += seconds[k];
        count[same]++;
    }
    return count[1] ? sum[1] / (double)count[1] : count[0] ? sum[0] / (double)count[0] : NAN;
}

/* One answer for each method and dataset. */
static estimate estimate_time(const frame *f)
{
    estimate e = {0};
    const frame_measure *seconds = f ? frame_find_measure(f, "seconds") : NULL;
    const frame_column *dataset = f ? frame_find_column(f, "dataset") : NULL;
    if (!seconds) return e;
    int32_t methods = f->columns[0].level_count + 1, sets = (dataset ? dataset->level_count : 0) + 1;
    double *known = cru_arena_alloc(f->arena, (int64_t)methods * sets, sizeof *known);
    for (int64_t i = 0; i < (int64_t)methods * sets; i++) known[i] = -1;
    for (int64_t i = 0; i < f->count; i++) {
        if (f->outcomes[i] != STORE_PENDING) continue;
        double *like = &known[(level(&f->columns[0], i) + 1) * sets + level(dataset, i) + 1];
        if (*like == -1) *like = seconds_like(f, i, seconds->values);
        e.pending++;
        e.unknown += isnan(*like);
        if (!isnan(*like)) e.seconds += *like;
    }
    return e;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

static void missing_text(const artefact_view *v, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < v->plan.missing_count && used < size; i++) {
        const study_missing *m = &v->plan.missing[i];
        bool opens = i == 0 || strcmp(v->plan.missing[i - 1].reason, m->reason) != 0;
        int n = snprintf(text + used, size - used, "%s%s%s%s",
                         i == 0  ? ""
                         : opens ? "; "
                                 : ", ",
                         opens ? m->reason : "", opens ? ": " : "", m->name);
        used += n > 0 ? (size_t)n : 0;
    }
}

static void left_text(const artefact_view *v, const estimate *e, char *text, size_t size)
{
    char took[DURATION_SIZE], unknown[60] = "";
    if (e->unknown)
        snprintf(unknown, sizeof unknown, "%s%" PRId64 " trials never timed", e->seconds > 0 ? " + " : "", e->unknown);
    snprintf(text, size, "%s%s",
             e->seconds > 0 ? duration_text(e->seconds, took)
             : e->pending   ? ""
             : v->f         ? "none"
                            : "?",
             unknown);
}

static void print_line(const artefact_view *v, const estimate *e)
{
    char missing[400], left[120];
    missing_text(v, missing, sizeof missing);
    left_text(v, e, left, sizeof left);
    printf("  %-32s %5" PRId64 " %8" PRId64 " %6" PRId64 "  %-22s %s\n", v->file->name, v->layout.cells,
           v->layout.measured, v->layout.inside, left, missing);
}

static cJSON *make_json(const artefact_view *v, const estimate *e)
{
    cJSON *object = cJSON_CreateObject(), *missing;
    json_add_text(object, "name", v->file->name);
    json_add_text(object, "title", v->file->settings.title);
    json_add_text(object, "kind", v->file->settings.kind == ARTEFACT_FIGURE ? "figure" : "table");
    json_add_text(object, "path", v->file->path);
    cJSON_AddNumberToObject(object, "cells", (double)v->layout.cells);
    cJSON_AddNumberToObject(object, "measured", (double)v->layout.measured);
    cJSON_AddNumberToObject(object, "judged", (double)v->layout.judged);
    cJSON_AddNumberToObject(object, "inside", (double)v->layout.inside);
    cJSON_AddNumberToObject(object, "pending", (double)e->pending);
    cJSON_AddNumberToObject(object, "untimed", (double)e->unknown);
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

/* A broken artefact has printed what is wrong with it, and the others follow. */
static int list_artefact(const char *name, const cli_words *dbs, cJSON *list)
{
    artefact_view v;
    session_request q = {.db = dbs->count ? dbs->word[0] : NULL};
    char *path = study_path(NULL, name);
    if (!path) return CLI_OK;
    int code = artefact_view_open(path, &q, &v);
    free(path);
    bool writable = access(q.db ? q.db : "results.db", W_OK) == 0;
    if (code == CLI_GO_ON) code = writable ? artefact_view_enter(&v, &q) : CLI_OK;
    if (code == CLI_OK) code = artefact_view_load(&v, dbs, dbs->count > 0);
    if (code == CLI_OK) {
        estimate e = estimate_time(v.f);
        if (list)
            cJSON_AddItemToArray(list, make_json(&v, &e));
        else
            print_line(&v, &e);
    }
    artefact_view_close(&v);
    return code;
}

int list_studies(const cli_words *dbs, bool json)
{
    study_list studies, names;
    cru_error err = {0};
    int worst = CLI_OK;
    if (study_names(NULL, &studies, &err) != CRU_OK) return cli_fail("%s", err.text);
    cJSON *list = json ? cJSON_CreateArray() : NULL;
    if (!json)
        printf("  %-32s %5s %8s %6s  %-22s %s\n", "artefact", "cells", "measured", "inside", "time left", "missing");
    for (int64_t i = 0; i < studies.count; i++) {
        if (study_artefacts(NULL, studies.items[i], &names, &err) != CRU_OK) break;
        if (!json) printf("%s%s%s\n", cli_paint(stdout, CLI_BOLD), studies.items[i], cli_paint(stdout, CLI_PLAIN));
        for (int64_t k = 0; k < names.count; k++) {
            int code = list_artefact(names.items[k], dbs, list);
            if (code > worst) worst = code;
        }
        study_list_clear(&names);
    }
    study_list_clear(&studies);
    int printed = json ? json_print(list) : CLI_OK;
    return printed > worst ? printed : worst;
}
