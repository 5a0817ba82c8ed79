// SPDX-License-Identifier: Apache-2.0
/* add-edges: false edges between nodes that were not joined.
 *
 * round(rate E) of them, E being the number of edges (pairs of nodes on an undirected graph), each between two nodes
 * drawn uniformly, or drawn again until their true classes differ (or agree). Of several graphs one is drawn for each
 * new edge in proportion to its edges. Where nearly all nodes are joined already fewer are found.
 *
 * Every relation of a graph gets its own. */
#include <math.h>

#include "edge-list.h"

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY };

typedef enum between { ANY, DIFFERENT, SAME } between;
static const char *const betweens[] = {"any", "different", "same", NULL};

typedef struct settings {
    double rate;
    int64_t between;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, 1000, "new edges for each edge that there is"),
    CRU_CHOICE(settings, between, ANY, betweens,
               "whether the ends are of different classes or of the same; not for graphs"),
    CRU_END,
};

typedef struct addition {
    const settings *set;
    cru_rng *rng;
    int64_t before, added;
} addition;

static int32_t draw_node(cru_rng *rng, node_range range)
{
    return (int32_t)(range.first + cru_rng_below(rng, range.last - range.first));
}

static bool fits(const settings *s, const cru_data *data, int32_t a, int32_t b)
{
    if (s->between == ANY) return true;
    if (data->truth[a] == CRU_UNLABELLED || data->truth[b] == CRU_UNLABELLED) return false;
    return (data->truth[a] == data->truth[b]) == (s->between == SAME);
}

static bool add_one(const addition *add, const cru_data *data, edge_list *list)
{
    enum { TRIES = 1000 };
    const int32_t *some = list->a;
    const node_range range = node_range_of(data, some[cru_rng_below(add->rng, list->count)]);
    for (int i = 0; i < TRIES; i++) {
        const int32_t a = draw_node(add->rng, range), b = draw_node(add->rng, range);
        if (!fits(add->set, data, a, b) || !edge_list_claim(list, a, b)) continue;
        edge_list_push(list, a, b);
        return true;
    }
    return false;
}

static cru_csr change(void *user, cru_data *data, const cru_csr *g)
{
    addition *add = user;
    const int64_t edges = edge_count(g), wanted = llround(add->set->rate * (double)edges);
    edge_list list = edge_list_create(cru_data_pool(data), g, wanted);
    add->before += edges;
    for (int64_t i = 0; i < wanted && add_one(add, data, &list); i++) add->added++;
    return edge_list_graph(cru_data_pool(data), &list);
}

static cru_status apply(const cru_damage *d)
{
    addition add = {.set = d->settings, .rng = d->rng};
    if (d->data->problem == CRU_GRAPHS && add.set->between != ANY)
        return cru_fail(d->err, CRU_UNSUPPORTED, "nodes of graphs have no classes: between must be any");
    edge_change_apply(d->data, change, &add);
    cru_report_number(d->report, "edges_added", (double)add.added);
    cru_report_number(d->report, "edge_growth_rate", add.before ? (double)add.added / (double)add.before : NAN);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "add-edges",
    .version = "1.0",
    .summary = "false edges at a rate",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
