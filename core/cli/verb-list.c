// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "cli/list-studies.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "data/data.h"
#include "loader/loader.h"

/* What is asked for; `kind` 0 is every kind. */
typedef struct request {
    cru_kind kind;
    bool json, paths;
    const char *config;
    const data_places *places;
} request;

/* A broken file whose kind nobody knows could be of any. */
static bool wanted(const request *q, const registry_entry *entry)
{
    return !q->kind || entry->kind == q->kind || (entry->broken && !entry->kind);
}

/* A dataset plugin makes data by itself or reads files that a card names. */
static const char *role_name(const registry_entry *entry)
{
    if (entry->kind != CRU_KIND_DATASET || entry->broken) return NULL;
    return entry->problems ? "generator" : "format";
}

static void add_card(void *user, const card *c, data_state state, const char *why)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", c ? c->name : NULL);
    json_add_text(object, "kind", kind_name(CRU_KIND_DATASET));
    json_add_text(object, "version", NULL);
    json_add_text(object, "summary", c ? c->title : NULL);
    json_add_text(object, "path", c ? c->path : NULL);
    json_add_text(object, "status", data_state_name(state));
    json_add_text(object, "reason", why);
    json_add_text(object, "role", "card");
    cJSON_AddItemToArray(user, object);
}

static int print_json(const registry *plugins, const request *q)
{
    cJSON *array = cJSON_CreateArray();
    if (!q->kind || q->kind == CRU_KIND_DATASET) data_visit(q->places, add_card, array, NULL);
    for (size_t i = 0; i < registry_count(plugins); i++) {
        const registry_entry *entry = registry_at(plugins, i);
        if (!wanted(q, entry)) continue;
        cJSON *object = cJSON_CreateObject();
        json_add_text(object, "name", entry->name);
        json_add_text(object, "kind", kind_name(entry->kind));
        json_add_text(object, "version", entry->version);
        json_add_text(object, "summary", entry->summary);
        json_add_text(object, "path", entry->path);
        json_add_text(object, "status", entry->broken ? "broken" : "ok");
        json_add_text(object, "reason", entry->broken);
        json_add_text(object, "role", role_name(entry));
        json_add_text(object, "categories", entry->categories);
        cJSON_AddItemToArray(array, object);
    }
    return json_print(array);
}

static int name_width(const registry *plugins, const request *q)
{
    size_t width = 8;
    for (size_t i = 0; i < registry_count(plugins); i++) {
        const registry_entry *entry = registry_at(plugins, i);
        if (!entry->broken && wanted(q, entry) && strlen(entry->name) > width) width = strlen(entry->name);
    }
    return (int)width;
}

static void print_folders(void)
{
    char **folders = loader_folders(NULL);
    printf("%ssearched%s\n", cli_paint(stdout, CLI_BOLD), cli_paint(stdout, CLI_PLAIN));
    for (char **folder = folders; folder && *folder; folder++) printf("  %s\n", *folder);
    folders_free(folders);
}

static void print_entry(const registry_entry *entry, const request *q, int width)
{
    if (entry->broken) {
        printf("  %s: %s%s%s\n", entry->path, cli_paint(stdout, CLI_RED), entry->broken, cli_paint(stdout, CLI_PLAIN));
        return;
    }
    printf("  %-*s %-6s %s\n", width, entry->name, entry->version, entry->summary);
    if (q->paths)
        printf("  %-*s %s%s%s\n", width, "", cli_paint(stdout, CLI_DIM), entry->path, cli_paint(stdout, CLI_PLAIN));
}

static void print_card(void *user, const card *c, data_state state, const char *why)
{
    bool *any = user;
    if (!*any) printf("%scards%s\n", cli_paint(stdout, CLI_BOLD), cli_paint(stdout, CLI_PLAIN));
    *any = true;
    if (c)
        printf("  %-28s %-12s %s\n", c->name, data_state_name(state), c->title ? c->title : "");
    else
        printf("  %s%s%s\n", cli_paint(stdout, CLI_RED), why, cli_paint(stdout, CLI_PLAIN));
}

/* The registry is sorted: one group per kind, then the broken ones. */
static void print_text(const registry *plugins, const request *q)
{
    const int width = name_width(plugins, q);
    const registry_entry *before = NULL;
    bool any_card = false;
    if (q->paths) print_folders();
    if (!q->kind || q->kind == CRU_KIND_DATASET) data_visit(q->places, print_card, &any_card, NULL);
    for (size_t i = 0; i < registry_count(plugins); i++) {
        const registry_entry *entry = registry_at(plugins, i);
        if (!wanted(q, entry)) continue;
        bool same_group = before && !before->broken == !entry->broken && (entry->broken || before->kind == entry->kind);
        if (!same_group)
            printf("%s%s%s%s\n", cli_paint(stdout, CLI_BOLD), entry->broken ? "broken" : kind_name(entry->kind),
                   entry->broken ? "" : "s", cli_paint(stdout, CLI_PLAIN));
        print_entry(entry, q, width);
        before = entry;
    }
    if (!before && !any_card) puts("no plugins found; 'crucible list --paths' prints where they are searched");
}

int verb_list(int argc, char **argv)
{
    request q = {0};
    list_studies_request studies = {0};
    const cli_option options[] = {
        OUTFIT_OPTION(&q.config),
        {.name = "db",
         .argument = "FILE",
         .words = &studies.dbs,
         .help = "studies: the results stores (default: results.db)"},
        {.name = "probe",
         .flag = &studies.probe,
         .help = "studies: run one trial of every method that was never timed, on its smallest dataset; the result is "
                 "kept"},
        {.name = "json", .flag = &q.json, .help = "print a JSON array"},
        {.name = "paths", .flag = &q.paths, .help = "print the folders searched and the file of each plugin"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "list",
        .operands = "[datasets|splits|corruptors|algorithms|metrics|backends|studies [STUDY|ARTEFACT]...]",
        .most = CLI_WORDS_MAX,
        .options = options,
        .about =
            "Lists the plugins that were found, and the files that could not be used with the reason.\n"
            "Datasets are cards (present, fetchable, needs terms or missing), generators and file formats.\n"
            "Folders: beside the program, installed, then those of CRUCIBLE_PLUGIN_PATH (colons between).\n"
            "The first plugin of a name wins.\n"
            "Studies are published tables and figures that 'crucible run NAME' makes: how many cells they have, how\n"
            "many of them are measured and near the print, what is missing, and the processor time that is left, from\n"
            "the times of finished trials of the same method on the same dataset, or, with 'about', of those on other\n"
            "datasets as if time grew with nodes and edges. --probe times one trial of each method that has none.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    if (operands.count && strcmp(operands.word[0], "studies") == 0) {
        for (int i = 1; i < operands.count; i++) studies.names.word[studies.names.count++] = operands.word[i];
        studies.json = q.json;
        return list_studies(&studies);
    }
    if (operands.count > 1 || studies.probe) return cli_wrong("list: further names and --probe are for studies");
    if (operands.count) {
        q.kind = kind_parse(operands.word[0]);
        if (!q.kind) return cli_wrong("list: unknown kind '%s'; kinds: %s", operands.word[0], syntax.operands);
    }
    outfit with;
    code = outfit_open(q.config, &with);
    if (code != CLI_GO_ON) return code;
    q.places = &with.places;
    if (q.json) {
        code = print_json(with.plugins, &q);
    } else {
        print_text(with.plugins, &q);
        code = CLI_OK;
    }
    outfit_close(&with);
    return code;
}
