// SPDX-License-Identifier: Apache-2.0
#include "generated.h"

#include <crucible/draft/ops-basic.h>

generated generated_mix(cru_tape *t, cru_tensor *out, cru_tensor *minority)
{
    cru_tensor *weights = cru_softmax(t, out, 1);
    return (generated){weights, cru_matmul(t, weights, minority)};
}

cru_tensor *mean_distance(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return cru_mean(t, cru_sqrt(t, cru_clamp(t, cru_distance_matrix(t, a, b), 1e-12, CRU_NO_MAX)), CRU_ALL);
}

int64_t generated_edges(const float *weights, int64_t count, int64_t size, int32_t *node, int32_t *other)
{
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < size; j++) {
            if (!(weights[i * size + j] > 1 / (float)size)) continue;
            node[found] = (int32_t)i;
            other[found++] = (int32_t)j;
        }
    return found;
}
