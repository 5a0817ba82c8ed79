// SPDX-License-Identifier: Apache-2.0
/* h2-fdetector: messages over homophilic edges as they are, over heterophilic ones with the opposite sign.
 *
 *     s_e = tanh(Drop([a | b | a - b]) W_f + b_f)      a = x_u W_d + b_d      b = x_v W_d + b_d      e = u -> v
 *     Y = X W_t + b_t in K heads      y_e = sgn(s_e) Y_u      alpha = softmax over in-edges of LeakyReLU([y_e | Y_v] w_t + c_t)
 *     O_t(v) = sum over heads and in-edges of alpha_e y_e      logits = Drop([O_1 | ... | O_T]) W_l + b_l
 *
 * for each relation t and once more for all of them together, duplicates kept; no gradient goes through the sign. With
 * mu the mean logits of a class in the training part:
 *
 *     loss = CE(nodes) + gamma_1 mean max(0, 1 - t_e s_e) + gamma_2 CE(-|z - mu_c + 1e-6| over the classes c)
 *
 * nodes: all training anomalies and as many normals. Edges: those among training nodes, all of unequal ends (t = -1)
 * and as many drawn of equal ones (t = 1); where there are none that term is 0. Prototypes: anomalies and as many
 * normals drawn. variant = bench drops while judging, too, as the study's code does. One layer, as there.
 *
 * Shi, Cao, Shang, Zhou, Zhou, Wu. H2-FDetector: A GNN-based Fraud Detector with Homophilic and Heterophilic
 * Connections. WWW 2022. */
#include <stdio.h>

#include "fdetector.h"

enum { ANOMALY = 1 };

typedef struct settings {
    int64_t heads, variant;
    double gamma1, gamma2, dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, heads, 2, 1, 1024, "attention heads"),
    CRU_FLOAT(settings, gamma1, 1.2, 0, CRU_NO_MAX, "weight of the edges' loss"),
    CRU_FLOAT(settings, gamma2, 2, 0, CRU_NO_MAX, "weight of the prototypes' loss"),
    CRU_FLOAT(settings, dropout, 0.1, 0, 0.99, "in the sign net and before the output"),
    CRU_VARIANT(settings, variant, CRU_BENCH, "drop while judging, too, or in training only"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_END,
};

/* ---- graphs and lists -------------------------------------------------------------------------------------------- */

static cru_ids train_of(cru_learner *l, bool anomaly)
{
    const cru_ids train = l->task->split.train;
    int32_t *ids = cru_ctx_alloc(l->ctx, train.count, sizeof *ids);
    int64_t count = 0;
    for (int64_t i = 0; i < train.count; i++)
        if ((l->task->labels[train.ids[i]] == ANOMALY) == anomaly) ids[count++] = train.ids[i];
    return (cru_ids){ids, count};
}

/* The edges of all relations, one after the other. */
static cru_coo all_edges(cru_learner *l, const cru_relation *relation, int64_t relations)
{
    int64_t count = 0, at = 0;
    for (int64_t r = 0; r < relations; r++) count += cru_csr_nnz(&relation[r].graph);
    int32_t *row = cru_ctx_alloc(l->ctx, count, sizeof *row), *col = cru_ctx_alloc(l->ctx, count, sizeof *col);
    for (int64_t r = 0; r < relations; at += cru_csr_nnz(&relation[r++].graph)) {
        cru_csr_entry_rows(&relation[r].graph, row + at);
        for (int64_t e = 0; e < cru_csr_nnz(&relation[r].graph); e++) col[at + e] = relation[r].graph.ids[e];
    }
    return (cru_coo){l->task->nodes, l->task->nodes, count, row, col, NULL};
}

static edge_list known_edges(cru_learner *l, const cru_coo *all)
{
    const cru_task *task = l->task;
    uint8_t *train = cru_ctx_alloc(l->ctx, task->nodes, 1);
    edge_list k = {cru_ctx_alloc(l->ctx, all->count, sizeof(int32_t)),
                   cru_ctx_alloc(l->ctx, all->count, sizeof(int32_t)), cru_ctx_alloc(l->ctx, all->count, sizeof(float)),
                   0};
    for (int64_t i = 0; i < task->split.train.count; i++) train[task->split.train.ids[i]] = 1;
    for (int64_t e = 0; e < all->count; e++) {
        const int32_t u = all->col[e], v = all->row[e];
        if (!train[u] || !train[v]) continue;
        k.source[k.count] = u, k.target[k.count] = v;
        k.same[k.count++] = task->labels[u] == task->labels[v] ? 1 : -1;
    }
    return k;
}

static edge_type type_create(cru_learner *l, int64_t number, const cru_csr *graph)
{
    const settings *s = l->settings;
    const int64_t c = l->task->classes;
    char in[48], attention[48];
    snprintf(in, sizeof in, "type%lld.in", (long long)number);
    snprintf(attention, sizeof attention, "type%lld.attention", (long long)number);
    edge_type type = {.adj = cru_sparse_create(l->ctx, graph)};
    type.in = cru_fc_create(l->net, in, l->x.cols, s->heads * c);
    type.attention = cru_fc_create(l->net, attention, 2 * c, 1);
    return type;
}

static void build(cru_learner *l, void *self)
{
    fdetector *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_relation whole = {"graph", task->graph}, *relation = task->relation_count ? task->relations : &whole;
    const int64_t relations = task->relation_count ? task->relation_count : 1;
    *m =
        (fdetector){.types = relations + 1, .heads = s->heads, .edge_weight = s->gamma1, .prototype_weight = s->gamma2};
    m->dropout = s->dropout;
    m->always = s->variant == CRU_BENCH;
    m->anomalies = train_of(l, true);
    m->normals = train_of(l, false);
    if (!m->anomalies.count || !m->normals.count)
        cru_learner_refuse(l, "needs anomalies and normal nodes to learn from");
    const cru_coo all = all_edges(l, relation, relations);
    const cru_csr joined = cru_csr_from_coo(cru_ctx_pool(l->ctx), &all, CRU_DUP_KEEP);
    m->known = known_edges(l, &all);
    m->type = cru_ctx_alloc(l->ctx, m->types, sizeof *m->type);
    for (int64_t i = 0; i < m->types; i++) m->type[i] = type_create(l, i, i < relations ? &relation[i].graph : &joined);
    m->node = cru_fc_create(l->net, "node", l->x.cols, SIGN_WIDTH);
    m->sign = cru_fc_create(l->net, "sign", 3 * SIGN_WIDTH, 1);
    m->out = cru_fc_create(l->net, "out", m->types * task->classes, task->classes);
}

/* ---- draws ------------------------------------------------------------------------------------------------------- */

static cru_ids draw_normals(cru_tape *t, const fdetector *m, cru_rng *rng, bool replace)
{
    const int64_t most = m->normals.count, wanted = m->anomalies.count,
                  count = replace || wanted < most ? wanted : most;
    int32_t *ids = cru_tape_alloc(t, count, sizeof *ids);
    if (!replace) cru_rng_choose(rng, most, count, ids);
    for (int64_t i = 0; i < count; i++) ids[i] = m->normals.ids[replace ? cru_rng_below(rng, most) : ids[i]];
    return (cru_ids){ids, count};
}

static cru_ids draw_edges(cru_tape *t, const fdetector *m, cru_rng *rng)
{
    const edge_list *known = &m->known;
    int32_t *same = cru_tape_alloc(t, known->count, sizeof *same),
            *ids = cru_tape_alloc(t, 2 * known->count, sizeof *ids);
    int64_t equal = 0, count = 0;
    for (int32_t e = 0; e < known->count; e++) {
        if (known->same[e] > 0)
            same[equal++] = e;
        else
            ids[count++] = e;
    }
    for (int64_t unequal = count; equal && count < 2 * unequal; count++) ids[count] = same[cru_rng_below(rng, equal)];
    return (cru_ids){ids, count};
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    return fdetector_logits(l, self, t);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    const fdetector *m = self;
    cru_rng rng = cru_rng_stream(l->task->seed, "samples", (uint64_t)l->epoch);
    fdetector_draw draw = {.normals = draw_normals(t, m, &rng, false)};
    draw.edges = draw_edges(t, m, &rng);
    draw.prototypes = draw_normals(t, m, &rng, true);
    return fdetector_loss(l, m, t, z, &draw);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, fdetector, .build = build, .logits = logits, .loss = loss, .labelled = true),
    .name = "h2-fdetector",
    .version = "1.0",
    .summary = "signed messages over homophilic and heterophilic edges",
    .citation = "Shi, Cao, Shang, Zhou, Zhou, Wu. H2-FDetector: A GNN-based Fraud Detector with Homophilic and "
                "Heterophilic Connections. WWW 2022.",
    .problems = CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
