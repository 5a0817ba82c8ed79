// SPDX-License-Identifier: Apache-2.0
/* local-topology: well connected nodes are rare in the training part.
 *
 * Heads are nodes whose number of outgoing edges is at least the 0.8 quantile t of all. A new split gives every class
 * the same numbers: m training nodes, h of them heads, and m validation nodes from what is left; all others test.
 *
 *   share   m = floor(floor(train N) / C), h = floor(r m), both drawn at random; r = 0.1, 0.2, 0.3 for low, mid, high
 *   target  m = round(train N / C), h = 1, 2, 3 times round(m / 10) or as printed, degrees of the graph made symmetric.
 *           Heads are drawn with weights deg^s and tails with deg^-t, without replacement (the largest keys u^(1/w), u
 *           fixed for a node), s and t in [-4, 4] found by bisection. On the nine datasets of the study, known by their
 *           numbers of nodes and classes, the mean degrees of heads and of tails come as near as they can to the printed
 *           ones, in the nearest of up to ten draws; elsewhere s = t, and the ratio rho of the two means comes near the
 *           target
 *   files   as target, but with as many heads at all levels as at low, and validation nodes chosen as training nodes
 *           are, next in the order of the keys
 *
 * The study's package is `share`, by outgoing edges, which does not move rho much; its paper describes `target` and
 * prints what was reached. `files` is what the masks published with its first scripts are like, with which its tables
 * were made: the printed degrees are theirs, the printed numbers of heads at mid and high are not. Who is in them is
 * random.
 *
 * Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 * ICLR 2025. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/graph.h>

#include "head-tail.h"
#include "parts.h"

typedef enum level { LOW, MID, HIGH, LEVELS } level;
static const char *const levels[] = {"low", "mid", "high", NULL};
static const double level_share[] = {0.1, 0.2, 0.3};

typedef enum mode { SHARE, TARGET, FILES } mode;
static const char *const modes[] = {"share", "target", "files", NULL};

typedef struct settings {
    int64_t level, mode;
    double target, train;
    cru_study_settings rng;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, level, MID, levels, "how many heads train, and how far their degree is above the others'"),
    CRU_CHOICE(settings, mode, SHARE, modes,
               "share: only the number of heads differs; target: their degree, too; files: their degree alone"),
    CRU_FLOAT(settings, target, 0, 0, 1e9, "for target and files: the ratio of mean degrees; 0: degrees as published"),
    CRU_FLOAT(settings, train, 0.1, 0, 0.5, "share of training nodes, and of validation nodes"),
    PARTS_RNG_SETTINGS(settings, rng),
    CRU_END,
};

/* Mean degrees of training nodes and their ratio, as printed (table B.3). */
typedef struct published {
    int64_t nodes;
    int32_t classes;
    int64_t head_step; /* heads of a class at the level low; twice and three times as many at mid and high */
    double heads[LEVELS], tails[LEVELS], rho[LEVELS];
} published;

static const published table[] = {
    {2708, 7, 4, {5.64, 8.96, 13.53}, {2.84, 2.74, 2.00}, {1.98, 3.27, 6.74}},            /* Cora */
    {3327, 6, 6, {4.47, 6.78, 9.61}, {1.83, 1.62, 1.17}, {2.44, 4.18, 8.21}},             /* CiteSeer */
    {19717, 3, 66, {8.58, 15.04, 22.93}, {2.08, 1.83, 1.51}, {4.12, 8.23, 15.23}},        /* PubMed */
    {13752, 10, 14, {58.21, 99.77, 133.14}, {21.85, 20.23, 12.98}, {2.66, 4.93, 10.26}},  /* Computers */
    {7650, 8, 10, {48.96, 84.03, 116.33}, {19.56, 17.50, 13.13}, {2.50, 4.80, 8.85}},     /* Photo */
    {169343, 40, 42, {21.56, 40.75, 56.08}, {8.22, 5.10, 3.80}, {2.62, 7.99, 14.74}},     /* ogbn-arXiv */
    {2277, 5, 5, {51.28, 108.28, 159.44}, {12.12, 12.20, 9.29}, {4.23, 8.88, 17.16}},     /* Chameleon */
    {5201, 5, 11, {162.02, 328.33, 496.67}, {22.35, 21.71, 14.75}, {7.24, 15.13, 33.67}}, /* Squirrel */
    {7600, 5, 15, {15.24, 26.77, 37.93}, {4.66, 4.11, 3.02}, {3.27, 6.52, 12.56}},        /* Actor */
};

static const published *find_published(const cru_data *data)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].nodes == data->items && table[i].classes == data->classes) return &table[i];
    return NULL;
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

static void deal_sides(scene *s, int32_t c, part to, bool shuffle)
{
    const head_tail *sides = &s->sides[c];
    if (shuffle) parts_shuffle(s->deal, sides->heads, sides->head_count);
    parts_deal(s->deal, to, (cru_ids){sides->heads, sides->head_count}, s->h);
    if (shuffle) parts_shuffle(s->deal, sides->tails, sides->tail_count);
    parts_deal(s->deal, to, (cru_ids){sides->tails, sides->tail_count}, s->m - s->h);
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

/* What is brought near a goal by an exponent; puts the nodes in the order of their keys. */
typedef double goal_at(scene *s, double exponent);

static double heads_at(scene *s, double exponent)
{
    mean head = {0};
    for (int32_t c = 0; c < s->deal->damage->data->classes; c++) {
        const head_tail *sides = &s->sides[c];
        order_by_key(s, sides->heads, sides->head_count, exponent);
        mean_add(&head, s, sides->heads, lesser(s->h, sides->head_count));
    }
    return head.sum / (double)head.count;
}

static double tails_at(scene *s, double exponent)
{
    mean tail = {0};
    for (int32_t c = 0; c < s->deal->damage->data->classes; c++) {
        const head_tail *sides = &s->sides[c];
        order_by_key(s, sides->tails, sides->tail_count, exponent);
        mean_add(&tail, s, sides->tails, lesser(s->m - s->h, sides->tail_count));
    }
    return tail.sum / (double)tail.count;
}

static double ratio_at(scene *s, double exponent)
{
    return heads_at(s, exponent) / tails_at(s, -exponent);
}

/* The goal grows with the exponent, if not quite steadily: of all exponents tried the nearest one is taken. */
static double find_exponent(scene *s, goal_at *at, double target)
{
    enum { ROUNDS = 30 };
    double low = -4, high = 4, best = 0, gap = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        const double middle = (low + high) / 2, reached = at(s, middle);
        if (fabs(reached - target) < gap) {
            gap = fabs(reached - target);
            best = middle;
        }
        if (reached < target)
            low = middle;
        else
            high = middle;
    }
    at(s, best);
    return best;
}

static void draw_keys(scene *s, int64_t nodes)
{
    for (int64_t v = 0; v < nodes; v++) s->log_u[v] = log1p(-parts_uniform(s->deal));
}

/* The exponents of one draw of keys, and how far from both goals they end, as a share of these. */
typedef struct aimed {
    double heads, tails, gap;
} aimed;

static aimed aim_with_keys(scene *s, double heads, double tails)
{
    aimed a = {find_exponent(s, heads_at, heads), find_exponent(s, tails_at, tails), 0};
    a.gap = fabs(heads_at(s, a.heads) / heads - 1) + fabs(tails_at(s, a.tails) / tails - 1);
    return a;
}

/* One node with very many neighbours can make the mean leap over its goal, so the nearest of some draws counts. */
static aimed nearest_draw(scene *s, int64_t nodes, const published *known, int64_t at)
{
    enum { DRAWS = 10 };
    const double near = 0.002, heads = known->heads[at], tails = known->tails[at];
    double *kept = cru_pool_alloc(cru_data_pool(s->deal->damage->data), nodes, sizeof *kept);
    aimed best = {.gap = INFINITY};
    for (int draw = 0; draw < DRAWS && best.gap > near; draw++) {
        draw_keys(s, nodes);
        const aimed a = aim_with_keys(s, heads, tails);
        if (a.gap >= best.gap) continue;
        best = a;
        memcpy(kept, s->log_u, (size_t)nodes * sizeof *kept);
    }
    s->log_u = kept;
    heads_at(s, best.heads);
    tails_at(s, best.tails);
    return best;
}

static cru_status aim(const settings *set, scene *s)
{
    const cru_damage *d = s->deal->damage;
    const published *known = find_published(d->data);
    if (set->target <= 0 && !known)
        return cru_fail(d->err, CRU_BAD_INPUT, "no degrees were published for %lld nodes of %d classes; give a target",
                        (long long)d->data->items, d->data->classes);
    s->log_u = cru_pool_alloc(cru_data_pool(d->data), d->data->items, sizeof *s->log_u);
    if (set->target > 0) {
        draw_keys(s, d->data->items);
        cru_report_number(d->report, "degree_target", set->target);
        cru_report_number(d->report, "degree_exponent", find_exponent(s, ratio_at, set->target));
        return CRU_OK;
    }
    const aimed best = nearest_draw(s, d->data->items, known, set->level);
    cru_report_number(d->report, "degree_target", known->rho[set->level]);
    cru_report_number(d->report, "head_exponent", best.heads);
    cru_report_number(d->report, "tail_exponent", -best.tails);
    return CRU_OK;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static void count_training(const settings *set, int64_t nodes, scene *s)
{
    const double classes = s->deal->damage->data->classes, share = set->train * (double)nodes;
    if (set->mode == SHARE) {
        s->m = (int64_t)floor(floor(share) / classes);
        s->h = (int64_t)floor(level_share[set->level] * (double)s->m);
        return;
    }
    s->m = llround(share / classes);
    const published *known = set->target > 0 ? NULL : find_published(s->deal->damage->data);
    s->h = known ? known->head_step : llround((double)s->m / 10);
    if (set->mode == TARGET) s->h *= set->level + 1;
}

static void set_scene(const settings *set, parts *deal, scene *s)
{
    cru_data *data = deal->damage->data;
    cru_pool pool = cru_data_pool(data);
    int64_t *degree = cru_pool_alloc(pool, data->items, sizeof *degree);
    const cru_ids all = labelled_items(data);
    const cru_csr both = set->mode == SHARE ? data->graph : cru_graph_symmetrise(pool, &data->graph, CRU_SYM_OR);
    cru_graph_out_degrees(&both, degree);
    *s = (scene){.deal = deal,
                 .degrees = {degree, data->items, cru_head_degree(degree, data->items)},
                 .lists = class_lists_make(data, all),
                 .sides = cru_pool_alloc(pool, data->classes, sizeof *s->sides)};
    count_training(set, all.count, s);
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
    if (set->mode != SHARE) status = aim(set, &s);
    if (status) return status;
    for (int32_t c = 0; c < data->classes; c++) {
        deal_sides(&s, c, PART_TRAIN, set->mode == SHARE);
        if (set->mode == FILES)
            deal_sides(&s, c, PART_VAL, false);
        else
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
    .version = "1.2",
    .summary = "few well connected nodes train among many others",
    .citation = "Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph "
                "Learning. ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
