// SPDX-License-Identifier: Apache-2.0
/* graphmixup: mixes minority nodes in a space of relations that path tasks have shaped; a table learns how many.
 *
 *     h = X W_h      w^r_uv = sigmoid(a_r . [h_u; h_v]) at the edges of A, for relations r
 *     E = Drop(ReLU(|| over r of A^r X W_r))      A^r: the weights w^r
 *     first `first` times `epochs` epochs on L_rec + L_local + L_global + L_relations:
 *         L_rec        smote.h, of C = E W_d; times `rec_weight`, or over the nodes where that is 0
 *         L_local      CE of |E_u - E_v| W_l against the hops between u and v (path-tasks.h)
 *         L_global     MSE of E W_g against 1 / hops to the centres of parts
 *         L_relations  mean over r < s of cos(d_r U, d_s U)      d_r = mean of tanh(A^r tanh(A^r h V_1 + b_1) V_2 + b_2)
 *     then on CE over training and new nodes, which are mixed as in graphsmote, as often as mixup-scale.h says; edges
 *     of new nodes are candidates of both ends, weighed by sigmoid(C C^T)
 *     logits = Drop(ReLU([E, A' E] W_s)) W + b      A': A / (sum of the row + 1)
 *
 * The authors' code takes the place of a neighbour in its class for its number, in embeddings and edges, and likewise
 * that of a centre in its part (variant = bench). Of its modes this is pre-train, then fine-tune, with soft edges.
 *
 * Wu, Xia, Gao, Lin, Tan, Li. GraphMixup: Improving Class-Imbalanced Node Classification by Reinforcement Mixup and
 * Self-supervised Context Prediction. ECML-PKDD 2022. */
#include <crucible/imbalance.h>

#include "added-nodes.h"
#include "mixed-nodes.h"
#include "mixup-scale.h"
#include "path-tasks.h"
#include "relations.h"
#include "smote.h"
#include "subset.h"

enum { CUT = 5, BENCH = 0, PAPER };
static const char *const variants[] = {"bench", "paper", NULL};

typedef struct settings {
    int64_t hidden, relations, parts, pairs, controller, variant;
    double dropout, rec_weight, first;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_WIDTH(settings, hidden, 64, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_DROPOUT(settings, dropout, 0.1, .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_INT(settings, relations, 4, 1, 64, "kinds of edges, each with a share of the width"),
    CRU_INT(settings, parts, 15, 1, 10000, "of the graph, whose centres places are told by"),
    CRU_INT(settings, pairs, 5000, 1, 1e7, "of nodes of every distance"),
    CRU_FLOAT(settings, rec_weight, 0, 0, CRU_NO_MAX, "weight of the reconstruction; 0: one over the nodes"),
    CRU_FLOAT(settings, first, 1, 0, 1e6, "epochs of the path tasks, in multiples of `epochs`"),
    CRU_INT(settings, controller, 50, 0, 1e9, "epochs before the number of new nodes is learned"),
    CRU_CHOICE(settings, variant, BENCH, variants, "partners by place in their class, or themselves"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_csr graph;
    cru_sparse *links, *adj; /* A, A' */
    relations relations;
    cru_fc code, local, global, classifier;
    cru_sage_cat sage;
    cru_ids *members;
    path_pairs pairs;
    cru_tensor *centres;
    subset val;
    mixup_scale scale;
    bool settled;
    cru_rng rng;
} model;

static void build_layers(cru_learner *l, model *m, cru_net *tasks)
{
    const settings *s = l->settings;
    const int64_t wide = s->hidden, embedded = wide / s->relations * s->relations;
    m->relations = relations_create(l->net, l->x.cols, wide, s->relations);
    m->sage = cru_sage_cat_create(l->net, "sage", embedded, wide);
    m->classifier = cru_fc_create_with(l->net, "classifier", wide, l->task->classes,
                                       (cru_init){.kind = CRU_INIT_NORMAL, .b = 0.05f},
                                       &(cru_init){.kind = CRU_INIT_FAN_IN, .fan_in = wide});
    m->code = cru_fc_create_with(tasks, "code", embedded, wide, (cru_init){.kind = CRU_INIT_FAN_IN}, NULL);
    m->local = cru_fc_create(tasks, "local", embedded, CUT + 1);
    m->global = cru_fc_create(tasks, "global", embedded, s->parts);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr both = cru_learner_undirected(l);
    cru_error err = {0};
    if (s->relations > s->hidden) {
        cru_learner_refuse(l, "relations = %lld: more than hidden, whose shares they have", (long long)s->relations);
        return;
    }
    m->graph = cru_graph_loops(pool, &both, CRU_LOOPS_REMOVE);
    const cru_csr mean = cru_graph_mean_with_self(pool, &m->graph);
    m->links = cru_sparse_create(l->ctx, &m->graph);
    m->adj = cru_sparse_create(l->ctx, &mean);
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->members = cru_class_members(pool, l->task);
    m->pairs = path_pairs_draw(pool, &m->graph, CUT, s->pairs, &m->rng);
    float *centres = cru_ctx_alloc(l->ctx, l->task->nodes * s->parts, sizeof *centres);
    if (path_centres(&m->graph, (int32_t)s->parts, s->variant == BENCH, centres, &err) != CRU_OK)
        cru_ctx_fail(l->ctx, CRU_UNSUPPORTED, "%s", err.text);
    m->centres = cru_tensor_from(l->ctx, cru_2d(l->task->nodes, s->parts), centres);
    m->val = subset_labelled(l, l->task->split.val);
    m->scale = mixup_scale_create(0);
    build_layers(l, m, cru_learner_net(l, "tasks"));
    l->optim = cru_learner_optim(l, &l->net, 1);
}

static relations_seen embed(cru_learner *l, const model *m, cru_tape *t)
{
    const settings *s = l->settings;
    relations_seen seen = relations_embed(t, &m->relations, m->links, &l->x);
    seen.e = cru_dropout(t, seen.e, s->dropout);
    return seen;
}

/* ---- path tasks ------------------------------------------------------------------------------------------ */

static cru_tensor *tasks_loss(cru_learner *l, const model *m, cru_tape *t)
{
    const settings *s = l->settings;
    const path_pairs *p = &m->pairs;
    const relations_seen x = embed(l, m, t);
    cru_tensor *rebuilt = smote_reconstruction(t, m->links, cru_fc_apply(t, &m->code, x.e));
    cru_tensor *loss = cru_scale(t, rebuilt, s->rec_weight > 0 ? s->rec_weight : 1 / (double)l->task->nodes);
    cru_tensor *from = cru_gather(t, x.e, cru_index_step(t, p->first, p->count));
    cru_tensor *to = cru_gather(t, x.e, cru_index_step(t, p->second, p->count));
    cru_tensor *z = cru_fc_apply(t, &m->local, cru_abs(t, cru_sub(t, from, to)));
    const cru_targets groups = {.labels = cru_index_step(t, p->group, p->count)};
    if (p->count) loss = cru_add(t, loss, cru_cross_entropy(t, z, &groups));
    loss = cru_add(t, loss, cru_mse(t, cru_fc_apply(t, &m->global, x.e), m->centres));
    cru_tensor *apart = relations_alike(t, relations_describe(t, &m->relations, m->links, &x));
    return apart ? cru_add(t, loss, apart) : loss;
}

static void prepare(cru_learner *l, void *self)
{
    const settings *s = l->settings;
    cru_optim *optim = cru_learner_optim(l, l->nets, l->net_count);
    const double epochs = s->first * (double)s->train.epochs;
    for (int64_t i = 0; (double)i < epochs && cru_ctx_status(l->ctx) == CRU_OK; i++) {
        cru_tape_begin(l->tape, CRU_TRAIN);
        cru_learner_step(l, optim, tasks_loss(l, self, l->tape));
    }
    cru_net_clear(l->net);
}

/* ---- mixing ---------------------------------------------------------------------------------------------- */

static cru_tensor *classify(cru_learner *l, const model *m, cru_tape *t, cru_tensor *e, cru_tensor *around)
{
    const settings *s = l->settings;
    cru_tensor *own = cru_fc_apply(t, &m->sage.own, e);
    cru_tensor *h = cru_relu(t, cru_add(t, own, cru_fc_apply(t, &m->sage.others, around)));
    return cru_fc_apply(t, &m->classifier, cru_represent(t, cru_dropout(t, h, s->dropout)));
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    cru_tensor *e = embed(l, m, t).e;
    return classify(l, m, t, e, cru_spmm(t, m->adj, e));
}

/* Logits of the nodes and, after them, of the new ones. */
static cru_tensor *mixed_logits(cru_learner *l, model *m, cru_tape *t, cru_tensor *e, const mixed *x)
{
    if (!x->count) return classify(l, m, t, e, cru_spmm(t, m->adj, e));
    cru_tensor *joined = mixed_join(t, e, x), *code = cru_fc_apply(t, &m->code, joined);
    return classify(l, m, t, joined, mixed_around(t, &m->graph, x, code, joined));
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *e = embed(l, m, t).e;
    const mixed_plan plan = {m->members, l->task->classes, l->task->split.train.count / l->task->classes,
                             mixup_scale_k(&m->scale), s->variant == BENCH};
    const mixed x = mixed_draw(t, &plan, e, &m->rng);
    cru_tensor *z = mixed_logits(l, m, t, e, &x);
    const double f1 = subset_f1(t, z, &m->val),
                 loss = cru_learner_step(l, l->optim, added_loss(l, t, z, x.labels, x.count));
    cru_net_clear(l->nets[1]);
    if (l->epoch < s->controller) m->scale.score = f1;
    if (l->epoch >= s->controller && !m->settled) {
        const int32_t action = mixup_scale_choose(&m->scale, &m->rng);
        mixup_scale_act(&m->scale, f1, action);
        m->settled = mixup_scale_settled(&m->scale);
    }
    return loss;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .prepare = prepare,
               .epoch = epoch, .widen = cru_weights_only, .state = cru_no_state),
    .name = "graphmixup",
    .version = "1.0",
    .summary = "minority nodes mixed in a space of relations, as many as a table of values learns",
    .citation =
        "Wu, Xia, Gao, Lin, Tan, Li. GraphMixup: Improving Class-Imbalanced Node Classification by Reinforcement "
        "Mixup and Self-supervised Context Prediction. ECML-PKDD 2022.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
