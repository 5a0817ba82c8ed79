// SPDX-License-Identifier: Apache-2.0
/* blobs: Gaussian clouds, one or more a class: the simplest tabular task.
 *
 *     x = centre + spread N(0, I),     centres uniform in [-1, 1]^d scaled by `box` */
#include <stdlib.h>

#include <crucible/crucible.h>

#include "generate.h"

typedef struct settings {
    int64_t rows, classes, features, clouds;
    double box, spread, imbalance;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, rows, 1000, 1, GENERATE_MOST, "rows of the table"),
    CRU_INT(settings, classes, 3, 1, 10000, "classes"),
    CRU_INT(settings, features, 2, 1, 1e6, "feature columns"),
    CRU_INT(settings, clouds, 1, 1, 1000, "clouds a class; more make the classes hard to part by a line"),
    CRU_FLOAT(settings, box, 5, 0, 1e6, "centres lie in a cube of twice this width"),
    CRU_FLOAT(settings, spread, 1, 0, 1e6, "standard deviation of a cloud"),
    CRU_FLOAT(settings, imbalance, 1, 1, 1e6, "size of the largest class over that of the smallest"),
    CRU_END,
};

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    if (s->rows < s->classes) return cru_fail(l->err, CRU_BAD_INPUT, "blobs: fewer rows than classes");
    cru_status status = generate_begin(data, CRU_ROWS, s->rows, s->classes, l->err);
    if (status) return status;
    int64_t *sizes = cru_data_alloc(data, s->classes, sizeof *sizes);
    int64_t clouds = s->classes * s->clouds;
    float *centre = cru_data_alloc(data, clouds * s->features, sizeof *centre);
    float *x = generate_dense(data, s->features, l->err);
    if (!sizes || !centre || !x) return cru_fail(l->err, CRU_NO_MEMORY, "blobs: no memory");

    cru_rng rng = cru_rng_stream(l->source->seed, "blobs", 0);
    generate_class_sizes(s->rows, s->classes, s->imbalance, sizes);
    status = generate_classes(data, sizes, &rng, l->err);
    if (status) return status;
    cru_rng_fill_uniform(&rng, centre, clouds * s->features, (float)-s->box, (float)s->box);
    cru_rng_fill_normal(&rng, x, s->rows * s->features, 0, (float)s->spread);
    for (int64_t i = 0; i < s->rows; i++) {
        const float *mean = centre + (data->truth[i] * s->clouds + cru_rng_below(&rng, s->clouds)) * s->features;
        for (int64_t j = 0; j < s->features; j++) x[i * s->features + j] += mean[j];
    }
    generate_end(data);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "blobs",
    .version = "1.0",
    .summary = "rows from Gaussian clouds",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_ROWS,
};
