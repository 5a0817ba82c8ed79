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
    if (!s->plugin || wrapper_is_lost(s)) return (variant_list){0};
    const card *c = s->dataset.card;
    variant_source source = {.base = s,
                             .more = more,
                             .presets = c ? &c->settings : NULL,
                             .presets_file = c ? c->path : NULL,
                             .searched = s->type == SECTION_ALGORITHM && l->e->search.method != SEARCH_NONE,
                             .like = {.label = s->label,
                                      .name = s->name,
                                      .plugin = s->plugin,
                                      .inner = s->inner,
                                      .params = s->table.params,
                                      .settings_size = s->table.size}};
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

/* Whether a section without a name holds for exactly this method and dataset; NULL: for all of them. */
static bool holds(const section *s, const section *algorithm, const section *dataset)
{
    if (!s->method != !algorithm || !s->on != !dataset) return false;
    if (algorithm && strcmp(s->method, algorithm->label) != 0 && strcmp(s->method, algorithm->name) != 0) return false;
    return !dataset || strcmp(s->on, dataset->label) == 0 || strcmp(s->on, dataset->name) == 0;
}

static const section *host_section_of(const config_loader *l, section_type type, const section *algorithm,
                                      const section *dataset)
{
    for (int64_t i = 0; i < l->doc.count; i++)
        if (l->doc.sections[i]->type == type && holds(l->doc.sections[i], algorithm, dataset))
            return l->doc.sections[i];
    return NULL;
}

/* What holds for one method on one dataset: what is said for all, over it what is said for the dataset, then for the
 * method, then for both. */
static variant_list host_variants(config_loader *l, const host_table *table, const section *dataset,
                                  const section *const own[2])
{
    const char *name = section_type_names[table->type];
    const section *layers[] = {host_section_of(l, table->type, NULL, NULL),
                               host_section_of(l, table->type, NULL, dataset), own[0], own[1]};
    section *all = cru_arena_alloc_zeroed(l->doc.arena, 1, sizeof *all);
    *all = (section){.type = table->type, .title = name, .place = whole_file(l)};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        if (!layers[i]) continue;
        all->place = layers[i]->place;
        section_overlay(&l->doc, all, layers[i]);
    }
    variant_source source = {
        .base = all, .like = {.label = name, .name = name, .params = table->params, .settings_size = table->size}};
    return variants_build(&l->doc, &source);
}

/* ---- groups ---------------------------------------------------------------------------------------------- */

/* The section with values of an algorithm or a metric for `dataset`, known by its label or its name. */
static const section *section_on(const config_loader *l, const section *algorithm, const section *dataset)
{
    for (int64_t i = 0; i < l->doc.count; i++) {
        const section *s = l->doc.sections[i];
        if (!s->on || s->type != algorithm->type || strcmp(s->label, algorithm->label) != 0) continue;
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

/* Values of a metric for one dataset; the columns of a report stay those of the metric itself. */
static variant_list metric_on(config_loader *l, section *metric, const section *dataset)
{
    const variant_list usual = *named_variants(l, metric);
    const section *more = section_on(l, metric, dataset);
    if (!more) return usual;
    variant_list own = build_named(l, metric, more);
    if (own.count == usual.count) return own;
    diagnostics_add(l->doc.diags, &more->place, more->title,
                    "has %lld combinations of values, and [%s] %lld: columns must be the same on all datasets",
                    (long long)own.count, metric->title, (long long)usual.count);
    return usual;
}

/* In the order of the experiment's metrics, and under their labels. */
static const variant *const *metrics_on(config_loader *l, const section *dataset)
{
    int64_t count, filled = 0;
    section **sections = loader_selected(l, SECTION_METRIC, &count);
    const variant **metrics = cru_arena_alloc(l->doc.arena, l->e->metric_count, sizeof *metrics);
    for (int64_t i = 0; i < count; i++) {
        const variant_list own = metric_on(l, sections[i], dataset);
        for (int64_t k = 0; k < own.count && filled < l->e->metric_count; k++, filled++) {
            variant *copy = cru_arena_alloc(l->doc.arena, 1, sizeof *copy);
            *copy = own.items[k];
            copy->label = l->e->metrics[filled]->label;
            metrics[filled] = copy;
        }
    }
    return metrics;
}

/* The block of algorithms with these sections of their own; made when there is none. */
static plan_block *block_for(config_loader *l, plan_group *g, const section *dataset, const section *const own[2])
{
    for (int64_t i = 0; i < g->block_count; i++)
        if (g->blocks[i].own[0] == own[0] && g->blocks[i].own[1] == own[1]) return &g->blocks[i];
    plan_block *b = &g->blocks[g->block_count++];
    *b = (plan_block){.own = {own[0], own[1]}, .preprocess = host_variants(l, &preprocess_table, dataset, own)};
    return b;
}

static plan_tail *tail_for(config_loader *l, plan_block *b, const section *dataset, const section *const own[2])
{
    for (int64_t i = 0; i < b->tail_count; i++)
        if (b->tails[i].own[0] == own[0] && b->tails[i].own[1] == own[1]) return &b->tails[i];
    plan_tail *t = &b->tails[b->tail_count++];
    *t = (plan_tail){.own = {own[0], own[1]}, .monitors = host_variants(l, &monitor_table, dataset, own)};
    return t;
}

/* Files the variants of an algorithm under its preprocessing and its rules. */
static void place_algorithm(config_loader *l, plan_group *g, const section *dataset, const section *algorithm,
                            int64_t most, variant_list one)
{
    const section *before[] = {host_section_of(l, SECTION_PREPROCESS, algorithm, NULL),
                               host_section_of(l, SECTION_PREPROCESS, algorithm, dataset)};
    const section *rules[] = {host_section_of(l, SECTION_MONITOR, algorithm, NULL),
                              host_section_of(l, SECTION_MONITOR, algorithm, dataset)};
    plan_block *b = block_for(l, g, dataset, before);
    if (!b->tails) b->tails = cru_arena_alloc_zeroed(l->doc.arena, most, sizeof *b->tails);
    plan_tail *t = tail_for(l, b, dataset, rules);
    t->algorithms = variants_append(l->doc.arena, t->algorithms, one);
}

static void build_group(config_loader *l, section *dataset, plan_group *g)
{
    g->datasets = *named_variants(l, dataset);
    g->splits = split_variants(l, &(split_sources){{host_section_of(l, SECTION_SPLIT, NULL, NULL),
                                                    host_section_of(l, SECTION_SPLIT, NULL, dataset)},
                                                   2,
                                                   dataset});
    int64_t count;
    section **algorithms = loader_selected(l, SECTION_ALGORITHM, &count);
    g->blocks = cru_arena_alloc_zeroed(l->doc.arena, count, sizeof *g->blocks);
    for (int64_t i = 0; i < count; i++) {
        const section *more = section_on(l, algorithms[i], dataset);
        variant_list one = more ? build_named(l, algorithms[i], more) : *named_variants(l, algorithms[i]);
        g->algorithms = variants_append(l->doc.arena, g->algorithms, one);
        place_algorithm(l, g, dataset, algorithms[i], count, one);
    }
    g->metrics = metrics_on(l, dataset);
}

/* Values for a dataset that the experiment does not use are checked all the same, but a card is asked only for its
 * own. */
static void check_splits(config_loader *l)
{
    const section *base = host_section_of(l, SECTION_SPLIT, NULL, NULL);
    for (int64_t i = 0; i < l->doc.count; i++) {
        const section *s = l->doc.sections[i];
        if (s->type != SECTION_SPLIT) continue;
        const split_sources from = {{base, s == base ? NULL : s}, 2, NULL};
        const entry *own = section_find(s, "scheme"), *scheme = own || !base ? own : section_find(base, "scheme");
        const bool of_card = scheme && strstr(scheme->text, "card");
        if (s->on && of_card) continue;
        if (s->on) split_variants(l, &from);
        split_check_used(l, s, &from);
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
    if (l->plan->group_count > 0) check_splits(l);
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

static int64_t block_trials(const config_loader *l, const plan_group *g, plan_block *b)
{
    for (int64_t i = 0; i < b->tail_count; i++) {
        plan_tail *t = &b->tails[i];
        t->size = plan_multiply(t->monitors.count, t->algorithms.count, CONFIG_MAX_TRIALS);
        b->tail_total = add_sizes(b->tail_total, t->size);
    }
    const int64_t sizes[] = {b->preprocess.count, g->splits.count, l->plan->chain_total, l->e->seed_count,
                             b->tail_total};
    int64_t product = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        product = plan_multiply(product, sizes[i], CONFIG_MAX_TRIALS);
    return product;
}

static int64_t group_trials(const config_loader *l, plan_group *g)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < g->block_count; i++) {
        g->blocks[i].trials = block_trials(l, g, &g->blocks[i]);
        sum = add_sizes(sum, g->blocks[i].trials);
    }
    return plan_multiply(g->datasets.count, sum, CONFIG_MAX_TRIALS);
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
    build_metrics(l);
    build_groups(l);
    build_chains(l);
    count_trials(l);
}
