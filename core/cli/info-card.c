// SPDX-License-Identifier: Apache-2.0
#include "cli/info-card.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/json.h"

typedef struct fact {
    const char *name;
    int64_t value;
} fact;

enum { FACTS = 10 };

static void list_facts(const card_expect *e, fact facts[FACTS])
{
    const fact all[FACTS] = {{"items", e->items},       {"nodes", e->nodes},     {"edges", e->edges},
                             {"features", e->features}, {"classes", e->classes}, {"graphs", e->graphs},
                             {"train", e->train},       {"val", e->val},         {"test", e->test},
                             {"official", e->official}};
    for (int i = 0; i < FACTS; i++) facts[i] = all[i];
}

static const char *where(const card *c, const card_file *f)
{
    char *path = data_locate(c, f, NULL, NULL);
    const char *state = path ? "present" : f->url_count > 0 && !c->terms ? "fetchable" : "missing";
    free(path);
    return state;
}

/* ---- text ------------------------------------------------------------------------------------------------ */

static void print_field(const char *name, const char *text)
{
    if (text) printf("  %-9s %s\n", name, text);
}

static void print_counts(const card_expect *expect)
{
    fact facts[FACTS];
    const char *between = "  counts    ";
    list_facts(expect, facts);
    for (int i = 0; i < FACTS; i++) {
        if (facts[i].value < 0) continue;
        printf("%s%s %lld", between, facts[i].name, (long long)facts[i].value);
        between = ", ";
    }
    if (*between == ',') putchar('\n');
}

static void print_pairs(const char *title, const card_settings *pairs)
{
    if (pairs->count > 0) printf("\n%s\n", title);
    for (int64_t i = 0; i < pairs->count; i++) printf("  %-13s %s\n", pairs->items[i].key, pairs->items[i].value);
}

int info_card_text(const card *c)
{
    printf("%s  %s\n", c->name, c->title ? c->title : "");
    print_field("task", c->task);
    print_field("metric", c->metric);
    print_field("format", c->format);
    print_counts(&c->expect);
    print_field("licence", c->licence);
    print_field("citation", c->citation);
    print_field("home", c->home);
    print_field("terms", c->terms);
    print_field("by hand", c->by_hand);
    print_field("notes", c->notes);
    print_field("card", c->path);
    if (c->file_count > 0) printf("\nfiles\n");
    for (int64_t i = 0; i < c->file_count; i++) {
        const card_file *f = &c->files[i];
        printf("  %-13s %-10s %s\n", f->role, where(c, f), f->forms[0].name);
        for (int k = 0; k < f->url_count; k++) printf("  %13s %-10s %s\n", "", k == 0 ? "from" : "or from", f->urls[k]);
    }
    print_pairs("settings", &c->settings);
    print_pairs("protocols", &c->protocols);
    return CLI_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

static void add_pairs(cJSON *object, const char *key, const card_settings *pairs)
{
    cJSON *into = cJSON_AddObjectToObject(object, key);
    for (int64_t i = 0; i < pairs->count; i++) json_add_text(into, pairs->items[i].key, pairs->items[i].value);
}

static void add_files(cJSON *object, const card *c)
{
    cJSON *files = cJSON_AddArrayToObject(object, "files");
    for (int64_t i = 0; i < c->file_count; i++) {
        const card_file *f = &c->files[i];
        cJSON *file = cJSON_CreateObject();
        json_add_text(file, "role", f->role);
        json_add_text(file, "name", f->forms[0].name);
        json_add_text(file, "state", where(c, f));
        json_add_text(file, "sha256", f->forms[0].sha256);
        cJSON *urls = cJSON_AddArrayToObject(file, "urls");
        for (int k = 0; k < f->url_count; k++) cJSON_AddItemToArray(urls, cJSON_CreateString(f->urls[k]));
        cJSON_AddItemToArray(files, file);
    }
}

cJSON *info_card_json(const card *c)
{
    cJSON *object = cJSON_CreateObject();
    json_add_text(object, "name", c->name);
    json_add_text(object, "kind", "card");
    const struct {
        const char *key, *text;
    } texts[] = {{"title", c->title},     {"task", c->task},         {"metric", c->metric}, {"format", c->format},
                 {"licence", c->licence}, {"citation", c->citation}, {"home", c->home},     {"terms", c->terms},
                 {"by-hand", c->by_hand}, {"notes", c->notes},       {"path", c->path}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) json_add_text(object, texts[i].key, texts[i].text);
    fact facts[FACTS];
    list_facts(&c->expect, facts);
    cJSON *counts = cJSON_AddObjectToObject(object, "counts");
    for (int i = 0; i < FACTS; i++)
        if (facts[i].value >= 0) json_add_number(counts, facts[i].name, (double)facts[i].value);
    add_files(object, c);
    add_pairs(object, "settings", &c->settings);
    add_pairs(object, "protocols", &c->protocols);
    return object;
}
