// SPDX-License-Identifier: Apache-2.0
#include "always-drop.h"

cru_tensor *always_drop(cru_learner *l, cru_tape *t, cru_tensor *x, double p, int64_t place)
{
    if (p == 0 || cru_tape_mode(t) == CRU_TRAIN) return cru_dropout(t, x, p);
    const int64_t count = cru_tensor_count(x);
    float *mask = cru_tape_alloc(t, count, sizeof *mask);
    cru_rng rng = cru_rng_stream(l->task->seed, "judging", (uint64_t)(l->epoch * CRU_MAX_LAYERS + place));
    cru_rng_fill_uniform(&rng, mask, count, 0, 1);
    for (int64_t i = 0; i < count; i++) mask[i] = (double)mask[i] < p ? 0 : (float)(1 / (1 - p));
    return cru_mul(t, x, cru_tensor_upload(t, cru_shape_of(x), mask));
}
