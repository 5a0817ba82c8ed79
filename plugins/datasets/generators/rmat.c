// SPDX-License-Identifier: Apache-2.0
/* rmat: a recursive-matrix (Kronecker) graph of 2^scale nodes or fewer, for load tests at any size.
 *
 * An edge picks one quadrant of the adjacency per bit of the node ids, with probabilities a, b, c, d; the result has
 * the skewed degrees of real networks. With fewer nodes an edge that ends beyond them is drawn again. Ids are scrambled afterwards, so that degree does not follow the number. A
 * node's class is the range of its id before that, which the recursion makes homophilous; features are Gaussian. With
 * task = anomaly the second of two classes, the last ids, which have the fewest edges, are the anomalies.
 *
 * Chakrabarti, Zhan, Faloutsos. R-MAT: A Recursive Model for Graph Mining. SDM 2004. */
#include <stdlib.h>

#include <crucible/crucible.h>

#include "edge-list.h"
#include "generate.h"

typedef struct settings {
    int64_t scale, nodes;
    double edge_factor, a, b, c;
    int64_t classes, features;
    double signal, imbalance;
    bool directed;
    int64_t task;
} settings;

static const char *const tasks[] = {"nodes", "anomaly", NULL};

static const cru_param schema[] = {
    CRU_INT(settings, scale, 12, 1, 30, "the graph has 2^scale nodes"),
    CRU_INT(settings, nodes, 0, 0, 1 << 30, "how many of them there are; 0: all"),
    CRU_FLOAT(settings, edge_factor, 16, 0, 1e4, "edges drawn a node; repeated ones count once"),
    CRU_FLOAT(settings, a, 0.57, 0, 1, "probability of the upper left quadrant"),
    CRU_FLOAT(settings, b, 0.19, 0, 1, "probability of the upper right quadrant"),
    CRU_FLOAT(settings, c, 0.19, 0, 1, "probability of the lower left quadrant; the fourth takes the rest"),
    CRU_INT(settings, classes, 4, 1, 1024, "classes: ranges of the ids before scrambling"),
    CRU_INT(settings, features, 16, 1, 1e6, "feature columns"),
    CRU_FLOAT(settings, signal, 1, 0, 1e3, "length of the class centres, in standard deviations of the noise"),
    CRU_FLOAT(settings, imbalance, 1, 1, 1e6, "size of the largest class over that of the smallest"),
    CRU_BOOL(settings, directed, false, "keep the direction of the edges"),
    CRU_CHOICE(settings, task, 0, tasks, "classify nodes, or score those of the second class as anomalies"),
    CRU_END,
};

static edge draw_edge(const settings *s, int64_t nodes, cru_rng *rng)
{
    int64_t row, col;
    do {
        row = col = 0;
        for (int64_t bit = 0; bit < s->scale; bit++) {
            double u = cru_rng_uniform(rng);
            int64_t down = u >= s->a + s->b, right = down ? u >= s->a + s->b + s->c : u >= s->a;
            row = 2 * row + down;
            col = 2 * col + right;
        }
    } while (row >= nodes || col >= nodes);
    return (edge){row, col, 1};
}

/* The class of a node is the range of its id before scrambling. */
static cru_status put_classes(const settings *s, const int32_t *name, cru_data *data, cru_error *err)
{
    int64_t *sizes = malloc((size_t)s->classes * sizeof *sizes);
    if (!sizes) return cru_fail(err, CRU_NO_MEMORY, "rmat: no memory for %lld classes", (long long)s->classes);
    generate_class_sizes(data->nodes, s->classes, s->imbalance, sizes);
    for (int64_t v = 0, c = 0, end = sizes[0]; v < data->nodes; v++) {
        while (v >= end) end += sizes[++c];
        data->truth[name[v]] = (int32_t)c;
    }
    free(sizes);
    return CRU_OK;
}

static cru_status make_graph(const settings *s, const int32_t *name, uint64_t seed, cru_data *data, cru_error *err)
{
    edge_list edges = {0};
    cru_status status = CRU_OK;
    cru_rng rng = cru_rng_stream(seed, "graph", 0);
    int64_t draws = (int64_t)(s->edge_factor * (double)data->nodes);
    for (int64_t k = 0; k < draws && !status; k++) {
        edge e = draw_edge(s, data->nodes, &rng);
        if (e.from != e.to) status = edge_list_add(&edges, (edge){name[e.from], name[e.to], 1}, err);
    }
    if (!status) status = edge_list_store(&edges, data->nodes, s->directed ? EDGE_DIRECTED : EDGE_SYMMETRIC, data);
    edge_list_free(&edges);
    return status;
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    const int64_t all = (int64_t)1 << s->scale, nodes = s->nodes ? s->nodes : all;
    if (s->a + s->b + s->c > 1) return cru_fail(l->err, CRU_BAD_INPUT, "rmat: a + b + c is more than 1");
    if (2 * nodes <= all || nodes > all)
        return cru_fail(l->err, CRU_BAD_INPUT, "rmat: %lld nodes do not need scale = %lld", (long long)nodes,
                        (long long)s->scale);
    if (nodes < s->classes) return cru_fail(l->err, CRU_BAD_INPUT, "rmat: fewer nodes than classes");
    if (s->task && s->classes != 2) return cru_fail(l->err, CRU_BAD_INPUT, "rmat: task = anomaly needs classes = 2");
    cru_status status = generate_begin(data, s->task ? CRU_ANOMALY : CRU_NODES, nodes, s->classes, l->err);
    if (status) return status;
    int32_t *name = cru_data_alloc(data, nodes, sizeof *name);
    if (!name) return cru_fail(l->err, CRU_NO_MEMORY, "rmat: no memory for %lld nodes", (long long)nodes);
    cru_rng names = cru_rng_stream(l->source->seed, "names", 0),
            features = cru_rng_stream(l->source->seed, "features", 0);
    cru_rng_permutation(&names, name, nodes);
    status = make_graph(s, name, l->source->seed, data, l->err);
    if (!status) status = put_classes(s, name, data, l->err);
    if (!status) status = generate_gaussian(data, s->features, s->signal, &features, l->err);
    generate_end(data);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "rmat",
    .version = "1.1",
    .summary = "recursive-matrix graph of up to 2^scale nodes with skewed degrees",
    .citation = "Chakrabarti, Zhan, Faloutsos. R-MAT: A Recursive Model for Graph Mining. SDM 2004.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
