// SPDX-License-Identifier: Apache-2.0
/* Trials by number, and settings drawn by a search. */
#include <string.h>

#include <crucible/random.h>

#include "config/plan.h"

int64_t experiment_trial_count(const experiment *e)
{
    return e->plan->trials;
}

/* Takes the fastest-changing digit of a mixed-radix number off it. */
static const variant *digit(const variant_list *list, int64_t *number)
{
    const variant *v = &list->items[*number % list->count];
    *number /= list->count;
    return v;
}

static void set_chain(const experiment_plan *plan, int64_t number, trial *t)
{
    const plan_chain *chain = plan->chains;
    while (number >= chain->size) number -= chain++->size;
    t->chain_label = chain->label;
    t->chain_count = chain->count;
    for (int32_t i = chain->count; i-- > 0;) t->chain[i] = digit(chain->links[i], &number);
}

/* Where a trial stands in the plan. */
typedef struct location {
    const plan_group *group;
    const plan_block *block;
    const plan_tail *tail;
    int64_t dataset, outer, inner; /* numbers of the dataset's variant; within the block; within the tail */
} location;

static location locate(const experiment *e, int64_t index)
{
    const experiment_plan *plan = e->plan;
    cru_assert(index >= 0 && index < plan->trials, "trial %lld of %lld", (long long)index, (long long)plan->trials);
    location at = {.group = plan->groups};
    while (index >= at.group->trials) index -= at.group++->trials;
    const int64_t each = at.group->trials / at.group->datasets.count;
    at.dataset = index / each;
    index %= each;
    at.block = at.group->blocks;
    while (index >= at.block->trials) index -= at.block++->trials;
    at.outer = index / at.block->tail_total;
    at.inner = index % at.block->tail_total;
    at.tail = at.block->tails;
    while (at.inner >= at.tail->size) at.inner -= at.tail++->size;
    return at;
}

void experiment_trial(const experiment *e, int64_t index, trial *t)
{
    const experiment_plan *plan = e->plan;
    location at = locate(e, index);
    *t = (trial){.index = index, .metrics = at.group->metrics, .metric_count = e->metric_count};
    t->dataset = &at.group->datasets.items[at.dataset];
    t->algorithm = digit(&at.tail->algorithms, &at.inner);
    t->monitor = digit(&at.tail->monitors, &at.inner);
    t->seed = e->seeds[at.outer % e->seed_count];
    at.outer /= e->seed_count;
    set_chain(plan, at.outer % plan->chain_total, t);
    at.outer /= plan->chain_total;
    t->split = digit(&at.group->splits, &at.outer);
    t->preprocess = digit(&at.block->preprocess, &at.outer);
}

uint64_t trial_method_seed(const trial *t)
{
    if (t->drawn == 0) return t->seed;
    cru_rng mixed = cru_rng_stream(t->seed, "setting", (uint64_t)t->drawn);
    return cru_rng_u32(&mixed) >> 1; /* generators of libraries take 31 bits */
}

int64_t experiment_with_seed(const experiment *e, int64_t index, int64_t position)
{
    const location at = locate(e, index);
    return index + (position - at.outer % e->seed_count) * at.block->tail_total;
}

int64_t experiment_monitor_count(const experiment *e, int64_t index)
{
    return locate(e, index).tail->monitors.count;
}

int64_t experiment_monitor_most(const experiment *e)
{
    int64_t most = 1;
    for (int64_t i = 0; i < e->plan->group_count; i++) {
        const plan_group *g = &e->plan->groups[i];
        for (int64_t k = 0; k < g->block_count; k++)
            for (int64_t n = 0; n < g->blocks[k].tail_count; n++)
                if (g->blocks[k].tails[n].monitors.count > most) most = g->blocks[k].tails[n].monitors.count;
    }
    return most;
}

int64_t experiment_with_monitor(const experiment *e, int64_t index, int64_t position)
{
    const location at = locate(e, index);
    const int64_t step = at.tail->algorithms.count;
    return index + (position - at.inner / step) * step;
}

/* ---- draws ----------------------------------------------------------------------------------------------- */

static bool is_axis(const variant *v, const char *key)
{
    for (int64_t i = 0; i < v->axis_count; i++)
        if (strcmp(v->axes[i].param->key, key) == 0) return true;
    return false;
}

cru_status experiment_draw(experiment *e, const variant *base, config_draw draw, const variant **out, cru_error *err)
{
    cru_arena *arena = e->plan->arena;
    variant *v = cru_arena_alloc(arena, 1, sizeof *v);
    *v = *base;
    v->axes = NULL;
    v->axis_count = 0;
    data_setting *given = cru_arena_alloc(arena, base->given_count + draw.count, sizeof *given);
    if (base->given_count) memcpy(given, base->given, (size_t)base->given_count * sizeof *given);
    v->given = given;

    cru_settings *settings = variant_settings(base);
    cru_status status = CRU_OK;
    for (int64_t i = 0; i < draw.count && !status; i++) {
        if (!is_axis(base, draw.values[i].key))
            status = cru_fail(err, CRU_BAD_INPUT, "%s: %s is not searched", base->label, draw.values[i].key);
        else
            status = cru_settings_set(settings, draw.values[i].key, draw.values[i].text, err);
    }
    v->text = settings_sorted_text(arena, settings);
    cru_settings_destroy(settings);
    for (int64_t i = 0; i < draw.count && !status; i++) {
        const char *key = string_copy(arena, draw.values[i].key);
        given[v->given_count++] = (data_setting){key, settings_text_value(arena, v->text, key)};
    }
    if (!status) *out = v;
    return status;
}

bool trial_inductive(const trial *t, split_hide *hide)
{
    if (hide) *hide = t->split->hide;
    return t->split->inductive;
}

void experiment_each_dataset(const experiment *e, void (*visit)(void *user, const variant *dataset), void *user)
{
    for (int64_t g = 0; g < e->plan->group_count; g++)
        for (int64_t i = 0; i < e->plan->groups[g].datasets.count; i++)
            visit(user, &e->plan->groups[g].datasets.items[i]);
}
