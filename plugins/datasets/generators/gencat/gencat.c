// SPDX-License-Identifier: Apache-2.0
/* gencat: a graph that imitates a base graph class by class, with its homophily moved up or down.
 *
 * Measured on the base: how classes link, how attributes belong to classes, the degrees. Every node draws a latent
 * factor over the classes around the (shifted) means of its class; edges go to classes in proportion to the factor and
 * there to nodes in proportion to theirs, until degrees are used up; attributes are Bernoulli in the product of
 * factors.
 *
 * Maekawa, Sasaki, Fletcher, Onizuka. GenCAT: Generating Attributed Graphs with Controlled Relationships between
 * Classes, Attributes, and Topology. Information Systems 2023. */
#include <float.h>
#include <math.h>
#include <string.h>

#include <crucible/crucible.h>

#include "base-data.h"
#include "edge-list.h"
#include "gencat-model.h"
#include "generate.h"

typedef struct settings {
    const char *base;
    int64_t beta;
} settings;

static const cru_param schema[] = {
    CRU_STRING(settings, base, "cora", "dataset to imitate"),
    CRU_INT(settings, beta, 0, -10, 10, "tenths taken off the classes' liking for themselves; 0: as the base"),
    CRU_END,
};

enum { CELLS_PER_NODE = 100, MOST_ROUNDS = 50, MOST_DRAWS = 50 };

typedef struct drawing {
    gencat_model m;
    cru_data *data;
    double *u, *tie; /* n x k: latent factors, and those that edges are drawn to */
    int32_t *table;  /* k x cells */
    int64_t cells;
    double *used;  /* n: degree so far */
    int32_t *seen; /* n: stamped with the last node that tried it, plus 1 */
    edge_list edges;
} drawing;

/* Rows of u around the means of their class, made positive, at most 1 and normalised. */
static void draw_factors(drawing *d, cru_rng *rng)
{
    int64_t k = d->m.k;
    for (int64_t i = 0; i < d->m.n; i++) {
        int64_t c = cru_rng_categorical(rng, d->m.class_size, k);
        const double *mean = d->m.mean + c * k, *deviation = d->m.deviation + c * k;
        double *raw = d->tie + i * k, *row = d->u + i * k, sum = 0;
        d->data->truth[i] = (int32_t)c;
        for (int64_t h = 0; h < k; h++) raw[h] = mean[h] + deviation[h] * cru_rng_normal(rng);
        if (mean[c] < 1 / (double)k)
            gencat_reverse(raw, k, c, row);
        else
            memcpy(row, raw, (size_t)k * sizeof *row);
        for (int64_t h = 0; h < k; h++) {
            row[h] = row[h] <= 0 ? DBL_EPSILON : fmin(row[h], 1);
            sum += row[h];
        }
        for (int64_t h = 0; h < k; h++) row[h] /= sum;
    }
}

/* A node of class a that node i has not tried yet, or after many draws one that it has. */
static int64_t draw_partner(drawing *d, int64_t i, int64_t a, cru_rng *rng)
{
    const int32_t *table = d->table + a * d->cells;
    int64_t j = i;
    for (int draw = 0; draw < MOST_DRAWS; draw++) {
        j = table[cru_rng_below(rng, d->cells)];
        if (d->seen[j] == i + 1) continue;
        d->seen[j] = (int32_t)i + 1;
        break;
    }
    return j;
}

static cru_status draw_neighbours(drawing *d, int64_t i, cru_rng *rng, cru_error *err)
{
    const double *wanted = d->m.degree;
    cru_status status = CRU_OK;
    d->seen[i] = (int32_t)i + 1;
    for (int round = 0; round < MOST_ROUNDS && d->used[i] < wanted[i]; round++) {
        int64_t missing = (int64_t)(wanted[i] - d->used[i]);
        for (int64_t q = 0; q < missing && !status; q++) {
            int64_t j = draw_partner(d, i, cru_rng_categorical(rng, d->u + i * d->m.k, d->m.k), rng);
            if (j == i || d->used[j] >= wanted[j]) continue;
            status = edge_list_add(&d->edges, (edge){i, j, 1}, err);
            d->used[i]++; /* also when the edge is there already: as published */
            d->used[j]++;
        }
    }
    return status;
}

static cru_status draw_graph(drawing *d, cru_rng *rng, cru_error *err)
{
    for (int64_t a = 0; a < d->m.k; a++) gencat_table(&d->m, d->tie, a, d->cells, d->table + a * d->cells);
    cru_status status = CRU_OK;
    for (int64_t i = 0; i < d->m.n && !status; i++) status = draw_neighbours(d, i, rng, err);
    if (!status) status = edge_list_store(&d->edges, d->m.n, EDGE_SYMMETRIC, d->data);
    edge_list_free(&d->edges);
    return status;
}

/* class_factor[l] = mean of u over class l */
static void average_factors(const drawing *d, double *class_factor, double *count)
{
    int64_t k = d->m.k;
    for (int64_t i = 0; i < d->m.n; i++) {
        int64_t l = d->data->truth[i];
        count[l]++;
        for (int64_t h = 0; h < k; h++) class_factor[l * k + h] += d->u[i * k + h];
    }
    for (int64_t l = 0; l < k; l++)
        for (int64_t h = 0; h < k && count[l] > 0; h++) class_factor[l * k + h] /= count[l];
}

static cru_status draw_attributes(drawing *d, cru_rng *rng, cru_error *err)
{
    int64_t k = d->m.k, n = d->m.n, columns = d->m.d;
    double *class_factor = cru_data_alloc(d->data, k * k, sizeof *class_factor);
    double *count = cru_data_alloc(d->data, k, sizeof *count);
    double *share = cru_data_alloc(d->data, columns * k, sizeof *share);
    float *x = generate_dense(d->data, columns, err);
    if (!class_factor || !count || !share || !x)
        return cru_fail(err, CRU_NO_MEMORY, "gencat: no memory for attributes");
    average_factors(d, class_factor, count);
    gencat_attributes(&d->m, class_factor, share);
    for (int64_t j = 0; j < columns; j++) {
        double scale = 0;
        for (int64_t a = 0; a < k; a++) scale += d->m.attribute[j * k + a];
        for (int64_t h = 0; h < k; h++) share[j * k + h] *= scale;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < columns; j++) {
            double p = 0;
            for (int64_t h = 0; h < k; h++) p += d->u[i * k + h] * share[j * k + h];
            x[i * columns + j] = p > 0 && p >= cru_rng_uniform(rng);
        }
    }
    d->data->x.sparse = cru_csr_from_dense(cru_data_pool(d->data), x, n, columns);
    d->data->x.dense = NULL;
    return CRU_OK;
}

static cru_status start(drawing *d, const cru_source *source, cru_error *err)
{
    cru_data *base = NULL;
    cru_status status = base_open(source, &base, err);
    if (status) return status;
    cru_pool pool = cru_data_pool(base);
    base->graph = cru_graph_symmetrise(pool, &base->graph, CRU_SYM_OR);
    base->graph = cru_graph_loops(pool, &base->graph, CRU_LOOPS_REMOVE);
    status = gencat_measure(base, d->data, &d->m, err);
    if (!status) status = generate_begin(d->data, CRU_NODES, base->nodes, base->classes, err);
    cru_data_destroy(base);
    return status;
}

static cru_status make_room(drawing *d, cru_error *err)
{
    int64_t n = d->m.n, k = d->m.k;
    d->cells = CELLS_PER_NODE * n;
    d->u = cru_data_alloc(d->data, n * k, sizeof *d->u);
    d->tie = cru_data_alloc(d->data, n * k, sizeof *d->tie);
    d->table = cru_data_alloc(d->data, d->cells * k, sizeof *d->table);
    d->used = cru_data_alloc(d->data, n, sizeof *d->used);
    d->seen = cru_data_alloc(d->data, n, sizeof *d->seen);
    if (d->u && d->tie && d->table && d->used && d->seen) return CRU_OK;
    return cru_fail(err, CRU_NO_MEMORY, "gencat: no memory for %lld nodes", (long long)n);
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    drawing d = {.data = data};
    cru_status status = start(&d, l->source, l->err);
    if (!status) status = make_room(&d, l->err);
    if (status) return status;
    cru_rng factors = cru_rng_stream(l->source->seed, "factors", 0),
            graph = cru_rng_stream(l->source->seed, "graph", 0),
            features = cru_rng_stream(l->source->seed, "features", 0);
    gencat_adjust(&d.m, s->beta);
    draw_factors(&d, &factors);
    gencat_fit(&d.m, data->truth, d.u, d.tie);
    status = draw_graph(&d, &graph, l->err);
    if (!status) status = draw_attributes(&d, &features, l->err);
    generate_end(data);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "gencat",
    .version = "1.0",
    .summary = "imitates a base graph with more or less homophily",
    .citation =
        "Maekawa, Sasaki, Fletcher, Onizuka. GenCAT: Generating Attributed Graphs with Controlled Relationships "
        "between Classes, Attributes, and Topology. Information Systems 2023.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES,
};
