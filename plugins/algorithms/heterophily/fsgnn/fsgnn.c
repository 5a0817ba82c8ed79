// SPDX-License-Identifier: Apache-2.0
/* fsgnn: a linear layer for the features of every hop, and a softmax that says how much each hop counts.
 *
 *     o_i = mu_i norm(M_i W_i + b_i)      mu = softmax(theta)      logits = Drop(ReLU([o_0 | o_1 | ...])) W_f + b_f
 *     M = X, B X, B_I X, B^2 X, B_I^2 X, ..., B^K X, B_I^K X
 *
 * norm divides a row by its length. B = A, where row v holds the nodes that v points to, and B_I = A + I; with
 * normalisation = sym, as the authors have it, D^-1/2 B D^-1/2 of the row sums.
 *
 * Dense M_i never change and are computed once. Of sparse X they would be dense and large; there B^k (X W_i) is
 * computed in every step, which changes rounding only.
 *
 * Maurya, Liu, Murata. Simplifying Approach to Node Classification in Graph Neural Networks. Journal of Computational
 * Science 2022. */
#include <math.h>
#include <stdio.h>

#include "outgoing.h"

enum { MAX_HOPS = 16, MAX_PARTS = 2 * MAX_HOPS + 1 };

typedef enum hop_set { ALL, HOMOPHILY, HETEROPHILY } hop_set;
static const char *const hop_sets[] = {"all", "homophily", "heterophily", NULL};
static const char *const norms[] = {"none", "sym", NULL};

typedef struct settings {
    int64_t hops, features, hidden, normalisation;
    double dropout;
    bool row_norm;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, hops, 3, 0, MAX_HOPS, "longest hop K"),
    CRU_CHOICE(settings, features, ALL, hop_sets, "which hops; homophily: only those of B_I, heterophily: of B"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width of every hop"),
    CRU_FLOAT(settings, dropout, 0, 0, 0.99, "after the activation", .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_BOOL(settings, row_norm, true, "divide the rows of every hop by their length"),
    CRU_CHOICE(settings, normalisation, 0, norms, "of B and B_I; the authors' is sym"),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.01, 5e-7),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

/* One M_i. */
typedef struct part {
    cru_sparse *matrix; /* B or B_I */
    int64_t power;
    cru_tensor *kept; /* M_i, or NULL: see above */
    cru_fc layer;
} part;

typedef struct model {
    int64_t count;
    part part[MAX_PARTS];
    cru_tensor *theta;
    cru_fc out;
} model;

static cru_sparse *hop_matrix(cru_learner *l, const settings *s, cru_loops loops)
{
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr bare = outgoing_graph(l), b = cru_graph_loops(pool, &bare, loops);
    if (!s->normalisation) return cru_sparse_create(l->ctx, &b);
    double *d = cru_ctx_alloc(l->ctx, b.rows, sizeof *d);
    cru_csr_row_sums(&b, d);
    for (int64_t v = 0; v < b.rows; v++) d[v] = 1 / sqrt(fmax(d[v], 1)); /* a row without entries counts as 1 */
    const cru_csr scaled = cru_csr_scale(pool, &b, d, d);
    return cru_sparse_create(l->ctx, &scaled);
}

static void add_part(cru_learner *l, model *m, cru_sparse *matrix, int64_t power)
{
    const settings *s = l->settings;
    const double bytes = (double)(2 * s->hops + 1) * (double)l->x.rows * (double)l->x.cols * sizeof(float);
    part *p = &m->part[m->count];
    char name[16];
    snprintf(name, sizeof name, "hop%d", (int)m->count++);
    *p = (part){.matrix = matrix, .power = power, .layer = cru_fc_create(l->net, name, l->x.cols, s->hidden)};
    if (!l->x.dense || bytes > 1073741824.0) return;
    cru_tape_begin(l->tape, CRU_EVAL);
    const part *before = NULL; /* the same matrix, one power less */
    for (const part *q = m->part; q < p; q++)
        if (q->power == power - 1 && (q->matrix == matrix || power == 1)) before = q;
    p->kept = before ? cru_tensor_kept(l->tape, cru_spmm(l->tape, matrix, before->kept)) : l->x.dense;
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_sparse *bare = s->features != HOMOPHILY ? hop_matrix(l, s, CRU_LOOPS_KEEP) : NULL;
    cru_sparse *looped = s->features != HETEROPHILY ? hop_matrix(l, s, CRU_LOOPS_ADD) : NULL;
    add_part(l, m, NULL, 0);
    for (int64_t k = 1; k <= s->hops; k++) {
        if (bare) add_part(l, m, bare, k);
        if (looped) add_part(l, m, looped, k);
    }
    m->theta = cru_net_weight(l->net, "theta", cru_1d(m->count), (cru_init){.kind = CRU_INIT_CONSTANT, .a = 1});
    m->out = cru_fc_create(l->net, "out", m->count * s->hidden, l->task->classes);
}

/* norm(M_i W_i + b_i), n x hidden */
static cru_tensor *hop(cru_learner *l, cru_tape *t, const part *p)
{
    const settings *s = l->settings;
    cru_tensor *o;
    if (p->kept)
        o = cru_fc_apply(t, &p->layer, p->kept);
    else if (!p->power)
        o = cru_fc_input(t, &p->layer, &l->x);
    else
        o = cru_add(t, cru_propagate(t, p->matrix, cru_input_linear(t, &l->x, p->layer.w, NULL), p->power), p->layer.b);
    return s->row_norm ? cru_normalize_l2(t, o, 1e-12) : o;
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *mu = cru_softmax(t, m->theta, -1), *u[MAX_PARTS];
    for (int64_t i = 0; i < m->count; i++) {
        cru_tensor *weight = cru_reshape(t, cru_slice_rows(t, mu, i, i + 1), cru_0d());
        u[i] = cru_mul(t, hop(l, t, &m->part[i]), weight);
        u[i] = cru_dropout(t, cru_relu(t, u[i]), s->dropout);
    }
    cru_represent_parts(t, u, m->count);
    return cru_fc_apply_parts(t, &m->out, u, m->count);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "fsgnn",
    .version = "1.0",
    .summary = "soft selection over the features of every hop",
    .citation = "Maurya, Liu, Murata. Simplifying Approach to Node Classification in Graph Neural Networks. "
                "Journal of Computational Science 2022.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .categories = "feature selection",
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
