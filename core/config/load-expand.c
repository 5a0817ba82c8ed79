// SPDX-License-Identifier: Apache-2.0
/* From checked sections to the plan: variants, chains, groups, and how many trials they make. */
#include <stdlib.h>
#include <string.h>

#include "config/plan.h"

static config_place whole_file(const config_loader *l)
{
    return (config_place){.file = l->request->files[0], .order = 1};
}

static variant_list build_named(config_loader *l, const section *s, const section *more)
{
    if (!s->plugin) return (variant_list){0};
    const card *c = s->dataset.card;
    variant_source source = {.base = s,
                             .more = more,
                             .presets = c ? &c->settings : NULL,
                             .presets_file = c ? c->path : NULL,
                             .searched = s->type == SECTION_ALGORITHM && l->e->search.method != SEARCH_NONE,
                             .like = {.label = s->label,
                                      .name = s->name,
                                      .plugin = s->plugin,
                                      .params = s->plugin->params,
                                      .settings_size = s->plugin->settings_size}};
    return variants_build(&l->doc, &source);
}

/* The variants of a section by itself; the list is shared by all who ask. */
static const variant_list *named_variants(config_loader *l, section *s)
{
    if (!s->variants) {
        s->variants = cru_arena_alloc(l->doc.arena, 1, sizeof *s->variants);
        *s->variants = build_named(l, s, NULL);
    }
    return s->variants;
}

/* ---- host sections with grids ---------------------------------------------------------------------------- */

typedef struct host_table {
    section_type type;
    const cru_param *params;
    size_t size;
} host_table;

static const host_table preprocess_table = {SECTION_PREPROCESS, preprocess_params, sizeof(preprocess_settings)};
static const host_table monitor_table = {SECTION_MONITOR, monitor_params, sizeof(monitor_settings)};

static variant_list host_variants(config_loader *l, const host_table *table)
{
    const char *name = section_type_names[table->type];
    variant_source source = {
        .base = document_find(&l->doc, table->type, NULL),
        .like = {.label = name, .name = name, .params = table->params, .settings_size = table->size}};
    return variants_build(&l->doc, &source);
}

/* ---- groups ---------------------------------------------------------------------------------------------- */

/* The section with values of `algorithm` for `dataset`, known by its label or its name. */
static const section *section_on(const config_loader *l, const section *algorithm, const section *dataset)
{
    for (int64_t i = 0; i < l->doc.count; i++) {
        const section *s = l->doc.sections[i];
        if (!s->on || strcmp(s->label, algorithm->label) != 0) continue;
        if (strcmp(s->on, dataset->label) == 0 || strcmp(s->on, dataset->name) == 0) return s;
    }
    return NULL;
}

static int by_settings(const void *left, const void *right)
{
    const variant *a = *(const variant *const *)left, *b = *(const variant *const *)right;
    int order = strcmp(a->plugin->name, b->plugin->name);
    if (!order) order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->text, b->text);
}

/* The variants of one section, in the order of their settings. */
typedef struct block {
    const variant **sorted;
    int64_t count;
} block;

static bool same_block(const block *a, const block *b)
{
    if (a->count != b->count) return false;
    for (int64_t i = 0; i < a->count; i++)
        if (a->sorted[i]->axis_count > 0 || by_settings(&a->sorted[i], &b->sorted[i]) != 0) return false;
    return true;
}

static block *blocks_of(cru_arena *arena, const variant_list *list, int64_t *count)
{
    block *blocks = cru_arena_alloc(arena, list->count, sizeof *blocks);
    const variant **all = cru_arena_alloc(arena, list->count, sizeof *all);
    *count = 0;
    for (int64_t i = 0; i < list->count; i++) {
        all[i] = &list->items[i];
        if (i == 0 || strcmp(all[i]->label, all[i - 1]->label) != 0) blocks[(*count)++] = (block){.sorted = all + i};
        blocks[*count - 1].count++;
    }
    for (int64_t i = 0; i < *count; i++)
        qsort(blocks[i].sorted, (size_t)blocks[i].count, sizeof *blocks[i].sorted, by_settings);
    return blocks;
}

/* Two labels whose sweeps share a point are fine, and that trial is shown under both; two that have all points in
 * common are a slip. Variants with open axes differ in those. */
static void check_algorithms(config_loader *l, const variant_list *list)
{
    int64_t count;
    const block *blocks = blocks_of(l->doc.arena, list, &count);
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; k < i; k++) {
            if (!same_block(&blocks[k], &blocks[i])) continue;
            const section *s = document_find(&l->doc, SECTION_ALGORITHM, blocks[i].sorted[0]->label);
            diagnostics_add(l->doc.diags, &s->place, s->title, "has the same settings as %s",
                            blocks[k].sorted[0]->label);
            return;
        }
}

/* Two labels for the same settings would be one trial under two names. */
static void check_distinct(config_loader *l, const variant_list *list, section_type type)
{
    const variant **sorted = cru_arena_alloc(l->doc.arena, list->count, sizeof *sorted);
    for (int64_t i = 0; i < list->count; i++) sorted[i] = &list->items[i];
    if (list->count > 1) qsort(sorted, (size_t)list->count, sizeof *sorted, by_settings);
    for (int64_t i = 1; i < list->count; i++) {
        if (by_settings(&sorted[i - 1], &sorted[i]) != 0) continue;
        const section *s = document_find(&l->doc, type, sorted[i]->label);
        diagnostics_add(l->doc.diags, &s->place, s->title, "has the same settings as %s", sorted[i - 1]->label);
        return;
    }
}

static void build_group(config_loader *l, section *dataset, plan_group *g)
{
    g->datasets = *named_variants(l, dataset);
    g->splits = split_variants(l, &(split_sources){{document_find(&l->doc, SECTION_SPLIT, NULL)}, 1, dataset});
    int64_t count;
    section **algorithms = loader_selected(l, SECTION_ALGORITHM, &count);
    for (int64_t i = 0; i < count; i++) {
        const section *more = section_on(l, algorithms[i], dataset);
        variant_list one = more ? build_named(l, algorithms[i], more) : *named_variants(l, algorithms[i]);
        g->algorithms = variants_append(l->doc.arena, g->algorithms, one);
    }
}

static void build_groups(config_loader *l)
{
    section **datasets = loader_selected(l, SECTION_DATASET, &l->plan->group_count);
    l->plan->groups = cru_arena_alloc_zeroed(l->doc.arena, l->plan->group_count, sizeof *l->plan->groups);
    variant_list all = {0};
    for (int64_t i = 0; i < l->plan->group_count; i++) {
        build_group(l, datasets[i], &l->plan->groups[i]);
        all = variants_append(l->doc.arena, all, l->plan->groups[i].datasets);
    }
    check_distinct(l, &all, SECTION_DATASET);
    if (l->plan->group_count > 0) check_algorithms(l, &l->plan->groups[0].algorithms);
    const section *split = document_find(&l->doc, SECTION_SPLIT, NULL);
    if (split && l->plan->group_count > 0) split_check_used(l, split, &(split_sources){{split}, 1, NULL});
}

/* ---- chains ---------------------------------------------------------------------------------------------- */

static void build_chain(config_loader *l, section *const *links, int64_t count, plan_chain *chain)
{
    *chain = (plan_chain){.label = "none", .size = 1};
    if (count > CONFIG_MAX_CHAIN) {
        diagnostics_add(l->doc.diags, &links[CONFIG_MAX_CHAIN]->place, links[CONFIG_MAX_CHAIN]->title,
                        "a chain holds at most %d corruptors", CONFIG_MAX_CHAIN);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        chain->label = i ? string_format(l->doc.arena, "%s+%s", chain->label, links[i]->label) : links[i]->label;
        chain->links[i] = named_variants(l, links[i]);
        chain->size = plan_multiply(chain->size, chain->links[i]->count, CONFIG_MAX_TRIALS);
    }
    chain->count = (int32_t)count;
}

/* One alternative of `corruptors`, "uniform, drop-edges" or "none". */
static void build_listed_chain(config_loader *l, const char *text, plan_chain *chain)
{
    section *links[CONFIG_MAX_CHAIN + 1];
    int64_t count = 0;
    char *cursor = NULL, *words = string_copy(l->doc.arena, text);
    for (char *word = strtok_r(words, " \t,", &cursor); word; word = strtok_r(NULL, " \t,", &cursor)) {
        section *s = document_find(&l->doc, SECTION_CORRUPTOR, word);
        if (s && count <= CONFIG_MAX_CHAIN) links[count++] = s;
    }
    build_chain(l, links, count, chain);
}

static void build_chains(config_loader *l)
{
    experiment_plan *plan = l->plan;
    value_list alternatives = {.count = 1};
    if (*l->lists.corruptors && values_split(l->doc.arena, l->lists.corruptors, '|', &alternatives, NULL) != CRU_OK)
        return; /* reported when the list was read */
    plan->chain_count = alternatives.count;
    plan->chains = cru_arena_alloc_zeroed(l->doc.arena, plan->chain_count, sizeof *plan->chains);
    for (int64_t i = 0; i < alternatives.count; i++) {
        if (alternatives.items) {
            build_listed_chain(l, alternatives.items[i], &plan->chains[i]);
        } else {
            int64_t count;
            section **links = loader_selected(l, SECTION_CORRUPTOR, &count);
            build_chain(l, links, count, &plan->chains[i]);
        }
    }
}

/* ---- counting -------------------------------------------------------------------------------------------- */

static int64_t add_sizes(int64_t a, int64_t b)
{
    return a < 0 || b < 0 || a + b > CONFIG_MAX_TRIALS ? -1 : a + b;
}

static int64_t group_trials(const config_loader *l, const plan_group *g)
{
    const int64_t sizes[] = {g->datasets.count, l->plan->preprocess.count, g->splits.count,    l->plan->chain_total,
                             l->e->seed_count,  l->plan->monitors.count,   g->algorithms.count};
    int64_t product = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        product = plan_multiply(product, sizes[i], CONFIG_MAX_TRIALS);
    return product;
}

static void count_trials(config_loader *l)
{
    experiment_plan *plan = l->plan;
    for (int64_t i = 0; i < plan->chain_count; i++)
        plan->chain_total = add_sizes(plan->chain_total, plan->chains[i].size);
    for (int64_t i = 0; i < plan->group_count; i++) {
        plan->groups[i].trials = group_trials(l, &plan->groups[i]);
        plan->trials = add_sizes(plan->trials, plan->groups[i].trials);
    }
    config_place place = whole_file(l);
    if (plan->trials < 0)
        diagnostics_add(l->doc.diags, &place, NULL, "more than %d trials; use fewer values, or a search",
                        CONFIG_MAX_TRIALS);
}

/* A metric with several values is several metrics: "rec-at-k(average)", "rec-at-k(stable)". */
static const char *metric_label(cru_arena *arena, const variant *v)
{
    const char *label = v->label;
    for (int64_t i = 0; i < v->swept_count; i++)
        label = string_format(arena, "%s%s%s", label, i ? " " : "(", v->swept[i].text);
    return v->swept_count ? string_format(arena, "%s)", label) : label;
}

static void build_metrics(config_loader *l)
{
    int64_t count;
    section **sections = loader_selected(l, SECTION_METRIC, &count);
    variant_list all = {0};
    for (int64_t i = 0; i < count; i++) all = variants_append(l->doc.arena, all, *named_variants(l, sections[i]));
    check_distinct(l, &all, SECTION_METRIC);
    const variant **metrics = cru_arena_alloc(l->doc.arena, all.count, sizeof *metrics);
    for (int64_t i = 0; i < all.count; i++) {
        all.items[i].label = metric_label(l->doc.arena, &all.items[i]);
        metrics[i] = &all.items[i];
    }
    l->e->metrics = metrics;
    l->e->metric_count = all.count;
}

/* Not where a file or a section could not be read: what is missing may stand there. */
static void require_some(config_loader *l, section_type type)
{
    int64_t count;
    if (l->unread) return;
    loader_selected(l, type, &count);
    config_place place = whole_file(l);
    if (count == 0)
        diagnostics_add(l->doc.diags, &place, NULL, "no %s; add a section [%s NAME]", section_type_names[type],
                        section_type_names[type]);
}

void loader_expand(config_loader *l)
{
    require_some(l, SECTION_DATASET);
    require_some(l, SECTION_ALGORITHM);
    l->plan->preprocess = host_variants(l, &preprocess_table);
    l->plan->monitors = host_variants(l, &monitor_table);
    build_metrics(l);
    build_groups(l);
    build_chains(l);
    count_trials(l);
}
