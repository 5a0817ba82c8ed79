// SPDX-License-Identifier: Apache-2.0
/* h2gcn: a node, its neighbours and their neighbours kept apart, and all rounds kept.
 *
 *     R_0 = ReLU(MLP(X))      R_l = BN([P_1 Drop(R_l-1) | P_2 Drop(R_l-1)])      logits = [R_0 | R_1 | ... | R_L] W + b
 *
 * P_1 and P_2 are D^-1/2 N D^-1/2 of the neighbours and of the nodes two steps away that are not neighbours. There is
 * nothing non-linear between rounds. The last round has no batch norm and enters the sum with dropout.
 *
 * The benchmark counts a node among those two steps away from itself; setting strict drops it. Variant paper is the
 * authors' own: strict, without batch norm and biases, dropout only before the last layer.
 *
 * Zhu, Yan, Zhao, Heimann, Akoglu, Koutra. Beyond Homophily in Graph Neural Networks. NeurIPS 2020. */
#include <crucible/crucible.h>

enum { MAX_ROUNDS = 4 };

typedef struct settings {
    int64_t rounds, mlp_layers, hidden, variant;
    double dropout;
    bool strict, one_logit;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, rounds, 2, 1, MAX_ROUNDS, "rounds L; each doubles the width"),
    CRU_INT(settings, mlp_layers, 1, 1, CRU_MAX_LAYERS, "linear layers of the embedding"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width of the embedding"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "between rounds", .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_BOOL(settings, strict, false, "two steps away means not the node itself"),
    CRU_VARIANT(settings, variant, CRU_BENCH, "paper: strict, no batch norm, no biases, dropout at the end"),
    CRU_ONE_LOGIT(settings, one_logit),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.01, 1e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_sparse *near, *far; /* P_1, P_2 */
    cru_mlp embed;
    cru_batch_norm_layer norm[MAX_ROUNDS + 1]; /* of rounds 1 .. L-1 */
    cru_fc out;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const bool paper = s->variant == CRU_PAPER;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr pattern = cru_csr_pattern(&task->graph);
    const cru_csr one = cru_graph_loops(pool, &pattern, CRU_LOOPS_REMOVE);
    const cru_csr two = cru_graph_two_hop(pool, &one, !(s->strict || paper));
    const cru_adjacency sym = {CRU_LOOPS_KEEP, CRU_NORM_SYM};
    m->near = cru_adjacency_create(l->ctx, &one, &sym);
    m->far = cru_adjacency_create(l->ctx, &two, &sym);
    m->embed = cru_mlp_create(l->net, "embed",
                              &(cru_mlp_shape){.in = task->x.cols,
                                               .hidden = s->hidden,
                                               .out = s->hidden,
                                               .layers = s->mlp_layers,
                                               .dropout = s->dropout,
                                               .batch_norm = !paper,
                                               .norm_last = true,
                                               .no_bias = paper});
    static const char *const names[MAX_ROUNDS] = {NULL, "norm1", "norm2", "norm3"};
    int64_t width = s->hidden, total = s->hidden;
    for (int64_t k = 1; k <= s->rounds; k++) {
        width *= 2;
        total += width;
        if (!paper && k < s->rounds) m->norm[k] = cru_batch_norm_create(l->net, names[k], width);
    }
    m->out = cru_fc_create_drawn(l->net, "out", total, cru_outputs(task, s->one_logit), CRU_DRAW_FAN_IN, !paper);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    const bool paper = s->variant == CRU_PAPER;
    const double between = paper ? 0 : s->dropout;
    cru_tensor *part[MAX_ROUNDS + 2]; /* rounds 0 .. L-1 and the two halves of round L */
    part[0] = cru_relu(t, cru_mlp_input(t, &m->embed, &l->x));
    for (int64_t k = 1; k <= s->rounds; k++) {
        cru_tensor *x = cru_dropout(t, part[k - 1], between);
        part[k] = cru_spmm(t, m->near, x);
        part[k + 1] = cru_spmm(t, m->far, x);
        if (k < s->rounds) part[k] = cru_concat_cols(t, &part[k], 2);
        if (m->norm[k].gain) part[k] = cru_batch_norm_apply(t, &m->norm[k], part[k]);
    }
    for (int64_t k = paper ? 0 : s->rounds; k < s->rounds + 2; k++) part[k] = cru_dropout(t, part[k], s->dropout);
    cru_represent_parts(t, part, s->rounds + 2);
    return cru_fc_apply_parts(t, &m->out, part, s->rounds + 2);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "h2gcn",
    .version = "2.0",
    .summary = "ego, neighbours and two-hop neighbours kept apart",
    .citation = "Zhu, Yan, Zhao, Heimann, Akoglu, Koutra. Beyond Homophily in Graph Neural Networks. NeurIPS 2020.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
