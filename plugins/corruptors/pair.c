// SPDX-License-Identifier: Apache-2.0
/* pair: a label becomes the neighbouring class.
 *
 *     P_ii = 1 - rate      P_i,i-1 = rate      class 0 becomes the last one
 *
 * The published study steps down; other work steps up. */
#include "label-noise.h"

typedef struct settings {
    label_noise noise; /* first */
    double rate;
    int64_t direction;
} settings;

static const char *const directions[] = {"down", "up", NULL};

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, 1, "probability that a label changes"),
    CRU_CHOICE(settings, direction, 0, directions, "to the class before or after"),
    CRU_GROUP(settings, noise, label_noise_params),
    CRU_END,
};

static cru_status apply(const cru_damage *d)
{
    const settings *s = d->settings;
    const int32_t classes = d->data->classes, step = s->direction ? 1 : classes - 1;
    noise_matrix m;
    cru_status status = noise_matrix_start(&m, d);
    if (status) return status;
    for (int32_t i = 0; i < classes; i++) {
        m.p[i * classes + (i + step) % classes] = s->rate;
        m.p[i * classes + i] = 1 - s->rate;
    }
    return noise_matrix_apply(&m);
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "pair",
    .version = "1.0",
    .summary = "label noise: the neighbouring class",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = LABEL_NOISE_PROBLEMS,
};
