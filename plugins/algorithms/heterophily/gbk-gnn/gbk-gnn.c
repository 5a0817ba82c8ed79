// SPDX-License-Identifier: Apache-2.0
/* gbk-gnn: two kernels, for like and for unlike neighbours, and a gate for every edge that is taught which to take.
 *
 *     sigma_vu = sigmoid(LeakyReLU(x_u W_g a_l + x_v W_g a_r)) for every edge u -> v, slope 0.2
 *     p_v = mean_u sigma_vu x_u      q_v = mean_u (1 - sigma_vu) x_v
 *     y_v = [p_v W_p + b_p | q_v W_n + b_n] + x_v W_r      an odd width: the sum of the two halves, each as wide
 *     logits = layer_2(Drop(ReLU(layer_1(X))))
 *     loss   = CE + lambda sum_layers mean -log softmax([1 - sigma, sigma])_s over edges with both ends in training
 *
 * s = 1 where the ends have the same label. In the study's code s = 1 where neither label is class 0 (edge_label =
 * nonzero-ids). The paper's q takes the neighbour's x_u (negative_source = neighbour).
 *
 * p W_p is computed as mean sigma (x W_p), so that no edge holds more than a number.
 *
 * Du, Shi, Fu, Ma, Liu, Han, Zhang. GBK-GNN: Gated Bi-Kernel Graph Neural Networks for Modeling Both Homophily and
 * Heterophily. WWW 2022. */
#include <stdio.h>

#include <crucible/crucible.h>

enum { LAYERS = 2 };

typedef enum edge_label { SAME_CLASS, NONZERO_IDS } edge_label;
static const char *const edge_labels[] = {"same-class", "nonzero-ids", NULL};
typedef enum negative_source { SELF, NEIGHBOUR } negative_source;
static const char *const negative_sources[] = {"self", "neighbour", NULL};

typedef struct settings {
    int64_t hidden, edge_label, negative_source;
    double lambda, dropout;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, lambda, 30, 0, CRU_NO_MAX, "weight of what the gates are taught"),
    CRU_CHOICE(settings, edge_label, SAME_CLASS, edge_labels, "what they are taught"),
    CRU_CHOICE(settings, negative_source, SELF, negative_sources, "whose features the second kernel sees"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "between the layers"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_KEEP, CRU_NORM_ROW),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.01, 5e-7),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct layer {
    cru_tensor *gate, *left, *right, *own; /* W_g, a_l, a_r, W_r */
    cru_fc like, unlike;                   /* W_p, b_p, W_n, b_n */
    bool halves;
} layer;

typedef struct model {
    layer layer[LAYERS];
    cru_tensor *mean;  /* 1 / in-degree, E */
    cru_index taught;  /* edges between training nodes */
    cru_tensor *signs; /* 1 where s = 1, -1 where s = 0 */
    cru_tensor *sigma[LAYERS];
} model;

static layer layer_create(cru_net *net, int number, int64_t in, int64_t out)
{
    const cru_init glorot = {.kind = CRU_INIT_GLOROT_UNIFORM}, fan_in = {.kind = CRU_INIT_FAN_IN, .fan_in = in};
    const bool halves = out % 2 == 0;
    const int64_t width = halves ? out / 2 : out;
    char name[5][24];
    static const char *const parts[] = {"gate", "left", "right", "like", "unlike"};
    for (int i = 0; i < 5; i++) snprintf(name[i], sizeof name[i], "layer%d.%s", number, parts[i]);
    layer y = {.halves = halves};
    y.gate = cru_net_weight(net, name[0], cru_2d(in, out), glorot);
    y.left = cru_net_weight(net, name[1], cru_2d(out, 1), glorot);
    y.right = cru_net_weight(net, name[2], cru_2d(out, 1), glorot);
    y.like = cru_fc_create_with(net, name[3], in, width, glorot, &fan_in);
    y.unlike = cru_fc_create_with(net, name[4], in, width, glorot, &fan_in);
    snprintf(name[0], sizeof name[0], "layer%d.own", number);
    y.own = cru_net_weight(net, name[0], cru_2d(in, out), fan_in);
    return y;
}

/* The edges whose ends are both in training, and what their gates are taught. */
static void find_taught(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_csr *a = &l->adj->csr;
    const int64_t edges = cru_csr_nnz(a);
    uint8_t *train = cru_ctx_alloc(l->ctx, a->rows, 1);
    int32_t *ids = cru_ctx_alloc(l->ctx, edges, sizeof *ids);
    float *signs = cru_ctx_alloc(l->ctx, edges, sizeof *signs);
    int64_t count = 0;
    for (int64_t i = 0; i < task->split.train.count; i++) train[task->split.train.ids[i]] = 1;
    for (int64_t v = 0; v < a->rows; v++) {
        for (int64_t e = a->offsets[v]; e < a->offsets[v + 1]; e++) {
            const int32_t u = a->ids[e], y = task->labels[v], z = task->labels[u];
            if (!train[v] || !train[u]) continue;
            signs[count] = (s->edge_label == SAME_CLASS ? y == z : y && z) ? 1 : -1;
            ids[count++] = (int32_t)e;
        }
    }
    m->taught = cru_index_create(l->ctx, ids, count);
    if (count) m->signs = cru_tensor_from(l->ctx, cru_2d(count, 1), signs);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    if (cru_csr_nnz(&l->adj->csr) > INT32_MAX) {
        cru_learner_refuse(l, "more than %d edges", INT32_MAX);
        return;
    }
    m->layer[0] = layer_create(l->net, 0, l->x.cols, s->hidden);
    m->layer[1] = layer_create(l->net, 1, s->hidden, l->task->classes);
    m->mean = cru_sparse_values(l->adj);
    find_taught(l, m);
}

static cru_tensor *gated(cru_learner *l, model *m, cru_tape *t, int number, const cru_input *x)
{
    const settings *s = l->settings;
    const layer *y = &m->layer[number];
    cru_tensor *from = cru_input_linear(t, x, cru_matmul(t, y->gate, y->left), NULL);
    cru_tensor *to = cru_input_linear(t, x, cru_matmul(t, y->gate, y->right), NULL);
    cru_tensor *sigma = cru_sigmoid(t, cru_leaky_relu(t, cru_edge_add(t, l->adj, to, from), 0.2)); /* E x 1 */
    m->sigma[number] = sigma;
    cru_tensor *like = cru_mul(t, cru_reshape(t, sigma, cru_shape_of(m->mean)), m->mean);
    cru_tensor *unlike = cru_sub(t, m->mean, like); /* (1 - sigma) / degree */
    cru_tensor *half[2];
    half[0] = cru_spmm_weighted(t, l->adj, like, cru_input_linear(t, x, y->like.w, NULL));
    half[1] = cru_input_linear(t, x, y->unlike.w, NULL);
    if (s->negative_source == NEIGHBOUR)
        half[1] = cru_spmm_weighted(t, l->adj, unlike, half[1]);
    else
        half[1] = cru_mul(t, half[1], cru_edge_sum(t, l->adj, cru_as_matrix(t, unlike, -1, 1)));
    half[0] = cru_add(t, half[0], y->like.b);
    half[1] = cru_add(t, half[1], y->unlike.b);
    cru_tensor *both = y->halves ? cru_concat_cols(t, half, 2) : cru_add(t, half[0], half[1]);
    return cru_add(t, both, cru_input_linear(t, x, y->own, NULL));
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_input h = cru_input_of(cru_dropout(t, cru_relu(t, gated(l, m, t, 0, &l->x)), s->dropout));
    cru_represent(t, h.dense);
    return gated(l, m, t, 1, &h);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *sum = cru_learner_loss(l, t, z);
    if (!m->taught.count) return sum;  /* the study's code would give NaN */
    for (int i = 0; i < LAYERS; i++) { /* log(1 + exp(+-(1 - 2 sigma))) */
        cru_tensor *margin = cru_affine(t, cru_gather(t, m->sigma[i], m->taught), -2, 1);
        sum = cru_plus(t, sum, s->lambda, cru_mean(t, cru_softplus(t, cru_mul(t, margin, m->signs)), CRU_ALL));
    }
    return sum;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .loss = loss, .labelled = true,
               .adjacency = CRU_AT(settings, adjacency)),
    .name = "gbk-gnn",
    .version = "1.0",
    .summary = "two kernels and an edge gate taught by the labels",
    .citation = "Du, Shi, Fu, Ma, Liu, Han, Zhang. GBK-GNN: Gated Bi-Kernel Graph Neural Networks for Modeling Both "
                "Homophily and Heterophily. WWW 2022.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .categories = "gated",
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
