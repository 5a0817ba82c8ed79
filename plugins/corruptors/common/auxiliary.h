// SPDX-License-Identifier: Apache-2.0
/* auxiliary.h: a network that learns the annotated labels, for damage that should look like honest confusion.
 *
 *     mlp      x -> hidden, ReLU -> classes      on the features of an item (for graphs: the mean over their nodes)
 *     resnet   ResNet-32 on images
 *
 * Trained with Adam and cross-entropy in minibatches. */
#ifndef CORRUPTORS_AUXILIARY_H
#define CORRUPTORS_AUXILIARY_H

#include <crucible/plugin.h>

typedef struct auxiliary {
    int64_t network, hidden, epochs, batch;
    double lr, weight_decay;
} auxiliary;

extern const cru_param auxiliary_params[]; /* keys network, hidden, epochs, batch, lr, weight_decay; for CRU_GROUP */

/* Trains on the labels of the items that are marked in `chosen` and writes items x classes logits. Takes one number of
 * the damage's stream, for its seed. CRU_UNSUPPORTED without features or labels, and for a resnet on what is no
 * image; CRU_DIVERGED when the logits are not finite. */
cru_status auxiliary_learn(const auxiliary *settings, const cru_damage *d, const uint8_t *chosen, float *logits);

#endif
