// SPDX-License-Identifier: Apache-2.0
/* global-topology: training nodes that sit well, or badly, to reach the others.
 *
 * A split gives every class q = floor(train N / C) training and as many validation nodes: nodes are shuffled and taken
 * first come, first served; those that are left are put in order, shuffled again and taken for validation; all others
 * test. Where a class has fewer than 2 q nodes every class c gets min(q, floor(train n_c)) instead, and validation
 * comes from the same shuffle.
 *
 * Of `draws` such splits (numbers 1, 2, ...) the ratio
 *
 *     rho = -10 log10 |RC SC|      reaching and squashing coefficient, see crucible/curvature.h
 *
 * is computed on the undirected graph, and the split with rho nearest to min + (index - 1) / 9 (max - min) is taken:
 * low is index 1, mid 5 and high 10. selection = seeds takes the splits that the study kept of its hundred for nine
 * datasets, known by their numbers of nodes and classes; with rng = study they come out to the last node.
 *
 * Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 * ICLR 2025. */
#include <math.h>
#include <stdlib.h>

#include <crucible/curvature.h>
#include <crucible/draft/curvature.h>
#include <crucible/draft/imbalance.h>
#include <crucible/imbalance.h>

#include "parts.h"

enum { STEPS = 10 };

typedef enum level { LOW, MID, HIGH } level;
static const char *const levels[] = {"low", "mid", "high", NULL};
static const int64_t level_index[] = {1, 5, STEPS};

typedef enum selection { AUTO, SEEDS, DRAWS } selection;
static const char *const selections[] = {"auto", "seeds", "draws", NULL};

typedef enum unreachable { NEAR, FAR } unreachable;
static const char *const unreachables[] = {"near", "far", NULL};

typedef struct settings {
    int64_t level, index, selection, draws, unreachable;
    double train;
    bool measure;
    cru_study_settings rng;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, level, HIGH, levels, "how badly the training nodes are placed"),
    CRU_INT(settings, index, 0, 0, STEPS, "1 .. 10, from the lowest ratio to the highest; 0: as the level says"),
    CRU_CHOICE(settings, selection, AUTO, selections,
               "seeds: the study's own splits; draws: of many; auto: seeds with rng = study where there are any"),
    CRU_INT(settings, draws, 100, 1, 100000, "splits to choose from"),
    CRU_CHOICE(settings, unreachable, NEAR, unreachables,
               "training nodes in another component count as adjacent or far"),
    CRU_FLOAT(settings, train, 0.1, 0, 0.5, "share of training nodes, and of validation nodes"),
    CRU_BOOL(settings, measure, false, "selection = seeds: compute the coefficients for the report, too"),
    PARTS_RNG_SETTINGS(settings, rng),
    CRU_END,
};

/* ---- one split --------------------------------------------------------------------------------------------------- */

typedef struct scene {
    const settings *set;
    parts deal;
    cru_ids all; /* labelled nodes, ascending */
    int32_t *order;
    int64_t *quota, *given; /* by class */
    bool capped;
} scene;

static void set_scene(const settings *set, scene *s)
{
    cru_data *data = s->deal.damage->data;
    cru_pool pool = cru_data_pool(data);
    s->set = set;
    s->all = labelled_items(data);
    s->order = cru_pool_alloc(pool, s->all.count, sizeof *s->order);
    s->quota = cru_pool_alloc(pool, data->classes, sizeof *s->quota);
    s->given = cru_pool_alloc(pool, data->classes, sizeof *s->given);
    const class_lists lists = class_lists_make(data, s->all);
    const int64_t q = (int64_t)floor(set->train * (double)s->all.count / data->classes);
    for (int32_t c = 0; c < data->classes; c++) s->capped |= class_size(&lists, c) < 2 * q;
    for (int32_t c = 0; c < data->classes; c++) {
        const int64_t most = (int64_t)floor(set->train * (double)class_size(&lists, c));
        s->quota[c] = s->capped && most < q ? most : q;
    }
}

/* Gives a part the first nodes of each class up to its quota. */
static void scan(scene *s, part to, int64_t count)
{
    const int32_t *truth = s->deal.damage->data->truth;
    for (int32_t c = 0; c < s->deal.damage->data->classes; c++) s->given[c] = 0;
    for (int64_t i = 0; i < count; i++) {
        const int32_t c = truth[s->order[i]];
        if (s->given[c] < s->quota[c]) s->given[c] += parts_deal(&s->deal, to, (cru_ids){s->order + i, 1}, 1);
    }
}

static void draw(scene *s, uint32_t number)
{
    int64_t count = s->all.count;
    parts_restart(&s->deal, number);
    for (int64_t i = 0; i < count; i++) s->order[i] = s->all.ids[i];
    parts_shuffle(&s->deal, s->order, count);
    scan(s, PART_TRAIN, count);
    if (!s->capped) {
        count = 0;
        for (int64_t i = 0; i < s->all.count; i++)
            if (!s->deal.dealt[s->all.ids[i]]) s->order[count++] = s->all.ids[i];
        parts_shuffle(&s->deal, s->order, count);
    }
    scan(s, PART_VAL, count);
}

/* ---- one of many ------------------------------------------------------------------------------------------------- */

typedef struct drawn {
    cru_ids *train;
    cru_reach *reach;
    int64_t count;
} drawn;

/* Reaching and squashing coefficients of every drawn training part. */
static void measure(const scene *s, drawn *splits, cru_pool pool)
{
    const cru_data *data = s->deal.damage->data;
    cru_csr g = cru_graph_symmetrise(pool, &data->graph, CRU_SYM_OR);
    g = cru_graph_loops(pool, &g, CRU_LOOPS_REMOVE);
    float *curvature = cru_pool_alloc(pool, cru_csr_nnz(&g), sizeof *curvature);
    cru_graph_ricci(&g, 0.5, curvature);
    const cru_placements places = {&g, data->truth, splits->train, splits->count};
    cru_placements_measure(&places, curvature, s->set->unreachable == NEAR, splits->reach);
}

static double ratio(const drawn *splits, int64_t k)
{
    return cru_imbalance_of_places(splits->reach[k].reaching, splits->reach[k].squashing);
}

/* The split whose ratio is nearest to the index-th of ten equal steps; -1 when no ratio is a number. */
static int64_t choose(const drawn *splits, int64_t index)
{
    double least = INFINITY, most = -INFINITY, gap = INFINITY;
    int64_t best = -1;
    for (int64_t k = 0; k < splits->count; k++) {
        if (!isfinite(ratio(splits, k))) continue;
        least = fmin(least, ratio(splits, k));
        most = fmax(most, ratio(splits, k));
    }
    const double wanted = least + (double)(index - 1) / (STEPS - 1) * (most - least);
    for (int64_t k = 0; k < splits->count; k++) {
        if (!isfinite(ratio(splits, k)) || fabs(ratio(splits, k) - wanted) >= gap) continue;
        gap = fabs(ratio(splits, k) - wanted);
        best = k;
    }
    return best;
}

static void report_place(cru_report *report, const drawn *splits, int64_t k)
{
    cru_report_number(report, "reaching_coefficient", splits->reach[k].reaching);
    cru_report_number(report, "squashing_coefficient", splits->reach[k].squashing);
    cru_report_number(report, "place_imbalance_ratio", ratio(splits, k));
}

static drawn drawn_create(cru_pool pool, int64_t count)
{
    drawn splits = {.count = count};
    splits.train = cru_pool_alloc(pool, count, sizeof *splits.train);
    splits.reach = cru_pool_alloc(pool, count, sizeof *splits.reach);
    return splits;
}

static cru_status select_drawn(scene *s, cru_pool pool, uint32_t *number)
{
    const cru_damage *d = s->deal.damage;
    drawn splits = drawn_create(pool, s->set->draws);
    for (int64_t k = 0; k < splits.count; k++) {
        draw(s, (uint32_t)k + 1);
        const int64_t count = s->deal.count[PART_TRAIN];
        int32_t *ids = cru_pool_alloc(pool, count, sizeof *ids);
        for (int64_t i = 0; i < count; i++) ids[i] = s->deal.ids[PART_TRAIN][i];
        splits.train[k] = (cru_ids){ids, count};
    }
    measure(s, &splits, pool);
    const int64_t k = choose(&splits, s->set->index ? s->set->index : level_index[s->set->level]);
    if (k < 0)
        return cru_fail(d->err, CRU_UNSUPPORTED,
                        "no split of this graph has a ratio: too few training nodes, or no edges between them");
    report_place(d->report, &splits, k);
    *number = (uint32_t)k + 1;
    return CRU_OK;
}

/* ---- the study's own --------------------------------------------------------------------------------------------- */

typedef struct published {
    int64_t nodes;
    int32_t classes;
    uint32_t low, high;
} published;

static const published table[] = {
    {2708, 7, 25, 38},   /* Cora */
    {3327, 6, 34, 47},   /* CiteSeer */
    {19717, 3, 44, 48},  /* PubMed */
    {7650, 8, 13, 24},   /* Photo */
    {13752, 10, 1, 100}, /* Computers */
    {169343, 40, 1, 11}, /* ogbn-arXiv */
    {2277, 5, 5, 14},    /* Chameleon */
    {5201, 5, 100, 50},  /* Squirrel */
    {7600, 5, 40, 5},    /* Actor */
};

/* 0 when there is none. */
static uint32_t published_seed(const settings *set, const cru_data *data)
{
    const int64_t index = set->index ? set->index : level_index[set->level];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].nodes == data->items && table[i].classes == data->classes)
            return index == 1 ? table[i].low : index == STEPS ? table[i].high : 0;
    return 0;
}

static void report_published(scene *s, cru_pool pool, uint32_t number)
{
    drawn one = drawn_create(pool, 1);
    draw(s, number);
    one.train[0] = (cru_ids){s->deal.ids[PART_TRAIN], s->deal.count[PART_TRAIN]};
    measure(s, &one, pool);
    report_place(s->deal.damage->report, &one, 0);
}

static cru_status select_split(scene *s, cru_pool pool, uint32_t *number)
{
    const settings *set = s->set;
    const uint32_t seed = published_seed(set, s->deal.damage->data);
    if (set->selection == DRAWS || (set->selection == AUTO && !(seed && cru_study_rng_repeats(&s->deal.rng))))
        return select_drawn(s, pool, number);
    if (!seed)
        return cru_fail(s->deal.damage->err, CRU_UNSUPPORTED,
                        "the study kept no such split for %lld nodes of %d classes; use selection = draws",
                        (long long)s->deal.damage->data->items, s->deal.damage->data->classes);
    *number = seed;
    if (set->measure) report_published(s, pool, seed);
    return CRU_OK;
}

static cru_status apply(const cru_damage *d)
{
    const settings *set = d->settings;
    scene s = {0};
    uint32_t number = 0;
    cru_status status = parts_start(&s.deal, &set->rng, d, CRU_STUDY_PYTHON);
    if (status) return status;
    set_scene(set, &s);
    cru_arena *scratch = cru_arena_create();
    if (!scratch) return cru_fail(d->err, CRU_NO_MEMORY, "no memory for %lld splits", (long long)set->draws);
    status = select_split(&s, cru_arena_pool(scratch), &number);
    cru_arena_destroy(scratch);
    if (status) return status;
    draw(&s, number);
    cru_report_number(d->report, "split_number", number);
    return parts_finish(&s.deal);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "global-topology",
    .version = "1.0",
    .summary = "training nodes that are well or badly placed to reach the others",
    .citation = "Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph "
                "Learning. ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
