// SPDX-License-Identifier: Apache-2.0
/* r2lp: labels spread over a graph that is reconstructed from representations, and the sure ones are learned from.
 *
 *     H = linear(Drop(relu(delta (X' W1 + b1) + (1 - delta) (A W3 + b3))))      A = rows of A + I over their sums
 *     x_0 = H      x_i+1 = reconstruct(x_i) (reconstruction.h), norm_layers times      scores x
 *     loss = mean cross-entropy of the clean items with their labels
 *
 * At first no item is clean and all training items are unknown. After every `round` epochs, with the best weights so
 * far:
 *     y = d softmax(x) + m Y_clean + l Y_unknown      F = spread_labels(y) with weight alpha1
 *     d = (1 - a1)(1 - a2)(1 - a3), m = (1 - a1) a2, l = (1 - a1)(1 - a2) a3
 * and the share `select` of the unknown items with the largest number in F become clean, labelled by it. X' are the
 * features divided by the sum of their row.
 *
 * bench: Y_clean stays 0, and Y_unknown holds the labels of all training items, also of those that became clean. paper:
 * both hold the labels of their items. The benchmark takes the first half of all nodes as unknown, with labels of test
 * nodes; those are never shown to a method here.
 *
 * Cheng, Shan, Shen, Li, Luo, Li. Resurrecting Label Propagation for Graphs with Heterophily and Label Noise. KDD
 * 2024. */
#include <math.h>

#include "reconstruction.h"

typedef struct settings {
    int64_t variant, round, orders, norm_layers, hidden;
    double alpha, beta, gamma, delta, alpha1, alpha2, alpha3, select, dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: labels of clean items are spread as those of unknown ones"),
    CRU_FLOAT(settings, alpha, 0, 0, CRU_NO_MAX, "of the closed form"),
    CRU_FLOAT(settings, beta, 1, 1e-3, 1e6, "weight of the graph as it is", .search = CRU_LOG_UNIFORM(0.1, 1000)),
    CRU_FLOAT(settings, gamma, 0.5, 0, 0.99, "weight of the first representation", .search = CRU_UNIFORM(0.1, 0.9)),
    CRU_FLOAT(settings, delta, 0, 0, 1, "share of features against rows of the graph"),
    CRU_FLOAT(settings, alpha1, 0.5, 0, 1, "weight of what is spread", .search = CRU_UNIFORM(0.1, 1)),
    CRU_FLOAT(settings, alpha2, 0.5, 0, 1, "share of clean labels", .search = CRU_UNIFORM(0.1, 1)),
    CRU_FLOAT(settings, alpha3, 0.5, 0, 1, "share of unknown labels in the rest", .search = CRU_UNIFORM(0.1, 1)),
    CRU_FLOAT(settings, select, 0.5, 0, 1, "share of unknown items that become clean in a round"),
    CRU_INT(settings, round, 200, 1, 1e9, "epochs of a round"),
    CRU_INT(settings, orders, 1, 1, 64, "powers of the graph"),
    CRU_INT(settings, norm_layers, 2, 0, 64, "reconstructions"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width", .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "of the hidden layer", .search = CRU_UNIFORM(0.1, 0.9)),
    CRU_TRAIN_SETTINGS(settings, train, 2000, 0.01, 1e-6),
    CRU_END,
};

typedef struct model {
    cru_input features, rows; /* X'; A as features of its rows */
    closed_form form;
    cru_fc fc1, fc2, fc3;
    int32_t *clean, *unknown, *label; /* item ids; the labels of the clean ones */
    int64_t clean_count, unknown_count;
} model;

static cru_input scaled_features(cru_learner *l)
{
    const cru_features *x = &l->task->x;
    cru_csr all = x->sparse;
    if (x->dense) all = cru_csr_from_dense(cru_ctx_pool(l->ctx), x->dense, x->rows, x->cols);
    double *factor = cru_ctx_alloc(l->ctx, x->rows, sizeof *factor);
    cru_csr_row_sums(&all, factor);
    for (int64_t i = 0; i < x->rows; i++) factor[i] = factor[i] != 0 ? 1 / factor[i] : 0;
    all = cru_csr_scale(cru_ctx_pool(l->ctx), &all, factor, NULL);
    return cru_input_create(l->ctx, &(cru_features){.rows = x->rows, .cols = x->cols, .sparse = all});
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_ids train = l->task->split.train;
    const int64_t n = l->task->nodes;
    const cru_csr walk = cru_adjacency_graph(l->ctx, &l->task->graph, &(cru_adjacency){CRU_LOOPS_ADD, CRU_NORM_ROW});
    m->features = scaled_features(l);
    m->rows = cru_input_create(l->ctx, &(cru_features){.rows = n, .cols = n, .sparse = walk});
    m->form = (closed_form){s->alpha, s->beta, s->gamma, s->orders, cru_sparse_create(l->ctx, &walk)};
    m->fc1 = cru_fc_create(l->net, "fc1", l->x.cols, s->hidden);
    m->fc2 = cru_fc_create(l->net, "fc2", s->hidden, l->task->classes);
    m->fc3 = cru_fc_create(l->net, "fc3", n, s->hidden);
    m->clean = cru_ctx_alloc(l->ctx, train.count, sizeof *m->clean);
    m->label = cru_ctx_alloc(l->ctx, train.count, sizeof *m->label);
    m->unknown = cru_ctx_alloc(l->ctx, train.count, sizeof *m->unknown);
    m->unknown_count = train.count;
    for (int64_t i = 0; i < train.count; i++) m->unknown[i] = train.ids[i];
}

/* H */
static cru_tensor *represent(cru_learner *l, const model *m, cru_tape *t)
{
    const settings *s = l->settings;
    cru_tensor *own = cru_fc_input(t, &m->fc1, &m->features), *near = cru_fc_input(t, &m->fc3, &m->rows);
    cru_tensor *u = cru_dropout(t, cru_relu(t, cru_lerp(t, near, own, s->delta)), s->dropout);
    return cru_fc_apply(t, &m->fc2, cru_represent(t, u));
}

static cru_tensor *finish(cru_learner *l, const model *m, cru_tape *t, cru_tensor *h)
{
    const settings *s = l->settings;
    cru_tensor *x = h;
    for (int64_t i = 0; i < s->norm_layers; i++) x = reconstruct(t, &m->form, x, h);
    return x;
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return finish(l, m, t, represent(l, m, t));
}

/* One-hot labels of some items among zeros, times a weight, added to y: items x classes, host. */
typedef struct labelled_items {
    const int32_t *ids, *labels; /* labels NULL: the observed ones */
    int64_t count;
    double weight;
} labelled_items;
static void add_labels(const cru_task *task, const labelled_items *from, float *y)
{
    for (int64_t i = 0; i < from->count; i++) {
        const int32_t label = from->labels ? from->labels[i] : task->labels[from->ids[i]];
        y[from->ids[i] * task->classes + label] += (float)from->weight;
    }
}

/* F, host */
static const float *spread(cru_learner *l, const model *m, cru_tape *t)
{
    const settings *s = l->settings;
    const double left = 1 - s->alpha1, rest = left * (1 - s->alpha2);
    const int64_t items = l->task->items, classes = l->task->classes;
    float *y = cru_tape_alloc(t, items * classes, sizeof *y);
    labelled_items unknown = {m->unknown, NULL, m->unknown_count, rest * s->alpha3};
    if (s->variant == CRU_PAPER)
        add_labels(l->task, &(labelled_items){m->clean, m->label, m->clean_count, left * s->alpha2}, y);
    else
        unknown.ids = l->task->split.train.ids, unknown.count = l->task->split.train.count;
    add_labels(l->task, &unknown, y);
    cru_tensor *h = represent(l, m, t), *x = finish(l, m, t, h);
    cru_tensor *known = cru_tensor_upload(t, cru_2d(items, classes), y);
    cru_tensor *start = cru_plus(t, known, rest * (1 - s->alpha3), cru_softmax(t, x, 1));
    return cru_tensor_host(t, spread_labels(t, &m->form, x, h, start, s->alpha1));
}

static int32_t top(const float *row, int32_t classes)
{
    int32_t best = 0;
    for (int32_t c = 1; c < classes; c++)
        if (row[c] > row[best]) best = c;
    return best;
}

/* Moves the surest of the unknown items to the clean ones; equals in their order. */
static void clean_more(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    const int32_t classes = l->task->classes;
    if (l->kept) cru_snapshot_restore(l->best[0]);
    cru_tape_begin(l->tape, CRU_EVAL);
    const float *f = spread(l, m, l->tape);
    for (int64_t take = (int64_t)((double)m->unknown_count * s->select); take > 0; take--) {
        int64_t best = 0;
        float most = -INFINITY;
        for (int64_t i = 0; i < m->unknown_count; i++) {
            const float *row = f + m->unknown[i] * (int64_t)classes, value = row[top(row, classes)];
            if (value > most) most = value, best = i;
        }
        const int32_t item = m->unknown[best];
        m->clean[m->clean_count] = item;
        m->label[m->clean_count++] = top(f + item * (int64_t)classes, classes);
        m->unknown_count--;
        for (int64_t i = best; i < m->unknown_count; i++) m->unknown[i] = m->unknown[i + 1];
    }
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    if (l->epoch > 0 && l->epoch % s->round == 0) clean_more(l, m);
    cru_tape_begin(t, CRU_TRAIN);
    const cru_index rows = cru_index_step(t, m->clean, m->clean_count);
    const cru_targets targets = {.rows = &rows, .labels = cru_index_step(t, m->label, m->clean_count)};
    return cru_learner_step(l, l->optim, cru_cross_entropy(t, logits(l, m, t), &targets));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .state = cru_no_state),
    .name = "r2lp",
    .version = "1.1",
    .summary = "label propagation over a reconstructed graph cleans the labels",
    .citation = "Cheng, Shan, Shen, Li, Luo, Li. Resurrecting Label Propagation for Graphs with Heterophily and Label "
                "Noise. KDD 2024.",
    .categories = "GLN, robust training",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
