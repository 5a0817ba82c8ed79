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

/* What to learn from. */
typedef struct auxiliary_job {
    const cru_data *data;
    const uint8_t *chosen; /* by item: whose labels are learned */
    uint64_t seed;
    cru_error *err;
} auxiliary_job;

/* Trains and writes items x classes logits. CRU_UNSUPPORTED without features or labels, and for a resnet on what is no
 * image; CRU_DIVERGED when the logits are not finite. */
cru_status auxiliary_learn(const auxiliary *settings, const auxiliary_job *job, float *logits);

#endif
