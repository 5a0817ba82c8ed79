// SPDX-License-Identifier: Apache-2.0
/* moons: two interleaved half circles in the plane, the smallest task that no line can solve.
 *
 *     class 0: (cos t, sin t)      class 1: (1 - cos t, 1/2 - sin t)      t uniform in [0, pi], plus noise N(0, I) */
#include <math.h>

#include <crucible/crucible.h>

#include "generate.h"

typedef struct settings {
    int64_t rows;
    double noise, imbalance;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, rows, 1000, 2, GENERATE_MOST, "rows of the table"),
    CRU_FLOAT(settings, noise, 0.1, 0, 100, "standard deviation of the noise on both coordinates"),
    CRU_FLOAT(settings, imbalance, 1, 1, 1e6, "size of the first class over that of the second"),
    CRU_END,
};

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    cru_status status = generate_begin(data, CRU_ROWS, s->rows, 2, l->err);
    float *x = !status ? generate_dense(data, 2, l->err) : NULL;
    if (!x) return CRU_NO_MEMORY;
    int64_t sizes[2];
    cru_rng rng = cru_rng_stream(l->source->seed, "moons", 0);
    generate_class_sizes(s->rows, 2, s->imbalance, sizes);
    status = generate_classes(data, sizes, &rng, l->err);
    if (status) return status;
    for (int64_t i = 0; i < s->rows; i++) {
        double t = M_PI * cru_rng_uniform(&rng);
        bool upper = data->truth[i] == 0;
        x[2 * i] = (float)((upper ? cos(t) : 1 - cos(t)) + s->noise * cru_rng_normal(&rng));
        x[2 * i + 1] = (float)((upper ? sin(t) : 0.5 - sin(t)) + s->noise * cru_rng_normal(&rng));
    }
    generate_end(data);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "moons",
    .version = "1.0",
    .summary = "rows from two interleaved half circles",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_ROWS,
};
