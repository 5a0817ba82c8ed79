// SPDX-License-Identifier: Apache-2.0
/* uniform: a label becomes each other class with equal probability.
 *
 *     P_ii = 1 - rate      P_ij = rate / (C - 1)
 *
 * also known as symmetric noise. */
#include "label-noise.h"

/* The diagonal is then corrected by 1 minus its column's sum. That is 0 up to rounding, but the published study does
 * it, and a draw near a border depends on the last bit. */
static cru_status apply(const cru_damage *d)
{
    const double rate = ((const rate_noise *)d->settings)->rate;
    const int32_t classes = d->data->classes;
    noise_matrix m;
    cru_status status = noise_matrix_start(&m, d);
    if (status) return status;
    for (int32_t i = 0; i < classes; i++)
        for (int32_t j = 0; j < classes; j++) m.p[i * classes + j] = i == j ? 1 - rate : rate / (classes - 1);
    for (int32_t j = 0; j < classes; j++) {
        double sum = 0;
        for (int32_t i = 0; i < classes; i++) sum += m.p[i * classes + j];
        m.p[j * classes + j] = m.p[j * classes + j] + 1 - sum;
    }
    return noise_matrix_apply(&m);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(rate_noise, rate_noise_params),
    .name = "uniform",
    .version = "1.0",
    .summary = "label noise: every other class is equally likely",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = LABEL_NOISE_PROBLEMS,
};
