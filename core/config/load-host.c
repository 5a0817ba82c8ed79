// SPDX-License-Identifier: Apache-2.0
/* The host's own sections that take one value a key. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/plan.h"

/* Reads the section into fresh settings; the defaults when the file has no such section. */
static cru_settings *read_section(document *doc, section_type type, const cru_param *params, size_t size)
{
    const char *owner = string_format(doc->arena, "[%s]", section_type_names[type]);
    cru_settings *settings = cru_settings_create(params, size);
    if (!settings) cru_panic(CRU_NO_MEMORY, "no memory for %s", owner);
    section *s = document_find(doc, type, NULL);
    if (!s) return settings;
    section_check(doc, s, &(section_rules){.params = params, .settings_size = size, .owner = owner});
    for (int64_t i = 0; i < s->count; i++) {
        if (!s->entries[i].param) continue;
        cru_status status = cru_settings_set(settings, s->entries[i].key, s->entries[i].text, NULL);
        cru_assert(!status, "%s: a checked value does not read back", owner);
    }
    return settings;
}

/* "label-noise" for "configs/label-noise.ini". */
static const char *stem(cru_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return string_copy_bytes(arena, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static int by_number(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static bool has_repeat(cru_arena *arena, const uint64_t *seeds, int64_t count)
{
    uint64_t *sorted = cru_arena_alloc(arena, count, sizeof *sorted);
    memcpy(sorted, seeds, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, by_number);
    for (int64_t i = 1; i < count; i++)
        if (sorted[i] == sorted[i - 1]) return true;
    return false;
}

static cru_status read_seeds(config_loader *l, cru_error *err)
{
    value_list list;
    cru_status status = values_expand(l->doc.arena, l->lists.seeds, CRU_PARAM_INT, &list, err);
    if (status) return status;
    uint64_t *seeds = cru_arena_alloc(l->doc.arena, list.count, sizeof *seeds);
    for (int64_t i = 0; i < list.count; i++) {
        int64_t seed;
        if (!values_integer(list.items[i], &seed) || seed < 0)
            return cru_fail(err, CRU_BAD_INPUT, "'%s' is not a whole number of at least 0", list.items[i]);
        seeds[i] = (uint64_t)seed;
    }
    if (has_repeat(l->doc.arena, seeds, list.count)) return cru_fail(err, CRU_BAD_INPUT, "a seed is listed twice");
    l->e->seeds = seeds;
    l->e->seed_count = list.count;
    return CRU_OK;
}

/* A list that is given must not be empty, nor hold empty items. */
static cru_status check_list(cru_arena *arena, const char *text, const char *separators, cru_error *err)
{
    value_list list;
    cru_status status = values_split(arena, text, *separators, &list, err);
    for (int64_t i = 0; !status && separators[1] && i < list.count; i++)
        status = check_list(arena, list.items[i], separators + 1, err);
    return status;
}

static void check_lists(document *doc)
{
    static const char *const keys[][2] = {
        {"datasets", ","}, {"corruptors", "|,"}, {"algorithms", ","}, {"metrics", ","}};
    const section *s = document_find(doc, SECTION_EXPERIMENT, NULL);
    for (size_t i = 0; s && i < sizeof keys / sizeof *keys; i++) {
        const entry *e = section_find(s, keys[i][0]);
        cru_error err = {0};
        if (e && check_list(doc->arena, e->text, keys[i][1], &err) != CRU_OK)
            diagnostics_add(doc->diags, &e->place, e->key, "%s", err.text);
    }
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

void paths_check(document *doc)
{
    const section *s = document_find(doc, SECTION_PATHS, NULL);
    const entry *e = s ? section_find(s, "plugins") : NULL;
    if (!e || !*e->text) return;
    char *cursor = NULL, *words = string_copy(doc->arena, e->text);
    for (char *word = strtok_r(words, ":", &cursor); word; word = strtok_r(NULL, ":", &cursor))
        if (is_folder(word)) return;
    diagnostics_add(doc->diags, &e->place, e->key, "there is no folder %s", e->text);
}

/* Read when all trials have run; missing, it is missing now. */
static void check_reference(document *doc)
{
    const section *s = document_find(doc, SECTION_REPORT, NULL);
    const entry *e = s ? section_find(s, "reference") : NULL;
    if (e && *e->text && access(e->text, R_OK) != 0)
        diagnostics_add(doc->diags, &e->place, e->key, "%s: %s", e->text, strerror(errno));
}

/* SQLite takes an empty path for a file that is thrown away. */
static void check_store(document *doc)
{
    const section *s = document_find(doc, SECTION_RUN, NULL);
    const entry *e = s ? section_find(s, "db") : NULL;
    if (e && !*e->text) diagnostics_add(doc->diags, &e->place, e->key, "the path of the results store is empty");
}

void loader_read_host(config_loader *l)
{
    document *doc = &l->doc;
    experiment *e = l->e;
    l->lists_owner = read_section(doc, SECTION_EXPERIMENT, experiment_params, sizeof(experiment_settings));
    l->plan->run = read_section(doc, SECTION_RUN, run_params, sizeof(run_settings));
    l->plan->search = read_section(doc, SECTION_SEARCH, search_params, sizeof(search_settings));
    l->plan->report = read_section(doc, SECTION_REPORT, report_params, sizeof(report_settings));
    l->plan->paths = read_section(doc, SECTION_PATHS, paths_params, sizeof(paths_settings));
    l->lists = *(const experiment_settings *)cru_settings_struct(l->lists_owner);
    e->run = *(const run_settings *)cru_settings_struct(l->plan->run);
    e->search = *(const search_settings *)cru_settings_struct(l->plan->search);
    e->report = *(const report_settings *)cru_settings_struct(l->plan->report);
    e->paths = *(const paths_settings *)cru_settings_struct(l->plan->paths);
    l->places = config_places(&e->paths);
    e->name = *l->lists.name ? string_copy(doc->arena, l->lists.name) : stem(doc->arena, l->request->files[0]);

    check_lists(doc);
    check_store(doc);
    check_reference(doc);
    paths_check(doc);
    cru_error err = {0};
    const section *s = document_find(doc, SECTION_EXPERIMENT, NULL);
    if (read_seeds(l, &err) != CRU_OK)
        diagnostics_add(doc->diags, &section_find(s, "seeds")->place, "seeds", "%s", err.text);
}
