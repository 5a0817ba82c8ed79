// SPDX-License-Identifier: Apache-2.0
/* asymmetric: each class has its own, random, distribution of wrong labels.
 *
 *     P_ii = 1 - rate      P_ij = rate u_ij / sum_j u_ij      u_ij ~ U(0, 1), u_ii = 0
 *
 * The study's NumPy generator starts again from its seed between drawing P and drawing labels, so label draws reuse the
 * numbers that made P. */
#include "label-noise.h"

static cru_status apply(const cru_damage *d)
{
    const double rate = ((const rate_noise *)d->settings)->rate;
    noise_matrix m;
    cru_status status = noise_matrix_start(&m, d);
    if (status) return status;
    for (int32_t i = 0; i < m.classes; i++) {
        double *row = m.p + (int64_t)i * m.classes, sum = 0;
        for (int32_t j = 0; j < m.classes; j++) row[j] = cru_study_rng_uniform(&m.source);
        row[i] = 0;
        for (int32_t j = 0; j < m.classes; j++) sum += row[j];
        for (int32_t j = 0; j < m.classes; j++) row[j] = rate * row[j] / sum;
        row[i] = 1 - rate;
    }
    return noise_matrix_apply(&m);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(rate_noise, rate_noise_params),
    .name = "asymmetric",
    .version = "1.0",
    .summary = "label noise: a random distribution of wrong labels for each class",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = LABEL_NOISE_PROBLEMS,
};
