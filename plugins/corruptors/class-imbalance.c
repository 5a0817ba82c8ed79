// SPDX-License-Identifier: Apache-2.0
/* class-imbalance: a few classes have most of the training items.
 *
 * redraw: the split is dealt out anew. Items are shuffled; of each class the first n_c train, a C-th of the validation
 *         share validates and all others test.
 * keep:   only the training part changes: n_c items of each class stay, the others leave the split.
 *
 * The counts n_c fall from the most populous class to the rarest, the first being rho times the last:
 *   formula  geometric; redraw: with the sum n = floor(train N), keep: from the size of the largest class
 *   table    those that IGL-Bench printed for its nine datasets, known by their numbers of nodes and classes
 *   auto     table where there is one for this rho, else formula; keep: always formula
 *   counts   given, class by class
 *   files    those of the split files published with IGL-Bench's scripts: the formula with n = train N as it is, and
 *            round(val N / C) validation items in each class
 *
 * Those files do not shuffle: of each class they take the items with the lowest numbers (take = first).
 *
 * Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 * ICLR 2025. */
#include <math.h>

#include "class-schedule.h"
#include "parts.h"

enum { PROBLEMS = CRU_NODES | CRU_ANOMALY | CRU_ROWS };

typedef enum schedule { AUTO, FORMULA, TABLE, COUNTS, FILES } schedule;
static const char *const schedules[] = {"auto", "formula", "table", "counts", "files", NULL};

typedef enum change { REDRAW, KEEP } change;
static const char *const changes[] = {"redraw", "keep", NULL};

typedef enum choice { ANY, FIRST } choice;
static const char *const choices[] = {"random", "first", NULL};

typedef struct settings {
    double rho, train, val;
    int64_t schedule, parts, take;
    cru_list counts;
    cru_study_settings rng;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rho, 20, 1, 1e9, "training items of the largest class over those of the smallest"),
    CRU_CHOICE(settings, schedule, AUTO, schedules, "where the counts of the classes come from"),
    CRU_LIST(settings, counts, "", 0, 1e9, "for schedule = counts: training items of each class"),
    CRU_CHOICE(settings, parts, REDRAW, changes, "redraw: a new split; keep: training items leave, nothing else moves"),
    CRU_CHOICE(settings, take, ANY, choices, "which items of a class: any, or those with the lowest numbers"),
    CRU_FLOAT(settings, train, 0.1, 0, 1, "redraw: share of training items"),
    CRU_FLOAT(settings, val, 0.1, 0, 1, "redraw: share of validation items"),
    PARTS_RNG_SETTINGS(settings, rng),
    CRU_END,
};

/* The items in question by class, and how many of each class train. */
typedef struct plan {
    cru_ids order;
    class_lists lists;
    int64_t *counts;
} plan;

static cru_status given_counts(const settings *s, const plan *p, int32_t classes, cru_error *err)
{
    if (s->counts.count != classes)
        return cru_fail(err, CRU_BAD_INPUT, "counts has %lld numbers for %d classes", (long long)s->counts.count,
                        classes);
    for (int32_t c = 0; c < classes; c++) {
        p->counts[c] = (int64_t)s->counts.values[c];
        if (p->counts[c] > class_size(&p->lists, c))
            return cru_fail(err, CRU_BAD_INPUT, "counts wants %lld of class %d, which has %lld",
                            (long long)p->counts[c], c, (long long)class_size(&p->lists, c));
    }
    return CRU_OK;
}

static cru_status make_plan(const settings *s, cru_data *data, plan *p, cru_error *err)
{
    cru_pool pool = cru_data_pool(data);
    const int32_t classes = data->classes;
    int64_t *size = cru_pool_alloc(pool, classes, sizeof *size), largest = 0;
    const class_population population = {size, classes};
    p->lists = class_lists_make(data, p->order);
    p->counts = cru_pool_alloc(pool, classes, sizeof *p->counts);
    for (int32_t c = 0; c < classes; c++) {
        size[c] = class_size(&p->lists, c);
        if (size[c] > largest) largest = size[c];
    }
    if (s->schedule == COUNTS) return given_counts(s, p, classes, err);
    const bool table = s->schedule == TABLE || (s->schedule == AUTO && s->parts == REDRAW);
    if (table && class_counts_published(pool, population, data->items, s->rho, p->counts)) return CRU_OK;
    if (s->schedule == TABLE)
        return cru_fail(err, CRU_UNSUPPORTED, "no counts were published for %lld items of %d classes at rho = %g",
                        (long long)data->items, classes, s->rho);
    const double share = s->train * (double)p->order.count, n = s->schedule == FILES ? share : floor(share);
    const double first = s->parts == KEEP ? (double)largest : class_largest(n, s->rho, classes);
    class_counts_geometric(pool, population, first, s->rho, p->counts);
    return CRU_OK;
}

static void deal_redrawn(const settings *s, parts *deal, const plan *p)
{
    const int64_t classes = deal->damage->data->classes;
    const double share = s->val * (double)p->order.count;
    const int64_t n_val = s->schedule == FILES ? classes * (int64_t)nearbyint(share / (double)classes) : (int64_t)share;
    for (int64_t c = 0; c < classes; c++) {
        const cru_ids items = class_items(&p->lists, c);
        parts_deal(deal, PART_TRAIN, items, p->counts[c]);
        parts_deal(deal, PART_VAL, items, n_val / classes + (c < n_val % classes));
    }
}

/* Who leaves is random, the order of those who stay is not. */
static void deal_kept(parts *deal, const plan *p)
{
    cru_data *data = deal->damage->data;
    uint8_t *stays = cru_pool_alloc(cru_data_pool(data), data->items, 1);
    for (int64_t c = 0; c < data->classes; c++)
        for (int64_t i = 0; i < p->counts[c]; i++) stays[p->lists.ids[p->lists.offsets[c] + i]] = 1;
    for (int64_t i = 0; i < data->split.train.count; i++)
        if (stays[data->split.train.ids[i]]) parts_deal(deal, PART_TRAIN, (cru_ids){data->split.train.ids + i, 1}, 1);
    parts_deal(deal, PART_VAL, data->split.val, data->split.val.count);
    parts_deal(deal, PART_TEST, data->split.test, data->split.test.count);
}

static cru_ids copy_ids(cru_data *data, cru_ids from)
{
    int32_t *ids = cru_pool_alloc(cru_data_pool(data), from.count, sizeof *ids);
    for (int64_t i = 0; i < from.count; i++) ids[i] = from.ids[i];
    return (cru_ids){ids, from.count};
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *s = d->settings;
    parts deal;
    cru_status status = parts_start(&deal, &s->rng, d, CRU_STUDY_PYTHON);
    if (status) return status;
    plan p = {.order = s->parts == KEEP ? copy_ids(data, data->split.train) : labelled_items(data)};
    if (s->take == ANY) parts_shuffle(&deal, (int32_t *)p.order.ids, p.order.count);
    status = make_plan(s, data, &p, d->err);
    if (status) return status;
    if (s->parts == REDRAW) {
        deal_redrawn(s, &deal, &p);
        return parts_finish(&deal);
    }
    deal_kept(&deal, &p);
    return parts_store(&deal);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "class-imbalance",
    .version = "1.0",
    .summary = "a few classes have most of the training items",
    .citation = "Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph "
                "Learning. ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
