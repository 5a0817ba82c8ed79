// SPDX-License-Identifier: Apache-2.0
/* graph-motifs: many small graphs, each a random tree with one motif attached that decides its class.
 *
 *     class 0: nothing but the tree    1: a ring of `motif` nodes    2: a clique    3: a star    4: a grid of two rows
 *
 * Node features are one-hot node kinds drawn at random, so that only structure tells the classes apart. In the style of
 * the BA-motif graphs of Ying et al., GNNExplainer, NeurIPS 2019. */
#include <crucible/crucible.h>

#include "edge-list.h"
#include "generate.h"

typedef struct settings {
    int64_t graphs, classes, smallest, largest, motif, kinds;
    double extra, imbalance;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, graphs, 200, 1, 1e7, "number of graphs"),
    CRU_INT(settings, classes, 2, 1, 5, "classes, in the order: tree only, ring, clique, star, grid"),
    CRU_INT(settings, smallest, 10, 1, 1e6, "least nodes of the tree"),
    CRU_INT(settings, largest, 20, 1, 1e6, "most nodes of the tree"),
    CRU_INT(settings, motif, 6, 4, 64, "nodes of the motif"),
    CRU_INT(settings, kinds, 4, 1, 1000, "columns of the one-hot node features"),
    CRU_FLOAT(settings, extra, 0.05, 0, 10, "further random edges a node of the tree"),
    CRU_FLOAT(settings, imbalance, 1, 1, 1e6, "size of the largest class over that of the smallest"),
    CRU_END,
};

enum { PLAIN, RING, CLIQUE, STAR, GRID };

static bool in_motif(int32_t kind, int64_t a, int64_t b, int64_t size)
{
    switch (kind) { /* a < b */
    case RING:
        return b == a + 1 || (a == 0 && b == size - 1);
    case CLIQUE:
        return true;
    case STAR:
        return a == 0;
    case GRID:
        return b == a + 2 || (b == a + 1 && a % 2 == 0);
    default:
        return false;
    }
}

typedef struct sketch {
    const settings *s;
    cru_rng rng;
    edge_list edges;
} sketch;

/* A random recursive tree on the `count` nodes from `first` on, with a few more edges. */
static cru_status draw_tree(sketch *k, int64_t first, int64_t count, cru_error *err)
{
    cru_status status = CRU_OK;
    for (int64_t v = 1; v < count && !status; v++)
        status = edge_list_add(&k->edges, (edge){first + cru_rng_below(&k->rng, v), first + v, 1}, err);
    for (int64_t more = (int64_t)(k->s->extra * (double)count); more > 0 && !status; more--) {
        int64_t a = cru_rng_below(&k->rng, count), b = cru_rng_below(&k->rng, count);
        if (a != b) status = edge_list_add(&k->edges, (edge){first + a, first + b, 1}, err);
    }
    return status;
}

/* The graph on the nodes span[0] .. span[1] - 1: a tree, and behind it the motif, hung on a random node. */
static cru_status draw_graph(sketch *k, int32_t kind, const int64_t span[2], cru_error *err)
{
    int64_t size = kind == PLAIN ? 0 : k->s->motif, first = span[0], motif = span[1] - size;
    cru_status status = draw_tree(k, first, motif - first, err);
    for (int64_t a = 0; a < size; a++)
        for (int64_t b = a + 1; b < size && !status; b++)
            if (in_motif(kind, a, b, size)) status = edge_list_add(&k->edges, (edge){motif + a, motif + b, 1}, err);
    if (size == 0 || status) return status;
    return edge_list_add(&k->edges, (edge){first + cru_rng_below(&k->rng, motif - first), motif, 1}, err);
}

/* Sizes first, so that nodes can be counted; a plain graph gets as many nodes as one with a motif. */
static cru_status draw_sizes(const settings *s, cru_rng *rng, cru_data *data, cru_error *err)
{
    data->graph_offsets = cru_data_alloc(data, s->graphs + 1, sizeof *data->graph_offsets);
    if (!data->graph_offsets) return cru_fail(err, CRU_NO_MEMORY, "graph-motifs: no memory");
    for (int64_t g = 0; g < s->graphs; g++) {
        int64_t tree = s->smallest + cru_rng_below(rng, s->largest - s->smallest + 1);
        data->graph_offsets[g + 1] = data->graph_offsets[g] + tree + s->motif;
    }
    data->nodes = data->graph_offsets[s->graphs];
    if ((double)data->nodes > GENERATE_MOST) return cru_fail(err, CRU_BAD_INPUT, "graph-motifs: too many nodes");
    return CRU_OK;
}

static cru_status draw_kinds(const settings *s, cru_rng *rng, cru_data *data, cru_error *err)
{
    int64_t *offsets = cru_data_alloc(data, data->nodes + 1, sizeof *offsets);
    int32_t *ids = cru_data_alloc(data, data->nodes, sizeof *ids);
    if (!offsets || !ids) return cru_fail(err, CRU_NO_MEMORY, "graph-motifs: no memory for features");
    for (int64_t v = 0; v < data->nodes; v++) {
        offsets[v + 1] = v + 1;
        ids[v] = (int32_t)cru_rng_below(rng, s->kinds);
    }
    data->x = (cru_features){.rows = data->nodes, .cols = s->kinds};
    data->x.sparse = (cru_csr){.rows = data->nodes, .cols = s->kinds, .offsets = offsets, .ids = ids};
    return CRU_OK;
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    if (s->largest < s->smallest) return cru_fail(l->err, CRU_BAD_INPUT, "graph-motifs: largest is below smallest");
    if (s->graphs < s->classes) return cru_fail(l->err, CRU_BAD_INPUT, "graph-motifs: fewer graphs than classes");
    cru_status status = generate_begin(data, CRU_GRAPHS, s->graphs, s->classes, l->err);
    if (status) return status;
    int64_t sizes[5];
    cru_rng classes = cru_rng_stream(l->source->seed, "classes", 0),
            features = cru_rng_stream(l->source->seed, "features", 0);
    sketch k = {.s = s, .rng = cru_rng_stream(l->source->seed, "graph", 0)};
    generate_class_sizes(s->graphs, s->classes, s->imbalance, sizes);
    status = generate_classes(data, sizes, &classes, l->err);
    if (!status) status = draw_sizes(s, &k.rng, data, l->err);
    for (int64_t g = 0; g < s->graphs && !status; g++)
        status = draw_graph(&k, data->truth[g], &data->graph_offsets[g], l->err);
    if (!status) status = edge_list_store(&k.edges, data->nodes, EDGE_SYMMETRIC, data);
    edge_list_free(&k.edges);
    if (!status) status = draw_kinds(s, &features, data, l->err);
    generate_end(data);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "graph-motifs",
    .version = "1.0",
    .summary = "small random graphs whose class is the motif that hangs on them",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_GRAPHS,
};
