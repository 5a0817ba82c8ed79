// SPDX-License-Identifier: Apache-2.0
/* structural: labels are lost where the graph is confusing.
 *
 *     P(label of v changes) = min(1, c w_v)      w_v = 1 - spread + spread s_v / mean s
 *
 * with c such that the mean over all labelled nodes is the rate (as far as caps allow), and s_v
 *   heterophily: the share of v's neighbours of another true class     degree: the number of its neighbours
 * A changed label becomes, by target,
 *   neighbours: one of the other classes among v's neighbours, in proportion (any other class when there is none)
 *   uniform:    any other class
 *
 * Neighbours are those of the undirected graph, without v itself. */
#include <math.h>

#include <crucible/graph.h>

#include "label-noise.h"

enum { PROBLEMS = CRU_NODES | CRU_ANOMALY };

typedef enum driver { HETEROPHILY, DEGREE } driver;
static const char *const drivers[] = {"heterophily", "degree", NULL};

typedef enum target { NEIGHBOURS, UNIFORM } target;
static const char *const targets[] = {"neighbours", "uniform", NULL};

typedef struct settings {
    double rate, spread;
    int64_t driver, target;
    label_noise noise;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, 1, "mean probability that a label changes"),
    CRU_CHOICE(settings, driver, HETEROPHILY, drivers, "what makes a label more likely to change"),
    CRU_FLOAT(settings, spread, 1, 0, 1, "0: all labels are equally likely to change; 1: in proportion to the driver"),
    CRU_CHOICE(settings, target, NEIGHBOURS, targets, "what a changed label becomes"),
    CRU_GROUP(settings, noise, label_noise_params),
    CRU_END,
};

typedef struct scene {
    const settings *set;
    const cru_data *data;
    cru_csr graph;
    double *s, *flip; /* by node: the driver, the probability */
    double *p;        /* classes */
} scene;

/* Neighbours of v by true class into p; returns how many have one. */
static double count_neighbours(const scene *sc, int64_t v)
{
    double known = 0;
    for (int32_t c = 0; c < sc->data->classes; c++) sc->p[c] = 0;
    for (int64_t e = sc->graph.offsets[v]; e < sc->graph.offsets[v + 1]; e++) {
        const int32_t c = sc->data->truth[sc->graph.ids[e]];
        if (c == CRU_UNLABELLED) continue;
        sc->p[c]++;
        known++;
    }
    return known;
}

static double drive(const scene *sc, int64_t v)
{
    if (sc->set->driver == DEGREE) return (double)(sc->graph.offsets[v + 1] - sc->graph.offsets[v]);
    const double known = count_neighbours(sc, v);
    return known > 0 ? 1 - sc->p[sc->data->truth[v]] / known : 0;
}

static double mean_flip(const scene *sc, double scale, int64_t count)
{
    double sum = 0;
    for (int64_t v = 0; v < sc->data->items; v++)
        if (sc->data->truth[v] != CRU_UNLABELLED) sum += fmin(1, scale * sc->flip[v]);
    return sum / (double)count;
}

/* The scale at which the mean is the rate; the mean grows with it, up to the share of nodes that can flip at all. */
static double find_scale(const scene *sc, int64_t count)
{
    enum { DOUBLINGS = 60, HALVINGS = 60 };
    double low = 0, high = 1;
    for (int i = 0; i < DOUBLINGS && mean_flip(sc, high, count) < sc->set->rate; i++) high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (mean_flip(sc, middle, count) < sc->set->rate)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* False when the driver is 0 for all nodes and nothing else would make a label change. */
static bool set_probabilities(scene *sc)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t v = 0; v < sc->data->items; v++) {
        if (sc->data->truth[v] == CRU_UNLABELLED) continue;
        sc->s[v] = drive(sc, v);
        sum += sc->s[v];
        count++;
    }
    const double mean = sum > 0 ? sum / (double)count : 1, spread = sc->set->spread;
    for (int64_t v = 0; v < sc->data->items; v++) sc->flip[v] = 1 - spread + spread * sc->s[v] / mean;
    const double scale = count ? find_scale(sc, count) : 0;
    for (int64_t v = 0; v < sc->data->items; v++) sc->flip[v] = fmin(1, scale * sc->flip[v]);
    return sum > 0 || spread < 1;
}

static int32_t draw(void *user, cru_study_rng *source, int64_t item, int32_t label)
{
    scene *sc = user;
    const int32_t classes = sc->data->classes;
    const double flip = sc->data->truth[item] == CRU_UNLABELLED ? 0 : sc->flip[item];
    const double known = sc->set->target == NEIGHBOURS ? count_neighbours(sc, item) : 0;
    const double others = known > 0 ? known - sc->p[label] : 0;
    for (int32_t c = 0; c < classes; c++) {
        const double share = others > 0 ? sc->p[c] / others : 1.0 / (classes - 1);
        sc->p[c] = c == label ? 1 - flip : flip * share;
    }
    return cru_study_rng_choice(source, sc->p, classes);
}

/* The mean of the driver over the chosen nodes whose label is wrong, and over the others. */
static void report_driver(const scene *sc, const uint8_t *chosen, cru_report *report)
{
    double sum[2] = {0};
    int64_t count[2] = {0};
    for (int64_t v = 0; v < sc->data->items; v++) {
        if (!chosen[v] || sc->data->truth[v] == CRU_UNLABELLED || sc->data->labels[v] == CRU_UNLABELLED) continue;
        const bool wrong = sc->data->labels[v] != sc->data->truth[v];
        sum[wrong] += sc->s[v];
        count[wrong]++;
    }
    cru_report_number(report, "driver_of_right", count[0] ? sum[0] / (double)count[0] : NAN);
    cru_report_number(report, "driver_of_wrong", count[1] ? sum[1] / (double)count[1] : NAN);
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    const settings *s = d->settings;
    cru_study_rng source;
    cru_status status = label_noise_start(&s->noise, d, &source);
    if (status) return status;
    cru_pool pool = cru_data_pool(data);
    scene sc = {.set = s, .data = data};
    const cru_csr both = cru_graph_symmetrise(pool, &data->graph, CRU_SYM_OR);
    sc.graph = cru_graph_loops(pool, &both, CRU_LOOPS_REMOVE);
    sc.s = cru_pool_alloc(pool, data->items, sizeof *sc.s);
    sc.flip = cru_pool_alloc(pool, data->items, sizeof *sc.flip);
    sc.p = cru_pool_alloc(pool, data->classes, sizeof *sc.p);
    if (!set_probabilities(&sc))
        return cru_fail(d->err, CRU_UNSUPPORTED,
                        "no node has neighbours that could mislead; spread = 1 changes no label");
    label_noise_redraw(&s->noise, d, &(noise_drawing){&source, draw, &sc});
    report_driver(&sc, noise_chosen_items(data, (noise_where)s->noise.where), d->report);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "structural",
    .version = "1.0",
    .summary = "label noise that grows with a node's heterophily or degree",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = PROBLEMS,
};
