// SPDX-License-Identifier: Apache-2.0
/* regular-graph: every node has the same number of neighbours inside its class and outside it, so that edge homophily
 * is exact.
 *
 *     regular: intra = k, inter = int(k / h - k), realised homophily k / (k + inter); the graph is directed, v ->
 * chosen random:  k n_c / 2 undirected edges inside each class c, and edges across classes to reach homophily h on
 * average
 *
 * With a base dataset the features of class c are rows of the base's class c mod C; otherwise they are Gaussian.
 *
 * Luan et al. Are Heterophilic GNNs and Homophily Metrics Really Effective? 2024. */
#include <math.h>
#include <stdlib.h>

#include <crucible/crucible.h>

#include "base-data.h"
#include "edge-list.h"
#include "generate.h"

typedef struct settings {
    int64_t class_size, classes, degree;
    double homophily;
    int64_t mode;
    const char *base;
    int64_t features;
    double signal;
} settings;

enum { MODE_REGULAR, MODE_RANDOM };
static const char *const modes[] = {"regular", "random", NULL};

static const cru_param schema[] = {
    CRU_INT(settings, class_size, 400, 2, 1e6, "nodes of each class"),
    CRU_INT(settings, classes, 5, 2, 1000, "classes"),
    CRU_INT(settings, degree, 2, 1, 1000, "neighbours inside the class"),
    CRU_FLOAT(settings, homophily, 0.5, 0.001, 1, "share of edges inside classes; regular graphs round it upwards"),
    CRU_CHOICE(settings, mode, MODE_REGULAR, modes, "directed with equal degrees, or undirected with equal means"),
    CRU_STRING(settings, base, "", "dataset whose rows serve as features; empty: Gaussian features"),
    CRU_INT(settings, features, 32, 1, 1e6, "feature columns without a base"),
    CRU_FLOAT(settings, signal, 1, 0, 1e3, "length of the class centres without a base"),
    CRU_END,
};

typedef struct rings {
    const settings *s;
    int64_t nodes;
    cru_rng rng;
    edge_list edges;
    int32_t *chosen;
} rings;

/* Gives v `degree` neighbours of its own class and `inter` of others. Node ids are class * size + offset. */
static cru_status link_regular(rings *r, int64_t v, int64_t inter, cru_error *err)
{
    int64_t size = r->s->class_size, first = v / size * size;
    cru_status status = CRU_OK;
    cru_rng_choose(&r->rng, size - 1, r->s->degree, r->chosen);
    for (int64_t k = 0; k < r->s->degree && !status; k++) {
        int64_t u = first + r->chosen[k];
        status = edge_list_add(&r->edges, (edge){u + (u >= v), v, 1}, err); /* steps over v itself */
    }
    cru_rng_choose(&r->rng, r->nodes - size, inter, r->chosen);
    for (int64_t k = 0; k < inter && !status; k++) {
        int64_t u = r->chosen[k];
        status = edge_list_add(&r->edges, (edge){u < first ? u : u + size, v, 1}, err); /* steps over its class */
    }
    return status;
}

static cru_status make_regular(rings *r, cru_data *data, cru_error *err)
{
    const settings *s = r->s;
    int64_t inter = (int64_t)((double)s->degree / s->homophily - (double)s->degree);
    if (s->degree >= s->class_size || inter > r->nodes - s->class_size) {
        return cru_fail(err, CRU_BAD_INPUT, "regular-graph: classes of %lld nodes have no room for degree %lld + %lld",
                        (long long)s->class_size, (long long)s->degree, (long long)inter);
    }
    r->chosen = cru_data_alloc(data, s->degree > inter ? s->degree : inter, sizeof *r->chosen);
    if (!r->chosen) return cru_fail(err, CRU_NO_MEMORY, "regular-graph: no memory");
    cru_status status = CRU_OK;
    for (int64_t v = 0; v < r->nodes && !status; v++) status = link_regular(r, v, inter, err);
    return status ? status : edge_list_store(&r->edges, r->nodes, EDGE_DIRECTED, data);
}

/* `count` random pairs of a node of class c and one of the `width` nodes from `start` on. */
static cru_status link_random(rings *r, int64_t c, const int64_t range[2], int64_t count, cru_error *err)
{
    int64_t size = r->s->class_size;
    cru_status status = CRU_OK;
    for (int64_t k = 0; k < count && !status;) {
        int64_t u = c * size + cru_rng_below(&r->rng, size), v = range[0] + cru_rng_below(&r->rng, range[1]);
        if (u == v) continue;
        status = edge_list_add(&r->edges, (edge){u, v, 1}, err);
        k++;
    }
    return status;
}

/* The last classes are short of partners further on, so each counts the edges that earlier ones sent it. */
static cru_status make_random(rings *r, cru_data *data, cru_error *err)
{
    const settings *s = r->s;
    double inside = (double)(s->degree * s->class_size), across = inside * (1 - s->homophily) / s->homophily;
    cru_status status = CRU_OK;
    double *received = cru_data_alloc(data, s->classes, sizeof *received);
    if (!received) return cru_fail(err, CRU_NO_MEMORY, "regular-graph: no memory");
    for (int64_t c = 0; c < s->classes && !status; c++) {
        int64_t own[2] = {c * s->class_size, s->class_size}, later[2] = {(c + 1) * s->class_size, 0};
        later[1] = r->nodes - later[0];
        status = link_random(r, c, own, (int64_t)(inside / 2), err);
        int64_t before = r->edges.count, missing = (int64_t)nearbyint(across - received[c]) + 1;
        if (!status && later[1] > 0 && missing > 0) status = link_random(r, c, later, missing, err);
        for (int64_t e = before; e < r->edges.count; e++) received[r->edges.to[e] / s->class_size]++;
    }
    return status ? status : edge_list_store(&r->edges, r->nodes, EDGE_SYMMETRIC, data);
}

/* Rows of the base's class c mod C: `class_size` different ones, or all and then some of them again. */
static cru_status borrow_features(const settings *s, const cru_data *base, cru_rng *rng, cru_data *data, cru_error *err)
{
    int32_t *rows = cru_data_alloc(data, data->nodes, sizeof *rows),
            *pool = cru_data_alloc(data, base->items, sizeof *pool);
    if (!rows || !pool) return cru_fail(err, CRU_NO_MEMORY, "regular-graph: no memory");
    for (int64_t c = 0; c < s->classes; c++) {
        int64_t count = 0, filled = 0;
        for (int64_t i = 0; i < base->items; i++)
            if (base->truth[i] == c % base->classes) pool[count++] = (int32_t)i;
        if (count == 0) return cru_fail(err, CRU_BAD_INPUT, "regular-graph: a class of the base is empty");
        while (filled < s->class_size) {
            int64_t take = s->class_size - filled < count ? s->class_size - filled : count;
            if (take < count) cru_rng_shuffle(rng, pool, count);
            for (int64_t k = 0; k < take; k++) rows[c * s->class_size + filled++] = pool[k];
        }
    }
    return base_copy_rows(base, rows, data, err);
}

static cru_status make_features(const settings *s, const cru_source *source, cru_data *data, cru_error *err)
{
    cru_rng rng = cru_rng_stream(source->seed, "features", 0);
    if (!*s->base) return generate_gaussian(data, s->features, s->signal, &rng, err);
    cru_data *base = NULL;
    cru_status status = base_open(source, &base, err);
    if (!status) status = borrow_features(s, base, &rng, data, err);
    cru_data_destroy(base);
    return status;
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    rings r = {.s = s, .nodes = s->class_size * s->classes, .rng = cru_rng_stream(l->source->seed, "graph", 0)};
    if ((double)r.nodes > GENERATE_MOST) return cru_fail(l->err, CRU_BAD_INPUT, "regular-graph: too many nodes");
    cru_status status = generate_begin(data, CRU_NODES, r.nodes, s->classes, l->err);
    if (status) return status;
    for (int64_t v = 0; v < r.nodes; v++) data->truth[v] = (int32_t)(v / s->class_size);
    status = s->mode == MODE_REGULAR ? make_regular(&r, data, l->err) : make_random(&r, data, l->err);
    edge_list_free(&r.edges);
    if (!status) status = make_features(s, l->source, data, l->err);
    generate_end(data);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "regular-graph",
    .version = "1.0",
    .summary = "equal numbers of neighbours inside and outside the class: exact edge homophily",
    .citation = "Luan et al. Are Heterophilic GNNs and Homophily Metrics Really Effective? Evaluation Pitfalls and New "
                "Benchmarks. 2024.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES,
};
