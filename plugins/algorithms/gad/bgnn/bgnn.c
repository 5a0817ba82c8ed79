// SPDX-License-Identifier: Apache-2.0
/* bgnn: boosted trees and a gcn in turn; what the gcn would change of its input is what the next trees learn.
 *
 *     Z = [X | g]      H_0 = Z      H_l = act(D_in^-1/2 A D_out^-1/2 H_l-1 W_l + b_l)      logits = H_L W_o + b_o
 *
 * An epoch:
 *   1. first: trees learn the classes of the training rows from X, g = their probabilities for all nodes; later: trees
 *      learn Delta from X, and g grows by what they say;
 *   2. Z = [X | g], then `steps` steps of Adam on the gcn and on Z; the moments of Z stay from epoch to epoch;
 *   3. Delta = the change of Z's last columns in the training rows; when its sum is 0 the learning is over.
 *
 * The study's trees are CatBoost's; here they are symmetric trees of our own (oblivious.h), without sampling, so that
 * scores agree with the study's as a whole and not to the digit. The loss of the gcn weighs the rare class up.
 *
 * Ivanov, Prokhorenkova. Boost then Convolve: Gradient Boosting Meets Graph Neural Networks. ICLR 2021. */
#include <math.h>
#include <string.h>

#include "oblivious.h"
#include "views.h"

typedef struct settings {
    int64_t layers, hidden, activation, depth, steps;
    double tree_lr;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_WIDTH(settings, hidden, 32, .search = CRU_ONE_OF(16, 32, 64)),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "of the convolutions", .search = CRU_ANY_CHOICE),
    CRU_INT(settings, depth, 6, 1, OBLIVIOUS_DEPTH, "of a tree", .search = CRU_ONE_OF(4, 5, 6, 7)),
    CRU_INT(settings, steps, 10, 1, 1e6, "trees, and steps of the gcn, in an epoch",
            .search = CRU_ONE_OF(2, 5, 10, 20)),
    CRU_FLOAT(settings, tree_lr, 0.1, 0, 1, "share of a tree that is added", .search = CRU_LOG_UNIFORM(0.01, 0.3162)),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct model {
    encoder encoder;
    cru_sparse *adj;
    cru_fc out;
    cru_tensor *z;       /* n x (d + classes), learned */
    float *input;        /* [X | g], host */
    double *sum, *fresh; /* g, and what the last trees said: n x classes */
    double *targets;     /* training rows x classes */
    oblivious_rows rows;
    oblivious *trees;
    bool over;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t n = l->task->nodes, c = l->task->classes, d = l->x.cols;
    m->adj = view_create(l->ctx, &l->task->graph);
    m->encoder = encoder_create(l->net, d + c, s->hidden, s->layers);
    m->encoder.act = cru_activations[s->activation];
    m->out = cru_fc_create(l->net, "out", s->hidden, c);
    m->z = cru_net_weight(cru_learner_net(l, "input"), "input", cru_2d(n, d + c), (cru_init){.kind = CRU_INIT_ZEROS});
    m->input = cru_ctx_alloc(l->ctx, n * (d + c), sizeof *m->input);
    m->sum = cru_ctx_alloc(l->ctx, n * c, sizeof *m->sum);
    m->fresh = cru_ctx_alloc(l->ctx, n * c, sizeof *m->fresh);
    m->targets = cru_ctx_alloc(l->ctx, l->task->split.train.count * c, sizeof *m->targets);
    cru_tape_begin(l->tape, CRU_EVAL);
    const float *x = cru_tensor_host(l->tape, cru_input_dense(l->tape, &l->x));
    for (int64_t i = 0; i < n; i++) memcpy(m->input + i * (d + c), x + i * d, (size_t)d * sizeof *x);
    cru_tensor_set(l->ctx, m->z, m->input);
    m->rows = oblivious_cut(l->ctx, &(cru_dense){n, d, x}, l->task->split.train);
    m->trees = oblivious_create(l->ctx, &m->rows, &(oblivious_shape){s->steps, s->depth, c, s->tree_lr, 3});
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    (void)l;
    const cru_input z = cru_input_of(m->z);
    return cru_fc_apply(t, &m->out, cru_represent(t, encoder_apply(t, &m->encoder, m->adj, &z)));
}

/* Trees on the classes, or on Delta, which is in `targets`; then Z = [X | g]. */
static void grow(cru_learner *l, model *m)
{
    const int64_t n = l->task->nodes, c = l->task->classes, d = l->x.cols;
    const cru_ids train = l->task->split.train;
    for (int64_t i = 0; l->epoch == 0 && i < train.count; i++)
        for (int64_t j = 0; j < c; j++) m->targets[i * c + j] = l->task->labels[train.ids[i]] == j;
    oblivious_fit(m->trees, l->epoch == 0, m->targets, m->fresh);
    for (int64_t i = 0; i < n * c; i++) {
        m->sum[i] += m->fresh[i];
        m->input[i / c * (d + c) + d + i % c] = (float)m->sum[i];
    }
    cru_tensor_set(l->ctx, m->z, m->input);
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t c = l->task->classes, d = l->x.cols;
    const cru_ids train = l->task->split.train;
    double loss = NAN, change = 0;
    if (m->over || !train.count) return NAN;
    grow(l, m);
    for (int64_t i = 0; i < s->steps; i++) {
        cru_tape_begin(l->tape, CRU_TRAIN);
        loss = cru_learner_step(l, l->optim, cru_learner_loss(l, l->tape, logits(l, m, l->tape)));
    }
    cru_tape_begin(l->tape, CRU_EVAL);
    const float *z = cru_tensor_host(l->tape, m->z);
    for (int64_t i = 0; i < train.count * c; i++) {
        const int64_t at = train.ids[i / c] * (d + c) + d + i % c;
        change += m->targets[i] = (double)z[at] - (double)m->input[at];
    }
    m->over = fabs(change) <= 1e-8;
    return loss;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .epoch = epoch, .labelled = true,
               .state = cru_no_state),
    .name = "bgnn",
    .version = "1.0",
    .summary = "boosted trees and a gcn that learn from each other in turn",
    .citation = "Ivanov, Prokhorenkova. Boost then Convolve: Gradient Boosting Meets Graph Neural Networks. ICLR 2021.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
