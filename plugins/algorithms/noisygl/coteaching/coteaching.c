// SPDX-License-Identifier: Apache-2.0
/* coteaching: two networks choose for each other the items with small loss.
 *
 *     D = training items, of which k = floor((1 - r min(e / ramp, 1)) |D|) are used in epoch e
 *     I_1 (I_2) = the k items of D with the smallest loss l1 (l2) of the first (second) network
 *     loss = mean of l1 over I_2 + mean of l2 over I_1
 *
 * In the benchmark's variant D holds only the training items on which the networks disagree, as in Co-teaching+; where
 * there are none, only weight decay acts. The first network predicts.
 *
 * Han, Yao, Yu, Niu, Xu, Hu, Tsang, Sugiyama. Co-teaching: Robust Training of Deep Neural Networks with Extremely Noisy
 * Labels. NeurIPS 2018. Yu, Han, Yao, Niu, Tsang, Sugiyama. How does Disagreement Help Generalization against Label
 * Corruption? ICML 2019. */
#include "noisy-labels.h"

enum { PROBLEMS = CRU_NODES };

typedef struct settings {
    int64_t variant, ramp;
    double noise_rate;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, variant, VARIANT_BENCH, variant_names, "bench: exchange only where the networks disagree"),
    CRU_FLOAT(settings, noise_rate, 0.2, 0, 1, "share of large losses to leave out, r"),
    CRU_INT(settings, ramp, 10, 1, 1e9, "epochs until that share is reached"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.001, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_sparse *adj;
    cru_gcn_stack first, second;
} model;

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    m->adj = cru_adjacency_create(m->base.ctx, &m->base.task->graph, &s->gcn.adjacency);
    m->first = cru_learner_gcn(&m->base, m->base.net, &s->gcn);
    m->second = cru_learner_gcn(&m->base, cru_learner_net(&m->base, "second"), &s->gcn);
    return cru_ctx_status(m->base.ctx);
}

static cru_tensor *logits(void *self, cru_tape *t)
{
    model *m = self;
    return cru_gcn_stack_input(t, &m->first, m->adj, &m->base.x);
}

/* Places of the k smallest. */
static cru_index smallest(cru_tape *t, cru_tensor *each, int64_t k)
{
    return cru_bottomk(t, cru_as_matrix(t, each, 1, cru_tensor_count(each)), k).ids;
}

static cru_tensor *mean_of(cru_tape *t, cru_tensor *each, cru_index places)
{
    return cru_mean(t, cru_gather(t, each, places), CRU_ALL);
}

static cru_tensor *loss(void *self, cru_tape *t, cru_tensor *z1)
{
    model *m = self;
    const settings *s = m->base.settings;
    cru_tensor *z2 = cru_gcn_stack_input(t, &m->second, m->adj, &m->base.x);
    const cru_targets targets = {.rows = &m->base.train_rows, .labels = m->base.train_labels};
    cru_tensor *l1 = cru_cross_entropy_each(t, z1, &targets), *l2 = cru_cross_entropy_each(t, z2, &targets);
    if (s->variant == VARIANT_BENCH) {
        cru_index differ =
            agreement(t, cru_gather(t, z1, m->base.train_rows), cru_gather(t, z2, m->base.train_rows), false);
        l1 = cru_gather(t, l1, differ);
        l2 = cru_gather(t, l2, differ);
    }
    const double forget = s->noise_rate * (double)m->base.epoch / (double)s->ramp;
    const double keep = 1 - (forget < s->noise_rate ? forget : s->noise_rate);
    const int64_t k = (int64_t)(keep * (double)cru_tensor_count(l1));
    return cru_add(t, mean_of(t, l1, smallest(t, l2, k)), mean_of(t, l2, smallest(t, l1, k)));
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .labelled = true,
                                  .build = build,
                                  .logits = logits,
                                  .loss = loss};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "coteaching",
    .version = "1.0",
    .summary = "two networks teach each other with their small losses",
    .citation = "Han, Yao, Yu, Niu, Xu, Hu, Tsang, Sugiyama. Co-teaching: Robust Training of Deep Neural Networks with "
                "Extremely Noisy Labels. NeurIPS 2018.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
