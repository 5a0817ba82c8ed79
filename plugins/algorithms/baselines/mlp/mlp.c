// SPDX-License-Identifier: Apache-2.0
/* mlp: a perceptron on the features alone; what a graph or a damaged label set must beat.
 *
 *     one layer:  logits = X W + b
 *     two layers: logits = Drop(act(X W_1 + b_1)) W_2 + b_2      and so on
 *
 * Baselines mlp-1 (beside sgc) and mlp-2 (beside gcn) of
 * Luan et al. The Heterophilic Graph Learning Handbook. 2024. */
#include <crucible/crucible.h>

typedef struct settings {
    cru_mlp_shape mlp; /* all but in, out, no_bias, draw and act */
    int64_t draw, activation;
    bool bias, one_logit;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT_KEY(settings, "layers", mlp.layers, 2, 1, CRU_MAX_LAYERS, "linear layers"),
    CRU_INT_KEY(settings, "hidden", mlp.hidden, 64, 1, 65536, "width between them",
                .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_FLOAT_KEY(settings, "dropout", mlp.dropout, 0.5, 0, 0.99, "after each activation",
                  .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "between layers"),
    CRU_BOOL_KEY(settings, "input_dropout", mlp.input_dropout, false, "the same dropout on the features"),
    CRU_BOOL_KEY(settings, "batch_norm", mlp.batch_norm, false, "batch normalisation before each activation"),
    CRU_BOOL_KEY(settings, "norm_last", mlp.norm_last, false, "batch normalisation after each activation instead"),
    CRU_BOOL(settings, bias, true, "a bias in every layer"),
    CRU_CHOICE(settings, draw, CRU_DRAW_FAN_IN, cru_draw_names, "how weights and biases start"),
    CRU_ONE_LOGIT(settings, one_logit),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

static void build(cru_learner *l, void *self)
{
    cru_mlp *mlp = self;
    const settings *s = l->settings;
    cru_mlp_shape shape = s->mlp;
    shape.in = l->x.cols, shape.out = cru_outputs(l->task, s->one_logit);
    shape.no_bias = !s->bias, shape.draw = (cru_draw)s->draw, shape.act = cru_activations[s->activation];
    *mlp = cru_mlp_create(l->net, "mlp", &shape);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    return cru_mlp_input(t, self, &l->x);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, cru_mlp, .build = build, .logits = logits),
    .name = "mlp",
    .version = "2.0",
    .summary = "perceptron on the features alone",
    .citation = "Luan et al. The Heterophilic Graph Learning Handbook. 2024.",
    .problems = CRU_NODES | CRU_ANOMALY | CRU_ROWS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
