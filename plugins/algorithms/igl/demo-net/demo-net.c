// SPDX-License-Identifier: Apache-2.0
/* demo-net: what a node hears from its neighbours goes through weights of its own degree.
 *
 *     n_v = mean over in-neighbours u of (x_u W_d(v) + x_u W_g)      x_v W_g for a node without neighbours
 *     y_v = Drop(x_v W_s) + Drop(n_v) + b
 *
 * with ELU after every layer but the last; d(v) counts neighbours without the node itself. The mean of x_u is taken
 * before the product with W_d, which costs one product for every node and changes rounding only.
 *
 * Wu, He, Xu. DEMO-Net: Degree-specific Graph Neural Networks for Node and Graph Classification. KDD 2019. Its variant
 * with weights, not that with hashing. */
#include <stdio.h>

#include <crucible/crucible.h>

typedef struct settings {
    int64_t hidden, layers;
    double dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_WIDTH(settings, hidden, 64, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_INT(settings, layers, 2, 0, CRU_MAX_LAYERS - 1, "hidden layers, before that of the classes",
            .search = CRU_ONE_OF(1, 2, 3)),
    CRU_FLOAT(settings, dropout, 0.1, 0, 0.99, "of both parts of a layer",
              .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.005, 5e-4),
    CRU_END,
};

typedef struct layer {
    cru_tensor *shared, *own, *bias;
    cru_tensor **degree; /* one per group */
} layer;

typedef struct model {
    cru_sparse *mean;   /* over in-neighbours; of a node without any: itself */
    int64_t groups;     /* of nodes by degree, ascending, */
    int64_t *degree;    /* theirs, */
    int64_t *first;     /* and where each begins among all nodes in that order */
    cru_index order;    /* the nodes, those of one degree ascending; */
    cru_index place;    /* where each stands */
    cru_tensor *around; /* the mean features in that order, or, */
    cru_input *sparse;  /* where features are, those of each group */
    layer layer[CRU_MAX_LAYERS];
} model;

static const int32_t *group(cru_learner *l, model *m, const cru_csr *g)
{
    const int64_t n = g->rows;
    int64_t *start = cru_ctx_alloc(l->ctx, n + 2, sizeof *start);
    int32_t *order = cru_ctx_alloc(l->ctx, n, sizeof *order), *place = cru_ctx_alloc(l->ctx, n, sizeof *place);
    for (int64_t v = 0; v < n; v++) start[g->offsets[v + 1] - g->offsets[v] + 1]++;
    for (int64_t d = 0; d < n; d++) m->groups += start[d + 1] > 0;
    m->degree = cru_ctx_alloc(l->ctx, m->groups, sizeof *m->degree);
    m->first = cru_ctx_alloc(l->ctx, m->groups + 1, sizeof *m->first);
    for (int64_t d = 0, i = 0; d < n; d++) {
        if (start[d + 1]) {
            m->degree[i] = d;
            m->first[++i] = start[d] + start[d + 1];
        }
        start[d + 1] += start[d];
    }
    for (int64_t v = 0; v < n; v++) {
        const int64_t at = start[g->offsets[v + 1] - g->offsets[v]]++;
        order[at] = (int32_t)v;
        place[v] = (int32_t)at;
    }
    m->order = cru_index_create(l->ctx, order, n);
    m->place = cru_index_create(l->ctx, place, n);
    return order;
}

static void build_layer(cru_learner *l, model *m, int64_t i, int64_t in, int64_t out)
{
    const cru_init draw = {.kind = CRU_INIT_GLOROT_UNIFORM};
    char name[64];
    layer *y = &m->layer[i];
    snprintf(name, sizeof name, "layer%d.shared", (int)i);
    y->shared = cru_net_weight(l->net, name, cru_2d(in, out), draw);
    snprintf(name, sizeof name, "layer%d.own", (int)i);
    y->own = cru_net_weight(l->net, name, cru_2d(in, out), draw);
    snprintf(name, sizeof name, "layer%d.bias", (int)i);
    y->bias = cru_net_weight(l->net, name, cru_1d(out), (cru_init){.kind = CRU_INIT_ZEROS});
    y->degree = cru_ctx_alloc(l->ctx, m->groups, sizeof *y->degree);
    for (int64_t k = 0; k < m->groups; k++) {
        snprintf(name, sizeof name, "layer%d.degree%lld", (int)i, (long long)m->degree[k]);
        if (m->degree[k]) y->degree[k] = cru_net_weight(l->net, name, cru_2d(in, out), draw);
    }
}

static void look_around(cru_learner *l, model *m, const cru_csr *mean, const int32_t *order)
{
    const cru_pool pool = cru_ctx_pool(l->ctx);
    if (l->x.dense) {
        cru_tape_begin(l->tape, CRU_EVAL);
        m->around = cru_tensor_kept(l->tape, cru_gather(l->tape, cru_spmm(l->tape, m->mean, l->x.dense), m->order));
        return;
    }
    const cru_csr around = cru_csr_product(pool, mean, &l->x.sparse->csr);
    m->sparse = cru_ctx_alloc(l->ctx, m->groups, sizeof *m->sparse);
    for (int64_t k = 0; k < m->groups; k++) {
        const int64_t count = m->first[k + 1] - m->first[k];
        const cru_csr rows = cru_csr_rows(pool, &around, order + m->first[k], count);
        m->sparse[k] = (cru_input){.rows = count, .cols = l->x.cols, .sparse = cru_sparse_create(l->ctx, &rows)};
    }
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr plain = cru_graph_loops(pool, &l->task->graph, CRU_LOOPS_REMOVE), g = cru_csr_pattern(&plain);
    cru_coo alone = {.rows = g.rows, .cols = g.cols};
    int32_t *ids = cru_ctx_alloc(l->ctx, g.rows, sizeof *ids);
    const int32_t *order = group(l, m, &g);
    for (int32_t v = 0; v < g.rows; v++)
        if (g.offsets[v] == g.offsets[v + 1]) ids[alone.count++] = v;
    alone.row = alone.col = ids;
    const cru_csr fed = cru_graph_append(pool, &g, &alone, CRU_DUP_FIRST);
    const cru_csr mean = cru_graph_normalise(pool, &fed, CRU_NORM_ROW);
    m->mean = cru_sparse_create(l->ctx, &mean);
    look_around(l, m, &mean, order);
    for (int64_t i = 0; i <= s->layers; i++)
        build_layer(l, m, i, i ? s->hidden : l->x.cols, i < s->layers ? s->hidden : l->task->classes);
}

/* mean x_u W_d(v), group by group; `around` holds the means in the groups' order, NULL: sparse ones */
static cru_tensor *by_degree(cru_tape *t, const model *m, const layer *y, cru_tensor *around)
{
    cru_tensor **part = cru_tape_alloc(t, m->groups, sizeof(cru_tensor *));
    for (int64_t k = 0; k < m->groups; k++) {
        const cru_input rows =
            around ? cru_input_of(cru_slice_rows(t, around, m->first[k], m->first[k + 1])) : m->sparse[k];
        part[k] = y->degree[k] ? cru_input_linear(t, &rows, y->degree[k], NULL)
                               : cru_tensor_filled(t, cru_2d(rows.rows, cru_tensor_cols(y->own)), 0);
    }
    return cru_gather(t, cru_concat_rows(t, part, m->groups), m->place);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_input x = l->x;
    cru_tensor *h = NULL, *around = m->around;
    for (int64_t i = 0; i <= s->layers; i++) {
        const layer *y = &m->layer[i];
        cru_tensor *special = by_degree(t, m, y, around);
        cru_tensor *heard = cru_add(t, special, cru_spmm(t, m->mean, cru_input_linear(t, &x, y->shared, NULL)));
        cru_tensor *own = cru_dropout(t, cru_input_linear(t, &x, y->own, NULL), s->dropout);
        h = cru_add(t, cru_add(t, own, cru_dropout(t, heard, s->dropout)), y->bias);
        if (i == s->layers) break;
        h = cru_represent(t, cru_elu(t, h, 1));
        x = cru_input_of(h);
        around = cru_gather(t, cru_spmm(t, m->mean, h), m->order);
    }
    return h;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "demo-net",
    .version = "1.0",
    .summary = "weights of their own for nodes of every degree",
    .citation = "Wu, He, Xu. DEMO-Net: Degree-specific Graph Neural Networks for Node and Graph Classification. KDD "
                "2019.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
