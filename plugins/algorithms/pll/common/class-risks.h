// SPDX-License-Identifier: Apache-2.0
/* class-risks.h: the risk of every class from complementary labels, for cll-nn and cll-ga.
 *
 *     A_k[j] = mean of -log p_ij over the rows i of the batch with k outside their set      pi: share of k among all such labels
 *     bench:  v_j = pi_j (sum_k A_k[j] - (K - 1) A_j[j])
 *     paper:  v_j = sum_k pi_k A_k[j] - (K - 1) pi_j A_j[j]
 *
 * over the classes k that are outside some set of the batch. The study's code weighs with the prior of the target class
 * j.
 *
 * Ishida, Niu, Menon, Sugiyama. Complementary-Label Learning for Arbitrary Losses and Models. ICML 2019. */
#ifndef PLL_CLASS_RISKS_H
#define PLL_CLASS_RISKS_H

#include "row-loss.h"

typedef struct class_risk_model {
    cru_tensor *prior, *unit; /* classes; classes x classes, the identity */
} class_risk_model;

void class_risks_build(cru_learner *l, void *model); /* a class_risk_model */

/* v, one per class; the number of pairs of each class in *counts. NULL for a batch without any pair. */
cru_tensor *class_risks(cru_learner *l, const class_risk_model *m, cru_tape *t, const cru_batch *batch,
                        cru_variant variant, cru_tensor **counts);

#endif
