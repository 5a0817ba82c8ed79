// SPDX-License-Identifier: Apache-2.0
/* data-size: a number that tables of datasets have.
 *
 *     items, features, classes   counts
 *     edges                      arcs without self-loops; where every arc has its way back, half of them
 *     positives                  items of class 1 in a hundred labelled ones
 *     candidates                 mean size of the candidate sets
 *     missed                     sets in a hundred that miss the true label
 *
 * Candidate sets of items that all official splits test do not count: nobody learns from them. Not defined where the data has
 * nothing of the kind. */
#include <math.h>
#include <stdlib.h>

#include <crucible/graph.h>
#include <crucible/plugin.h>

typedef enum quantity { ITEMS, FEATURES, CLASSES, EDGES, POSITIVES, CANDIDATES, MISSED } quantity;
static const char *const quantities[] = {"items",     "features",   "classes", "edges",
                                         "positives", "candidates", "missed",  NULL};

typedef struct settings {
    int64_t what;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, what, ITEMS, quantities, "which number"),
    CRU_END,
};

static double edges(const cru_csr *g)
{
    int64_t arcs = 0;
    if (!g->offsets) return NAN;
    for (int64_t v = 0; v < g->rows; v++)
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) arcs += g->ids[e] != v;
    return cru_graph_is_symmetric(g) ? (double)arcs / 2 : (double)arcs;
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

static cru_status of_sets(const cru_judging *j, quantity what, double *value)
{
    const cru_data *data = j->data;
    int64_t sets = 0, members = 0, missed = 0;
    if (!data->candidates) return CRU_OK;
    int32_t *tests = count_tests(data);
    if (!tests) return cru_fail(j->err, CRU_NO_MEMORY, "no memory to count candidates");
    for (int64_t i = 0; i < data->items; i++) {
        const uint8_t *set = data->candidates + i * data->classes;
        int64_t size = 0;
        for (int32_t c = 0; c < data->classes; c++) size += set[c] != 0;
        if (size == 0 || (data->official_count && tests[i] == data->official_count)) continue;
        sets++;
        members += size;
        missed += data->truth[i] >= 0 && !set[data->truth[i]];
    }
    free(tests);
    if (sets) *value = what == CANDIDATES ? (double)members / (double)sets : 100 * (double)missed / (double)sets;
    return CRU_OK;
}

static cru_status score(const cru_judging *j, double *value)
{
    const cru_data *data = j->data;
    const quantity what = (quantity)((const settings *)j->settings)->what;
    *value = NAN;
    if (what == CANDIDATES || what == MISSED) return of_sets(j, what, value);
    *value = what == ITEMS      ? (double)data->items
             : what == FEATURES ? (double)data->x.cols
             : what == CLASSES  ? (double)data->classes
             : what == EDGES    ? edges(&data->graph)
                                : positives(data);
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_OF_DATASET, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "data-size",
    .version = "1.0",
    .summary = "a number that tables of datasets have: items, edges, features, ...",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
