// SPDX-License-Identifier: Apache-2.0
/* correct-and-smooth: spreads the errors on training nodes over the graph, then the labels.
 *
 *     E_i = y_i - p_i on training nodes, 0 elsewhere      E^ = (1 - a) (I - a S)^-1 E
 *     r_i = p_i + sigma E^_i / ||E^_i||_1                 sigma: the mean of ||E_i||_1 over training nodes
 *     G_i = y_i on training nodes, r_i elsewhere          q = (1 - b) (I - b S)^-1 G
 *
 * S = D^-1/2 A D^-1/2, p: probabilities of the method inside, y: the observed labels, wrong ones as they are. A row
 * without an error near it stays as it is; alpha = 0 of either step leaves that step's input. The inverse is the limit
 * of X <- (1 - a) X_0 + a S X, of which `steps` are made at most. Negative values, which the correction may leave,
 * count as the smallest probability.
 *
 * Huang, He, Singh, Lim, Benson. Combining Label Propagation and Simple Models Out-performs Graph Neural Networks. ICLR
 * 2021, with the scale that it calls Autoscale. */
#include <math.h>
#include <string.h>

#include <crucible/crucible.h>

typedef struct settings {
    const char *of;
    double correct, smooth;
    int64_t steps;
} settings;

static const cru_param schema[] = {
    CRU_WRAPPED(settings, of, "mlp"),
    CRU_FLOAT(settings, correct, 0.8, 0, 0.999, "how far errors spread: a", .search = CRU_UNIFORM(0, 0.99)),
    CRU_FLOAT(settings, smooth, 0.8, 0, 0.999, "how far labels spread: b", .search = CRU_UNIFORM(0, 0.99)),
    CRU_INT(settings, steps, 50, 1, 100000, "most steps of spreading"),
    CRU_END,
};

typedef struct state {
    cru_csr s;     /* S */
    double *error; /* nodes x classes */
} state;

static void open(cru_wrapping *w)
{
    state *st = w->state;
    if (!w->task->labels || w->task->candidates) {
        cru_ctx_fail(w->ctx, CRU_UNSUPPORTED, "errors are told by one label per node, not by candidates");
        return;
    }
    st->s = cru_graph_normalise(cru_ctx_pool(w->ctx), &w->task->graph, CRU_NORM_SYM);
    st->error = cru_ctx_alloc(w->ctx, w->task->items * w->task->classes, sizeof *st->error);
}

static void spread(const cru_wrapping *w, double alpha, double *x)
{
    const settings *s = w->settings;
    const cru_ppr_options options = {.restart = 1 - alpha, .tolerance = 1e-12, .iterations = (int32_t)s->steps};
    cru_ppr_apply(&((const state *)w->state)->s, &options, x, w->task->classes);
}

static double length(const double *row, int64_t classes)
{
    double sum = 0;
    for (int64_t c = 0; c < classes; c++) sum += fabs(row[c]);
    return sum;
}

/* p becomes r. */
static void correct(cru_wrapping *w, double *p)
{
    const settings *s = w->settings;
    const int64_t classes = w->task->classes;
    const cru_ids train = w->task->split.train;
    double *error = ((state *)w->state)->error, sigma = 0;
    memset(error, 0, (size_t)(w->task->items * classes) * sizeof *error);
    for (int64_t i = 0; i < train.count; i++) {
        const int64_t row = train.ids[i] * classes;
        for (int64_t c = 0; c < classes; c++) error[row + c] = (w->task->labels[train.ids[i]] == c) - p[row + c];
        sigma += length(error + row, classes) / (double)train.count;
    }
    spread(w, s->correct, error);
    for (int64_t i = 0; i < w->task->items; i++) {
        const double size = length(error + i * classes, classes);
        for (int64_t c = 0; c < classes && size > 0; c++) p[i * classes + c] += sigma * error[i * classes + c] / size;
    }
}

static void change(cru_wrapping *w, double *p)
{
    const settings *s = w->settings;
    const int64_t classes = w->task->classes;
    const cru_ids train = w->task->split.train;
    if (s->correct > 0) correct(w, p);
    if (s->smooth == 0) return;
    for (int64_t i = 0; i < train.count; i++)
        for (int64_t c = 0; c < classes; c++) p[train.ids[i] * classes + c] = w->task->labels[train.ids[i]] == c;
    spread(w, s->smooth, p);
}

CRU_PLUGIN = {
    CRU_WRAPPER(settings, schema, .state_size = sizeof(state), .open = open, .change = change),
    .name = "correct-and-smooth",
    .version = "1.0",
    .summary = "spreads errors and labels of another method over the graph",
    .citation =
        "Huang, He, Singh, Lim, Benson. Combining Label Propagation and Simple Models Out-performs Graph Neural "
        "Networks. ICLR 2021.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
