// SPDX-License-Identifier: Apache-2.0
/* robust-losses.h: losses that tolerate wrong labels. */
#ifndef PLUGINS_ROBUST_LOSSES_H
#define PLUGINS_ROBUST_LOSSES_H

#include <crucible/crucible.h>

/* Reverse cross-entropy, mean over rows i of - sum_k p_ik log y_ik, where p = clamp(softmax(z), 1e-7, 1) and y is the
 * one-hot label clamped to [1e-4, 1]. z: n x c, labels: n */
cru_tensor *reverse_cross_entropy(cru_tape *t, cru_tensor *z, cru_index labels);

#endif
