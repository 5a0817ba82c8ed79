// SPDX-License-Identifier: Apache-2.0
/* local-topology: well connected nodes are rare in the training part.
 *
 * Heads are nodes whose number of outgoing edges is at least the 0.8 quantile t of all. A new split gives every class
 * the same numbers: m training nodes, h of them heads, and m validation nodes from what is left; all others test.
 *
 *   share   m = floor(floor(train N) / C), h = floor(r m), both drawn at random; r = 0.1, 0.2, 0.3 for low, mid, high
 *   target  m and h rounded up instead. Heads are drawn with weights deg^s and tails with deg^-s, without replacement
 *           (the largest keys u^(1/w), u fixed for a node), and s in [-4, 4] is found by bisection so that
 *               rho = mean degree of training heads / mean degree of training tails
 *           comes as near to the target of the level as it can
 *
 * The study's code is `share`, which does not move rho much; its paper describes `target` and prints what was reached
 * on nine datasets, known here by their numbers of nodes and classes.
 *
 * Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 * ICLR 2025. */
#include <math.h>
#include <stdlib.h>

#include <crucible/graph.h>

#include "head-tail.h"
#include "parts.h"

typedef enum level { LOW, MID, HIGH, LEVELS } level;
static const char *const levels[] = {"low", "mid", "high", NULL};
static const double level_share[] = {0.1, 0.2, 0.3};

typedef enum mode { SHARE, TARGET } mode;
static const char *const modes[] = {"share", "target", NULL};

typedef struct settings {
    int64_t level, mode;
    double target, train;
    cru_study_settings rng;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, level, MID, levels, "how many heads train, and how far their degree is above the others'"),
    CRU_CHOICE(settings, mode, SHARE, modes, "share: only the number of heads differs; target: their degree, too"),
    CRU_FLOAT(settings, target, 0, 0, 1e9, "for mode = target: the ratio of degrees; 0: as published for the level"),
    CRU_FLOAT(settings, train, 0.1, 0, 0.5, "share of training nodes, and of validation nodes"),
    PARTS_RNG_SETTINGS(settings, rng),
    CRU_END,
};

typedef struct published {
    int64_t nodes;
    int32_t classes;
    double target[LEVELS];
} published;

static const published table[] = {
    {2708, 7, {1.98, 3.27, 6.74}},     /* Cora */
    {3327, 6, {2.44, 4.18, 8.21}},     /* CiteSeer */
    {19717, 3, {4.12, 8.23, 15.23}},   /* PubMed */
    {13752, 10, {2.66, 4.93, 10.26}},  /* Computers */
    {7650, 8, {2.50, 4.80, 8.85}},     /* Photo */
    {169343, 40, {2.62, 7.99, 14.74}}, /* ogbn-arXiv */
    {2277, 5, {4.23, 8.88, 17.16}},    /* Chameleon */
    {5201, 5, {7.24, 15.13, 33.67}},   /* Squirrel */
    {7600, 5, {3.27, 6.52, 12.56}},    /* Actor */
};

static cru_status find_target(const settings *s, const cru_data *data, double *target, cru_error *err)
{
    *target = s->target;
    for (size_t i = 0; i < sizeof table / sizeof *table && *target <= 0; i++)
        if (table[i].nodes == data->items && table[i].classes == data->classes) *target = table[i].target[s->level];
    if (*target > 0) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "no target was published for %lld nodes of %d classes; give one",
                    (long long)data->items, data->classes);
}

/* The nodes of every class by side, and how many of each train. */
typedef struct scene {
    parts *deal;
    cru_sizes degrees;
    class_lists lists;
    head_tail *sides; /* by class */
    int64_t m, h;
    double *log_u; /* by node, for mode = target */
} scene;

static void deal_validation(scene *s, int32_t c)
{
    const cru_ids all = class_items(&s->lists, c);
    int32_t *left = cru_pool_alloc(cru_data_pool(s->deal->damage->data), all.count, sizeof *left);
    int64_t count = 0;
    for (int64_t i = 0; i < all.count; i++)
        if (!s->deal->dealt[all.ids[i]]) left[count++] = all.ids[i];
    parts_shuffle(s->deal, left, count);
    parts_deal(s->deal, PART_VAL, (cru_ids){left, count}, s->m);
}

static void deal_training(scene *s, int32_t c, bool shuffle)
{
    const head_tail *sides = &s->sides[c];
    if (shuffle) parts_shuffle(s->deal, sides->heads, sides->head_count);
    parts_deal(s->deal, PART_TRAIN, (cru_ids){sides->heads, sides->head_count}, s->h);
    if (shuffle) parts_shuffle(s->deal, sides->tails, sides->tail_count);
    parts_deal(s->deal, PART_TRAIN, (cru_ids){sides->tails, sides->tail_count}, s->m - s->h);
}

/* ---- mode = target ----------------------------------------------------------------------------------------------- */

typedef struct keyed {
    double key;
    int32_t node;
} keyed;

static int largest_first(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

/* log(u^(1/w)) = log(u) deg^-s; a node without edges weighs as much as one with a single edge. */
static void order_by_key(const scene *s, int32_t *nodes, int64_t count, double exponent)
{
    keyed *all = malloc((size_t)(count ? count : 1) * sizeof *all);
    if (!all) cru_panic(CRU_NO_MEMORY, "no memory for %lld keys", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        const double degree = fmax((double)s->degrees.size[nodes[i]], 1);
        all[i] = (keyed){s->log_u[nodes[i]] * pow(degree, -exponent), nodes[i]};
    }
    qsort(all, (size_t)count, sizeof *all, largest_first);
    for (int64_t i = 0; i < count; i++) nodes[i] = all[i].node;
    free(all);
}

typedef struct mean {
    double sum;
    int64_t count;
} mean;

static void mean_add(mean *m, const scene *s, const int32_t *nodes, int64_t count)
{
    for (int64_t i = 0; i < count; i++) m->sum += (double)s->degrees.size[nodes[i]];
    m->count += count;
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Puts all nodes in the order of their keys; returns the ratio that the first ones would give. */
static double ratio_at(scene *s, double exponent)
{
    mean head = {0}, tail = {0};
    for (int32_t c = 0; c < s->deal->damage->data->classes; c++) {
        const head_tail *sides = &s->sides[c];
        order_by_key(s, sides->heads, sides->head_count, exponent);
        order_by_key(s, sides->tails, sides->tail_count, -exponent);
        mean_add(&head, s, sides->heads, lesser(s->h, sides->head_count));
        mean_add(&tail, s, sides->tails, lesser(s->m - s->h, sides->tail_count));
    }
    return (head.sum / (double)head.count) / (tail.sum / (double)tail.count);
}

/* The ratio grows with the exponent, if not quite steadily: of all exponents tried the nearest one is taken. */
static double find_exponent(scene *s, double target)
{
    enum { ROUNDS = 30 };
    double low = -4, high = 4, best = 0, gap = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const double middle = (low + high) / 2, ratio = ratio_at(s, middle);
        if (fabs(ratio - target) < gap) {
            gap = fabs(ratio - target);
            best = middle;
        }
        if (ratio < target)
            low = middle;
        else
            high = middle;
    }
    return best;
}

static cru_status aim(const settings *set, scene *s)
{
    const cru_damage *d = s->deal->damage;
    double target;
    cru_status status = find_target(set, d->data, &target, d->err);
    if (status) return status;
    s->log_u = cru_pool_alloc(cru_data_pool(d->data), d->data->items, sizeof *s->log_u);
    for (int64_t v = 0; v < d->data->items; v++) s->log_u[v] = log1p(-parts_uniform(s->deal));
    const double exponent = find_exponent(s, target);
    ratio_at(s, exponent);
    cru_report_number(d->report, "degree_target", target);
    cru_report_number(d->report, "degree_exponent", exponent);
    return CRU_OK;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static void set_scene(const settings *set, parts *deal, scene *s)
{
    cru_data *data = deal->damage->data;
    cru_pool pool = cru_data_pool(data);
    int64_t *degree = cru_pool_alloc(pool, data->items, sizeof *degree);
    const cru_ids all = labelled_items(data);
    const double n = floor(set->train * (double)all.count) / data->classes, share = level_share[set->level];
    cru_graph_out_degrees(&data->graph, degree);
    *s = (scene){.deal = deal,
                 .degrees = {degree, data->items, cru_head_degree(degree, data->items)},
                 .lists = class_lists_make(data, all),
                 .sides = cru_pool_alloc(pool, data->classes, sizeof *s->sides)};
    s->m = (int64_t)(set->mode == SHARE ? floor(n) : ceil(n));
    s->h = (int64_t)(set->mode == SHARE ? floor(share * (double)s->m) : ceil(share * (double)s->m));
    for (int32_t c = 0; c < data->classes; c++)
        s->sides[c] = head_tail_split(pool, class_items(&s->lists, c), &s->degrees);
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *set = d->settings;
    parts deal;
    scene s;
    cru_status status = parts_start(&deal, &set->rng, d, CRU_STUDY_TORCH);
    if (status) return status;
    set_scene(set, &deal, &s);
    if (set->mode == TARGET) status = aim(set, &s);
    if (status) return status;
    for (int32_t c = 0; c < data->classes; c++) {
        deal_training(&s, c, set->mode == SHARE);
        deal_validation(&s, c);
    }
    status = parts_finish(&deal);
    if (status) return status;
    cru_report_number(d->report, "head_degree", s.degrees.head);
    cru_report_number(d->report, "degree_imbalance_ratio", cru_imbalance_of_sizes(&s.degrees, data->split.train));
    head_tail_report(data, &s.degrees, d->report);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "local-topology",
    .version = "1.0",
    .summary = "few well connected nodes train among many others",
    .citation = "Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph "
                "Learning. ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
