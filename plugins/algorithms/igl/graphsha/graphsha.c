// SPDX-License-Identifier: Apache-2.0
/* graphsha: hard nodes for small classes, almost like a confusing node of another class, with the source's neighbours.
 *
 *     logits = A Drop(ReLU(A X W_0 + b_0)) W_1 + b_1      A: mean over in-neighbours and the node itself
 *     (head = true: the network of graphens, in which both convolutions have ReLU and a linear layer follows;
 *     or another `backbone` of two layers, encoder.h, and a linear layer, on the graph with the new nodes)
 *     pairs (source, partner) by the last epoch's q = softmax(logits / tau): hard-sampling.h, up to the mean class size
 *     x = lambda x_source + (1 - lambda) x_partner, lambda from Beta(1, beta)
 *     neighbours: as many as a random node has, at most those of the source, drawn from the source's row of a diffusion
 *     loss = mean CE over training and new nodes
 *
 * New nodes hear from others and from themselves, no other node hears from them. Diffusion: PageRank with restart 0.05
 * (ppr) of which every column keeps its 128 largest, or heat exp(-5 (I - S)) from 1e-4 on (hk), columns divided by
 * their sums; none: the source's neighbours alike. Where a row has too few entries, the others are any nodes.
 *
 * In the first `warmup` + 1 epochs classes are filled to the largest with uniform sources, partners of weight ln(n)/n,
 * lambda from Beta(2, 2) and the source's own neighbours, as in graphens. The learning rate halves when the validation
 * loss has not improved for `plateau` epochs; the last layer has no weight decay.
 *
 * Li, Wang, Xiong, Lai. GraphSHA: Synthesizing Harder Samples for Class-Imbalanced Node Classification. KDD 2023. */
#include <math.h>

#include <crucible/draft/diffusion.h>

#include "added-nodes.h"
#include "hard-sampling.h"
#include "val-plateau.h"

enum { PPR, HEAT, NONE };
static const char *const diffusions[] = {"ppr", "hk", "none", NULL};

typedef struct settings {
    layer_choice network;
    int64_t hidden, warmup, diffusion, plateau;
    double dropout, tau, beta;
    bool largest, head;
    cru_train train;
} settings;

static const cru_param schema[] = {
    ENCODER_CHOICE(settings, network),
    CRU_WIDTH(settings, hidden, 64, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_DROPOUT(settings, dropout, 0.5),
    CRU_INT(settings, warmup, 5, 0, 1e9, "last epoch, from 0, without predictions to sample by"),
    CRU_FLOAT(settings, tau, 2, 1e-3, 1e3, "temperature of the predictions"),
    CRU_FLOAT(settings, beta, 100, 1e-3, 1e6, "of Beta(1, beta), from which the source's share is drawn",
              .search = CRU_ONE_OF(100, 10)),
    CRU_BOOL(settings, largest, false, "fill classes to the largest size instead of the mean"),
    CRU_BOOL(settings, head, false, "of gcn: a linear layer after the convolutions, as in graphens"),
    CRU_CHOICE(settings, diffusion, PPR, diffusions, "where neighbours come from"),
    CRU_INT(settings, plateau, 100, 0, 1e9, "epochs without a better validation loss before the rate halves"),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    cru_sparse *adj;
    cru_csr out_edges, reach; /* row of a node: where it points to; whom a new node of it may hear */
    cru_gcn conv[2];          /* or, with another backbone, */
    cru_encoder encoder;      /* these layers, */
    cru_fc classifier;        /* and this, which head = true has, too */
    val_plateau plateau;
    hard_classes classes;
    double *partner_weights, *scratch;
    float *q; /* training nodes x classes: the last epoch's */
} model;

typedef struct added {
    added_nodes nodes;
    hard_pair *pairs;
} added;

static void count_classes(cru_learner *l, model *m)
{
    const cru_task *task = l->task;
    const cru_ids train = task->split.train;
    const cru_ids *places = hard_places(l->ctx, task);
    m->partner_weights = added_partner_weights(l->ctx, task);
    m->scratch = cru_ctx_alloc(l->ctx, train.count + task->classes, sizeof *m->scratch);
    m->q = cru_ctx_alloc(l->ctx, train.count * task->classes, sizeof *m->q);
    m->classes = (hard_classes){places, task->classes, m->q};
}

static cru_csr diffuse(cru_learner *l)
{
    const settings *s = l->settings;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    if (s->diffusion == NONE) return l->task->graph;
    const cru_csr adj = cru_graph_gcn(pool, &l->task->graph, CRU_LOOPS_FILL);
    return cru_graph_diffuse(pool, &adj,
                             &(cru_diffusion){.heat = s->diffusion == HEAT,
                                              .restart = 0.05,
                                              .time = 5,
                                              .top_k = s->diffusion == HEAT ? 0 : 128,
                                              .threshold = s->diffusion == HEAT ? 1e-4 : 0});
}

static void build_network(cru_learner *l, model *m, cru_net *head)
{
    const settings *s = l->settings;
    if (layer_choice_is_gcn(&s->network)) {
        m->conv[0] = cru_gcn_create(l->net, "conv0", l->x.cols, s->hidden);
        m->conv[1] = s->head ? cru_gcn_create(l->net, "conv1", s->hidden, s->hidden)
                             : cru_gcn_create(head, "conv1", s->hidden, l->task->classes);
        if (!s->head) return;
    } else {
        m->encoder = added_encoder(l, &s->network, s->hidden, 2);
    }
    m->classifier = cru_fc_create(head, "classifier", s->hidden, l->task->classes);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    cru_net *head = cru_learner_net(l, "head");
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->adj = cru_adjacency_create(l->ctx, &task->graph, &(cru_adjacency){CRU_LOOPS_FILL, CRU_NORM_ROW});
    m->out_edges = cru_csr_transpose(cru_ctx_pool(l->ctx), &task->graph, NULL);
    m->reach = diffuse(l);
    build_network(l, m, head);
    l->optim = cru_learner_optim(l, &l->net, 1);
    cru_optim_add(l->optim, head, &(cru_optim_group){.own_decay = true});
    m->plateau = val_plateau_create(l, s->plateau);
    count_classes(l, m);
}

static added draw_pairs(cru_learner *l, model *m, cru_tape *t, bool warm)
{
    const settings *s = l->settings;
    const cru_ids train = l->task->split.train;
    double target = (double)train.count / (double)l->task->classes;
    for (int32_t c = 0; (warm || s->largest) && c < l->task->classes; c++)
        target = fmax(target, (double)m->classes.places[c].count);
    added a = {0};
    for (int32_t c = 0; c < l->task->classes; c++) a.nodes.count += hard_missing(&m->classes, c, target);
    a.pairs = cru_tape_alloc(t, a.nodes.count, sizeof *a.pairs);
    a.nodes.labels = cru_tape_alloc(t, a.nodes.count, sizeof *a.nodes.labels);
    if (warm)
        plain_pairs(&m->classes, target, m->partner_weights, train.count, &m->rng, a.pairs);
    else
        hard_pairs(&m->classes, target, hard_draw_one, &m->rng, m->scratch, a.pairs);
    for (int64_t i = 0; i < a.nodes.count; i++) a.nodes.labels[i] = a.pairs[i].label;
    return a;
}

/* What the drawing of neighbours needs. */
typedef struct drawing {
    const cru_csr *g;
    model *m;
    const int32_t *sources;
} drawing;

static int64_t draw_neighbours(void *user, cru_tape *t, int64_t i, int64_t most, int32_t *ids)
{
    const drawing *d = user;
    const int64_t v = cru_rng_below(&d->m->rng, d->g->rows), drawn = d->g->offsets[v + 1] - d->g->offsets[v];
    const int64_t count = drawn < most ? drawn : most;
    hard_neighbours(t, &d->m->reach, d->sources[i], &d->m->rng, count, ids);
    return count;
}

static void link_nodes(cru_learner *l, model *m, cru_tape *t, added *a, bool warm)
{
    int32_t *sources = cru_tape_alloc(t, a->nodes.count, sizeof *sources);
    for (int64_t i = 0; i < a->nodes.count; i++) sources[i] = l->task->split.train.ids[a->pairs[i].source];
    added_link(t, &a->nodes, warm ? &m->out_edges : &l->task->graph, sources, warm ? NULL : draw_neighbours,
               &(drawing){&l->task->graph, m, sources});
}

static void mix_features(cru_learner *l, model *m, cru_tape *t, added *a, bool warm)
{
    const settings *s = l->settings;
    const int32_t *train = l->task->split.train.ids;
    float *share = cru_tape_alloc(t, a->nodes.count, sizeof *share);
    int32_t *source = cru_tape_alloc(t, a->nodes.count, sizeof *source),
            *partner = cru_tape_alloc(t, a->nodes.count, sizeof *partner);
    for (int64_t i = 0; i < a->nodes.count; i++) {
        share[i] = (float)(warm ? cru_rng_beta(&m->rng, 2, 2) : cru_rng_beta(&m->rng, 1, s->beta));
        source[i] = train[a->pairs[i].source];
        partner[i] = train[a->pairs[i].partner];
    }
    const cru_input from = cru_input_rows(t, &l->x, cru_index_step(t, source, a->nodes.count));
    const cru_input to = cru_input_rows(t, &l->x, cru_index_step(t, partner, a->nodes.count));
    cru_tensor *x = cru_input_dense(t, &from), *y = cru_input_dense(t, &to);
    cru_tensor *lambda = cru_tensor_upload(t, cru_2d(a->nodes.count, 1), share);
    a->nodes.x = cru_add(t, y, cru_mul(t, lambda, cru_sub(t, x, y)));
}

/* Logits of all nodes and after them of the new ones, if any. */
static cru_tensor *forward(cru_learner *l, model *m, cru_tape *t, const added_nodes *a)
{
    const settings *s = l->settings;
    if (m->encoder.layers)
        return cru_fc_apply(t, &m->classifier, cru_dropout(t, added_encode(l, t, &m->encoder, a, NULL), s->dropout));
    cru_tensor *both[2] = {NULL, a ? a->x : NULL};
    for (int i = 0; i < 2; i++) {
        const cru_gcn *layer = &m->conv[i];
        const bool dropped = i == (s->head ? 1 : 0);
        if (i && !s->head) cru_represent(t, both[0]);
        cru_tensor *x = i ? cru_matmul(t, both[0], layer->w) : cru_input_linear(t, &l->x, layer->w, NULL);
        added_convolve(t, a, m->adj, layer, x, both);
        for (int k = 0; (!i || s->head) && k < (a ? 2 : 1); k++)
            both[k] = cru_dropout(t, cru_relu(t, both[k]), dropped ? s->dropout : 0);
    }
    cru_tensor *h = a ? cru_concat_rows(t, both, 2) : both[0];
    return s->head ? cru_fc_apply(t, &m->classifier, cru_represent(t, h)) : h;
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    return forward(l, self, t, NULL);
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    const bool warm = l->epoch <= s->warmup;
    cru_tape_begin(t, CRU_TRAIN);
    added a = draw_pairs(l, m, t, warm);
    if (a.nodes.count) {
        link_nodes(l, m, t, &a, warm);
        mix_features(l, m, t, &a, warm);
    }
    cru_tensor *z = forward(l, m, t, a.nodes.count ? &a.nodes : NULL);
    cru_tensor *real = cru_gather(t, cru_detach(t, z), l->train_rows);
    cru_tensor_download(t, cru_softmax(t, cru_scale(t, real, 1 / s->tau), 1), m->q);
    const double loss = cru_learner_step(l, l->optim, added_loss(l, t, z, a.nodes.labels, a.nodes.count));
    val_plateau_step(l, &m->plateau, t);
    return loss;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .widen = cru_weights_only, .state = cru_no_state),
    .name = "graphsha",
    .version = "1.0",
    .summary = "hard nodes for small classes, near confusing nodes of others",
    .citation = "Li, Wang, Xiong, Lai. GraphSHA: Synthesizing Harder Samples for Class-Imbalanced Node Classification. "
                "KDD 2023.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
