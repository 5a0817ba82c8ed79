// SPDX-License-Identifier: Apache-2.0
/* gan-losses.h: the losses of drgcn.
 *
 * Z = softmax(scores) are class scores of nodes, G those that a generator made for some of them.
 *     L_gcn = mean over training nodes of CE(Z as if it were logits, y)
 *     L_kl  = mean over training nodes of sum_j (s^2 + Z^2 - 1) / 2 - ln s      s = softplus(Z + ln(e - 1))
 *     L_2   = mean of ||G_i - Z_q|| over the neighbours q of every i
 *     L_D   = mean(bce(real, 1) + bce(fake, 0)) + L_2      L_G = mean(bce(fake, 1)) + L_2 */
#ifndef IGL_GAN_LOSSES_H
#define IGL_GAN_LOSSES_H

#include <crucible/crucible.h>

/* (1 - alpha) L_gcn + alpha L_kl */
cru_tensor *gan_gcn_loss(cru_tape *t, cru_tensor *scores, const cru_targets *train, double alpha);
/* L_2. The study's matrix of all nodes beside each other is 0 but for neighbours, and divided by its mean. */
cru_tensor *gan_distance(cru_tape *t, cru_sparse *neighbours, cru_tensor *g, cru_tensor *z);
cru_tensor *gan_discriminator_loss(cru_tape *t, cru_tensor *real, cru_tensor *fake, cru_tensor *distance);
cru_tensor *gan_generator_loss(cru_tape *t, cru_tensor *fake, cru_tensor *distance);

#endif
