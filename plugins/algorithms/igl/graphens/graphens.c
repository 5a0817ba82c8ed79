// SPDX-License-Identifier: Apache-2.0
/* graphens: minority classes grow to the size of the largest by whole ego networks, made anew in every epoch.
 *
 * A new node i of class c has a source s, drawn from the training nodes of c, and a partner d, drawn from all training
 * nodes with weights ln(n_y) / n_y for a node of class y. With lambda_i from Beta(2, 2),
 *
 *     x_i = lambda_i x_s + (1 - lambda_i) x_d      but x_s where the last epoch's |dL/dx_d| points to the features
 *     neighbours: drawn from r_1 N(s) + r_2 N(d)   as many as a random node has, at most those of s
 *
 * r and the number of protected features come from the divergence of the two nodes' smoothed predictions in the last
 * epoch (ego-mixing.h). In the first `warmup` epochs the new node has all neighbours of s and no feature is protected.
 * New nodes hear from others and from themselves, but no other node hears from them. The network:
 *
 *     H_l = ReLU(A H_l-1 W_l + b_l)      A: mean over in-neighbours and the node itself      logits = Drop(H_L) W + b
 *
 * or another `backbone` (encoder.h) on the graph with the new nodes. The loss is the mean cross-entropy over training
 * and new nodes. The learning rate halves when the validation loss has not improved for `plateau` epochs; the
 * classifier has no weight decay. With margins = true the logits in the loss have those of TAM (tam-margins.h) after
 * the warm-up.
 *
 * The reference adds 1e-12 to the share of every node before it draws neighbours; here only neighbours can be drawn.
 *
 * Park, Song, Yang. GraphENS: Neighbor-Aware Ego Network Synthesis for Class-Imbalanced Node Classification. ICLR
 * 2022. */
#include <math.h>

#include <crucible/draft/tensor.h>
#include <crucible/imbalance.h>

#include "added-nodes.h"
#include "ego-mixing.h"
#include "tam-margins.h"
#include "val-plateau.h"

typedef struct settings {
    layer_choice network;
    int64_t layers, hidden, warmup, plateau;
    double dropout, keep_prob, temperature;
    bool grow, margins;
    tam_rule rule;
    cru_train train;
} settings;

static const cru_param schema[] = {
    ENCODER_CHOICE(settings, network),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(1, 2, 3)),
    CRU_INT(settings, hidden, 64, 1, 65536, "their width", .search = CRU_ONE_OF(32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "before the classifier"),
    CRU_INT(settings, warmup, 5, 1, 1e9, "epochs without predictions to mix by", .search = CRU_ONE_OF(1, 5)),
    CRU_FLOAT(settings, keep_prob, 0.01, 0, 1, "share of the features that the source may protect"),
    CRU_FLOAT(settings, temperature, 2, 1e-3, 1e3, "of the predictions", .search = CRU_ONE_OF(1, 2)),
    CRU_INT(settings, plateau, 100, 0, 1e9, "epochs without a better validation loss before the rate halves"),
    CRU_BOOL(settings, grow, true, "add nodes; without, what is left is the network"),
    CRU_BOOL(settings, margins, false, "those of tam after the warm-up, on training and new nodes"),
    TAM_SETTINGS(settings, rule),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    cru_sparse *adj;
    cru_csr out_edges;
    cru_gcn_stack convs;
    cru_encoder encoder; /* layers > 0: in place of them */
    cru_fc classifier;
    val_plateau plateau;
    cru_ids *members;        /* training nodes of each class */
    int64_t largest;         /* how many the largest has */
    double *partner_weights; /* one per training node */
    float *predicted;        /* nodes x classes: the last epoch's */
    float *saliency;         /* training nodes x features: likewise */
    double *tau;             /* of the margins, one per class */
} model;

/* The new nodes of a step, and what each is made of. */
typedef struct added {
    added_nodes nodes;
    ego_pair *pairs;
    int32_t *places; /* of the partners in the training part */
} added;

static void count_classes(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    m->members = cru_class_members(cru_ctx_pool(l->ctx), task);
    m->partner_weights = added_partner_weights(l->ctx, task);
    for (int32_t c = 0; s->grow && c < task->classes; c++)
        if (m->members[c].count > m->largest) m->largest = m->members[c].count;
    m->tau = tam_sharpness(l->ctx, task, &s->rule);
}

static void build_network(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    if (layer_choice_is_gcn(&s->network)) {
        m->convs = cru_gcn_stack_create(
            l->net, "conv",
            &(cru_gcn_shape){
                .in = l->x.cols, .hidden = s->hidden, .out = s->hidden, .layers = s->layers, .draw = CRU_DRAW_GLOROT});
        return;
    }
    m->encoder = added_encoder(l, &s->network, s->hidden, s->layers);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    cru_ctx *ctx = l->ctx;
    cru_net *classifier = cru_learner_net(l, "classifier");
    m->rng = cru_ctx_stream(ctx, "sampling");
    m->adj = cru_adjacency_create(ctx, &task->graph, &(cru_adjacency){CRU_LOOPS_FILL, CRU_NORM_ROW});
    m->out_edges = cru_csr_transpose(cru_ctx_pool(ctx), &task->graph, NULL);
    build_network(l, m);
    m->classifier = cru_fc_create(classifier, "classifier", s->hidden, task->classes);
    l->optim = cru_learner_optim(l, &l->net, 1);
    cru_optim_add(l->optim, classifier, &(cru_optim_group){.own_decay = true});
    m->plateau = val_plateau_create(l, s->plateau);
    count_classes(l, m);
    m->predicted = cru_ctx_alloc(ctx, task->nodes * task->classes, sizeof *m->predicted);
    m->saliency = cru_ctx_alloc(ctx, task->split.train.count * task->x.cols, sizeof *m->saliency);
}

/* ---- new nodes ------------------------------------------------------------------------------------------- */

static added draw_pairs(cru_learner *l, model *m, cru_tape *t)
{
    const cru_task *task = l->task;
    const cru_ids train = task->split.train;
    added a = {0};
    for (int32_t c = 0; c < task->classes; c++)
        if (m->members[c].count && m->largest > m->members[c].count) a.nodes.count += m->largest - m->members[c].count;
    a.pairs = cru_tape_alloc(t, a.nodes.count, sizeof *a.pairs);
    a.places = cru_tape_alloc(t, a.nodes.count, sizeof *a.places);
    a.nodes.labels = cru_tape_alloc(t, a.nodes.count, sizeof *a.nodes.labels);
    cru_rng_weighted(&m->rng, m->partner_weights, train.count, a.nodes.count, true, a.places);
    for (int32_t c = 0, i = 0; c < task->classes; c++) {
        const cru_ids own = m->members[c];
        for (int64_t k = own.count; own.count && k < m->largest; k++, i++) {
            a.nodes.labels[i] = c;
            a.pairs[i] = (ego_pair){own.ids[cru_rng_below(&m->rng, own.count)], train.ids[a.places[i]], 0};
        }
    }
    return a;
}

static void link_nodes(cru_learner *l, model *m, cru_tape *t, added *a, bool warm)
{
    int32_t *sources = cru_tape_alloc(t, a->nodes.count, sizeof *sources);
    for (int64_t i = 0; i < a->nodes.count; i++) sources[i] = a->pairs[i].source;
    added_link(t, &a->nodes, warm ? &m->out_edges : &l->task->graph, sources, warm ? NULL : ego_draw_neighbours,
               &(ego_drawing){&l->task->graph, a->pairs, &m->rng});
}

static void mix_features(cru_learner *l, model *m, cru_tape *t, added *a, bool warm)
{
    const settings *s = l->settings;
    const int64_t features = l->task->x.cols, drawn = (int64_t)floor(s->keep_prob * (double)features);
    float *share = cru_tape_alloc(t, a->nodes.count * features, sizeof *share);
    double *weight = cru_tape_alloc(t, features, sizeof *weight);
    int32_t *chosen = cru_tape_alloc(t, drawn, sizeof *chosen);
    for (int64_t i = 0; i < a->nodes.count; i++) {
        const ego_saliency saliency = {warm ? NULL : m->saliency + a->places[i] * features, features, weight, chosen};
        ego_draw_shares(&saliency, ego_kept(a->pairs[i].divergence, drawn), &m->rng, share + i * features);
    }
    cru_tensor *shares = cru_tensor_upload(t, cru_2d(a->nodes.count, features), share);
    a->nodes.x = ego_features(t, &l->x, a->pairs, shares);
}

/* ---- training -------------------------------------------------------------------------------------------- */

/* Logits of all nodes and after them of the new ones, if any; *first: X W_1 or, with another backbone, X, of which the
 * gradient can be asked for. */
static cru_tensor *forward(cru_learner *l, model *m, cru_tape *t, const added_nodes *a, cru_tensor **first)
{
    const settings *s = l->settings;
    cru_tensor *both[2] = {NULL, a ? a->x : NULL}, *h = NULL;
    for (int64_t i = 0; i < m->convs.layers; i++) {
        const cru_gcn *layer = &m->convs.layer[i];
        cru_tensor *x = i ? cru_matmul(t, both[0], layer->w) : cru_input_linear(t, &l->x, layer->w, NULL);
        if (!i && first) cru_tensor_watch(*first = x);
        added_convolve(t, a, m->adj, layer, x, both);
        for (int k = 0; k < (a ? 2 : 1); k++) both[k] = cru_relu(t, both[k]);
    }
    if (m->encoder.layers)
        h = added_encode(l, t, &m->encoder, a, first);
    else
        h = a ? cru_concat_rows(t, both, 2) : both[0];
    return cru_fc_apply(t, &m->classifier, cru_represent(t, cru_dropout(t, h, s->dropout)));
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    return forward(l, self, t, NULL, NULL);
}

/* Keeps what the next epoch mixes by: softmax(A z / temperature), and the gradient of the training nodes' features. */
static void remember(cru_learner *l, model *m, cru_tape *t, cru_tensor *z, cru_tensor *first)
{
    const settings *s = l->settings;
    const bool recorded = cru_tape_record(t, false);
    cru_tensor *real = cru_slice_rows(t, cru_detach(t, z), 0, l->task->nodes);
    cru_tensor *smooth = cru_scale(t, cru_spmm(t, m->adj, real), (float)(1 / s->temperature));
    cru_tensor_download(t, cru_softmax(t, smooth, 1), m->predicted);
    cru_tensor *slope = cru_gather(t, cru_grad_of(t, first), l->train_rows);
    if (m->convs.layers) slope = cru_matmul_op(t, slope, m->convs.layer[0].w, CRU_NT);
    cru_tensor_download(t, slope, m->saliency);
    cru_tape_record(t, recorded);
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    const bool warm = l->epoch < s->warmup;
    cru_tensor *first;
    cru_tape_begin(t, CRU_TRAIN);
    added a = draw_pairs(l, m, t);
    if (a.nodes.count) {
        if (!warm) ego_compare(a.pairs, a.nodes.count, m->predicted, l->task->classes);
        link_nodes(l, m, t, &a, warm);
        mix_features(l, m, t, &a, warm);
    }
    cru_tensor *z = forward(l, m, t, a.nodes.count ? &a.nodes : NULL, &first);
    cru_tensor *total = s->margins && !warm ? tam_added_loss(l, t, z, &a.nodes, &(tam_rule_at){&s->rule, m->tau})
                                            : added_loss(l, t, z, a.nodes.labels, a.nodes.count);
    cru_backward(t, total);
    remember(l, m, t, z, first);
    cru_optim_step(l->optim);
    val_plateau_step(l, &m->plateau, t);
    return (double)cru_tensor_item(t, total);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .widen = cru_weights_only, .state = cru_no_state),
    .name = "graphens",
    .version = "2.0",
    .summary = "new ego networks for minority classes",
    .citation = "Park, Song, Yang. GraphENS: Neighbor-Aware Ego Network Synthesis for Class-Imbalanced Node "
                "Classification. ICLR 2022.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
