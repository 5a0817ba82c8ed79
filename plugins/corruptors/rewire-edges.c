// SPDX-License-Identifier: Apache-2.0
/* rewire-edges: edges that lead elsewhere.
 *
 * Every edge is taken with the probability `rate`.
 *   end      one of its ends (of a directed edge the receiver) becomes another node, drawn uniformly
 *   degrees  the edges that were taken are paired at random and exchange ends, (a, b), (c, d) -> (a, d), (c, b), so
 *            that no degree changes
 *
 * Nobody is joined who is or was joined before, and nobody to himself: where no such node is found the edge stays.
 * Edges stay within their graph and their relation. */
#include <math.h>

#include "edge-list.h"

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY };

typedef enum mode { END, DEGREES } mode;
static const char *const modes[] = {"end", "degrees", NULL};

typedef struct settings {
    double rate;
    int64_t mode;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, 1, "probability that an edge is taken"),
    CRU_CHOICE(settings, mode, END, modes, "end: one end moves anywhere; degrees: edges exchange ends"),
    CRU_END,
};

typedef struct rewiring {
    const settings *set;
    cru_rng *rng;
    int64_t before, moved;
} rewiring;

static void turn(edge_list *list, int64_t i)
{
    const int32_t a = list->a[i];
    list->a[i] = list->b[i];
    list->b[i] = a;
}

static bool move_end(const rewiring *r, const cru_data *data, edge_list *list, int64_t i)
{
    enum { TRIES = 100 };
    if (list->both && cru_rng_u32(r->rng) >> 31) turn(list, i);
    const node_range range = node_range_of(data, list->a[i]);
    for (int t = 0; t < TRIES; t++) {
        const int32_t to = (int32_t)(range.first + cru_rng_below(r->rng, range.last - range.first));
        if (!edge_list_claim(list, list->a[i], to)) continue;
        list->b[i] = to;
        return true;
    }
    return false;
}

static void move_ends(rewiring *r, const cru_data *data, edge_list *list)
{
    for (int64_t i = 0; i < list->count; i++)
        if (cru_rng_uniform(r->rng) < r->set->rate) r->moved += move_end(r, data, list, i);
}

/* A pair that is claimed although the other one fails is lost to later exchanges, which does no harm. */
static bool exchange(const rewiring *r, edge_list *list, int32_t i, int32_t j)
{
    if (list->both && cru_rng_u32(r->rng) >> 31) turn(list, j);
    if (!edge_list_claim(list, list->a[i], list->b[j]) || !edge_list_claim(list, list->a[j], list->b[i])) return false;
    const int32_t b = list->b[i];
    list->b[i] = list->b[j];
    list->b[j] = b;
    return true;
}

/* The edges of one graph stand together in the list: `taken` is paired off from one graph to the next. */
static void exchange_ends(rewiring *r, cru_data *data, edge_list *list)
{
    int32_t *taken = cru_pool_alloc(cru_data_pool(data), list->count, sizeof *taken);
    int64_t count = 0, start = 0;
    for (int32_t i = 0; i < list->count; i++)
        if (cru_rng_uniform(r->rng) < r->set->rate) taken[count++] = i;
    while (start < count) {
        const node_range range = node_range_of(data, list->a[taken[start]]);
        int64_t end = start;
        while (end < count && list->a[taken[end]] < range.last) end++;
        cru_rng_shuffle(r->rng, taken + start, end - start);
        for (int64_t k = start; k + 1 < end; k += 2) r->moved += 2 * exchange(r, list, taken[k], taken[k + 1]);
        start = end;
    }
}

static cru_csr change(void *user, cru_data *data, const cru_csr *g)
{
    rewiring *r = user;
    edge_list list = edge_list_create(cru_data_pool(data), g, edge_count(g));
    r->before += list.count;
    if (r->set->mode == END)
        move_ends(r, data, &list);
    else
        exchange_ends(r, data, &list);
    return edge_list_graph(cru_data_pool(data), &list);
}

static cru_status apply(const cru_damage *d)
{
    rewiring r = {.set = d->settings, .rng = d->rng};
    edge_change_apply(d->data, change, &r);
    cru_report_number(d->report, "edges_rewired", (double)r.moved);
    cru_report_number(d->report, "edge_rewire_rate", r.before ? (double)r.moved / (double)r.before : NAN);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "rewire-edges",
    .version = "1.0",
    .summary = "edges that lead elsewhere",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
