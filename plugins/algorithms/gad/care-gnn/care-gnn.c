// SPDX-License-Identifier: Apache-2.0
/* care-gnn: of every relation a node keeps a share of its neighbours, and the share is learned from a reward.
 *
 *     logits = (x + sum_r p_r mean over the kept in-neighbours of x) W + b
 *
 * Node v keeps ceil(p_r din_r(v)) in-edges: the first ones by source (select = first, as the anomaly study's code does)
 * or the nearest ones (select = nearest, as in the paper) by
 *
 *     d(u, v) = | tanh(x_u W_m + b_m) - tanh(x_v W_m + b_m) |_1      with W_m as drawn: no loss reaches it.
 *
 * After every epoch p_r falls by `step` when the mean distance over the training anomalies' in-edges grew, and rises
 * otherwise (bandit.h). A graph without relations is one relation. There is one layer: in the study's code all layers
 * read the features, and only the last one counts.
 *
 * Dou, Liu, Sun, Deng, Peng, Yu. Enhancing Graph Neural Network-based Fraud Detectors against Camouflaged Fraudsters.
 * CIKM 2020. */
#include <math.h>

#include <crucible/crucible.h>

#include "bandit.h"

enum { ANOMALY = 1, CODE = 2, FIRST = 0, NEAREST = 1 };

typedef struct settings {
    double start, step;
    int64_t select;
    cru_train train;
} settings;

static const char *const selections[] = {"first", "nearest", NULL};

static const cru_param schema[] = {
    CRU_FLOAT(settings, start, 0.5, 0, 1, "share of neighbours kept at first"),
    CRU_FLOAT(settings, step, 0.02, 0, 1, "by which a share changes in an epoch"),
    CRU_CHOICE(settings, select, FIRST, selections, "which neighbours are kept"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct relation {
    cru_sparse *adj;
    int32_t *place;  /* of an in-edge among those of its node, by source or by distance */
    double distance; /* D: mean over the in-edges of training anomalies */
    double share;    /* p in m->sum; NAN before the first */
} relation;

typedef struct model {
    cru_fc distance, out;
    relation *relation;
    int64_t relations;
    cru_tensor *sum;   /* x + sum_r p_r mean, made anew when a share changes */
    cru_tensor *steps; /* of the shares; in the net, so that they go back to those of the selected epoch */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const cru_task *task = l->task;
    cru_ctx *ctx = l->ctx;
    m->relations = task->relation_count ? task->relation_count : 1;
    m->relation = cru_ctx_alloc(ctx, m->relations, sizeof *m->relation);
    m->sum = cru_tensor_create(ctx, cru_2d(task->nodes, task->x.cols));
    for (int64_t r = 0; r < m->relations; r++) {
        const cru_csr *graph = task->relation_count ? &task->relations[r].graph : &task->graph;
        int32_t *place = cru_ctx_alloc(ctx, cru_csr_nnz(graph), sizeof *place);
        cru_csr_row_places(graph, NULL, place);
        m->relation[r] = (relation){.adj = cru_sparse_create(ctx, graph), .place = place, .share = NAN};
    }
    m->distance = cru_fc_create(cru_learner_net(l, "distance"), "distance", task->x.cols, CODE);
    m->out = cru_fc_create(l->net, "out", task->x.cols, task->classes);
    m->steps = cru_net_buffer(l->net, "steps", cru_1d(1), 0);
}

/* ---- distances --------------------------------------------------------------------------------------------------- */

static double apart(const float *code, int64_t u, int64_t v)
{
    double sum = 0;
    for (int64_t k = 0; k < CODE; k++) sum += fabs((double)code[u * CODE + k] - (double)code[v * CODE + k]);
    return sum;
}

static void place_by_distance(cru_tape *t, relation *r, const float *code)
{
    const cru_csr *g = &r->adj->csr;
    double *distance = cru_tape_alloc(t, cru_csr_nnz(g), sizeof *distance);
    for (int64_t v = 0; v < g->rows; v++)
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) distance[e] = apart(code, g->ids[e], v);
    cru_csr_row_places(g, distance, r->place);
}

static double anomaly_distance(cru_learner *l, const relation *r, const float *code)
{
    const cru_csr *g = &r->adj->csr;
    const cru_task *task = l->task;
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < task->split.train.count; i++) {
        const int32_t v = task->split.train.ids[i];
        if (task->labels[v] != ANOMALY) continue;
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++, count++) sum += apart(code, g->ids[e], v);
    }
    return count ? sum / (double)count : 0;
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_EVAL);
    const float *code = cru_tensor_host(t, cru_tanh(t, cru_fc_input(t, &m->distance, &l->x)));
    for (int64_t r = 0; r < m->relations; r++) {
        m->relation[r].distance = anomaly_distance(l, &m->relation[r], code);
        m->relation[r].share = NAN;
        if (s->select == NEAREST) place_by_distance(t, &m->relation[r], code);
    }
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

/* p after so many steps. The distance never changes, so the number of steps says it all. */
static double share_after(const settings *s, const relation *r, int64_t steps)
{
    bandit b = {.share = s->start};
    for (int64_t k = 0; k < steps; k++) bandit_step(&b, r->distance, s->step);
    return b.share;
}

/* p times the mean over kept in-neighbours */
static cru_tensor *kept_mean(cru_tape *t, const relation *r, cru_tensor *x)
{
    const cru_csr *g = &r->adj->csr;
    const double share = r->share;
    float *weight = cru_tape_alloc(t, cru_csr_nnz(g), sizeof *weight);
    for (int64_t v = 0; v < g->rows; v++) {
        const double kept = ceil(share * (double)(g->offsets[v + 1] - g->offsets[v]));
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
            weight[e] = r->place[e] < kept ? (float)(share / kept) : 0;
    }
    return cru_spmm_weighted(t, r->adj, cru_tensor_upload(t, cru_1d(cru_csr_nnz(g)), weight), x);
}

/* Brings the shares up to date; true when one of them changed. */
static bool update_shares(cru_learner *l, model *m, cru_tape *t)
{
    const int64_t steps = (int64_t)cru_tensor_item(t, m->steps);
    bool changed = false;
    for (int64_t r = 0; r < m->relations; r++) {
        const double share = share_after(l->settings, &m->relation[r], steps);
        changed |= !(share == m->relation[r].share);
        m->relation[r].share = share;
    }
    return changed;
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    if (update_shares(l, m, t)) {
        cru_tensor *x = cru_input_dense(t, &l->x), *sum = x;
        for (int64_t r = 0; r < m->relations; r++) sum = cru_add(t, sum, kept_mean(t, &m->relation[r], x));
        cru_tensor_keep(t, m->sum, sum);
    }
    return cru_fc_apply(t, &m->out, cru_represent(t, m->sum));
}

static void after_epoch(cru_learner *l, void *self)
{
    model *m = self;
    const float steps = cru_tensor_item(l->tape, m->steps) + 1;
    cru_tensor_set(l->ctx, m->steps, &steps);
}

static void widen(cru_learner *l, void *self, const void *trained_)
{
    model *m = self;
    const model *trained = trained_;
    prepare(l, m);
    for (int64_t r = 0; r < m->relations; r++) m->relation[r].distance = trained->relation[r].distance;
}

/* What prepare measured. */
static void state(cru_learner *l, void *self, cru_state *file)
{
    const model *m = self;
    (void)l;
    for (int64_t r = 0; r < m->relations; r++) {
        relation *one = &m->relation[r];
        cru_state_values(file, "distance", &one->distance, 1, sizeof one->distance);
        cru_state_values(file, "place", one->place, cru_csr_nnz(&one->adj->csr), sizeof *one->place);
    }
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .prepare = prepare, .logits = logits,
               .after_epoch = after_epoch, .widen = widen, .state = state),
    .name = "care-gnn",
    .version = "2.0",
    .summary = "neighbours of each relation, thinned by a share that follows a reward",
    .citation = "Dou, Liu, Sun, Deng, Peng, Yu. Enhancing Graph Neural Network-based Fraud Detectors against "
                "Camouflaged Fraudsters. CIKM 2020.",
    .problems = CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
