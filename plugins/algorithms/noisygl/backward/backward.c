// SPDX-License-Identifier: Apache-2.0
/* backward: mix the losses of all classes by the inverse of an estimated transition.
 *
 * The transition T is estimated as in forward, from a first network's anchors. A second network f is trained with
 *
 *     loss = - 1 / (|train| C) sum_n sum_k K[label of n, k] log softmax(f_n)_k      K = T^+      C classes
 *
 * which may be negative without bound where T is ill-conditioned, and predicts.
 *
 * Patrini, Rozza, Menon, Nock, Qu. Making Deep Neural Networks Robust to Label Noise: a Loss Correction Approach. CVPR
 * 2017. */
#include "transition.h"

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    corrected *m = self;
    return backward_corrected(l, t, z, m->transition);
}

CRU_PLUGIN = {
    CORRECTED_METHOD(loss),
    .name = "backward",
    .version = "1.1",
    .summary = "loss corrected backward by an estimated transition matrix",
    .citation = CORRECTED_CITATION,
    .categories = "LLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
