// SPDX-License-Identifier: Apache-2.0
/* graphsmote: SMOTE between embeddings of minority nodes, with edges from a predictor trained along.
 *
 *     E = Drop(ReLU(X W_s + A' X W_n))             A' = A / (degree + 1), A 0/1 without loops
 *     C = E W_d      P(edge) = sigmoid(C C^T)
 *     every class of n_c < avg = floor(|L| / classes) training nodes, floor(avg / n_c) times: for each of its nodes v
 *         e = E_v + delta (E_u - E_v)              u: the nearest of its class; one delta of U(0, 1) for all
 *     A2 = A and new nodes, linked to neighbours of v and u where P >= 1/2 (smote.h)
 *     logits = Drop(ReLU(E2 V_s + A2' E2 V_n)) W + b      E2: E and the new e
 *     loss = CE over training and new nodes + rec_weight sum over all pairs of w (P - A)^2
 *
 * With up_scale > 0 it is once, and for the first floor(up_scale n_c) nodes of each of these classes alone.
 *
 * The original takes the neighbours of the node whose number is the place of u among the training nodes of its class,
 * not those of u; fix_neighbours repairs this. A is made symmetric unless `directed` is set; edges of new nodes always
 * go both ways. Prediction is on the graph itself. Of the original's training schemes this is recon_newG with hard
 * edges.
 *
 * Zhao, Zhang, Wang. GraphSMOTE: Imbalanced Node Classification on Graphs with Graph Neural Networks. WSDM 2021. */
#include <math.h>

#include <crucible/imbalance.h>

#include "added-nodes.h"
#include "smote.h"

typedef struct settings {
    int64_t hidden;
    double dropout, rec_weight, up_scale;
    bool fix_neighbours, directed;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, hidden, 64, 1, 65536, "width of the embedding", .search = CRU_ONE_OF(32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.1, 0, 0.99, "after each activation", .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_FLOAT(settings, rec_weight, 1e-6, 0, CRU_NO_MAX, "weight of the reconstruction, a sum over all pairs",
              .search = CRU_ONE_OF(1e-6, 2e-6, 4e-6)),
    CRU_FLOAT(settings, up_scale, 0, 0, 1, "share of a minority class that is interpolated once; 0: up to the average"),
    CRU_BOOL(settings, fix_neighbours, false, "candidates from the nearest node instead of the one of its place"),
    CRU_BOOL(settings, directed, false, "keep the direction of edges: a node hears from those that link to it"),
    CRU_TRAIN_SETTINGS(settings, train, 2010, 0.001, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    cru_csr graph;           /* without loops */
    cru_sparse *links, *adj; /* A, A' */
    cru_sage_cat encoder, decoder;
    cru_fc edges, classifier;
    cru_ids *members; /* training nodes of each class in the order of the split */
    int64_t added;    /* new nodes in an epoch, */
    int64_t *repeats; /* so many of each class and each of its nodes */
} model;

/* ---- set-up ---------------------------------------------------------------------------------------------- */

static void plan_classes(cru_learner *l, model *m)
{
    const cru_task *task = l->task;
    const settings *s = l->settings;
    const int64_t average = task->split.train.count / task->classes;
    m->members = cru_class_members(cru_ctx_pool(l->ctx), task);
    m->repeats = cru_ctx_alloc(l->ctx, task->classes, sizeof *m->repeats);
    for (int32_t c = 0; c < task->classes; c++) {
        const int64_t count = m->members[c].count;
        m->repeats[c] = count && count < average ? average / count : 0;
        if (m->repeats[c] && s->up_scale > 0) {
            m->members[c].count = (int64_t)floor(s->up_scale * (double)count);
            m->repeats[c] = 1;
        }
        m->added += m->repeats[c] * m->members[c].count;
    }
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    cru_ctx *ctx = l->ctx;
    const cru_pool pool = cru_ctx_pool(ctx);
    const cru_csr given = s->directed ? task->graph : cru_graph_symmetrise(pool, &task->graph, CRU_SYM_OR);
    m->rng = cru_ctx_stream(ctx, "sampling");
    m->graph = cru_graph_loops(pool, &given, CRU_LOOPS_REMOVE);
    const cru_csr mean = cru_graph_mean_with_self(pool, &m->graph);
    m->links = cru_sparse_create(ctx, &m->graph);
    m->adj = cru_sparse_create(ctx, &mean);
    m->encoder = cru_sage_cat_create(l->net, "encoder", task->x.cols, s->hidden);
    m->decoder = cru_sage_cat_create(l->net, "decoder", s->hidden, s->hidden);
    m->edges = cru_fc_create_with(l->net, "edges", s->hidden, s->hidden, (cru_init){.kind = CRU_INIT_FAN_IN}, NULL);
    m->classifier = cru_fc_create_with(l->net, "classifier", s->hidden, task->classes,
                                       (cru_init){.kind = CRU_INIT_NORMAL, .b = 0.05f},
                                       &(cru_init){.kind = CRU_INIT_FAN_IN, .fan_in = s->hidden});
    plan_classes(l, m);
}

/* ---- the network ----------------------------------------------------------------------------------------- */

static cru_tensor *apply_sage(cru_learner *l, cru_tape *t, const cru_sage_cat *layer, cru_sparse *adj,
                              const cru_input *x)
{
    const settings *s = l->settings;
    return cru_dropout(t, cru_relu(t, cru_sage_cat_input(t, layer, adj, x)), s->dropout);
}

static cru_tensor *classify(cru_learner *l, const model *m, cru_tape *t, cru_sparse *adj, cru_tensor *e)
{
    const cru_input in = cru_input_of(e);
    return cru_fc_apply(t, &m->classifier, cru_represent(t, apply_sage(l, t, &m->decoder, adj, &in)));
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return classify(l, m, t, m->adj, apply_sage(l, t, &m->encoder, m->adj, &l->x));
}

/* ---- new nodes ------------------------------------------------------------------------------------------- */

typedef struct synthetic {
    smote_pairs pairs; /* for their candidate edges */
    int32_t *labels;
    cru_tensor *e;
} synthetic;

static synthetic interpolate(cru_learner *l, model *m, cru_tape *t, cru_tensor *e)
{
    const settings *s = l->settings;
    const int64_t cols = cru_tensor_cols(e);
    float *host = cru_tape_alloc(t, cru_tensor_count(e), sizeof *host);
    float *delta = cru_tape_alloc(t, m->added, sizeof *delta);
    int32_t *first = cru_tape_alloc(t, m->added, sizeof *first), *second = cru_tape_alloc(t, m->added, sizeof *second);
    int32_t *candidate = cru_tape_alloc(t, m->added, sizeof *candidate);
    int32_t *nearest = cru_tape_alloc(t, l->task->split.train.count, sizeof *nearest);
    int32_t *labels = cru_tape_alloc(t, m->added, sizeof *labels);
    cru_tensor_download(t, e, host);
    for (int32_t c = 0, i = 0; c < l->task->classes; c++) {
        const cru_ids members = m->members[c];
        if (m->repeats[c]) smote_nearest(host, cols, members, nearest);
        for (int64_t r = 0; r < m->repeats[c]; r++) {
            const float way = cru_rng_uniformf(&m->rng);
            for (int64_t k = 0; k < members.count; k++, i++) {
                first[i] = members.ids[k];
                second[i] = members.ids[nearest[k]];
                candidate[i] = s->fix_neighbours ? second[i] : nearest[k];
                delta[i] = way;
                labels[i] = c;
            }
        }
    }
    cru_tensor *from = cru_gather(t, e, cru_index_step(t, first, m->added));
    cru_tensor *to = cru_gather(t, e, cru_index_step(t, second, m->added));
    cru_tensor *ways = cru_tensor_upload(t, cru_2d(m->added, 1), delta);
    return (synthetic){.pairs = {first, candidate, m->added},
                       .labels = labels,
                       .e = cru_add(t, from, cru_mul(t, ways, cru_sub(t, to, from)))};
}

static cru_tensor *joint_loss(cru_learner *l, model *m, cru_tape *t, cru_tensor *e)
{
    if (!m->added) return added_loss(l, t, classify(l, m, t, m->adj, e), NULL, 0);
    const synthetic s = interpolate(l, m, t, e);
    cru_tensor *all = cru_concat_rows(t, (cru_tensor *[]){e, s.e}, 2);
    float *code = cru_tape_alloc(t, cru_tensor_count(all), sizeof *code);
    cru_tensor_download(t, cru_fc_apply(t, &m->edges, cru_detach(t, all)), code);
    const cru_csr joint = smote_graph(cru_tape_pool(t), &m->graph, s.pairs, code, cru_tensor_cols(all));
    const cru_csr mean = cru_graph_mean_with_self(cru_tape_pool(t), &joint);
    return added_loss(l, t, classify(l, m, t, cru_sparse_step(t, &mean), all), s.labels, m->added);
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *e = apply_sage(l, t, &m->encoder, m->adj, &l->x);
    cru_tensor *rebuilt = smote_reconstruction(t, m->links, cru_fc_apply(t, &m->edges, e));
    cru_tensor *weighted = cru_plus(t, NULL, s->rec_weight, rebuilt);
    return cru_learner_step(l, l->optim, cru_add(t, joint_loss(l, m, t, e), weighted));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .widen = cru_weights_only, .state = cru_no_state),
    .name = "graphsmote",
    .version = "2.0",
    .summary = "minority nodes interpolated between embeddings, wired by an edge predictor",
    .citation = "Zhao, Zhang, Wang. GraphSMOTE: Imbalanced Node Classification on Graphs with Graph Neural Networks. "
                "WSDM 2021.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
