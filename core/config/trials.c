// SPDX-License-Identifier: Apache-2.0
/* Trials by number, and settings drawn by a search. */
#include <inttypes.h>
#include <string.h>

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

void experiment_trial(const experiment *e, int64_t index, trial *t)
{
    const experiment_plan *plan = e->plan;
    cru_assert(index >= 0 && index < plan->trials, "trial %" PRId64 " of %" PRId64, index, plan->trials);
    *t = (trial){.index = index};
    const plan_group *g = plan->groups;
    while (index >= g->trials) index -= g++->trials;
    t->algorithm = digit(&g->algorithms, &index);
    t->monitor = digit(&plan->monitors, &index);
    t->seed = e->seeds[index % e->seed_count];
    index /= e->seed_count;
    set_chain(plan, index % plan->chain_total, t);
    index /= plan->chain_total;
    t->split = digit(&plan->splits, &index);
    t->preprocess = digit(&plan->preprocess, &index);
    t->dataset = digit(&g->datasets, &index);
}

/* The trial that differs from `index` in one digit, which has `count` values and whose neighbours are `step` apart for
 * every algorithm. */
static int64_t with_digit(const experiment *e, int64_t index, int64_t position, int64_t step, int64_t count)
{
    const experiment_plan *plan = e->plan;
    cru_assert(index >= 0 && index < plan->trials, "trial %" PRId64 " of %" PRId64, index, plan->trials);
    const plan_group *g = plan->groups;
    int64_t within = index;
    while (within >= g->trials) within -= g++->trials;
    step *= g->algorithms.count;
    return index + (position - within / step % count) * step;
}

int64_t experiment_with_seed(const experiment *e, int64_t index, int64_t position)
{
    return with_digit(e, index, position, e->plan->monitors.count, e->seed_count);
}

int64_t experiment_monitor_count(const experiment *e)
{
    return e->plan->monitors.count;
}

int64_t experiment_with_monitor(const experiment *e, int64_t index, int64_t position)
{
    return with_digit(e, index, position, 1, e->plan->monitors.count);
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
    for (int64_t i = 0; i < draw.count && status == CRU_OK; i++) {
        if (!is_axis(base, draw.values[i].key))
            status = cru_fail(err, CRU_BAD_INPUT, "%s: %s is not searched", base->label, draw.values[i].key);
        else
            status = cru_settings_set(settings, draw.values[i].key, draw.values[i].text, err);
    }
    v->text = settings_sorted_text(arena, settings);
    cru_settings_destroy(settings);
    for (int64_t i = 0; i < draw.count && status == CRU_OK; i++) {
        const char *key = string_copy(arena, draw.values[i].key);
        given[v->given_count++] = (data_setting){key, settings_text_value(arena, v->text, key)};
    }
    if (status == CRU_OK) *out = v;
    return status;
}

bool trial_inductive(const trial *t)
{
    cru_settings *settings = variant_settings(t->split);
    const split_settings *split = cru_settings_struct(settings);
    bool inductive = split->view == VIEW_INDUCTIVE;
    cru_settings_destroy(settings);
    return inductive;
}

void experiment_each_dataset(const experiment *e, void (*visit)(void *user, const variant *dataset), void *user)
{
    for (int64_t g = 0; g < e->plan->group_count; g++)
        for (int64_t i = 0; i < e->plan->groups[g].datasets.count; i++)
            visit(user, &e->plan->groups[g].datasets.items[i]);
}
