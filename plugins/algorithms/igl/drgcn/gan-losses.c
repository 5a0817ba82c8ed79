// SPDX-License-Identifier: Apache-2.0
#include "gan-losses.h"

#include <math.h>

cru_tensor *gan_gcn_loss(cru_tape *t, cru_tensor *scores, const cru_targets *train, double alpha)
{
    cru_tensor *z = cru_softmax(t, scores, 1), *labelled = cru_gather(t, z, *train->rows);
    cru_tensor *s = cru_softplus(t, cru_affine(t, labelled, 1, log(exp(1) - 1)));
    cru_tensor *squares = cru_add(t, cru_square(t, s), cru_square(t, labelled));
    cru_tensor *kl = cru_sub(t, cru_affine(t, squares, 0.5, -0.5), cru_log(t, s));
    cru_tensor *weighted = cru_scale(t, cru_mean(t, cru_sum(t, kl, 1), CRU_ALL), alpha);
    return cru_plus(t, weighted, 1 - alpha, cru_cross_entropy(t, z, train));
}

cru_tensor *gan_distance(cru_tape *t, cru_sparse *neighbours, cru_tensor *g, cru_tensor *z)
{
    cru_tensor *made = cru_edge_dst(t, neighbours, g), *theirs = cru_edge_src(t, neighbours, z);
    return cru_mean(t, cru_norm_l2(t, cru_sub(t, made, theirs), 1, 1e-12), CRU_ALL);
}

cru_tensor *gan_discriminator_loss(cru_tape *t, cru_tensor *real, cru_tensor *fake, cru_tensor *distance)
{
    cru_tensor *of_real = cru_softplus(t, cru_neg(t, real)), *of_fake = cru_softplus(t, fake);
    return cru_add(t, cru_mean(t, cru_add(t, of_real, of_fake), CRU_ALL), distance);
}

cru_tensor *gan_generator_loss(cru_tape *t, cru_tensor *fake, cru_tensor *distance)
{
    return cru_add(t, cru_mean(t, cru_softplus(t, cru_neg(t, fake)), CRU_ALL), distance);
}
