/* head-tail-gap: how much better a method does on well connected items than on the others.
 *
 *     gap = measure(head) - measure(tail)
 *
 * Nodes: the head are those whose out-degree reaches the (1 - head) quantile of all nodes, linearly interpolated.
 * Graphs: the head are those larger than the graph at rank floor(head x graphs) from the top. These are the heads of
 * the imbalance study's local and graph topology. Both measures are reported as `head` and `tail`; the gap is not
 * defined when one of them is empty among the judged items.
 *
 * Qin, Yuan, Sun et al. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning. ICLR 2025.
 */
#include <math.h>
#include <stdlib.h>

#include "class-counts.h"

typedef struct settings {
    int64_t measure;
    double head;
} settings;

enum { ACCURACY, BALANCED_ACCURACY, MACRO_F1 };

static const char *const measures[] = {"accuracy", "balanced-accuracy", "macro-f1", NULL};

static const cru_param schema[] = {
    CRU_CHOICE(settings, measure, ACCURACY, measures, "what is compared"),
    CRU_FLOAT(settings, head, 0.2, 0, 1, "share of the items that form the head"),
    CRU_END,
};

/* How large each item is, and from where on it is in the head. */
typedef struct sizes {
    int64_t *of, count, largest;
    double border;
} sizes;

static void take_degrees(sizes *s, const cru_csr *g)
{
    const int64_t entries = cru_csr_nnz(g);
    for (int64_t e = 0; e < entries; e++) s->of[g->ids[e]]++; /* row v holds the sources of edges u -> v */
}

static void take_graph_sizes(sizes *s, const int64_t *offsets)
{
    for (int64_t i = 0; i < s->count; i++) s->of[i] = offsets[i + 1] - offsets[i];
}

/* The size at a rank, the smallest having rank 0; how_many[k] items have size k. */
static int64_t size_at(const int64_t *how_many, int64_t rank)
{
    int64_t size = 0;
    for (int64_t below = how_many[0]; below <= rank; below += how_many[size]) size++;
    return size;
}

static double border_of(const sizes *s, const int64_t *how_many, double head, bool graphs)
{
    if (graphs) {
        const int64_t rank = (int64_t)(head * (double)s->count); /* the head is larger than this graph */
        return (double)size_at(how_many, s->count - 1 - (rank < s->count ? rank : s->count - 1)) + 1;
    }
    const double place = (1 - head) * (double)(s->count - 1);
    const int64_t low = (int64_t)place, high = low + 1 < s->count ? low + 1 : low;
    const double from = (double)size_at(how_many, low), to = (double)size_at(how_many, high);
    return from + (place - (double)low) * (to - from);
}

static cru_status take_sizes(sizes *s, const cru_data *data, double head, cru_error *err)
{
    const bool graphs = data->problem == CRU_GRAPHS;
    *s = (sizes){.of = calloc((size_t)(data->items + 1), sizeof *s->of), .count = data->items};
    if (!s->of) return cru_fail(err, CRU_NO_MEMORY, "no memory for %lld items", (long long)data->items);
    if (graphs)
        take_graph_sizes(s, data->graph_offsets);
    else
        take_degrees(s, &data->graph);
    for (int64_t i = 0; i < s->count; i++) s->largest = s->of[i] > s->largest ? s->of[i] : s->largest;
    int64_t *how_many = calloc((size_t)s->largest + 1, sizeof *how_many);
    if (!how_many) return cru_fail(err, CRU_NO_MEMORY, "no memory for sizes up to %lld", (long long)s->largest);
    for (int64_t i = 0; i < s->count; i++) how_many[s->of[i]]++;
    if (s->count) s->border = border_of(s, how_many, head, graphs);
    free(how_many);
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
    const cru_evidence *evidence;
    int64_t measure;
    sizes sizes;
    int32_t *ids; /* room for all judged items */
} comparison;

/* The measure on the judged items of one side. */
static cru_status measure_side(const comparison *c, bool head, double *value, cru_error *err)
{
    cru_evidence side = *c->evidence;
    side.items = (cru_ids){.ids = c->ids};
    for (int64_t i = 0; i < c->evidence->items.count; i++) {
        const int32_t item = c->evidence->items.ids[i];
        if (((double)c->sizes.of[item] >= c->sizes.border) == head) c->ids[side.items.count++] = item;
    }
    class_counts counts;
    cru_status status = class_counts_take(&counts, &side, err);
    if (!status) *value = measure_counts(&counts, c->measure);
    class_counts_free(&counts);
    return status;
}

static cru_status score(const void *settings_, const cru_evidence *evidence, double *value, cru_report *report,
                        cru_error *err)
{
    const settings *s = settings_;
    double head = NAN, tail = NAN;
    comparison c = {.evidence = evidence,
                    .measure = s->measure,
                    .ids = malloc((size_t)(evidence->items.count + 1) * sizeof *c.ids)};
    cru_status status = take_sizes(&c.sizes, evidence->data, s->head, err);
    if (!c.ids) status = cru_fail(err, CRU_NO_MEMORY, "no memory for %lld items", (long long)evidence->items.count);
    if (!status) status = measure_side(&c, true, &head, err);
    if (!status) status = measure_side(&c, false, &tail, err);
    free(c.ids);
    free(c.sizes.of);
    if (status) return status;
    cru_report_number(report, "head", head);
    cru_report_number(report, "tail", tail);
    *value = head - tail;
    return CRU_OK;
}

static const cru_metric vtable = {
    .size = sizeof(cru_metric), .flags = CRU_METRIC_PERCENT | CRU_METRIC_LOWER_IS_BETTER, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "head-tail-gap",
    .version = "1.0",
    .summary = "how much better items of high degree (or large graphs) are predicted than the others",
    .citation = "Qin, Yuan, Sun et al. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced "
                "Graph Learning. ICLR 2025.",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
