// SPDX-License-Identifier: Apache-2.0
#include "check/tiny.h"

#include <stdlib.h>

#include <crucible/random.h>

const tiny_problem tiny_problems[] = {
    {.name = "nodes", .problem = CRU_NODES},
    {.name = "nodes, sparse features", .problem = CRU_NODES, .sparse = true},
    {.name = "nodes, one feature", .problem = CRU_NODES, .one_feature = true},
    {.name = "nodes, class missing from training", .problem = CRU_NODES, .missing_class = true},
    {.name = "nodes, isolated node", .problem = CRU_NODES, .isolated = true},
    {.name = "nodes, no edges", .problem = CRU_NODES, .no_edges = true},
    {.name = "graphs", .problem = CRU_GRAPHS},
    {.name = "graphs, sparse features", .problem = CRU_GRAPHS, .sparse = true},
    {.name = "graphs, one feature", .problem = CRU_GRAPHS, .one_feature = true},
    {.name = "graphs, class missing from training", .problem = CRU_GRAPHS, .missing_class = true},
    {.name = "graphs, isolated node", .problem = CRU_GRAPHS, .isolated = true},
    {.name = "graphs, no edges", .problem = CRU_GRAPHS, .no_edges = true},
    {.name = "anomaly", .problem = CRU_ANOMALY},
    {.name = "anomaly, sparse features", .problem = CRU_ANOMALY, .sparse = true},
    {.name = "anomaly, one feature", .problem = CRU_ANOMALY, .one_feature = true},
    {.name = "anomaly, none in training", .problem = CRU_ANOMALY, .missing_class = true},
    {.name = "anomaly, isolated node", .problem = CRU_ANOMALY, .isolated = true},
    {.name = "anomaly, no edges", .problem = CRU_ANOMALY, .no_edges = true},
    {.name = "rows", .problem = CRU_ROWS},
    {.name = "rows, candidate labels", .problem = CRU_ROWS, .candidates = true},
    {.name = "rows, candidate labels, sparse features", .problem = CRU_ROWS, .candidates = true, .sparse = true},
    {.name = "rows, sparse features", .problem = CRU_ROWS, .sparse = true},
    {.name = "rows, one feature", .problem = CRU_ROWS, .one_feature = true},
    {.name = "rows, class missing from training", .problem = CRU_ROWS, .missing_class = true},
    {.name = "rows, images with candidate labels", .problem = CRU_ROWS, .candidates = true, .images = true},
    {0},
};

const tiny_problem *tiny_plain(cru_problem problem)
{
    const tiny_problem *p = tiny_problems;
    while (p->problem != problem) p++;
    return p;
}

enum { ITEMS = 30, NODES_PER_GRAPH = 4, COLS = 6, CHANNELS = 3, SIDE = 8 };

/* The problem under construction. */
typedef struct draft {
    const tiny_problem *problem;
    cru_data *data;
    cru_rng rng;
} draft;

static void *room(const draft *d, int64_t count, size_t size)
{
    void *memory = cru_data_alloc(d->data, count ? count : 1, size);
    if (!memory) cru_panic(CRU_NO_MEMORY, "no memory for a test problem");
    return memory;
}

static int32_t class_of_node(const draft *d, int64_t node)
{
    return d->data->truth[d->problem->problem == CRU_GRAPHS ? node / NODES_PER_GRAPH : node];
}

/* Classes in turn, so that each is in every part of the split; anomalies are every fifth node. */
static void add_labels(draft *d)
{
    cru_data *data = d->data;
    data->truth = room(d, ITEMS, sizeof *data->truth);
    data->labels = room(d, ITEMS, sizeof *data->labels);
    for (int32_t i = 0; i < ITEMS; i++)
        data->labels[i] = data->truth[i] = d->problem->problem == CRU_ANOMALY ? i % 5 == 0 : i % data->classes;
    if (!d->problem->candidates) return;
    data->candidates = room(d, ITEMS * data->classes, 1);
    for (int64_t i = 0; i < ITEMS; i++) {
        data->candidates[i * data->classes + data->truth[i]] = 1;
        data->candidates[i * data->classes + cru_rng_below(&d->rng, data->classes)] = 1;
    }
}

/* The class's own column is raised; noise everywhere. Sparse features leave out every third entry. */
static void add_features(draft *d)
{
    cru_data *data = d->data;
    const bool images = d->problem->images;
    const int64_t rows = data->nodes, cols = images ? CHANNELS * SIDE * SIDE : d->problem->one_feature ? 1 : COLS;
    float *values = room(d, rows * cols, sizeof *values);
    int64_t *offsets = room(d, rows + 1, sizeof *offsets);
    int32_t *ids = room(d, rows * cols, sizeof *ids);
    int64_t stored = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (int32_t j = 0; j < cols; j++) {
            float value = (float)cru_rng_uniform(&d->rng) + (class_of_node(d, i) % cols == j ? 1.0f : 0.0f);
            if (images) value *= 0.5f; /* pixels end at 1 */
            if (d->problem->sparse && (i + j) % 3 == 0) continue;
            ids[stored] = j;
            values[stored++] = value;
        }
        offsets[i + 1] = stored;
    }
    data->x = (cru_features){.rows = rows, .cols = cols};
    if (images) data->x.channels = CHANNELS, data->x.height = data->x.width = SIDE;
    if (d->problem->sparse) {
        data->x.sparse = (cru_csr){.rows = rows, .cols = cols, .offsets = offsets, .ids = ids, .values = values};
    } else {
        data->x.dense = values;
    }
}

/* Nodes of a graph form a circle; in the one big graph there are chords to a node of the same class, too. */
static bool connected(const draft *d, int64_t a, int64_t b)
{
    const tiny_problem *p = d->problem;
    if (a == b || p->no_edges || (p->isolated && (a == 0 || b == 0))) return false;
    if (p->problem == CRU_GRAPHS)
        return a / NODES_PER_GRAPH == b / NODES_PER_GRAPH && llabs(a - b) % (NODES_PER_GRAPH - 2) == 1;
    return llabs(a - b) == 1 || llabs(a - b) == ITEMS - 1 || llabs(a - b) == 5 * d->data->classes;
}

static void add_graph(draft *d)
{
    cru_data *data = d->data;
    const int64_t nodes = data->nodes;
    int64_t *offsets = room(d, nodes + 1, sizeof *offsets);
    int32_t *ids = room(d, nodes * 8, sizeof *ids);
    int64_t stored = 0;
    for (int64_t a = 0; a < nodes; a++) {
        for (int64_t b = 0; b < nodes; b++)
            if (connected(d, a, b)) ids[stored++] = (int32_t)b;
        offsets[a + 1] = stored;
    }
    data->graph = (cru_csr){.rows = nodes, .cols = nodes, .offsets = offsets, .ids = ids};
    if (d->problem->problem != CRU_GRAPHS) return;
    data->graph_offsets = room(d, ITEMS + 1, sizeof *data->graph_offsets);
    for (int64_t g = 0; g <= ITEMS; g++) data->graph_offsets[g] = g * NODES_PER_GRAPH;
}

/* Blocks of items: the first half trains, then validation, then test. A missing class moves to the test part. */
static void add_split(draft *d)
{
    cru_ids *parts[] = {&d->data->split.train, &d->data->split.val, &d->data->split.test};
    int32_t *ids[3];
    for (int part = 0; part < 3; part++) parts[part]->ids = ids[part] = room(d, ITEMS, sizeof *ids[part]);
    for (int32_t i = 0; i < ITEMS; i++) {
        int part = i < ITEMS / 2 ? 0 : i < 3 * ITEMS / 4 ? 1 : 2;
        if (part == 0 && d->problem->missing_class && d->data->truth[i] == d->data->classes - 1) part = 2;
        ids[part][parts[part]->count++] = i;
    }
}

cru_data *tiny_create(const tiny_problem *problem)
{
    draft d = {.problem = problem, .data = cru_data_create(), .rng = cru_rng_stream(1, "tiny", 0)};
    if (!d.data) cru_panic(CRU_NO_MEMORY, "no memory for a test problem");
    d.data->problem = problem->problem;
    d.data->items = ITEMS;
    d.data->nodes = problem->problem == CRU_GRAPHS ? ITEMS * NODES_PER_GRAPH : ITEMS;
    d.data->classes = problem->problem == CRU_ANOMALY ? 2 : 3;
    add_labels(&d);
    add_features(&d);
    if (problem->problem != CRU_ROWS) add_graph(&d);
    add_split(&d);
    cru_error err = {0};
    if (cru_data_check(d.data, &err) != CRU_OK) cru_panic(CRU_FAILED, "%s: %s", problem->name, err.text);
    return d.data;
}
