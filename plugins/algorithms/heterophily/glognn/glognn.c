// SPDX-License-Identifier: Apache-2.0
/* glognn: every node aggregates from all others with signed coefficients that solve a least-squares problem in closed
 * form.
 *
 *     E = ReLU(delta (X W_1 + b_1) + (1 - delta) (Â W_3 + b_3))      H_0 = Drop(E) W_2 + b_2
 *     H <- k Z H + gamma H_0, `rounds` times from H = H_0      k = 1 - gamma
 *     Z = [k H H' + beta sum_i w_i Â^i - gamma k H_0 H'] [k^2 H H' + (alpha + beta) I]^-1      i = 1 .. orders
 *
 * By Woodbury's identity, with c = 1 / (alpha + beta), M = H' H and Q = (k^-2 I + c M)^-1, all classes x classes:
 *
 *     R = k c H - k c^2 H Q M = c / k H Q      T = H' R      H <- k H T + beta S - gamma k H_0 T + gamma H_0
 *     S = sum_i w_i Â^i R      orders_func 2: w_i = 1 / orders      1: w_i = 1 and R itself besides
 *                              3: node v weighs by row v of ReLU(H B_1) B_2
 *
 * (c / k H Q is the same as what stands before it and does not cancel.) GloGNN++ is diagonal = yes: R is multiplied by
 * diag(w) from the right and T by diag(w) from the left, w = 1 / classes. Row v of Â holds the nodes that v points to.
 *
 * Li, Zhu, Cheng, Shan, Luo, Li, Qian. Finding Global Homophily in Graph Neural Networks When Meeting Heterophily.
 * ICML 2022. */

#include "outgoing.h"

typedef struct settings {
    int64_t rounds, orders, orders_func, hidden, layers;
    double alpha, beta, gamma, delta, dropout;
    bool diagonal, learn_diagonal, learn_orders;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, alpha, 0, 0, CRU_NO_MAX, "weight of the size of Z", .search = CRU_ONE_OF(0, 1, 10)),
    CRU_FLOAT(settings, beta, 1, 0, CRU_NO_MAX, "how near Z is to the graph; alpha + beta > 0",
              .search = CRU_ONE_OF(0.1, 1, 10, 1000)),
    CRU_FLOAT(settings, gamma, 0, 0, 0.999, "share of H_0 in every round",
              .search = CRU_ONE_OF(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)),
    CRU_FLOAT(settings, delta, 0, 0, 1, "share of the features against the adjacency",
              .search = CRU_ONE_OF(0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)),
    CRU_INT(settings, rounds, 1, 1, 100, "updates of H", .search = CRU_ONE_OF(1, 2, 3)),
    CRU_INT(settings, orders, 1, 1, CRU_MAX_LAYERS, "longest hop of the graph in Z",
            .search = CRU_ONE_OF(1, 2, 3, 4, 5, 6)),
    CRU_INT(settings, orders_func, 2, 1, 3, "how hops are weighed: 1 sum, 2 mean, 3 by a perceptron for every node"),
    CRU_BOOL(settings, learn_orders, false, "orders_func = 2: train w_i"),
    CRU_BOOL(settings, diagonal, false, "a diagonal weight on dimensions: GloGNN++"),
    CRU_BOOL(settings, learn_diagonal, false, "train it, as the paper does; the study's code does not"),
    CRU_INT(settings, layers, 2, 2, 3, "linear layers up to H_0; 3 is the authors' version for large graphs"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width between them"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "after each activation", .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_FILL, CRU_NORM_SYM),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.01, 1e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_sparse *adj;
    cru_input rows;                   /* the same, as features */
    cru_fc fc1, fc2, fc3, fc4;        /* fc1 only for delta > 0, fc3 for delta < 1, fc4 for three layers */
    cru_tensor *orders, *diagonal;    /* w_i; w of GloGNN++ or NULL */
    cru_tensor *order_in, *order_out; /* B_1, B_2 */
    cru_tensor *ridge;                /* k^-2 I */
} model;

/* A weight that is trained, or a constant. */
static cru_tensor *weight(cru_learner *l, const char *name, int64_t n, double value, bool learn)
{
    if (!learn) return cru_tensor_create_filled(l->ctx, cru_1d(n), value);
    return cru_net_weight(l->net, name, cru_1d(n), (cru_init){.kind = CRU_INIT_CONSTANT, .a = value});
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t n = l->x.rows, classes = l->task->classes;
    const double k = 1 - s->gamma;
    if (s->alpha + s->beta <= 0) cru_ctx_fail(l->ctx, CRU_BAD_INPUT, "alpha + beta must be positive");
    const cru_csr graph = outgoing_graph(l), adj = cru_adjacency_graph(l->ctx, &graph, &s->adjacency);
    m->adj = cru_sparse_create(l->ctx, &adj);
    m->rows = (cru_input){.rows = n, .cols = n, .sparse = m->adj};
    if (s->delta > 0) m->fc1 = cru_fc_create(l->net, "fc1", l->x.cols, s->hidden);
    if (s->delta < 1) m->fc3 = cru_fc_create(l->net, "fc3", n, s->hidden);
    if (s->layers == 3) m->fc4 = cru_fc_create(l->net, "fc4", s->hidden, s->hidden);
    m->fc2 = cru_fc_create(l->net, "fc2", s->hidden, classes);
    const bool mean = s->orders_func == 2;
    m->orders = weight(l, "orders", s->orders, mean ? 1 / (double)s->orders : 1, mean && s->learn_orders);
    if (s->diagonal) m->diagonal = weight(l, "diagonal", classes, 1 / (double)classes, s->learn_diagonal);
    if (s->orders_func == 3) { /* sqrt(2 / rows): what PyTorch calls the fan-out of such a matrix */
        const cru_init kaiming = {.kind = CRU_INIT_KAIMING_NORMAL};
        m->order_in = cru_net_weight(l->net, "order_in", cru_2d(classes, s->orders), kaiming);
        m->order_out = cru_net_weight(l->net, "order_out", cru_2d(s->orders, s->orders), kaiming);
    }
    float *ridge = cru_ctx_alloc(l->ctx, classes * classes, sizeof *ridge);
    for (int64_t i = 0; i < classes; i++) ridge[i * classes + i] = (float)(1 / (k * k));
    m->ridge = cru_tensor_from(l->ctx, cru_2d(classes, classes), ridge);
}

/* S of H and R */
static cru_tensor *hops(const model *m, const settings *s, cru_tape *t, cru_tensor *h, cru_tensor *r)
{
    cru_tensor *hop[CRU_MAX_LAYERS], *sum = NULL;
    for (int64_t i = 0; i < s->orders; i++) hop[i] = cru_spmm(t, m->adj, i ? hop[i - 1] : r);
    if (s->orders_func < 3) {
        sum = cru_mix(t, hop, s->orders, m->orders);
        return s->orders_func == 1 ? cru_add(t, sum, r) : sum;
    }
    cru_tensor *o = cru_matmul(t, cru_relu(t, cru_matmul(t, h, m->order_in)), m->order_out);
    for (int64_t i = 0; i < s->orders; i++) {
        cru_tensor *weighed = cru_mul(t, hop[i], cru_slice_cols(t, o, i, i + 1));
        sum = sum ? cru_add(t, sum, weighed) : weighed;
    }
    return sum;
}

/* One round */
static cru_tensor *aggregate(const model *m, const settings *s, cru_tape *t, cru_tensor *h, cru_tensor *h0)
{
    const double k = 1 - s->gamma, c = 1 / (s->alpha + s->beta);
    cru_tensor *gram = cru_matmul_op(t, h, h, CRU_TN);
    cru_tensor *q = cru_inverted(t, cru_plus(t, m->ridge, c, gram));
    cru_tensor *r = cru_scale(t, cru_matmul(t, h, q), c / k);
    if (m->diagonal) r = cru_mul(t, r, m->diagonal);
    cru_tensor *tt = cru_matmul_op(t, h, r, CRU_TN);
    if (m->diagonal) tt = cru_mul(t, tt, cru_as_matrix(t, m->diagonal, -1, 1));
    cru_tensor *own = cru_plus(t, h, -s->gamma, h0); /* k H T - gamma k H_0 T = k (H - gamma H_0) T */
    cru_tensor *next = cru_scale(t, cru_matmul(t, own, tt), k);
    next = cru_plus(t, next, s->beta, hops(m, s, t, h, r));
    return cru_plus(t, next, s->gamma, h0);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *e = NULL;
    if (m->fc1.w) e = cru_plus(t, NULL, s->delta, cru_fc_input(t, &m->fc1, &l->x));
    if (m->fc3.w) e = cru_plus(t, e, 1 - s->delta, cru_fc_input(t, &m->fc3, &m->rows));
    e = cru_dropout(t, cru_relu(t, e), s->dropout);
    if (m->fc4.w) e = cru_dropout(t, cru_relu(t, cru_fc_apply(t, &m->fc4, e)), s->dropout);
    cru_tensor *h0 = cru_fc_apply(t, &m->fc2, cru_represent(t, e)), *h = h0;
    for (int64_t i = 0; i < s->rounds; i++) h = aggregate(m, s, t, h, h0);
    return h;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "glognn",
    .version = "1.0",
    .summary = "aggregate from all nodes with coefficients in closed form",
    .citation = "Li, Zhu, Cheng, Shan, Luo, Li, Qian. Finding Global Homophily in Graph Neural Networks When Meeting "
                "Heterophily. ICML 2022.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .categories = "global",
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
