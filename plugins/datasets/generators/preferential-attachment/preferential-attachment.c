// SPDX-License-Identifier: Apache-2.0
/* preferential-attachment: a growing network in which a newcomer likes nodes of high degree and of its own class.
 *
 *     P(v attaches to u) ~ deg(u) mu                    if class(u) = class(v)
 *                          deg(u) (1 - mu) w(c_u, c_v)  otherwise, w falling with the distance of the classes on a
 * circle
 *
 * Classes are uniform; features are points in the plane from one Gaussian a class on a circle. The class weights of an
 * odd number of classes do not sum to 1 in the code that this follows, so that edge homophily stays below mu.
 *
 * Abu-El-Haija et al. MixHop. ICML 2019 (the generator); Luan et al. 2024 (as a benchmark of homophily metrics). */
#include <math.h>

#include <crucible/crucible.h>

#include "attachment.h"
#include "edge-list.h"
#include "generate.h"

enum { MOST_EDGES = 1000 };

typedef struct settings {
    int64_t nodes, classes, edges, start;
    double mu;
    bool normalise_odd;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, nodes, 2000, 2, 1e8, "nodes of the graph"),
    CRU_INT(settings, classes, 5, 2, 1000, "classes on a circle"),
    CRU_INT(settings, edges, 6, 1, MOST_EDGES, "edges of a newcomer"),
    CRU_INT(settings, start, 40, 2, 1e6, "nodes of the chain that the network grows from"),
    CRU_FLOAT(settings, mu, 0.5, 0, 1, "liking for the own class; edge homophily follows it from below"),
    CRU_BOOL(settings, normalise_odd, false, "make the class weights sum to 1 also for an odd number of classes"),
    CRU_END,
};

typedef struct growth {
    const settings *s;
    attachment liking;
    const int32_t *label;
    int32_t *ends; /* every node as often as it has edges: a random entry is a node in proportion to its degree */
    int64_t end_count;
    bool *linked;    /* nodes: has an edge */
    int64_t *choice; /* classes: nodes with an edge */
    cru_rng rng;
    edge_list edges;
} growth;

static cru_status link_nodes(growth *g, int64_t a, int64_t b, cru_error *err)
{
    int64_t ends[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        g->ends[g->end_count++] = (int32_t)ends[k];
        g->choice[g->label[ends[k]]] += !g->linked[ends[k]];
        g->linked[ends[k]] = true;
    }
    return edge_list_add(&g->edges, (edge){a, b, 1}, err);
}

/* One node in proportion to degree times liking: by degree first, then accepted in proportion to the liking. */
static int32_t draw_node(growth *g, int32_t label, double most)
{
    for (;;) {
        int32_t u = g->ends[cru_rng_below(&g->rng, g->end_count)];
        if (cru_rng_uniform(&g->rng) * most < attachment_liking(&g->liking, label, g->label[u])) return u;
    }
}

/* Draws `edges` different nodes by their weights at the start and links them to v; a repeated draw is redrawn, which is
 * drawing without replacement. Where fewer nodes have a weight all of them are taken. */
static cru_status attach(growth *g, int64_t v, cru_error *err)
{
    int64_t choices = 0;
    double most = 0;
    for (int32_t c = 0; c < g->s->classes; c++) {
        double liking = attachment_liking(&g->liking, g->label[v], c);
        if (liking > 0) choices += g->choice[c];
        if (liking > most && g->choice[c] > 0) most = liking;
    }
    int64_t wanted = choices < g->s->edges ? choices : g->s->edges;
    int32_t chosen[MOST_EDGES];
    for (int64_t k = 0; k < wanted;) {
        chosen[k] = draw_node(g, g->label[v], most);
        bool again = false;
        for (int64_t i = 0; i < k; i++) again = again || chosen[i] == chosen[k];
        k += !again;
    }
    cru_status status = CRU_OK;
    for (int64_t k = 0; k < wanted && !status; k++) status = link_nodes(g, chosen[k], v, err);
    return status;
}

static cru_status grow(growth *g, cru_data *data, cru_error *err)
{
    const settings *s = g->s;
    int64_t start = s->start < s->nodes ? s->start : s->nodes;
    cru_status status = CRU_OK;
    /* The chain leaves out its first node, which stays alone for ever: so does the code that this follows. */
    for (int64_t v = 2; v < start && !status; v++) status = link_nodes(g, v - 1, v, err);
    for (int64_t v = start; v < s->nodes && !status; v++) status = attach(g, v, err);
    if (!status) status = edge_list_store(&g->edges, s->nodes, EDGE_SYMMETRIC, data);
    edge_list_free(&g->edges);
    return status;
}

static void place_points(const settings *s, cru_rng *rng, cru_data *data, float *x)
{
    for (int64_t v = 0; v < data->nodes; v++) {
        attachment_gaussian cloud = attachment_cloud(data->truth[v], s->classes);
        double a = cru_rng_normal(rng), b = cru_rng_normal(rng);
        /* Cholesky factor of the 2 x 2 covariance */
        double l00 = sqrt(cloud.covariance[0][0]), l10 = cloud.covariance[1][0] / l00;
        double l11 = sqrt(fmax(cloud.covariance[1][1] - l10 * l10, 0));
        x[2 * v] = (float)(cloud.mean[0] + l00 * a);
        x[2 * v + 1] = (float)(cloud.mean[1] + l10 * a + l11 * b);
    }
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    cru_status status = generate_begin(data, CRU_NODES, s->nodes, s->classes, l->err);
    if (status) return status;
    double *class_weight = cru_data_alloc(data, s->classes * s->classes, sizeof *class_weight);
    growth g = {.s = s,
                .liking = {class_weight, s->classes, s->mu},
                .label = data->truth,
                .ends = cru_data_alloc(data, 2 * s->nodes * (s->edges + 1), sizeof *g.ends),
                .linked = cru_data_alloc(data, s->nodes, sizeof *g.linked),
                .choice = cru_data_alloc(data, s->classes, sizeof *g.choice),
                .rng = cru_rng_stream(l->source->seed, "graph", 0)};
    float *x = generate_dense(data, 2, l->err);
    if (!class_weight || !g.ends || !g.linked || !g.choice || !x)
        return cru_fail(l->err, CRU_NO_MEMORY, "no memory to grow a network of %lld nodes", (long long)s->nodes);

    cru_rng classes = cru_rng_stream(l->source->seed, "classes", 0),
            features = cru_rng_stream(l->source->seed, "features", 0);
    for (int64_t v = 0; v < s->nodes; v++) data->truth[v] = (int32_t)cru_rng_below(&classes, s->classes);
    attachment_class_weights(s->classes, s->normalise_odd, class_weight);
    status = grow(&g, data, l->err);
    place_points(s, &features, data, x);
    generate_end(data);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "preferential-attachment",
    .version = "1.0",
    .summary = "growing network with adjustable homophily and points of the plane as features",
    .citation =
        "Abu-El-Haija et al. MixHop: Higher-Order Graph Convolutional Architectures via Sparsified Neighborhood "
        "Mixing. ICML 2019.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES,
};
