// SPDX-License-Identifier: Apache-2.0
/* aggregation-homophily: how many nodes look more like their own class than like the others after one aggregation.
 *
 *     B = A Y      A: adjacency with self-loops, Y: one-hot labels
 *     s = share of the nodes v whose mean of B_v . B_u over the nodes u of its class (v included) reaches the mean over
 *         all others
 *
 * The value is max(2 s - 1, 0), or s itself (modified = false). With G_c the sum of B over class c, the sum of B_v .
 * B_u over that class is B_v . G_c, and B_v . G_c is the sum of entries of G_c over the neighbours of v: O(edges +
 * classes^2) time and O(nodes + classes^2) memory. Without normalisation all numbers are integers and ties are exact.
 * Not defined for a single class.
 *
 * Luan, Hua, Lu, Zhu, Zhao, Zhang, Chang, Precup. Revisiting Heterophily For Graph Neural Networks. NeurIPS 2022. */
#include <math.h>
#include <stdlib.h>

#include "class-mixing.h"
#include "edges.h"
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

/* What the neighbours of a node add up to. */
typedef struct likeness {
    double own, all; /* B_v . G_y of its class; B_v . sum_c G_c. Up to a factor that both share */
} likeness;

typedef struct aggregate {
    uint16_t *codes;
    int64_t classes, nodes; /* nodes with a label */
    int64_t *members;
    double *left, *right; /* A_uv = left_u right_v; NULL: 1 */
    double *sums;         /* G: row c is class c, row `classes` is all */
    likeness *of;         /* every node */
} aggregate;

static void aggregate_free(aggregate *a)
{
    free(a->codes);
    free(a->members);
    free(a->left);
    free(a->right);
    free(a->sums);
    free(a->of);
}

static inline double factor(const double *factors, int64_t v)
{
    return factors ? factors[v] : 1;
}

/* rw: 1 / d_u; sym: 1 / sqrt(d_u d_v), with the self-loop. */
static bool take_factors(aggregate *a, const cru_data *data, int64_t aggregator, cru_error *err)
{
    if (aggregator == NONE) return true;
    neighbour_count *count = neighbours_by_class(data, err);
    a->left = edge_records(data->nodes, sizeof *a->left, err);
    if (aggregator == SYM) a->right = edge_records(data->nodes, sizeof *a->right, err);
    const bool enough = count && a->left && (a->right || aggregator != SYM);
    for (int64_t v = 0; enough && v < data->nodes; v++) {
        const double degree = (double)count[v].all + 1;
        a->left[v] = aggregator == SYM ? 1 / sqrt(degree) : 1 / degree;
        if (a->right) a->right[v] = a->left[v];
    }
    free(count);
    return enough;
}

/* An edge, or a self-loop. */
static inline void add_sum(void *user, int64_t row, int32_t source)
{
    aggregate *a = user;
    a->sums[a->codes[source] * a->classes + a->codes[row]] += factor(a->left, source) * factor(a->right, row);
}

static inline void add_likeness(void *user, int64_t row, int32_t source)
{
    aggregate *a = user;
    const double right = factor(a->right, row), *column = a->sums + a->codes[row];
    a->of[source].own += right * column[a->codes[source] * a->classes];
    a->of[source].all += right * column[a->classes * a->classes];
}

/* Self-loops count for every node, whether the graph has them or not. */
static void visit_loops(aggregate *a, int64_t nodes, edge_visitor *visit)
{
    for (int32_t v = 0; v < nodes; v++)
        if (a->codes[v] != UNKNOWN_CLASS) visit(a, v, v);
}

/* Without factors the sums are counts of edges. Otherwise their last bits depend on the order, so one thread adds. */
static cru_status add_sums(aggregate *a, const cru_data *data, cru_error *err)
{
    class_mixing m = {0};
    cru_status status = CRU_OK;
    if (a->left) {
        const edge_scan all = {.graph = &data->graph, .codes = a->codes, .records = a->left, .size = sizeof *a->left};
        const edge_scan scan = edge_scan_rows(all, 0, 1);
        edges_visit(&scan, add_sum, a);
    } else {
        status = class_mixing_take(&m, data, err);
        for (int64_t k = 0; !status && k < a->classes * a->classes; k++) a->sums[k] = (double)m.pairs[k];
        class_mixing_free(&m);
    }
    visit_loops(a, data->nodes, add_sum);
    double *all = a->sums + a->classes * a->classes;
    for (int64_t k = 0; k < a->classes * a->classes; k++) all[k % a->classes] += a->sums[k];
    return status;
}

static void add_likenesses(aggregate *a, const cru_data *data)
{
    const edge_scan all = {.graph = &data->graph, .codes = a->codes, .records = a->of, .size = sizeof *a->of};
    const int32_t parts = edge_parts(all.graph);
    visit_loops(a, data->nodes, add_likeness);
#pragma omp parallel for num_threads(parts)
    for (int32_t part = 0; part < parts; part++) {
        const edge_scan scan = edge_scan_sources(all, part, parts);
        edges_visit(&scan, add_likeness, a);
    }
}

static void count_members(aggregate *a, int64_t nodes)
{
    for (int64_t v = 0; v < nodes; v++) {
        if (a->codes[v] == UNKNOWN_CLASS) continue;
        a->members[a->codes[v]]++;
        a->nodes++;
    }
}

static cru_status aggregate_take(aggregate *a, const cru_data *data, int64_t aggregator, cru_error *err)
{
    const size_t classes = (size_t)data->classes;
    *a = (aggregate){.codes = class_codes(data, err),
                     .classes = data->classes,
                     .members = calloc(classes, sizeof *a->members),
                     .sums = calloc((classes + 1) * classes, sizeof *a->sums),
                     .of = edge_records(data->nodes, sizeof *a->of, err)};
    if (!a->codes || !a->members || !a->sums || !a->of || !take_factors(a, data, aggregator, err))
        return cru_fail(err, CRU_NO_MEMORY, "no memory for %lld nodes", (long long)data->nodes);
    count_members(a, data->nodes);
    cru_status status = add_sums(a, data, err);
    if (!status) add_likenesses(a, data);
    return status;
}

__extension__ typedef __int128 wide;

/* The mean over the own class reaches that over the others. Counts are exact in double; their products with the class
 * sizes need more than 64 bits on graphs of millions of nodes. */
static bool fits_its_class(const aggregate *a, int64_t v, bool exact)
{
    const int64_t members = a->members[a->codes[v]], others = a->nodes - members;
    const double same = a->of[v].own, diff = a->of[v].all - same;
    if (exact) return (wide)same * others >= (wide)diff * members;
    /* what differs by rounding only is a tie */
    return same / (double)members >= diff / (double)others * (1 - 1e-12);
}

static double share_that_fits(const aggregate *a, int64_t nodes, bool exact)
{
    int64_t fit = 0;
    for (int64_t c = 0; c < a->classes; c++)
        if (a->members[c] == a->nodes) return NAN; /* one class, or no node at all */
    for (int64_t v = 0; v < nodes; v++)
        if (a->codes[v] != UNKNOWN_CLASS) fit += fits_its_class(a, v, exact);
    return (double)fit / (double)a->nodes;
}

static cru_status score(const cru_judging *j, double *value)
{
    const settings *s = j->settings;
    const cru_data *data = j->data;
    aggregate a;
    cru_status status = aggregate_take(&a, data, s->aggregator, j->err);
    if (!status) {
        const double share = share_that_fits(&a, data->nodes, s->aggregator == NONE);
        *value = s->modified && 2 * share - 1 < 0 ? 0 : s->modified ? 2 * share - 1 : share;
    }
    aggregate_free(&a);
    return status;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "aggregation-homophily",
    .version = "1.0",
    .summary = "share of nodes that look like their class after one aggregation",
    .citation = "Luan, Hua, Lu, Zhu, Zhao, Zhang, Chang, Precup. Revisiting Heterophily For Graph Neural Networks. "
                "NeurIPS 2022.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
