// SPDX-License-Identifier: Apache-2.0
/* csbm: the contextual stochastic block model, a graph with classes whose homophily and feature signal are dials.
 *
 *     P(edge u - v) = p_in if the classes are equal, else p_out,     x_v = centre[class v] + N(0, I)
 *
 * p_in and p_out follow from the mean degree and from the share of edges inside classes (homophily). With several
 * relations each is such a graph of its own, with its share of the degree; the graph is their union. Blocks of the
 * adjacency are walked by geometric jumps from edge to edge, so the cost is O(edges), not O(nodes^2).
 *
 * Deshpande, Sen, Montanari, Mossel. Contextual stochastic block models. NeurIPS 2018.
 * Batagelj, Brandes. Efficient generation of large random networks. Phys. Rev. E 2005 (the jumps). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <crucible/crucible.h>

#include "edge-list.h"
#include "generate.h"

typedef struct settings {
    int64_t nodes, classes, relations;
    double degree, homophily, imbalance;
    int64_t features;
    double signal;
    bool sparse;
    int64_t words;
    int64_t task;
} settings;

static const char *const tasks[] = {"nodes", "anomaly", NULL};

static const cru_param schema[] = {
    CRU_INT(settings, nodes, 1000, 2, GENERATE_MOST, "nodes of the graph"),
    CRU_INT(settings, classes, 4, 1, 10000, "classes; anomaly scoring has two"),
    CRU_FLOAT(settings, degree, 8, 0, 1e6, "mean number of neighbours"),
    CRU_FLOAT(settings, homophily, 0.8, 0, 1, "expected share of edges inside a class"),
    CRU_INT(settings, relations, 1, 1, 100, "kinds of edges, which share the degree; 1: a plain graph"),
    CRU_FLOAT(settings, imbalance, 1, 1, 1e6, "size of the largest class over that of the smallest"),
    CRU_INT(settings, features, 32, 1, 1e6, "feature columns"),
    CRU_FLOAT(settings, signal, 1, 0, 1e3, "length of the class centres, in standard deviations of the noise"),
    CRU_BOOL(settings, sparse, false, "0/1 bags of words instead of Gaussian features"),
    CRU_INT(settings, words, 16, 1, 10000, "words drawn a node when sparse; signal : 1 of them from the class's own"),
    CRU_CHOICE(settings, task, 0, tasks, "classify nodes, or score those of the second class as anomalies"),
    CRU_END,
};

typedef struct blocks {
    const int64_t *sizes;
    const int32_t *member; /* node ids, class after class */
    double inside, across; /* edge probabilities */
    cru_rng *rng;
    edge_list *edges;
} blocks;

/* The pairs of two classes, or of one with itself. */
typedef struct block {
    const int32_t *row_ids, *col_ids;
    int64_t rows, cols;
    bool diagonal;
} block;

/* The place of a pair by its number: i (i - 1) / 2 + j for (i, j < i) on the diagonal, else i cols + j. */
static edge pair_at(const block *k, int64_t pair)
{
    if (!k->diagonal) return (edge){k->row_ids[pair / k->cols], k->col_ids[pair % k->cols], 1};
    int64_t i = (int64_t)((1 + sqrt(1 + 8 * (double)pair)) / 2);
    while (i * (i - 1) / 2 > pair) i--;
    while (i * (i + 1) / 2 <= pair) i++;
    return (edge){k->row_ids[i], k->col_ids[pair - i * (i - 1) / 2], 1};
}

/* Draws each pair of the block with probability p: the gap to the next edge is geometric. */
static cru_status draw_block(const blocks *b, const block *k, double p, cru_error *err)
{
    if (p <= 0) return CRU_OK;
    double pairs = k->diagonal ? 0.5 * (double)k->rows * (double)(k->rows - 1) : (double)k->rows * (double)k->cols;
    double log_miss = log1p(-p), at = -1;
    for (;;) {
        at += p < 1 ? 1 + floor(log1p(-cru_rng_uniform(b->rng)) / log_miss) : 1;
        if (!(at < pairs)) return CRU_OK;
        cru_status status = edge_list_add(b->edges, pair_at(k, (int64_t)at), err);
        if (status) return status;
    }
}

static cru_status draw_edges(const blocks *b, int64_t classes, cru_error *err)
{
    const int32_t *rows = b->member;
    for (int64_t r = 0; r < classes; r++) {
        const int32_t *cols = b->member;
        for (int64_t c = 0; c <= r; c++) {
            block k = {rows, cols, b->sizes[r], b->sizes[c], r == c};
            cru_status status = draw_block(b, &k, r == c ? b->inside : b->across, err);
            if (status) return status;
            cols += b->sizes[c];
        }
        rows += b->sizes[r];
    }
    return CRU_OK;
}

/* p_in and p_out for the wanted number of edges inside and across classes. */
static cru_status set_probabilities(const settings *s, blocks *b, cru_error *err)
{
    double n = (double)s->nodes, edges = n * s->degree / 2 / (double)s->relations, inside = 0, all = n * (n - 1) / 2;
    for (int64_t c = 0; c < s->classes; c++) inside += 0.5 * (double)b->sizes[c] * (double)(b->sizes[c] - 1);
    b->inside = inside > 0 ? s->homophily * edges / inside : 0;
    b->across = all > inside ? (1 - s->homophily) * edges / (all - inside) : 0;
    if (b->inside > 1 || b->across > 1) {
        return cru_fail(err, CRU_BAD_INPUT,
                        "csbm: %lld nodes in %lld classes have no room for degree %g at homophily %g",
                        (long long)s->nodes, (long long)s->classes, s->degree, s->homophily);
    }
    return CRU_OK;
}

/* data->graph from edges drawn now. */
static cru_status draw_graph(const settings *s, blocks *b, cru_data *data, cru_error *err)
{
    edge_list edges = {0};
    b->edges = &edges;
    cru_status status = draw_edges(b, s->classes, err);
    if (!status) status = edge_list_store(&edges, s->nodes, EDGE_SYMMETRIC, data);
    edge_list_free(&edges);
    return status;
}

/* Relations r1, r2, ... and their union. */
static cru_status draw_relations(const settings *s, blocks *b, cru_data *data, cru_error *err)
{
    enum { NAME = 8 };
    cru_relation *relations = cru_data_alloc(data, s->relations, sizeof *relations);
    char *names = cru_data_alloc(data, s->relations, NAME);
    if (!relations || !names) return cru_fail(err, CRU_NO_MEMORY, "csbm: no memory for the relations");
    for (int64_t r = 0; r < s->relations; r++) {
        cru_status status = draw_graph(s, b, data, err);
        if (status) return status;
        snprintf(names + r * NAME, NAME, "r%d", (int)(r + 1) % 1000);
        relations[r] = (cru_relation){names + r * NAME, data->graph};
    }
    data->relations = relations;
    data->relation_count = (int32_t)s->relations;
    data->graph = cru_graph_merge(cru_data_pool(data), relations, s->relations, CRU_DUP_FIRST);
    return CRU_OK;
}

static cru_status make_graph(const settings *s, const int64_t *sizes, cru_rng *rng, cru_data *data, cru_error *err)
{
    blocks b = {.sizes = sizes, .rng = rng};
    cru_status status = set_probabilities(s, &b, err);
    if (status) return status;
    b.member = generate_by_class(data, sizes, err);
    if (!b.member) return CRU_NO_MEMORY;
    return s->relations > 1 ? draw_relations(s, &b, data, err) : draw_graph(s, &b, data, err);
}

static int compare_ids(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Every node draws `words` columns: with probability signal / (1 + signal) from its class's equal share of the columns,
 * else from all; repeats count once. */
static cru_status make_words(const settings *s, cru_rng *rng, cru_data *data, cru_error *err)
{
    int64_t most;
    if (__builtin_mul_overflow(s->nodes, s->words, &most)) most = -1;
    int64_t *offsets = cru_data_alloc(data, s->nodes + 1, sizeof *offsets);
    int32_t *ids = cru_data_alloc(data, most, sizeof *ids);
    if (!offsets || !ids) return cru_fail(err, CRU_NO_MEMORY, "csbm: no memory for the words");
    double own = s->signal / (1 + s->signal);
    for (int64_t v = 0; v < s->nodes; v++) {
        int64_t first = data->truth[v] * s->features / s->classes,
                end = (data->truth[v] + 1) * s->features / s->classes;
        int32_t *row = ids + offsets[v];
        for (int64_t k = 0; k < s->words; k++) {
            bool mine = cru_rng_uniform(rng) < own && end > first;
            row[k] = (int32_t)(mine ? first + cru_rng_below(rng, end - first) : cru_rng_below(rng, s->features));
        }
        qsort(row, (size_t)s->words, sizeof *row, compare_ids);
        int64_t kept = 1;
        for (int64_t k = 1; k < s->words; k++)
            if (row[k] != row[kept - 1]) row[kept++] = row[k];
        offsets[v + 1] = offsets[v] + kept;
    }
    data->x = (cru_features){.rows = s->nodes, .cols = s->features};
    data->x.sparse = (cru_csr){.rows = s->nodes, .cols = s->features, .offsets = offsets, .ids = ids};
    return CRU_OK;
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    bool anomaly = s->task == 1;
    if (anomaly && s->classes != 2) return cru_fail(l->err, CRU_BAD_INPUT, "csbm: task = anomaly needs classes = 2");
    if (s->nodes < s->classes) return cru_fail(l->err, CRU_BAD_INPUT, "csbm: fewer nodes than classes");
    cru_status status = generate_begin(data, anomaly ? CRU_ANOMALY : CRU_NODES, s->nodes, s->classes, l->err);
    if (status) return status;

    int64_t *sizes = malloc((size_t)s->classes * sizeof *sizes);
    if (!sizes) return cru_fail(l->err, CRU_NO_MEMORY, "csbm: no memory");
    generate_class_sizes(s->nodes, s->classes, s->imbalance, sizes);
    cru_rng classes = cru_rng_stream(l->source->seed, "classes", 0),
            graph = cru_rng_stream(l->source->seed, "graph", 0),
            features = cru_rng_stream(l->source->seed, "features", 0);
    status = generate_classes(data, sizes, &classes, l->err);
    if (!status) status = make_graph(s, sizes, &graph, data, l->err);
    if (!status) {
        status = s->sparse ? make_words(s, &features, data, l->err)
                           : generate_gaussian(data, s->features, s->signal, &features, l->err);
    }
    free(sizes);
    generate_end(data);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "csbm",
    .version = "1.0",
    .summary = "contextual stochastic block model: graph and features with adjustable homophily and signal",
    .citation = "Deshpande, Sen, Montanari, Mossel. Contextual stochastic block models. NeurIPS 2018.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
