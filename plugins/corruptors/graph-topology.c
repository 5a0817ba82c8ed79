// SPDX-License-Identifier: Apache-2.0
/* graph-topology: large graphs are rare in the training part, and more or less larger than the others.
 *
 * A new split: of every class n = round(train G / C) graphs train and as many validate, h = round(heads n) of them from
 * the heads, the others from the tails. Heads have more nodes than b, the size at rank floor(0.2 G) from the top.
 *
 *   level   training heads      training tails      (validation: the same from those that are left)
 *   low     random              the largest tails
 *   mid     random              random
 *   high    the largest heads   random
 *
 * Both sides are put in the order of their sizes, the largest first, and shuffled where the table says random. With
 * rng = study that is Python's shuffle on the order of published-order.h, and with the seed that the study took for a
 * dataset and level (selection = seeds) its published splits come out to the last graph. They are known for six
 * datasets, by their numbers of graphs and classes.
 *
 * Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 * ICLR 2025. */
#include <math.h>

#include "head-tail.h"
#include "parts.h"
#include "published-order.h"

typedef enum level { LOW, MID, HIGH } level;
static const char *const levels[] = {"low", "mid", "high", NULL};

typedef enum selection { AUTO, SEEDS, DRAW } selection;
static const char *const selections[] = {"auto", "seeds", "draw", NULL};

typedef struct settings {
    int64_t level, per_class, selection;
    double train, heads;
    cru_study_settings rng;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, level, MID, levels, "how much larger the training heads are than the tails"),
    CRU_FLOAT(settings, train, 0.1, 0, 1, "share of training graphs, and of validation graphs"),
    CRU_INT(settings, per_class, 0, 0, 1e9, "so many of each class train instead, and validate; 0: the share counts"),
    CRU_FLOAT(settings, heads, 0.1, 0, 1, "share of heads among them"),
    CRU_CHOICE(
        settings, selection, AUTO, selections,
        "seeds: the study's own split; draw: by base and step; auto: seeds with rng = study and step = 0, if any"),
    PARTS_RNG_SETTINGS(settings, rng),
    CRU_END,
};

/* ---- the study's seeds ------------------------------------------------------------------------------------------- */

static const struct {
    int64_t graphs;
    int32_t classes;
    uint32_t seed[3]; /* by level */
} table[] = {
    {344, 2, {84, 55, 58}},  /* PTC-MR */
    {1113, 2, {16, 94, 3}},  /* PROTEINS */
    {1000, 2, {68, 60, 8}},  /* IMDB-B */
    {1178, 2, {64, 91, 25}}, /* D&D */
    {2000, 2, {47, 39, 80}}, /* REDDIT-B */
    {5000, 3, {7, 2, 10}},   /* COLLAB */
};

/* Starts the generator of `deal` from the published seed, where that is asked for. */
static cru_status choose_seed(const settings *s, parts *deal)
{
    const cru_data *data = deal->damage->data;
    if (s->selection == DRAW || (s->selection == AUTO && (!cru_study_rng_repeats(&deal->rng) || s->rng.step)))
        return CRU_OK;
    if (!cru_study_rng_repeats(&deal->rng))
        return cru_fail(deal->damage->err, CRU_BAD_INPUT, "selection = seeds needs rng = study");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].graphs != data->items || table[i].classes != data->classes) continue;
        parts_restart(deal, table[i].seed[s->level]);
        return CRU_OK;
    }
    if (s->selection == AUTO) return CRU_OK;
    return cru_fail(deal->damage->err, CRU_UNSUPPORTED,
                    "no seed is known for %lld graphs of %d classes; use selection = draw", (long long)data->items,
                    data->classes);
}

/* ---- the split --------------------------------------------------------------------------------------------------- */

/* All graphs, the largest first. */
static cru_ids order_graphs(const parts *deal, const int64_t *size)
{
    cru_data *data = deal->damage->data;
    int32_t *order = cru_pool_alloc(cru_data_pool(data), data->items, sizeof *order);
    for (int32_t g = 0; g < data->items; g++) order[g] = g;
    if (cru_study_rng_repeats(&deal->rng))
        published_order(size, data->items, order);
    else
        cru_largest_first(order, data->items, size);
    return (cru_ids){order, data->items};
}

/* The graphs of one class, each side in the order in which the level takes them. */
static head_tail take_sides(parts *deal, level how, cru_ids graphs, const cru_sizes *sizes)
{
    const head_tail sides = head_tail_split(cru_data_pool(deal->damage->data), graphs, sizes);
    if (how != HIGH) parts_shuffle(deal, sides.heads, sides.head_count);
    if (how != LOW) parts_shuffle(deal, sides.tails, sides.tail_count);
    return sides;
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *s = d->settings;
    parts deal;
    cru_status status = parts_start(&deal, &s->rng, d, CRU_STUDY_PYTHON);
    if (!status) status = choose_seed(s, &deal);
    if (status) return status;
    int64_t *size = cru_pool_alloc(cru_data_pool(data), data->items, sizeof *size);
    for (int64_t g = 0; g < data->items; g++) size[g] = data->graph_offsets[g + 1] - data->graph_offsets[g];
    const cru_sizes sizes = {size, data->items, cru_head_size(size, data->items)};
    const class_lists lists = class_lists_make(data, order_graphs(&deal, size));
    const double share = nearbyint(s->train * (double)data->items / data->classes);
    const int64_t n = s->per_class ? s->per_class : (int64_t)share, h = (int64_t)nearbyint(s->heads * (double)n);
    for (int32_t c = 0; c < data->classes; c++) {
        const head_tail from = take_sides(&deal, (level)s->level, class_items(&lists, c), &sizes);
        for (part to = PART_TRAIN; to <= PART_VAL; to++) {
            parts_deal(&deal, to, (cru_ids){from.heads, from.head_count}, h);
            parts_deal(&deal, to, (cru_ids){from.tails, from.tail_count}, n - h);
        }
    }
    status = parts_finish(&deal);
    if (status) return status;
    cru_report_number(d->report, "head_size", sizes.head);
    cru_report_number(d->report, "size_imbalance_ratio", cru_imbalance_of_sizes(&sizes, data->split.train));
    head_tail_report(data, &sizes, d->report);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "graph-topology",
    .version = "1.1",
    .summary = "few large graphs train among many small ones",
    .citation = "Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph "
                "Learning. ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_GRAPHS,
};
