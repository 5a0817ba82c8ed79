// SPDX-License-Identifier: Apache-2.0
/* tail-gnn: what a tail node's neighbourhood lacks is predicted from the node and added.
 *
 * Two layers (translation.h) with ELU and dropout between them give e. In training the head branch runs on A and the
 * tail branch on A', in which every training node keeps 1 to `links` of its neighbours, drawn once. A discriminator
 *     D(e) = ELU(Drop(ELU(e)) W_1 + b_1) w_2, a logit,
 * tells e of heads from e of tails:
 *     L_D = (BCE(D(e^h), 1) + BCE(D(e^t), 0)) / 2      `critic_steps` times, then one step of
 *     L = (NLL(e^h) + NLL(e^t)) / 2 - eta BCE(D(e^t), 0) + mu sum over layers of mean ||m^h_v|| over training nodes
 *
 * A is made symmetric, without loops. Prediction: the tail branch on A.
 *
 * Liu, Nguyen, Fang. Tail-GNN: Tail-Node Graph Neural Networks. KDD 2021. */
#include "translation.h"

typedef struct settings {
    int64_t hidden, links, critic_steps;
    double eta, mu, dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_WIDTH(settings, hidden, 32, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_FLOAT(settings, eta, 0.1, 0, CRU_NO_MAX, "weight of the discriminator", .search = CRU_ONE_OF(0.1, 1)),
    CRU_FLOAT(settings, mu, 0.001, 0, CRU_NO_MAX, "weight of what heads lack", .search = CRU_ONE_OF(0.01, 0.001)),
    CRU_INT(settings, links, 5, 1, 1e9, "most neighbours that a training node keeps in the tail branch"),
    CRU_INT(settings, critic_steps, 2, 0, 1000, "steps of the discriminator in an epoch"),
    CRU_DROPOUT(settings, dropout, 0.5, .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.01, 1e-4),
    CRU_END,
};

typedef struct model {
    tail_view whole, cut; /* A, A' */
    tail_layer layer[2];
    cru_fc critic, verdict;
    cru_net *critics;
    cru_optim *critic_optim;
} model;

/* What a branch gives: e and, of the head branch, the sum of mean ||m||. */
typedef struct branch {
    cru_tensor *e, *missing;
} branch;

static cru_csr cut_links(cru_learner *l, const cru_csr *g)
{
    const settings *s = l->settings;
    const cru_ids train = l->task->split.train;
    cru_rng rng = cru_ctx_stream(l->ctx, "sampling");
    uint8_t *keep = cru_ctx_alloc(l->ctx, cru_csr_nnz(g), 1);
    int32_t *chosen = cru_ctx_alloc(l->ctx, s->links < g->rows ? s->links : g->rows, sizeof *chosen);
    for (int64_t e = 0; e < cru_csr_nnz(g); e++) keep[e] = 1;
    for (int64_t i = 0; i < train.count; i++) {
        const int64_t first = g->offsets[train.ids[i]], degree = g->offsets[train.ids[i] + 1] - first;
        const int64_t links = 1 + cru_rng_below(&rng, s->links);
        if (links >= degree) continue;
        for (int64_t e = 0; e < degree; e++) keep[first + e] = 0;
        cru_rng_choose(&rng, degree, links, chosen);
        for (int64_t k = 0; k < links; k++) keep[first + chosen[k]] = 1;
    }
    return cru_csr_select(cru_ctx_pool(l->ctx), g, keep);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t k = l->task->classes;
    const cru_csr both = cru_learner_undirected(l);
    const cru_csr loopless = cru_graph_loops(cru_ctx_pool(l->ctx), &both, CRU_LOOPS_REMOVE),
                  g = cru_csr_pattern(&loopless);
    const cru_csr cut = cut_links(l, &g);
    m->whole = tail_view_create(l, &g);
    m->cut = tail_view_create(l, &cut);
    m->layer[0] = tail_layer_create(l->net, "layer0", l->x.cols, s->hidden);
    m->layer[1] = tail_layer_create(l->net, "layer1", s->hidden, k);
    m->critics = cru_learner_net(l, "critic");
    m->critic = cru_fc_create(m->critics, "critic", k, k);
    m->verdict = cru_fc_create_drawn(m->critics, "verdict", k, 1, CRU_DRAW_FAN_IN, false);
    m->critic_optim = cru_learner_optim(l, &m->critics, 1);
    l->optim = cru_learner_optim(l, &l->net, 1);
}

static branch run(cru_learner *l, const model *m, cru_tape *t, const tail_view *view, bool tail)
{
    const settings *s = l->settings;
    cru_tensor *first = tail_layer_missing(t, &m->layer[0], &l->x, &view->near);
    cru_tensor *h = tail_layer_apply(t, &m->layer[0], view, &l->x, tail ? first : NULL);
    h = cru_represent(t, cru_dropout(t, cru_elu(t, h, 1), s->dropout));
    const cru_input x = cru_input_of(h), near = cru_input_of(cru_spmm(t, view->mean, h));
    cru_tensor *second = tail_layer_missing(t, &m->layer[1], &x, &near);
    branch b = {.e = tail_layer_apply(t, &m->layer[1], view, &x, tail ? second : NULL)};
    if (tail) return b;
    cru_tensor *of_first = cru_norm_l2(t, cru_gather(t, first, l->train_rows), 1, 1e-12);
    cru_tensor *of_second = cru_norm_l2(t, cru_gather(t, second, l->train_rows), 1, 1e-12);
    b.missing = cru_mean(t, cru_add(t, of_first, of_second), CRU_ALL);
    return b;
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    return run(l, m, t, &m->whole, true).e;
}

/* BCE of D(e) with the label: softplus of the logit, or of its negative */
static cru_tensor *judge(cru_tape *t, const model *m, cru_tensor *e, bool head)
{
    cru_tensor *h = cru_elu(t, cru_fc_apply(t, &m->critic, cru_dropout(t, cru_elu(t, e, 1), 0.5)), 1);
    cru_tensor *logit = cru_fc_apply(t, &m->verdict, h);
    return cru_mean(t, cru_softplus(t, head ? cru_neg(t, logit) : logit), CRU_ALL);
}

static void teach_critic(cru_learner *l, model *m, cru_tape *t)
{
    cru_tape_begin(t, CRU_TRAIN);
    const bool recording = cru_tape_record(t, false);
    const branch head = run(l, m, t, &m->whole, false), tail = run(l, m, t, &m->cut, true);
    cru_tape_record(t, recording);
    cru_tensor *of_heads = judge(t, m, head.e, true), *of_tails = judge(t, m, tail.e, false);
    cru_learner_step(l, m->critic_optim, cru_scale(t, cru_add(t, of_heads, of_tails), 0.5));
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    for (int64_t i = 0; i < s->critic_steps; i++) teach_critic(l, m, t);
    cru_tape_begin(t, CRU_TRAIN);
    const branch head = run(l, m, t, &m->whole, false), tail = run(l, m, t, &m->cut, true);
    cru_tensor *loss = cru_scale(t, cru_learner_loss(l, t, head.e), 0.5);
    loss = cru_plus(t, loss, 0.5, cru_learner_loss(l, t, tail.e));
    loss = cru_plus(t, loss, -s->eta, judge(t, m, tail.e, false));
    loss = cru_plus(t, loss, s->mu, head.missing);
    const double value = cru_learner_step(l, l->optim, loss);
    cru_net_clear(m->critics);
    return value;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .widen = cru_weights_only, .state = cru_no_state),
    .name = "tail-gnn",
    .version = "1.0",
    .summary = "predicts what the neighbourhood of a tail node lacks",
    .citation = "Liu, Nguyen, Fang. Tail-GNN: Tail-Node Graph Neural Networks. KDD 2021.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
