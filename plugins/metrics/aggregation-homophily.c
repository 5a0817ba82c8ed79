/* aggregation-homophily: how many nodes look more like their own class than like the others after one aggregation.
 *
 *     B = A Y      A: adjacency with self-loops, Y: one-hot labels
 *     s = share of the nodes v whose mean of B_v . B_u over the nodes u of its class (v included) reaches the mean over
 *         all others
 *
 * The value is max(2 s - 1, 0), or s itself (modified = false). Summing B over each class first makes it O(edges +
 * nodes x classes). Without normalisation all numbers are integers and ties are exact. Not defined for a single class.
 *
 * Luan, Hua, Lu, Zhu, Zhao, Zhang, Chang, Precup. Revisiting Heterophily For Graph Neural Networks. NeurIPS 2022. */
#include <math.h>
#include <stdlib.h>

#include "neighbours.h"

enum { NONE, RW, SYM };

typedef struct settings {
    int64_t aggregator;
    bool modified;
} settings;

static const char *const aggregators[] = {"none", "rw", "sym", NULL};

static const cru_param schema[] = {
    CRU_CHOICE(settings, aggregator, NONE, aggregators,
               "normalisation of the adjacency: A + I, its mean, or symmetric"),
    CRU_BOOL(settings, modified, true, "max(2 s - 1, 0) instead of the share s"),
    CRU_END,
};

/* The aggregated labels. */
typedef struct aggregate {
    int32_t classes;
    int64_t nodes; /* with a label */
    double *rows;  /* B, all nodes x classes; zero for unlabelled ones */
    double *sums;  /* of class c: row c, classes x classes; row `classes` is the sum of all */
    int64_t *members;
} aggregate;

static void aggregate_free(aggregate *a)
{
    free(a->rows);
    free(a->sums);
    free(a->members);
}

/* A node's share in its neighbours' sums, and the scale of its own sum. */
static double weight_of(const neighbour_count *count, int64_t aggregator)
{
    return aggregator == SYM ? 1 / sqrt((double)count->all + 1) : 1;
}

static double scale_of(const neighbour_count *count, int64_t aggregator)
{
    const double degree = (double)count->all + 1;
    return aggregator == SYM ? 1 / sqrt(degree) : aggregator == RW ? 1 / degree : 1;
}

static void add_neighbours(aggregate *a, const cru_data *data, const neighbour_count *count, int64_t aggregator)
{
    const cru_csr *g = &data->graph;
    for (int64_t v = 0; v < g->rows; v++) { /* row v holds the sources of edges u -> v: v counts in the sum of u */
        const int32_t class = data->truth[v];
        if (class == CRU_UNLABELLED) continue;
        const double weight = weight_of(&count[v], aggregator);
        double *column = a->rows + class;
        column[v * a->classes] += weight; /* the self-loop */
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
            if (g->ids[e] != v) column[(int64_t)g->ids[e] * a->classes] += weight;
    }
}

static void add_sums(aggregate *a, const cru_data *data, const neighbour_count *count, int64_t aggregator)
{
    for (int64_t v = 0; v < data->nodes; v++) {
        const int32_t class = data->truth[v];
        if (class == CRU_UNLABELLED) continue;
        const double scale = scale_of(&count[v], aggregator);
        double *row = a->rows + v * a->classes, *own = a->sums + (int64_t) class * a->classes;
        for (int32_t c = 0; c < a->classes; c++) own[c] += row[c] *= scale;
        a->members[class]++;
        a->nodes++;
    }
    double *all = a->sums + (int64_t)a->classes * a->classes;
    for (int64_t k = 0; k < (int64_t)a->classes * a->classes; k++) all[k % a->classes] += a->sums[k];
}

static cru_status aggregate_take(aggregate *a, const cru_data *data, int64_t aggregator, cru_error *err)
{
    const size_t nodes = (size_t)data->nodes + 1, classes = (size_t)data->classes;
    neighbour_count *count = neighbours_by_class(data, err);
    *a = (aggregate){.classes = data->classes,
                     .rows = calloc(nodes * classes, sizeof *a->rows),
                     .sums = calloc((classes + 1) * classes, sizeof *a->sums),
                     .members = calloc(classes, sizeof *a->members)};
    const bool enough = count && a->rows && a->sums && a->members;
    if (enough) {
        add_neighbours(a, data, count, aggregator);
        add_sums(a, data, count, aggregator);
    }
    free(count);
    if (!enough)
        return cru_fail(err, CRU_NO_MEMORY, "no memory for %lld x %d labels", (long long)data->nodes, data->classes);
    return CRU_OK;
}

__extension__ typedef __int128 wide;

/* same(v) >= diff(v) without division. The scalar products of counts are below 2^53 and exact; their products with the
 * class sizes need more than 64 bits on graphs of millions of nodes. */
static bool fits_its_class(const aggregate *a, int64_t v, int32_t class, bool exact)
{
    const double *row = a->rows + v * a->classes, *own = a->sums + (int64_t) class * a->classes;
    const double *all = a->sums + (int64_t)a->classes * a->classes;
    const int64_t members = a->members[class], others = a->nodes - members;
    double same = 0, diff = 0;
    for (int32_t c = 0; c < a->classes; c++) {
        same += row[c] * own[c];
        diff += row[c] * (all[c] - own[c]);
    }
    if (exact) return (wide)same * others >= (wide)diff * members;
    const double same_mean = same / (double)members, diff_mean = diff / (double)others;
    return same_mean >= diff_mean * (1 - 1e-12); /* what differs by rounding only is a tie */
}

static double share_that_fits(const aggregate *a, const int32_t *truth, int64_t nodes, bool exact)
{
    int64_t fit = 0;
    for (int32_t c = 0; c < a->classes; c++)
        if (a->members[c] == a->nodes) return NAN; /* one class, or no node at all */
    for (int64_t v = 0; v < nodes; v++)
        if (truth[v] != CRU_UNLABELLED) fit += fits_its_class(a, v, truth[v], exact);
    return (double)fit / (double)a->nodes;
}

static cru_status score(const void *settings_, const cru_evidence *evidence, double *value, cru_report *report,
                        cru_error *err)
{
    const settings *s = settings_;
    const cru_data *data = evidence->data;
    aggregate a;
    (void)report;
    cru_status status = aggregate_take(&a, data, s->aggregator, err);
    if (!status) {
        const double share = share_that_fits(&a, data->truth, data->nodes, s->aggregator == NONE);
        *value = s->modified && 2 * share - 1 < 0 ? 0 : s->modified ? 2 * share - 1 : share;
    }
    aggregate_free(&a);
    return status;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_OF_DATASET, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "aggregation-homophily",
    .version = "1.0",
    .summary = "share of nodes that look like their class after one aggregation",
    .citation = "Luan, Hua, Lu, Zhu, Zhao, Zhang, Chang, Precup. Revisiting Heterophily For Graph Neural Networks. "
                "NeurIPS 2022.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
