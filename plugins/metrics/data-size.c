// SPDX-License-Identifier: Apache-2.0
/* data-size: a number that tables of datasets have.
 *
 *     items, features, classes   counts
 *     edges                      arcs; where every arc has its way back, half of them, rounded down
 *     degree                     neighbours a node, the directions of edges left aside
 *     mean-nodes, mean-edges     of a graph, where items are graphs
 *     heads                      graphs among the largest fifth (imbalance.h)
 *     positives                  items of class 1 in a hundred labelled ones
 *     candidates                 mean size of the candidate sets
 *     missed                     sets in a hundred that miss the true label
 *
 * Self-loops are left aside in both, unless `loops` has them: as one arc, or as a whole edge, which ends twice at its node.
 * Candidate sets of items that all official splits test do not count: nobody learns from them. Not defined where the data has
 * nothing of the kind. With the two numbers of candidate sets come, as vectors and a matrix,
 *
 *     set-sizes   how many sets have 1, 2, ... members
 *     named       how many sets each class is in
 *     flips       P[j in S | y = i], row i: of the sets of class i the share that class j is in; 0 for a class without sets */
#include <math.h>
#include <stdlib.h>

#include <crucible/graph.h>
#include <crucible/imbalance.h>
#include <crucible/plugin.h>

#include "described.h"

typedef enum quantity {
    ITEMS,
    FEATURES,
    CLASSES,
    EDGES,
    POSITIVES,
    CANDIDATES,
    MISSED,
    DEGREE,
    MEAN_NODES,
    MEAN_EDGES,
    HEADS
} quantity;
static const char *const quantities[] = {"items",  "features", "classes",    "edges",      "positives", "candidates",
                                         "missed", "degree",   "mean-nodes", "mean-edges", "heads",     NULL};

typedef enum loop_count { NO_LOOPS, LOOPS_AS_ARCS, LOOPS_AS_EDGES } loop_count;
static const char *const loop_counts[] = {"none", "arcs", "edges", NULL};

typedef struct settings {
    int64_t what, loops;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, what, ITEMS, quantities, "which number"),
    CRU_CHOICE(settings, loops, NO_LOOPS, loop_counts,
               "self-loops among edges and in degrees: left aside, one arc or a whole edge each"),
    CRU_END,
};

static int64_t self_loops(const cru_csr *g)
{
    int64_t loops = 0;
    for (int64_t v = 0; v < g->rows; v++)
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) loops += g->ids[e] == v;
    return loops;
}

static double edges(const cru_csr *g, loop_count count)
{
    if (!g->offsets) return NAN;
    const int64_t loops = self_loops(g), arcs = g->offsets[g->rows] - loops;
    if (!cru_graph_is_symmetric(g)) return (double)(count == NO_LOOPS ? arcs : arcs + loops);
    return (double)((arcs + (int64_t)count * loops) / 2);
}

static cru_status degree(const cru_judging *j, double *value)
{
    const loop_count count = (loop_count)((const settings *)j->settings)->loops;
    const cru_csr *g = &j->data->graph;
    if (!g->offsets || g->rows == 0) return CRU_OK;
    cru_arena *scratch = cru_arena_create();
    if (!scratch) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for the undirected graph");
    const cru_csr both = described_graph(cru_arena_pool(scratch), j->data);
    *value = (double)(cru_csr_nnz(&both) + (int64_t)count * self_loops(g)) / (double)both.rows;
    cru_arena_destroy(scratch);
    return CRU_OK;
}

/* Graphs among the largest fifth. */
static cru_status heads(const cru_judging *j, double *value)
{
    const cru_data *data = j->data;
    if (data->problem != CRU_GRAPHS) return CRU_OK;
    int64_t *size = calloc((size_t)data->items + 1, sizeof *size);
    if (!size) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for %lld sizes", (long long)data->items);
    for (int64_t g = 0; g < data->items; g++) size[g] = data->graph_offsets[g + 1] - data->graph_offsets[g];
    const double least = cru_head_size(size, data->items);
    *value = 0;
    for (int64_t g = 0; g < data->items; g++) *value += (double)size[g] >= least;
    free(size);
    return CRU_OK;
}

static double each_graph(const cru_data *data, double total)
{
    return data->problem == CRU_GRAPHS && data->items ? total / (double)data->items : NAN;
}

static double positives(const cru_data *data)
{
    int64_t labelled = 0, ones = 0;
    for (int64_t i = 0; i < data->items; i++) labelled += data->truth[i] >= 0, ones += data->truth[i] == 1;
    return data->classes == 2 && labelled ? 100 * (double)ones / (double)labelled : NAN;
}

/* How many of the official splits test each item. */
static int32_t *count_tests(const cru_data *data)
{
    int32_t *tests = calloc((size_t)data->items + 1, sizeof *tests);
    for (int32_t s = 0; tests && s < data->official_count; s++)
        for (int64_t i = 0; i < data->official[s].test.count; i++) tests[data->official[s].test.ids[i]]++;
    return tests;
}

/* What is counted of candidate sets; the arrays lie in one piece behind `sizes`. */
typedef struct tally {
    int64_t sets, members, missed;
    double *sizes, *named, *of_class; /* classes each */
    double *flips;                    /* classes x classes */
} tally;

static bool tally_open(tally *t, int64_t classes)
{
    *t = (tally){.sizes = calloc((size_t)(classes * (classes + 3) + 1), sizeof *t->sizes)};
    if (!t->sizes) return false;
    t->named = t->sizes + classes;
    t->of_class = t->named + classes;
    t->flips = t->of_class + classes;
    return true;
}

static void count_set(tally *t, const uint8_t *set, int32_t truth, int64_t classes)
{
    int64_t size = 0;
    for (int64_t c = 0; c < classes; c++) size += set[c] != 0;
    if (size == 0) return;
    t->sets++;
    t->members += size;
    t->sizes[size - 1]++;
    for (int64_t c = 0; c < classes; c++) t->named[c] += set[c] != 0;
    if (truth < 0) return;
    t->missed += !set[truth];
    t->of_class[truth]++;
    for (int64_t c = 0; c < classes; c++) t->flips[truth * classes + c] += set[c] != 0;
}

static void tally_report(const tally *t, int64_t classes, cru_report *report)
{
    for (int64_t i = 0; i < classes * classes; i++)
        if (t->of_class[i / classes] > 0) t->flips[i] /= t->of_class[i / classes];
    cru_report_vector(report, "set-sizes", t->sizes, classes);
    cru_report_vector(report, "named", t->named, classes);
    cru_report_matrix(report, "flips", t->flips, classes, classes);
}

static cru_status of_sets(const cru_judging *j, quantity what, double *value)
{
    const cru_data *data = j->data;
    tally t;
    if (!data->candidates) return CRU_OK;
    int32_t *tests = count_tests(data);
    const bool open = tally_open(&t, data->classes);
    for (int64_t i = 0; tests && open && i < data->items; i++)
        if (!data->official_count || tests[i] < data->official_count)
            count_set(&t, data->candidates + i * data->classes, data->truth[i], data->classes);
    if (t.sets) {
        *value = what == CANDIDATES ? (double)t.members / (double)t.sets : 100 * (double)t.missed / (double)t.sets;
        tally_report(&t, data->classes, j->report);
    }
    free(t.sizes);
    const cru_status status = tests && open ? CRU_OK : cru_fail(j->err, CRU_NO_MEMORY, "no memory to count candidates");
    free(tests);
    return status;
}

static cru_status score(const cru_judging *j, double *value)
{
    const cru_data *data = j->data;
    const settings *s = j->settings;
    const quantity what = (quantity)s->what;
    *value = NAN;
    switch (what) {
    case CANDIDATES:
    case MISSED:
        return of_sets(j, what, value);
    case DEGREE:
        return degree(j, value);
    case HEADS:
        return heads(j, value);
    case ITEMS:
        *value = (double)data->items;
        break;
    case FEATURES:
        *value = (double)data->x.cols;
        break;
    case CLASSES:
        *value = (double)data->classes;
        break;
    case EDGES:
        *value = edges(&data->graph, (loop_count)s->loops);
        break;
    case POSITIVES:
        *value = positives(data);
        break;
    case MEAN_NODES:
        *value = each_graph(data, (double)data->graph.rows);
        break;
    case MEAN_EDGES:
        *value = each_graph(data, edges(&data->graph, (loop_count)s->loops));
        break;
    }
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "data-size",
    .version = "1.2",
    .summary = "a number that tables of datasets have: items, edges, features, ...",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
