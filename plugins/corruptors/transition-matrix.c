// SPDX-License-Identifier: Apache-2.0
/* transition-matrix: labels redrawn by a matrix that the experiment gives, row by row.
 *
 *     P(label = j | label before = i) = P_ij */
#include <math.h>

#include "label-noise.h"

typedef struct settings {
    label_noise noise; /* first */
    cru_list matrix;
} settings;

static const cru_param schema[] = {
    CRU_LIST(settings, matrix, "", 0, 1, "P, classes x classes numbers, row after row"),
    CRU_GROUP(settings, noise, label_noise_params),
    CRU_END,
};

static cru_status apply(const cru_damage *d)
{
    const cru_list matrix = ((const settings *)d->settings)->matrix;
    const int64_t classes = d->data->classes;
    noise_matrix m;
    cru_status status = noise_matrix_start(&m, d);
    if (status) return status;
    if (matrix.count != classes * classes)
        return cru_fail(d->err, CRU_BAD_INPUT, "matrix has %lld numbers, and %lld classes need %lld",
                        (long long)matrix.count, (long long)classes, (long long)(classes * classes));
    for (int64_t i = 0; i < classes; i++) {
        double sum = 0;
        for (int64_t j = 0; j < classes; j++) sum += matrix.values[i * classes + j];
        if (fabs(sum - 1) > 1e-6)
            return cru_fail(d->err, CRU_BAD_INPUT, "row %lld of the matrix sums to %g, not to 1", (long long)i, sum);
        for (int64_t j = 0; j < classes; j++) m.p[i * classes + j] = matrix.values[i * classes + j] / sum;
    }
    return noise_matrix_apply(&m);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "transition-matrix",
    .version = "1.0",
    .summary = "label noise: a transition matrix of your own",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = LABEL_NOISE_PROBLEMS,
};
