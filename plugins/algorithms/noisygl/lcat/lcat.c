// SPDX-License-Identifier: Apache-2.0
/* lcat: a layer between convolution, attention, and attention on convolved features, as two learned gates say.
 *
 *     z = W_2 drop(gated_attention(drop(W_1 x + b_1))) + b_2      (attention.h)
 *
 * Module gat_gcn2_v2 is the layer that a deep network is made of, with weight alpha of its input and ln(theta + 1) of
 * its map. In gat_gcn_v2 the sum over the neighbours is a mean in the benchmark (variant bench).
 *
 * Javaloy, Sanchez-Martin, Levi, Valera. Learnable Graph Convolutional Attention Networks. ICLR 2023. */
#include <math.h>

#include "attention.h"

typedef enum module { GAT_GCN_V2, GAT_GCN2_V2 } module;
static const char *const module_names[] = {"gat_gcn_v2", "gat_gcn2_v2", NULL};

typedef struct settings {
    int64_t variant, module, heads, hidden;
    double dropout, slope, alpha, theta;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: the mean of the neighbours where the sum is meant"),
    CRU_CHOICE(settings, module, GAT_GCN_V2, module_names, "the layer"),
    CRU_INT(settings, heads, 2, 1, 64, "of the attention", .search = CRU_ONE_OF(1, 2, 4, 8)),
    CRU_INT(settings, hidden, 64, 1, 65536, "width, of every head too; gat_gcn2_v2: of all heads together",
            .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "before and after the layer", .search = CRU_UNIFORM(0.1, 0.9)),
    CRU_FLOAT_KEY(settings, "negative_slope", slope, 0.2, 0, 1, "of the activation in the attention"),
    CRU_FLOAT(settings, alpha, 0.4, 0, 1, "gat_gcn2_v2: weight of the layer's input"),
    CRU_FLOAT(settings, theta, 0.1, 0, CRU_NO_MAX, "gat_gcn2_v2: of the weight of its map, ln(theta + 1)"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_fc in, out;
    gated_attention layer;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const bool deep = s->module == GAT_GCN2_V2;
    if (deep && s->hidden % s->heads) {
        cru_learner_refuse(l, "%lld heads do not divide a width of %lld", (long long)s->heads, (long long)s->hidden);
        return;
    }
    const gated_shape shape = {.in = s->hidden,
                               .width = deep ? s->hidden / s->heads : s->hidden,
                               .heads = s->heads,
                               .slope = s->slope,
                               .mean = !deep && s->variant == CRU_BENCH,
                               .deep = deep,
                               .keep = s->alpha,
                               .mix = log(s->theta + 1)};
    m->in = cru_fc_create(l->net, "in", l->x.cols, s->hidden);
    m->layer = gated_attention_create(l->net, &l->task->graph, &shape);
    m->out = cru_fc_create(l->net, "out", s->heads * shape.width, l->task->classes);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *x = cru_dropout(t, cru_fc_input(t, &m->in, &l->x), s->dropout);
    return cru_fc_apply(t, &m->out,
                        cru_represent(t, cru_dropout(t, gated_attention_apply(t, &m->layer, x), s->dropout)));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits),
    .name = "lcat",
    .version = "1.1",
    .summary = "learned gates between convolution and attention",
    .citation = "Javaloy, Sanchez-Martin, Levi, Valera. Learnable Graph Convolutional Attention Networks. ICLR 2023.",
    .categories = "GLN, structure",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
