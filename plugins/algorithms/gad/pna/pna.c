// SPDX-License-Identifier: Apache-2.0
/* pna: several aggregates of the in-neighbours side by side.
 *
 *     H_0 = X W_in + b_in      H_l = act(C W_l + b_l)      logits = H_L W_o + b_o
 *     C = [mean | max | min | std] of H_l-1 over in-edges      std = sqrt(ReLU(mean(h^2) - mean(h)^2) + 1e-5)
 *
 * variant = paper adds degree scalers: [C | a C | C / a] with a_v = log(din(v) + 1) / mean over nodes of the same. The
 * anomaly study has none. A node sees itself by its self-loop only. The loss weighs the rare class up.
 *
 * Corso, Cavalleri, Beaini, Lio, Velickovic. Principal Neighbourhood Aggregation for Graph Nets. NeurIPS 2020. */
#include <math.h>
#include <stdio.h>

#include <crucible/crucible.h>

enum { AGGREGATES = 4, SCALERS = 3 };

typedef struct settings {
    int64_t layers, hidden, activation, variant, loops;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_WIDTH(settings, hidden, 32, .search = CRU_ONE_OF(16, 32, 64)),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "after each convolution", .search = CRU_ANY_CHOICE),
    CRU_VARIANT(settings, variant, CRU_BENCH, "without degree scalers, or with them"),
    CRU_CHOICE(settings, loops, CRU_LOOPS_KEEP, cru_loops_names, "self-loops"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct model {
    cru_sparse *adj;
    cru_fc in, conv[CRU_MAX_LAYERS], out;
    cru_tensor *scale[SCALERS]; /* n x 1 each; of the first, 1, there is none */
    int64_t parts;
} model;

/* a and 1 / a; 0 for a node without in-edges, whose aggregates say nothing. */
static void make_scalers(cru_learner *l, model *m)
{
    const int64_t n = l->task->nodes;
    int64_t *degree = cru_ctx_alloc(l->ctx, n, sizeof *degree);
    float *up = cru_ctx_alloc(l->ctx, n, sizeof *up), *down = cru_ctx_alloc(l->ctx, n, sizeof *down);
    double mean = 0;
    cru_graph_in_degrees(&m->adj->csr, degree);
    for (int64_t v = 0; v < n; v++) mean += log1p((double)degree[v]) / (double)n;
    for (int64_t v = 0; v < n; v++) {
        if (!degree[v]) continue;
        up[v] = (float)(log1p((double)degree[v]) / mean);
        down[v] = (float)(mean / log1p((double)degree[v]));
    }
    m->scale[1] = cru_tensor_from(l->ctx, cru_2d(n, 1), up);
    m->scale[2] = cru_tensor_from(l->ctx, cru_2d(n, 1), down);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->adj = cru_adjacency_create(l->ctx, &l->task->graph, &(cru_adjacency){s->loops, CRU_NORM_NONE});
    m->parts = AGGREGATES * (s->variant == CRU_PAPER ? SCALERS : 1);
    if (s->variant == CRU_PAPER) make_scalers(l, m);
    m->in = cru_fc_create(l->net, "in", l->x.cols, s->hidden);
    for (int64_t i = 0; i < s->layers; i++) {
        char name[32];
        snprintf(name, sizeof name, "conv%lld", (long long)i);
        m->conv[i] = cru_fc_create(l->net, name, m->parts * s->hidden, s->hidden);
    }
    m->out = cru_fc_create(l->net, "out", s->hidden, l->task->classes);
}

static cru_tensor *convolve(cru_tape *t, const model *m, const cru_fc *layer, cru_tensor *h)
{
    cru_tensor *c[AGGREGATES * SCALERS];
    c[0] = cru_aggregate(t, m->adj, h, CRU_REDUCE_MEAN);
    c[1] = cru_aggregate(t, m->adj, h, CRU_REDUCE_MAX);
    c[2] = cru_aggregate(t, m->adj, h, CRU_REDUCE_MIN);
    cru_tensor *squares = cru_aggregate(t, m->adj, cru_square(t, h), CRU_REDUCE_MEAN);
    cru_tensor *var = cru_relu(t, cru_sub(t, squares, cru_square(t, c[0])));
    c[3] = cru_sqrt(t, cru_affine(t, var, 1, 1e-5));
    for (int64_t i = AGGREGATES; i < m->parts; i++) c[i] = cru_mul(t, c[i % AGGREGATES], m->scale[i / AGGREGATES]);
    return cru_fc_apply_parts(t, layer, c, m->parts);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *h = cru_fc_input(t, &m->in, &l->x);
    for (int64_t i = 0; i < s->layers; i++)
        h = cru_activate(t, cru_activations[s->activation], convolve(t, m, &m->conv[i], h));
    return cru_fc_apply(t, &m->out, cru_represent(t, h));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "pna",
    .version = "1.0",
    .summary = "mean, maximum, minimum and deviation of the neighbours side by side",
    .citation = "Corso, Cavalleri, Beaini, Lio, Velickovic. Principal Neighbourhood Aggregation for Graph Nets. "
                "NeurIPS 2020.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
