// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/info-card.h"
#include "cli/info-section.h"
#include "cli/json.h"
#include "cli/param-table.h"
#include "cli/verbs.h"
#include "loader/loader.h"

enum { CELL = 512 };

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* A name may belong to plugins of several kinds; then the user must say which. */
static int find_by_name(const registry *plugins, const char *name, const registry_entry **found)
{
    *found = NULL;
    for (cru_kind kind = CRU_KIND_DATASET; kind <= CRU_KIND_SPLIT; kind++) {
        const registry_entry *entry = registry_find(plugins, kind, name);
        if (entry && *found)
            return cli_wrong("info: '%s' is a %s and a %s; say %s/%s or %s/%s", name, kind_name((*found)->kind),
                             kind_name(kind), kind_name((*found)->kind), name, kind_name(kind), name);
        if (entry) *found = entry;
    }
    return CLI_GO_ON;
}

static int say_unknown(const registry *plugins, cru_kind kind, const char *name)
{
    const registry_entry *broken = registry_find_broken(plugins, kind, name);
    if (broken) return cli_fail("info: %s is broken: %s", broken->path, broken->broken);
    const char *nearest = registry_nearest(plugins, kind, name);
    if (nearest) return cli_wrong("info: no plugin '%s'; did you mean '%s'?", name, nearest);
    return cli_wrong("info: no plugin, card or section '%s'; 'crucible list' prints the plugins, 'crucible list "
                     "datasets' the cards, 'crucible info --sections' the sections",
                     name);
}

/* `word` is a name or kind/name. */
static int find_plugin(const registry *plugins, const char *word, const registry_entry **found)
{
    const char *slash = strchr(word, '/'), *name = slash ? slash + 1 : word;
    cru_kind kind = 0;
    if (slash) {
        char kind_word[32];
        snprintf(kind_word, sizeof kind_word, "%.*s", (int)(slash - word), word);
        kind = kind_parse(kind_word);
        if (!kind) return cli_wrong("info: '%s' is no kind of plugin", kind_word);
        *found = registry_find(plugins, kind, name);
    } else {
        int code = find_by_name(plugins, name, found);
        if (code != CLI_GO_ON) return code;
    }
    return *found ? CLI_GO_ON : say_unknown(plugins, kind, name);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_field(const char *label, const char *text)
{
    if (text && *text) printf("  %-10s %s\n", label, text);
}

static const char *metric_text(uint32_t flags, char text[CELL])
{
    static const struct {
        uint32_t flag;
        const char *text;
    } words[] = {
        {CRU_METRIC_OF_DATASET, ", describes a dataset"},    {CRU_METRIC_PERCENT, ", in percent"},
        {CRU_METRIC_OF_EMBEDDING, ", of embeddings"},        {CRU_METRIC_OF_CANDIDATES, ", needs candidate sets"},
        {CRU_METRIC_OF_FEATURES, ", needs features"},        {CRU_METRIC_OF_TWO_CLASSES, ", needs two classes"},
        {CRU_METRIC_OF_LABEL_WEIGHTS, ", of label weights"}, {CRU_METRIC_COSTLY, ", takes long"}};
    int used = snprintf(text, CELL, "%s", flags & CRU_METRIC_LOWER_IS_BETTER ? "lower is better" : "higher is better");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (flags & words[i].flag) used += snprintf(text + used, (size_t)(CELL - used), "%s", words[i].text);
    return text;
}

static int print_text(const registry_entry *entry)
{
    char problems[PROBLEMS_TEXT_SIZE], metric[CELL];
    printf("%s%s%s %s (%s)\n  %s\n\n", cli_paint(stdout, CLI_BOLD), entry->name, cli_paint(stdout, CLI_PLAIN),
           entry->version, kind_name(entry->kind), entry->summary);
    print_field("tasks", problems_text(entry->problems, problems));
    if (entry->kind == CRU_KIND_METRIC) print_field("value", metric_text(entry->flags, metric));
    print_field("authors", entry->authors);
    print_field("citation", entry->citation);
    print_field("licence", entry->license);
    print_field("homepage", entry->homepage);
    print_field("categories", entry->categories);
    print_field("file", entry->path);
    if (entry->kind == CRU_KIND_ALGORITHM && entry->flags & CRU_ALGORITHM_WRAPS)
        print_field("wraps", "any algorithm, of = NAME, whose settings are inner.KEY: see 'crucible info NAME'");
    if (entry->params) {
        param_table_text(entry->params);
    } else {
        puts("\n  no settings");
    }
    return CLI_OK;
}

/* ---- Markdown ---------------------------------------------------------------------------------------------------- */

static int print_markdown(const registry_entry *entry)
{
    char problems[PROBLEMS_TEXT_SIZE], metric[CELL];
    printf("### %s\n\n%s. Version %s.", entry->name, entry->summary, entry->version);
    if (entry->problems) printf(" Tasks: %s.", problems_text(entry->problems, problems));
    if (entry->kind == CRU_KIND_METRIC) printf(" Value: %s.", metric_text(entry->flags, metric));
    if (entry->kind == CRU_KIND_ALGORITHM && entry->flags & CRU_ALGORITHM_WRAPS)
        printf(" Wraps any algorithm, whose settings are `inner.KEY`.");
    putchar('\n');
    if (entry->citation && *entry->citation) printf("\n%s\n", entry->citation);
    if (entry->params) param_table_markdown(entry->params);
    putchar('\n');
    return CLI_OK;
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* The registry is sorted by kind and name; broken files come last. */
static int print_all_markdown(const registry *plugins)
{
    cru_kind kind = 0;
    puts("# Plugins\n\nMade from the plugins themselves by `crucible info --all --markdown`.\n");
    for (size_t i = 0; i < registry_count(plugins); i++) {
        const registry_entry *entry = registry_at(plugins, i);
        if (entry->broken) continue;
        if (entry->kind != kind)
            printf("## %c%ss\n\n", kind_name(entry->kind)[0] - 'a' + 'A', kind_name(entry->kind) + 1);
        kind = entry->kind;
        print_markdown(entry);
    }
    return CLI_OK;
}

static int print_all_text(const registry *plugins)
{
    for (size_t i = 0; i < registry_count(plugins); i++) {
        const registry_entry *entry = registry_at(plugins, i);
        if (entry->broken) continue;
        if (i) putchar('\n');
        print_text(entry);
    }
    return CLI_OK;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static cJSON *entry_json(const registry_entry *entry)
{
    char problems[PROBLEMS_TEXT_SIZE], *rest = problems;
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", entry->name);
    json_add_text(object, "kind", kind_name(entry->kind));
    json_add_text(object, "version", entry->version);
    json_add_text(object, "summary", entry->summary);
    json_add_text(object, "authors", entry->authors);
    json_add_text(object, "citation", entry->citation);
    json_add_text(object, "license", entry->license);
    json_add_text(object, "homepage", entry->homepage);
    json_add_text(object, "categories", entry->categories);
    json_add_text(object, "path", entry->path);
    cJSON *tasks = cJSON_AddArrayToObject(object, "tasks");
    problems_text(entry->problems, problems);
    for (char *word; (word = strtok_r(rest, ", ", &rest));) cJSON_AddItemToArray(tasks, cJSON_CreateString(word));
    if (entry->kind == CRU_KIND_ALGORITHM)
        cJSON_AddBoolToObject(object, "wraps", (entry->flags & CRU_ALGORITHM_WRAPS) != 0);
    if (entry->kind == CRU_KIND_METRIC) {
        cJSON_AddBoolToObject(object, "lower_is_better", (entry->flags & CRU_METRIC_LOWER_IS_BETTER) != 0);
        cJSON_AddBoolToObject(object, "of_dataset", (entry->flags & CRU_METRIC_OF_DATASET) != 0);
        cJSON_AddBoolToObject(object, "percent", (entry->flags & CRU_METRIC_PERCENT) != 0);
    }
    cJSON_AddItemToObject(object, "params", param_table_json(entry->params));
    return object;
}

static int print_all_json(const registry *plugins)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < registry_count(plugins); i++)
        if (!registry_at(plugins, i)->broken) cJSON_AddItemToArray(array, entry_json(registry_at(plugins, i)));
    return json_print(array);
}

/* ---- sections of experiment files -------------------------------------------------------------------------------- */

typedef struct request {
    bool json, markdown, all, sections;
} request;

static int print_section(const host_section *s, const request *q)
{
    if (q->json) return json_print(info_section_json(s));
    return q->markdown ? info_section_markdown(s) : info_section_text(s);
}

static int print_sections(const request *q)
{
    cJSON *array = q->json ? cJSON_CreateArray() : NULL;
    if (q->markdown)
        puts("# Sections of an experiment file\n\nMade from the program by `crucible info --sections --markdown`; "
             "README.md tells the grammar.\n");
    for (const host_section *s = host_sections; s->name; s++) {
        if (q->json) {
            cJSON_AddItemToArray(array, info_section_json(s));
        } else if (q->markdown) {
            info_section_markdown(s);
        } else {
            if (s != host_sections) putchar('\n');
            info_section_text(s);
        }
    }
    return q->json ? json_print(array) : CLI_OK;
}

/* ---- what was asked for ------------------------------------------------------------------------------------------ */

static int print_all(const registry *plugins, const request *q)
{
    if (q->json) return print_all_json(plugins);
    return q->markdown ? print_all_markdown(plugins) : print_all_text(plugins);
}

static bool names_plugin(const registry *plugins, const char *word)
{
    for (cru_kind kind = CRU_KIND_DATASET; kind <= CRU_KIND_SPLIT; kind++)
        if (registry_find(plugins, kind, word)) return true;
    return false;
}

/* A card by its name or its path; false when there is none, or a plugin has the name. */
static bool find_card(const registry *plugins, const char *word, data_found *found)
{
    const char *dot = strrchr(word, '.');
    const bool path = dot && strcmp(dot, ".ini") == 0;
    if (!path && (strchr(word, '/') || names_plugin(plugins, word))) return false;
    return data_find(word, NULL, found, NULL) == CRU_OK;
}

static int print_one(const registry *plugins, const char *word, const request *q)
{
    data_found found;
    const host_section *section = names_plugin(plugins, word) ? NULL : host_section_find(word);
    if (section) return print_section(section, q);
    if (!q->markdown && find_card(plugins, word, &found)) {
        int done = q->json ? json_print(info_card_json(found.card)) : info_card_text(found.card);
        data_found_clear(&found);
        return done;
    }
    const registry_entry *entry = NULL;
    int code = find_plugin(plugins, word, &entry);
    if (code != CLI_GO_ON) return code;
    if (q->json) return json_print(entry_json(entry));
    return q->markdown ? print_markdown(entry) : print_text(entry);
}

int verb_info(int argc, char **argv)
{
    request q = {0};
    const cli_option options[] = {
        {.name = "all", .flag = &q.all, .help = "every plugin, by kind and name, instead of one"},
        {.name = "sections", .flag = &q.sections, .help = "every section of an experiment file but those of plugins"},
        {.name = "markdown", .flag = &q.markdown, .help = "print Markdown, as for a manual"},
        {.name = "json", .flag = &q.json, .help = "print a JSON object; with --all or --sections, an array of them"},
        {0},
    };
    const cli_syntax syntax = {
        .verb = "info",
        .operands = "NAME",
        .most = 1,
        .options = options,
        .about =
            "Describes a plugin: what it does, who wrote it, which tasks it takes and its settings; or the card of\n"
            "a dataset: counts, metric, licence, citation, files and where they are, how the studies split it; or\n"
            "the keys of a section of an experiment file: experiment, split, preprocess, monitor, search, run, "
            "report,\n"
            "paths. NAME may be written as kind/name, which is needed when two kinds share a name.",
    };
    cli_words operands;
    int code = cli_parse(&syntax, argc, argv, &operands);
    if (code != CLI_GO_ON) return code;
    if (q.all + q.sections + operands.count != 1)
        return cli_wrong("info: give one name (of a plugin, a card or a section), or --all, or --sections");
    if (q.json && q.markdown) return cli_wrong("info: --json and --markdown: choose one");
    if (q.sections) return print_sections(&q);
    registry *plugins;
    cru_error err = {0};
    if (loader_scan(NULL, &plugins, NULL, &err) != CRU_OK) return cli_fail("%s", err.text);
    code = q.all ? print_all(plugins, &q) : print_one(plugins, operands.word[0], &q);
    registry_destroy(plugins);
    return code;
}
