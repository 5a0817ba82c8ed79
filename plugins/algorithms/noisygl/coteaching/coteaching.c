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

typedef struct settings {
    int64_t variant, ramp;
    double noise_rate;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: exchange only where the networks disagree"),
    CRU_FLOAT(settings, noise_rate, 0.2, 0, 1, "share of large losses to leave out, r"),
    CRU_INT(settings, ramp, 10, 1, 1e9, "epochs until that share is reached"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.001, 5e-4),
    CRU_END,
};

/* Places of the k smallest. */
static cru_index smallest(cru_tape *t, cru_tensor *each, int64_t k)
{
    return cru_bottomk(t, cru_as_matrix(t, each, 1, cru_tensor_count(each)), k).ids;
}

static cru_tensor *mean_of(cru_tape *t, cru_tensor *each, cru_index places)
{
    return cru_mean(t, cru_gather(t, each, places), CRU_ALL);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z1)
{
    const twins *m = self;
    const settings *s = l->settings;
    cru_tensor *z2 = cru_gcn_stack_input(t, &m->second, l->adj, &l->x);
    const cru_targets targets = {.rows = &l->train_rows, .labels = l->train_labels};
    cru_tensor *l1 = cru_cross_entropy_each(t, z1, &targets), *l2 = cru_cross_entropy_each(t, z2, &targets);
    if (s->variant == CRU_BENCH) {
        cru_tensor *first = cru_gather(t, z1, l->train_rows), *second = cru_gather(t, z2, l->train_rows);
        const cru_index differ = agreement(t, first, second, false);
        l1 = cru_gather(t, l1, differ);
        l2 = cru_gather(t, l2, differ);
    }
    const double forget = s->noise_rate * (double)l->epoch / (double)s->ramp;
    const double keep = 1 - (forget < s->noise_rate ? forget : s->noise_rate);
    const int64_t k = (int64_t)(keep * (double)cru_tensor_count(l1));
    cru_tensor *second = mean_of(t, l2, smallest(t, l1, k));
    return cru_add(t, mean_of(t, l1, smallest(t, l2, k)), second);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, twins, .gcn = CRU_AT(settings, gcn), .labelled = true, .build = twins_build,
               .loss = loss),
    .name = "coteaching",
    .version = "2.0",
    .summary = "two networks teach each other with their small losses",
    .citation = "Han, Yao, Yu, Niu, Xu, Hu, Tsang, Sugiyama. Co-teaching: Robust Training of Deep Neural Networks with "
                "Extremely Noisy Labels. NeurIPS 2018.",
    .categories = "LLN, robust training",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
