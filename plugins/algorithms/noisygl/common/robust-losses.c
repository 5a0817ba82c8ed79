// SPDX-License-Identifier: Apache-2.0
/* Losses that tolerate wrong labels. */
#include "robust-losses.h"

cru_tensor *reverse_cross_entropy(cru_tape *t, cru_tensor *z, cru_index labels)
{
    cru_tensor *p = cru_clamp(t, cru_softmax(t, z, 1), 1e-7, 1);
    cru_tensor *y = cru_clamp(t, cru_one_hot(t, labels, cru_tensor_cols(z)), 1e-4, 1);
    return cru_neg(t, cru_mean(t, cru_dot_rows(t, p, cru_log(t, y)), CRU_ALL));
}
