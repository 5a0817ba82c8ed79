// SPDX-License-Identifier: Apache-2.0
/* forward: train through an estimate of how labels were changed.
 *
 * A first network g learns from the labels as they are. For every class c the item of which g is surest, its anchor,
 * gives row c of the transition matrix: T_c = softmax(g(anchor of c)). A second network f is then trained so that its
 * prediction fits the labels after the transition:
 *
 *     u_n = clamp(softmax(f_n)) T      loss = - 1 / (|train| C) sum_n log u_n[label of n]      C classes
 *
 * and predicts without it. Division by C as well as by |train| is the benchmark's: its element-wise mean. Anchors are
 * searched in the logits of g with dropout, the matrix is read from those without.
 *
 * Patrini, Rozza, Menon, Nock, Qu. Making Deep Neural Networks Robust to Label Noise: a Loss Correction Approach. CVPR
 * 2017. */
#include "transition.h"

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    corrected *m = self;
    cru_tensor *p = cru_softmax(t, cru_gather(t, z, l->train_rows), 1);
    cru_tensor *u = cru_matmul(t, cru_clamp(t, p, 1e-5f, 1 - 1e-5f), m->transition); /* |train| x C */
    cru_tensor *each = cru_log(t, cru_pick(t, u, l->train_labels));
    return cru_scale(t, cru_mean(t, each, CRU_ALL), -1.0f / (float)l->task->classes);
}

CRU_PLUGIN = {
    CORRECTED_METHOD(loss),
    .name = "forward",
    .version = "2.1",
    .summary = "loss corrected forward by an estimated transition matrix",
    .citation = CORRECTED_CITATION,
    .categories = "LLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
