// SPDX-License-Identifier: Apache-2.0
/* crucible claims: which findings of a study hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/artefact-run.h"
#include "cli/claims-study.h"
#include "cli/json.h"
#include "cli/verbs.h"
#include "config/strings.h"
#include "study/claims.h"
#include "study/find.h"

enum { TABLES_MOST = 64 };

/* Artefacts that were opened, each once. */
typedef struct tables {
    artefact_view views[TABLES_MOST];
    int64_t count;
    const session_request *q;
    const cli_words *dbs;
    const char *study;
    claims_visitor *visit;
    void *user;
} tables;

/* The table of "table-a1" of the study, or NULL after a message. */
static const layout *open_table(tables *t, const claim *c, const char *source)
{
    char name[300];
    snprintf(name, sizeof name, "%s/%s", t->study, source);
    for (int64_t i = 0; i < t->count; i++)
        if (strcmp(t->views[i].file->name, name) == 0) return t->views[i].layout.t ? &t->views[i].layout : NULL;
    char *path = study_path(NULL, name);
    if (!path || t->count == TABLES_MOST) {
        cli_wrong("%s:%d: %s: there is no artefact %s", c->place.file, c->place.line, c->name, name);
        free(path);
        return NULL;
    }
    artefact_view *v = &t->views[t->count++];
    session_request own = *t->q;
    own.db = t->dbs->count ? t->dbs->word[0] : NULL;
    const char *db = own.db ? own.db : "results.db";
    int code = artefact_view_open(path, t->q, v);
    free(path);
    if (code == CLI_GO_ON) code = access(db, W_OK) == 0 ? artefact_view_enter(v, &own) : CLI_OK;
    if (code == CLI_OK) code = artefact_view_load(v, t->dbs, t->dbs->count > 0);
    if (code == CLI_OK && !v->layout.t)
        cli_wrong("%s:%d: %s: %s has no published values", c->place.file, c->place.line, c->name, name);
    return code == CLI_OK && v->layout.t ? &v->layout : NULL;
}

static const char *const verdicts[] = {[CLAIM_HOLDS] = "holds", [CLAIM_FAILS] = "fails", [CLAIM_OPEN] = "open"};

void claims_say(const claim_result *r, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s", verdicts[r->verdict]);
    if (r->known)
        used +=
            (size_t)snprintf(text + used, size - used, ", in %lld of %lld", (long long)r->holding, (long long)r->known);
    if (!isnan(r->p) && used < size) used += (size_t)snprintf(text + used, size - used, ", p = %.3g", r->p);
    if (r->few && r->known && used < size)
        used += (size_t)snprintf(text + used, size - used, ", too few runs for the test");
    if (r->combinations > r->known && used < size)
        used += (size_t)snprintf(text + used, size - used, ", %lld not known", (long long)(r->combinations - r->known));
    if (r->missing && used < size) snprintf(text + used, size - used, ", missing %s", r->missing);
}

static void add_json(cJSON *object, const char *key, const claim_result *r)
{
    cJSON *side = cJSON_AddObjectToObject(object, key);
    json_add_text(side, "verdict", verdicts[r->verdict]);
    cJSON_AddNumberToObject(side, "combinations", (double)r->combinations);
    cJSON_AddNumberToObject(side, "known", (double)r->known);
    cJSON_AddNumberToObject(side, "holding", (double)r->holding);
    json_add_number(side, "p", r->p);
    json_add_text(side, "missing", r->missing);
}

static int check_claim(tables *t, cru_arena *arena, const claim *c)
{
    const layout *found[TABLES_MOST];
    claim_result results[2];
    cru_error err = {0};
    if (c->sources.count > TABLES_MOST) return cli_wrong("%s: too many sources", c->name);
    for (int64_t i = 0; i < c->sources.count; i++)
        if (!(found[i] = open_table(t, c, c->sources.items[i]))) return CLI_USAGE;
    for (int side = 0; side < 2; side++)
        if (claim_check(arena, c, (claim_side)side, found, c->sources.count, &results[side], &err) != CRU_OK)
            return cli_wrong("%s", err.text);
    t->visit(t->user, c, results);
    return CLI_OK;
}

/* *any: there was a claim. */
static int check_all(tables *t, const char *path, const char *only, bool *any)
{
    cru_arena *arena = cru_arena_create();
    if (!arena) cru_panic(CRU_NO_MEMORY, "no memory for claims");
    claim_list list;
    diagnostics faults = {0};
    int code = claims_read(arena, path, &list, &faults) == CRU_OK ? CLI_OK : CLI_USAGE;
    diagnostics_print(&faults, stderr);
    diagnostics_clear(&faults);
    for (int64_t i = 0; code == CLI_OK && i < list.count; i++) {
        if (only && strcmp(only, list.items[i].name) != 0) continue;
        *any = true;
        code = check_claim(t, arena, &list.items[i]);
    }
    cru_arena_destroy(arena);
    return code;
}

int claims_of_study(const claims_request *r, bool *any)
{
    char name[300];
    *any = false;
    snprintf(name, sizeof name, "%s/claims", r->study);
    char *path = study_path(NULL, name);
    if (!path) return CLI_OK;
    tables *t = calloc(1, sizeof *t);
    if (!t) cru_panic(CRU_NO_MEMORY, "no memory for claims");
    *t = (tables){.q = r->q, .dbs = r->dbs, .study = r->study, .visit = r->visit, .user = r->user};
    int code = check_all(t, path, r->only, any);
    for (int64_t i = 0; i < t->count; i++) artefact_view_close(&t->views[i]);
    free(t);
    free(path);
    return code;
}

static void print_claim(void *user, const claim *c, const claim_result results[2])
{
    char text[600];
    (void)user;
    printf("%s%s%s: %s\n", cli_paint(stdout, CLI_BOLD), c->name, cli_paint(stdout, CLI_PLAIN), c->says);
    claims_say(&results[0], text, sizeof text);
    printf("  published  %s\n", text);
    claims_say(&results[1], text, sizeof text);
    printf("  ours       %s\n", text);
}

static void list_claim(void *user, const claim *c, const claim_result results[2])
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "claim", c->name);
    json_add_text(object, "says", c->says);
    json_add_text(object, "holds", c->text);
    add_json(object, "published", &results[0]);
    add_json(object, "ours", &results[1]);
    cJSON_AddItemToArray(user, object);
}

static int check_study(const claims_request *asked, bool json)
{
    char name[300];
    bool any;
    snprintf(name, sizeof name, "%s/claims", asked->study);
    char *path = study_path(NULL, name);
    if (!path) return cli_wrong("there is no file of claims %s.ini in the folders of studies", name);
    free(path);
    cJSON *out = json ? cJSON_CreateArray() : NULL;
    claims_request r = *asked;
    r.visit = json ? list_claim : print_claim;
    r.user = out;
    int code = claims_of_study(&r, &any);
    if (code == CLI_OK && !any) code = cli_wrong("%s has no claim%s%s", name, r.only ? " " : "", r.only ? r.only : "");
    if (code == CLI_OK && out) return json_print(out);
    cJSON_Delete(out);
    return code;
}

int verb_claims(int argc, char **argv)
{
    session_request q = {0};
    cli_words dbs = {0}, operands;
    bool json = false;
    const cli_option options[] = {
        {.name = "db", .argument = "FILE", .words = &dbs, .help = "results stores (default: results.db)"},
        {.name = "quick", .flag = &q.quick, .help = "the cells of each artefact's [quick] only"},
        {.name = "json", .flag = &json, .help = "print a JSON array"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "claims",
        .operands = "STUDY [CLAIM]",
        .least = 1,
        .most = 2,
        .options = options,
        .about =
            "Says of each finding of a study, as its claims.ini states it, whether it holds in the published numbers\n"
            "and whether it holds in ours, or what is missing. Exit code 2 when a claim has a mistake.",
    };
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    return check_study(
        &(claims_request){
            .study = operands.word[0], .only = operands.count > 1 ? operands.word[1] : NULL, .q = &q, .dbs = &dbs},
        json);
}
