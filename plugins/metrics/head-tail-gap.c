// SPDX-License-Identifier: Apache-2.0
/* head-tail-gap: how much better a method does on well connected items than on the others.
 *
 *     gap = measure(head) - measure(tail)
 *
 * The head is that of the imbalance study's local and graph topology (imbalance.h): the fifth of the nodes with the
 * highest out-degree, or the fifth of the graphs with the most nodes. Both measures are reported as `head` and `tail`;
 * the gap is not defined when one of them is empty among the judged items.
 *
 * Qin, Yuan, Sun et al. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 * ICLR 2025. */
#include <math.h>
#include <stdlib.h>

#include <crucible/imbalance.h>

#include "class-counts.h"

typedef struct settings {
    int64_t measure;
} settings;

enum { ACCURACY, BALANCED_ACCURACY, MACRO_F1 };

static const char *const measures[] = {"accuracy", "balanced-accuracy", "macro-f1", NULL};

static const cru_param schema[] = {
    CRU_CHOICE(settings, measure, ACCURACY, measures, "what is compared"),
    CRU_END,
};

/* Row v of the graph holds the sources of edges u -> v. */
static void take_degrees(int64_t *size, const cru_csr *g)
{
    const int64_t entries = cru_csr_nnz(g);
    for (int64_t e = 0; e < entries; e++) size[g->ids[e]]++;
}

static cru_status take_sizes(cru_sizes *s, const cru_data *data, cru_error *err)
{
    int64_t *size = calloc((size_t)(data->items + 1), sizeof *size);
    *s = (cru_sizes){.size = size, .count = data->items};
    if (!size) return cru_fail(err, CRU_NO_MEMORY, "no memory for %lld items", (long long)data->items);
    if (data->problem == CRU_GRAPHS) {
        for (int64_t i = 0; i < data->items; i++) size[i] = data->graph_offsets[i + 1] - data->graph_offsets[i];
        s->head = cru_head_size(size, data->items);
    } else {
        take_degrees(size, &data->graph);
        s->head = cru_head_degree(size, data->items);
    }
    return CRU_OK;
}

static double measure_counts(const class_counts *counts, int64_t measure)
{
    if (counts->items == 0) return NAN;
    if (measure == BALANCED_ACCURACY) return class_counts_mean(counts, class_recall);
    if (measure == MACRO_F1) return class_counts_mean(counts, class_f1_if_any);
    return (double)counts->hits / (double)counts->items;
}

typedef struct comparison {
    const cru_judging *j;
    int64_t measure;
    cru_sizes sizes;
    int32_t *ids; /* room for all judged items */
} comparison;

/* The measure on the judged items of one side. */
static cru_status measure_side(const comparison *c, bool head, double *value)
{
    cru_judging side = *c->j;
    side.items = (cru_ids){.ids = c->ids};
    for (int64_t i = 0; i < c->j->items.count; i++) {
        const int32_t item = c->j->items.ids[i];
        if (((double)c->sizes.size[item] >= c->sizes.head) == head) c->ids[side.items.count++] = item;
    }
    class_counts counts;
    cru_status status = class_counts_take(&counts, &side);
    if (!status) *value = measure_counts(&counts, c->measure);
    class_counts_free(&counts);
    return status;
}

static cru_status score(const cru_judging *j, double *value)
{
    const settings *s = j->settings;
    double head = NAN, tail = NAN;
    comparison c = {.j = j, .measure = s->measure, .ids = malloc((size_t)(j->items.count + 1) * sizeof *c.ids)};
    cru_status status = take_sizes(&c.sizes, j->data, j->err);
    if (!c.ids) status = cru_fail(j->err, CRU_NO_MEMORY, "no memory for %lld items", (long long)j->items.count);
    if (!status) status = measure_side(&c, true, &head);
    if (!status) status = measure_side(&c, false, &tail);
    free(c.ids);
    free((int64_t *)c.sizes.size);
    if (status) return status;
    cru_report_number(j->report, "head", head);
    cru_report_number(j->report, "tail", tail);
    *value = head - tail;
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT | CRU_METRIC_LOWER_IS_BETTER, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "head-tail-gap",
    .version = "1.0",
    .summary = "how much better items of high degree (or large graphs) are predicted than the others",
    .citation = "Qin, Yuan, Sun et al. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced "
                "Graph Learning. ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY,
};
