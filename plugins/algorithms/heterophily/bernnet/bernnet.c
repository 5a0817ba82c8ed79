// SPDX-License-Identifier: Apache-2.0
/* bernnet: predict with a perceptron, then filter the prediction with a learned non-negative Bernstein polynomial.
 *
 *     H = Drop(MLP(X))      Z = sum_k ReLU(theta_k) C(K, k) / 2^K (2I - L)^(K-k) L^k H      k = 0 .. K      logits = Z
 *
 * L = I - S, S = D^-1/2 A D^-1/2 without self-loops. theta starts at 1, where the filter is the identity, and is not
 * decayed. D holds out-degrees on both sides, as the authors' code has it; setting degree makes them in-degrees.
 *
 * The anomaly study (settings head > 0, variant = bench) filters act(MLP(X)), hidden wide, and classifies act(Z) with
 * `head` linear layers. Its code applies L to the wrong variable, so that every term k >= 1 is C(K, k) / 2^K L (2I -
 * L)^K.
 *
 * All these filters are polynomials p(S). As sum_j c_j T_j(S) H with Chebyshev polynomials T_j they cost one product
 * with S a degree, and c is bounded by theta: expanded in powers of S it would reach 60 at K = 10 and cancel.
 *
 * He, Wei, Huang, Xu. BernNet: Learning Arbitrary Graph Spectral Filters via Bernstein Approximation. NeurIPS 2021. */
#include <math.h>

#include <crucible/crucible.h>

enum { MAX_ORDER = 30 };

typedef struct settings {
    int64_t order, layers, hidden, head, degree, activation, variant, loops;
    double dropout, filter_dropout, filter_lr;
    bool one_logit;
    cru_train train;
} settings;

typedef enum degree { OUT, IN } degree;
static const char *const degrees[] = {"out", "in", NULL};

static const cru_param schema[] = {
    CRU_INT(settings, order, 10, 1, MAX_ORDER, "degree of the polynomial K"),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "linear layers of the perceptron"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width between them"),
    CRU_INT(settings, head, 0, 0, CRU_MAX_LAYERS, "linear layers after the filter; 0: the filter comes last"),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "of the perceptron and, with a head, of the filter"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "of the features and after each activation",
              .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_FLOAT(settings, filter_dropout, 0.5, 0, 0.99, "before the filter"),
    CRU_FLOAT(settings, filter_lr, 0.01, 0, CRU_NO_MAX, "learning rate of theta; 0: that of the rest"),
    CRU_CHOICE(settings, degree, OUT, degrees, "which edges D counts"),
    CRU_CHOICE(settings, loops, CRU_LOOPS_REMOVE, cru_loops_names, "self-loops before normalising"),
    CRU_VARIANT(settings, variant, CRU_PAPER,
                "bench: the anomaly study's filter, with one L in all terms but the first"),
    CRU_ONE_LOGIT(settings, one_logit),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.01, 5e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_mlp mlp, head;
    cru_sparse *s;
    int64_t terms;         /* of the Chebyshev sum */
    cru_tensor *chebyshev; /* (K + 1) x terms: row k holds the coefficients of what theta_k weighs */
    cru_tensor *theta;     /* 1 x (K + 1) */
} model;

/* What theta_k weighs at the eigenvalue x of S. */
static double basis(const settings *s, int64_t k, double x)
{
    const double order = (double)s->order, i = (double)k;
    const double scale = exp(lgamma(order + 1) - lgamma(i + 1) - lgamma(order - i + 1)) / pow(2, order);
    if (s->variant == CRU_PAPER) return scale * pow(1 + x, order - i) * pow(1 - x, i);
    return scale * pow(1 + x, order) * (k > 0 ? 1 - x : 1);
}

/* c_j = (2 - [j = 0]) / n sum_i basis(cos a_i) cos(j a_i), a_i = pi (i + 1/2) / n, exact for degrees below n. */
static cru_tensor *coefficients(cru_ctx *ctx, const settings *s, int64_t n)
{
    float *c = cru_ctx_alloc(ctx, (s->order + 1) * n, sizeof *c);
    for (int64_t k = 0; k <= s->order; k++) {
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++) {
                const double a = M_PI * ((double)i + 0.5) / (double)n;
                sum += basis(s, k, cos(a)) * cos((double)j * a);
            }
            c[k * n + j] = (float)((j ? 2 : 1) * sum / (double)n);
        }
    }
    return cru_tensor_from(ctx, cru_2d(s->order + 1, n), c);
}

static cru_sparse *normalised(cru_learner *l, const settings *s)
{
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr a = cru_graph_loops(pool, &l->task->graph, (cru_loops)s->loops);
    double *d = cru_ctx_alloc(l->ctx, a.rows, sizeof *d);
    (s->degree == OUT ? cru_csr_col_sums : cru_csr_row_sums)(&a, d);
    for (int64_t v = 0; v < a.rows; v++) d[v] = d[v] > 0 ? 1 / sqrt(d[v]) : 0;
    const cru_csr scaled = cru_csr_scale(pool, &a, d, d);
    return cru_sparse_create(l->ctx, &scaled);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t outputs = cru_outputs(l->task, s->one_logit);
    const cru_mlp_shape shape = {.in = l->x.cols,
                                 .hidden = s->hidden,
                                 .out = s->head ? s->hidden : outputs,
                                 .layers = s->layers,
                                 .act = cru_activations[s->activation],
                                 .dropout = s->dropout,
                                 .input_dropout = true};
    const cru_mlp_shape head = {s->hidden, s->hidden, outputs, .layers = s->head, .dropout = s->dropout};
    m->s = normalised(l, s);
    m->terms = s->order + (s->variant == CRU_PAPER ? 1 : 2);
    m->chebyshev = coefficients(l->ctx, s, m->terms);
    m->mlp = cru_mlp_create(l->net, "mlp", &shape);
    if (s->head) m->head = cru_mlp_create(l->net, "head", &head);
    cru_net *filter = cru_learner_net(l, "filter");
    m->theta = cru_net_weight(filter, "theta", cru_2d(1, s->order + 1), (cru_init){.kind = CRU_INIT_CONSTANT, .a = 1});
    l->optim = cru_learner_optim(l, &l->net, 1);
    const double factor = s->filter_lr > 0 && s->train.lr > 0 ? s->filter_lr / s->train.lr : 1;
    cru_optim_add(l->optim, filter, &(cru_optim_group){.lr_factor = factor, .own_decay = true});
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    const cru_unary act = cru_activations[s->activation];
    cru_tensor **term = cru_tape_alloc(t, m->terms, sizeof *term); /* T_j(S) H */
    cru_tensor *h = cru_mlp_input(t, &m->mlp, &l->x);
    term[0] = cru_dropout(t, s->head ? cru_activate(t, act, h) : h, s->filter_dropout);
    term[1] = cru_spmm(t, m->s, term[0]);
    for (int64_t j = 2; j < m->terms; j++)
        term[j] = cru_plus(t, cru_scale(t, term[j - 2], -1), 2, cru_spmm(t, m->s, term[j - 1]));
    cru_tensor *c = cru_matmul(t, cru_relu(t, m->theta), m->chebyshev);
    cru_tensor *z = cru_mix(t, term, m->terms, cru_reshape(t, c, cru_1d(m->terms)));
    return s->head ? cru_mlp_apply(t, &m->head, cru_activate(t, act, z)) : z;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "bernnet",
    .version = "1.0",
    .summary = "predict, then a learned non-negative Bernstein filter",
    .citation = "He, Wei, Huang, Xu. BernNet: Learning Arbitrary Graph Spectral Filters via Bernstein Approximation. "
                "NeurIPS 2021.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .categories = "spectral filter",
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
